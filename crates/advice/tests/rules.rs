//! Each rule has a fixture that fires it and one that does not, in the words of the tools.
//!
//! `tests/rules/<rule>.txt` holds both, after `##### fires` and `##### silent`, each as `tail`
//! prints several files.

use advice::audit::{Change, Finding, RULES, Step, audit};
use advice::lang::{self, Language};
use advice::system::{Input, Leaf, System, UNKNOWN, gather};
use facts::zpool_status::VdevKind;
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
                let computed = ["/proc/spl", "/proc/diskstats", "zpool iostat"]
                    .iter()
                    .any(|source| evidence.at.line == 0 && evidence.at.file.starts_with(source));
                assert!(evidence.at.line > 0 || computed, "{name}: {:?}", evidence);
            }
            for language in Language::ALL {
                let (what, why) = lang::say(language, &finding);
                assert!(
                    !what.contains('{') && !why.contains('{'),
                    "{name}: {what} {why}"
                );
                assert!(what.len() > 10 && why.len() > 10, "{name}: {what} {why}");
            }
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

/// The system after a step of a fix, where the step does something that a text would show.
fn after(system: &System, step: &Step) -> Option<System> {
    let mut system = system.clone();
    let words = match step {
        Step::Run(words) => words.iter().map(String::as_str).collect::<Vec<_>>(),
        Step::Line { .. } | Step::Without { .. } => return None,
    };
    match words.as_slice() {
        ["zpool", "remove", pool, name] => {
            let pool = system.pools.iter_mut().find(|p| p.name == *pool)?;
            let before = pool.vdevs.len();
            pool.vdevs
                .retain(|vdev| vdev.name != *name && !vdev.leaves.iter().any(|l| l.name == *name));
            (pool.vdevs.len() < before).then_some(())?;
        }
        ["zpool", "attach", pool, beside, drive] => {
            let pool = system.pools.iter_mut().find(|p| p.name == *pool)?;
            let vdev = pool
                .vdevs
                .iter_mut()
                .find(|v| v.leaves.iter().any(|l| l.name == *beside))?;
            let at = vdev.at.clone();
            vdev.kind = VdevKind::Mirror;
            vdev.leaves.push(Leaf {
                name: drive.to_string(),
                at,
            });
        }
        ["zfs", "set", setting, dataset] => {
            let (property, value) = setting.split_once('=')?;
            let change = Change::Dataset {
                dataset: dataset.to_string(),
                property: property.to_string(),
                value: value.to_string(),
            };
            return Some(system.changed(&change));
        }
        ["zpool", "checkpoint", "--discard", pool] => {
            let pool = system.pools.iter_mut().find(|p| p.name == *pool)?;
            pool.properties.retain(|name, _| name != "checkpoint");
            pool.status
                .as_mut()?
                .1
                .others
                .retain(|(name, _)| name != "checkpoint");
        }
        _ => return None,
    }
    Some(system)
}

/// What a fix says it changes silences its rule, and raises no other; so do its commands where they
/// do to a pool what a text would show.
#[test]
fn a_fix_silences_its_rule_and_raises_no_other() {
    let mut followed = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    for rule in RULES {
        let (system, before) = read(&fixture(rule.id.name()).0);
        for finding in &before {
            let fixed = finding
                .changes
                .iter()
                .fold(system.clone(), |s, change| s.changed(change));
            let fixed = finding
                .steps
                .iter()
                .try_fold(fixed, |s, step| after(&s, step));
            // Steps that a text does not show: buying, creating anew, looking closer.
            let Some(fixed) = fixed.filter(|fixed| *fixed != system) else {
                assert!(
                    !finding.steps.is_empty(),
                    "{} has no fix",
                    finding.rule.name()
                );
                continue;
            };
            wrong.extend(not_followed(&before, finding, &audit(&fixed)));
            followed.insert(finding.rule.name());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        followed.len() >= 60,
        "{} rules: {followed:?}",
        followed.len()
    );
}

/// What is wrong with a fix that was followed.
fn not_followed(before: &[Finding], finding: &Finding, after: &[Finding]) -> Vec<String> {
    let is =
        |other: &Finding, this: &Finding| other.rule == this.rule && other.subject == this.subject;
    let fix: Vec<String> = finding.fix().iter().map(ToString::to_string).collect();
    let what = format!(
        "{} about {}: its fix {fix:?}",
        finding.rule.name(),
        finding.subject
    );
    let mut wrong = Vec::new();
    if after.iter().any(|other| is(other, finding)) {
        wrong.push(format!("{what} does not silence it"));
    }
    for new in after {
        if !before.iter().any(|old| is(old, new)) {
            wrong.push(format!(
                "{what} raises {} about {}",
                new.rule.name(),
                new.subject
            ));
        }
    }
    wrong
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
