//! `auto` for the dilation k: short trials of the cells, and the smallest k at which the model can
//! keep its time.

use findings::record::Measured;
use lab::campaign::Workload;

/// Largest share of an operation's mean latency that may be emulation lateness.
pub const LATE_SHARE: f64 = 0.02;
/// Largest share of this machine's processors that a trial may use.
pub const CPU_SHARE: f64 = 0.5;
/// Share of each limit that the search aims at. A pilot is a few seconds of one seed, and trials
/// of the demo differed by a fifth in their lateness: aimed at the limit itself, one of four was
/// 2.1 % late and lost.
pub const AIM: f64 = 0.75;
/// The largest k that is worth its wall time.
pub const MOST: f64 = 50.0;
/// Where the search begins. Two cores serve most pools of disks there.
pub const FIRST: f64 = 4.0;
/// Virtual seconds that a pilot trial measures.
pub const WINDOW_S: f64 = 3.0;
/// Most virtual seconds before that.
pub const RAMP_S: f64 = 2.0;

/// What a pilot trial says about k.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Reading {
    /// Dilation it ran at.
    pub time: f64,
    /// Its share of this machine's processors.
    pub cpu_share: f64,
    /// Its lateness as a share of its mean latency.
    pub late_share: f64,
    /// Share of its clients' time that a slower clock makes longer, 0 to 1 ([`findings::waits`]).
    pub waits: f64,
    /// It wrote, and may not have met the write throttle yet.
    pub writes: bool,
}

impl Reading {
    /// Of a measured trial.
    pub fn of(measured: &Measured, workload: &Workload, time: f64) -> Reading {
        Reading {
            time,
            cpu_share: measured.fidelity.cpu_share,
            late_share: measured.late_share(),
            waits: findings::waits(measured, findings::is_paced(workload)),
            writes: measured.write.ops > 0,
        }
    }

    /// Whether the model kept its time.
    pub fn holds(&self) -> bool {
        self.cpu_share <= CPU_SHARE && self.late_share <= LATE_SHARE
    }

    /// The k at which it would with room to spare ([`AIM`]), at most [`MOST`]; none where its clients wait for
    /// this machine's processors at any k that is worth its wall time, since memory answers them. Writers
    /// that memory takes everything from wait for drives once it is full, so that one look asks for no more than
    /// twice what a fixed load would need.
    pub fn wants(&self) -> Option<f64> {
        let cpu = self.cpu_share / CPU_SHARE;
        if cpu > 1.0 && !self.writes && self.slowed(cpu) > MOST {
            return None;
        }
        let excess = cpu.max(self.late_share / LATE_SHARE) / AIM;
        let fixed = self.time * excess;
        let time = match self.slowed(excess) {
            _ if excess <= 1.0 => fixed,
            slowed if self.writes => slowed.min(2.0 * fixed),
            slowed => slowed,
        };
        Some(time.clamp(1.0, MOST))
    }

    fn slowed(&self, excess: f64) -> f64 {
        findings::slowed_enough(self.time, excess, self.waits).unwrap_or(f64::INFINITY)
    }
}

/// k as it is written in reports: whole above 2, in halves below.
pub fn rounded(time: f64) -> f64 {
    if time > 2.0 {
        time.ceil().min(MOST)
    } else {
        ((time * 2.0).ceil() / 2.0).max(1.0)
    }
}

/// The k that serves every one of `cells` cells that any k serves, by the latest readings. Where there was no
/// time for some of them, or they failed, nothing is known of those, and k does not fall below where the search
/// began: a pool with a log, or one that reads from memory, wants several times what its neighbour does.
pub fn choose(readings: &[Reading], cells: usize) -> f64 {
    let wanted: Vec<f64> = readings.iter().filter_map(Reading::wants).collect();
    let known = readings.len() >= cells && !wanted.is_empty();
    let least = if known { 1.0 } else { FIRST };
    rounded(wanted.into_iter().fold(least, f64::max))
}

/// Why k is what it is, in a few words.
pub fn why(readings: &[Reading], cells: usize) -> String {
    let read = readings.len();
    let served = readings.iter().filter(|r| r.wants().is_some()).count();
    let mut why = match (read, served) {
        (0, _) => "no short trial ran to its end".to_owned(),
        (_, 0) => "no k serves".to_owned(),
        (1, _) if cells == 1 => "the smallest that serves the cell".to_owned(),
        _ if served == cells => format!("the smallest that serves {cells} cells"),
        _ if read == cells => format!("the smallest that serves {served} of {cells} cells"),
        _ => format!(
            "it serves {served} of {cells} cells; of {} no short trial ran to its end, so not below {FIRST}",
            cells - read
        ),
    };
    if served < read {
        why.push_str(&format!(
            "; in {} this machine's processors are busy at any k: give those fewer clients",
            read - served
        ));
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of clients that wait for drives half of their time.
    fn reading(time: f64, cpu_share: f64, late_share: f64) -> Reading {
        Reading {
            time,
            cpu_share,
            late_share,
            waits: 0.5,
            writes: false,
        }
    }

    #[test]
    fn the_cell_that_needs_most_decides() {
        let hard = reading(4.0, 0.6, 0.01);
        // 4 × (0.6/0.5/0.75 − 1 + 0.5) / 0.5 = 8.8
        assert_eq!(choose(&[reading(4.0, 0.1, 0.001), hard], 2), 9.0);
        // A fixed load: 4 × 0.6/0.5/0.75 = 6.4
        let fixed = Reading { waits: 1.0, ..hard };
        assert_eq!(choose(&[reading(4.0, 0.1, 0.001), fixed], 2), 7.0);
    }

    #[test]
    fn clients_that_memory_answers_do_not_slow_the_others_down() {
        // Four readers of 1 GiB on raidz1, at k = 20; the same pool's writers at 4.
        let cached = Reading {
            waits: 0.02,
            ..reading(20.0, 0.936, 2e-6)
        };
        let written = reading(4.0, 0.497, 2e-6);
        assert_eq!(cached.wants(), None);
        assert_eq!(choose(&[written, cached], 2), 7.0); // 4 × (0.497/0.5/0.75 − 0.5) / 0.5 = 6.6
        assert_eq!(
            why(&[written, cached], 2),
            "the smallest that serves 1 of 2 cells; in 1 this machine's processors are busy at any k: give \
             those fewer clients"
        );
        // Where no k serves anything, a small one is at least soon done.
        assert_eq!(choose(&[cached], 1), FIRST);
        assert!(why(&[cached], 1).starts_with("no k serves; in 1 "));
    }

    #[test]
    fn what_memory_takes_of_writers_is_not_taken_for_their_rate() {
        let burst = Reading {
            waits: 0.0,
            writes: true,
            ..reading(4.0, 0.95, 0.0)
        };
        assert_eq!(choose(&[burst], 1), 21.0); // 4 × 0.95/0.5/0.75 × 2 = 20.3
        let throttled = Reading {
            waits: 0.9,
            ..burst
        };
        assert_eq!(choose(&[throttled], 1), 11.0); // 4 × (2.53 − 1 + 0.9) / 0.9 = 10.8
    }

    #[test]
    fn lateness_alone_can_ask_for_more() {
        // 4 × (2/0.75 − 1 + 0.5) / 0.5 = 17.3
        assert_eq!(choose(&[reading(4.0, 0.1, 0.04)], 1), 18.0);
    }

    #[test]
    fn a_cell_that_has_room_lets_k_fall_but_never_below_real_time() {
        assert_eq!(choose(&[reading(4.0, 0.1875, 0.0)], 1), 2.0); // 4 × 0.1875/0.5/0.75
        assert_eq!(choose(&[reading(4.0, 0.01, 0.0)], 1), 1.0);
    }

    #[test]
    fn of_cells_that_were_not_tried_nothing_is_concluded() {
        let roomy = reading(4.0, 0.01, 0.0);
        assert_eq!(choose(&[roomy], 4), FIRST);
        assert_eq!(choose(&[roomy; 4], 4), 1.0);
        assert_eq!(choose(&[reading(4.0, 0.6, 0.01)], 4), 9.0);
        assert!(why(&[roomy], 4).contains("serves 1 of 4 cells; of 3 no short trial"));
        assert!(why(&[roomy; 4], 4).contains("serves 4 cells"));
    }

    #[test]
    fn no_k_is_beyond_the_cap() {
        assert_eq!(choose(&[reading(4.0, 0.5, 9.0)], 1), MOST);
    }
}
