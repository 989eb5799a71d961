//! Small databases on disks, in the machine. These tests need an engine, and but for SQLite PostgreSQL, MariaDB and
//! sysbench on the host.

#[path = "with_engine/mod.rs"]
mod with_engine;

use bench::programs::Postgresql;
use lab::mysql::Server;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use with_engine::{can_mount, engine, has, skipped};

/// Commits wait for disks, so that there are few transactions and the trial is short.
const SERVER: &str = r#"
title = "A database for tests"
[host]
memory = "8G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
[dataset]
compression = "lz4"
[method]
runtime = "2s"
ramp = "1s"
min_trials = 1
max_trials = 1
[scale]
size = 1
"#;

/// On flash, so that a transaction that takes another time changes how many there are.
const ON_FLASH: &str = r#"
title = "A database for tests"
[host]
memory = "8G"
cores = 8
[drives]
nvme = "2x nvme-consumer-1t"
[pool]
ashift = 12
vdevs = "mirror nvme[0-1]"
[dataset]
recordsize = "16K"
compression = "lz4"
[workloads.oltp.pgbench]
scale = 20
clients = 2
[method]
runtime = "2s"
min_trials = 1
max_trials = 1
[scale]
size = 2
dirty_data_max = "64M"
"#;

const POSTGRESQL: &str = r#"
[datasets.wal]
[workloads.oltp.pgbench]
scale = 1
clients = 8
threads = 2
script = ["tpcb-like@3", "select-only@1"]
[workloads.oltp.postgresql]
shared_buffers = "64MB"
[workloads.oltp.directories]
wal = "wal"
[workloads.select.pgbench]
scale = 1
clients = 1
script = "select-only"
rate = 500
[workloads.refused.pgbench]
scale = 1
clients = 1
# Beside the senders of WAL that it has by default, the server does not start with it.
[workloads.refused.postgresql]
wal_level = "minimal"
"#;

const MARIADB: &str = r#"
[datasets.db]
recordsize = "16K"
[datasets.redo]
[workloads.oltp.sysbench]
script = "oltp_write_only"
tables = 2
table_size = 10000
threads = 8
[workloads.oltp.mariadb]
innodb_buffer_pool_size = "64M"
innodb_log_write_ahead_size = 16384
log_bin = true
sync_binlog = 1
[workloads.oltp.directories]
data = "db"
redo = "redo"
[workloads.refused.sysbench]
tables = 1
table_size = 1000
threads = 1
# The server does not start with it.
[workloads.refused.mariadb]
innodb_buffer_pool_size = "2M"
"#;

/// Both journals of SQLite's.
const SQLITE: &str = r#"
[workloads.oltp.sqlite]
rows = 200000
clients = 4
writes = 0.5
[workloads.rollback.sqlite]
journal_mode = "delete"
rows = 200000
clients = 4
writes = 0.5
"#;

/// A campaign with the workloads `oltp` and `refused`, whose server does not start.
struct Ran {
    place: TempDir,
    findings: Value,
    stderr: String,
}

impl Ran {
    fn new(engine: &Path, workloads: &str) -> Ran {
        Ran::of(engine, &format!("{SERVER}{workloads}"))
    }

    fn of(engine: &Path, lab: &str) -> Ran {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("lab.toml"), lab).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
            .args(["run", "--json", "--store", "store", "lab.toml"])
            .current_dir(place.path())
            .env("POOLWRIGHT_ENGINE", engine)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let findings =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {stderr}"));
        Ran { place, findings, stderr }
    }

    fn cell(&self, workload: &str) -> &Value {
        let cells = self.findings["cells"].as_array().unwrap();
        let found = cells.iter().find(|cell| cell["workload"] == workload);
        found.unwrap_or_else(|| panic!("{workload}: {}", self.stderr))
    }

    /// The cell that was measured, without failures and with every check passed.
    fn measured(&self) -> &Value {
        let oltp = self.cell("oltp");
        assert_eq!(oltp["trials"]["failed"], 0, "{}: {}", oltp["issues"], self.stderr);
        assert!(oltp["throughput"]["value"].as_f64() > Some(20.0), "{oltp}");
        for check in oltp["checks"].as_array().unwrap() {
            assert_eq!(check["pass"], true, "{check}");
        }
        oltp
    }

    /// Why the server of the other cell did not start.
    fn refusal(&self) -> String {
        assert_eq!(self.cell("refused")["trials"]["failed"], 1, "{}", self.stderr);
        format!("{}{}", self.findings["trials"], self.stderr)
    }

    /// Whether the store has a file of a name that holds `word`.
    fn has(&self, name: &str, word: &str) -> bool {
        find(&self.place.path().join("store"), name, word).is_some()
    }

    /// The seeds that the runs of a trial's client are given with an option.
    fn seeds(&self, option: &str) -> Vec<String> {
        let script = find(&self.place.path().join("store"), "script.json", option).unwrap();
        let text = fs::read_to_string(script).unwrap();
        let runs = text.split(option).skip(1);
        runs.map(|run| run.split('"').next().unwrap().to_owned()).collect()
    }
}

/// The first file of a name below a directory that holds `word`.
fn find(directory: &Path, name: &str, word: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(directory).ok()?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find_map(|path| match path.is_dir() {
        true => find(&path, name, word),
        false => (path.file_name()? == name && fs::read_to_string(&path).ok()?.contains(word))
            .then_some(path),
    })
}

/// A command on a host whose files of users and of OpenSSL are longer by what the directory's file `more` holds.
const LONGER_FILES: &str = "for file in /etc/passwd /etc/ssl/openssl.cnf; do
    [ ! -e $file ] || { cat $file more >longer${file##*/}; mount --bind longer${file##*/} $file; }
done && exec \"$@\"";

/// A database has many files: the orders in which they are written must not follow from addresses in memory, and these
/// differ with the memory of the first process. The server and its client look up their user, in a file whose bytes are
/// charged when it is read.
#[test]
fn a_database_has_the_same_result_from_another_build_of_the_program_where_there_are_other_users() {
    let Some(engine) = engine() else { return };
    if let Err(why) = Postgresql::find(None) {
        return skipped(&why.to_string());
    }
    let ran = Ran::of(&engine, ON_FLASH);
    fs::write(ran.place.path().join("more"), "# a remark, which is read too\n".repeat(50)).unwrap();
    // Where no mounts can be made, on this host as it is.
    let host: &[&str] =
        if can_mount() { &["unshare", "-m", "sh", "-c", LONGER_FILES, "sh"] } else { &["env"] };
    // An example of this crate, which `cargo test` builds.
    let program = Path::new(env!("CARGO_BIN_EXE_poolwright"));
    let verified = Command::new(host[0])
        .args(&host[1..])
        .arg(program.parent().unwrap().join("examples/more_memory"))
        .args(["verify", "--store", "store", "lab.toml"])
        .current_dir(ran.place.path())
        .env("POOLWRIGHT_ENGINE", &engine)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&verified.stdout);
    assert!(text.contains("identical"), "{text}{}", String::from_utf8_lossy(&verified.stderr));
    assert_eq!(verified.status.code(), Some(0), "{text}");
}

#[test]
fn postgresql_is_measured_and_a_server_that_does_not_start_says_why() {
    let Some(engine) = engine() else { return };
    if let Err(why) = Postgresql::find(None) {
        return skipped(&why.to_string());
    }
    let ran = Ran::new(&engine, POSTGRESQL);
    let oltp = ran.measured();
    // A select waits for nothing and a commit for a disk.
    let mean = |flow: &str| oltp[flow]["mean_us"].as_f64().unwrap();
    assert!(mean("write_latency") > 10.0 * mean("read_latency"), "{oltp}");
    let database = &oltp["database"];
    assert!(database["wal_bytes"].as_f64() > Some(300.0), "{database}");
    assert!(database["buffer_hits"].as_f64() > Some(0.9), "{database}");
    // A select that waits for nothing takes the 30 us that are charged for it, its system calls and task switches, and
    // pgbench begins it 50 us late: the slack of its timer.
    let select = ran.cell("select");
    let median = select["latency"]["p50_us"].as_f64().unwrap();
    assert!((80.0..120.0).contains(&median), "{median} us: {select}");
    assert!(ran.has("settings.csv", "shared_buffers,64MB,configuration file"), "{}", ran.stderr);
    let seeds = ran.seeds("--random-seed=");
    assert!(seeds.len() == 2 && seeds[0] != seeds[1], "ramp and measurement: {seeds:?}");
    let reason = ran.refusal();
    assert!(reason.contains("PostgreSQL: ") && reason.contains("WAL streaming"), "{reason}");
}

#[test]
fn sqlite_is_measured_and_a_commit_costs_what_its_journal_syncs() {
    let Some(engine) = engine() else { return };
    // Clients end with the transaction under way, one of which may wait for a lock for half a second.
    let lab = format!("{SERVER}{SQLITE}").replace("runtime = \"2s\"", "runtime = \"20s\"");
    let ran = Ran::of(&engine, &lab);
    let oltp = ran.measured();
    let mean = |cell: &Value, flow: &str| cell[flow]["mean_us"].as_f64().unwrap();
    // A commit waits for a disk of 7200 rpm, behind those of other clients; a read does not.
    assert!(mean(oltp, "write_latency") > 5000.0, "{oltp}");
    assert!(mean(oltp, "write_latency") > 10.0 * mean(oltp, "read_latency"), "{oltp}");
    assert!(oltp["write_latency"]["p99_us"].as_f64() > Some(5000.0), "{oltp}");
    let rollback = ran.cell("rollback");
    assert_eq!(rollback["trials"]["failed"], 0, "{rollback}: {}", ran.stderr);
    // A write-ahead log is synced once for a commit; a rollback journal is, and the database after it.
    let rate = |cell: &Value| cell["throughput"]["value"].as_f64().unwrap();
    assert!(rate(rollback) < 0.7 * rate(oltp), "{rollback} {oltp}");
    assert!(ran.has("result.json", "SQLite 3."), "{}", ran.stderr);
}

/// Measures a lab of sysbench, whose second workload the server refuses; none if there is no such server here.
fn sysbench_ran(family: Server, lab: &str) -> Option<Ran> {
    let engine = engine()?;
    if !has(family) {
        return None;
    }
    let ran = Ran::new(&engine, lab);
    let oltp = ran.measured();
    // A commit waits for redo and binary log on a disk.
    assert!(oltp["write_latency"]["mean_us"].as_f64() > Some(5000.0), "{oltp}");
    let database = &oltp["database"];
    assert_eq!(database["server"], "mysql");
    assert!(database["redo_bytes"].as_f64() > Some(300.0), "{database}");
    assert!(database["buffer_hits"].as_f64() > Some(0.9), "{database}");
    assert!(ran.has("settings.tsv", "innodb_buffer_pool_size\t67108864"), "{}", ran.stderr);
    let seeds = ran.seeds("--rand-seed=");
    assert!(seeds.len() == 2 && seeds[0] != seeds[1], "ramp and measurement: {seeds:?}");
    Some(ran)
}

#[test]
fn mariadb_is_measured_and_a_server_that_does_not_start_says_why() {
    let Some(ran) = sysbench_ran(Server::Mariadb, MARIADB) else { return };
    // MySQL does not count it.
    let group = &ran.measured()["database"]["binlog_group"];
    assert!(group.as_f64() > Some(0.9), "{group}");
    let changed = "the server uses innodb_log_write_ahead_size = 4096 instead of the lab’s 16384";
    assert!(ran.has("result.json", changed), "{}", ran.stderr);
    let reason = ran.refusal();
    assert!(reason.contains("MariaDB: ") && reason.contains("innodb_buffer_pool_size"), "{reason}");
}

#[test]
fn mysql_is_measured_and_a_server_that_does_not_start_says_why() {
    let refused = "gtid_mode = \"ON\"\nenforce_gtid_consistency = \"OFF\"";
    let lab = MARIADB.replace("innodb_buffer_pool_size = \"2M\"", refused);
    let lab = lab.replace(".mariadb]", ".mysql]");
    let Some(ran) = sysbench_ran(Server::Mysql, &lab) else { return };
    let reason = ran.refusal();
    assert!(reason.contains("MySQL: ") && reason.contains("ENFORCE_GTID_CONSISTENCY"), "{reason}");
}
