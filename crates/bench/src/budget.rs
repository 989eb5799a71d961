//! The wall time that a run may take.

use std::collections::BTreeMap;

/// Overrun, as a share of the budget, at which running trials are stopped. A run stays within 10 %; the rest
/// is for ending and for the report.
const OVER: f64 = 0.08;
/// Estimated wall seconds of a trial without measured ones: a machine's start, and the time per virtual
/// second of a busy pool. It is only reported and keeps no trial from starting.
const START_S: f64 = 5.0;
const WALL_PER_VIRTUAL_S: f64 = 2.0;

/// A rough estimate of the wall seconds of a trial with this many virtual seconds.
pub fn guess_s(virtual_s: f64) -> f64 {
    START_S + WALL_PER_VIRTUAL_S * virtual_s
}

/// A budget, and how long trials take.
#[derive(Debug, Clone)]
pub struct Budget {
    limit_s: f64,
    /// Wall seconds of trials by cell (variant, workload).
    walls: BTreeMap<(usize, usize), Vec<f64>>,
}

impl Budget {
    /// A budget of wall seconds from the run's begin.
    pub fn new(limit_s: f64) -> Budget {
        Budget { limit_s, walls: BTreeMap::new() }
    }

    /// When trials that still run are stopped, wall seconds from the run's begin.
    pub fn deadline_s(&self) -> f64 {
        self.limit_s * (1.0 + OVER)
    }

    /// Notes how long a trial of a cell took.
    pub fn record_time(&mut self, cell: (usize, usize), wall_s: f64) {
        self.walls.entry(cell).or_default().push(wall_s);
    }

    /// The mean wall seconds of a cell's trials; none where none is known.
    pub fn known_s(&self, cell: (usize, usize)) -> Option<f64> {
        self.walls.get(&cell).and_then(stats::mean)
    }

    /// How long a trial of a cell takes: the mean of those of the same cell, else of the same workload.
    /// None where there are none.
    pub fn expected_s(&self, (variant, workload): (usize, usize)) -> Option<f64> {
        self.known_s((variant, workload)).or_else(|| {
            let others = self.walls.iter().filter(|((_, w), _)| *w == workload);
            let walls: Vec<f64> = others.flat_map(|(_, walls)| walls).copied().collect();
            stats::mean(&walls)
        })
    }

    /// Whether a trial of a cell that begins now, `elapsed_s` after the run's begin, ends in time. A trial
    /// without an estimate may begin as long as any time is left.
    pub fn fits(&self, cell: (usize, usize), elapsed_s: f64) -> bool {
        elapsed_s < self.limit_s
            && self.expected_s(cell).is_none_or(|wall_s| elapsed_s + wall_s <= self.limit_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_begins_only_where_those_of_its_cell_would_end_in_time() {
        let mut budget = Budget::new(100.0);
        assert!(budget.fits((0, 0), 99.0) && !budget.fits((0, 0), 100.0));
        budget.record_time((0, 0), 20.0);
        budget.record_time((0, 0), 40.0);
        assert_eq!(budget.expected_s((0, 0)), Some(30.0));
        assert!(budget.fits((0, 0), 70.0) && !budget.fits((0, 0), 71.0));
    }

    #[test]
    fn a_new_cells_time_is_estimated_from_its_workload() {
        let mut budget = Budget::new(100.0);
        budget.record_time((0, 0), 60.0);
        assert_eq!(budget.expected_s((1, 0)), Some(60.0));
        assert_eq!(budget.expected_s((1, 1)), None);
        assert!(!budget.fits((1, 0), 50.0) && budget.fits((1, 1), 50.0));
    }

    #[test]
    fn trials_are_stopped_before_the_budget_is_exceeded_by_a_tenth() {
        let deadline = Budget::new(100.0).deadline_s();
        assert!((100.0..110.0).contains(&deadline), "{deadline}");
    }
}
