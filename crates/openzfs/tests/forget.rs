//! Disks are told of what the pool has freed: one process, one library, so one test function.
#![cfg(feature = "engine")]

mod common;

use common::{MIB, Memory, vdev};
use openzfs::{Class, FileSystem, Flags, Layout, Library, Pool, Settings, Stages};
use std::path::Path;
use std::sync::Arc;

const SIZE: usize = 16 * MIB;
const ROUNDS: u8 = 12;

/// What a round writes: compressible, but no two blocks alike.
fn content(round: u8) -> Vec<u8> {
    let word = |at: usize| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(round);
    (0..SIZE / 8)
        .flat_map(|at| word(at).to_le_bytes())
        .collect()
}

fn write(pool: &Pool) {
    let fs = FileSystem::open(pool, "").unwrap();
    let root = fs.node(fs.root()).unwrap();
    let id = root.create(b"file", 0o100_644, (0, 0), 0, None).unwrap();
    let file = fs.node(id).unwrap();
    for round in 1..=ROUNDS {
        let written = file.write(0, &content(round), Flags::default(), &mut Stages::default());
        assert_eq!(written, Ok(SIZE));
        pool.drain().unwrap();
    }
}

fn read(pool: &Pool) -> Vec<u8> {
    let fs = FileSystem::open(pool, "").unwrap();
    let root = fs.node(fs.root()).unwrap();
    let file = fs.node(root.lookup(b"file").unwrap()).unwrap();
    let mut data = vec![0; SIZE];
    let mut at = 0;
    while at < SIZE {
        let flags = Flags::default();
        let got = file.read(at as u64, &mut data[at..], flags, &mut Stages::default());
        at += got.unwrap();
    }
    data
}

/// A pool of these drives, of which `spare` may be lost: for each byte that clients wrote, `times` on drives.
fn freed_space_is_told_and_nothing_else(
    library: &Library,
    (layout, drives, spare, times): (Layout, usize, usize, f64),
    config: &Path,
) {
    let disks: Vec<Arc<Memory>> = (0..drives).map(|_| Memory::new(128 * MIB)).collect();
    for (n, disk) in disks.iter().enumerate() {
        library.add_disk(&format!("/pw/d{n}"), disk.clone());
    }
    let data = vdev(Class::Normal, layout, "d", 0..drives);
    let pool = Pool::create("freed", Some(12), &[data], &[], config).unwrap();
    write(&pool);
    pool.export().unwrap();
    let sum = |of: fn(&Memory) -> u64| disks.iter().map(|disk| of(disk)).sum::<u64>() as f64;
    let (told, written) = (sum(Memory::forgotten), sum(Memory::written));
    // Each round but the last was freed, with what else a group writes; some is not allocatable yet.
    let least = (f64::from(ROUNDS) - 4.0) * SIZE as f64 * times;
    assert!(
        (least..written).contains(&told),
        "{layout:?}: {told} of {written}, at least {least}"
    );
    for disk in &disks[..spare] {
        disk.restore(vec![0; 128 * MIB]);
    }
    let pool = Pool::import("freed", config, false).unwrap();
    assert!(read(&pool) == content(ROUNDS), "{layout:?}");
    pool.export().unwrap();
}

#[test]
fn disks_hear_of_space_that_was_freed_and_may_be_allocated_again() {
    let library = Library::start(&Settings {
        memory: 512 << 20,
        processors: 4,
        dilation: 1.0,
        origin: 0,
        tunables: Vec::new(),
    })
    .unwrap();
    let config = tempfile::NamedTempFile::new().unwrap();
    let draid = Layout::Draid {
        parity: 1,
        data: 2,
        spares: 1,
    };
    for pool in [
        (Layout::Single, 1, 0, 1.0),
        (Layout::Mirror, 2, 1, 2.0),
        (Layout::Raidz(2), 5, 2, 5.0 / 3.0),
        (draid, 7, 1, 1.5),
    ] {
        freed_space_is_told_and_nothing_else(&library, pool, config.path());
    }
    library.stop();
}
