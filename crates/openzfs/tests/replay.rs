//! What the intent log brings back after a power cut, and in which order. The disk has no cache, so that
//! what is on it at a moment is what a cut then would leave. One process, one library, so one test
//! function.
#![cfg(feature = "engine")]

mod common;

use common::{MIB, Memory, vdev};
use openzfs::{Attr, Changes, Class, FileSystem, Flags, Layout, Library, Node, Pool};
use openzfs::{Settings, Stages};

const BLOCK: usize = 8 << 10;

fn make(dir: &Node, name: &str, mode: u32) -> Node {
    let target = (mode & 0o170_000 == 0o120_000).then_some(&b"file"[..]);
    let id = dir.create(name.as_bytes(), mode, (1, 1), 0, target);
    dir.file_system().node(id.unwrap()).unwrap()
}

fn file(dir: &Node, name: &str) -> Node {
    make(dir, name, 0o100_644)
}

fn find(dir: &Node, name: &str) -> Node {
    let id = dir.lookup(name.as_bytes()).unwrap();
    dir.file_system().node(id).unwrap()
}

/// Writes blocks of one byte, synchronously or not.
fn write(node: &Node, sync: bool, block: usize, byte: u8, blocks: usize) {
    let flags = Flags {
        sync,
        ..Flags::default()
    };
    let (at, data) = ((block * BLOCK) as u64, vec![byte; blocks * BLOCK]);
    let written = node.write(at, &data, flags, &mut Stages::default());
    assert_eq!(written, Ok(data.len()));
}

/// The byte that fills each block of a file.
fn blocks(dir: &Node, name: &str) -> Vec<u8> {
    let node = find(dir, name);
    let mut data = vec![0; 16 * BLOCK];
    let read = node.read(0, &mut data, Flags::default(), &mut Stages::default());
    data.truncate(read.unwrap());
    let of_one = |block: &[u8]| {
        assert!(block.iter().all(|byte| *byte == block[0]), "{name}");
        block[0]
    };
    data.chunks(BLOCK).map(of_one).collect()
}

/// Whom what was made in `shared` belongs to, and its set-group-ID bit.
fn assert_groups_are_handed_down(shared: &Node, when: &str) {
    let group = |a: Attr| (a.gid, a.mode & 0o2000 != 0);
    for (name, expected) in [
        ("file", (7, false)),
        ("directory", (7, true)),
        ("link", (7, false)),
        ("own", (1, false)),
    ] {
        let attr = find(shared, name).attr();
        assert_eq!(group(attr), expected, "{name} {when}");
        assert_eq!(attr.uid, 1, "{name} {when}");
    }
}

/// What happens before the power goes, and what is on the disk then.
fn until_the_cut(pool: &Pool, disk: &Memory) -> Vec<u8> {
    let fs = FileSystem::open(pool, "").unwrap();
    let root = fs.node(fs.root()).unwrap();
    let other = file(&root, "other");
    // The first commit of a dataset waits for a txg instead of writing to the log.
    write(&other, true, 0, 1, 1);
    let truncated = file(&root, "truncated");
    let punched = file(&root, "punched");
    let extended = file(&root, "extended");
    write(&truncated, false, 0, 1, 4);
    write(&punched, false, 0, 1, 4);
    write(&file(&root, "replaced"), false, 0, 1, 1);
    let shared = make(&root, "shared", 0o042_775);
    let changes = Changes {
        gid: Some(7),
        ..Changes::default()
    };
    shared.change(&changes).unwrap();
    pool.drain().unwrap();

    // Changes of size are not synchronous themselves; the writes after them are.
    truncated.truncate(0).unwrap();
    write(&truncated, true, 0, 2, 1);
    punched.punch(0, 2 * BLOCK as u64).unwrap();
    write(&punched, true, 0, 3, 1);
    extended.extend(BLOCK as u64).unwrap();
    write(&extended, true, 1, 4, 1);

    // Written anew and renamed over the old one, without a commit of its own.
    write(&file(&root, "new"), false, 0, 5, 1);
    root.rename(b"new", &root, b"replaced", true).unwrap();

    make(&shared, "file", 0o100_664);
    make(&shared, "directory", 0o040_775);
    make(&shared, "link", 0o120_777);
    // Nobody commits this: `own` is replayed into a directory that still has the bit.
    let changes = Changes {
        mode: Some(0o775),
        ..Changes::default()
    };
    shared.change(&changes).unwrap();
    make(&shared, "own", 0o100_664);
    assert_groups_are_handed_down(&shared, "before the cut");

    // A commit of another file takes every change of names along.
    write(&other, false, 0, 6, 1);
    other.fsync(&mut Stages::default()).unwrap();
    disk.contents()
}

#[test]
fn what_is_replayed_is_what_was_done_in_the_order_in_which_it_was_done() {
    let library = Library::start(&Settings {
        memory: 512 << 20,
        processors: 4,
        dilation: 1.0,
        origin: 0,
        // No txg is to come between, after which there would be nothing to replay.
        tunables: vec![("zfs_txg_timeout".into(), 60)],
    })
    .unwrap();
    let disk = Memory::new(256 * MIB);
    library.add_disk("/pw/d0", disk.clone());
    let config = tempfile::NamedTempFile::new().unwrap();
    let vdevs = [vdev(Class::Normal, Layout::Single, "d", 0..1)];
    let pool = Pool::create("cut", Some(12), &vdevs, &[], config.path()).unwrap();
    let left = until_the_cut(&pool, &disk);
    pool.export().unwrap();
    disk.restore(left);

    let pool = Pool::import("cut", config.path(), false).unwrap();
    let fs = FileSystem::open(&pool, "").unwrap();
    assert!(fs.replayed() > 0);
    let root = fs.node(fs.root()).unwrap();
    assert_eq!(blocks(&root, "other"), [6]);
    assert_eq!(
        blocks(&root, "truncated"),
        [2],
        "a synchronous write after a truncation"
    );
    assert_eq!(
        blocks(&root, "punched"),
        [3, 0, 1, 1],
        "a synchronous write into a hole"
    );
    assert_eq!(
        blocks(&root, "extended"),
        [0, 4],
        "a synchronous write behind an extension"
    );
    assert_eq!(
        blocks(&root, "replaced"),
        [5],
        "what was written before a rename comes before it"
    );
    assert!(root.lookup(b"new").is_err());
    let shared = find(&root, "shared");
    assert_eq!(shared.attr().mode, 0o042_775, "not committed");
    assert_groups_are_handed_down(&shared, "after the cut");
    drop((shared, root, fs));
    pool.export().unwrap();
    library.stop();
}
