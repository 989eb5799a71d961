//! A raw emulated drive as a volume: one file, for benchmarks of the drive itself.

use crate::emulator::{Drive, Io};
use crate::volume::{
    Allocate, Attr, Create, Entry, Errno, Ino, IoFlags, Kind, ROOT, Replace, Result, SetAttr,
    Space, Stages, Time, Volume,
};
use drives::{Op, Profile};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

/// Before a drive's name, in place of a dataset's.
pub const PREFIX: &str = "drive:";

/// Requests that the block layer's elevator keeps inside a disk: as many as it takes. Flash and cards
/// get theirs unsorted and as they come; a card has an elevator of its own before each member.
pub fn in_flight(profile: &Profile) -> Option<usize> {
    let disk = profile.hdd.as_ref().filter(|_| profile.rotational)?;
    Some(disk.queue_depth.whole() as usize)
}

const FILE: Ino = 2;

/// A request of a raw drive's client.
pub struct RawIo {
    op: Op,
    offset: u64,
    length: u64,
    buf: Vec<u8>,
    done: SyncSender<(std::result::Result<(), i32>, Vec<u8>)>,
}

impl Io for RawIo {
    fn op(&self) -> Op {
        self.op
    }

    fn offset(&self) -> u64 {
        self.offset
    }

    fn length(&self) -> u64 {
        self.length
    }

    fn data(&self) -> &[u8] {
        &self.buf
    }

    fn data_mut(&mut self) -> &mut [u8] {
        &mut self.buf
    }

    fn complete(self, result: std::result::Result<(), i32>) {
        // Fails only when the client has gone, who then needs no answer.
        let _ = self.done.send((result, self.buf));
    }
}

/// A drive as a directory with one file.
pub struct Raw<I: Io> {
    drive: Arc<Drive<I>>,
}

impl<I: Io + From<RawIo>> Raw<I> {
    /// Serves a drive.
    pub fn new(drive: Arc<Drive<I>>) -> Self {
        Self { drive }
    }

    /// Sends a request and waits for it.
    fn request(&self, op: Op, offset: u64, length: u64, buf: Vec<u8>) -> Result<Vec<u8>> {
        let (done, answer) = sync_channel(1);
        let io = RawIo {
            op,
            offset,
            length,
            buf,
            done,
        };
        self.drive.submit(io.into());
        let (result, buf) = answer.recv().map_err(|_| Errno::EIO)?;
        result.map(|()| buf).map_err(Errno)
    }

    fn flush(&self, stages: &mut Stages) -> Result<()> {
        stages.commits += 1;
        self.request(Op::Flush, 0, 0, Vec::new()).map(drop)
    }

    fn attr(&self, ino: Ino) -> Result<Attr> {
        let file = match ino {
            ROOT => false,
            FILE => true,
            _ => return Err(Errno::ENOENT),
        };
        let geometry = self.drive.geometry();
        Ok(Attr {
            ino,
            generation: 0,
            kind: if file { Kind::File } else { Kind::Directory },
            perm: if file { 0o666 } else { 0o755 },
            links: if file { 1 } else { 2 },
            uid: 0,
            gid: 0,
            rdev: 0,
            size: if file { geometry.size } else { 0 },
            blocks: if file { geometry.size / 512 } else { 0 },
            block_size: geometry.physical_sector,
            atime: Time::default(),
            mtime: Time::default(),
            ctime: Time::default(),
        })
    }

    /// A raw device takes whole sectors only.
    fn aligned(&self, offset: u64, length: usize) -> Result<()> {
        let sector = u64::from(self.drive.geometry().logical_sector);
        if offset.is_multiple_of(sector) && (length as u64).is_multiple_of(sector) {
            Ok(())
        } else {
            Err(Errno::EINVAL)
        }
    }

    /// The part of a request that lies on the drive.
    fn clip(&self, offset: u64, length: usize) -> usize {
        let left = self.drive.geometry().size.saturating_sub(offset);
        left.min(length as u64) as usize
    }
}

impl<I: Io + From<RawIo>> Volume for Raw<I> {
    fn lookup(&self, parent: Ino, name: &OsStr) -> Result<Attr> {
        if parent == ROOT && name == self.drive.name() {
            self.attr(FILE)
        } else {
            Err(Errno::ENOENT)
        }
    }

    fn forget(&self, _ino: Ino, _count: u64) {}

    fn getattr(&self, ino: Ino) -> Result<Attr> {
        self.attr(ino)
    }

    fn setattr(&self, ino: Ino, set: &SetAttr) -> Result<Attr> {
        // Truncating a block device changes nothing; its times and modes are not kept.
        match set.size {
            Some(_) if ino != FILE => Err(Errno::EISDIR),
            _ => self.attr(ino),
        }
    }

    fn create(&self, _parent: Ino, _name: &OsStr, _create: &Create<'_>) -> Result<Attr> {
        Err(Errno::EPERM)
    }

    fn readlink(&self, _ino: Ino) -> Result<OsString> {
        Err(Errno::EINVAL)
    }

    fn link(&self, _ino: Ino, _parent: Ino, _name: &OsStr) -> Result<Attr> {
        Err(Errno::EPERM)
    }

    fn unlink(&self, _parent: Ino, _name: &OsStr) -> Result<()> {
        Err(Errno::EPERM)
    }

    fn rmdir(&self, _parent: Ino, _name: &OsStr) -> Result<()> {
        Err(Errno::EPERM)
    }

    fn rename(
        &self,
        _parent: Ino,
        _name: &OsStr,
        _new_parent: Ino,
        _new_name: &OsStr,
        _replace: Replace,
    ) -> Result<()> {
        Err(Errno::EPERM)
    }

    fn read(
        &self,
        ino: Ino,
        offset: u64,
        buf: &mut [u8],
        _flags: IoFlags,
        _stages: &mut Stages,
    ) -> Result<usize> {
        if ino != FILE {
            return Err(Errno::EISDIR);
        }
        let count = self.clip(offset, buf.len());
        if count == 0 {
            return Ok(0);
        }
        self.aligned(offset, count)?;
        let data = self.request(Op::Read, offset, count as u64, vec![0; count])?;
        buf[..count].copy_from_slice(&data);
        Ok(count)
    }

    fn write(
        &self,
        ino: Ino,
        offset: u64,
        data: &[u8],
        flags: IoFlags,
        stages: &mut Stages,
    ) -> Result<usize> {
        if ino != FILE {
            return Err(Errno::EISDIR);
        }
        let count = self.clip(offset, data.len());
        if count == 0 {
            return Err(Errno::ENOSPC);
        }
        self.aligned(offset, count)?;
        self.request(Op::Write, offset, count as u64, data[..count].to_vec())?;
        if flags.dsync {
            self.flush(stages)?;
        }
        Ok(count)
    }

    fn fsync(&self, ino: Ino, _datasync: bool, stages: &mut Stages) -> Result<()> {
        if ino == FILE {
            self.flush(stages)?;
        }
        Ok(())
    }

    fn allocate(&self, ino: Ino, offset: u64, length: u64, how: Allocate) -> Result<()> {
        match how {
            Allocate::PunchHole if ino == FILE => {
                let length = self.clip(offset, length as usize) as u64;
                self.request(Op::Trim, offset, length, Vec::new())?;
                Ok(())
            }
            // All of a drive exists.
            Allocate::KeepSize | Allocate::Extend
                if offset.saturating_add(length) <= self.drive.geometry().size =>
            {
                Ok(())
            }
            Allocate::KeepSize | Allocate::Extend => Err(Errno::ENOSPC),
            _ => Err(Errno::EOPNOTSUPP),
        }
    }

    fn readdir(&self, ino: Ino, cookie: u64, emit: &mut dyn FnMut(Entry) -> bool) -> Result<()> {
        if ino != ROOT {
            return Err(Errno::ENOTDIR);
        }
        if cookie == 0 {
            emit(Entry {
                name: self.drive.name().into(),
                ino: FILE,
                kind: Kind::File,
                next: 1,
            });
        }
        Ok(())
    }

    fn space(&self) -> Result<Space> {
        let geometry = self.drive.geometry();
        Ok(Space {
            block_size: geometry.physical_sector,
            blocks: geometry.size / u64::from(geometry.physical_sector.max(1)),
            free: 0,
            files: 1,
            files_free: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_disk_has_an_elevator_before_it() {
        for (text, expected) in [
            (include_str!("../../../profiles/hdd-7200-8t.toml"), Some(32)),
            (
                include_str!("../../../profiles/hdd-7200-16t.toml"),
                Some(128),
            ),
            (include_str!("../../../profiles/pm9a3-3.84t.toml"), None),
            (include_str!("../../../profiles/raid0-12x4t.toml"), None),
        ] {
            let profile = Profile::from_toml(text).expect("valid");
            assert_eq!(in_flight(&profile), expected, "{}", profile.description);
        }
    }
}
