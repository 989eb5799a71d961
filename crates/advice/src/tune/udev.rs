//! udev rules: the I/O scheduler of each drive.

use super::choice::{Choice, Need, Sentence};
use crate::setting::{READ_AHEAD_KIB, Target, scheduler_rule};
use crate::source::Document;
use crate::system::{Drive, Leaf, Pool};

/// No scheduler for each drive of the pools and, behind a RAID card, the default read-ahead.
pub fn schedulers(need: &Need) -> Vec<Choice> {
    if need.system.planned {
        return Vec::new();
    }
    let mut seen: Vec<&str> = Vec::new();
    let leaves = need.system.pools.iter().flat_map(Pool::leaves);
    leaves
        .filter_map(|leaf| Some((leaf, need.system.drive(leaf)?)))
        .filter(|(_, drive)| {
            let new = !seen.contains(&drive.name.as_str());
            seen.push(&drive.name);
            new
        })
        .map(|(leaf, drive)| scheduler(need, leaf, drive))
        .collect()
}

fn scheduler(need: &Need, leaf: &Leaf, drive: &Drive) -> Choice {
    let mut rule = scheduler_rule(drive);
    let mut reason: Sentence = (
        "ZFS schedules its own I/O; a second queue adds latency and, on fast drives, lock contention.",
        "ZFS 自己调度 I/O；再加一层队列会增加延迟，在快盘上还有锁竞争。",
    )
        .into();
    if catalogue::card_volume(need.system.model(leaf)) {
        rule.push_str(&format!(", ATTR{{queue/read_ahead_kb}}=\"{READ_AHEAD_KIB}\""));
        reason = reason.and((
            "Block-layer read-ahead has no effect on ZFS and does not help random reads.",
            "块层预读对 ZFS 不起作用，对随机读也没有帮助。",
        ));
    }
    if drive.wwn.is_none() && drive.serial.is_none() {
        reason = reason.and((
            "No serial number is known: the rule matches the kernel name, which may change at the next boot.",
            "没有已知的序列号：规则匹配内核设备名，下次启动时可能会变。",
        ));
    }
    Choice::new(Target::Udev, &drive.name, rule, reason)
        .source(Document::Nvme, "scheduler none by udev")
        .source(Document::LinuxDocs, "block, switching schedulers")
}
