//! What a database server did, from its own counters.

use crate::schema::Database;
use measurement::{Counter, Counters, Measured};

/// Of the trials of a cell together; none where their client has no server.
pub fn counted(trials: &[&Measured]) -> Option<Database> {
    let totals = Counters::added(trials.iter().map(|m| &m.totals));
    let operations = trials.iter().map(|m| m.operations()).sum::<f64>().max(1.0);
    let seconds: f64 = trials.iter().map(|m| m.runtime_s).sum();
    let each = |counter: Counter| totals.count(&counter) / operations;
    if totals.get(&Counter::PostgresqlWalBytes).is_some() {
        let hits = totals.count(&Counter::PostgresqlBufferHits);
        return Some(Database::Postgresql {
            wal_bytes: each(Counter::PostgresqlWalBytes),
            full_pages: each(Counter::PostgresqlWalFullPages),
            checkpoints: totals.count(&Counter::PostgresqlCheckpoints) / seconds.max(1e-9),
            buffer_hits: share(hits, hits + totals.count(&Counter::PostgresqlBufferReads)),
        });
    }
    totals.get(&Counter::MysqlRedoBytes)?;
    let asked = totals.count(&Counter::MysqlBufferRequests);
    let groups = totals.count(&Counter::MysqlBinlogGroups);
    Some(Database::Mysql {
        redo_bytes: each(Counter::MysqlRedoBytes),
        flushes: each(Counter::MysqlFlushes),
        pages_written: each(Counter::MysqlPagesWritten),
        pages_doubled: each(Counter::MysqlPagesDoubled),
        binlog_group: (groups > 0.0).then(|| operations / groups),
        row_lock_waits: each(Counter::MysqlRowLockWaits),
        // A page that is read ahead is asked for later.
        buffer_hits: share(asked - totals.count(&Counter::MysqlBufferReads), asked),
    })
}

/// A part of a whole; none of nothing.
fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| (part / whole).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use measurement::Flow;

    fn trial<const N: usize>(totals: [(Counter, f64); N]) -> Measured {
        Measured {
            runtime_s: 6.0,
            write: Flow { ops: 1000, ..Flow::default() },
            totals: totals.into(),
            ..Measured::default()
        }
    }

    #[test]
    fn counters_are_given_for_each_transaction() {
        let trial = trial([
            (Counter::PostgresqlWalBytes, 8_000_000.0),
            (Counter::PostgresqlWalFullPages, 900.0),
            (Counter::PostgresqlCheckpoints, 3.0),
            (Counter::PostgresqlBufferHits, 990.0),
            (Counter::PostgresqlBufferReads, 10.0),
        ]);
        let expected = Database::Postgresql {
            wal_bytes: 8000.0,
            full_pages: 0.9,
            checkpoints: 0.5,
            buffer_hits: Some(0.99),
        };
        assert_eq!(counted(&[&trial, &trial]), Some(expected));
        assert_eq!(counted(&[&Measured::default()]), None);
    }

    #[test]
    fn a_mysql_server_is_told_by_its_redo_log() {
        let trial = trial([
            (Counter::MysqlRedoBytes, 3_000_000.0),
            (Counter::MysqlFlushes, 500.0),
            (Counter::MysqlPagesWritten, 2000.0),
            (Counter::MysqlPagesDoubled, 2000.0),
            (Counter::MysqlBufferRequests, 1000.0),
            (Counter::MysqlBufferReads, 50.0),
        ]);
        let expected = Database::Mysql {
            redo_bytes: 3000.0,
            flushes: 0.5,
            pages_written: 2.0,
            pages_doubled: 2.0,
            binlog_group: None,
            row_lock_waits: 0.0,
            buffer_hits: Some(0.95),
        };
        assert_eq!(counted(&[&trial]), Some(expected));
    }
}
