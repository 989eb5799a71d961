//! Progress of a run, on standard error: on a terminal a status line, and always a line for each trial that
//! ends.

use crate::output::complain;
use bench::round::Watch;
use measurement::{Stage, Trial, TrialResult};
use report::text::{cut, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Columns of a terminal of unknown width.
const COLUMNS: usize = 80;

/// Prints the progress of a run.
#[derive(Debug)]
pub struct Progress {
    terminal: bool,
    state: Mutex<State>,
}

/// The state of the round.
#[derive(Debug, Default)]
struct State {
    /// Trials of the round that are not stored, and how many of them have ended.
    missing: usize,
    ended: usize,
    /// Running trials, each with its stage.
    running: BTreeMap<String, &'static str>,
    /// Trials that another process runs, and that were reported.
    waited: BTreeSet<String>,
    /// Whether the status line is shown.
    shown: bool,
}

impl State {
    /// The status line.
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
    /// For this process' standard error.
    pub fn new() -> Progress {
        Progress { terminal: std::io::stderr().is_terminal(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the status line.
    pub fn clear(&self) {
        clear(&mut self.state());
    }

    /// Prints a permanent line.
    pub fn say(&self, line: &str) {
        self.update(|_| Some(line.to_owned()));
    }

    /// Updates the state, prints a permanent line, if any, and shows the status line again.
    fn update(&self, change: impl FnOnce(&mut State) -> Option<String>) {
        let mut state = self.state();
        let stays = change(&mut state);
        clear(&mut state);
        if let Some(text) = stays {
            complain(&format!("{text}\n"));
        }
        if self.terminal && !state.running.is_empty() {
            // Cut, since a line that wraps cannot be taken back.
            complain(&cut(&state.line(), columns()));
            state.shown = true;
        }
    }
}

fn clear(state: &mut State) {
    if std::mem::take(&mut state.shown) {
        complain("\r\u{1b}[2K");
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

    fn damaged(&self, why: &str) {
        self.update(|_| Some(format!("note: {}; the trial is run again", one_line(why))));
    }
}

/// Columns that can be written to: the last stays free, what reaches it may scroll.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let columns = size.map(|size| usize::from(size.ws_col)).filter(|n| *n > 0);
    columns.unwrap_or(COLUMNS).saturating_sub(1).max(1)
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
