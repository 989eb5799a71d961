//! Which checks of docs/validation a report names, derived from the campaign's configuration and results.

mod synthetic;

use findings::analyse;
use findings::quality::validation::{Figure, Part, Row, rows};
use findings::schema::{Beyond, DriveState, Processor, SizeState, Validation};
use lab::campaign::{
    self, AllocationClass, Campaign, FilesystemOnDrives, Layout, MdLevel, Program, Stack, Variant,
};
use lab::{Files, Profiles, load};
use measurement::Trial;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use synthetic::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn covered(campaign: &Campaign, trials: &[Trial]) -> Vec<Validation> {
    analyse(campaign, &model(), trials).validation
}

fn beyond(campaign: &Campaign) -> Vec<Beyond> {
    let all = covered(campaign, &[]);
    let found = all.into_iter().find_map(|part| match part {
        Validation::Pool { beyond } => Some(beyond),
        _ => None,
    });
    found.expect("the pool is always named")
}

/// The state of a kind of drive.
fn drive(campaign: &Campaign, name: &str) -> Option<DriveState> {
    let mut all = covered(campaign, &[]).into_iter();
    all.find_map(|part| match part {
        Validation::Drive { kind, state, .. } if kind == name => Some(state),
        _ => None,
    })
}

/// A raidz2 with and without a log; its disks have this profile, as it comes.
fn with_disks(profile: &str) -> Campaign {
    let numbers = Profiles::builtin().get(profile).unwrap().unwrap();
    let mut variants = vec![variant(false, false), variant(true, false)];
    for variant in &mut variants {
        let kind = variant.drives.get_mut("hdd").unwrap();
        kind.profile = profile.to_owned();
        kind.numbers = serde_json::to_value(&numbers).unwrap();
    }
    campaign(variants, SYNC_JOB)
}

#[test]
fn a_drive_is_as_checked_as_the_rows_of_its_profile() {
    let mine = |row: &&Row| row.profile.as_deref() == Some("optane-p4800x");
    let held_out: Vec<&Row> = rows().iter().filter(mine).filter(|r| r.held_out).collect();
    let DriveState::Compared { held_out: counted, worst: Some(worst), .. } =
        drive(&with_disks("optane-p4800x"), "hdd").unwrap()
    else {
        panic!("the P4800X has figures that were held out");
    };
    assert_eq!(counted as usize, held_out.len());
    assert!(held_out.iter().all(|r| (r.ratio() - 1.0).abs() <= worst));
    assert_eq!(drive(&with_disks("p4801x-100g"), "hdd"), Some(DriveState::NotCompared));
}

#[test]
fn a_changed_number_takes_a_profiles_checks_away_and_an_unused_drive_has_none() {
    let mut changed = with_disks("optane-p4800x");
    let kind = changed.variants[1].drives.get_mut("hdd").unwrap();
    kind.numbers["flash"]["flush_us"]["value"] = 99.0.into();
    assert_eq!(drive(&changed, "hdd"), Some(DriveState::Changed));
    assert_eq!(drive(&changed, "nvme"), None);
    let own = campaign(vec![variant(true, false)], SYNC_JOB);
    assert_eq!(drive(&own, "optane"), Some(DriveState::Own));
}

#[test]
fn synchronous_writes_on_raidz2_are_what_the_reference_pool_has() {
    let same = campaign(vec![variant(false, false), variant(true, false)], SYNC_JOB);
    assert_eq!(beyond(&same), []);
}

/// What is not covered once one thing of the reference pool is different.
fn differing(change: impl Fn(&mut Variant), job: &str) -> Vec<Beyond> {
    let mut variant = variant(true, false);
    change(&mut variant);
    beyond(&campaign(vec![variant], job))
}

#[test]
fn each_difference_from_the_reference_pool_is_named() {
    let mirror = |v: &mut Variant| v.pool.vdevs[0].layout = Layout::Mirror;
    assert_eq!(differing(mirror, SYNC_JOB), []);
    let raidz1 = |v: &mut Variant| v.pool.vdevs[0].layout = Layout::Raidz { parity: 1 };
    let layout = Beyond::Layout { layout: "raidz1".into() };
    assert_eq!(differing(raidz1, SYNC_JOB), [layout]);
    let cache = |v: &mut Variant| {
        v.pool.vdevs.push(vdev(AllocationClass::Cache, Layout::Single, "nvme", 1));
        v.pool.vdevs.push(vdev(AllocationClass::Special, Layout::Mirror, "nvme", 2));
    };
    assert_eq!(differing(cache, SYNC_JOB), []);
    let dedup = |v: &mut Variant| {
        v.pool.vdevs.push(vdev(AllocationClass::Dedup, Layout::Mirror, "nvme", 2))
    };
    assert_eq!(differing(dedup, SYNC_JOB), [Beyond::Dedup]);
    let disks = |v: &mut Variant| {
        v.drives.get_mut("optane").unwrap().numbers["kind"] = "hdd".into();
    };
    assert_eq!(differing(disks, SYNC_JOB), [Beyond::LogOnDisks]);
    let md = |v: &mut Variant| {
        v.pool.vdevs.clear();
        v.stack = Stack::Filesystem(FilesystemOnDrives {
            level: Some(MdLevel::Raid10),
            drives: Vec::new(),
            chunk: None,
            ppl: false,
            filesystem: campaign::Filesystem::Xfs,
            mount_options: String::new(),
        });
    };
    assert_eq!(differing(md, SYNC_JOB), [Beyond::Stack { stack: "md".into() }]);
    let lone = |v: &mut Variant| {
        md(v);
        if let Stack::Filesystem(on_drives) = &mut v.stack {
            on_drives.level = None;
        }
    };
    assert_eq!(differing(lone, SYNC_JOB), [Beyond::Stack { stack: "xfs".into() }]);
}

#[test]
fn reads_and_asynchronous_writes_of_fio_are_covered_and_databases_are_not() {
    assert_eq!(differing(|_| (), "[w]\nrw=randread\nbs=8k\n"), []);
    assert_eq!(differing(|_| (), "[w]\nrw=randwrite\nbs=8k\n"), []);
    let mut database = campaign(vec![variant(true, false)], SYNC_JOB);
    database.workloads[0].program = Program::Pgbench(Box::default());
    let name = database.workloads[0].name.clone();
    assert_eq!(beyond(&database), [Beyond::Client { workload: name }]);
}

#[test]
fn cells_whose_cores_are_busy_are_counted_and_free_compute_is_named() {
    let variants = vec![variant(false, false), variant(true, false)];
    let busy = Truth { processor: 0.97, ..Truth::flat(4300.0) };
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], busy.clone())];
    let all = trials(&truths, 3, 0.003);
    let mut campaign = campaign(variants, SYNC_JOB);
    let part = |campaign: &Campaign| {
        let mut parts = covered(campaign, &all).into_iter();
        parts.find(|part| matches!(part, Validation::Processor { .. }))
    };
    let charged = Validation::Processor { processor: Processor::Charged, bound: 1, cells: 2 };
    assert_eq!(part(&campaign), Some(charged));
    campaign.host.processor = campaign::Processor::Free;
    assert!(matches!(
        part(&campaign),
        Some(Validation::Processor { processor: Processor::Free, .. })
    ));
}

#[test]
fn the_size_scale_is_checked_here_or_by_the_self_check_or_not() {
    let campaign = campaign(vec![variant(false, false)], SYNC_JOB);
    let at = |size: f64, trials: &[Trial]| {
        let mut model = model();
        model.size = size;
        let parts = analyse(&campaign, &model, trials).validation;
        let mut states = parts.into_iter().filter_map(|part| match part {
            Validation::Size { state, .. } => Some(state),
            _ => None,
        });
        states.next().unwrap()
    };
    assert_eq!(at(1.0, &[]), SizeState::Whole);
    let sizes = rows().iter().filter_map(|row| row.size);
    let from = sizes.clone().reduce(f64::min);
    let to = sizes.reduce(f64::max);
    let inside = match (from, to) {
        (Some(from), Some(to)) if from <= 12.0 && to >= 12.0 => SizeState::Elsewhere { from, to },
        _ => SizeState::Unchecked { from, to },
    };
    assert_eq!(at(12.0, &[]), inside);
    assert_eq!(at(500.0, &[]), SizeState::Unchecked { from, to });
    let variants = [variant(false, false)];
    let mut all = trials(&[(&variants[0], Truth::flat(640.0))], 2, 0.003);
    all.push(Trial {
        size: 24.0,
        key: "twice".into(),
        ..trial("none/none", 0, measured(&Truth::flat(900.0)))
    });
    let moved = SizeState::Measured { cells: 1, moved: 1 };
    assert_eq!(at(12.0, &all), moved);
}

#[test]
fn a_published_table_is_named_where_the_question_is_from_one() {
    let mut campaign = campaign(vec![variant(false, false)], SYNC_JOB);
    let named = |campaign: &Campaign| {
        let parts = covered(campaign, &[]);
        let is =
            |part: &Validation| matches!(part, Validation::Published { key } if key == "hk-2025");
        parts.iter().any(is)
    };
    assert!(named(&campaign));
    campaign.source = Some("a forum".into());
    assert!(!named(&campaign));
}

/// Files of docs/validation/labs, as a lab names them.
struct Beside;

impl Files for Beside {
    fn read(&self, path: &str) -> Result<String, String> {
        let file = root().join("docs/validation/labs").join(path);
        std::fs::read_to_string(file).map_err(|e| e.to_string())
    }
}

#[test]
fn every_lab_in_docs_validation_resolves() {
    let folder = root().join("docs/validation/labs");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display().to_string();
            let loaded = load(&name, &text, &Beside, &Profiles::builtin());
            assert!(loaded.is_ok(), "{name}: {:#?}", loaded.err());
            found += 1;
        }
    }
    assert!(found >= 2);
}

#[test]
fn every_source_of_a_lab_is_a_table_of_published_results() {
    let mut found = 0;
    for entry in std::fs::read_dir(root().join("labs")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(line) = text.lines().find(|line| line.starts_with("source")) else { continue };
        for key in line.split('"').nth(1).unwrap().split(',') {
            let table = root().join(format!("published/{}.toml", key.trim()));
            assert!(table.is_file(), "{}: {key}", path.display());
            found += 1;
        }
    }
    assert!(found > 20);
}

/// A number as the table has it: `585,000`, `25.5`.
fn number(value: f64) -> String {
    let text = match value.abs() {
        a if a >= 100.0 => format!("{value:.0}"),
        a if a >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match rest.is_empty() {
        true => grouped,
        false => format!("{grouped}.{rest}"),
    }
}

/// The rows of a part, as the page shows them.
fn table(part: Part) -> String {
    let mut out = String::from(
        "| what | reference | published | machine | ratio | figure was | verdict | command | date |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows().iter().filter(|row| row.part == part) {
        let published = match row.published {
            Figure::One(value) => number(value),
            Figure::Range(low, high) => format!("{} to {}", number(low), number(high)),
        };
        let was = if row.held_out { "held out" } else { "fitted" };
        let profile = row.profile.as_ref().map(|p| format!("`{p}`: "));
        let _ = writeln!(
            out,
            "| {}{} | {} | {published} {unit} | {} {unit} | {:.2} | {was} | {} | {} | {} |",
            profile.unwrap_or_default(),
            row.what,
            row.reference,
            number(row.machine),
            row.ratio(),
            row.verdict,
            row.command,
            row.date,
            unit = row.unit,
        );
    }
    out
}

/// `UPDATE_VALIDATION=1 cargo test -p findings --test validation` writes the tables anew.
#[test]
fn the_validation_page_is_that_of_checks_toml() {
    let file = root().join("docs/validation/README.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let mut current = page.clone();
    for (name, part) in [("drive", Part::Drive), ("pool", Part::Pool), ("size", Part::Size)] {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end {name} -->"));
        let from = current.find(&begin).unwrap() + begin.len();
        let to = current.find(&end).unwrap();
        current.replace_range(from..to, &table(part));
    }
    if std::env::var_os("UPDATE_VALIDATION").is_some() {
        std::fs::write(&file, &current).unwrap();
        return;
    }
    assert!(
        page == current,
        "docs/validation/README.md does not show docs/validation/checks.toml: \
         run `UPDATE_VALIDATION=1 cargo test -p findings --test validation`"
    );
}

/// Each claim has one of five verdicts, and what it names is there: labs, audit rules, tables and verbs.
#[test]
fn every_claim_names_a_lab_rule_table_or_verb_that_exists() {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).unwrap();
    let (page, rules) = (read("docs/validation/claims.md"), read("docs/reference/audit.md"));
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| claim |"));
    let mut claims = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [claim, verdict, found, by] = cells[..] else { panic!("four columns: {row}") };
        let words = ["supported", "conditional", "contradicted", "undecided", "not tested"];
        let known = words.iter().any(|word| verdict.starts_with(&format!("**{word}**")));
        assert!(known && !found.is_empty(), "{claim}: {verdict}");
        for name in by.split('`').skip(1).step_by(2) {
            let is_lab = root().join(format!("labs/{name}.toml")).is_file();
            let is_rule = rules.contains(&format!("`{name}`"));
            let is_verb = ["plan", "tune"].contains(&name);
            let table = name.strip_prefix("audit --results").map(str::trim);
            let is_table = table.is_some_and(|file| file.is_empty() || root().join(file).is_file());
            assert!(is_lab || is_rule || is_verb || is_table, "{claim}: there is no `{name}`");
        }
        claims += 1;
    }
    assert!(claims > 30, "{claims} claims");
}

/// Each page of a lab is linked in the table, has its row's claim and is of that lab, by its title and command.
#[test]
fn the_pages_of_labs_are_those_of_the_table() {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).unwrap();
    let table = read("docs/validation/labs.md");
    let mut linked = Vec::new();
    for row in table.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let (lab, file) = cells[0].trim_matches(['[', ')']).split_once("](").unwrap();
        let page = read(&format!("docs/validation/{file}"));
        let claim = format!("\n- Claim: {}\n- Former engine: ", cells[1]);
        let command = format!("\n- Command: `poolwright run {lab}`, 20");
        assert!(page.contains(&claim), "{file}: {claim}");
        assert!(page.contains(&command), "{file}: {command}");
        let text = read(&format!("labs/{lab}.toml"));
        let title = text.lines().find_map(|line| line.strip_prefix("title")).unwrap();
        let title = title.split('"').nth(1).unwrap();
        // Markdown's own characters are escaped on the page.
        let heading = page.lines().next().unwrap().replace('\\', "");
        assert_eq!(heading, format!("# {title}"), "{file}");
        linked.push(format!("{lab}.md"));
    }
    assert!(linked.len() >= 30, "{} labs have pages", linked.len());
    let pages = std::fs::read_dir(root().join("docs/validation/labs")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let strays: Vec<String> =
        pages.filter(|name| name.ends_with(".md") && !linked.contains(name)).collect();
    assert!(strays.is_empty(), "no row of docs/validation/labs.md links {strays:?}");
}
