//! What a store keeps, whoever writes to it and whenever it is killed.

use measurement::{Measured, Perturbation, Trial, TrialResult};
use std::fs;
use store::{Error, Found, Key, Run, Store};

fn run() -> Run {
    Run {
        started: "2026-01-01T00:00:00Z".into(),
        wall_s: 2.5,
        host: "here".into(),
        poolwright: "0".into(),
    }
}

fn trial(key: &Key, outcome: TrialResult) -> Trial {
    Trial {
        key: key.to_string(),
        variant: "log/../../none".into(),
        workload: "w".into(),
        repeat: 3,
        seed: u64::MAX,
        // Not representable in few digits: it must come back the same.
        size: 0.1 + 0.2,
        openzfs: "2.4.4".into(),
        offered_rate: None,
        rerun: Some(Perturbation {
            drive: "optane".into(),
            parameter: "flush".into(),
            factor: 2.0,
        }),
        without: None,
        outcome,
    }
}

fn measured(concurrency: f64) -> TrialResult {
    TrialResult::Measured(Box::new(Measured { concurrency, ..Measured::default() }))
}

fn failed() -> TrialResult {
    TrialResult::Failed { reason: "fio: no".into() }
}

/// Stores a trial of these inputs.
fn put(store: &Store, inputs: &[u8], outcome: TrialResult) -> Key {
    let key = Key::from_inputs(inputs);
    let running = store.claim(&key).unwrap().unwrap();
    fs::write(running.raw().join("fio.json"), "{}").unwrap();
    running.finish(inputs, &trial(&key, outcome), &run()).unwrap();
    key
}

fn open() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("store")).unwrap();
    (dir, store)
}

fn entries(store: &Store, name: &str) -> usize {
    fs::read_dir(store.path().join(name)).unwrap().count()
}

fn damage(store: &Store, key: &Key) -> String {
    match store.find(key) {
        Found::Damaged { why } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_trial_comes_back_as_it_was_but_for_the_names_that_its_campaign_gives_it() {
    let (_dir, store) = open();
    let key = put(&store, b"one", measured(8.0));
    let Found::Measured { trial: found, run } = store.find(&key) else {
        panic!("{:?}", store.find(&key));
    };
    assert_eq!(run, Some(self::run()));
    assert_eq!((found.variant.as_str(), found.workload.as_str()), ("", ""));
    assert_eq!((found.repeat, &found.rerun), (0, &None));
    let stated = trial(&key, measured(8.0));
    assert_eq!((found.seed, found.size), (stated.seed, stated.size));
    assert_eq!(found.outcome, stated.outcome);
    let path = store.trial_path(&key);
    assert!(path.ends_with(format!("trials/{}/{key}", &key.as_str()[..2])));
    assert!(path.join("raw/fio.json").is_file());
    assert_eq!(entries(&store, "running"), 0);
}

#[test]
fn a_failed_trial_is_kept_apart_until_it_is_measured() {
    let (_dir, store) = open();
    let key = put(&store, b"one", failed());
    assert!(matches!(store.find(&key), Found::Failed { .. }));
    assert_eq!(store.keys().unwrap(), []);
    put(&store, b"one", measured(1.0));
    assert!(matches!(store.find(&key), Found::Measured { .. }));
    assert_eq!(entries(&store, "failed"), 0);
}

#[test]
fn an_interrupted_trial_is_missing_and_its_files_are_removed() {
    let (dir, store) = open();
    let key = Key::from_inputs(b"one");
    let running = store.claim(&key).unwrap().unwrap();
    fs::write(running.raw().join("fio.json"), "{").unwrap();
    assert!(store.claim(&key).unwrap().is_none());
    assert!(matches!(store.find(&key), Found::Missing));
    drop(running);
    assert_eq!(entries(&store, "running"), 0);
    // As a kill leaves it: files, and a lock that nobody holds.
    fs::create_dir(store.path().join("running").join(key.as_str())).unwrap();
    fs::write(store.path().join(format!("running/{key}.lock")), "").unwrap();
    let again = Store::open(&dir.path().join("store")).unwrap();
    assert_eq!(entries(&again, "running"), 0);
    assert!(again.claim(&key).unwrap().is_some());
}

/// flock(2) holds between open files, so that a second store is as good as another process.
#[test]
fn a_trial_that_another_process_runs_is_left_alone() {
    let (dir, store) = open();
    let key = Key::from_inputs(b"one");
    let running = store.claim(&key).unwrap().unwrap();
    let other = Store::open(&dir.path().join("store")).unwrap();
    assert!(running.raw().is_dir());
    assert!(other.claim(&key).unwrap().is_none());
    let done = trial(&key, measured(1.0));
    running.finish(b"one", &done, &run()).unwrap();
    assert!(matches!(other.find(&key), Found::Measured { .. }));
}

#[test]
fn files_that_do_not_fit_their_key_are_named_and_count_as_missing() {
    let (_dir, store) = open();
    for (file, content, why) in [
        ("inputs.json", "two", "hash"),
        ("result.json", "{\"key\":", "EOF"),
        ("result.json", "", "EOF"),
    ] {
        let key = put(&store, b"one", measured(1.0));
        let path = store.trial_path(&key).join(file);
        fs::write(&path, content).unwrap();
        let message = damage(&store, &key);
        assert!(message.contains(&path.display().to_string()), "{message}");
        assert!(message.contains(why), "{message}");
    }
    // The next run of it takes its place; what was there is kept.
    let key = put(&store, b"one", measured(1.0));
    assert!(matches!(store.find(&key), Found::Measured { .. }));
    assert_eq!(entries(&store, "damaged"), 3);
}

#[test]
fn a_result_under_the_key_of_another_is_damaged() {
    let (_dir, store) = open();
    let one = put(&store, b"one", measured(1.0));
    let two = put(&store, b"two", measured(2.0));
    let result = |key: &Key| store.trial_path(key).join("result.json");
    fs::copy(result(&one), result(&two)).unwrap();
    assert!(damage(&store, &two).contains(one.as_str()));
}

#[test]
fn planned_trials_are_found_by_unique_first_digits() {
    let (_dir, store) = open();
    let inputs: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let key_of = |text: &String| Key::from_inputs(text.as_bytes());
    for text in &inputs {
        store.plan(&key_of(text), text.as_bytes()).unwrap();
    }
    let keys: Vec<Key> = inputs.iter().map(key_of).collect();
    for (key, text) in keys.iter().zip(&inputs) {
        assert_eq!(store.resolve(key.short()).unwrap(), *key);
        assert_eq!(store.inputs(key).unwrap(), text.as_bytes());
    }
    // Forty keys share first digits: there are sixteen.
    let begins = |digit: &str| keys.iter().filter(|k| k.as_str().starts_with(digit)).count();
    let mut digits = keys.iter().map(|key| &key.as_str()[..1]);
    let shared = digits.find(|digit| begins(digit) > 1).unwrap();
    assert!(matches!(store.resolve(shared), Err(Error::Ambiguous { .. })));
    for wrong in ["", "xyz", "../1", "00000000000"] {
        let refused = store.resolve(wrong);
        assert!(matches!(refused, Err(Error::Unknown { .. })), "{wrong}");
    }
}

#[test]
fn inputs_that_were_changed_are_refused() {
    let (_dir, store) = open();
    let key = Key::from_inputs(b"one");
    store.plan(&key, b"one").unwrap();
    let path = store.path().join(format!("planned/{key}.json"));
    fs::write(&path, "two").unwrap();
    let message = store.inputs(&key).unwrap_err().to_string();
    assert!(message.contains(&path.display().to_string()), "{message}");
}

#[test]
fn two_stores_merge_by_union() {
    let (_a, ours) = open();
    let (_b, theirs) = open();
    put(&ours, b"one", measured(1.0));
    put(&ours, b"both", measured(2.0));
    put(&theirs, b"both", measured(2.0));
    let new = put(&theirs, b"two", measured(3.0));
    put(&theirs, b"bad", failed());
    let merged = ours.merge(&theirs).unwrap();
    assert_eq!((merged.copied, merged.same), (1, 1));
    assert!(merged.conflicts.is_empty() && merged.damaged.is_empty());
    assert_eq!(ours.result(&new).unwrap(), theirs.result(&new).unwrap());
    assert!(ours.trial_path(&new).join("raw/fio.json").is_file());
    assert_eq!(ours.keys().unwrap().len(), 3);
    assert_eq!(ours.merge(&theirs).unwrap().copied, 0);
}

#[test]
fn a_file_of_another_program_beside_the_directories_of_a_store_is_passed_over() {
    let (_a, ours) = open();
    let (_b, theirs) = open();
    put(&theirs, b"one", measured(1.0));
    for directory in ["trials", "campaigns", "states", "states/aa"] {
        let directory = theirs.path().join(directory);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join(".directory"), "[Desktop Entry]").unwrap();
    }
    assert_eq!(ours.merge(&theirs).unwrap().copied, 1);
    theirs.trim_states(0).unwrap();
}

#[test]
fn a_trial_that_is_being_run_is_not_called_copied() {
    let (_a, ours) = open();
    let (_b, theirs) = open();
    let key = put(&theirs, b"one", measured(1.0));
    let running = ours.claim(&key).unwrap().unwrap();
    let merged = ours.merge(&theirs).unwrap();
    assert_eq!((merged.running, merged.same, merged.copied), (1, 0, 0));
    drop(running);
    let merged = ours.merge(&theirs).unwrap();
    assert_eq!((merged.running, merged.copied), (0, 1));
}

#[test]
fn one_key_with_two_results_is_a_conflict_that_names_both_files() {
    let (_a, ours) = open();
    let (_b, theirs) = open();
    let key = put(&ours, b"one", measured(1.0));
    put(&theirs, b"one", measured(1.0 + f64::EPSILON));
    let merged = ours.merge(&theirs).unwrap();
    let result = |store: &Store| store.trial_path(&key).join("result.json");
    assert_eq!(merged.conflicts, [(result(&ours), result(&theirs))]);
    assert_eq!(merged.copied, 0);
}

#[test]
fn a_damaged_trial_is_not_merged_and_is_replaced_by_a_good_one() {
    let (_a, ours) = open();
    let (_b, theirs) = open();
    let key = put(&ours, b"one", measured(1.0));
    put(&theirs, b"one", measured(1.0));
    fs::write(ours.trial_path(&key).join("result.json"), "").unwrap();
    let merged = theirs.merge(&ours).unwrap();
    assert_eq!((merged.damaged.len(), merged.copied), (1, 0));
    assert_eq!(ours.merge(&theirs).unwrap().copied, 1);
    assert!(matches!(ours.find(&key), Found::Measured { .. }));
}

#[test]
fn results_of_an_earlier_engine_are_refused_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let campaign = dir.path().join("demo/20260101T000000Z");
    fs::create_dir_all(&campaign).unwrap();
    let journal = campaign.join("journal.sqlite");
    fs::write(&journal, "x").unwrap();
    for path in [dir.path(), &dir.path().join("demo"), &campaign] {
        let message = Store::open(path).unwrap_err().to_string();
        assert!(
            message.contains("cannot read and does not delete: run the lab again"),
            "{message}"
        );
        assert!(message.contains(&path.display().to_string()), "{message}");
    }
    assert!(journal.is_file());
    assert!(Store::open(&dir.path().join("new")).is_ok());
}
