//! Which intent-log record a write becomes, by version: the rule of `zfs_log_write` as read in the
//! sources of 2.1.11 and 2.3.2. One process, one library, so one test function.
#![cfg(feature = "engine")]

mod common;

use common::{MIB, Memory, vdev};
use openzfs::{Class, FileSystem, Flags, Layout, Library, Node, Pool, Settings, Stages};

const KIB: usize = 1 << 10;

/// Records logged for one write and the commit after it, and transactions it took.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
struct Logged {
    copied: u64,
    needcopy: u64,
    indirect: u64,
    transactions: u64,
    to_slog: bool,
}

struct Bench<'a> {
    library: &'a Library,
    pool: &'a Pool,
    node: &'a Node,
}

impl Bench<'_> {
    fn value(&self, name: &str) -> u64 {
        let counters = self.library.counters(Some(self.pool));
        counters.iter().find(|c| c.name == name).unwrap().value
    }

    fn write(&self, size: usize, sync: bool, fsync: bool) -> Logged {
        let names = [
            "zil.copied",
            "zil.needcopy",
            "zil.indirect",
            "tx.assigned",
            "zil.slog_bytes",
        ];
        self.pool.drain().unwrap();
        let before = names.map(|n| self.value(n));
        let data = vec![0xA5u8; size];
        let mut stages = Stages::default();
        // Over what is there already, so that no block is new.
        let flags = Flags {
            sync,
            ..Flags::default()
        };
        assert_eq!(self.node.write(0, &data, flags, &mut stages), Ok(size));
        if fsync {
            self.node.fsync(&mut stages).unwrap();
        }
        let after = names.map(|n| self.value(n));
        let d = |i: usize| after[i] - before[i];
        Logged {
            copied: d(0),
            needcopy: d(1),
            indirect: d(2),
            transactions: d(3),
            to_slog: d(4) > 0,
        }
    }
}

#[test]
fn a_write_becomes_the_record_that_its_version_chooses() {
    let library = Library::start(&Settings {
        memory: 2 << 30,
        processors: 8,
        dilation: 1.0,
        origin: 0,
        tunables: vec![("zfs_arc_max".into(), 256 << 20)],
    })
    .unwrap();
    let is_2_1 = library.version().starts_with("2.1");
    let config = tempfile::NamedTempFile::new().unwrap();
    for slog in [false, true] {
        let name = if slog { "with" } else { "without" };
        for drive in ["d0", "l0"] {
            library.add_disk(&format!("/pw/{drive}"), Memory::new(256 * MIB));
        }
        let mut vdevs = vec![vdev(Class::Normal, Layout::Single, "d", 0..1)];
        if slog {
            vdevs.push(vdev(Class::Log, Layout::Single, "l", 0..1));
        }
        let pool = Pool::create(name, Some(12), &vdevs, &[], config.path()).unwrap();
        pool.set("", "recordsize", "131072").unwrap();
        let fs = FileSystem::open(&pool, "").unwrap();
        let root = fs.node(fs.root()).unwrap();
        let node = fs
            .node(root.create(b"f", 0o100_644, (0, 0), 0, None).unwrap())
            .unwrap();
        node.write(
            0,
            &vec![1; 2 * MIB],
            Flags::default(),
            &mut Stages::default(),
        )
        .unwrap();
        let b = Bench {
            library: &library,
            pool: &pool,
            node: &node,
        };

        // The first commit of a dataset waits for the txg that allocates the log's first block, and
        // logs nothing itself (zil_create).
        b.write(4 * KIB, true, false);
        let l = b.write(4 * KIB, true, false);
        assert_eq!(
            (l.copied, l.needcopy, l.indirect),
            (1, 0, 0),
            "4K O_SYNC, slog {slog}"
        );
        assert_eq!(
            l.to_slog, slog,
            "the log class takes the log when there is one"
        );

        // 2.3 copies into the record up to 7680 bytes (zil_maxcopied), 2.1 up to 65,252.
        let l = b.write(16 * KIB, true, false);
        let expected = if is_2_1 { (1, 0, 0) } else { (0, 1, 0) };
        assert_eq!(
            (l.copied, l.needcopy, l.indirect),
            expected,
            "16K O_SYNC, slog {slog}"
        );

        // From zfs_immediate_write_sz = 32 KiB on a pool without SLOG logs a pointer.
        let l = b.write(32 * KIB, true, false);
        let expected = match (slog, is_2_1) {
            (false, _) => (0, 0, 1),
            (true, true) => (1, 0, 0),
            (true, false) => (0, 1, 0),
        };
        assert_eq!(
            (l.copied, l.needcopy, l.indirect),
            expected,
            "32K O_SYNC, slog {slog}"
        );

        // Without O_SYNC the data is copied when the commit comes.
        let l = b.write(4 * KIB, false, true);
        assert_eq!(
            (l.copied, l.needcopy, l.indirect),
            (0, 1, 0),
            "4K then fsync, slog {slog}"
        );

        // 1 MiB over records of 128K: 2.1 takes a transaction for each, 2.3 one in all. (Not
        // synchronous here: each log block takes a transaction of its own.)
        let l = b.write(MIB, false, false);
        assert_eq!(
            l.transactions,
            if is_2_1 { 8 } else { 1 },
            "1M, slog {slog}"
        );
        let l = b.write(MIB, true, false);
        if slog {
            assert_eq!(l.indirect, 0, "with a SLOG nothing is indirect");
        } else {
            assert_eq!((l.copied, l.needcopy, l.indirect), (0, 0, 8));
        }

        pool.set("", "logbias", "throughput").unwrap();
        let l = b.write(4 * KIB, true, false);
        assert_eq!(
            (l.copied, l.needcopy, l.indirect),
            (0, 0, 1),
            "throughput, slog {slog}"
        );
        pool.set("", "logbias", "latency").unwrap();

        pool.set("", "sync", "always").unwrap();
        let l = b.write(4 * KIB, false, false);
        let expected = if is_2_1 { (0, 1, 0) } else { (1, 0, 0) };
        assert_eq!(
            (l.copied, l.needcopy, l.indirect),
            expected,
            "4K sync=always, slog {slog}"
        );

        // With sync=always a read, too, waits for a commit; O_SYNC alone does not make it.
        for (sync, reads) in [("always", 1), ("standard", 0)] {
            pool.set("", "sync", sync).unwrap();
            let before = b.value("zil.commits");
            let flags = Flags {
                sync: true,
                ..Flags::default()
            };
            let mut stages = Stages::default();
            node.read(0, &mut [0u8; 512], flags, &mut stages).unwrap();
            assert_eq!(b.value("zil.commits") - before, reads, "sync={sync}");
            for _ in 0..200 * reads {
                node.read(0, &mut [0u8; 512], flags, &mut stages).unwrap();
            }
            // Nobody else is at the range: what waits for the commit does not wait for the lock as well.
            let (lock, commit) = (stages.range_lock, stages.commit);
            assert!(reads == 0 || lock < commit, "{lock} ns and {commit} ns");
        }

        pool.set("", "sync", "disabled").unwrap();
        let l = b.write(4 * KIB, true, true);
        assert_eq!(
            (l.copied, l.needcopy, l.indirect),
            (0, 0, 0),
            "sync=disabled logs nothing"
        );

        if !is_2_1 {
            // direct=standard: an O_DIRECT write of whole records passes the ARC and is logged by
            // its pointer; an unaligned one is refused.
            pool.set("", "sync", "standard").unwrap();
            let direct = Flags {
                sync: true,
                direct: true,
                ..Flags::default()
            };
            let before = b.value("zil.indirect");
            let data = vec![7u8; 128 * KIB];
            node.write(0, &data, direct, &mut Stages::default())
                .unwrap();
            assert_eq!(b.value("zil.indirect") - before, 1, "O_DIRECT, slog {slog}");
            // Memory that does not begin with a page, as behind FUSE's header, and one that does.
            let shifted = vec![9u8; 256 * KIB + 4096];
            for start in [shifted.as_ptr().align_offset(4096), 80] {
                let data = &shifted[start..start + 256 * KIB];
                node.write(128 * KIB as u64, data, direct, &mut Stages::default())
                    .unwrap();
            }
            let mut back = vec![0u8; 128 * KIB];
            let misses = b.value("arc.demand_data_misses");
            node.read(0, &mut back, direct, &mut Stages::default())
                .unwrap();
            assert_eq!(back, data);
            assert_eq!(b.value("arc.demand_data_misses"), misses, "past the ARC");
            let write = |at: u64, data: &[u8]| node.write(at, data, direct, &mut Stages::default());
            assert!(write(100, &data).is_err(), "not of whole pages");
            pool.set("", "direct", "always").unwrap();
            assert!(write(100, &data).is_ok(), "through the ARC instead");
            pool.set("", "direct", "disabled").unwrap();
            let before = b.value("zil.needcopy") + b.value("zil.copied");
            write(0, &data[..4 * KIB]).unwrap();
            let after = b.value("zil.needcopy") + b.value("zil.copied");
            assert_eq!(after - before, 1, "O_DIRECT changes nothing then");
        }

        drop((node, root, fs));
        pool.export().unwrap();
    }
    library.stop();
}
