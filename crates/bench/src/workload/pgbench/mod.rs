//! pgbench with a PostgreSQL server of its own, both from the host, in the modelled machine.

pub mod accounts;
mod counters;
mod load;
pub mod log;

use crate::engine::linux::steps::MOUNT;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::programs::Postgresql;
use crate::workload::database::{self, START_S, Times, USER};
use crate::workload::{self, ClientSteps, Place, Seen, seed_of_run};
use lab::campaign::Pgbench;
use lab::postgresql::{self, Scaled};
use load::Places;
use machine::INSIDE;
use machine::script::{Command, Step};
use measurement::{Fact, Measured};
use std::path::Path;

/// The server's counters at the begin and at the end of the measured run.
const COUNTERS: [&str; 2] = ["counters-begin.json", "counters-end.json"];
/// Where the server's socket is, inside.
const SOCKET: &str = "/run/postgresql";
/// Memory of a session's process beyond what it shares, bytes: 4 to 6 MB measured with pgbench's scripts.
const SESSION: u64 = 6 << 20;
/// Sessions beside the clients': background processes.
const BACKGROUND: u64 = 16;
/// What logs of transactions are called.
const LOG: &str = "transactions";

/// pgbench and its server for one trial.
#[derive(Debug)]
pub struct Client {
    server: Postgresql,
    /// As the lab states it.
    pub pgbench: Pgbench,
    at: Scaled,
    places: Places,
    times: Times,
    rate: Option<f64>,
    seed: u64,
}

impl Client {
    /// Scales the database of a trial and its server.
    ///
    /// # Errors
    /// That PostgreSQL is not installed.
    pub fn new(inputs: &Inputs, pgbench: &Pgbench, place: Place) -> Result<Client, Error> {
        Ok(Client {
            server: match place {
                Place::Host => Postgresql::find(pgbench.version)?,
                Place::Nowhere => Postgresql::nowhere(),
            },
            at: postgresql::scaled(pgbench, inputs.model.size),
            places: Places::below(&pgbench.directories, Path::new(MOUNT)),
            pgbench: pgbench.clone(),
            times: Times::new(inputs),
            rate: inputs.rate.or(pgbench.rate),
            seed: inputs.seed,
        })
    }

    /// Runs one of PostgreSQL's programs as root in the machine's directory.
    fn client(&self, program: &str, words: &[impl AsRef<str>]) -> Command {
        let program = self.server.program(program);
        let fixed = [program.as_str(), "-h", SOCKET, "-U", "postgres"];
        Command::new(fixed.into_iter().chain(words.iter().map(AsRef::as_ref))).directory(INSIDE)
    }

    fn psql(&self, words: &[&str], output: &str) -> Step {
        let quiet = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres"];
        let words: Vec<&str> = quiet.iter().chain(words).copied().collect();
        Step::Run(self.client("psql", &words).output(output))
    }

    /// Starts or stops the server as its user.
    fn pg_ctl(&self, words: &[&str], output: &str) -> Command {
        let program = self.server.program("pg_ctl");
        let data = self.places.data.to_string_lossy();
        let patience = START_S.to_string();
        let fixed = [program.as_str(), "-D", &data, "-w", "-t", &patience];
        let words = fixed.into_iter().chain(words.iter().copied());
        Command::new(words).user(USER).output(output)
    }

    fn pgbench(&self, seconds: f64, more: &[&str], output: &str) -> Command {
        let define = |name: &str, value: u64| format!("{name}={value}");
        let branches = u64::from(self.at.branches);
        let seed = seed_of_run(self.seed, output);
        let mut words = vec!["-n".to_owned(), format!("--random-seed={seed}")];
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
        if self.at.accounts != u64::from(self.at.scale) * postgresql::ACCOUNTS {
            // `-s` takes whole numbers; this goes before it.
            let scale = self.at.accounts as f64 / postgresql::ACCOUNTS as f64;
            words.extend(["-D".to_owned(), format!("scale={scale}")]);
        }
        if let Some(rate) = self.rate {
            words.extend(["-R".to_owned(), rate.to_string()]);
        }
        for (number, script) in self.pgbench.scripts.iter().enumerate() {
            words.extend(["-f".to_owned(), format!("{}@{}", script_file(number), script.weight)]);
        }
        words.extend(more.iter().map(|word| (*word).to_owned()));
        words.push("postgres".to_owned());
        self.client("pgbench", &words).output(output)
    }

    /// Starts the server with options of `postgres` on top of the lab's settings, after recovery where it needs
    /// one. Its log is in `output`.
    pub fn start_with(&self, options: &str, output: &str) -> Vec<Step> {
        let start = match options {
            "" => self.pg_ctl(&["start"], output),
            options => self.pg_ctl(&["-o", options, "start"], output),
        };
        vec![database::directory(SOCKET), Step::Run(start)]
    }

    /// Ends the server and waits until it has ended.
    pub fn shut_down(&self) -> Command {
        self.pg_ctl(&["-m", "fast", "stop"], "stop.out")
    }

    /// A session that reads statements from its standard input.
    pub fn session(&self) -> Command {
        let words = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", "postgres"];
        self.client("psql", &words)
    }

    /// Runs statements; what they print is in `output`.
    pub fn statements(&self, sql: &str, output: &str) -> Command {
        let mut command = self.session().output(output);
        command.argv.extend(["-c", sql].map(str::to_owned));
        command
    }

    /// That its checker of tables is installed, so that what it reports is damage.
    ///
    /// # Errors
    /// [`Error::Environment`] with the versions that have it.
    pub fn has_amcheck(&self) -> Result<(), Error> {
        let found = which::which(self.server.program("pg_amcheck"));
        found.map(drop).map_err(|_| {
            Error::Environment(format!(
                "{} has no pg_amcheck, which checks tables and indexes after a power cut: use PostgreSQL 14 or later",
                self.server.version
            ))
        })
    }

    /// Checks every table against its indexes, with the extension amcheck of the database.
    pub fn amcheck(&self, output: &str) -> Command {
        let words = ["--heapallindexed", "-d", "postgres"];
        self.client("pg_amcheck", &words).output(output)
    }

    /// Rows of `pgbench_accounts`, and of `pgbench_tellers`.
    pub fn rows(&self) -> (u64, u64) {
        (self.at.accounts, 10 * u64::from(self.at.branches))
    }
}

fn script_file(number: usize) -> String {
    format!("script-{}.sql", number + 1)
}

impl workload::Client for Client {
    fn lay_out(&self) -> ClientSteps {
        let mut steps = vec![database::directory(SOCKET)];
        steps.extend(self.places.all().map(database::directory));
        let data = self.places.data.to_string_lossy();
        let program = self.server.program("initdb");
        let segment = format!("--wal-segsize={}", self.at.segment >> 20);
        let mut words = vec![&*program, "-D", &*data, "-A", "trust", "-U", "postgres"];
        words.extend(["--no-locale", "-E", "UTF8", "--no-sync", &segment]);
        let wal = self.places.wal.as_ref().map(|path| path.to_string_lossy());
        if let Some(wal) = &wal {
            words.extend(["-X", wal]);
        }
        steps.push(Step::Run(Command::new(words).user(USER).output("initdb.out")));
        // cp(1) does not take files of the machine's directory, whose inodes change between two looks.
        steps.push(Step::Write {
            path: self.places.data.join("postgresql.conf"),
            text: load::conf(&self.at, SOCKET),
        });
        let hurried = load::HURRIED.map(|setting| format!("-c {setting}"));
        let hurried = hurried.join(" ");
        steps.push(Step::Run(self.pg_ctl(&["-o", &hurried, "start"], "server-load.out")));
        steps.push(self.psql(&["-f", "load.sql"], "load.out"));
        steps.push(Step::Run(self.shut_down()));
        let sql = load::sql(&self.at, self.pgbench.random_filler, &self.places);
        ClientSteps { steps, files: [("load.sql".to_owned(), sql)].into() }
    }

    fn start(&self) -> ClientSteps {
        let mut steps = self.start_with("", "server.out");
        steps.push(self.psql(&["--csv", "-c", load::SETTINGS], "settings.csv"));
        steps.push(self.psql(&["-At", "-c", load::REFUSED], "settings-refused.txt"));
        let scripts = self.pgbench.scripts.iter().enumerate();
        let files = scripts.map(|(number, script)| (script_file(number), script.text.clone()));
        ClientSteps { steps, files: files.collect() }
    }

    fn warm_up(&self, limit_s: f64) -> ClientSteps {
        self.times.warm_up(limit_s, |seconds, output| self.pgbench(seconds, &[], output))
    }

    fn measure(&self) -> ClientSteps {
        let prefix = format!("--log-prefix={LOG}");
        let query = counters::query(self.server.major);
        let run = self.pgbench(self.times.runtime_s, &["-l", &prefix], "pgbench.out");
        let sampled = |output: &str| self.psql(&["-At", "-c", &query], output);
        let steps = vec![sampled(COUNTERS[0]), self.times.measure(run), sampled(COUNTERS[1])];
        ClientSteps {
            steps,
            files: [("postgresql.conf".to_owned(), load::conf(&self.at, SOCKET))].into(),
        }
    }

    fn stop(&self) -> ClientSteps {
        ClientSteps { steps: vec![Step::Run(self.shut_down())], ..ClientSteps::default() }
    }

    fn ramp_s(&self) -> f64 {
        self.times.ramp_s
    }

    fn data_bytes(&self) -> u64 {
        let real = u64::from(self.pgbench.scale) * postgresql::ACCOUNTS;
        let times = real as f64 / self.at.accounts as f64;
        (postgresql::data_bytes(&self.pgbench) as f64 / times) as u64
    }

    fn memory(&self) -> u64 {
        let sessions = u64::from(self.pgbench.clients) + BACKGROUND;
        self.at.shared_buffers + self.at.shared_buffers / 16 + sessions * SESSION
    }

    fn measured(&self, raw: &Path, seen: Seen) -> Result<Measured, Error> {
        let writes: Vec<bool> = self.pgbench.scripts.iter().map(|script| script.writes()).collect();
        let mut transactions = log::read(raw, LOG, &writes)?;
        self.times.check("pgbench", transactions.seconds(), self.rate)?;
        if self.rate.is_some() {
            transactions = transactions.paced_for(self.times.runtime_s);
        }
        let mut notes = vec![self.server.version.clone()];
        notes.extend(counters::refused(raw));
        let measured = transactions.measured(self.pgbench.clients, notes);
        let mut measured = seen.with(measured, self.data_bytes(), transactions.series());
        measured.totals.extend(database::grown(raw, COUNTERS, counters::values)?);
        let facts = &mut measured.facts;
        facts.insert(Fact::PostgresqlAccounts, self.at.accounts as f64);
        facts.insert(Fact::PostgresqlBranches, f64::from(self.at.branches));
        Ok(measured)
    }

    fn complaint(&self, raw: &Path) -> Option<String> {
        // The server's own reason before that of a client which did not reach it.
        let logs =
            ["server.out", "server-load.out", "pgbench.out.err", "load.out.err", "initdb.out.err"];
        database::complaint(raw, &logs, log::complaint)
    }
}
