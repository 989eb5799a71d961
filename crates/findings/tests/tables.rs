//! Reading tables, and lints on made-up rows: planted contradictions and sound ones.

use findings::lints::{self, Row, Setup, Table};
use findings::schema::{LintFinding, Severity};

fn sound() -> Row {
    Row {
        name: "sound".into(),
        workload: "w".into(),
        throughput: Some(1000.0),
        bandwidth: Some(8_192_000.0),
        size: Some(8192.0),
        concurrency: Some(8.0),
        mean_ms: Some(7.9),
        p50_ms: Some(7.0),
        p95_ms: Some(15.0),
        p99_ms: Some(24.0),
        p999_ms: Some(60.0),
        syncs: Some(1.0),
        sync: Some("standard".into()),
        primarycache: Some("all".into()),
        commits_beside_checkpoints: true,
        reads_data: true,
        arc_hit: Some(0.9),
        l2arc_hit: Some(0.05),
        ..Row::default()
    }
}

fn lints_of(rows: Vec<Row>) -> Vec<findings::schema::Lint> {
    lints::contradictions(&Table { rows, ..Table::default() })
}

#[test]
fn a_sound_row_is_clean() {
    assert_eq!(lints_of(vec![sound()]), []);
}

#[test]
fn an_empty_row_is_clean() {
    assert_eq!(lints_of(vec![Row::default()]), []);
}

#[test]
fn each_planted_contradiction_is_found_alone() {
    type Plant = fn(&mut Row);
    type Is = fn(&LintFinding) -> bool;
    let plants: [(Plant, Is); 7] = [
        (|r| r.mean_ms = Some(20.0), |f| matches!(f, LintFinding::Little { .. })),
        (|r| r.mean_ms = Some(2.0), |f| matches!(f, LintFinding::Little { .. })),
        (|r| r.bandwidth = Some(1e7), |f| matches!(f, LintFinding::Bandwidth { .. })),
        (|r| r.p50_ms = Some(16.0), |f| matches!(f, LintFinding::PercentileOrder { .. })),
        (|r| r.p99_ms = Some(15.5), |f| matches!(f, LintFinding::ThinTail { .. })),
        (|r| r.arc_hit = Some(95.0), |f| matches!(f, LintFinding::Range { .. })),
        (|r| r.sync = Some("disabled".into()), |f| matches!(f, LintFinding::SyncDisabled { .. })),
    ];
    for (i, (plant, is)) in plants.into_iter().enumerate() {
        let mut row = sound();
        plant(&mut row);
        let found = lints_of(vec![row]);
        assert!(found.len() == 1 && is(&found[0].finding), "plant {i}: {found:?}");
    }
}

#[test]
fn more_in_flight_than_places_is_impossible_and_fewer_is_only_implausible() {
    let severity = |mean_ms| {
        let row = Row { mean_ms: Some(mean_ms), ..sound() };
        lints_of(vec![row])[0].severity
    };
    assert_eq!(severity(20.0), Severity::Impossible);
    assert_eq!(severity(2.0), Severity::Implausible);
}

#[test]
fn media_and_links_bound_rows_of_their_set_up() {
    let setup = Setup { sync_rpm: Some(7200.0), link: Some(1e9), ..Setup::default() };
    let on = |throughput: f64, concurrency: f64| {
        let row = Row {
            name: "r".into(),
            setup: Some("s".into()),
            throughput: Some(throughput),
            concurrency: Some(concurrency),
            size: Some(131_072.0),
            syncs: Some(1.0),
            ..Row::default()
        };
        lints::contradictions(&Table {
            setups: [("s".to_owned(), setup.clone())].into(),
            rows: vec![row],
            ..Table::default()
        })
    };
    assert_eq!(on(118.0, 1.0), [], "once a revolution is sound");
    assert!(
        matches!(on(300.0, 1.0)[0].finding, LintFinding::MediaSyncs { at_most, .. } if at_most == 240.0)
    );
    assert_eq!(on(600.0, 8.0), [], "eight clients commit together");
    let over = on(1900.0, 8.0);
    assert!(matches!(over[0].finding, LintFinding::OverLink { .. }), "{over:?}");
}

#[test]
fn raid_0_below_raid_10_is_judged_by_settings() {
    let setup =
        |level: &str| Setup { level: Some(level.into()), drives: Some(4), ..Setup::default() };
    let row = |name: &str, setup: &str, throughput, settings: &str| Row {
        name: name.into(),
        setup: Some(setup.into()),
        workload: "w".into(),
        settings: Some(settings.into()),
        throughput: Some(throughput),
        ..Row::default()
    };
    let of = |settings: &str| {
        lints::contradictions(&Table {
            setups: [("a".into(), setup("raid0")), ("b".into(), setup("raid10"))].into(),
            rows: vec![row("0", "a", 800e3, "x"), row("10", "b", 1e6, settings)],
            ..Table::default()
        })[0]
            .severity
    };
    assert_eq!(of("x"), Severity::Implausible);
    assert_eq!(of("y"), Severity::NotComparable);
}

#[test]
fn csv_with_a_header_is_a_table() {
    let text =
        "name,workload,throughput,mean_ms,concurrency,p99_ms\na,w,1820,41.3,8,\nb,w,100,79,8,300\n";
    let table = Table::read(text).unwrap();
    assert_eq!(table.rows.len(), 2);
    assert_eq!(table.rows[0].p99_ms, None);
    let found = lints::contradictions(&table);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rows, ["a"]);
}

#[test]
fn bad_files_are_refused_with_a_reason_and_a_line() {
    for (text, part) in [
        ("", "no rows"),
        ("{", "neither"),
        ("[[rows]]\nname = \"a\"\ntroughput = 1\n", "troughput"),
        ("[[rows]]\nname = \"a\"\n[[rows]]\nname = \"a\"\n", "two rows are named `a`"),
        ("[[rows]]\nname = \"a\"\nsetup = \"s\"\n", "[setups.s]"),
        ("[[rows]]\nname = \"a\"\nunsynced = \"b\"\n", "row `b`"),
        ("name,throughput\na,fast\n", "invalid"),
        ("just some text\nof a letter", "header"),
    ] {
        let error = Table::read(text).unwrap_err();
        assert!(error.to_string().contains(part), "{text:?}: {error}");
    }
    assert_eq!(Table::read("[[rows]]\ntroughput = 1\n").unwrap_err().line, Some(2));
}

mod any_input {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = Option<f64>> {
        prop_oneof![
            Just(None),
            any::<f64>().prop_map(Some),
            Just(Some(0.0)),
            (0.0..1e6f64).prop_map(Some),
        ]
    }

    proptest! {
        #[test]
        fn no_numbers_make_a_lint_panic(values in prop::collection::vec(number(), 16)) {
            let row = |name: &str| Row {
                name: name.into(),
                setup: Some("s".into()),
                throughput: values[0],
                bandwidth: values[1],
                size: values[2],
                concurrency: values[3],
                mean_ms: values[4],
                p95_ms: values[5],
                p99_ms: values[6],
                arc_hit: values[7],
                l2arc_hit: values[8],
                runtime_s: values[9],
                syncs: values[10],
                without_l2arc: Some("a".into()),
                unsynced: Some("a".into()),
                sync: Some("disabled".into()),
                ..Row::default()
            };
            let setup = Setup {
                drives: values[0].map(|x| x as u32),
                vdevs: values[1].map(|x| x as u32),
                data: values[2].map(|x| x as u32),
                parity: values[3].map(|x| x as u32),
                spares: values[4].map(|x| x as u32),
                arc: values[11],
                l2arc: values[12],
                l2arc_feed: values[13],
                dataset: values[14],
                recordsize: values[15],
                sync_rpm: values[10],
                link: values[9],
                uniform: true,
                drive_bytes: values[5],
                capacity: values[6],
                ..Setup::default()
            };
            lints::contradictions(&Table {
                setups: [("s".to_owned(), setup)].into(),
                rows: vec![row("a"), row("b")],
                ..Table::default()
            });
        }

        #[test]
        fn no_text_makes_reading_panic(text in "[\\[\\]{}=,\"a-z0-9\\n .]{0,200}") {
            let _ = Table::read(&text);
        }
    }
}
