//! The input of `tune`, and a chosen setting.

use crate::raid_card::CardTool;
use crate::setting::{Setting, Target, rounded_arc};
use crate::source::{Document, Source};
use crate::system::{DatabaseServer, Dataset, Leaf, Pool, System};
use serde::Serialize;
use text::Language;
use zfs::AllocationClass;

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

/// The main workload.
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

/// The requirements of a tuning.
#[derive(Debug, Clone, PartialEq)]
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
    /// The machine or lab as far as it is known.
    pub system: System,
    /// The program of a RAID card, where the input shows none.
    pub card: Option<CardTool>,
}

impl Need {
    /// The pool to tune: that of a known database of this server, else the first that the machine does not boot from,
    /// else the first.
    pub fn pool(&self) -> Option<&Pool> {
        let pools = &self.system.pools;
        let held = self.databases().find_map(|dataset| self.system.pool(dataset.pool()));
        let other = || pools.iter().find(|pool| !self.system.boots_from(pool));
        held.or_else(other).or(pools.first())
    }

    /// Its name, else that of the pool of a known database, or a placeholder.
    pub fn pool_name(&self) -> &str {
        match self.pool() {
            Some(pool) => &pool.name,
            None => self.known_database().map_or("POOL", Dataset::pool),
        }
    }

    /// The datasets that hold databases of this server.
    fn databases(&self) -> impl Iterator<Item = &Dataset> {
        let known = match self.server {
            Server::Postgresql => self.system.databases_of(DatabaseServer::Postgresql),
            Server::Mysql => self.system.databases_of(DatabaseServer::Mysql),
            _ => Vec::new(),
        };
        known.into_iter().map(|database| database.dataset)
    }

    /// The first of them in the pool.
    fn known_database(&self) -> Option<&Dataset> {
        let pool = self.pool();
        self.databases().find(|dataset| pool.is_none_or(|pool| dataset.pool() == pool.name))
    }

    /// Drives of a class in the pool.
    pub fn leaves(&self, class: AllocationClass) -> Vec<&Leaf> {
        self.pool().map_or(Vec::new(), |pool| pool.leaves_of(class).collect())
    }

    /// Drives of the data vdevs, 1 to 64.
    pub fn data_drives(&self) -> usize {
        self.leaves(AllocationClass::Normal).len().clamp(1, 64)
    }

    /// Whether the data lies on flash; none where that is not known.
    pub fn flash(&self) -> Option<bool> {
        let leaves = self.leaves(AllocationClass::Normal);
        let known: Vec<bool> = leaves.iter().filter_map(|leaf| self.system.rotates(leaf)).collect();
        (!known.is_empty() && known.len() == leaves.len())
            .then(|| known.iter().all(|rotates| !rotates))
    }

    /// Whether virtual machines run on this host.
    pub fn hosts_guests(&self) -> bool {
        self.server == Server::Generic && self.workload == Workload::Vm
    }

    /// Whether the server is a database.
    pub fn database(&self) -> bool {
        matches!(self.server, Server::Postgresql | Server::Mysql)
    }

    /// OpenZFS's release line, where it is known.
    pub fn release(&self) -> Option<(u32, u32)> {
        self.system.openzfs.as_ref().map(|version| version.value)
    }

    /// The dataset to tune: that of the database where it is known, else one with a usual name.
    pub fn dataset(&self) -> String {
        let known = self.known_database().map(|dataset| dataset.name.clone());
        let usual = match self.server {
            Server::Postgresql => "pgdata",
            Server::Mysql => "mysql",
            Server::Nfs | Server::Smb => "share",
            Server::Generic => "data",
        };
        known.unwrap_or_else(|| format!("{}/{usual}", self.pool_name()))
    }

    /// Where the dataset is mounted: by its mountpoint, or below that of the nearest dataset above it that has one.
    pub fn mountpoint(&self) -> String {
        let dataset = self.dataset();
        let above = |name: &str| {
            let point = self.system.dataset(name)?.get("mountpoint")?.value.as_str();
            let below = &dataset[name.len()..];
            point.starts_with('/').then(|| format!("{}{below}", point.trim_end_matches('/')))
        };
        let parents = dataset.rmatch_indices('/').map(|(end, _)| &dataset[..end]);
        let mounted = std::iter::once(dataset.as_str()).chain(parents).find_map(above);
        match mounted {
            Some(point) if point.is_empty() => "/".to_owned(),
            Some(point) => point,
            None => format!("/{dataset}"),
        }
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

    /// Seconds of writes that a power cut can lose where they reach the drives with their transaction group only.
    pub fn lost_groups_s(&self) -> f64 {
        let timeout = self.system.parameter("zfs_txg_timeout").map(|set| set.value.max(1));
        lab::durability::lost_groups_s(timeout)
    }

    /// Whether that may be lost.
    pub fn may_lose_groups(&self) -> bool {
        self.allow_loss_s >= self.lost_groups_s()
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
    /// 64 MiB, below which the limit is ignored. The guests of a hypervisor need most of RAM themselves: a tenth stays, at
    /// most 16 GiB, as Proxmox VE sets it.
    pub fn arc(&self) -> u64 {
        let rest = match self.hosts_guests() {
            true => (self.memory / 10).min(16 << 30),
            false => {
                self.memory.saturating_sub(self.server_cache()).saturating_sub(self.memory / 5)
            }
        };
        rounded_arc(rest.max(64 << 20))
    }
}

/// The acknowledged writes that a setting may lose.
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

/// English and Chinese.
pub type Bilingual = (&'static str, &'static str);

/// Sentences in English and Chinese.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sentence {
    english: String,
    chinese: String,
}

impl<English: Into<String>, Chinese: Into<String>> From<(English, Chinese)> for Sentence {
    fn from((english, chinese): (English, Chinese)) -> Sentence {
        Sentence { english: english.into(), chinese: chinese.into() }
    }
}

impl Sentence {
    /// The sentences in a language.
    pub fn in_language(&self, language: Language) -> &str {
        match language {
            Language::English => &self.english,
            Language::Chinese => &self.chinese,
        }
    }

    /// Adds a sentence. Chinese has no blank between sentences.
    pub fn and(mut self, (english, chinese): Bilingual) -> Sentence {
        self.english.push(' ');
        self.english.push_str(english);
        self.chinese.push_str(chinese);
        self
    }
}

/// Settings of one target in their order, `SETTINGS`, a function each: its cases, of which the first whose condition holds
/// counts, and none where none does. Each has its value and its reason. rustfmt leaves what stands in it as it is: 120
/// columns beside the sentences.
///
/// The pair of sentences, which stand in parentheses where they are no literals, is added as the last argument of the
/// call behind `=>`. What follows that call (`.source(…)`) applies to the choice. A `?` anywhere, also in a condition,
/// means no setting.
macro_rules! settings {
    ($(
        $(#[$doc:meta])*
        $name:ident($need:pat) $(
            $(if $condition:expr)? => $($set:ident)::+($($argument:expr),*) $(.$with:ident($($what:expr),*))*,
            why: $why:tt,
            why_zh: $why_zh:tt
        ) else +;
    )*) => {
        pub const SETTINGS: &[fn(&Need) -> Option<Choice>] = &[$($name),*];

        $(
            $(#[$doc])*
            fn $name($need: &Need) -> Option<Choice> {
                $(
                    if true $(&& $condition)? {
                        return Some($($set)::+($($argument,)* ($why, $why_zh))$(.$with($($what),*))*);
                    }
                )+
                None
            }
        )*
    };
}
pub(super) use settings;

/// A chosen setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The setting.
    #[serde(flatten)]
    pub setting: Setting,
    /// Why.
    pub reason: Sentence,
    /// The sources of the reason.
    pub sources: Vec<Source>,
    /// The lab that measures it: its file stem, and options of `powercut`.
    pub lab: Option<&'static str>,
    /// What other sources say, where they disagree.
    pub disagreement: Option<Sentence>,
    /// The acknowledged writes that it may lose.
    #[serde(flatten)]
    pub loss: Loss,
    /// Whether it is only offered: written as a comment, with its conditions.
    pub offered: bool,
}

impl Choice {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.setting.name
    }

    /// Its value.
    pub fn value(&self) -> &str {
        self.setting.value.as_deref().unwrap_or_default()
    }

    /// A setting that loses nothing.
    pub fn new(
        target: Target,
        name: &str,
        value: impl ToString,
        reason: impl Into<Sentence>,
    ) -> Choice {
        Choice {
            setting: Setting { target, name: name.to_string(), value: Some(value.to_string()) },
            reason: reason.into(),
            sources: Vec::new(),
            lab: None,
            disagreement: None,
            loss: Loss::Nothing,
            offered: false,
        }
    }

    /// Adds a source.
    pub fn source(mut self, document: Document, section: &'static str) -> Choice {
        self.sources.push(document.section(section));
        self
    }

    /// The lab that measures it.
    pub fn lab(mut self, lab: &'static str) -> Choice {
        self.lab = Some(lab);
        self
    }

    /// What other sources say.
    pub fn disagreement(mut self, others: Bilingual) -> Choice {
        self.disagreement = Some(others.into());
        self
    }

    /// Seconds of acknowledged writes that it may lose.
    pub fn may_lose(mut self, seconds: f64) -> Choice {
        self.loss = Loss::Commits { seconds };
        self
    }

    /// Writes it as a comment, with its conditions.
    pub fn offered(mut self) -> Choice {
        self.offered = true;
        self
    }
}
