//! The report on crash states, with its value as evidence.

use super::kept::Kept;
use super::recovery::{Opened, Recovered};
use lab::durability::Assessment;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write as _;

#[derive(Debug, Serialize)]
pub struct Report {
    pub lab: String,
    pub variant: String,
    /// Seed of the machine and of the first crash state.
    pub seed: u64,
    /// Virtual seconds of writing.
    pub seconds: u64,
    /// Whether the variant is a ZFS pool.
    pub zfs: bool,
    pub written: Written,
    /// Whether the server was killed, and the power stayed on.
    pub server_crash: bool,
    /// The durability that its settings promise in a power cut.
    pub by_settings: Assessment,
    /// Limit of dirty data in the model, bytes: a transaction group ends early when much of it is dirty.
    pub dirty_data_max: u64,
    /// The drive faults of all states, as text.
    pub drive_faults: Vec<String>,
    /// Whether each state has further ones, chosen by its seed.
    pub scheduled_faults: bool,
    /// The run with durable writes, and the control.
    pub runs: Vec<Run>,
}

/// The kind of writes, which determines the control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Written {
    /// Blocks of files, with fdatasync and without.
    Blocks,
    /// Rounds of overwritten pages, likewise.
    Pages,
    /// Transactions of PostgreSQL, with the lab's settings and without any sync.
    PostgresqlCommits,
    /// Transactions of MariaDB or MySQL, with the lab's settings and without any sync.
    MysqlCommits,
    /// Transactions of SQLite, with the lab's settings and without any sync.
    SqliteCommits,
}

impl Written {
    /// What is counted.
    pub fn name(self) -> &'static str {
        match self {
            Written::Blocks => "blocks",
            Written::Pages => "rounds of pages",
            _ => "commits",
        }
    }

    /// The name of one of the runs.
    pub fn run(self, synchronous: bool) -> &'static str {
        match (self, synchronous) {
            (Written::Blocks | Written::Pages, true) => "with fdatasync",
            (Written::Blocks | Written::Pages, false) => "without (control)",
            (_, true) => "as in the lab",
            (_, false) => "control",
        }
    }

    /// Whether a server writes them.
    pub fn by_server(self) -> bool {
        matches!(self, Written::PostgresqlCommits | Written::MysqlCommits)
    }

    fn control(self) -> &'static str {
        match self {
            Written::Blocks | Written::Pages => "without fdatasync",
            Written::PostgresqlCommits => "with fsync=off and synchronous_commit=off",
            Written::SqliteCommits => "with synchronous=off",
            Written::MysqlCommits => {
                "with innodb_flush_method=nosync, innodb_flush_log_at_trx_commit=0 and sync_binlog=0"
            }
        }
    }
}

/// One recorded machine, and its crash states.
#[derive(Debug, Serialize)]
pub struct Run {
    /// Whether writes were durable; false for the control.
    pub synchronous: bool,
    /// Why writers stopped early.
    pub problems: Vec<String>,
    pub states: Vec<State>,
    /// Crash states that were not checked, because their machine took too long in real time: the seed, and how it
    /// ended. They are not saved.
    pub hung: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// Seed of the moment of the cut, and of which unflushed writes are lost.
    pub seed: u64,
    /// When the power was cut, virtual seconds since the writing began.
    pub at_s: f64,
    /// Blocks or transactions that had been acknowledged by then.
    pub acknowledged: u64,
    /// Writes to drives that were not flushed to the media.
    pub unflushed: u64,
    /// Those of them that were lost completely or partly.
    pub dropped: u64,
    /// Blocks of drives that were silently corrupted, and writes that were silently lost or misdirected.
    pub silent_errors: u64,
    /// The drive faults of this state alone, as text.
    pub drive_faults: Vec<String>,
    /// A hash of what recovery read of the drives, in hexadecimal: states with the same one recover in the same way.
    /// None where the server was killed, and where the machine died.
    pub contents_read: Option<String>,
    /// Acknowledged blocks or transactions that are gone.
    pub lost: u64,
    /// Blocks or transactions that are partial, or contain data that was never written there.
    pub corrupt: u64,
    /// Virtual seconds from the acknowledgement of the first lost block or transaction to the cut; none where none
    /// is lost.
    pub lost_s: Option<f64>,
    /// Virtual seconds until the recovered server accepted statements.
    pub recovery_s: Option<f64>,
    /// What is wrong with the database.
    pub faults: Vec<String>,
    pub opened: Opened,
    /// Virtual seconds of the import, replay of the intent log included, or of the assembly and the mount; none where
    /// there was none.
    pub opened_s: Option<f64>,
    /// Errors that a scrub found, as `zpool status` prints them, or a check of the file system.
    pub errors: Option<String>,
    /// Why the pool or the file system could not be used.
    pub unusable: Option<String>,
}

impl State {
    /// Adds the result of the machine after the cut.
    pub fn add(&mut self, found: Recovered, kept: Kept) {
        self.lost = kept.damage.lost;
        self.corrupt = kept.damage.corrupt;
        self.recovery_s = kept.recovery_s;
        self.faults = kept.faults;
        self.opened = found.opened;
        self.unusable = found.unusable;
        self.opened_s = found.opened_s;
        self.errors = found.errors;
    }

    /// Whether acknowledged writes were checked and some are lost.
    fn lossy(&self) -> bool {
        self.lost + self.corrupt > 0
    }

    /// Whether its acknowledged writes were looked for.
    fn checked(&self) -> bool {
        self.unusable.is_none() || self.lossy()
    }

    /// Whether the check found lost or damaged data on a pool or a file system that was opened.
    fn detected(&self) -> bool {
        let unreadable = self.unusable.is_some() && self.opened_s.is_some();
        self.lossy() || unreadable || !self.faults.is_empty()
    }

    /// Whether acknowledged writes are missing, or the pool is damaged.
    pub fn damaged(&self) -> bool {
        self.lossy()
            || self.unusable.is_some()
            || self.errors.is_some()
            || !self.faults.is_empty()
            || self.opened == Opened::Rewound
    }

    /// A line that describes its damage.
    pub fn line(&self, written: Written) -> String {
        let mut line = format!("  state {}, after {:.3} s of writing", self.seed, self.at_s);
        for fault in &self.drive_faults {
            let _ = write!(line, ", {fault}");
        }
        line.push_str(": ");
        if let Some(why) = &self.unusable {
            let _ = write!(line, "its data cannot be used: {}", why.trim());
            if !self.lossy() {
                return line;
            }
            line.push_str("; before that ");
        }
        let State { lost, acknowledged, corrupt, .. } = self;
        let what = written.name();
        let _ =
            write!(line, "{lost} of {acknowledged} acknowledged {what} lost, {corrupt} corrupt");
        if let Some(seconds) = self.lost_s {
            let _ = write!(line, ", the last {} of work", duration(seconds));
        }
        for fault in &self.faults {
            let _ = write!(line, "; {fault}");
        }
        if self.opened == Opened::Rewound {
            line.push_str("; imported only by zpool import -F");
        }
        if let Some(errors) = &self.errors {
            let _ = write!(line, "; {errors}");
        }
        line
    }
}

/// The states of a run.
struct States<'a>(Vec<&'a State>);

impl States<'_> {
    fn count(&self, is: impl Fn(&State) -> bool) -> usize {
        self.0.iter().filter(|state| is(state)).count()
    }

    /// How many there are of which recovery read different contents. A machine that died counts as another one.
    fn different(&self) -> usize {
        let read = || self.0.iter().map(|state| &state.contents_read);
        read().flatten().collect::<BTreeSet<_>>().len()
            + read().filter(|read| read.is_none()).count()
    }

    fn sum(&self, of: impl Fn(&State) -> u64) -> u64 {
        self.0.iter().map(|state| of(state)).sum()
    }

    /// The acknowledged writes that were looked for.
    fn acknowledged(&self) -> u64 {
        self.sum(|state| if state.checked() { state.acknowledged } else { 0 })
    }

    /// The shortest and the longest of some times.
    fn range(&self, of: impl Fn(&State) -> Option<f64>) -> Option<(f64, f64)> {
        let times = || self.0.iter().filter_map(|state| of(state));
        times().reduce(f64::min).zip(times().reduce(f64::max))
    }
}

impl Report {
    fn states(&self, synchronous: bool) -> States<'_> {
        let runs = self.runs.iter().filter(|run| run.synchronous == synchronous);
        States(runs.flat_map(|run| &run.states).collect())
    }

    /// Whether writes were acknowledged and none lost, and the control lost some. A state of the control whose pool
    /// or file system could not be opened does not count. None of the others may be unchecked.
    pub fn sound(&self) -> bool {
        let with = self.states(true);
        with.acknowledged() > 0
            && with.count(State::damaged) == 0
            && self.states(false).count(State::detected) > 0
            && self.hung().all(|run| !run.synchronous)
    }

    /// Whether nothing was lost, and it is not known whether something is, because states were not checked.
    pub fn unfinished(&self) -> bool {
        let damaged = self.states(true).count(State::damaged);
        !self.sound() && damaged == 0 && self.hung().next().is_some()
    }

    /// Runs with states that were not checked.
    fn hung(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| !run.hung.is_empty())
    }

    pub fn text(&self) -> String {
        let mut text = format!(
            "{} · variant {} · {} s of writing · seed {}\n",
            self.lab, self.variant, self.seconds, self.seed
        );
        match self.server_crash {
            true => text.push_str("the server was killed; the operating system went on\n"),
            false => self.add_expected(&mut text),
        }
        for fault in &self.drive_faults {
            let _ = writeln!(text, "drive fault: {fault}");
        }
        if self.scheduled_faults {
            text.push_str(
                "drive faults: in each state one or two that the pool's redundancy covers\n",
            );
        }
        for run in &self.runs {
            self.add_run(&mut text, run);
        }
        text.push_str(&self.verdict());
        let hung: usize = self.hung().map(|run| run.hung.len()).sum();
        if hung > 0 {
            let _ = writeln!(
                text,
                "Not checked: {hung} states, whose machines took too long in real time. The same command tries them again; \
                 use fewer --jobs where this host was busy. For one that never ends, see what it does with --replay SEED."
            );
        }
        text
    }

    /// What the settings promise in a power cut.
    fn add_expected(&self, text: &mut String) {
        let _ = writeln!(text, "expected from the settings: {}", self.by_settings.durability);
        for reason in &self.by_settings.reasons {
            let _ = writeln!(text, "  {}: {}", reason.setting, reason.why);
        }
        if !self.by_settings.reasons.is_empty() {
            let limit = lab::units::about(self.dirty_data_max);
            let _ = writeln!(text, "  dirty-data limit in the model: {limit}");
        }
    }

    fn add_run(&self, text: &mut String, run: &Run) {
        let states = self.states(run.synchronous);
        let (name, written) = (self.written.run(run.synchronous), self.written.name());
        let _ = writeln!(
            text,
            "{name:<18} {} crash states · {} acknowledged {written} checked: {} lost, {} corrupt",
            states.0.len(),
            states.acknowledged(),
            states.sum(|s| s.lost),
            states.sum(|s| s.corrupt)
        );
        let indent = " ".repeat(19);
        let different = states.different();
        if different < states.0.len() {
            let _ = writeln!(
                text,
                "{indent}recovery read different contents in {different} of them; the others are like one of these"
            );
        }
        let (dropped, unflushed) = (states.sum(|s| s.dropped), states.sum(|s| s.unflushed));
        let drives = format!("drives lost {dropped} of {unflushed} unflushed writes");
        let open = if self.zfs { "import" } else { "mount" };
        let opened = states.range(|s| s.opened_s);
        let took = [(open, opened), ("database recovery", states.range(|s| s.recovery_s))];
        let took = took.into_iter().filter_map(|(what, took)| {
            took.map(|(least, most)| format!("{what} took {least:.1} to {most:.1} s"))
        });
        let all: Vec<String> =
            (!self.server_crash).then_some(drives).into_iter().chain(took).collect();
        if !all.is_empty() {
            let _ = writeln!(text, "{indent}{}", all.join(" · "));
        }
        if let Some((_, seconds)) = states.range(|s| s.lost_s) {
            let lossy = states.count(State::lossy);
            let _ = writeln!(
                text,
                "{indent}up to the last {} of work lost, in {lossy} states",
                duration(seconds)
            );
        }
        let unchecked = states.count(|s| !s.checked());
        if unchecked > 0 {
            let _ = writeln!(
                text,
                "{indent}states whose data could not be read: {unchecked}; their acknowledged {written} were not checked"
            );
        }
        for (opened, how) in [
            (Opened::WithoutLog, "pools could only be imported without the log (zpool import -m)"),
            (Opened::Forced, "arrays could only be assembled with mdadm --assemble --force"),
        ] {
            let count = states.count(|s| s.opened == opened);
            if count > 0 {
                let _ = writeln!(text, "{indent}{count} of the {how}");
            }
        }
        for problem in &run.problems {
            let _ = writeln!(text, "{indent}{problem}");
        }
        for hung in &run.hung {
            let _ = writeln!(text, "{indent}not checked: {hung}");
        }
        // The control is expected to lose writes.
        for state in run.states.iter().filter(|s| run.synchronous && s.damaged()) {
            let _ = writeln!(text, "{}", state.line(self.written));
        }
    }

    fn verdict(&self) -> String {
        let (with, control) = (self.states(true), self.states(false));
        let (states, controls) = (with.0.len(), control.0.len());
        let events = if self.server_crash { "crashes" } else { "cuts" };
        let evidence = if self.server_crash {
            "The operating system kept what the server had written."
        } else if with.sum(|s| s.dropped) > 0 {
            "The drives lost unflushed writes in these states, so the flushes protected the \
             acknowledged ones."
        } else {
            "No drive lost a write in these states, so they show only that the data on the drives \
             is recovered."
        };
        let other = self.written.control();
        match (with.count(State::damaged), control.count(State::detected)) {
            (0, _) if states == 0 => "No crash state was checked.\n".to_owned(),
            (0, _) if with.acknowledged() == 0 => format!(
                "No write was acknowledged before the {events}, so this proves nothing: write for longer (--seconds).\n"
            ),
            (0, 0) => format!(
                "Nothing was lost, but the control, {other}, lost nothing either, \
                               so this proves nothing: write for longer (--seconds), or use more \
                               states (--states).\n"
            ),
            (0, detected) => format!(
                "Every acknowledged write survived. {evidence} The control, {other}, lost some in {detected} of {controls} states, so the check can fail.\n{}\n",
                confidence(states, events)
            ),
            (bad, _) => format!(
                "In {bad} of {states} states acknowledged writes were lost or unreadable, or the data \
                 was damaged. Run the same command with --state SEED instead of --states \
                 to repeat one of them.\n"
            ),
        }
    }
}

/// Lost work, s: the last transactions of a server take less than a millisecond.
fn duration(seconds: f64) -> String {
    let decimals = if seconds < 0.01 { 6 } else { 3 };
    format!("{seconds:.decimals$} s")
}

/// The bound that no loss in this number of cuts or crashes gives: with a larger share of losing states, at least one
/// of them would have lost something with 95 % probability (rule of three).
fn confidence(states: usize, events: &str) -> String {
    let share = 3.0 / states.max(1) as f64;
    // Two significant digits of a small one.
    let decimals = if share < 0.001 { 3 } else { 2 };
    match share < 1.0 {
        true => format!(
            "No loss in {states} states: at most 3/{states} = {:.decimals$} % of all such {events} lose something (95 % confidence).",
            100.0 * share
        ),
        false => format!(
            "{states} states are too few for a bound on the share of {events} that lose something."
        ),
    }
}

#[cfg(test)]
mod tests;
