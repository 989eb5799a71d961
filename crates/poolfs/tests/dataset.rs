//! A dataset behind a mount holds what clients write: fio with verification, fsx, cp.
#![cfg(feature = "engine")]

mod process;

use poolfs::protocol::Request;
use process::built;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const LAB: &str = r#"
title = "files"
openzfs = "2.1"
[host]
memory = "8G"
cores = 4
[drives]
ssd = "6x pm883-3.84t"
optane = "1x p4801x-100g"
[pool]
ashift = 12
vdevs = "raidz2 ssd[0-5] log optane0"
[dataset]
recordsize = "16K"
compression = "lz4"
[workloads.w]
fio.job = """
[w]
rw=write
size=1g
runtime=1
time_based=1
"""
[scale]
size = 8
dirty_data_max = "128M"
"#;

fn run(program: &str, args: &[&str], dir: &Path) {
    let output = Command::new(program)
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{program} {args:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// fsx, which `make test` puts beside the engines.
fn fsx() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.engines/fsx/bin/fsx");
    root.exists().then_some(root)
}

#[test]
fn fio_verifies_fsx_passes_and_copies_are_equal_also_after_the_pool_was_opened_again() {
    let (mut process, place, dir) = built(LAB);
    process.mount("", &dir);
    let verify = |name: &str, more: &[&str]| {
        let name = format!("--name={name}");
        let common = [
            name.as_str(),
            "--size=16m",
            "--verify=crc32c",
            "--verify_fatal=1",
        ];
        run("fio", &[&common[..], more].concat(), &dir);
    };
    verify(
        "random",
        &[
            "--rw=randwrite",
            "--bs=4k",
            "--numjobs=4",
            "--ioengine=psync",
        ],
    );
    verify(
        "large",
        &["--rw=write", "--bs=1m", "--ioengine=psync", "--end_fsync=1"],
    );
    // Whole pages: OpenZFS 2.3 refuses other O_DIRECT requests.
    verify(
        "queued",
        &[
            "--rw=randwrite",
            "--bsrange=4k-64k",
            "--ioengine=libaio",
            "--iodepth=16",
            "--direct=1",
        ],
    );
    // Whole records at once from several clients: past the ARC in 2.3, with parity from user memory.
    verify(
        "direct",
        &[
            "--rw=randwrite",
            "--bsrange=16k-128k",
            "--ba=16k",
            "--numjobs=4",
            "--ioengine=libaio",
            "--iodepth=16",
            "--direct=1",
        ],
    );
    // O_DSYNC alone, which is not O_SYNC.
    verify(
        "data",
        &["--rw=randwrite", "--bs=8k", "--sync=dsync", "--size=4m"],
    );
    verify(
        "synchronous",
        &["--rw=randwrite", "--bs=8k", "--sync=1", "--size=4m"],
    );
    match fsx() {
        Some(fsx) => run(
            &fsx.to_string_lossy(),
            &["-N", "3000", "-S", "42", "fsx.file"],
            &dir,
        ),
        None => eprintln!("fsx is not installed: `make test` does that; its part is left out"),
    }
    let copy = place.path().join("copy");
    fs::copy(dir.join("large.0.0"), &copy).unwrap();
    process.ask(Request::Drain).unwrap();
    process.ask(Request::Reopen).unwrap();
    assert!(fs::read(dir.join("large.0.0")).unwrap() == fs::read(&copy).unwrap());
    process.stop();
}

#[test]
fn what_is_made_in_a_directory_with_the_set_group_id_bit_belongs_to_its_group() {
    let (mut process, _place, dir) = built(LAB);
    process.mount("", &dir);
    let shared = dir.join("shared");
    fs::create_dir(&shared).unwrap();
    // Only root gives a directory to a group that it is not in.
    let group = if rustix::process::geteuid().is_root() {
        4242
    } else {
        rustix::process::getegid().as_raw()
    };
    chown(&shared, None, Some(group)).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o2775)).unwrap();
    fs::write(shared.join("file"), b"of the group").unwrap();
    fs::create_dir(shared.join("directory")).unwrap();
    symlink("file", shared.join("link")).unwrap();
    for (name, bit) in [("file", 0), ("directory", 0o2000), ("link", 0)] {
        let made = fs::symlink_metadata(shared.join(name)).unwrap();
        assert_eq!((made.gid(), made.mode() & 0o2000), (group, bit), "{name}");
    }
    process.stop();
}
