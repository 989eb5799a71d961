//! SQLite as a workload: what a lab says of it, and what is wrong with it.

mod common;

use common::*;
use lab::campaign::{JournalMode, Program, Sqlite, Synchronous};
use lab::model::{HostLimits, resolve};

/// What has no default.
const NEEDED: &str = "rows = 100000000\nclients = 16\nwrites = 0.1\n";

/// [`BASE`] with SQLite instead of its workload.
fn with(client: &str) -> String {
    with_database(["db", "log"], "sqlite", client, "")
}

fn sqlite(text: &str) -> Sqlite {
    match &campaign(text).workloads[0].program {
        Program::Sqlite(sqlite) => sqlite.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_database_is_read_with_its_dataset_and_sqlite_s_own_settings_without() {
    let text = with(NEEDED).replace(
        "[workloads.oltp.sqlite]",
        "[workloads.oltp]\ndataset = \"db\"\n[workloads.oltp.sqlite]",
    );
    let own = sqlite(&text);
    assert_eq!((own.journal_mode, own.synchronous), (JournalMode::Wal, Synchronous::Full));
    assert_eq!((own.page_size, own.cache_size), (4096, None));
    assert_eq!((own.rows, own.clients, own.writes), (100_000_000, 16, 0.1));
    assert_eq!(campaign(&text).workloads[0].dataset, "db");
    let stated = "journal_mode = \"delete\"\nsynchronous = \"normal\"\npage_size = \"16K\"\ncache_size = \"64M\"\n";
    let stated = sqlite(&with(&format!("{NEEDED}{stated}")));
    assert_eq!(stated.settings(), "journal_mode=delete synchronous=normal");
    assert_eq!((stated.page_size, stated.cache_size), (16384, Some(64 << 20)));
}

#[test]
fn rows_and_caches_are_divided_by_s_and_a_transaction_s_pages_still_fit() {
    let own = sqlite(&with(NEEDED));
    let at = own.scaled(100.0);
    assert_eq!((at.rows, at.cache_size), (1_000_000, Some(64 * 4096)));
    let large = Sqlite { cache_size: Some(1 << 30), ..own.clone() };
    assert_eq!(large.scaled(4.0).cache_size, Some(256 << 20));
    assert_eq!(own.scaled(1.0).cache_size, Some(2000 << 10));
    let small = sqlite(&with(&NEEDED.replace("100000000", "200000")));
    let campaign = campaign(&with(&NEEDED.replace("100000000", "200000")));
    let size = resolve(&campaign, &HostLimits::MACHINE).unwrap().size;
    assert!(size * f64::from(16 << 20) <= small.data_bytes() as f64 + 1.0, "S = {size}");
}

#[track_caller]
fn refused(client: &str, place: &str, message: &str, fix: &str) {
    has_mistake(&with(client), place, message, fix);
}

#[test]
fn each_mistake_has_its_place_and_its_fix() {
    let more = |line: &str| format!("{NEEDED}{line}\n");
    refused(&more("journal_mode = \"wall\""), "\"wall\"", "cannot be", "did you mean `wal`");
    refused(&more("synchronous = \"extra\""), "\"extra\"", "cannot be", "full");
    refused(&more("page_size = \"128K\""), "\"128K\"", "no pages of 131072 bytes", "512 to 65536");
    refused(&more("page_size = 5000"), "5000", "no pages of 5000 bytes", "power of two");
    refused(&more("cache_size = \"64G\""), "\"64G\"", "each connection", "2000K");
    refused(&NEEDED.replace("0.1", "1.5"), "1.5", "`writes` is out of range", "0 to 1");
    refused("clients = 1\nwrites = 0\n", "sqlite", "`sqlite` has no rows", "rows = 10000000");
    refused("clients = 1\nrows = 1\n", "sqlite", "`sqlite` has no writes", "writes = 0.1");
    refused(&more("rate = 5"), "rate", "no key `rate`", "");
    let beside = |key: &str| {
        with(NEEDED).replace(
            "[workloads.oltp.sqlite]",
            &format!("[workloads.oltp]\n{key}\n[workloads.oltp.sqlite]"),
        )
    };
    has_mistake(
        &beside("rates = [100]"),
        "oltp",
        "`rates` cannot be used with sqlite",
        "immediately",
    );
    has_mistake(&beside("size = \"1G\""), "oltp", "`size` cannot be used with sqlite", "`rows`");
    let text = with(NEEDED).replace("[method]\nruntime = \"10s\"\n", "");
    has_mistake(&text, "sqlite", "[method] has no runtime, which sqlite needs", "[method]");
}
