//! Progress on standard error: lines that stay and, on a terminal, a status line below them.

use crate::output::complain;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};
use text::line::{one_line, visible};

/// How often the status line is drawn again: its time goes on while a trial takes minutes.
const REDRAWN: Duration = Duration::from_millis(500);

/// The status line of standard error: a spinner, the time since the beginning, and the status.
#[derive(Debug)]
pub struct StatusLine {
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl StatusLine {
    /// One that is not shown yet.
    pub fn new() -> StatusLine {
        StatusLine { begun: Instant::now(), bar: None }
    }

    /// Prints a line that stays, if any, and shows the status below it; none removes the status line.
    pub fn print(&mut self, line: Option<&str>, status: Option<&str>) {
        match status {
            Some(status) => {
                let bar = self.bar.get_or_insert_with(|| spinner(self.begun.elapsed()));
                // It may hold names of a lab.
                bar.set_message(one_line(status));
            }
            None => drop(self.bar.take().inspect(ProgressBar::finish_and_clear)),
        }
        let stays = || line.into_iter().for_each(|line| complain(&format!("{}\n", visible(line))));
        match &self.bar {
            Some(bar) => bar.suspend(stays),
            None => stays(),
        }
    }
}

/// A bar that draws nothing where standard error is no terminal.
fn spinner(elapsed: Duration) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {elapsed_precise}  {wide_msg}");
    let bar = ProgressBar::new_spinner()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        .with_elapsed(elapsed);
    bar.enable_steady_tick(REDRAWN);
    bar
}
