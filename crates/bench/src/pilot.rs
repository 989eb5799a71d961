//! `auto` for the dilation k: short trials of the cells, and the smallest k at which the model can
//! keep its time.

use findings::record::Measured;

/// Largest share of an operation's mean latency that may be emulation lateness.
pub const LATE_SHARE: f64 = 0.02;
/// Largest share of this machine's processors that a trial may use.
pub const CPU_SHARE: f64 = 0.5;
/// Share of each limit that the search aims at. A pilot is a few seconds of one seed, and trials
/// of the demo differed by a fifth in their lateness: aimed at the limit itself, one of four was
/// 2.1 % late and lost.
pub const AIM: f64 = 0.75;
/// Share of the processors above which clients waited for them, so that a reading says what they let
/// through and not what the clients would offer: of two cells that took 87 % and 80 % at k = 4 both still took
/// 80 % at k = 12, and wanted 20 and 31.
pub const FULL: f64 = 0.75;
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
}

impl Reading {
    /// Of a measured trial.
    pub fn of(measured: &Measured, time: f64) -> Reading {
        Reading {
            time,
            cpu_share: measured.fidelity.cpu_share,
            late_share: measured.late_share(),
        }
    }

    /// Whether the model kept its time.
    pub fn holds(&self) -> bool {
        self.cpu_share <= CPU_SHARE && self.late_share <= LATE_SHARE
    }

    /// The k at which it would with room to spare ([`AIM`]): processor time and lateness are
    /// real, so both shares fall with 1/k as long as the offered load in virtual time stays the
    /// same. A tenth is added because the load grows a little when the processor no longer holds
    /// it back, and much more where it was [`FULL`].
    pub fn wants(&self) -> f64 {
        let factor = (self.cpu_share / CPU_SHARE).max(self.late_share / LATE_SHARE) / AIM;
        let margin = if self.cpu_share >= FULL {
            2.0
        } else if factor > 1.0 {
            1.1
        } else {
            1.0
        };
        (self.time * factor * margin).clamp(1.0, MOST)
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

/// The k that serves every one of `cells` cells, by the latest readings. Where there was no time for some of
/// them, or they failed, nothing is known of those, and k does not fall below where the search began: a pool with a log, or
/// one that reads from memory, wants several times what its neighbour does.
pub fn choose(readings: &[Reading], cells: usize) -> f64 {
    let least = if readings.len() < cells { FIRST } else { 1.0 };
    rounded(readings.iter().map(Reading::wants).fold(least, f64::max))
}

/// Why k is what it is, in a few words.
pub fn why(read: usize, cells: usize) -> String {
    match read {
        0 => "no short trial ran to its end".to_owned(),
        1 if cells == 1 => "the smallest that serves the cell".to_owned(),
        read if read == cells => format!("the smallest that serves {cells} cells"),
        read => format!(
            "it serves {read} of {cells} cells; of the others no short trial ran to its end, so not below {FIRST}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(time: f64, cpu_share: f64, late_share: f64) -> Reading {
        Reading {
            time,
            cpu_share,
            late_share,
        }
    }

    #[test]
    fn the_cell_that_needs_most_decides() {
        let k = choose(&[reading(4.0, 0.1, 0.001), reading(4.0, 0.9, 0.01)], 2);
        assert_eq!(k, 20.0); // 4 × 0.9/0.5/0.75 × 2 = 19.2
        let k = choose(&[reading(4.0, 0.1, 0.001), reading(4.0, 0.7, 0.01)], 2);
        assert_eq!(k, 9.0); // 4 × 0.7/0.5/0.75 × 1.1 = 8.2
    }

    #[test]
    fn lateness_alone_can_ask_for_more() {
        assert_eq!(choose(&[reading(4.0, 0.1, 0.04)], 1), 12.0); // 4 × 2/0.75 × 1.1 = 11.7
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
        assert_eq!(choose(&[reading(4.0, 0.7, 0.01)], 4), 9.0);
        assert!(why(1, 4).contains("1 of 4 cells"));
        assert!(why(4, 4).contains("serves 4 cells"));
    }

    #[test]
    fn no_k_is_beyond_the_cap() {
        assert_eq!(choose(&[reading(4.0, 1.0, 9.0)], 1), MOST);
    }
}
