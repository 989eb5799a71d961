//! Writes to standard output and tolerates a closed pipe (`poolwright check x | head`).

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Writes `text` to standard output; a closed pipe counts as success.
pub fn print(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) if e.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            complain(&format!("error: cannot write to standard output: {e}\n"));
            ExitCode::from(crate::exit::ENVIRONMENT)
        }
    }
}

/// Writes `text` to standard error; errors are ignored.
pub fn complain(text: &str) {
    // Nothing is left to complain to when standard error itself is closed.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
