//! `poolwright powercut` on honest drives and on drives that lie about flushes. These tests need an engine.

#[path = "with_engine/mod.rs"]
mod with_engine;

use bench::programs::Postgresql;
use lab::mysql::Server;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use with_engine::{engine, has, skipped};

/// A pool whose log is on a drive with a volatile cache, which has a flush in the lab.
fn lab(flush: &str) -> String {
    format!(
        r#"
title = "A lab for tests"
[host]
memory = "128G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
ssd = {{ profile = "nvme-consumer-1t", count = 1, flush = "{flush}" }}
[pool]
ashift = 12
vdevs = "mirror hdd[0-1] log ssd0"
[workloads.sync]
fio.job = """
[j]
rw=randwrite
bs=8k
size=1G
fsync=1
"""
[scale]
size = 16
dirty_data_max = "256M"
"#
    )
}

/// A database on a mirror of disks.
fn database(workload: &str) -> String {
    format!(
        r#"
title = "A database for tests"
[host]
memory = "4G"
cores = 4
[drives]
hdd = "2x hdd-7200-8t"
[pool]
ashift = 12
vdevs = "mirror hdd[0-1]"
{workload}
[method]
runtime = "10s"
[scale]
size = 1
"#
    )
}

/// PostgreSQL with a setting of its own.
fn postgresql(setting: &str) -> String {
    database(&format!(
        "[workloads.oltp.pgbench]\nscale = 1\nclients = 2\n[workloads.oltp.postgresql]\n{setting}"
    ))
}

/// MariaDB or MySQL with a setting of its own.
fn mysql(family: Server, setting: &str) -> String {
    let sysbench = "[workloads.oltp.sysbench]\ntables = 1\ntable_size = 5000\nthreads = 2";
    database(&format!("{sysbench}\n[workloads.oltp.{}]\n{setting}", family.section()))
}

/// A directory with a lab and a store.
struct Cut(TempDir);

impl Cut {
    fn new(lab: &str) -> Cut {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("lab.toml"), lab).unwrap();
        Cut(place)
    }

    /// `poolwright powercut lab.toml`; none without an engine.
    fn command(&self, arguments: &[&str]) -> Option<Command> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_poolwright"));
        command
            .args(["powercut", "lab.toml", "--store", "store", "--seconds", "2"])
            .args(arguments)
            .current_dir(self.0.path())
            .env("POOLWRIGHT_ENGINE", engine()?)
            .env("XDG_CACHE_HOME", self.0.path().join("cache"));
        Some(command)
    }

    /// Exit code, report and what went to standard error.
    fn run(&self, arguments: &[&str]) -> Option<(i32, Value, String)> {
        let output = self.command(arguments)?.arg("--json").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let report =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}"));
        Some((output.status.code().unwrap(), report, error))
    }
}

/// The crash states of a report that are no control.
fn states(report: &Value) -> &[Value] {
    let runs = report["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["synchronous"] == true).unwrap();
    run["states"].as_array().unwrap()
}

/// Options of a few power cuts.
const POWER_CUTS: &[&str] = &["--states", "2"];
/// Options of a few crashes of the server alone. At one of ten moments PostgreSQL has just written all, so that one crash
/// would show nothing.
const SERVER_CRASHES: &[&str] = &["--server-crash", "--states", "3"];

/// Exit code, and of the crash states that are no control: how many, and acknowledged and lost blocks or commits.
fn cut(lab: &str) -> Option<(i32, [u64; 3])> {
    counted(lab, POWER_CUTS)
}

/// The same with other options.
fn counted(lab: &str, options: &[&str]) -> Option<(i32, [u64; 3])> {
    let (code, report, _) = Cut::new(lab).run(options)?;
    let states = states(&report);
    let sum = |what: &str| states.iter().map(|s| s[what].as_u64().unwrap()).sum();
    Some((code, [states.len() as u64, sum("acknowledged"), sum("lost")]))
}

/// Crash states of a database that keeps what it acknowledged, and of one with a setting that loses.
fn keeps_and_loses(safe: &str, losing: &str, options: &[&str]) {
    let number = options.last().unwrap().parse().unwrap();
    let Some((code, [states, acknowledged, lost])) = counted(safe, options) else {
        return;
    };
    assert_eq!((code, states, lost), (0, number, 0));
    assert!(acknowledged > 20, "{acknowledged}");
    let (code, [states, _, lost]) = counted(losing, options).unwrap();
    assert_eq!((code, states), (1, number));
    assert!(lost > 0, "nothing was lost");
}

#[test]
fn a_log_drive_that_lies_about_flushes_loses_acknowledged_writes_and_an_honest_one_does_not() {
    let Some((code, [states, acknowledged, lost])) = cut(&lab("honest")) else {
        return;
    };
    assert_eq!((code, states, lost), (0, 2, 0));
    assert!(acknowledged > 100, "{acknowledged}");
    let (code, [states, _, lost]) = cut(&lab("lies")).unwrap();
    assert_eq!((code, states), (1, 2));
    assert!(lost > 0, "nothing was lost");
}

#[test]
fn a_database_keeps_acknowledged_commits_and_without_synchronous_commit_it_does_not() {
    if let Err(why) = Postgresql::find(None) {
        return skipped(&why.to_string());
    }
    let losing = postgresql("synchronous_commit = \"off\"");
    keeps_and_loses(&postgresql(""), &losing, POWER_CUTS);
}

/// The same of MariaDB or MySQL, if it is here.
fn mysql_keeps_and_loses(family: Server) {
    if !has(family) {
        return;
    }
    let losing = mysql(family, "innodb_flush_log_at_trx_commit = 0");
    keeps_and_loses(&mysql(family, ""), &losing, POWER_CUTS);
}

#[test]
fn mariadb_keeps_acknowledged_commits_and_without_a_flush_at_each_commit_it_does_not() {
    mysql_keeps_and_loses(Server::Mariadb);
}

#[test]
fn mysql_keeps_acknowledged_commits_and_without_a_flush_at_each_commit_it_does_not() {
    mysql_keeps_and_loses(Server::Mysql);
}

#[test]
fn postgresql_that_is_killed_keeps_commits_and_without_synchronous_commit_it_does_not() {
    if let Err(why) = Postgresql::find(None) {
        return skipped(&why.to_string());
    }
    // What the operating system has, a crash of the server alone does not lose.
    let unsynced = postgresql("fsync = \"off\"");
    let losing = postgresql("synchronous_commit = \"off\"");
    keeps_and_loses(&unsynced, &losing, SERVER_CRASHES);
}

#[test]
fn mariadb_that_is_killed_keeps_what_it_wrote_and_loses_what_it_did_not_write() {
    if !has(Server::Mariadb) {
        return;
    }
    let at_commit =
        |value| mysql(Server::Mariadb, &format!("innodb_flush_log_at_trx_commit = {value}"));
    keeps_and_loses(&at_commit(2), &at_commit(0), SERVER_CRASHES);
}

#[test]
fn only_a_server_can_be_killed() {
    let place = Cut::new(&lab("honest"));
    let Some(mut command) = place.command(&["--server-crash"]) else {
        return;
    };
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("workload `sync` has none: choose one with pgbench"), "{error}");
}

#[test]
fn a_stopped_command_resumes_and_gives_the_same_states() {
    let place = Cut::new(&lab("honest"));
    let Some(mut stopped) = place.command(&["--states", "3", "--jobs", "1"]) else {
        return;
    };
    let mut child = stopped.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    // A tenth of six states is less than one, so each has a line.
    let first = lines.find(|line| line.contains("/6 crash states")).unwrap();
    assert!(first.starts_with("1/6"), "{first}");
    let child_id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(child_id, rustix::process::Signal::INT).unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(
        rest.iter().any(|line| line.contains("of 6 crash states are saved. Run the same command")),
        "{rest:?}"
    );
    let (code, resumed, error) = place.run(&["--states", "3"]).unwrap();
    assert_eq!(code, 0);
    assert!(error.contains(" of 6 crash states are saved\n"), "{error}");
    let (_, again, error) = place.run(&["--states", "3"]).unwrap();
    assert!(error.contains("6 of 6 crash states are saved\n"), "{error}");
    assert!(!error.contains("recording"), "nothing is left to do: {error}");
    let (_, fresh, _) = Cut::new(&lab("honest")).run(&["--states", "3"]).unwrap();
    assert_eq!(resumed, fresh);
    assert_eq!(again, fresh);
}

#[test]
fn a_state_without_a_machine_of_its_own_is_what_a_machine_finds() {
    // Disks acknowledge so seldom that many cuts fall between the same two acknowledgements.
    let disks = lab("honest").replace(" log ssd0", "");
    let Some((code, report, _)) = Cut::new(&disks).run(&["--states", "60"]) else {
        return;
    };
    assert_eq!(code, 0, "{report:#}");
    let found = states(&report);
    let mut by_time: Vec<&Value> = found.iter().collect();
    by_time.sort_by(|a, b| a["at_s"].as_f64().partial_cmp(&b["at_s"].as_f64()).unwrap());
    let like_an_earlier_one = by_time.iter().enumerate().filter(|(number, state)| {
        by_time[..*number].iter().any(|before| before["contents_read"] == state["contents_read"])
    });
    let shared: Vec<&Value> = like_an_earlier_one.map(|(_, state)| *state).collect();
    assert!(shared.len() > 4, "{} of {}", shared.len(), found.len());
    // Some of them are other contents, with writes that recovery does not read.
    let differ = |state: &&&Value| state["unflushed"] != 0;
    assert!(shared.iter().any(|state| differ(&state)), "{shared:?}");
    for state in shared.iter().take(3) {
        let seed = state["seed"].to_string();
        let (_, report, _) = Cut::new(&disks).run(&["--state", &seed]).unwrap();
        assert_eq!(states(&report), [(*state).clone()]);
    }
}

#[test]
fn faults_within_the_redundancy_lose_nothing_and_the_same_fault_of_a_single_log_does() {
    let pool = lab("honest").replace("mirror hdd[0-1] log ssd0", "raidz2 hdd[0-4]");
    let pool = pool.replace("2x hdd", "5x hdd");
    let Some((code, report, _)) = Cut::new(&pool).run(&["--faults", "--states", "4"]) else {
        return;
    };
    let found = states(&report);
    assert_eq!(code, 0, "{report:#}");
    assert!(found.iter().all(|state| !state["drive_faults"].as_array().unwrap().is_empty()));
    let silent = found.iter().map(|state| state["silent_errors"].as_u64().unwrap());
    let silent: u64 = silent.sum();
    let kinds = format!("{found:?}");
    assert!(silent > 0 || kinds.contains("lied") || kinds.contains("come back"), "{kinds}");
    for (fault, protected) in [("lies", false), ("lost-writes", false), ("lies", true)] {
        let pool = match protected {
            false => lab("honest"),
            true => lab("honest")
                .replace("count = 1", "count = 2")
                .replace("log ssd0", "log mirror ssd[0-1]"),
        };
        let fail = format!("ssd0:{fault}");
        let (code, report, _) = Cut::new(&pool).run(&["--fail", &fail, "--states", "3"]).unwrap();
        let lost: u64 = states(&report).iter().map(|state| state["lost"].as_u64().unwrap()).sum();
        assert_eq!((code, lost > 0), (i32::from(!protected), !protected), "{fault}: {report:#}");
    }
}

#[test]
fn a_crash_state_is_opened_in_a_shell() {
    let Some(engine) = engine() else {
        return;
    };
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("lab.toml"), lab("honest")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["powercut", "lab.toml", "--replay", "3", "--seconds", "2"])
        .current_dir(place.path())
        .env("POOLWRIGHT_ENGINE", engine)
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let commands = "zpool list\nzpool import -d /dev tank && ls /run/pool | head -1\nexit 7\n";
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(7), "{text}");
    assert!(text.contains("no pools available") && text.contains("writer-0-0"), "{text}");
}

/// A file system on one drive that has a volatile cache.
fn on_one_drive(flush: &str) -> String {
    format!(
        r#"
title = "A file system for tests"
stack = "ext4"
drive = "ssd0"
[host]
memory = "4G"
cores = 4
[drives]
ssd = {{ profile = "nvme-consumer-1t", count = 1, flush = "{flush}" }}
[workloads.files]
dataset = "files"
fio.job = """
[files]
rw=randwrite
bs=4k
size=256M
fsync=1
runtime=8
"""
[scale]
size = 1
"#
    )
}

#[test]
fn a_file_system_keeps_acknowledged_writes_and_over_a_drive_that_lies_it_does_not() {
    let Some((code, [number, acknowledged, lost])) = cut(&on_one_drive("honest")) else {
        return;
    };
    assert_eq!((code, number, lost), (0, 2, 0));
    assert!(acknowledged > 100, "{acknowledged}");
    let (code, report, _) = Cut::new(&on_one_drive("lies")).run(&["--states", "4"]).unwrap();
    let damaged = |state: &Value| state["lost"] != 0 || state["unusable"].is_string();
    assert_eq!((code, states(&report).iter().any(damaged)), (1, true));
}

#[test]
fn a_raid_5_loses_acknowledged_writes_with_a_drive_that_fails_at_the_cut() {
    let disks = on_one_drive("honest")
        .replace(
            "stack = \"ext4\"\ndrive = \"ssd0\"",
            "stack = \"md\"\nmd = \"raid5 hdd[0-3] chunk=64K\"",
        )
        .replace("[drives]", "[drives]\nhdd = \"4x hdd-7200-8t\"");
    let place = Cut::new(&disks);
    let Some((code, report, _)) = place.run(&["--states", "2"]) else {
        return;
    };
    assert_eq!(code, 0, "with all of its drives it is resynced: {report:#}");
    let (code, report, _) = place.run(&["--states", "20", "--fail", "hdd0:cut"]).unwrap();
    let found = states(&report);
    // One state in five loses: 24 of 120 with two engines (powercut-raid5, seeds 500 to 559).
    assert_eq!(code, 1, "{report:#}");
    assert!(found.iter().all(|state| state["opened"] == "forced"), "{report:#}");
    let refused = place.command(&["--faults"]).unwrap().output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.contains("has none left: choose another variant"), "{error}");
}

#[test]
fn a_full_dataset_refuses_writes_and_keeps_those_that_it_acknowledged() {
    // Near its quota a writer waits for the transaction group, which an SSD writes soon.
    let full = lab("honest")
        .replace("hdd = \"2x hdd-7200-8t\"", "")
        .replace("mirror hdd[0-1] log ssd0", "ssd0")
        .replace(
            "[workloads.sync]",
            "[datasets.db]\nquota = \"32M\"\n[workloads.sync]\ndataset = \"db\"",
        )
        .replace("size=1G", "size=512M\nruntime=8\ntime_based");
    let place = Cut::new(&full);
    let Some((_, report, _)) = place.run(&["--states", "3"]) else {
        return;
    };
    let refused = place.command(&["--faults"]).unwrap().output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "one drive has no redundancy");
    // The control may lose nothing: its transaction groups are written soon, too.
    let kept = |state: &Value| state["lost"] == 0 && state["unusable"].is_null();
    assert!(states(&report).iter().all(kept), "{report:#}");
    let run = report["runs"].as_array().unwrap().iter().find(|run| run["synchronous"] == true);
    let problems = run.unwrap()["problems"].to_string();
    assert!(problems.contains("quota exceeded"), "{problems}");
    assert!(states(&report).iter().any(|state| state["acknowledged"].as_u64() > Some(50)));
}

#[test]
fn sqlite_keeps_acknowledged_commits_and_with_synchronous_normal_it_does_not() {
    let sqlite = |setting: &str| {
        database(&format!(
            "[workloads.app.sqlite]\nrows = 5000\nclients = 2\nwrites = 1\n{setting}"
        ))
    };
    keeps_and_loses(&sqlite(""), &sqlite("synchronous = \"normal\""), POWER_CUTS);
}
