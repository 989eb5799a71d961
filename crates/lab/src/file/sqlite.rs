//! `[workloads.X.sqlite]`.

use super::section::Entry;
use super::server;
use super::workloads::WorkloadInputs;
use crate::campaign::{JournalMode, Sqlite, Synchronous};

/// Most connections: each is a thread, and only one writes at a time.
const MOST_CLIENTS: i64 = 1000;
/// Most rows: 1 TB.
const MOST_ROWS: i64 = 10_000_000_000;
/// Pages that SQLite takes, bytes.
const PAGES: std::ops::RangeInclusive<u64> = 512..=65536;
/// `page_size` of SQLite's own.
const PAGE: u32 = 4096;

pub(super) fn read(entry: &Entry<'_>, known: &WorkloadInputs<'_>) -> Option<Sqlite> {
    let mut client = entry.table("sqlite")?;
    let journal_mode = client.choice("journal_mode", &JournalMode::ALL, JournalMode::name);
    let synchronous = client.choice("synchronous", &Synchronous::ALL, Synchronous::name);
    let mut sqlite = Sqlite {
        journal_mode: journal_mode.unwrap_or_default(),
        synchronous: synchronous.unwrap_or_default(),
        page_size: PAGE,
        ..Sqlite::default()
    };
    if let Some(entry) = client.take("page_size")
        && let Some(bytes) = entry.size()
    {
        match bytes.is_power_of_two() && PAGES.contains(&bytes) {
            true => sqlite.page_size = bytes as u32,
            false => entry.error(
                format!("SQLite has no pages of {bytes} bytes"),
                "write a power of two, 512 to 65536: page_size = \"4K\"",
            ),
        }
    }
    let mut count = |key, most, example| server::count(&mut client, entry, key, most, example);
    let rows = count("rows", MOST_ROWS, "rows = 10000000");
    let clients = count("clients", MOST_CLIENTS, "clients = 16");
    let writes = match client.take("writes") {
        Some(entry) => entry.number(0.0, 1.0, "the share of transactions that write: 0.1"),
        None => {
            let fix = "add `writes = 0.1`, the share of transactions that write";
            entry.cx.refuse(entry.key_span(), "`sqlite` has no writes", fix)
        }
    };
    if let Some(entry) = client.take("cache_size")
        && let Some(bytes) = entry.size()
    {
        sqlite.cache_size = Some(bytes);
        let all = bytes.saturating_mul(clients.unwrap_or(1));
        if bytes == 0 || all >= known.memory {
            entry.error(
                "`cache_size` is that of each connection: it cannot be 0, and all of them must fit the memory of [host]",
                "write a size such as \"2000K\", SQLite's default",
            );
        }
    }
    client.finish();
    server::check_runtime(entry, known);
    sqlite.rows = rows?;
    sqlite.clients = u32::try_from(clients?).ok()?;
    sqlite.writes = writes?;
    Some(sqlite)
}
