//! A sentence of vdevs, read with the place of each word.

use super::{DriveRef, Vdev, drive};
use crate::AllocationClass;
use crate::layout::{self, Keyword, Layout};
use crate::property::Refused;
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

/// What was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sentence {
    /// The vdevs, in order.
    pub vdevs: Vec<Placed>,
    /// Keywords of allocation classes after which no drive stands: `remove = "log"` means all of that class.
    pub bare: Vec<(AllocationClass, Range<usize>)>,
}

/// Reads a sentence: all vdevs that can be read, and all that is wrong with it, with the bytes of each.
pub fn parse(text: &str) -> (Sentence, Vec<(Range<usize>, Refused)>) {
    let mut reader = Reader {
        words: placed_words(text).collect(),
        at: 0,
        sentence: Sentence::default(),
        problems: Vec::new(),
        named: 0,
    };
    reader.sentence();
    (reader.sentence, reader.problems)
}

/// The words of a text, each with its bytes.
pub fn placed_words(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    text.split_whitespace().map(move |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (word, start..start + word.len())
    })
}

/// Whether a word opens a class or a layout, or is refused as one.
pub fn is_keyword(word: &str) -> bool {
    AllocationClass::of_keyword(word).is_some() || Keyword::read(word).is_some()
}

struct Reader<'a> {
    words: Vec<(&'a str, Range<usize>)>,
    at: usize,
    sentence: Sentence,
    problems: Vec<(Range<usize>, Refused)>,
    /// Drives so far.
    named: usize,
}

impl<'a> Reader<'a> {
    fn problem(&mut self, span: Range<usize>, message: impl Into<String>, fix: impl Into<String>) {
        self.problems.push((span, Refused::new(message, fix)));
    }

    fn sentence(&mut self) {
        let mut current = AllocationClass::Normal;
        let mut opened: Vec<AllocationClass> = Vec::new();
        while let Some((word, span)) = self.words.get(self.at).cloned() {
            if let Some(next) = AllocationClass::of_keyword(word) {
                // `construct_spec` takes these once; special and dedup as often as one likes.
                let once = matches!(
                    next,
                    AllocationClass::Log | AllocationClass::Cache | AllocationClass::Spare
                );
                if once && opened.contains(&next) {
                    self.problem(
                        span.clone(),
                        format!("`{word}` appears twice"),
                        format!(
                            "zpool accepts it once: write all of its vdevs after the first `{word}`"
                        ),
                    );
                }
                opened.push(next);
                current = next;
                self.at += 1;
                if self
                    .words
                    .get(self.at)
                    .is_none_or(|(word, _)| AllocationClass::of_keyword(word).is_some())
                {
                    self.sentence.bare.push((next, span));
                }
                continue;
            }
            match Keyword::read(word) {
                Some(Ok(grouping)) => {
                    self.at += 1;
                    // A layout ends the list of cache or spare drives before it.
                    let listed = self.sentence.vdevs.last().map(|last| last.vdev.class);
                    if matches!(current, AllocationClass::Cache | AllocationClass::Spare)
                        && listed == Some(current)
                    {
                        current = AllocationClass::Normal;
                    }
                    self.group(current, word, span, grouping);
                }
                Some(Err(fix)) => {
                    self.at += 1;
                    self.problem(span, format!("`{word}` is not a vdev of zpool create"), fix);
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
            if is_keyword(word) {
                break;
            }
            self.at += 1;
            match drive::drives(word) {
                Ok(named) if self.named + named.len() > drive::MOST as usize => {
                    self.problem(
                        span,
                        format!("a pool can have at most {} drives", drive::MOST),
                        "use fewer",
                    );
                    // What follows would only add to it.
                    self.at = self.words.len();
                    break;
                }
                Ok(named) => {
                    self.named += named.len();
                    drives.extend(named.into_iter().map(|drive| (drive, span.clone())));
                }
                Err(fix) => self.problem(span, format!("`{word}` is not a drive"), fix),
            }
        }
        drives
    }

    fn group(
        &mut self,
        class: AllocationClass,
        word: &str,
        keyword: Range<usize>,
        grouping: Keyword<'_>,
    ) {
        let before = self.problems.len();
        let drives = self.drives();
        if self.problems.len() > before {
            return; // How many drives there are is not known.
        }
        let end = drives.last().map_or(keyword.end, |(_, span)| span.end);
        let all = keyword.start..end;
        let layout = match layout(word, grouping, drives.len()) {
            Ok(layout) => layout,
            Err((of_keyword, wrong)) => {
                return self.problems.push((if of_keyword { keyword } else { all }, wrong));
            }
        };
        if let Some(wrong) = refused_in(class, word, layout) {
            return self.problems.push((keyword, wrong));
        }
        let (drives, drive_spans): (Vec<_>, Vec<_>) = drives.into_iter().unzip();
        self.sentence.vdevs.push(Placed {
            vdev: Vdev { class, layout, drives },
            span: all,
            drive_spans,
        });
    }
}

/// The layout of a keyword with so many drives; else whether the keyword alone is wrong, and what is.
fn layout(word: &str, grouping: Keyword<'_>, drives: usize) -> Result<Layout, (bool, Refused)> {
    let needed = match &grouping {
        Keyword::Mirror => 2,
        Keyword::Raidz(parity) | Keyword::Draid(parity, _) => *parity as usize + 1,
    };
    if drives < needed {
        let fix = match &grouping {
            Keyword::Mirror => {
                "name at least two drives, or omit `mirror` for a single drive".to_owned()
            }
            _ => format!("name at least {needed} drives, or use a lower parity"),
        };
        let message = format!("{word} needs at least {needed} drives, but has {drives}");
        return Err((false, Refused::new(message, fix)));
    }
    if drives > 255 && grouping != Keyword::Mirror {
        let message = format!("{word} takes at most 255 drives, but has {drives}");
        return Err((false, Refused::new(message, "divide them among several vdevs")));
    }
    match grouping {
        Keyword::Mirror => Ok(Layout::Mirror),
        Keyword::Raidz(parity) => Ok(Layout::Raidz { parity }),
        Keyword::Draid(parity, options) => layout::draid(parity, options, drives).map_err(|fix| {
            (true, Refused::new(format!("`{word}` does not fit {drives} drives"), fix))
        }),
    }
}

/// What is wrong with drives put together so in a class.
fn refused_in(class: AllocationClass, word: &str, layout: Layout) -> Option<Refused> {
    let name = class.keyword();
    let alone = matches!(class, AllocationClass::Cache | AllocationClass::Spare);
    match layout {
        _ if class == AllocationClass::Normal => None,
        Layout::Mirror if alone => Some(Refused::new(
            format!("zpool cannot mirror `{name}` drives"),
            format!("omit `mirror`; data vdevs go before `{name}`"),
        )),
        Layout::Mirror => None,
        _ => Some(Refused::new(
            format!("zpool cannot make a {word} of `{name}` drives"),
            if alone {
                format!("{name} drives are single: omit `{word}`; data vdevs go before `{name}`")
            } else {
                format!("a {name} vdev is a drive or a mirror; data vdevs go before `{name}`")
            },
        )),
    }
}
