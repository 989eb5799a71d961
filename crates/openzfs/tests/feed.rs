//! The pace of the L2ARC's feed: one process, one library, so one test function.
#![cfg(feature = "engine")]

mod common;

use common::{MIB, Memory, vdev};
use openzfs::{Class, Layout, Library, Pool, Settings};
use std::time::Duration;

#[test]
fn the_feed_comes_once_a_second_or_as_much_more_often_as_it_is_told() {
    let library = Library::start(&Settings {
        memory: 512 << 20,
        processors: 4,
        dilation: 1.0,
        origin: 0,
        tunables: vec![("l2arc_write_max".to_owned(), 1 << 20)],
    })
    .unwrap();
    library.add_disk("/pw/d0", Memory::new(256 * MIB));
    library.add_disk("/pw/c0", Memory::new(256 * MIB));
    let config = tempfile::NamedTempFile::new().unwrap();
    let pool = Pool::create(
        "cached",
        Some(12),
        &[
            vdev(Class::Normal, Layout::Single, "d", 0..1),
            vdev(Class::Cache, Layout::Single, "c", 0..1),
        ],
        &[],
        config.path(),
    )
    .unwrap();
    let feeds = || {
        let counters = library.counters(Some(&pool));
        counters
            .iter()
            .find(|c| c.name == "l2.feeds")
            .unwrap()
            .value
    };
    let in_three_seconds = |share: f64| {
        library.pace_feed(share);
        // The one that is waited for keeps its time.
        std::thread::sleep(Duration::from_millis(1100));
        let (before, began) = (feeds(), library.now());
        std::thread::sleep(Duration::from_secs(3));
        (feeds() - before) as f64 / ((library.now() - began) as f64 / 1e9)
    };
    let (slow, fast) = (in_three_seconds(1.0), in_three_seconds(1.0 / 16.0));
    assert!((0.6..1.4).contains(&slow), "{slow} a second");
    assert!((10.0..17.0).contains(&fast), "{fast} a second");
    pool.export().unwrap();
    library.stop();
}
