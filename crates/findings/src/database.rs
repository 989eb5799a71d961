//! What a database server did, from its own counters.

use crate::counters as c;
use crate::hits::summed;
use crate::output::Database;
use crate::record::Measured;

/// Of the trials of a cell together; none where their client has no server.
pub fn of(trials: &[&Measured]) -> Option<Database> {
    let totals = summed(trials.iter().map(|m| &m.totals));
    let get = |name: &str| totals.get(name).copied();
    let wal = get(c::PG_WAL_BYTES)?;
    let operations = trials.iter().map(|m| (m.read.ops + m.write.ops) as f64);
    let operations: f64 = operations.sum::<f64>().max(1.0);
    let seconds: f64 = trials.iter().map(|m| m.runtime_s).sum();
    let hits = get(c::PG_BUFFER_HITS).unwrap_or(0.0);
    let asked = hits + get(c::PG_BUFFER_READS).unwrap_or(0.0);
    Some(Database {
        wal_bytes: wal / operations,
        full_pages: get(c::PG_WAL_FULL_PAGES).unwrap_or(0.0) / operations,
        checkpoints: get(c::PG_CHECKPOINTS).unwrap_or(0.0) / seconds.max(1e-9),
        buffer_hits: (asked > 0.0).then(|| hits / asked),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Flow;

    #[test]
    fn counters_are_given_for_each_transaction() {
        let totals = [
            (c::PG_WAL_BYTES, 8_000_000.0),
            (c::PG_WAL_FULL_PAGES, 900.0),
            (c::PG_CHECKPOINTS, 3.0),
            (c::PG_BUFFER_HITS, 990.0),
            (c::PG_BUFFER_READS, 10.0),
        ];
        let trial = Measured {
            runtime_s: 6.0,
            write: Flow { ops: 1000, ..Flow::default() },
            totals: totals.map(|(name, value)| (name.to_owned(), value)).into(),
            ..Measured::default()
        };
        let found = of(&[&trial, &trial]).unwrap();
        assert_eq!((found.wal_bytes, found.full_pages), (8000.0, 0.9));
        assert_eq!((found.checkpoints, found.buffer_hits), (0.5, Some(0.99)));
        assert_eq!(of(&[&Measured::default()]), None);
    }
}
