//! What a verb that was killed leaves behind, and what the next one does about it.

mod place;

use place::{Place, said, signal};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const IN_MEMORY: &str = "/dev/shm";

/// Scratch directories in the host's memory, which are named by a process.
fn scratch_in_memory() -> BTreeSet<PathBuf> {
    let of_a_process = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_prefix("poolwright-");
        number.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    };
    let entries = fs::read_dir(IN_MEMORY).into_iter().flatten().flatten();
    entries.map(|e| e.path()).filter(of_a_process).collect()
}

/// Whether this system grants mounts of one's own.
fn may_unshare() -> bool {
    [&["--mount"][..], &["--user", "--map-root-user", "--mount"]]
        .iter()
        .any(|flags| {
            let mut command = Command::new("unshare");
            command.args(*flags).arg("true").stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        })
}

/// A power cut whose engine is there and hangs; its drives lie in memory where no directory is named.
fn hanging_power_cut(place: &Place, store: Option<&str>) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_poolwright"));
    command.args(["powercut", "lab.toml"]);
    if let Some(store) = store {
        command.args(["--store", store]);
    }
    let mut keeper = command
        .current_dir(place.dir.path())
        .env("POOLWRIGHT_ENGINES", place.dir.path().join("engines"))
        .env("FAKE_POOLFS", "hang-in-build")
        // Where drives lie that memory does not hold.
        .env("XDG_CACHE_HOME", place.dir.path().join("cache"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let engine = || place.processes().iter().any(|p| p.contains("poolfs-2.1"));
    let until = Instant::now() + Duration::from_secs(60);
    while !engine() {
        let ended = keeper.try_wait().unwrap();
        assert!(ended.is_none() && Instant::now() < until, "{ended:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    keeper
}

#[test]
fn a_power_cut_that_is_killed_leaves_no_drives_in_memory() {
    if !may_unshare() {
        eprintln!("not tried: this system grants no mounts of one's own");
        return;
    }
    let place = Place::new(1);
    let before = scratch_in_memory();
    let mut keeper = hanging_power_cut(&place, None);
    signal(&keeper, Signal::KILL);
    keeper.wait().unwrap();
    place.assert_nothing_left();
    let after = scratch_in_memory();
    let left: Vec<&PathBuf> = after.difference(&before).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn ctrl_c_ends_a_power_cut_that_waits_for_a_hung_engine() {
    let place = Place::new(1);
    let mut keeper = hanging_power_cut(&place, Some("drives"));
    let asked = Instant::now();
    signal(&keeper, Signal::INT);
    assert_eq!(keeper.wait().unwrap().code(), Some(130));
    // A hung engine is given minutes.
    assert!(asked.elapsed() < Duration::from_secs(30));
    place.assert_nothing_left();
    let drives = fs::read_dir(place.dir.path().join("drives")).unwrap();
    assert_eq!(drives.count(), 0);
}

#[test]
fn a_run_removes_what_a_killed_verb_has_left_in_the_hosts_memory() {
    let left = Path::new(IN_MEMORY).join(format!("poolwright-left-{}", std::process::id()));
    if fs::create_dir(&left).is_err() {
        eprintln!("not tried: nothing can be made in {IN_MEMORY}");
        return;
    }
    fs::write(left.join("hdd0.data"), b"of a drive").unwrap();
    // With this it is complete, and whoever comes by may remove it.
    fs::write(left.join("lock"), b"").unwrap();
    let output = Place::new(1).run("die-in-build");
    let there = left.exists();
    let _ = fs::remove_dir_all(&left);
    assert!(!there, "{}", said(&output));
}

/// A mount that nobody serves; none where this user may not mount.
fn dead_mount(dir: &Path) -> Option<()> {
    let mut options = File::options();
    let device = options.read(true).write(true).open("/dev/fuse").ok()?;
    let data = format!(
        "fd={},rootmode=40000,user_id=0,group_id=0",
        device.as_raw_fd()
    );
    let data = CString::new(data).unwrap();
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    // Closing the device is what the end of its process does.
    mount("poolfs", dir, "fuse.poolfs", flags, Some(data.as_c_str())).ok()
}

#[test]
fn a_directory_that_a_killed_mount_left_is_named_with_the_line_that_frees_it() {
    let dir = tempfile::tempdir().unwrap();
    if dead_mount(dir.path()).is_none() {
        eprintln!("not tried: only root mounts here");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["mount", "demo", "any"])
        .arg(dir.path())
        .output()
        .unwrap();
    unmount(dir.path(), UnmountFlags::DETACH).unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let line = format!("umount -l {}", dir.path().display());
    assert!(said(&output).contains(&line), "{}", said(&output));
}

fn mount_verb(place: &Place, fault: &str, command: &[&str]) -> Child {
    let dir = place.dir.path().join("mnt");
    fs::create_dir(&dir).unwrap();
    Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["mount", "lab.toml", "none", "mnt", "--store", "drives"])
        .args(command)
        .current_dir(place.dir.path())
        .env("POOLWRIGHT_ENGINES", place.dir.path().join("engines"))
        .env("FAKE_POOLFS", fault)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for a process of the place whose command line has that in it.
fn await_process(place: &Place, verb: &mut Child, part: &str) {
    let until = Instant::now() + Duration::from_secs(60);
    // The verb's own line has its command in it.
    let is = |line: &String| line.contains(part) && !line.contains("mount lab.toml");
    while !place.processes().iter().any(is) {
        let ended = verb.try_wait().unwrap();
        assert!(ended.is_none() && Instant::now() < until, "{ended:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn ctrl_c_ends_a_mount_that_is_still_being_built() {
    let place = Place::new(1);
    let mut verb = mount_verb(&place, "hang-in-build", &[]);
    await_process(&place, &mut verb, "poolfs-2.1");
    let asked = Instant::now();
    signal(&verb, Signal::INT);
    assert_eq!(verb.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(30));
    place.assert_nothing_left();
}

#[test]
fn a_mounts_command_is_told_to_end_and_takes_the_mount_with_it() {
    let place = Place::new(1);
    let mut verb = mount_verb(&place, "", &["--", "sleep", "1234"]);
    await_process(&place, &mut verb, "sleep 1234");
    signal(&verb, Signal::TERM);
    assert_eq!(
        verb.wait().unwrap().code(),
        Some(143),
        "as a shell tells of it"
    );
    place.assert_nothing_left();
}

#[test]
fn a_drive_that_is_to_fail_twice_is_refused_before_anything_is_cut() {
    let place = Place::new(1);
    let output = Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(["powercut", "lab.toml", "--store", "drives"])
        .args(["--fail", "hdd0", "--fail", "hdd0:cut"])
        .current_dir(place.dir.path())
        .env("POOLWRIGHT_ENGINES", place.dir.path().join("engines"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("hdd0: a drive fails once"),
        "{}",
        said(&output)
    );
    place.assert_nothing_left();
}
