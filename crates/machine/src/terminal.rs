//! The host's terminal while a machine uses it.

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::stdin;

/// The settings of standard input's terminal. A machine's console sets it to raw mode; they are set again
/// when this is dropped, however the machine ended.
pub struct Terminal(Option<Termios>);

impl Terminal {
    /// The settings of now; nothing where standard input is no terminal.
    pub fn save() -> Terminal {
        Terminal(tcgetattr(stdin()).ok())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(settings) = &self.0 {
            let _ = tcsetattr(stdin(), OptionalActions::Now, settings);
        }
    }
}
