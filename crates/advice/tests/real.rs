//! Output of real programs is read, or reported as not readable; see `tests/real/README.md`.

use advice::audit::audit;
use advice::system::{Input, UNKNOWN, gather};
use std::path::PathBuf;

fn input(name: &str) -> Input {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/real").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Input { name: name.to_string(), text }
}

#[test]
fn texts_of_a_real_virtual_machine_are_all_read() {
    let texts = [
        "lsblk-2.38.1-vm.json", "queue-vda.txt", "meminfo.txt", "ip-link.txt",
        "diskstats-6.18.txt", "mariadb-10.11-50-server.cnf", "smb-4.17.conf",
    ];
    let (system, unread) = gather(&texts.map(input));
    assert!(unread.is_empty(), "{unread:?}");
    let vda = system.drives.iter().find(|drive| drive.name == "vda").expect("vda");
    assert_eq!(vda.size.as_ref().map(|size| size.value), Some(274_877_906_944));
    assert_eq!(vda.physical_sector.as_ref().map(|s| s.value), Some(4096));
    assert_eq!(vda.scheduler.as_ref().map(|s| s.value.as_str()), Some("mq-deadline"));
    assert_eq!(system.memory.as_ref().map(|m| m.value), Some(24_682_416 << 10));
    assert_eq!(system.innodb("bind-address").map(|v| v.value).as_deref(), Some("127.0.0.1"));
    let counters = system.counters.as_ref().expect("flushes");
    let flushes = counters.value.flushes.as_ref().expect("flushes");
    // 19,345 flushes took 2,747 ms.
    assert_eq!(flushes.slowest(), Some(("vda", 142_000)));
    for finding in audit(&system) {
        assert!(!finding.evidence.is_empty());
    }
}

#[test]
fn values_that_a_program_could_not_read_are_reported() {
    for name in ["zpool-status-2.1.11-no-module.txt", "zfs-version-2.1.11-no-module.txt"] {
        let (system, unread) = gather(&[input(name)]);
        assert!(system.pools.is_empty());
        assert!(unread[0].what.starts_with(UNKNOWN), "{unread:?}");
        assert!(unread[0].what.contains("the machine that has the pool"), "{unread:?}");
    }
    let (_, unread) = gather(&[input("smartctl-7.3-vda.json")]);
    assert!(unread.iter().any(|u| u.what.contains("Unable to detect device type")), "{unread:?}");
    let (_, unread) = gather(&[input("mariadb-10.11-mariadb.cnf")]);
    assert!(unread.iter().any(|u| u.what.contains("/etc/mysql/conf.d/")), "{unread:?}");
}

#[test]
fn every_prefix_of_a_real_text_is_read_without_a_panic() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/real");
    for entry in std::fs::read_dir(directory).expect("fixtures").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        let whole = input(&name);
        for end in (0..whole.text.len()).step_by(7).filter(|end| whole.text.is_char_boundary(*end))
        {
            let text = whole.text[..end].to_string();
            let (system, _) = gather(&[Input { text, name: name.clone() }]);
            audit(&system);
        }
    }
}

#[test]
fn the_modules_own_file_has_its_release_alone() {
    let text = "2.1.11-1\n".to_string();
    let (system, unread) = gather(&[Input { text, name: "/sys/module/zfs/version".into() }]);
    assert!(unread.is_empty(), "{unread:?}");
    assert_eq!(system.openzfs.map(|found| found.value), Some((2, 1)));
    assert_eq!(system.openzfs_point, Some(11));
}
