//! Programs of this host.

use crate::fault::Fault;
use std::env;
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

/// fio, which the modelled machine runs from the host.
#[derive(Debug, Clone)]
pub struct Fio {
    /// The program.
    pub program: PathBuf,
    /// `fio-3.33`.
    pub version: String,
}

impl Fio {
    /// Finds fio.
    ///
    /// # Errors
    /// [`Fault::Environment`] with the line that installs it.
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
            version: String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        })
    }
}
