//! The durability class of a variant under a workload: what a power cut can cost, by rules over settings.
//!
//! A class says what happens to writes that were acknowledged as durable when power fails. Dead drives are not
//! part of it, except where a rule says so.

pub mod evidence;
mod mysql;
mod postgresql;
mod sqlite;
mod storage;

pub use evidence::Evidence;
pub use storage::{lost_groups_s, unflushed, volatile, volatile_of, write_path};

use crate::campaign::{Campaign, Program, Variant, Workload};
use crate::fio;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a power cut leaves of acknowledged writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "class", rename_all = "kebab-case")]
pub enum Durability {
    /// All of them.
    #[default]
    KeepsAcknowledged,
    /// The last ones may be lost; the remaining data is the state of an earlier moment.
    LosesLast {
        /// Maximum seconds of lost work; none if the settings do not bound it.
        seconds: Option<f64>,
    },
    /// The remaining data may be a state that never existed.
    MayCorrupt,
}

impl Durability {
    fn rank(self) -> u8 {
        match self {
            Durability::KeepsAcknowledged => 0,
            Durability::LosesLast { .. } => 1,
            Durability::MayCorrupt => 2,
        }
    }

    /// Whether this is of a worse class than another, however many seconds may be lost.
    pub fn worse_than(self, other: Durability) -> bool {
        self.rank() > other.rank()
    }

    /// Whether two are of the same class, however many seconds may be lost.
    pub fn same_class(self, other: Durability) -> bool {
        self.rank() == other.rank()
    }

    /// The class if both apply. Seconds add up, because data waits in one buffer after the other.
    fn and(self, other: Durability) -> Durability {
        use Durability::LosesLast;
        match (self, other) {
            (LosesLast { seconds: a }, LosesLast { seconds: b }) => {
                LosesLast { seconds: a.zip(b).map(|(a, b)| a + b) }
            }
            (a, b) if a.rank() >= b.rank() => a,
            (_, b) => b,
        }
    }
}

impl std::fmt::Display for Durability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Durability::KeepsAcknowledged => f.write_str("keeps all acknowledged writes"),
            Durability::LosesLast { seconds: Some(s) } => {
                write!(f, "may lose the last {s} s of acknowledged writes; the rest is consistent")
            }
            Durability::LosesLast { seconds: None } => {
                f.write_str("may lose the last acknowledged writes; the rest is consistent")
            }
            Durability::MayCorrupt => f.write_str("may corrupt data"),
        }
    }
}

/// A reason why a variant does not have the best class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The setting as written, and where: `sync=disabled on tank/db`.
    pub setting: String,
    /// The class that this setting alone allows.
    pub durability: Durability,
    /// The mechanism, in one sentence.
    pub why: String,
    /// Evidence for it.
    pub evidence: Evidence,
}

/// A class with its reasons; none for the best class.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Assessment {
    /// The class.
    pub durability: Durability,
    /// The reasons why it is not better.
    pub reasons: Vec<Reason>,
}

impl Assessment {
    fn from_reasons(reasons: Vec<Reason>) -> Assessment {
        let all = reasons.iter().map(|reason| reason.durability);
        Assessment { durability: all.fold(Durability::default(), Durability::and), reasons }
    }
}

/// The class of a variant under one workload.
pub fn assess(variant: &Variant, workload: &Workload) -> Assessment {
    let own = workload.on(variant);
    let sync_disabled = || storage::sync_disabled(variant, &workload.dataset).into_iter().collect();
    let (o_direct, of_program) = match &own.program {
        Program::Fio { job, .. } => {
            let jobs = fio::parse::read(job, &mut Vec::new()).jobs;
            (jobs.iter().any(fio::job_options::is_direct), sync_disabled())
        }
        Program::PgTestFsync(_) => (false, sync_disabled()),
        Program::Pgbench(pgbench) => (false, postgresql::reasons(variant, pgbench)),
        Program::Sqlite(sqlite) => (false, sqlite::reasons(variant, &workload.dataset, sqlite)),
        Program::Sysbench(sysbench) => {
            (!mysql::buffers_pages(sysbench), mysql::reasons(variant, sysbench))
        }
    };
    let mut reasons = storage::reasons(variant, &datasets(workload), o_direct);
    reasons.extend(of_program);
    Assessment::from_reasons(reasons)
}

/// Datasets of files that must be of one moment. A binary log is not among them: recovery holds the tables to it.
fn datasets(workload: &Workload) -> BTreeSet<&str> {
    match &workload.program {
        Program::Sysbench(sysbench) => mysql::own_datasets(sysbench),
        _ => workload.datasets().into_iter().collect(),
    }
}

/// The worst class of a variant under the workloads of a campaign, with its reasons.
pub fn worst(variant: &Variant, campaign: &Campaign) -> Assessment {
    let all = campaign.workloads.iter().map(|workload| assess(variant, workload));
    let severity = |assessment: &Assessment| {
        let seconds = match assessment.durability {
            Durability::LosesLast { seconds } => seconds.unwrap_or(f64::INFINITY),
            _ => 0.0,
        };
        (assessment.durability.rank(), seconds)
    };
    all.max_by(|a, b| {
        let (a, b) = (severity(a), severity(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
    .unwrap_or_else(|| Assessment::from_reasons(storage::reasons(variant, &BTreeSet::new(), false)))
}

#[cfg(test)]
mod mysql_tests;
#[cfg(test)]
pub(crate) mod tests;
