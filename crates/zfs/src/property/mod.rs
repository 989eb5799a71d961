//! ZFS properties by their own names, with ZFS's own values and limits, for each release.

pub mod dataset;
pub mod pool;

use crate::OpenZfs;
use crate::spelling::{did_you_mean, did_you_mean_or, nearest};
use crate::units;

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

/// The effect of a property in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
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

pub(crate) const ON_OFF: Values = Values::Words(&["on", "off"]);

/// A property of every known release.
pub(crate) const fn property(name: &'static str, values: Values, effect: Effect) -> Property {
    Property { name, since: OpenZfs::V2_3, values, effect }
}

/// A property of 2.4 and later.
pub(crate) const fn since_2_4(name: &'static str, values: Values, effect: Effect) -> Property {
    Property { name, since: OpenZfs::V2_4, values, effect }
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
        matches!(self.effect, Effect::Modelled | Effect::Scaled)
    }

    /// The value as ZFS prints it back (`16384` and `16k` are `16K`).
    ///
    /// # Errors
    /// A value that ZFS refuses.
    pub fn check(&self, value: &str) -> Result<String, Refused> {
        let cannot =
            |fix: String| Refused::new(format!("`{}` cannot be `{value}`", self.name), fix);
        match self.values {
            Values::Words(words) if words.contains(&value) => Ok(value.to_owned()),
            Values::Words(words) => Err(cannot(match nearest(value, words.iter().copied()) {
                None if words.len() > 12 => format!("use one of {}, …", words[..8].join(", ")),
                _ => did_you_mean(value, words),
            })),
            Values::PowerOfTwo { min, max, zero } => self.power_of_two(value, min, max, zero),
            Values::Whole { min, max } => match value.parse::<u64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(number.to_string()),
                _ => Err(cannot(format!("write a whole number from {min} to {max}"))),
            },
            Values::SizeOrNone | Values::Limit | Values::SizeNoneAuto if value == "none" => {
                Ok(value.to_owned())
            }
            Values::SizeNoneAuto if value == "auto" => Ok(value.to_owned()),
            Values::SizeUpTo(_) => self.size(value, "a size"),
            Values::SizeOrNone | Values::Limit => self.size(value, "a size or `none`"),
            Values::SizeNoneAuto => self.size(value, "a size, `none` or `auto`"),
            Values::Path(words) if words.contains(&value) => Ok(value.to_owned()),
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

    fn size(&self, value: &str, what: &str) -> Result<String, Refused> {
        let name = self.name;
        let cannot = |fix: String| Err(Refused::new(format!("`{name}` cannot be {value}"), fix));
        match (units::size(value), self.values) {
            (Err(e), _) => Err(Refused::new(e.to_string(), format!("`{name}` takes {what}"))),
            (Ok(size), Values::SizeUpTo(most)) if size > most => {
                cannot(format!("use a size of at most {}", units::print_size(most)))
            }
            (Ok(0), Values::Limit) => cannot("write `none` for no limit".to_owned()),
            (Ok(size), _) => Ok(units::print_size(size)),
        }
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
