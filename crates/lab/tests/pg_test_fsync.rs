//! pg_test_fsync as a workload: what a lab says of it, and what is wrong with it.

mod common;

use common::*;
use lab::campaign::{PgTestFsync, Program, SyncMethod};
use lab::model::{HostLimits, estimate, resolve};

/// [`BASE`] with pg_test_fsync instead of its workload.
fn with(client: &str, more: &str) -> String {
    with_database(["db", "log"], "pg_test_fsync", client, more)
}

#[test]
fn a_test_is_read_with_its_dataset() {
    let text = with("method = \"fsync\"\nwrites = 2\nversion = \"15\"\n", "");
    let text = text.replace(
        "[workloads.oltp.pg_test_fsync]",
        "[workloads.oltp]\ndataset = \"log\"\n[workloads.oltp.pg_test_fsync]",
    );
    let campaign = campaign(&text);
    let workload = &campaign.workloads[0];
    let stated = PgTestFsync { method: SyncMethod::Fsync, writes: 2, version: Some(15) };
    assert_eq!(workload.program, Program::PgTestFsync(stated));
    assert_eq!(
        (workload.dataset.as_str(), &*workload.program.runs()),
        ("log", "fsync of two writes")
    );
}

#[test]
fn by_default_postgresql_s_own_method_is_compared() {
    let campaign = campaign(&with("", ""));
    let stated = PgTestFsync { method: SyncMethod::Fdatasync, writes: 1, version: None };
    assert_eq!(campaign.workloads[0].program, Program::PgTestFsync(stated));
    assert_eq!(campaign.workloads[0].dataset, "");
}

#[test]
fn its_file_bounds_no_scale_and_a_trial_takes_all_tests() {
    let campaign = campaign(&with("", ""));
    let model = resolve(&campaign, &HostLimits::MACHINE).unwrap();
    assert!(model.size > 4.0, "the memory of the host bounds it, not a file: {}", model.size);
    let estimate = estimate(&campaign, &model);
    let runtime = campaign.method.runtime_s.unwrap();
    assert_eq!(estimate.virtual_s, estimate.trials as f64 * 16.0 * runtime);
}

#[track_caller]
fn refused(client: &str, place: &str, message: &str, fix: &str) {
    has_mistake(&with(client, ""), place, message, fix);
}

#[test]
fn each_mistake_has_its_place_and_its_fix() {
    refused("method = \"fdatsync\"\n", "\"fdatsync\"", "cannot be", "did you mean `fdatasync`");
    refused("writes = 3\n", "3", "cannot be 3", "1 to 2");
    refused("method = \"write\"\nwrites = 2\n", "writes", "not synced", "remove it");
    refused("version = \"new\"\n", "\"new\"", "not a version of PostgreSQL", "\"15\"");
    refused("sync = true\n", "sync", "no key `sync`", "method");
    let text = with("", "");
    let beside = |key: &str| {
        text.replace(
            "[workloads.oltp.pg_test_fsync]",
            &format!("[workloads.oltp]\n{key}\n[workloads.oltp.pg_test_fsync]"),
        )
    };
    has_mistake(
        &beside("rates = [100]"),
        "oltp",
        "`rates` cannot be used with pg_test_fsync",
        "immediately",
    );
    has_mistake(
        &beside("size = \"1G\""),
        "oltp",
        "`size` cannot be used with pg_test_fsync",
        "16 MiB",
    );
    let short = text.replace("runtime = \"10s\"", "runtime = \"2s\"");
    assert_ne!(short, text);
    has_mistake(&short, "pg_test_fsync", "runtime = 2 s is too short", "3s");
}
