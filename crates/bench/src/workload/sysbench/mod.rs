//! sysbench with a MariaDB or MySQL server of its own, both from the host, in the modelled machine.

mod counters;
mod load;
pub mod output;

use crate::engine::linux::steps::MOUNT;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::programs::Mysql;
use crate::workload::database::{self, START_S, Times, USER};
use crate::workload::{self, ClientSteps, Place, Seen, seed_of_run};
use lab::campaign::Sysbench;
use lab::mysql::{self, Scaled, Server};
use load::Places;
use machine::INSIDE;
use machine::script::{Command, Step};
use measurement::{Fact, Measured};
use output::Run;
use std::path::Path;

/// The server's counters at the begin and at the end of the measured run.
const COUNTERS: [&str; 2] = ["counters-begin.tsv", "counters-end.tsv"];
/// Where the server's socket and its settings are, inside.
const SOCKET: &str = "/run/mysql";
/// Memory of a session in the server and in sysbench, bytes: stacks, buffers of statements.
const SESSION: u64 = 2 << 20;
/// Memory of the server beside its buffer pool and its sessions, bytes: 157 MB resident with a buffer pool of 64 MB,
/// measured with MariaDB 10.11.19; 645 MB with MySQL 9.7.4, whose performance schema is on.
fn server_memory(server: Server) -> u64 {
    match server {
        Server::Mariadb => 256 << 20,
        Server::Mysql => 768 << 20,
    }
}

/// sysbench and its server for one trial.
#[derive(Debug)]
pub struct Client {
    /// The server's programs.
    pub server: Mysql,
    /// As the lab states it.
    pub sysbench: Sysbench,
    /// The database and its server at S.
    pub at: Scaled,
    places: Places,
    times: Times,
    rate: Option<f64>,
    seed: u64,
}

impl Client {
    /// Scales the database of a trial and its server.
    ///
    /// # Errors
    /// That the server or sysbench is not installed.
    pub fn new(inputs: &Inputs, sysbench: &Sysbench, place: Place) -> Result<Client, Error> {
        Ok(Client {
            server: match place {
                Place::Host => Mysql::find(sysbench.server, sysbench.version)?,
                Place::Nowhere => Mysql::nowhere(sysbench.server),
            },
            at: mysql::scaled(sysbench, inputs.model.size),
            places: Places::below(&sysbench.directories, Path::new(MOUNT)),
            sysbench: sysbench.clone(),
            times: Times::new(inputs),
            rate: inputs.rate.or(sysbench.rate),
            seed: inputs.seed,
        })
    }

    /// Runs one of the server's client programs as root in the machine's directory.
    fn client(&self, program: &str, words: &[&str]) -> Command {
        let socket = format!("--socket={SOCKET}/socket");
        let fixed = [program, "--no-defaults", &socket, "--user=root"];
        // MySQL's client has `source` only if asked; one that always has it does not know the option.
        let source: &[&str] = match self.server.family {
            Server::Mariadb => &[],
            Server::Mysql => &["--loose-commands"],
        };
        Command::new(fixed.iter().chain(source).chain(words).copied()).directory(INSIDE)
    }

    /// Runs statements; their rows are in `output`.
    pub fn statements(&self, sql: &str, output: &str) -> Command {
        self.client(&self.server.shell, &["-N", "-B", "-e", sql]).output(output)
    }

    /// Makes an empty data directory, whose root has no password.
    fn install(&self) -> Command {
        let program = &self.server.installer;
        let defaults = format!("--defaults-file={}", conf_file());
        match self.server.family {
            Server::Mariadb => {
                let root = "--auth-root-authentication-method=normal";
                Command::new([program, &defaults, root, "--skip-test-db"])
            }
            Server::Mysql => Command::new([program, &defaults, "--initialize-insecure"]),
        }
    }

    /// Writes my.cnf and starts the server with options on top. Its log is in `output.err`.
    pub fn launch(&self, conf: String, options: &[&str], output: &str) -> Vec<Step> {
        let defaults = format!("--defaults-file={}", conf_file());
        // The server does not leave its terminal by itself.
        let fixed = ["setsid", "--fork", &self.server.daemon, &defaults];
        let start = Command::new(fixed.iter().chain(options).copied()).user(USER).output(output);
        vec![
            database::directory(SOCKET),
            Step::Write { path: conf_file().into(), text: conf },
            Step::Run(start),
        ]
    }

    /// The same; it takes connections when the steps have ended.
    pub fn serve(&self, conf: String, options: &[&str], output: &str) -> Vec<Step> {
        let mut steps = self.launch(conf, options, output);
        steps.push(Step::Run(self.ping(&[&format!("--wait={START_S}")])));
        steps
    }

    /// Succeeds when the server takes connections. The client's own `--wait` looks every five seconds.
    pub fn ping(&self, options: &[&str]) -> Command {
        let words: Vec<&str> = options.iter().copied().chain(["ping"]).collect();
        self.client(&self.server.admin, &words).output("ping.out")
    }

    /// Ends the server and waits until it has ended.
    pub fn shut_down(&self) -> Command {
        self.client(&self.server.admin, &["shutdown"]).output("stop.out")
    }

    /// my.cnf at S.
    pub fn conf(&self) -> String {
        load::conf(self.server.family, &self.at, &self.places, SOCKET)
    }

    /// A session in sysbench's database that reads statements from its standard input and ends at the first error.
    pub fn session(&self) -> Command {
        self.client(&self.server.shell, &["-N", "-B", "--unbuffered", "-D", "sbtest"])
    }

    fn sysbench(&self, seconds: f64, more: &[&str], output: &str) -> Command {
        let mut words = vec![self.server.sysbench.clone(), self.sysbench.script.clone()];
        let mut add = |name: &str, value: &str| words.push(format!("--{name}={value}"));
        add("db-driver", "mysql");
        add("mysql-socket", &format!("{SOCKET}/socket"));
        add("mysql-user", "root");
        add("mysql-db", "sbtest");
        add("tables", &self.sysbench.tables.to_string());
        add("table-size", &self.at.table_size.to_string());
        add("threads", &self.sysbench.threads.to_string());
        add("time", &format!("{seconds:.0}"));
        for (name, value) in &self.sysbench.options {
            add(&name.replace('_', "-"), value);
        }
        // Last, so that it holds. A seed has 31 bits here, and 0 is the time of day.
        let seed = seed_of_run(self.seed, output) % 0x7fff_fffe + 1;
        add("rand-seed", &seed.to_string());
        if let Some(rate) = self.rate {
            add("rate", &whole_rate(rate).to_string());
        }
        words.extend(more.iter().map(|word| (*word).to_owned()));
        words.push("run".to_owned());
        Command::new(words).directory(INSIDE).output(output)
    }
}

/// The transactions a second that sysbench offers for a rate: it takes whole numbers, and 0 for none.
pub fn whole_rate(rate: f64) -> f64 {
    rate.max(1.0).round()
}

fn conf_file() -> String {
    format!("{SOCKET}/my.cnf")
}

impl workload::Client for Client {
    fn lay_out(&self) -> ClientSteps {
        // Of the settings only those that decide what is in the files, so that labs which differ in others share them.
        let at = Scaled {
            settings: load::of_files(&self.at.settings),
            binlog: false,
            ..self.at.clone()
        };
        let conf = load::conf(self.server.family, &at, &self.places, SOCKET);
        let mut steps = vec![database::directory(SOCKET)];
        steps.extend(self.places.all().map(database::directory));
        steps.push(Step::Write { path: conf_file().into(), text: conf.clone() });
        steps.push(Step::Run(self.install().user(USER).output("install.out")));
        steps.extend(self.serve(conf, &load::HURRIED, "server-load.out"));
        let source = format!("source {INSIDE}/load.sql");
        steps.push(Step::Run(self.statements(&source, "load.out")));
        steps.push(Step::Run(self.shut_down()));
        ClientSteps {
            steps,
            files: [("load.sql".to_owned(), load::sql(&self.sysbench, &self.at))].into(),
        }
    }

    fn start(&self) -> ClientSteps {
        let mut steps = self.serve(self.conf(), &[], "server.out");
        steps.push(Step::Run(self.statements(load::SETTINGS, "settings.tsv")));
        ClientSteps { steps, ..ClientSteps::default() }
    }

    fn warm_up(&self, limit_s: f64) -> ClientSteps {
        self.times.warm_up(limit_s, |seconds, output| self.sysbench(seconds, &[], output))
    }

    fn measure(&self) -> ClientSteps {
        let options = ["--report-interval=1", "--histogram=on", "--percentile=99"];
        let run = self.sysbench(self.times.runtime_s, &options, "sysbench.out");
        let sampled = |output: &str| Step::Run(self.statements(load::STATUS, output));
        let steps = vec![sampled(COUNTERS[0]), self.times.measure(run), sampled(COUNTERS[1])];
        ClientSteps { steps, files: [("my.cnf".to_owned(), self.conf())].into() }
    }

    fn stop(&self) -> ClientSteps {
        ClientSteps { steps: vec![Step::Run(self.shut_down())], ..ClientSteps::default() }
    }

    fn ramp_s(&self) -> f64 {
        self.times.ramp_s
    }

    fn data_bytes(&self) -> u64 {
        self.at.data
    }

    fn memory(&self) -> u64 {
        let sessions = u64::from(self.sysbench.threads) * SESSION;
        server_memory(self.server.family) + self.at.buffer_pool + self.at.buffer_pool / 8 + sessions
    }

    fn measured(&self, raw: &Path, seen: Seen) -> Result<Measured, Error> {
        let run = Run::read(&database::text(raw, "sysbench.out"))?;
        self.times.check("sysbench", run.seconds, None)?;
        let writes = self.sysbench.writes();
        let mut notes = vec![self.server.version.clone(), self.server.client.clone()];
        notes.extend(counters::changed(self.server.family, raw, &self.at.settings));
        if run.ignored_errors > 0 {
            notes.push(format!(
                "sysbench restarted {} transactions after a deadlock or a lock timeout",
                run.ignored_errors
            ));
        }
        let (read, write) = match writes {
            true => (Default::default(), run.flow()),
            false => (run.flow(), Default::default()),
        };
        let measured = Measured {
            concurrency: f64::from(self.sysbench.threads),
            runtime_s: run.seconds,
            read,
            write,
            notes,
            ..Measured::default()
        };
        let mut measured = seen.with(measured, self.at.data, run.series(writes));
        measured.totals.extend(database::grown(raw, COUNTERS, counters::values)?);
        measured.facts.insert(Fact::MysqlRows, self.at.table_size as f64);
        Ok(measured)
    }

    fn complaint(&self, raw: &Path) -> Option<String> {
        // The server's own reason before that of a client which did not reach it.
        const LOGS: [&str; 8] = [
            "server.out.err", "server-load.out.err", "sysbench.out.err", "sysbench.out",
            "load.out.err", "install.out.err", "install.out", "ping.out.err",
        ];
        let family = self.server.family;
        database::complaint(raw, &LOGS, |log| output::complaint(family, log))
    }
}
