//! What the kills gave, and what it is worth as evidence.

use serde::Serialize;
use std::fmt::Write as _;

/// Everything that was done and found.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The variant.
    pub variant: String,
    /// How many times slower the model's time ran.
    pub time: f64,
    /// What else went wrong, in words.
    pub mishaps: Vec<String>,
    /// Each kill; those without fdatasync are the negative control.
    pub kills: Vec<Kill>,
}

/// What one kill and its crash states gave.
#[derive(Debug, Serialize)]
pub struct Kill {
    /// Seed of its writes and of its first crash state.
    pub seed: u64,
    /// Writes were followed by fdatasync.
    pub synchronous: bool,
    /// Writes acknowledged before the kill.
    pub acknowledged: u64,
    /// One for each crash state.
    pub states: Vec<State>,
}

/// One crash state.
#[derive(Debug, Serialize)]
pub struct State {
    /// What decided which unflushed writes survive.
    pub seed: u64,
    /// Writes that no flush had covered, over all drives.
    pub unflushed: u64,
    /// Of them, those lost whole or in part.
    pub dropped: u64,
    /// Blocks that went bad unnoticed.
    pub rotten: u64,
    /// Records replayed from the intent log.
    pub replayed: u64,
    /// Acknowledged blocks that are gone.
    pub lost: u64,
    /// Blocks that hold a mixture.
    pub torn: u64,
    /// Why the pool was only imported without its log, as by `zpool import -m`.
    pub refused: Option<String>,
    /// Why the pool could not be opened or read.
    pub unusable: Option<String>,
}

impl State {
    /// Acknowledged blocks are gone, and were looked for.
    fn lossy(&self) -> bool {
        self.lost + self.torn > 0
    }

    fn damaged(&self) -> bool {
        self.lossy() || self.unusable.is_some()
    }
}

/// Sums over the kills of one kind.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Sum {
    kills: u64,
    states: u64,
    damaged: u64,
    lossy: u64,
    acknowledged: u64,
    unflushed: u64,
    dropped: u64,
    replayed: u64,
    lost: u64,
    torn: u64,
    refused: u64,
}

impl Report {
    fn sum(&self, synchronous: bool) -> Sum {
        let mut sum = Sum::default();
        for kill in self.kills.iter().filter(|k| k.synchronous == synchronous) {
            sum.kills += 1;
            sum.acknowledged += kill.acknowledged;
            for state in &kill.states {
                sum.states += 1;
                sum.damaged += u64::from(state.damaged());
                sum.lossy += u64::from(state.lossy());
                sum.unflushed += state.unflushed;
                sum.dropped += state.dropped;
                sum.replayed += state.replayed;
                sum.lost += state.lost;
                sum.torn += state.torn;
                sum.refused += u64::from(state.refused.is_some());
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
        let mut text = format!("variant {} · time {}× slower\n", self.variant, self.time);
        for mishap in &self.mishaps {
            let _ = writeln!(text, "besides the cut: {mishap}");
        }
        for synchronous in [true, false] {
            let s = self.sum(synchronous);
            let _ = writeln!(
                text,
                "{:<18} {} kills, {} writes acknowledged · {} crash states: of {} writes that no flush had covered {} were dropped, {} log records replayed · {} acknowledged blocks lost, {} torn",
                if synchronous {
                    "with fdatasync"
                } else {
                    "without (control)"
                },
                s.kills,
                s.acknowledged,
                s.states,
                s.unflushed,
                s.dropped,
                s.replayed,
                s.lost,
                s.torn,
            );
            if s.refused > 0 {
                let _ = writeln!(
                    text,
                    "                   {} of the states could only be imported without the log (zpool import -m)",
                    s.refused
                );
            }
        }
        let states = self.kills.iter().flat_map(|k| &k.states);
        for state in states {
            if let Some(why) = &state.unusable {
                let _ = writeln!(text, "  state {}: {why}", state.seed);
            }
        }
        text.push_str(&self.verdict());
        text
    }

    fn verdict(&self) -> String {
        let (with, control) = (self.sum(true), self.sum(false));
        let evidence = if with.dropped > 0 {
            "The drives dropped writes in these states, so it was the flushes that kept the rest."
        } else {
            "No drive had anything to drop in these states: every cache here survives a power cut, and what is shown is that OpenZFS's log brings back what the drives hold."
        };
        match (with.damaged, control.lossy) {
            (0, _) if with.acknowledged == 0 => "No write was acknowledged before the kills: write for longer (--seconds); this proves nothing.\n".to_owned(),
            (0, 0) => "Nothing was lost, but neither was without fdatasync: write for longer (--seconds); this proves nothing.\n".to_owned(),
            (0, lost) => format!(
                "Every acknowledged write survived. {evidence} Without fdatasync {lost} of {} states lost some, so the check can fail.\n",
                control.states
            ),
            (bad, _) => format!(
                "Acknowledged writes were lost or out of reach in {bad} of {} states: this configuration does not keep its promise.\n",
                with.states
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kill(synchronous: bool, lost: u64, dropped: u64) -> Kill {
        Kill {
            seed: 1,
            synchronous,
            acknowledged: 100,
            states: vec![State {
                seed: 1,
                unflushed: 9,
                dropped,
                rotten: 0,
                replayed: 4,
                lost,
                torn: 0,
                refused: None,
                unusable: None,
            }],
        }
    }

    fn report(kills: Vec<Kill>) -> Report {
        Report {
            variant: "base".to_owned(),
            time: 8.0,
            mishaps: Vec::new(),
            kills,
        }
    }

    #[test]
    fn a_check_that_could_not_fail_is_no_evidence() {
        let fine = report(vec![kill(true, 0, 5), kill(false, 3, 5)]);
        assert!(fine.sound());
        assert!(
            fine.text()
                .contains("it was the flushes that kept the rest")
        );
        let mut unread = report(vec![kill(true, 0, 5), kill(false, 0, 5)]);
        unread.kills[1].states[0].unusable = Some("no engine".to_owned());
        assert!(!unread.sound(), "a control that was not looked at");
        let mut idle = report(vec![kill(true, 0, 5), kill(false, 3, 5)]);
        idle.kills[0].acknowledged = 0;
        assert!(!idle.sound());
        assert!(idle.text().contains("No write was acknowledged"));
        let proves_nothing = report(vec![kill(true, 0, 5), kill(false, 0, 5)]);
        assert!(!proves_nothing.sound());
        assert!(proves_nothing.text().contains("this proves nothing"));
        let broken = report(vec![kill(true, 2, 5), kill(false, 3, 5)]);
        assert!(!broken.sound());
        assert!(broken.text().contains("out of reach in 1 of 1 states"));
        let protected = report(vec![kill(true, 0, 0), kill(false, 3, 5)]);
        assert!(protected.text().contains("No drive had anything to drop"));
    }
}
