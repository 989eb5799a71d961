//! The writes before the power cut, and their check afterwards.

use super::blocks::{Blocks, Damage, WRITERS, append};
use super::commits::{Commits, Recovery, Transactions};
use super::pages::{self, PageFiles};
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    Blocks(Blocks),
    Pages(PageFiles),
    /// Transactions of a database server.
    Commits(Box<Commits>),
    Sqlite(Box<Transactions>),
}

/// Writes the block or the round of pages, or commits the transaction, of a number, and returns when it is acknowledged.
pub type Writer<'a> = Box<dyn FnMut(u64) -> io::Result<()> + 'a>;

impl Work {
    pub fn writers(&self) -> usize {
        match self {
            Work::Blocks(_) | Work::Pages(_) => WRITERS,
            Work::Commits(commits) => commits.sessions,
            Work::Sqlite(transactions) => transactions.sessions(),
        }
    }

    /// Virtual time between a writer's acknowledgement and its next write: it limits the write rate on a fast drive.
    pub fn pause(&self) -> Duration {
        match self {
            Work::Pages(_) => pages::PAUSE,
            Work::Blocks(_) | Work::Commits(_) | Work::Sqlite(_) => Duration::from_millis(1),
        }
    }

    /// Makes the tables of the transactions, where no server does.
    pub fn make_tables(&self) -> Result<(), String> {
        match self {
            Work::Sqlite(transactions) => transactions.make_tables(),
            Work::Blocks(_) | Work::Pages(_) | Work::Commits(_) => Ok(()),
        }
    }

    /// One of the writers. Without `synchronous` it is the control's: blocks are acknowledged when write(2)
    /// returns, and SQLite syncs nothing; a server was started so.
    pub fn open(&self, writer: usize, synchronous: bool) -> io::Result<Writer<'_>> {
        Ok(match self {
            Work::Blocks(blocks) => {
                Box::new(move |number| append(blocks, writer, number, synchronous))
            }
            Work::Pages(pages) => Box::new(move |round| pages.write(writer, round, synchronous)),
            Work::Commits(commits) => {
                let mut session = commits.open(writer)?;
                Box::new(move |number| session.commit(number))
            }
            Work::Sqlite(transactions) => Box::new(transactions.open(writer, synchronous)?),
        })
    }

    /// Checks the acknowledged writes of each writer.
    pub fn check(&self, acknowledged: &[u64]) -> Result<Recovery, String> {
        match self {
            Work::Blocks(blocks) => {
                Ok(of_files(acknowledged, |writer, number| blocks.check(writer, number)))
            }
            Work::Pages(pages) => {
                Ok(of_files(acknowledged, |writer, rounds| pages.check(writer, rounds)))
            }
            Work::Commits(commits) => commits.check(acknowledged),
            Work::Sqlite(transactions) => transactions.check(acknowledged),
        }
    }
}

/// What is found where no server recovers: `check` checks one writer's files against its acknowledged writes.
fn of_files(acknowledged: &[u64], check: impl Fn(usize, u64) -> (Damage, u64)) -> Recovery {
    let mut found = Recovery::default();
    for (writer, acknowledged) in acknowledged.iter().enumerate() {
        let (damage, kept) = check(writer, *acknowledged);
        found.damage += damage;
        found.kept.push(kept);
    }
    found
}
