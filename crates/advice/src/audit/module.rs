//! Parameters of the zfs module.

use super::{Check, Problem, rules};
use crate::format::size;
use crate::setting::Target;
use crate::system::{Found, System};
use lab::durability::evidence;
use zfs::memory::LEAST_ARC;
use zfs::{AllocationClass, module};

rules! {
    "module-unknown", Error, Check::Parameter(unknown),
    what: "No release of OpenZFS has a module parameter {subject}; the most similar name is {near}.",
    what_zh: "没有任何 OpenZFS 版本有模块参数 {subject}；最接近的名称是 {near}。",
    why: "The kernel ignores it with a line in its log, or writing it to /sys/module/zfs/parameters fails: the parameter has no effect.",
    why_zh: "内核忽略它并在日志中记一行，或者写入 /sys/module/zfs/parameters 失败：该参数不起作用。",
    sources: [HongKong("tuning fragments, l2arc_write_max_mb"), Zfs4("list of parameters")];

    "module-other-release", Warning, Check::Parameter(other_release),
    what: "{subject} is a parameter of OpenZFS {releases}, not of {release}.",
    what_zh: "{subject} 是 OpenZFS {releases} 的参数，不是 {release} 的。",
    why: "It was written for another release and has no effect here.",
    why_zh: "它是为另一版本写的，在这里不起作用。",
    sources: [Zfs4("list of parameters of each release")];

    "module-default", Note, Check::Parameter(default),
    what: "{subject}={value} is the default.",
    what_zh: "{subject}={value} 就是默认值。",
    why: "Setting it changes nothing today, and keeps the old value when a later release has a better default.",
    why_zh: "现在设置它没有任何变化；以后的版本有更好的默认值时，它却保留旧值。",
    sources: [HongKong("tuning fragments, zfs_txg_timeout=5"), Zfs4("defaults")];

    "module-suffix", Error, Check::Parameter(suffix),
    what: "{subject}={value} has a unit, which the kernel does not accept.",
    what_zh: "{subject}={value} 带单位，内核不接受。",
    why: "Module parameters are plain numbers: loading the module fails with `invalid for parameter`. In bytes: {bytes}.",
    why_zh: "模块参数是纯数字：加载模块会失败并报 `invalid for parameter`。换算成字节：{bytes}。",
    sources: [LinuxDocs("kernel parameters, numbers")];

    "module-stray", Warning, Check::System(stray),
    what: "A line about {subject} in a module configuration is not an `options` line.",
    what_zh: "模块配置中有一行涉及 {subject}，但不是 `options` 行。",
    why: "modprobe ignores it. Write `options zfs NAME=VALUE`, and rebuild the initramfs if ZFS is loaded from it.",
    why_zh: "modprobe 会忽略它。应写成 `options zfs NAME=VALUE`；若 ZFS 从 initramfs 加载，还要重建 initramfs。",
    sources: [LinuxDocs("modprobe.d(5)")];

    "arc-min", Warning, Check::System(arc_min),
    what: "zfs_arc_min ({min}) is more than half of the ARC's limit ({max}).",
    what_zh: "zfs_arc_min（{min}）大于 ARC 上限（{max}）的一半。",
    why: "The ARC cannot give back memory below the minimum. When programs need it, the kernel swaps, or kills processes. A minimum serves to keep metadata, not to keep the ARC's size steady.",
    why_zh: "ARC 不能归还最小值以下的内存，程序需要时内核只能换页或杀进程。最小值用来保住元数据，不是用来稳定 ARC 的大小。",
    sources: [HongKong("tuning fragments, zfs_arc_min"), Zfs4("zfs_arc_min")];

    "arc-max-ignored", Error, Check::System(arc_max_ignored),
    what: "zfs_arc_max={value} is out of range and ignored.",
    what_zh: "zfs_arc_max={value} 超出范围，被忽略。",
    why: "Valid values are from {least} to below {memory}. While the module runs, a value must also be above the ARC's minimum: zfs_arc_min, or a thirty-second of RAM. Otherwise the limit so far stays in force, and only the kernel log says so.",
    why_zh: "有效值从 {least} 到小于 {memory}；模块运行期间写入的值还必须大于 ARC 的最小值（zfs_arc_min，未设置时为内存的 1/32）。否则原来的上限继续生效，只在内核日志中提示。",
    sources: [Zfs4("zfs_arc_max"), ZfsCode("arc_tuning_update")];

    "nocacheflush", Error,
    Check::Parameter(|system, name, found| no_flush(system, name, found, "zfs_nocacheflush")),
    what: "{subject} is on, and not all drives are known to have power-loss protection.",
    what_zh: "{subject} 已打开，但无法确认所有盘都带掉电保护。",
    why: "ZFS then never asks a drive to make its cache durable: a power cut loses acknowledged writes and may lose the pool. Drives with protection answer flushes at once, so nothing is gained there either.",
    why_zh: "ZFS 不再要求盘把缓存落盘：断电会丢失已确认的写入，甚至可能丢失存储池。带掉电保护的盘会立即应答刷盘（flush），所以也没有收益。",
    sources: [Zfs4("zfs_nocacheflush")],
    lab: evidence::NO_CACHE_FLUSH;

    "zil-nocacheflush", Error,
    Check::Parameter(|system, name, found| no_flush(system, name, found, "zil_nocacheflush")),
    what: "{subject} is on, and not all drives are known to have power-loss protection.",
    what_zh: "{subject} 已打开，但无法确认所有盘都带掉电保护。",
    why: "ZFS then does not ask a drive to make its cache durable after a write of the intent log: a power cut loses synchronous writes that were acknowledged. Transaction groups are still flushed, so the pool stays consistent. Drives with protection answer flushes at once, so nothing is gained there either.",
    why_zh: "ZFS 写意图日志后不再要求盘把缓存落盘：断电会丢失已确认的同步写入。事务组仍会刷盘，所以存储池保持一致。带掉电保护的盘会立即应答刷盘（flush），所以也没有收益。",
    sources: [Zfs4("zil_nocacheflush")],
    lab: evidence::ZIL_NO_CACHE_FLUSH;

    "txg-timeout", Warning, Check::System(txg_timeout),
    what: "zfs_txg_timeout is {seconds} s.",
    what_zh: "zfs_txg_timeout 为 {seconds} 秒。",
    why: "A transaction group stays open that long, and writing it takes at most as long again if the drives keep up: a crash may lose {loss} s of asynchronous writes. Larger groups also make longer bursts at the drives.",
    why_zh: "一个事务组收集写入的时间可达这么久，然后写出；只要盘跟得上，写出的时间也不会更长：崩溃可能丢失 {loss} 秒的异步写入。事务组越大，盘上的突发写入也越长。",
    sources: [Zfs4("zfs_txg_timeout"), HongKong("tuning fragments")];

    "l2arc-units", Error, Check::Parameter(l2arc_units),
    what: "{subject}={value} is bytes, not megabytes.",
    what_zh: "{subject}={value} 是字节，不是兆字节。",
    why: "The unit of this parameter is bytes per feed. A feed of {value} bytes writes next to nothing to the L2ARC; {meant} was probably meant.",
    why_zh: "此参数的单位是每次填充的字节数。每次填充 {value} 字节，几乎什么也写不进 L2ARC；想设的多半是 {meant}。",
    sources: [Zfs4("l2arc_write_max"), HongKong("tuning fragments")];

    "prefetch-off", Note,
    Check::Setting { target: Target::Module, name: "zfs_prefetch_disable", wrong: |value| value == "1", right: None },
    what: "zfs_prefetch_disable=1.",
    what_zh: "zfs_prefetch_disable=1。",
    why: "Sequential reads then wait for each block in turn. Prefetch starts only on sequential access; random loads gain next to nothing from this.",
    why_zh: "顺序读将逐块等待。预取只在顺序访问时启动；随机负载几乎得不到好处。",
    sources: [Zfs4("zfs_prefetch_disable")];

    "dirty-data", Warning, Check::System(dirty_data),
    what: "zfs_dirty_data_max={value} is more than a quarter of RAM ({share}).",
    what_zh: "zfs_dirty_data_max={value} 超过内存的四分之一（{share}）。",
    why: "When dirty data and reservations of writes exceed half of the ARC and dirty buffers a quarter of it, writers wait for a whole transaction group before the gradual throttle begins. Up to OpenZFS 2.2 the ARC is half of RAM by default.",
    why_zh: "脏数据与写入预留超过 ARC 的一半、且脏缓冲区超过其四分之一时，写入要等一整个事务组，渐进的写限流还来不及起作用。OpenZFS 2.2 及以前 ARC 默认为内存的一半。",
    sources: [Zfs4("zfs_dirty_data_max"), ZfsCode("arc_tempreserve_space")];

    "replay-off", Error,
    Check::Setting { target: Target::Module, name: "zil_replay_disable", wrong: |value| value == "1", right: None },
    what: "zil_replay_disable=1.",
    what_zh: "zil_replay_disable=1。",
    why: "After a crash the log is discarded: every synchronous write of the last seconds is lost although it was stable.",
    why_zh: "崩溃后日志被丢弃：最后几秒的同步写入虽然已落盘，仍全部丢失。",
    sources: [Zfs4("zil_replay_disable")],
    lab: evidence::NO_REPLAY;

    "l2arc-without-cache", Note, Check::Parameter(l2arc_without_cache),
    what: "{subject} is set, but no pool has an L2ARC.",
    what_zh: "设置了 {subject}，但没有存储池有 L2ARC。",
    why: "It has no effect.",
    why_zh: "它不起作用。",
    sources: [Zfs4("l2arc parameters")];
}

/// A problem of a parameter whose fix is to remove it.
fn remove(name: &str) -> Problem {
    Problem::of(name).set_parameter(name, None)
}

fn unknown(_: &System, name: &str, _: &Found<String>) -> Option<Problem> {
    let near = || module::nearest(name).unwrap_or("-");
    module::find(name).is_none().then(|| remove(name).with("near", near()))
}

fn other_release(system: &System, name: &str, _: &Found<String>) -> Option<Problem> {
    let version = system.openzfs.as_ref()?;
    let certain = |parameter: &&module::Parameter| {
        parameter.is_certain_in(version.value, system.openzfs_point)
    };
    let parameter = module::find(name)
        .filter(|parameter| !parameter.exists_in(version.value))
        .filter(certain)?;
    let line = |(major, minor): &(u32, u32)| format!("{major}.{minor}");
    let releases: Vec<String> =
        parameter.releases.iter().map(|(release, _)| line(release)).collect();
    let release = line(&version.value);
    let problem = remove(name).with("releases", releases.join(", ")).with("release", &release);
    Some(problem.evidence(&version.at, format!("OpenZFS {release}")))
}

fn default(system: &System, name: &str, found: &Found<String>) -> Option<Problem> {
    let value = module::intended(&found.value)?;
    system.has_default(name, |default| default == Some(value)).then(|| remove(name))
}

fn suffix(_: &System, name: &str, found: &Found<String>) -> Option<Problem> {
    module::find(name)?;
    let bytes = module::intended(&found.value)?;
    module::number(&found.value)
        .is_none()
        .then(|| Problem::of(name).with("bytes", bytes).set_parameter(name, Some(bytes)))
}

fn stray(system: &System) -> Option<Problem> {
    let name =
        |line: &str| line.split(['=', ' ']).next().and_then(|name| module::find(name.trim()));
    let lines = system.stray.iter().filter_map(|found| Some((name(&found.value)?.name, found)));
    let first = lines.clone().next()?.0;
    let problem = Problem::of(first).run(&["modprobe", "--showconfig"]);
    Some(lines.fold(problem, |problem, (_, found)| problem.evidence(&found.at, &found.value)))
}

fn arc_min(system: &System) -> Option<Problem> {
    let max = system.arc_max()?;
    let min = system.parameter("zfs_arc_min").filter(|min| min.value > max / 2)?;
    let problem = remove("zfs_arc_min")
        .with("min", size(min.value))
        .with("max", size(max))
        .evidence(&min.at, format!("zfs_arc_min={}", min.value));
    Some(match system.module.get("zfs_arc_max") {
        Some(set) => problem.evidence(&set.at, format!("zfs_arc_max={}", set.value)),
        None => problem,
    })
}

fn arc_max_ignored(system: &System) -> Option<Problem> {
    let set = system.parameter("zfs_arc_max").filter(|set| set.value > 0)?;
    let memory = system.memory.as_ref().map(|memory| memory.value);
    let outside = set.value < LEAST_ARC || memory.is_some_and(|memory| set.value >= memory);
    let below = system.arc_max_floor().is_some_and(|floor| set.value <= floor);
    // As an option of the module it is accepted, when that is loaded.
    let right = (!outside).then_some(set.value);
    (outside || below).then(|| {
        Problem::of("zfs_arc_max")
            .set_parameter("zfs_arc_max", right)
            .with("value", size(set.value))
            .with("least", size(LEAST_ARC))
            .with("memory", memory.map_or_else(|| "RAM".to_string(), size))
            .evidence(&set.at, format!("zfs_arc_max={}", set.value))
    })
}

/// A parameter of this name that turns flushes off where a drive may need them.
fn no_flush(system: &System, name: &str, found: &Found<String>, of: &str) -> Option<Problem> {
    let off = name == of && module::intended(&found.value).is_some_and(|value| value != 0);
    (off && !system.all_protected()).then(|| remove(name))
}

fn txg_timeout(system: &System) -> Option<Problem> {
    let set = system.parameter("zfs_txg_timeout").filter(|set| set.value > 15)?;
    let problem = remove("zfs_txg_timeout")
        .with("seconds", set.value)
        .with("loss", lab::durability::lost_groups_s(Some(set.value)));
    Some(problem.evidence(&set.at, format!("zfs_txg_timeout={}", set.value)))
}

fn l2arc_units(system: &System, name: &str, found: &Found<String>) -> Option<Problem> {
    if !matches!(name, "l2arc_write_max" | "l2arc_write_boost") {
        return None;
    }
    let value = module::intended(&found.value).filter(|value| (1..1 << 20).contains(value))?;
    let meant = value.checked_mul(1 << 20)?;
    let default =
        system.has_default(name, |default| default.is_none_or(|default| meant <= default));
    let problem = Problem::of(name).with("meant", size(meant));
    Some(problem.set_parameter(name, (!default).then_some(meant)))
}

fn dirty_data(system: &System) -> Option<Problem> {
    let memory = system.memory.as_ref()?;
    let share = memory.value / 4;
    let set = system.parameter("zfs_dirty_data_max").filter(|set| set.value > share)?;
    let problem = remove("zfs_dirty_data_max")
        .with("value", size(set.value))
        .with("share", size(share))
        .evidence(&set.at, format!("zfs_dirty_data_max={}", set.value));
    Some(problem.evidence(&memory.at, format!("memory {}", size(memory.value))))
}

fn l2arc_without_cache(system: &System, name: &str, _: &Found<String>) -> Option<Problem> {
    let known = system.pools.iter().any(|pool| !pool.vdevs.is_empty());
    let cached = system.pools.iter().any(|pool| pool.has(AllocationClass::Cache));
    let l2arc = name.starts_with("l2arc_") && module::find(name).is_some();
    (l2arc && known && !cached).then(|| remove(name))
}
