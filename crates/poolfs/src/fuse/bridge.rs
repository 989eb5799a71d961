//! fuser's callbacks onto a [`Volume`].

use super::stamp::{Operation, Stamp};
use super::{Slot, Stamps};
use crate::clock::Clock;
use crate::volume::{
    self, Allocate, Attr, Create, Errno, IoFlags, Kind, Owner, Replace, Seek, SetAttr, SetTime,
    Time, Volume,
};
use fuser::{
    BsdFileFlags, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite,
    ReplyXattr, Request, TimeOrNow, WriteFlags,
};
use rustix::fs::{FallocateFlags, OFlags};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Requests the kernel may have outstanding that no thread waits for (asynchronous direct I/O).
const MAX_BACKGROUND: u16 = 4096;

/// Kernel features that are asked for, with the names under which they are reported.
const WANTED: [(InitFlags, &str); 4] = [
    (InitFlags::FUSE_ASYNC_DIO, "async-dio"),
    (InitFlags::FUSE_PARALLEL_DIROPS, "parallel-dirops"),
    (InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP, "direct-io-allow-mmap"),
    (InitFlags::FUSE_MAX_PAGES, "max-pages"),
];

/// The kernel that honours `FOPEN_PARALLEL_DIRECT_WRITES` (Linux 6.2) speaks this minor version of
/// the protocol; there is no flag for it at mount. Later ones do it for extending writes as before.
const PARALLEL_DIRECT_WRITES_MINOR: u32 = 38;

pub(super) struct Bridge {
    slot: Slot,
    stamps: Arc<Stamps>,
    ttl: Duration,
    max_write: u32,
    negotiated: Arc<Mutex<Vec<String>>>,
}

thread_local! {
    /// The read buffer of a serving thread.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Bridge {
    pub(super) fn new(
        slot: Slot,
        stamps: Arc<Stamps>,
        clock: Clock,
        max_write: u32,
        negotiated: Arc<Mutex<Vec<String>>>,
    ) -> Self {
        Self {
            slot,
            stamps,
            // One virtual second, as libfuse's default is one second.
            ttl: Duration::from_secs_f64(clock.dilation()),
            max_write,
            negotiated,
        }
    }

    fn stamped<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&dyn Volume) -> volume::Result<T>,
        reply: impl FnOnce(volume::Result<T>),
    ) {
        let stamp = self.stamps.arrived(operation);
        let result = self.slot.with(work);
        stamp.finish(0, || reply(result));
    }

    fn entry(
        &self,
        operation: Operation,
        reply: ReplyEntry,
        work: impl FnOnce(&dyn Volume) -> volume::Result<Attr>,
    ) {
        self.stamped(operation, work, |result| match result {
            Ok(attr) => reply.entry(&self.ttl, &file_attr(&attr), Generation(attr.generation)),
            Err(e) => reply.error(errno(e)),
        });
    }

    fn empty(
        &self,
        operation: Operation,
        reply: ReplyEmpty,
        work: impl FnOnce(&dyn Volume) -> volume::Result<()>,
    ) {
        self.stamped(operation, work, |result| match result {
            Ok(()) => reply.ok(),
            Err(e) => reply.error(errno(e)),
        });
    }

    fn fsync_inode(&self, ino: INodeNo, datasync: bool, reply: ReplyEmpty) {
        let mut stamp = self.stamps.arrived(Operation::Fsync);
        let result = self
            .slot
            .with(|v| v.fsync(ino.0, datasync, &mut stamp.stages));
        stamp.finish(0, || match result {
            Ok(()) => reply.ok(),
            Err(e) => reply.error(errno(e)),
        });
    }

    fn xattr(
        &self,
        size: u32,
        reply: ReplyXattr,
        work: impl FnOnce(&dyn Volume) -> volume::Result<Vec<u8>>,
    ) {
        self.stamped(Operation::Ask, work, |result| match result {
            Ok(value) if size == 0 => reply.size(value.len() as u32),
            Ok(value) if value.len() > size as usize => reply.error(fuser::Errno::ERANGE),
            Ok(value) => reply.data(&value),
            Err(e) => reply.error(errno(e)),
        });
    }
}

impl Filesystem for Bridge {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let mut features = Vec::new();
        for (flag, name) in WANTED {
            if config.add_capabilities(flag).is_ok() {
                features.push(name.to_owned());
            }
        }
        if config.kernel_abi().1 >= PARALLEL_DIRECT_WRITES_MINOR {
            features.push("parallel-direct-writes".to_owned());
        }
        // Read-ahead is the volume's; the kernel's would never be asked with direct I/O.
        let _ = config.set_max_readahead(self.max_write.min(128 << 10));
        let granted = match config.set_max_write(self.max_write.clamp(4096, 1 << 20)) {
            Ok(_) => self.max_write.clamp(4096, 1 << 20),
            Err(nearest) => config
                .set_max_write(nearest)
                .map(|_| nearest)
                .unwrap_or(4096),
        };
        // Without max-pages the kernel stops at 32 pages.
        let granted = if features.iter().any(|f| f == "max-pages") {
            granted
        } else {
            granted.min(128 << 10)
        };
        features.push(format!("max-write={granted}"));
        let _ = config.set_max_background(MAX_BACKGROUND);
        features.push(format!("max-background={MAX_BACKGROUND}"));
        let version = config.kernel_abi();
        features.push(format!("protocol={}.{}", version.0, version.1));
        *self
            .negotiated
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = features;
        Ok(())
    }

    fn lookup(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        self.entry(Operation::Ask, reply, |v| v.lookup(parent.0, name));
    }

    fn forget(&self, _req: &Request, ino: INodeNo, nlookup: u64) {
        // The kernel wants no answer, and a volume that is gone has forgotten everything.
        let _ = self.slot.with(|v| {
            v.forget(ino.0, nlookup);
            Ok(())
        });
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        self.stamped(
            Operation::Ask,
            |v| v.getattr(ino.0),
            |result| match result {
                Ok(attr) => reply.attr(&self.ttl, &file_attr(&attr)),
                Err(e) => reply.error(errno(e)),
            },
        );
    }

    fn setattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let set = SetAttr {
            perm: mode.map(permissions),
            uid,
            gid,
            size,
            atime: atime.map(set_time),
            mtime: mtime.map(set_time),
        };
        self.stamped(
            Operation::Setattr,
            |v| v.setattr(ino.0, &set),
            |result| match result {
                Ok(attr) => reply.attr(&self.ttl, &file_attr(&attr)),
                Err(e) => reply.error(errno(e)),
            },
        );
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        self.stamped(
            Operation::Ask,
            |v| v.readlink(ino.0),
            |result| match result {
                Ok(target) => reply.data(target.as_encoded_bytes()),
                Err(e) => reply.error(errno(e)),
            },
        );
    }

    fn mknod(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        rdev: u32,
        reply: ReplyEntry,
    ) {
        self.entry(Operation::Name, reply, |v| {
            let kind = Kind::of_mode(mode).ok_or(Errno::EINVAL)?;
            let create = Create {
                rdev,
                ..new_inode(kind, mode, req)
            };
            v.create(parent.0, name, &create)
        });
    }

    fn mkdir(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        reply: ReplyEntry,
    ) {
        self.entry(Operation::Name, reply, |v| {
            v.create(parent.0, name, &new_inode(Kind::Directory, mode, req))
        });
    }

    fn symlink(
        &self,
        req: &Request,
        parent: INodeNo,
        link_name: &OsStr,
        target: &Path,
        reply: ReplyEntry,
    ) {
        self.entry(Operation::Name, reply, |v| {
            let create = Create {
                target: Some(target.as_os_str()),
                ..new_inode(Kind::Symlink, 0o777, req)
            };
            v.create(parent.0, link_name, &create)
        });
    }

    fn link(
        &self,
        _req: &Request,
        ino: INodeNo,
        newparent: INodeNo,
        newname: &OsStr,
        reply: ReplyEntry,
    ) {
        self.entry(Operation::Name, reply, |v| {
            v.link(ino.0, newparent.0, newname)
        });
    }

    fn unlink(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.empty(Operation::Name, reply, |v| v.unlink(parent.0, name));
    }

    fn rmdir(&self, _req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.empty(Operation::Name, reply, |v| v.rmdir(parent.0, name));
    }

    fn rename(
        &self,
        _req: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let replace = if flags.is_empty() {
            Ok(Replace::Yes)
        } else if flags == RenameFlags::RENAME_NOREPLACE {
            Ok(Replace::No)
        } else if flags == RenameFlags::RENAME_EXCHANGE {
            Ok(Replace::Exchange)
        } else {
            Err(Errno::EINVAL)
        };
        self.empty(Operation::Name, reply, |v| {
            v.rename(parent.0, name, newparent.0, newname, replace?)
        });
    }

    fn open(&self, _req: &Request, _ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), open_flags());
    }

    fn create(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        _flags: i32,
        reply: ReplyCreate,
    ) {
        self.stamped(
            Operation::Name,
            |v| v.create(parent.0, name, &new_inode(Kind::File, mode, req)),
            |result| match result {
                Ok(attr) => reply.created(
                    &self.ttl,
                    &file_attr(&attr),
                    Generation(attr.generation),
                    FileHandle(0),
                    open_flags(),
                ),
                Err(e) => reply.error(errno(e)),
            },
        );
    }

    fn read(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        size: u32,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let mut stamp = self.stamps.arrived(Operation::Read);
        BUFFER.with_borrow_mut(|buffer| {
            let size = size as usize;
            if buffer.len() < size {
                buffer.resize(size, 0);
            }
            let buffer = &mut buffer[..size];
            let result = self
                .slot
                .with(|v| v.read(ino.0, offset, buffer, io_flags(flags), &mut stamp.stages));
            finish_io(stamp, result, |result| match result {
                Ok(count) => reply.data(&buffer[..count]),
                Err(e) => reply.error(errno(e)),
            });
        });
    }

    fn write(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        flags: OpenFlags,
        _lock_owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut stamp = self.stamps.arrived(Operation::Write);
        let result = self
            .slot
            .with(|v| v.write(ino.0, offset, data, io_flags(flags), &mut stamp.stages));
        finish_io(stamp, result, |result| match result {
            Ok(count) => reply.written(count as u32),
            Err(e) => reply.error(errno(e)),
        });
    }

    fn flush(
        &self,
        _req: &Request,
        _ino: INodeNo,
        _fh: FileHandle,
        _lock_owner: LockOwner,
        reply: ReplyEmpty,
    ) {
        // The kernel stops sending one for each close(2).
        reply.error(fuser::Errno::ENOSYS);
    }

    fn fsync(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        datasync: bool,
        reply: ReplyEmpty,
    ) {
        self.fsync_inode(ino, datasync, reply);
    }

    fn fsyncdir(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        datasync: bool,
        reply: ReplyEmpty,
    ) {
        self.fsync_inode(ino, datasync, reply);
    }

    fn readdir(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        // Two places come before the volume's own: `.` and `..`.
        let dots = [".", ".."];
        for (place, name) in dots.iter().enumerate().skip(offset.min(2) as usize) {
            if reply.add(ino, place as u64 + 1, FileType::Directory, name) {
                reply.ok();
                return;
            }
        }
        self.stamped(
            Operation::Ask,
            |v| {
                v.readdir(ino.0, offset.saturating_sub(2), &mut |entry| {
                    let kind = file_type(entry.kind);
                    !reply.add(INodeNo(entry.ino), entry.next + 2, kind, &entry.name)
                })
            },
            |_| (),
        );
        reply.ok();
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        self.stamped(
            Operation::Ask,
            |v| v.space(),
            |result| match result {
                Ok(s) => reply.statfs(
                    s.blocks,
                    s.free,
                    s.free,
                    s.files,
                    s.files_free,
                    s.block_size,
                    255,
                    s.block_size,
                ),
                Err(e) => reply.error(errno(e)),
            },
        );
    }

    fn setxattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        name: &OsStr,
        value: &[u8],
        flags: i32,
        _position: u32,
        reply: ReplyEmpty,
    ) {
        self.empty(Operation::Setattr, reply, |v| {
            v.setxattr(ino.0, name, value, flags)
        });
    }

    fn getxattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        self.xattr(size, reply, |v| v.getxattr(ino.0, name));
    }

    fn listxattr(&self, _req: &Request, ino: INodeNo, size: u32, reply: ReplyXattr) {
        self.xattr(size, reply, |v| {
            let mut list = Vec::new();
            for name in v.listxattr(ino.0)? {
                list.extend_from_slice(name.as_encoded_bytes());
                list.push(0);
            }
            Ok(list)
        });
    }

    fn removexattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.empty(Operation::Setattr, reply, |v| v.removexattr(ino.0, name));
    }

    fn fallocate(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let mode = FallocateFlags::from_bits_retain(mode as u32);
        let (keep, punch, zero) = (
            FallocateFlags::KEEP_SIZE,
            FallocateFlags::PUNCH_HOLE,
            FallocateFlags::ZERO_RANGE,
        );
        let how = if mode.is_empty() {
            Ok(Allocate::Extend)
        } else if mode == keep {
            Ok(Allocate::KeepSize)
        } else if mode == keep | punch {
            Ok(Allocate::PunchHole)
        } else if mode == zero || mode == zero | keep {
            Ok(Allocate::Zero {
                keep_size: mode.contains(keep),
            })
        } else {
            Err(Errno::EOPNOTSUPP)
        };
        self.empty(Operation::Setattr, reply, |v| {
            v.allocate(ino.0, offset, length, how?)
        });
    }

    fn lseek(
        &self,
        _req: &Request,
        ino: INodeNo,
        _fh: FileHandle,
        offset: i64,
        whence: i32,
        reply: ReplyLseek,
    ) {
        // SEEK_DATA and SEEK_HOLE of lseek(2); the kernel serves the others itself.
        let seek = match whence {
            3 => Ok(Seek::Data),
            4 => Ok(Seek::Hole),
            _ => Err(Errno::EINVAL),
        };
        self.stamped(
            Operation::Ask,
            |v| {
                v.seek(
                    ino.0,
                    u64::try_from(offset).map_err(|_| Errno::ENXIO)?,
                    seek?,
                )
            },
            |result| match result {
                Ok(at) => reply.offset(at as i64),
                Err(e) => reply.error(errno(e)),
            },
        );
    }
}

fn finish_io(
    stamp: Stamp<'_>,
    result: volume::Result<usize>,
    reply: impl FnOnce(volume::Result<usize>),
) {
    let bytes = result.map_or(0, |count| count as u64);
    stamp.finish(bytes, || reply(result));
}

/// Every regular file bypasses the page cache, so that reads reach the volume's own cache, and
/// takes writes in parallel where they do not extend it.
fn open_flags() -> FopenFlags {
    FopenFlags::FOPEN_DIRECT_IO
        | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
        | FopenFlags::FOPEN_NOFLUSH
}

fn io_flags(flags: OpenFlags) -> IoFlags {
    let flags = OFlags::from_bits_retain(flags.0 as u32);
    IoFlags {
        sync: flags.contains(OFlags::SYNC),
        // O_SYNC contains the bit of O_DSYNC.
        dsync: flags.contains(OFlags::DSYNC),
        direct: flags.contains(OFlags::DIRECT),
    }
}

fn new_inode(kind: Kind, mode: u32, req: &Request) -> Create<'static> {
    Create {
        kind,
        perm: permissions(mode),
        owner: Owner {
            uid: req.uid(),
            gid: req.gid(),
        },
        rdev: 0,
        target: None,
    }
}

fn permissions(mode: u32) -> u16 {
    (mode & 0o7777) as u16
}

fn errno(e: Errno) -> fuser::Errno {
    fuser::Errno::from_i32(e.0)
}

fn file_type(kind: Kind) -> FileType {
    match kind {
        Kind::File => FileType::RegularFile,
        Kind::Directory => FileType::Directory,
        Kind::Symlink => FileType::Symlink,
        Kind::Fifo => FileType::NamedPipe,
        Kind::Socket => FileType::Socket,
        Kind::Character => FileType::CharDevice,
        Kind::Block => FileType::BlockDevice,
    }
}

fn system_time(time: Time) -> SystemTime {
    let whole = Duration::from_secs(time.seconds.unsigned_abs());
    let whole = if time.seconds >= 0 {
        UNIX_EPOCH.checked_add(whole)
    } else {
        UNIX_EPOCH.checked_sub(whole)
    };
    whole
        .and_then(|t| t.checked_add(Duration::from_nanos(time.nanos.into())))
        .unwrap_or(UNIX_EPOCH)
}

fn set_time(time: TimeOrNow) -> SetTime {
    match time {
        TimeOrNow::Now => SetTime::Now,
        TimeOrNow::SpecificTime(at) => SetTime::At(match at.duration_since(UNIX_EPOCH) {
            Ok(since) => Time {
                seconds: since.as_secs() as i64,
                nanos: since.subsec_nanos(),
            },
            Err(before) => {
                let before = before.duration();
                let borrow = u32::from(before.subsec_nanos() > 0);
                Time {
                    seconds: -(before.as_secs() as i64) - i64::from(borrow),
                    nanos: borrow * 1_000_000_000 - before.subsec_nanos(),
                }
            }
        }),
    }
}

fn file_attr(attr: &Attr) -> FileAttr {
    FileAttr {
        ino: INodeNo(attr.ino),
        size: attr.size,
        blocks: attr.blocks,
        atime: system_time(attr.atime),
        mtime: system_time(attr.mtime),
        ctime: system_time(attr.ctime),
        crtime: UNIX_EPOCH,
        kind: file_type(attr.kind),
        perm: attr.perm,
        nlink: attr.links,
        uid: attr.uid,
        gid: attr.gid,
        rdev: attr.rdev,
        blksize: attr.block_size,
        flags: 0,
    }
}
