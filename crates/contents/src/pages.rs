//! Memory for the pages of 4 KiB that drives hold.

/// Bytes of a page.
pub const PAGE: usize = 4096;
/// The page that is all zero.
pub(crate) const ZERO: u32 = 0;

/// Bytes that memory is taken in: large enough for huge pages.
pub const CHUNK: usize = 64 << 20;
/// Pages of a chunk.
const CHUNK_PAGES: usize = CHUNK / PAGE;
/// Places of memory of which it is remembered what was written from them last.
const SOURCES: usize = 4096;

/// Where memory comes from: a chunk of [`CHUNK`] bytes of any content at each call.
pub type Memory = Box<dyn FnMut() -> &'static mut [u8] + Send>;

/// Room for the pages of all drives of a machine, each in a slot. A page that several drives hold is held once.
pub struct Pages {
    memory: Memory,
    chunks: Vec<&'static mut [u8]>,
    capacity: u32,
    next: u32,
    free: Vec<u32>,
    /// How many places hold a page. A leaf that several contents share is one place.
    holders: Vec<u32>,
    /// By the address that it was written from: the page that was written from there last. The sides of
    /// a mirror are written from the same memory one after the other.
    sources: Vec<u32>,
}

/// The slot of the page at a place in memory: places begin behind the page that is all zero.
pub(crate) fn slot_at(place: usize) -> u32 {
    place as u32 + 1
}

/// The place in memory of the page of a slot.
pub(crate) fn place_of(slot: u32) -> u64 {
    u64::from(slot) - 1
}

impl std::fmt::Debug for Pages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pages({} of {})", self.held(), self.capacity)
    }
}

impl Pages {
    /// Room for up to `capacity` pages. Memory is taken as pages are written.
    pub fn new(capacity: u32, memory: Memory) -> Pages {
        Pages {
            memory,
            chunks: Vec::new(),
            capacity,
            next: 1,
            free: Vec::new(),
            holders: vec![0],
            sources: vec![ZERO; SOURCES],
        }
    }

    /// Room in this process's own memory, which is never given back: for tests and tools.
    pub fn leaked(capacity: u32) -> Pages {
        Pages::new(capacity, Box::new(|| Box::leak(vec![0; CHUNK].into_boxed_slice())))
    }

    /// Pages in use.
    pub fn held(&self) -> u32 {
        self.next - 1 - self.free.len() as u32
    }

    /// Pages that were ever taken.
    pub fn taken(&self) -> u32 {
        self.next - 1
    }

    /// Takes over so many pages that an earlier machine left in this memory, or the host put there, each held by the
    /// caller until [`Pages::release`]; none where there is no room for them. Nothing may be taken yet.
    pub(crate) fn adopt(&mut self, taken: u64) -> Option<Vec<u32>> {
        let next = taken.checked_add(1).and_then(|next| u32::try_from(next).ok());
        let next = next.filter(|next| *next <= self.capacity)?;
        self.next = next;
        self.holders.resize(next as usize, 1);
        while self.chunks.len() < (next as usize).div_ceil(CHUNK_PAGES) {
            self.chunks.push((self.memory)());
        }
        Some((1..next).collect())
    }

    /// The memory, for another machine.
    #[cfg(test)]
    pub(crate) fn into_chunks(self) -> Vec<&'static mut [u8]> {
        self.chunks
    }

    /// What a page holds.
    pub(crate) fn page(&self, page: u32) -> &[u8] {
        let within = page as usize % CHUNK_PAGES * PAGE;
        &self.chunks[page as usize / CHUNK_PAGES][within..within + PAGE]
    }

    /// The same, to be written to.
    pub(crate) fn page_mut(&mut self, page: u32) -> &mut [u8] {
        let within = page as usize % CHUNK_PAGES * PAGE;
        &mut self.chunks[page as usize / CHUNK_PAGES][within..within + PAGE]
    }

    /// A page of unknown content, held once, until [`Pages::release`].
    ///
    /// # Panics
    /// When the drives hold as much as there is room for: the machine ends with this message.
    pub(crate) fn take(&mut self) -> u32 {
        if let Some(page) = self.free.pop() {
            self.holders[page as usize] = 1;
            return page;
        }
        assert!(
            self.next < self.capacity,
            "the drives hold {} MiB, all that this machine may take",
            (self.capacity as usize * PAGE) >> 20
        );
        let page = self.next;
        self.next += 1;
        self.holders.push(1);
        if page as usize / CHUNK_PAGES >= self.chunks.len() {
            self.chunks.push((self.memory)());
        }
        page
    }

    /// One place more holds a page.
    pub(crate) fn hold(&mut self, page: u32) {
        self.holders[page as usize] += 1;
    }

    /// One place less holds a page. The page that is all zero has no holders.
    pub(crate) fn release(&mut self, page: u32) {
        if page == ZERO {
            return;
        }
        let holders = &mut self.holders[page as usize];
        *holders -= 1;
        if *holders == 0 {
            self.free.push(page);
        }
    }

    /// A page with this content, held once more: the one that was last written from the same memory, where
    /// that has it still, or a new one.
    pub(crate) fn page_with(&mut self, content: &[u8]) -> u32 {
        let source = content.as_ptr() as usize / PAGE % SOURCES;
        let known = self.sources[source];
        if known != ZERO && self.holders[known as usize] > 0 && equal(self.page(known), content) {
            self.hold(known);
            return known;
        }
        let page = self.take();
        self.page_mut(page).copy_from_slice(content);
        self.sources[source] = page;
        page
    }

    /// The page, or a copy of it where others hold it too, to be written to.
    pub(crate) fn unshared(&mut self, page: u32) -> u32 {
        if self.holders[page as usize] == 1 {
            return page;
        }
        let copy = self.take();
        let (from, to) = (page as usize, copy as usize);
        let (a, b) = (from % CHUNK_PAGES * PAGE, to % CHUNK_PAGES * PAGE);
        match (from / CHUNK_PAGES, to / CHUNK_PAGES) {
            (x, y) if x == y => self.chunks[x].copy_within(a..a + PAGE, b),
            (x, y) => {
                let [x, y] = self
                    .chunks
                    .get_disjoint_mut([x, y])
                    .unwrap_or_else(|_| unreachable!("two different chunks that both exist"));
                y[b..b + PAGE].copy_from_slice(&x[a..a + PAGE]);
            }
        }
        self.release(page);
        copy
    }
}

/// Whether two pages hold the same. In the kernel `==` is a call that compares eight bytes at a time; a fold over a
/// fixed length is compiled to the processor's wide registers.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (a.as_chunks::<64>().0, b.as_chunks::<64>().0);
    a.iter().zip(b).all(|(a, b)| a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0)
}
