//! What a database server did, from its own counters.

use crate::schema::Database;
use measurement::{Counter, Counters, Measured};

/// Of the trials of a cell together; none where their client has no server.
pub fn counted(trials: &[&Measured]) -> Option<Database> {
    let totals = Counters::added(trials.iter().map(|m| &m.totals));
    let wal = totals.get(&Counter::PostgresqlWalBytes)?;
    let operations = trials.iter().map(|m| (m.read.ops + m.write.ops) as f64);
    let operations: f64 = operations.sum::<f64>().max(1.0);
    let seconds: f64 = trials.iter().map(|m| m.runtime_s).sum();
    let hits = totals.count(&Counter::PostgresqlBufferHits);
    let asked = hits + totals.count(&Counter::PostgresqlBufferReads);
    Some(Database {
        wal_bytes: wal / operations,
        full_pages: totals.count(&Counter::PostgresqlWalFullPages) / operations,
        checkpoints: totals.count(&Counter::PostgresqlCheckpoints) / seconds.max(1e-9),
        buffer_hits: (asked > 0.0).then(|| hits / asked),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use measurement::Flow;

    #[test]
    fn counters_are_given_for_each_transaction() {
        let totals = [
            (Counter::PostgresqlWalBytes, 8_000_000.0),
            (Counter::PostgresqlWalFullPages, 900.0),
            (Counter::PostgresqlCheckpoints, 3.0),
            (Counter::PostgresqlBufferHits, 990.0),
            (Counter::PostgresqlBufferReads, 10.0),
        ];
        let trial = Measured {
            runtime_s: 6.0,
            write: Flow { ops: 1000, ..Flow::default() },
            totals: totals.into(),
            ..Measured::default()
        };
        let found = counted(&[&trial, &trial]).unwrap();
        assert_eq!((found.wal_bytes, found.full_pages), (8000.0, 0.9));
        assert_eq!((found.checkpoints, found.buffer_hits), (0.5, Some(0.99)));
        assert_eq!(counted(&[&Measured::default()]), None);
    }
}
