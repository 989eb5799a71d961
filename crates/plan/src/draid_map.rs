//! Which drives of a dRAID vdev share a redundancy group: the fixed permutation maps of OpenZFS
//! (`vdev_draid_generate_perms`, `vdev_draid_map_alloc_row`).

mod seeds;

/// First half of every map's seed, `VDEV_DRAID_SEED`.
const SEED: u64 = 0xd_7a1d_5eed;

/// The permutations of a dRAID of `children` drives, row after row; none outside 2 to 255.
pub fn permutations(children: u32) -> Option<Vec<Vec<u8>>> {
    let (rows, seed, _) = map(children)?;
    let mut state = [SEED, seed];
    let mut row: Vec<u8> = (0..children).map(|child| child as u8).collect();
    Some(
        (0..rows)
            .map(|_| {
                for j in (1..row.len()).rev() {
                    let k = (random(&mut state) % (j as u64 + 1)) as usize;
                    row.swap(j, k);
                }
                row.clone()
            })
            .collect(),
    )
}

fn map(children: u32) -> Option<(u32, u64, u64)> {
    let index = usize::try_from(children.checked_sub(2)?).ok()?;
    seeds::MAPS.get(index).copied()
}

/// xoroshiro128++ of Blackman and Vigna, as `vdev_draid_rand`.
fn random(state: &mut [u64; 2]) -> u64 {
    let (s0, s1) = (state[0], state[1] ^ state[0]);
    let result = state[0]
        .wrapping_add(state[1])
        .rotate_left(17)
        .wrapping_add(state[0]);
    state[0] = s0.rotate_left(49) ^ s1 ^ (s1 << 21);
    state[1] = s1.rotate_left(28);
    result
}

/// Every set of drives that holds a redundancy group somewhere on the vdev, as bit masks without
/// repetition; none when there are too many drives (255 children) for a mask of 256 bits or the
/// layout does not exist.
pub fn groups(children: u32, width: u32, spares: u32) -> Option<Vec<[u64; 4]>> {
    let disks = children.checked_sub(spares)?;
    if width == 0 || width > disks {
        return None;
    }
    // A permutation holds the fewest groups that fill whole rows.
    let count = disks / gcd(disks, width);
    let base = permutations(children)?;
    let mut found = std::collections::BTreeSet::new();
    for row in &base {
        for shift in 0..children {
            for group in 0..count {
                let start = group * width % disks;
                let mut mask = [0u64; 4];
                for column in 0..width {
                    let place = (start + column) % disks;
                    let child = (u32::from(row[place as usize]) + shift) % children;
                    mask[(child / 64) as usize] |= 1 << (child % 64);
                }
                found.insert(mask);
            }
        }
    }
    Some(found.into_iter().collect())
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
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
    fn groups_have_their_width_and_stay_within_the_children() {
        for mask in groups(30, 14, 2).unwrap() {
            assert_eq!(mask.iter().map(|w| w.count_ones()).sum::<u32>(), 14);
            assert_eq!(mask[0] >> 30, 0);
        }
    }
}
