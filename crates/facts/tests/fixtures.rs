//! What is read from each fixture; where the fixtures come from is in fixtures/README.md.

use facts::card::WritePolicy;
use facts::properties::{Owner, Property, Source};
use facts::zpool_status::{Pool, ScanKind, ScanState, Vdev, VdevKind};
use facts::*;
use zfs::{AllocationClass, Layout};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn vdevs_of(pool: &Pool, class: AllocationClass) -> Vec<&Vdev> {
    pool.vdevs.iter().filter(|vdev| vdev.class == class).collect()
}

fn property<'a>(facts: &'a [Property], target: &str, name: &str) -> &'a Property {
    facts.iter().find(|row| row.target == target && row.name == name).unwrap()
}

fn recognise(name: &str, text: &str) -> Option<Format> {
    formats(name, text).first().map(|(format, _)| *format)
}

#[test]
fn every_fixture_is_recognised_by_its_content() {
    for (name, format) in [
        ("zpool-status-0.6-raidz2-failing.txt", Format::ZpoolStatus),
        ("zpool-status-2.1-draid-special.txt", Format::ZpoolStatus),
        ("zpool-status-2.3-slow-trim-dedup.txt", Format::ZpoolStatus),
        ("zpool-status-pasted-flat.txt", Format::ZpoolStatus),
        ("zpool-get-all-2.1.txt", Format::Properties),
        ("zpool-get-Hp.txt", Format::Properties),
        ("zfs-get-all-2.1.txt", Format::Properties),
        ("zfs-get-Hp.txt", Format::Properties),
        ("lsblk-2.38.json", Format::Lsblk),
        ("lsblk-2.34-server.json", Format::Lsblk),
        ("nvme-list-1.16.json", Format::NvmeList),
        ("nvme-list-2.3-verbose.json", Format::NvmeList),
        ("smartctl-7.2-ata.json", Format::Smartctl),
        ("smartctl-7.3-unreadable.json", Format::Smartctl),
        ("perccli-h755.json", Format::Storcli),
        ("storcli-vall.json", Format::Storcli),
        ("arcconf-p460.txt", Format::Arcconf),
        ("ssacli-p408i.txt", Format::Ssacli),
        ("postgresql-15.conf", Format::Postgresql),
        ("my-mariadb.cnf", Format::MyCnf),
        ("modprobe-zfs.conf", Format::Modprobe),
        ("queue-linux-6.18.txt", Format::Queue),
        ("queue-tail.txt", Format::Queue),
    ] {
        assert_eq!(recognise("-", &fixture(name)), Some(format), "{name}");
    }
    assert_eq!(recognise("notes.txt", "we have 12 disks"), None);
}

#[test]
fn a_failing_raidz2_of_an_old_version_is_read_whole() {
    let parsed = zpool_status::parse(&fixture("zpool-status-0.6-raidz2-failing.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let pool = &parsed.facts[0];
    assert_eq!(pool.state, Some(At::new("DEGRADED".to_string(), 2)));
    assert!(pool.status.as_ref().unwrap().value.ends_with("in a degraded state."));
    let scan = &pool.scans[0];
    assert_eq!((scan.kind, scan.state), (Some(ScanKind::Scrub), ScanState::Finished));

    let raidz = vdevs_of(pool, AllocationClass::Normal)[0];
    assert_eq!(raidz.kind, VdevKind::Layout(Layout::Raidz { parity: 2 }));
    assert_eq!(raidz.children.len(), 4);
    let replacing = &raidz.children[2];
    assert_eq!(replacing.kind, VdevKind::Replacing);
    let faulted = &raidz.children[3];
    assert_eq!((faulted.read, faulted.write, faulted.line), (Some(40), Some(1228), 19));
    assert_eq!(vdevs_of(pool, AllocationClass::Log).len(), 1);
    assert_eq!(vdevs_of(pool, AllocationClass::Cache).len(), 1);
    assert_eq!(vdevs_of(pool, AllocationClass::Spare)[0].state, "AVAIL");
    assert_eq!(pool.undamaged(), Some(false));
}

#[test]
fn a_draid_with_special_log_cache_and_a_second_pool_is_read_whole() {
    let parsed = zpool_status::parse(&fixture("zpool-status-2.1-draid-special.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [pool, rpool] = parsed.facts.as_slice() else { panic!("{}", parsed.facts.len()) };
    assert_eq!(pool.scans.len(), 2);
    assert_eq!(pool.scans[0].state, ScanState::Running);
    assert_eq!(pool.scans[1].kind, Some(ScanKind::Resilver));
    assert_eq!(pool.others[0].0, "checkpoint");
    let draid = vdevs_of(pool, AllocationClass::Normal)[0];
    assert_eq!(draid.kind, VdevKind::Layout(Layout::Draid { parity: 2, data: 5, spares: 2 }));
    assert_eq!(draid.children.len(), 14);
    assert_eq!(draid.children[3].kind, VdevKind::Spare);
    assert_eq!(draid.children[3].children[1].kind, VdevKind::DistributedSpare);
    let special = vdevs_of(pool, AllocationClass::Special)[0];
    assert_eq!((special.kind, special.leaves().len()), (VdevKind::Layout(Layout::Mirror), 2));
    assert_eq!(vdevs_of(pool, AllocationClass::Log)[0].children.len(), 2);
    assert_eq!(vdevs_of(pool, AllocationClass::Spare).len(), 2);
    assert_eq!(rpool.scans[0].state, ScanState::Never);
    assert_eq!(rpool.vdevs[0].name, "nvme5n1p3");
}

#[test]
fn slow_counts_and_trim_notes_do_not_shift_the_columns() {
    let parsed = zpool_status::parse(&fixture("zpool-status-2.3-slow-trim-dedup.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let pool = &parsed.facts[0];
    let raidz = &pool.vdevs[0];
    assert!(raidz.children.iter().all(|drive| drive.state == "ONLINE" && drive.cksum == Some(0)));
    assert_eq!(vdevs_of(pool, AllocationClass::Dedup)[0].children.len(), 2);
    assert_eq!(pool.others[0].0, "expand");
}

#[test]
fn lost_indentation_is_guessed_and_reported() {
    let parsed = zpool_status::parse(&fixture("zpool-status-pasted-flat.txt"));
    let pool = &parsed.facts[0];
    assert_eq!(pool.vdevs.len(), 2);
    assert!(pool.vdevs.iter().all(|vdev| vdev.children.len() == 2));
    assert_eq!(parsed.problems.len(), 2, "{:?}", parsed.problems);
    assert!(parsed.problems[0].what.contains("indentation"));
}

#[test]
fn a_status_cut_in_its_table_says_so() {
    let text = fixture("zpool-status-2.1-draid-special.txt");
    let cut: String = text.lines().take(24).map(|line| format!("{line}\n")).collect();
    let parsed = zpool_status::parse(&cut);
    assert_eq!(parsed.facts[0].name.value, "mirror");
    let problem = parsed.problems.last().unwrap();
    assert!(problem.line == 24 && problem.what.contains("paste all of it"), "{problem:?}");
    let beginning: String = text.lines().skip(6).map(|line| format!("{line}\n")).collect();
    let parsed = zpool_status::parse(&beginning);
    assert!(parsed.problems[0].what.starts_with("not part of zpool status"));
    assert!(parsed.problems.iter().any(|p| p.what.contains("the beginning is missing")));
}

#[test]
fn only_indented_lines_are_the_damaged_files_of_a_status() {
    let status = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  sda ONLINE 0 0 0\n\nerrors: ";
    let table = "NAME  PROPERTY  VALUE  SOURCE\n";
    let files =
        "Permanent errors have been detected in the following files:\n\n        tank/a:/b\n";
    assert!(zpool_status::parse(&format!("{status}{files}")).problems.is_empty());
    for errors in [files, "3 data errors, use '-v' for a list\n"] {
        let problems = zpool_status::parse(&format!("{status}{errors}{table}")).problems;
        assert!(problems[0].what.contains("NAME  PROPERTY"), "{problems:?}");
    }
}

#[test]
fn values_may_hold_blanks_and_only_set_or_received_ones_are_local() {
    let parsed = properties::parse(&fixture("zfs-get-all-2.1.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let get = |name: &str| property(&parsed.facts, "tank/db", name);
    assert_eq!(get("mountpoint").value.text(), "/var/lib/mysql data");
    assert_eq!(get("recordsize").value.text(), "16K");
    assert_eq!(get("recordsize").source, Source::Local);
    assert_eq!(get("compression").source, Source::Elsewhere);
    assert_eq!(get("readonly").source, Source::Elsewhere);
    assert_eq!(get("xattr").source, Source::Local);
    assert_eq!(get("used").source, Source::Elsewhere);
    assert_eq!(get("sync").value, At::new("disabled".to_string(), 19));
    assert!(parsed.facts.iter().all(|row| row.owner == Owner::Dataset));

    let exact = properties::parse(&fixture("zfs-get-Hp.txt"));
    assert!(exact.problems.is_empty());
    let compression = property(&exact.facts, "tank/db", "compression");
    assert_eq!(compression.source, Source::Elsewhere);
}

#[test]
fn pool_properties_and_feature_flags_are_read() {
    let parsed = properties::parse(&fixture("zpool-get-all-2.1.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert!(parsed.facts.iter().all(|row| row.owner == Owner::Pool));
    let get = |name: &str| property(&parsed.facts, "tank", name);
    assert_eq!(get("ashift").value.text(), "9");
    assert_eq!(get("comment").value.text(), "moved from row 4");
    assert_eq!(get("feature@draid").value.text(), "enabled");
}

#[test]
fn collapsed_blanks_do_not_lose_a_property() {
    let text = "NAME PROPERTY VALUE SOURCE\ntank/db mountpoint /srv/my data local\n\
                tank/db compression lz4 inherited from tank\ntank/db used 1.31T -\n";
    let parsed = properties::parse(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let mountpoint = property(&parsed.facts, "tank/db", "mountpoint");
    assert_eq!(mountpoint.value.text(), "/srv/my data");
    let compression = property(&parsed.facts, "tank/db", "compression");
    assert_eq!(compression.source, Source::Elsewhere);
}

#[test]
fn both_generations_of_lsblk_give_the_same_types() {
    let parsed = lsblk::parse(&fixture("lsblk-2.34-server.json"));
    assert!(parsed.problems.is_empty());
    let [sda, nvme] = parsed.facts.as_slice() else { panic!() };
    assert!(sda.rotational.unwrap().value);
    assert_eq!(sda.physical_sector.unwrap().value, 4096);
    assert_eq!(sda.children[0].signature.as_ref().unwrap().text(), "zfs_member");
    assert_eq!(nvme.size.unwrap().value, 960_197_124_096);
    assert_eq!(nvme.mounts[0].text(), "[SWAP]");

    let parsed = lsblk::parse(&fixture("lsblk-2.38.json"));
    assert!(parsed.problems.is_empty());
    let vda = parsed.facts.iter().find(|d| d.name == "vda").unwrap();
    assert_eq!(vda.size.unwrap().value, 256 << 30);
    assert_eq!(vda.logical_sector.unwrap().value, 512);
    assert_eq!(vda.mounts[0].text(), "/");
}

#[test]
fn lsblk_writes_the_decimal_point_of_its_locale() {
    let parsed = lsblk::parse("{\"blockdevices\": [{\"name\": \"sda\", \"size\": \"931,5G\"}]}");
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.facts[0].size.unwrap().value, 1_000_190_509_056);
}

#[test]
fn smartctl_of_all_three_protocols_is_read() {
    let ata = smartctl::parse(&fixture("smartctl-7.2-ata.json")).facts.remove(0);
    assert_eq!(ata.rpm.unwrap().value, 7200);
    assert!(ata.write_cache.unwrap().value);
    assert_eq!(ata.attribute(197).unwrap().raw, Some(8));
    let nvme = smartctl::parse(&fixture("smartctl-7.3-nvme.json")).facts.remove(0);
    assert_eq!(nvme.endurance_used.unwrap().value, 104);
    assert_eq!(nvme.media_errors.unwrap().value, 3);
    let scsi = smartctl::parse(&fixture("smartctl-7.3-scsi.json")).facts.remove(0);
    assert_eq!(scsi.media_errors.unwrap().value, 3);
}

#[test]
fn a_drive_that_smartctl_could_not_open_is_a_problem_and_not_a_healthy_drive() {
    let parsed = smartctl::parse(&fixture("smartctl-7.3-unreadable.json"));
    assert_eq!(parsed.facts[0].passed, None);
    assert!(parsed.problems[0].what.contains("Unable to detect device type"));
    let none = smartctl::parse(&fixture("smartctl-7.3-scan-none.json"));
    assert_eq!(none.facts[0].model, None);
}

#[test]
fn nvme_lists_plain_and_verbose_are_read() {
    let parsed = nvme_list::parse(&fixture("nvme-list-1.16.json"));
    assert!(parsed.problems.is_empty());
    assert_eq!(parsed.facts[1].model.as_ref().unwrap().text(), "INTEL SSDPEK1A118GA");
    assert_eq!(parsed.facts[1].size.unwrap(), At::new(118_410_444_800, 26));
    let parsed = nvme_list::parse(&fixture("nvme-list-2.3-verbose.json"));
    assert!(parsed.problems.is_empty());
    assert_eq!(parsed.facts[0].path.as_ref().unwrap().text(), "/dev/nvme0n1");
    assert_eq!(parsed.facts[0].sector.unwrap().value, 4096);
}

#[test]
fn a_perc_that_always_writes_back_with_a_failed_battery_is_seen() {
    let parsed = storcli::parse(&fixture("perccli-h755.json"));
    assert!(parsed.problems.is_empty());
    let card = &parsed.facts[0];
    assert_eq!(card.model.as_ref().unwrap().text(), "PERC H755N Front");
    assert!(!card.protected().unwrap().value);
    let volume = &card.volumes[0];
    assert_eq!(volume.id, "239");
    assert_eq!(volume.write.unwrap().value, WritePolicy::AlwaysBack);
    assert!(volume.read_ahead.unwrap().value);
    assert_eq!(card.drives.len(), 4);

    let vall = storcli::parse(&fixture("storcli-vall.json"));
    let volume = &vall.facts[0].volumes[0];
    // The current policy (WT) and not the initial setting (WriteBack) counts.
    assert_eq!(volume.write.unwrap().value, WritePolicy::Through);
    assert_eq!(volume.strip.unwrap().value, 256 << 10);
    assert_eq!(volume.drive_cache.as_ref().unwrap().text(), "Enabled");
}

#[test]
fn the_cards_cache_split_and_policies_are_read_from_arcconf() {
    let parsed = arcconf::parse(&fixture("arcconf-p460.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let card = &parsed.facts[0];
    assert_eq!(card.model.as_ref().unwrap().text(), "H3C RAID-P460-B2");
    assert_eq!(card.read_share, Some(At::new(70, 19)));
    assert!(card.protected().unwrap().value);
    assert_eq!(card.drive_cache.as_ref().unwrap().text(), "Enabled");
    let volume = &card.volumes[0];
    assert_eq!(volume.strip.unwrap().value, 256 << 10);
    assert_eq!(volume.write.unwrap().value, WritePolicy::AlwaysBack);
    assert_eq!(card.drives.len(), 2);
    assert_eq!(card.drives[1].media.as_ref().unwrap().text(), "SSD");

    let text = fixture("arcconf-p460.txt");
    let cut = &text[..text.len() / 2];
    assert!(arcconf::parse(cut).problems[0].what.starts_with("arcconf ends with"));
}

#[test]
fn ssacli_shows_a_cache_that_writes_back_without_its_battery() {
    let parsed = ssacli::parse(&fixture("ssacli-p408i.txt"));
    assert!(parsed.problems.is_empty());
    let card = &parsed.facts[0];
    assert_eq!(card.id, "0");
    assert_eq!(card.read_share.unwrap().value, 10);
    assert!(!card.protected().unwrap().value);
    assert!(card.unprotected_cache.unwrap().value);
    assert_eq!(card.volumes[0].write.unwrap().value, WritePolicy::AlwaysBack);
    let slots: Vec<&str> = card.drives.iter().map(|d| d.slot.as_str()).collect();
    assert_eq!(slots.iter().filter(|s| **s == "1I:1:1").count(), 1);
    assert!(
        card.drives.iter().any(|d| d.media.as_ref().is_some_and(|media| media.text() == "SSD"))
    );
}

#[test]
fn database_and_module_settings_know_their_lines() {
    let postgresql = postgresql::parse(&fixture("postgresql-15.conf"));
    assert!(postgresql.problems.is_empty(), "{:?}", postgresql.problems);
    let settings = postgresql.facts;
    assert_eq!(settings.switch("full_page_writes"), Some(At::new(false, 219)));
    assert_eq!(settings.bytes("shared_buffers", 8192), Some(At::new(32 << 30, 127)));
    let mycnf = mycnf::parse(&fixture("my-mariadb.cnf"));
    assert_eq!(mycnf.problems.len(), 1, "the includedir is not seen");
    let row = mycnf.facts.row("innodb_doublewrite", Default::default(), false).unwrap();
    assert_eq!(row.setting("innodb_doublewrite"), At::new("0".to_string(), 7));
    let module = modprobe::parse(&fixture("modprobe-zfs.conf"));
    assert!(module.problems.is_empty());
    let line = |name: &str| module.facts.iter().find(|row| row.name == name).unwrap().value.line;
    assert!(line("l2arc_write_max_mb") > 0);
    assert_eq!(line("zfs_txg_timeout"), 5);
}

#[test]
fn a_real_sysfs_listing_is_read() {
    let parsed = queue::parse(&fixture("queue-linux-6.18.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.facts[0].device, "vda");
    assert_eq!(parsed.facts[0].scheduler().unwrap().text(), "mq-deadline");
    let parsed = queue::parse(&fixture("queue-tail.txt"));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.facts[0].scheduler().unwrap().text(), "none");
}
