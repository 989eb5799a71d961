//! What is in the tables of a recovered database, and its check against the acknowledged transactions.

use crate::powercut::kept::Kept;
use serde::{Deserialize, Serialize};

/// What is in the tables of a recovered database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    pub(super) rows: Rows,
    /// Virtual seconds until it accepts statements, from the server's start where there is one.
    pub(super) recovery_s: f64,
    /// What its own check found.
    pub(super) fault: Option<String>,
}

/// Rows and last number of each session, and the sums that every transaction changes by the same amount.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Rows {
    pub sessions: Vec<(u64, u64, u64)>,
    pub sums: [i64; 4],
    pub rows: [u64; 2],
}

impl Tables {
    /// Checks the transactions of each session against its number of acknowledged ones.
    pub fn check(&self, acknowledged: &[u64]) -> Kept {
        let mut found = self.rows.check(acknowledged);
        found.recovery_s = Some(self.recovery_s);
        found.faults.extend(self.fault.clone());
        found
    }
}

impl Rows {
    pub(super) fn check(&self, acknowledged: &[u64]) -> Kept {
        let mut found = Kept::default();
        for (session, acknowledged) in acknowledged.iter().copied().enumerate() {
            let of = self.sessions.iter().find(|(number, ..)| *number == session as u64);
            // One more may have been under way; numbers begin with 0.
            let (count, end) = of.map_or((0, 0), |(_, rows, last)| (*rows, last.saturating_add(1)));
            let under_way = u64::from(end > acknowledged);
            let kept = count.saturating_sub(under_way).min(acknowledged);
            found.first.push(kept);
            found.damage.lost += acknowledged - kept;
            // A damaged number can be any: there are not more of them than rows.
            let sent = acknowledged + 1;
            let never_sent = end.saturating_sub(sent).min(count);
            let gaps = end.min(sent).saturating_sub(count - never_sent);
            if gaps > 0 {
                found.faults.push(format!(
                    "session {session}: {gaps} transactions before its last one are missing"
                ));
            }
            if never_sent > 0 {
                found.faults.push(format!(
                    "session {session}: {never_sent} transactions in the table were never sent"
                ));
            }
            found.damage.corrupt += gaps + never_sent;
        }
        for (number, count, _) in &self.sessions {
            if *number >= acknowledged.len() as u64 {
                found.damage.corrupt += count;
                found.faults.push(format!(
                    "{count} transactions of session {number}, which does not exist"
                ));
            }
        }
        let uneven =
            self.sums.iter().any(|sum| *sum != self.sums[0]) || self.rows[0] != self.rows[1];
        if uneven {
            found.damage.corrupt += 1;
            found.faults.push(format!(
                "a transaction is incomplete: sums of its four tables {:?}, rows {:?}",
                self.sums, self.rows
            ));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::powercut::kept::Damage;

    fn found(sessions: &[(u64, u64, u64)], acknowledged: &[u64]) -> Kept {
        let rows = sessions.iter().map(|(_, rows, _)| rows).sum();
        Rows { sessions: sessions.to_vec(), sums: [5; 4], rows: [rows; 2] }.check(acknowledged)
    }

    #[test]
    fn one_transaction_beyond_the_acknowledged_ones_is_not_damage() {
        let whole = found(&[(1, 4, 3), (0, 3, 2)], &[3, 3]);
        assert_eq!((whole.damage, whole.first), (Damage::default(), vec![3, 3]));
        assert_eq!(whole.faults, [""; 0]);
        assert_eq!(found(&[], &[0, 0]).damage, Damage::default());
    }

    #[test]
    fn missing_last_transactions_are_lost_and_a_gap_is_corrupt() {
        let short = found(&[(0, 2, 1)], &[5, 4]);
        assert_eq!((short.damage, short.first), (Damage { lost: 7, corrupt: 0 }, vec![2, 0]));
        let gap = found(&[(0, 4, 4)], &[5]);
        assert_eq!(gap.damage, Damage { lost: 1, corrupt: 1 });
        let strange = found(&[(0, 7, 6)], &[5]);
        assert_eq!(strange.damage, Damage { lost: 0, corrupt: 1 });
        assert!(strange.faults[0].contains("never sent"), "{:?}", strange.faults);
        let both = found(&[(0, 7, 9)], &[5]);
        assert_eq!(both.damage, Damage { lost: 0, corrupt: 3 + 4 });
    }

    #[test]
    fn transactions_of_a_session_that_never_was_and_numbers_beyond_all_are_corrupt() {
        let foreign = found(&[(0, 3, 2), (7, 2, 1)], &[3]);
        assert_eq!(foreign.damage, Damage { lost: 0, corrupt: 2 });
        assert!(foreign.faults[0].contains("session 7"), "{:?}", foreign.faults);
        let garbage = found(&[(0, 3, u64::MAX)], &[3]);
        assert!((1..10).contains(&garbage.damage.corrupt), "{:?}", garbage.damage);
    }

    #[test]
    fn a_partial_transaction_is_corrupt() {
        for (sums, rows) in [([5, 5, 4, 5], [1, 1]), ([5; 4], [1, 2])] {
            let found = Rows { sessions: vec![(0, 1, 0)], sums, rows }.check(&[1]);
            assert_eq!(found.damage, Damage { lost: 0, corrupt: 1 });
        }
    }
}
