//! Each rule has a fixture that fires it and one that does not, in the words of the tools.
//!
//! `tests/rules/<rule>.txt` holds both, after `##### fires` and `##### silent`, each as `tail`
//! prints several files.

mod fix_applied;

use advice::audit::{Finding, TOPICS, audit, rules};
use advice::setting::{Setting, Target};
use advice::system::{Input, Leaf, System, UNKNOWN, gather};
use advice::tune::{Need, Server, Workload, tune};
use fix_applied::changed;
use std::path::PathBuf;
use text::Language;
use zfs::Layout;

/// 2024-06-01, twenty days after the fixtures' scrubs.
const TODAY: i64 = 19_875;

fn fixture(rule: &str) -> (String, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/rules/{rule}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (fires, silent) = text.split_once("##### silent\n").expect("two parts");
    (fires.trim_start_matches("##### fires\n").to_string(), silent.to_string())
}

fn read(text: &str) -> (System, Vec<Finding>) {
    let input = Input { name: "pasted".to_string(), text: text.to_string() };
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
    for rule in rules() {
        let name = rule.name;
        let (fires, silent) = fixture(name);
        let (_, found) = read(&fires);
        if !found.iter().any(|finding| finding.rule == rule) {
            wrong.push(format!("{name}: does not fire; found {:?}", names(&found)));
        }
        let (_, found) = read(&silent);
        if found.iter().any(|finding| finding.rule == rule) {
            wrong.push(format!("{name}: fires on its silent fixture"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn names(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule.name).collect()
}

#[test]
fn every_finding_has_evidence_a_fix_a_source_and_a_whole_sentence() {
    for rule in rules() {
        let (_, found) = read(&fixture(rule.name).0);
        for finding in found {
            let name = finding.rule.name;
            assert!(!finding.evidence.is_empty(), "{name} has no evidence");
            assert!(!finding.fix().is_empty(), "{name} has no fix");
            assert!(!finding.rule.sources.is_empty(), "{name} has no source");
            for evidence in &finding.evidence {
                let computed = ["/proc/spl", "/proc/diskstats", "zpool iostat"]
                    .iter()
                    .any(|source| evidence.at.line == 0 && evidence.at.file.starts_with(source));
                assert!(evidence.at.line > 0 || computed, "{name}: {:?}", evidence);
            }
            for language in Language::ALL {
                let (what, why) = finding.text(language);
                assert!(!what.contains('{') && !why.contains('{'), "{name}: {what} {why}");
                assert!(what.len() > 10 && why.len() > 10, "{name}: {what} {why}");
            }
        }
    }
}

#[test]
fn evidence_points_at_the_line_in_the_pasted_text() {
    let text = "==> /etc/modprobe.d/zfs.conf <==\n# tuning\noptions zfs l2arc_write_max_mb=64\n";
    let (_, found) = read(text);
    let unknown = found.iter().find(|f| f.rule.name == "module-unknown").unwrap();
    assert_eq!(unknown.evidence[0].at.to_string(), "pasted:3");
    assert_eq!(unknown.arguments["near"], "l2arc_write_max");
}

#[test]
fn a_session_of_a_terminal_is_divided_by_its_prompts() {
    let session = "root@pve1:~# zpool status\n  pool: tank\n state: ONLINE\nconfig:\n\n\ttank     ONLINE  0  0  0\n\
                   \t  nvme0n1  ONLINE  0  0  0\n\nerrors: No known data errors\nroot@pve1:~# zfs get -s local all tank\n\
                   NAME  PROPERTY  VALUE     SOURCE\ntank  sync      disabled  local\n\
                   root@pve1:~# cat /etc/modprobe.d/zfs.conf\noptions zfs zfs_arc_max=1048576\nroot@pve1:~# \n";
    let (system, unread) = gather(&[Input { name: "session".into(), text: session.into() }]);
    assert!(unread.is_empty(), "{unread:?}");
    assert_eq!((system.pools.len(), system.datasets.len()), (1, 1));
    let set = &system.module["zfs_arc_max"];
    assert_eq!((set.at.file.as_str(), set.at.line), ("session", 14));
}

#[test]
fn every_lab_that_a_rule_names_exists() {
    for rule in rules() {
        let Some(lab) = rule.lab else { continue };
        let words: Vec<&str> = lab.split(' ').collect();
        let text = lab::builtin::lab(words[0]).unwrap_or_else(|| panic!("{}: {lab}", rule.name));
        if words.len() == 1 {
            continue;
        }
        let profiles = lab::Profiles::builtin();
        let (campaign, _) = lab::load(words[0], text, &lab::NoFiles, &profiles).unwrap();
        for option in words[1..].chunks(2) {
            let known = match option {
                ["--variant", name] => campaign.variants.iter().any(|known| known.name == *name),
                ["--workload", name] => campaign.workloads.iter().any(|known| known.name == *name),
                other => *other == ["--pages", "16K"],
            };
            assert!(known, "{}: {lab}", rule.name);
        }
    }
}

/// The system after a command of a fix, where the command does something that a text would show.
fn after(system: &System, command: &[String]) -> Option<System> {
    let mut system = system.clone();
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
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
            let vdev =
                pool.vdevs.iter_mut().find(|v| v.leaves.iter().any(|l| l.name == *beside))?;
            let at = vdev.at.clone();
            vdev.layout = Layout::Mirror;
            vdev.leaves.push(Leaf { name: drive.to_string(), at });
        }
        ["zfs", "set", setting, dataset] => {
            let (property, value) = setting.split_once('=')?;
            let change = Setting {
                target: Target::Dataset(dataset.to_string()),
                name: property.to_string(),
                value: Some(value.to_string()),
            };
            return Some(changed(&system, &change));
        }
        ["zpool", "checkpoint", "--discard", pool] => {
            let pool = system.pools.iter_mut().find(|p| p.name == *pool)?;
            pool.properties.retain(|name, _| name != "checkpoint");
            pool.status.as_mut()?.1.others.retain(|(name, _)| name != "checkpoint");
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
    for rule in rules() {
        let (system, before) = read(&fixture(rule.name).0);
        for finding in &before {
            let fixed =
                finding.changes.iter().fold(system.clone(), |s, change| changed(&s, change));
            let fixed = finding.commands.iter().try_fold(fixed, |s, command| after(&s, command));
            // Steps that a text does not show: buying, creating anew, looking closer.
            let Some(fixed) = fixed.filter(|fixed| *fixed != system) else {
                assert!(!finding.commands.is_empty(), "{} has no fix", finding.rule.name);
                continue;
            };
            wrong.extend(not_followed(&before, finding, &audit(&fixed)));
            followed.insert(finding.rule.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(followed.len() >= 60, "{} rules: {followed:?}", followed.len());
}

/// What is wrong with a fix that was followed.
fn not_followed(before: &[Finding], finding: &Finding, after: &[Finding]) -> Vec<String> {
    let is =
        |other: &Finding, this: &Finding| other.rule == this.rule && other.subject == this.subject;
    let fix = finding.fix();
    let what = format!("{} about {}: its fix {fix:?}", finding.rule.name, finding.subject);
    let mut wrong = Vec::new();
    if after.iter().any(|other| is(other, finding)) {
        wrong.push(format!("{what} does not silence it"));
    }
    for new in after {
        if !before.iter().any(|old| is(old, new)) {
            wrong.push(format!("{what} raises {} about {}", new.rule.name, new.subject));
        }
    }
    wrong
}

/// docs/reference/audit.md holds one table a topic, made from the rules.
#[test]
fn the_documentation_lists_every_rule() {
    let page = include_str!("../../../docs/reference/audit.md");
    for (topic, rules) in TOPICS {
        let mut table = format!("### {topic}\n\n| rule | finds | lab |\n|---|---|---|\n");
        for rule in *rules {
            let what = rule.what.replace(['{', '}'], "*");
            let lab = rule.lab.unwrap_or_default();
            table.push_str(&format!("| `{}` | {what} | {lab} |\n", rule.name));
        }
        assert!(page.contains(&table), "docs/reference/audit.md must contain:\n\n{table}");
    }
}

#[test]
fn queue_attributes_are_read_as_tail_prints_them() {
    let text = "==> /sys/block/sda/queue/read_ahead_kb <==\n4096\n\n==> /sys/block/sda/queue/rotational <==\n0\n\n\
                ==> /sys/block/sda/queue/scheduler <==\n[mq-deadline] none\n\n==> /sys/block/sda/queue/write_cache <==\nwrite back\n";
    let (_, found) = read(text);
    // The attributes that follow take nothing away from those before.
    for (rule, line) in [("drive-read-ahead", "pasted:2"), ("drive-scheduler", "pasted:8")] {
        let found = found.iter().find(|found| found.rule.name == rule).expect(rule);
        assert_eq!(found.evidence[0].at.to_string(), line);
    }
}

#[test]
fn interfaces_of_one_host_may_differ() {
    let text =
        "==> ip link <==\n2: eth0: <UP> mtu 9000 qdisc mq\n3: wg0: <UP> mtu 1420 qdisc noqueue\n";
    let (_, found) = read(text);
    assert!(found.is_empty(), "{found:?}");
}

/// With pages of 32K, records of 16K would tear each page, and those of 32K are its pages.
#[test]
fn a_record_is_never_smaller_than_the_page_that_a_server_was_made_with() {
    let text = |record: &str| {
        format!(
            "==> zfs get all <==\nNAME  PROPERTY  VALUE  SOURCE\ntank/mysql\trecordsize\t{record}\tlocal\n\
             ==> /etc/mysql/my.cnf <==\n[mysqld]\ninnodb_page_size = 32K\n"
        )
    };
    let about_records = |found: &[Finding]| -> Vec<&'static str> {
        names(found).into_iter().filter(|name| name.starts_with("database-records")).collect()
    };
    let (system, found) = read(&text("128K"));
    assert_eq!(about_records(&found), ["database-records-large"]);
    let large = found.iter().find(|f| f.rule.name == "database-records-large").unwrap();
    assert_eq!(large.changes[0].value.as_deref(), Some("32K"));
    let fixed = large.changes.iter().fold(system, |system, change| changed(&system, change));
    assert!(about_records(&audit(&fixed)).is_empty());
    assert_eq!(about_records(&read(&text("16K")).1), ["database-records-torn"]);
    let need = Need {
        server: Server::Mysql,
        workload: Workload::Oltp,
        memory: 64 << 30,
        cores: 8,
        allow_loss_s: 0.0,
        system: fixed,
        card: None,
    };
    let choices = tune(&need);
    let record = choices.iter().find(|choice| choice.name() == "recordsize").unwrap();
    assert_eq!(record.value(), "32K");
}
