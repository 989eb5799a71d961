//! The writes before the power cut, and their check afterwards.

use super::blocks::{Blocks, WRITERS};
use super::commits::{Commits, Recovery};
use serde::{Deserialize, Serialize};

/// The kind of writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Blocks of files.
    Blocks(Blocks),
    /// Transactions of a database.
    Commits(Box<Commits>),
}

impl Work {
    /// Number of concurrent writers.
    pub fn writers(&self) -> usize {
        match self {
            Work::Blocks(_) => WRITERS,
            Work::Commits(commits) => commits.sessions,
        }
    }

    /// Checks the acknowledged writes of each writer.
    ///
    /// # Errors
    /// Why they cannot be checked.
    pub fn check(&self, acknowledged: &[u64]) -> Result<Recovery, String> {
        match self {
            Work::Blocks(blocks) => {
                Ok(Recovery { damage: blocks.check_all(acknowledged), ..Recovery::default() })
            }
            Work::Commits(commits) => commits.check(acknowledged),
        }
    }
}
