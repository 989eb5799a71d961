//! The `scan:` line: scrubs and resilvers.

use crate::{At, Problem, ProblemKind, excerpt};
use serde::{Deserialize, Serialize};

/// A scrub or resilver as `zpool status` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scan {
    /// The line it stands on.
    pub line: u32,
    /// Scrub or resilver; none when none was ever requested.
    pub kind: Option<ScanKind>,
    /// How far it got.
    pub state: ScanState,
    /// When it ended, or began where it is under way; in the pool's local time.
    pub date: Option<Date>,
    /// Errors it met.
    pub errors: Option<u64>,
    /// How long it took, seconds.
    pub took_s: Option<u64>,
    /// How much is done, percent, while it is under way.
    pub done_percent: Option<f64>,
    /// The text, its lines joined.
    pub text: String,
}

/// What is scanned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScanKind {
    /// Reading everything to find damage.
    Scrub,
    /// Rebuilding a device (healing or sequential).
    Resilver,
}

/// How far a scan got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScanState {
    /// None was ever requested.
    Never,
    /// It ran to its end.
    Finished,
    /// It runs.
    Running,
    /// It is paused.
    Paused,
    /// It was cancelled.
    Cancelled,
    /// The line says something this parser does not know.
    Unknown,
}

/// A calendar date and time of day, without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date {
    /// Year.
    pub year: i32,
    /// Month, 1 to 12.
    pub month: u32,
    /// Day of the month, from 1.
    pub day: u32,
}

impl Date {
    /// Days since 1970-01-01 in the proleptic Gregorian calendar.
    pub fn days(self) -> i64 {
        let march_year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = march_year.div_euclid(400);
        let year_of_era = march_year.rem_euclid(400);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - 719_468
    }

    /// `Sun May 12 03:25:01 2024` somewhere in `text`, the last one.
    fn find(text: &str) -> Option<Date> {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let words: Vec<&str> = text.split_whitespace().collect();
        words.windows(4).rev().find_map(|four| {
            let [name, day, time, year] = four else {
                return None;
            };
            let month = MONTHS.iter().position(|known| known == name)?;
            let day: u32 = day.parse().ok()?;
            let year: i32 = year.parse().ok()?;
            (time.contains(':') && (1..=31).contains(&day) && (1970..=9999).contains(&year))
                .then(|| Date { year, month: u32::try_from(month + 1).unwrap_or(12), day })
        })
    }
}

pub(super) fn read(body: &At<String>, problems: &mut Vec<Problem>) -> Scan {
    let text = body.value.as_str();
    let kind = if text.starts_with("scrub") {
        Some(ScanKind::Scrub)
    } else if text.starts_with("resilver") {
        Some(ScanKind::Resilver)
    } else {
        None
    };
    let state = if text.starts_with("none requested") {
        ScanState::Never
    } else if text.contains("in progress") {
        ScanState::Running
    } else if text.contains("paused") {
        ScanState::Paused
    } else if text.contains("cancel") {
        ScanState::Cancelled
    } else if text.starts_with("scrub repaired")
        || text.starts_with("resilvered")
        || text.contains("completed")
    {
        ScanState::Finished
    } else {
        problems.push(Problem::new(
            body.line,
            ProblemKind::Unknown,
            format!("unknown scan state: {:?}", excerpt(text)),
        ));
        ScanState::Unknown
    };
    Scan {
        line: body.line,
        kind,
        state,
        date: Date::find(text),
        errors: word_before(text, "errors").and_then(|word| word.parse().ok()),
        took_s: matches!(state, ScanState::Finished).then(|| duration(text)).flatten(),
        done_percent: word_before(text, "done").and_then(|word| {
            let number: f64 = word.strip_suffix('%')?.parse().ok()?;
            number.is_finite().then_some(number)
        }),
        text: text.to_string(),
    }
}

/// The word before `word`, punctuation after it ignored.
fn word_before<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).find(|two| two[1].trim_end_matches([',', ';']) == word).map(|two| two[0])
}

/// `in 03:37:12`, `in 0 days 03:37:12`, `in 1 days 12:59:37` or `in 0h6m`, in seconds.
fn duration(text: &str) -> Option<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "in")?;
    let mut days = 0;
    let mut clock = *words.get(at + 1)?;
    if matches!(words.get(at + 2), Some(&"days" | &"day")) {
        days = clock.parse::<u64>().ok()?;
        clock = words.get(at + 3)?;
    }
    let seconds = if let Some((hours, minutes)) =
        clock.strip_suffix('m').and_then(|clock| clock.split_once('h'))
    {
        hours.parse::<u64>().ok()?.checked_mul(3600)?
            + minutes.parse::<u64>().ok()?.checked_mul(60)?
    } else {
        let mut total = 0u64;
        for part in clock.split(':') {
            total = total.checked_mul(60)?.checked_add(part.parse::<u64>().ok()?)?;
        }
        total
    };
    days.checked_mul(86_400)?.checked_add(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Scan {
        read(&At::new(text.to_string(), 1), &mut Vec::new())
    }

    #[test]
    fn days_count_from_the_epoch() {
        let day = |year, month, day| Date { year, month, day }.days();
        assert_eq!(day(1970, 1, 1), 0);
        assert_eq!(day(2000, 3, 1), 11_017);
        assert_eq!(day(2024, 5, 12), 19_855);
    }

    #[test]
    fn every_versions_duration_is_read() {
        let took = |text: &str| scan(text).took_s;
        let tail = "with 0 errors on Sun May 12 03:25:01 2024";
        assert_eq!(took(&format!("scrub repaired 0B in 03:37:12 {tail}")), Some(13_032));
        assert_eq!(took(&format!("scrub repaired 0 in 1 days 12:59:37 {tail}")), Some(133_177));
        assert_eq!(took(&format!("resilvered 9.95G in 0h6m {tail}")), Some(360));
    }

    #[test]
    fn a_running_scrub_has_a_percentage_and_no_duration() {
        let scan = scan(
            "scrub in progress since Sun Sep 13 09:00:00 2026 2.50T scanned at 1.00G/s, \
             2.00T issued at 800M/s, 5.00T total 0B repaired, 40.00% done, 01:05:00 to go",
        );
        assert_eq!(scan.state, ScanState::Running);
        assert_eq!(scan.done_percent, Some(40.0));
        assert_eq!(scan.took_s, None);
        assert_eq!(scan.date.map(|date| date.year), Some(2026));
    }
}
