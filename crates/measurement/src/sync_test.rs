//! The tests of pg_test_fsync.

use crate::named::named;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

named! {
    /// A line of pg_test_fsync's table, in its order.
    #[derive(Copy, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum SyncTest {
        /// One write of 8 kB with `O_DSYNC`.
        OneOpenDatasync = "one-open-datasync",
        /// One write of 8 kB, then `fdatasync`.
        OneFdatasync = "one-fdatasync",
        /// One write of 8 kB, then `fsync`.
        OneFsync = "one-fsync",
        /// One write of 8 kB, then a flush of the drive's cache: macOS alone.
        OneFsyncWritethrough = "one-fsync-writethrough",
        /// One write of 8 kB with `O_SYNC`.
        OneOpenSync = "one-open-sync",
        /// Two writes of 8 kB with `O_DSYNC`.
        TwoOpenDatasync = "two-open-datasync",
        /// Two writes of 8 kB, then `fdatasync`.
        TwoFdatasync = "two-fdatasync",
        /// Two writes of 8 kB, then `fsync`.
        TwoFsync = "two-fsync",
        /// Two writes of 8 kB, then a flush of the drive's cache: macOS alone.
        TwoFsyncWritethrough = "two-fsync-writethrough",
        /// Two writes of 8 kB with `O_SYNC`.
        TwoOpenSync = "two-open-sync",
        /// 16 kB with `O_SYNC` in one write.
        OpenSync1x16 = "open-sync1x16",
        /// 16 kB with `O_SYNC` in two writes.
        OpenSync2x8 = "open-sync2x8",
        /// 16 kB with `O_SYNC` in four writes.
        OpenSync4x4 = "open-sync4x4",
        /// 16 kB with `O_SYNC` in eight writes.
        OpenSync8x2 = "open-sync8x2",
        /// 16 kB with `O_SYNC` in sixteen writes.
        OpenSync16x1 = "open-sync16x1",
        /// A write of 8 kB, `fsync`, close.
        WriteFsyncClose = "write-fsync-close",
        /// A write of 8 kB, close, and `fsync` on another descriptor.
        WriteCloseFsync = "write-close-fsync",
        /// A write of 8 kB that nothing makes durable.
        Unsynced = "unsynced",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    #[test]
    fn every_test_has_one_name_in_records_and_in_findings() {
        for test in SyncTest::NAMED {
            assert_eq!(SyncTest::parse(&test.name()), Some(*test));
            let json = serde_json::to_string(test).unwrap();
            assert_eq!(json, format!("\"{}\"", test.name()));
        }
    }
}
