//! A sentence of vdevs, read with the place of each word.

use super::{draid, drive};
use crate::campaign::{Class, DriveRef, Layout, Vdev};
use std::ops::Range;

/// A top-level vdev and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The vdev.
    pub vdev: Vdev,
    /// From its keyword (or its first drive) to its last drive.
    pub span: Range<usize>,
    /// The word of each of its drives.
    pub drive_spans: Vec<Range<usize>>,
}

/// What is wrong with a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the sentence.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub fix: String,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sentence {
    /// The vdevs, in order.
    pub vdevs: Vec<Placed>,
    /// Class keywords after which no drive stands: `remove = "log"` means all of that class.
    pub bare: Vec<(Class, Range<usize>)>,
}

/// The words that open a class.
pub(super) const CLASSES: [(&str, Class); 5] = [
    ("log", Class::Log),
    ("cache", Class::Cache),
    ("special", Class::Special),
    ("dedup", Class::Dedup),
    ("spare", Class::Spare),
];

enum Grouping<'a> {
    Mirror,
    Raidz(u8),
    Draid(u8, &'a str),
}

/// Reads a sentence: all vdevs that can be made out, and all that is wrong.
pub fn parse(text: &str) -> (Sentence, Vec<Problem>) {
    let mut reader = Reader {
        words: words(text),
        at: 0,
        sentence: Sentence::default(),
        problems: Vec::new(),
        named: 0,
    };
    reader.sentence();
    (reader.sentence, reader.problems)
}

fn words(text: &str) -> Vec<(&str, Range<usize>)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace()
        .map(|word| {
            let start = word.as_ptr() as usize - base;
            (word, start..start + word.len())
        })
        .collect()
}

fn class(word: &str) -> Option<Class> {
    CLASSES.iter().find(|(name, _)| *name == word).map(|(_, class)| *class)
}

/// A layout keyword; `Err` for one that looks like one and is none.
fn grouping(word: &str) -> Option<Result<Grouping<'_>, String>> {
    if word == "mirror" {
        return Some(Ok(Grouping::Mirror));
    }
    if word == "stripe" || word == "disk" {
        return Some(Err("a stripe needs no keyword: write its drives".to_owned()));
    }
    if let Some(number) = word.strip_prefix("mirror-") {
        if number.parse::<u32>().is_ok() {
            return Some(Err(
                "`zpool status` numbers its vdevs, `zpool create` does not: write `mirror`"
                    .to_owned(),
            ));
        }
        return None;
    }
    for (prefix, is_draid) in [("raidz", false), ("draid", true)] {
        let Some(rest) = word.strip_prefix(prefix) else {
            continue;
        };
        let (parity, options) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
        let parity = match parity {
            "" | "1" => 1,
            "2" => 2,
            "3" => 3,
            _ => {
                return Some(Err(format!("write {prefix}1, {prefix}2 or {prefix}3")));
            }
        };
        return Some(match (is_draid, options) {
            (true, options) => Ok(Grouping::Draid(parity, options)),
            (false, "") => Ok(Grouping::Raidz(parity)),
            (false, _) => Err(format!(
                "raidz takes no options: write raidz{parity}, or draid{parity}{options}"
            )),
        });
    }
    None
}

/// Whether a word opens a class or a layout, or is refused as one.
pub fn is_keyword(word: &str) -> bool {
    class(word).is_some() || grouping(word).is_some()
}

struct Reader<'a> {
    words: Vec<(&'a str, Range<usize>)>,
    at: usize,
    sentence: Sentence,
    problems: Vec<Problem>,
    /// Drives so far.
    named: usize,
}

impl<'a> Reader<'a> {
    fn problem(&mut self, span: Range<usize>, message: impl Into<String>, fix: impl Into<String>) {
        self.problems.push(Problem { span, message: message.into(), fix: fix.into() });
    }

    fn sentence(&mut self) {
        let mut current = Class::Normal;
        let mut opened: Vec<Class> = Vec::new();
        while let Some((word, span)) = self.words.get(self.at).cloned() {
            if let Some(next) = class(word) {
                // `construct_spec` takes these once; special and dedup as often as one likes.
                let once = matches!(next, Class::Log | Class::Cache | Class::Spare);
                if once && opened.contains(&next) {
                    self.problem(
                        span.clone(),
                        format!("`{word}` stands here twice"),
                        format!("zpool takes it once: write all of it behind the first `{word}`"),
                    );
                }
                opened.push(next);
                current = next;
                self.at += 1;
                if self.words.get(self.at).is_none_or(|(word, _)| class(word).is_some()) {
                    self.sentence.bare.push((next, span));
                }
                continue;
            }
            match grouping(word) {
                Some(Ok(grouping)) => {
                    self.at += 1;
                    // A layout ends the list of cache or spare drives before it.
                    let listed = self.sentence.vdevs.last().map(|last| last.vdev.class);
                    if matches!(current, Class::Cache | Class::Spare) && listed == Some(current) {
                        current = Class::Normal;
                    }
                    self.group(current, word, span, grouping);
                }
                Some(Err(fix)) => {
                    self.at += 1;
                    self.problem(span, format!("`{word}` is no vdev of zpool create"), fix);
                    // Its drives would otherwise be taken for a stripe.
                    self.drives();
                }
                None => {
                    for (drive, span) in self.drives() {
                        self.sentence.vdevs.push(Placed {
                            vdev: Vdev {
                                class: current,
                                layout: Layout::Single,
                                drives: vec![drive],
                            },
                            span: span.clone(),
                            drive_spans: vec![span],
                        });
                    }
                }
            }
        }
    }

    /// The drives up to the next keyword.
    fn drives(&mut self) -> Vec<(DriveRef, Range<usize>)> {
        let mut drives = Vec::new();
        while let Some((word, span)) = self.words.get(self.at).cloned() {
            if class(word).is_some() || grouping(word).is_some() {
                break;
            }
            self.at += 1;
            match drive::drives(word) {
                Ok(named) if self.named + named.len() > drive::MOST as usize => {
                    self.problem(
                        span,
                        format!("a pool here has no more than {} drives", drive::MOST),
                        "name fewer",
                    );
                    // What follows would only add to it.
                    self.at = self.words.len();
                    break;
                }
                Ok(named) => {
                    self.named += named.len();
                    drives.extend(named.into_iter().map(|drive| (drive, span.clone())));
                }
                Err(fix) => self.problem(span, format!("`{word}` names no drive"), fix),
            }
        }
        drives
    }

    fn group(&mut self, class: Class, word: &str, keyword: Range<usize>, grouping: Grouping<'_>) {
        let before = self.problems.len();
        let drives = self.drives();
        if self.problems.len() > before {
            return; // How many drives there are is not known.
        }
        let end = drives.last().map_or(keyword.end, |(_, span)| span.end);
        let needed = match &grouping {
            Grouping::Mirror => 2,
            Grouping::Raidz(parity) | Grouping::Draid(parity, _) => usize::from(*parity) + 1,
        };
        if drives.len() < needed {
            let has = drives.len();
            self.problem(
                keyword.start..end,
                format!(
                    "{word} needs at least {needed} drives, here {} {has}",
                    if has == 1 { "is" } else { "are" }
                ),
                match &grouping {
                    Grouping::Mirror => {
                        "name two drives or more, or leave `mirror` away for a single one"
                            .to_owned()
                    }
                    _ => format!("name {needed} drives or more, or take a lower parity"),
                },
            );
            return;
        }
        let layout = match grouping {
            Grouping::Mirror => Layout::Mirror,
            Grouping::Raidz(_) | Grouping::Draid(..) if drives.len() > 255 => {
                self.problem(
                    keyword.start..end,
                    format!("{word} takes no more than 255 drives, here are {}", drives.len()),
                    "divide them over several vdevs",
                );
                return;
            }
            Grouping::Raidz(parity) => Layout::Raidz { parity },
            Grouping::Draid(parity, options) => {
                match draid::layout(parity, options, drives.len()) {
                    Ok(layout) => layout,
                    Err(why) => {
                        self.problem(
                            keyword,
                            format!("`{word}` fits no dRAID of {} drives", drives.len()),
                            why,
                        );
                        return;
                    }
                }
            }
        };
        if class != Class::Normal && layout != Layout::Mirror {
            let name = super::print::class_word(class);
            let fix = match class {
                Class::Cache | Class::Spare => format!(
                    "{name} drives stand alone: leave `{word}` away; data vdevs go before `{name}`"
                ),
                _ => format!("a {name} vdev is a drive or a mirror; data vdevs go before `{name}`"),
            };
            self.problem(keyword, format!("zpool cannot make a {word} of `{name}` drives"), fix);
            return;
        }
        if matches!(class, Class::Cache | Class::Spare) {
            let name = super::print::class_word(class);
            self.problem(
                keyword,
                format!("zpool cannot mirror `{name}` drives"),
                format!("leave `mirror` away; data vdevs go before `{name}`"),
            );
            return;
        }
        let (drives, drive_spans): (Vec<_>, Vec<_>) = drives.into_iter().unzip();
        self.sentence.vdevs.push(Placed {
            vdev: Vdev { class, layout, drives },
            span: keyword.start..end,
            drive_spans,
        });
    }
}
