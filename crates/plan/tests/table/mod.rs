//! How data/layouts.tsv is read; the pools of OpenZFS in crates/poolwright/tests/plan_pools.rs use it too.

use zfs::{Geometry, Layout};

/// Bytes of the files of one block each, in the order of the last column.
pub const BLOCKS: [u64; 8] =
    [512, 4 << 10, 8 << 10, 16 << 10, 100 << 10, 128 << 10, 1 << 20, 16 << 20];

/// The vdev that a name stands for: `disk`, `mirror:2`, `raidz2:6`, `draid2:4d:11c:1s`.
pub fn geometry(name: &str) -> Geometry {
    let (keyword, children) = match name.split_once(':') {
        None => return Geometry { layout: Layout::Single, children: 1 },
        Some((keyword, options)) if keyword.starts_with("draid") => {
            let children = options.split(':').find_map(|option| option.strip_suffix('c'));
            (name, children.unwrap())
        }
        Some(both) => both,
    };
    let layout = Layout::of_status_name(keyword).unwrap();
    Geometry { layout, children: children.parse().unwrap() }
}
