//! Task queues are as wide as the modelled host, whatever this machine has: one process, one library,
//! so one test function.
#![cfg(feature = "engine")]

mod common;

use common::{MIB, Memory, vdev};
use openzfs::{Class, Layout, Library, Pool, Settings};

#[test]
fn a_pool_has_the_threads_of_the_modelled_hosts_processors() {
    let library = Library::start(&Settings {
        memory: 512 << 20,
        processors: 64,
        dilation: 1.0,
        origin: 0,
        tunables: Vec::new(),
    })
    .unwrap();
    assert_eq!(
        library.tunable("zfs_flags"),
        Ok(0),
        "no check of a DEBUG build runs, as in a kernel"
    );
    library.add_disk("/pw/d0", Memory::new(256 * MIB));
    let config = tempfile::NamedTempFile::new().unwrap();
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let before = threads();
    let pool = Pool::create(
        "wide",
        Some(12),
        &[vdev(Class::Normal, Layout::Single, "d", 0..1)],
        &[],
        config.path(),
    )
    .unwrap();
    // The queues that issue writes and those that sync datasets have four threads for five
    // processors and three for four; on two processors all of a pool's queues together have fewer.
    let made = threads() - before;
    assert!(made > 64 * 4 / 5 + 64 * 3 / 4 + 64, "{made} threads");
    pool.export().unwrap();
    library.stop();
}
