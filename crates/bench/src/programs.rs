//! Programs of this host.

use crate::error::{Error, host};
use lab::campaign::Program;
use lab::mysql::Server;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The first executable of a name in `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    which::which(name).ok()
}

/// What this host lacks to run a client program, with what to do; none where everything is installed.
pub fn missing(client: &Program) -> Option<String> {
    let error = match client {
        Program::Fio { .. } => Fio::find().err(),
        Program::Pgbench(pgbench) => Postgresql::find(pgbench.version).err(),
        Program::PgTestFsync(test) => Postgresql::find(test.version).err(),
        Program::Sqlite(_) => None,
        Program::Sysbench(sysbench) => Mysql::find(sysbench.server, sysbench.version).err(),
    };
    error.map(|error| error.to_string())
}

/// fio, which the modelled machine runs from the host.
#[derive(Debug, Clone)]
pub struct Fio {
    /// The program.
    pub program: PathBuf,
    /// `fio-3.33`.
    pub version: String,
    /// Hash of the program, 16 hexadecimal digits.
    pub hash: String,
}

impl Fio {
    /// Finds fio, once in a process.
    ///
    /// # Errors
    /// [`Error::Environment`] with the line that installs it.
    pub fn find() -> Result<Fio, Error> {
        static FOUND: OnceLock<Fio> = OnceLock::new();
        match FOUND.get() {
            Some(fio) => Ok(fio.clone()),
            None => Fio::look().map(|fio| FOUND.get_or_init(|| fio).clone()),
        }
    }

    fn look() -> Result<Fio, Error> {
        let missing = || {
            Error::Environment("fio is not installed; install it with: apt install fio".to_owned())
        };
        let program = find("fio").ok_or_else(missing)?;
        match printed(&program, "--version").trim() {
            "" => Err(Error::Environment(format!(
                "{} prints no version; install fio again with: apt install --reinstall fio",
                program.display()
            ))),
            version => Ok(Fio {
                version: version.to_owned(),
                hash: hash(std::slice::from_ref(&program))?,
                program,
            }),
        }
    }
}

/// A server of the MySQL family with its clients, and sysbench, which the modelled machine runs from the host.
#[derive(Debug, Clone)]
pub struct Mysql {
    /// Which of them.
    pub family: Server,
    /// `mariadb-10.11.19`, `mysql-9.7.4`.
    pub version: String,
    /// `sysbench-1.0.20`.
    pub client: String,
    /// The place of the server.
    pub daemon: String,
    /// That of the client that runs statements.
    pub shell: String,
    /// That of the client that asks whether the server takes connections, and ends it.
    pub admin: String,
    /// That of what makes a data directory.
    pub installer: String,
    /// That of sysbench.
    pub sysbench: String,
}

impl Mysql {
    /// One with names for places, for keys: what runs is in them by version and hash.
    pub fn nowhere(family: Server) -> Mysql {
        let names = match family {
            Server::Mariadb => ["mariadbd", "mariadb", "mariadb-admin", "mariadb-install-db"],
            Server::Mysql => ["mysqld", "mysql", "mysqladmin", "mysqld"],
        };
        let [daemon, shell, admin, installer] = names.map(str::to_owned);
        let (version, client, sysbench) = (String::new(), String::new(), "sysbench".to_owned());
        Mysql { family, version, client, daemon, shell, admin, installer, sysbench }
    }

    /// What to do where it is missing. Debian's packages of MariaDB start no service.
    fn how_to_install(family: Server) -> &'static str {
        match family {
            Server::Mariadb => "apt install mariadb-server-core mariadb-client",
            Server::Mysql => {
                "put mysqld, mysql and mysqladmin into PATH (Ubuntu: apt install mysql-server-core-8.0 \
                 mysql-client-core-8.0; Debian's stable releases have no MySQL)"
            }
        }
    }

    /// Finds the server, its clients and sysbench; `version` is major × 100 + minor of the server.
    ///
    /// # Errors
    /// [`Error::Environment`] with what is missing and how to install it, or with the version that is there.
    pub fn find(family: Server, version: Option<u32>) -> Result<Mysql, Error> {
        let missing =
            |what: &str, how: &str| Error::Environment(format!("{what} is not installed: {how}"));
        let here = |name: &str| find(name).or_else(|| find(&format!("/usr/sbin/{name}")));
        let install = Mysql::how_to_install(family);
        let mut found = Mysql::nowhere(family);
        let Mysql { daemon, shell, admin, installer, .. } = &mut found;
        for place in [daemon, shell, admin, installer] {
            let path = here(place)
                .ok_or_else(|| missing(&format!("{} ({place})", family.name()), install))?;
            *place = path.to_string_lossy().into_owned();
        }
        let sysbench =
            here("sysbench").ok_or_else(|| missing("sysbench", "apt install sysbench"))?;
        // Starts the server inside.
        here("setsid").ok_or_else(|| missing("setsid", "apt install util-linux"))?;
        // mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)
        // /usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))
        let text = printed(Path::new(&found.daemon), "--version");
        if family == Server::Mysql && text.contains("MariaDB") {
            return Err(missing("MySQL (the mysqld in PATH is MariaDB's)", install));
        }
        let word = text.split_whitespace().nth(2).unwrap_or_default();
        let number = word.split('-').next().unwrap_or_default().to_owned();
        let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let there = 100 * parts.next().unwrap_or(0) + parts.next().unwrap_or(0);
        if let Some(wanted) = version.filter(|wanted| *wanted != there) {
            return Err(Error::Environment(format!(
                "{} {}.{} is not installed (there is {number}): install it, or leave `version` out of the lab",
                family.name(),
                wanted / 100,
                wanted % 100
            )));
        }
        found.client = printed(&sysbench, "--version").trim().replace(' ', "-");
        found.sysbench = sysbench.to_string_lossy().into_owned();
        found.version = format!("{}-{number}", family.section());
        Ok(found)
    }

    /// Hash of the server's and of sysbench's program, and of the script that it runs.
    ///
    /// # Errors
    /// [`Error::Environment`] that one cannot be read.
    pub fn hash(&self, script: &str) -> Result<String, Error> {
        let mut all = [&self.daemon, &self.sysbench].map(PathBuf::from).to_vec();
        // Of a program in PREFIX/bin they are in PREFIX/share/sysbench. Where another build has them is not known.
        let prefix = all[1].parent().and_then(Path::parent).unwrap_or(Path::new("/usr"));
        let scripts = prefix.join("share/sysbench");
        let used = [format!("{script}.lua"), "oltp_common.lua".to_owned()];
        all.extend(used.map(|name| scripts.join(name)).into_iter().filter(|path| path.is_file()));
        hash(&all)
    }
}

/// What a program prints with one option; empty where it cannot be run.
fn printed(program: &Path, option: &str) -> String {
    let output = Command::new(program).arg(option).stdin(Stdio::null()).output();
    output.map_or_else(|_| String::new(), |o| String::from_utf8_lossy(&o.stdout).into_owned())
}

fn hash(programs: &[PathBuf]) -> Result<String, Error> {
    let mut hasher = blake3::Hasher::new();
    for path in programs {
        let program = std::fs::read(path).map_err(host(format!("read {}", path.display())))?;
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
    /// [`Error::Environment`] with what is installed, and the line that installs what is not.
    pub fn find(version: Option<u32>) -> Result<Postgresql, Error> {
        let mut installed = Postgresql::installed();
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
            Error::Environment(format!(
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
        installed.sort_by(|a, b| (a.major, &a.bin).cmp(&(b.major, &b.bin)));
        installed.dedup_by_key(|server| server.major);
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
    /// [`Error::Environment`] that one cannot be read.
    pub fn hash(&self, programs: &[&str]) -> Result<String, Error> {
        let programs: Vec<PathBuf> = programs.iter().map(|name| self.bin.join(name)).collect();
        hash(&programs)
    }
}
