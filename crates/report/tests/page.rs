//! The page as text: what may never be in it, how large it gets and how long it takes.

mod fixture;

use findings::schema::{Contribution, Counted, Metric, Part, Phases};
use fixture::{SIXTEEN, Shape, campaign, findings, hostile};
use report::html::{Configuration, render};
use std::time::Duration;
use text::Language;

/// Processor time of this thread: what the work costs, however busy the machine is.
fn worked() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "]]></style></script><!--", "\u{202e}gnirts desrever", "javascript:alert(1)",
    "a\u{0}b\u{1b}[2J",
];

/// Start tags that the report itself never writes.
const NEVER: [&str; 5] = ["<img", "<iframe", "<object", "<embed", "<base"];

#[test]
fn no_string_from_outside_becomes_markup_anywhere() {
    let scripts = |page: &str| page.matches("<script").count();
    let calm = scripts(&render(&hostile("calm"), None, Language::English));
    for evil in HOSTILE {
        let findings = hostile(evil);
        let mut outside = campaign::campaign();
        for variant in &mut outside.variants {
            variant.name = evil.into();
            variant.drives = [(evil.to_owned(), variant.drives["hdd"].clone())].into();
            variant.datasets =
                [(evil.to_owned(), [(evil.to_owned(), evil.to_owned())].into())].into();
        }
        let configuration = Configuration { campaign: &outside, lab_text: evil };
        let page = render(&findings, Some(configuration), Language::English);
        assert_eq!(scripts(&page), calm, "{evil}");
        assert!(NEVER.iter().all(|tag| !page.contains(tag)), "{evil}");
        assert!(!page.contains(['\u{202e}', '\u{0}', '\u{1b}']), "{evil:?}");
        assert!(!page.contains("href=\"javascript"));
    }
}

#[test]
fn a_price_is_shown_beside_a_verdict_that_has_nothing_else_to_say() {
    let mut findings = findings(&SIXTEEN);
    // Without its other effects it has no tail, and nothing is needed to decide it.
    findings.effects.truncate(1);
    findings.effects[0].needed = None;
    findings.verdicts.truncate(1);
    let verdict = &mut findings.verdicts[0];
    verdict.effects = vec![0];
    verdict.reasons.clear();
    verdict.conditions.clear();
    verdict.cautions.clear();
    verdict.price = Some(findings::schema::Price { more: 448.0, per_op_s: None });
    let page = render(&findings, None, Language::English);
    assert!(page.contains("It costs 448 more"));
}

/// The text of a page in English, without its markup.
fn english(page: &str) -> String {
    let mut text = String::new();
    for piece in page.split('<').skip(1) {
        let Some((tag, words)) = piece.split_once('>') else { continue };
        if !tag.contains("lang=\"zh-CN\"") {
            text.push_str(words);
        }
    }
    text
}

#[test]
fn that_no_number_was_varied_is_said_and_not_that_a_test_found_nothing() {
    let mut findings = findings(&SIXTEEN);
    let said = "Not tested: no number of a drive was varied.";
    assert!(!render(&findings, None, Language::English).contains(said));
    for verdict in &mut findings.verdicts {
        verdict.sensitivity.clear();
    }
    // Beside break-even loads, and alone.
    assert!(render(&findings, None, Language::English).contains(said));
    findings.verdicts.clear();
    assert!(render(&findings, None, Language::English).contains(said));
}

#[test]
fn a_trial_of_no_cell_says_what_was_changed_for_it() {
    let mut findings = findings(&SIXTEEN);
    let cost = measurement::Cost::LogFlush;
    let parts = [
        (Part::Without { cost }, "without log flushes"),
        (Part::OtherSize { size: 24.0 }, "S = 24"),
        (Part::Rung { offered: 470.0 }, "470 ops/s offered"),
        (
            Part::Rerun { kind: "optane".into(), parameter: "flash.flush_us".into(), factor: 0.5 },
            "flush time of optane × 0.5",
        ),
    ];
    let rows = |findings: &findings::Findings| {
        let page = english(&render(findings, None, Language::English));
        let start = page.find("All trials").unwrap();
        page[start..].to_owned()
    };
    let plain = rows(&findings);
    for (trial, (part, _)) in findings.trials.iter_mut().zip(&parts) {
        trial.part = part.clone();
    }
    let told = rows(&findings);
    for (_, words) in parts {
        assert!(!plain.contains(words) && told.contains(words), "{words}");
    }
}

#[test]
fn the_table_names_the_phases_that_there_are() {
    let heads = |findings: &findings::Findings| {
        let page = english(&render(findings, None, Language::English));
        let start = page.find("variantworkload").or(page.find("VariantWorkloadvs")).unwrap();
        page[start..start + 120].to_owned()
    };
    let mut steady = findings(&SIXTEEN);
    let both = heads(&steady);
    assert!(both.contains("ops/s sustained") && both.contains("ops/s burst"), "{both}");
    for cell in &mut steady.cells {
        if let Phases::Burst { burst, sustained } = cell.phases {
            cell.phases = Phases::WarmUp { cold: burst, sustained };
        }
    }
    assert!(heads(&steady).contains("ops/s cold cache"), "{}", heads(&steady));
    for cell in &mut steady.cells {
        if let Phases::WarmUp { sustained, .. } = cell.phases {
            cell.phases = Phases::Steady { whole: sustained };
        }
    }
    let one = heads(&steady);
    assert!(one.contains("ops/sBandwidth"), "{one}");
}

#[test]
fn rates_of_databases_are_transactions_and_ratios_have_no_unit() {
    let mut findings = findings(&SIXTEEN);
    let page = english(&render(&findings, None, Language::English));
    assert!(page.contains("Throughput (ops/s)") && page.contains("Reads, writes and syncs as"));
    for workload in &mut findings.workloads {
        workload.counted = Counted::Transactions;
    }
    let page = english(&render(&findings, None, Language::English));
    assert!(page.contains("Throughput (TPS)") && !page.contains("(ops/s)"));
    assert!(page.contains("Transactions as the client saw them"));
    assert!(page.contains("Below 640 TPS (640 sync commits/s)"), "break-even");
}

#[test]
fn a_variant_of_its_own_is_named_once_everywhere() {
    let mut findings = findings(&SIXTEEN);
    let own = || "log-cache".to_owned();
    for effect in &mut findings.effects {
        (effect.factor, effect.level) = (own(), own());
    }
    for verdict in &mut findings.verdicts {
        (verdict.factor, verdict.level) = (own(), own());
    }
    findings.ranking = vec![Contribution {
        factor: own(),
        level: own(),
        workload: findings.cells[0].workload.clone(),
        metric: Metric::Throughput,
        alone: None,
        last: None,
        share: None,
    }];
    let page = english(&render(&findings, None, Language::English));
    assert!(page.contains("log-cache") && !page.contains("log-cache log-cache"));
}

#[test]
fn very_long_names_do_not_blow_up_the_page() {
    let page = render(&hostile(&"x".repeat(5_000)), None, Language::English);
    assert!(page.len() < 8 << 20, "{} bytes", page.len());
}

#[test]
fn sixteen_cells_stay_below_two_megabytes_and_two_seconds() {
    let findings = findings(&SIXTEEN);
    let campaign = campaign::campaign();
    let configuration = Configuration { campaign: &campaign, lab_text: "title = 'x'" };
    let start = worked();
    let page = render(&findings, Some(configuration), Language::English);
    let took = worked() - start;
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(took < Duration::from_secs(2), "{took:?}");
    eprintln!("16 cells: {} KB in {took:?}", page.len() / 1000);
}

#[test]
fn an_hour_of_seconds_in_every_trial_still_stays_below_two_megabytes() {
    let long = Shape { seconds: 3_600, ..SIXTEEN };
    let page = render(&findings(&long), None, Language::English);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(page.contains("averaged over several seconds"));
}

#[test]
fn a_thousand_cells_and_ten_million_samples_take_less_than_five_seconds() {
    // 1,000 cells × 5 trials × 250 s × (6 + 2) series = 10 million numbers.
    let many = Shape { workloads: 250, trials: 5, seconds: 250, drives: 0 };
    let findings = findings(&many);
    let samples: usize = findings
        .cells
        .iter()
        .flat_map(|c| &c.series)
        .map(|s| s.at.len() * (6 + s.busy.len()))
        .sum();
    assert!(samples >= 7_500_000, "{samples}");
    let start = worked();
    let page = render(&findings, None, Language::English);
    let took = worked() - start;
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(page.len() < 40_000_000, "{} bytes", page.len());
    eprintln!("1,000 cells: {} KB in {took:?}", page.len() / 1000);
}

#[test]
fn every_phrase_stands_in_both_languages() {
    let page = render(&findings(&SIXTEEN), None, Language::Chinese);
    assert!(page.starts_with("<!doctype html>\n<html lang=\"zh-CN\">"));
    assert!(page.contains("受限于内存"));
    for phrase in ["The answer", "结论", "How reliable are these results?", "这些结果有多可靠？"]
    {
        assert!(page.contains(phrase), "{phrase}");
    }
    let texts = |tag: &str| page.matches(&format!(" lang=\"{tag}\">")).count();
    // The switch itself has one more attribute after `lang`; the root element has the page's own.
    assert_eq!(texts("en") + 1, texts("zh-CN"));
}

#[test]
fn ids_are_unique_and_every_reference_finds_its_element() {
    let full = findings(&SIXTEEN);
    refer_to_what_is_there(&render(&full, None, Language::English));
    // What most campaigns are: without ladders, without anything to say of what would change.
    let mut plain = full;
    plain.ladders.clear();
    plain.effects.clear();
    plain.verdicts.clear();
    refer_to_what_is_there(&render(&plain, None, Language::English));
}

fn refer_to_what_is_there(page: &str) {
    let values = |attribute: &str| -> Vec<String> {
        page.split(&format!(" {attribute}=\""))
            .skip(1)
            .filter_map(|rest| rest.split('"').next().map(str::to_owned))
            .collect()
    };
    let ids = values("id");
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(ids.len(), unique.len(), "an id is used twice");
    for list in values("aria-labelledby") {
        for id in list.split(' ') {
            assert!(ids.iter().any(|i| i == id), "{id}");
        }
    }
    for target in values("href").iter().filter_map(|h| h.strip_prefix('#')) {
        assert!(ids.iter().any(|i| i == target), "{target}");
    }
}

#[test]
fn the_page_allows_itself_no_request() {
    let page = render(&findings(&SIXTEEN), None, Language::English);
    assert!(page.contains("default-src &#39;none&#39;"));
    assert!(!page.contains("unsafe-inline"));
    for address in ["http://", "https://", "//cdn", "@import", "url("] {
        assert!(!page.contains(address), "{address}");
    }
}
