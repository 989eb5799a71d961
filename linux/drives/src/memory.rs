//! Memory from the host: an allocator that never calls `malloc`, and large regions.

use contents::config::MEMORY_LIMIT;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr;

/// Bytes taken from the host at a time.
const CHUNK: usize = 4 << 20;
/// Powers of two up to 1 MiB have free lists; larger blocks have mappings of their own.
const CLASSES: usize = 21;

/// An allocator with a free list for each power of two, over memory mapped from the host.
///
/// The kernel runs in one thread of the host and switches to nothing else within an allocation, since that passes no
/// virtual time: nothing calls twice at once.
pub struct Arena(UnsafeCell<State>);

struct State {
    next: usize,
    end: usize,
    free: [usize; CLASSES],
}

// SAFETY: the kernel that this is linked into runs in one thread of the host, and no event is delivered within a call.
unsafe impl Sync for Arena {}

impl Arena {
    /// An empty one.
    pub const fn new() -> Arena {
        Arena(UnsafeCell::new(State { next: 0, end: 0, free: [0; CLASSES] }))
    }
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

fn class(layout: &Layout) -> usize {
    let bytes = layout.size().max(layout.align()).max(16);
    bytes.next_power_of_two().trailing_zeros() as usize
}

// SAFETY: blocks are disjoint, aligned to their size (a power of two at least as large as the layout asks
// for, up to a page, which mappings are aligned to), and given out again only after they came back.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let class = class(&layout);
        if class >= CLASSES {
            return map(1 << class);
        }
        // SAFETY: see `Sync`.
        let state = unsafe { &mut *self.0.get() };
        let free = state.free[class];
        if free != 0 {
            // SAFETY: a free block holds the address of the next one in its first word.
            state.free[class] = unsafe { *(free as *const usize) };
            return free as *mut u8;
        }
        let size = 1usize << class;
        let at = state.next.next_multiple_of(size.min(4096));
        if at + size > state.end || state.next == 0 {
            let chunk = map(CHUNK.max(size)) as usize;
            if chunk == 0 {
                return ptr::null_mut();
            }
            state.next = chunk + size;
            state.end = chunk + CHUNK.max(size);
            return chunk as *mut u8;
        }
        state.next = at + size;
        at as *mut u8
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller's of this.
        let block = unsafe { self.alloc(layout) };
        // A mapping of its own is zero already; to write it would take all its memory at once.
        if !block.is_null() && class(&layout) < CLASSES {
            // SAFETY: just allocated with this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let class = class(&layout);
        if class >= CLASSES {
            // SAFETY: mapped by `alloc` with this length.
            unsafe { libc::munmap(block.cast(), 1 << class) };
            return;
        }
        // SAFETY: see `Sync`; the block is the caller's last reference and at least 16 bytes long.
        unsafe {
            let state = &mut *self.0.get();
            *(block as *mut usize) = state.free[class];
            state.free[class] = block as usize;
        }
    }
}

/// Bytes of a huge page.
const HUGE: usize = 2 << 20;

/// Zeroed memory of the host, a power of two of bytes, aligned to a huge page where it is as large; null
/// when there is none. It takes room as it is written to.
fn map(bytes: usize) -> *mut u8 {
    let anonymous = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let at = map_aligned(bytes, anonymous, -1, 0);
    if !at.is_null() && bytes >= HUGE {
        // SAFETY: a new mapping of this length.
        unsafe { libc::madvise(at.cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    at
}

/// A new mapping of the host, a power of two of bytes, aligned to a huge page where it is as large; null when
/// there is none. The guest's programs, which are children of this process, do not have it.
fn map_aligned(bytes: usize, flags: i32, descriptor: i32, offset: libc::off_t) -> *mut u8 {
    let spare = if bytes >= HUGE { HUGE } else { 0 };
    // SAFETY: addresses that nobody uses, from the host; the mapping takes the aligned part of them, and the parts
    // before and behind it are given back.
    unsafe {
        let reserved = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let from = libc::mmap(ptr::null_mut(), bytes + spare, libc::PROT_NONE, reserved, -1, 0);
        if from == libc::MAP_FAILED {
            return ptr::null_mut();
        }
        let before =
            if spare == 0 { 0 } else { (from as usize).next_multiple_of(HUGE) - from as usize };
        let aligned = from.byte_add(before);
        if before > 0 {
            libc::munmap(from, before);
        }
        if before < spare {
            libc::munmap(aligned.byte_add(bytes), spare - before);
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        if libc::mmap(aligned, bytes, access, flags | libc::MAP_FIXED, descriptor, offset)
            == libc::MAP_FAILED
        {
            let why = *libc::__errno_location();
            libc::munmap(aligned, bytes);
            *libc::__errno_location() = why;
            return ptr::null_mut();
        }
        libc::madvise(aligned, bytes, libc::MADV_DONTFORK);
        aligned.cast()
    }
}

/// Makes shared memory huge pages where the host can: Linux since 6.1, whatever
/// `/sys/kernel/mm/transparent_hugepage` says. Elsewhere its pages stay small. What it holds stays.
fn use_huge_pages(at: *mut u8, bytes: usize) {
    for offset in (0..bytes).step_by(HUGE) {
        // SAFETY: within the caller's mapping. A region of which no page is there is refused, so one is read.
        unsafe {
            at.add(offset).read_volatile();
            libc::madvise(at.add(offset).cast(), HUGE, libc::MADV_COLLAPSE);
        }
    }
}

/// Memory for the contents of drives: from a descriptor of shared memory, or the host's own; beyond
/// [`MEMORY_LIMIT`] from a file, where there is one.
pub fn source(descriptor: Option<i32>, spill: Option<i32>) -> contents::Memory {
    let mut taken = 0;
    Box::new(move || {
        let in_memory = MEMORY_LIMIT as usize;
        let chunk = match (spill, descriptor) {
            (Some(file), _) if taken >= in_memory => shared(file, taken - in_memory, true),
            (_, Some(descriptor)) => shared(descriptor, taken, false),
            (_, None) => map(contents::CHUNK),
        };
        if chunk.is_null() {
            let why = std::io::Error::last_os_error();
            panic!("{}", no_room(taken, spill.filter(|_| taken >= in_memory), why));
        }
        taken += contents::CHUNK;
        // SAFETY: a mapping of this length, made for this call alone and never given back.
        unsafe { std::slice::from_raw_parts_mut(chunk, contents::CHUNK) }
    })
}

/// Says that the host has no room behind so many bytes: in memory, or in the file of a descriptor.
fn no_room(taken: usize, file: Option<i32>, why: std::io::Error) -> String {
    let held = taken >> 20;
    match file {
        None => format!("the host has no memory for more than {held} MiB of drive contents: {why}"),
        Some(file) => {
            // The file has no name any more; its path still says which file system is full.
            let path = std::fs::read_link(format!("/proc/self/fd/{file}"));
            let path = path.map_or_else(|_| "a file".to_owned(), |path| path.display().to_string());
            format!("drive contents beyond {held} MiB cannot be kept in {path}: {why}")
        }
    }
}

/// Takes a chunk's room in a file at an offset, so that writing to it later cannot fail. Where the file system cannot
/// reserve room, zeros are written behind the bytes of the chunk that the file `has`: those have room and stay.
/// Returns whether there is room; otherwise errno says why not.
fn reserve(descriptor: i32, offset: usize, has: usize) -> bool {
    let (at, length) = (offset as libc::off_t, contents::CHUNK as libc::off_t);
    loop {
        // SAFETY: the call takes no memory of this process.
        if unsafe { libc::fallocate(descriptor, 0, at, length) } == 0 {
            return true;
        }
        match std::io::Error::last_os_error().raw_os_error() {
            // tmpfs gives up where a signal waits.
            Some(libc::EINTR) => {}
            Some(libc::EOPNOTSUPP) => return write_zeros(descriptor, offset, has),
            _ => return false,
        }
    }
}

/// Writes zeros to a chunk of a file at an offset, behind the bytes of it that the file `has`; whether it could.
fn write_zeros(descriptor: i32, offset: usize, has: usize) -> bool {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    let mut done = has;
    while done < contents::CHUNK {
        let most = ZEROS.len().min(contents::CHUNK - done);
        let at = (offset + done) as libc::off_t;
        // SAFETY: `ZEROS` has `most` bytes.
        let wrote = unsafe { libc::pwrite(descriptor, ZEROS.as_ptr().cast(), most, at) };
        match wrote {
            1.. => done += wrote as usize,
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return false,
        }
    }
    true
}

/// A chunk of shared memory or of a file at an offset, which is made as large as needed, with its room on a
/// disk taken where `room` says so; null when that fails.
fn shared(descriptor: i32, offset: usize, room: bool) -> *mut u8 {
    let end = (offset + contents::CHUNK) as libc::off_t;
    // SAFETY: a structure of numbers, filled in by the host.
    unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        if libc::fstat(descriptor, &mut about) != 0
            || (about.st_size < end && libc::ftruncate(descriptor, end) != 0)
        {
            return ptr::null_mut();
        }
        let has = (about.st_size as usize).saturating_sub(offset).min(contents::CHUNK);
        // Reserved now: a page written when the disk is full would end the machine with SIGBUS and no message.
        if room && !reserve(descriptor, offset, has) {
            return ptr::null_mut();
        }
    }
    let at = map_aligned(contents::CHUNK, libc::MAP_SHARED, descriptor, offset as libc::off_t);
    if !at.is_null() && !room {
        use_huge_pages(at, contents::CHUNK);
    }
    at
}

/// The allocator of the kernel's copy; tests and tools use the ordinary one.
#[cfg(feature = "kernel")]
#[global_allocator]
static ARENA: Arena = Arena::new();

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{FileExt, MetadataExt};

    #[test]
    fn blocks_are_aligned_disjoint_and_used_again() {
        let arena = Arena::new();
        let layout = Layout::from_size_align(300, 64).unwrap();
        // SAFETY: blocks are written within their layout and freed once.
        unsafe {
            let blocks: Vec<usize> = (0..1000).map(|_| arena.alloc(layout) as usize).collect();
            let mut sorted = blocks.clone();
            sorted.sort_unstable();
            assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 512));
            assert!(blocks.iter().all(|at| at % 64 == 0));
            arena.dealloc(blocks[7] as *mut u8, layout);
            assert_eq!(arena.alloc(layout) as usize, blocks[7]);
        }
    }

    #[test]
    fn room_in_a_file_is_taken_with_zeros_where_it_cannot_be_reserved() {
        let path = std::env::temp_dir().join(format!("drives-room-{}", std::process::id()));
        let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.unwrap();
        std::fs::remove_file(&path).unwrap();
        let chunk = contents::CHUNK as u64;
        assert!(write_zeros(file.as_raw_fd(), contents::CHUNK, 0));
        let about = file.metadata().unwrap();
        assert_eq!(about.len(), 2 * chunk);
        assert!(about.blocks() * 512 >= chunk, "{} blocks", about.blocks());
        assert!(reserve(file.as_raw_fd(), 0, 0));
        // What the host wrote to the chunk before, up to anywhere in it, stays.
        file.write_all_at(&[7; 5000], 2 * chunk).unwrap();
        assert!(write_zeros(file.as_raw_fd(), 2 * contents::CHUNK, 5000));
        let mut bytes = [1; 5001];
        file.read_exact_at(&mut bytes, 2 * chunk).unwrap();
        assert!(bytes[..5000] == [7; 5000] && bytes[5000] == 0);
        assert_eq!(file.metadata().unwrap().len(), 3 * chunk);
        // A file of no file system, open for reading alone: neither way gives room.
        let null = std::fs::File::open("/dev/null").unwrap();
        assert!(!reserve(null.as_raw_fd(), 0, 0) && !write_zeros(null.as_raw_fd(), 0, 0));
        let why = || std::io::Error::from_raw_os_error(libc::ENOSPC);
        let text = no_room(8 << 20, Some(file.as_raw_fd()), why());
        let name = path.display().to_string();
        assert!(text.contains("beyond 8 MiB") && text.contains(&name), "{text}");
        assert!(
            no_room(8 << 20, None, why()).starts_with("the host has no memory for more than 8")
        );
    }

    #[test]
    fn a_chunk_of_a_file_keeps_what_an_earlier_machine_left() {
        let path = std::env::temp_dir().join(format!("drives-kept-{}", std::process::id()));
        let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path);
        let file = file.unwrap();
        std::fs::remove_file(&path).unwrap();
        for machine in 0..2u8 {
            let chunk = shared(file.as_raw_fd(), 0, true);
            assert!(!chunk.is_null());
            // SAFETY: a mapping of a chunk, which ends with its length below.
            unsafe {
                assert_eq!(chunk.add(9).read(), machine);
                chunk.add(9).write(machine + 1);
                libc::munmap(chunk.cast(), contents::CHUNK);
            }
        }
    }

    #[test]
    fn a_large_block_has_a_mapping_of_its_own() {
        let arena = Arena::new();
        let layout = Layout::from_size_align(3 << 20, 4096).unwrap();
        // SAFETY: written within its layout and freed once.
        unsafe {
            let block = arena.alloc(layout);
            block.add((3 << 20) - 1).write(7);
            arena.dealloc(block, layout);
        }
    }
}
