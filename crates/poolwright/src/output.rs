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

/// A value as JSON for people: indented, with a line break at its end.
///
/// # Errors
/// The exit code.
pub fn json(value: &impl serde::Serialize) -> Result<String, u8> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|e| format!("cannot write JSON: {e}"));
    text.map(|text| text + "\n").map_err(|why| crate::exit::refuse(crate::exit::ENVIRONMENT, why))
}

/// Writes `text` to standard error; errors are ignored.
pub fn complain(text: &str) {
    // Nothing is left to complain to when standard error itself is closed.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
