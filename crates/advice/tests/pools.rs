//! Pools: what to do about failed drives, and what is no problem.

use advice::audit::{Finding, Severity, audit};
use advice::system::{Input, gather};

fn read(text: &str) -> (Vec<Finding>, Vec<String>) {
    let (system, unread) = gather(&[Input { name: "pasted".into(), text: text.into() }]);
    (audit(&system), unread.into_iter().map(|unread| unread.what).collect())
}

fn found(text: &str, rule: &str) -> Option<Finding> {
    read(text).0.into_iter().find(|finding| finding.rule.name == rule)
}

fn fix(text: &str, rule: &str) -> Vec<String> {
    found(text, rule).map(|finding| finding.fix()).unwrap_or_default()
}

const DONE: &str = "scrub repaired 0B in 00:10:11 with 0 errors on Sun Nov  8 00:34:12 2026";
const RUNNING: &str = "resilver in progress since Tue Nov 24 10:00:00 2026";

/// `zpool status` of a pool with rows below its own, each indented by its depth.
fn status(state: &str, scan: &str, rows: &[&str]) -> String {
    let rows: String = rows.iter().map(|row| format!("\t{row}\n")).collect();
    format!(
        "==> zpool status <==\n  pool: tank\n state: {state}\n  scan: {scan}\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\
         \ttank {state} 0 0 0\n{rows}\nerrors: No known data errors\n"
    )
}

/// `lsblk` of drives: name, whether it rotates, physical sector, and the sizes of partitions.
fn lsblk(drives: &[(&str, bool, u64, u64, &[u64])]) -> String {
    let drive = |(name, rota, sector, size, parts): &(&str, bool, u64, u64, &[u64])| {
        let parts = parts.iter().zip(1..);
        let parts: Vec<String> = parts
            .map(|(size, number)| format!("{{\"name\": \"{name}{number}\", \"size\": {size}}}"))
            .collect();
        format!(
            "{{\"name\": \"{name}\", \"rota\": {rota}, \"phy-sec\": {sector}, \"size\": {size}, \"children\": [{}]}}",
            parts.join(", ")
        )
    };
    let drives: Vec<String> = drives.iter().map(drive).collect();
    format!("==> lsblk <==\n{{\"blockdevices\": [{}]}}\n", drives.join(", "))
}

#[test]
fn a_drive_that_another_stands_in_for_is_not_replaced_again() {
    let pair = |scan: &str, kind: &str, one: &str, two: &str| {
        let rows = [
            "  mirror-0 DEGRADED 0 0 0",
            "    sda ONLINE 0 0 0",
            &format!("    {kind}-1 DEGRADED 0 0 0"),
            &format!("      old {one} 0 0 0"),
            &format!("      new {two} 0 0 0"),
        ];
        fix(&status("DEGRADED", scan, &rows), "pool-degraded")
    };
    let wait = "zpool wait -t resilver tank";
    assert_eq!(pair(RUNNING, "replacing", "UNAVAIL", "ONLINE"), [wait]);
    assert_eq!(pair(RUNNING, "spare", "FAULTED", "ONLINE"), [wait]);
    assert_eq!(pair(DONE, "spare", "FAULTED", "ONLINE"), ["zpool detach tank old"]);
    assert_eq!(pair(DONE, "replacing", "ONLINE", "FAULTED"), ["zpool detach tank new"]);
    assert_eq!(
        pair(RUNNING, "replacing", "OFFLINE", "ONLINE"),
        [wait],
        "zpool offline, then replace"
    );
    assert_eq!(pair(DONE, "spare", "OFFLINE", "ONLINE"), ["zpool online tank old"]);
    // Nothing stands in.
    let both = ["zpool replace tank old NEW-DRIVE", "zpool replace tank new NEW-DRIVE"];
    assert_eq!(pair(DONE, "replacing", "UNAVAIL", "UNAVAIL"), both);
    let alone = ["  mirror-0 DEGRADED 0 0 0", "    sda ONLINE 0 0 0", "    sdb FAULTED 0 0 0"];
    let text = status("DEGRADED", DONE, &alone);
    assert_eq!(fix(&text, "pool-degraded"), ["zpool replace tank sdb NEW-DRIVE"]);
}

#[test]
fn a_failed_cache_or_spare_is_found_in_a_pool_that_is_online() {
    let rows =
        ["  sda ONLINE 0 0 0", "cache", "  nvme0n1 UNAVAIL 0 0 0", "spares", "  sdc FAULTED"];
    let expected = [
        "zpool remove tank nvme0n1", "zpool add tank cache NEW-DRIVE", "zpool remove tank sdc",
        "zpool add tank spare NEW-DRIVE",
    ];
    assert_eq!(fix(&status("ONLINE", DONE, &rows), "pool-auxiliary"), expected);
}

#[test]
fn features_outside_a_chosen_set_are_not_enabled() {
    let get = |compatibility: &str| {
        let text = "NAME\tPROPERTY\tVALUE\tSOURCE\nbpool\tfeature@encryption\tdisabled\tlocal\n";
        fix(&format!("{text}bpool\tcompatibility\t{compatibility}\tlocal\n"), "pool-features")
    };
    assert!(get("grub2").is_empty());
    assert_eq!(get("off"), ["zpool upgrade"]);
}

#[test]
fn leaves_that_lsblk_does_not_list_are_noted() {
    let rows = [
        "  mirror-0 ONLINE 0 0 0",
        "    sda1 ONLINE 0 0 0",
        "    wwn-0x5000c500a1b2c3d1 ONLINE 0 0 0",
    ];
    let text = status("ONLINE", DONE, &rows);
    let noted =
        |text: &str| read(text).1.iter().any(|what| what.contains("wwn-0x5000c500a1b2c3d1:"));
    assert!(!noted(&text), "no lsblk, no note");
    assert!(noted(&format!("{text}{}", lsblk(&[("sda", true, 4096, 1 << 40, &[])]))));
}

#[test]
fn sectors_that_ashift_covers_may_differ() {
    let rows = ["  mirror-0 ONLINE 0 0 0", "    sda ONLINE 0 0 0", "    sdb ONLINE 0 0 0"];
    let drives: [(&str, bool, u64, u64, &[u64]); 2] =
        [("sda", true, 512, 1 << 40, &[]), ("sdb", true, 4096, 1 << 40, &[])];
    let text = format!("{}{}", status("ONLINE", DONE, &rows), lsblk(&drives));
    let rule = "drive-mixed-sectors";
    let with = |ashift: u32| {
        format!(
            "{text}==> zpool get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank\tashift\t{ashift}\tlocal\n"
        )
    };
    assert!(found(&text, rule).is_some());
    assert!(found(&with(9), rule).is_some());
    assert!(found(&with(12), rule).is_none());
}

#[test]
fn partitions_are_compared_and_not_their_drives() {
    let rows = ["  mirror-0 ONLINE 0 0 0", "    sda1 ONLINE 0 0 0", "    sdb1 ONLINE 0 0 0"];
    let text = |one: &[u64], two: &[u64]| {
        let drives = [("sda", false, 4096, 4 << 40, one), ("sdb", false, 4096, 8 << 40, two)];
        format!("{}{}", status("ONLINE", DONE, &rows), lsblk(&drives))
    };
    let rule = "layout-unequal-drives";
    assert!(found(&text(&[1 << 40], &[1 << 40]), rule).is_none());
    assert!(found(&text(&[], &[]), rule).is_none(), "their sizes are not known");
    assert!(found(&text(&[1 << 40], &[2 << 40]), rule).is_some());
}

#[test]
fn a_cache_does_not_make_a_pool_of_disks_one_of_flash() {
    let get =
        "==> zpool get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank\tautotrim\toff\tdefault\n";
    let text = |class: &str| {
        let rows = [
            "  mirror-0 ONLINE 0 0 0", "    sda ONLINE 0 0 0", "    sdb ONLINE 0 0 0", class,
            "  nvme0n1 ONLINE 0 0 0",
        ];
        format!("{}{get}", status("ONLINE", DONE, &rows))
    };
    assert!(found(&text("cache"), "pool-autotrim").is_none());
    assert!(found(&text("spares"), "pool-autotrim").is_none());
    assert!(found(&text("logs"), "pool-autotrim").is_some());
}

#[test]
fn rules_about_a_volume_advise_one_block_size() {
    let wide: Vec<String> = std::iter::once("  raidz2-0 ONLINE 0 0 0".to_string())
        .chain((0..10).map(|number| format!("    d{number} ONLINE 0 0 0")))
        .collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let volume =
        "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank/vm\tvolblocksize\t8K\t-\n";
    let text = format!("{}{volume}", status("ONLINE", DONE, &wide));
    let create = fix(&text, "small-volumes");
    assert_eq!(create, fix(&text, "layout-raidz-padding"));
    // 16K, 32K, ... take 6, 12, ... sectors for 4, 8, ...: the smallest that wastes little.
    let block = create[0].split("volblocksize=").nth(1).unwrap().split(' ').next().unwrap();
    let better = text.replace("\t8K\t", &format!("\t{block}\t"));
    for rule in ["small-volumes", "layout-raidz-padding"] {
        assert!(found(&better, rule).is_none(), "{rule} {block}");
    }
    // On mirrors 16K is enough.
    let mirror = ["  mirror-0 ONLINE 0 0 0", "    sda ONLINE 0 0 0", "    sdb ONLINE 0 0 0"];
    let text = format!("{}{volume}", status("ONLINE", DONE, &mirror));
    assert!(fix(&text, "small-volumes")[0].contains("volblocksize=16K"));
}

#[test]
fn the_drive_behind_a_distributed_spare_is_replaced() {
    let rows = [
        "  draid1:2d:6c:1s-0 DEGRADED 0 0 0",
        "    spare-0 DEGRADED 0 0 0",
        "      A0 REMOVED 0 0 0",
        "      draid1-0-0 ONLINE 0 0 0",
        "    A1 ONLINE 0 0 0",
    ];
    let text = status("DEGRADED", DONE, &rows);
    assert_eq!(fix(&text, "pool-degraded"), ["zpool replace tank A0 NEW-DRIVE"]);
}

#[test]
fn a_suspended_pool_is_cleared_before_anything_else() {
    let rows = ["  mirror-0 UNAVAIL 0 0 0", "    sda FAULTED 3 9 0", "    sdb FAULTED 3 9 0"];
    let text = status("SUSPENDED", DONE, &rows);
    assert_eq!(fix(&text, "pool-suspended"), ["zpool clear tank"]);
    assert_eq!(fix(&text, "pool-errors"), ["smartctl -x /dev/sda", "smartctl -x /dev/sdb"]);
    for rule in ["pool-degraded", "layout-unstable-names"] {
        assert!(found(&text, rule).is_none(), "{rule}");
    }
}

#[test]
fn only_a_pool_at_rest_that_is_not_booted_from_is_imported_under_other_names() {
    let rows = ["  mirror-0 ONLINE 0 0 0", "    sda ONLINE 0 0 0", "    sdb ONLINE 0 0 0"];
    let rule = "layout-unstable-names";
    let text = status("ONLINE", DONE, &rows);
    assert!(found(&text, rule).is_some());
    assert!(found(&status("ONLINE", RUNNING, &rows), rule).is_none());
    assert!(found(&text.replace("tank", "rpool"), rule).is_none());
    let root =
        "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank/root\tmountpoint\t/\tlocal\n";
    assert!(found(&format!("{text}{root}"), rule).is_none());
}

/// An import looks only into the directory that it is given: a pool whose drives are not there stays exported.
#[test]
fn a_pool_is_imported_from_a_directory_that_lists_its_drives() {
    let rule = "layout-unstable-names";
    let of = |name: &str, after: &str| {
        let rows = ["  sda ONLINE 0 0 0".to_string(), format!("  {name} ONLINE 0 0 0")];
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        fix(&(status("ONLINE", DONE, &rows) + after), rule)
    };
    let import = |directory: &str| {
        let import = format!("zpool import -d /dev/disk/{directory} tank");
        vec![format!("ls -l /dev/disk/{directory}"), "zpool export tank".to_string(), import]
    };
    assert_eq!(of("sdb", ""), import("by-id"));
    assert_eq!(of("nvme0n1p2", ""), import("by-id"));
    for name in ["ada0", "da12p3", "nvd0", "vtbd1", "/mnt/tank.img"] {
        assert!(of(name, "").is_empty(), "{name}");
    }
    for name in ["vdb", "vdb1", "xvdf"] {
        assert_eq!(of(name, ""), import("by-path"), "{name}");
    }
    let lsblk = |serial: &str| {
        format!(
            "==> lsblk <==\n{{\"blockdevices\": [{{\"name\": \"vdb\", \"serial\": {serial}}}]}}\n"
        )
    };
    assert_eq!(of("vdb1", &lsblk("\"disk-2\"")), import("by-id"));
    assert_eq!(of("vdb1", &lsblk("null")), import("by-path"));
}

#[test]
fn no_scrub_is_started_beside_a_resilver() {
    let rows = ["  mirror-0 ONLINE 0 0 0", "    ata-X_1 ONLINE 0 0 5", "    gone ONLINE 0 0 1"];
    let wait = "zpool wait -t resilver tank";
    let expected = ["smartctl -x /dev/disk/by-id/ata-X_1", "smartctl -x DRIVE", wait];
    assert_eq!(fix(&status("ONLINE", RUNNING, &rows), "pool-errors"), expected);
}

#[test]
fn a_partition_uuid_names_its_drive() {
    let rows =
        ["  mirror-0 ONLINE 0 0 0", "    11111111-aa ONLINE 0 0 0", "    22222222-bb ONLINE 0 0 0"];
    let lsblk = "==> lsblk <==\n{\"blockdevices\": [{\"name\": \"sda\", \"model\": \"WDC WD40EFAX-68JH4N0\", \
        \"children\": [{\"name\": \"sda2\", \"partuuid\": \"11111111-aa\"}]}]}\n";
    let text = format!("{}{lsblk}", status("ONLINE", DONE, &rows));
    assert!(found(&text, "drive-shingled").is_some());
}

#[test]
fn a_log_on_the_drive_of_another_pool_is_shared() {
    let tank = status("ONLINE", DONE, &["  sda ONLINE 0 0 0", "logs", "  nvme0n1p4 ONLINE 0 0 0"]);
    let boot = status("ONLINE", DONE, &["  nvme0n1p3 ONLINE 0 0 0"]).replace("tank", "rpool");
    let shared = found(&format!("{tank}{boot}"), "log-shared").unwrap();
    assert!(shared.text(text::Language::English).0.contains("nvme0n1p3 (rpool)"));
    assert!(found(&tank, "log-shared").is_none());
}

#[test]
fn a_default_counts_for_the_point_releases_that_have_it() {
    let set = |version: &str, line: &str| {
        let text = format!(
            "==> zfs version <==\nzfs-{version}-1\n==> /etc/modprobe.d/zfs.conf <==\noptions zfs {line}\n"
        );
        read(&text).0.iter().map(|finding| finding.rule.name).collect::<Vec<_>>()
    };
    let raised = "l2arc_write_max=33554432";
    assert!(set("2.2.11", raised).contains(&"module-default"));
    assert!(!set("2.2.2", raised).contains(&"module-default"));
    assert!(set("2.2.2", "zfs_txg_timeout=5").contains(&"module-default"));
    assert!(set("2.1.5", "zfs_txg_timeout=5").contains(&"module-default"));
    assert!(!set("2.1.5", "zfs_per_txg_dirty_frees_percent=30").contains(&"module-default"));
    let removed = "zil_min_commit_timeout=5000";
    assert!(set("2.2.11", removed).contains(&"module-other-release"));
    assert!(!set("2.2.2", removed).contains(&"module-other-release"));
}

/// The pool's ashift is that of vdevs to come.
#[test]
fn the_ashift_of_vdevs_counts_and_not_that_of_the_pool() {
    let rows = ["  mirror-0 ONLINE 0 0 0", "    sda ONLINE 0 0 0", "    sdb ONLINE 0 0 0"];
    let pool = status("ONLINE", DONE, &rows);
    let found = |sector: u64, rotates: bool, stated: &str, of_vdev: &str, more: &str| {
        let drives =
            [("sda", rotates, sector, 1 << 40, &[][..]), ("sdb", rotates, sector, 1 << 40, &[])];
        let vdevs = match of_vdev {
            "" => String::new(),
            _ => format!("mirror-0  ashift  {of_vdev}  -\nsda  ashift  {of_vdev}  -\n"),
        };
        let table = format!(
            "==> zpool get <==\nNAME PROPERTY VALUE SOURCE\ntank  health  ONLINE  -\n\
             tank  ashift  {stated}  local\nroot-0  ashift  0  -\n{vdevs}"
        );
        let (findings, _) = read(&format!("{pool}{}{table}{more}", lsblk(&drives)));
        let found = findings.iter().find(|finding| finding.rule.name.starts_with("ashift"));
        found.map(|finding| (finding.rule.name, finding.evidence[0].text.clone()))
    };
    let too_small = |of: &str| Some(("ashift-too-small", format!("{of} 9")));
    assert_eq!(found(4096, true, "9", "", ""), too_small("ashift"));
    assert_eq!(found(4096, true, "9", "12", ""), None);
    assert_eq!(found(4096, true, "12", "9", ""), too_small("mirror-0 ashift"));
    let believed = found(512, false, "0", "", "").map(|(rule, _)| rule);
    assert_eq!(believed, Some("ashift-believed"));
    assert_eq!(found(512, false, "0", "12", ""), None);
    let least = "==> /etc/modprobe.d/zfs.conf <==\noptions zfs zfs_vdev_min_auto_ashift=12\n";
    assert_eq!(found(512, false, "0", "", least), None);
}

/// A machine boots from a partition: a whole drive beside it would have no loader.
#[test]
fn a_mirror_of_a_boot_pool_is_made_partition_by_partition() {
    let of = |pool: &str, leaf: &str| {
        let row = format!("  {leaf} ONLINE 0 0 0");
        fix(&status("ONLINE", DONE, &[&row]).replace("tank", pool), "layout-stripe")
    };
    let esp = "dd if=EFI-PARTITION of=EFI-PARTITION-OF-ANOTHER-DRIVE";
    let attach = |leaf: &str| format!("zpool attach rpool {leaf} PARTITION-OF-ANOTHER-DRIVE");
    let linux = ["sgdisk -R ANOTHER-DRIVE THIS-DRIVE", "sgdisk -G ANOTHER-DRIVE", esp];
    let leaf = "nvme-eui.002538b111b11111-part3";
    assert_eq!(of("rpool", leaf), [&linux[..], &[&attach(leaf)]].concat());
    let gpart = "sh -c 'gpart backup ada0 | gpart restore ANOTHER-DRIVE'";
    assert_eq!(of("rpool", "ada0p3"), [gpart, esp, &attach("ada0p3")]);
    assert_eq!(of("tank", leaf), [format!("zpool attach tank {leaf} ANOTHER-DRIVE")]);
}

#[test]
fn a_log_is_slower_only_where_its_drive_takes_longer_for_a_flush() {
    const PROTECTED_SATA: &str = "INTEL SSDSC2BA200G4";
    const SATA: &str = "Samsung SSD 870 EVO 1TB";
    const NVME: &str = "Samsung SSD 980 PRO 2TB";
    const PROTECTED_NVME: &str = "SAMSUNG MZQL23T8HCLS-00A07";
    let slower = |log: (&str, &str), data: (&str, &str)| {
        let rows = format!("  {} ONLINE 0 0 0|logs|  {} ONLINE 0 0 0", data.0, log.0);
        let rows: Vec<&str> = rows.split('|').collect();
        let drive = |(name, model): (&str, &str)| {
            let bus = if name.starts_with("nvme") { "nvme" } else { "sata" };
            format!(
                "{{\"name\": \"{name}\", \"model\": \"{model}\", \"rota\": {}, \"tran\": \"{bus}\"}}",
                model.starts_with("ST")
            )
        };
        let lsblk =
            format!("==> lsblk <==\n{{\"blockdevices\": [{}, {}]}}\n", drive(log), drive(data));
        found(&(status("ONLINE", DONE, &rows) + &lsblk), "log-slower").is_some()
    };
    let sata = |model| ("sda", model);
    let nvme = |model| ("nvme0n1", model);
    assert!(!slower(sata(PROTECTED_SATA), nvme(NVME)), "its cache answers at once");
    assert!(!slower(sata("a model that nobody knows"), nvme(NVME)), "it may be protected");
    assert!(slower(sata("ST16000NM001G-2KK103"), nvme(NVME)), "a disk is not");
    assert!(slower(sata(PROTECTED_SATA), nvme(PROTECTED_NVME)));
    assert!(slower(sata(SATA), nvme(NVME)));
    assert!(slower(nvme(NVME), sata(PROTECTED_SATA)), "it writes its cache at each flush");
    assert!(!slower(nvme(PROTECTED_NVME), sata(SATA)));
}

/// Too much space in a log does no harm.
#[test]
fn nothing_is_removed_because_a_log_is_large() {
    let rows = ["  sdb ONLINE 0 0 0", "logs", "  sda ONLINE 0 0 0"];
    let text = status("ONLINE", DONE, &rows)
        + "==> /proc/meminfo <==\nMemTotal: 33554432 kB\n"
        + &lsblk(&[("sda", false, 4096, 400 << 30, &[])]);
    assert_eq!(fix(&text, "log-oversized"), ["zpool list -v tank"]);
    let text = text.replace(&(400u64 << 30).to_string(), &(1u64 << 30).to_string());
    assert_eq!(fix(&text, "log-undersized")[0], "zpool remove tank sda");
}

/// One command sets a property for all heirs, so one finding is enough.
#[test]
fn heirs_of_a_property_are_not_reported_beside_the_dataset_that_sets_it() {
    let rows = ["  sdb ONLINE 0 0 0", "logs", "  sda ONLINE 0 0 0", "cache", "  sdc ONLINE 0 0 0"];
    let mut text =
        status("ONLINE", DONE, &rows) + "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\n";
    for (name, source) in
        [("tank", "local"), ("tank/a", "inherited from tank"), ("tank/a/b", "inherited from tank")]
    {
        for set in ["sync\tdisabled", "logbias\tthroughput", "primarycache\tmetadata"] {
            text.push_str(&format!("{name}\t{set}\t{source}\n"));
        }
    }
    let subjects = |text: &str, rule: &str| -> Vec<String> {
        let found = read(text).0.into_iter().filter(|finding| finding.rule.name == rule);
        found.map(|finding| finding.subject).collect()
    };
    for rule in ["log-silenced", "log-bypassed", "cache-starved"] {
        assert_eq!(subjects(&text, rule), ["tank"], "{rule}");
    }
    // The parent wants no data in the cache: its heir is reported itself.
    let wanted = "tank\tsecondarycache\tnone\tlocal\ntank/a\tsecondarycache\tall\tlocal\n";
    assert_eq!(subjects(&(text + wanted), "cache-starved"), ["tank/a"]);
}

/// What goes to the special vdev is decided by the blocks that are written now.
#[test]
fn special_small_blocks_is_compared_with_the_present_block_size() {
    let rows = ["  sda ONLINE 0 0 0", "special", "  nvme0n1 ONLINE 0 0 0"];
    let of = |record: &str, small: &str| {
        let get = format!(
            "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank/mysql\trecordsize\t{record}\tlocal\n\
             tank/mysql\tspecial_small_blocks\t{small}\tlocal\n"
        );
        let finding = found(&(status("ONLINE", DONE, &rows) + &get), "special-everything")?;
        Some((finding.arguments["block"].clone(), finding.severity))
    };
    let now = |block: &str| Some((block.to_string(), Severity::Warning));
    assert_eq!(of("8K", "8K"), now("8K"), "though a database should have 16K");
    assert_eq!(of("128K", "128K"), now("128K"));
    // Its records are 128K now; another finding advises 16K.
    assert_eq!(of("128K", "16K"), Some(("16K".to_string(), Severity::Note)));
    assert_eq!(of("128K", "8K"), None);
}

#[test]
fn a_volume_that_cannot_have_special_small_blocks_does_not_count() {
    let rows = ["  sda ONLINE 0 0 0", "special", "  nvme0n1 ONLINE 0 0 0"];
    let get = "==> zfs get <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank\trecordsize\t128K\tdefault\n\
               tank\tspecial_small_blocks\t0\tdefault\ntank/vm\tvolblocksize\t16K\tdefault\n\
               tank/vm\tspecial_small_blocks\t-\t-\n";
    let fix = fix(&(status("ONLINE", DONE, &rows) + get), "special-metadata-only");
    assert_eq!(fix, ["zfs set special_small_blocks=32K tank"]);
}

#[test]
fn thirteen_drives_are_a_wide_raidz() {
    let fires = |width: u32| {
        let leaves = (0..width).map(|number| format!("    d{number} ONLINE 0 0 0"));
        let rows: Vec<String> =
            ["  raidz2-0 ONLINE 0 0 0".to_string()].into_iter().chain(leaves).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        found(&status("ONLINE", DONE, &rows), "layout-wide").is_some()
    };
    assert_eq!((fires(12), fires(13)), (false, true));
}

#[test]
fn a_scrub_of_known_errors_does_not_count_as_the_last_scrub() {
    let old = |scan: &str| {
        let text = status("ONLINE", scan, &["  sda ONLINE 0 0 0"]);
        let (mut system, _) = gather(&[Input { name: "pasted".into(), text }]);
        system.today = Some(30_000);
        audit(&system).iter().any(|finding| finding.rule.name == "pool-scrub")
    };
    assert!(old(DONE));
    assert!(!old("scrubbed 3 error blocks in 0 days 00:00:01 on Sun Nov  8 10:02:04 2026"));
}

/// What `(zfs version; zpool status)` and the like print has no headings.
#[test]
fn a_text_of_several_programs_is_read_as_the_output_of_each() {
    let degraded = status("DEGRADED", DONE, &["  sda DEGRADED 0 0 3"]);
    let degraded = degraded.strip_prefix("==> zpool status <==\n").unwrap();
    let kstat = "13 1 0x01 5 240 1000000000 601000000000\nname type data\nzil_commit_count 4 9\n";
    let others = [
        ("zfs-2.2.2-1\nzfs-kmod-2.2.2-1\n", "zfs"),
        ("MemTotal:       131898624 kB\nMemFree: 1 kB\n", "Mem"),
        ("echo 8589934592 > /sys/module/zfs/parameters/zfs_arc_max\n", "echo"),
        ("{\"blockdevices\": [\n{\"name\": \"sda\"}]}\n", ""),
        (kstat, "13 1"),
    ];
    for (other, line) in others {
        let (findings, unread) = read(&format!("{other}{degraded}"));
        assert!(findings.iter().any(|f| f.rule.name == "pool-degraded"), "{other}: {unread:?}");
        // One note, however many lines the other program printed.
        assert_eq!(unread.len(), usize::from(!line.is_empty()), "{unread:?}");
        let told = |note: &String| note.contains(line) && note.contains("several programs");
        assert!(unread.iter().all(told), "{unread:?}");
    }
    let both = format!("{}{}", others[0].0, others[1].0);
    let (system, unread) = gather(&[Input { name: "-".into(), text: both }]);
    assert!(unread.is_empty(), "{unread:?}");
    assert!(system.memory.is_some() && system.openzfs.is_some_and(|v| v.value == (2, 2)));
}

#[test]
fn a_mirror_whose_drives_are_not_in_the_text_is_no_single_drive() {
    let rows = ["  mirror-0 ONLINE 0 0 0", "    sda ONLINE 0 0 0", "    sdb ONLINE 0 0 0"];
    let cut = status("ONLINE", DONE, &[&rows[..], &["  mirror-1 ONLINE 0 0 0"]].concat());
    let (findings, unread) = read(&cut);
    assert!(findings.iter().all(|f| f.rule.name != "layout-mixed"), "{findings:?}");
    assert!(unread.iter().any(|what| what.contains("has no drives")), "{unread:?}");
}
