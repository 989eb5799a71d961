//! What is asked, and what is chosen.

use crate::cardtool::CardTool;
use crate::lang::Language;
use crate::source::{Document, Source};
use crate::system::{Leaf, Pool, System};
use facts::zpool_status::Class;
use serde::Serialize;

/// The program that is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Server {
    /// PostgreSQL.
    Postgresql,
    /// MySQL or MariaDB.
    Mysql,
    /// The kernel's NFS server.
    Nfs,
    /// Samba.
    Smb,
    /// Anything else.
    Generic,
}

/// What it mostly does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    /// Short transactions.
    Oltp,
    /// Scans of much data.
    Analytics,
    /// Files of up to a few hundred KiB.
    SmallFiles,
    /// Files of many MiB.
    LargeFiles,
    /// Images of virtual machines.
    Vm,
    /// Some of everything.
    Mixed,
}

/// What settings are needed for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Need {
    /// The server.
    pub server: Server,
    /// What it does.
    pub workload: Workload,
    /// RAM, bytes.
    pub memory: u64,
    /// Processor cores.
    pub cores: u32,
    /// Seconds of acknowledged writes that may be lost at a power cut; 0 for none.
    pub allow_loss_s: f64,
    /// The machine or lab as far as it is known; its first pool is meant.
    pub system: System,
    /// A RAID card to be told, where no facts name one.
    pub card: Option<CardTool>,
}

impl Need {
    /// The pool that is meant.
    pub fn pool(&self) -> Option<&Pool> {
        self.system.pools.first()
    }

    /// Its name, or a word that stands for it.
    pub fn pool_name(&self) -> &str {
        self.pool().map_or("POOL", |pool| pool.name.as_str())
    }

    /// Drives of a class in the pool.
    pub fn leaves(&self, class: Class) -> Vec<&Leaf> {
        self.pool().map_or(Vec::new(), |pool| {
            pool.of(class).flat_map(|vdev| &vdev.leaves).collect()
        })
    }

    /// Whether the data lies on flash; none where that is not known.
    pub fn flash(&self) -> Option<bool> {
        let leaves = self.leaves(Class::Normal);
        let known: Vec<bool> = leaves
            .iter()
            .filter_map(|leaf| self.system.rotates(leaf))
            .collect();
        (!known.is_empty() && known.len() == leaves.len())
            .then(|| known.iter().all(|rotates| !rotates))
    }

    /// Whether the server is a database.
    pub fn database(&self) -> bool {
        matches!(self.server, Server::Postgresql | Server::Mysql)
    }

    /// OpenZFS's release line, where it is known.
    pub fn release(&self) -> Option<(u32, u32)> {
        self.system.openzfs.as_ref().map(|version| version.value)
    }

    /// The dataset that is meant: a database's own where one is known, else one by a usual name.
    pub fn dataset(&self) -> String {
        let wanted = match self.server {
            Server::Postgresql => Some(crate::system::Engine::Postgresql),
            Server::Mysql => Some(crate::system::Engine::Mysql),
            _ => None,
        };
        let known = self
            .system
            .databases()
            .into_iter()
            .find(|db| Some(db.engine) == wanted && db.dataset.pool() == self.pool_name())
            .map(|db| db.dataset.name.clone());
        let usual = match self.server {
            Server::Postgresql => "pgdata",
            Server::Mysql => "mysql",
            Server::Nfs | Server::Smb => "share",
            Server::Generic => "data",
        };
        known.unwrap_or_else(|| format!("{}/{usual}", self.pool_name()))
    }

    /// The dataset for the server's log, beside its data.
    pub fn log_dataset(&self) -> Option<String> {
        let name = match self.server {
            Server::Postgresql => "pgwal",
            Server::Mysql => "mysql-log",
            _ => return None,
        };
        Some(format!("{}/{name}", self.pool_name()))
    }

    /// Bytes of the server's own cache: a quarter of RAM for PostgreSQL, which relies on the file
    /// system's; half for InnoDB, which does not.
    pub fn server_cache(&self) -> u64 {
        match self.server {
            Server::Postgresql => self.memory / 4,
            Server::Mysql => self.memory / 2,
            _ => 0,
        }
    }

    /// Bytes for the ARC: what the server and a fifth of RAM for everything else leave, at least
    /// 64 MiB, below which the limit is ignored.
    pub fn arc(&self) -> u64 {
        let rest = self
            .memory
            .saturating_sub(self.server_cache())
            .saturating_sub(self.memory / 5);
        // Whole gigabytes where that costs little.
        let unit = if rest >= 8 << 30 { 30 } else { 20 };
        rest.max(64 << 20) >> unit << unit
    }
}

/// What a setting may lose of what was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "loss", rename_all = "kebab-case")]
pub enum Loss {
    /// Nothing.
    Nothing,
    /// Committed work of at most these seconds, at a power cut or crash; the data stays whole.
    Commits {
        /// Seconds.
        seconds: f64,
    },
}

impl Loss {
    /// Seconds of acknowledged writes at risk.
    pub fn seconds(self) -> f64 {
        match self {
            Loss::Nothing => 0.0,
            Loss::Commits { seconds } => seconds,
        }
    }
}

/// Where a setting is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A dataset.
    Dataset(String),
    /// A pool.
    Pool(String),
    /// The zfs module.
    Module,
    /// `postgresql.conf`.
    Postgresql,
    /// `my.cnf`.
    Mysql,
    /// `/etc/nfs.conf`.
    Nfs,
    /// `/etc/exports.d`.
    Exports,
    /// `smb.conf`.
    Samba,
    /// udev.
    Udev,
    /// A RAID card: the command.
    Card,
}

/// A sentence in every language: one that lacks a language does not compile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    english: String,
    chinese: String,
}

/// English and Chinese.
pub type Pair = (&'static str, &'static str);

impl From<Pair> for Said {
    fn from((english, chinese): Pair) -> Said {
        Said::from((english.to_string(), chinese.to_string()))
    }
}

impl From<(String, String)> for Said {
    fn from((english, chinese): (String, String)) -> Said {
        Said { english, chinese }
    }
}

impl Said {
    /// The sentence in a language.
    pub fn in_language(&self, language: Language) -> &str {
        match language {
            Language::English => &self.english,
            Language::Chinese => &self.chinese,
        }
    }

    /// Adds another sentence. Chinese sentences follow each other without a blank.
    pub fn and(mut self, (english, chinese): Pair) -> Said {
        self.english.push(' ');
        self.english.push_str(english);
        self.chinese.push_str(chinese);
        self
    }
}

/// A chosen setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// Where it is made.
    pub target: Target,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Why.
    pub reason: Said,
    /// What that rests on.
    pub sources: Vec<Source>,
    /// File stem of the lab that measures it.
    pub lab: Option<&'static str>,
    /// Where the sources disagree: what the others say.
    pub disagreement: Option<Said>,
    /// What it may lose.
    #[serde(flatten)]
    pub loss: Loss,
    /// Whether it is only offered: written as a comment, with its conditions.
    pub offered: bool,
}

impl Choice {
    /// A setting that loses nothing.
    pub fn new(
        target: Target,
        name: &str,
        value: impl ToString,
        reason: impl Into<Said>,
    ) -> Choice {
        Choice {
            target,
            name: name.to_string(),
            value: value.to_string(),
            reason: reason.into(),
            sources: Vec::new(),
            lab: None,
            disagreement: None,
            loss: Loss::Nothing,
            offered: false,
        }
    }

    /// What it rests on.
    pub fn from(mut self, document: Document, section: &'static str) -> Choice {
        self.sources.push(Source { document, section });
        self
    }

    /// The lab that measures it.
    pub fn lab(mut self, lab: &'static str) -> Choice {
        self.lab = Some(lab);
        self
    }

    /// What other sources say.
    pub fn but(mut self, others: Pair) -> Choice {
        self.disagreement = Some(others.into());
        self
    }

    /// What it may lose.
    pub fn loses(mut self, seconds: f64) -> Choice {
        self.loss = Loss::Commits { seconds };
        self
    }

    /// Only offered.
    pub fn offered(mut self) -> Choice {
        self.offered = true;
        self
    }
}
