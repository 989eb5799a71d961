//! pgbench with a PostgreSQL server of its own, both from the host, in the modelled machine.
//!
//! The server runs as an unprivileged user and is reached through a Unix socket in memory. pgbench runs as root,
//! since it writes into the machine's directory.

mod counters;
mod load;
pub mod log;

use crate::fault::{Fault, doing};
use crate::inputs::Inputs;
use crate::programs::Postgresql;
use crate::window;
use crate::workload::{self, Seen};
use findings::record::{LOGGED, Measured};
use lab::campaign::Pgbench;
use lab::postgresql::{self, Scaled};
use load::Places;
use log::Transactions;
use machine::INSIDE;
use machine::script::{Command, Step};
use std::fs;
use std::path::{Path, PathBuf};

/// The server's user and group inside: nobody, who is in every user database, as initdb asks for.
const USER: u32 = 65534;
/// Where the server's socket is, inside.
const SOCKET: &str = "/run/postgresql";
/// Memory of a session's process beyond what it shares, bytes: 4 to 6 MB measured with pgbench's scripts.
const SESSION: u64 = 6 << 20;
/// Sessions beside the clients': background processes.
const BACKGROUND: u64 = 16;
/// What logs of transactions are called.
const LOG: &str = "transactions";
/// How many times its own time pgbench may take before it is taken for hung, and seconds on top.
const LIMIT: (f64, f64) = (3.0, 600.0);

/// pgbench and its server for one trial.
#[derive(Debug)]
pub struct Client {
    server: Postgresql,
    pgbench: Pgbench,
    at: Scaled,
    places: Places,
    raw: PathBuf,
    runtime_s: f64,
    ramp_s: f64,
    rate: Option<f64>,
    seed: u64,
}

impl Client {
    /// Writes the server's settings and the scripts of a trial.
    ///
    /// # Errors
    /// That PostgreSQL is not installed, or a file cannot be written.
    pub fn new(
        inputs: &Inputs,
        pgbench: &Pgbench,
        mount: &Path,
        raw: &Path,
    ) -> Result<Client, Fault> {
        let runtime_s = inputs.method.runtime_s.ok_or_else(|| {
            Fault::failed("the lab does not say how long pgbench runs: add runtime to [method]")
        })?;
        let client = Client {
            server: Postgresql::find(pgbench.version)?,
            at: postgresql::scaled(pgbench, inputs.model.size),
            places: Places::of(&pgbench.directories, mount),
            pgbench: pgbench.clone(),
            raw: raw.to_owned(),
            runtime_s: runtime_s.ceil().max(1.0),
            ramp_s: match inputs.method.ramp_most_s {
                Some(most) => inputs.method.ramp_s.min(most),
                None => inputs.method.ramp_s,
            },
            rate: inputs.rate.or(pgbench.rate),
            seed: inputs.seed,
        };
        client.write("load.sql", &load::sql(&client.at, &client.places))?;
        client.write("postgresql.conf", &load::conf(&client.at, SOCKET))?;
        for (number, script) in client.pgbench.scripts.iter().enumerate() {
            client.write(&script_file(number), &script.text)?;
        }
        Ok(client)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Fault> {
        let path = self.raw.join(name);
        fs::write(&path, text).map_err(doing(format!("write {}", path.display())))
    }

    /// Runs one of PostgreSQL's programs as root in the machine's directory.
    fn client(&self, program: &str, words: &[&str]) -> Command {
        let program = self.server.program(program);
        let fixed = [program.as_str(), "-h", SOCKET, "-U", "postgres"];
        Command::new(fixed.iter().chain(words).copied()).directory(INSIDE)
    }

    fn psql(&self, words: &[&str], output: &str) -> Step {
        let quiet = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres"];
        let words: Vec<&str> = quiet.iter().chain(words).copied().collect();
        Step::Run(self.client("psql", &words).output(output))
    }

    /// Starts or stops the server as its user.
    fn control(&self, words: &[&str], output: &str) -> Step {
        let program = self.server.program("pg_ctl");
        let data = self.places.data.to_string_lossy();
        // A day: the clock jumps, and recovery takes as long as it takes.
        let fixed = [program.as_str(), "-D", &data, "-w", "-t", "86400"];
        let command = Command::new(fixed.into_iter().chain(words.iter().copied()));
        Step::Run(command.user(USER).output(output))
    }

    /// Makes a directory of the server's user.
    fn directory(path: &str) -> Step {
        let user = USER.to_string();
        let words = [
            "install", "-d", "-m", "0700", "-o", &user, "-g", &user, path,
        ];
        Step::Run(Command::new(words))
    }

    fn pgbench(&self, seconds: f64, more: &[&str], output: &str) -> Command {
        let define = |name: &str, value: u64| format!("{name}={value}");
        let branches = u64::from(self.at.branches);
        let mut words = vec!["-n".to_owned()];
        for (option, value) in [
            ("-c", self.pgbench.clients.to_string()),
            ("-j", self.pgbench.threads.to_string()),
            ("-T", format!("{seconds:.0}")),
            ("-M", self.pgbench.protocol.name().to_owned()),
            ("-s", self.at.scale.to_string()),
            ("-D", define("accounts", self.at.accounts)),
            ("-D", define("branches", branches)),
            ("-D", define("tellers", 10 * branches)),
        ] {
            words.extend([option.to_owned(), value]);
        }
        if let Some(rate) = self.rate {
            words.extend(["-R".to_owned(), rate.to_string()]);
        }
        for (number, script) in self.pgbench.scripts.iter().enumerate() {
            words.extend([
                "-f".to_owned(),
                format!("{}@{}", script_file(number), script.weight),
            ]);
        }
        words.extend(more.iter().map(|word| (*word).to_owned()));
        words.push("postgres".to_owned());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.client("pgbench", &words).output(output)
    }
}

fn script_file(number: usize) -> String {
    format!("script-{}.sql", number + 1)
}

impl workload::Client for Client {
    fn lay_out(&self) -> Vec<Step> {
        let mut steps = vec![Client::directory(SOCKET)];
        steps.extend(
            self.places
                .all()
                .map(|path| Client::directory(&path.to_string_lossy())),
        );
        let data = self.places.data.to_string_lossy();
        let program = self.server.program("initdb");
        let segment = format!("--wal-segsize={}", self.at.segment >> 20);
        let mut words = vec![&*program, "-D", &*data, "-A", "trust", "-U", "postgres"];
        words.extend([
            "--no-locale",
            "-E",
            "UTF8",
            "--no-sync",
            "--no-instructions",
            &segment,
        ]);
        let wal = self.places.wal.as_ref().map(|path| path.to_string_lossy());
        if let Some(wal) = &wal {
            words.extend(["-X", wal]);
        }
        steps.push(Step::Run(
            Command::new(words).user(USER).output("initdb.out"),
        ));
        // cp(1) does not take files of the machine's directory, whose inodes change between two looks.
        steps.push(Step::Write {
            path: self.places.data.join("postgresql.conf"),
            text: load::conf(&self.at, SOCKET),
        });
        let hurried = load::HURRIED
            .map(|setting| format!("-c {setting}"))
            .join(" ");
        steps.push(self.control(&["-o", &hurried, "start"], "server-load.out"));
        steps.push(self.psql(&["-f", "load.sql"], "load.out"));
        steps.push(self.control(&["-m", "fast", "stop"], "stop.out"));
        steps
    }

    fn start(&self) -> Vec<Step> {
        vec![
            Client::directory(SOCKET),
            self.control(&["start"], "server.out"),
            self.psql(&["--csv", "-c", load::SETTINGS], "settings.csv"),
            self.psql(&["-At", "-c", load::REFUSED], "settings-refused.txt"),
        ]
    }

    fn pre_read(&self) -> Result<Vec<Step>, Fault> {
        Ok(Vec::new())
    }

    fn warm_up(&self, limit_s: f64) -> Result<Command, Fault> {
        Ok(self.pgbench(limit_s.ceil() + 1.0, &[], "warm.out"))
    }

    fn ramp(&self) -> Result<Option<(f64, Command)>, Fault> {
        let command = || self.pgbench(self.ramp_s.ceil() + 1.0, &[], "ramp.out");
        Ok((self.ramp_s > 0.0).then(|| (self.ramp_s, command())))
    }

    fn measure(&self) -> Vec<Step> {
        let prefix = format!("--log-prefix={LOG}");
        let seed = format!("--random-seed={}", self.seed);
        let sampled =
            |output: &str| self.psql(&["-At", "-c", counters::query(self.server.major)], output);
        vec![
            sampled("counters-begin.json"),
            Step::Measure {
                command: self.pgbench(self.runtime_s, &["-l", &prefix, &seed], "pgbench.out"),
                ramp_s: 0.0,
                limit_s: LIMIT.0 * self.runtime_s + LIMIT.1,
            },
            sampled("counters-end.json"),
        ]
    }

    fn stop(&self) -> Vec<Step> {
        vec![self.control(&["-m", "fast", "stop"], "stop.out")]
    }

    fn ramp_s(&self) -> f64 {
        self.ramp_s
    }

    fn data_bytes(&self) -> u64 {
        postgresql::data_bytes(&self.pgbench)
            / u64::from((self.pgbench.scale / self.at.scale).max(1))
    }

    fn memory(&self) -> u64 {
        let sessions = u64::from(self.pgbench.clients) + BACKGROUND;
        self.at.shared_buffers + self.at.shared_buffers / 16 + sessions * SESSION
    }

    fn measured(&self, seen: Seen) -> Result<Measured, Fault> {
        let writes: Vec<bool> = self
            .pgbench
            .scripts
            .iter()
            .map(|script| script.writes())
            .collect();
        let transactions = Transactions::read(&self.raw, LOG, &writes)?;
        let runtime_s = transactions.seconds();
        if runtime_s < 0.9 * self.runtime_s {
            return Err(Fault::failed(format!(
                "pgbench ended after {runtime_s:.1} s, though it was to run for {} s",
                self.runtime_s
            )));
        }
        let (series, logged) = transactions.series();
        let seconds = window::seconds(&series, &seen.samples, Some(0.0), runtime_s);
        let mut totals = window::totals(&seconds);
        totals.extend(counters::grown(&self.raw)?);
        let mut facts = seen.facts;
        for (name, value) in [
            ("files.bytes", self.data_bytes() as f64),
            ("files.jobs", 0.0),
            (LOGGED, logged),
            ("postgresql.accounts", self.at.accounts as f64),
            ("postgresql.branches", f64::from(self.at.branches)),
        ] {
            facts.insert(name.to_owned(), value);
        }
        let mut notes = vec![self.server.version.clone()];
        notes.extend(counters::refused(&self.raw));
        Ok(Measured {
            concurrency: f64::from(self.pgbench.clients),
            runtime_s,
            read: transactions.flow(false),
            write: transactions.flow(true),
            sync: Default::default(),
            totals,
            seconds,
            facts,
            notes,
            warm_up: seen.warm_up,
        })
    }

    fn complaint(&self) -> Option<String> {
        let read = |name: &str| fs::read(self.raw.join(name)).unwrap_or_default();
        // The server's own reason before that of a client which did not reach it.
        let logs = [
            "server.out",
            "server-load.out",
            "pgbench.out.err",
            "load.out.err",
            "initdb.out.err",
        ];
        logs.iter().find_map(|name| {
            let text = read(name);
            log::complaint(&String::from_utf8_lossy(&text))
        })
    }
}
