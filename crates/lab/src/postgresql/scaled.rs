//! A server's settings on the shrunk machine: what sizes a stock is divided by S, everything else is kept.

use super::{PAGE, Setting, lookup};
use crate::campaign::Pgbench;
use std::collections::BTreeMap;

/// Rows of `pgbench_accounts` for each unit of scale.
pub const ACCOUNTS: u64 = 100_000;
/// Units of scale from which on the shrunk database has whole ones.
const WHOLE: u32 = 10;
/// Bytes of those rows with their index, for each unit of scale: 13.44 and 2.26 MB measured with PostgreSQL 15.
const ACCOUNTS_BYTES: u64 = 15_700_000;
/// Bytes of a branch and its ten tellers with their indexes.
const BRANCH_BYTES: u64 = 700;
/// There are at least so many branches for each client. With ten, one transaction in twelve or so waits for
/// the row of its branch for half a commit, which is 4 % of the time.
const BRANCHES_PER_CLIENT: u32 = 10;
/// Share of the data that is rewritten between two checkpoints at the most, unless it is more on the real server: first changes of a page
/// are logged whole, so that with a larger share there would be less WAL for each transaction.
const REWRITTEN: f64 = 0.05;
/// What the server takes of each where the lab says nothing.
const DEFAULTS: [(&str, &str); 5] = [
    ("shared_buffers", "128MB"),
    ("max_wal_size", "1GB"),
    ("min_wal_size", "80MB"),
    ("effective_cache_size", "4GB"),
    ("wal_buffers", "-1"),
];
/// Connections beside the clients': the trial's own, and those reserved for superusers.
const MORE_CONNECTIONS: u32 = 16;
const MB: u64 = 1 << 20;

/// A database and its server's settings at S.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// pgbench's scale: accounts ÷ 100,000, rounded down.
    pub scale: u32,
    /// Rows of `pgbench_accounts`.
    pub accounts: u64,
    /// Rows of `pgbench_branches`; there are ten tellers for each.
    pub branches: u32,
    /// Bytes of a WAL segment.
    pub segment: u64,
    /// Bytes of the server's shared memory.
    pub shared_buffers: u64,
    /// All settings that differ from the server's defaults, as they stand in postgresql.conf.
    pub settings: BTreeMap<String, String>,
    /// Settings that are not as the lab states them, or the server's default: name, real value, value at S.
    pub changed: Vec<(String, String, String)>,
}

/// Bytes of all tables and indexes on the real server.
pub fn data_bytes(pgbench: &Pgbench) -> u64 {
    u64::from(pgbench.scale) * (ACCOUNTS_BYTES + BRANCH_BYTES)
}

/// Scales a database and its server.
pub fn scaled(pgbench: &Pgbench, size: f64) -> Scaled {
    let size = size.max(1.0);
    let shrunk = f64::from(pgbench.scale) / size;
    let scale = (shrunk as u32).max(1);
    let accounts = match scale {
        WHOLE.. => u64::from(scale) * ACCOUNTS,
        _ => ((shrunk * ACCOUNTS as f64).round() as u64).max(ACCOUNTS),
    };
    let crowd = pgbench.clients.saturating_mul(BRANCHES_PER_CLIENT);
    // The last accounts may be of a branch that is not full.
    let full = u32::try_from(accounts.div_ceil(ACCOUNTS)).unwrap_or(u32::MAX);
    let branches = full.max(crowd).min(pgbench.scale);
    let fixed = u64::from(branches) * BRANCH_BYTES;
    let data = accounts * (ACCOUNTS_BYTES / ACCOUNTS) + fixed;
    let mut server = Server {
        stated: &pgbench.settings,
        settings: pgbench.settings.clone(),
        changed: Vec::new(),
    };
    // The small tables do not shrink, and are in it on the real server as well.
    let buffers = server.bytes("shared_buffers");
    let small = fixed.min(buffers);
    let shared_buffers = (((buffers - small) as f64 / size) as u64 + small).max(16 * PAGE);
    server.set_bytes("shared_buffers", shared_buffers / PAGE * PAGE, "kB", 1024);
    let cache = server.bytes("effective_cache_size");
    server.set_bytes("effective_cache_size", ((cache as f64 / size) as u64).max(PAGE), "kB", 1024);
    let real_wal = server.bytes("max_wal_size");
    let least = (real_wal as f64 / size).max(REWRITTEN * data as f64);
    let wal = (least as u64).min(real_wal).max(2 * MB) / MB * MB;
    let segment = segment(wal);
    let wal = wal.max(2 * segment);
    server.set_bytes("max_wal_size", wal, "MB", MB);
    let min_wal = server.bytes("min_wal_size") as f64 * wal as f64 / real_wal.max(1) as f64;
    let min_wal = (min_wal as u64 / MB * MB).clamp(2 * segment, wal);
    server.set_bytes("min_wal_size", min_wal, "MB", MB);
    if server.stated_bytes("wal_buffers").is_none() {
        // As the server chooses it on the real host, with segments of 16 MB: not a stock, since it holds
        // what is written while a flush is under way.
        let auto = (buffers / 32).clamp(8 * PAGE, 16 * MB);
        server.set_bytes("wal_buffers", auto / PAGE * PAGE, "kB", 1024);
    }
    if let Some(timeout) = server.seconds("checkpoint_timeout") {
        let least = (timeout / size).max(30.0).min(timeout);
        if least < timeout {
            server.set("checkpoint_timeout", &format!("{least:.0}s"));
        }
    }
    let connections = pgbench.clients.saturating_add(MORE_CONNECTIONS).max(100);
    server.settings.entry("max_connections".to_owned()).or_insert_with(|| connections.to_string());
    Scaled {
        scale,
        accounts,
        branches,
        segment,
        shared_buffers,
        settings: server.settings,
        changed: server.changed,
    }
}

/// The largest WAL segment of which a log of so many bytes holds eight, 1 to 16 MB.
fn segment(wal: u64) -> u64 {
    let most = (wal / 8 / MB).clamp(1, 16);
    MB << most.ilog2()
}

/// Settings as they are changed.
struct Server<'a> {
    stated: &'a BTreeMap<String, String>,
    settings: BTreeMap<String, String>,
    changed: Vec<(String, String, String)>,
}

impl Server<'_> {
    fn real(&self, name: &str) -> Option<(Setting, &str)> {
        let setting = lookup(name, None).ok().flatten()?;
        let default = DEFAULTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let value = self.stated.get(name).map(String::as_str).or(default)?;
        Some((setting, value))
    }

    /// Bytes on the real server; 0 where the server chooses.
    fn bytes(&self, name: &str) -> u64 {
        self.stated_bytes(name).unwrap_or(0)
    }

    fn stated_bytes(&self, name: &str) -> Option<u64> {
        let (setting, value) = self.real(name)?;
        setting.bytes(value)
    }

    fn seconds(&self, name: &str) -> Option<f64> {
        let (setting, value) = self.real(name)?;
        setting.seconds(value)
    }

    fn set_bytes(&mut self, name: &str, bytes: u64, unit: &str, each: u64) {
        if self.stated_bytes(name) != Some(bytes) {
            self.set(name, &format!("{}{unit}", bytes / each));
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        let real = self.real(name).map_or("", |(_, value)| value).to_owned();
        if real != value {
            self.changed.push((name.to_owned(), real, value.to_owned()));
            self.settings.insert(name.to_owned(), value.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pgbench(scale: u32, clients: u32, settings: &[(&str, &str)]) -> Pgbench {
        Pgbench {
            scale,
            clients,
            settings: settings.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            ..Pgbench::default()
        }
    }

    #[test]
    fn accounts_shrink_and_branches_stay_ten_for_each_client() {
        let at = |size| scaled(&pgbench(20_000, 128, &[]), size);
        assert_eq!((at(1.0).scale, at(1.0).branches), (20_000, 20_000));
        assert_eq!((at(10.0).scale, at(10.0).branches), (2_000, 2_000));
        assert_eq!((at(100.0).accounts, at(100.0).branches), (20_000_000, 1_280));
        let part = scaled(&pgbench(300, 8, &[]), 160.0);
        assert_eq!(scaled(&pgbench(300, 0, &[]), 160.0).branches, 2, "one of them not full");
        assert_eq!(
            scaled(&pgbench(1000, 8, &[]), 22.0).accounts,
            4_500_000,
            "of ten units and more whole ones"
        );
        assert_eq!((part.scale, part.accounts), (1, 187_500), "no multiple of 100,000");
        assert_eq!(scaled(&pgbench(300, 8, &[]), 1000.0).accounts, 100_000, "one unit at least");
        // The contention that the lab states itself is kept.
        let few = scaled(&pgbench(50, 128, &[]), 10.0);
        assert_eq!((few.scale, few.branches), (5, 50));
    }

    #[test]
    fn stocks_shrink_and_flows_are_kept() {
        let stated = [
            ("shared_buffers", "64GB"),
            ("max_wal_size", "64GB"),
            ("work_mem", "32MB"),
            ("wal_buffers", "64MB"),
            ("checkpoint_timeout", "15min"),
        ];
        let at = scaled(&pgbench(20_000, 128, &stated), 100.0);
        let kept = |name: &str| at.settings[name].as_str();
        assert_eq!(at.shared_buffers >> 20, 656);
        assert_eq!(kept("max_wal_size"), "655MB");
        assert_eq!((kept("work_mem"), kept("wal_buffers")), ("32MB", "64MB"));
        assert_eq!(kept("checkpoint_timeout"), "30s");
        assert_eq!(at.segment >> 20, 16);
    }

    #[test]
    fn between_checkpoints_a_twentieth_of_the_data_is_rewritten_at_most() {
        // A hundredth of 1 GB would be a checkpoint for every thousand transactions.
        let at = scaled(&pgbench(20_000, 128, &[]), 100.0);
        assert_eq!(at.settings["max_wal_size"], "149MB");
        assert_eq!(at.segment >> 20, 16);
        // The real server's own log is never exceeded.
        let small = scaled(&pgbench(20_000, 8, &[("max_wal_size", "64MB")]), 2.0);
        assert_eq!(small.settings["max_wal_size"], "64MB");
    }

    #[test]
    fn a_lab_at_full_size_is_left_as_it_is() {
        let at = scaled(&pgbench(10, 4, &[("shared_buffers", "1GB")]), 1.0);
        let changed: Vec<&str> = at.changed.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(changed, ["wal_buffers"], "the server's own choice, written down");
        assert_eq!(at.settings["wal_buffers"], "16384kB");
        assert_eq!(at.settings["max_connections"], "100");
    }
}
