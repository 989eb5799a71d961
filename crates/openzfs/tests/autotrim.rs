//! The end of a pool that trims by itself: one process, one library, so one test function.
#![cfg(feature = "engine")]

mod common;

use common::{MIB, Memory, vdev};
use openzfs::{Class, Layout, Library, Pool, Settings};
use std::time::{Duration, Instant};

#[test]
fn an_export_does_not_wait_for_each_vdev_to_see_that_it_need_not_trim() {
    let library = Library::start(&Settings {
        memory: 512 << 20,
        processors: 4,
        // A txg of five virtual seconds lasts 50 real ones.
        dilation: 10.0,
        origin: 0,
        tunables: Vec::new(),
    })
    .unwrap();
    let single = |n| vdev(Class::Normal, Layout::Single, "d", n..n + 1);
    for n in 0..3 {
        library.add_disk(&format!("/pw/d{n}"), Memory::new(256 * MIB));
    }
    let config = tempfile::NamedTempFile::new().unwrap();
    let pool = Pool::create(
        "trimmed",
        Some(12),
        &[single(0), single(1), single(2)],
        &[("autotrim".to_owned(), "on".to_owned())],
        config.path(),
    )
    .unwrap();
    // Time for the threads to begin to wait for a txg.
    std::thread::sleep(Duration::from_secs(1));
    let began = Instant::now();
    pool.export().unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    library.stop();
}
