//! What a live machine counted over a window.

use super::{Finding, Id, Severity};
use crate::system::{Counters, Place, System};
use crate::words::size;
use facts::zpool_status::Class;

fn counted(system: &System) -> Option<(&Counters, &Place)> {
    system
        .counters
        .as_ref()
        .filter(|found| found.value.seconds >= 1.0)
        .map(|found| (&found.value, &found.at))
}

fn logged(system: &System) -> bool {
    system.pools.iter().any(|pool| pool.has(Class::Log))
}

/// Seconds under which a window says nothing of what is not needed.
const LONG: f64 = 30.0;

/// Counts of a window that is long enough to say what is not needed.
fn counted_long(system: &System) -> Option<(&Counters, &Place)> {
    counted(system).filter(|(counters, _)| counters.seconds >= LONG)
}

/// Commits a second under which a log has nothing to do.
const FEW: f64 = 1.0;
/// Mean of a commit, ns, under which a log would save nothing that a program notices, since a fast
/// one takes 20 to 100 µs itself, and its 99th percentile.
const FAST: (u64, u64) = (250_000, 2_000_000);
/// Mean of a commit, ns, from which a log is worth a look.
const SLOW: u64 = 2_000_000;

/// Requests for stable storage in the window: of ZFS, or of the drive that was flushed most where
/// there is no ZFS.
fn commits(counters: &Counters) -> Option<(u64, String)> {
    if let Some(commits) = counters.commits {
        return Some((commits, format!("zil_commit_count +{commits}")));
    }
    let flushes = counters.flushes.as_ref()?;
    if flushes.drives.is_empty() {
        return None;
    }
    let most = flushes.most();
    Some((
        most,
        format!("/proc/diskstats, flushes of one drive +{most}"),
    ))
}

/// Next to nothing asked for stable storage: a SLOG would have nothing to do.
pub fn no_commits(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted_long(system) else {
        return Vec::new();
    };
    let Some((commits, evidence)) = commits(counters) else {
        return Vec::new();
    };
    let rate = commits as f64 / counters.seconds;
    if rate >= FEW {
        return Vec::new();
    }
    let finding = Finding::new(Id::NoCommits, Severity::Note, "SLOG")
        .with("rate", format!("{rate:.2}"))
        .with("seconds", format!("{:.0}", counters.seconds))
        .because(at, evidence);
    let log = system
        .pools
        .iter()
        .find_map(|pool| Some((pool, pool.of(Class::Log).next()?)));
    vec![match log {
        Some((pool, vdev)) => finding.run(&["zpool", "remove", &pool.name, &vdev.name]),
        None => finding.run(&["poolwright", "audit", "--host", "--seconds", "3600"]),
    }]
}

/// What commits of a pool without a log take, where both parts of it are known well enough: the
/// finding about it, its mean and its 99th percentile (of the log's writes) in ns.
fn commits_take(
    counters: &Counters,
    at: &Place,
    id: Id,
    severity: Severity,
) -> Option<(Finding, u64, Option<u64>)> {
    let (commits, evidence) = commits(counters)?;
    let rate = commits as f64 / counters.seconds;
    let mean = counters.commit_mean_ns()?;
    let ms = |ns: u64| format!("{:.2}", ns as f64 / 1e6);
    let or_none = |ns: Option<u64>| ns.map_or_else(|| "–".to_string(), ms);
    let waits = counters.waits.as_ref();
    let p99 = waits.and_then(|waits| waits.p99_ns);
    let flush = counters
        .flushes
        .as_ref()
        .and_then(|flushes| flushes.slowest());
    let mut finding = Finding::new(id, severity, "SLOG")
        .with("rate", format!("{rate:.0}"))
        .with("mean", or_none(waits.map(|waits| waits.mean_ns)))
        .with("p99", or_none(p99))
        .with("flush", or_none(flush.map(|(_, mean)| mean)))
        .because(at, evidence);
    if let Some(waits) = waits {
        let writes = waits.writes.map_or_else(String::new, |writes| {
            format!(
                "{:.0} synchronous writes a second, ",
                writes as f64 / counters.seconds
            )
        });
        let place = Place {
            file: "zpool iostat".to_string(),
            line: 0,
        };
        let text = format!(
            "{}: {writes}mean {} ms, 99 % within {} ms",
            waits.pool,
            ms(waits.mean_ns),
            or_none(p99)
        );
        finding = finding.because(&place, text);
    }
    if let Some((drive, mean)) = flush {
        let place = Place {
            file: "/proc/diskstats".to_string(),
            line: 0,
        };
        finding = finding.because(&place, format!("{drive}: mean flush {} ms", ms(mean)));
    }
    Some((finding, mean, p99))
}

/// Many commits, slow ones, and no log.
pub fn slow_commits(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted(system).filter(|_| !logged(system)) else {
        return Vec::new();
    };
    let busy = commits(counters).is_some_and(|(n, _)| n as f64 / counters.seconds >= 10.0 * FEW);
    commits_take(counters, at, Id::SlowCommits, Severity::Warning)
        .filter(|(_, mean, _)| busy && *mean >= SLOW)
        .map(|(finding, ..)| finding.run(&["poolwright", "run", "hk-sync-slog"]))
        .into_iter()
        .collect()
}

/// Commits that the pool answers about as fast as a log would.
pub fn fast_commits(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted_long(system).filter(|_| !logged(system)) else {
        return Vec::new();
    };
    let some = commits(counters).is_some_and(|(n, _)| n as f64 / counters.seconds >= FEW);
    // Both parts must be known: without the flush or the percentile it would be a guess.
    let known = counters.waits.is_some()
        && counters
            .flushes
            .as_ref()
            .is_some_and(|f| f.slowest().is_some());
    commits_take(counters, at, Id::FastCommits, Severity::Note)
        .filter(|(_, mean, p99)| {
            some && known && *mean < FAST.0 && p99.is_some_and(|p99| p99 < FAST.1)
        })
        .map(|(finding, ..)| finding.run(&["poolwright", "audit", "--host", "--seconds", "3600"]))
        .into_iter()
        .collect()
}

/// Demand reads that missed, a second, under which a cache has nothing to add.
const FEW_MISSES: f64 = 10.0;

/// The ARC misses next to nothing: an L2ARC would have nothing to answer.
pub fn few_misses(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted_long(system) else {
        return Vec::new();
    };
    let (Some(hits), Some(misses)) = (counters.demand_hits, counters.demand_misses) else {
        return Vec::new();
    };
    let asked = hits.saturating_add(misses);
    if asked == 0 || misses as f64 >= FEW_MISSES * counters.seconds {
        return Vec::new();
    }
    let share = (hits as f64 / asked as f64 * 1000.0).floor() / 10.0;
    let finding = Finding::new(Id::FewMisses, Severity::Note, "L2ARC")
        .with("hits", format!("{share:.1}"))
        .with("misses", format!("{:.1}", misses as f64 / counters.seconds))
        .with("seconds", format!("{:.0}", counters.seconds))
        .because(at, format!("demand hits +{hits}, demand misses +{misses}"));
    let cache = system
        .pools
        .iter()
        .find_map(|pool| Some((pool, pool.of(Class::Cache).next()?)));
    vec![match cache {
        Some((pool, vdev)) => finding.run(&["zpool", "remove", &pool.name, &vdev.name]),
        None => finding.run(&["poolwright", "audit", "--host", "--seconds", "3600"]),
    }]
}

/// Few ghost hits among misses: a larger cache of either kind would hold little more.
pub fn few_ghosts(system: &System) -> Vec<Finding> {
    match counted_long(system) {
        Some(_) => ghosts(system, Id::FewGhosts, Severity::Note, |share| share < 0.05),
        None => Vec::new(),
    }
}

/// Many ghost hits: more ARC would have held them.
pub fn many_ghosts(system: &System) -> Vec<Finding> {
    ghosts(system, Id::ManyGhosts, Severity::Note, |share| share > 0.25)
}

fn ghosts(system: &System, id: Id, severity: Severity, fires: fn(f64) -> bool) -> Vec<Finding> {
    let Some((counters, at)) = counted(system) else {
        return Vec::new();
    };
    let (Some(ghosts), Some(misses)) = (counters.ghost_hits, counters.demand_misses) else {
        return Vec::new();
    };
    // Too few misses say nothing about what a cache would have held.
    if (misses as f64) < FEW_MISSES * counters.seconds {
        return Vec::new();
    }
    let share = ghosts as f64 / misses as f64;
    if !fires(share) {
        return Vec::new();
    }
    vec![
        Finding::new(id, severity, "ARC")
            .with("share", format!("{:.0}", share * 100.0))
            .with("misses", format!("{:.0}", misses as f64 / counters.seconds))
            .because(at, format!("ghost hits +{ghosts}, demand misses +{misses}"))
            .run(&["poolwright", "run", "hk-sync-l2arc"]),
    ]
}

/// An L2ARC that answers next to nothing.
pub fn l2arc_idle(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted(system) else {
        return Vec::new();
    };
    let (Some(hits), Some(misses)) = (counters.l2_hits, counters.l2_misses) else {
        return Vec::new();
    };
    let asked = hits.saturating_add(misses);
    let Some((pool, vdev)) = system
        .pools
        .iter()
        .find_map(|p| Some((p, p.of(Class::Cache).next()?)))
    else {
        return Vec::new();
    };
    if (asked as f64) < 10.0 * counters.seconds || hits as f64 >= asked as f64 * 0.05 {
        return Vec::new();
    }
    vec![
        Finding::new(Id::L2arcIdle, Severity::Warning, &pool.name)
            .with(
                "share",
                format!("{:.1}", hits as f64 / asked as f64 * 100.0),
            )
            .with("headers", size(counters.l2_headers.unwrap_or(0)))
            .because(at, format!("l2_hits +{hits}, l2_misses +{misses}"))
            .run(&["zpool", "remove", &pool.name, &vdev.name]),
    ]
}

/// An L2ARC with errors.
pub fn l2arc_errors(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted(system) else {
        return Vec::new();
    };
    let Some(errors) = counters.l2_errors.filter(|errors| *errors > 0) else {
        return Vec::new();
    };
    vec![
        Finding::new(Id::L2arcErrors, Severity::Warning, "L2ARC")
            .with("errors", errors)
            .because(at, format!("l2_cksum_bad + l2_io_error = {errors}"))
            .run(&["zpool", "status", "-v"]),
    ]
}

/// Writers that waited because memory was short.
pub fn memory_throttled(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted(system) else {
        return Vec::new();
    };
    let Some(times) = counters.memory_throttled.filter(|times| *times > 0) else {
        return Vec::new();
    };
    vec![
        Finding::new(Id::MemoryThrottled, Severity::Warning, "ARC")
            .with("times", times)
            .because(at, format!("memory_throttle_count +{times}"))
            .run(&["arc_summary"]),
    ]
}

/// Writers that the write throttle delayed: the pool does not keep up, and a log cannot help.
pub fn dirty_delayed(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted(system) else {
        return Vec::new();
    };
    let Some(times) = counters.dirty_delayed else {
        return Vec::new();
    };
    if (times as f64) < 10.0 * counters.seconds {
        return Vec::new();
    }
    vec![
        Finding::new(Id::DirtyDelayed, Severity::Note, "write throttle")
            .with("rate", format!("{:.0}", times as f64 / counters.seconds))
            .because(at, format!("dmu_tx_dirty_delay +{times}"))
            .run(&["zpool", "iostat", "-l", "5"]),
    ]
}
