//! Drives in a vdev sentence: `hdd3`, `hdd[3]`, `hdd[0-5]`, `hdd[0-2,7]`.

use super::DriveRef;
use crate::AllocationClass;
use crate::spelling::nearest;

/// A range in brackets may name no more drives than this.
pub(super) const MOST: u32 = 10_000;

/// Whether `name` can name a kind of drive: a letter, then letters, digits, `-`, `_` or `.`, not
/// ending in a digit (so that `hdd12` is one drive of `hdd`).
pub fn valid_kind(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !name.ends_with(|c: char| c.is_ascii_digit())
}

/// Reads one word as drives.
///
/// # Errors
/// What to write instead.
pub fn drives(word: &str) -> Result<Vec<DriveRef>, String> {
    if let Some((kind, rest)) = word.split_once('[') {
        let Some(list) = rest.strip_suffix(']') else {
            return Err(format!("close the bracket: `{kind}[0-5]`"));
        };
        if !valid_kind(kind) {
            return Err("a kind of drive is a letter and then letters, digits, `-`, `_`, `.`, not ending in a digit".to_owned());
        }
        let mut drives = Vec::new();
        for part in list.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let index = |text: &str| {
                text.trim().parse::<u32>().map_err(|_| {
                    format!(
                        "write numbers in the brackets, from 0: `{kind}[0-5]` or `{kind}[0-2,7]`"
                    )
                })
            };
            let (first, last) = (index(first)?, index(last)?);
            if first > last {
                return Err(format!("reverse the range: `{kind}[{last}-{first}]`"));
            }
            if last >= MOST {
                return Err(format!("use fewer than {MOST} drives of a kind"));
            }
            drives.extend((first..=last).map(|index| DriveRef { kind: kind.to_owned(), index }));
            if drives.len() > MOST as usize {
                return Err(format!("use fewer than {MOST} drives"));
            }
        }
        return Ok(drives);
    }
    let kind = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[kind.len()..];
    if !valid_kind(kind) {
        return Err(
            "a drive is written as its kind and its number from 0, such as `hdd3` or `hdd[0-5]`"
                .to_owned(),
        );
    }
    if digits.is_empty() {
        let classes = AllocationClass::NAMED.into_iter().map(AllocationClass::keyword);
        if let Some(near) = nearest(kind, classes.chain(["mirror", "raidz", "draid"])) {
            return Err(format!("did you mean `{near}`? A drive has a number: `{kind}0`"));
        }
        return Err(format!("add its number: `{kind}0`, or `{kind}[0-1]` for several"));
    }
    let index = digits
        .parse::<u32>()
        .ok()
        .filter(|index| *index < MOST)
        .ok_or_else(|| format!("use fewer than {MOST} drives of a kind"))?;
    Ok(vec![DriveRef { kind: kind.to_owned(), index }])
}
