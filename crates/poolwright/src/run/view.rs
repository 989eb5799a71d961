//! What `run --watch` shows: the pool at work, in the modelled machine's time. Text only; a terminal
//! shows it as it is given.

use bench::window::Sample;
use findings::counters::THROTTLES;
use poolfs::protocol::counters as c;
use report::number;
use std::collections::{BTreeMap, VecDeque};
use unicode_width::UnicodeWidthChar;

/// Virtual seconds that are kept for the courses.
const KEPT: usize = 40;
/// Share of the dirty-data limit from which writers are slowed down
/// (`zfs_delay_min_dirty_percent`, 60).
const DELAY_FROM: f64 = 0.6;
/// Columns of a gauge and of a course.
const GAUGE: usize = 20;

/// The trial that is being watched.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// What is being run.
    pub trial: String,
    /// What it is doing.
    pub step: String,
    /// Dilation: the model's second takes so many here.
    pub time: f64,
    /// Dirty-data limit of the model, bytes.
    pub dirty_max: u64,
    samples: VecDeque<Sample>,
    begun: Option<f64>,
}

impl View {
    /// A new trial, or a new step of one: courses begin anew.
    pub fn begin(&mut self) {
        self.samples.clear();
        self.begun = None;
    }

    /// One more virtual second.
    pub fn add(&mut self, sample: Sample) {
        self.begun.get_or_insert(sample.at - 1.0);
        if self.samples.len() == KEPT {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// The lines to show on so many columns and rows; never more of either.
    pub fn lines(&self, columns: usize, rows: usize) -> Vec<String> {
        let mut lines = vec![self.trial.clone()];
        let Some(last) = self.samples.back() else {
            lines.push(self.step.clone());
            return cut(lines, columns, rows);
        };
        let seconds = last.at - self.begun.unwrap_or(last.at);
        lines.push(format!(
            "{} · {seconds:.0} s of the modelled machine, {}× slower here",
            self.step, self.time
        ));
        lines.push(String::new());
        lines.extend(self.pool(last));
        lines.push(String::new());
        let room = rows.saturating_sub(lines.len());
        lines.extend(drives(&last.values, room));
        cut(lines, columns, rows)
    }

    fn pool(&self, last: &Sample) -> Vec<String> {
        let get = |name: &str| last.values.get(name).copied().unwrap_or(0.0);
        let course = |value: &dyn Fn(&Sample) -> f64, full: Option<f64>| {
            let values: Vec<f64> = self.samples.iter().map(value).collect();
            sparkline(&values, full)
        };
        let level = |name: &'static str| move |s: &Sample| s.values.get(name).copied().unwrap_or(0.0);
        let max = self.dirty_max as f64;
        let dirty = get(c::DIRTY);
        let share = if max > 0.0 { dirty / max } else { 0.0 };
        let waits = |s: &Sample| {
            THROTTLES.iter().filter_map(|name| s.values.get(*name)).sum::<f64>()
        };
        let mut lines = vec![
            format!(
                "dirty data  {} {}  {} of {}",
                gauge(share, Some(DELAY_FROM)),
                course(&level(c::DIRTY), Some(max)),
                number::bytes(dirty),
                number::bytes(max)
            ),
            format!(
                "throttle    {:GAUGE$}   {}  {} waits/s",
                wall(waits(last), share),
                course(&waits, None),
                number::count(waits(last))
            ),
            format!(
                "commits     {:GAUGE$}   {}  {}/s",
                format!(
                    "log {}/s",
                    number::bytes(get(c::ZIL_SLOG_BYTES) + get(c::ZIL_POOL_BYTES))
                ),
                course(&level(c::ZIL_COMMITS), None),
                number::count(get(c::ZIL_COMMITS))
            ),
        ];
        let (hits, misses) = (
            get(c::ARC_DATA_HITS) + get(c::ARC_META_HITS) + get(c::DBUF_HITS),
            get(c::ARC_DATA_MISSES) + get(c::ARC_META_MISSES),
        );
        let l2 = get(c::L2_HITS).min(misses);
        let lookups = hits + misses;
        lines.push(if lookups > 0.0 {
            format!(
                "lookups     memory {}  L2ARC {}  drives {}  of {}/s",
                number::share(hits / lookups),
                number::share(l2 / lookups),
                number::share((misses - l2) / lookups),
                number::count(lookups)
            )
        } else {
            "lookups     none".to_owned()
        });
        lines.push(format!(
            "txg         {} synced, {} s of syncing",
            number::count(get(c::TXG_SYNCS)),
            number::count(get(c::TXG_SYNC_NS) / 1e9)
        ));
        lines
    }
}

/// Whether writers wait, in words.
fn wall(waits: f64, share: f64) -> &'static str {
    if waits > 0.0 && share >= DELAY_FROM {
        "writers wait: wall"
    } else if waits > 0.0 {
        "some writers wait"
    } else {
        "nobody waits"
    }
}

/// A row for each drive, the busiest first where there is no room for all, after a heading.
fn drives(values: &BTreeMap<String, f64>, room: usize) -> Vec<String> {
    let mut names: Vec<&str> = values
        .keys()
        .filter_map(|name| name.strip_prefix("drive.")?.strip_suffix(".busy"))
        .collect();
    let get = |name: &str, what: &str| {
        let value = values.get(&format!("drive.{name}.{what}"));
        value.copied().unwrap_or(0.0)
    };
    names.sort_by_key(|name| natural(name));
    let all = names.len();
    // The heading, and the line that counts those left out.
    let shown = if all < room { all } else { room.saturating_sub(2) };
    if shown < all {
        names.sort_by(|a, b| get(b, "busy").total_cmp(&get(a, "busy")));
        names.truncate(shown);
        names.sort_by_key(|name| natural(name));
    }
    let mut lines = vec![format!(
        "{:10}  {:GAUGE$}  {:>6}  {:>6}  {:>10}  {:>10}  {:>7}",
        "drive", " busy", "", "queue", "read/s", "write/s", "flush/s"
    )];
    for name in &names {
        let busy = get(name, "busy");
        let short: String = name.chars().take(10).collect();
        lines.push(format!(
            "{short:10}  {}  {:>4.0} %  {:>6.1}  {:>10}  {:>10}  {:>7}",
            gauge(busy, None),
            busy.clamp(0.0, 1.0) * 100.0,
            get(name, "queue"),
            number::bytes(get(name, "read_bytes")),
            number::bytes(get(name, "write_bytes")),
            number::count(get(name, "flushes"))
        ));
    }
    if shown < all {
        lines.push(format!("… and {} that are less busy", all - shown));
    }
    lines
}

/// `hdd10` after `hdd9`.
fn natural(name: &str) -> (String, u64) {
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[kind.len()..].parse().unwrap_or(0);
    (kind.to_owned(), number)
}

/// A bar of [`GAUGE`] columns, with a mark where something begins.
fn gauge(share: f64, mark: Option<f64>) -> String {
    let at = |share: f64| (share.clamp(0.0, 1.0) * GAUGE as f64).round() as usize;
    let (full, mark) = (at(share), mark.map(at));
    (0..GAUGE)
        .map(|column| {
            if column < full {
                '█'
            } else if mark == Some(column) {
                '┊'
            } else {
                '·'
            }
        })
        .collect()
}

/// The last values as a course of one row; `full` is the top of the scale, else the largest of them.
fn sparkline(values: &[f64], full: Option<f64>) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let top = full.unwrap_or_else(|| values.iter().copied().fold(0.0, f64::max));
    let last = values.len().saturating_sub(GAUGE);
    let mut line: String = values[last..]
        .iter()
        .map(|value| {
            let share = if top > 0.0 { value / top } else { 0.0 };
            STEPS[((share.clamp(0.0, 1.0) * 8.0).ceil() as usize).saturating_sub(1)]
        })
        .collect();
    let missing = GAUGE - line.chars().count();
    line.extend(std::iter::repeat_n(' ', missing));
    line
}

/// No more rows and columns than there are: a line that wraps could not be taken back.
fn cut(lines: Vec<String>, columns: usize, rows: usize) -> Vec<String> {
    let narrow = |line: String| {
        let mut width = 0;
        line.chars()
            .filter(|c| !c.is_control())
            .take_while(|c| {
                width += c.width().unwrap_or(0);
                width <= columns
            })
            .collect::<String>()
    };
    lines
        .into_iter()
        .take(rows)
        .map(narrow)
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A burst of synchronous writes into a log, until dirty data meets its limit after 20 s.
    fn burst(seconds: u32, drives: u32) -> View {
        let mut view = View {
            trial: "3/8  mirror · sync  about 4m left".into(),
            step: "measuring".into(),
            time: 8.0,
            dirty_max: 1 << 30,
            ..View::default()
        };
        for second in 1..=seconds {
            let share = f64::from(second.min(20)) / 20.0 * 0.95;
            let mut values = BTreeMap::from([
                (c::DIRTY.to_owned(), share * f64::from(1 << 30)),
                (c::THROTTLE_DELAYS.to_owned(), if share > 0.6 { 4000.0 } else { 0.0 }),
                (c::ZIL_COMMITS.to_owned(), if share > 0.9 { 4300.0 } else { 11_200.0 }),
                (c::ZIL_SLOG_BYTES.to_owned(), 2e8),
                (c::ARC_DATA_HITS.to_owned(), 90.0),
                (c::ARC_DATA_MISSES.to_owned(), 10.0),
                (c::L2_HITS.to_owned(), 4.0),
            ]);
            for drive in 0..drives {
                let busy = f64::from(drive + 1) / f64::from(drives);
                values.insert(format!("drive.hdd{drive}.busy"), busy);
                values.insert(format!("drive.hdd{drive}.queue"), 3.0);
                values.insert(format!("drive.hdd{drive}.write_bytes"), 9e7);
            }
            view.add(Sample {
                at: 100.0 + f64::from(second),
                values,
            });
        }
        view
    }

    #[test]
    fn a_burst_is_seen_to_hit_the_wall() {
        let early = burst(8, 3).lines(80, 24).join("\n");
        assert!(early.contains("nobody waits") && early.contains("8 s of the modelled"), "{early}");
        let late = burst(30, 3).lines(80, 24).join("\n");
        assert!(late.contains("writers wait: wall"), "{late}");
        let dirty = late.lines().find(|l| l.starts_with("dirty")).unwrap();
        assert!(dirty.contains("███████████████████·"), "{dirty}");
        assert!(dirty.contains("▅▅▅▆▆▇▇▇████████████"), "{dirty}");
        assert!(late.contains("memory 90"), "{late}");
    }

    #[test]
    fn nothing_is_wider_or_longer_than_the_terminal() {
        for drives in [0, 1, 12, 90] {
            for (columns, rows) in [(80, 24), (40, 10), (200, 60), (10, 3), (1, 1)] {
                let mut view = burst(50, drives);
                view.trial = "大容量文件服务器".repeat(20);
                let lines = view.lines(columns, rows);
                assert!(lines.len() <= rows, "{columns}x{rows}");
                for line in &lines {
                    let width: usize = line.chars().filter_map(char::width).sum();
                    assert!(width <= columns, "{columns}x{rows}: {line}");
                }
            }
        }
    }

    #[test]
    fn where_not_all_drives_fit_the_busiest_are_shown_in_their_own_order() {
        let lines = burst(5, 40).lines(80, 24);
        let shown: Vec<&str> = lines
            .iter()
            .filter(|l| l.starts_with("hdd"))
            .filter_map(|l| l.split(' ').next())
            .collect();
        assert_eq!(shown.last(), Some(&"hdd39"));
        assert_eq!(shown.first(), Some(&"hdd27"));
        assert!(lines.iter().any(|l| l.contains("and 27 that are less busy")), "{lines:#?}");
        let all = burst(5, 12).lines(80, 24);
        assert_eq!(all.iter().filter(|l| l.starts_with("hdd")).count(), 12);
    }

    #[test]
    fn a_new_step_begins_anew_and_control_characters_are_not_shown() {
        let mut view = burst(5, 1);
        view.begin();
        view.step = "laying\u{1b}[31m out".into();
        assert_eq!(view.lines(80, 24), ["3/8  mirror · sync  about 4m left", "laying[31m out"]);
    }

    #[test]
    fn gauges_and_courses_have_one_width() {
        for share in [-1.0, 0.0, 0.5, 1.0, f64::NAN] {
            assert_eq!(gauge(share, Some(0.6)).chars().count(), GAUGE);
            assert_eq!(sparkline(&[share; 3], None).chars().count(), GAUGE);
        }
    }
}
