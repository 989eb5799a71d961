//! What is written until the power fails, and looked for afterwards.

use super::blocks::{Blocks, WRITERS};
use super::commits::{Commits, Recovery};
use serde::{Deserialize, Serialize};

/// What the writers write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Blocks of files.
    Blocks(Blocks),
    /// Transactions of a database.
    Commits(Box<Commits>),
}

impl Work {
    /// How many write at the same time.
    pub fn writers(&self) -> usize {
        match self {
            Work::Blocks(_) => WRITERS,
            Work::Commits(commits) => commits.sessions,
        }
    }

    /// Looks for what each writer had acknowledged.
    ///
    /// # Errors
    /// Why it cannot be looked for.
    pub fn check(&self, acknowledged: &[u64]) -> Result<Recovery, String> {
        match self {
            Work::Blocks(blocks) => {
                Ok(Recovery { damage: blocks.check_all(acknowledged), ..Recovery::default() })
            }
            Work::Commits(commits) => commits.check(acknowledged),
        }
    }
}
