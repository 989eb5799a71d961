//! Between fuser's words and a volume's.

use crate::volume::{
    Allocate, Attr, Create, Errno, IoFlags, Kind, Owner, Replace, Result, Seek, SetTime, Time,
};
use fuser::{FileAttr, FileType, FopenFlags, INodeNo, OpenFlags, RenameFlags, Request, TimeOrNow};
use rustix::fs::{FallocateFlags, OFlags};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a mode of fallocate(2) asks for.
pub(super) fn allocate(mode: i32) -> Result<Allocate> {
    let mode = FallocateFlags::from_bits_retain(mode as u32);
    let (keep, punch, zero) = (
        FallocateFlags::KEEP_SIZE,
        FallocateFlags::PUNCH_HOLE,
        FallocateFlags::ZERO_RANGE,
    );
    if mode.is_empty() {
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
    }
}

/// What the flags of renameat2(2) ask for.
pub(super) fn replace(flags: RenameFlags) -> Result<Replace> {
    if flags.is_empty() {
        Ok(Replace::Yes)
    } else if flags == RenameFlags::RENAME_NOREPLACE {
        Ok(Replace::No)
    } else if flags == RenameFlags::RENAME_EXCHANGE {
        Ok(Replace::Exchange)
    } else {
        Err(Errno::EINVAL)
    }
}

/// SEEK_DATA and SEEK_HOLE of lseek(2); the kernel serves the others itself.
pub(super) fn seek(whence: i32) -> Result<Seek> {
    match whence {
        3 => Ok(Seek::Data),
        4 => Ok(Seek::Hole),
        _ => Err(Errno::EINVAL),
    }
}

/// Every regular file bypasses the page cache, so that reads reach the volume's own cache, and
/// takes writes in parallel where they do not extend it.
pub(super) fn open_flags() -> FopenFlags {
    FopenFlags::FOPEN_DIRECT_IO
        | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
        | FopenFlags::FOPEN_NOFLUSH
}

/// `O_DSYNC` of x86 and ARM. rustix's `OFlags::DSYNC` is `O_SYNC`, which a file opened with
/// `O_DSYNC` alone does not have.
const O_DSYNC: u32 = 0o10_000;

pub(super) fn io_flags(flags: OpenFlags) -> IoFlags {
    let flags = OFlags::from_bits_retain(flags.0 as u32);
    IoFlags {
        sync: flags.contains(OFlags::SYNC),
        // O_SYNC contains this bit.
        dsync: flags.bits() & O_DSYNC != 0,
        direct: flags.contains(OFlags::DIRECT),
    }
}

pub(super) fn new_inode(kind: Kind, mode: u32, req: &Request) -> Create<'static> {
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

pub(super) fn permissions(mode: u32) -> u16 {
    (mode & 0o7777) as u16
}

pub(super) fn errno(e: Errno) -> fuser::Errno {
    fuser::Errno::from_i32(e.0)
}

pub(super) fn file_type(kind: Kind) -> FileType {
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

pub(super) fn system_time(time: Time) -> SystemTime {
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

pub(super) fn set_time(time: TimeOrNow) -> SetTime {
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

pub(super) fn file_attr(attr: &Attr) -> FileAttr {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_before_1970_is_the_same_in_both_worlds() {
        for (seconds, nanos) in [(0, 0), (5, 999_999_999), (-1, 250_000_000), (-3, 0)] {
            let time = Time { seconds, nanos };
            let back = set_time(TimeOrNow::SpecificTime(system_time(time)));
            assert_eq!(back, SetTime::At(time));
        }
    }

    #[test]
    fn what_zfs_cannot_do_is_refused() {
        let collapse = FallocateFlags::COLLAPSE_RANGE.bits() as i32;
        assert_eq!(allocate(collapse), Err(Errno::EOPNOTSUPP));
        assert_eq!(replace(RenameFlags::all()), Err(Errno::EINVAL));
        assert_eq!(seek(0), Err(Errno::EINVAL));
    }

    #[test]
    fn o_sync_contains_o_dsync_and_not_the_reverse() {
        let flags = |o: OFlags| io_flags(OpenFlags(o.bits() as i32));
        let both = flags(OFlags::SYNC);
        assert!(both.sync && both.dsync && !both.direct);
        let data = flags(OFlags::from_bits_retain(O_DSYNC) | OFlags::DIRECT);
        assert!(!data.sync && data.dsync && data.direct);
        assert_eq!(flags(OFlags::RDWR), IoFlags::default());
    }
}
