//! `[drives]`: `kind = "12x hdd-7200-16t"`, or the long form with overrides.

use super::context::{At, Context};
use super::section::Entry;
use crate::campaign::DriveKind;
use crate::diagnostic::Diagnostic;
use crate::units;
use drives::{Profile, ProfileError, RaidLevel};
use toml::de::DeValue;
use zfs::vdev::valid_kind;

/// Bytes of the smallest drive that a pool takes (`SPA_MINDEVSIZE`).
const LEAST_CAPACITY: f64 = (64 << 20) as f64;

/// Most drives of one kind.
const MOST: i64 = 9999;

/// Numbers of a profile that the long form replaces.
#[derive(Default)]
struct Overrides<'t> {
    values: toml::Table,
    /// As written, for diagnostics.
    written: Vec<Entry<'t>>,
}

pub(super) fn kind(entry: &Entry<'_>) -> Option<DriveKind> {
    if !valid_kind(entry.key) {
        entry.error_at_key(
            format!("`{}` is not a valid name for a kind of drive", entry.key),
            "use letters, digits, `-`, `_` and `.`; start with a letter and do not end with a \
             digit, because `hdd0` is the first drive of `hdd`",
        );
    }
    if zfs::vdev::is_keyword(entry.key) {
        entry.error_at_key(
            format!(
                "`{}` cannot name a kind of drive: Poolwright reads it as a keyword among vdevs",
                entry.key
            ),
            "name it after the hardware: `hdd`, `nvme`, `optane`",
        );
    }
    let (count, profile, price, overrides) = match entry.value() {
        DeValue::String(text) => {
            let (count, profile) = short(entry, text)?;
            (count, At::new(profile, entry.span()), None, Overrides::default())
        }
        DeValue::Table(_) => long(entry)?,
        _ => {
            entry.string("\"<count>x <profile>\", such as \"12x hdd-7200-16t\"");
            return None;
        }
    };
    let Some(base) = load(entry.cx, &profile) else {
        // The mistake is recorded and the lab refused. Where the number of drives is known, mistakes in the vdevs
        // are reported together with this one.
        let kind =
            DriveKind { count, profile: profile.value, numbers: serde_json::Value::Null, price };
        return states_count(entry.value()).then_some(kind);
    };
    let overridden =
        base.overridden(&overrides.values).and_then(|numbers| {
            match capacity_of_members(&base, &numbers, &overrides.values) {
                Some(bytes) => {
                    let mut values = overrides.values.clone();
                    values.insert("capacity".to_owned(), toml::Value::Float(bytes));
                    base.overridden(&values)
                }
                None => Ok(numbers),
            }
        });
    let refused = |e| refuse(entry, (&profile.value, &base), &overrides, &e);
    let numbers = overridden.map_err(refused).ok()?;
    if numbers.capacity.value < LEAST_CAPACITY {
        entry.error(
            format!("drives `{}` are too small for a pool", entry.key),
            "zpool needs at least 64M",
        );
    }
    let unwritable = |e| {
        entry.error(format!("cannot store the profile's numbers: {e}"), "write finite numbers");
    };
    let numbers = serde_json::to_value(&numbers).map_err(unwritable).ok()?;
    Some(DriveKind { count, profile: profile.value, numbers, price })
}

/// The capacity of a RAID card whose members are not those of its profile, bytes; none where it is stated or follows from
/// the profile.
fn capacity_of_members(base: &Profile, numbers: &Profile, stated: &toml::Table) -> Option<f64> {
    let of_members = |profile: &Profile| {
        let card = profile.card.as_ref()?;
        let members = card.members.value;
        let columns = match card.level {
            RaidLevel::Raid0 => members,
            RaidLevel::Raid1 => 1.0,
            RaidLevel::Raid5 => members - 1.0,
            RaidLevel::Raid6 => members - 2.0,
            RaidLevel::Raid10 => members / 2.0,
        };
        Some(columns * card.member.capacity.value)
    };
    let bytes = of_members(numbers).filter(|bytes| Some(*bytes) != of_members(base))?;
    (!stated.contains_key("capacity")).then_some(bytes)
}

/// Whether a kind of drives has a count of its own. The text `1e3` may be one, or a profile.
fn states_count(value: &DeValue<'_>) -> bool {
    match value {
        DeValue::String(text) => text.trim().contains(char::is_whitespace),
        DeValue::Table(table) => table.contains_key("count"),
        _ => false,
    }
}

/// `12x hdd-7200-16t`; the count may be left away for one.
fn short(entry: &Entry<'_>, text: &str) -> Option<(u32, String)> {
    let text = text.trim();
    let Some((count, profile)) = text.split_once(char::is_whitespace) else {
        return Some((1, text.to_owned()));
    };
    match count.strip_suffix(['x', 'X', '×']).unwrap_or(count).parse::<u32>() {
        Ok(count) if count > 0 && i64::from(count) <= MOST => {
            Some((count, profile.trim().to_owned()))
        }
        _ => entry.refuse(
            format!("`{count}` is not a number of drives"),
            format!("write \"<count>x <profile>\", such as \"12x {}\"", profile.trim()),
        ),
    }
}

/// Reports the numbers that make a drive invalid, each at its place; all of them together if no single one is
/// the cause.
fn refuse(
    entry: &Entry<'_>,
    (name, base): (&str, &Profile),
    overrides: &Overrides<'_>,
    whole: &ProfileError,
) {
    const FIX: &str = "see docs/explanation/drives.md for the numbers of a profile";
    let message = |e: &ProfileError| {
        format!("with these values `{name}` is not a valid drive: {}", one_line(e))
    };
    let mut leaves = Vec::new();
    for entry in &overrides.written {
        leaf(&mut leaves, &[], entry.key, entry.value(), entry.span());
    }
    let mut reported = false;
    for (path, alone, span) in leaves {
        let field = path.join(".");
        // If a number conflicts with another, this number is reported.
        let mine = |e: &ProfileError| match e {
            ProfileError::OutOfRange { field: of, .. } => *of == field,
            ProfileError::Syntax { .. } => true,
            ProfileError::Section(_) => false,
        };
        if let Err(e) = base.overridden(&alone)
            && mine(&e)
        {
            let section = path.first().filter(|_| path.len() > 1);
            match section {
                Some(section) if !base.has_section(section) => entry.cx.error(
                    span,
                    format!("profile `{name}` has no [{section}], so `{field}` cannot be set"),
                    FIX,
                ),
                _ => entry.cx.error(span, message(&e), FIX),
            }
            reported = true;
        }
    }
    if !reported {
        entry.error(message(whole), FIX);
    }
}

type Leaf = (Vec<String>, toml::Table, std::ops::Range<usize>);

/// The numbers under a key, each with its path and alone in a table of its own.
fn leaf(
    all: &mut Vec<Leaf>,
    above: &[String],
    key: &str,
    written: &DeValue<'_>,
    span: std::ops::Range<usize>,
) {
    let path: Vec<String> = above.iter().cloned().chain([key.to_owned()]).collect();
    match written {
        DeValue::Table(table) if !table.contains_key("value") => {
            for (key, below) in table {
                leaf(all, &path, key.get_ref(), below.get_ref(), below.span());
            }
        }
        _ => {
            let Ok(value) = value(key, written) else {
                return;
            };
            let mut table = toml::Table::from_iter([(key.to_owned(), value)]);
            for name in above.iter().rev() {
                table = toml::Table::from_iter([(name.clone(), toml::Value::Table(table))]);
            }
            all.push((path, table, span));
        }
    }
}

type Long<'t> = (u32, At<String>, Option<f64>, Overrides<'t>);

fn long<'t>(entry: &Entry<'t>) -> Option<Long<'t>> {
    let mut section = entry.table(&format!("drives.{}", entry.key))?;
    let count = match section.take("count") {
        Some(entry) => entry.integer(1, MOST, "how many drives there are"),
        None => Some(1),
    };
    let profile = match section.take("profile") {
        Some(entry) => entry.string("the name of a profile"),
        None => entry.cx.refuse(
            entry.key_span(),
            format!("`{}` has no profile", entry.key),
            "add `profile = \"…\"`; each other key then replaces one of its numbers",
        ),
    };
    let price = section.number("price", 0.0, 1e9, "the price of one drive, such as 250");
    let mut overrides = Overrides { values: toml::Table::new(), written: section.rest() };
    for entry in &overrides.written {
        match value(entry.key, entry.value()) {
            Ok(value) => {
                overrides.values.insert(entry.key.to_owned(), value);
            }
            Err(message) => {
                entry.error(message, "see docs/explanation/drives.md for the numbers of a profile");
            }
        }
    }
    Some((count?, profile?, price, overrides))
}

/// Numbers of a profile that are sizes.
const SIZES: [&str; 5] =
    ["capacity", "logical_sector", "physical_sector", "reported_sector", "tearing"];

/// A value as the profile reads it; sizes may be written with a unit. A message if a number in it is beyond
/// what can be held, or a size is none.
fn value(key: &str, value_: &DeValue<'_>) -> Result<toml::Value, String> {
    let out_of_range = || format!("`{key}` holds a number that is out of range");
    Ok(match value_ {
        DeValue::String(text) if SIZES.contains(&key) => {
            let bytes = units::size(text).map_err(|e| format!("{key}: {e}"))?;
            toml::Value::Float(bytes as f64)
        }
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            toml::Value::Integer(number.map_err(|_| out_of_range())?)
        }
        DeValue::Float(number) => {
            toml::Value::Float(number.as_str().parse().map_err(|_| out_of_range())?)
        }
        DeValue::Boolean(on) => toml::Value::Boolean(*on),
        DeValue::Datetime(time) => toml::Value::Datetime(*time),
        DeValue::Array(array) => toml::Value::Array(
            array.iter().map(|v| value(key, v.get_ref())).collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => {
            let values = table.iter().map(|(key, v)| {
                let key = key.get_ref();
                Ok((key.to_string(), value(key, v.get_ref())?))
            });
            toml::Value::Table(values.collect::<Result<_, String>>()?)
        }
    })
}

/// The profile of that name, or in the file of that path.
fn load(cx: &Context<'_>, profile: &At<String>) -> Option<Profile> {
    let name = &profile.value;
    let is_file = name.ends_with(".toml");
    let read = if is_file {
        match cx.files.read(name) {
            Ok(text) => Profile::from_toml(&text),
            Err(e) => {
                return cx.refuse(
                    profile.span.clone(),
                    format!("cannot read the profile `{name}`: {e}"),
                    "give its path from the lab's directory, or the name of a built-in profile",
                );
            }
        }
    } else if let Some(read) = cx.profiles.get(name) {
        read
    } else {
        let message = format!("there is no drive profile `{name}`");
        return cx.refuse(profile.span.clone(), message, cx.profiles.suggest(name));
    };
    read.map_err(|e| {
        let message = format!("`{name}` is not a valid drive profile: {}", one_line(&e));
        let (file, span) = match e {
            ProfileError::Syntax { span: Some(span), .. } if is_file => (name.as_str(), span),
            _ => (cx.file, profile.span.clone()),
        };
        let fix = "see docs/explanation/drives.md for the contents of a profile";
        cx.say(Diagnostic::error(message).at(file, span).fix(fix));
    })
    .ok()
}

fn one_line(e: &ProfileError) -> String {
    e.to_string().lines().collect::<Vec<_>>().join("; ")
}
