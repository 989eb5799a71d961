//! Why an engine died, from what it left in its log.

/// The reason in a dead engine's log: the last line with an assertion of OpenZFS, a panic or a
/// fatal signal, otherwise its last line.
pub(crate) fn reason(log: &str) -> Option<&str> {
    const FATAL: &[&str] = &[
        "ASSERT",
        "VERIFY",
        "panic",
        "PANIC",
        "assertion",
        "failed at",
    ];
    let lines = || log.lines().map(str::trim).filter(|l| !l.is_empty());
    lines()
        .rfind(|line| FATAL.iter().any(|mark| line.contains(mark)))
        .or_else(|| lines().next_back())
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_last_assertion_is_the_reason_whatever_follows_it() {
        let log = "spa created\nASSERT at arc.c:1\nVERIFY3(a == b) failed (1 == 2)\nbacktrace:\n";
        assert_eq!(reason(log), Some("VERIFY3(a == b) failed (1 == 2)"));
    }

    #[test]
    fn without_one_it_is_the_last_line_and_an_empty_log_has_none() {
        assert_eq!(reason("one\nout of memory\n\n"), Some("out of memory"));
        assert_eq!(reason("\n"), None);
    }
}
