//! Campaigns on an engine that is none: what is run, what is reused, and when a run ends.

mod fake;
mod synthetic;

use bench::budget::Budget;
use bench::campaign::{self, CampaignRun, End, Question};
use bench::clock::{Clock, WallClock};
use bench::planned_trial::{self, Builds, PlannedTrial};
use bench::round::{Done, Runner, Watch};
use bench::stop::Stop;
use bench::trial_spec::TrialSpec;
use bench::verify::{Verified, verify};
use fake::Fake;
use lab::campaign::{Campaign, Rates};
use measurement::{Cost, Stage, Trial, TrialResult};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{Found, Key, Store};
use synthetic::model;

const LAB: &str = r#"
[host]
memory = "32G"
[drives]
hdd = "2x hdd-7200-16t"
optane = "1x p1600x-118g"
[pool]
vdevs = "mirror hdd[0-1]"
[factors]
log = { none = "", optane = "log optane0" }
[workloads.sync]
fio.job = """
[w]
rw=randwrite
bs=16k
size=1g
"""
[method]
runtime = "10s"
min_trials = 2
max_trials = 6
budget = "10m"
"#;

/// A clock that only sleep moves.
#[derive(Debug, Default)]
struct FakeClock(AtomicU64);

impl Clock for FakeClock {
    fn now_s(&self) -> f64 {
        self.0.load(Ordering::SeqCst) as f64 / 1e6
    }

    fn sleep(&self, duration: Duration) {
        // At least a microsecond, or a wait for less would never end.
        let micros = (duration.as_micros() as u64).max(1);
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

/// Records a run's progress.
#[derive(Default)]
struct Notes {
    begun: Mutex<Vec<String>>,
    notes: Mutex<Vec<String>>,
    /// How many trials each answer rests on.
    answered: Mutex<Vec<usize>>,
    /// Asks to stop when so many trials have begun.
    stop_after: Option<(usize, Stop)>,
}

impl Watch for Notes {
    fn round(&self, _trials: usize, _missing: usize) {}
    fn begins(&self, name: &str) {
        let mut begun = self.begun.lock().unwrap();
        begun.push(name.to_owned());
        if let Some((most, stop)) = &self.stop_after
            && begun.len() > *most
        {
            stop.request();
        }
    }
    fn stage(&self, _name: &str, _stage: Stage) {}
    fn waits(&self, _name: &str) {}
    fn ended(&self, _name: &str, _trial: &Trial, _wall_s: f64) {}
    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.to_owned());
    }
}

fn fake(wall_s: f64) -> Fake {
    Fake::new(Arc::new(FakeClock::default()), wall_s)
}

/// Runs a campaign, one trial at a time.
fn run(store: &Store, engine: &Fake, campaign: &Campaign, notes: &Notes) -> CampaignRun {
    let (why, parallel) = (false, 1);
    run_with(store, engine, campaign, notes, why, parallel)
}

fn run_with(
    store: &Store,
    engine: &Fake,
    campaign: &Campaign,
    notes: &Notes,
    why: bool,
    parallel: usize,
) -> CampaignRun {
    let stop = notes.stop_after.as_ref().map(|(_, stop)| stop.clone());
    let stop = stop.unwrap_or_default();
    let runner = Runner {
        store,
        engine,
        stop: &stop,
        clock: Arc::clone(&engine.clock),
        parallel,
        watch: notes,
    };
    let question =
        Question { campaign: campaign.clone(), model: model(), lab: LAB.to_owned(), why };
    let mut answered = |trials: &[Trial]| notes.answered.lock().unwrap().push(trials.len());
    campaign::run(&runner, &question, &mut answered).unwrap()
}

fn open() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    (dir, store)
}

fn lab() -> Campaign {
    synthetic::campaign(LAB)
}

/// Every result of a store, by its path.
fn results(store: &Store) -> Vec<(String, Vec<u8>)> {
    let keys = store.keys().unwrap();
    let result = |key| (format!("{key}"), store.result(&key).unwrap());
    keys.into_iter().map(result).collect()
}

#[test]
fn a_campaign_is_measured_once_and_running_it_again_runs_nothing() {
    let (_dir, store) = open();
    let engine = fake(10.0);
    let first = run(&store, &engine, &lab(), &Notes::default());
    assert_eq!((first.end, engine.count()), (End::Complete, 4));
    let again = run(&store, &engine, &lab(), &Notes::default());
    assert_eq!((again.end, engine.count()), (End::Complete, 4));
    assert_eq!(again.trials, first.trials);
    let (loaded, damaged) = store::CampaignRecord::read(&again.record).unwrap().load(&store);
    assert_eq!((loaded, damaged), (first.trials, vec![]));
    assert_eq!(store.campaigns("lab").unwrap(), [again.record]);
}

#[test]
fn an_edited_variant_runs_again_and_the_others_are_reused() {
    let (_dir, store) = open();
    let engine = fake(10.0);
    let mut campaign = lab();
    run(&store, &engine, &campaign, &Notes::default());
    campaign.variants[1].name = "renamed".into();
    campaign.title = "another".into();
    let renamed = run(&store, &engine, &campaign, &Notes::default());
    assert_eq!(engine.count(), 4);
    assert!(renamed.trials.iter().any(|t| t.variant == "renamed"));
    let root = campaign.variants[1].datasets.entry(String::new()).or_default();
    root.insert("recordsize".into(), "16384".into());
    let notes = Notes::default();
    run(&store, &engine, &campaign, &notes);
    let begun = notes.begun.into_inner().unwrap();
    assert_eq!(begun.len(), 2);
    assert!(begun.iter().all(|name| name.starts_with("renamed")), "{begun:?}");
}

#[test]
fn identical_variants_share_their_trials_and_have_the_same_result() {
    let (_dir, store) = open();
    let engine = fake(10.0);
    let mut campaign = lab();
    let mut twin = campaign.variants[1].clone();
    twin.name = "twin".into();
    campaign.variants.push(twin);
    let ran = run(&store, &engine, &campaign, &Notes::default());
    assert_eq!(engine.count(), 4);
    let of = |name: &str| -> Vec<&TrialResult> {
        let trials = ran.trials.iter().filter(|t| t.variant == name);
        trials.map(|t| &t.outcome).collect()
    };
    assert_eq!(of("twin"), of("optane"));
    assert_eq!(of("twin").len(), 2);
    // Also a repeat that only one of them needs.
    let builds = Builds::new(&engine, &campaign).unwrap();
    let round = [TrialSpec::repeat(1, 0, 5), TrialSpec::repeat(0, 0, 5)];
    let planned = planned_trial::of_round(&campaign, &model(), &builds, &round, false).unwrap();
    let variants = |trial: &PlannedTrial| -> Vec<usize> {
        trial.specs.iter().map(|spec| spec.variant).collect()
    };
    assert_eq!(planned.iter().map(variants).collect::<Vec<_>>(), [vec![1, 2], vec![0]]);
}

#[test]
fn results_do_not_depend_on_how_many_trials_run_side_by_side() {
    let (_a, one) = open();
    let (_b, four) = open();
    let alone = run_with(&one, &fake(1.0), &lab(), &Notes::default(), true, 1);
    let engine = Fake::new(Arc::new(WallClock::start()), 0.05);
    let together = run_with(&four, &engine, &lab(), &Notes::default(), true, 4);
    assert_eq!(alone.trials, together.trials);
    assert_eq!(results(&one), results(&four));
}

#[test]
fn a_campaign_that_was_stopped_resumes_where_it_was() {
    let (_a, whole) = open();
    let expected = run(&whole, &fake(1.0), &lab(), &Notes::default());
    let (_b, store) = open();
    let engine = fake(1.0);
    for after in [0, 1] {
        let notes = Notes { stop_after: Some((after, Stop::default())), ..Notes::default() };
        let ran = run(&store, &engine, &lab(), &notes);
        assert_eq!(ran.end, End::Interrupted);
    }
    assert_eq!(store.keys().unwrap().len(), 1);
    let ran = run(&store, &engine, &lab(), &Notes::default());
    assert_eq!((ran.end, ran.trials), (End::Complete, expected.trials));
    // Two were stopped.
    assert_eq!(engine.count(), 4 + 2);
    assert_eq!(results(&store), results(&whole));
}

#[test]
fn a_trial_that_failed_is_reported_and_tried_again_by_the_next_run() {
    let (_dir, store) = open();
    let mut engine = fake(1.0);
    engine.logs_fail = true;
    let ran = run(&store, &engine, &lab(), &Notes::default());
    assert_eq!((ran.end, engine.count()), (End::Complete, 4));
    let failed = |trials: &[Trial]| {
        let failed = trials.iter().filter(|t| matches!(t.outcome, TrialResult::Failed { .. }));
        failed.count()
    };
    assert_eq!(failed(&ran.trials), 2);
    let (loaded, _) = store::CampaignRecord::read(&ran.record).unwrap().load(&store);
    assert_eq!(failed(&loaded), 2);
    engine.logs_fail = false;
    let ran = run(&store, &engine, &lab(), &Notes::default());
    assert_eq!((failed(&ran.trials), engine.count()), (0, 6));
}

#[test]
fn a_damaged_trial_is_named_and_run_again() {
    let (_dir, store) = open();
    let engine = fake(1.0);
    run(&store, &engine, &lab(), &Notes::default());
    let key = store.keys().unwrap().remove(0);
    let result = store.trial_path(&key).join("result.json");
    fs::write(&result, "{").unwrap();
    let notes = Notes::default();
    run(&store, &engine, &lab(), &notes);
    assert_eq!(engine.count(), 5);
    let notes = notes.notes.into_inner().unwrap();
    assert!(notes[0].contains(&result.display().to_string()), "{notes:?}");
}

#[test]
fn a_campaign_is_complete_though_old_pool_states_cannot_be_removed() {
    let (_dir, store) = open();
    fs::write(store.path().join("states"), "a file in place of the directory").unwrap();
    let notes = Notes::default();
    let ran = run(&store, &fake(1.0), &lab(), &notes);
    assert_eq!((ran.end, ran.trials.len()), (End::Complete, 4));
    let notes = notes.notes.into_inner().unwrap();
    assert!(notes[0].contains("pool states that are no longer needed"), "{notes:?}");
}

/// Two stores open on one directory lock as two processes do (flock(2) is of the open file).
#[test]
fn two_runs_with_one_store_share_the_work() {
    let (dir, store) = open();
    let engine = Fake::new(Arc::new(WallClock::start()), 0.2);
    std::thread::scope(|scope| {
        let other = || {
            let store = Store::open(dir.path()).unwrap();
            run(&store, &engine, &lab(), &Notes::default())
        };
        let other = scope.spawn(other);
        let ours = run(&store, &engine, &lab(), &Notes::default());
        let theirs = other.join().unwrap();
        assert_eq!((ours.end, theirs.end), (End::Complete, End::Complete));
        assert_eq!(ours.trials, theirs.trials);
    });
    assert_eq!(engine.count(), 4);
}

#[test]
fn another_engine_build_measures_anew() {
    let (_dir, store) = open();
    let mut engine = fake(1.0);
    run(&store, &engine, &lab(), &Notes::default());
    engine.build = "fake-2".into();
    run(&store, &engine, &lab(), &Notes::default());
    assert_eq!(engine.count(), 8);
    assert_eq!(store.campaigns("lab").unwrap().len(), 2);
}

#[test]
fn a_budget_is_kept_and_trials_that_did_not_fit_are_listed_with_their_time() {
    let (_dir, store) = open();
    let engine = fake(10.0);
    let mut campaign = lab();
    campaign.method.budget_s = 35.0;
    let notes = Notes::default();
    let ran = run(&store, &engine, &campaign, &notes);
    assert_eq!((ran.end, engine.count()), (End::Budget, 3));
    let begun = notes.begun.into_inner().unwrap();
    let order: Vec<&str> = begun.iter().map(|n| n.split(" · ").next().unwrap()).collect();
    assert_eq!(order, ["none", "optane", "none"]);
    assert_eq!(ran.not_run.len(), 1);
    assert!(ran.not_run[0].name.contains("optane"), "{:?}", ran.not_run);
    assert!((ran.not_run[0].needs_s - 10.0).abs() < 0.1, "{:?}", ran.not_run);
    assert!(engine.clock.now_s() <= 35.0 * 1.1);
    // What was measured is there: the same command runs what is left, in a budget of its own.
    let rest = fake(10.0);
    let ran = run(&store, &rest, &campaign, &Notes::default());
    assert_eq!((ran.end, rest.count()), (End::Complete, 1));
}

#[test]
fn a_trial_that_would_exceed_the_budget_by_a_tenth_is_stopped_and_not_kept() {
    let (_dir, store) = open();
    let engine = fake(100.0);
    let mut campaign = lab();
    campaign.method.budget_s = 20.0;
    let ran = run(&store, &engine, &campaign, &Notes::default());
    assert_eq!((ran.end, engine.count()), (End::Budget, 1));
    let elapsed = engine.clock.now_s();
    assert!((20.0..=22.0).contains(&elapsed), "{elapsed}");
    assert_eq!((ran.trials.len(), ran.not_run.len()), (0, 4));
    assert_eq!(store.keys().unwrap(), []);
}

#[test]
fn a_trial_that_was_stopped_needs_longer_than_it_was_given() {
    let (_dir, store) = open();
    let engine = fake(100.0);
    let mut campaign = lab();
    campaign.method.budget_s = 20.0;
    // A guess by its virtual time would be seven seconds.
    campaign.method.runtime_s = Some(1.0);
    let ran = run(&store, &engine, &campaign, &Notes::default());
    assert_eq!(ran.not_run.len(), 4);
    assert!(ran.not_run.iter().all(|trial| trial.needs_s >= 20.0), "{:?}", ran.not_run);
    // One at once: the first was stopped, the others never began.
    let stopped: Vec<bool> = ran.not_run.iter().map(|trial| trial.stopped).collect();
    assert_eq!(stopped, [true, false, false, false]);
}

#[test]
fn a_pool_state_is_kept_where_later_trials_begin_with_it() {
    let first = bench::trial_spec::TrialSpec::repeat(0, 0, 0).seed(&lab());
    let kept = |campaign: &Campaign, why| {
        let ((_dir, store), engine) = (open(), fake(1.0));
        run_with(&store, &engine, campaign, &Notes::default(), why, 1);
        engine.kept.into_inner().unwrap()
    };
    assert_eq!(kept(&lab(), false), [0; 0]);
    // Two first repeats, and four re-runs with their states.
    assert_eq!(kept(&lab(), true), [first; 6]);
    let with = |change: &dyn Fn(&mut Campaign)| {
        let mut campaign = lab();
        change(&mut campaign);
        kept(&campaign, false)
    };
    let rerun = with(&|c| c.method.sensitivity = vec![2.0]);
    assert!(rerun.len() > 2 && rerun.iter().all(|seed| *seed == first), "{rerun:?}");
    // Two repeats of two cells, and a rung of each.
    let rungs = with(&|c| c.workloads[0].rates = Some(Rates::Stated(vec![1.0])));
    assert_eq!(rungs.len(), 8);
    // Another workload on the same files.
    let two = with(&|c| c.workloads.push(c.workloads[0].clone()));
    assert!(two.len() >= 4, "{two:?}");
    let size = with(&|c| c.method.size_check = vec![2.0]);
    assert_eq!(size, [0; 0]);
}

#[test]
fn costs_are_removed_when_asked_for() {
    let (_dir, store) = open();
    let engine = fake(1.0);
    let notes = Notes::default();
    let ran = run_with(&store, &engine, &lab(), &notes, true, 1);
    // The answer is there before: four trials, two of each cell.
    assert_eq!(*notes.answered.lock().unwrap(), [4]);
    let without = |cost| {
        let trials = ran.trials.iter().filter(move |t| t.without == Some(cost));
        trials.map(|t| (t.variant.as_str(), t.repeat)).collect::<Vec<_>>()
    };
    // The fake's log drive is sent no flush.
    assert_eq!(without(Cost::LogFlush), [("none", 0)]);
    assert_eq!(without(Cost::LogWrite), [("optane", 0)]);
    assert_eq!(without(Cost::PoolRead), []);
    let mut seeds: Vec<u64> =
        ran.trials.iter().filter(|t| t.without.is_some()).map(|t| t.seed).collect();
    seeds.dedup();
    assert_eq!(seeds.len(), 1);
    let again = Notes::default();
    run_with(&store, &engine, &lab(), &again, true, 1);
    assert_eq!(*again.answered.lock().unwrap(), [0; 0]);
}

#[test]
fn a_plan_is_listed_without_running_and_its_trials_can_be_run_one_by_one() {
    let (dir, store) = open();
    let engine = fake(1.0);
    let question = Question { campaign: lab(), model: model(), lab: LAB.to_owned(), why: true };
    let list = |store: &Store| campaign::list(store, &engine, &question).unwrap();
    let listed = list(&store);
    assert_eq!((listed.len(), engine.count()), (4, 0));
    assert!(listed.iter().all(|p| !p.stored));
    // As other processes would, with nothing but the store and the keys.
    for listed in &listed {
        let store = Store::open(dir.path()).unwrap();
        let key = store.resolve(listed.planned.key.short()).unwrap();
        let inputs = store.inputs(&key).unwrap();
        let trial = planned_trial::of_inputs(key, inputs).unwrap();
        let runner = Runner {
            store: &store,
            engine: &engine,
            stop: &Stop::default(),
            clock: Arc::clone(&engine.clock),
            parallel: 1,
            watch: &Notes::default(),
        };
        let done = runner.run(&[trial], &mut Budget::new(f64::INFINITY)).unwrap();
        assert!(matches!(done[..], [Done::Trial(_)]), "{done:?}");
    }
    assert_eq!(engine.count(), 4);
    let listed = list(&store);
    assert!(listed.iter().filter(|p| p.stored).count() == 4);
    let next = listed.iter().filter(|p| !p.stored);
    let names: Vec<&str> = next.map(|p| p.planned.name.as_str()).collect();
    assert!(!names.is_empty() && names.iter().all(|n| n.contains("without")), "{names:?}");
    let ran = run_with(&store, &engine, &question.campaign, &Notes::default(), true, 1);
    assert_eq!((ran.end, engine.count()), (End::Complete, 4 + names.len()));
}

#[test]
fn a_different_result_is_reported_with_its_first_field() {
    let (_dir, store) = open();
    let mut engine = fake(1.0);
    run(&store, &engine, &lab(), &Notes::default());
    let keys = store.keys().unwrap();
    let check_key = |engine: &Fake, key: &Key| {
        let running = store.claim(key).unwrap().unwrap();
        let trial = planned_trial::of_inputs(key.clone(), store.inputs(key).unwrap()).unwrap();
        let stored = store.result(key).unwrap();
        verify(engine, &trial.inputs, &stored, &running, &Stop::default())
    };
    let check = |engine: &Fake| check_key(engine, &keys[0]);
    assert_eq!(check(&engine).unwrap(), Verified::Identical);
    engine.noise_ns = 1.0;
    let Verified::Differs(difference) = check(&engine).unwrap() else {
        panic!("identical");
    };
    assert_eq!(difference.field, "outcome.write.mean_ns");
    engine.noise_ns = 0.0;
    engine.logs_fail = true;
    let again: Vec<Verified> = keys.iter().map(|key| check_key(&engine, key).unwrap()).collect();
    let failed =
        again.iter().filter(|v| matches!(v, Verified::Failed(why) if why.contains("VERIFY3")));
    assert_eq!(failed.count(), 2, "{again:?}");
    engine.build = "fake-2".into();
    let refused = check(&engine).unwrap_err().to_string();
    assert!(refused.contains("fake-1") && refused.contains("fake-2"), "{refused}");
}

#[test]
fn nothing_but_the_trials_stays() {
    let (dir, store) = open();
    run(&store, &fake(1.0), &lab(), &Notes::default());
    let entries = |path: &Path| fs::read_dir(path).map_or(0, Iterator::count);
    assert_eq!(entries(&dir.path().join("running")), 0);
    assert_eq!(entries(&dir.path().join("planned")), 0);
    let key = store.keys().unwrap().remove(0);
    assert!(matches!(store.find(&key), Found::Measured { run: Some(_), .. }));
}
