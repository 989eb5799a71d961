//! Which drives of a dRAID vdev share a redundancy group: the fixed permutation maps of OpenZFS
//! (`vdev_draid_generate_perms`, `vdev_draid_map_alloc_row`).

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

/// Permutations, seed and checksum of the map of a dRAID of `children` drives.
fn map(children: u32) -> Option<(u32, u64, u64)> {
    let index = usize::try_from(children.checked_sub(2)?).ok()?;
    let mut fields = include_str!("maps.txt").lines().nth(index + 1)?.split(' ');
    let hex = |field: Option<&str>| u64::from_str_radix(field?, 16).ok();
    let permutations = fields.next()?.parse().ok()?;
    Some((permutations, hex(fields.next())?, hex(fields.next())?))
}

/// xoroshiro128++ of Blackman and Vigna, as `vdev_draid_rand`.
fn random(state: &mut [u64; 2]) -> u64 {
    let (s0, s1) = (state[0], state[1] ^ state[0]);
    let result = state[0].wrapping_add(state[1]).rotate_left(17).wrapping_add(state[0]);
    state[0] = s0.rotate_left(49) ^ s1 ^ (s1 << 21);
    state[1] = s1.rotate_left(28);
    result
}

/// Shows `visit` the drives of every redundancy group of every permutation, in ascending order,
/// until it says to stop. False when there is no such dRAID.
pub fn groups(
    children: u32,
    width: u32,
    spares: u32,
    mut visit: impl FnMut(&[u32]) -> std::ops::ControlFlow<()>,
) -> bool {
    let Some(disks) = children.checked_sub(spares) else {
        return false;
    };
    let Some(rows) = permutations(children) else {
        return false;
    };
    if width == 0 || width > disks {
        return false;
    }
    // A permutation holds the fewest groups that fill whole rows.
    let count = disks / gcd(disks, width);
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
    fn groups_have_their_width_and_no_drive_twice() {
        let mut seen = 0;
        assert!(groups(30, 14, 2, |members| {
            seen += 1;
            assert_eq!(members.len(), 14);
            assert!(members.windows(2).all(|two| two[0] < two[1]) && members[13] < 30);
            std::ops::ControlFlow::Continue(())
        }));
        assert_eq!(seen, 256 * 30 * 2);
        assert!(!groups(30, 29, 2, |_| std::ops::ControlFlow::Continue(())));
    }
}
