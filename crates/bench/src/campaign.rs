//! A whole campaign: k, then trials in their order until enough is known or the time is up.

use crate::engine::Engine;
use crate::fault::Fault;
use crate::pilot::{self, Reading};
use crate::plan::Plan;
use crate::programs::Fio;
use crate::rerun;
use crate::schedule::{self, Extra, Slot};
use crate::stop::Stop;
use crate::trial::{self, Bench, Step, Task};
use crate::window::Sample;
use findings::record::{Outcome, Trial};
use lab::campaign::Campaign;
use lab::model::{Model, of_variant};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};
use store::Store;

/// What a campaign runs with.
pub struct Setup<'a> {
    /// Where it is kept.
    pub store: &'a Store,
    /// What variants are built on.
    pub engine: &'a dyn Engine,
    /// The client.
    pub fio: &'a Fio,
    /// The user's wish to stop.
    pub stop: &'a Stop,
    /// Where drives and mount points may be made.
    pub scratch: &'a Path,
    /// Scratch lies in memory.
    pub in_memory: bool,
    /// Real time, besides its own, that a client has before it is taken for hung.
    pub patience: Duration,
    /// Told what happens.
    pub watch: &'a dyn Watch,
}

/// Whom a campaign tells what happens.
pub trait Watch {
    /// A pilot trial for the choice of k begins.
    fn pilot(&self, variant: &str, workload: &str, time: f64);
    /// k is chosen.
    fn chosen(&self, time: f64, why: &str);
    /// A trial begins: how many have been run, how many there are at least, and the wall seconds
    /// that what is planned will still take.
    fn begins(&self, trial: &Trial, done: usize, planned: usize, left_s: f64);
    /// A trial has come to a step.
    fn step(&self, step: Step);
    /// One virtual second of the engine's counters while a client is at work.
    fn sample(&self, sample: &Sample);
    /// A trial has ended.
    fn ended(&self, trial: &Trial);
}

/// How a campaign ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Everything wanted was run.
    Complete,
    /// The budget was spent.
    Budget,
    /// The user asked to stop; the same command goes on from here.
    Interrupted,
}

/// Why a campaign could not go on at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// This machine lacks something.
    #[error("{0}")]
    Environment(String),
    /// The results cannot be kept.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Wall seconds that building, laying out and settling are taken to need before any trial has
/// shown it.
pub const SETUP_S: f64 = 20.0;
/// Share of the budget that the search for k may use.
const PILOT_SHARE: f64 = 0.2;

/// Runs what is missing of a campaign.
///
/// # Errors
/// When no trial can run on this machine, or results cannot be kept.
pub fn run(setup: &Setup, model: Model) -> Result<End, Error> {
    let campaign = setup.store.campaign();
    let begun = Instant::now();
    let spent_before = setup.store.journal().wall_s()?;
    let model = match setup.store.model()? {
        // A campaign that is continued stays on the model it began on.
        Some(kept) if kept.time.is_some() && (!kept.time_guessed || any_measured(setup)?) => kept,
        _ => match with_time(setup, campaign, model)? {
            Some(model) => {
                setup.store.set_model(&model)?;
                model
            }
            None => return Ok(End::Interrupted),
        },
    };
    let plan = Plan::new(campaign, &model);
    let mut tried: Vec<u64> = Vec::new();
    loop {
        let trials = setup.store.journal().trials()?;
        let expected_s = expected_s(campaign, &trials, model.time.unwrap_or(1.0));
        let left_s = campaign.method.budget_s - spent_before - begun.elapsed().as_secs_f64();
        let Some(next) = plan.next(&trials, &tried) else {
            return Ok(End::Complete);
        };
        if !schedule::affordable(&next.slot, left_s, expected_s) {
            return Ok(End::Budget);
        }
        let planned = trials.len() + next.left;
        let eta_s = next.left as f64 * expected_s;
        tried.push(next.slot.id);
        match one(setup, campaign, &model, &next.slot, |trial| {
            setup.watch.begins(trial, trials.len(), planned, eta_s);
        })? {
            Some(trial) => setup.watch.ended(&trial),
            None => return Ok(End::Interrupted),
        }
    }
}

/// Runs one trial with a row in the journal before and after it; none when the user stopped it.
fn one(
    setup: &Setup,
    campaign: &Campaign,
    model: &Model,
    slot: &Slot,
    begins: impl Fn(&Trial),
) -> Result<Option<Trial>, Error> {
    let started = Instant::now();
    let mut model = model.clone();
    if let Some(Extra::Size(size)) = slot.extra {
        model.size = size;
    }
    let mut trial = Trial {
        id: slot.id,
        variant: campaign.variants[slot.variant].name.clone(),
        workload: campaign.workloads[slot.workload].name.clone(),
        repeat: slot.repeat,
        seed: slot.seed,
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        wall_s: 0.0,
        window_wall_s: 0.0,
        size: model.size,
        time: model.time.unwrap_or(1.0),
        openzfs: String::new(),
        offered_rate: match slot.extra {
            Some(Extra::Rate(rate)) => Some(rate),
            _ => None,
        },
        rerun: match &slot.extra {
            Some(Extra::Rerun(change)) => Some(change.clone()),
            _ => None,
        },
        outcome: Outcome::Failed {
            reason: String::new(),
        },
    };
    begins(&trial);
    let row = setup.store.journal().begin(&trial)?;
    let raw = setup.store.raw(&trial, &row)?;
    let stated = &campaign.variants[slot.variant];
    let changed = trial
        .rerun
        .as_ref()
        .and_then(|change| rerun::perturbed(stated, change));
    let variant = changed.as_ref().unwrap_or(stated);
    let task = Task {
        variant,
        workload: &campaign.workloads[slot.workload],
        method: &campaign.method,
        model: &of_variant(&model, &campaign.host, variant),
        cores: campaign.host.cores,
        seed: slot.seed,
        rate: trial.offered_rate,
    };
    trial.outcome = match attempt(setup, &task, &raw) {
        Ok(result) => {
            trial.window_wall_s = result.window_wall_s;
            trial.openzfs = result.openzfs;
            trial.offered_rate = result.offered_rate;
            Outcome::Measured(Box::new(result.measured))
        }
        Err(Fault::Failed(reason)) => Outcome::Failed { reason },
        Err(Fault::Interrupted) => return Ok(None),
        Err(Fault::Environment(reason)) => return Err(Error::Environment(reason)),
    };
    trial.wall_s = started.elapsed().as_secs_f64();
    setup.store.journal().finish(&row, &trial)?;
    Ok(Some(trial))
}

/// Runs a trial with what the campaign runs with.
fn attempt(setup: &Setup, task: &Task, raw: &Path) -> Result<trial::Result, Fault> {
    let bench = Bench {
        engine: setup.engine,
        fio: setup.fio,
        stop: setup.stop,
        scratch: setup.scratch,
        in_memory: setup.in_memory,
        patience: setup.patience,
        said: &|step| setup.watch.step(step),
        seen: &|sample| setup.watch.sample(sample),
    };
    trial::run(&bench, task, raw)
}

/// Wall seconds of the next trial: the mean of those that were measured, or an estimate.
fn expected_s(campaign: &Campaign, trials: &[Trial], time: f64) -> f64 {
    let walls: Vec<f64> = trials
        .iter()
        .filter(|t| matches!(t.outcome, Outcome::Measured(_)))
        .map(|t| t.wall_s)
        .collect();
    if walls.is_empty() {
        let method = &campaign.method;
        let window = method.runtime_s.unwrap_or(60.0) + method.ramp_s + method.warm_up_s;
        schedule::estimate_s(1, window, time, SETUP_S)
    } else {
        walls.iter().sum::<f64>() / walls.len() as f64
    }
}

fn any_measured(setup: &Setup) -> Result<bool, Error> {
    let trials = setup.store.journal().trials()?;
    Ok(trials
        .iter()
        .any(|trial| matches!(trial.outcome, Outcome::Measured(_))))
}

/// The model with its k: the lab's, or the smallest that serves every cell. None when the user stopped
/// the search.
fn with_time(setup: &Setup, campaign: &Campaign, mut model: Model) -> Result<Option<Model>, Error> {
    if let Some(time) = campaign.scale.time.or(model.time) {
        setup.watch.chosen(time, "stated, not sought");
        model.time = Some(time);
        return Ok(Some(model));
    }
    let limit_s = campaign.method.budget_s * PILOT_SHARE;
    let begun = Instant::now();
    let cells: Vec<(usize, usize)> = (0..campaign.workloads.len())
        .flat_map(|w| (0..campaign.variants.len()).map(move |v| (v, w)))
        .collect();
    let mut readings: Vec<((usize, usize), Reading)> = Vec::new();
    let mut runs = 0;
    let mut read = |cell: (usize, usize), time: f64| -> Result<Option<Option<Reading>>, Error> {
        runs += 1;
        pilot_trial(setup, campaign, &model, cell, time, runs)
    };
    for cell in &cells {
        if !readings.is_empty() && begun.elapsed().as_secs_f64() > limit_s {
            break;
        }
        match read(*cell, pilot::FIRST)? {
            None => return Ok(None),
            Some(Some(reading)) => readings.push((*cell, reading)),
            // A cell that fails here fails again as a trial, and says there why.
            Some(None) => {}
        }
    }
    let of_all = |readings: &[((usize, usize), Reading)]| -> Vec<Reading> {
        readings.iter().map(|(_, reading)| *reading).collect()
    };
    let latest = |readings: &[_]| pilot::choose(&of_all(readings), cells.len());
    let mut time = latest(&readings);
    // The cell that asks for most is looked at again where it is to run.
    while begun.elapsed().as_secs_f64() < limit_s {
        let asking = readings
            .iter_mut()
            .filter_map(|(cell, reading)| Some((reading.wants()?, *cell, reading)));
        let Some((_, cell, hardest)) = asking.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            break;
        };
        if (hardest.time / time - 1.0).abs() < 0.2 && hardest.holds() {
            break;
        }
        if hardest.time >= pilot::MOST {
            break;
        }
        match read(cell, time)? {
            None => return Ok(None),
            Some(None) => break,
            Some(Some(reading)) => *hardest = reading,
        }
        let held = hardest.holds();
        let next = latest(&readings);
        if held && next >= 0.8 * time {
            break;
        }
        time = next;
    }
    setup.store.write("pilot.json", &readings)?;
    setup
        .watch
        .chosen(time, &pilot::why(&of_all(&readings), cells.len()));
    model.time = Some(time);
    model.time_guessed = readings.is_empty();
    Ok(Some(model))
}

/// A short trial at k = `time`. None when the user stopped it, and within it none when it failed.
fn pilot_trial(
    setup: &Setup,
    campaign: &Campaign,
    model: &Model,
    (variant, workload): (usize, usize),
    time: f64,
    run: u32,
) -> Result<Option<Option<Reading>>, Error> {
    let (variant, workload) = (&campaign.variants[variant], &campaign.workloads[workload]);
    setup.watch.pilot(&variant.name, &workload.name, time);
    let raw = setup.store.path().join("pilot").join(run.to_string());
    // Left by an earlier run whose choice was not made.
    let _ = fs::remove_dir_all(&raw);
    fs::create_dir_all(&raw).map_err(|source| store::Error::Io {
        action: "create",
        path: raw.clone(),
        source,
    })?;
    let mut method = campaign.method.clone();
    method.runtime_s = Some(pilot::WINDOW_S);
    method.ramp_s = method.ramp_s.clamp(1.0, pilot::RAMP_S);
    method.ramp_most_s = Some(pilot::RAMP_S);
    method.warm_up_s = 0.0;
    let mut model = of_variant(model, &campaign.host, variant);
    model.time = Some(time);
    let task = Task {
        variant,
        workload,
        method: &method,
        model: &model,
        cores: campaign.host.cores,
        seed: campaign.method.seed,
        rate: None,
    };
    match attempt(setup, &task, &raw) {
        Ok(result) => Ok(Some(Some(Reading::of(&result.measured, workload, time)))),
        Err(Fault::Failed(_)) => Ok(Some(None)),
        Err(Fault::Interrupted) => Ok(None),
        Err(Fault::Environment(reason)) => Err(Error::Environment(reason)),
    }
}
