//! Databases as workloads: what a lab says of them, and what is wrong with it.

mod common;

use common::*;
use lab::campaign::{Program, Protocol};
use lab::model::{HostLimits, estimate, resolve};

/// [`BASE`] with a database instead of its workload.
fn with(client: &str, more: &str) -> String {
    with_database(["pgdata", "pgwal"], "pgbench", client, more)
}

const CLIENT: &str = "scale = 20000\nclients = 128\n";

#[test]
fn a_database_is_read_with_its_server_and_places() {
    let text = with(
        "scale = 20000\nclients = 128\nthreads = 4\nprotocol = \"prepared\"\nscript = [\"tpcb-like\", \"select-only@9\"]\nversion = \"15\"\n",
        "[workloads.oltp.postgresql]\nshared_buffers = \"64GB\"\nfull_page_writes = false\nrandom_page_cost = 1.1\n\
         [workloads.oltp.directories]\ndata = \"pgdata\"\nwal = \"pgwal\"\n",
    );
    let campaign = campaign(&text);
    let workload = &campaign.workloads[0];
    let Program::Pgbench(pgbench) = &workload.program else {
        panic!("{workload:?}");
    };
    assert_eq!((pgbench.scale, pgbench.clients, pgbench.threads), (20_000, 128, 4));
    assert_eq!((pgbench.protocol, pgbench.version), (Protocol::Prepared, Some(15)));
    let scripts: Vec<_> = pgbench.scripts.iter().map(|s| (s.name.as_str(), s.weight)).collect();
    assert_eq!(scripts, [("tpcb-like", 1), ("select-only", 9)]);
    assert_eq!(pgbench.settings["full_page_writes"], "off");
    assert_eq!(pgbench.settings["random_page_cost"], "1.1");
    assert_eq!(workload.dataset, "pgdata");
    assert_eq!(pgbench.directories.wal.as_deref(), Some("pgwal"));
}

#[test]
fn the_size_scale_follows_from_the_tables() {
    let campaign = campaign(&with(CLIENT, ""));
    let model = resolve(&campaign, &HostLimits::MACHINE).unwrap();
    assert!(model.size > 10.0, "314 GB do not fit a machine: {}", model.size);
    let notes = model.notes.join("\n");
    assert!(notes.contains("max_wal_size"), "{notes}");
}

#[test]
fn a_stated_rate_is_what_a_trial_is_expected_to_take() {
    let wall = |more: &str| {
        let campaign = campaign(&with(&format!("{CLIENT}{more}"), ""));
        let model = resolve(&campaign, &HostLimits::MACHINE).unwrap();
        estimate(&campaign, &model).wall_s
    };
    let (closed, none) = (wall(""), wall("rate = 1\n"));
    // Ten times the transactions of a second, and nothing else.
    let per_rate = (wall("rate = 11\n") - none) / 10.0;
    assert!(per_rate > 0.0, "{none}");
    assert!((wall("rate = 101\n") - none - 100.0 * per_rate).abs() < 1e-6);
    assert!(closed > none, "{closed} {none}");
}

#[track_caller]
fn refused(client: &str, more: &str, place: &str, message: &str, fix: &str) {
    has_mistake(&with(client, more), place, message, fix);
}

#[test]
fn each_mistake_has_its_place_and_its_fix() {
    let server = |line: &str| format!("[workloads.oltp.postgresql]\n{line}\n");
    refused("clients = 128\n", "", "pgbench", "has no scale", "scale = 1000");
    refused("scale = 0\nclients = 1\n", "", "0", "`scale` cannot be 0", "1 to 100000");
    refused(
        "scale = 1\nclients = 2\nthreads = 3\n",
        "",
        "3",
        "3 threads but only 2 clients",
        "set `threads` to 2",
    );
    refused(
        &format!("{CLIENT}script = \"select_only\"\n"),
        "",
        "\"select_only\"",
        "cannot read the script",
        "did you mean `select-only`",
    );
    refused(
        &format!("{CLIENT}script = \"tpcb-like@x\"\n"),
        "",
        "\"tpcb-like@x\"",
        "not a valid script weight",
        "select-only@9",
    );
    refused(
        &format!("{CLIENT}protocol = \"fast\"\n"),
        "",
        "\"fast\"",
        "cannot be `fast`",
        "prepared",
    );
    refused(
        &format!("{CLIENT}version = \"fifteen\"\n"),
        "",
        "\"fifteen\"",
        "not a version",
        "\"15\"",
    );
    refused(
        CLIENT,
        &server("shared_bufers = \"1GB\""),
        "shared_bufers",
        "no setting",
        "did you mean `shared_buffers`",
    );
    refused(CLIENT, &server("shared_buffers = \"64G\""), "\"64G\"", "cannot be", "8GB");
    refused(
        CLIENT,
        &server("shared_buffers = \"4TB\""),
        "postgresql",
        "machine has only 128G of memory",
        "a quarter",
    );
    refused(CLIENT, &server("port = 5432"), "port", "a lab cannot set", "Unix socket");
    refused(
        CLIENT,
        &server("max_connections = 100"),
        "postgresql",
        "too few for 128 clients",
        "132 or more",
    );
    refused(
        CLIENT,
        "[workloads.oltp.directories]\nwal = \"pglog\"\n",
        "\"pglog\"",
        "no variant has a dataset",
        "pgdata",
    );
    refused(CLIENT, "[workloads.oltp]\nsize = \"1G\"\n".replace("[workloads.oltp]\n", "[workloads.other]\nfio = \"jobs/sync.fio\"\npgbench = { scale = 1, clients = 1 }\n").as_str(), "pgbench", "two programs", "a workload of its own");
}

#[test]
fn a_database_needs_a_runtime() {
    let text = with(CLIENT, "").replace("[method]\nruntime = \"10s\"\n", "");
    has_mistake(&text, "pgbench", "[method] has no runtime, which pgbench needs", "[method]");
    let wrong = with(CLIENT, "").replace("runtime = \"10s\"", "runtime = \"-5s\"");
    let mistakes = lab::load("lab.toml", &wrong, &lab::NoFiles, &lab::Profiles::builtin());
    let mistakes = mistakes.expect_err("a runtime is not negative");
    assert_eq!(mistakes.len(), 1, "a wrong runtime is no missing one: {mistakes:#?}");
}

#[test]
fn where_a_pool_has_datasets_a_file_system_has_directories() {
    let variants = "[variants.zfs]\n[variants.xfs]\nstack = \"md\"\nmd = \"raid10 hdd[0-3]\"\n";
    let places = |wal: &str| {
        format!("[workloads.oltp.directories]\ndata = \"pgdata\"\nwal = \"{wal}\"\n{variants}")
    };
    let text =
        with(CLIENT, &places("pgwal")).replace("[method]\n", "[method]\nbaseline = \"zfs\"\n");
    let campaign = campaign(&text);
    assert_eq!(names(&campaign), ["zfs", "xfs"]);
    let Program::Pgbench(pgbench) = &campaign.workloads[0].program else { panic!("no pgbench") };
    assert_eq!(pgbench.directories.wal.as_deref(), Some("pgwal"));
    // Of the pool the dataset is still asked for.
    refused(CLIENT, &places("nowhere"), "\"nowhere\"", "no variant has a dataset", "");
}
