//! Sizes as ZFS and people write them.

/// Why a size cannot be read; the text says what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnitError(pub String);

/// The suffixes of a size, each 1024 times the one before (`zfs_nicestrtonum` in libzfs).
const BINARY: &str = "BKMGTPE";

/// Reads a size as `zfs set` does: `16K`, `1.5G`, `128`, `4KiB`, `1MB`; every suffix is binary and
/// upper or lower case.
///
/// # Errors
/// Anything else, a negative number, or one that does not fit 64 bits.
pub fn size(text: &str) -> Result<u64, UnitError> {
    let bad = || {
        UnitError(format!(
            "`{text}` is not a size; write a number and one of K, M, G, T, P, such as `16K` or `1.5T` (binary, as ZFS reads them)"
        ))
    };
    let text_ = text.trim();
    let digits = text_.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text_.len());
    let (number, suffix) = text_.split_at(digits);
    let suffix = suffix.trim_start().to_ascii_uppercase();
    let shift = match suffix.as_bytes() {
        [] => 0,
        [unit] | [unit, b'B'] | [unit, b'I', b'B'] if suffix != "BB" => {
            10 * BINARY.find(char::from(*unit)).ok_or_else(bad)?
        }
        _ => return Err(bad()),
    };
    let too_big = || UnitError(format!("`{text}` is larger than 16E, the largest size there is"));
    if number.contains('.') {
        let value: f64 = number.parse().map_err(|_| bad())?;
        let bytes = value * (1u64 << shift) as f64;
        if !bytes.is_finite() || bytes >= u64::MAX as f64 {
            return Err(too_big());
        }
        Ok(bytes as u64)
    } else {
        if number.is_empty() {
            return Err(bad());
        }
        let value: u64 = number.parse().map_err(|_| too_big())?;
        value.checked_mul(1u64 << shift).ok_or_else(too_big)
    }
}

/// Writes a size the way a person types it: `16K`, `1536M`, `118G`; a number of bytes where no
/// suffix divides it.
pub fn print_size(bytes: u64) -> String {
    for (power, unit) in BINARY.char_indices().rev() {
        let shift = 10 * power;
        if shift > 0 && bytes != 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    bytes.to_string()
}

/// Writes a size in three digits for people: `14.6T`, `512M`, `0`.
pub fn about(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut units = BINARY.chars();
    let mut unit = units.next().unwrap_or('B');
    // What would be rounded to 1024 is of the next unit.
    while value >= 1023.5 {
        match units.next() {
            Some(next) => unit = next,
            None => break,
        }
        value /= 1024.0;
    }
    let number = match value {
        v if v >= 99.95 || !(0.005..0.995).contains(&v.fract()) => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    };
    if unit == 'B' { number } else { format!("{number}{unit}") }
}

/// Bytes of a size as printed on a drive: decimal for `K`, `M`, `G`, `T`, `P` with or without `B`,
/// binary for `KiB` … `PiB`; none for anything else.
pub fn capacity(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim().to_ascii_uppercase();
    let (base, prefix) = match unit.strip_suffix("IB") {
        Some(prefix) => (1024f64, prefix),
        None => (1000f64, unit.strip_suffix('B').unwrap_or(&unit)),
    };
    let power = ["", "K", "M", "G", "T", "P"].iter().position(|known| *known == prefix)?;
    let bytes = number.parse::<f64>().ok()? * base.powi(power as i32);
    (bytes.is_finite() && bytes < 1.8e19).then(|| bytes.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_binary_whatever_the_suffix_is_called() {
        for (text, bytes) in [
            ("16K", 16 << 10),
            ("16k", 16 << 10),
            ("16KB", 16 << 10),
            ("16KiB", 16 << 10),
            ("1.5G", 3 << 29),
            ("128", 128),
            ("128B", 128),
            ("0", 0),
            (" 1 M ", 1 << 20),
            ("15E", 15 << 60),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn about_three_digits_are_shown_and_never_1024() {
        for (bytes, text) in [
            (0, "0"),
            (1023, "1023"),
            ((1 << 20) - 1, "1M"),
            (102_369, "100K"),
            (10_235, "10K"),
            (16 << 10, "16K"),
            (3 << 29, "1.50G"),
        ] {
            assert_eq!(about(bytes), text, "{bytes}");
        }
    }

    #[test]
    fn an_invalid_size_is_refused() {
        for text in
            ["", "K", "16Q", "1.2.3K", "-1", "16 K B", "16E", "99999999999999999999", "1e3", "16BB"]
        {
            assert!(size(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_size_reads_back(bytes: u64) {
            prop_assert_eq!(size(&print_size(bytes)), Ok(bytes));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            let _ = size(&text);
        }
    }
}
