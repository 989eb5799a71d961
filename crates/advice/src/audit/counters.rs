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

/// Commits a second under which a log has nothing to do.
const FEW: f64 = 1.0;

/// Next to nothing asked for stable storage: a SLOG would have nothing to do.
pub fn no_commits(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted(system) else {
        return Vec::new();
    };
    let Some(commits) = counters.commits else {
        return Vec::new();
    };
    let rate = commits as f64 / counters.seconds;
    if rate >= FEW {
        return Vec::new();
    }
    let finding = Finding::new(Id::NoCommits, Severity::Note, "SLOG")
        .with("rate", format!("{rate:.2}"))
        .with("seconds", format!("{:.0}", counters.seconds))
        .because(at, format!("zil_commit_count +{commits}"));
    let log = system
        .pools
        .iter()
        .find_map(|pool| Some((pool, pool.of(Class::Log).next()?)));
    vec![match log {
        Some((pool, vdev)) => finding.run(&["zpool", "remove", &pool.name, &vdev.name]),
        None => finding.run(&["poolwright", "audit", "--host", "--seconds", "3600"]),
    }]
}

/// Many commits, slow ones, and no log.
pub fn slow_commits(system: &System) -> Vec<Finding> {
    let Some((counters, at)) = counted(system) else {
        return Vec::new();
    };
    let (Some(commits), Some(mean)) = (counters.commits, counters.sync_write_mean_ns) else {
        return Vec::new();
    };
    let rate = commits as f64 / counters.seconds;
    if rate < 10.0 * FEW || mean < 2_000_000 || logged(system) {
        return Vec::new();
    }
    vec![
        Finding::new(Id::SlowCommits, Severity::Warning, "SLOG")
            .with("rate", format!("{rate:.0}"))
            .with("mean", format!("{:.1}", mean as f64 / 1e6))
            .because(
                at,
                format!(
                    "zil_commit_count +{commits}, sync write {:.1} ms",
                    mean as f64 / 1e6
                ),
            )
            .run(&["poolwright", "run", "hk-sync-slog"]),
    ]
}

/// Few ghost hits among misses: a larger cache of either kind would hold little more.
pub fn few_ghosts(system: &System) -> Vec<Finding> {
    ghosts(system, Id::FewGhosts, Severity::Note, |share| share < 0.05)
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
    if (misses as f64) < 10.0 * counters.seconds {
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
