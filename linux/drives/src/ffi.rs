//! The C interface, as `../driver/drives.h` has it.
//!
//! No two calls run at once. The kernel has one processor and runs in one thread of the host, and a call here passes no
//! virtual time, so that no event is delivered and no other task runs before it returns. This does not need a lock or
//! interrupts that are off: `pw_configure`, `pw_count` and `pw_describe` are called at boot with neither. No call here
//! makes another. `pw_configure` is called once, before all others; after it drives stay where they are, and with them
//! their names, whose addresses `pw_describe` gives away.

use crate::command::Command;
use crate::drive::Drive;
use crate::memory;
use contents::Pages;
use contents::config::Config;
use contents::image;
use contents::reads::{self, InitialReads};
use contents::record::{Event, EventKind, Recorder};
use drives::{Op, Request};
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fs::File;
use std::path::Path;

/// Set in a tag whose request failed.
const FAILED: u64 = 1 << 63;

/// All drives of this machine, and the memory that holds their contents.
struct Machine {
    pages: Pages,
    drives: Vec<Drive>,
    recorder: Option<Recorder>,
}

struct Global(UnsafeCell<Option<Machine>>);

// SAFETY: one thread of the host uses it, see the module's text.
unsafe impl Sync for Global {}

static MACHINE: Global = Global(UnsafeCell::new(None));

/// The machine; there is one before the first device.
fn machine() -> &'static mut Machine {
    // SAFETY: no two calls run at once, see the module's text, and the reference does not outlive its call.
    match unsafe { &mut *MACHINE.0.get() } {
        Some(machine) => machine,
        None => panic!("drives are used before they are configured"),
    }
}

/// Queue limits and identity of a drive (`struct pw_drive`).
#[repr(C)]
pub struct Description {
    name: *const c_char,
    size: u64,
    logical_sector: c_uint,
    physical_sector: c_uint,
    depth: c_uint,
    max_transfer: c_uint,
    rotational: u8,
    write_cache: u8,
    discard: u8,
    scheduler: u8,
    fua: u8,
}

fn configure(path: &Path) -> Result<Machine, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let config = Config::from_json(&text)?;
    let mut pages = Pages::new(config.pages, memory::source(config.memory, config.spill));
    let drives: Result<Vec<Drive>, _> = config.drives.iter().map(Drive::new).collect();
    let mut drives = drives.map_err(|e| e.to_string())?;
    if let Some(image) = &config.image {
        let mut contents: Vec<_> = drives.iter_mut().map(|d| &mut d.contents).collect();
        image::load(image, &mut pages, &mut contents)
            .map_err(|e| format!("{}: {e}", image.display()))?;
    }
    if config.reads {
        drives.iter_mut().for_each(|drive| drive.reads = Some(InitialReads::default()));
    }
    let recorder = match &config.record {
        Some(path) => Some(record_to(path).map_err(|e| format!("{}: {e}", path.display()))?),
        None => None,
    };
    Ok(Machine { pages, drives, recorder })
}

fn record_to(path: &Path) -> std::io::Result<Recorder> {
    Ok(Recorder::new(File::create(path)?))
}

/// # Safety
/// `path` is a string ended by 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pw_configure(path: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) };
    let path = Path::new(std::ffi::OsStr::from_encoded_bytes(path));
    match configure(path) {
        Ok(machine) => {
            // SAFETY: no two calls run at once, see the module's text, and no other has been made yet.
            unsafe { *MACHINE.0.get() = Some(machine) };
            0
        }
        Err(why) => {
            eprintln!("drives: {}: {why}", path.display());
            1
        }
    }
}

/// A path's bytes as the system has them.
trait FromBytes {
    fn from_encoded_bytes(text: &CStr) -> &Self;
}

impl FromBytes for std::ffi::OsStr {
    fn from_encoded_bytes(text: &CStr) -> &Self {
        std::os::unix::ffi::OsStrExt::from_bytes(text.to_bytes())
    }
}

#[unsafe(no_mangle)]
extern "C" fn pw_count() -> c_uint {
    // SAFETY: no two calls run at once, see the module's text. A machine without drives is one that was not configured.
    match unsafe { &*MACHINE.0.get() } {
        Some(machine) => machine.drives.len() as c_uint,
        None => 0,
    }
}

/// # Safety
/// `out` points to a `struct pw_drive`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pw_describe(drive: c_uint, out: *mut Description) {
    let drive = &machine().drives[drive as usize];
    let description = Description {
        name: drive.name.as_ptr(),
        size: drive.size,
        logical_sector: drive.logical_sector,
        physical_sector: drive.physical_sector,
        depth: drive.attachment.depth,
        max_transfer: drive.attachment.max_transfer,
        rotational: drive.rotational.into(),
        write_cache: drive.write_cache.into(),
        discard: drive.attachment.discard.into(),
        scheduler: drive.attachment.scheduler.into(),
        fua: drive.attachment.fua.into(),
    };
    // SAFETY: the caller's promise.
    unsafe { out.write(description) };
}

#[unsafe(no_mangle)]
extern "C" fn pw_submit(
    index: c_uint,
    now: u64,
    tag: u64,
    op: c_int,
    offset: u64,
    length: u64,
) -> u64 {
    let machine = machine();
    let drive = &mut machine.drives[index as usize];
    let (op, fua) = match op {
        0 => (Op::Read, false),
        1 => (Op::Write, false),
        2 => (Op::Flush, false),
        4 => (Op::Write, true),
        _ => (Op::Discard, false),
    };
    // Requests to a failed drive are not recorded.
    let event = match machine.recorder.as_mut().filter(|_| !drive.failed()) {
        Some(recorder) if op == Op::Discard => {
            append(recorder, now, index, EventKind::Discard, (offset, length), 0)
        }
        // A write's event was made when its data came.
        Some(recorder) if op == Op::Write => recorder.events().saturating_sub(1),
        Some(recorder) => recorder.events(),
        None => 0,
    };
    if op == Op::Discard && !drive.failed() {
        drive.overwritten(offset, length);
        drive.contents.discard(&mut machine.pages, offset, length);
    }
    let request = Request { op, offset, length, fua };
    drive.submit(now, tag, request, event);
    drive.next_event().unwrap_or(u64::MAX)
}

fn append(
    recorder: &mut Recorder,
    at: u64,
    drive: c_uint,
    kind: EventKind,
    (offset, length): (u64, u64),
    number: u64,
) -> u64 {
    let event = Event { at, drive, kind, offset, length, number };
    match recorder.append(event) {
        Ok(number) => number,
        Err(why) => panic!("the record of the drives cannot be written: {why}"),
    }
}

/// # Safety
/// `tags` has room for `most` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pw_advance(
    index: c_uint,
    now: u64,
    tags: *mut u64,
    most: c_uint,
) -> c_uint {
    let machine = machine();
    let drive = &mut machine.drives[index as usize];
    let lies = drive.lies;
    let mut recorder = machine.recorder.as_mut();
    let mut count = 0;
    drive.advance(now, most as usize, |done| {
        let request = done.pending.request;
        if let Some(recorder) = recorder.as_mut().filter(|_| !done.failed) {
            let range = (request.offset, request.length);
            let kind = match request.op {
                Op::Write if request.fua && !lies => Some(EventKind::CompletedFua),
                Op::Write | Op::Discard => Some(EventKind::Completed),
                Op::Flush if !lies => Some(EventKind::Flushed),
                _ => None,
            };
            if let Some(kind) = kind {
                append(recorder, now, index, kind, range, done.pending.event);
            }
        }
        let failed = if done.failed { FAILED } else { 0 };
        // SAFETY: `advance` gives at most `most`.
        unsafe { tags.add(count).write(done.tag | failed) };
        count += 1;
    });
    count as c_uint
}

#[unsafe(no_mangle)]
extern "C" fn pw_next(drive: c_uint) -> u64 {
    machine().drives[drive as usize].next_event().unwrap_or(u64::MAX)
}

/// # Safety
/// `to` has room for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pw_read(drive: c_uint, offset: u64, to: *mut u8, length: u64) {
    let machine = machine();
    // SAFETY: the caller's promise.
    let to = unsafe { std::slice::from_raw_parts_mut(to, length as usize) };
    let drive = &mut machine.drives[drive as usize];
    if let Some(reads) = &mut drive.reads {
        reads.read(offset, length);
    }
    drive.contents.read(&machine.pages, offset, to);
}

/// A write begins: its event, without data.
#[unsafe(no_mangle)]
extern "C" fn pw_begin_write(drive: c_uint, now: u64, offset: u64, length: u64) {
    let machine = machine();
    if machine.drives[drive as usize].failed() {
        return;
    }
    if let Some(recorder) = &mut machine.recorder {
        append(recorder, now, drive, EventKind::Write, (offset, length), 0);
    }
}

/// # Safety
/// `from` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pw_write(drive: c_uint, offset: u64, from: *const u8, length: u64) {
    let machine = machine();
    // SAFETY: the caller's promise.
    let from = unsafe { std::slice::from_raw_parts(from, length as usize) };
    let drive = &mut machine.drives[drive as usize];
    if drive.failed() {
        return;
    }
    if let Some(recorder) = &mut machine.recorder
        && let Err(why) = recorder.data(from)
    {
        panic!("the record of the drives cannot be written: {why}");
    }
    drive.overwritten(offset, length);
    drive.contents.write(&mut machine.pages, offset, from);
}

/// Nothing reads these bytes again. A drive that fails keeps what it holds, as it would.
#[unsafe(no_mangle)]
extern "C" fn pw_forget(drive: c_uint, offset: u64, length: u64) {
    let machine = machine();
    let drive = &mut machine.drives[drive as usize];
    if !drive.failed() {
        drive.overwritten(offset, length);
        drive.contents.forget(&mut machine.pages, offset, length);
    }
}

/// # Safety
/// `to` has room for `most` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pw_report(now: u64, to: *mut u8, most: u64) -> u64 {
    // SAFETY: the caller's promise.
    let to = unsafe { std::slice::from_raw_parts_mut(to, most as usize) };
    // SAFETY: no two calls run at once, see the module's text, and the reference does not outlive this one. A machine
    // without drives is one that was not configured.
    let Some(machine) = (unsafe { &mut *MACHINE.0.get() }) else {
        return 0;
    };
    let mut at = 0;
    for drive in &mut machine.drives {
        let name = drive.name.to_string_lossy().into_owned();
        let mut line = drive.statistics.line(&name, now);
        line.push('\n');
        let Some(room) = to.get_mut(at..at + line.len()) else {
            break;
        };
        room.copy_from_slice(line.as_bytes());
        at += line.len();
    }
    at as u64
}

/// # Safety
/// `text` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pw_command(_now: u64, text: *const u8, length: u64) -> c_int {
    // SAFETY: the caller's promise.
    let text = unsafe { std::slice::from_raw_parts(text, length as usize) };
    let Some(command) = std::str::from_utf8(text).ok().and_then(Command::parse) else {
        return -libc::EINVAL;
    };
    match execute(machine(), command) {
        Ok(()) => 0,
        Err(e) => -e.raw_os_error().unwrap_or(libc::EIO),
    }
}

fn execute(machine: &mut Machine, command: Command) -> std::io::Result<()> {
    match command {
        Command::Fail(name) => {
            let named = |d: &&mut Drive| d.name.to_bytes() == name.as_bytes();
            let drive = machine.drives.iter_mut().find(named);
            drive.ok_or(std::io::Error::from_raw_os_error(libc::ENODEV))?.fail();
            Ok(())
        }
        Command::Save(path) => {
            let drives: Vec<_> = machine.drives.iter().map(|d| &d.contents).collect();
            image::save_index(&path, &machine.pages, &drives)
        }
        Command::Reads(path) => {
            let noted: Option<Vec<_>> = machine.drives.iter().map(|d| d.reads.as_ref()).collect();
            let noted = noted.ok_or(std::io::Error::from_raw_os_error(libc::ENODATA))?;
            reads::save(&path, noted.into_iter())
        }
    }
}
