//! Which drives of a dRAID vdev share a redundancy group: the fixed permutation maps of OpenZFS
//! (`vdev_draid_generate_perms`, `vdev_draid_map_alloc_row`).

use crate::space::gcd;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoroshiro128PlusPlus;
use std::ops::ControlFlow;

/// First half of every map's seed, `VDEV_DRAID_SEED`.
const SEED: u64 = 0xd_7a1d_5eed;

/// The permutations of a dRAID of `children` drives, row after row; none outside 2 to 255.
pub fn permutations(children: u32) -> Option<Vec<Vec<u8>>> {
    let (rows, seed, _) = map(children)?;
    // As `vdev_draid_rand`, xoroshiro128++ of Blackman and Vigna.
    let state = (u128::from(seed) << 64) | u128::from(SEED);
    let mut random = Xoroshiro128PlusPlus::from_seed(state.to_le_bytes());
    let mut row: Vec<u8> = (0..children).map(|child| child as u8).collect();
    Some(
        (0..rows)
            .map(|_| {
                for j in (1..row.len()).rev() {
                    let k = (random.next_u64() % (j as u64 + 1)) as usize;
                    row.swap(j, k);
                }
                row.clone()
            })
            .collect(),
    )
}

/// Permutations, seed and checksum of the map of a dRAID of `children` drives.
fn map(children: u32) -> Option<(u32, u64, u64)> {
    let index = usize::try_from(children.checked_sub(2)?).ok()?;
    let mut fields = include_str!("maps.txt").lines().nth(index + 1)?.split(' ');
    let hex = |field: Option<&str>| u64::from_str_radix(field?, 16).ok();
    let permutations = fields.next()?.parse().ok()?;
    Some((permutations, hex(fields.next())?, hex(fields.next())?))
}

/// Shows `visit` the drives of every redundancy group of every permutation, in ascending order,
/// until it says to stop. False when there is no such dRAID.
pub fn groups(
    children: u32,
    width: u32,
    spares: u32,
    mut visit: impl FnMut(&[u32]) -> ControlFlow<()>,
) -> bool {
    let (Some(disks), Some(rows)) = (children.checked_sub(spares), permutations(children)) else {
        return false;
    };
    if width == 0 || width > disks {
        return false;
    }
    // A permutation holds the fewest groups that fill whole rows.
    let count = disks / gcd(disks.into(), width.into()) as u32;
    let mut members = Vec::with_capacity(width as usize);
    for row in &rows {
        for shift in 0..children {
            for group in 0..count {
                let start = group * width % disks;
                members.clear();
                members.extend((0..width).map(|column| {
                    let place = (start + column) % disks;
                    (u32::from(row[place as usize]) + shift) % children
                }));
                members.sort_unstable();
                if visit(&members).is_break() {
                    return true;
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first word of fletcher4 over the rows, as `verify_perms` checks it.
    fn checksum(rows: &[Vec<u8>]) -> u64 {
        let bytes: Vec<u8> = rows.concat();
        bytes
            .chunks_exact(4)
            .map(|word| u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]])))
            .fold(0u64, u64::wrapping_add)
    }

    #[test]
    fn every_map_has_the_checksum_that_openzfs_verifies() {
        for children in 2..=255 {
            let (_, _, expected) = map(children).unwrap();
            let rows = permutations(children).unwrap();
            assert_eq!(checksum(&rows), expected, "{children} children");
        }
    }

    #[test]
    fn groups_have_their_width_and_no_drive_twice() {
        let mut seen = 0;
        assert!(groups(30, 14, 2, |members| {
            seen += 1;
            assert_eq!(members.len(), 14);
            assert!(members.windows(2).all(|two| two[0] < two[1]) && members[13] < 30);
            ControlFlow::Continue(())
        }));
        assert_eq!(seen, 256 * 30 * 2);
        assert!(!groups(30, 29, 2, |_| ControlFlow::Continue(())));
    }
}
