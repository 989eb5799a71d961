//! Progress on standard error: lines that stay and, on a terminal, a status line below them.

use crate::output::complain;
use report::text::cut;
use std::io::IsTerminal;

/// Columns of a terminal of unknown width.
const COLUMNS: usize = 80;

/// The status line of standard error.
#[derive(Debug)]
pub struct StatusLine {
    terminal: bool,
    shown: bool,
}

impl StatusLine {
    /// One that is not shown yet.
    pub fn new() -> StatusLine {
        StatusLine { terminal: std::io::stderr().is_terminal(), shown: false }
    }

    /// Prints a line that stays, if any, and shows the status below it; none removes the status line.
    pub fn print(&mut self, line: Option<&str>, status: Option<&str>) {
        if std::mem::take(&mut self.shown) {
            complain("\r\u{1b}[2K");
        }
        if let Some(line) = line {
            complain(&format!("{line}\n"));
        }
        if let Some(status) = status.filter(|_| self.terminal) {
            // Cut, since a line that wraps cannot be taken back.
            complain(&cut(status, columns()));
            self.shown = true;
        }
    }
}

/// Columns that can be written to: the last stays free, what reaches it may scroll.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let columns = size.map(|size| usize::from(size.ws_col)).filter(|n| *n > 0);
    columns.unwrap_or(COLUMNS).saturating_sub(1).max(1)
}
