//! Drives: their reports, and what is said of them.

use advice::audit::{Finding, Severity, audit};
use advice::system::{Input, System, gather};
use advice::tune::{Need, Server, Workload, tune};

fn read(text: &str) -> System {
    let (system, unread) = gather(&[Input { name: "pasted".into(), text: text.into() }]);
    assert!(unread.is_empty(), "{unread:?}");
    system
}

fn found(text: &str, rule: &str) -> Vec<Finding> {
    audit(&read(text)).into_iter().filter(|finding| finding.rule.name == rule).collect()
}

/// A report of smartctl: device, type, serial number, and further members.
fn smart(device: &str, kind: &str, serial: &str, members: &str) -> String {
    let shown = match kind.split_once("megaraid,") {
        Some((_, number)) => format!("{device} [megaraid_disk_{number:0>2}]"),
        None => device.to_string(),
    };
    format!(
        "==> smartctl <==\n{{\"smartctl\": {{\"version\": [7, 4], \"exit_status\": 0}}, \"device\": {{\"name\": \"{device}\", \
         \"info_name\": \"{shown}\", \"type\": \"{kind}\"}}, \"serial_number\": \"{serial}\"{members}}}\n"
    )
}

const FAILED: &str = ", \"smart_status\": {\"passed\": false}";

#[test]
fn each_drive_behind_a_card_keeps_its_report() {
    let volume = "==> lsblk <==\n{\"blockdevices\": [{\"name\": \"sda\", \"model\": \"PERC H730P\", \"serial\": null}]}\n";
    let uncorrected = ", \"scsi_error_counter_log\": {\"read\": {\"total_uncorrected_errors\": 7}}";
    for device in ["/dev/bus/0", "/dev/sda"] {
        let reports: String = ["", FAILED, "", uncorrected]
            .iter()
            .enumerate()
            .map(|(n, more)| smart(device, &format!("megaraid,{n}"), &format!("ZC1000{n}"), more))
            .collect();
        let text = format!("{volume}{reports}");
        assert_eq!(read(&text).drives.len(), 5, "four drives and their volume");
        let failing = found(&text, "drive-failing");
        let subjects: Vec<&str> = failing.iter().map(|finding| finding.subject.as_str()).collect();
        assert_eq!(subjects, [format!("{device} [megaraid_disk_01]")]);
        let unreadable = found(&text, "drive-unreadable");
        assert_eq!(unreadable[0].subject, format!("{device} [megaraid_disk_03]"));
        let command = format!("smartctl -t long -d megaraid,1 {device}");
        assert_eq!(failing[0].fix(), [command]);
    }
}

#[test]
fn a_drive_that_a_card_passes_through_is_known_by_its_serial_number() {
    let text = format!(
        "==> lsblk <==\n{{\"blockdevices\": [{{\"name\": \"sda\", \"serial\": \"ZC10001\"}}, {{\"name\": \"sdb\", \"serial\": \"ZC10002\"}}]}}\n{}",
        smart("/dev/sda", "sat+megaraid,2", "ZC10002", FAILED)
    );
    let failing = found(&text, "drive-failing");
    assert_eq!((read(&text).drives.len(), failing[0].subject.as_str()), (2, "sdb"));
    assert_eq!(failing[0].fix(), ["smartctl -t long -d sat+megaraid,2 /dev/sda"]);
}

#[test]
fn reports_with_different_serial_numbers_are_about_different_drives() {
    let text = smart("/dev/sda", "sat", "A1", FAILED) + &smart("/dev/sda", "sat", "B2", "");
    assert_eq!(found(&text, "drive-failing").len(), 1);
    // A bridge or SAS shows another number in lsblk: that is still the drive of this name.
    let bridge =
        "==> lsblk <==\n{\"blockdevices\": [{\"name\": \"sda\", \"serial\": \"0123456789\"}]}\n";
    let text = bridge.to_string() + &smart("/dev/sda", "sat", "A1", FAILED);
    assert_eq!(read(&text).drives.len(), 1);
}

/// A disk whose attributes are these: number, name, normalized and raw value.
fn sata(rpm: u64, attributes: &[(u64, &str, u64, u64)]) -> String {
    let row = |(id, name, value, raw): &(u64, &str, u64, u64)| {
        format!(
            "{{\"id\": {id}, \"name\": \"{name}\", \"value\": {value}, \"raw\": {{\"value\": {raw}, \"string\": \"{raw}\"}}}}"
        )
    };
    let rows: Vec<String> = attributes.iter().map(row).collect();
    let members = format!(
        ", \"rotation_rate\": {rpm}, \"smart_status\": {{\"passed\": true}}, \"ata_smart_attributes\": {{\"table\": [{}]}}",
        rows.join(", ")
    );
    smart("/dev/sda", "sat", "S1", &members)
}

fn whats(text: &str, rule: &str) -> Vec<(String, Severity)> {
    let found = found(text, rule).into_iter();
    found.map(|finding| (finding.arguments["what"].clone(), finding.severity)).collect()
}

#[test]
fn replaced_and_unreadable_sectors_of_a_disk_are_found() {
    let counts = [
        (5, "Reallocated_Sector_Ct", 60, 15_848),
        (187, "Reported_Uncorrect", 1, 212),
        (197, "Current_Pending_Sector", 100, 8),
    ];
    let text = sata(7200, &counts);
    assert!(found(&text, "drive-failing").is_empty(), "its own verdict is that it passed");
    let unreadable = "Reported_Uncorrect 212, Current_Pending_Sector 8".to_string();
    assert_eq!(whats(&text, "drive-unreadable"), [(unreadable, Severity::Warning)]);
    let replaced = "Reallocated_Sector_Ct 15848".to_string();
    assert_eq!(whats(&text, "drive-reallocated"), [(replaced, Severity::Warning)]);
    let few = sata(7200, &[(5, "Reallocated_Sector_Ct", 100, 3)]);
    assert_eq!(whats(&few, "drive-reallocated")[0].1, Severity::Note);
    let sas = smart("/dev/sdc", "scsi", "Z1", ", \"scsi_grown_defect_list\": 412");
    assert_eq!(whats(&sas, "drive-reallocated")[0].0, "grown defects 412");
}

#[test]
fn an_ssd_wears_out_and_has_no_pending_sectors() {
    // The firmware of this one counts something else in attribute 197.
    let crucial =
        [(202, "Percent_Lifetime_Remain", 1, 99), (197, "Current_Pending_ECC_Cnt", 100, 1)];
    let text = sata(0, &crucial);
    assert_eq!(whats(&text, "drive-worn")[0].0, "Percent_Lifetime_Remain 1 of 100");
    assert!(found(&text, "drive-failing").is_empty());
    assert!(found(&text, "drive-unreadable").is_empty());
    for (id, name, value, worn) in [
        (177, "Wear_Leveling_Count", 2, true),
        (177, "Wear_Leveling_Count", 90, false),
        (231, "SSD_Life_Left", 20, true),
        (233, "Media_Wearout_Indicator", 3, true),
        (177, "Wear_Range_Delta", 0, false),
        (231, "Temperature_Celsius", 20, false),
    ] {
        let fires = !found(&sata(0, &[(id, name, value, 0)]), "drive-worn").is_empty();
        assert_eq!(fires, worn, "{id} {name} {value}");
    }
}

/// What `hdparm -W0` turned off needs no flush.
#[test]
fn a_cache_that_is_off_is_not_hidden() {
    let text = |enabled: bool| {
        let members = format!(
            ", \"model_name\": \"Samsung SSD 870 EVO 1TB\", \"write_cache\": {{\"enabled\": {enabled}}}"
        );
        let queue = "==> queue <==\n/sys/block/sda/queue/write_cache:write through\n";
        smart("/dev/sda", "sat", "S1", &members) + queue
    };
    assert!(found(&text(false), "drive-cache-hidden").is_empty());
    assert!(!found(&text(true), "drive-cache-hidden").is_empty());
}

/// blockdev counts in sectors of 512 bytes, sysfs in KiB.
#[test]
fn read_ahead_goes_back_to_the_kernels_default() {
    let queue = |name: &str| {
        format!(
            "==> queue <==\n/sys/block/{name}/queue/rotational:0\n/sys/block/{name}/queue/read_ahead_kb:4096\n"
        )
    };
    let fix = found(&queue("sda"), "drive-read-ahead")[0].fix();
    assert_eq!(fix, ["blockdev --setra 256 /dev/sda"]);
    assert!(found(&queue("md0"), "drive-read-ahead").is_empty(), "md raises it on purpose");
    let card = "==> zpool status <==\n  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  sda ONLINE 0 0 0\n\nerrors: No known data errors\n\
        ==> lsblk <==\n{\"blockdevices\": [{\"name\": \"sda\", \"model\": \"PERC H755 Front\"}]}\n";
    let need = Need {
        server: Server::Generic,
        workload: Workload::Mixed,
        memory: 64 << 30,
        cores: 8,
        allow_loss_s: 0.0,
        system: read(card),
        card: None,
    };
    let rules: Vec<String> = tune(&need).iter().map(|choice| choice.value().to_string()).collect();
    assert!(rules.iter().any(|rule| rule.contains("queue/read_ahead_kb}=\"128\"")), "{rules:?}");
}

fn names(text: &str) -> Vec<String> {
    read(text).drives.into_iter().map(|drive| drive.name).collect()
}

/// Namespaces of one controller have its serial number, and drives behind USB bridges may all have one.
#[test]
fn drives_that_show_one_serial_number_stay_apart() {
    let lsblk = |one: &str, two: &str| {
        let row = |name: &str| format!("{{\"name\": \"{name}\", \"serial\": \"0123456789AB\"}}");
        format!("==> lsblk <==\n{{\"blockdevices\": [{}, {}]}}\n", row(one), row(two))
    };
    let nvme = "==> nvme list <==\n{\"Devices\": [\
        {\"DevicePath\": \"/dev/nvme0n1\", \"SerialNumber\": \"0123456789AB\"},\
        {\"DevicePath\": \"/dev/nvme0n2\", \"SerialNumber\": \"0123456789AB\"}]}\n";
    assert_eq!(names(nvme), ["nvme0n1", "nvme0n2"]);
    assert_eq!(names(&(lsblk("nvme0n1", "nvme0n2") + nvme)), ["nvme0n1", "nvme0n2"]);
    let usb = lsblk("sda", "sdb") + &smart("/dev/sdb", "sat", "0123456789AB", FAILED);
    assert_eq!(names(&usb), ["sda", "sdb"]);
    assert_eq!(found(&usb, "drive-failing")[0].subject, "sdb");
}

#[test]
fn a_list_of_devices_replaces_no_report() {
    let scan = "==> smartctl --scan <==\n{\"smartctl\": {\"version\": [7, 4]}, \"devices\": [\
        {\"name\": \"/dev/sda\", \"info_name\": \"/dev/sda\", \"type\": \"scsi\"}]}\n";
    let text = smart("/dev/sda", "sat", "A1", FAILED) + scan;
    assert_eq!(found(&text, "drive-failing").len(), 1);
}

#[test]
fn a_card_wide_setting_is_fixed_by_one_command() {
    let card = "==> ssacli <==\nSmart Array P440ar in Slot 0 (Embedded)\n   No-Battery Write Cache: Enabled\n   Battery/Capacitor Count: 1\n   Battery/Capacitor Status: Failed (Replace Batteries)\n";
    let volume = |number: u32| {
        format!("   Logical Drive: {number}\n      Fault Tolerance: 1+0\n      Caching:  Enabled\n")
    };
    let text = card.to_string() + &volume(1) + &volume(2);
    let fix = found(&text, "card-unprotected")[0].fix();
    assert_eq!(fix, ["ssacli ctrl slot=0 modify nobatterywritecache=disable"]);
}

#[test]
fn a_shingled_disk_is_known_by_its_name_in_zpool_status_alone() {
    let status = "==> zpool status <==\n  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME                         STATE     READ WRITE CKSUM\n\ttank                         ONLINE       0     0     0\n\t  mirror-0                   ONLINE       0     0     0\n\t    ata-ST8000DM004-2CX188_A  ONLINE       0     0     0\n\t    ata-ST8000NM000A-2KE101_B  ONLINE       0     0     0\n\nerrors: No known data errors\n";
    let shingled = found(status, "drive-shingled");
    let subjects: Vec<&str> = shingled.iter().map(|finding| finding.subject.as_str()).collect();
    assert_eq!(subjects, ["ata-ST8000DM004-2CX188_A"]);
}
