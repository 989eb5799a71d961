//! Foreign text made fit to be shown: nothing in it may move the cursor, hide or re-order text.

use std::borrow::Cow;
use std::fmt::Write;

/// Characters that change how their neighbours are shown: controls, bidirectional marks and
/// overrides (Unicode UAX #9), and the byte-order mark.
pub(crate) fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{200b}' | '\u{2028}' | '\u{2029}')
}

/// Appends `c`, or its code point in brackets where it would not be seen.
pub fn visible_char(out: &mut String, c: char) {
    if is_hidden(c) {
        let _ = write!(out, "⟨U+{:04X}⟩", c as u32);
    } else {
        out.push(c);
    }
}

/// The isolates that [`crate::lang`] puts around right-to-left names in its sentences.
pub const ISOLATE: [char; 2] = ['\u{2068}', '\u{2069}'];

/// `text` with every hidden character shown as its code point.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| visible_char(&mut out, c));
    Cow::Owned(out)
}

/// `text` on one line: hidden characters shown, line breaks and tabs turned into spaces.
pub fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Columns a terminal gives to `c`: 2 for East Asian wide characters, 0 for combining marks.
///
/// Ranges: Unicode's EastAsianWidth W and F blocks as far as scripts and symbols go.
pub fn columns_of_char(c: char) -> usize {
    let c = c as u32;
    let combining = matches!(c, 0x0300..=0x036f | 0x0483..=0x0489 | 0x0591..=0x05bd
        | 0x0610..=0x061a | 0x064b..=0x065f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff
        | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f | 0x200c..=0x200d);
    let wide = matches!(c, 0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0x33ff | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff | 0xa000..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe4f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1f64f
        | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd);
    match (combining, wide) {
        (true, _) => 0,
        (_, true) => 2,
        _ => 1,
    }
}

/// Columns a terminal gives to `text`.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of_char).sum()
}

/// `text` cut to `width` columns, the cut shown by `…`.
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let next = columns_of_char(c);
        if used + next + 1 > width {
            break;
        }
        used += next;
        out.push(c);
    }
    out.push('…');
    out
}

/// `text` broken into lines of at most `width` columns, at spaces where there are any and between
/// wide characters otherwise.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    let mut lines = vec![String::new()];
    let mut used = 0;
    let start_line = |lines: &mut Vec<String>, used: &mut usize| {
        lines.push(String::new());
        *used = 0;
    };
    for word in text.split([' ', '\n']).filter(|w| !w.is_empty()) {
        let needed = columns(word);
        if used > 0 && used + 1 + needed > width && needed <= width {
            start_line(&mut lines, &mut used);
        }
        if used > 0 {
            lines.last_mut().expect("one line at least").push(' ');
            used += 1;
        }
        for c in word.chars() {
            let next = columns_of_char(c);
            if used + next > width {
                start_line(&mut lines, &mut used);
            }
            lines.last_mut().expect("one line at least").push(c);
            used += next;
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Lines of a table with columns as wide as their widest cell; those in `right` stand to the right.
pub fn aligned<const N: usize>(lines: &[[String; N]], right: std::ops::Range<usize>) -> String {
    let width = |i: usize| lines.iter().map(|line| columns(&line[i])).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut out = String::new();
    for line in lines {
        let mut row = String::new();
        for (i, cell) in line.iter().enumerate() {
            let room = " ".repeat(widths[i] - columns(cell));
            row += &if right.contains(&i) {
                format!("{room}{cell}  ")
            } else {
                format!("{cell}{room}  ")
            };
        }
        out += row.trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_reorder_or_clear_a_screen_is_shown_as_its_code_point() {
        assert_eq!(visible("a\u{202e}b"), "a⟨U+202E⟩b");
        assert_eq!(visible("\u{1b}[2J"), "⟨U+001B⟩[2J");
        assert_eq!(one_line("two\n\tlines"), "two lines");
        assert_eq!(visible("café 日志"), "café 日志");
    }

    #[test]
    fn chinese_takes_two_columns_a_character() {
        assert_eq!(columns("日志 log"), 8);
        assert_eq!(cut("日志设备", 5), "日志…");
        assert_eq!(cut("short", 5), "short");
    }

    #[test]
    fn wrapping_keeps_every_line_within_the_width_even_without_spaces() {
        let text = "a reason of several words and 一个没有空格的很长的句子需要在字符之间断开 end";
        let lines = wrap(text, 20);
        assert!(lines.iter().all(|line| columns(line) <= 20), "{lines:?}");
        let together: String = lines.concat();
        assert_eq!(together.replace(' ', ""), text.replace(' ', ""), "nothing is lost");
    }
}
