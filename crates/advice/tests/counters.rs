//! Counters of a live machine: whose they are.

use advice::audit::{Finding, audit};
use advice::system::{Input, gather};

fn found(text: &str) -> Vec<Finding> {
    let (system, _) = gather(&[Input { name: "pasted".into(), text: text.into() }]);
    audit(&system)
}

fn slow(text: &str) -> Option<Finding> {
    found(text).into_iter().find(|finding| finding.rule.name == "slow-commits")
}

/// 200 commits a second whose writes wait 0.05 ms. `sda` takes 15 ms a flush, `nvme0n1` and `nvme1n1` 0.02 ms.
fn machine(status: &str) -> String {
    let counters = "==> zil <==\n13 1 0x01 5 240 1000000000 601000000000\nname type data\nzil_commit_count 4 120000\n\
         ==> zpool iostat -lHp <==\ntank\t1\t2\t3\t4\t5\t6\t7\t8\t9\t40000\t-\t10000\t-\t-\t-\t-\n\
         ==> diskstats <==\n600.00 9.00\n\
         8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 400 6000\n\
         259 0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 120000 2400\n\
         259 1 nvme1n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 120000 2400\n";
    format!("{counters}{status}")
}

/// `zpool status` of a pool with these rows.
fn status(rows: &[&str]) -> String {
    let rows: String = rows.iter().map(|row| format!("\t{row}\n")).collect();
    format!(
        "==> zpool status <==\n  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n{rows}\nerrors: No known data errors\n"
    )
}

#[test]
fn only_the_drives_of_the_pool_count_as_its_flushes() {
    let rule = |text: &str, name: &str| found(text).into_iter().find(|f| f.rule.name == name);
    let flash = status(&[
        "  mirror-0 ONLINE 0 0 0", "    nvme0n1 ONLINE 0 0 0", "    nvme1n1 ONLINE 0 0 0",
    ]);
    assert!(slow(&machine(&flash)).is_none(), "sda is the disk that the machine boots from");
    let disk = status(&["  sda1 ONLINE 0 0 0"]);
    let found = slow(&machine(&disk)).unwrap();
    assert_eq!(found.arguments["flush"], "15.00");
    // A leaf that no disk is known by may be any of them.
    let unknown =
        status(&["  mirror-0 ONLINE 0 0 0", "    nvme0n1 ONLINE 0 0 0", "    tank-b ONLINE 0 0 0"]);
    for text in [machine(&unknown), machine("")] {
        assert!(slow(&text).is_none() && rule(&text, "fast-commits").is_none());
    }
    // lsblk says which disk a name stands for.
    let lsblk =
        "==> lsblk <==\n{\"blockdevices\": [{\"name\": \"sda\", \"serial\": \"ZL2A1B2C\"}]}\n";
    let by_id = status(&["  ata-ST16000NM001G_ZL2A1B2C ONLINE 0 0 0"]);
    assert!(slow(&machine(&by_id)).is_none());
    assert!(slow(&(machine(&by_id) + lsblk)).is_some());
}

#[test]
fn waits_without_a_number_of_commits_are_noted() {
    let text = "tank\t1\t2\t3\t4\t5\t6\t7\t8\t9\t40000\t-\t10000\t-\t-\t-\t-\n";
    let (system, unread) = gather(&[Input { name: "pasted".into(), text: text.into() }]);
    assert!(system.counters.is_none());
    assert!(unread[0].what.contains("log writes of tank"), "{unread:?}");
}
