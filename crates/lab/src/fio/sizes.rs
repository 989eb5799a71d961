//! Sizes and times as fio 3.33 writes them.

/// Bytes of `20G`, `4k`, `1MiB`, `512`; fio's prefixes are binary, and with `iB` decimal
/// (`kb_base=1024`, its default; `4ki` is 4,096). None when it is no size.
pub fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text.as_str(), 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let number = u64::from_str_radix(digits, radix).ok()?;
    let (prefix, base) = match suffix.strip_suffix("ib") {
        Some(prefix) => (prefix, 1000u64),
        None => (suffix.strip_suffix(['b', 'i']).unwrap_or(suffix), 1024),
    };
    let power = match prefix {
        "" if matches!(suffix, "" | "b") => 0,
        // After hexadecimal digits fio ignores what follows.
        _ if radix == 16 => return None,
        prefix => 1 + ["k", "m", "g", "t", "p"].iter().position(|known| *known == prefix)?,
    };
    number.checked_mul(base.pow(power as u32))
}

/// Seconds of `90`, `90s`, `2m`, `500ms`, `1h`. None when it is no time; to fio `1 m` is a second.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse::<u64>().ok()? as f64;
    Some(
        number
            * match &text[end..] {
                "" | "s" => 1.0,
                "us" | "usec" => 1e-6,
                "ms" | "msec" => 1e-3,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return None,
            },
    )
}
