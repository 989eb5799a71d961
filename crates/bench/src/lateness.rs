//! How late the emulation of drives made the operations that waited for them.

use findings::counters::{ZIL_POOL_BYTES, ZIL_SLOG_BYTES};
use lab::campaign::{Class, Pool};
use std::collections::{BTreeMap, BTreeSet};

/// Log requests that a commit waits for one after another: its own write and flush, and, since it
/// arrives anywhere within its predecessor's, half of those.
const COMMIT_WAITS: f64 = 3.0;

/// Names of the drives that are the pool's log: `optane0`.
pub fn logs(pool: &Pool) -> BTreeSet<String> {
    pool.vdevs
        .iter()
        .filter(|vdev| vdev.class == Class::Log)
        .flat_map(|vdev| &vdev.drives)
        .map(ToString::to_string)
        .collect()
}

/// What the drives of a kind of place did.
#[derive(Debug, Clone, Copy, Default)]
struct Flushed {
    flushes: f64,
    /// Lateness of their requests, each drive's mean weighted by its flushes: virtual ns.
    late: f64,
}

impl Flushed {
    fn mean_late(self) -> f64 {
        if self.flushes > 0.0 {
            self.late / self.flushes
        } else {
            0.0
        }
    }
}

/// What of a window waited for drives.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waits {
    /// Commits of the intent log.
    pub commits: f64,
    /// Writes that end when the pool's drives have them: direct I/O.
    pub direct_writes: f64,
}

/// Emulation lateness on operations' blocking paths, in virtual ns summed over the window: for each
/// commit the mean lateness of the drives that it was written to and flushed on, as
/// often as it waits for them, for each read that reached a drive that drive's mean lateness, and for
/// each direct write that of the pool's drives. A
/// commit that went to the log vdev does not wait for the disks that a transaction group flushes; bytes
/// say how many went where. Reads that run in parallel for one operation are all counted, so this is
/// rather too much than too little.
pub fn on_path(waits: Waits, totals: &BTreeMap<String, f64>, logs: &BTreeSet<String>) -> f64 {
    let total = |name: &str| totals.get(name).copied().unwrap_or(0.0);
    let (mut log, mut pool, mut read_late) = (Flushed::default(), Flushed::default(), 0.0);
    // Writes of the pool's drives, and their lateness.
    let mut written = (0.0, 0.0);
    for name in totals.keys() {
        let drive = name.strip_prefix("drive.");
        let Some(drive) = drive.and_then(|name| name.strip_suffix(".late_ns")) else {
            continue;
        };
        let of = |what: &str| total(&format!("drive.{drive}.{what}"));
        // Those whose lateness is in the sum: trims' is not.
        let requests = of("reads") + of("writes") + of("flushes");
        if requests > 0.0 {
            let late = of("late_ns") / requests;
            let place = if logs.contains(drive) {
                &mut log
            } else {
                &mut pool
            };
            place.flushes += of("flushes");
            place.late += of("flushes") * late;
            read_late += of("reads") * late;
            if !logs.contains(drive) {
                written.0 += of("writes");
                written.1 += of("writes") * late;
            }
        }
    }
    let (to_log, to_pool) = (total(ZIL_SLOG_BYTES), total(ZIL_POOL_BYTES));
    let commit = if to_log + to_pool > 0.0 {
        (to_log * log.mean_late() + to_pool * pool.mean_late()) / (to_log + to_pool)
    } else {
        0.0
    };
    let direct = if written.0 > 0.0 {
        waits.direct_writes * written.1 / written.0
    } else {
        0.0
    };
    waits.commits * COMMIT_WAITS * commit + direct + read_late
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(values: &[(&str, f64)]) -> BTreeMap<String, f64> {
        values.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect()
    }

    /// A log 100 ns late a request; disks that are flushed with each transaction group, 500 ns.
    fn with_log(slog_bytes: f64, pool_bytes: f64) -> BTreeMap<String, f64> {
        map(&[
            ("zil.slog_bytes", slog_bytes),
            ("zil.pool_bytes", pool_bytes),
            ("drive.log0.late_ns", 2000.0),
            ("drive.log0.writes", 10.0),
            ("drive.log0.flushes", 10.0),
            ("drive.hdd0.late_ns", 10_000.0),
            ("drive.hdd0.writes", 10.0),
            ("drive.hdd0.flushes", 10.0),
        ])
    }

    #[test]
    fn a_commit_waits_for_the_drives_it_went_to() {
        let logs = BTreeSet::from(["log0".to_owned()]);
        let ten = Waits {
            commits: 10.0,
            direct_writes: 0.0,
        };
        assert_eq!(on_path(ten, &with_log(4096.0, 0.0), &logs), 3000.0);
        assert_eq!(on_path(ten, &with_log(0.0, 4096.0), &logs), 15_000.0);
        // A log that was full for half of the bytes.
        assert_eq!(on_path(ten, &with_log(4096.0, 4096.0), &logs), 9000.0);
        let none = Waits::default();
        assert_eq!(on_path(none, &with_log(4096.0, 0.0), &logs), 0.0);
    }

    #[test]
    fn a_read_waits_for_its_drive() {
        let totals = map(&[("drive.hdd0.late_ns", 800.0), ("drive.hdd0.reads", 8.0)]);
        assert_eq!(on_path(Waits::default(), &totals, &BTreeSet::new()), 800.0);
    }

    #[test]
    fn a_direct_write_waits_for_the_pools_drives_without_a_commit() {
        let logs = BTreeSet::from(["log0".to_owned()]);
        let waits = Waits {
            commits: 0.0,
            direct_writes: 4.0,
        };
        assert_eq!(on_path(waits, &with_log(0.0, 0.0), &logs), 4.0 * 500.0);
    }

    #[test]
    fn the_log_is_what_the_pool_has_as_one() {
        let drives = |kind: &str| {
            let of = |index| lab::campaign::DriveRef {
                kind: kind.into(),
                index,
            };
            vec![of(0), of(1)]
        };
        let vdev = |class, kind| lab::campaign::Vdev {
            class,
            layout: lab::campaign::Layout::Mirror,
            drives: drives(kind),
        };
        let pool = Pool {
            vdevs: vec![vdev(Class::Normal, "hdd"), vdev(Class::Log, "optane")],
            ashift: None,
            properties: BTreeMap::new(),
        };
        let expected = BTreeSet::from(["optane0".to_owned(), "optane1".to_owned()]);
        assert_eq!(logs(&pool), expected);
    }
}
