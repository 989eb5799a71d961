//! Emulated drives whose files cannot grow any more: OpenZFS would suspend the pool and its clients
//! would wait for good, so the process says why it cannot go on and ends.
#![cfg(feature = "engine")]

mod process;

use poolfs::protocol::Request;
use process::{Process, build, campaign, skipped, succeeds};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const LAB: &str = r#"
title = "full"
openzfs = "2.1"
[host]
memory = "4G"
cores = 2
[drives]
ssd = "1x pm883-3.84t"
[pool]
vdevs = "ssd0"
[dataset]
compression = "off"
[workloads.w]
fio.job = "[w]\nrw=write\nsize=1g\nruntime=1\ntime_based=1\n"
[scale]
size = 8
dirty_data_max = "64M"
"#;

/// Mounts a small file system in memory on `$0`, and becomes the rest with its errors in `$1`.
const IN_LITTLE_ROOM: &str =
    r#"errors=$1; shift; mount -t tmpfs -o size=96m full "$0" && exec "$@" 2>"$errors""#;

/// A poolfs whose pool is mounted and whose drives lie in a small file system of its own, as files or in
/// an arena.
struct Cramped {
    process: Process,
    store: PathBuf,
    dir: PathBuf,
    errors: PathBuf,
    _place: TempDir,
}

/// None, said so, where a user may not make the file system.
fn cramped(arena: bool) -> Option<Cramped> {
    let namespaces = ["unshare", "--user", "--map-root-user", "--mount"];
    if !succeeds(&[&namespaces[..], &["test", "-w", "/dev/fuse"]].concat()) {
        skipped("full: this system lets its user make no namespaces");
        return None;
    }
    let (campaign, model) = campaign(LAB);
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let (store, dir, errors) = (path("drives"), path("mnt"), path("errors"));
    fs::create_dir(&store).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (store_text, errors_text) = (text(&store), text(&errors));
    let shell = ["sh", "-c", IN_LITTLE_ROOM, &store_text, &errors_text];
    let poolfs = Path::new(env!("CARGO_BIN_EXE_poolfs"));
    let mut process = Process::start_by(&[&namespaces[..], &shell].concat(), poolfs);
    let variant = &campaign.variants[0].name;
    let mut build = build(&campaign, &model, variant, &store);
    build.arena = arena.then(|| store.join("arena"));
    process.ask(Request::Build(Box::new(build))).unwrap();
    process.mount("", &dir);
    Some(Cramped {
        process,
        store,
        dir,
        errors,
        _place: place,
    })
}

impl Cramped {
    /// Writes so many mebibytes where poolfs sees them, or is killed after a minute.
    fn write(&self, file: &Path, mebibytes: u32) {
        self.dd(file, mebibytes, &[]);
    }

    fn dd(&self, file: &Path, mebibytes: u32, more: &[&str]) -> bool {
        Command::new("nsenter")
            .args(["--target", &self.process.id().to_string()])
            .args(["--user", "--mount", "timeout", "--signal=KILL", "60"])
            .args(["dd", "if=/dev/urandom", "bs=1M"])
            .arg(format!("of={}", file.display()))
            .arg(format!("count={mebibytes}"))
            .args(more)
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    fn ends_with_the_reason(self) {
        let status = self.process.ends_within(Duration::from_secs(30));
        let said = fs::read_to_string(&self.errors).unwrap();
        assert_eq!(status.and_then(|s| s.code()), Some(1), "{said}");
        assert!(said.contains("no room is left"), "{said}");
        assert!(said.contains("--store"), "says what to do: {said}");
    }
}

#[test]
fn a_store_that_is_full_ends_the_process_with_the_reason() {
    for arena in [false, true] {
        let Some(cramped) = cramped(arena) else {
            return;
        };
        // It may be cut off or told of an error, but must not wait for good.
        cramped.write(&cramped.dir.join("file"), 400);
        cramped.ends_with_the_reason();
    }
}

#[test]
fn what_processes_before_left_in_an_arena_makes_room() {
    let Some(cramped) = cramped(true) else {
        return;
    };
    // All the room there is, far behind what the drives lease.
    let left = cramped.store.join("arena").join("3");
    assert!(
        !cramped.dd(&left, 400, &["seek=512", "conv=notrunc"]),
        "full"
    );
    let file = cramped.dir.join("file");
    assert!(cramped.dd(&file, 16, &["conv=fsync"]), "it ended instead");
    // What is truly full still is.
    cramped.write(&cramped.dir.join("more"), 400);
    cramped.ends_with_the_reason();
}

#[test]
fn a_store_that_is_full_only_as_the_pool_is_exported_ends_the_process_too() {
    let Some(mut cramped) = cramped(false) else {
        return;
    };
    // Less than makes a transaction group close, so that it is in memory while somebody else takes all
    // the room.
    cramped.write(&cramped.dir.join("file"), 8);
    cramped.write(&cramped.store.join("neighbour"), 400);
    cramped.process.tell(Request::Stop);
    cramped.ends_with_the_reason();
}
