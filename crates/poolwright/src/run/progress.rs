//! What a run tells while it is at work: one line that is kept up to date on a terminal, or the whole
//! view of `--watch`; a line for each trial elsewhere; always on standard error.

use super::view::View;
use crate::output::complain;
use bench::campaign::Watch;
use bench::trial::Step;
use bench::window::Sample;
use findings::record::{Outcome, Trial};
use report::text::{cut, one_line};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::IsTerminal;

/// Columns and rows where the terminal does not say.
const SIZE: (usize, usize) = (80, 24);

/// Tells how a run goes.
pub struct Progress {
    terminal: bool,
    /// The line that is kept up to date, without the step.
    line: RefCell<String>,
    /// How many lines stand on the terminal that are to be taken back.
    shown: Cell<usize>,
    /// The whole view, where it is wanted and can be shown.
    view: Option<RefCell<View>>,
    /// Dirty-data limit of the model, by variant.
    dirty_max: BTreeMap<String, u64>,
}

impl Progress {
    /// For this process' standard error. `watch` shows the pool at work, each variant against its
    /// dirty-data limit in `dirty_max`; where that is no terminal it says so and goes on.
    pub fn new(watch: bool, dirty_max: BTreeMap<String, u64>) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        if watch && !terminal {
            complain(
                "--watch shows nothing: standard error is not a terminal; the run goes on without it\n",
            );
        }
        Progress {
            terminal,
            line: RefCell::default(),
            shown: Cell::new(0),
            view: (watch && terminal).then(RefCell::default),
            dirty_max,
        }
    }

    /// Says something that stays.
    pub fn say(&self, text: &str) {
        self.clear();
        complain(&format!("{text}\n"));
    }

    /// Takes what is kept up to date away.
    pub fn clear(&self) {
        match self.shown.replace(0) {
            0 => {}
            1 => complain("\r\u{1b}[2K"),
            // Up to the first line, and everything below it gone.
            lines => complain(&format!("\r\u{1b}[{}A\u{1b}[J", lines - 1)),
        }
    }

    fn update(&self, text: &str) {
        if self.terminal {
            self.clear();
            self.shown.set(1);
            // Cut, since a line that wraps cannot be taken back.
            complain(&cut(text, size().0));
        }
    }

    /// Changes the view and shows it; false where there is none.
    fn show(&self, change: impl FnOnce(&mut View)) -> bool {
        let Some(view) = &self.view else { return false };
        let mut view = view.borrow_mut();
        change(&mut view);
        let (columns, rows) = size();
        let lines = view.lines(columns, rows);
        self.clear();
        self.shown.set(lines.len());
        complain(&lines.join("\n"));
        true
    }

    fn begin(&self, line: String, variant: &str, time: f64) {
        let shown = self.show(|view| {
            view.begin();
            view.trial.clone_from(&line);
            view.step = String::new();
            view.time = time;
            view.dirty_max = self.dirty_max.get(variant).copied().unwrap_or(0);
        });
        if !shown {
            self.update(&line);
        }
        *self.line.borrow_mut() = line;
    }
}

impl Watch for Progress {
    fn pilot(&self, variant: &str, workload: &str, time: f64) {
        self.begin(
            format!("pilot at {time}×  {variant} · {workload}"),
            variant,
            time,
        );
    }

    fn chosen(&self, time: f64, why: &str) {
        self.say(&format!("time {time}× slower ({why})"));
    }

    fn begins(&self, trial: &Trial, done: usize, planned: usize, left_s: f64) {
        let line = format!(
            "{}/{planned}  {}  about {} left",
            done + 1,
            name(trial),
            lab::units::print_duration(left_s.round())
        );
        self.begin(line, &trial.variant, trial.time);
    }

    fn step(&self, step: Step) {
        let step = match step {
            Step::TakingMemory => "taking memory",
            Step::Building => "building",
            Step::LayingOut => "laying out files",
            Step::Settling => "settling",
            Step::WarmingUp => "warming up",
            Step::Measuring => "measuring",
        };
        let shown = self.show(|view| {
            view.begin();
            view.step = step.to_owned();
        });
        if !shown {
            self.update(&format!("{}  {step}", self.line.borrow()));
        }
    }

    fn sample(&self, sample: &Sample) {
        self.show(|view| view.add(sample.clone()));
    }

    fn ended(&self, trial: &Trial) {
        let what = match &trial.outcome {
            Outcome::Measured(m) => {
                let ops = (m.read.ops + m.write.ops) as f64;
                format!("{:.0} ops/s", ops / m.runtime_s.max(1e-9))
            }
            // It may quote a program, or a job's own names.
            Outcome::Failed { reason } => format!("failed: {}", one_line(reason)),
        };
        self.say(&format!(
            "trial {}  {}  {what}  ({:.0} s)",
            trial.id,
            name(trial),
            trial.wall_s
        ));
    }
}

/// Columns and rows that can be written to: the last ones stay free, what reaches them may scroll.
fn size() -> (usize, usize) {
    let (columns, rows) = rustix::termios::tcgetwinsize(std::io::stderr())
        .ok()
        .map(|size| (usize::from(size.ws_col), usize::from(size.ws_row)))
        .filter(|(columns, rows)| *columns > 0 && *rows > 0)
        .unwrap_or(SIZE);
    (columns.saturating_sub(1).max(1), rows.saturating_sub(1).max(1))
}

/// A trial's cell, and what sets it apart from others of it.
fn name(trial: &Trial) -> String {
    let mut name = format!("{} · {}", trial.variant, trial.workload);
    if let Some(rate) = trial.offered_rate {
        name.push_str(&format!(" at {rate:.0}/s"));
    }
    if let Some(change) = &trial.rerun {
        name.push_str(&format!(
            " with {} of {} × {}",
            change.parameter, change.drive, change.factor
        ));
    }
    name
}
