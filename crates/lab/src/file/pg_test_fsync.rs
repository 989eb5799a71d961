//! `[workloads.X.pg_test_fsync]`.

use super::section::Entry;
use super::server;
use super::workloads::WorkloadInputs;
use crate::campaign::{PgTestFsync, SyncMethod};

/// Shortest test, virtual seconds: of its window the first and the last second are shared with its neighbours.
const LEAST_RUNTIME_S: f64 = 3.0;

pub(super) fn read(entry: &Entry<'_>, known: &WorkloadInputs<'_>) -> Option<PgTestFsync> {
    let mut client = entry.table("pg_test_fsync")?;
    let version = client.take("version");
    let method = client.choice("method", &SyncMethod::ALL, SyncMethod::name);
    let mut test = PgTestFsync {
        method: method.unwrap_or_default(),
        writes: 1,
        version: version.and_then(|entry| server::postgresql_version(&entry)),
    };
    if let Some(entry) = client.take("writes")
        && let Some(writes) = entry.integer(1, 2, "1 or 2")
    {
        test.writes = writes;
        if test.method == SyncMethod::Write && test.writes > 1 {
            entry.error_at_key(
                "pg_test_fsync has no test of two writes that are not synced",
                "remove it",
            );
        }
    }
    client.finish();
    if let Some(runtime_s) = known.runtime_s.filter(|seconds| *seconds < LEAST_RUNTIME_S) {
        entry.error_at_key(
            format!(
                "[method] runtime = {runtime_s} s is too short: pg_test_fsync runs each test for this time, and the counters of a test need longer"
            ),
            format!("write `runtime = \"{LEAST_RUNTIME_S}s\"` or more, or leave it out (default: {} s for each test)", crate::campaign::SECONDS_PER_TEST),
        );
    }
    Some(test)
}
