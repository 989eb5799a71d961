//! Runs planned trials in parallel, each once: stored results are reused, and trials that another process runs are
//! awaited.

use crate::budget::{Budget, guess_s};
use crate::clock::Clock;
use crate::engine::Engine;
use crate::error::Error;
use crate::planned_trial::PlannedTrial;
use crate::stop::Stop;
use crate::trial;
use measurement::{Stage, Trial};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Found, Store};

/// How often to check a trial that another process runs.
const LOOK: Duration = Duration::from_millis(100);

/// Receives a run's progress; called from several threads.
pub trait Watch: Sync {
    /// A round begins: its trials, and those that are not stored.
    fn round(&self, trials: usize, missing: usize);
    /// A trial begins.
    fn begins(&self, name: &str);
    /// A running trial has reached a step.
    fn stage(&self, name: &str, stage: Stage);
    /// Another process runs a trial; it is waited for.
    fn waits(&self, name: &str);
    /// A running trial has ended after these wall seconds.
    fn ended(&self, name: &str, trial: &Trial, wall_s: f64);
    /// Something in the store is not as it should be; the run goes on.
    fn note(&self, text: &str);
}

/// The means to run planned trials.
#[derive(Clone)]
pub struct Runner<'a> {
    /// Where trials are kept.
    pub store: &'a Store,
    /// What runs them.
    pub engine: &'a dyn Engine,
    /// Set when the user interrupts.
    pub stop: &'a Stop,
    /// Wall time, from the run's begin on.
    pub clock: Arc<dyn Clock>,
    /// Most trials at once.
    pub parallel: usize,
    /// Receives the progress.
    pub watch: &'a dyn Watch,
}

/// The outcome of a planned trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// It was stored, or has been run.
    Trial(Box<Trial>),
    /// It did not fit the budget, or was stopped at the budget's end.
    NoTime {
        /// Wall seconds that it needs, estimated.
        needs_s: f64,
        /// It began, and was stopped at the budget's end: it needs longer than that.
        stopped: bool,
    },
    /// The user stopped first.
    Stopped,
}

/// What the workers share.
struct Shared<'a> {
    runner: &'a Runner<'a>,
    trials: &'a [PlannedTrial],
    queue: Mutex<VecDeque<usize>>,
    done: Mutex<Vec<Done>>,
    budget: Mutex<&'a mut Budget>,
    error: Mutex<Option<Error>>,
}

impl Runner<'_> {
    /// Finds or runs trials; returns the outcome of each, in their order. They start in that order, as far as
    /// the budget allows; side by side the longest of each repeat after the first trial of all.
    ///
    /// # Errors
    /// [`Error::Environment`] when this host cannot run them or the store cannot keep them.
    pub fn run(&self, trials: &[PlannedTrial], budget: &mut Budget) -> Result<Vec<Done>, Error> {
        let shared = Shared {
            runner: self,
            trials,
            queue: Mutex::new((0..trials.len()).collect()),
            done: Mutex::new(vec![Done::Stopped; trials.len()]),
            budget: Mutex::new(budget),
            error: Mutex::new(None),
        };
        // Stored results come first: they show how long other trials take.
        shared.find_stored()?;
        let missing = lock(&shared.queue).len();
        self.watch.round(trials.len(), missing);
        std::thread::scope(|scope| {
            for _ in 0..self.parallel.clamp(1, missing.max(1)) {
                scope.spawn(|| shared.work());
            }
        });
        let error = lock(&shared.error).take();
        match error {
            Some(error) => Err(error),
            None => Ok(shared.done.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

impl Shared<'_> {
    /// Takes what is stored out of the queue, and plans the rest.
    fn find_stored(&self) -> Result<(), Error> {
        let store = self.runner.store;
        let mut missing = VecDeque::new();
        for (index, planned) in self.trials.iter().enumerate() {
            if self.stored(planned, index) {
                continue;
            }
            if let Found::Damaged { why } = store.find(&planned.key) {
                self.runner.watch.note(&format!("{why}; the trial is run again"));
            }
            store.plan(&planned.key, &planned.bytes)?;
            missing.push_back(index);
        }
        if self.runner.parallel > 1 {
            let budget = lock(&self.budget);
            let length = |index: &usize| {
                let trial = &self.trials[*index];
                Length {
                    repeat: trial.specs.first().map_or(0, |spec| spec.repeat),
                    known_s: budget.known_s(trial.cell),
                    expected_rate: trial.expected_rate,
                }
            };
            let lengths: Vec<Length> = missing.iter().map(length).collect();
            missing = longest_first(&lengths).into_iter().map(|at| missing[at]).collect();
        }
        *lock(&self.queue) = missing;
        Ok(())
    }

    /// Whether a trial is stored; then it is done.
    fn stored(&self, planned: &PlannedTrial, index: usize) -> bool {
        let Found::Measured { trial, run } = self.runner.store.find(&planned.key) else {
            return false;
        };
        if let Some(run) = run {
            lock(&self.budget).record_time(planned.cell, run.wall_s);
        }
        lock(&self.done)[index] = Done::Trial(trial);
        true
    }

    /// One worker: takes trials until there are none.
    fn work(&self) {
        while !self.runner.stop.interrupted() && lock(&self.error).is_none() {
            let next = lock(&self.queue).pop_front();
            let Some(index) = next else {
                return;
            };
            match self.one(&self.trials[index], index) {
                Ok(Some(done)) => lock(&self.done)[index] = done,
                Ok(None) => {}
                Err(error) => *lock(&self.error) = Some(error),
            }
        }
    }

    /// Runs a trial; none where it was stored meanwhile or is run by another process.
    fn one(&self, planned: &PlannedTrial, index: usize) -> Result<Option<Done>, Error> {
        let runner = self.runner;
        if self.stored(planned, index) {
            return Ok(None);
        }
        let (fits, needs_s, deadline_s) = {
            let budget = lock(&self.budget);
            let guess = || guess_s(planned.inputs.method.virtual_s());
            let needs_s = budget.expected_s(planned.cell).unwrap_or_else(guess);
            let fits = budget.fits(planned.cell, runner.clock.now_s());
            (fits, needs_s, budget.deadline_s())
        };
        if !fits {
            return Ok(Some(Done::NoTime { needs_s, stopped: false }));
        }
        let Some(running) = runner.store.claim(&planned.key)? else {
            runner.watch.waits(&planned.name);
            runner.clock.sleep(LOOK);
            lock(&self.queue).push_back(index);
            return Ok(None);
        };
        // Another process may have stored it between the check and the claim.
        if self.stored(planned, index) {
            return Ok(None);
        }
        runner.watch.begins(&planned.name);
        let stop = runner.stop.with_deadline(Arc::clone(&runner.clock), deadline_s);
        let watch = |stage| runner.watch.stage(&planned.name, stage);
        let clock = runner.clock.as_ref();
        let began_s = clock.now_s();
        let ran = trial::measure_and_store(runner.engine, planned, running, clock, &watch, &stop);
        match ran {
            Ok((trial, wall_s)) => {
                lock(&self.budget).record_time(planned.cell, wall_s);
                runner.watch.ended(&planned.name, &trial, wall_s);
                Ok(Some(Done::Trial(Box::new(trial))))
            }
            Err(Error::Interrupted) if runner.stop.interrupted() => Ok(Some(Done::Stopped)),
            Err(Error::Interrupted) => {
                // It needs more than it was given.
                let needs_s = needs_s.max(clock.now_s() - began_s);
                lock(&self.budget).record_time(planned.cell, needs_s);
                Ok(Some(Done::NoTime { needs_s, stopped: true }))
            }
            Err(other) => Err(other),
        }
    }
}

/// How long a trial takes, as far as that is known before it.
#[derive(Debug, Clone, Copy)]
struct Length {
    repeat: u32,
    /// Wall seconds of other trials of its cell.
    known_s: Option<f64>,
    /// A guess of its operations in a virtual second.
    expected_rate: f64,
}

/// The order in which trials side by side begin: each repeat's longest first, since the last one to end decides how long
/// all take. The first of all stays, which is the baseline's in a first round: with it any other can be compared.
fn longest_first(trials: &[Length]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..trials.len()).collect();
    let Some((_, rest)) = order.split_first_mut() else {
        return order;
    };
    let all_known = rest.iter().all(|at| trials[*at].known_s.is_some());
    let length = |trial: &Length| match trial.known_s {
        Some(wall_s) if all_known => wall_s,
        _ => trial.expected_rate,
    };
    rest.sort_by(|a, b| {
        let (a, b) = (&trials[*a], &trials[*b]);
        a.repeat.cmp(&b.repeat).then_with(|| length(b).total_cmp(&length(a)))
    });
    order
}

/// A panic in a worker ends the run; the shared data is still valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(repeat: u32, expected_rate: f64) -> Length {
        Length { repeat, known_s: None, expected_rate }
    }

    #[test]
    fn the_longest_of_each_repeat_begins_first_behind_the_baseline() {
        let mut trials = vec![
            guessed(0, 300.0),
            guessed(0, 300.0),
            guessed(0, 15_000.0),
            guessed(1, 15_000.0),
            guessed(0, 30_000.0),
        ];
        assert_eq!(longest_first(&trials), [0, 4, 2, 1, 3]);
        trials[4].known_s = Some(1.0);
        assert_eq!(longest_first(&trials), [0, 4, 2, 1, 3], "the others are not known");
        for (trial, wall_s) in trials.iter_mut().zip([1.0, 5.0, 2.0, 9.0, 3.0]) {
            trial.known_s = Some(wall_s);
        }
        assert_eq!(longest_first(&trials), [0, 1, 4, 2, 3]);
        assert!(longest_first(&[]).is_empty());
    }
}
