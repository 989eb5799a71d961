//! pg_test_fsync: PostgreSQL's own test of a file system's ways to make a write durable.

use serde::{Deserialize, Serialize};

/// Virtual seconds of each of its tests where the lab states no `runtime`: pg_test_fsync's own.
pub const SECONDS_PER_TEST: f64 = 5.0;
/// Its tests on Linux, one after another.
pub const SYNC_TESTS: u32 = 16;

/// pg_test_fsync, and which of its tests is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PgTestFsync {
    /// How the writes are made durable.
    pub method: SyncMethod,
    /// Writes of 8 kB for each time that they are: 1 or 2.
    pub writes: u32,
    /// Major version of PostgreSQL; none for the newest that is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

/// How pg_test_fsync makes writes of 8 kB durable: by the names of `wal_sync_method`, or not at all.
// Not made with `zfs::named!`: it is serialized, and in keys of trials, by the variants' own names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SyncMethod {
    /// `O_DSYNC`.
    OpenDatasync,
    /// `fdatasync`, which PostgreSQL takes on Linux.
    #[default]
    Fdatasync,
    /// `fsync`.
    Fsync,
    /// `O_SYNC`.
    OpenSync,
    /// Not at all.
    Write,
}

impl SyncMethod {
    /// Every method.
    pub const ALL: [Self; 5] =
        [Self::OpenDatasync, Self::Fdatasync, Self::Fsync, Self::OpenSync, Self::Write];

    /// As pg_test_fsync prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenDatasync => "open_datasync",
            Self::Fdatasync => "fdatasync",
            Self::Fsync => "fsync",
            Self::OpenSync => "open_sync",
            Self::Write => "write",
        }
    }
}

impl PgTestFsync {
    /// The compared test in a few words: `fdatasync`, `fsync of two writes`.
    pub fn compared(&self) -> String {
        match self.writes {
            2 => format!("{} of two writes", self.method.name()),
            _ => self.method.name().to_owned(),
        }
    }
}
