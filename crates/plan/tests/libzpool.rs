//! Space of pools really made with OpenZFS's own code (libzpool), on sparse disks in memory of
//! real sizes, against the arithmetic: `cargo test -p plan --features engine --test libzpool`.

use openzfs::{Class, Disk, Geometry, Io, IoOp, Layout as Made, Library, Pool, Settings, Vdev};
use plan::space::{self, Build};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Bytes of a page of a sparse disk.
const PAGE: u64 = 64 << 10;

/// A disk that keeps only the pages that were written.
struct Sparse {
    size: u64,
    pages: Mutex<HashMap<u64, Vec<u8>>>,
}

impl Disk for Sparse {
    fn geometry(&self) -> Geometry {
        Geometry {
            size: self.size,
            logical_sector: 512,
            physical_sector: 512,
            rotational: true,
        }
    }

    fn submit(&self, mut io: Io) {
        let (from, len) = (io.offset(), io.len());
        let mut pages = self.pages.lock().unwrap();
        let mut at = 0;
        while at < len && matches!(io.op(), IoOp::Read | IoOp::Write) {
            let (page, inside) = ((from + at) / PAGE, (from + at) % PAGE);
            let part = (PAGE - inside).min(len - at);
            let here = at as usize..(at + part) as usize;
            let there = inside as usize..(inside + part) as usize;
            if io.op() == IoOp::Write {
                let page = pages.entry(page).or_insert_with(|| vec![0; PAGE as usize]);
                page[there].copy_from_slice(&io.data()[here]);
            } else {
                match pages.get(&page) {
                    Some(page) => io.data_mut()[here].copy_from_slice(&page[there]),
                    None => io.data_mut()[here].fill(0),
                }
            }
            at += part;
        }
        drop(pages);
        io.complete(Ok(()));
    }
}

/// A pool to make: its data vdevs, all alike.
#[derive(Debug, Clone, Copy)]
struct Case {
    build: Build,
    children: u32,
    groups: u32,
    bytes: u64,
    ashift: u32,
    special_and_log: bool,
}

const GIB: u64 = 1 << 30;

/// Sizes of drives, from one that gives 16 metaslabs to one that gives thousands.
const SIZES: [u64; 6] = [
    3 * GIB,
    40 * GIB,
    120_034_123_776,
    960_197_124_096,
    8_001_563_222_016,
    18_000_207_937_536,
];

fn cases() -> Vec<Case> {
    let mut shapes: Vec<(Build, u32, u32)> = vec![
        (Build::Whole, 1, 1),
        (Build::Whole, 1, 4),
        (Build::Whole, 2, 1),
        (Build::Whole, 2, 6),
        (Build::Whole, 3, 2),
    ];
    for (parity, widths) in [
        (1, vec![2, 3, 4, 5, 6, 9, 10, 13]),
        (2, vec![3, 4, 5, 6, 7, 8, 10, 11, 12, 18, 30]),
        (3, vec![4, 5, 7, 8, 9, 10, 11, 15, 30]),
    ] {
        for children in widths {
            let build = Build::Raidz { children, parity };
            shapes.push((build, children, 1 + children % 3));
        }
    }
    for (parity, data, children, spares) in [
        (1, 1, 3, 0),
        (1, 2, 6, 1),
        (1, 4, 11, 1),
        (1, 7, 24, 2),
        (1, 8, 10, 1),
        (1, 9, 30, 0),
        (2, 1, 5, 1),
        (2, 4, 11, 1),
        (2, 5, 30, 2),
        (2, 7, 30, 3),
        (2, 8, 24, 1),
        (2, 12, 30, 2),
        (2, 16, 60, 4),
        (3, 2, 7, 1),
        (3, 3, 13, 2),
        (3, 5, 17, 1),
        (3, 8, 22, 0),
        (3, 11, 40, 4),
    ] {
        let build = Build::Draid {
            parity,
            data,
            children,
            spares,
        };
        shapes.push((build, children, 1 + children % 2));
    }
    let mut cases = Vec::new();
    for (i, (build, children, groups)) in shapes.into_iter().enumerate() {
        for turn in 0..2 {
            cases.push(Case {
                build,
                children,
                groups,
                bytes: SIZES[(i + 3 * turn) % SIZES.len()],
                ashift: [12, 9, 12, 13][(i + turn) % 4],
                special_and_log: i % 7 == 3,
            });
        }
    }
    cases
}

fn vdev(class: Class, layout: Made, name: &str, from: u32, count: u32) -> Vdev {
    Vdev {
        class,
        layout,
        drives: (from..from + count)
            .map(|i| format!("/plan/{name}{i}"))
            .collect(),
    }
}

#[test]
fn pools_made_with_the_library_have_the_space_that_is_computed() {
    let library = Library::start(&Settings {
        memory: 2 << 30,
        processors: 8,
        dilation: 1.0,
        origin: 0,
        tunables: vec![("zfs_arc_max".into(), 256 << 20)],
    })
    .unwrap();
    let config = tempfile::NamedTempFile::new().unwrap();
    let cases = cases();
    assert!(cases.len() >= 60, "{}", cases.len());
    for (number, case) in cases.iter().enumerate() {
        check(&library, number, case, config.path());
    }
    library.stop();
}

fn check(library: &Library, number: usize, case: &Case, config: &std::path::Path) {
    let made = match (case.build, case.children) {
        (Build::Whole, 1) => Made::Single,
        (Build::Whole, _) => Made::Mirror,
        (Build::Raidz { parity, .. }, _) => Made::Raidz(parity as u8),
        (
            Build::Draid {
                parity,
                data,
                spares,
                ..
            },
            _,
        ) => Made::Draid {
            parity: parity as u8,
            data,
            spares,
        },
    };
    let mut vdevs: Vec<Vdev> = (0..case.groups)
        .map(|g| vdev(Class::Normal, made, "d", g * case.children, case.children))
        .collect();
    if case.special_and_log {
        vdevs.push(vdev(Class::Special, Made::Mirror, "s", 0, 2));
        vdevs.push(vdev(Class::Log, Made::Mirror, "l", 0, 2));
    }
    let paths: Vec<String> = vdevs.iter().flat_map(|v| v.drives.clone()).collect();
    for path in &paths {
        library.add_disk(
            path,
            Arc::new(Sparse {
                size: case.bytes,
                pages: Mutex::default(),
            }),
        );
    }
    let name = format!("plan{number}");
    let pool = Pool::create(&name, Some(case.ashift as u8), &vdevs, &[], config)
        .unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let found = pool.space().unwrap();

    let one = space::vdev(case.build, case.bytes, case.ashift, true);
    let all = vec![one; case.groups as usize];
    let computed = space::pool(&all);
    let groups = u64::from(case.groups);
    assert_eq!(found.metaslabs, one.metaslabs, "metaslabs of {case:?}");
    assert_eq!(found.size, groups * one.space, "size of {case:?}");
    assert_eq!(found.dspace, computed.dspace, "dspace of {case:?}");
    assert_eq!(
        found.embedded_log,
        groups * one.embedded_log,
        "embedded log of {case:?}"
    );
    assert_eq!(found.slop, computed.slop, "slop of {case:?}");
    // What a new pool uses itself is all that is missing.
    let used = computed.usable.checked_sub(found.available);
    assert!(
        used.is_some_and(|used| used < 32 << 20),
        "{case:?}: {} available of {}",
        found.available,
        computed.usable
    );
    for block in [
        512,
        4 << 10,
        8 << 10,
        16 << 10,
        100 << 10,
        128 << 10,
        1 << 20,
        16 << 20,
    ] {
        assert_eq!(
            pool.asize(block).unwrap(),
            case.build.geometry().asize(block, case.ashift),
            "{block} bytes on {case:?}"
        );
    }
    pool.export().unwrap();
    for path in &paths {
        library.remove_disk(path);
    }
}
