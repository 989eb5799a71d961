//! Numbers and arguments as people write them.

/// Bytes with a binary suffix and at most one decimal, as `zfs` and `zpool` take and print them.
pub fn size(bytes: u64) -> String {
    const SUFFIX: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];
    let mut unit = 0;
    let mut scaled = bytes as f64;
    while scaled >= 1024.0 && unit + 1 < SUFFIX.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    if unit == 0 || scaled.fract() < 0.05 || scaled >= 100.0 {
        format!("{:.0}{}", scaled.floor(), SUFFIX[unit])
    } else {
        format!("{scaled:.1}{}", SUFFIX[unit])
    }
}

/// An argument as a POSIX shell would need it typed: quoted when it has anything but plain
/// characters. Control characters are replaced, so that pasted names cannot drive a terminal.
pub fn quoted(argument: &str) -> String {
    let clean = printable(argument);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !clean.is_empty() && clean.chars().all(plain) {
        clean
    } else {
        format!("'{}'", clean.replace('\'', r"'\''"))
    }
}

/// Text on one line, with characters replaced that are controls or change how others are shown.
pub fn printable(text: &str) -> String {
    let hidden = |c: char| c.is_control() || text::line::is_hidden(c);
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// What follows `poolwright` in the command for a built-in lab, with its options.
pub fn lab_command(lab: &str) -> String {
    let verb = if lab.starts_with("powercut-") { "powercut" } else { "run" };
    format!("{verb} {lab}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_zfs_prints_them() {
        assert_eq!(size(512), "512");
        assert_eq!(size(16384), "16K");
        assert_eq!(size(1 << 20), "1M");
        assert_eq!(size(3 << 29), "1.5G");
        assert_eq!(size(118_000_000_000), "109G");
    }

    #[test]
    fn text_that_would_drive_a_terminal_or_reorder_is_replaced() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c\n"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}");
        assert_eq!(quoted("tank/\u{202e}gp"), "'tank/\u{fffd}gp'");
    }

    #[test]
    fn an_argument_that_a_shell_would_split_is_quoted() {
        assert_eq!(quoted("tank/pg"), "tank/pg");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("x;rm -rf '/'"), r"'x;rm -rf '\''/'\'''");
        assert_eq!(quoted("a\u{1b}[2J"), "'a\u{fffd}[2J'");
    }
}
