//! Writes to standard output and tolerates a closed pipe (`poolwright check x | head`).

use std::io::{ErrorKind, Write};

/// Writes `text` to standard output; the exit code. A closed pipe counts as success.
pub fn print(text: &str) -> u8 {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(e) if e.kind() == ErrorKind::BrokenPipe => 0,
        Err(e) => {
            let why = format!("cannot write to standard output: {e}");
            crate::exit::refuse(crate::exit::ENVIRONMENT, why)
        }
    }
}

/// Writes `text` to standard error; errors are ignored.
pub fn complain(text: &str) {
    // Nothing is left to complain to when standard error itself is closed.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
