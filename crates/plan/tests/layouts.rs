//! Space of 102 layouts against recorded values, to which pools of OpenZFS are held as well: see data/layouts.tsv.

use plan::space;
use zfs::{Geometry, Layout};

const BLOCKS: [u64; 8] = [512, 4 << 10, 8 << 10, 16 << 10, 100 << 10, 128 << 10, 1 << 20, 16 << 20];

/// The vdev that a name stands for: `disk`, `mirror:2`, `raidz2:6`, `draid2:4d:11c:1s`.
fn geometry(name: &str) -> Geometry {
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

#[test]
fn space_is_as_recorded() {
    let rows = include_str!("data/layouts.tsv").lines();
    let rows: Vec<&str> = rows.filter(|row| !row.starts_with('#')).collect();
    assert_eq!(rows.len(), 102);
    for row in rows {
        let mut fields = row.split('\t');
        let geometry = geometry(fields.next().unwrap());
        let blocks = fields.next_back().unwrap();
        let numbers: Vec<u64> = fields.map(|field| field.parse().unwrap()).collect();
        let [vdevs, bytes, ashift, wanted @ ..] = &numbers[..] else { panic!("{row}") };
        let ashift = *ashift as u32;
        let one = space::vdev(geometry, *bytes, ashift, true);
        let pool = space::pool(&vec![one; *vdevs as usize]);
        let found = [one.metaslabs, one.space, one.embedded_log, pool.dspace, pool.slop];
        assert_eq!(found, *wanted, "{row}");
        let asize = BLOCKS.map(|block| geometry.asize(block, ashift).to_string());
        assert_eq!(asize.join(" "), blocks, "{row}");
    }
}
