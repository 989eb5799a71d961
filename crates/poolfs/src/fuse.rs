//! The FUSE side: the only module that knows fuser.
//!
//! Every request is served to its end by the thread that read it, so that there must be at least as
//! many threads as clients have requests outstanding ([`Options::threads`]).

mod bridge;
mod convert;
mod crew;
mod filesystem;
mod negotiate;
mod stamp;

pub use stamp::{Operation, Stamps};

use crate::clock::Clock;
use crate::volume::{self, Errno, Volume};
use bridge::Bridge;
use fuser::{BackgroundSession, Config, MountOption, Session, SessionACL};
use parking_lot::{RwLock, RwLockWriteGuard};
use rustix::io::Errno as Os;
use rustix::mount::{UnmountFlags, unmount};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// How to mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Threads that serve requests: the most requests in flight.
    pub threads: usize,
    /// Largest write the kernel sends in one request, bytes; at most 1 MiB is granted.
    pub max_write: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 128,
            max_write: 1 << 20,
        }
    }
}

/// The volume behind a mount, which can be taken away and put back (export and import of its pool)
/// while the mount stays: operations wait meanwhile. Inode numbers must mean the same in both.
#[derive(Clone)]
pub struct Slot(Arc<RwLock<Option<Arc<dyn Volume>>>>);

/// A slot whose volume has been taken out; operations wait until this is dropped. They fail with
/// EIO afterwards when no volume has been put in.
pub struct Place<'a>(RwLockWriteGuard<'a, Option<Arc<dyn Volume>>>);

impl Slot {
    fn new(volume: Arc<dyn Volume>) -> Self {
        Self(Arc::new(RwLock::new(Some(volume))))
    }

    /// Waits for the operations under way and lets go of the volume.
    pub fn hold(&self) -> Place<'_> {
        let mut place = self.0.write();
        *place = None;
        Place(place)
    }

    fn with<T>(&self, work: impl FnOnce(&dyn Volume) -> volume::Result<T>) -> volume::Result<T> {
        work(self.0.read().as_deref().ok_or(Errno::EIO)?)
    }
}

impl Place<'_> {
    /// Puts a volume in.
    pub fn put(&mut self, volume: Arc<dyn Volume>) {
        *self.0 = Some(volume);
    }
}

/// A mounted volume. Dropping it without [`Mount::unmount`] detaches the mount.
pub struct Mount {
    session: Option<BackgroundSession>,
    dir: PathBuf,
    slot: Slot,
    stamps: Arc<Stamps>,
    features: Vec<String>,
}

impl Mount {
    /// Mounts `volume` on an empty directory and serves it until unmounted.
    ///
    /// Uses mount(2), as root or in a user and mount namespace of its own, else `fusermount3`.
    ///
    /// # Errors
    /// When the directory or `/dev/fuse` cannot be opened or the mount is refused.
    pub fn new(
        volume: Arc<dyn Volume>,
        dir: &Path,
        clock: Clock,
        options: Options,
    ) -> io::Result<Self> {
        let dir = dir.canonicalize()?;
        let slot = Slot::new(volume);
        let stamps = Arc::new(Stamps::new(clock, options.threads));
        let negotiated = Arc::new(Mutex::new(Vec::new()));
        let bridge = || {
            Bridge::new(
                slot.clone(),
                Arc::clone(&stamps),
                clock,
                options.max_write,
                Arc::clone(&negotiated),
            )
        };
        // Root (also of a user namespace) may let other users in, who else may not is told by
        // fusermount3's configuration.
        let session = match Session::new(bridge(), &dir, &config(SessionACL::All, options)) {
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                Session::new(bridge(), &dir, &config(SessionACL::Owner, options))
            }
            other => other,
        }?;
        let session = session.spawn()?;
        let features = negotiated
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Ok(Self {
            session: Some(session),
            dir,
            slot,
            stamps,
            features,
        })
    }

    /// Features the kernel granted, by the names of the kernel's own flags in lower case:
    /// `async-dio`, `parallel-direct-writes`, `direct-io-allow-mmap`, `max-write=1048576`, ….
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The volume's place.
    pub fn slot(&self) -> &Slot {
        &self.slot
    }

    /// Stage times of the operations served here.
    pub fn stamps(&self) -> &Arc<Stamps> {
        &self.stamps
    }

    /// Where it is mounted.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Unmounts; when something still uses the mount it is detached instead and `false` returned.
    ///
    /// # Errors
    /// When the kernel refuses both.
    pub fn unmount(mut self) -> io::Result<bool> {
        let Some(session) = self.session.take() else {
            return Ok(true);
        };
        self.stamps.crew().dismiss();
        match unmount(&self.dir, UnmountFlags::empty()) {
            // Not mounted any more: somebody else unmounted it.
            Ok(()) | Err(Os::INVAL) => {
                session.join()?;
                Ok(true)
            }
            Err(_) => {
                detach(&self.dir)?;
                Ok(false)
            }
        }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if self.session.is_some() {
            self.stamps.crew().dismiss();
            // Nothing can be done about a failure here; the kernel ends the mount's life with the
            // process anyway.
            let _ = detach(&self.dir);
        }
    }
}

/// What this kernel's FUSE can do, by its version, before anything is mounted.
pub fn kernel_features() -> Vec<String> {
    let release = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    let mut numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|n| n.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    [
        ((3, 10), "async-dio"),
        ((4, 20), "max-pages"),
        ((6, 2), "parallel-direct-writes"),
        ((6, 6), "direct-io-allow-mmap"),
    ]
    .into_iter()
    .filter(|(since, _)| version >= *since)
    .map(|(_, name)| name.to_owned())
    .collect()
}

fn config(acl: SessionACL, options: Options) -> Config {
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::FSName("poolfs".to_owned()),
        MountOption::Subtype("poolfs".to_owned()),
        MountOption::DefaultPermissions,
    ];
    config.acl = acl;
    config.n_threads = Some(options.threads.max(1));
    config
}

fn detach(dir: &Path) -> io::Result<()> {
    match unmount(dir, UnmountFlags::DETACH) {
        Ok(()) | Err(Os::INVAL) => Ok(()),
        Err(Os::PERM) => {
            let status = Command::new("fusermount3")
                .args(["-u", "-z", "--"])
                .arg(dir)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            if status.success() {
                Ok(())
            } else {
                Err(io::Error::other(format!(
                    "fusermount3 could not unmount {}: {status}",
                    dir.display()
                )))
            }
        }
        Err(e) => Err(e.into()),
    }
}
