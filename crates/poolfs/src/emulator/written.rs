//! Which blocks of a backing file have ever been written.

use std::collections::HashMap;

/// Bytes of a block.
pub(super) const BLOCK: u64 = 4096;
/// Blocks of a chunk.
const CHUNK: u64 = 512;

/// A set of blocks. Drives are mostly empty: chunks without a block take no memory.
#[derive(Debug, Default)]
pub(super) struct Written(HashMap<u64, [u64; (CHUNK / 64) as usize]>);

impl Written {
    /// Adds every block that the range touches.
    pub(super) fn add(&mut self, offset: u64, length: u64) {
        for (chunk, word, mask) in words(offset, length) {
            self.0.entry(chunk).or_default()[word] |= mask;
        }
    }

    /// Takes out the blocks that lie wholly inside the range.
    pub(super) fn remove(&mut self, offset: u64, length: u64) {
        let start = offset.next_multiple_of(BLOCK);
        let end = (offset + length) / BLOCK * BLOCK;
        for (chunk, word, mask) in words(start, end.saturating_sub(start)) {
            if let Some(chunk) = self.0.get_mut(&chunk) {
                chunk[word] &= !mask;
            }
        }
    }

    /// Whether the range touches any block of the set.
    pub(super) fn touches(&self, offset: u64, length: u64) -> bool {
        words(offset, length)
            .any(|(chunk, word, mask)| self.0.get(&chunk).is_some_and(|c| c[word] & mask != 0))
    }
}

/// Every block of a range as (chunk, word, mask).
fn words(offset: u64, length: u64) -> impl Iterator<Item = (u64, usize, u64)> {
    let first = offset / BLOCK;
    let end = if length == 0 {
        first
    } else {
        (offset + length).div_ceil(BLOCK)
    };
    (first / 64..end.div_ceil(64)).filter_map(move |word| {
        let from = first.max(word * 64) - word * 64;
        let to = end.min(word * 64 + 64) - word * 64;
        if from >= to {
            return None;
        }
        let mask = (u64::MAX >> (64 - (to - from))) << from;
        Some((word * 64 / CHUNK, (word % (CHUNK / 64)) as usize, mask))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set_of_blocks(
            steps in prop::collection::vec((any::<bool>(), 0u64..8 << 20, 0u64..3 << 20), 1..20),
            probe in (0u64..8 << 20, 1u64..64 << 10),
        ) {
            let mut written = Written::default();
            let mut blocks = BTreeSet::new();
            for (add, offset, length) in steps {
                if add {
                    written.add(offset, length);
                    if length > 0 {
                        blocks.extend(offset / BLOCK..(offset + length).div_ceil(BLOCK));
                    }
                } else {
                    written.remove(offset, length);
                    for block in offset.div_ceil(BLOCK)..(offset + length) / BLOCK {
                        blocks.remove(&block);
                    }
                }
            }
            let (offset, length) = probe;
            let touched = offset / BLOCK..(offset + length).div_ceil(BLOCK);
            prop_assert_eq!(
                written.touches(offset, length),
                blocks.range(touched).next().is_some()
            );
        }
    }
}
