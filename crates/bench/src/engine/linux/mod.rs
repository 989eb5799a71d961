//! The Linux engine: variants are built and measured in a Linux kernel in virtual time.

mod devices;
mod parameters;
pub mod probe;
mod samples;
pub mod shell;
mod state;
pub(crate) mod steps;
pub mod variant_machine;

use super::{Engine, TrialContext};
use crate::error::{Error, host};
use crate::inputs::Inputs;
use crate::programs::{Fio, Mysql, Postgresql};
use crate::stop::Stop;
use crate::workload::pgbench::accounts;
use crate::workload::{self, Client, Place, Seen, sqlite};
use contents::config::Config;
use contents::{Contents, Pages, image};
use lab::campaign::{OpenZfs, Processor, Program, SYNC_TESTS};
use lab::model::host_memory_needed;
use machine::memory::Memory;
use machine::outcome::Outcome;
use machine::script::Script;
use machine::start::{Failure, Machine};
use measurement::{Cost, Fact, Measured, Stage, WarmUp, WarmUpEnd};
use parameters::{Parameters, parameters};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use steps::Work;
use store::Key;

/// Free bytes that a machine needs to write its results; a trial's results are smaller.
const LEAST_SPACE: u64 = 1 << 20;
/// Virtual start time of a trial: later than any machine that made its pool state has run, so that no time
/// stamp on the drives is in the future.
const LATER_S: u64 = 30 * 24 * 3600;

/// The engine of this host.
#[derive(Debug)]
pub struct Linux {
    /// Kernel, modules and tools.
    pub engine: machine::engine::Engine,
    /// This program, which is also the machine's first process.
    pub executable: PathBuf,
    /// Its file as this process was started from it.
    file: FileId,
    /// Where cores are held.
    pub locks: PathBuf,
    /// Real time after which a machine counts as hung.
    pub patience: Duration,
    /// Memory of machines that have ended.
    memory: Mutex<Vec<Memory>>,
    /// Pool states whose images this process has verified.
    states: Mutex<BTreeSet<Key>>,
}

/// Device and inode of a file.
type FileId = (u64, u64);

fn file_id(path: &Path) -> io::Result<FileId> {
    fs::metadata(path).map(|of| (of.dev(), of.ino()))
}

/// Memory of the host that the machine of a trial takes at the most, bytes: that of its model, and what its client
/// needs.
pub fn host_memory(inputs: &Inputs) -> u64 {
    let of_client = |client: Box<dyn Client>| parameters(inputs, Some(client.as_ref())).more_memory;
    // A client that cannot be prepared fails its trial with the reason.
    let more = workload::prepare(inputs, Place::Nowhere).map_or(0, of_client);
    host_memory_needed(&inputs.model).saturating_add(more)
}

impl Linux {
    /// The engine that `make engine` built, with this program.
    ///
    /// # Errors
    /// [`Error::Environment`] with what is missing and what to do.
    pub fn find(patience: Duration) -> Result<Linux, Error> {
        if let Some(why) = probe::unsupported(std::env::consts::OS, std::env::consts::ARCH) {
            return Err(Error::Environment(why));
        }
        let engine = machine::engine::Engine::find();
        let engine = engine.map_err(|e| Error::Environment(e.to_string()))?;
        let executable = std::env::current_exe().map_err(host("find this program"))?;
        // This link leads to the file also when its name is another's.
        let file = file_id(Path::new("/proc/self/exe")).map_err(host("find this program"))?;
        Ok(Linux {
            engine,
            executable,
            file,
            locks: machine::engine::cache().join("cores"),
            patience,
            memory: Mutex::default(),
            states: Mutex::default(),
        })
    }

    /// Memory that a machine has used, or new memory, for a machine that works in a directory.
    fn take_memory(&self, directory: &Path) -> Result<Memory, Error> {
        let used = self.memory.lock().ok().and_then(|mut all| all.pop());
        let memory = used.map_or_else(Memory::new, Ok);
        let mut memory = memory.map_err(|e| {
            Error::Environment(format!(
                "cannot get memory for a machine: {e}: free memory, or run fewer machines (-j)"
            ))
        })?;
        memory.spill_in(directory).map_err(host(format!("write to {}", directory.display())))?;
        Ok(memory)
    }

    fn give_memory_back(&self, memory: Memory) {
        if let Ok(mut all) = self.memory.lock() {
            all.push(memory.without_spill());
        }
    }
}

impl Engine for Linux {
    fn build_id(&self, openzfs: OpenZfs, client: &Program) -> Result<String, Error> {
        let identity = self.engine.identity(openzfs.name());
        let identity = identity.map_err(|e| Error::Environment(e.to_string()))?;
        Ok(match client {
            Program::Fio { .. } => {
                let fio = Fio::find()?;
                format!("{identity} {} {}", fio.version, fio.hash)
            }
            Program::Pgbench(pgbench) => {
                let server = Postgresql::find(pgbench.version)?;
                let programs = server.hash(&["postgres", "pgbench"])?;
                format!("{identity} {} {programs} {}", server.version, accounts::version())
            }
            Program::PgTestFsync(test) => {
                let server = Postgresql::find(test.version)?;
                format!("{identity} {} {}", server.version, server.hash(&["pg_test_fsync"])?)
            }
            Program::Sqlite(_) => format!("{identity} {}", sqlite::version()),
            Program::Sysbench(sysbench) => {
                let server = Mysql::find(sysbench.server, sysbench.version)?;
                format!(
                    "{identity} {} {} {}",
                    server.version,
                    server.client,
                    server.hash(&sysbench.script)?
                )
            }
        })
    }

    fn version(&self, openzfs: OpenZfs) -> Result<String, Error> {
        let release = self.engine.openzfs(openzfs.name());
        let release = release.map_err(|e| Error::Environment(e.to_string()))?;
        Ok(release.version.clone())
    }

    fn run(&self, inputs: &Inputs, context: &TrialContext) -> Result<Measured, Error> {
        let raw = fs::canonicalize(context.raw);
        let raw = raw.map_err(host(format!("find {}", context.raw.display())))?;
        let context = &TrialContext { raw: &raw, ..*context };
        let client = workload::prepare(inputs, Place::Host)?;
        let client = client.as_ref();
        let state = self.state(inputs, context)?;
        let memory = state.memory.map_or_else(|| self.take_memory(&raw), Ok)?;
        let parameters = parameters(inputs, Some(client));
        let work = steps::trial(inputs, &self.engine, client, &parameters);
        let drives = Config { image: Some(machine::memory::image()), ..devices::config(inputs)? };
        let given = Given {
            inputs,
            raw: &raw,
            work: &work,
            parameters: &parameters,
            drives,
            image: Some(&state.image),
        };
        let outcome = self.start(&given, &memory, context);
        // Memory that is given back frees what its drives had on the disk.
        let outcome = outcome.map_err(|failure| trial_error(&failure, &raw, Some(client)));
        self.give_memory_back(memory);
        let outcome = outcome?;
        let warm_up = outcome.warm_up.or(state.outcome.warm_up);
        let warm_up = warm_up.map(|warm| WarmUp {
            seconds: warm.seconds,
            ended: match (warm.settled, inputs.method.warm_up_s > 0.0) {
                (true, _) => WarmUpEnd::Settled,
                (false, true) => WarmUpEnd::TimeLimit,
                (false, false) => WarmUpEnd::Fixed,
            },
            hit_ratio: warm.hit_ratio,
        });
        let ramp = (client.ramp_s() > 0.0 && warm_up.is_none()).then_some(WarmUp {
            seconds: client.ramp_s(),
            ended: WarmUpEnd::Fixed,
            hit_ratio: None,
        });
        let seen = Seen {
            samples: samples::differences(&outcome.samples),
            facts: [(Fact::BuiltSeconds, state.outcome.built_s)].into(),
            warm_up: warm_up.or(ramp),
        };
        client.measured(&raw, seen)
    }
}

/// What the drives of a machine hold at its start.
#[derive(Debug, Clone, Copy)]
pub struct DriveContents<'a> {
    /// Their pages.
    pub pages: &'a Pages,
    /// In the order of the drives' configuration.
    pub drives: &'a [Contents],
}

impl DriveContents<'_> {
    /// Puts them into the memory of a machine that is to be started in a directory. Returns the index, whose path is
    /// [`machine::memory::image`] inside.
    fn hand_over(&self, memory: &Memory, directory: &Path) -> Result<File, Error> {
        let index = self.write(memory, &directory.join("contents"));
        index.map_err(|why| match why.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => no_space(directory),
            _ => Error::Environment(format!(
                "cannot put what the drives hold into the memory of a machine in {}: {why}",
                directory.display()
            )),
        })
    }

    /// The same, with the index in a file that loses its name.
    fn write(&self, memory: &Memory, path: &Path) -> io::Result<File> {
        let mut index = File::options().read(true).write(true).create_new(true).open(path)?;
        fs::remove_file(path)?;
        image::hand_over(&mut index, memory.drives(), self.pages, self.drives)?;
        Ok(index)
    }
}

/// What a machine is given.
struct Given<'a> {
    inputs: &'a Inputs,
    raw: &'a Path,
    work: &'a Work,
    parameters: &'a Parameters,
    drives: Config,
    /// The image or index that the drives begin with; none for empty drives.
    image: Option<&'a File>,
}

/// Whether computation takes virtual time in a trial.
fn charged(inputs: &Inputs) -> bool {
    inputs.host.processor != Processor::Free && inputs.without != Some(Cost::Processor)
}

/// Real time that a machine may take for the virtual time of a trial: the fastest pools of the labs take 10 s for a
/// virtual second.
fn real_time_for(inputs: &Inputs) -> Duration {
    const SLOWEST: f64 = 60.0;
    let stated_s = inputs.method.virtual_s();
    let virtual_s = match &inputs.workload.program {
        Program::Fio { job, .. } => {
            let own = lab::fio::demand(&lab::fio::parse::read(job, &mut Vec::new()));
            stated_s + own.runtime_s.unwrap_or(0.0) + own.ramp_s
        }
        Program::PgTestFsync(_) => stated_s * SYNC_TESTS as f64,
        Program::Pgbench(_) | Program::Sysbench(_) | Program::Sqlite(_) => stated_s,
    };
    Duration::try_from_secs_f64(SLOWEST * virtual_s).unwrap_or(Duration::MAX)
}

impl Linux {
    /// A machine with the memory, cores and seed of a trial, without an image, whose clock jumps.
    fn machine<'a>(
        &'a self,
        inputs: &Inputs,
        parameters: &Parameters,
        directory: &'a Path,
        script: &'a Script,
        memory: &'a Memory,
    ) -> Machine<'a> {
        Machine {
            kernel: self.engine.kernel(),
            executable: &self.executable,
            directory,
            memory: inputs.model.guest_memory + parameters.more_memory,
            cores: inputs.host.cores,
            pace: 0,
            charged: charged(inputs),
            seed: inputs.seed,
            script,
            reused: Some(memory),
            image: None,
            start_s: 0,
            locks: self.locks.clone(),
            patience: self.patience.saturating_add(real_time_for(inputs)),
        }
    }

    /// Runs a machine to its end.
    fn start(
        &self,
        given: &Given,
        memory: &Memory,
        context: &TrialContext,
    ) -> Result<Outcome, Failure> {
        let Given { inputs, raw, .. } = *given;
        (context.stage)(Stage::Booting);
        for (name, text) in &given.work.files {
            let path = raw.join(name);
            fs::write(&path, text).map_err(|source| Failure::Host {
                action: "write",
                path,
                source,
            })?;
        }
        let machine = Machine {
            image: given.image,
            start_s: if given.image.is_some() { LATER_S } else { 0 },
            ..self.machine(inputs, given.parameters, raw, &given.work.script, memory)
        };
        self.run_machine(&machine, &given.drives, context.stage, context.stop)
    }

    /// Runs a machine to its end. It is started from this program's path: what a program says that has taken its place
    /// is no result under the keys of this one.
    fn run_machine(
        &self,
        machine: &Machine,
        drives: &Config,
        stage: &dyn Fn(Stage),
        stop: &Stop,
    ) -> Result<Outcome, Failure> {
        self.check_program()?;
        match machine.run(drives, stage, &|| stop.should_end()) {
            Err(Failure::Stopped) => Err(Failure::Stopped),
            // Programs inside are read from the path as long as it runs.
            ended => self.check_program().and(ended),
        }
    }

    /// Checks that this program's path still leads to it.
    fn check_program(&self) -> Result<(), Failure> {
        let source = match file_id(&self.executable) {
            Ok(now) if now == self.file => return Ok(()),
            Err(e) if e.kind() != io::ErrorKind::NotFound => e,
            _ => io::Error::other(
                "the program was replaced or removed while it ran: run the same command again",
            ),
        };
        Err(Failure::Host { action: "run a machine with", path: self.executable.clone(), source })
    }
}

/// The failure of a machine as a trial's error.
fn trial_error(failure: &Failure, raw: &Path, client: Option<&dyn Client>) -> Error {
    match failure {
        Failure::Stopped => Error::Interrupted,
        Failure::Host { .. } | Failure::Start(_) => Error::Environment(failure.to_string()),
        _ if let Some(error) = of_host(raw) => error,
        Failure::Killed(how) => {
            Error::Environment(format!("{how}: free memory, or run fewer machines (-j)"))
        }
        Failure::Ended(_) | Failure::Hung { .. } | Failure::Script(_) => {
            let complaint = client.and_then(|client| client.complaint(raw));
            Error::Failed(complaint.unwrap_or_else(|| failure.to_string()))
        }
    }
}

/// What the host refused the machine of a directory, which is no result of it: room for its results or for what its
/// drives hold, or the record of them.
fn of_host(directory: &Path) -> Option<Error> {
    let left = rustix::fs::statvfs(directory).map(|of| of.f_bavail * of.f_frsize);
    let console = fs::read(directory.join(machine::CONSOLE)).unwrap_or_default();
    let console = String::from_utf8_lossy(&console);
    let refusal = refusal(&console);
    let no_room =
        |why: &str| why.contains("No space left on device") || why.contains("quota exceeded");
    if left.is_ok_and(|bytes| bytes < LEAST_SPACE) || refusal.is_some_and(no_room) {
        return Some(no_space(directory));
    }
    refusal.map(|why| {
        Error::Environment(match why.contains(NO_MEMORY) {
            true => format!("{why}: free memory, or run fewer machines (-j)"),
            false => format!("{why}: check the file system that the message names, or that of the store, and run the same command again"),
        })
    })
}

fn no_space(directory: &Path) -> Error {
    Error::Environment(format!(
        "no space is left on the file system of {}: free some and run the same command again",
        directory.display()
    ))
}

/// How a machine says that the host has no memory for its drives (linux/drives).
const NO_MEMORY: &str = "the host has no memory for more than";

/// The line of a console that says what the host refused the drives, for whatever reason.
fn refusal(console: &str) -> Option<&str> {
    let begins = [NO_MEMORY, "drive contents beyond", "the record of the drives cannot be written"];
    console.lines().find(|line| begins.iter().any(|begin| line.contains(begin))).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_whose_drives_found_no_room_on_the_disk_is_no_failed_trial() {
        let directory = tempfile::tempdir().unwrap();
        let failure = Failure::Ended("the machine ended: panic".to_owned());
        let of = || trial_error(&failure, directory.path(), None);
        assert!(matches!(of(), Error::Failed(_)));
        for why in ["No space left on device (os error 28)", "Disk quota exceeded (os error 122)"] {
            let console = format!(
                "drive contents beyond 4096 MiB cannot be kept in /tmp/x (deleted): {why}\n"
            );
            fs::write(directory.path().join(machine::CONSOLE), console).unwrap();
            let Error::Environment(why) = of() else { panic!("{:?}", of()) };
            assert!(why.contains("no space is left"), "{why}");
        }
        // Whatever the reason.
        for (refused, advice) in [
            ("the host has no memory for more than 64 MiB of drive contents: os error 12", "(-j)"),
            ("drive contents beyond 4096 MiB cannot be kept in /tmp/x: File too large", "again"),
            ("the record of the drives cannot be written: Input/output error", "again"),
        ] {
            let console = format!("thread 'main' panicked at memory.rs:1:\n{refused}\n");
            fs::write(directory.path().join(machine::CONSOLE), console).unwrap();
            let Error::Environment(why) = of() else { panic!("{:?}", of()) };
            assert!(why.starts_with(refused) && why.ends_with(advice), "{why}");
        }
    }

    fn linux(executable: &Path) -> Linux {
        let manifest = machine::engine::Manifest {
            linux: "7.2".into(),
            key: "aa".into(),
            openzfs: Default::default(),
        };
        Linux {
            engine: machine::engine::Engine { manifest, directory: "/anywhere".into() },
            executable: executable.to_owned(),
            file: file_id(executable).unwrap(),
            locks: PathBuf::new(),
            patience: Duration::ZERO,
            memory: Mutex::default(),
            states: Mutex::default(),
        }
    }

    #[test]
    fn a_program_that_was_replaced_or_removed_runs_no_further_machine() {
        let place = tempfile::tempdir().unwrap();
        let [program, next] = ["poolwright", "next"].map(|name| place.path().join(name));
        fs::write(&program, "").unwrap();
        let linux = linux(&program);
        linux.check_program().unwrap();
        fs::write(&next, "").unwrap();
        fs::rename(&next, &program).unwrap();
        let refused = || trial_error(&linux.check_program().unwrap_err(), place.path(), None);
        let Error::Environment(why) = refused() else { panic!("{:?}", refused()) };
        assert!(why.contains("was replaced") && why.ends_with("the same command again"), "{why}");
        fs::remove_file(&program).unwrap();
        assert_eq!(refused(), Error::Environment(why));
    }

    #[test]
    fn a_directory_that_the_host_refuses_is_no_failed_trial() {
        let linux = linux(Path::new("/proc/self/exe"));
        let refused = linux.take_memory(Path::new("/gone"));
        assert!(matches!(refused, Err(Error::Environment(_))), "{refused:?}");
    }
}
