//! What a run tells while it is at work: one line that is kept up to date on a terminal, a line for
//! each trial elsewhere; always on standard error.

use crate::output::complain;
use bench::campaign::Watch;
use bench::trial::Step;
use findings::record::{Outcome, Trial};
use std::cell::{Cell, RefCell};
use std::io::IsTerminal;

/// Tells how a run goes.
pub struct Progress {
    terminal: bool,
    /// The line that is kept up to date, without the step.
    line: RefCell<String>,
    /// Whether it stands on the terminal.
    shown: Cell<bool>,
}

impl Progress {
    /// For this process' standard error.
    pub fn new() -> Progress {
        Progress {
            terminal: std::io::stderr().is_terminal(),
            line: RefCell::default(),
            shown: Cell::new(false),
        }
    }

    /// Says something that stays.
    pub fn say(&self, text: &str) {
        self.clear();
        complain(&format!("{text}\n"));
    }

    /// Takes the line that is kept up to date away.
    pub fn clear(&self) {
        if self.shown.replace(false) {
            complain("\r\u{1b}[2K");
        }
    }

    fn update(&self, text: &str) {
        if self.terminal {
            self.shown.set(true);
            // Cut, since a line that wraps cannot be taken back.
            let text: String = text.chars().take(78).collect();
            complain(&format!("\r\u{1b}[2K{text}"));
        }
    }
}

impl Watch for Progress {
    fn pilot(&self, variant: &str, workload: &str, time: f64) {
        *self.line.borrow_mut() = format!("pilot at {time}×  {variant} · {workload}");
        self.update(&self.line.borrow());
    }

    fn chosen(&self, time: f64, why: &str) {
        self.say(&format!("time {time}× slower ({why})"));
    }

    fn begins(&self, trial: &Trial, done: usize, planned: usize, left_s: f64) {
        *self.line.borrow_mut() = format!(
            "{}/{planned}  {} · {}  about {} left",
            done + 1,
            trial.variant,
            trial.workload,
            lab::units::print_duration(left_s.round())
        );
        self.update(&self.line.borrow());
    }

    fn step(&self, step: Step) {
        let step = match step {
            Step::Building => "building",
            Step::LayingOut => "laying out files",
            Step::Settling => "settling",
            Step::Measuring => "measuring",
        };
        self.update(&format!("{}  {step}", self.line.borrow()));
    }

    fn ended(&self, trial: &Trial) {
        let what = match &trial.outcome {
            Outcome::Measured(m) => {
                let ops = (m.read.ops + m.write.ops) as f64;
                format!("{:.0} ops/s", ops / m.runtime_s.max(1e-9))
            }
            Outcome::Failed { reason } => format!("failed: {reason}"),
        };
        self.say(&format!(
            "trial {}  {} · {}  {what}  ({:.0} s)",
            trial.id, trial.variant, trial.workload, trial.wall_s
        ));
    }
}
