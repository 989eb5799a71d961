//! A dataset as a file system, and the objects in it.

use crate::error::{Error, Result, check};
use crate::ffi;
use crate::library::c_string;
use crate::pool::Pool;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

/// An open dataset. It must be closed, by dropping every handle and every node of it, before the
/// pool can be exported.
#[derive(Clone)]
pub struct FileSystem(Arc<Handle>);

struct Handle {
    raw: *mut ffi::Fs,
    replayed: u64,
}

// SAFETY: the shim locks what it shares between threads, as the ZPL does.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: opened by `pw_fs_open`; every node holds a handle, so that none is left.
        unsafe { ffi::pw_fs_close(self.raw) };
    }
}

/// An object in use: a file, a directory, a symbolic link. It keeps the object even after its last
/// name is gone; dropping the last handle frees it then.
pub struct Node {
    raw: *mut ffi::Node,
    fs: FileSystem,
}

// SAFETY: the shim locks what it shares between threads.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: held by `pw_node_hold`, released once, before `fs` is dropped.
        unsafe { ffi::pw_node_rele(self.raw) };
    }
}

/// What is known of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attr {
    /// Object number.
    pub id: u64,
    /// Bytes.
    pub size: u64,
    /// 512-byte blocks allocated.
    pub blocks: u64,
    /// Names.
    pub links: u64,
    /// Differs between two objects that had one number after another.
    pub generation: u64,
    /// Device number, for device nodes.
    pub rdev: u64,
    /// Type and permissions, as stat(2).
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Block size, bytes: the record size once the file is larger than a record.
    pub blksize: u32,
    /// Last access, (s, ns) of virtual time.
    pub atime: (i64, i64),
    /// Last change of contents.
    pub mtime: (i64, i64),
    /// Last change of anything.
    pub ctime: (i64, i64),
}

/// Attributes to change; what is none stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Permissions.
    pub mode: Option<u32>,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Last access, (s, ns).
    pub atime: Option<(i64, i64)>,
    /// Last change of contents, (s, ns).
    pub mtime: Option<(i64, i64)>,
}

/// How a read or a write was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// O_SYNC or O_DSYNC.
    pub sync: bool,
    /// O_APPEND: the offset is the end of the file.
    pub append: bool,
    /// O_DIRECT.
    pub direct: bool,
}

impl Flags {
    fn bits(self) -> u32 {
        u32::from(self.sync) | u32::from(self.append) << 1 | u32::from(self.direct) << 2
    }
}

/// Virtual ns that an operation spent in each stage of its blocking path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stages {
    /// Waiting for another operation on the same range.
    pub range_lock: i64,
    /// In `dmu_tx_assign`: the write throttle, and waits for a transaction group.
    pub throttle: i64,
    /// Reading: a record to change a part of, or what a read asked for.
    pub record_read: i64,
    /// In `zil_commit`.
    pub commit: i64,
    /// Commits waited for.
    pub commits: u64,
    /// Of the commit: writing log blocks, as they take of late.
    pub log_write: i64,
    /// Of the commit: flushing the log's drives, as it takes of late.
    pub log_flush: i64,
}

/// Space of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Bytes referenced.
    pub used: u64,
    /// Bytes available.
    pub available: u64,
    /// Objects in use.
    pub files: u64,
    /// Objects that could still be made.
    pub files_available: u64,
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, any bytes but `/` and NUL.
    pub name: Vec<u8>,
    /// The object.
    pub id: u64,
    /// File type as in dirent(5): 4 directory, 8 file, 10 symbolic link.
    pub kind: u8,
    /// Where to go on after this entry.
    pub next: u64,
}

fn name_of(name: &[u8]) -> Result<std::ffi::CString> {
    const EINVAL: i32 = 22;
    const ENAMETOOLONG: i32 = 36;
    if name.len() > 255 {
        return Err(Error(ENAMETOOLONG));
    }
    std::ffi::CString::new(name).map_err(|_| Error(EINVAL))
}

impl FileSystem {
    /// Opens a dataset (`""` is the root) and replays its intent log; makes an empty file system
    /// in a dataset that has none yet.
    ///
    /// # Errors
    /// The errno of the library.
    pub fn open(pool: &Pool, dataset: &str) -> Result<FileSystem> {
        let name = c_string(&pool.dataset(dataset))?;
        let mut raw = std::ptr::null_mut();
        let mut replayed = 0;
        // SAFETY: a C string and places for the results.
        check(unsafe { ffi::pw_fs_open(name.as_ptr(), &mut raw, &mut replayed) })?;
        Ok(FileSystem(Arc::new(Handle { raw, replayed })))
    }

    fn raw(&self) -> *mut ffi::Fs {
        self.0.raw
    }

    /// Records of the intent log that were replayed when it was opened.
    pub fn replayed(&self) -> u64 {
        self.0.replayed
    }

    /// Object number of the root directory.
    pub fn root(&self) -> u64 {
        // SAFETY: open.
        unsafe { ffi::pw_fs_root(self.raw()) }
    }

    /// The `recordsize` in force, bytes.
    pub fn recordsize(&self) -> u64 {
        // SAFETY: open.
        unsafe { ffi::pw_fs_recordsize(self.raw()) }
    }

    /// Commits everything in the intent log.
    pub fn sync(&self) {
        // SAFETY: open.
        unsafe { ffi::pw_fs_sync(self.raw()) }
    }

    /// Space used and left.
    pub fn space(&self) -> Space {
        let mut raw = ffi::StatFs::default();
        // SAFETY: open, and a place for the result.
        unsafe { ffi::pw_fs_stat(self.raw(), &mut raw) };
        Space {
            used: raw.used,
            available: raw.available,
            files: raw.files,
            files_available: raw.files_available,
        }
    }

    /// Takes hold of an object.
    ///
    /// # Errors
    /// ENOENT when there is none of this number.
    pub fn node(&self, id: u64) -> Result<Node> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: open, and a place for the result.
        check(unsafe { ffi::pw_node_hold(self.raw(), id, &mut raw) })?;
        Ok(Node {
            raw,
            fs: self.clone(),
        })
    }
}

impl Node {
    /// The file system it is in.
    pub fn file_system(&self) -> &FileSystem {
        &self.fs
    }

    /// Its attributes.
    pub fn attr(&self) -> Attr {
        let mut a = ffi::Attr::default();
        // SAFETY: held, and a place for the result.
        unsafe { ffi::pw_node_attr(self.raw, &mut a) };
        Attr {
            id: a.id,
            size: a.size,
            blocks: a.blocks,
            links: a.links,
            generation: a.generation,
            rdev: a.rdev,
            mode: a.mode,
            uid: a.uid,
            gid: a.gid,
            blksize: a.blksize,
            atime: (a.atime[0], a.atime[1]),
            mtime: (a.mtime[0], a.mtime[1]),
            ctime: (a.ctime[0], a.ctime[1]),
        }
    }

    /// Changes attributes.
    ///
    /// # Errors
    /// ENOSPC when there is no room for the change.
    pub fn change(&self, changes: &Changes) -> Result<()> {
        let mut raw = ffi::Attr::default();
        let mut mask = 0;
        if let Some(mode) = changes.mode {
            raw.mode = mode;
            mask |= 1;
        }
        if let Some(uid) = changes.uid {
            raw.uid = uid;
            mask |= 2;
        }
        if let Some(gid) = changes.gid {
            raw.gid = gid;
            mask |= 4;
        }
        if let Some((s, ns)) = changes.atime {
            raw.atime = [s, ns];
            mask |= 8;
        }
        if let Some((s, ns)) = changes.mtime {
            raw.mtime = [s, ns];
            mask |= 16;
        }
        if mask == 0 {
            return Ok(());
        }
        // SAFETY: held; `raw` outlives the call.
        check(unsafe { ffi::pw_node_setattr(self.raw, mask, &raw) })
    }

    /// Reads into `buf`; fewer bytes at the end of the file.
    ///
    /// # Errors
    /// EIO when a block cannot be read.
    pub fn read(
        &self,
        offset: u64,
        buf: &mut [u8],
        flags: Flags,
        stages: &mut Stages,
    ) -> Result<usize> {
        let (mut done, mut raw) = (0, ffi::Stages::default());
        // SAFETY: held; the buffer is writable for its length; places for the results.
        let errno = unsafe {
            ffi::pw_read(
                self.raw,
                offset,
                buf.len() as u64,
                buf.as_mut_ptr().cast(),
                flags.bits(),
                &mut done,
                &mut raw,
            )
        };
        stages.add(&raw);
        check(errno)?;
        Ok(done as usize)
    }

    /// Writes `buf`; returns how much was written, which is less only when space ran out midway.
    ///
    /// # Errors
    /// ENOSPC, EIO.
    pub fn write(
        &self,
        offset: u64,
        buf: &[u8],
        flags: Flags,
        stages: &mut Stages,
    ) -> Result<usize> {
        let (mut done, mut raw) = (0, ffi::Stages::default());
        // SAFETY: held; the buffer is readable for its length; places for the results.
        let errno = unsafe {
            ffi::pw_write(
                self.raw,
                offset,
                buf.len() as u64,
                buf.as_ptr().cast(),
                flags.bits(),
                &mut done,
                &mut raw,
            )
        };
        stages.add(&raw);
        check(errno)?;
        Ok(done as usize)
    }

    /// Returns when everything written to it is on stable storage.
    ///
    /// # Errors
    /// The errno of the library.
    pub fn fsync(&self, stages: &mut Stages) -> Result<()> {
        let mut raw = ffi::Stages::default();
        // SAFETY: held, and a place for the result.
        let errno = unsafe { ffi::pw_fsync(self.raw, &mut raw) };
        stages.add(&raw);
        check(errno)
    }

    /// Sets its size.
    ///
    /// # Errors
    /// ENOSPC when there is no room for the change.
    pub fn truncate(&self, size: u64) -> Result<()> {
        // SAFETY: held. A length of 0 means: to the end.
        check(unsafe { ffi::pw_free_space(self.raw, size, 0) })
    }

    /// Makes a hole; the size stays.
    ///
    /// # Errors
    /// ENOSPC when there is no room for the change.
    pub fn punch(&self, offset: u64, length: u64) -> Result<()> {
        if length == 0 {
            return Ok(());
        }
        // SAFETY: held.
        check(unsafe { ffi::pw_free_space(self.raw, offset, length) })
    }

    /// Makes it at least this long; ZFS reserves nothing for it.
    ///
    /// # Errors
    /// ENOSPC when there is no room for the change.
    pub fn extend(&self, size: u64) -> Result<()> {
        // SAFETY: held.
        check(unsafe { ffi::pw_extend(self.raw, size) })
    }

    /// The next data (or hole) at or after an offset, as lseek(2)'s SEEK_DATA and SEEK_HOLE.
    ///
    /// # Errors
    /// ENXIO when there is none.
    pub fn seek(&self, hole: bool, offset: u64) -> Result<u64> {
        let mut at = offset;
        // SAFETY: held, and a place for the result.
        check(unsafe { ffi::pw_seek(self.raw, c_int::from(hole), &mut at) })?;
        Ok(at)
    }

    /// What a name in this directory stands for.
    ///
    /// # Errors
    /// ENOENT, ENOTDIR.
    pub fn lookup(&self, name: &[u8]) -> Result<u64> {
        let name = name_of(name)?;
        let mut id = 0;
        // SAFETY: held, a C string, a place for the result.
        check(unsafe { ffi::pw_lookup(self.raw, name.as_ptr(), &mut id) })?;
        Ok(id)
    }

    /// Makes a file, directory, device node or (with a target) symbolic link; returns its number. In
    /// a directory with the set-group-ID bit it belongs to the directory's group.
    ///
    /// # Errors
    /// EEXIST, ENOSPC, ENAMETOOLONG.
    pub fn create(
        &self,
        name: &[u8],
        mode: u32,
        owner: (u32, u32),
        rdev: u64,
        target: Option<&[u8]>,
    ) -> Result<u64> {
        const EINVAL: i32 = 22;
        let name = name_of(name)?;
        let target = target
            .map(|t| std::ffi::CString::new(t).map_err(|_| Error(EINVAL)))
            .transpose()?;
        let target_ptr = target.as_ref().map_or(std::ptr::null(), |t| t.as_ptr());
        let mut id = 0;
        // SAFETY: held, C strings (or null) that outlive the call, a place for the result.
        check(unsafe {
            ffi::pw_create(
                self.raw,
                name.as_ptr(),
                mode,
                owner.0,
                owner.1,
                rdev,
                target_ptr,
                &mut id,
            )
        })?;
        Ok(id)
    }

    /// Removes a name: of a directory, or of anything else.
    ///
    /// # Errors
    /// ENOENT, ENOTEMPTY, EISDIR, ENOTDIR.
    pub fn remove(&self, name: &[u8], directory: bool) -> Result<()> {
        let name = name_of(name)?;
        // SAFETY: held, a C string.
        check(unsafe { ffi::pw_remove(self.raw, name.as_ptr(), c_int::from(directory)) })
    }

    /// Renames, replacing what has the new name unless told not to.
    ///
    /// # Errors
    /// ENOENT, EEXIST, ENOTEMPTY, EISDIR, ENOTDIR.
    pub fn rename(&self, name: &[u8], to: &Node, newname: &[u8], replace: bool) -> Result<()> {
        let (name, newname) = (name_of(name)?, name_of(newname)?);
        // SAFETY: both held, C strings.
        check(unsafe {
            ffi::pw_rename(
                self.raw,
                name.as_ptr(),
                to.raw,
                newname.as_ptr(),
                u32::from(!replace),
            )
        })
    }

    /// Gives the object a further name in a directory.
    ///
    /// # Errors
    /// EEXIST, ENOENT when the directory is gone.
    pub fn link(&self, dir: &Node, name: &[u8]) -> Result<()> {
        let name = name_of(name)?;
        // SAFETY: both held, a C string.
        check(unsafe { ffi::pw_link(self.raw, dir.raw, name.as_ptr()) })
    }

    /// The target of a symbolic link.
    ///
    /// # Errors
    /// EIO when it cannot be read.
    pub fn read_link(&self) -> Result<Vec<u8>> {
        let mut buf = vec![0u8; 4096];
        let mut length = 0;
        // SAFETY: held; the buffer is writable for its length.
        check(unsafe {
            ffi::pw_readlink(self.raw, buf.as_mut_ptr().cast(), buf.len(), &mut length)
        })?;
        buf.truncate(length);
        Ok(buf)
    }

    /// Calls `f` for the entries from `cookie` on (0 is the first) until it returns false. `.` and
    /// `..` are not among them.
    ///
    /// # Errors
    /// ENOTDIR, EIO.
    pub fn entries(&self, cookie: u64, f: &mut dyn FnMut(Entry) -> bool) -> Result<()> {
        let mut f = f;
        // SAFETY: held; `each` gets back the pointer to `f`, which outlives the call.
        check(unsafe { ffi::pw_readdir(self.raw, cookie, each, (&raw mut f).cast()) })
    }
}

extern "C" fn each(arg: *mut c_void, name: *const c_char, id: u64, kind: u32, next: u64) -> c_int {
    // SAFETY: `entries` passes a pointer to its own `&mut dyn FnMut`, which nobody else uses while
    // the call lasts.
    let f = unsafe { &mut *arg.cast::<&mut dyn FnMut(Entry) -> bool>() };
    // SAFETY: the shim passes a C string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes().to_vec();
    c_int::from(!f(Entry {
        name,
        id,
        kind: kind as u8,
        next,
    }))
}

impl Stages {
    fn add(&mut self, raw: &ffi::Stages) {
        self.range_lock += raw.range_lock;
        self.throttle += raw.throttle;
        self.record_read += raw.record_read;
        self.commit += raw.commit;
        self.commits += raw.commits;
        self.log_write += raw.log_write;
        self.log_flush += raw.log_flush;
    }
}
