//! Space per block for 4K to 1M on every width and parity, against the columns that
//! `vdev_raidz_map_alloc` lays out and the rows of `vdev_draid_map_alloc`.

use zfs::Geometry;
use zfs::Layout;

const BLOCKS: [u64; 9] =
    [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20];

/// Sectors of a raidz block counted column by column, then the skipped ones.
fn columns(sectors: u64, width: u64, parity: u64) -> u64 {
    let quotient = sectors / (width - parity);
    let remainder = sectors % (width - parity);
    let big = if remainder == 0 { 0 } else { remainder + parity };
    let used: u64 = (0..width).map(|column| quotient + u64::from(column < big)).sum();
    let skipped = (parity + 1 - used % (parity + 1)) % (parity + 1);
    used + skipped
}

#[test]
fn raidz_takes_what_its_columns_hold() {
    for ashift in [9u32, 12, 13] {
        for parity in 1..=3u32 {
            for width in parity + 1..=60 {
                for block in BLOCKS {
                    let sectors = block.div_ceil(1 << ashift);
                    let expected = columns(sectors, u64::from(width), u64::from(parity)) << ashift;
                    let asize = Geometry { layout: Layout::Raidz { parity }, children: width }
                        .asize(block, ashift);
                    assert_eq!(asize, expected, "{block} on {width}-wide z{parity}, 2^{ashift}");
                }
            }
        }
    }
}

#[test]
fn draid_takes_whole_rows() {
    for ashift in [9u32, 12] {
        for parity in 1..=3u32 {
            for data in 1..=40u32 {
                for block in BLOCKS {
                    let mut rows = 0u64;
                    while rows * (u64::from(data) << ashift) < block {
                        rows += 1;
                    }
                    let expected = rows * (u64::from(data + parity) << ashift);
                    let asize = Geometry {
                        layout: Layout::Draid { data, parity, spares: 0 },
                        children: data + parity,
                    }
                    .asize(block, ashift);
                    assert_eq!(asize, expected, "{block} on draid{parity}:{data}d");
                }
            }
        }
    }
}
