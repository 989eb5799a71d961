//! Contents of drives, as a map of their pages. Pages of zeros take no memory.

use crate::pages::{PAGE, Pages, ZERO, equal};
use std::iter::repeat_n;
use std::sync::Arc;

/// Pages of a leaf of the map: 4 MiB of a drive.
const LEAF: usize = 1024;
/// Leaves of a branch of the map: 2 GiB of a drive.
const BRANCH: usize = 512;

/// The pages of 4 MiB of a drive, by their slots in memory.
type Leaf = Arc<[u32]>;
/// The leaves of 2 GiB of a drive; none where all is zero.
type Branch = Arc<[Option<Leaf>]>;

/// The contents of one drive. Leaves and branches that contents share are copied when one of them changes.
#[derive(Debug)]
pub struct Contents {
    branches: Vec<Option<Branch>>,
    leaves: usize,
}

impl Contents {
    /// A drive of so many bytes, all zero.
    pub fn new(size: u64) -> Contents {
        let leaves = size.div_ceil((PAGE * LEAF) as u64) as usize;
        Contents { branches: vec![None; leaves.div_ceil(BRANCH)], leaves }
    }

    /// Pages that it could hold.
    pub fn page_count(&self) -> u64 {
        (self.leaves * LEAF) as u64
    }

    /// Bytes that the map of a drive of a size takes without its branches.
    pub fn map_bytes(size: u64) -> u64 {
        let branches = size.div_ceil((PAGE * LEAF * BRANCH) as u64);
        branches * size_of::<Option<Branch>>() as u64
    }

    fn leaf(&self, index: usize) -> Option<&Leaf> {
        self.branches[index / BRANCH].as_ref()?[index % BRANCH].as_ref()
    }

    fn slot(&self, page: u64) -> u32 {
        self.leaf(page as usize / LEAF).map_or(ZERO, |leaf| leaf[page as usize % LEAF])
    }

    /// The slots of a leaf, to be changed.
    fn leaf_mut(&mut self, pages: &mut Pages, index: usize) -> &mut [u32] {
        let leaf = branch_mut(&mut self.branches[index / BRANCH])[index % BRANCH]
            .get_or_insert_with(|| repeat_n(ZERO, LEAF).collect());
        if Arc::get_mut(leaf).is_none() {
            // Others keep the one that they share.
            for slot in leaf.iter().filter(|slot| **slot != ZERO) {
                pages.hold(*slot);
            }
        }
        Arc::make_mut(leaf)
    }

    /// The slot of a page, to be changed.
    fn slot_mut(&mut self, pages: &mut Pages, page: u64) -> &mut u32 {
        &mut self.leaf_mut(pages, page as usize / LEAF)[page as usize % LEAF]
    }

    /// Reads bytes; beyond the drive's end is the caller's mistake and panics.
    pub fn read(&self, pages: &Pages, offset: u64, to: &mut [u8]) {
        for (page, within, part) in parts(offset, to.len()) {
            let to = &mut to[part];
            match self.slot(page) {
                ZERO => to.fill(0),
                slot => to.copy_from_slice(&pages.page(slot)[within..within + to.len()]),
            }
        }
    }

    /// Writes bytes; beyond the drive's end is the caller's mistake and panics.
    pub fn write(&mut self, pages: &mut Pages, offset: u64, from: &[u8]) {
        for (page, within, part) in parts(offset, from.len()) {
            let from = &from[part];
            let slot = self.slot(page);
            let whole = from.len() == PAGE;
            if from.iter().all(|byte| *byte == 0) && (whole || slot == ZERO) {
                self.drop_page(pages, page);
            } else if whole {
                // The new content first: it may be that of the old page.
                let new = pages.page_with(from);
                self.replace(pages, page, new);
            } else {
                let slot = self.slot_to_modify(pages, page);
                pages.page_mut(slot)[within..within + from.len()].copy_from_slice(from);
            }
        }
    }

    /// Makes bytes zero and gives whole pages back.
    pub fn discard(&mut self, pages: &mut Pages, offset: u64, length: u64) {
        let (page, end) = (PAGE as u64, offset + length);
        let (first, last) = (offset.next_multiple_of(page).min(end), end - end % page);
        self.forget(pages, offset, length);
        self.zero(pages, offset, first - offset);
        // A range within one page ends where its first part does.
        let rest = last.max(first);
        self.zero(pages, rest, end - rest);
    }

    /// Gives back whole pages whose content nothing reads again; bytes of other pages stay as they are. A range
    /// that holds nothing costs a look at each 4 MiB, or at each 2 GiB where nothing is near it.
    pub fn forget(&mut self, pages: &mut Pages, offset: u64, length: u64) {
        let (mut page, end) = (offset.div_ceil(PAGE as u64), (offset + length) / PAGE as u64);
        while page < end {
            let (index, within) = (page as usize / LEAF, page as usize % LEAF);
            let branch = &mut self.branches[index / BRANCH];
            if branch.is_none() {
                page = ((index / BRANCH + 1) * BRANCH * LEAF) as u64;
                continue;
            }
            let count = (LEAF - within).min((end - page) as usize);
            if count == LEAF {
                if let Some(leaf) = branch_mut(branch)[index % BRANCH].take() {
                    give_back(pages, leaf);
                }
            } else if self.leaf(index).is_some() {
                for slot in &mut self.leaf_mut(pages, index)[within..within + count] {
                    pages.release(std::mem::replace(slot, ZERO));
                }
            }
            page += count as u64;
        }
    }

    /// Gives all of its pages back.
    pub fn release(self, pages: &mut Pages) {
        for mut branch in self.branches.into_iter().flatten() {
            // What others share stays theirs.
            let leaves = Arc::get_mut(&mut branch).unwrap_or_default();
            for leaf in leaves.iter_mut().filter_map(Option::take) {
                give_back(pages, leaf);
            }
        }
    }

    /// Makes bytes of one page zero.
    fn zero(&mut self, pages: &mut Pages, offset: u64, length: u64) {
        for (page, within, part) in parts(offset, length as usize) {
            if self.slot(page) != ZERO {
                let slot = self.slot_to_modify(pages, page);
                pages.page_mut(slot)[within..within + part.len()].fill(0);
            }
        }
    }

    /// The same contents once more, which takes no page until one of the two is written to.
    pub(crate) fn fork(&self) -> Contents {
        Contents { branches: self.branches.clone(), leaves: self.leaves }
    }

    /// The page's own slot, to be written to in part.
    fn slot_to_modify(&mut self, pages: &mut Pages, page: u64) -> u32 {
        let slot = self.slot_mut(pages, page);
        *slot = match *slot {
            ZERO => {
                let new = pages.take();
                pages.page_mut(new).fill(0);
                new
            }
            held => pages.unshared(held),
        };
        *slot
    }

    fn drop_page(&mut self, pages: &mut Pages, page: u64) {
        if self.slot(page) != ZERO {
            self.replace(pages, page, ZERO);
        }
    }

    /// What a page holds; none for zeros that take no memory.
    pub fn page<'a>(&self, pages: &'a Pages, number: u64) -> Option<&'a [u8]> {
        match self.slot(number) {
            ZERO => None,
            slot => Some(pages.page(slot)),
        }
    }

    /// Whether pages, by ascending numbers, hold the same as those of other contents in the same memory.
    pub(crate) fn same_pages(&self, other: &Contents, pages: &Pages, numbers: &[u64]) -> bool {
        let leaf_of = |number: u64| number as usize / LEAF;
        // Zeros may take memory.
        let held = |drive: &Contents, number| drive.page(pages, number).unwrap_or(&[0; PAGE]);
        let same_page = |number: &u64| {
            self.slot(*number) == other.slot(*number)
                || equal(held(self, *number), held(other, *number))
        };
        numbers.chunk_by(|a, b| leaf_of(*a) == leaf_of(*b)).all(|of_leaf| {
            let leaf = leaf_of(of_leaf[0]);
            let shared = match (self.leaf(leaf), other.leaf(leaf)) {
                (Some(this), Some(that)) => Arc::ptr_eq(this, that),
                (this, that) => this.is_none() && that.is_none(),
            };
            shared || of_leaf.iter().all(same_page)
        })
    }

    /// The pages that are not zero, in ascending order: the number and the slot of each.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let branches = (0..).step_by(BRANCH).zip(&self.branches);
        let leaves = branches.flat_map(|(first, branch)| {
            (first..).zip(branch.iter().flat_map(|leaves| leaves.iter()))
        });
        leaves.flat_map(|(index, leaf)| {
            let slots = (index * LEAF..).zip(leaf.iter().flat_map(|leaf| leaf.iter()));
            let held = slots.filter(|(_, slot)| **slot != ZERO);
            held.map(|(number, slot)| (number as u64, *slot))
        })
    }

    /// A page becomes the one of a slot, which others may hold too.
    pub(crate) fn share(&mut self, pages: &mut Pages, number: u64, slot: u32) {
        pages.hold(slot);
        self.replace(pages, number, slot);
    }

    /// Sets the slot of a page, and gives the page back that was there.
    fn replace(&mut self, pages: &mut Pages, page: u64, new: u32) {
        let old = std::mem::replace(self.slot_mut(pages, page), new);
        pages.release(old);
    }
}

/// Contents no longer have a leaf. Its pages stay where others share it.
fn give_back(pages: &mut Pages, mut leaf: Leaf) {
    for slot in Arc::get_mut(&mut leaf).unwrap_or_default() {
        pages.release(*slot);
    }
}

/// The leaves of a branch, to be changed.
fn branch_mut(branch: &mut Option<Branch>) -> &mut [Option<Leaf>] {
    Arc::make_mut(branch.get_or_insert_with(|| repeat_n(None, BRANCH).collect()))
}

/// The pages that a range touches: page number, offset within the page, and the part of the range.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let at = offset + done as u64;
        let within = (at % PAGE as u64) as usize;
        let end = (done + PAGE - within).min(length);
        let part = done..end;
        done = end;
        Some((at / PAGE as u64, within, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn empty() -> (Pages, Contents) {
        (Pages::leaked(1000), Contents::new(3 << 20))
    }

    fn read(pages: &Pages, drive: &Contents, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![9; length];
        drive.read(pages, offset, &mut bytes);
        bytes
    }

    #[test]
    fn memory_that_changed_in_any_byte_is_a_page_of_its_own() {
        let mut pages = Pages::leaked(64);
        let mut drive = Contents::new(1 << 20);
        let mut memory = vec![7; PAGE];
        drive.write(&mut pages, 0, &memory);
        drive.write(&mut pages, PAGE as u64, &memory);
        assert_eq!(pages.held(), 1);
        for changed in [0, 63, 64, PAGE / 2, PAGE - 1] {
            memory[changed] ^= 1;
            drive.write(&mut pages, PAGE as u64, &memory);
            assert_eq!(pages.held(), 2, "byte {changed}");
            assert_eq!(read(&pages, &drive, PAGE as u64, PAGE), memory);
            assert_eq!(read(&pages, &drive, 0, PAGE), [7; PAGE]);
            memory[changed] ^= 1;
        }
    }

    #[test]
    fn only_whole_pages_are_forgotten() {
        let mut pages = Pages::leaked(64);
        let mut drive = Contents::new(1 << 20);
        drive.write(&mut pages, 0, &[7; 3 * PAGE]);
        drive.forget(&mut pages, 512, 2 * PAGE as u64);
        assert_eq!(pages.held(), 2);
        let mut read = [0; 3 * PAGE];
        drive.read(&pages, 0, &mut read);
        let (first, rest) = read.split_at(PAGE);
        let (second, third) = rest.split_at(PAGE);
        assert!(first.iter().chain(third).all(|byte| *byte == 7));
        assert!(second.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_discard_is_the_same_byte_by_byte_wherever_it_begins_and_ends() {
        let size = 3 * LEAF * PAGE;
        let (leaf, page) = (LEAF * PAGE, PAGE);
        let ends =
            [0, 1, page - 1, page, page + 5, leaf - 1, leaf, leaf + page + 7, 2 * leaf, size];
        for (from, to) in ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b))) {
            if from > to {
                continue;
            }
            let mut pages = Pages::leaked(100);
            let mut drive = Contents::new(size as u64);
            let written = [0, leaf - page, leaf, 2 * leaf - page, size - page];
            for at in written {
                drive.write(&mut pages, at as u64, &[7; PAGE]);
            }
            drive.discard(&mut pages, from as u64, (to - from) as u64);
            for at in written {
                let bytes = read(&pages, &drive, at as u64, page);
                let expected = |n: usize| if (from..to).contains(&(at + n)) { 0 } else { 7 };
                assert!(bytes.iter().enumerate().all(|(n, byte)| *byte == expected(n)));
            }
        }
    }

    #[test]
    fn a_fork_keeps_what_the_other_overwrites_and_gives_its_pages_back() {
        let (mut pages, mut drive) = empty();
        drive.write(&mut pages, 0, &[7; 2 * PAGE]);
        let mut fork = drive.fork();
        assert!(fork.same_pages(&drive, &pages, &[0, 1, 2, 600]));
        fork.write(&mut pages, 0, &[8; PAGE]);
        fork.write(&mut pages, PAGE as u64, &[8; 512]);
        assert_eq!(read(&pages, &drive, 0, 2 * PAGE), vec![7; 2 * PAGE]);
        assert_eq!(read(&pages, &fork, 0, PAGE + 512), vec![8; PAGE + 512]);
        let same = |numbers: &[u64]| fork.same_pages(&drive, &pages, numbers);
        assert!(same(&[2, 600]) && !same(&[0]) && !same(&[1, 600]));
        drive.discard(&mut pages, 0, 1 << 20);
        assert_eq!(pages.held(), 2);
        fork.discard(&mut pages, 0, 1 << 20);
        assert_eq!(pages.held(), 0);
    }

    #[derive(Debug, Clone)]
    enum Change {
        Write(u64, u8),
        Discard(u64, u64),
        Fork,
        Release,
    }

    /// Changes of one of several contents, near the ends of leaves and branches.
    fn change() -> impl Strategy<Value = (usize, Change)> {
        const BRANCH_PAGES: u64 = (BRANCH * LEAF) as u64;
        let ends = [2u64, 1024, 2048, BRANCH_PAGES - 1024, BRANCH_PAGES, BRANCH_PAGES + 1024];
        let place =
            || (proptest::sample::select(ends.to_vec()), 0..4u64).prop_map(|(end, n)| end + n - 2);
        let change = prop_oneof![
            6 => (place(), 0..3u8).prop_map(|(page, byte)| Change::Write(page, byte)),
            3 => (place(), place()).prop_map(|(a, b)| Change::Discard(a.min(b), a.max(b))),
            1 => Just(Change::Discard(0, 2 * BRANCH_PAGES)),
            2 => Just(Change::Fork),
            1 => Just(Change::Release),
        ];
        (0..4usize, change)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn forks_are_as_if_each_had_pages_of_its_own(
            changes in proptest::collection::vec(change(), 1..60)
        ) {
            let mut pages = Pages::leaked(4000);
            let size = 2 * (BRANCH * LEAF * PAGE) as u64;
            // By page, the byte that fills it.
            let mut all = vec![(Contents::new(size), BTreeMap::<u64, u8>::new())];
            for (which, change) in changes {
                let which = which % all.len();
                let (drive, bytes) = &mut all[which];
                match change {
                    Change::Write(page, byte) => {
                        drive.write(&mut pages, page * PAGE as u64, &[byte; PAGE]);
                        bytes.insert(page, byte);
                        bytes.retain(|_, byte| *byte != 0);
                    }
                    Change::Discard(from, to) => {
                        let length = (to - from) * PAGE as u64;
                        drive.discard(&mut pages, from * PAGE as u64, length);
                        bytes.retain(|page, _| !(from..to).contains(page));
                    }
                    Change::Fork => {
                        let fork = (drive.fork(), bytes.clone());
                        all.push(fork);
                    }
                    Change::Release if all.len() > 1 => all.remove(which).0.release(&mut pages),
                    Change::Release => {}
                }
                for (drive, bytes) in &all {
                    let held = drive.pages().map(|(number, slot)| {
                        let content = pages.page(slot);
                        assert!(content.iter().all(|byte| *byte == content[0]));
                        (number, content[0])
                    });
                    prop_assert_eq!(&held.collect::<BTreeMap<_, _>>(), bytes);
                }
            }
            all.into_iter().for_each(|(drive, _)| drive.release(&mut pages));
            prop_assert_eq!(pages.held(), 0);
        }
    }

    #[test]
    fn what_was_written_is_read_across_pages_and_in_parts() {
        let (mut pages, mut drive) = empty();
        let data: Vec<u8> = (0..10_000).map(|i| (i % 251) as u8 + 1).collect();
        drive.write(&mut pages, 512 * 5, &data);
        assert_eq!(read(&pages, &drive, 512 * 5, 10_000), data);
        assert_eq!(read(&pages, &drive, 0, 512 * 5), vec![0; 512 * 5]);
        drive.write(&mut pages, 4096, &[7; 512]);
        assert_eq!(read(&pages, &drive, 4096, 512), vec![7; 512]);
        assert_eq!(read(&pages, &drive, 4608, 8), data[4608 - 2560..][..8]);
    }

    #[test]
    fn zeros_take_no_room_and_give_it_back() {
        let (mut pages, mut drive) = empty();
        drive.write(&mut pages, 0, &[0; 8192]);
        assert_eq!(pages.held(), 0);
        drive.write(&mut pages, 0, &[1; 8192]);
        assert_eq!(pages.held(), 2);
        drive.write(&mut pages, 4096, &[0; 4096]);
        assert_eq!(pages.held(), 1);
        drive.discard(&mut pages, 0, 8192);
        assert_eq!(pages.held(), 0);
        assert_eq!(read(&pages, &drive, 0, 8192), vec![0; 8192]);
    }

    #[test]
    fn a_discard_of_part_of_a_page_keeps_the_rest() {
        let (mut pages, mut drive) = empty();
        drive.write(&mut pages, 0, &[3; 8192]);
        drive.discard(&mut pages, 512, 4096);
        assert_eq!(read(&pages, &drive, 0, 512), vec![3; 512]);
        assert_eq!(read(&pages, &drive, 512, 4096), vec![0; 4096]);
        assert_eq!(read(&pages, &drive, 4608, 3584), vec![3; 3584]);
    }

    #[test]
    fn what_two_drives_are_given_from_the_same_memory_is_held_once() {
        let mut pages = Pages::leaked(1000);
        let (mut a, mut b) = (Contents::new(1 << 20), Contents::new(1 << 20));
        let mut buffer = vec![0u8; 2 * PAGE];
        let start = buffer.as_ptr().align_offset(PAGE);
        buffer[start..start + PAGE].fill(7);
        a.write(&mut pages, 0, &buffer[start..start + PAGE]);
        b.write(&mut pages, 8192, &buffer[start..start + PAGE]);
        assert_eq!(pages.held(), 1);
        // Each keeps its own from then on.
        b.write(&mut pages, 8192, &[9; 512]);
        assert_eq!(pages.held(), 2);
        assert_eq!(read(&pages, &a, 0, PAGE), vec![7; PAGE]);
        assert_eq!(read(&pages, &b, 8192, 513), [&[9; 512][..], &[7]].concat());
        a.write(&mut pages, 0, &[0; PAGE]);
        a.write(&mut pages, 4096, &buffer[start..start + PAGE]);
        assert_eq!(read(&pages, &a, 4096, PAGE), vec![7; PAGE]);
        b.discard(&mut pages, 0, 1 << 20);
        a.discard(&mut pages, 0, 1 << 20);
        assert_eq!(pages.held(), 0);
    }
}
