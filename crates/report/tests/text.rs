//! The formats for reading and for programs, whole, against what they were.

mod fixture;

use findings::schema::{
    Basis, CellIssue, Condition, Effect, Estimate, Factor, Metric, NotRun, Part, PhaseKind, Phases,
    PowerCutClass, QualityIssue, Subject, SyncRate, TrialCounts, Validity, VerdictClass,
};
use fixture::{SIXTEEN, Shape, findings, hostile};
use measurement::SyncTest;
use report::terminal::Style;
use text::Language;
use text::line::columns;

const TWO: Shape = Shape { workloads: 1, trials: 3, seconds: 60, drives: 12 };

fn style(width: usize) -> Style {
    Style { width, color: false, language: Language::English }
}

/// Strings that have broken somebody's report.
pub const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "]]></style></script><!--",
    "\u{202e}gnirts desrever\u{2066}",
    "=HYPERLINK(\"http://evil.example\",\"x\")",
    "a\n# TYPE b counter\r\n\u{1b}[2J\u{0}",
    "| a | `b` | [c](javascript:alert(1)) *d* _e_",
    "שלום עולם \\\" {x=\"y\"}",
    "",
];

#[test]
fn the_table_in_a_terminal() {
    insta::assert_snapshot!(report::terminal::render(&findings(&TWO), style(110)));
}

#[test]
fn the_table_in_a_terminal_in_chinese() {
    let style = Style { language: Language::Chinese, ..style(110) };
    insta::assert_snapshot!(report::terminal::render(&findings(&TWO), style));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(report::markdown::render(&findings(&TWO), Language::English));
}

#[test]
fn what_a_power_cut_can_cost_stands_beside_the_variant() {
    let mut findings = findings(&TWO);
    findings.variants[0].after_power_cut = Some(PowerCutClass::KeepsAcknowledged);
    findings.variants[1].after_power_cut = Some(PowerCutClass::LosesLast { seconds: Some(0.6) });
    let name = findings.variants[1].name.clone();
    let text = report::terminal::render(&findings, style(160));
    assert!(text.contains("up to the last 0.6 s of acknowledged writes"), "{text}");
    assert!(!text.contains("loses no acknowledged write"), "{text}");
    let text = report::markdown::render(&findings, Language::Chinese);
    let line = text.lines().find(|line| line.contains("最后 0.6 秒内")).unwrap();
    assert!(line.contains(&name), "{line}");
}

#[test]
fn the_head_of_first_phases_says_what_they_are() {
    let mut findings = findings(&TWO);
    let head = |findings: &findings::Findings| {
        let text = report::terminal::render(findings, style(110));
        let line = text.lines().find(|line| line.starts_with("variant "));
        line.unwrap().to_owned()
    };
    assert!(head(&findings).contains("ops/s burst"), "{}", head(&findings));
    for cell in &mut findings.cells {
        if let Phases::Burst { burst, sustained } = cell.phases {
            let cold = burst;
            cell.phases = Phases::WarmUp { cold, sustained };
        }
    }
    let cold = head(&findings);
    assert!(cold.contains("ops/s cold") && !cold.contains("burst"), "{cold}");
    let markdown = report::markdown::render(&findings, Language::English);
    assert!(markdown.contains("| ops/s cold cache |"), "{markdown}");
}

#[test]
fn csv() {
    insta::assert_snapshot!(report::csv::render(&findings(&TWO)).unwrap());
}

#[test]
fn openmetrics() {
    insta::assert_snapshot!(report::openmetrics::render(&findings(&TWO)));
}

#[test]
fn a_terminal_is_never_overrun_at_any_width() {
    let long = findings(&SIXTEEN);
    for width in [40, 60, 80, 100, 120, 200] {
        for language in Language::ALL {
            let text = report::terminal::render(&long, Style { language, ..style(width) });
            for line in text.lines() {
                assert!(columns(line) <= width, "{width}: {} columns: {line}", columns(line));
            }
        }
    }
}

#[test]
fn without_colour_there_is_no_escape_and_with_it_only_our_own() {
    for evil in HOSTILE {
        let findings = hostile(evil);
        let plain = report::terminal::render(&findings, style(100));
        assert!(!plain.contains('\u{1b}'), "{plain:?}");
        assert!(!plain.contains('\u{202e}'));
        let coloured = report::terminal::render(&findings, Style { color: true, ..style(100) });
        for (at, _) in coloured.match_indices('\u{1b}') {
            let end = coloured[at..].find('m').map(|m| &coloured[at + 1..at + m]);
            assert!(matches!(end, Some("[0" | "[1" | "[31" | "[32" | "[33")), "{end:?}");
        }
    }
}

#[test]
fn in_markdown_names_stay_text() {
    for evil in HOSTILE {
        let text = report::markdown::render(&hostile(evil), Language::English);
        assert!(!text.contains("<script") && !text.contains("<img"), "{text}");
        assert!(!text.replace("\\]", "").contains("](javascript"), "{text}");
        let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("| ")).collect();
        let bars = |row: &str| row.replace("\\|", "").matches('|').count();
        let ruler = rows.iter().find(|row| row.starts_with("| --- |")).unwrap();
        for row in &rows {
            assert_eq!(bars(row), bars(ruler), "a name adds no column: {row}");
        }
    }
}

#[test]
fn in_markdown_a_name_from_right_to_left_is_isolated_and_what_looks_like_a_mark_is_text() {
    let evil = "שלום";
    let text = report::markdown::render(&hostile(evil), Language::English);
    assert!(text.contains(&format!("\u{2068}{evil}\u{2069}")), "{text}");
    assert!(!text.contains("⟨U+2068⟩"), "{text}");
    let text = report::markdown::render(&hostile("\u{2068}open"), Language::English);
    assert!(!text.contains('\u{2068}') && text.contains("⟨U+2068⟩open"), "{text}");
    let mut marks = findings(&TWO);
    for (name, escaped) in
        [("- a", "\\- a"), ("+1", "\\+1"), ("1. a", "1\\. a"), ("12)", "12\\)"), ("$x$", "\\$x\\$")]
    {
        marks.lab.title = name.into();
        let text = report::markdown::render(&marks, Language::English);
        assert_eq!(text.lines().next(), Some(format!("# {escaped}").as_str()));
    }
    marks.lab.title = "1.5 - 2".into();
    let text = report::markdown::render(&marks, Language::English);
    assert!(text.starts_with("# 1.5 - 2\n"), "{text}");
}

#[test]
fn what_is_enough_is_the_cheapest_only_where_there_are_prices() {
    let mut findings = findings(&TWO);
    let all = |findings: &findings::Findings| {
        [
            report::terminal::render(findings, style(200)),
            report::markdown::render(findings, Language::English),
            report::html::render(findings, None, Language::English),
        ]
    };
    let has = |findings: &findings::Findings, words: &str| {
        all(findings).map(|text| text.contains(&format!("The {words} variant that is fast enough")))
    };
    assert_eq!(has(&findings, "cheapest"), [true; 3]);
    findings.adequate[0].prices = None;
    assert_eq!(has(&findings, "cheapest"), [false; 3]);
    assert_eq!(has(&findings, "smallest"), [true; 3]);
}

#[test]
fn in_csv_every_row_has_every_column_and_no_name_is_a_formula() {
    for evil in HOSTILE {
        let text = report::csv::render(&hostile(evil)).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for row in reader.records() {
            let row = row.unwrap();
            assert_eq!(row.len(), report::csv::COLUMNS.len());
            assert!(!row[0].starts_with('='), "{row:?}");
        }
    }
}

#[test]
fn openmetrics_stay_one_sample_a_line_and_end_with_eof() {
    for evil in HOSTILE {
        let text = report::openmetrics::render(&hostile(evil));
        assert!(text.ends_with("# EOF\n"));
        for line in text.lines() {
            assert!(line.starts_with("poolwright_") || line.starts_with("# "), "{line:?}");
        }
        assert_eq!(text.matches("# TYPE b").count(), text.matches("\\n# TYPE b").count());
    }
}

#[test]
fn json_reads_back_as_it_was_and_other_formats_are_refused() {
    for evil in HOSTILE {
        let findings = hostile(evil);
        let mut out = Vec::new();
        report::json::write(&findings, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(report::json::read(&text).unwrap(), findings);
        for (other, help) in [(3, "newer poolwright"), (1, "run the lab again")] {
            let other = text.replacen("\"format\": 2", &format!("\"format\": {other}"), 1);
            let refusal = report::json::read(&other).unwrap_err().to_string();
            assert!(refusal.contains(help), "{refusal}");
        }
    }
}

#[test]
fn findings_with_nothing_in_them_are_reported_without_a_panic() {
    let mut empty = findings(&TWO);
    empty.cells.clear();
    empty.effects.clear();
    empty.ladders.clear();
    empty.causes.clear();
    empty.verdicts.iter_mut().for_each(|v| v.effects = vec![99]);
    for language in Language::ALL {
        let text = report::terminal::render(&empty, Style { language, ..style(80) });
        assert!(!text.is_empty());
        assert!(!report::markdown::render(&empty, language).is_empty());
    }
    assert_eq!(report::csv::render(&empty).unwrap().lines().count(), 1);
    assert!(report::openmetrics::render(&empty).ends_with("# EOF\n"));
}

#[test]
fn chinese_has_its_own_brackets_and_names_the_phase_first() {
    let mut findings = findings(&TWO);
    let cell = &mut findings.cells[0];
    let of = cell.trials.all();
    cell.issues = vec![CellIssue { issue: QualityIssue::DidNotRun, trials: of - 1 }];
    let style = Style { language: Language::Chinese, ..style(200) };
    let text = report::terminal::render(&findings, style);
    assert!(text.contains("SLOG mirror（相对于 none）"), "{text}");
    assert!(text.contains("持续 6.7× ["), "{text}");
    assert!(text.contains(&format!("（{of} 次试验中的 {} 次）", of - 1)), "{text}");
}

/// Takes a cell's trials away: the budget ended before them.
fn not_run(findings: &mut findings::Findings, cell: usize) {
    let cell = &mut findings.cells[cell];
    cell.trials = Default::default();
    cell.validity = Validity::Failed;
    cell.issues.clear();
    findings.not_run.push(NotRun {
        variant: cell.variant.clone(),
        workload: cell.workload.clone(),
        trials: 2,
    });
}

#[test]
fn a_verdict_names_what_was_taken_away_and_a_cell_that_never_ran_did_not_fail() {
    let mut taken = findings(&TWO);
    let verdict = &mut taken.verdicts[0];
    verdict.level = "no-log".into();
    verdict.against = "base".into();
    verdict.class = VerdictClass::Harmful;
    not_run(&mut taken, 1);
    for text in [
        report::terminal::render(&taken, style(110)),
        report::markdown::render(&taken, Language::English),
    ] {
        assert!(text.contains("SLOG no-log (vs base)"), "{text}");
        assert!(text.contains("not run yet: 2 trials missing"), "{text}");
        assert!(!text.contains("failed"), "{text}");
    }
    let csv = report::csv::render(&taken).unwrap();
    assert!(csv.lines().nth(2).unwrap().contains(",not-run,"), "{csv}");
}

#[test]
fn a_variant_that_is_a_factor_of_its_own_is_named_once() {
    let mut alone = findings(&TWO);
    let verdict = &mut alone.verdicts[0];
    (verdict.factor, verdict.level, verdict.against) = ("ext4".into(), "ext4".into(), "zfs".into());
    let text = report::terminal::render(&alone, style(110));
    assert!(text.contains("\next4 (vs zfs)"), "{text}");
}

/// "sync on" would be the opposite of `sync=disabled`.
#[test]
fn a_group_that_is_switched_on_is_not_named_by_the_setting_in_it() {
    let of = |name: &str| {
        let mut switched = findings(&TWO);
        let verdict = &mut switched.verdicts[0];
        verdict.factor = name.into();
        (verdict.level, verdict.against) = ("on".into(), "off".into());
        switched.factors.push(Factor {
            name: name.into(),
            levels: vec!["off".into(), "on".into()],
            subjects: vec![Subject::Property { dataset: String::new(), name: "sync".into() }],
        });
        report::terminal::render(&switched, style(110))
    };
    assert!(of("unsafe").contains("\nunsafe on (vs off)"), "{}", of("unsafe"));
    assert!(of("dataset.sync").contains("\nsync on (vs off)"), "{}", of("dataset.sync"));
}

#[test]
fn what_failed_is_named_once_with_its_reason_and_has_no_numbers() {
    let mut failed = findings(&TWO);
    let baseline = failed.lab.baseline.clone();
    for trial in failed.trials.iter_mut().filter(|t| t.variant == baseline) {
        trial.failure = Some("the machine ended by signal 9".into());
    }
    let mut cells = failed.cells.iter_mut();
    let cell = cells.find(|cell| cell.variant == baseline).unwrap();
    cell.trials = TrialCounts { failed: 3, ..TrialCounts::default() };
    cell.validity = Validity::Failed;
    cell.throughput = None;
    cell.issues = vec![CellIssue { issue: QualityIssue::DidNotRun, trials: 3 }];
    let text = report::markdown::render(&failed, Language::English);
    let line = text.lines().find(|line| line.contains("signal 9")).unwrap();
    assert_eq!(line.matches("did not run").count(), 1, "{line}");
    let csv = report::csv::render(&failed).unwrap();
    let mut read = csv::Reader::from_reader(csv.as_bytes());
    let heads = read.headers().unwrap().clone();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let row = read.records().next().unwrap().unwrap();
    assert_eq!(&row[at("ratio_to_baseline")], "");
    assert!(row[at("remarks")].contains("signal 9"), "{row:?}");
    // Of a rung or a re-run it is not the cell that failed.
    for trial in &mut failed.trials {
        trial.part = Part::Rung { offered: 100.0 };
    }
    let csv = report::csv::render(&failed).unwrap();
    assert!(!csv.contains("signal 9"), "{csv}");
}

#[test]
fn a_number_without_an_interval_has_no_bounds() {
    let mut single = findings(&TWO);
    let count = |findings: &findings::Findings, bound: &str| {
        let text = report::openmetrics::render(findings);
        let family = "poolwright_throughput_ops{";
        let samples = text.lines().filter(|line| line.starts_with(family));
        samples.filter(|line| line.contains(bound)).count()
    };
    let all = single.cells.len();
    assert_eq!(count(&single, "bound=\"low\""), all);
    for cell in &mut single.cells {
        cell.throughput.as_mut().unwrap().basis = Basis::Point;
    }
    assert_eq!(count(&single, "bound=\"value\""), all);
    assert_eq!(count(&single, "bound=\"low\""), 0);
}

/// One ratio, or one class, would be wrong in one of the places.
#[test]
fn a_level_that_is_better_in_one_place_and_worse_in_another_has_no_single_ratio() {
    let mut findings = findings(&TWO);
    let verdict = &mut findings.verdicts[0];
    verdict.class = VerdictClass::Depends;
    let place = |level: &str, class, ratio| Condition {
        context: [("cache".to_owned(), level.to_owned())].into(),
        class,
        ratio,
    };
    verdict.conditions = vec![
        place("none", VerdictClass::WorthIt, 1.05),
        place("nvme", VerdictClass::Harmful, 0.33),
    ];
    verdict.reasons_context = [("cache".to_owned(), "nvme".to_owned())].into();
    findings.verdicts.truncate(1);
    let text = report::terminal::render(&findings, style(500));
    let places = "depends. With cache none: worth it, 1.05×. With cache nvme: harmful, 0.33×.";
    assert!(text.contains(places), "{text}");
    let reasons = "0.33×. The following reasons are from trials with cache nvme.";
    assert!(text.contains(reasons), "{text}");
    assert!(!text.contains("p99 latency"), "{text}");
    let page = report::html::render(&findings, None, Language::English);
    assert!(page.contains("Better with some levels of the other factors"), "{page}");
    assert!(!page.contains("class=\"figure\""), "{page}");
    // Only reads and writes differ, by which it depends.
    findings.verdicts[0].conditions[1].class = VerdictClass::NoEffect;
    let page = report::html::render(&findings, None, Language::English);
    assert!(page.contains("Reads and writes together hardly change"), "{page}");
}

#[test]
fn what_a_cell_waits_for_and_the_command_that_shows_a_reason_are_in_every_text() {
    let findings = findings(&TWO);
    let all = [
        report::terminal::render(&findings, style(200)),
        report::markdown::render(&findings, Language::English).replace('\\', ""),
        report::html::render(&findings, None, Language::English),
    ];
    for text in &all {
        assert!(text.contains("without log flushes"), "{text}");
        assert!(text.contains("zpool iostat -vl POOL 1"), "{text}");
    }
    let json = serde_json::to_value(&findings).unwrap();
    assert_eq!(json["causes"][0]["cost"], "log-write");
    assert_eq!(json["verdicts"][0]["reasons"][0]["command"], "zpool iostat -vl POOL 1");
    let csv = report::csv::render(&findings).unwrap();
    let rows = csv.lines().filter(|line| line.contains(",log-flush,2,1.2,"));
    assert_eq!(rows.count(), 1, "{csv}");
    let metrics = report::openmetrics::render(&findings);
    assert!(metrics.contains("without=\"seek\",bound=\"value\"} 2.4"), "{metrics}");
}

#[test]
fn a_table_of_pg_test_fsync_is_in_every_format_for_reading() {
    let mut findings = findings(&TWO);
    let none = report::terminal::render(&findings, style(200));
    assert!(!none.contains("fdatasync"), "{none}");
    let sync_rate = |test, value: f64| SyncRate {
        test,
        rate: Estimate { value, low: value, high: value, basis: Basis::Point },
        mean_us: 1e6 / value,
    };
    for (index, cell) in findings.cells.iter_mut().enumerate() {
        cell.sync_tests.push(sync_rate(SyncTest::TwoFsync, 4750.841));
        if index == 0 {
            cell.sync_tests.push(sync_rate(SyncTest::Unsynced, 67460.621));
        }
    }
    let terminal = report::terminal::render(&findings, style(200));
    let lines: Vec<&str> = terminal.lines().collect();
    let head = lines.iter().position(|line| line.starts_with("test ")).unwrap();
    assert!(lines[head + 1].starts_with("fsync, two writes"), "{terminal}");
    assert_eq!(lines[head + 1].matches("4,750 (210 µs)").count(), findings.cells.len());
    assert!(lines[head + 2].contains("67,500 (14.8 µs)") && lines[head + 2].contains('–'));
    let markdown = report::markdown::render(&findings, Language::Chinese);
    assert!(markdown.contains("| fsync，两次写入 | 4,750 (210 µs) |"), "{markdown}");
    let html = report::html::render(&findings, None, Language::English);
    assert!(html.contains("id=\"sync-tests\"") && html.contains("67,500 (14.8\u{a0}µs)"));
}

/// A ratio of latencies from one trial of each side: "undecided" would say that it was compared.
#[test]
fn an_effect_without_an_interval_says_so_in_every_text() {
    let mut single = findings(&TWO);
    let tail = |effect: &Effect| Effect {
        metric: Metric::P99Latency,
        phase: PhaseKind::Whole,
        ratio: Estimate { basis: Basis::Point, ..effect.ratio },
        class: VerdictClass::Undecided,
        ..effect.clone()
    };
    let tails: Vec<Effect> = single.effects.iter().map(tail).collect();
    single.effects.extend(tails);
    for (language, said) in [
        (Language::English, "no interval, one trial of each side"),
        (Language::Chinese, "无区间（两侧各只有一次试验）"),
    ] {
        let terminal = report::terminal::render(&single, Style { language, ..style(400) });
        assert!(terminal.contains(said), "{terminal}");
        // Behind the verdict and in the table of effects.
        let page = report::html::render(&single, None, language);
        assert!(page.matches(said).count() >= 2, "{said}");
    }
}
