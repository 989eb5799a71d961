//! NFS, SMB and the network.

use super::{Check, Problem, Rule, rule};
use crate::setting::Target;
use crate::source::Document::{Exports, HongKong, SmbConf};
use crate::system::{Link, System};

/// The rules of this topic.
pub const RULES: &[Rule] = &[NFS_ASYNC, STRICT_SYNC, SYNC_ALWAYS, MTU_MISMATCH];

const NFS_ASYNC: Rule = rule! {
    "nfs-async", Error, Check::System(nfs_async),
    what: "{subject} is exported with `async`.",
    what_zh: "{subject} 以 `async` 导出。",
    why: "The server acknowledges NFS writes and commits before they are stable, whatever the dataset's properties are: a crash loses them, and the clients do not know. A log vdev makes commits fast and safe.",
    why_zh: "不管数据集的属性怎么设，服务器在落盘之前就确认 NFS 的写入和提交：崩溃时丢失，而客户端不知道。日志 vdev 才能让提交又快又安全。",
    sources: &[Exports.section("async")],
};

fn nfs_async(system: &System) -> Option<Problem> {
    let asynchronous =
        |line: &str| line.split(['(', ')', ',']).any(|option| option.trim() == "async");
    let path = |line: &str| line.split_whitespace().next().unwrap_or_default().to_string();
    let mut lines = system.exports.iter().filter(|line| asynchronous(&line.value)).peekable();
    let subject = path(&lines.peek()?.value);
    Some(lines.fold(Problem::of(subject), |problem, line| {
        let export = format!("CLIENT:{}", path(&line.value));
        problem.evidence(&line.at, &line.value).run(&[
            "exportfs",
            "-o",
            "rw,sync,no_subtree_check",
            &export,
        ])
    }))
}

const STRICT_SYNC: Rule = rule! {
    "smb-strict-sync", Warning,
    Check::Setting { target: Target::Samba, name: "strict sync", wrong: |value| !on(value), right: Some("yes") },
    what: "strict sync is off.",
    what_zh: "strict sync 已关闭。",
    why: "Samba ignores clients' requests to flush: data that Windows and macOS believe is stable is not.",
    why_zh: "Samba 忽略客户端的刷盘请求：Windows 和 macOS 以为已落盘的数据并没有落盘。",
    sources: &[SmbConf.section("strict sync")],
};

const SYNC_ALWAYS: Rule = rule! {
    "smb-sync-always", Note,
    Check::Setting { target: Target::Samba, name: "sync always", wrong: on, right: Some("no") },
    what: "sync always is on.",
    what_zh: "sync always 已打开。",
    why: "Every SMB write is followed by an fsync, requested or not. That is safe and slow; strict sync alone flushes when clients ask for it.",
    why_zh: "每次 SMB 写之后都会 fsync，不管有没有要求。安全但慢；只用 strict sync 就会按客户端的要求刷盘。",
    sources: &[SmbConf.section("sync always")],
    lab: "hk-smb-slog",
};

fn on(value: &str) -> bool {
    ["yes", "true", "1"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

const MTU_MISMATCH: Rule = rule! {
    "mtu-mismatch", Warning, Check::System(mtu_mismatch),
    what: "{subject} has an MTU of {small}, {other} an MTU of {large}.",
    what_zh: "{subject} 的 MTU 为 {small}，{other} 的为 {large}。",
    why: "On one path, large frames are dropped or fragmented: connections hang on the first large packet, or the CPU does extra work. Both ends and every switch between them must have the same MTU.",
    why_zh: "在同一条路径上，大帧会被丢弃或分片：连接卡在第一个大包上，或增加 CPU 开销。两端和中间每台交换机的 MTU 必须一致。",
    sources: &[HongKong.section("pitfalls met, jumbo frames")],
};

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
