//! What a store keeps of campaigns.

use lab::campaign::Campaign;
use lab::model::{Cap, Model, Rule};
use measurement::{Measured, Trial, TrialResult};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};
use store::{CampaignRecord, Entry, Key, Run, Store};

fn campaign() -> (Campaign, Model) {
    let text = r#"
[host]
memory = "8G"
[drives]
hdd = "1x hdd-7200-16t"
[pool]
vdevs = "hdd0"
[variants.a]
[workloads.w]
fio.job = """
[w]
rw=randwrite
bs=16k
size=1g
"""
"#;
    let profiles = lab::Profiles::builtin();
    let (campaign, _) = lab::load("lab.toml", text, &lab::NoFiles, &profiles).unwrap();
    let model = serde_json::json!({
        "size": 4.0, "size_bound_by": "memory", "arc_max": 1u64 << 30, "drives_hold": 0,
        "dirty_data_max": 1u64 << 28, "dirty_data_max_real": 1u64 << 32,
        "wrlog_data_max": 1u64 << 29, "guest_memory": 2u64 << 30, "caps": [], "notes": [],
    });
    (campaign, serde_json::from_value(model).unwrap())
}

fn record() -> CampaignRecord {
    let (campaign, model) = campaign();
    let builds = BTreeMap::from([("2.4".to_owned(), "build".to_owned())]);
    CampaignRecord::new(&campaign, &model, "title = 'x'", builds)
}

fn entry(key: &str, repeat: u32) -> Entry {
    Entry { key: key.into(), variant: "a".into(), workload: "w".into(), repeat, rerun: None }
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

#[test]
fn the_same_campaign_run_again_takes_the_place_of_the_earlier_and_knows_its_trials() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let mut first = record();
    first.add(entry("a", 0));
    let old = store.keep(&mut first, at(0)).unwrap();
    let mut more = record();
    more.campaign.method.budget_s += 60.0;
    more.campaign.method.max_trials += 2;
    let new = store.keep(&mut more, at(60)).unwrap();
    assert!(!old.exists());
    assert_eq!(store.campaigns("lab").unwrap().as_slice(), std::slice::from_ref(&new));
    assert_eq!(CampaignRecord::read(&new).unwrap().trials, first.trials);
}

/// As two runs of one lab at the same time, of which the one that began first ends last.
#[test]
fn a_campaign_that_two_runs_write_has_the_trials_of_both() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let (mut first, mut second) = (record(), record());
    let old = store.keep(&mut first, at(0)).unwrap();
    let new = store.keep(&mut second, at(60)).unwrap();
    second.add(entry("b", 1));
    store.update(&new, &mut second).unwrap();
    first.add(entry("a", 0));
    assert_eq!(store.update(&old, &mut first).unwrap(), new);
    let left = store.campaigns("lab").unwrap();
    assert_eq!(left, [new]);
    assert_eq!(CampaignRecord::read(&left[0]).unwrap().trials, [entry("a", 0), entry("b", 1)]);
}

#[test]
fn a_campaign_that_two_stores_have_has_the_trials_of_both_after_a_merge() {
    let [(_a, ours), (_b, theirs)] = [(); 2].map(|()| {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        (dir, store)
    });
    let (mut first, mut second) = (record(), record());
    first.add(entry("a", 0));
    second.add(entry("b", 1));
    // In either order of their times, and twice.
    for (our_s, their_s) in [(60, 0), (0, 60)] {
        ours.keep(&mut first, at(our_s)).unwrap();
        theirs.keep(&mut second, at(their_s)).unwrap();
        for _ in 0..2 {
            assert!(ours.merge(&theirs).unwrap().damaged.is_empty());
            let [left] = &ours.campaigns("lab").unwrap()[..] else { panic!("one campaign") };
            assert_eq!(CampaignRecord::read(left).unwrap().trials.len(), 2);
        }
        std::fs::remove_dir_all(ours.path().join("campaigns")).unwrap();
    }
    // A file that cannot be read is reported, and the others are merged.
    let broken = theirs.path().join("campaigns/lab/20200101T000000Z-00000000.json");
    std::fs::write(broken, "{").unwrap();
    assert_eq!(ours.merge(&theirs).unwrap().damaged.len(), 1);
    assert_eq!(ours.campaigns("lab").unwrap().len(), 1);
}

#[test]
fn a_file_of_the_same_campaign_that_cannot_be_read_stays() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let old = store.keep(&mut record(), at(0)).unwrap();
    std::fs::write(&old, "{").unwrap();
    let new = store.keep(&mut record(), at(60)).unwrap();
    assert_eq!(store.campaigns("lab").unwrap(), [old, new]);
}

/// A stated S may be one at which no memory would do.
#[test]
fn a_model_with_a_bound_that_is_infinite_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let mut record = record();
    let why = String::new();
    record.model.caps.push(Cap { rule: Rule::Memory, lower: true, bound: f64::INFINITY, why });
    let path = store.keep(&mut record, at(0)).unwrap();
    assert_eq!(CampaignRecord::read(&path).unwrap().model.caps, record.model.caps);
}

#[test]
fn temporary_files_of_killed_writers_are_removed_and_those_of_others_stay() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let kept = store.keep(&mut record(), at(0)).unwrap();
    let [killed, at_work] = [".a.json.1-0", ".b.json.2-0"].map(|name| kept.with_file_name(name));
    std::fs::write(&killed, "{").unwrap();
    let held = std::fs::File::create(&at_work).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    store.keep(&mut record(), at(0)).unwrap();
    assert_eq!((killed.exists(), at_work.exists(), kept.exists()), (false, true, true));
}

#[test]
fn hidden_files_that_no_writer_of_this_program_made_stay() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let kept = store.keep_report("lab", "report.md", "old").unwrap();
    let [ignored, git] = [".gitignore", ".git"].map(|name| kept.with_file_name(name));
    std::fs::write(&ignored, "*.csv").unwrap();
    std::fs::create_dir(&git).unwrap();
    store.keep_report("lab", "report.md", "new").unwrap();
    assert_eq!((ignored.exists(), git.exists()), (true, true));
}

#[test]
fn another_build_or_another_lab_is_another_campaign_and_the_newest_is_last() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let first = store.keep(&mut record(), at(0)).unwrap();
    let mut built = record();
    built.builds.insert("2.4".into(), "other".into());
    let second = store.keep(&mut built, at(1)).unwrap();
    let mut edited = record();
    edited.campaign.method.ramp_s += 1.0;
    let third = store.keep(&mut edited, at(2)).unwrap();
    assert_eq!(store.campaigns("lab").unwrap(), [first, second, third]);
}

#[test]
fn trials_are_loaded_under_the_names_of_the_campaign_also_where_two_share_one() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let key = Key::from_inputs(b"inputs");
    let running = store.claim(&key).unwrap().unwrap();
    let trial = Trial {
        key: key.to_string(),
        variant: "of another lab".into(),
        workload: String::new(),
        repeat: 7,
        seed: 1,
        size: 1.0,
        openzfs: "2.4.4".into(),
        offered_rate: None,
        rerun: None,
        without: None,
        outcome: TrialResult::Measured(Box::<Measured>::default()),
    };
    let run =
        Run { started: String::new(), wall_s: 1.0, host: String::new(), poolwright: String::new() };
    running.finish(b"inputs", &trial, &run).unwrap();
    let mut record = record();
    record.add(entry(key.as_str(), 0));
    record.add(Entry { variant: "twin".into(), ..entry(key.as_str(), 0) });
    record.add(entry(Key::from_inputs(b"missing").as_str(), 1));
    record.add(entry("../../etc", 2));
    let (trials, damaged) = record.load(&store);
    let name = |t: &Trial| (t.variant.clone(), t.repeat);
    let names: Vec<(String, u32)> = trials.iter().map(name).collect();
    assert_eq!(names, [("a".to_owned(), 0), ("twin".to_owned(), 0)]);
    assert_eq!(trials[0].outcome, trials[1].outcome);
    assert_eq!(damaged.len(), 1, "{damaged:?}");
}

#[test]
fn a_damaged_campaign_says_that_running_the_lab_again_uses_its_trials() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    let path = store.keep(&mut record(), at(0)).unwrap();
    std::fs::write(&path, "{\"broken").unwrap();
    let message = CampaignRecord::read(&path).unwrap_err().to_string();
    assert!(message.starts_with(&path.display().to_string()), "{message}");
    assert!(message.ends_with("Run the lab again: its stored trials are used"), "{message}");
}
