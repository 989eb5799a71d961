//! The library on disks in memory: one process, one library, so one test function.
#![cfg(feature = "engine")]

mod common;

use common::{MIB, Memory, vdev};
use openzfs::{Changes, Class, FileSystem, Flags, Layout, Library, Pool, Settings, Stages, Vdev};

fn layouts() -> Vec<(&'static str, Vec<Vdev>)> {
    use Class::{Cache, Log, Normal, Special};
    use Layout::{Draid, Mirror, Raidz, Single};
    let data = |layout, n| vdev(Normal, layout, "d", 0..n);
    vec![
        ("single", vec![data(Single, 1)]),
        (
            "stripe",
            vec![data(Single, 1), vdev(Normal, Single, "d", 1..2)],
        ),
        ("mirror3", vec![data(Mirror, 3)]),
        ("raidz1", vec![data(Raidz(1), 3)]),
        ("raidz2", vec![data(Raidz(2), 6)]),
        ("raidz3", vec![data(Raidz(3), 7)]),
        (
            "draid2",
            vec![data(
                Draid {
                    parity: 2,
                    data: 4,
                    spares: 1,
                },
                11,
            )],
        ),
        (
            "everything",
            vec![
                data(Raidz(2), 6),
                vdev(Special, Mirror, "s", 0..2),
                vdev(Log, Mirror, "l", 0..2),
                vdev(Cache, Single, "c", 0..1),
            ],
        ),
    ]
}

/// What a file system must do, whatever it lies on.
fn exercise(fs: &FileSystem) {
    let mut stages = Stages::default();
    let root = fs.node(fs.root()).unwrap();
    let dir = root.create(b"dir", 0o040755, (7, 8), 0, None).unwrap();
    let dir = fs.node(dir).unwrap();
    assert_eq!(
        (dir.attr().uid, dir.attr().gid, dir.attr().links),
        (7, 8, 2)
    );
    let file = dir.create(b"file", 0o100644, (0, 0), 0, None).unwrap();
    assert_eq!(dir.lookup(b"file"), Ok(file));
    assert!(dir.create(b"file", 0o100644, (0, 0), 0, None).is_err());
    let node = fs.node(file).unwrap();
    let data: Vec<u8> = (0..300_000u32).map(|i| (i * 7 % 251) as u8).collect();
    assert_eq!(
        node.write(
            5,
            &data,
            Flags {
                sync: true,
                ..Flags::default()
            },
            &mut stages
        ),
        Ok(300_000)
    );
    assert_eq!(stages.commits, 1);
    let mut back = vec![0u8; 400_000];
    assert_eq!(
        node.read(0, &mut back, Flags::default(), &mut stages),
        Ok(300_005)
    );
    assert_eq!(&back[5..300_005], &data[..]);
    node.truncate(100).unwrap();
    node.extend(1000).unwrap();
    assert_eq!(
        node.read(0, &mut back, Flags::default(), &mut stages),
        Ok(1000)
    );
    assert_eq!(&back[5..100], &data[..95]);
    assert!(back[100..1000].iter().all(|&b| b == 0));
    node.change(&Changes {
        mode: Some(0o600),
        mtime: Some((5, 6)),
        ..Changes::default()
    })
    .unwrap();
    assert_eq!((node.attr().mode, node.attr().mtime), (0o100600, (5, 6)));
    node.link(&root, b"second").unwrap();
    dir.rename(b"file", &root, b"moved", true).unwrap();
    assert!(dir.lookup(b"file").is_err());
    root.create(b"sym", 0o120777, (0, 0), 0, Some(b"to/there"))
        .unwrap();
    let sym = fs.node(root.lookup(b"sym").unwrap()).unwrap();
    assert_eq!(sym.read_link().unwrap(), b"to/there");
    let mut names = Vec::new();
    root.entries(0, &mut |e| {
        names.push(String::from_utf8(e.name).unwrap());
        true
    })
    .unwrap();
    names.sort();
    assert_eq!(names, ["dir", "moved", "second", "sym"]);
    assert!(
        root.remove(b"dir", false).is_err(),
        "a directory is not unlinked"
    );
    drop(dir);
    root.remove(b"dir", true).unwrap();
    root.remove(b"moved", false).unwrap();
    root.remove(b"second", false).unwrap();
    root.remove(b"sym", false).unwrap();
    // Nameless but held: still readable.
    assert_eq!(
        node.read(0, &mut back, Flags::default(), &mut stages),
        Ok(1000)
    );
    node.fsync(&mut stages).unwrap();
}

#[test]
fn every_layout_holds_files_and_survives_export_and_import() {
    let library = Library::start(&Settings {
        memory: 512 << 20,
        processors: 8,
        dilation: 1.0,
        origin: 0,
        tunables: vec![
            // Half of memory, the kernel's own default, which userland would refuse.
            ("zfs_arc_max".into(), 256 << 20),
            ("zfs_arc_min".into(), 64 << 20),
            ("no_such_parameter".into(), 1),
        ],
    })
    .unwrap();
    assert_eq!(library.unknown_tunables(), ["no_such_parameter"]);
    assert!(library.version().starts_with("2."));
    let counters = library.counters(None);
    let arc_max = counters.iter().find(|c| c.name == "arc.c_max").unwrap();
    assert_eq!(
        arc_max.value,
        256 << 20,
        "the ARC is as large as it was told"
    );
    let config = tempfile::NamedTempFile::new().unwrap();
    for (name, vdevs) in layouts() {
        for (kind, n) in [("d", 11), ("s", 2), ("l", 2), ("c", 1)] {
            for i in 0..n {
                library.add_disk(&format!("/pw/{kind}{i}"), Memory::new(96 * MIB));
            }
        }
        let pool = Pool::create(name, Some(12), &vdevs, &[], config.path()).unwrap();
        for (property, value) in [
            ("compression", "lz4"),
            ("recordsize", "16384"),
            ("sync", "always"),
        ] {
            pool.set("", property, value).unwrap();
        }
        assert!(pool.set("", "sync", "perhaps").is_err());
        pool.create_dataset("wal").unwrap();
        let fs = FileSystem::open(&pool, "").unwrap();
        assert_eq!(fs.recordsize(), 16384, "{name}");
        exercise(&fs);
        let root = fs.node(fs.root()).unwrap();
        let kept = root.create(b"kept", 0o100644, (0, 0), 0, None).unwrap();
        let node = fs.node(kept).unwrap();
        node.write(0, b"still here", Flags::default(), &mut Stages::default())
            .unwrap();
        let commits = || {
            let counters = library.counters(Some(&pool));
            counters
                .iter()
                .find(|c| c.name == "zil.commits")
                .unwrap()
                .value
        };
        let before = commits();
        assert!(before > 0, "{name}: sync=always commits");
        let wal = FileSystem::open(&pool, "wal").unwrap();
        let wal_root = wal.node(wal.root()).unwrap();
        wal_root
            .create(b"segment", 0o100644, (0, 0), 0, None)
            .unwrap();
        assert!(commits() > before, "{name}: those of every dataset count");
        drop((wal_root, wal));
        drop((node, root, fs));
        pool.drain().unwrap();
        let space = pool.space().unwrap();
        assert!(space.healthy && space.available > 0, "{name}: {space:?}");
        assert_eq!(space.log > 0, name == "everything", "{name}: {space:?}");
        pool.export().unwrap();

        let pool = Pool::import(name, config.path(), false).unwrap();
        let fs = FileSystem::open(&pool, "").unwrap();
        let root = fs.node(fs.root()).unwrap();
        let node = fs.node(root.lookup(b"kept").unwrap()).unwrap();
        let mut back = [0u8; 32];
        let n = node
            .read(0, &mut back, Flags::default(), &mut Stages::default())
            .unwrap();
        assert_eq!(&back[..n], b"still here", "{name}");
        drop((node, root, fs));
        if name == "everything" {
            pool.remove("/pw/l0").unwrap();
            pool.remove("/pw/c0").unwrap();
            assert_eq!(pool.space().unwrap().log, 0);
            let log = [vdev(Class::Log, Layout::Single, "l", 1..2)];
            pool.add(Some(12), &log).unwrap();
            assert!(pool.space().unwrap().log > 0);
        }
        pool.export().unwrap();
    }
    library.stop();
}
