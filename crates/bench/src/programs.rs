//! Programs of this host.

use crate::fault::Fault;
use std::path::{Path, PathBuf};
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

/// Debian's packages of the server and its clients, which start no service.
const MARIADB: &str = "mariadb-server-core mariadb-client";

/// MariaDB's server and clients, and sysbench, which the modelled machine runs from the host.
#[derive(Debug, Clone)]
pub struct Mariadb {
    /// The server's program.
    pub server: PathBuf,
    /// sysbench's program.
    pub sysbench: PathBuf,
    /// `mariadb-10.11.19`.
    pub version: String,
    /// `sysbench-1.0.20`.
    pub client: String,
}

impl Mariadb {
    /// Finds the server, its clients and sysbench; `version` is major × 100 + minor of the server.
    ///
    /// # Errors
    /// [`Fault::Environment`] with what is missing and the line that installs it, or with the version that is there.
    pub fn find(version: Option<u32>) -> Result<Mariadb, Fault> {
        let missing = |what: &str, package: &str| {
            Fault::Environment(format!(
                "{what} is not installed; install it with: apt install {package}"
            ))
        };
        let here = |name: &str| find(name).or_else(|| find(&format!("/usr/sbin/{name}")));
        let server = here("mariadbd").ok_or_else(|| missing("MariaDB", MARIADB))?;
        for name in ["mariadb-install-db", "mariadb", "mariadb-admin", "setsid"] {
            here(name).ok_or_else(|| missing(name, MARIADB))?;
        }
        let sysbench = here("sysbench").ok_or_else(|| missing("sysbench", "sysbench"))?;
        // mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)
        let text = printed(&server, "--version");
        let word = text.split_whitespace().nth(2).unwrap_or_default();
        let number = word.split('-').next().unwrap_or_default().to_owned();
        let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let found = 100 * parts.next().unwrap_or(0) + parts.next().unwrap_or(0);
        if let Some(wanted) = version.filter(|wanted| *wanted != found) {
            return Err(Fault::Environment(format!(
                "MariaDB {}.{} is not installed (there is {number}): install it, or leave `version` out of the lab",
                wanted / 100,
                wanted % 100
            )));
        }
        let client = printed(&sysbench, "--version").trim().replace(' ', "-");
        Ok(Mariadb { server, sysbench, version: format!("mariadb-{number}"), client })
    }

    /// One without a place, for keys: what runs is in them by version and hash.
    pub fn nowhere() -> Mariadb {
        Mariadb {
            server: PathBuf::from("mariadbd"),
            sysbench: PathBuf::from("sysbench"),
            version: String::new(),
            client: String::new(),
        }
    }

    /// One of its programs: the server by its place, the others as they are found inside.
    pub fn program(&self, name: &str) -> String {
        match name {
            "mariadbd" => self.server.to_string_lossy().into_owned(),
            name => name.to_owned(),
        }
    }

    /// Hash of the server's and of sysbench's program.
    ///
    /// # Errors
    /// [`Fault::Environment`] that one cannot be read.
    pub fn hash(&self) -> Result<String, Fault> {
        hash(&[self.server.clone(), self.sysbench.clone()])
    }
}

/// What a program prints with one option; empty where it cannot be run.
fn printed(program: &Path, option: &str) -> String {
    let output = Command::new(program).arg(option).stdin(Stdio::null()).output();
    output.map_or_else(|_| String::new(), |o| String::from_utf8_lossy(&o.stdout).into_owned())
}

/// Hash of programs.
fn hash(programs: &[PathBuf]) -> Result<String, Fault> {
    let mut hasher = blake3::Hasher::new();
    for path in programs {
        let program = std::fs::read(path)
            .map_err(|e| Fault::Environment(format!("cannot read {}: {e}", path.display())))?;
        hasher.update(&program);
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
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
        // postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
        let text = printed(&bin.join("postgres"), "--version");
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

    /// Hash of some of its programs.
    ///
    /// # Errors
    /// [`Fault::Environment`] that one cannot be read.
    pub fn hash(&self, programs: &[&str]) -> Result<String, Fault> {
        let programs: Vec<PathBuf> = programs.iter().map(|name| self.bin.join(name)).collect();
        hash(&programs)
    }
}
