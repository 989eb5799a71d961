//! A scale model needs no privilege: a user without any mounts one in a user and mount namespace of
//! their own, and nothing is left of it when the process is gone.
#![cfg(feature = "engine")]

mod process;

use poolfs::protocol::Request;
use process::{Process, build, built, campaign, place, skipped, succeeds};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const LAB: &str = r#"
title = "unprivileged"
openzfs = "2.1"
[host]
memory = "4G"
cores = 2
[drives]
ssd = "2x pm883-3.84t"
[pool]
ashift = 12
vdevs = "mirror ssd[0-1]"
[workloads.w]
fio.job = "[w]\nrw=write\nsize=1g\nruntime=1\ntime_based=1\n"
[scale]
size = 8
dirty_data_max = "64M"
"#;

/// Words that start a program as a user without privilege: nobody, where we are root.
fn as_nobody() -> Vec<&'static str> {
    if rustix::process::geteuid().is_root() {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        [&["setpriv"][..], &nobody].concat()
    } else {
        Vec::new()
    }
}

/// The same in namespaces of their own, whose root that user is. No fork: the process stays ours.
fn in_namespaces() -> Vec<&'static str> {
    let unshare = ["unshare", "--user", "--map-root-user", "--mount"];
    [&as_nobody()[..], &unshare].concat()
}

fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn a_user_without_privilege_mounts_a_model_and_it_is_gone_with_its_process() {
    if !succeeds(&[&in_namespaces()[..], &["test", "-w", "/dev/fuse"]].concat()) {
        return skipped(
            "unprivileged: this system lets no unprivileged user make namespaces or open /dev/fuse; \
             fusermount3 is the second way",
        );
    }
    let (campaign, model) = campaign(LAB);
    let (place, store, dir) = place();
    fs::create_dir(&dir).unwrap();
    // A copy that nobody may run, wherever this tree lies.
    let poolfs = place.path().join("poolfs");
    fs::copy(env!("CARGO_BIN_EXE_poolfs"), &poolfs).unwrap();
    for path in [place.path(), &store, &dir, &poolfs] {
        open_to_all(path);
    }
    let mut process = Process::start_by(&in_namespaces(), &poolfs);
    let owner = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let uid = owner.lines().find(|l| l.starts_with("Uid:")).unwrap();
    assert!(!uid.contains("\t0\t"), "it has no privilege here: {uid}");
    let variant = &campaign.variants[0].name;
    process
        .ask(Request::Build(Box::new(build(
            &campaign, &model, variant, &store,
        ))))
        .unwrap();
    process.mount("", &dir);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "seen from outside");
    let pid = process.id().to_string();
    let inside = ["nsenter", "--target", &pid, "--user", "--mount"];
    let directory = format!("--directory={}", dir.display());
    let fio = [
        "fio",
        "--name=verified",
        &directory,
        "--rw=randwrite",
        "--bs=8k",
        "--size=4m",
        "--fsync=8",
        "--verify=crc32c",
        "--verify_fatal=1",
        "--verify_state_save=0",
    ];
    assert!(succeeds(&[&inside[..], &fio].concat()), "fio verifies");
    process.stop();
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(dir.to_str().unwrap()));
}

#[test]
fn a_parent_that_goes_away_takes_the_process_and_its_mount_along() {
    let (mut process, _place, dir) = built(LAB);
    process.mount("", &dir);
    fs::write(dir.join("file"), b"there").unwrap();
    assert!(
        process.abandon().success(),
        "the end of the channel is exit 0"
    );
    assert!(fs::read(dir.join("file")).is_err());
}
