//! The programs a run needs, and where they are.

use crate::fault::Fault;
use lab::campaign::OpenZfs;
use sha2::{Digest, Sha256};
use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The first executable of a name in `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|dir| dir.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// The directories where engines are looked for: `$POOLWRIGHT_ENGINES`, beside this program, and `.engines/`
/// of the repository that it was built in, or in which it is called.
pub fn engine_directories() -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = env::var_os("POOLWRIGHT_ENGINES")
        .map(|paths| env::split_paths(&paths).collect())
        .unwrap_or_default();
    if let Ok(exe) = env::current_exe()
        && let Some(beside) = exe.parent()
    {
        dirs.push(beside.to_owned());
        dirs.extend(beside.ancestors().map(|dir| dir.join(".engines")));
    }
    if let Ok(here) = env::current_dir() {
        dirs.extend(here.ancestors().map(|dir| dir.join(".engines")));
    }
    dirs
}

/// SHA-256 of a program's file, in hexadecimal: what tells one build from another.
///
/// # Errors
/// When it cannot be read.
pub fn fingerprint(path: &Path) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    std::io::copy(&mut File::open(path)?, &mut hash)?;
    Ok(format!("{:x}", hash.finalize()))
}

/// The engine for a release, from the first of `dirs` that has it.
///
/// # Errors
/// [`Fault::Environment`] that says how to build it.
pub fn engine(dirs: &[PathBuf], openzfs: OpenZfs) -> Result<PathBuf, Fault> {
    let of = |release: OpenZfs| {
        let name = format!("poolfs-{release}");
        dirs.iter()
            .map(|dir| dir.join(&name))
            .find(|path| is_program(path))
    };
    of(openzfs).ok_or_else(|| {
        let other = OpenZfs::ALL.into_iter().find(|other| of(*other).is_some());
        let instead = other.map_or(String::new(), |other| {
            format!(", or run the lab on the one that is here with --openzfs {other}")
        });
        Fault::Environment(format!(
            "there is no engine for OpenZFS {openzfs} (poolfs-{openzfs}) on this machine; build it with: make engine{instead}"
        ))
    })
}

/// What fio runs with.
#[derive(Debug, Clone)]
pub struct Fio {
    /// fio itself.
    pub program: PathBuf,
    /// The library that slows its clock; not needed at k = 1.
    pub faketime: Option<PathBuf>,
    /// `fio-3.33`.
    pub version: String,
}

impl Fio {
    /// Finds fio and the library.
    ///
    /// # Errors
    /// [`Fault::Environment`] with the line that installs fio.
    pub fn find() -> Result<Fio, Fault> {
        let missing = || {
            Fault::Environment("fio is not installed; install it with: apt install fio".to_owned())
        };
        let program = find("fio").ok_or_else(missing)?;
        let output = Command::new(&program)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|_| missing())?;
        Ok(Fio {
            program,
            faketime: faketime(),
            version: String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        })
    }

    /// The library that slows the clock.
    ///
    /// # Errors
    /// [`Fault::Environment`] with the line that installs it.
    pub fn slowed_by(&self) -> Result<&Path, Fault> {
        self.faketime.as_deref().ok_or_else(|| {
            Fault::Environment(
                "libfaketime is not installed, and a slowed clock needs it; install it with: apt install libfaketime"
                    .to_owned(),
            )
        })
    }
}

fn faketime() -> Option<PathBuf> {
    const NAME: &str = "libfaketimeMT.so.1";
    [
        format!("/usr/lib/{}-linux-gnu/faketime/{NAME}", env::consts::ARCH),
        format!("/usr/lib64/faketime/{NAME}"),
        format!("/usr/lib/faketime/{NAME}"),
        format!("/usr/local/lib/faketime/{NAME}"),
    ]
    .into_iter()
    .map(PathBuf::from)
    .find(|path| path.is_file())
}

/// A command that dies with the thread that starts it, whatever ends that: by util-linux's
/// `setpriv`, which asks the kernel for it, where there is one.
pub(crate) fn mortal(program: impl AsRef<OsStr>) -> Command {
    match find("setpriv") {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "KILL", "--"]).arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// Detaches a mount that its file system has left, as far as this process may.
pub(crate) fn unmount(dir: &Path) {
    use rustix::mount::{UnmountFlags, unmount};
    if unmount(dir, UnmountFlags::DETACH).is_err()
        && let Some(program) = find("fusermount3")
    {
        let _ = Command::new(program)
            .args(["-u", "-z"])
            .arg(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
