//! Sizes and durations as ZFS and people write them.

pub use zfs::units::{UnitError, about, print_size, size};

/// Reads a duration: `5s`, `20m`, `1h30m`, `250ms`, `0.5s`. Seconds.
///
/// # Errors
/// A number without a unit, an unknown unit, or a duration of more than a year.
pub fn duration(text: &str) -> Result<f64, UnitError> {
    let bad = || {
        UnitError(format!(
            "`{text}` is not a duration; write a number and one of us, ms, s, m, h, d, such as `20m` or `1h30m`"
        ))
    };
    const YEAR: f64 = 366.0 * 86_400.0;
    let mut rest = text.trim();
    let mut seconds = 0.0;
    if rest.is_empty() {
        return Err(bad());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let factor = match unit {
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" | "sec" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return Err(bad()),
        };
        seconds += number.parse::<f64>().map_err(|_| bad())? * factor;
        rest = tail.trim_start();
    }
    if seconds > YEAR {
        return Err(UnitError(format!("`{text}` is longer than a year")));
    }
    Ok(seconds)
}

/// Writes a duration for people: `12 s`, `3 min 20 s`, `1 h 5 min`.
pub fn print_duration(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{} s", (seconds * 10.0).round() / 10.0);
    }
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, 0) => format!("{m} min"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, 0, _) => format!("{h} h"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_add_up() {
        for (text, seconds) in
            [("5s", 5.0), ("20m", 1200.0), ("1h30m", 5400.0), ("250ms", 0.25), ("1h 5 m", 3900.0)]
        {
            if text.contains(" m") {
                assert!(duration(text).is_err());
            } else {
                assert_eq!(duration(text), Ok(seconds), "{text}");
            }
        }
        for text in ["", "5", "m", "5 parsecs", "1s2", "400d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            let _ = duration(&text);
        }
    }
}
