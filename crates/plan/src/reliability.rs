//! How often data is lost: a birth-and-death chain of failed drives for each group, with a rate
//! of failure that grows after the first, and unrecoverable reads where no redundancy is left.
//!
//! The chain is the textbook's (Patterson, Gibson, Katz 1988; Angus 1988 for more than one
//! parity), solved exactly and not by its usual approximation for fast repair. Failures are not
//! independent: in the field the chance of two replacements in a cluster within ten hours was
//! twice, within one hour four times what independence gives (Schroeder and Gibson, FAST 2007).
//! The answer ranks layouts and shows orders of magnitude. It knows nothing of firmware, fire,
//! people or backups.

use crate::layout::Layout;
use crate::rebuild::Rebuild;
use serde::{Deserialize, Serialize};

/// Hours of a year.
pub const YEAR_H: f64 = 8766.0;

/// Assumptions about failures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Assumptions {
    /// How many times likelier a drive fails while another of its group is failed.
    pub correlation: f64,
}

impl Default for Assumptions {
    /// Twice, as within ten hours in Schroeder and Gibson.
    fn default() -> Assumptions {
        Assumptions { correlation: 2.0 }
    }
}

/// How often data is lost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// Mean time until more drives of a group have failed than it survives, years.
    pub mttdl_y: f64,
    /// Chance of that within a year.
    pub loss_year: f64,
    /// Chance within a year that a rebuild without redundancy meets an unreadable sector: ZFS
    /// loses the blocks that hold it, a RAID without checksums may give up the array.
    pub read_error_year: f64,
}

/// Rates of one kind of group, for adding up over a pool.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rates {
    /// Losses by failed drives a year.
    pub failure: f64,
    /// Losses by unreadable sectors a year.
    pub read_error: f64,
}

impl Rates {
    /// The sum over two parts of a pool.
    pub fn and(self, other: Rates) -> Rates {
        Rates {
            failure: self.failure + other.failure,
            read_error: self.read_error + other.read_error,
        }
    }

    /// The reliability of a pool with these rates.
    pub fn reliability(self) -> Reliability {
        Reliability {
            mttdl_y: 1.0 / self.failure.max(1e-300),
            loss_year: -(-self.failure).exp_m1(),
            read_error_year: -(-self.read_error).exp_m1(),
        }
    }
}

/// Rates of all groups of a layout of drives that fail with chance `afr` a year and misread with
/// chance `ure` a bit.
pub fn rates(
    layout: &Layout,
    afr: f64,
    ure: f64,
    rebuild: Option<&Rebuild>,
    assumptions: &Assumptions,
) -> Rates {
    let rate = -(-afr).ln_1p() / YEAR_H;
    let width = f64::from(layout.width);
    let groups = f64::from(layout.groups);
    let Some(rebuild) = rebuild.filter(|_| layout.tolerance() > 0) else {
        return Rates { failure: groups * width * rate * YEAR_H, read_error: 0.0 };
    };
    let repair = 1.0 / rebuild.exposed_h().max(1e-6);
    // Mean hours from i failed drives to i + 1 for the first time, i counting up; repairs go on
    // one after another.
    let mut step = 0.0;
    let mut hours = 0.0;
    let mut to_critical = f64::INFINITY;
    for failed in 0..=layout.tolerance() {
        let correlation = if failed == 0 { 1.0 } else { assumptions.correlation };
        let up = (width - f64::from(failed)) * rate * correlation;
        let down = if failed == 0 { 0.0 } else { repair };
        step = 1.0 / up + down / up * step;
        if failed == layout.tolerance() {
            to_critical = hours;
        }
        hours += step;
    }
    // A rebuild without redundancy reads this much; a chance of one error in it.
    let seconds = rebuild.hours * 3600.0;
    // A pool without data is rebuilt at once.
    let bits = if seconds > 0.0 { rebuild.read_rate * seconds * 8.0 } else { 0.0 };
    let misread = -(bits * (-ure).ln_1p()).exp_m1();
    Rates { failure: groups * YEAR_H / hours, read_error: groups * YEAR_H / to_critical * misread }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Scheme;
    use zfs::Layout::{Raidz, Single};

    fn rebuild(hours: f64) -> Rebuild {
        Rebuild { bytes: 0.0, hours, wait_h: 0.0, read_rate: 1e8 }
    }

    fn group(parity: u32, width: u32) -> Layout {
        Layout { scheme: Scheme::Zfs(Raidz { parity }), groups: 1, width, spares: 0 }
    }

    #[test]
    fn a_pool_without_data_loses_none_to_read_errors() {
        let empty = Rebuild { bytes: 0.0, hours: 0.0, wait_h: 0.0, read_rate: f64::INFINITY };
        let rates = rates(&group(1, 4), 0.01, 1e-15, Some(&empty), &Assumptions::default());
        assert_eq!(rates.read_error, 0.0);
        assert!(rates.failure.is_finite());
    }

    /// The usual approximations for repair much faster than failure: MTTF²/(n(n−1)MTTR) and
    /// MTTF³/(n(n−1)(n−2)MTTR²).
    #[test]
    fn the_chain_meets_the_textbook_approximations() {
        let independent = Assumptions { correlation: 1.0 };
        let mttf: f64 = 1e6;
        let afr = -(-YEAR_H / mttf).exp_m1();
        for n in [4u32, 8, 12] {
            let w = f64::from(n);
            let one = rates(&group(1, n), afr, 0.0, Some(&rebuild(10.0)), &independent);
            let book = mttf * mttf / (w * (w - 1.0) * 10.0) / YEAR_H;
            let mttdl = one.reliability().mttdl_y;
            assert!((mttdl / book - 1.0).abs() < 0.01, "{mttdl} {book}");
            let two = rates(&group(2, n), afr, 0.0, Some(&rebuild(10.0)), &independent);
            let book = mttf.powi(3) / (w * (w - 1.0) * (w - 2.0) * 100.0) / YEAR_H;
            let mttdl = two.reliability().mttdl_y;
            assert!((mttdl / book - 1.0).abs() < 0.01, "{mttdl} {book}");
        }
    }

    #[test]
    fn without_redundancy_the_first_failure_loses() {
        let stripe = Layout { scheme: Scheme::Zfs(Single), groups: 30, width: 1, spares: 0 };
        let loss =
            rates(&stripe, 0.014, 1e-15, None, &Assumptions::default()).reliability().loss_year;
        assert!((loss - (1.0 - 0.986f64.powi(30))).abs() < 1e-9);
    }

    #[test]
    fn a_slower_rebuild_and_correlated_failures_cost_reliability() {
        let rate = |hours: f64, correlation: f64| {
            let assumptions = Assumptions { correlation };
            rates(&group(2, 10), 0.014, 0.0, Some(&rebuild(hours)), &assumptions).failure
        };
        assert!(rate(48.0, 1.0) > 3.9 * rate(24.0, 1.0));
        assert!(rate(24.0, 2.0) > 3.9 * rate(24.0, 1.0));
    }
}
