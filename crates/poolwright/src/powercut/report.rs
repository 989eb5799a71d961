//! What the crash states show, and what it is worth as evidence.

use super::recovery::{Import, Recovered};
use serde::Serialize;
use std::fmt::Write as _;

/// Everything that was done and found.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The lab.
    pub lab: String,
    /// The variant.
    pub variant: String,
    /// Seed of the machine and of the first crash state.
    pub seed: u64,
    /// Virtual seconds of writing.
    pub seconds: u64,
    /// What else went wrong, in words.
    pub mishaps: Vec<String>,
    /// With fdatasync, and without it as the negative control.
    pub runs: Vec<Run>,
}

/// One machine that was written to, and its crash states.
#[derive(Debug, Serialize)]
pub struct Run {
    /// Writes were followed by fdatasync.
    pub synchronous: bool,
    /// Why writers stopped early.
    pub problems: Vec<String>,
    /// The crash states.
    pub states: Vec<State>,
}

/// One crash state.
#[derive(Debug, Default, Serialize)]
pub struct State {
    /// What the moment and the fate of unflushed writes follow from.
    pub seed: u64,
    /// When the power was cut, virtual seconds since the writing began.
    pub at_s: f64,
    /// Blocks that had been acknowledged by then.
    pub acknowledged: u64,
    /// Writes to drives that were not on their media for certain.
    pub unflushed: u64,
    /// Of them, those that were lost whole or in part.
    pub dropped: u64,
    /// Blocks of drives that went bad unnoticed.
    pub rotten: u64,
    /// Acknowledged blocks that are gone.
    pub lost: u64,
    /// Blocks that are there in part, or hold what was never written there.
    pub corrupt: u64,
    /// How the pool was imported.
    pub import: Import,
    /// Virtual seconds of the import, replay of the intent log included; none where there was none.
    pub import_s: Option<f64>,
    /// Errors that a scrub found, in the words of `zpool status`.
    pub errors: Option<String>,
    /// Why the pool could not be used.
    pub unusable: Option<String>,
}

impl State {
    /// Adds what the machine after the cut found.
    pub fn add(&mut self, found: Recovered) {
        self.lost = found.damage.lost;
        self.corrupt = found.damage.corrupt;
        self.import = found.import;
        self.unusable = found.unusable;
        // Zero where no import succeeded.
        self.import_s = Some(found.import_s).filter(|seconds| *seconds > 0.0);
        let pools = facts::zpool_status::parse(&found.status).facts;
        let errors = pools.into_iter().filter(|pool| pool.undamaged() == Some(false));
        self.errors = errors.filter_map(|pool| pool.errors).map(|e| e.value).next();
    }

    /// Acknowledged blocks are gone, and were looked for.
    fn lossy(&self) -> bool {
        self.lost + self.corrupt > 0
    }

    /// The pool does not hold what it promised, or is not whole.
    fn damaged(&self) -> bool {
        self.lossy()
            || self.unusable.is_some()
            || self.errors.is_some()
            || self.import == Import::Rewound
    }

    /// What is wrong with it.
    fn line(&self) -> String {
        let mut line = format!("  state {}, {:.3} s into the writing: ", self.seed, self.at_s);
        if let Some(why) = &self.unusable {
            let _ = write!(line, "the pool cannot be used: {}", why.trim());
            return line;
        }
        let _ = write!(
            line,
            "{} of {} acknowledged blocks lost, {} corrupt",
            self.lost, self.acknowledged, self.corrupt
        );
        if self.import == Import::Rewound {
            line.push_str("; imported only by zpool import -F");
        }
        if let Some(errors) = &self.errors {
            let _ = write!(line, "; {errors}");
        }
        line
    }
}

/// Sums over the states of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Sum {
    states: u64,
    damaged: u64,
    lossy: u64,
    acknowledged: u64,
    unflushed: u64,
    dropped: u64,
    lost: u64,
    corrupt: u64,
    without_log: u64,
    /// Shortest and longest import.
    import_s: Option<(f64, f64)>,
}

impl Report {
    fn sum(&self, synchronous: bool) -> Sum {
        let mut sum = Sum::default();
        let runs = self.runs.iter().filter(|run| run.synchronous == synchronous);
        for state in runs.flat_map(|run| &run.states) {
            sum.states += 1;
            sum.damaged += u64::from(state.damaged());
            sum.lossy += u64::from(state.lossy());
            sum.acknowledged += state.acknowledged;
            sum.unflushed += state.unflushed;
            sum.dropped += state.dropped;
            sum.lost += state.lost;
            sum.corrupt += state.corrupt;
            sum.without_log += u64::from(state.import == Import::WithoutLog);
            if let Some(s) = state.import_s {
                let (least, most) = sum.import_s.unwrap_or((s, s));
                sum.import_s = Some((least.min(s), most.max(s)));
            }
        }
        sum
    }

    /// Something was acknowledged and nothing of it lost, and the control shows that it could have been: a
    /// state of the control that could not be looked at shows nothing.
    pub fn sound(&self) -> bool {
        let with = self.sum(true);
        with.acknowledged > 0 && with.damaged == 0 && self.sum(false).lossy > 0
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} · variant {} · {} s of writing · seed {}\n",
            self.lab, self.variant, self.seconds, self.seed
        );
        for mishap in &self.mishaps {
            let _ = writeln!(text, "besides the cut: {mishap}");
        }
        for run in &self.runs {
            let s = self.sum(run.synchronous);
            let name = match run.synchronous {
                true => "with fdatasync",
                false => "without (control)",
            };
            let _ = writeln!(
                text,
                "{name:<18} {} crash states · {} acknowledged blocks looked for: {} lost, {} corrupt",
                s.states, s.acknowledged, s.lost, s.corrupt
            );
            let indent = " ".repeat(19);
            let _ = write!(
                text,
                "{indent}drives lost {} of {} unflushed writes",
                s.dropped, s.unflushed
            );
            if let Some((least, most)) = s.import_s {
                let _ = write!(text, " · import took {least:.1} to {most:.1} s");
            }
            text.push('\n');
            if s.without_log > 0 {
                let _ = writeln!(
                    text,
                    "{indent}{} of the pools could only be imported without the log (zpool import -m)",
                    s.without_log
                );
            }
            for problem in &run.problems {
                let _ = writeln!(text, "{indent}{problem}");
            }
            // Of the control, loss is what is wanted.
            for state in run.states.iter().filter(|s| run.synchronous && s.damaged()) {
                let _ = writeln!(text, "{}", state.line());
            }
        }
        text.push_str(&self.verdict());
        text
    }

    fn verdict(&self) -> String {
        let (with, control) = (self.sum(true), self.sum(false));
        let evidence = if with.dropped > 0 {
            "The drives lost writes in these states, so it was the flushes that kept the rest."
        } else {
            "No drive lost anything in these states: what they show is that the pool recovers what its drives hold."
        };
        match (with.damaged, control.lossy) {
            (0, _) if with.acknowledged == 0 => "No write was acknowledged before the cuts, so this proves nothing: write for longer (--seconds).\n".to_owned(),
            (0, 0) => "Nothing was lost, but neither was without fdatasync, so this proves nothing: write for longer (--seconds), or make more states (--states).\n".to_owned(),
            (0, lossy) => format!(
                "Every acknowledged write survived. {evidence} Without fdatasync {lossy} of {} states lost some, so the check can fail.\n",
                control.states
            ),
            (bad, _) => format!(
                "Acknowledged writes were lost or out of reach, or the pool was damaged, in {bad} of {} states. The same command with --state SEED repeats one of them.\n",
                with.states
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(synchronous: bool, lost: u64, dropped: u64) -> Run {
        Run {
            synchronous,
            problems: Vec::new(),
            states: vec![State {
                seed: 17,
                acknowledged: 100,
                unflushed: 9,
                dropped,
                lost,
                import_s: Some(1.5),
                ..State::default()
            }],
        }
    }

    fn report(runs: [Run; 2]) -> Report {
        Report {
            lab: "demo".to_owned(),
            variant: "none".to_owned(),
            seed: 1,
            seconds: 6,
            mishaps: Vec::new(),
            runs: runs.into(),
        }
    }

    #[test]
    fn a_check_that_could_not_fail_is_no_evidence() {
        let fine = report([run(true, 0, 5), run(false, 3, 5)]);
        assert!(fine.sound());
        assert!(fine.text().contains("it was the flushes that kept the rest"));
        let mut unread = report([run(true, 0, 5), run(false, 0, 5)]);
        unread.runs[1].states[0].unusable = Some("no such pool".to_owned());
        assert!(!unread.sound(), "a control that was not looked at");
        let mut idle = report([run(true, 0, 5), run(false, 3, 5)]);
        idle.runs[0].states[0].acknowledged = 0;
        assert!(!idle.sound());
        assert!(idle.text().contains("No write was acknowledged"));
        let proves_nothing = report([run(true, 0, 5), run(false, 0, 5)]);
        assert!(!proves_nothing.sound());
        assert!(proves_nothing.text().contains("so this proves nothing"));
        let protected = report([run(true, 0, 0), run(false, 3, 5)]);
        assert!(protected.text().contains("No drive lost anything"));
    }

    #[test]
    fn a_losing_state_is_named_by_its_seed() {
        let broken = report([run(true, 2, 5), run(false, 3, 5)]);
        assert!(!broken.sound());
        let text = broken.text();
        assert!(text.contains("state 17, 0.000 s into the writing: 2 of 100"), "{text}");
        assert!(text.contains("in 1 of 1 states"), "{text}");
    }

    #[test]
    fn a_pool_that_is_only_there_at_an_earlier_time_or_has_errors_is_damaged() {
        let status = |errors: &str| {
            format!(
                "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\nerrors: {errors}\n"
            )
        };
        let found = |status: String, import| Recovered {
            import,
            import_s: 2.0,
            status,
            ..Recovered::default()
        };
        let mut state = State::default();
        state.add(found(status("No known data errors"), Import::Plain));
        assert!(!state.damaged() && state.import_s == Some(2.0));
        state.add(found(status("No known data errors"), Import::Rewound));
        assert!(state.damaged() && state.line().contains("zpool import -F"));
        state.add(found(status("3 data errors, use '-v' for a list"), Import::Plain));
        assert!(state.damaged() && state.line().contains("3 data errors"));
    }
}
