//! `postgresql.conf`.

use super::choice::{Choice, Need, Target, Workload};
use crate::source::Document;

/// Every setting of PostgreSQL here.
pub const SETTINGS: &[fn(&Need) -> Option<Choice>] = &[
    shared_buffers,
    effective_cache_size,
    maintenance_work_mem,
    max_wal_size,
    checkpoint_timeout,
    wal_init_zero,
    wal_recycle,
    wal_compression,
    full_page_writes,
    synchronous_commit,
    random_page_cost,
    effective_io_concurrency,
];

fn set(name: &'static str, value: impl ToString, reason: &str) -> Choice {
    Choice::new(Target::Postgresql, name, value, reason).from(Document::PostgresManual, name)
}

fn megabytes(bytes: u64) -> String {
    format!("{}MB", (bytes >> 20).max(1))
}

/// PostgreSQL's own cache.
pub fn shared_buffers(need: &Need) -> Option<Choice> {
    Some(set(
        "shared_buffers",
        megabytes(need.server_cache()),
        "A quarter of RAM, the manual's starting point; the ARC behind it holds the rest of the working set, compressed.",
    ))
}

/// What the planner may believe is cached.
pub fn effective_cache_size(need: &Need) -> Option<Choice> {
    let bytes = need.server_cache().saturating_add(need.arc() / 4 * 3);
    Some(set(
        "effective_cache_size",
        megabytes(bytes),
        "shared_buffers and three quarters of the ARC: an estimate for the planner, which allocates nothing. Linux's page cache does not count: ZFS does not use it.",
    ))
}

/// Memory of VACUUM and CREATE INDEX.
pub fn maintenance_work_mem(need: &Need) -> Option<Choice> {
    Some(set(
        "maintenance_work_mem",
        megabytes((need.memory / 16).min(2 << 30)),
        "A sixteenth of RAM, at most 2 GB: fewer passes over indexes.",
    ))
}

/// WAL between checkpoints.
pub fn max_wal_size(need: &Need) -> Option<Choice> {
    let bytes: u64 = if need.memory >= 64 << 30 {
        16 << 30
    } else {
        4 << 30
    };
    Some(set(
        "max_wal_size",
        megabytes(bytes),
        "Checkpoints by time and not by volume: after each one, the first change of a page writes the page whole. Costs disk space and a longer recovery after a crash.",
    ))
}

/// Time between checkpoints.
pub fn checkpoint_timeout(need: &Need) -> Option<Choice> {
    (need.workload != Workload::Analytics).then(|| set("checkpoint_timeout", "15min", "Fewer full pages in the WAL than at 5 min; recovery after a crash replays up to so much longer."))
}

/// Zeros in new WAL files.
pub fn wal_init_zero(_: &Need) -> Option<Choice> {
    Some(set(
        "wal_init_zero",
        "off",
        "Filling with zeros reserves blocks to overwrite; copy-on-write never overwrites, and compression drops the zeros.",
    ))
}

/// Reuse of old WAL files.
pub fn wal_recycle(_: &Need) -> Option<Choice> {
    Some(set(
        "wal_recycle",
        "off",
        "Renaming an old file to overwrite it saves nothing on copy-on-write, and writing into old records reads those that left the cache.",
    ))
}

/// Full pages in the WAL, compressed.
pub fn wal_compression(_: &Need) -> Option<Choice> {
    Some(set(
        "wal_compression",
        "on",
        "Full pages make most of the WAL after a checkpoint. The intent log stores what it is given uncompressed, so smaller WAL writes are smaller commits; ZFS's compression comes only afterwards.",
    ))
}

/// Pages whole in the WAL after a checkpoint.
pub fn full_page_writes(_: &Need) -> Option<Choice> {
    let reason = "Only where every file of the cluster was written with recordsize 8K or more, a multiple of the page: ZFS then writes a page whole or not at all. Not on a standby with another file system, not with pg_rewind.";
    Some(
        set("full_page_writes", "off", reason)
            .from(Document::ZfsCode, "zfs_write, one transaction a block")
            .offered(),
    )
}

/// Whether COMMIT waits for the WAL.
pub fn synchronous_commit(need: &Need) -> Option<Choice> {
    // Three times wal_writer_delay of 200 ms.
    const LOSS: f64 = 0.6;
    if need.allow_loss_s >= LOSS {
        return Some(set("synchronous_commit", "off", "Asked for by --allow-loss: COMMIT returns before its WAL is flushed. The database stays consistent. Can be set for single transactions instead.").loses(LOSS));
    }
    Some(set(
        "synchronous_commit",
        "on",
        "COMMIT returns when the transaction is stable.",
    ))
}

/// What a random page costs.
pub fn random_page_cost(need: &Need) -> Option<Choice> {
    (need.flash() == Some(true)).then(|| set("random_page_cost", "1.1", "On flash a random page costs hardly more than a sequential one; 4 makes the planner avoid indexes."))
}

/// Reads started ahead.
pub fn effective_io_concurrency(need: &Need) -> Option<Choice> {
    let choice = match (need.release(), need.flash()) {
        (Some(release), _) if release < (2, 2) => set("effective_io_concurrency", 0, "Up to OpenZFS 2.1 posix_fadvise does nothing on Linux: each hint would be a system call for nothing.").from(Document::ZfsCode, "zpl_file.c, fadvise since 2.2"),
        (Some(_), Some(true)) => set("effective_io_concurrency", 200, "Flash serves many reads at once, and since 2.2 OpenZFS starts them on posix_fadvise.").from(Document::HongKong, "databases"),
        (Some(_), Some(false)) => {
            let disks = need.leaves(facts::zpool_status::Class::Normal).len().clamp(1, 64);
            set("effective_io_concurrency", disks * 2, "Two reads for each disk of the pool keep all of them busy.")
        }
        _ => return None,
    };
    Some(choice)
}
