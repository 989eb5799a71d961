//! ZFS properties by their own names, with ZFS's own values and limits, for each release.

pub mod dataset;
pub mod pool;

use crate::campaign::OpenZfs;
use crate::diagnostic::{did_you_mean, nearest};
use crate::units;

/// What a property may be set to.
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
    /// A size of at most so many bytes.
    SizeUpTo(u64),
    /// A size, or `none`.
    SizeOrNone,
    /// A size above 0, or `none`.
    Limit,
    /// A size, or `none` or `auto`.
    SizeNoneAuto,
    /// An absolute path, or one of these words.
    Path(&'static [&'static str]),
    /// At most 32 printable characters of ASCII.
    Comment,
    /// Any text without line breaks.
    Text,
}

/// What a property does in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It acts as on a real server.
    Modelled,
    /// It changes no figure, on a real server either.
    None,
    /// It may cost or save something on a real server, and the machine leaves it out: why.
    NotModelled(&'static str),
}

/// One property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// The first of the known releases that has it.
    pub since: OpenZfs,
    /// What it may be.
    pub values: Values,
    /// What it does in the machine.
    pub effect: Effect,
}

/// A value that ZFS would refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub fix: String,
}

/// `on` and `off`.
pub(crate) const ON_OFF: Values = Values::Words(&["on", "off"]);

/// A property of every known release.
pub(crate) const fn property(name: &'static str, values: Values, effect: Effect) -> Property {
    Property { name, since: OpenZfs::V2_3, values, effect }
}

/// A property of 2.4 and later.
pub(crate) const fn since_2_4(name: &'static str, values: Values, effect: Effect) -> Property {
    Property { name, since: OpenZfs::V2_4, values, effect }
}

/// Looks a property up in a table.
pub(crate) fn find(
    table: &'static [Property],
    what: &str,
    name: &str,
    openzfs: OpenZfs,
) -> Result<&'static Property, Refused> {
    match table.iter().find(|property| property.name == name) {
        Some(property) if property.since <= openzfs => Ok(property),
        Some(property) => Err(Refused {
            message: format!("OpenZFS {openzfs} has no {what} property `{name}`"),
            fix: format!(
                "it came with {}: set `openzfs = \"{}\"`, or remove it",
                property.since, property.since
            ),
        }),
        None => {
            let known: Vec<&str> = table.iter().map(|p| p.name).collect();
            let near = nearest(name, known.iter().copied());
            Err(Refused {
                message: format!("`{name}` is no {what} property of OpenZFS"),
                fix: near.map_or_else(
                    || {
                        format!(
                            "see {}",
                            if what == "pool" { "zpoolprops(7)" } else { "zfsprops(7)" }
                        )
                    },
                    |near| format!("did you mean `{near}`?"),
                ),
            })
        }
    }
}

impl Property {
    /// The value as ZFS prints it back (`16384` and `16k` are `16K`), or why ZFS refuses it.
    pub fn check(&self, value: &str) -> Result<String, Refused> {
        let refuse = |message: String, fix: String| Err(Refused { message, fix });
        let name = self.name;
        match self.values {
            Values::Words(words) => match words.iter().find(|word| **word == value) {
                Some(word) => Ok((*word).to_owned()),
                None => refuse(
                    format!("`{name}` cannot be `{value}`"),
                    match nearest(value, words.iter().copied()) {
                        None if words.len() > 12 => format!("one of {}, …", words[..8].join(", ")),
                        _ => did_you_mean(value, words),
                    },
                ),
            },
            Values::PowerOfTwo { min, max, zero } => {
                let range = format!(
                    "{}{} to {}",
                    if zero { "0, or " } else { "" },
                    units::print_size(min),
                    units::print_size(max)
                );
                let size = match units::size(value) {
                    Ok(size) => size,
                    Err(e) => {
                        return refuse(
                            e.to_string(),
                            format!("`{name}` is a power of two, {range}"),
                        );
                    }
                };
                if size == 0 && zero {
                    return Ok("0".to_owned());
                }
                if size < min || size > max {
                    return refuse(
                        format!("`{name}` cannot be {value}"),
                        format!("it is a power of two, {range}"),
                    );
                }
                if !size.is_power_of_two() {
                    let above = size.next_power_of_two();
                    return refuse(
                        format!("`{name}` must be a power of two, {value} is none"),
                        format!(
                            "write {} or {}",
                            units::print_size(above / 2),
                            units::print_size(above)
                        ),
                    );
                }
                Ok(units::print_size(size))
            }
            Values::Whole { min, max } => match value.parse::<u64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
                _ => refuse(
                    format!("`{name}` cannot be `{value}`"),
                    format!("it is a whole number, {min} to {max}"),
                ),
            },
            Values::SizeUpTo(most) => match units::size(value) {
                Ok(size) if size <= most => Ok(units::print_size(size)),
                Ok(_) => refuse(
                    format!("`{name}` cannot be {value}"),
                    format!("it is a size of at most {}", units::print_size(most)),
                ),
                Err(e) => refuse(e.to_string(), format!("`{name}` is a size")),
            },
            Values::SizeOrNone | Values::Limit | Values::SizeNoneAuto if value == "none" => {
                Ok(value.to_owned())
            }
            Values::SizeNoneAuto if value == "auto" => Ok(value.to_owned()),
            Values::SizeOrNone | Values::Limit | Values::SizeNoneAuto => match units::size(value) {
                Ok(0) if self.values == Values::Limit => {
                    refuse(format!("`{name}` cannot be 0"), "write `none` for no limit".to_owned())
                }
                Ok(size) => Ok(units::print_size(size)),
                Err(e) => refuse(
                    e.to_string(),
                    match self.values {
                        Values::SizeNoneAuto => format!("`{name}` is a size, `none` or `auto`"),
                        _ => format!("`{name}` is a size or `none`"),
                    },
                ),
            },
            Values::Path(words) if words.contains(&value) => Ok(value.to_owned()),
            Values::Path(words) if !value.starts_with('/') => refuse(
                format!("`{name}` cannot be `{value}`"),
                match words.iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().as_slice() {
                    [] => "it is an absolute path".to_owned(),
                    [one] => format!("it is an absolute path, or {one}"),
                    [one, two, ..] => format!("it is an absolute path, {one} or {two}"),
                },
            ),
            Values::Comment
                if value.len() > 32 || !value.chars().all(|c| (' '..='~').contains(&c)) =>
            {
                refuse(
                    format!("`{name}` is too long, or not plain text"),
                    "it is at most 32 printable characters of ASCII".to_owned(),
                )
            }
            Values::Text | Values::Path(_) if value.chars().any(char::is_control) => refuse(
                format!("`{name}` has a control character in it"),
                "write it in one line of plain text".to_owned(),
            ),
            Values::Text | Values::Path(_) | Values::Comment => Ok(value.to_owned()),
        }
    }
}
