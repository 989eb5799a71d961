//! Counters of a live machine over a window.

use super::{Check, Problem, rules};
use crate::format::size;
use crate::system::{Counters, Place, System};
use zfs::AllocationClass;

rules! {
    "no-commits", Note, Check::Counters(LONG, no_commits),
    what: "{rate} commits a second over {seconds} s: no SLOG is needed.",
    what_zh: "{seconds} 秒内每秒 {rate} 次提交：不需要 SLOG。",
    why: "A log vdev takes part only in commits. With so few of them its effect is not noticeable. Count over a busy hour before you decide.",
    why_zh: "日志 vdev 只参与提交。提交这么少，根本察觉不到它的作用。决定之前，请在繁忙时段统计一小时。",
    sources: [ZfsCode("zil kstat, zil_commit_count"), HongKong("when to add a SLOG")],
    lab: "hk-async";

    "slow-commits", Warning, Check::Counters(SHORT, slow_commits),
    what: "{rate} commits a second and no log vdev; a log write waits {mean} ms on average (99 % within {p99} ms), the flush after it takes {flush} ms on average.",
    what_zh: "每秒 {rate} 次提交，没有日志 vdev；日志写入平均等待 {mean} 毫秒（99 % 在 {p99} 毫秒以内），其后的刷盘（flush）平均 {flush} 毫秒。",
    why: "A SLOG helps here: commits wait for the data vdevs. Without a log vdev, the wait shown is that of all writes of the drives; the flush is a mean, because nothing counts its percentiles. Measure it with a lab before you buy.",
    why_zh: "这里用 SLOG 有效：提交在等数据 vdev。没有日志 vdev 时，显示的是盘上全部写入的等待时间；刷盘只有平均值，因为没有计数器给出它的百分位。购买之前先用实验测量。",
    sources: [ZfsCode("zil kstat"), Zpool8("zpool-iostat(8), latency histograms")],
    lab: "hk-sync-slog";

    "fast-commits", Note, Check::Counters(LONG, fast_commits),
    what: "{rate} commits a second, fast without a log vdev: no SLOG is needed. A log write waits {mean} ms on average (99 % within {p99} ms), the flush after it takes {flush} ms on average.",
    what_zh: "每秒 {rate} 次提交，没有日志 vdev 也很快：不需要 SLOG。日志写入平均等待 {mean} 毫秒（99 % 在 {p99} 毫秒以内），其后的刷盘（flush）平均 {flush} 毫秒。",
    why: "A fast SLOG takes 0.02-0.1 ms itself, so it would save little. Means and percentile are of this window; the flush is a mean, because nothing counts its percentiles.",
    why_zh: "快的 SLOG 本身也要 0.02–0.1 毫秒，省不下多少。平均值和百分位只代表这段时间；刷盘只有平均值，因为没有计数器给出它的百分位。",
    sources: [
        Zpool8("zpool-iostat(8), latency histograms"),
        LinuxDocs("iostats, flush requests"),
        HongKong("when to add a SLOG")
    ],
    lab: "hk-sync-slog";

    "few-misses", Note, Check::Counters(LONG, few_misses),
    what: "The ARC answered {hits} % of demand reads over {seconds} s and missed {misses} a second: no L2ARC is needed.",
    what_zh: "{seconds} 秒内 ARC 命中了 {hits} % 的按需读取，每秒未命中 {misses} 次：不需要 L2ARC。",
    why: "An L2ARC serves only what the ARC misses, and its headers take RAM from the ARC. Count over a busy hour before you decide.",
    why_zh: "L2ARC 只提供 ARC 未命中的数据，头部还占用 ARC 的内存。决定之前，请在繁忙时段统计一小时。",
    sources: [ZfsCode("arcstats, demand hits and misses"), HongKong("when to add an L2ARC")],
    lab: "hk-sync-l2arc";

    "few-ghosts", Note, Check::Counters(LONG, |_, counters, at| ghosts(counters, at, |share| share < 0.05)),
    what: "Only {share} % of {misses} misses a second were on the ghost lists: neither an L2ARC nor more RAM would help.",
    what_zh: "每秒 {misses} 次未命中，其中只有 {share} % 在 ghost 链表上：L2ARC 和更多内存都没有用。",
    why: "The ghost lists remember about as much evicted data as the ARC holds. A miss that is not on them is data never read before, or evicted longer ago: only a cache several times the ARC could hold it, if it is read again at all.",
    why_zh: "ghost 链表记住的已淘汰数据约与 ARC 一样多。不在其上的未命中，是从未读过或更早淘汰的数据：只有比 ARC 大几倍的缓存才可能留住它，而且它还得再次被读到。",
    sources: [ZfsCode("arcstats, ghost lists"), HongKong("when to add an L2ARC")],
    lab: "hk-sync-l2arc";

    "many-ghosts", Note, Check::Counters(SHORT, |_, counters, at| ghosts(counters, at, |share| share > 0.25)),
    what: "{share} % of {misses} misses a second had been evicted shortly before: a larger cache would have kept them.",
    what_zh: "每秒 {misses} 次未命中，其中 {share} % 是刚被淘汰的：更大的缓存能留住它们。",
    why: "More RAM serves them best. An L2ARC serves them if the hot set is stable for longer than the L2ARC takes to fill.",
    why_zh: "加内存效果最好。如果热数据稳定的时间长于填满 L2ARC 的时间，L2ARC 也有用。",
    sources: [ZfsCode("arcstats, ghost lists")],
    lab: "hk-smb-l2arc";

    "l2arc-idle", Warning, Check::Counters(SHORT, l2arc_idle),
    what: "The L2ARC of {subject} served {share} % of its look-ups and takes {headers} of RAM.",
    what_zh: "{subject} 的 L2ARC 命中率为 {share} %，占用 {headers} 内存。",
    why: "Either it is not filled yet, or the load does not read evicted data again.",
    why_zh: "要么它还没填满，要么负载不会再读已淘汰的数据。",
    sources: [ZfsCode("arcstats, l2_hits")],
    lab: "hk-smb-l2arc";

    "l2arc-errors", Warning, Check::Counters(SHORT, l2arc_errors),
    what: "The L2ARC had {errors} errors.",
    what_zh: "L2ARC 出现过 {errors} 次错误。",
    why: "They do not harm data, which is then read from the pool, but the cache drive is wearing out or failing.",
    why_zh: "对数据无害，数据会改从存储池读取，但缓存盘正在磨损或损坏。",
    sources: [ZfsCode("arcstats, l2_cksum_bad")];

    "memory-throttled", Warning, Check::Counters(SHORT, memory_throttled),
    what: "Writers were throttled {times} times because memory was short.",
    what_zh: "因为内存不足，写入被限流 {times} 次。",
    why: "The kernel had no free pages for the ARC. Limit the ARC or the programs that compete with it.",
    why_zh: "内核没有空闲页给 ARC。限制 ARC，或限制与它竞争内存的程序。",
    sources: [ZfsCode("arcstats, memory_throttle_count")];

    "dirty-delayed", Note, Check::Counters(SHORT, dirty_delayed),
    what: "The write throttle delayed {rate} transactions a second.",
    what_zh: "写限流每秒延迟 {rate} 个事务。",
    why: "The data vdevs do not keep up with the writes. A log vdev makes commits fast only up to this point; more or faster data vdevs help.",
    why_zh: "数据 vdev 跟不上写入。日志 vdev 只能在写限流开始之前加快提交；要提高持续写入速度，需要更多或更快的数据 vdev。",
    sources: [ZfsCode("dmu_tx kstat, dmu_tx_dirty_delay")],
    lab: "hk-sync-slog";
}

/// Seconds of the shortest window from which rates are judged.
const SHORT: f64 = 1.0;
/// Seconds of the shortest window that shows that something is not needed.
const LONG: f64 = 30.0;
/// Commits a second below which a log vdev has nothing to do.
const FEW_COMMITS: f64 = 1.0;
/// Mean of a commit, ns, below which a log vdev saves nothing that a program notices, since a fast
/// one takes 20 to 100 µs itself.
const FAST_MEAN: u64 = 250_000;
/// 99th percentile of a commit, ns, likewise.
const FAST_P99: u64 = 2_000_000;
/// Mean of a commit, ns, from which a log vdev is worth a look.
const SLOW_MEAN: u64 = 2_000_000;
/// Demand reads a second that missed, below which a cache has nothing to add.
const NEGLIGIBLE_MISSES: f64 = 10.0;

fn has(system: &System, class: AllocationClass) -> bool {
    system.pools.iter().any(|pool| pool.has(class))
}

/// Removes the first vdev of a class as the fix, or counts for an hour where there is none.
fn remove_or_count(problem: Problem, system: &System, class: AllocationClass) -> Problem {
    let vdev = system.pools.iter().find_map(|pool| Some((pool, pool.vdevs_of(class).next()?)));
    match vdev {
        Some((pool, vdev)) => problem.run(&["zpool", "remove", &pool.name, &vdev.name]),
        None => problem.run(&["poolwright", "audit", "--host", "--seconds", "3600"]),
    }
}

/// Requests for stable storage a second, and the counter that shows them: commits of ZFS, or
/// flushes of the drive that got most where there is no ZFS.
fn commits(counters: &Counters) -> Option<(f64, String)> {
    let (count, text) = match (counters.commits, counters.flushes.as_ref()) {
        (Some(commits), _) => (commits, format!("zil_commit_count +{commits}")),
        (None, Some(flushes)) if !flushes.drives.is_empty() => {
            let most = flushes.most();
            (most, format!("/proc/diskstats, flushes of one drive +{most}"))
        }
        _ => return None,
    };
    Some((count as f64 / counters.seconds, text))
}

fn no_commits(system: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    let (rate, evidence) = commits(counters).filter(|(rate, _)| *rate < FEW_COMMITS)?;
    let problem = Problem::of("SLOG")
        .with("rate", format!("{rate:.2}"))
        .with("seconds", format!("{:.0}", counters.seconds))
        .evidence(at, evidence);
    Some(remove_or_count(problem, system, AllocationClass::Log))
}

/// How long commits of a pool without a log vdev take: a problem that shows it.
fn commit_times(counters: &Counters, at: &Place) -> Option<Problem> {
    let (rate, evidence) = commits(counters)?;
    let ms = |ns: u64| format!("{:.2}", ns as f64 / 1e6);
    let or_dash = |ns: Option<u64>| ns.map_or_else(|| "–".to_string(), ms);
    let waits = counters.waits.as_ref();
    let p99 = or_dash(waits.and_then(|waits| waits.p99_ns));
    let flush = counters.commit_flush.as_ref();
    let mut problem = Problem::of("SLOG")
        .with("rate", format!("{rate:.0}"))
        .with("mean", or_dash(waits.map(|waits| waits.mean_ns)))
        .with("p99", &p99)
        .with("flush", or_dash(flush.map(|(_, mean)| *mean)))
        .evidence(at, evidence);
    if let Some(waits) = waits {
        let rate = waits.writes.map(|writes| writes as f64 / counters.seconds);
        let rate = rate
            .map_or_else(String::new, |rate| format!("{rate:.0} synchronous writes a second, "));
        let text =
            format!("{}: {rate}mean {} ms, 99 % within {p99} ms", waits.pool, ms(waits.mean_ns));
        problem = problem.evidence(&Place::new("zpool iostat", 0), text);
    }
    if let Some((drive, mean)) = flush {
        let text = format!("{drive}: mean flush {} ms", ms(*mean));
        problem = problem.evidence(&Place::new("/proc/diskstats", 0), text);
    }
    Some(problem)
}

fn slow_commits(system: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    let busy = commits(counters).is_some_and(|(rate, _)| rate >= 10.0 * FEW_COMMITS);
    let slow = counters.commit_mean_ns().is_some_and(|mean| mean >= SLOW_MEAN);
    if !busy || !slow || has(system, AllocationClass::Log) {
        return None;
    }
    Some(commit_times(counters, at)?.run(&["poolwright", "run", "hk-sync-slog"]))
}

fn fast_commits(system: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    commits(counters).filter(|(rate, _)| *rate >= FEW_COMMITS)?;
    // Without the flush or the percentile it would be a guess.
    let p99 = counters.waits.as_ref()?.p99_ns?;
    counters.commit_flush.as_ref()?;
    let mean = counters.commit_mean_ns()?;
    if mean >= FAST_MEAN || p99 >= FAST_P99 || has(system, AllocationClass::Log) {
        return None;
    }
    Some(commit_times(counters, at)?.run(&["poolwright", "audit", "--host", "--seconds", "3600"]))
}

fn few_misses(system: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    let (hits, misses) = (counters.demand_hits?, counters.demand_misses?);
    let rate = misses as f64 / counters.seconds;
    let asked = hits.saturating_add(misses);
    if asked == 0 || rate >= NEGLIGIBLE_MISSES {
        return None;
    }
    let share = (hits as f64 / asked as f64 * 1000.0).floor() / 10.0;
    let problem = Problem::of("L2ARC")
        .with("hits", format!("{share:.1}"))
        .with("misses", format!("{rate:.1}"))
        .with("seconds", format!("{:.0}", counters.seconds))
        .evidence(at, format!("demand hits +{hits}, demand misses +{misses}"));
    Some(remove_or_count(problem, system, AllocationClass::Cache))
}

fn ghosts(counters: &Counters, at: &Place, fires: fn(f64) -> bool) -> Option<Problem> {
    let (ghosts, misses) = (counters.ghost_hits?, counters.demand_misses?);
    let rate = misses as f64 / counters.seconds;
    let share = ghosts as f64 / misses as f64;
    // Too few misses show nothing about what a cache would have held.
    (rate >= NEGLIGIBLE_MISSES && fires(share)).then(|| {
        Problem::of("ARC")
            .with("share", format!("{:.0}", share * 100.0))
            .with("misses", format!("{rate:.0}"))
            .evidence(at, format!("ghost hits +{ghosts}, demand misses +{misses}"))
            .run(&["poolwright", "run", "hk-sync-l2arc"])
    })
}

fn l2arc_idle(system: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    let (hits, misses) = (counters.l2_hits?, counters.l2_misses?);
    let asked = hits.saturating_add(misses) as f64;
    let share = hits as f64 / asked;
    let pool = system.pools.iter().find(|pool| pool.has(AllocationClass::Cache))?;
    if asked < 10.0 * counters.seconds || share >= 0.05 {
        return None;
    }
    let problem = Problem::of(&pool.name)
        .with("share", format!("{:.1}", share * 100.0))
        .with("headers", size(counters.l2_headers.unwrap_or(0)))
        .evidence(at, format!("l2_hits +{hits}, l2_misses +{misses}"));
    Some(remove_or_count(problem, system, AllocationClass::Cache))
}

fn l2arc_errors(_: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    let errors = counters.l2_errors.filter(|errors| *errors > 0)?;
    let problem = Problem::of("L2ARC")
        .with("errors", errors)
        .evidence(at, format!("l2_cksum_bad + l2_io_error = {errors}"));
    Some(problem.run(&["zpool", "status", "-v"]))
}

fn memory_throttled(_: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    let times = counters.memory_throttled.filter(|times| *times > 0)?;
    let problem = Problem::of("ARC")
        .with("times", times)
        .evidence(at, format!("memory_throttle_count +{times}"));
    Some(problem.run(&["cat", "/proc/spl/kstat/zfs/arcstats"]))
}

fn dirty_delayed(_: &System, counters: &Counters, at: &Place) -> Option<Problem> {
    let times = counters.dirty_delayed?;
    let rate = times as f64 / counters.seconds;
    (rate >= 10.0).then(|| {
        Problem::of("write throttle")
            .with("rate", format!("{rate:.0}"))
            .evidence(at, format!("dmu_tx_dirty_delay +{times}"))
            .run(&["zpool", "iostat", "-l", "5"])
    })
}
