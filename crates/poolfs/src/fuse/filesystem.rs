//! fuser's callbacks onto a [`Volume`](crate::volume::Volume).

use super::bridge::{Bridge, finish_io};
use super::convert::{
    allocate, errno, file_attr, file_type, io_flags, new_inode, open_flags, permissions, replace,
    seek, set_time,
};
use super::negotiate::negotiate;
use super::stamp::Operation;
use crate::volume::{Create, Errno, Kind, SetAttr};
use fuser::{
    BsdFileFlags, FileHandle, FileType, Filesystem, Generation, INodeNo, KernelConfig, LockOwner,
    OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow,
    WriteFlags,
};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::PoisonError;
use std::time::SystemTime;

thread_local! {
    /// The read buffer of a serving thread.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Filesystem for Bridge {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> io::Result<()> {
        let features = negotiate(config, self.max_write);
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
        // The last one of a file that is unlinked frees its blocks, which may wait for transaction groups.
        let _shift = self.stamps.crew().start();
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
        let replace = replace(flags);
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
        let stamp = self.stamps.arrived(Operation::Ask);
        let result = self.slot.with(|v| {
            v.readdir(ino.0, offset.saturating_sub(2), &mut |entry| {
                let kind = file_type(entry.kind);
                !reply.add(INodeNo(entry.ino), entry.next + 2, kind, &entry.name)
            })
        });
        stamp.finish(0, || match result {
            Ok(()) => reply.ok(),
            Err(e) => reply.error(errno(e)),
        });
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
        let how = allocate(mode);
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
        let seek = seek(whence);
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
