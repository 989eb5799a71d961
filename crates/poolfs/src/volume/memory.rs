//! A volume in memory: what tests of the FUSE side and of the control channel mount.

use super::{
    Allocate, Attr, Create, Entry, Errno, Ino, IoFlags, Kind, Owner, ROOT, Replace, Result,
    SetAttr, SetTime, Space, Stages, Time, Volume,
};
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const NAME_MAX: usize = 255;

/// A file system that forgets everything.
#[derive(Debug)]
pub struct Memory {
    state: Mutex<State>,
    write_takes: Duration,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
    commits: AtomicUsize,
}

#[derive(Debug)]
struct State {
    nodes: BTreeMap<Ino, Node>,
    next: Ino,
}

#[derive(Debug)]
struct Node {
    attr: Attr,
    references: u64,
    target: Option<OsString>,
    data: Arc<RwLock<Vec<u8>>>,
    /// Cookie → name and inode.
    entries: BTreeMap<u64, (OsString, Ino)>,
    next_cookie: u64,
    xattrs: BTreeMap<OsString, Vec<u8>>,
}

impl Node {
    fn new(ino: Ino, kind: Kind, perm: u16, owner: Owner) -> Self {
        let now = now();
        Self {
            attr: Attr {
                ino,
                generation: 0,
                kind,
                perm,
                links: if kind == Kind::Directory { 2 } else { 1 },
                uid: owner.uid,
                gid: owner.gid,
                rdev: 0,
                size: 0,
                blocks: 0,
                block_size: 4096,
                atime: now,
                mtime: now,
                ctime: now,
            },
            references: 0,
            target: None,
            data: Arc::default(),
            entries: BTreeMap::new(),
            next_cookie: 1,
            xattrs: BTreeMap::new(),
        }
    }

    fn find(&self, name: &OsStr) -> Option<(u64, Ino)> {
        let found = self.entries.iter().find(|(_, (n, _))| n == name)?;
        Some((*found.0, found.1.1))
    }

    fn insert(&mut self, name: &OsStr, ino: Ino) {
        self.entries
            .insert(self.next_cookie, (name.to_owned(), ino));
        self.next_cookie += 1;
        self.touch();
    }

    fn touch(&mut self) {
        self.attr.mtime = now();
        self.attr.ctime = self.attr.mtime;
    }

    fn sized(&self) -> Attr {
        let mut attr = self.attr;
        if attr.kind == Kind::File {
            attr.size = self.data.read().len() as u64;
            attr.blocks = attr.size.div_ceil(512);
        }
        attr
    }
}

impl State {
    fn node(&self, ino: Ino) -> Result<&Node> {
        self.nodes.get(&ino).ok_or(Errno::ENOENT)
    }

    fn node_mut(&mut self, ino: Ino) -> Result<&mut Node> {
        self.nodes.get_mut(&ino).ok_or(Errno::ENOENT)
    }

    fn directory(&mut self, ino: Ino) -> Result<&mut Node> {
        let node = self.node_mut(ino)?;
        if node.attr.kind != Kind::Directory {
            return Err(Errno::ENOTDIR);
        }
        Ok(node)
    }

    fn referenced(&mut self, ino: Ino) -> Result<Attr> {
        let node = self.node_mut(ino)?;
        node.references += 1;
        Ok(node.sized())
    }

    fn drop_if_gone(&mut self, ino: Ino) {
        if let Some(node) = self.nodes.get(&ino)
            && node.attr.links == 0
            && node.references == 0
        {
            self.nodes.remove(&ino);
        }
    }

    fn unname(&mut self, parent: Ino, cookie: u64, ino: Ino) -> Result<()> {
        let directory = self.node(ino)?.attr.kind == Kind::Directory;
        let dir = self.directory(parent)?;
        dir.entries.remove(&cookie);
        dir.touch();
        if directory {
            dir.attr.links -= 1;
        }
        let node = self.node_mut(ino)?;
        node.attr.ctime = now();
        node.attr.links = if directory { 0 } else { node.attr.links - 1 };
        self.drop_if_gone(ino);
        Ok(())
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(Duration::ZERO)
    }
}

impl Memory {
    /// An empty volume each of whose writes takes at least this long (real time).
    pub fn new(write_takes: Duration) -> Self {
        let root = Node::new(ROOT, Kind::Directory, 0o777, Owner { uid: 0, gid: 0 });
        Self {
            state: Mutex::new(State {
                nodes: BTreeMap::from([(ROOT, root)]),
                next: ROOT + 1,
            }),
            write_takes,
            in_flight: AtomicUsize::new(0),
            most_in_flight: AtomicUsize::new(0),
            commits: AtomicUsize::new(0),
        }
    }

    /// Most writes that were inside [`Volume::write`] at the same time.
    pub fn most_in_flight(&self) -> usize {
        self.most_in_flight.load(Ordering::Relaxed)
    }

    /// Commits so far: one for each synchronous write and each fsync.
    pub fn commits(&self) -> usize {
        self.commits.load(Ordering::Relaxed)
    }

    fn data(&self, ino: Ino) -> Result<Arc<RwLock<Vec<u8>>>> {
        let state = self.state.lock();
        let node = state.node(ino)?;
        match node.attr.kind {
            Kind::File => Ok(Arc::clone(&node.data)),
            Kind::Directory => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }
}

fn now() -> Time {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Time {
        seconds: since.as_secs() as i64,
        nanos: since.subsec_nanos(),
    }
}

fn resolve(set: SetTime) -> Time {
    match set {
        SetTime::Now => now(),
        SetTime::At(time) => time,
    }
}

impl Volume for Memory {
    fn lookup(&self, parent: Ino, name: &OsStr) -> Result<Attr> {
        let mut state = self.state.lock();
        let (_, ino) = state.directory(parent)?.find(name).ok_or(Errno::ENOENT)?;
        state.referenced(ino)
    }

    fn forget(&self, ino: Ino, count: u64) {
        let mut state = self.state.lock();
        if let Ok(node) = state.node_mut(ino) {
            node.references = node.references.saturating_sub(count);
            state.drop_if_gone(ino);
        }
    }

    fn getattr(&self, ino: Ino) -> Result<Attr> {
        Ok(self.state.lock().node(ino)?.sized())
    }

    fn setattr(&self, ino: Ino, set: &SetAttr) -> Result<Attr> {
        let mut state = self.state.lock();
        let node = state.node_mut(ino)?;
        if let Some(size) = set.size {
            let size = usize::try_from(size).map_err(|_| Errno::EINVAL)?;
            node.data.write().resize(size, 0);
            node.touch();
        }
        let attr = &mut node.attr;
        attr.perm = set.perm.unwrap_or(attr.perm);
        attr.uid = set.uid.unwrap_or(attr.uid);
        attr.gid = set.gid.unwrap_or(attr.gid);
        attr.atime = set.atime.map_or(attr.atime, resolve);
        attr.mtime = set.mtime.map_or(attr.mtime, resolve);
        attr.ctime = now();
        Ok(node.sized())
    }

    fn create(&self, parent: Ino, name: &OsStr, create: &Create<'_>) -> Result<Attr> {
        if name.len() > NAME_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        let mut state = self.state.lock();
        let ino = state.next;
        let dir = state.directory(parent)?;
        if dir.find(name).is_some() {
            return Err(Errno::EEXIST);
        }
        dir.insert(name, ino);
        if create.kind == Kind::Directory {
            dir.attr.links += 1;
        }
        let mut node = Node::new(ino, create.kind, create.perm, create.owner);
        node.attr.rdev = create.rdev;
        if let Some(target) = create.target {
            node.attr.size = target.len() as u64;
            node.target = Some(target.to_owned());
        }
        state.nodes.insert(ino, node);
        state.next += 1;
        state.referenced(ino)
    }

    fn readlink(&self, ino: Ino) -> Result<OsString> {
        let state = self.state.lock();
        state.node(ino)?.target.clone().ok_or(Errno::EINVAL)
    }

    fn link(&self, ino: Ino, parent: Ino, name: &OsStr) -> Result<Attr> {
        let mut state = self.state.lock();
        if state.node(ino)?.attr.kind == Kind::Directory {
            return Err(Errno::EPERM);
        }
        let dir = state.directory(parent)?;
        if dir.find(name).is_some() {
            return Err(Errno::EEXIST);
        }
        dir.insert(name, ino);
        state.node_mut(ino)?.attr.links += 1;
        state.referenced(ino)
    }

    fn unlink(&self, parent: Ino, name: &OsStr) -> Result<()> {
        let mut state = self.state.lock();
        let (cookie, ino) = state.directory(parent)?.find(name).ok_or(Errno::ENOENT)?;
        if state.node(ino)?.attr.kind == Kind::Directory {
            return Err(Errno::EISDIR);
        }
        state.unname(parent, cookie, ino)
    }

    fn rmdir(&self, parent: Ino, name: &OsStr) -> Result<()> {
        let mut state = self.state.lock();
        let (cookie, ino) = state.directory(parent)?.find(name).ok_or(Errno::ENOENT)?;
        if !state.directory(ino)?.entries.is_empty() {
            return Err(Errno::ENOTEMPTY);
        }
        state.unname(parent, cookie, ino)
    }

    fn rename(
        &self,
        parent: Ino,
        name: &OsStr,
        new_parent: Ino,
        new_name: &OsStr,
        replace: Replace,
    ) -> Result<()> {
        let mut state = self.state.lock();
        let (cookie, ino) = state.directory(parent)?.find(name).ok_or(Errno::ENOENT)?;
        let target = state.directory(new_parent)?.find(new_name);
        let is_dir = state.node(ino)?.attr.kind == Kind::Directory;
        match (target, replace) {
            (Some((_, old)), _) if old == ino => return Ok(()),
            (Some(_), Replace::No) => return Err(Errno::EEXIST),
            (_, Replace::Exchange) => return Err(Errno::EINVAL),
            (Some((old_cookie, old)), Replace::Yes) => {
                let other = state.node(old)?;
                match (is_dir, other.attr.kind == Kind::Directory) {
                    (true, false) => return Err(Errno::ENOTDIR),
                    (false, true) => return Err(Errno::EISDIR),
                    (true, true) if !other.entries.is_empty() => return Err(Errno::ENOTEMPTY),
                    _ => state.unname(new_parent, old_cookie, old)?,
                }
            }
            (None, _) => {}
        }
        let from = state.directory(parent)?;
        from.entries.remove(&cookie);
        from.touch();
        from.attr.links -= u32::from(is_dir);
        let to = state.directory(new_parent)?;
        to.insert(new_name, ino);
        to.attr.links += u32::from(is_dir);
        state.node_mut(ino)?.attr.ctime = now();
        Ok(())
    }

    fn read(
        &self,
        ino: Ino,
        offset: u64,
        buf: &mut [u8],
        _flags: IoFlags,
        _stages: &mut Stages,
    ) -> Result<usize> {
        let data = self.data(ino)?;
        let data = data.read();
        let from = usize::try_from(offset).map_or(data.len(), |o| o.min(data.len()));
        let count = buf.len().min(data.len() - from);
        buf[..count].copy_from_slice(&data[from..from + count]);
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
        let inside = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_in_flight.fetch_max(inside, Ordering::SeqCst);
        std::thread::sleep(self.write_takes);
        let done = self.data(ino).map(|file| {
            let mut file = file.write();
            let from = offset as usize;
            if file.len() < from + data.len() {
                file.resize(from + data.len(), 0);
            }
            file[from..from + data.len()].copy_from_slice(data);
        });
        if flags.dsync {
            self.commits.fetch_add(1, Ordering::Relaxed);
            stages.commits += 1;
        }
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        done?;
        self.state.lock().node_mut(ino)?.touch();
        Ok(data.len())
    }

    fn fsync(&self, _ino: Ino, _datasync: bool, stages: &mut Stages) -> Result<()> {
        self.commits.fetch_add(1, Ordering::Relaxed);
        stages.commits += 1;
        Ok(())
    }

    fn allocate(&self, ino: Ino, offset: u64, length: u64, how: Allocate) -> Result<()> {
        let data = self.data(ino)?;
        let mut data = data.write();
        let (from, end) = (offset as usize, (offset + length) as usize);
        let keep = matches!(
            how,
            Allocate::KeepSize | Allocate::PunchHole | Allocate::Zero { keep_size: true }
        );
        if !keep && data.len() < end {
            data.resize(end, 0);
        }
        if matches!(how, Allocate::PunchHole | Allocate::Zero { .. }) {
            let size = data.len();
            data[from.min(size)..end.min(size)].fill(0);
        }
        Ok(())
    }

    fn readdir(&self, ino: Ino, cookie: u64, emit: &mut dyn FnMut(Entry) -> bool) -> Result<()> {
        let mut state = self.state.lock();
        let entries: Vec<_> = state
            .directory(ino)?
            .entries
            .range(cookie + 1..)
            .map(|(next, (name, ino))| (*next, name.clone(), *ino))
            .collect();
        for (next, name, ino) in entries {
            let kind = state.node(ino)?.attr.kind;
            let entry = Entry {
                name,
                ino,
                kind,
                next,
            };
            if !emit(entry) {
                break;
            }
        }
        Ok(())
    }

    fn space(&self) -> Result<Space> {
        Ok(Space {
            block_size: 4096,
            blocks: 1 << 20,
            free: 1 << 20,
            files: 1 << 20,
            files_free: 1 << 20,
        })
    }

    fn getxattr(&self, ino: Ino, name: &OsStr) -> Result<Vec<u8>> {
        let state = self.state.lock();
        let xattrs = &state.node(ino)?.xattrs;
        xattrs.get(name).cloned().ok_or(Errno::ENODATA)
    }

    fn setxattr(&self, ino: Ino, name: &OsStr, value: &[u8], _flags: i32) -> Result<()> {
        let mut state = self.state.lock();
        let xattrs = &mut state.node_mut(ino)?.xattrs;
        xattrs.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn listxattr(&self, ino: Ino) -> Result<Vec<OsString>> {
        Ok(self
            .state
            .lock()
            .node(ino)?
            .xattrs
            .keys()
            .cloned()
            .collect())
    }

    fn removexattr(&self, ino: Ino, name: &OsStr) -> Result<()> {
        let mut state = self.state.lock();
        let removed = state.node_mut(ino)?.xattrs.remove(name);
        removed.map(|_| ()).ok_or(Errno::ENODATA)
    }
}
