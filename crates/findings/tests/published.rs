//! The lints on the published tables: what each finds, and that they find nothing else.

use findings::lints::{self, Table};
use findings::schema::{Lint, LintFinding, Severity};
use std::collections::BTreeSet;

fn published(name: &str) -> Table {
    let path = format!("{}/../../published/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    Table::read(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// (lint's name, rows) of each finding.
fn found(lints: &[Lint]) -> BTreeSet<(String, Vec<String>)> {
    lints
        .iter()
        .map(|lint| {
            let json = serde_json::to_value(&lint.finding).unwrap();
            (json["lint"].as_str().unwrap().to_owned(), lint.rows.clone())
        })
        .collect()
}

fn expected(list: &[(&str, &[&str])]) -> BTreeSet<(String, Vec<String>)> {
    let strings = |rows: &[&str]| rows.iter().map(|r| (*r).to_owned()).collect();
    list.iter().map(|(lint, rows)| ((*lint).to_owned(), strings(rows))).collect()
}

/// hk-little, hk-percentiles, hk-6d2p, hk-line-rate, the ARC's fall and the fill time of hk-oltp-l2arc,
/// the primarycache lint of hk-smb-l2arc; and that p99 is twice the mean in each row of a table.
#[test]
fn the_contradictions_of_the_slog_and_l2arc_article_are_found() {
    let lints = lints::contradictions(&published("hk-2025"));
    assert_eq!(
        found(&lints),
        expected(&[
            ("little", &["F1 sync"]),
            ("little", &["F2 sync"]),
            ("little", &["F3 sync"]),
            ("little", &["F4 sync"]),
            ("thin-tail", &["A1 oltp"]),
            ("thin-tail", &["A2 oltp"]),
            ("thin-tail", &["A3 oltp"]),
            ("thin-tail", &["A4 oltp"]),
            ("constant-tail", &["F1 sync", "F2 sync", "F3 sync", "F4 sync"]),
            ("layout-width", &["fs"]),
            ("not-line-rate", &["F4 sync"]),
            ("arc-drop", &["A3 oltp", "A1 oltp"]),
            ("arc-drop", &["A4 oltp", "A2 oltp"]),
            ("fill-time", &["A3 oltp"]),
            ("fill-time", &["A4 oltp"]),
            ("primary-cache", &["F3 smb"]),
            ("primary-cache", &["F4 smb"]),
        ])
    );
    for lint in &lints {
        match &lint.finding {
            LintFinding::Little { in_flight, concurrency, .. } => {
                assert!((in_flight - 75.0).abs() < 1.0, "X·R is 75 in every row: {in_flight}");
                assert_eq!(*concurrency, 8.0);
            }
            LintFinding::LayoutWidth { data_actual, .. } => assert_eq!(*data_actual, 4),
            LintFinding::NotLineRate { bits, .. } => {
                assert!((bits / 1e9 - 0.8).abs() < 0.01, "0.8 Gb/s: {bits}");
            }
            LintFinding::FillTime { seconds, hits, .. } if *hits == 0.27 => {
                assert!((seconds / 60.0 - 36.9).abs() < 0.1, "37 minutes: {seconds}");
            }
            LintFinding::ArcDrop { explained, headers, .. } => {
                assert!(*explained < 0.02 && *headers < 2.1e9);
            }
            _ => {}
        }
    }
}

/// fsync-media and fsync-disabled: every synchronous row, and none of the others.
#[test]
fn every_synchronous_row_of_the_fsync_article_is_impossible_on_its_disks() {
    let table = published("fsync-2014");
    let lints = lints::contradictions(&table);
    let synchronous: BTreeSet<String> =
        table.rows.iter().filter(|r| r.syncs.is_some()).map(|r| r.name.clone()).collect();
    assert_eq!(synchronous.len(), 11);
    for name in ["media-syncs", "sync-disabled"] {
        let rows: BTreeSet<String> = found(&lints)
            .into_iter()
            .filter(|(lint, _)| lint == name)
            .flat_map(|(_, rows)| rows)
            .collect();
        assert_eq!(rows, synchronous, "{name}");
    }
    assert_eq!(lints.len(), 22, "nothing else: {lints:?}");
    let first = lints.iter().find_map(|lint| match &lint.finding {
        LintFinding::SyncDisabled { unsynced_faster: Some(factor), .. } => Some(*factor),
        _ => None,
    });
    assert!((first.unwrap() - 10.1).abs() < 0.05, "unsynced writes are ten times faster");
}

/// nvme-contradiction: different settings, and not impossible.
#[test]
fn the_nvme_article_compares_different_settings() {
    let lints = lints::contradictions(&published("nvme-raid"));
    assert_eq!(
        found(&lints),
        expected(&[
            ("raid0-below", &["RAID 0", "RAID 10, tuned"]),
            ("raid0-below", &["RAID 0", "RAID 10, tuned, scheduler none"]),
            ("other-size", &["RAID 10, bandwidth", "RAID 10, tuned, scheduler none"]),
        ])
    );
    assert!(lints.iter().all(|lint| lint.severity == Severity::NotComparable));
}

/// zju-capacity: raidz3 in groups of ten survives three a group and not two; a dRAID survives any two
/// drives and not two of each group. The other five layouts are stated rightly.
#[test]
fn the_mirror_site_states_the_wrong_fault_tolerance_four_times() {
    let lints = lints::contradictions(&published("zju-mirror"));
    assert_eq!(
        found(&lints),
        expected(&[
            ("fault-tolerance", &["raidz3-10px3"]),
            ("fault-tolerance", &["draid2-12d-30c-2s"]),
            ("fault-tolerance", &["draid2-7d-30c-3s"]),
            ("fault-tolerance", &["draid2-5d-30c-2s"]),
        ])
    );
    for lint in &lints {
        let LintFinding::FaultTolerance { survives, of, .. } = lint.finding else {
            panic!("{lint:?}");
        };
        let permuted = lint.rows[0].starts_with("draid");
        assert_eq!((survives, of), if permuted { (2, 30) } else { (3, 10) });
    }
}

/// Mirrors of two: any one of all six drives may fail, as any one of each two.
#[test]
fn a_fault_tolerance_of_all_drives_is_true_where_it_is_that_of_a_group() {
    let text =
        "[setups.mirrors]\ndrives = 6\nvdevs = 3\ndata = 1\nparity = 1\nsurvives = SURVIVES\n";
    let lints = |survives: &str| {
        let table = Table::read(&text.replace("SURVIVES", survives)).unwrap();
        lints::contradictions(&table).len()
    };
    assert_eq!((lints("1"), lints("2")), (0, 1));
}

/// Its numbers may be surprising; they do not contradict themselves.
#[test]
fn the_table_without_contradictions_is_clean() {
    assert_eq!(lints::contradictions(&published("mysql-zfs")), []);
}

#[test]
fn every_table_says_where_it_comes_from_and_is_tested_here() {
    let directory = format!("{}/../../published", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            Some(name.strip_suffix(".toml")?.to_owned())
        })
        .collect();
    names.sort();
    assert_eq!(names, findings::quality::validation::PUBLISHED);
    for name in names {
        let provenance = published(&name).provenance;
        assert_eq!(provenance.key, name);
        assert!(!provenance.title.is_empty() && !provenance.note.is_empty());
    }
}
