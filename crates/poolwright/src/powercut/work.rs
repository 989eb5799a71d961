//! The writes before the power cut, and their check afterwards.

use super::blocks::{Blocks, InFlight, WRITERS, WriterBlocks, append};
use super::commits::{Commits, Tables, Transactions};
use super::kept::{Damage, Kept};
use super::pages::{self, PageFiles, PageState};
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

    /// What is there of what the writers wrote; a database is recovered first.
    ///
    /// # Errors
    /// Why the database cannot be used.
    pub fn read_back(&self) -> Result<ReadBack, String> {
        Ok(match self {
            Work::Blocks(blocks) => ReadBack::Blocks {
                in_flight: blocks.in_flight,
                writers: (0..WRITERS).map(|writer| blocks.read_back(writer)).collect(),
            },
            Work::Pages(pages) => {
                ReadBack::Pages((0..WRITERS).map(|writer| pages.read_back(writer)).collect())
            }
            Work::Commits(commits) => ReadBack::Tables(commits.read_back()?),
            Work::Sqlite(transactions) => ReadBack::Tables(transactions.read_back()?),
        })
    }
}

/// What is there of what the writers wrote. What had been acknowledged is not known where it is read, so that states that
/// differ in nothing else are read once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadBack {
    Blocks {
        in_flight: InFlight,
        writers: Vec<WriterBlocks>,
    },
    /// The pages of each writer.
    Pages(Vec<Vec<PageState>>),
    Tables(Tables),
}

impl ReadBack {
    /// Checks it against the number of each writer's acknowledged writes.
    pub fn check(&self, acknowledged: &[u64]) -> Kept {
        match self {
            ReadBack::Blocks { in_flight, writers } => {
                let check =
                    |(there, number): (&WriterBlocks, &u64)| there.check(*in_flight, *number);
                of_files(writers.iter().zip(acknowledged).map(check))
            }
            ReadBack::Pages(writers) => {
                let check = |(there, rounds): (&Vec<PageState>, &u64)| pages::check(there, *rounds);
                of_files(writers.iter().zip(acknowledged).map(check))
            }
            ReadBack::Tables(tables) => tables.check(acknowledged),
        }
    }
}

/// What is kept where no database recovers, from what was found of each writer.
fn of_files(writers: impl Iterator<Item = (Damage, u64)>) -> Kept {
    let mut found = Kept::default();
    for (damage, first) in writers {
        found.damage += damage;
        found.first.push(first);
    }
    found
}
