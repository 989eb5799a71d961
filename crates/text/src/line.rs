//! Foreign text made fit to be shown: nothing in it may move the cursor, hide or re-order text.

use std::borrow::Cow;
use std::fmt::Write;
use textwrap::WordSeparator;
use textwrap::core::{Fragment, Word, break_words};
use textwrap::wrap_algorithms::wrap_first_fit;
use unicode_width::UnicodeWidthChar;

/// Characters that change how their neighbours are shown: controls, bidirectional marks and
/// overrides (Unicode UAX #9), and the byte-order mark.
pub fn is_hidden(c: char) -> bool {
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

/// The isolates that [`crate::name`] puts around right-to-left names in its sentences.
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
fn columns_of_char(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Columns a terminal gives to `text`: the sum of its characters', by which lines are wrapped and names cut.
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

/// Columns that a line has at least.
const NARROWEST: usize = 8;

/// `text` broken into lines: the first of at most `first` columns, the others of at most `others`. Each run of
/// spaces and line breaks in it is one space. A first word that is too long for the first line leaves that empty; one
/// that is too long for any line is divided.
pub fn wrap(text: &str, first: usize, others: usize) -> Vec<String> {
    let (first, others) = (first.max(NARROWEST), others.max(NARROWEST));
    let words: Vec<&str> = text.split([' ', '\n']).filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    let parts = text.split_inclusive(' ').flat_map(parts_of_word);
    let pieces = break_words(parts, others);
    let too_long = pieces.first().is_some_and(|piece| piece.width() > first as f64);
    let widths: &[f64] = match too_long {
        true => &[others as f64],
        false => &[first as f64, others as f64],
    };
    let mut lines: Vec<String> = too_long.then(String::new).into_iter().collect();
    lines.extend(wrap_first_fit(&pieces, widths).into_iter().map(|line| {
        let all: String = line.iter().flat_map(|piece| [piece.word, piece.whitespace]).collect();
        all.trim_end_matches(' ').to_owned()
    }));
    lines
}

/// The parts of a word, the space behind it included, between which a line may break, as [`may_break`] says.
fn parts_of_word(word: &str) -> Vec<Word<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in WordSeparator::UnicodeBreakProperties.find_words(word) {
        if end > 0 && may_break(&word[..end], &word[end..]) {
            parts.push(Word::from(&word[start..end]));
            start = end;
        }
        end += part.word.len() + part.whitespace.len();
    }
    parts.push(Word::from(&word[start..]));
    parts
}

/// Whether a line may break in a word where Unicode allows it: beside a wide character. Paths, names and rates
/// (`次/秒`) stay whole, although Unicode allows a break after their hyphens and slashes.
fn may_break(before: &str, after: &str) -> bool {
    let is_wide = |c: char| columns_of_char(c) > 1;
    match before.chars().next_back() {
        Some('/') | None => false,
        Some(c) => is_wide(c) || after.chars().next().is_some_and(is_wide),
    }
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
        let long = "x".repeat(70);
        for text in [text, &format!("{long} {text} {long}"), ""] {
            for (first, others) in [(20, 20), (12, 30), (30, 12)] {
                let lines = wrap(text, first, others);
                let fits = |(i, line): (usize, &String)| {
                    columns(line) <= if i == 0 { first } else { others }
                };
                assert!(lines.iter().enumerate().all(fits), "{lines:?}");
                assert_eq!(
                    lines.concat().replace(' ', ""),
                    text.replace(' ', ""),
                    "nothing is lost"
                );
            }
        }
        assert_eq!(wrap("", 20, 20), [""]);
    }

    #[test]
    fn no_line_begins_with_closing_punctuation_or_ends_with_an_opening_bracket() {
        let text =
            "独立日志：写入延迟（平均）由八毫秒变为十二微秒，突发、持续均如此；结论（见下）成立。";
        for width in 8..=40 {
            for line in wrap(text, width, width) {
                assert!(!line.starts_with(['：', '，', '。', '；', '）', '、']), "{width}: {line}");
                assert!(!line.ends_with('（'), "{width}: {line}");
            }
        }
    }

    #[test]
    fn latin_words_paths_and_rates_break_at_spaces_only() {
        let words =
            ["pool-name/dataset", "/proc/spl/kstat/zfs", "640", "次/秒", "12.5\u{a0}ms", "a—b"];
        let text = words.join(" ");
        for width in 19..=40 {
            let lines = wrap(&text, width, width);
            let back: Vec<&str> = lines.iter().flat_map(|line| line.split(' ')).collect();
            assert_eq!(back, words, "{width}");
        }
        // Beside Chinese there is no space.
        assert_eq!(
            wrap("由 hdd 变为 optane-p4800x（原为）", 12, 18),
            ["由 hdd 变为", "optane-p4800x（原", "为）"]
        );
        // What is too long for the rest of the first line begins on the second.
        assert_eq!(wrap("/proc/spl/kstat/zfs end", 10, 24), ["", "/proc/spl/kstat/zfs end"]);
    }
}
