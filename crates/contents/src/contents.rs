//! What drives hold: pages of 4 KiB, of which those that are all zero take no room.

/// Bytes of a page.
pub const PAGE: usize = 4096;
/// Pages of a leaf of the map: 4 MiB of a drive.
const LEAF: usize = 1024;
/// The page that is all zero.
const ZERO: u32 = 0;

/// Bytes that memory is taken in: large enough for huge pages.
const CHUNK: usize = 64 << 20;
/// Pages of a chunk.
const CHUNK_PAGES: usize = CHUNK / PAGE;

/// Room for the pages of all drives of a machine.
#[derive(Debug)]
pub struct Pages {
    chunks: Vec<Box<[u8]>>,
    capacity: u32,
    next: u32,
    free: Vec<u32>,
}

impl Pages {
    /// Room for up to `capacity` pages. Memory is taken as pages are written.
    pub fn new(capacity: u32) -> Pages {
        Pages {
            chunks: Vec::new(),
            capacity,
            next: 1,
            free: Vec::new(),
        }
    }

    /// Pages that hold something.
    pub fn held(&self) -> u32 {
        self.next - 1 - self.free.len() as u32
    }

    fn page(&self, page: u32) -> &[u8] {
        let within = page as usize % CHUNK_PAGES * PAGE;
        &self.chunks[page as usize / CHUNK_PAGES][within..within + PAGE]
    }

    fn page_mut(&mut self, page: u32) -> &mut [u8] {
        let within = page as usize % CHUNK_PAGES * PAGE;
        &mut self.chunks[page as usize / CHUNK_PAGES][within..within + PAGE]
    }

    /// A page of unknown content.
    ///
    /// # Panics
    /// When the drives hold as much as there is room for: the machine ends with this message.
    fn take(&mut self) -> u32 {
        if let Some(page) = self.free.pop() {
            return page;
        }
        assert!(
            self.next < self.capacity,
            "the drives hold {} MiB, all that this machine may take",
            self.capacity as usize * PAGE >> 20
        );
        let page = self.next;
        self.next += 1;
        if page as usize / CHUNK_PAGES >= self.chunks.len() {
            self.chunks.push(vec![0; CHUNK].into_boxed_slice());
        }
        page
    }
}

/// The contents of one drive.
#[derive(Debug)]
pub struct Contents {
    leaves: Vec<Option<Box<[u32; LEAF]>>>,
}

impl Contents {
    /// A drive of so many bytes, all zero.
    pub fn new(size: u64) -> Contents {
        let leaves = size.div_ceil((PAGE * LEAF) as u64) as usize;
        Contents {
            leaves: (0..leaves).map(|_| None).collect(),
        }
    }

    /// Pages that it could hold.
    pub fn pages(&self) -> u64 {
        (self.leaves.len() * LEAF) as u64
    }

    fn slot(&self, page: u64) -> u32 {
        match &self.leaves[page as usize / LEAF] {
            Some(leaf) => leaf[page as usize % LEAF],
            None => ZERO,
        }
    }

    fn set(&mut self, page: u64, slot: u32) {
        let leaf = &mut self.leaves[page as usize / LEAF];
        if slot == ZERO && leaf.is_none() {
            return;
        }
        leaf.get_or_insert_with(|| Box::new([ZERO; LEAF]))[page as usize % LEAF] = slot;
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
                continue;
            }
            let slot = if slot == ZERO {
                let slot = pages.take();
                self.set(page, slot);
                if !whole {
                    pages.page_mut(slot).fill(0);
                }
                slot
            } else {
                slot
            };
            pages.page_mut(slot)[within..within + from.len()].copy_from_slice(from);
        }
    }

    /// Makes bytes zero and gives whole pages back.
    pub fn discard(&mut self, pages: &mut Pages, offset: u64, length: u64) {
        const ZEROS: [u8; PAGE] = [0; PAGE];
        for (page, within, part) in parts(offset, length as usize) {
            if part.len() == PAGE {
                self.drop_page(pages, page);
            } else if self.slot(page) != ZERO {
                let slot = self.slot(page);
                pages.page_mut(slot)[within..within + part.len()]
                    .copy_from_slice(&ZEROS[..part.len()]);
            }
        }
    }

    fn drop_page(&mut self, pages: &mut Pages, page: u64) {
        let slot = self.slot(page);
        if slot != ZERO {
            pages.free.push(slot);
            self.set(page, ZERO);
        }
    }

    /// Calls `with` for each page that holds something, in ascending order, with its number.
    ///
    /// # Errors
    /// The first error of `with`.
    pub fn each<E>(
        &self,
        pages: &Pages,
        mut with: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for (index, leaf) in self.leaves.iter().enumerate() {
            let Some(leaf) = leaf else { continue };
            for (within, slot) in leaf.iter().enumerate() {
                if *slot != ZERO {
                    with((index * LEAF + within) as u64, pages.page(*slot))?;
                }
            }
        }
        Ok(())
    }
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

    fn empty() -> (Pages, Contents) {
        (Pages::new(1000), Contents::new(3 << 20))
    }

    fn read(pages: &Pages, drive: &Contents, offset: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![9; length];
        drive.read(pages, offset, &mut bytes);
        bytes
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
}
