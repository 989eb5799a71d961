//! Numbers as people read them: three significant digits at most, thousands grouped; the space
//! before a unit does not break.

use findings::schema::{Basis, Estimate};

/// A count or rate: `640`, `4,310`, `12.5`, `0.042`.
pub fn count(value: f64) -> String {
    significant(value, 3)
}

/// A count in full: `1,048,576`.
pub fn whole(value: u64) -> String {
    group(&value.to_string())
}

/// A share as a percentage: `43 %`, `0.4 %`, `99.2 %` near the ends.
pub fn share(value: f64) -> String {
    format!("{}\u{a0}%", share_number(value))
}

/// A share as the number before the percent sign.
pub fn share_number(value: f64) -> String {
    let percent = value * 100.0;
    if !percent.is_finite() {
        return "–".into();
    }
    let near_end = percent.abs() < 10.0 || (90.0..100.0).contains(&percent);
    let text =
        if near_end { trim_zeros(&format!("{percent:.1}")) } else { format!("{percent:.0}") };
    if text == "-0" { "0".into() } else { text }
}

/// A ratio: `1.04×`, `6.7×`, `17×`.
pub fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{}×", ratio_number(value)) } else { "–".into() }
}

/// A ratio without its sign: two decimals below 2, one below 10, none above.
pub fn ratio_number(value: f64) -> String {
    match value {
        v if !v.is_finite() => "–".into(),
        v if v < 0.095 => significant(v, 2),
        v if v < 1.995 => format!("{v:.2}"),
        v if v < 9.95 => format!("{v:.1}"),
        v => group(&format!("{v:.0}")),
    }
}

/// An end of an interval: as [`ratio_number`], with the digits that tell it from 1 where it is not 1.
pub fn ratio_end(value: f64) -> String {
    let short = ratio_number(value);
    if short != "1.00" || value == 1.0 {
        return short;
    }
    let longer = (3..=6).map(|digits| (digits, format!("{value:.digits$}")));
    let mut telling = longer.filter(|(digits, text)| *text != format!("{:.digits$}", 1.0));
    telling.next().map_or(short, |(_, text)| text)
}

/// The interval behind a ratio, with the space before it: ` [6.2, 7.2]`. Nothing where there is none:
/// a single number, or batches of one trial that were all alike; ` [?]` where it says nothing: around 1, over
/// more than two decades.
pub fn range(ratio: &Estimate) -> String {
    let (low, high) = (ratio_end(ratio.low), ratio_end(ratio.high));
    let says_nothing = ratio.low < 1.0 && ratio.high > 1.0 && ratio.high > 100.0 * ratio.low;
    match ratio.basis {
        Basis::Point => String::new(),
        Basis::Batches if low == high => String::new(),
        _ if says_nothing => " [?]".to_owned(),
        Basis::Trials | Basis::TrialsAndBatches | Basis::Batches => format!(" [{low}, {high}]"),
    }
}

/// A time given in seconds: `870 µs`, `12.5 ms`, `2.3 s`, `4 min`, `1.5 h`.
pub fn seconds(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if !v.is_finite() => return "–".into(),
        0.0 => (0.0, "s"),
        v if v < 0.999_5e-6 => (value * 1e9, "ns"),
        v if v < 0.999_5e-3 => (value * 1e6, "µs"),
        v if v < 0.999_5 => (value * 1e3, "ms"),
        v if v < 120.0 => (value, "s"),
        v if v < 7200.0 => (value / 60.0, "min"),
        _ => (value / 3600.0, "h"),
    };
    format!("{}\u{a0}{unit}", significant(scaled, 3))
}

/// A time given in microseconds.
pub fn micros(value: f64) -> String {
    seconds(value / 1e6)
}

/// Bytes in binary units, the way ZFS prints them: `16 KiB`, `1.5 GiB`.
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = value;
    let mut unit = 0;
    while value.abs() >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{}\u{a0}{}", significant(value, 3), UNITS[unit])
}

/// `value` with `digits` significant digits, grouped, without trailing zeros after the point.
fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let step = 10f64.powi(magnitude - digits + 1);
    let rounded = (value / step).round() * step;
    let decimals = (digits - 1 - magnitude).clamp(0, 9) as usize;
    let text = format!("{rounded:.decimals$}");
    group(&trim_zeros(&text))
}

fn trim_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

/// Groups the digits before the point in threes.
fn group(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("−", rest),
        None => ("", text),
    };
    let (integer, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    let mut out = String::from(sign);
    for (i, digit) in integer.chars().enumerate() {
        if i > 0 && (integer.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

/// `172.4 TB`, decimal.
pub fn terabytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes >= 9.995e11 {
        format!("{:.1} TB", bytes / 1e12)
    } else {
        format!("{:.1} GB", bytes / 1e9)
    }
}

/// `156.8T`, binary and as `zfs list` prints it.
pub fn tebibytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "K", "M", "G", "T"] {
        if value < 1024.0 || unit == "T" {
            return match value < 10.0 {
                true => format!("{value:.2}{unit}"),
                false if value < 1000.0 => format!("{value:.1}{unit}"),
                false => format!("{value:.0}{unit}"),
            };
        }
        value /= 1024.0;
    }
    format!("{bytes}B")
}

/// `1.2 GB/s`, `250 MB/s`, decimal.
pub fn bytes_per_second(bytes: f64) -> String {
    if bytes >= 1e9 {
        format!("{:.1} GB/s", bytes / 1e9)
    } else {
        format!("{:.0} MB/s", bytes / 1e6)
    }
}

/// A share to a tenth of a percent: `66.2 %`; nothing but 0 is `0 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if share == 0.0 {
        "0 %".to_string()
    } else if percent >= 99.95 {
        "100 %".to_string()
    } else if percent < 0.1 {
        format!("{percent:.0e} %")
    } else {
        format!("{percent:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_carry_three_digits_and_their_unit() {
        assert_eq!(count(11_234.0), "11,200");
        assert_eq!(count(639.6), "640");
        assert_eq!(count(0.0421), "0.0421");
        assert_eq!(count(999.9), "1,000");
        assert_eq!(whole(1_048_576), "1,048,576");
        assert_eq!(micros(12_480.0), "12.5\u{a0}ms");
        assert_eq!(micros(870.0), "870\u{a0}µs");
        assert_eq!(seconds(0.9999), "1\u{a0}s");
        assert_eq!(seconds(90.0), "90\u{a0}s");
        assert_eq!(seconds(600.0), "10\u{a0}min");
        assert_eq!(bytes(16384.0), "16\u{a0}KiB");
        assert_eq!(bytes(4.0 * 1024f64.powi(3)), "4\u{a0}GiB");
        assert_eq!(share(0.431), "43\u{a0}%");
        assert_eq!(share(0.9921), "99.2\u{a0}%");
        assert_eq!(share(0.004), "0.4\u{a0}%");
    }

    #[test]
    fn an_interval_is_printed_where_there_is_one() {
        let over = |low, high, basis| range(&Estimate { value: 0.69, low, high, basis });
        assert_eq!(over(0.61, 0.8, Basis::Trials), " [0.61, 0.80]");
        assert_eq!(over(0.69, 0.69, Basis::Trials), " [0.69, 0.69]");
        assert_eq!(over(0.61, 0.8, Basis::Batches), " [0.61, 0.80]");
        assert_eq!(over(0.691, 0.693, Basis::Batches), "");
        assert_eq!(over(0.61, 0.8, Basis::Point), "");
        assert_eq!(over(0.001, 4.0, Basis::Trials), " [?]");
        assert_eq!(over(2.0, 300.0, Basis::Trials), " [2.0, 300]", "it says more");
        assert_eq!(over(1.002, 1.08, Basis::Trials), " [1.002, 1.08]", "it excludes 1");
        assert_eq!(over(0.9997, 1.08, Basis::Trials), " [0.9997, 1.08]", "it does not");
        assert_eq!(over(1.0, 1.0, Basis::Trials), " [1.00, 1.00]", "a twin");
    }

    #[test]
    fn ratios_near_one_keep_the_decimals_that_matter() {
        assert_eq!(ratio(1.042), "1.04×");
        assert_eq!(ratio(6.73), "6.7×");
        assert_eq!(ratio(17.2), "17×");
        assert_eq!(ratio(0.034), "0.034×");
    }

    #[test]
    fn what_is_not_a_number_is_a_dash() {
        assert_eq!(count(f64::NAN), "–");
        assert_eq!(ratio(f64::INFINITY), "–");
        assert_eq!(seconds(f64::NAN), "–");
    }
}
