//! A whole campaign: rounds of trials until the questions are answered or the budget is spent.

use crate::budget::Budget;
use crate::error::Error;
use crate::known_trials::KnownTrials;
use crate::plan;
use crate::planned_trial::{self, Builds, PlannedTrial};
use crate::round::{Done, Runner};
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::Trial;
use std::path::PathBuf;
use std::time::SystemTime;
use store::{CampaignRecord, Found, Store};

/// A campaign to measure: it, its scale model, its text, and whether to ask why.
pub struct Question {
    /// The campaign.
    pub campaign: Campaign,
    /// Its scale model.
    pub model: Model,
    /// The text of its lab file.
    pub lab: String,
    /// Whether cells are also run without each of their costs.
    pub why: bool,
}

/// The result of a campaign's run.
#[derive(Debug)]
pub struct CampaignRun {
    /// How it ended.
    pub end: End,
    /// Every trial that is known.
    pub trials: Vec<Trial>,
    /// Trials of the last round that did not fit the budget.
    pub not_run: Vec<NotRun>,
    /// The file that names the trials.
    pub record: PathBuf,
}

/// How a campaign ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Everything wanted was run.
    Complete,
    /// The budget was spent.
    Budget,
    /// The user asked to stop. The same command resumes.
    Interrupted,
}

/// A trial that did not fit the budget.
#[derive(Debug, Clone, PartialEq)]
pub struct NotRun {
    /// What it is, for people.
    pub name: String,
    /// Wall seconds that it needs, about.
    pub needs_s: f64,
    /// It began, and was stopped at the budget's end: it needs longer than that.
    pub stopped: bool,
}

/// Runs the missing trials of a campaign. Each round is chosen from all known trials, including stored ones,
/// so an interrupted campaign resumes. Trials with one cost removed come last and take as long again; before
/// them, `answered` gets the trials that the verdicts use.
///
/// # Errors
/// When no trial can run on this host, or results cannot be kept.
pub fn run(
    runner: &Runner,
    question: &Question,
    answered: &mut dyn FnMut(&[Trial]),
) -> Result<CampaignRun, Error> {
    let Question { campaign, model, .. } = question;
    let builds = Builds::new(runner.engine, campaign)?;
    let mut record = CampaignRecord::new(campaign, model, &question.lab, builds.by_name());
    let mut path = runner.store.keep(&mut record, SystemTime::now())?;
    let mut budget = Budget::new(campaign.method.budget_s);
    let mut known = KnownTrials::default();
    let mut why = false;
    let (end, not_run) = loop {
        let round = plan::next(campaign, model, &known, why);
        if round.is_empty() && question.why && !why {
            why = true;
            continue;
        }
        if round.is_empty() {
            break (End::Complete, Vec::new());
        }
        let planned = planned_trial::of_round(campaign, model, &builds, &round, question.why)?;
        let stored =
            |trial: &PlannedTrial| matches!(runner.store.find(&trial.key), Found::Measured { .. });
        if why && !planned.iter().all(stored) {
            answered(known.trials());
        }
        let entries = planned.iter().flat_map(|trial| trial.entries(campaign));
        entries.for_each(|(_, entry)| record.add(entry));
        path = runner.store.update(&path, &mut record)?;
        let done = runner.run(&planned, &mut budget)?;
        let mut not_run = Vec::new();
        for (planned, done) in planned.iter().zip(&done) {
            match done {
                Done::Trial(trial) => add(campaign, &mut known, planned, trial),
                Done::NoTime { needs_s, stopped } => not_run.push(NotRun {
                    name: planned.name.clone(),
                    needs_s: *needs_s,
                    stopped: *stopped,
                }),
                Done::Stopped => {}
            }
        }
        if runner.stop.interrupted() {
            break (End::Interrupted, Vec::new());
        }
        if !not_run.is_empty() {
            break (End::Budget, not_run);
        }
    };
    if let Err(error) = runner.store.tidy_states() {
        runner.watch.note(&format!("{error}; the pool states that are no longer needed take room until a later run removes them"));
    }
    Ok(CampaignRun { end, trials: known.trials().to_vec(), not_run, record: path })
}

/// Adds a trial that was measured under the names of each of its specs.
fn add(campaign: &Campaign, known: &mut KnownTrials, planned: &PlannedTrial, trial: &Trial) {
    for (spec, entry) in planned.entries(campaign) {
        known.add(spec.clone(), entry.name(trial.clone()));
    }
}

/// A trial of a campaign's plan, and whether it has to be run.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The trial.
    pub planned: PlannedTrial,
    /// Whether the store has it.
    pub stored: bool,
}

/// The planned trials of a campaign, without running any: those of every complete round, and of the first
/// incomplete one. The inputs of missing trials are stored, so that any process can run them; afterwards the
/// next round can be planned.
///
/// # Errors
/// When this host has no engine, or the plan cannot be kept.
pub fn list(
    store: &Store,
    engine: &dyn crate::engine::Engine,
    question: &Question,
) -> Result<Vec<Listed>, Error> {
    let Question { campaign, model, .. } = question;
    let builds = Builds::new(engine, campaign)?;
    let mut known = KnownTrials::default();
    let mut listed = Vec::new();
    loop {
        let round = plan::next(campaign, model, &known, question.why);
        let mut missing = round.is_empty();
        for planned in planned_trial::of_round(campaign, model, &builds, &round, question.why)? {
            let stored = match store.find(&planned.key) {
                Found::Measured { trial, .. } => {
                    add(campaign, &mut known, &planned, &trial);
                    true
                }
                _ => {
                    store.plan(&planned.key, &planned.bytes)?;
                    false
                }
            };
            missing |= !stored;
            listed.push(Listed { planned, stored });
        }
        if missing {
            return Ok(listed);
        }
    }
}
