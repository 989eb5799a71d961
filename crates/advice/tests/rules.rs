//! Each rule has a fixture that fires it and one that does not, in the words of the tools.
//!
//! `tests/rules/<rule>.txt` holds both, after `##### fires` and `##### silent`, each as `tail`
//! prints several files.

use advice::audit::{Finding, RULES, audit};
use advice::lang::Language;
use advice::system::{Input, System, UNKNOWN, gather};
use std::path::PathBuf;

/// 2024-06-01, twenty days after the fixtures' scrubs.
const TODAY: i64 = 19_875;

fn fixture(rule: &str) -> (String, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/rules/{rule}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (fires, silent) = text.split_once("##### silent\n").expect("two parts");
    (
        fires.trim_start_matches("##### fires\n").to_string(),
        silent.to_string(),
    )
}

fn read(text: &str) -> (System, Vec<Finding>) {
    let input = Input {
        name: "pasted".to_string(),
        text: text.to_string(),
    };
    let (mut system, unread) = gather(&[input]);
    system.today = Some(TODAY);
    assert!(
        unread.iter().all(|u| !u.what.starts_with(UNKNOWN)),
        "a fixture is made of texts that are read: {unread:?}"
    );
    let findings = audit(&system);
    (system, findings)
}

#[test]
fn every_rule_fires_where_it_must_and_nowhere_else() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let name = rule.id.name();
        let (fires, silent) = fixture(name);
        let (_, found) = read(&fires);
        if !found.iter().any(|finding| finding.rule == rule.id) {
            wrong.push(format!("{name}: does not fire; found {:?}", names(&found)));
        }
        let (_, found) = read(&silent);
        if found.iter().any(|finding| finding.rule == rule.id) {
            wrong.push(format!("{name}: fires on its silent fixture"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn names(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule.name()).collect()
}

#[test]
fn every_finding_has_evidence_a_fix_a_source_and_a_whole_sentence() {
    for rule in RULES {
        let (_, found) = read(&fixture(rule.id.name()).0);
        for finding in found {
            let name = finding.rule.name();
            assert!(!finding.evidence.is_empty(), "{name} has no evidence");
            assert!(!finding.fix().is_empty(), "{name} has no fix");
            assert!(
                !finding.rule.rule().sources.is_empty(),
                "{name} has no source"
            );
            for evidence in &finding.evidence {
                let computed = evidence.at.line == 0 && evidence.at.file.starts_with("/proc/spl");
                assert!(evidence.at.line > 0 || computed, "{name}: {:?}", evidence);
            }
            let (what, why) = Language::English.say(&finding);
            assert!(
                !what.contains('{') && !why.contains('{'),
                "{name}: {what} {why}"
            );
            assert!(what.len() > 10 && why.len() > 10, "{name}: {what} {why}");
        }
    }
}

#[test]
fn evidence_points_at_the_line_in_the_pasted_text() {
    let text = "==> /etc/modprobe.d/zfs.conf <==\n# tuning\noptions zfs l2arc_write_max_mb=64\n";
    let (_, found) = read(text);
    let unknown = found
        .iter()
        .find(|f| f.rule.name() == "module-unknown")
        .unwrap();
    assert_eq!(unknown.evidence[0].at.to_string(), "pasted:3");
    assert_eq!(unknown.arguments["near"], "l2arc_write_max");
}

#[test]
fn the_registry_is_in_the_order_of_its_enum() {
    for rule in RULES {
        assert_eq!(rule.id.rule().id, rule.id);
    }
    assert!(RULES.len() >= 60, "{} rules", RULES.len());
}

/// What a fix says it changes silences its rule, and raises no other.
#[test]
fn a_fix_silences_its_rule_and_raises_no_other() {
    for rule in RULES {
        let (system, before) = read(&fixture(rule.id.name()).0);
        for finding in before.iter().filter(|finding| !finding.changes.is_empty()) {
            advice_follows(&system, &before, finding);
        }
    }
}

fn advice_follows(system: &System, before: &[Finding], finding: &Finding) {
    let fixed = finding
        .changes
        .iter()
        .fold(system.clone(), |system, change| system.changed(change));
    let after = audit(&fixed);
    let is =
        |other: &Finding, this: &Finding| other.rule == this.rule && other.subject == this.subject;
    assert!(
        !after.iter().any(|other| is(other, finding)),
        "{} about {} survives its fix {:?}",
        finding.rule.name(),
        finding.subject,
        finding.changes
    );
    for new in &after {
        assert!(
            before.iter().any(|old| is(old, new)),
            "{} about {}: its fix {:?} raises {} about {}",
            finding.rule.name(),
            finding.subject,
            finding.changes,
            new.rule.name(),
            new.subject
        );
    }
}

#[test]
fn the_documentation_lists_every_rule() {
    let text = include_str!("../../../docs/audit.md");
    for rule in RULES {
        assert!(
            text.contains(&format!("| `{}` |", rule.id.name())),
            "{}",
            rule.id.name()
        );
    }
}

#[test]
fn queue_attributes_are_read_as_tail_prints_them() {
    let text = "==> /sys/block/sda/queue/rotational <==\n0\n\n==> /sys/block/sda/queue/scheduler <==\n[mq-deadline] none\n";
    let (_, found) = read(text);
    let scheduler = found
        .iter()
        .find(|f| f.rule.name() == "drive-scheduler")
        .unwrap();
    assert_eq!(scheduler.evidence[0].at.to_string(), "pasted:5");
}

#[test]
fn interfaces_of_one_host_may_differ() {
    let text =
        "==> ip link <==\n2: eth0: <UP> mtu 9000 qdisc mq\n3: wg0: <UP> mtu 1420 qdisc noqueue\n";
    let (_, found) = read(text);
    assert!(found.is_empty(), "{found:?}");
}
