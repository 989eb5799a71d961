//! The tests of pg_test_fsync over the trials of a cell.

use super::phases;
use crate::CONFIDENCE;
use crate::schema::SyncRate;
use measurement::{Measured, SyncTest};

/// Each test that some trial carried out, in the program's order.
pub fn rates(trials: &[&Measured]) -> Vec<SyncRate> {
    let rate = |test: &SyncTest| {
        let rates: Vec<f64> = trials.iter().filter_map(|m| m.sync_tests.get(test)).collect();
        let rate = phases::estimate(&rates, None, 1.0 - CONFIDENCE)?;
        Some(SyncRate { test: *test, rate, mean_us: 1e6 / rate.value })
    };
    SyncTest::NAMED.iter().filter_map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Basis;

    #[test]
    fn rates_of_trials_are_one_with_an_interval_and_what_none_has_is_left_out() {
        let trial = |rate| Measured {
            sync_tests: [(SyncTest::Unsynced, 10.0 * rate), (SyncTest::OneFsync, rate)].into(),
            ..Measured::default()
        };
        let (a, b) = (trial(90.0), trial(110.0));
        let rates = rates(&[&a, &b]);
        let tests: Vec<SyncTest> = rates.iter().map(|rate| rate.test).collect();
        assert_eq!(tests, [SyncTest::OneFsync, SyncTest::Unsynced]);
        assert_eq!(rates[0].rate.basis, Basis::Trials);
        assert!(rates[0].rate.low < rates[0].rate.value && rates[0].rate.value < 110.0);
        assert!((rates[0].mean_us * rates[0].rate.value - 1e6).abs() < 1e-6);
        assert!(super::rates(&[&Measured::default()]).is_empty());
    }
}
