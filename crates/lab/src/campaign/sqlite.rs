//! SQLite in the processes of an application: many connections to one file.

use serde::{Deserialize, Serialize};

/// Bytes of a row of accounts with its cell: 84 of filler, two numbers and their headers.
const ROW: u64 = 100;
/// `cache_size` of SQLite's own, bytes for each connection: 2000 KiB.
pub const SQLITE_CACHE: u64 = 2000 << 10;
/// Fewest pages of a connection's cache at S, so that a transaction's pages fit.
const LEAST_CACHE_PAGES: u64 = 64;

/// SQLite's database and its clients, as on the real server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sqlite {
    /// `PRAGMA journal_mode`.
    pub journal_mode: JournalMode,
    /// `PRAGMA synchronous`.
    pub synchronous: Synchronous,
    /// `PRAGMA page_size`, bytes.
    pub page_size: u32,
    /// Rows of accounts.
    pub rows: u64,
    /// Connections.
    pub clients: u32,
    /// Share of the transactions that write, 0 to 1.
    pub writes: f64,
    /// `PRAGMA cache_size` of each connection, bytes; none for SQLite's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_size: Option<u64>,
}

impl Sqlite {
    /// Its settings in a few words: `journal_mode=wal synchronous=full`.
    pub fn settings(&self) -> String {
        format!("journal_mode={} synchronous={}", self.journal_mode.name(), self.synchronous.name())
    }

    /// Bytes of its tables.
    pub fn data_bytes(&self) -> u64 {
        self.rows.saturating_mul(ROW)
    }

    /// The same at S: rows and caches are stocks.
    pub fn scaled(&self, size: f64) -> Sqlite {
        let divided = |stock: u64| (stock as f64 / size).round() as u64;
        let real = self.cache_size.unwrap_or(SQLITE_CACHE);
        let least = (LEAST_CACHE_PAGES * u64::from(self.page_size)).min(real);
        Sqlite {
            rows: divided(self.rows).max(1),
            cache_size: Some(divided(real).max(least)),
            ..self.clone()
        }
    }
}

zfs::named! {
    /// How SQLite makes a transaction whole, by the names of the pragma.
    #[derive(Default)]
    pub enum JournalMode {
        /// A write-ahead log.
        #[default]
        Wal = "wal",
        /// A rollback journal, which a commit deletes.
        Delete = "delete",
    }
}

zfs::named! {
    /// When SQLite waits for the drives, by the names of the pragma.
    #[derive(Default)]
    pub enum Synchronous {
        /// At each commit.
        #[default]
        Full = "full",
        /// With a write-ahead log at checkpoints only.
        Normal = "normal",
        /// Never.
        Off = "off",
    }
}
