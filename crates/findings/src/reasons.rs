//! Reasons: what stage times and counters say about an effect. Which counters are looked at depends on
//! what the factor changes in the resolved variants; what is said depends on the numbers alone.

use crate::attribution;
use crate::cells::Group;
use crate::counters as c;
use crate::hits::summed;
use crate::output::{Attribution, Cell, Class, Hits, Limit, Phases, ReadShares, Reason, Subject};
use crate::record::Measured;
use std::collections::BTreeMap;

/// Stages below this part of the change are not named.
const PART: f64 = 0.10;
/// Stages that are named at most.
const STAGES: usize = 3;
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
    totals: BTreeMap<String, f64>,
    stages: BTreeMap<String, f64>,
    operations: f64,
    written: f64,
    runtime_s: f64,
    has_log: bool,
    /// The client's time per operation, syncs included, µs.
    pub client_us: f64,
}

impl<'a> Facts<'a> {
    /// The facts of a cell's shown trials; none without any.
    pub fn of(group: &Group<'_>, cell: &'a Cell) -> Option<Facts<'a>> {
        let measured: Vec<&Measured> = group.shown().iter().map(|j| j.measured).collect();
        Some(Facts {
            cell,
            client_us: attribution::client_us(&measured)?,
            totals: summed(measured.iter().map(|m| &m.totals)),
            stages: summed(measured.iter().map(|m| &m.stages)),
            operations: measured
                .iter()
                .map(|m| (m.read.ops + m.write.ops) as f64)
                .sum(),
            written: measured.iter().map(|m| m.write.bytes as f64).sum(),
            runtime_s: measured.iter().map(|m| m.runtime_s).sum(),
            has_log: group
                .variant
                .pool
                .vdevs
                .iter()
                .any(|v| v.class == lab::campaign::Class::Log),
        })
    }

    fn total(&self, name: &str) -> f64 {
        self.totals.get(name).copied().unwrap_or(0.0)
    }

    fn all_drives(&self, what: &str) -> f64 {
        self.totals
            .iter()
            .filter(|(name, _)| c::drive(name).is_some_and(|(_, counter)| counter == what))
            .map(|(_, value)| value)
            .sum()
    }

    fn stage(&self, what: &str) -> f64 {
        let of = |operation: &str| self.stages.get(&format!("{operation}.{what}"));
        ["read", "write", "fsync", "setattr", "name"]
            .into_iter()
            .filter_map(of)
            .sum()
    }

    /// Commits an operation.
    pub fn commits_per_op(&self) -> f64 {
        if self.operations > 0.0 {
            self.stage("commits") / self.operations
        } else {
            0.0
        }
    }

    /// µs of a commit; none without commits.
    pub fn commit_us(&self) -> Option<f64> {
        let commits = self.stage("commits");
        (commits > 0.0).then(|| self.stage("commit") / commits / 1e3)
    }

    /// Lookups of blocks an operation, and where they were answered.
    pub fn lookups(&self) -> Option<(f64, ReadShares)> {
        let sum: f64 = [
            c::DBUF_HITS,
            c::ARC_DATA_HITS,
            c::ARC_DATA_MISSES,
            c::ARC_META_HITS,
            c::ARC_META_MISSES,
        ]
        .iter()
        .map(|name| self.total(name))
        .sum();
        (self.operations > 0.0).then_some((sum / self.operations, self.cell.hits.reads?))
    }

    /// µs an operation spends reading records.
    pub fn read_us(&self) -> Option<f64> {
        let time = self.stage("record_read");
        (self.operations > 0.0 && time > 0.0).then(|| time / self.operations / 1e3)
    }

    /// The client's time per operation in what lasts, µs: over the window in a closed loop, of which what
    /// lasts has fewer operations a second than a burst.
    pub fn lasting_us(&self) -> f64 {
        let lasts = self.cell.phases.lasting().map(|p| p.throughput.value);
        match self.cell.throughput.zip(lasts) {
            Some((window, lasts)) if lasts > 0.0 => self.client_us * window.value / lasts,
            _ => self.client_us,
        }
    }

    fn attribution(&self) -> Option<&Attribution> {
        self.cell.attribution.as_ref()
    }

    fn hits(&self) -> &Hits {
        &self.cell.hits
    }

    fn per(&self, bytes: f64) -> f64 {
        if self.written > 0.0 {
            bytes / self.written
        } else {
            0.0
        }
    }
}

/// The reasons for an effect's class, the largest part first.
pub fn of(
    class: Class,
    subjects: &[Subject],
    before: &Facts<'_>,
    after: &Facts<'_>,
) -> Vec<Reason> {
    let changed = matches!(class, Class::WorthIt | Class::Harmful);
    let mut reasons = Vec::new();
    if changed {
        reasons.extend(commit(before, after));
        // Stage times are of the whole window. Where that went the other way than what lasts, as beside a
        // burst, they explain nothing.
        let faster = after.client_us < before.client_us;
        if faster == (class == Class::WorthIt) {
            reasons.extend(stages(before, after));
        }
    }
    for subject in subjects {
        match subject {
            Subject::Log => reasons.extend(log(before, after)),
            Subject::Cache => reasons.extend(cache(before, after)),
            Subject::Property { name, .. } if name == "sync" || name == "logbias" => {
                reasons.extend(nothing_synced(before, after));
            }
            _ => {}
        }
    }
    // What went the other way explains nothing.
    let more = |reason: &Reason| match reason {
        Reason::MemoryServes { before, after } => after > before,
        _ => true,
    };
    let memory = memory(before, after);
    reasons.extend(memory.filter(|r| !changed || more(r) == (class == Class::WorthIt)));
    reasons.extend(nothing_read(changed, subjects, before, after));
    reasons.extend(indirect(before, after));
    reasons.extend(record_reads(before, after));
    reasons.extend(amplification(before, after));
    reasons.extend(dirty_filled(after));
    reasons.extend(limits(changed, before, after));
    reasons.extend(outside(changed, before, after));
    if reasons.is_empty() && class == Class::NoEffect {
        reasons.push(Reason::SameWork);
    }
    reasons
}

fn commit(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let (before_us, after_us) = (before.commit_us()?, after.commit_us()?);
    differs(before_us, after_us).then_some(Reason::Commit {
        before_us,
        after_us,
    })
}

/// Whether two positive numbers differ by more than a tenth.
fn differs(a: f64, b: f64) -> bool {
    (a - b).abs() > RATIO * a.abs().max(b.abs())
}

/// The stages that make up the change in time per operation.
fn stages(before: &Facts<'_>, after: &Facts<'_>) -> Vec<Reason> {
    let change = after.client_us - before.client_us;
    if change == 0.0 {
        return Vec::new();
    }
    let mut all: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    for stage in before.attribution().iter().flat_map(|a| &a.stages) {
        all.entry((&stage.operation, &stage.stage)).or_default().0 = stage.us_per_op;
    }
    for stage in after.attribution().iter().flat_map(|a| &a.stages) {
        all.entry((&stage.operation, &stage.stage)).or_default().1 = stage.us_per_op;
    }
    let mut parts: Vec<(f64, Reason)> = all
        .into_iter()
        .map(|((operation, stage), (before_us, after_us))| {
            let share = (after_us - before_us) / change;
            let reason = Reason::Stage {
                operation: operation.to_owned(),
                stage: stage.to_owned(),
                before_us,
                after_us,
                share_of_change: share,
            };
            (share, reason)
        })
        .filter(|(share, _)| *share >= PART)
        .collect();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts
        .into_iter()
        .take(STAGES)
        .map(|(_, reason)| reason)
        .collect()
}

fn nothing_synced(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let counted = |f: &Facts<'_>| f.totals.contains_key(c::ZIL_COMMITS);
    let seldom =
        |f: &Facts<'_>| f.total(c::ZIL_COMMITS).max(f.stage("commits")) < NOTHING * f.operations;
    let never = counted(before) && counted(after) && seldom(before) && seldom(after);
    never.then_some(Reason::NothingSynced)
}

fn log(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    if let Some(nothing) = nothing_synced(before, after) {
        return Some(nothing);
    }
    if !after.has_log {
        return None;
    }
    // Of two with logs it is the one whose log blocks went there, or `after` if none did.
    let (slog, pool) = (
        after.total(c::ZIL_SLOG_BYTES),
        after.total(c::ZIL_POOL_BYTES),
    );
    if slog + pool <= 0.0 || before.total(c::ZIL_SLOG_BYTES) > 0.0 {
        return None;
    }
    let share = slog / (slog + pool);
    if share < NOTHING {
        Some(Reason::LogUnused)
    } else {
        (share < 1.0 - POINTS).then_some(Reason::LogPartly { share })
    }
}

fn cache(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let (old, new) = (before.hits(), after.hits());
    let hits = new.l2_of_reads?;
    if hits < NOTHING {
        return Some(Reason::CacheUnused {
            hits,
            fed: after.total(c::L2_FEED),
        });
    }
    Some(Reason::CacheServes {
        hits,
        drives_before: old.reads?.drives,
        drives_after: new.reads?.drives,
    })
}

fn memory(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let of = |facts: &Facts<'_>| facts.hits().reads.map(|r| r.dbuf + r.arc);
    let (before, after) = (of(before)?, of(after)?);
    ((before - after).abs() >= POINTS).then_some(Reason::MemoryServes { before, after })
}

/// Said of factors that could only help reads, where reads hardly reach the drives.
fn nothing_read(
    changed: bool,
    subjects: &[Subject],
    before: &Facts<'_>,
    after: &Facts<'_>,
) -> Option<Reason> {
    let for_reads = |subject: &Subject| match subject {
        Subject::Cache | Subject::Special => true,
        Subject::Property { name, .. } => {
            matches!(
                name.as_str(),
                "primarycache" | "secondarycache" | "prefetch"
            )
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
    let of = |facts: &Facts<'_>| {
        let indirect = facts.total(c::ZIL_INDIRECT);
        let all = indirect + facts.total(c::ZIL_COPIED) + facts.total(c::ZIL_NEEDCOPY);
        (all > 0.0).then(|| indirect / all)
    };
    let (before, after) = (of(before)?, of(after)?);
    ((before - after).abs() >= RATIO).then_some(Reason::Indirect { before, after })
}

/// Only where the client itself reads little: else reads are its own.
fn record_reads(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let own = |f: &Facts<'_>| f.cell.read_latency.is_some();
    if own(before) || own(after) || before.written <= 0.0 || after.written <= 0.0 {
        return None;
    }
    let of = |facts: &Facts<'_>| facts.per(facts.all_drives("read_bytes"));
    let (before, after) = (of(before), of(after));
    (before.max(after) >= RATIO && differs(before, after))
        .then_some(Reason::RecordReads { before, after })
}

fn amplification(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let of = |facts: &Facts<'_>| facts.per(facts.all_drives("write_bytes"));
    let (before, after) = (of(before), of(after));
    (before > 0.0 && after > 0.0 && differs(before, after))
        .then_some(Reason::WriteAmplification { before, after })
}

fn dirty_filled(after: &Facts<'_>) -> Option<Reason> {
    let Phases::Burst { burst, .. } = after.cell.phases else {
        return None;
    };
    let throttle_share = attribution::share(&after.attribution()?.stages, "throttle");
    let waits = after.total(c::THROTTLE_DELAYS)
        + after.total(c::THROTTLE_OVER_MAX)
        + after.total(c::THROTTLE_WRLOG);
    (waits > 0.0 || throttle_share >= NOTHING).then_some(Reason::DirtyFilled {
        seconds: burst.seconds,
        real_seconds: burst.real_seconds.unwrap_or(burst.seconds),
        throttle_share,
    })
}

fn limits(changed: bool, before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let (before, after) = (&before.attribution()?.limit, &after.attribution()?.limit);
    if *before == Limit::Unknown || *after == Limit::Unknown {
        return None;
    }
    let same = match (before, after) {
        (Limit::Drives { kind: a, .. }, Limit::Drives { kind: b, .. }) => a == b,
        (Limit::Latency { stage: a, .. }, Limit::Latency { stage: b, .. }) => a == b,
        _ => std::mem::discriminant(before) == std::mem::discriminant(after),
    };
    match (same, changed) {
        (false, true) => Some(Reason::LimitMoved {
            before: before.clone(),
            after: after.clone(),
        }),
        (true, false) => Some(Reason::SameLimit {
            limit: after.clone(),
        }),
        _ => None,
    }
}

fn outside(changed: bool, before: &Facts<'_>, after: &Facts<'_>) -> Option<Reason> {
    let share = before
        .attribution()?
        .outside_share
        .min(after.attribution()?.outside_share);
    (!changed && share >= 0.5).then_some(Reason::OutsidePool { share })
}
