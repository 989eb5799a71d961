//! udev rules: a drive's scheduler, fixed by a name that does not change.

use super::choice::{Choice, Need, Said, Target};
use crate::source::Document;
use crate::system::models;

/// The rule that turns the scheduler off for a drive, matched by its world-wide name or serial
/// number where one is known, else by its kernel name.
pub fn scheduler_rule(drive: &str, stable: Option<&str>) -> String {
    let clean = |text: &str| -> String {
        // udev's rules have no escape for a quote.
        text.chars()
            .filter(|c| !c.is_control() && *c != '"')
            .collect()
    };
    let matched = match stable {
        Some(id)
            if id.starts_with("0x")
                || id.starts_with("eui.")
                || id.starts_with("naa.")
                || id.starts_with("uuid.") =>
        {
            format!("ENV{{ID_WWN}}==\"{}\"", clean(id))
        }
        Some(id) => format!("ENV{{ID_SERIAL_SHORT}}==\"{}\"", clean(id)),
        None => format!("KERNEL==\"{}\"", clean(drive)),
    };
    format!(
        "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", {matched}, ATTR{{queue/scheduler}}=\"none\""
    )
}

/// The scheduler and, behind a RAID card, the read-ahead of each drive of the pool.
pub fn schedulers(need: &Need) -> Vec<Choice> {
    if need.system.planned {
        return Vec::new();
    }
    let mut seen: Vec<&str> = Vec::new();
    need.system
        .pools
        .iter()
        .flat_map(|pool| pool.vdevs.iter().flat_map(|vdev| &vdev.leaves))
        .filter_map(|leaf| {
            let drive = need.system.drive(leaf)?;
            if seen.contains(&drive.name.as_str()) {
                return None;
            }
            seen.push(&drive.name);
            let serial = drive.serial.as_ref().map(|serial| serial.value.as_str());
            let stable = drive.wwn.as_deref().or(serial);
            let mut rule = scheduler_rule(&drive.name, stable);
            let mut reason: Said = ("ZFS orders its I/O itself; a second queue adds latency and, on fast drives, a lock.", "ZFS 自己安排 I/O 次序；再加一层队列会增加延迟，在快盘上还有锁。").into();
            if models::card_volume(need.system.model(leaf)) {
                rule.push_str(", ATTR{queue/read_ahead_kb}=\"16\"");
                reason = reason.and(("Behind the card, read-ahead of the block layer serves file systems other than ZFS only, and random reads not at all.", "在卡后面，块层的预读只对 ZFS 以外的文件系统有用，对随机读则毫无用处。"));
            }
            if stable.is_none() {
                reason = reason.and(("No serial number is known: matched by a kernel name, which may change at the next boot.", "不知道序列号：按内核名匹配，下次启动时可能会变。"));
            }
            let choice = Choice::new(Target::Udev, &drive.name, rule, reason);
            Some(choice.from(Document::Nvme, "scheduler none by udev").from(Document::LinuxDocs, "block, switching schedulers"))
        })
        .collect()
}
