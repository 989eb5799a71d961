//! Space of 102 layouts against recorded values, to which pools of OpenZFS are held as well: see data/layouts.tsv.

use plan::space::{self, Build};

const BLOCKS: [u64; 8] = [512, 4 << 10, 8 << 10, 16 << 10, 100 << 10, 128 << 10, 1 << 20, 16 << 20];

/// `disk`, `mirror:2`, `raidz2:6`, `draid2:4d:11c:1s`.
fn build(name: &str) -> Build {
    let mut parts = name.split(':');
    let layout = parts.next().unwrap();
    let numbers: Vec<u32> =
        parts.map(|part| part.trim_end_matches(['d', 'c', 's']).parse().unwrap()).collect();
    let parity = || layout[5..].parse().unwrap();
    match (&layout[..layout.len().min(5)], &numbers[..]) {
        ("disk", []) | ("mirro", [_]) => Build::Whole,
        ("raidz", [children]) => Build::Raidz { children: *children, parity: parity() },
        ("draid", [data, children, spares]) => {
            Build::Draid { parity: parity(), data: *data, children: *children, spares: *spares }
        }
        _ => panic!("{name}"),
    }
}

#[test]
fn space_is_as_recorded() {
    let rows = include_str!("data/layouts.tsv").lines();
    let rows: Vec<&str> = rows.filter(|row| !row.starts_with('#')).collect();
    assert_eq!(rows.len(), 102);
    for row in rows {
        let mut fields = row.split('\t');
        let build = build(fields.next().unwrap());
        let blocks = fields.next_back().unwrap();
        let numbers: Vec<u64> = fields.map(|field| field.parse().unwrap()).collect();
        let [vdevs, bytes, ashift, wanted @ ..] = &numbers[..] else { panic!("{row}") };
        let ashift = *ashift as u32;
        let one = space::vdev(build, *bytes, ashift, true);
        let pool = space::pool(&vec![one; *vdevs as usize]);
        let found = [one.metaslabs, one.space, one.embedded_log, pool.dspace, pool.slop];
        assert_eq!(found, *wanted, "{row}");
        let asize = BLOCKS.map(|block| build.geometry().asize(block, ashift).to_string());
        assert_eq!(asize.join(" "), blocks, "{row}");
    }
}
