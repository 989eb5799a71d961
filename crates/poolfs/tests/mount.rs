//! A mounted volume behaves as a file system, and as concurrently as its clients ask.

use poolfs::clock::Clock;
use poolfs::fuse::{Mount, Options};
use poolfs::volume::Volume;
use poolfs::volume::memory::Memory;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Mounted {
    volume: Arc<Memory>,
    mount: Option<Mount>,
    dir: tempfile::TempDir,
}

impl Mounted {
    fn new(write_takes: Duration) -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let volume = Arc::new(Memory::new(write_takes));
        let served: Arc<dyn Volume> = volume.clone();
        let mount = Mount::new(served, dir.path(), Clock::start(1.0), Options::default())
            .expect("a mount; `poolwright doctor` says what is missing");
        Self {
            volume,
            mount: Some(mount),
            dir,
        }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Some(mount) = self.mount.take() {
            mount.unmount().expect("unmounted");
        }
    }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + i / 251) as u8).collect()
}

#[test]
fn names_files_and_links_behave_as_on_any_file_system() {
    let m = Mounted::new(Duration::ZERO);
    fs::create_dir(m.path("a")).unwrap();
    fs::write(m.path("a/file"), pattern(300_000)).unwrap();
    assert_eq!(fs::read(m.path("a/file")).unwrap(), pattern(300_000));
    fs::hard_link(m.path("a/file"), m.path("b")).unwrap();
    assert_eq!(fs::metadata(m.path("b")).unwrap().nlink(), 2);
    symlink("a/file", m.path("s")).unwrap();
    assert_eq!(fs::read_link(m.path("s")).unwrap(), Path::new("a/file"));
    fs::rename(m.path("b"), m.path("c")).unwrap();
    fs::remove_file(m.path("a/file")).unwrap();
    assert_eq!(fs::read(m.path("c")).unwrap(), pattern(300_000));
    assert!(fs::remove_dir(m.path("nothing")).is_err());
    fs::remove_dir(m.path("a")).unwrap();
    let mut names: Vec<_> = fs::read_dir(m.dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["c", "s"]);
}

#[test]
fn a_directory_larger_than_one_reply_is_listed_whole() {
    let m = Mounted::new(Duration::ZERO);
    for i in 0..700 {
        File::create(m.path(&format!("file-with-a-rather-long-name-{i:04}"))).unwrap();
    }
    assert_eq!(fs::read_dir(m.dir.path()).unwrap().count(), 700);
}

#[test]
fn an_unlinked_file_lives_until_it_is_closed() {
    let m = Mounted::new(Duration::ZERO);
    let mut file = OpenOptions::new()
        .create_new(true)
        .read(true)
        .write(true)
        .open(m.path("gone"))
        .unwrap();
    fs::remove_file(m.path("gone")).unwrap();
    file.write_all(b"still here").unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "still here");
}

#[test]
fn a_synchronous_write_commits_exactly_once() {
    // Not rustix's OFlags::DSYNC, which is O_SYNC.
    const O_DSYNC: i32 = 0o10_000;
    const O_SYNC: i32 = rustix::fs::OFlags::SYNC.bits() as i32;
    let m = Mounted::new(Duration::ZERO);
    for (name, flag, each) in [("plain", 0, 0), ("dsync", O_DSYNC, 1), ("sync", O_SYNC, 1)] {
        let before = m.volume.commits();
        let file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .custom_flags(flag)
            .open(m.path(name))
            .unwrap();
        for i in 0..5 {
            file.write_all_at(&pattern(8192), i * 8192).unwrap();
        }
        drop(file);
        assert_eq!(m.volume.commits() - before, 5 * each, "{name}");
    }
    let before = m.volume.commits();
    let file = OpenOptions::new()
        .write(true)
        .open(m.path("plain"))
        .unwrap();
    file.sync_data().unwrap();
    file.sync_all().unwrap();
    assert_eq!(m.volume.commits() - before, 2);
}

#[test]
fn a_megabyte_is_one_request() {
    let m = Mounted::new(Duration::ZERO);
    let file = File::create(m.path("big")).unwrap();
    let stamps = Arc::clone(m.mount.as_ref().unwrap().stamps());
    stamps.take();
    // In memory that begins with a page, as fio's and a database's buffers do: a mebibyte that
    // does not spans 257 pages, one more than the kernel puts into a request.
    let memory = pattern((1 << 20) + 4096);
    let start = memory.as_ptr().align_offset(4096);
    file.write_all_at(&memory[start..start + (1 << 20)], 0)
        .unwrap();
    // The reply wakes this thread before the operation is stamped.
    let until = Instant::now() + Duration::from_secs(5);
    let mut counted = 0.0;
    while counted < 1.0 && Instant::now() < until {
        counted += stamps.take().get("write.count").unwrap_or(&0.0);
    }
    assert_eq!(counted, 1.0);
}

#[test]
fn fio_finds_what_it_wrote() {
    let m = Mounted::new(Duration::ZERO);
    fio(
        m.dir.path(),
        &[
            "--rw=randrw",
            "--bs=4k",
            "--size=4m",
            "--verify=crc32c",
            "--numjobs=2",
            "--direct=1",
            "--fsync=16",
        ],
    );
}

/// The table of FUSE features: 8 writers of one file run together, and so do the requests of one
/// asynchronous writer.
#[test]
fn writers_of_one_file_run_together() {
    let m = Mounted::new(Duration::from_millis(4));
    let file = File::create(m.path("shared")).unwrap();
    file.set_len(8 << 20).unwrap();
    drop(file);
    let shared = [
        "--filename=shared",
        "--rw=randwrite",
        "--bs=4k",
        "--size=8m",
    ];
    let features = m.mount.as_ref().unwrap().features().to_vec();
    let has = |name: &str| features.iter().any(|f| f == name);
    if has("parallel-direct-writes") {
        fio(
            m.dir.path(),
            &[
                &shared[..],
                &["--ioengine=psync", "--numjobs=8", "--number_ios=40"],
            ]
            .concat(),
        );
        assert_eq!(m.volume.most_in_flight(), 8);
    }
    assert!(has("async-dio"), "{features:?}");
    fio(
        m.dir.path(),
        &[
            &shared[..],
            &[
                "--ioengine=libaio",
                "--iodepth=16",
                "--direct=1",
                "--number_ios=200",
            ],
        ]
        .concat(),
    );
    assert_eq!(m.volume.most_in_flight(), 16);
}

fn fio(dir: &Path, options: &[&str]) {
    let output = Command::new("fio")
        .args([
            "--name=test",
            "--thread",
            "--group_reporting",
            "--randrepeat=1",
        ])
        .args(options)
        .current_dir(dir)
        .output()
        .expect("fio is installed; `poolwright doctor` says how");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
