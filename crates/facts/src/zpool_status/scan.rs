//! The `scan:` line: scrubs and resilvers.

use crate::{At, Problem};

/// A scrub or resilver as `zpool status` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// The line it stands on.
    pub line: u32,
    /// Scrub or resilver; none when none was ever requested.
    pub kind: Option<ScanKind>,
    /// How far it got.
    pub state: ScanState,
    /// When it ended, or began where it is under way; in the pool's local time.
    pub date: Option<Date>,
    /// The text, its lines joined.
    pub text: String,
}

/// What is scanned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanKind {
    /// Reading everything to find damage.
    Scrub,
    /// Reading only the blocks in which errors are known (`zpool scrub -e`); it says nothing of any other.
    ErrorScrub,
    /// Rebuilding a device (healing or sequential).
    Resilver,
}

/// How far a scan got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
            let [name, day, time, year] = four else { return None };
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
    let kind = if text.starts_with("error scrub") || text.starts_with("scrubbed ") {
        Some(ScanKind::ErrorScrub)
    } else if text.starts_with("scrub") {
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
        || text.starts_with("scrubbed ")
        || text.starts_with("resilvered")
        || text.contains("completed")
    {
        ScanState::Finished
    } else {
        problems.push(Problem::quoting(body.line, "unknown scan state", text));
        ScanState::Unknown
    };
    Scan { line: body.line, kind, state, date: Date::find(text), text: text.to_string() }
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

    /// The four lines that `print_err_scrub_status` of OpenZFS 2.2 and later prints.
    #[test]
    fn a_scrub_of_known_errors_is_no_scrub_of_the_pool() {
        for (text, state) in [
            (
                "scrubbed 3 error blocks in 0 days 00:00:01 on Sun Nov 22 10:02:04 2026",
                ScanState::Finished,
            ),
            ("error scrub in progress since Sun Nov 22 10:02:04 2026", ScanState::Running),
            ("error scrub paused since Sun Nov 22 10:02:04 2026", ScanState::Paused),
            ("error scrub canceled on Sun Nov 22 10:02:04 2026", ScanState::Cancelled),
        ] {
            let mut problems = Vec::new();
            let scan = read(&At::new(text.to_string(), 1), &mut problems);
            assert_eq!((scan.kind, scan.state), (Some(ScanKind::ErrorScrub), state), "{text}");
            assert!(problems.is_empty() && scan.date.is_some(), "{problems:?}");
        }
    }

    #[test]
    fn a_running_scrub_has_the_date_on_which_it_began() {
        let scan = scan(
            "scrub in progress since Sun Sep 13 09:00:00 2026 2.50T scanned at 1.00G/s, \
             2.00T issued at 800M/s, 5.00T total 0B repaired, 40.00% done, 01:05:00 to go",
        );
        assert_eq!(scan.state, ScanState::Running);
        assert_eq!(scan.date.map(|date| date.year), Some(2026));
    }
}
