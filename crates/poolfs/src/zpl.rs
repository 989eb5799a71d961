//! A dataset of a pool as a volume.
//!
//! What a read, a write or a commit does is the library's business, by the rules of its version;
//! here inode numbers become objects, and an object that the kernel knows of is kept in use.

use crate::volume::{
    Allocate, Attr, Create, Entry, Errno, Ino, IoFlags, Kind, ROOT, Replace, Result, Seek, SetAttr,
    SetTime, Space, Stages, Time, Volume,
};
use openzfs::{Changes, FileSystem, Flags, Node};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::Arc;

/// An open dataset.
pub struct Dataset {
    fs: FileSystem,
    nodes: Mutex<HashMap<Ino, Known>>,
    now: Box<dyn Fn() -> Time + Send + Sync>,
}

/// An object that the kernel knows of.
struct Known {
    node: Arc<Node>,
    references: u64,
}

/// Space is reported in units of a sector, the smallest that ZFS allocates.
const BLOCK: u32 = 512;

fn errno(e: openzfs::Error) -> Errno {
    Errno(e.0)
}

fn kind_of_entry(kind: u8) -> Kind {
    // dirent(5) types are the S_IFMT bits, shifted.
    Kind::of_mode(u32::from(kind) << 12).unwrap_or(Kind::File)
}

fn flags(f: IoFlags) -> Flags {
    Flags {
        sync: f.sync || f.dsync,
        append: false,
        direct: f.direct,
    }
}

fn add(stages: &mut Stages, s: &openzfs::Stages) {
    let ns = |v: i64| v.max(0) as u64;
    stages.range_lock += ns(s.range_lock);
    stages.throttle += ns(s.throttle);
    stages.record_read += ns(s.record_read);
    stages.commit += ns(s.commit);
    stages.commits += s.commits;
    stages.log_write += ns(s.log_write);
    stages.log_flush += ns(s.log_flush);
}

impl Dataset {
    /// Serves an open dataset; `now` is the virtual wall clock.
    pub fn new(fs: FileSystem, now: impl Fn() -> Time + Send + Sync + 'static) -> Dataset {
        Dataset {
            fs,
            nodes: Mutex::default(),
            now: Box::new(now),
        }
    }

    fn object(&self, ino: Ino) -> u64 {
        if ino == ROOT { self.fs.root() } else { ino }
    }

    fn ino(&self, object: u64) -> Ino {
        if object == self.fs.root() {
            ROOT
        } else {
            object
        }
    }

    fn node(&self, ino: Ino) -> Result<Arc<Node>> {
        if let Some(known) = self.nodes.lock().get(&ino) {
            return Ok(known.node.clone());
        }
        self.fs.node(self.object(ino)).map(Arc::new).map_err(errno)
    }

    /// The kernel is about to learn of this object.
    fn introduce(&self, object: u64) -> Result<Attr> {
        let ino = self.ino(object);
        let node = self.node(ino)?;
        let attr = self.attr(&node);
        self.nodes
            .lock()
            .entry(ino)
            .or_insert(Known {
                node,
                references: 0,
            })
            .references += 1;
        Ok(attr)
    }

    fn attr(&self, node: &Node) -> Attr {
        let a = node.attr();
        let time = |(seconds, nanos): (i64, i64)| Time {
            seconds,
            nanos: nanos.clamp(0, 999_999_999) as u32,
        };
        Attr {
            ino: self.ino(a.id),
            generation: a.generation,
            kind: Kind::of_mode(a.mode).unwrap_or(Kind::File),
            perm: (a.mode & 0o7777) as u16,
            links: a.links as u32,
            uid: a.uid,
            gid: a.gid,
            rdev: a.rdev as u32,
            size: a.size,
            blocks: a.blocks,
            block_size: a.blksize,
            atime: time(a.atime),
            mtime: time(a.mtime),
            ctime: time(a.ctime),
        }
    }

    fn moment(&self, set: SetTime) -> (i64, i64) {
        let t = match set {
            SetTime::Now => (self.now)(),
            SetTime::At(t) => t,
        };
        (t.seconds, i64::from(t.nanos))
    }
}

impl Volume for Dataset {
    fn lookup(&self, parent: Ino, name: &OsStr) -> Result<Attr> {
        let object = self.node(parent)?.lookup(name.as_bytes()).map_err(errno)?;
        self.introduce(object)
    }

    fn forget(&self, ino: Ino, count: u64) {
        let mut nodes = self.nodes.lock();
        let Some(known) = nodes.get_mut(&ino) else {
            return;
        };
        known.references = known.references.saturating_sub(count);
        if known.references == 0 {
            let gone = nodes.remove(&ino);
            // The last handle may free the object, which waits for a transaction: not under the lock.
            drop(nodes);
            drop(gone);
        }
    }

    fn getattr(&self, ino: Ino) -> Result<Attr> {
        Ok(self.attr(&*self.node(ino)?))
    }

    fn setattr(&self, ino: Ino, set: &SetAttr) -> Result<Attr> {
        let node = self.node(ino)?;
        if let Some(size) = set.size {
            node.truncate(size).map_err(errno)?;
        }
        let changes = Changes {
            mode: set.perm.map(u32::from),
            uid: set.uid,
            gid: set.gid,
            atime: set.atime.map(|t| self.moment(t)),
            mtime: set.mtime.map(|t| self.moment(t)),
        };
        node.change(&changes).map_err(errno)?;
        Ok(self.attr(&node))
    }

    fn create(&self, parent: Ino, name: &OsStr, create: &Create<'_>) -> Result<Attr> {
        let object = self
            .node(parent)?
            .create(
                name.as_bytes(),
                create.kind.mode_bits() | u32::from(create.perm),
                (create.owner.uid, create.owner.gid),
                u64::from(create.rdev),
                create.target.map(OsStr::as_bytes),
            )
            .map_err(errno)?;
        self.introduce(object)
    }

    fn readlink(&self, ino: Ino) -> Result<OsString> {
        self.node(ino)?
            .read_link()
            .map(OsString::from_vec)
            .map_err(errno)
    }

    fn link(&self, ino: Ino, parent: Ino, name: &OsStr) -> Result<Attr> {
        let node = self.node(ino)?;
        node.link(&*self.node(parent)?, name.as_bytes())
            .map_err(errno)?;
        self.introduce(node.attr().id)
    }

    fn unlink(&self, parent: Ino, name: &OsStr) -> Result<()> {
        self.node(parent)?
            .remove(name.as_bytes(), false)
            .map_err(errno)
    }

    fn rmdir(&self, parent: Ino, name: &OsStr) -> Result<()> {
        self.node(parent)?
            .remove(name.as_bytes(), true)
            .map_err(errno)
    }

    fn rename(
        &self,
        parent: Ino,
        name: &OsStr,
        new_parent: Ino,
        new_name: &OsStr,
        replace: Replace,
    ) -> Result<()> {
        // The ZPL of these versions cannot exchange two names.
        let replace = match replace {
            Replace::Yes => true,
            Replace::No => false,
            Replace::Exchange => return Err(Errno::EINVAL),
        };
        let (from, to) = (self.node(parent)?, self.node(new_parent)?);
        from.rename(name.as_bytes(), &to, new_name.as_bytes(), replace)
            .map_err(errno)
    }

    fn read(
        &self,
        ino: Ino,
        offset: u64,
        buf: &mut [u8],
        f: IoFlags,
        stages: &mut Stages,
    ) -> Result<usize> {
        let mut own = openzfs::Stages::default();
        let result = self.node(ino)?.read(offset, buf, flags(f), &mut own);
        add(stages, &own);
        result.map_err(errno)
    }

    fn write(
        &self,
        ino: Ino,
        offset: u64,
        data: &[u8],
        f: IoFlags,
        stages: &mut Stages,
    ) -> Result<usize> {
        let mut own = openzfs::Stages::default();
        let result = self.node(ino)?.write(offset, data, flags(f), &mut own);
        add(stages, &own);
        result.map_err(errno)
    }

    fn fsync(&self, ino: Ino, _datasync: bool, stages: &mut Stages) -> Result<()> {
        let mut own = openzfs::Stages::default();
        let result = self.node(ino)?.fsync(&mut own);
        add(stages, &own);
        result.map_err(errno)
    }

    fn allocate(&self, ino: Ino, offset: u64, length: u64, how: Allocate) -> Result<()> {
        let node = self.node(ino)?;
        let end = offset.checked_add(length).ok_or(Errno::EINVAL)?;
        match how {
            // ZFS copies on write, so that it cannot reserve blocks: it makes sure that there is
            // space now, with a tenth to spare, and extends the file.
            Allocate::Extend | Allocate::KeepSize => {
                let needed = length.saturating_add(length / 10);
                if self.fs.space().available < needed {
                    return Err(Errno::ENOSPC);
                }
                match how {
                    Allocate::Extend => node.extend(end).map_err(errno),
                    _ => Ok(()),
                }
            }
            Allocate::PunchHole => node.punch(offset, length).map_err(errno),
            Allocate::Zero { keep_size } => {
                node.punch(offset, length).map_err(errno)?;
                if keep_size {
                    Ok(())
                } else {
                    node.extend(end).map_err(errno)
                }
            }
        }
    }

    fn readdir(&self, ino: Ino, cookie: u64, emit: &mut dyn FnMut(Entry) -> bool) -> Result<()> {
        self.node(ino)?
            .entries(cookie, &mut |e| {
                emit(Entry {
                    name: OsString::from_vec(e.name),
                    ino: self.ino(e.id),
                    kind: kind_of_entry(e.kind),
                    next: e.next,
                })
            })
            .map_err(errno)
    }

    fn space(&self) -> Result<Space> {
        let s = self.fs.space();
        let unit = u64::from(BLOCK);
        Ok(Space {
            block_size: BLOCK,
            blocks: (s.used + s.available) / unit,
            free: s.available / unit,
            files: s.files + s.files_available,
            files_free: s.files_available,
        })
    }

    fn seek(&self, ino: Ino, offset: u64, seek: Seek) -> Result<u64> {
        self.node(ino)?
            .seek(seek == Seek::Hole, offset)
            .map_err(errno)
    }
}
