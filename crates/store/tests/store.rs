//! What a campaign's directory keeps, across kills and repeats.

use findings::record::{Measured, Outcome, Perturbation, Trial};
use lab::campaign::{Campaign, Host, Method, Scale};
use std::path::Path;
use std::time::{Duration, SystemTime};
use store::{Error, MadeBy, Scratch, State, Store, Unfinished};

fn campaign() -> Campaign {
    Campaign {
        title: "A test".into(),
        source: None,
        name: "a-test".into(),
        host: Host {
            memory: 8 << 30,
            cores: 4,
            memory_price: None,
        },
        variants: vec![],
        workloads: vec![],
        method: Method {
            baseline: "none".into(),
            // Not representable in few digits: it must come back the same.
            precision: 0.1 + 0.2,
            budget_s: 60.0,
            min_trials: 2,
            max_trials: 4,
            runtime_s: None,
            ramp_s: 1.0,
            ramp_most_s: None,
            seed: 7,
            sensitivity: Vec::new(),
            warm_up_s: 0.0,
            size_check: Vec::new(),
            restart: false,
        },
        scale: Scale {
            size: None,
            time: None,
            dirty_data_max: None,
        },
    }
}

fn trial(id: u64, outcome: Outcome) -> Trial {
    Trial {
        id,
        variant: "log/../../none".into(),
        workload: "w".into(),
        repeat: 0,
        seed: u64::MAX,
        started: "2026-01-01T00:00:00Z".into(),
        wall_s: 2.5,
        window_wall_s: 1.0,
        size: 1.0,
        time: 5.0,
        openzfs: "2.1.11".into(),
        offered_rate: None,
        rerun: None,
        outcome,
    }
}

fn measured() -> Outcome {
    Outcome::Measured(Box::new(Measured {
        concurrency: 8.0,
        runtime_s: 10.0,
        read: Default::default(),
        write: Default::default(),
        sync: Default::default(),
        seconds: vec![],
        stages: Default::default(),
        fidelity: Default::default(),
        totals: Default::default(),
        facts: Default::default(),
        features: vec![],
        notes: vec![],
        warm_up: None,
    }))
}

fn failed() -> Outcome {
    Outcome::Failed {
        reason: "fio: no".into(),
    }
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

fn open(results: &Path, campaign: &Campaign, fresh: bool) -> (Store, Unfinished) {
    open_with(results, campaign, fresh, "one")
}

fn open_with(results: &Path, campaign: &Campaign, fresh: bool, build: &str) -> (Store, Unfinished) {
    let text = "title = 'A test'";
    Store::open(results, campaign, text, &made_by(build), fresh, at(0)).unwrap()
}

fn made_by(build: &str) -> MadeBy {
    let all = [("poolfs-2.1", build), ("fio", "fio-3.33")];
    all.map(|(name, of)| (name.to_owned(), of.to_owned()))
        .into()
}

#[test]
fn the_same_campaign_is_continued_also_with_more_time_or_more_trials() {
    let results = tempfile::tempdir().unwrap();
    let (first, state) = open(results.path(), &campaign(), false);
    assert_eq!(state, Unfinished::New);
    let path = first.path().to_owned();
    drop(first);
    let mut longer = campaign();
    longer.method.budget_s = 600.0;
    let (second, state) = open(results.path(), &longer, false);
    assert_eq!((second.path(), state), (&*path, Unfinished::Continued));
    drop(second);
    longer.method.max_trials += 2;
    let (third, state) = open(results.path(), &longer, false);
    assert_eq!((third.path(), state), (&*path, Unfinished::Continued));
    let kept: Campaign = {
        let text = std::fs::read_to_string(path.join("campaign.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(kept.method.max_trials, longer.method.max_trials);
}

#[test]
fn another_seed_or_fresh_begins_a_new_directory() {
    let results = tempfile::tempdir().unwrap();
    let (first, _) = open(results.path(), &campaign(), false);
    let mut other = campaign();
    other.method.seed = 8;
    assert_eq!(open(results.path(), &other, false).1, Unfinished::New);
    let (fresh, state) = open(results.path(), &campaign(), true);
    assert_eq!(state, Unfinished::New);
    assert_ne!(first.path(), fresh.path());
}

#[test]
fn trials_of_two_builds_never_stand_in_one_directory() {
    let results = tempfile::tempdir().unwrap();
    let (first, _) = open_with(results.path(), &campaign(), false, "one");
    let (second, told) = open_with(results.path(), &campaign(), false, "two");
    assert_ne!(first.path(), second.path());
    let anew = Unfinished::Anew {
        instead_of: first.path().to_owned(),
        differs: vec!["poolfs-2.1".to_owned()],
    };
    assert_eq!(told, anew);
    let path = first.path().to_owned();
    drop((first, second));
    let (again, told) = open_with(results.path(), &campaign(), false, "one");
    assert_eq!((again.path(), told), (&*path, Unfinished::Continued));
}

#[test]
fn a_half_made_directory_is_not_taken_for_a_campaign() {
    let results = tempfile::tempdir().unwrap();
    let (first, _) = open(results.path(), &campaign(), false);
    std::fs::remove_file(first.path().join("campaign.json")).unwrap();
    drop(first);
    assert_eq!(open(results.path(), &campaign(), false).1, Unfinished::New);
}

#[test]
fn two_runs_never_measure_in_one_directory() {
    let results = tempfile::tempdir().unwrap();
    let (_held, _) = open(results.path(), &campaign(), false);
    let second = Store::open(
        results.path(),
        &campaign(),
        "",
        &made_by("one"),
        false,
        at(5),
    );
    assert!(matches!(second, Err(Error::Busy { .. })), "{second:?}");
}

#[test]
fn only_complete_rows_count() {
    let results = tempfile::tempdir().unwrap();
    let (store, _) = open(results.path(), &campaign(), false);
    let journal = store.journal();
    journal.begin(&trial(0, failed())).unwrap();
    let attempt = journal.begin(&trial(1, failed())).unwrap();
    journal.finish(&attempt, &trial(1, measured())).unwrap();
    let path = store.path().to_owned();
    drop(store);
    let store = Store::read(&path).unwrap();
    assert_eq!(store.campaign(), &campaign());
    assert_eq!(
        store.journal().trials().unwrap(),
        vec![trial(1, measured())]
    );
    assert_eq!(store.journal().count(State::Begun).unwrap(), 1);
}

#[test]
fn a_campaign_is_read_wherever_it_lies_and_reading_writes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let results = place.path().join("50% of what? #2");
    let (store, _) = open(&results, &campaign(), false);
    let attempt = store.journal().begin(&trial(1, failed())).unwrap();
    let finished = store.journal().finish(&attempt, &trial(1, measured()));
    finished.unwrap();
    let path = store.path().to_owned();
    drop(store);
    let before = std::fs::read(path.join("journal.sqlite")).unwrap();
    let read = Store::read(&path).unwrap();
    let trials = read.journal().trials().unwrap();
    assert_eq!(trials, vec![trial(1, measured())]);
    assert!(read.journal().begin(&trial(2, failed())).is_err());
    drop(read);
    assert_eq!(std::fs::read(path.join("journal.sqlite")).unwrap(), before);
    std::fs::write(path.join("journal.sqlite"), "no database at all, but text").unwrap();
    let Err(refused) = Store::read(&path) else {
        panic!("taken for a journal");
    };
    assert!(refused.to_string().contains("move it away"), "{refused}");
}

#[test]
fn a_measured_attempt_outlives_later_failures_and_every_attempt_costs_time() {
    let results = tempfile::tempdir().unwrap();
    let (store, _) = open(results.path(), &campaign(), false);
    let journal = store.journal();
    for outcome in [failed(), measured(), failed()] {
        let attempt = journal.begin(&trial(0, failed())).unwrap();
        journal.finish(&attempt, &trial(0, outcome)).unwrap();
    }
    assert_eq!(journal.trials().unwrap(), vec![trial(0, measured())]);
    assert_eq!(journal.wall_s().unwrap(), 7.5);
}

#[test]
fn foreign_names_stay_inside_the_directory() {
    let results = tempfile::tempdir().unwrap();
    let (store, _) = open(results.path(), &campaign(), false);
    let trial = trial(0, failed());
    let attempt = store.journal().begin(&trial).unwrap();
    let raw = store.raw(&trial, &attempt).unwrap();
    let below = raw.strip_prefix(store.path().join("trials")).unwrap();
    assert_eq!(below, Path::new("0000-log_.._.._none-w/1"));
    let rung = Trial {
        id: 7,
        offered_rate: Some(400.0),
        rerun: Some(Perturbation {
            drive: "optane".into(),
            parameter: "flash.flush_us".into(),
            factor: 0.5,
        }),
        ..trial
    };
    let raw = store.raw(&rung, &attempt).unwrap();
    let name = raw.parent().and_then(Path::file_name).unwrap();
    let name = name.to_string_lossy();
    assert!(
        name.ends_with("-at-400-optane-flash.flush_us-x0.5"),
        "{name}"
    );
}

#[test]
fn scratch_goes_with_its_run_and_leftovers_of_dead_runs_are_removed() {
    let base = tempfile::tempdir().unwrap();
    let candidates = [base.path().join("missing"), base.path().to_owned()];
    let live = Scratch::create(&candidates, 1).unwrap();
    // What a killed run leaves: a directory whose lock nobody holds.
    let dead = base.path().join("poolwright-1-0");
    std::fs::create_dir(&dead).unwrap();
    std::fs::write(dead.join("lock"), "").unwrap();
    std::fs::write(dead.join("hdd0"), "data").unwrap();
    let other = base.path().join("unrelated");
    std::fs::create_dir(&other).unwrap();
    let second = Scratch::create(&candidates, 1).unwrap();
    assert!(live.path().exists() && second.path().exists() && other.exists());
    assert!(!dead.exists());
    let path = live.path().to_owned();
    drop(live);
    assert!(!path.exists());
}

#[test]
fn no_room_says_what_each_place_had() {
    let base = tempfile::tempdir().unwrap();
    let error = Scratch::create(&[base.path().to_owned()], u64::MAX).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&base.path().display().to_string()), "{text}");
    assert!(text.contains("--store DIR"), "{text}");
}
