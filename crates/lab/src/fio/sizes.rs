//! Sizes and times as fio 3.33 writes them.

/// Bytes of `20G`, `4k`, `1MiB`, `512`; fio's prefixes are binary, and with `iB` decimal
/// (`kb_base=1024`, its default; `4ki` is 4,096). None when it is no size.
pub fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (hex, digits_end) = match text.strip_prefix("0x") {
        Some(rest) => (true, 2 + rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len())),
        None => (false, text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())),
    };
    let number = if hex {
        u64::from_str_radix(&text[2..digits_end], 16).ok()?
    } else {
        text[..digits_end].parse::<u64>().ok()?
    };
    let suffix = &text[digits_end..];
    let (prefix, base) = match suffix.strip_suffix("ib") {
        Some(prefix) => (prefix, 1000u64),
        None => (suffix.strip_suffix(['b', 'i']).unwrap_or(suffix), 1024),
    };
    let power = match prefix {
        "" if matches!(suffix, "" | "b") => 0,
        // After hexadecimal digits fio ignores what follows.
        _ if hex => return None,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    number.checked_mul(base.pow(power))
}

/// Seconds of `90`, `90s`, `2m`, `500ms`, `1h`. None when it is no time.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse::<u64>().ok()? as f64;
    Some(
        number
            * match text[end..].trim() {
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
