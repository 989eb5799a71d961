//! NFS, SMB and the network.

use super::{Check, Problem, rules};
use crate::setting::Target;
use crate::system::exports::{shares_asynchronously, synchronous};
use crate::system::samba::GLOBAL;
use crate::system::{Dataset, Link, Property, System};
use facts::units::switch;

rules! {
    "nfs-async", Error, Check::System(nfs_async),
    what: "{subject} is exported with `async`.",
    what_zh: "{subject} 以 `async` 导出。",
    why: "The server acknowledges NFS writes and commits before they are stable, whatever the dataset's properties are: a crash loses them, and the clients do not know. A log vdev makes commits fast and safe.",
    why_zh: "不管数据集的属性怎么设，服务器在落盘之前就确认 NFS 的写入和提交：一旦崩溃，这些写入就会丢失，而客户端并不知道。用日志 vdev，提交才能又快又安全。",
    sources: [Exports("async")];

    "smb-strict-sync", Warning,
    Check::System(|system| switched(system, "strict sync", false)),
    what: "strict sync is off in {sections}.",
    what_zh: "{sections} 中 strict sync 已关闭。",
    why: "Samba ignores clients' requests to flush: data that Windows and macOS believe is stable is not.",
    why_zh: "Samba 忽略客户端的刷盘请求：Windows 和 macOS 以为已落盘的数据并没有落盘。",
    sources: [SmbConf("strict sync")];

    "smb-sync-always", Note,
    Check::System(|system| switched(system, "sync always", true)),
    what: "sync always is on in {sections}.",
    what_zh: "{sections} 中 sync always 已打开。",
    why: "Every SMB write is followed by an fsync, requested or not. That is safe and slow; strict sync alone flushes when clients ask for it.",
    why_zh: "每次 SMB 写之后都会 fsync，不管有没有要求。安全但慢；只用 strict sync 就会按客户端的要求刷盘。",
    sources: [SmbConf("sync always")],
    lab: "hk-smb-slog";

    "mtu-mismatch", Warning, Check::System(mtu_mismatch),
    what: "{subject} has an MTU of {small}, {other} an MTU of {large}.",
    what_zh: "{subject} 的 MTU 为 {small}，{other} 的为 {large}。",
    why: "On one path, large frames are dropped or fragmented: connections hang on the first large packet, or the CPU does extra work. Both ends and every switch between them must have the same MTU.",
    why_zh: "在同一条路径上，大帧会被丢弃或分片：连接卡在第一个大包上，或增加 CPU 开销。两端和中间每台交换机的 MTU 必须一致。",
    sources: [HongKong("pitfalls met, jumbo frames")];
}

fn nfs_async(system: &System) -> Option<Problem> {
    let exports: Vec<_> = system.exports.iter().filter(|export| export.asynchronous()).collect();
    let shared: Vec<_> = system
        .datasets
        .iter()
        .filter_map(|dataset| Some((dataset, shares(system, dataset)?)))
        .collect();
    let path = exports.first().map(|export| export.path.trim_matches('"').to_string());
    let subject = path.or_else(|| Some(shared.first()?.0.name.clone()))?;
    let edited = exports.iter().fold(Problem::of(subject), |problem, export| {
        let line = format!("{} {}", export.path, export.clients);
        problem.evidence(&export.at, line).set(
            Target::Exports,
            &export.path,
            Some(export.synchronous()),
        )
    });
    let edited = if exports.is_empty() { edited } else { edited.run(&["exportfs", "-ra"]) };
    Some(shared.into_iter().fold(edited, |problem, (dataset, property)| {
        let right = synchronous(&property.value);
        problem.property("sharenfs", property).set_property(&dataset.name, "sharenfs", right)
    }))
}

/// The property sharenfs of a dataset that exports with async, unless it has the value from one that is reported.
fn shares<'a>(system: &System, dataset: &'a Dataset) -> Option<&'a Property> {
    let property = dataset.get("sharenfs").filter(|found| shares_asynchronously(&found.value))?;
    (!system.inherits(dataset, "sharenfs", property)).then_some(property)
}

/// A switch of Samba that sections set to a wrong value. A share's own setting counts before that of `[global]`, and
/// says nothing of other shares.
fn switched(system: &System, name: &'static str, wrong: bool) -> Option<Problem> {
    let rows = system.samba_rows(name).into_iter();
    let rows: Vec<_> = rows.filter(|row| switch(&row.found.value) == Some(wrong)).collect();
    rows.first()?;
    let sections: Vec<String> = rows.iter().map(|row| format!("[{}]", row.section)).collect();
    let right = if wrong { "no" } else { "yes" };
    let problem = Problem::of(name).with("sections", sections.join(", "));
    Some(rows.into_iter().fold(problem, |problem, row| {
        let target = match row.section.eq_ignore_ascii_case(GLOBAL) {
            true => Target::Samba,
            false => Target::Share(row.section.clone()),
        };
        let text = format!("[{}] {name} = {}", row.section, row.found.value);
        problem.evidence(&row.found.at, text).set(target, name, Some(right))
    }))
}

fn mtu_mismatch(system: &System) -> Option<Problem> {
    // Every host has interfaces of other MTUs (bridges, VPNs): its largest is the storage network's.
    let largest = |link: &&Link| {
        link.mtu >= 1280
            && system.links.iter().all(|other| other.host != link.host || other.mtu <= link.mtu)
    };
    let links = || system.links.iter().filter(largest);
    let small = links().min_by_key(|link| link.mtu)?;
    let large = links().find(|link| link.mtu > small.mtu)?;
    let problem = Problem::of(&small.name)
        .with("small", small.mtu)
        .with("large", large.mtu)
        .with("other", &large.name)
        .evidence(&small.at, format!("{} mtu {}", small.name, small.mtu))
        .evidence(&large.at, format!("{} mtu {}", large.name, large.mtu));
    Some(problem.run(&["ip", "link", "set", "dev", &small.name, "mtu", &large.mtu.to_string()]))
}
