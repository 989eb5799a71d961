//! The log vdev (SLOG).

use super::{Check, Problem, rules};
use crate::format::size;
use crate::system::{Dataset, Leaf, Pool, System, Vdev, drive_of};
use zfs::{AllocationClass, Layout};

rules! {
    "log-unprotected", Error, Check::Leaf(Some(AllocationClass::Log), unprotected),
    what: "The log vdev of {pool} is on {subject}, a drive without power-loss protection ({model}).",
    what_zh: "{pool} 的日志 vdev（SLOG）在 {subject} 上，该盘没有掉电保护（{model}）。",
    why: "Such a drive is slow if it honours flushes (0.5-5 ms each) and loses acknowledged writes in a power cut if it does not. A log vdev is written all the time and read only after a crash, when both faults cost most.",
    why_zh: "这类盘如果执行刷盘（flush）命令就很慢（每次 0.5–5 毫秒），如果不执行，断电时会丢失已确认的写入。日志 vdev 一直在写，只有崩溃后才会读，两种问题都会在最关键的时候暴露。",
    sources: [HongKong("when to add a SLOG"), ZfsDocs("Hardware, NVRAM and power-loss protection")];

    "log-unmirrored", Warning, Check::Vdev(Some(AllocationClass::Log), unmirrored),
    what: "The log vdev of {pool} is a single drive, {subject}.",
    what_zh: "{pool} 的日志 vdev 只有一块盘：{subject}。",
    why: "If it fails while the system runs, ZFS falls back to the log on the data vdevs; only a power cut within the next seconds can then lose writes. If it fails together with the power, the last seconds of acknowledged synchronous writes are lost, and the pool imports only with `zpool import -m`, possibly with `-F`. An unreadable block in the log chain loses them too, and the import reports nothing.",
    why_zh: "系统运行时它坏掉，ZFS 会改用数据 vdev 上的日志，只有在随后几秒内断电才会丢数据。如果它与断电同时发生，最后几秒已确认的同步写入会丢失，而且只能用 `zpool import -m`（可能还要加 `-F`）导入存储池。日志链中有读不出的块时同样会丢失这些写入，导入时没有任何提示。",
    sources: [HongKong("when to add a SLOG"), ZpoolConcepts("Intent Log")];

    "log-asynchronous", Warning, Check::Pool(asynchronous),
    what: "{subject} has a log vdev, but none of its workloads writes synchronously.",
    what_zh: "{subject} 有日志 vdev，但它的负载中没有同步写入。",
    why: "Only fsync, O_SYNC, sync=always and NFS commits write to the log. Asynchronous writes go to the data vdevs with their transaction group, with or without a log vdev.",
    why_zh: "只有 fsync、O_SYNC、sync=always 和 NFS 提交才会写日志。异步写入随事务组写到数据 vdev，有没有日志 vdev 都一样。",
    sources: [HongKong("pitfalls met, asynchronous writes"), ZpoolConcepts("Intent Log")],
    lab: "hk-async";

    "log-missing", Note, Check::Pool(missing),
    what: "{subject} takes synchronous writes on hard disks and has no log vdev.",
    what_zh: "{subject} 在机械盘上处理同步写入，却没有日志 vdev。",
    why: "Each commit waits for the slowest disk of a vdev, about 8-15 ms. A log vdev on a drive with power-loss protection answers in 0.01-0.1 ms until the disks fall behind. Measure the gain before you buy: sustained writes are still limited by the disks.",
    why_zh: "每次提交都要等 vdev 中最慢的盘，约 8–15 毫秒。日志 vdev 用带掉电保护的盘，0.01–0.1 毫秒就能应答，直到机械盘跟不上为止。购买之前先测出收益：持续写入仍受机械盘限制。",
    sources: [HongKong("result 2, forced synchronous writes"), ZpoolConcepts("Intent Log")],
    lab: "hk-sync-slog";

    "log-oversized", Note, Check::Pool(oversized),
    what: "The log vdev of {subject} has {has}; at most about {needs} of it can be in use.",
    what_zh: "{subject} 的日志 vdev 容量为 {has}，最多只会用到约 {needs}。",
    why: "zfs_wrlog_data_max, twice the dirty-data limit, bounds what the log holds. More space only helps wear levelling; what counts in a log drive is its latency.",
    why_zh: "日志中的数据以 zfs_wrlog_data_max（脏数据上限的两倍）为限。更大的空间只对磨损均衡有用；选日志盘看的是延迟。",
    sources: [HongKong("when to add a SLOG"), Zfs4("zfs_wrlog_data_max")],
    lab: "hk-slog-size";

    "log-undersized", Warning, Check::Pool(undersized),
    what: "The log vdev of {subject} has {has}; up to {needs} may be in flight.",
    what_zh: "{subject} 的日志 vdev 容量为 {has}，在途数据可达 {needs}。",
    why: "When the log vdev is full, log records go to the data vdevs, at their latency.",
    why_zh: "日志 vdev 写满后，日志记录会写到数据 vdev，延迟也变成数据 vdev 的延迟。",
    sources: [Zfs4("zfs_wrlog_data_max"), Arithmetic("1.5 x zfs_wrlog_data_max")],
    lab: "hk-slog-size";

    "log-slower", Warning, Check::Pool(slower),
    what: "The log vdev {subject} of {pool} is on slower drives than the data.",
    what_zh: "{pool} 的日志 vdev {subject} 所在的盘比数据盘更慢。",
    why: "Each commit waits for the log vdev. Without it the commit would go to the faster drives.",
    why_zh: "每次提交都要等日志 vdev。没有它，提交会写到更快的盘上。",
    sources: [HongKong("when to add a SLOG"), Practice("a log is worth its latency")],
    lab: "hk-sync-slog";

    "log-bypassed", Warning,
    Check::Property("logbias", |system, dataset, value| {
        unused(system, dataset, "logbias", value == "throughput", "latency")
    }),
    what: "{subject} has logbias=throughput, so its synchronous writes bypass the log vdev of {pool}.",
    what_zh: "{subject} 设置了 logbias=throughput，它的同步写入会绕过 {pool} 的日志 vdev。",
    why: "With throughput, data is written straight to the data vdevs and the log holds only pointers, also on the data vdevs. Sources disagree on which setting is faster without a log vdev; with one, throughput makes it useless.",
    why_zh: "设为 throughput 时，数据直接写到数据 vdev，日志里只有指针，而且指针也写在数据 vdev 上。没有日志 vdev 时哪种更快，各来源说法不一；有日志 vdev 时，throughput 会让它失去作用。",
    sources: [ZfsProps("logbias"), Mysql("logbias=throughput")],
    lab: "hk-logbias";

    "log-silenced", Warning,
    Check::Property("sync", |system, dataset, value| {
        unused(system, dataset, "sync", value == "disabled", "standard")
    }),
    what: "{subject} has sync=disabled, so it does not use the log vdev of {pool}.",
    what_zh: "{subject} 设置了 sync=disabled，因此不使用 {pool} 的日志 vdev。",
    why: "Every fsync returns at once and nothing is logged: the log drive is idle, and a power cut loses the acknowledged writes of the last seconds.",
    why_zh: "每次 fsync 都立即返回，不写日志：日志盘闲置，断电时丢失最后几秒已确认的写入。",
    sources: [ZfsProps("sync")],
    lab: "hk-async";

    "log-shared", Warning, Check::Leaf(Some(AllocationClass::Log), shared),
    what: "The log vdev {subject} of {pool} shares a drive with {other}.",
    what_zh: "{pool} 的日志 vdev {subject} 与 {other} 共用一块盘。",
    why: "Reads, cache fills and transaction-group writes queue before commits on the same drive and add the latency that a log vdev should remove.",
    why_zh: "读取、缓存填充和事务组写入会在同一块盘上排到提交前面，增加的正是日志 vdev 要消除的延迟。",
    sources: [ZfsDocs("Performance, whole disks against partitions"), Practice("a log alone on its drive")];
}

fn unprotected(system: &System, pool: &Pool, leaf: &Leaf) -> Option<Problem> {
    (system.protected(leaf) == Some(false)).then(|| {
        Problem::of_leaf(leaf)
            .with("model", system.model(leaf))
            .run(&["zpool", "replace", &pool.name, &leaf.name, "PROTECTED-DRIVE"])
    })
}

fn unmirrored(_: &System, pool: &Pool, vdev: &Vdev) -> Option<Problem> {
    (vdev.layout == Layout::Single).then(|| {
        Problem::of_vdev(vdev).run(&["zpool", "attach", &pool.name, &vdev.name, "SECOND-DRIVE"])
    })
}

fn asynchronous(system: &System, pool: &Pool) -> Option<Problem> {
    let vdev = pool.vdevs_of(AllocationClass::Log).next()?;
    let load = system.loads_in(&pool.name).next()?;
    (!writes_synchronously(system, pool)).then(|| {
        Problem::of(&pool.name)
            .evidence(&load.at, &load.name)
            .evidence(&vdev.at, &vdev.name)
            .run(&["zpool", "remove", &pool.name, &vdev.name])
    })
}

fn missing(system: &System, pool: &Pool) -> Option<Problem> {
    // From 2.4 on the log is on the special vdev, if there is one.
    let on_special = pool.has(AllocationClass::Special)
        && system.openzfs.as_ref().is_none_or(|version| version.value >= (2, 4));
    let class = if on_special { AllocationClass::Special } else { AllocationClass::Normal };
    // A protected cache, as that of a card, answers at once.
    let slow =
        |leaf: &Leaf| system.rotates(leaf) == Some(true) && system.protected(leaf) != Some(true);
    let on_disks = pool.leaves_of(class).any(slow);
    (!pool.has(AllocationClass::Log) && on_disks && writes_synchronously(system, pool)).then(|| {
        Problem::of(&pool.name)
            .evidence(&pool.place(), &pool.name)
            .run(&["zpool", "add", &pool.name, "log", "mirror", "DRIVE-1", "DRIVE-2"])
    })
}

/// Whether a workload, `sync=always` or a database writes synchronously to a pool.
/// `sync=disabled` does not count against it: it only hides the request.
fn writes_synchronously(system: &System, pool: &Pool) -> bool {
    system.loads_in(&pool.name).any(|load| load.writes && load.syncs)
        || system.datasets_in(&pool.name).any(|dataset| dataset.is("sync", "always"))
        || system.databases().iter().any(|db| db.dataset.pool() == pool.name)
}

fn oversized(system: &System, pool: &Pool) -> Option<Problem> {
    let (problem, _) = wrong_size(system, pool, |has, needs| has > needs.saturating_mul(16))?;
    // Too much space does no harm: there is nothing to change, only to see how much is in use.
    Some(problem.run(&["zpool", "list", "-v", &pool.name]))
}

fn undersized(system: &System, pool: &Pool) -> Option<Problem> {
    let (problem, vdev) = wrong_size(system, pool, |has, needs| has < needs / 2)?;
    let drives: &[&str] = match vdev.layout {
        Layout::Single => &["DRIVE-OF-THAT-SIZE"],
        _ => &["mirror", "DRIVE-OF-THAT-SIZE", "DRIVE-OF-THAT-SIZE"],
    };
    // A mirror cannot be replaced by another; a log vdev can be removed.
    let problem = problem.run(&["zpool", "remove", &pool.name, &vdev.name]);
    Some(problem.run(&[&["zpool", "add", &pool.name, "log"], drives].concat()))
}

/// A problem of the size of the log vdevs, with the first of them.
fn wrong_size<'a>(
    system: &System,
    pool: &'a Pool,
    wrong: fn(u64, u64) -> bool,
) -> Option<(Problem, &'a Vdev)> {
    let needs = needed(system)?;
    let vdev = pool.vdevs_of(AllocationClass::Log).next()?;
    let mut has = 0u64;
    for vdev in pool.vdevs_of(AllocationClass::Log) {
        let sizes: Option<Vec<u64>> =
            vdev.leaves.iter().map(|leaf| system.leaf_capacity(leaf)).collect();
        has = has.saturating_add(sizes?.into_iter().min()?);
    }
    wrong(has, needs).then(|| {
        let problem = Problem::of(&pool.name).with("has", size(has)).with("needs", size(needs));
        (problem.evidence(&vdev.at, &vdev.name), vdev)
    })
}

/// Bytes that the log can hold: one and a half times `zfs_wrlog_data_max`, which is twice the
/// dirty-data limit: min(10 % of RAM, min(4 GiB, 25 % of RAM)).
fn needed(system: &System) -> Option<u64> {
    let memory = system.memory.as_ref()?.value;
    let set = |name: &str| system.parameter(name).map(|set| set.value).filter(|value| *value > 0);
    // More than a quarter of RAM has no effect, and a rule of its own.
    let dirty = set("zfs_dirty_data_max")
        .filter(|dirty| *dirty <= memory / 4)
        .unwrap_or((memory / 10).min(4 << 30));
    let log = set("zfs_wrlog_data_max").unwrap_or(dirty.saturating_mul(2));
    Some(log.saturating_add(log / 2))
}

fn slower(system: &System, pool: &Pool) -> Option<Problem> {
    let slowest = |class| {
        pool.vdevs_of(class)
            .flat_map(|vdev| vdev.leaves.iter().map(move |leaf| (vdev, leaf)))
            .filter_map(|(vdev, leaf)| {
                let speed = commit_speed(system, leaf)?;
                Some((Flushed { protected: system.protected(leaf), speed }, vdev))
            })
            .min_by_key(|(flushed, _)| (flushed.rank(), flushed.speed))
    };
    let (log, vdev) = slowest(AllocationClass::Log)?;
    let (data, _) = slowest(AllocationClass::Normal)?;
    log.is_slower(&data).then(|| {
        Problem::of_vdev(vdev)
            .with("pool", &pool.name)
            .run(&["zpool", "remove", &pool.name, &vdev.name])
    })
}

/// What decides how long a drive takes for a flushed write.
struct Flushed {
    /// Whether it answers a flush from a protected cache, where that is known.
    protected: Option<bool>,
    /// See [`commit_speed`].
    speed: u8,
}

impl Flushed {
    fn rank(&self) -> u8 {
        match self.protected {
            Some(false) => 0,
            None => 1,
            Some(true) => 2,
        }
    }

    /// Whether it is known to be slower than another. A protected cache answers a flush at once; without one an NVMe SSD
    /// writes its cache to flash, which takes longer than the whole write does on a protected SATA SSD. Optane has no
    /// cache to write.
    fn is_slower(&self, other: &Flushed) -> bool {
        match (self.protected, other.protected) {
            (Some(true), Some(true)) => self.speed < other.speed,
            (Some(true), _) => false,
            (Some(false), Some(true)) => self.speed < OPTANE,
            // It may be protected, unless it is a hard disk.
            (None, Some(false)) => self.speed < other.speed.min(1),
            _ => self.speed < other.speed,
        }
    }
}

/// The rank of Optane in [`commit_speed`].
const OPTANE: u8 = 3;

/// How fast a kind of drive acknowledges a flushed write, as a rank: hard disk, SATA or SAS SSD,
/// NVMe SSD, Optane.
fn commit_speed(system: &System, leaf: &Leaf) -> Option<u8> {
    if catalogue::optane(system.model(leaf)) {
        return Some(OPTANE);
    }
    if system.rotates(leaf)? {
        return Some(0);
    }
    if drive_of(&leaf.name).starts_with("nvme") {
        return Some(2);
    }
    let transport = system.drive(leaf)?.transport.as_ref()?;
    Some(if transport.value == "nvme" { 2 } else { 1 })
}

/// A dataset of a pool with a log vdev, which the value of a property keeps from using it where that is `wrong`; the fix
/// sets property `name` to `right`.
fn unused(
    system: &System,
    dataset: &Dataset,
    name: &str,
    wrong: bool,
    right: &str,
) -> Option<Problem> {
    let pool = system.pool(dataset.pool())?;
    (wrong && pool.has(AllocationClass::Log)).then(|| {
        let problem = Problem::of(&dataset.name).with("pool", &pool.name);
        problem.set_property(&dataset.name, name, right)
    })
}

fn shared(system: &System, pool: &Pool, leaf: &Leaf) -> Option<Problem> {
    // Also a log of another pool: both are written all the time.
    let beside =
        |other: &Pool, vdev: &Vdev| vdev.class != AllocationClass::Log || other.name != pool.name;
    let leaves = system.pools.iter().flat_map(|other| {
        let vdevs = other.vdevs.iter().filter(|vdev| beside(other, vdev));
        vdevs.flat_map(|vdev| &vdev.leaves).map(move |leaf| (other, leaf))
    });
    let (of, other) = leaves.into_iter().find(|(_, other)| other.shares_drive(leaf))?;
    let name = match of.name == pool.name {
        true => other.name.clone(),
        false => format!("{} ({})", other.name, of.name),
    };
    let problem = Problem::of_leaf(leaf).with("other", name).evidence(&other.at, &other.name);
    Some(problem.run(&["zpool", "replace", &pool.name, &leaf.name, "DRIVE-OF-ITS-OWN"]))
}
