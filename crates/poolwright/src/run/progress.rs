//! Progress of a run, on standard error: on a terminal a status line, and always a line for each trial that
//! ends.

use crate::status_line::StatusLine;
use bench::round::Watch;
use measurement::{Stage, Trial, TrialResult};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use text::line::one_line;

#[derive(Debug)]
pub struct Progress {
    shown: Mutex<(State, StatusLine)>,
}

#[derive(Debug, Default)]
struct State {
    /// Trials of the round that are not stored, and how many of them have ended.
    missing: usize,
    ended: usize,
    /// Running trials, each with its stage.
    running: BTreeMap<String, &'static str>,
    /// Trials that another process runs, and that were reported.
    waited: BTreeSet<String>,
}

impl State {
    fn line(&self) -> String {
        let mut running = self.running.iter();
        let first =
            running.next().map_or(String::new(), |(name, stage)| format!("  {name}: {stage}"));
        let more = match self.running.len() {
            0 | 1 => String::new(),
            n => format!("  and {} more", n - 1),
        };
        format!("{}/{}{first}{more}", self.ended, self.missing)
    }
}

impl Progress {
    pub fn new() -> Progress {
        Progress { shown: Mutex::new((State::default(), StatusLine::new())) }
    }

    pub fn clear(&self) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).1.print(None, None);
    }

    pub fn say(&self, line: &str) {
        self.update(|_| Some(line.to_owned()));
    }

    /// Updates the state, prints a permanent line, if any, and shows the status line again.
    fn update(&self, change: impl FnOnce(&mut State) -> Option<String>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, status) = &mut *shown;
        let stays = change(state);
        let line = (!state.running.is_empty()).then(|| state.line());
        status.print(stays.as_deref(), line.as_deref());
    }
}

impl Watch for Progress {
    fn round(&self, trials: usize, missing: usize) {
        self.update(|state| {
            (state.missing, state.ended) = (missing, 0);
            let stored = trials - missing;
            (stored > 0 && missing > 0).then(|| format!("{stored} of {trials} trials are stored"))
        });
    }

    fn begins(&self, name: &str) {
        self.update(|state| {
            state.running.insert(name.to_owned(), "");
            None
        });
    }

    fn stage(&self, name: &str, stage: Stage) {
        self.update(|state| {
            state.running.insert(name.to_owned(), stage.name());
            None
        });
    }

    fn waits(&self, name: &str) {
        self.update(|state| {
            let first = state.waited.insert(name.to_owned());
            first.then(|| format!("{}: another process runs it; waiting for it", one_line(name)))
        });
    }

    fn ended(&self, name: &str, trial: &Trial, wall_s: f64) {
        let result = match &trial.outcome {
            TrialResult::Measured(m) => {
                let ops = (m.read.ops + m.write.ops) as f64;
                format!("{:.0} ops/s", ops / m.runtime_s.max(1e-9))
            }
            // It may quote a program, or a job's own names.
            TrialResult::Failed { reason } => format!("failed: {}", one_line(reason)),
        };
        self.update(|state| {
            state.running.remove(name);
            state.ended += 1;
            let (ended, missing) = (state.ended, state.missing);
            let name = one_line(name);
            Some(format!("{ended}/{missing}  {name}  {result}  ({wall_s:.0} s)"))
        });
    }

    fn note(&self, text: &str) {
        self.update(|_| Some(format!("note: {}", one_line(text))));
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn the_progress_line_counts_the_rounds_trials_and_names_a_running_one() {
        let mut state = State { missing: 8, ended: 3, ..State::default() };
        assert_eq!(state.line(), "3/8");
        state.running.insert("a · w".into(), "measuring");
        assert_eq!(state.line(), "3/8  a · w: measuring");
        state.running.insert("b · w".into(), "booting");
        assert_eq!(state.line(), "3/8  a · w: measuring  and 1 more");
    }
}
