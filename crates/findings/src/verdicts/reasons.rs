//! Reasons: what the kernel's counters and the drives' record say about an effect. Which counters are looked
//! at depends on what the factor changes in the resolved variants; what is reported depends on the numbers
//! alone.

use crate::cells::Group;
use crate::schema::{
    Cell, Database, DriveTime, Explanation, Limit, LogDrives, Phases, ReadShares, Reason,
    Resources, Subject, VerdictClass,
};
use lab::campaign::{AllocationClass, Layout, Variant, Vdev};
use measurement::{Counter, Counters, DriveCounter, Measured};

/// Shares of lookups that differ by less are the same.
const POINTS: f64 = 0.05;
/// Shares below this are next to nothing.
const NOTHING: f64 = 0.01;
/// Ratios that differ by less are the same.
const RATIO: f64 = 0.10;

/// One side of an effect.
#[derive(Debug)]
pub struct Facts<'a> {
    cell: &'a Cell,
    resources: &'a Resources,
    totals: Counters,
    operations: f64,
    written: f64,
    runtime_s: f64,
    variant: &'a Variant,
    bypasses_cache: bool,
}

impl<'a> Facts<'a> {
    /// The facts of a cell's shown trials; none without any.
    pub fn new(group: &Group<'a>, cell: &'a Cell) -> Option<Facts<'a>> {
        let measured: Vec<&Measured> = group.shown().iter().map(|j| j.measured).collect();
        let sum = |pick: &dyn Fn(&Measured) -> f64| measured.iter().map(|m| pick(m)).sum::<f64>();
        Some(Facts {
            cell,
            resources: cell.resources.as_ref()?,
            totals: Counters::added(measured.iter().map(|m| &m.totals)),
            operations: sum(&|m| (m.read.ops + m.write.ops) as f64),
            written: sum(&|m| m.write.bytes as f64),
            runtime_s: sum(&|m| m.runtime_s),
            variant: group.variant,
            bypasses_cache: group.bypasses_cache(),
        })
    }

    /// Whether the client itself reads.
    fn reads(&self) -> bool {
        self.cell.read_latency.is_some()
    }

    /// Blocks that writes of part of a record read first, an operation; none where the client itself reads.
    fn records_read(&self) -> Option<f64> {
        let missed = self.total(Counter::ArcDataMisses) + self.total(Counter::ArcPrefetchMisses);
        (!self.reads() && self.operations > 0.0).then(|| missed / self.operations)
    }

    fn has(&self, class: AllocationClass) -> bool {
        self.variant.pool.has(class)
    }

    /// What all drives of a class did.
    fn sum_of_class(&self, class: AllocationClass, what: DriveCounter) -> f64 {
        let drives = self.variant.pool.drives_of_class(class);
        drives.map(|drive| self.total(Counter::drive(drive.to_string(), what))).sum()
    }

    fn total(&self, counter: Counter) -> f64 {
        self.totals.count(&counter)
    }

    /// Lookups of blocks an operation, and where they were answered.
    fn lookups(&self) -> Option<(f64, ReadShares)> {
        let sum = self.totals.sum(&[
            Counter::DbufHits,
            Counter::ArcDataHits,
            Counter::ArcDataMisses,
            Counter::ArcMetadataHits,
            Counter::ArcMetadataMisses,
        ]);
        (self.operations > 0.0).then_some((sum / self.operations, self.cell.hits.reads?))
    }

    /// What happens for each byte that the client wrote.
    fn per_byte(&self, bytes: f64) -> f64 {
        if self.written > 0.0 { bytes / self.written } else { 0.0 }
    }
}

/// The reasons for an effect's class, those of the intent log first.
pub fn explain(
    class: VerdictClass,
    subjects: &[Subject],
    before: &Facts<'_>,
    after: &Facts<'_>,
) -> Vec<Explanation> {
    let changed = matches!(class, VerdictClass::WorthIt | VerdictClass::Harmful);
    let mut reasons = Vec::new();
    if changed {
        reasons.extend(log_times(class, before, after));
        reasons.extend(commits(before, after));
    }
    for subject in subjects {
        match subject {
            Subject::Log => reasons.extend(log(changed, before, after)),
            Subject::Cache => reasons.extend(cache(before, after)),
            Subject::Module { name } if name.starts_with("l2arc_") => {
                reasons.extend(cache(before, after));
            }
            Subject::Special => reasons.extend(special_unread(after)),
            Subject::Property { name, .. } if name == "sync" || name == "logbias" => {
                reasons.extend(nothing_synced(before, after).filter(|_| !changed));
            }
            _ => {}
        }
    }
    reasons.extend(database_logs(before, after));
    reasons.extend(memory(before, after));
    reasons.extend(nothing_read(changed, subjects, before, after));
    reasons.extend(indirect(before, after));
    reasons.extend(record_wait(before, after).or_else(|| record_reads(before, after)));
    reasons.extend(amplification(before, after));
    reasons.extend(dirty_filled(after).or_else(|| throttled(before, after)));
    reasons.extend(limits(changed, before, after));
    // What went the other way explains nothing.
    let gained = class == VerdictClass::WorthIt;
    reasons.retain(|reason| !changed || helps(reason).is_none_or(|helps| helps == gained));
    if reasons.is_empty() && class == VerdictClass::NoEffect {
        reasons.push(Reason::SameWork);
    }
    reasons.into_iter().map(Explanation::from).collect()
}

/// Whether what a reason counts became better; none of one that has no better and worse.
fn helps(reason: &Reason) -> Option<bool> {
    match reason {
        Reason::MemoryServes { before, after } => Some(after > before),
        Reason::CacheServes { drives_before: before, drives_after: after, .. }
        | Reason::Commits { before, after }
        | Reason::Wal { before, after }
        | Reason::Redo { before, after }
        | Reason::Doublewrite { before, after }
        | Reason::RecordReads { before, after }
        | Reason::RecordWait { before, after }
        | Reason::WriteAmplification { before, after }
        | Reason::Throttled { before, after } => Some(after < before),
        _ => None,
    }
}

/// Whether two numbers of which one at least is positive differ by more than a tenth.
fn differs(a: f64, b: f64) -> bool {
    (a - b).abs() > RATIO * a.abs().max(b.abs())
}

/// Service times of the drives that take the log, where they went the way of the effect.
fn log_times(class: VerdictClass, before: &Facts<'_>, after: &Facts<'_>) -> Vec<Reason> {
    let (Some(old), Some(new)) = (&before.resources.log, &after.resources.log) else {
        return Vec::new();
    };
    let times = |pick: fn(&LogDrives) -> Option<f64>| {
        let drive_time = |log: &LogDrives| {
            Some(DriveTime { kind: log.kind.clone(), with_data: log.with_data, us: pick(log)? })
        };
        let (old, new) = (drive_time(old)?, drive_time(new)?);
        let with_effect = (new.us < old.us) == (class == VerdictClass::WorthIt);
        (differs(old.us, new.us) && with_effect).then_some((old, new))
    };
    let writes =
        times(|log| log.write_us).map(|(before, after)| Reason::LogWrites { before, after });
    let flushes =
        times(|log| log.flush_us).map(|(before, after)| Reason::LogFlushes { before, after });
    let no_flush = match (old.flush_us, new.flush_us, class) {
        (Some(us), None, VerdictClass::WorthIt) => Some(Reason::NoLogFlush {
            before: DriveTime { kind: old.kind.clone(), with_data: old.with_data, us },
            kind: new.kind.clone(),
        }),
        _ => None,
    };
    writes.into_iter().chain(flushes).chain(no_flush).collect()
}

/// Whether there is an intent log whose commits are counted: other file systems have none.
fn counts_commits(facts: &Facts<'_>) -> bool {
    facts.totals.get(&Counter::ZilCommits).is_some()
}

fn commits(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    if !counts_commits(before) || !counts_commits(after) {
        return None;
    }
    let commits = |facts: &Facts<'_>| facts.resources.commits_per_op;
    let (before, after) = (commits(before), commits(after));
    (before.max(after) >= NOTHING && differs(before, after))
        .then_some(Reason::Commits { before, after })
}

fn nothing_synced(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let commits = before.resources.commits_per_op.max(after.resources.commits_per_op);
    let counted = counts_commits(before) && counts_commits(after);
    (counted && commits < NOTHING).then_some(Reason::NothingSynced { commits })
}

/// `changed`: that nothing is synchronous explains no difference.
fn log(changed: bool, before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    if let Some(nothing) = nothing_synced(before, after) {
        return (!changed).then_some(nothing);
    }
    if !after.has(AllocationClass::Log) {
        return None;
    }
    let share = |facts: &Facts<'_>| {
        let (slog, pool) = (facts.total(Counter::ZilSlogBytes), facts.total(Counter::ZilPoolBytes));
        (slog + pool > 0.0).then(|| slog / (slog + pool))
    };
    let (old, share) = (share(before), share(after)?);
    // Of two with logs it is the one whose log blocks went there, or `after` if none did.
    if let Some(old) = old.filter(|old| *old > 0.0) {
        let (before, after) = (1.0 - old, 1.0 - share);
        let differ = (before - after).abs() >= NOTHING && share > NOTHING;
        return differ.then_some(Reason::LogOverflows { before, after });
    }
    if share < NOTHING {
        Some(Reason::LogUnused)
    } else {
        (share < 1.0 - POINTS).then_some(Reason::LogPartly { share })
    }
}

fn cache(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    if !after.has(AllocationClass::Cache) {
        return None;
    }
    let (old, new) = (&before.cell.hits, &after.cell.hits);
    let hits = new.l2_of_reads?;
    if hits < NOTHING && after.bypasses_cache {
        return Some(Reason::CacheBypassed);
    }
    if hits < NOTHING {
        return Some(Reason::CacheUnused { hits, fed: after.total(Counter::L2WriteBytes) });
    }
    Some(Reason::CacheServes {
        hits,
        drives_before: old.reads?.drives,
        drives_after: new.reads?.drives,
    })
}

/// What a database server writes beside its tables, for each transaction.
fn database_logs(before: &Facts<'_>, after: &Facts<'_>) -> Vec<Reason> {
    use Database::{Mysql, Postgresql};
    let (log, pages) = match (before.cell.database, after.cell.database) {
        (Some(Postgresql { wal_bytes: before, .. }), Some(Postgresql { wal_bytes: after, .. })) => {
            (differs(before, after).then_some(Reason::Wal { before, after }), None)
        }
        (
            Some(Mysql { redo_bytes: before, pages_doubled: twice, .. }),
            Some(Mysql { redo_bytes: after, pages_doubled: still, .. }),
        ) => (
            differs(before, after).then_some(Reason::Redo { before, after }),
            differs(twice, still).then_some(Reason::Doublewrite { before: twice, after: still }),
        ),
        _ => (None, None),
    };
    log.into_iter().chain(pages).collect()
}

fn memory(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let in_memory = |facts: &Facts<'_>| facts.cell.hits.reads.map(|r| r.dbuf + r.arc);
    let (before, after) = (in_memory(before)?, in_memory(after)?);
    ((before - after).abs() >= POINTS).then_some(Reason::MemoryServes { before, after })
}

/// Of factors that could only help reads, where reads hardly reach the drives.
fn nothing_read(
    changed: bool,
    subjects: &[Subject],
    before: &Facts<'_>,
    after: &Facts<'_>,
) -> Option<Reason> {
    let for_reads = |subject: &Subject| match subject {
        Subject::Cache | Subject::Special => true,
        Subject::Property { name, .. } => {
            matches!(name.as_str(), "primarycache" | "secondarycache" | "prefetch")
        }
        Subject::Module { name } => name.starts_with("l2arc_") || name.starts_with("zfs_arc_"),
        _ => false,
    };
    if changed || !subjects.iter().any(for_reads) {
        return None;
    }
    let reached = |facts: &Facts<'_>| {
        let (lookups, shares) = facts.lookups()?;
        Some(lookups * (shares.l2arc + shares.drives))
    };
    let (a, b) = (reached(before)?, reached(after)?);
    (a.max(b) < NOTHING).then(|| Reason::NothingRead {
        per_s: (a * before.operations / before.runtime_s)
            .max(b * after.operations / after.runtime_s),
    })
}

fn indirect(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let share = |facts: &Facts<'_>| {
        let indirect = facts.total(Counter::ZilIndirect);
        let all = indirect + facts.total(Counter::ZilCopied) + facts.total(Counter::ZilNeedcopy);
        (all > 0.0).then(|| indirect / all)
    };
    let (before, after) = (share(before)?, share(after)?);
    ((before - after).abs() >= RATIO).then_some(Reason::Indirect { before, after })
}

/// Drives of a vdev that each hold a part of a record.
fn data_drives(vdev: &Vdev) -> u32 {
    let width = vdev.drives.len() as u32;
    match vdev.layout {
        Layout::Raidz { parity } => width.saturating_sub(parity),
        Layout::Draid { data, .. } => data,
        Layout::Single | Layout::Mirror => 1,
    }
}

/// A special vdev from which hardly anything was read.
fn special_unread(after: &Facts<'_>) -> Option<Reason> {
    let reads = after.sum_of_class(AllocationClass::Special, DriveCounter::Reads);
    let unread = after.has(AllocationClass::Special) && reads / after.operations.max(1.0) < NOTHING;
    unread.then_some(Reason::SpecialUnread)
}

/// What an operation waits for the reads of records, about: their number, with the mean time of a read of the data
/// drives. A record of a raidz or dRAID takes as long as the slowest of its n data drives: of n exponential times the
/// longest is 1 + 1/2 + … + 1/n times their mean.
fn record_wait(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let wait = |facts: &Facts<'_>| {
        let reads = facts.sum_of_class(AllocationClass::Normal, DriveCounter::Reads);
        let ns = facts.sum_of_class(AllocationClass::Normal, DriveCounter::ReadNs);
        let data = facts.variant.pool.of_class(AllocationClass::Normal).next();
        let slowest: f64 = (1..=data.map_or(1, data_drives)).map(|n| 1.0 / f64::from(n)).sum();
        let read_us = if reads > 0.0 { slowest * ns / reads / 1e3 } else { 0.0 };
        let mean_us = facts.cell.write_latency.as_ref()?.mean_us;
        let waits = facts.records_read()? * read_us;
        Some((waits, waits / mean_us.max(f64::MIN_POSITIVE)))
    };
    let ((before, of_before), (after, of_after)) = (wait(before)?, wait(after)?);
    (of_before.max(of_after) >= RATIO && differs(before, after))
        .then_some(Reason::RecordWait { before, after })
}

/// Only where the client itself reads little: else reads are its own.
fn record_reads(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let none_read = before.records_read()?.max(after.records_read()?) <= 0.0;
    if none_read || before.written <= 0.0 || after.written <= 0.0 {
        return None;
    }
    let read_bytes =
        |facts: &Facts<'_>| facts.per_byte(facts.totals.sum_of_drives(DriveCounter::ReadBytes));
    let (before, after) = (read_bytes(before), read_bytes(after));
    (before.max(after) >= RATIO && differs(before, after))
        .then_some(Reason::RecordReads { before, after })
}

fn amplification(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let written = |facts: &Facts<'_>| facts.resources.written_per_byte.unwrap_or(0.0);
    let (before, after) = (written(before), written(after));
    (before > 0.0 && after > 0.0 && differs(before, after))
        .then_some(Reason::WriteAmplification { before, after })
}

fn dirty_filled(after: &Facts<'_>) -> Option<Reason> {
    let Phases::Burst { burst, .. } = after.cell.phases else {
        return None;
    };
    let per_write = after.resources.throttled_per_write;
    (per_write >= NOTHING).then_some(Reason::DirtyFilled {
        seconds: burst.seconds,
        real_seconds: burst.real_seconds.unwrap_or(burst.seconds),
        per_write,
    })
}

fn throttled(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let waits = |facts: &Facts<'_>| facts.resources.throttled_per_write;
    let (before, after) = (waits(before), waits(after));
    (before.max(after) >= RATIO && differs(before, after))
        .then_some(Reason::Throttled { before, after })
}

fn limits(changed: bool, before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let (before, after) = (&before.resources.limit, &after.resources.limit);
    if *before == Limit::Unknown || *after == Limit::Unknown {
        return None;
    }
    // Whether both are limited by one thing, and by it as far: one figure then stands for both.
    let (same, as_far) = match (before, after) {
        (Limit::Drives { kind: a, busy: x }, Limit::Drives { kind: b, busy: y })
        | (Limit::Latency { kind: a, busy: x }, Limit::Latency { kind: b, busy: y }) => {
            (a == b, (x - y).abs() < RATIO)
        }
        // A little more or less busy: the same limit on both sides of the bound.
        (Limit::Drives { kind: a, busy: x }, Limit::Latency { kind: b, busy: y })
        | (Limit::Latency { kind: a, busy: x }, Limit::Drives { kind: b, busy: y })
            if a == b && (x - y).abs() < RATIO =>
        {
            return None;
        }
        (Limit::Throttle { per_write: x }, Limit::Throttle { per_write: y })
        | (Limit::Clients { in_flight: x, .. }, Limit::Clients { in_flight: y, .. }) => {
            (true, !differs(*x, *y))
        }
        _ => (std::mem::discriminant(before) == std::mem::discriminant(after), true),
    };
    match (same, changed) {
        (false, true) => Some(Reason::LimitMoved { before: before.clone(), after: after.clone() }),
        (true, false) if as_far => Some(Reason::SameLimit { limit: after.clone() }),
        _ => None,
    }
}
