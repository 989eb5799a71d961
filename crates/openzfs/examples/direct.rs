//! Processor time of an 8 KiB synchronous write and of an 8 KiB read that hits the ARC, called
//! directly on the library over disks in memory: the floor for the same through a mount.
//!
//! `cargo run --release -p openzfs --features engine --example direct [SECONDS [RECORDSIZE [FLAGS]]]`;
//! FLAGS are OpenZFS's `zfs_flags`, 0 as in a kernel: -1 turns every check of a DEBUG build on.

use openzfs::{
    Class, Disk, FileSystem, Flags, Geometry, Io, IoOp, Layout, Library, Pool, Settings, Stages,
    Vdev,
};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

/// A disk in memory that completes at once.
struct Memory(RwLock<Vec<u8>>);

impl Disk for Memory {
    fn geometry(&self) -> Geometry {
        let size = self.0.read().map_or(0, |b| b.len() as u64);
        Geometry {
            size,
            logical_sector: 512,
            physical_sector: 4096,
            rotational: false,
        }
    }

    fn submit(&self, mut io: Io) {
        let range = io.offset() as usize..(io.offset() + io.len()) as usize;
        match io.op() {
            IoOp::Read => {
                if let Ok(bytes) = self.0.read() {
                    io.data_mut().copy_from_slice(&bytes[range]);
                }
            }
            IoOp::Write => {
                if let Ok(mut bytes) = self.0.write() {
                    bytes[range].copy_from_slice(io.data());
                }
            }
            IoOp::Flush | IoOp::Trim => {}
        }
        io.complete(Ok(()));
    }
}

/// User and system time of this process, from /proc/self/stat in clock ticks of 10 ms.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or("");
    let field = |i: usize| {
        after
            .split_whitespace()
            .nth(i)
            .and_then(|v| v.parse::<u64>().ok())
    };
    Duration::from_millis(10 * (field(11).unwrap_or(0) + field(12).unwrap_or(0)))
}

fn measure(what: &str, seconds: u64, mut op: impl FnMut(u64)) {
    let (cpu, wall) = (processor_time(), Instant::now());
    let mut n = 0u64;
    while wall.elapsed() < Duration::from_secs(seconds) {
        op(n);
        n += 1;
    }
    let per = |d: Duration| d.as_secs_f64() * 1e6 / n as f64;
    println!(
        "{what:24} {:8.0}/s   processor {:6.1} us each   wall {:6.1} us each",
        n as f64 / wall.elapsed().as_secs_f64(),
        per(processor_time() - cpu),
        per(wall.elapsed())
    );
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = |i: usize, default: i64| {
        std::env::args()
            .nth(i)
            .map_or(Ok(default), |s| s.parse::<i64>())
    };
    let seconds = u64::try_from(argument(1, 3)?)?;
    let recordsize = argument(2, 8192)?;
    let library = Library::start(&Settings {
        memory: 4 << 30,
        processors: 0,
        dilation: 1.0,
        origin: 0,
        tunables: vec![
            ("zfs_arc_max".into(), 512 << 20),
            ("zfs_arc_min".into(), 256 << 20),
            ("zfs_flags".into(), argument(3, 0)?),
        ],
    })?;
    let mut vdevs = Vec::new();
    for i in 0..3 {
        let drives: Vec<String> = (0..2).map(|j| format!("/d{}", 2 * i + j)).collect();
        for drive in &drives {
            library.add_disk(drive, Arc::new(Memory(RwLock::new(vec![0; 512 << 20]))));
        }
        vdevs.push(Vdev {
            class: Class::Normal,
            layout: Layout::Mirror,
            drives,
        });
    }
    let config = tempfile::NamedTempFile::new()?;
    let pool = Pool::create("direct", Some(12), &vdevs, &[], config.path())?;
    pool.set("", "recordsize", &recordsize.to_string())?;
    println!(
        "OpenZFS {}, debug {}, records of {recordsize} bytes",
        library.version(),
        library.is_debug()
    );
    let fs = FileSystem::open(&pool, "")?;
    let root = fs.node(fs.root())?;
    let node = fs.node(root.create(b"file", 0o100_644, (0, 0), 0, None)?)?;
    let blocks = (64u64 << 20) / 8192;
    let data: Vec<u8> = (0..8192u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let mut stages = Stages::default();
    for i in 0..blocks {
        node.write(i * 8192, &data, Flags::default(), &mut stages)?;
    }
    pool.drain()?;
    let at = |i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % blocks * 8192;
    let sync = Flags {
        sync: true,
        ..Flags::default()
    };
    let mut buf = vec![0u8; 8192];
    measure("8 KiB synchronous write", seconds, |i| {
        let _ = node.write(at(i), &data, sync, &mut Stages::default());
    });
    pool.drain()?;
    measure("8 KiB ARC-hit read", seconds, |i| {
        let _ = node.read(at(i), &mut buf, Flags::default(), &mut Stages::default());
    });
    drop((node, root, fs));
    pool.export()?;
    library.stop();
    Ok(())
}
