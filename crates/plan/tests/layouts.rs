//! Space of 102 layouts against recorded values, to which pools of OpenZFS are held as well: see data/layouts.tsv.

#[path = "table/mod.rs"]
mod table;

use plan::space::{self, PoolSpace};
use table::{BLOCKS, geometry};

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
        let pool = PoolSpace::of(vdevs * one.dspace, vdevs * one.embedded_dspace);
        let found = [one.metaslabs, one.space, one.embedded_log, pool.dspace, pool.slop];
        assert_eq!(found, *wanted, "{row}");
        let asize = BLOCKS.map(|block| geometry.asize(block, ashift).to_string());
        assert_eq!(asize.join(" "), blocks, "{row}");
    }
}
