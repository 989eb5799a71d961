//! MariaDB and MySQL with sysbench as a workload: what a lab says of it, and what is wrong with it.

mod common;

use common::*;
use lab::campaign::Program;
use lab::model::{HostLimits, resolve};
use lab::mysql::Server;

/// [`BASE`] with a database instead of its workload.
fn with(client: &str, more: &str) -> String {
    with_database(["db", "redo"], "sysbench", client, more)
}

const CLIENT: &str = "tables = 16\ntable_size = 50000000\nthreads = 64\n";

#[test]
fn a_database_is_read_with_its_server_and_places() {
    let text = with(
        &format!(
            "{CLIENT}script = \"oltp_write_only\"\nrand_type = \"uniform\"\nskip_trx = true\nindex_updates = 4\nversion = \"10.11\"\n"
        ),
        "[workloads.oltp.mariadb]\ninnodb_buffer_pool_size = \"64G\"\ninnodb-doublewrite = false\nsync_binlog = 1\nlog_bin = true\n\
         [workloads.oltp.directories]\ndata = \"db\"\nredo = \"redo\"\n",
    );
    let campaign = campaign(&text);
    let workload = &campaign.workloads[0];
    let Program::Sysbench(sysbench) = &workload.program else {
        panic!("{workload:?}");
    };
    assert_eq!((sysbench.tables, sysbench.table_size, sysbench.threads), (16, 50_000_000, 64));
    assert_eq!((sysbench.script.as_str(), sysbench.version), ("oltp_write_only", Some(1011)));
    assert_eq!(sysbench.options["rand_type"], "uniform");
    assert_eq!((&*sysbench.options["skip_trx"], &*sysbench.options["index_updates"]), ("on", "4"));
    assert_eq!(sysbench.settings["innodb_doublewrite"], "off");
    assert_eq!(sysbench.settings["sync_binlog"], "1");
    assert_eq!(
        (workload.dataset.as_str(), sysbench.directories.redo.as_deref()),
        ("db", Some("redo"))
    );
}

#[test]
fn the_size_scale_follows_from_the_tables() {
    let campaign = campaign(&with(CLIENT, ""));
    let model = resolve(&campaign, &HostLimits::MACHINE).unwrap();
    assert!(model.size > 10.0, "198 GB do not fit a machine: {}", model.size);
    let notes = model.notes.join("\n");
    assert!(notes.contains("innodb_buffer_pool_size"), "{notes}");
}

#[test]
fn settings_of_a_server_that_no_workload_has_are_warned_of() {
    let warnings = |text: &str| -> Vec<String> {
        let (_, diagnostics) = read(text).unwrap();
        let lines = lines(text, &diagnostics);
        lines.into_iter().filter(|line| line.contains("no workload has a server")).collect()
    };
    let variants = "[variants.single]\nmysql.innodb_doublewrite = 0\n";
    let found = warnings(&with(CLIENT, variants));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("mysql | ") && found[0].contains("`mariadb`"), "{found:?}");
    let found = warnings(&format!("{BASE}[postgresql]\nfsync = \"off\"\n"));
    assert_eq!(found.len(), 1, "{found:?}");
    let factor = "[factors]\npostgresql.fsync = [\"on\", \"off\"]\n";
    assert_eq!(warnings(&format!("{BASE}{factor}")).len(), 1);
    assert_eq!(warnings(&with(CLIENT, &variants.replace("mysql", "mariadb"))), [""; 0]);
}

#[test]
fn a_variant_s_settings_replace_those_of_the_workload() {
    let server = "[workloads.oltp.mariadb]\nsync_binlog = 1\ninnodb_doublewrite = 1\n";
    let variants = "[variants.single]\nmariadb.innodb_doublewrite = 0\n";
    let campaign = campaign(&with(CLIENT, &format!("{server}{variants}")));
    let settings =
        |variant: usize| match campaign.workloads[0].on(&campaign.variants[variant]).program {
            Program::Sysbench(sysbench) => sysbench.settings,
            other => panic!("{other:?}"),
        };
    assert_eq!(settings(0)["innodb_doublewrite"], "1");
    assert_eq!(settings(1)["innodb_doublewrite"], "0");
    assert_eq!(settings(1)["sync_binlog"], "1");
}

#[test]
fn a_mysql_server_is_read_by_its_own_settings() {
    let server = "[workloads.oltp.mysql]\ninnodb_redo_log_capacity = \"2G\"\n";
    let variants = "[variants.once]\nmysql.innodb_doublewrite = \"off\"\n";
    let client = format!("{CLIENT}version = \"8.4\"\n");
    let campaign = campaign(&with(&client, &format!("{server}{variants}")));
    let Program::Sysbench(sysbench) = campaign.workloads[0].on(&campaign.variants[1]).program
    else {
        panic!("{:?}", campaign.workloads);
    };
    assert_eq!((sysbench.server, sysbench.version), (Server::Mysql, Some(804)));
    assert_eq!(sysbench.settings["innodb_doublewrite"], "off");
    assert!(sysbench.logs_binary(), "its default");
}

#[test]
fn a_number_that_the_server_adjusts_is_a_note() {
    let text = with(CLIENT, "[workloads.oltp.mariadb]\ninnodb_log_write_ahead_size = 16384\n");
    let Ok((_, notes)) = read(&text) else { panic!("refused") };
    let notes = lines(&text, &notes).join("\n");
    assert!(notes.contains("uses 4096 instead of 16384"), "{notes}");
}

#[track_caller]
fn refused(client: &str, more: &str, place: &str, message: &str, fix: &str) {
    has_mistake(&with(client, more), place, message, fix);
}

#[test]
fn each_mistake_has_its_place_and_its_fix() {
    let server = |line: &str| format!("[workloads.oltp.mariadb]\n{line}\n");
    refused("tables = 1\nthreads = 1\n", "", "sysbench", "has no table_size", "table_size = ");
    refused(
        &format!("{CLIENT}script = \"oltp_readwrite\"\n"),
        "",
        "\"oltp_readwrite\"",
        "cannot be",
        "did you mean `oltp_read_write`",
    );
    refused(
        &format!("{CLIENT}rand_type = \"zipf\"\n"),
        "",
        "\"zipf\"",
        "cannot be `zipf`",
        "pareto",
    );
    for fraction in ["rand_spec_iter = 12.5", "point_selects = 0.5"] {
        let (place, whole) = (fraction.split(" = ").last().unwrap(), "a whole number");
        refused(&format!("{CLIENT}{fraction}\n"), "", place, "must not be a float", whole);
    }
    campaign(&with(&format!("{CLIENT}rand_pareto_h = 0.5\n"), ""));
    refused(&format!("{CLIENT}version = \"ten\"\n"), "", "\"ten\"", "not a version", "\"10.11\"");
    refused(&format!("{CLIENT}version = 10.11\n"), "", "10.11", "must be a string", "\"10.11\"");
    refused(
        CLIENT,
        &server("innodb_bufer_pool_size = \"1G\""),
        "innodb_bufer_pool_size",
        "no setting",
        "did you mean `innodb_buffer_pool_size`",
    );
    refused(
        CLIENT,
        "[workloads.oltp.mariadb]\nsync_binlog = 1\n[workloads.oltp.mysql]\nsync_binlog = 1\n",
        "mysql",
        "in one workload",
        "keep the section",
    );
    refused(
        CLIENT,
        "[workloads.oltp.mysql]\ninnodb_encryption_threads = 1\n",
        "innodb_encryption_threads",
        "MySQL 9.7 has no setting",
        "mysqld --verbose --help",
    );
    refused(
        CLIENT,
        &server("innodb_doublewrite = \"maybe\""),
        "\"maybe\"",
        "cannot be",
        "OFF, ON, fast",
    );
    refused(
        CLIENT,
        &server("innodb_buffer_pool_size = \"4T\""),
        "mariadb",
        "machine has only 128G of memory",
        "set a smaller value",
    );
    refused(CLIENT, &server("port = 3306"), "port", "a lab cannot set", "Unix socket");
    refused(
        CLIENT,
        &server("log_bin = \"binlog\""),
        "\"binlog\"",
        "cannot be",
        "directories.binlog",
    );
    refused(
        CLIENT,
        "[workloads.oltp.directories]\nbinlog = \"bin\"\n",
        "\"bin\"",
        "no variant has a dataset",
        "db",
    );
    refused(
        CLIENT,
        "[workloads.other]\nsysbench = { tables = 1, table_size = 1, threads = 1 }\npgbench = { scale = 1, clients = 1 }\n",
        "sysbench",
        "two programs",
        "a workload of its own",
    );
}
