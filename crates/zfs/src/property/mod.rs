//! ZFS properties by their own names, with ZFS's own values and limits, for each release: `dataset.tsv`, `pool.tsv` and
//! `features.tsv`.

pub mod dataset;
pub mod pool;

use crate::OpenZfs;
use crate::spelling::{did_you_mean, did_you_mean_or, nearest};
use crate::units;
use std::ops::RangeInclusive;

/// The values of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A power of two of bytes.
    PowerOfTwo {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
        /// Whether 0 is allowed beside them.
        zero: bool,
    },
    /// A whole number.
    Whole {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
    },
    /// A size in bytes, or one of these words.
    Size {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
        /// What may stand instead.
        words: &'static [&'static str],
    },
    /// An absolute path, or one of these words.
    Path(&'static [&'static str]),
    /// At most 32 printable characters of ASCII.
    Comment,
    /// Any text without line breaks.
    Text,
}

/// The effect of a property in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineEffect {
    /// It acts as on a real server.
    Modelled,
    /// The same, of a size that is divided by S in the machine.
    Scaled,
    /// It does not affect performance, on a real server either.
    None,
    /// It may affect performance on a real server, but the machine does not model it; with the reason.
    NotModelled(&'static str),
}

/// One property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// The first of the known releases that has it.
    pub since: OpenZfs,
    /// Its values.
    pub values: Values,
    /// Its effect in the machine.
    pub effect: MachineEffect,
}

/// A value that ZFS would refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub fix: String,
}

/// The properties of a table: lines of name, first release, kind of values with its words and bounds, and effect.
fn table(text: &'static str) -> Vec<Property> {
    text.lines().filter_map(row).collect()
}

fn row(line: &'static str) -> Option<Property> {
    let mut columns = line.split('\t');
    let (name, since) = (columns.next()?, OpenZfs::named(columns.next()?)?);
    let values = values(columns.next()?)?;
    let effect = match columns.next()? {
        "modelled" => MachineEffect::Modelled,
        "scaled" => MachineEffect::Scaled,
        "none" => MachineEffect::None,
        other => MachineEffect::NotModelled(other.strip_prefix("not modelled: ")?),
    };
    Some(Property { name, since, values, effect })
}

fn values(text: &'static str) -> Option<Values> {
    let mut words = text.split(' ');
    let kind = words.next()?;
    // The tables are read once, and for as long as the program runs.
    let words: &[&str] = words.map(|word| word.trim_matches('"')).collect::<Vec<_>>().leak();
    let size = |text| units::size(text).ok();
    Some(match (kind, words) {
        ("words", _) => Values::Words(words),
        ("path", _) => Values::Path(words),
        ("power", [min, max]) => {
            Values::PowerOfTwo { min: size(min)?, max: size(max)?, zero: false }
        }
        ("power", [min, max, "0"]) => {
            Values::PowerOfTwo { min: size(min)?, max: size(max)?, zero: true }
        }
        ("whole", [min, max]) => Values::Whole { min: min.parse().ok()?, max: max.parse().ok()? },
        ("size", _) => Values::Size { min: 0, max: u64::MAX, words },
        ("limit", _) => Values::Size { min: 1, max: u64::MAX, words },
        ("comment", []) => Values::Comment,
        ("text", []) => Values::Text,
        _ => return None,
    })
}

pub(crate) fn find(
    table: &'static [Property],
    what: &str,
    name: &str,
    openzfs: OpenZfs,
) -> Result<&'static Property, Refused> {
    match table.iter().find(|property| property.name == name) {
        Some(property) if property.since <= openzfs => Ok(property),
        Some(Property { since, .. }) => Err(Refused::new(
            format!("OpenZFS {openzfs} has no {what} property `{name}`"),
            format!("it was added in {since}: set `openzfs = \"{since}\"`, or remove it"),
        )),
        None => {
            // A lab's pool has `ashift`, too, which is a vdev's.
            let (ashift, page) = match what {
                "pool" => (Some("ashift"), "see zpoolprops(7)"),
                _ => (None, "see zfsprops(7)"),
            };
            let fix = did_you_mean_or(name, table.iter().map(|p| p.name).chain(ashift), page);
            Err(Refused::new(format!("`{name}` is not a {what} property of OpenZFS"), fix))
        }
    }
}

impl Refused {
    /// What is wrong, and what to do.
    pub fn new(message: impl Into<String>, fix: impl Into<String>) -> Refused {
        Refused { message: message.into(), fix: fix.into() }
    }
}

impl Property {
    /// Whether it acts in the machine.
    pub fn acts(&self) -> bool {
        matches!(self.effect, MachineEffect::Modelled | MachineEffect::Scaled)
    }

    /// The value as ZFS prints it back (`16384` and `16k` are `16K`).
    ///
    /// # Errors
    /// A value that ZFS refuses.
    pub fn check(&self, value: &str) -> Result<String, Refused> {
        let cannot =
            |fix: String| Refused::new(format!("`{}` cannot be `{value}`", self.name), fix);
        match self.values {
            Values::Words(words) | Values::Path(words) | Values::Size { words, .. }
                if words.contains(&value) =>
            {
                Ok(value.to_owned())
            }
            Values::Words(words) => Err(cannot(match nearest(value, words.iter().copied()) {
                None if words.len() > 12 => format!("use one of {}, …", words[..8].join(", ")),
                _ => did_you_mean(value, words),
            })),
            Values::PowerOfTwo { min, max, zero } => self.power_of_two(value, min, max, zero),
            Values::Whole { min, max } => match value.parse::<u64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
                _ => Err(cannot(format!("write a whole number from {min} to {max}"))),
            },
            Values::Size { min, max, words } => self.size(value, min..=max, words),
            Values::Path(words) if !value.starts_with('/') => {
                let mut kinds = vec!["an absolute path"];
                kinds.extend(words.iter().filter(|word| !word.is_empty()));
                Err(cannot(format!("use {}", kinds.join(" or "))))
            }
            Values::Comment
                if value.len() > 32 || !value.chars().all(|c| (' '..='~').contains(&c)) =>
            {
                Err(Refused::new(
                    format!("`{}` is too long, or not plain text", self.name),
                    "use at most 32 printable ASCII characters",
                ))
            }
            Values::Text | Values::Path(_) if value.chars().any(char::is_control) => {
                Err(Refused::new(
                    format!("`{}` contains a control character", self.name),
                    "use one line of plain text",
                ))
            }
            Values::Text | Values::Path(_) | Values::Comment => Ok(value.to_owned()),
        }
    }

    fn size(
        &self,
        value: &str,
        range: RangeInclusive<u64>,
        words: &[&str],
    ) -> Result<String, Refused> {
        let name = self.name;
        let size = units::size(value).map_err(|e| {
            let what = match words {
                [] => "a size".to_owned(),
                [word] => format!("a size or `{word}`"),
                [word, more @ ..] => format!("a size, `{word}` or `{}`", more.join("`, `")),
            };
            Refused::new(e.to_string(), format!("`{name}` takes {what}"))
        })?;
        if range.contains(&size) {
            return Ok(units::print_size(size));
        }
        let fix = match size {
            0 => "write `none` for no limit".to_owned(),
            _ => format!("use a size of at most {}", units::print_size(*range.end())),
        };
        Err(Refused::new(format!("`{name}` cannot be {value}"), fix))
    }

    fn power_of_two(&self, value: &str, min: u64, max: u64, zero: bool) -> Result<String, Refused> {
        let name = self.name;
        let or_zero = if zero { "0, or " } else { "" };
        let range = format!("{or_zero}{} to {}", units::print_size(min), units::print_size(max));
        let size = units::size(value).map_err(|e| {
            Refused::new(e.to_string(), format!("`{name}` takes a power of two, {range}"))
        })?;
        if size == 0 && zero {
            return Ok("0".to_owned());
        }
        if size < min || size > max {
            return Err(Refused::new(
                format!("`{name}` cannot be {value}"),
                format!("use a power of two, {range}"),
            ));
        }
        if !size.is_power_of_two() {
            let above = size.next_power_of_two();
            let (below, above) = (units::print_size(above / 2), units::print_size(above));
            return Err(Refused::new(
                format!("`{name}` must be a power of two, but is {value}"),
                format!("write {below} or {above}"),
            ));
        }
        Ok(units::print_size(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_table_is_a_property() {
        for (text, count) in [
            (include_str!("dataset.tsv"), 61),
            (include_str!("pool.tsv"), 12),
            (include_str!("features.tsv"), 47),
        ] {
            let lines = text.lines().filter(|line| !line.starts_with('#')).count();
            assert_eq!((lines, table(text).len()), (count, count));
        }
    }
}
