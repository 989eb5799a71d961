//! The tests of pg_test_fsync, in its own words where it has some.

use crate::{Language, say};
use measurement::SyncTest;

impl Language {
    /// A test: `fdatasync`, `open_sync, 2 × 8 kB`.
    pub fn sync_test(self, test: SyncTest) -> String {
        let two = |method: &str| say!(self; "{method}, two writes", "{method}，两次写入");
        let parts = |parts: &str| say!(self; "open_sync, {parts} kB", "open_sync，{parts} kB");
        match test {
            SyncTest::OneOpenDatasync => "open_datasync".into(),
            SyncTest::OneFdatasync => "fdatasync".into(),
            SyncTest::OneFsync => "fsync".into(),
            SyncTest::OneFsyncWritethrough => "fsync_writethrough".into(),
            SyncTest::OneOpenSync => "open_sync".into(),
            SyncTest::TwoOpenDatasync => two("open_datasync"),
            SyncTest::TwoFdatasync => two("fdatasync"),
            SyncTest::TwoFsync => two("fsync"),
            SyncTest::TwoFsyncWritethrough => two("fsync_writethrough"),
            SyncTest::TwoOpenSync => two("open_sync"),
            SyncTest::OpenSync1x16 => parts("1 × 16"),
            SyncTest::OpenSync2x8 => parts("2 × 8"),
            SyncTest::OpenSync4x4 => parts("4 × 4"),
            SyncTest::OpenSync8x2 => parts("8 × 2"),
            SyncTest::OpenSync16x1 => parts("16 × 1"),
            SyncTest::WriteFsyncClose => say!(self; "write, fsync, close", "写入、fsync、关闭"),
            SyncTest::WriteCloseFsync => say!(self; "write, close, fsync", "写入、关闭、fsync"),
            SyncTest::Unsynced => say!(self; "write, not synced", "写入，不同步"),
        }
    }
}
