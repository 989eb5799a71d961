//! What a file system served over FUSE must do.
//!
//! Implementers: a dataset of a pool, a raw emulated drive (one file), and one in memory for tests.

pub mod memory;

use std::ffi::{OsStr, OsString};

/// An inode number. The root directory is [`ROOT`], whatever the implementer calls it inside.
pub type Ino = u64;

/// The root directory's inode number, which FUSE fixes.
pub const ROOT: Ino = 1;

/// A positive `errno` value, as in `errno(3)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("errno {0}")]
pub struct Errno(pub i32);

impl Errno {
    /// No such file or directory.
    pub const ENOENT: Self = Self(rustix::io::Errno::NOENT.raw_os_error());
    /// Input/output error.
    pub const EIO: Self = Self(rustix::io::Errno::IO.raw_os_error());
    /// Permission denied by the object's nature, not by its mode bits.
    pub const EPERM: Self = Self(rustix::io::Errno::PERM.raw_os_error());
    /// The name exists.
    pub const EEXIST: Self = Self(rustix::io::Errno::EXIST.raw_os_error());
    /// Not a directory.
    pub const ENOTDIR: Self = Self(rustix::io::Errno::NOTDIR.raw_os_error());
    /// Is a directory.
    pub const EISDIR: Self = Self(rustix::io::Errno::ISDIR.raw_os_error());
    /// Invalid argument.
    pub const EINVAL: Self = Self(rustix::io::Errno::INVAL.raw_os_error());
    /// No space left.
    pub const ENOSPC: Self = Self(rustix::io::Errno::NOSPC.raw_os_error());
    /// Directory not empty.
    pub const ENOTEMPTY: Self = Self(rustix::io::Errno::NOTEMPTY.raw_os_error());
    /// Name too long.
    pub const ENAMETOOLONG: Self = Self(rustix::io::Errno::NAMETOOLONG.raw_os_error());
    /// Not supported by this kind of volume.
    pub const EOPNOTSUPP: Self = Self(rustix::io::Errno::OPNOTSUPP.raw_os_error());
    /// The call does not exist here; the kernel stops asking.
    pub const ENOSYS: Self = Self(rustix::io::Errno::NOSYS.raw_os_error());
    /// No such extended attribute.
    pub const ENODATA: Self = Self(rustix::io::Errno::NODATA.raw_os_error());
    /// No data or hole beyond the offset.
    pub const ENXIO: Self = Self(rustix::io::Errno::NXIO.raw_os_error());
}

/// The result of an operation.
pub type Result<T> = std::result::Result<T, Errno>;

/// What an inode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    Character,
    /// A block device.
    Block,
}

impl Kind {
    /// The kind in the `S_IFMT` bits of a mode; none when they name no kind.
    pub fn of_mode(mode: u32) -> Option<Self> {
        Some(match mode & 0o170_000 {
            0o100_000 | 0 => Self::File,
            0o040_000 => Self::Directory,
            0o120_000 => Self::Symlink,
            0o010_000 => Self::Fifo,
            0o140_000 => Self::Socket,
            0o020_000 => Self::Character,
            0o060_000 => Self::Block,
            _ => return None,
        })
    }

    /// The `S_IFMT` bits of a mode.
    pub fn mode_bits(self) -> u32 {
        match self {
            Self::File => 0o100_000,
            Self::Directory => 0o040_000,
            Self::Symlink => 0o120_000,
            Self::Fifo => 0o010_000,
            Self::Socket => 0o140_000,
            Self::Character => 0o020_000,
            Self::Block => 0o060_000,
        }
    }
}

/// A point in (virtual) wall-clock time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Time {
    /// Seconds since 1970, UTC.
    pub seconds: i64,
    /// Nanoseconds, below 10⁹.
    pub nanos: u32,
}

/// Attributes of an inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attr {
    /// Its number.
    pub ino: Ino,
    /// Changes when a number is used again.
    pub generation: u64,
    /// What it is.
    pub kind: Kind,
    /// Permission bits, `0o7777`.
    pub perm: u16,
    /// Hard links.
    pub links: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Device number of a device node.
    pub rdev: u32,
    /// Bytes.
    pub size: u64,
    /// Allocated, in units of 512 bytes.
    pub blocks: u64,
    /// Preferred I/O size, bytes: the record size.
    pub block_size: u32,
    /// Last access.
    pub atime: Time,
    /// Last change of the data.
    pub mtime: Time,
    /// Last change of the data or the attributes.
    pub ctime: Time,
}

/// Whom a new inode belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

/// A new inode, other than a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Create<'a> {
    /// What it is.
    pub kind: Kind,
    /// Permission bits, the umask already taken off.
    pub perm: u16,
    /// Whom it belongs to.
    pub owner: Owner,
    /// Device number of a device node.
    pub rdev: u32,
    /// Target of a symbolic link.
    pub target: Option<&'a OsStr>,
}

/// A time to set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetTime {
    /// The volume's own now.
    Now,
    /// This one.
    At(Time),
}

/// Attributes to change; none leaves one as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetAttr {
    /// Permission bits.
    pub perm: Option<u16>,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Truncate or extend to this many bytes.
    pub size: Option<u64>,
    /// Last access.
    pub atime: Option<SetTime>,
    /// Last change of the data.
    pub mtime: Option<SetTime>,
}

/// How one read or write was opened. FUSE gives the open flags with each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IoFlags {
    /// `O_SYNC`: data and attributes are durable before the reply.
    pub sync: bool,
    /// `O_DSYNC` (also set with `O_SYNC`): data is durable before the reply.
    pub dsync: bool,
    /// `O_DIRECT`.
    pub direct: bool,
}

/// Where an operation's time went on its blocking path, virtual ns. The volume adds to the fields
/// it knows; the rest of the operation's time is its own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stages {
    /// Waiting for another operation on the same range, or in the elevator of a raw drive.
    pub range_lock: u64,
    /// Write throttle and waiting for a transaction group.
    pub throttle: u64,
    /// Reading a record to answer a read, or to change part of it.
    pub record_read: u64,
    /// `zil_commit`, or the flush of a raw drive.
    pub commit: u64,
    /// Of the commit: writing log blocks.
    pub log_write: u64,
    /// Of the commit: flushing the log's drives.
    pub log_flush: u64,
    /// Commits waited for: 0 or 1.
    pub commits: u64,
}

/// What `fallocate(2)` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocate {
    /// Make sure that the range exists; extends the file.
    Extend,
    /// The same without changing the size.
    KeepSize,
    /// Free the range, which reads as zeros then.
    PunchHole,
    /// Zero the range; `keep_size` as above.
    Zero {
        /// Do not extend the file.
        keep_size: bool,
    },
}

/// What `rename(2)` may do to an existing target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// Replace it.
    Yes,
    /// Fail with `EEXIST` (`RENAME_NOREPLACE`).
    No,
    /// Swap the two (`RENAME_EXCHANGE`).
    Exchange,
}

/// What `lseek(2)` looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seek {
    /// The next data at or after the offset.
    Data,
    /// The next hole at or after the offset; the end of the file is one.
    Hole,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// What it names.
    pub ino: Ino,
    /// What that is.
    pub kind: Kind,
    /// Where reading goes on after this entry; not 0, and the same for as long as the entry lives.
    pub next: u64,
}

/// Space of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Unit of the block counts, bytes.
    pub block_size: u32,
    /// Blocks in all.
    pub blocks: u64,
    /// Blocks free.
    pub free: u64,
    /// Inodes in all.
    pub files: u64,
    /// Inodes free.
    pub files_free: u64,
}

/// A file system. Every call may come from many threads at once and may block.
///
/// The kernel checks permissions (`default_permissions`), serialises changes within one directory
/// and never asks for `.` and `..`. Each [`Attr`] returned by [`Volume::lookup`],
/// [`Volume::create`] and [`Volume::link`] gives the kernel one reference to that inode; it hands
/// references back by [`Volume::forget`]. Until then the inode stays readable and writable by
/// number, also when its last name is gone.
pub trait Volume: Send + Sync + 'static {
    /// Finds a name.
    fn lookup(&self, parent: Ino, name: &OsStr) -> Result<Attr>;
    /// The kernel drops `count` references.
    fn forget(&self, ino: Ino, count: u64);
    /// Attributes.
    fn getattr(&self, ino: Ino) -> Result<Attr>;
    /// Changes attributes, all of them or none.
    fn setattr(&self, ino: Ino, set: &SetAttr) -> Result<Attr>;
    /// Makes an inode of any kind under a name that does not exist.
    fn create(&self, parent: Ino, name: &OsStr, create: &Create<'_>) -> Result<Attr>;
    /// Target of a symbolic link.
    fn readlink(&self, ino: Ino) -> Result<OsString>;
    /// Gives an inode another name.
    fn link(&self, ino: Ino, parent: Ino, name: &OsStr) -> Result<Attr>;
    /// Removes a name of something that is no directory.
    fn unlink(&self, parent: Ino, name: &OsStr) -> Result<()>;
    /// Removes an empty directory.
    fn rmdir(&self, parent: Ino, name: &OsStr) -> Result<()>;
    /// Moves a name.
    fn rename(
        &self,
        parent: Ino,
        name: &OsStr,
        new_parent: Ino,
        new_name: &OsStr,
        replace: Replace,
    ) -> Result<()>;
    /// Reads into the buffer; fewer bytes than asked only at the end of the file.
    fn read(
        &self,
        ino: Ino,
        offset: u64,
        buf: &mut [u8],
        flags: IoFlags,
        stages: &mut Stages,
    ) -> Result<usize>;
    /// Writes; fewer bytes than given only when a later part failed.
    fn write(
        &self,
        ino: Ino,
        offset: u64,
        data: &[u8],
        flags: IoFlags,
        stages: &mut Stages,
    ) -> Result<usize>;
    /// Makes an inode durable, a directory with its names.
    fn fsync(&self, ino: Ino, datasync: bool, stages: &mut Stages) -> Result<()>;
    /// `fallocate(2)`.
    fn allocate(&self, ino: Ino, offset: u64, length: u64, how: Allocate) -> Result<()>;
    /// Entries after the cookie (0: from the start), in a stable order, until `emit` returns
    /// `false`; `.` and `..` are left to the caller.
    fn readdir(&self, ino: Ino, cookie: u64, emit: &mut dyn FnMut(Entry) -> bool) -> Result<()>;
    /// Space.
    fn space(&self) -> Result<Space>;
    /// Offset of the next data or hole; `ENXIO` beyond the end.
    fn seek(&self, ino: Ino, offset: u64, seek: Seek) -> Result<u64> {
        let size = self.getattr(ino)?.size;
        match seek {
            _ if offset >= size => Err(Errno::ENXIO),
            Seek::Data => Ok(offset),
            Seek::Hole => Ok(size),
        }
    }
    /// Value of an extended attribute.
    fn getxattr(&self, _ino: Ino, _name: &OsStr) -> Result<Vec<u8>> {
        Err(Errno::ENOSYS)
    }
    /// Sets an extended attribute; `flags` as in `setxattr(2)`.
    fn setxattr(&self, _ino: Ino, _name: &OsStr, _value: &[u8], _flags: i32) -> Result<()> {
        Err(Errno::ENOSYS)
    }
    /// Names of the extended attributes.
    fn listxattr(&self, _ino: Ino) -> Result<Vec<OsString>> {
        Err(Errno::ENOSYS)
    }
    /// Removes an extended attribute.
    fn removexattr(&self, _ino: Ino, _name: &OsStr) -> Result<()> {
        Err(Errno::ENOSYS)
    }
}
