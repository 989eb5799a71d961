//! A lab's pool is made as `check` says of it, whatever the lab states beside what the model shows.
#![cfg(feature = "engine")]

mod process;

use poolfs::protocol::Request;
use process::{Process, built};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A pool with these properties and sections after it; its process, where everything of it lies, and where
/// to mount it.
fn made(properties: &str, sections: &str) -> (Process, TempDir, PathBuf) {
    let lab = format!(
        r#"
title = "create"
openzfs = "2.3"
[host]
memory = "4G"
cores = 2
[drives]
ssd = "2x pm883-3.84t"
[pool]
ashift = 12
vdevs = "mirror ssd[0-1]"
{properties}
{sections}
[workloads.w]
fio.job = "[w]\nrw=write\nsize=1g\nruntime=1\ntime_based=1\n"
[scale]
size = 8
dirty_data_max = "64M"
"#
    );
    built(&lab)
}

#[test]
fn a_pool_property_that_changes_nothing_in_the_model_does_not_keep_the_pool_from_being_made() {
    let properties = r#"
failmode = "continue"
comment = "a model"
compatibility = "off"
multihost = "on"
dedup_table_quota = "10G"
"feature@lz4_compress" = "enabled"
"#;
    let (process, _place, _) = made(properties, "");
    process.stop();
}

#[test]
fn a_dataset_whose_parents_the_lab_leaves_out_gets_them_as_by_zfs_create_p() {
    let sections = r#"
[datasets.a]
recordsize = "64K"
[datasets."a/b/c"]
recordsize = "16K"
[datasets."db/pg"]
[datasets."db/wal"]
"#;
    let (mut process, _place, dir) = made("", sections);
    process.mount("a/b/c", &dir);
    fs::write(dir.join("file"), b"there").unwrap();
    process.ask(Request::Drain).unwrap();
    process.ask(Request::Reopen).unwrap();
    assert_eq!(fs::read(dir.join("file")).unwrap(), b"there");
    process.stop();
}
