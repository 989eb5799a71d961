//! The drives of a plan: the figures of each kind that the arithmetic needs.

use catalogue::DriveClass;
use serde::{Deserialize, Serialize};
use zfs::units::capacity;

/// Drives of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drives {
    /// How many.
    pub count: u32,
    /// One of them.
    pub drive: Drive,
}

/// One kind of drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// Name of the kind, as in `zpool create` lines printed here.
    pub kind: String,
    /// Capacity, bytes.
    pub bytes: u64,
    /// Whether it rotates.
    pub rotational: bool,
    /// Logical sector, bytes: the unit of its partition table.
    pub sector: u64,
    /// `ashift` that a pool on it should have.
    pub ashift: u32,
    /// Sequential read over the whole medium, bytes a second.
    pub read: f64,
    /// Sequential write over the whole medium, bytes a second.
    pub write: f64,
    /// Random 4K reads a second with ten outstanding, ZFS's limit for a leaf.
    pub read_iops: f64,
    /// Random 4K writes a second with ten outstanding.
    pub write_iops: f64,
    /// Chance to fail within a year.
    pub afr: f64,
    /// Chance of an unrecoverable error for each bit read.
    pub ure: f64,
    /// Price of one, in any currency; none if not given.
    pub price: Option<f64>,
}

/// A description of drives that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DriveError(pub String);

/// Reads `30x8T hdd-7200`, or several of these joined by `+`. After the kind may follow `price=180`,
/// `afr=2%`, `ure=1e-14`, `read=200M`, `write=180M`, `read-iops=150`, `write-iops=150`,
/// `sector=4096`, `ashift=12`, `name=big`.
///
/// Sizes are as printed on a drive: `8T` is 8 decimal terabytes, `8TiB` binary ones. Without
/// a size, as in `12x hdd-7200-16t`, the word is a profile, which `profile` looks up: its drive, or why there is none.
///
/// # Errors
/// The first part that cannot be read, with the fix.
pub fn parse(
    text: &str,
    profile: &dyn Fn(&str) -> Option<Result<Drive, String>>,
) -> Result<Vec<Drives>, DriveError> {
    let mut all: Vec<Drives> = Vec::new();
    for part in text.split('+') {
        let mut drives = one(part.trim(), profile)?;
        let taken = |name: &str| all.iter().any(|d| d.drive.kind == name);
        if taken(&drives.drive.kind) {
            let stem = drives.drive.kind.clone();
            let free = ('b'..='z').map(|c| format!("{stem}-{c}")).find(|n| !taken(n));
            drives.drive.kind = free.ok_or_else(|| {
                error(part, "repeats a kind of drive too often; give some of them a `name=`")
            })?;
        }
        all.push(drives);
    }
    let total: u64 = all.iter().map(|d| u64::from(d.count)).sum();
    if total > 1024 {
        return Err(error(text, "is more than 1,024 drives; plan for one enclosure at a time"));
    }
    Ok(all)
}

fn error(what: &str, why: &str) -> DriveError {
    let what: String = what.chars().take(60).collect();
    DriveError(format!("`{what}` {why}"))
}

fn one(
    text: &str,
    profile: &dyn Fn(&str) -> Option<Result<Drive, String>>,
) -> Result<Drives, DriveError> {
    const SHAPE: &str =
        "is not a set of drives; write count x size and kind, such as `30x8T hdd-7200`";
    let mut words = text.split_whitespace();
    let first = words.next().ok_or_else(|| error(text, SHAPE))?;
    let (count, size) = first.split_once(['x', '×']).ok_or_else(|| error(text, SHAPE))?;
    let count: u32 = count.parse().map_err(|_| error(text, SHAPE))?;
    if count == 0 {
        return Err(error(text, "has a count of 0; write at least 1"));
    }
    let name = words
        .next()
        .ok_or_else(|| error(text, &format!("has no kind of drive; add one of {}", names())))?;
    let mut drive = if size.is_empty() {
        let known = profile(name).ok_or_else(|| {
            error(
                name,
                "is not a known drive profile; name a built-in profile, or write a size: `12x8T hdd-7200`",
            )
        })?;
        known.map_err(|why| error(name, &why))?
    } else {
        let bytes = capacity(size)
            .ok_or_else(|| error(size, "is not a size; write `8T`, `960G` or `7.3TiB`"))?;
        known(name, bytes)?
    };
    if !(64 << 20..=1 << 50).contains(&drive.bytes) {
        return Err(error(
            text,
            "has drives of a size that ZFS does not accept; write 64 MiB to 1 PiB",
        ));
    }
    for word in words {
        set(&mut drive, word)?;
    }
    Ok(Drives { count, drive })
}

fn names() -> String {
    let names: Vec<&str> = catalogue::classes().iter().map(|class| class.name.as_str()).collect();
    names.join(", ")
}

/// A drive of a class of the catalogue.
///
/// # Errors
/// A name that the catalogue does not have.
pub fn known(name: &str, bytes: u64) -> Result<Drive, DriveError> {
    let class = catalogue::class(name).ok_or_else(|| {
        error(name, &format!("is not a known kind of drive; write one of {}", names()))
    })?;
    Ok(from_class(class, bytes))
}

/// A drive of `bytes` with the figures of its class.
pub fn from_class(class: &DriveClass, bytes: u64) -> Drive {
    Drive {
        kind: class.name.split('-').next().unwrap_or(&class.name).to_string(),
        bytes,
        rotational: class.rotational,
        sector: 512,
        ashift: 12,
        read: class.read_mb_s.value * 1e6,
        write: class.write_mb_s.value * 1e6,
        read_iops: class.read_iops.value,
        write_iops: class.write_iops.value,
        afr: class.annual_failure_rate.value,
        ure: class.read_errors_per_bit.value,
        price: None,
    }
}

fn set(drive: &mut Drive, word: &str) -> Result<(), DriveError> {
    const KEYS: &str = "is not a setting; write one of name, price, afr, ure, read, write, read-iops, write-iops, sector, ashift";
    let (key, value) = word.split_once('=').ok_or_else(|| error(word, KEYS))?;
    let number = || value.parse::<f64>().ok().filter(|n| n.is_finite());
    let between = |n: Option<f64>, low: f64, high: f64| {
        n.filter(|n| (low..=high).contains(n))
            .ok_or_else(|| error(word, &format!("must be between {low} and {high}")))
    };
    match key {
        "name" => {
            let fine = !value.is_empty()
                && value.starts_with(|c: char| c.is_ascii_alphabetic())
                && !value.ends_with(|c: char| c.is_ascii_digit())
                && value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            if !fine {
                return Err(error(
                    word,
                    "is not a valid name; use letters and dashes, without a digit at the end",
                ));
            }
            drive.kind = value.to_string();
        }
        "price" => drive.price = Some(between(number(), 0.0, 1e9)?),
        "afr" => {
            let share = match value.strip_suffix('%') {
                Some(percent) => percent.parse::<f64>().ok().map(|p| p / 100.0),
                None => number(),
            };
            drive.afr = between(share, 1e-6, 0.99)?;
        }
        "ure" => drive.ure = between(number(), 0.0, 1e-9)?,
        "read" => drive.read = between(capacity(value).map(|n| n as f64), 1e5, 1e12)?,
        "write" => drive.write = between(capacity(value).map(|n| n as f64), 1e5, 1e12)?,
        "read-iops" => drive.read_iops = between(number(), 1.0, 1e8)?,
        "write-iops" => drive.write_iops = between(number(), 1.0, 1e8)?,
        "sector" => match value {
            "512" => drive.sector = 512,
            "4096" | "4K" => drive.sector = 4096,
            _ => return Err(error(word, "must be 512 or 4096")),
        },
        "ashift" => {
            let whole = number().filter(|ashift| ashift.fract() == 0.0);
            drive.ashift = between(whole, 9.0, 16.0)? as u32;
        }
        _ => return Err(error(word, KEYS)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Drives>, DriveError> {
        parse(text, &|_| None)
    }

    #[test]
    fn a_set_of_drives_is_read_with_its_settings() {
        let all = read("30x8T hdd-7200 price=180 afr=2% + 4x3.84T nvme name=fast").unwrap();
        assert_eq!(all[0].count, 30);
        assert_eq!(all[0].drive.bytes, 8_000_000_000_000);
        assert_eq!(all[0].drive.price, Some(180.0));
        assert!((all[0].drive.afr - 0.02).abs() < 1e-12);
        assert_eq!(all[1].drive.kind, "fast");
        assert_eq!(read("2x1TiB ssd-sata").unwrap()[0].drive.bytes, 1 << 40);
    }

    #[test]
    fn an_error_names_the_mistake_and_the_fix() {
        for (text, word) in [
            ("", "count x size"),
            ("30 8T hdd-7200", "count x size"),
            ("0x8T hdd-7200", "count of 0"),
            ("3x8Q hdd-7200", "not a size"),
            ("3x8T", "no kind"),
            ("3x8T tape", "hdd-7200"),
            ("3x8T nvme colour=red", "not a setting"),
            ("3x8T nvme afr=200%", "between"),
            ("3x1K nvme", "64 MiB"),
            ("3x unheard-of", "drive profile"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(word), "{text}: {message}");
        }
    }

    #[test]
    fn two_sets_of_one_kind_keep_their_names_apart() {
        let all = read("4x8T hdd-7200 + 4x16T hdd-7200").unwrap();
        assert_ne!(all[0].drive.kind, all[1].drive.kind);
    }
}
