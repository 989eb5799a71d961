//! Writes to standard output and tolerates a closed pipe (`poolwright check x | head`); decides on colours.

use crate::exit::{ENVIRONMENT, Refusal, refuse};
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes `text` to standard output; the exit code. A closed pipe counts as success.
pub fn print(text: &str) -> u8 {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(e) if e.kind() == ErrorKind::BrokenPipe => 0,
        Err(e) => refuse(ENVIRONMENT, format!("cannot write to standard output: {e}")),
    }
}

/// A value as JSON for people: indented, with a line break at its end.
pub fn json(value: &impl serde::Serialize) -> Result<String, Refusal> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|e| Refusal::environment(format!("cannot write JSON: {e}")))?;
    Ok(text + "\n")
}

/// Writes `text` to the file that an option names.
pub fn write(path: &Path, text: &str, option: &str) -> Result<(), Refusal> {
    std::fs::write(path, text).map_err(|e| {
        let path = path.display();
        Refusal::environment(format!("cannot write {path}: {e}: choose another path with {option}"))
    })
}

/// Writes `text` to standard error; errors are ignored.
pub fn complain(text: &str) {
    // Nothing is left to complain to when standard error itself is closed.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Whether to write colours to a stream: only to a terminal that `TERM` names and does not call dumb, and not where
/// `NO_COLOR` is set (<https://no-color.org>).
pub fn colour(to_terminal: bool) -> bool {
    let [term, no_color] = ["TERM", "NO_COLOR"].map(std::env::var_os);
    to_terminal && takes_colour(term.as_deref(), no_color.as_deref())
}

fn takes_colour(term: Option<&OsStr>, no_color: Option<&OsStr>) -> bool {
    let able = term.is_some_and(|term| !term.is_empty() && term != "dumb");
    able && no_color.is_none_or(OsStr::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_with_a_name_takes_colour_and_none_where_no_color_is_set() {
        let takes = |term: Option<&str>, no_color: Option<&str>| {
            takes_colour(term.map(OsStr::new), no_color.map(OsStr::new))
        };
        assert!(takes(Some("xterm-256color"), None));
        assert!(takes(Some("linux"), Some("")));
        for term in [None, Some(""), Some("dumb")] {
            assert!(!takes(term, None), "{term:?}");
        }
        assert!(!takes(Some("xterm-256color"), Some("1")));
        assert!(!colour(false));
    }
}
