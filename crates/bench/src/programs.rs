//! Programs of this host.

use crate::fault::Fault;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The first executable of a name in `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    which::which(name).ok()
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
        Ok(Fio { program, version: String::from_utf8_lossy(&output.stdout).trim().to_owned() })
    }
}

/// Where distributions put the programs of a major version: `/usr/lib/postgresql/15/bin`.
const POSTGRESQL: &str = "/usr/lib/postgresql";

/// PostgreSQL's server and clients, which the modelled machine runs from the host.
#[derive(Debug, Clone)]
pub struct Postgresql {
    /// The directory of its programs.
    pub bin: PathBuf,
    /// `postgresql-15.18`.
    pub version: String,
    /// Its major version: 15.
    pub major: u32,
}

impl Postgresql {
    /// Finds a major version, or the newest that is installed.
    ///
    /// # Errors
    /// [`Fault::Environment`] with what is installed, and the line that installs what is not.
    pub fn find(version: Option<u32>) -> Result<Postgresql, Fault> {
        let mut installed = Postgresql::installed();
        installed.sort_by_key(|of| of.major);
        let known: Vec<String> = installed.iter().map(|of| of.major.to_string()).collect();
        let found = match version {
            Some(version) => installed.into_iter().find(|of| of.major == version),
            None => installed.pop(),
        };
        found.ok_or_else(|| {
            let wanted = version.map(|version| format!(" {version}")).unwrap_or_default();
            let there = match known.is_empty() {
                true => String::new(),
                false => format!(" (there is {})", known.join(", ")),
            };
            let package = version
                .map_or_else(|| "postgresql".to_owned(), |version| format!("postgresql-{version}"));
            Fault::Environment(format!(
                "PostgreSQL{wanted} is not installed{there}; install it with: apt install {package}"
            ))
        })
    }

    /// One without a path, for keys: they contain the programs' version and hash.
    pub fn nowhere() -> Postgresql {
        Postgresql { bin: PathBuf::from("postgresql"), version: String::new(), major: 0 }
    }

    /// Every version of this host that has a server and pgbench.
    fn installed() -> Vec<Postgresql> {
        let versions = std::fs::read_dir(POSTGRESQL).into_iter().flatten();
        let mut places: Vec<PathBuf> =
            versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
        // Debian's /usr/bin/pgbench is a wrapper; a server stands where it was installed.
        places.extend(find("postgres").and_then(|path| Some(path.parent()?.to_owned())));
        let mut installed: Vec<Postgresql> =
            places.into_iter().filter_map(Postgresql::at).collect();
        installed.sort_by(|a, b| a.bin.cmp(&b.bin));
        installed.dedup_by(|a, b| a.major == b.major);
        installed
    }

    fn at(bin: PathBuf) -> Option<Postgresql> {
        let programs = ["postgres", "initdb", "pg_ctl", "psql", "pgbench"];
        if !programs.iter().all(|name| which::which(bin.join(name)).is_ok()) {
            return None;
        }
        let output = Command::new(bin.join("postgres"))
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        // postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.split_whitespace().nth(2)?;
        let digits = version.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(Postgresql {
            major: digits.parse().ok()?,
            version: format!("postgresql-{version}"),
            bin,
        })
    }

    /// One of its programs.
    pub fn program(&self, name: &str) -> String {
        self.bin.join(name).to_string_lossy().into_owned()
    }

    /// Hash of the server's and of pgbench's program.
    ///
    /// # Errors
    /// [`Fault::Environment`] that one cannot be read.
    pub fn hash(&self) -> Result<String, Fault> {
        let mut hasher = blake3::Hasher::new();
        for name in ["postgres", "pgbench"] {
            let path = self.bin.join(name);
            let program = std::fs::read(&path)
                .map_err(|e| Fault::Environment(format!("cannot read {}: {e}", path.display())))?;
            hasher.update(&program);
        }
        Ok(hasher.finalize().to_hex()[..16].to_owned())
    }
}
