//! Reasons: what the kernel's counters and the drives' record say about an effect. Which counters are looked
//! at depends on what the factor changes in the resolved variants; what is reported depends on the numbers
//! alone.

use crate::cells::Group;
use crate::schema::{
    Both, Cell, Database, DriveTime, Explanation, Limit, LogDrives, Phases, ReadShares, Reason,
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
            operations: sum(&Measured::operations),
            written: sum(&|m| m.write.bytes as f64),
            runtime_s: sum(&|m| m.runtime_s),
            variant: group.variant,
            bypasses_cache: group.bypasses_cache(),
        })
    }

    /// Blocks that writes of part of a record read first, an operation; none where the client itself reads.
    fn records_read(&self) -> Option<f64> {
        let missed = self.total(Counter::ArcDataMisses) + self.total(Counter::ArcPrefetchMisses);
        let reads = self.cell.read_latency.is_some();
        (!reads && self.operations > 0.0).then(|| missed / self.operations)
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
}

impl<T: Copy> Both<T> {
    /// Something of both sides; none where one of them has none.
    fn of<U>(self, pick: impl Fn(T) -> Option<U>) -> Option<Both<U>> {
        Some(Both { before: pick(self.before)?, after: pick(self.after)? })
    }
}

impl Both<f64> {
    fn larger(self) -> f64 {
        self.before.max(self.after)
    }

    /// Whether two numbers of which one at least is positive differ by more than a tenth.
    fn differ(self) -> bool {
        (self.before - self.after).abs() > RATIO * self.before.abs().max(self.after.abs())
    }

    /// Two numbers that differ and of which one is so large at least.
    fn differing(self, least: f64) -> Option<Both<f64>> {
        (self.larger() >= least && self.differ()).then_some(self)
    }

    /// Two shares that are so far apart.
    fn apart(self, points: f64) -> Option<Both<f64>> {
        ((self.before - self.after).abs() >= points).then_some(self)
    }
}

/// Both sides of an effect.
type Sides<'a> = Both<&'a Facts<'a>>;

/// The reasons for an effect's class, those of the intent log first.
pub fn explain(class: VerdictClass, subjects: &[Subject], sides: Sides<'_>) -> Vec<Explanation> {
    let changed = matches!(class, VerdictClass::WorthIt | VerdictClass::Harmful);
    let mut reasons = Vec::new();
    if changed {
        reasons.extend(log_times(class, sides));
        reasons.extend(commits(sides));
    }
    for subject in subjects {
        match subject {
            Subject::Log => reasons.extend(log(changed, sides)),
            Subject::Cache => reasons.extend(cache(sides)),
            Subject::Module { name } if name.starts_with("l2arc_") => reasons.extend(cache(sides)),
            Subject::Special => reasons.extend(special_unread(sides.after)),
            Subject::Property { name, .. } if name == "sync" || name == "logbias" => {
                reasons.extend(nothing_synced(sides).filter(|_| !changed));
            }
            _ => {}
        }
    }
    reasons.extend(database_logs(sides));
    reasons.extend(memory(sides));
    reasons.extend(nothing_read(changed, subjects, sides));
    reasons.extend(indirect(sides));
    reasons.extend(record_wait(sides).or_else(|| record_reads(sides)));
    reasons.extend(amplification(sides));
    reasons.extend(dirty_filled(sides.after).or_else(|| throttled(sides)));
    reasons.extend(limits(changed, sides));
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
        Reason::MemoryServes(both) => Some(both.after > both.before),
        Reason::CacheServes { drives_before, drives_after, .. } => {
            Some(drives_after < drives_before)
        }
        Reason::Commits(both)
        | Reason::Wal(both)
        | Reason::Redo(both)
        | Reason::Doublewrite(both)
        | Reason::RecordReads(both)
        | Reason::RecordWait(both)
        | Reason::WriteAmplification(both)
        | Reason::Throttled(both) => Some(both.after < both.before),
        _ => None,
    }
}

/// Service times of the drives that take the log, where they went the way of the effect.
fn log_times(class: VerdictClass, sides: Sides<'_>) -> Vec<Reason> {
    let Some(log) = sides.of(|facts| facts.resources.log.as_ref()) else {
        return Vec::new();
    };
    let time = |log: &LogDrives, us: f64| DriveTime {
        kind: log.kind.clone(),
        with_data: log.with_data,
        us,
    };
    let times = |pick: fn(&LogDrives) -> Option<f64>| {
        let us = log.of(pick)?;
        let with_effect = (us.after < us.before) == (class == VerdictClass::WorthIt);
        (us.differ() && with_effect)
            .then(|| Both { before: time(log.before, us.before), after: time(log.after, us.after) })
    };
    let writes = times(|log| log.write_us).map(Reason::LogWrites);
    let flushes = times(|log| log.flush_us).map(Reason::LogFlushes);
    let no_flush = match (log.before.flush_us, log.after.flush_us, class) {
        (Some(us), None, VerdictClass::WorthIt) => {
            Some(Reason::NoLogFlush { before: time(log.before, us), kind: log.after.kind.clone() })
        }
        _ => None,
    };
    writes.into_iter().chain(flushes).chain(no_flush).collect()
}

/// Commits of the intent log an operation. None where there is no such log: other file systems count none.
fn commits_per_op(facts: &Facts<'_>) -> Option<f64> {
    facts.totals.get(&Counter::ZilCommits).map(|_| facts.resources.commits_per_op)
}

fn commits(sides: Sides<'_>) -> Option<Reason> {
    sides.of(commits_per_op)?.differing(NOTHING).map(Reason::Commits)
}

fn nothing_synced(sides: Sides<'_>) -> Option<Reason> {
    let commits = sides.of(commits_per_op)?.larger();
    (commits < NOTHING).then_some(Reason::NothingSynced { commits })
}

/// `changed`: that nothing is synchronous explains no difference.
fn log(changed: bool, sides: Sides<'_>) -> Option<Reason> {
    if let Some(nothing) = nothing_synced(sides) {
        return (!changed).then_some(nothing);
    }
    if !sides.after.has(AllocationClass::Log) {
        return None;
    }
    let share = |facts: &Facts<'_>| {
        let (slog, pool) = (facts.total(Counter::ZilSlogBytes), facts.total(Counter::ZilPoolBytes));
        (slog + pool > 0.0).then(|| slog / (slog + pool))
    };
    let (old, share) = (share(sides.before), share(sides.after)?);
    // Of two with logs it is the one whose log blocks went there, or `after` if none did.
    if let Some(old) = old.filter(|old| *old > 0.0) {
        let overflow = Both { before: 1.0 - old, after: 1.0 - share };
        return overflow.apart(NOTHING).filter(|_| share > NOTHING).map(Reason::LogOverflows);
    }
    if share < NOTHING {
        Some(Reason::LogUnused)
    } else {
        (share < 1.0 - POINTS).then_some(Reason::LogPartly { share })
    }
}

fn cache(sides: Sides<'_>) -> Option<Reason> {
    let after = sides.after;
    if !after.has(AllocationClass::Cache) {
        return None;
    }
    let hits = after.cell.hits.l2_of_reads?;
    if hits < NOTHING && after.bypasses_cache {
        return Some(Reason::CacheBypassed);
    }
    if hits < NOTHING {
        return Some(Reason::CacheUnused { hits, fed: after.total(Counter::L2WriteBytes) });
    }
    let drives = sides.of(|facts| Some(facts.cell.hits.reads?.drives))?;
    Some(Reason::CacheServes { hits, drives_before: drives.before, drives_after: drives.after })
}

/// What a database server writes beside its tables, for each transaction.
fn database_logs(sides: Sides<'_>) -> Vec<Reason> {
    use Database::{Mysql, Postgresql};
    let differing = |before, after| Both { before, after }.differing(0.0);
    let (log, pages) = match (sides.before.cell.database, sides.after.cell.database) {
        (Some(Postgresql { wal_bytes: before, .. }), Some(Postgresql { wal_bytes: after, .. })) => {
            (differing(before, after).map(Reason::Wal), None)
        }
        (
            Some(Mysql { redo_bytes: before, pages_doubled: twice, .. }),
            Some(Mysql { redo_bytes: after, pages_doubled: still, .. }),
        ) => (
            differing(before, after).map(Reason::Redo),
            differing(twice, still).map(Reason::Doublewrite),
        ),
        _ => (None, None),
    };
    log.into_iter().chain(pages).collect()
}

fn memory(sides: Sides<'_>) -> Option<Reason> {
    let in_memory = sides.of(|facts| facts.cell.hits.reads.map(|r| r.dbuf + r.arc))?;
    in_memory.apart(POINTS).map(Reason::MemoryServes)
}

/// Of factors that could only help reads, where reads hardly reach the drives.
fn nothing_read(changed: bool, subjects: &[Subject], sides: Sides<'_>) -> Option<Reason> {
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
    let reached = sides.of(|facts| {
        let (lookups, shares) = facts.lookups()?;
        Some(lookups * (shares.l2arc + shares.drives))
    })?;
    let Both { before, after } = sides;
    (reached.larger() < NOTHING).then(|| Reason::NothingRead {
        per_s: (reached.before * before.operations / before.runtime_s)
            .max(reached.after * after.operations / after.runtime_s),
    })
}

fn indirect(sides: Sides<'_>) -> Option<Reason> {
    let share = sides.of(|facts| {
        let indirect = facts.total(Counter::ZilIndirect);
        let all = indirect + facts.total(Counter::ZilCopied) + facts.total(Counter::ZilNeedcopy);
        (all > 0.0).then(|| indirect / all)
    })?;
    share.apart(RATIO).map(Reason::Indirect)
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
fn record_wait(sides: Sides<'_>) -> Option<Reason> {
    let waits = sides.of(|facts| {
        let reads = facts.sum_of_class(AllocationClass::Normal, DriveCounter::Reads);
        let ns = facts.sum_of_class(AllocationClass::Normal, DriveCounter::ReadNs);
        let data = facts.variant.pool.of_class(AllocationClass::Normal).next();
        let slowest: f64 = (1..=data.map_or(1, data_drives)).map(|n| 1.0 / f64::from(n)).sum();
        let read_us = if reads > 0.0 { slowest * ns / reads / 1e3 } else { 0.0 };
        Some(facts.records_read()? * read_us)
    })?;
    let latency = sides.of(|facts| Some(facts.cell.write_latency.as_ref()?.mean_us))?;
    let share = |waits: f64, latency: f64| waits / latency.max(f64::MIN_POSITIVE);
    let most = share(waits.before, latency.before).max(share(waits.after, latency.after));
    waits.differing(0.0).filter(|_| most >= RATIO).map(Reason::RecordWait)
}

/// Only where the client itself reads little: else reads are its own.
fn record_reads(sides: Sides<'_>) -> Option<Reason> {
    let none_read = sides.of(Facts::records_read)?.larger() <= 0.0;
    let bytes = sides.of(|facts| {
        let read = facts.totals.sum_of_drives(DriveCounter::ReadBytes);
        (facts.written > 0.0).then(|| read / facts.written)
    })?;
    bytes.differing(RATIO).filter(|_| !none_read).map(Reason::RecordReads)
}

fn amplification(sides: Sides<'_>) -> Option<Reason> {
    let written = sides.of(|facts| facts.resources.written_per_byte.filter(|each| *each > 0.0))?;
    written.differing(0.0).map(Reason::WriteAmplification)
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

fn throttled(sides: Sides<'_>) -> Option<Reason> {
    let waits = sides.of(|facts| Some(facts.resources.throttled_per_write))?;
    waits.differing(RATIO).map(Reason::Throttled)
}

fn limits(changed: bool, sides: Sides<'_>) -> Option<Reason> {
    let Both { before, after } = sides.of(|facts| Some(&facts.resources.limit))?;
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
            (true, !Both { before: *x, after: *y }.differ())
        }
        _ => (std::mem::discriminant(before) == std::mem::discriminant(after), true),
    };
    match (same, changed) {
        (false, true) => {
            Some(Reason::LimitMoved(Both { before: before.clone(), after: after.clone() }))
        }
        (true, false) if as_far => Some(Reason::SameLimit { limit: after.clone() }),
        _ => None,
    }
}
