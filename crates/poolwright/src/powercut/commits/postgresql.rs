//! Transactions of PostgreSQL, in the tables of pgbench and one more.

use super::{Commits, Database, Dialect, FOUND, INTEGRITY, SERVER, Written};
use crate::powercut::work::Work;
use bench::workload::pgbench::Client;

/// Options of a server that syncs nothing, neither for a commit nor for the page that it writes after its log.
const CONTROL: &str = "-c fsync=off -c synchronous_commit=off";
/// The table with the number of each transaction, and what pg_amcheck calls.
const TABLE: &str = "CREATE TABLE powercut (session int, number bigint, delta bigint, PRIMARY KEY (session, number)); \
     CREATE EXTENSION amcheck; CHECKPOINT;";

/// Prints [`super::Rows`].
const QUERY: &str = include_str!("postgresql.sql");

/// The server of a pgbench workload.
pub fn database(client: Client, seed: u64) -> Database {
    let (accounts, tellers) = client.rows();
    Database {
        work: Work::Commits(Box::new(Commits {
            sessions: client.pgbench.clients as usize,
            seed,
            dialect: Dialect::Postgresql { accounts, tellers },
            session: client.session(),
            start: client.start_with("", SERVER),
            ready: None,
            stop: client.shut_down(),
            query: client.statements(QUERY, FOUND),
            integrity: client.amcheck(INTEGRITY),
        })),
        start: client.start_with("", SERVER),
        control: client.start_with(CONTROL, SERVER),
        written: Written::PostgresqlCommits,
        tables: client.statements(TABLE, "table.out"),
        client: Box::new(client),
    }
}

/// The SQL of a transaction, and a line that reports its commit.
pub fn transaction(
    session: usize,
    number: u64,
    random: u64,
    accounts: u64,
    tellers: u64,
) -> String {
    let account = random % accounts + 1;
    let teller = session as u64 % tellers + 1;
    // Sums stay within an int for half a million transactions of a teller.
    let delta = random >> 52 | 1;
    format!(
        "BEGIN; UPDATE pgbench_accounts SET abalance = abalance + {delta} WHERE aid = {account}; \
         UPDATE pgbench_tellers SET tbalance = tbalance + {delta} WHERE tid = {teller}; \
         INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ({teller}, 1, {account}, {delta}, CURRENT_TIMESTAMP); \
         INSERT INTO powercut VALUES ({session}, {number}, {delta}); COMMIT;\n\\echo {number}\n"
    )
}
