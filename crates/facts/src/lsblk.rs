//! `lsblk -J`, with any columns (`-O` has them all).

use crate::json::{Value, documents};
use crate::units::binary;
use crate::{At, Parsed, Problem, nothing_found};

/// A block device. A field is none where the column was not asked for or the kernel does not know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Device {
    /// `sda`, `nvme0n1`.
    pub name: String,
    /// Size, bytes. Without `-b` lsblk rounds to two digits.
    pub size: Option<At<u64>>,
    /// Whether it rotates.
    pub rotational: Option<At<bool>>,
    /// Physical sector, bytes.
    pub physical_sector: Option<At<u64>>,
    /// Logical sector, bytes.
    pub logical_sector: Option<At<u64>>,
    /// Model.
    pub model: Option<At<String>>,
    /// Serial number.
    pub serial: Option<At<String>>,
    /// World-wide name.
    pub wwn: Option<At<String>>,
    /// UUID of a partition in its table, which TrueNAS names pool members by.
    pub part_uuid: Option<At<String>>,
    /// Label of a partition in its table.
    pub part_label: Option<At<String>>,
    /// `sas`, `sata`, `nvme`, `usb`, …
    pub transport: Option<At<String>>,
    /// I/O scheduler.
    pub scheduler: Option<At<String>>,
    /// Read-ahead, KiB.
    pub read_ahead_kib: Option<At<u64>>,
    /// File system, RAID or ZFS member signature: `zfs_member`, `ext4`, `linux_raid_member`.
    pub signature: Option<At<String>>,
    /// Where it is mounted; `[SWAP]` for swap.
    pub mounts: Vec<At<String>>,
    /// Partitions, volumes and maps on it.
    pub children: Vec<Device>,
}

/// The devices of an `lsblk -J` text.
pub fn parse(text: &str) -> Parsed<Vec<Device>> {
    let (found, mut problems, _) = documents(text);
    let lists: Vec<&Value> =
        found.iter().filter_map(|document| document.get("blockdevices")).collect();
    let mut devices = Vec::new();
    for item in lists.iter().flat_map(|list| list.items()) {
        device(item, &mut devices, &mut problems);
    }
    if lists.is_empty() {
        problems.push(nothing_found(text, "lsblk -J"));
    }
    Parsed { facts: devices, problems }
}

fn device(item: &Value, out: &mut Vec<Device>, problems: &mut Vec<Problem>) {
    let text = |key: &str| item.text_at(&[key]);
    let flag = |key: &str| item.get(key).and_then(Value::flag);
    let whole = |key: &str| item.get(key).and_then(Value::whole);
    let Some(name) = text("name").or_else(|| text("kname")).or_else(|| text("path")) else {
        problems.push(Problem::new(
            item.line,
            "a block device without a name: run lsblk with the NAME column",
        ));
        return;
    };
    let written = text("size");
    // lsblk writes the decimal point of its locale: `931,5G`.
    let size =
        written.as_ref().and_then(|written| written.read(|size| binary(&size.replace(',', "."))));
    if let (Some(written), None) = (written, size) {
        problems.push(Problem::quoting(written.line, "not a size", &written.value));
    }
    let mounts = match item.get("mountpoints") {
        Some(list) => list.items().iter().filter_map(Value::text).collect(),
        None => text("mountpoint").into_iter().collect(),
    };
    let mut children = Vec::new();
    for child in item.items_at(&["children"]) {
        device(child, &mut children, problems);
    }
    out.push(Device {
        name: name.value.trim_start_matches("/dev/").to_string(),
        size,
        rotational: flag("rota"),
        physical_sector: whole("phy-sec"),
        logical_sector: whole("log-sec"),
        model: text("model"),
        serial: text("serial"),
        wwn: text("wwn"),
        part_uuid: text("partuuid"),
        part_label: text("partlabel"),
        transport: text("tran"),
        scheduler: text("sched"),
        read_ahead_kib: whole("ra"),
        signature: text("fstype"),
        mounts,
        children,
    });
}
