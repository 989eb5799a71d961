//! The machines of a power cut: one that is recorded while it is written to, and one for each crash state.

use super::Args;
use super::blocks::{Blocks, InFlight, mix};
use super::commits::Database;
use super::crash_drives::CrashDrives;
use super::drive_fault::{self, DriveFault, FaultKind};
use super::inside;
use super::known::KnownRecoveries;
use super::pages::PageFiles;
use super::recovery::{self, Recovered, Storage};
use super::report::State;
use super::work::Work;
use super::writer::{self, Ledger};
use bench::engine::linux::variant_machine::{self, EarlyEnd, VariantMachine};
use bench::error::Error;
use bench::inputs::Inputs;
use bench::stop::Stop;
use contents::config::{Config, DriveConfig};
use contents::{Contents, reads};
use lab::build_commands::{POOL, full_name};
use lab::campaign::Stack;
use machine::DEVICE;
use machine::script::{Command, Step};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum bytes of a block. A block that is not larger than a record is in one transaction group as a whole.
const BLOCK: u64 = 8192;
/// The same on a file system without records: a page, which is written at once.
const PAGE: u64 = 4096;
/// Real time after which a machine that is recorded counts as hung.
pub const RECORDING: Duration = Duration::from_secs(1800);
/// Real time after which a machine after the cut counts as hung. It takes seconds; a server that loops over damaged
/// pages without a system call takes no virtual time and would never end. A slow host can be the reason as well, so
/// that it is no result.
const RECOVERY: Duration = Duration::from_secs(600);

/// File in a machine's directory with the pages that were read of its drives.
const READS: &str = "reads";

/// Data that all machines of a power cut share.
pub struct Setup<'a> {
    pub inputs: &'a Inputs,
    /// Its machine.
    pub variant: &'a VariantMachine<'a>,
    /// The database; none if blocks are written.
    pub database: Option<&'a Database>,
    /// What is written, for how long, with which seed, and the faults of drives.
    pub args: &'a Args,
    pub stop: &'a Stop,
}

/// A machine that was written to while its drives were recorded.
pub struct Recorded {
    /// Whether writes were followed by fdatasync, or the server ran with the lab's settings; false for the
    /// control.
    pub synchronous: bool,
    /// The acknowledged writes with their times.
    pub ledger: Ledger,
    record: PathBuf,
    work: Work,
}

impl Recorded {
    /// Bytes of the record.
    pub fn length(&self) -> Result<u64, Error> {
        let about = fs::metadata(&self.record).map_err(io("read", &self.record))?;
        Ok(about.len())
    }

    /// When the power is cut in the state with a seed, virtual ns since boot.
    pub fn moment(&self, seed: u64) -> u64 {
        // Drives that fail during the writing have failed in every state.
        let from = self.ledger.failed.unwrap_or(self.ledger.begun);
        from + share_of(self.ledger.ended - from, mix(seed))
    }
}

/// Drives after a power cut.
pub struct AfterCut {
    /// When it came, virtual ns since boot.
    pub at: u64,
    /// The drives, with their failures.
    pub drives: Config,
    /// What they hold.
    pub contents: Vec<Contents>,
    /// How many blocks or transactions each writer had acknowledged.
    pub acknowledged: Vec<u64>,
    /// What is known of the state before recovery.
    pub state: State,
}

fn io<'a>(what: &'a str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
    move |e| Error::Environment(format!("cannot {what} {}: {e}", path.display()))
}

fn write_task(directory: &Path, name: &str, task: &impl serde::Serialize) -> Result<(), Error> {
    let path = directory.join(name);
    let text = serde_json::to_vec(task).map_err(std::io::Error::other);
    text.and_then(|text| fs::write(&path, text)).map_err(io("write", &path))
}

fn read_result<T: serde::de::DeserializeOwned>(directory: &Path, name: &str) -> Result<T, Error> {
    let path = directory.join(name);
    let text = fs::read(&path).map_err(io("read", &path))?;
    let result = serde_json::from_slice(&text).map_err(std::io::Error::other);
    result.map_err(io("read", &path))
}

/// A share of a length that a random number chooses, less than the length. Lengths that hardly differ have hardly
/// different shares: another build of this program may write for some ns more or less.
fn share_of(length: u64, random: u64) -> u64 {
    ((u128::from(length) * u128::from(random)) >> 64) as u64
}

/// What became of a crash state.
pub enum Checked {
    /// It was checked, or its machine died.
    State(Box<State>),
    /// Its machine was ended because it took too long in real time: how. That says nothing about the state.
    Hung(String),
}

/// What became of a crash state whose machine ended early. One that died makes its state unusable: what was on its
/// drives may be the reason, and other states can still be checked.
fn unchecked(early: EarlyEnd, mut state: State) -> Result<Checked, Error> {
    match early {
        EarlyEnd::Died(how) => {
            state.unusable = Some(how);
            Ok(Checked::State(Box::new(state)))
        }
        EarlyEnd::Hung(how) => Ok(Checked::Hung(how)),
        EarlyEnd::Error(error) => Err(error),
    }
}

/// The step that runs this program inside a machine, where it is also the first process.
fn program(what: &str) -> Step {
    Step::Run(Command::new(["/proc/1/exe", inside::VERB, what]))
}

impl Setup<'_> {
    /// What is written to files: pages or blocks.
    fn files(&self) -> Work {
        let (directory, seed) = (variant_machine::directory(self.inputs), self.args.seed);
        if let Some(size) = self.args.pages {
            return Work::Pages(PageFiles { directory, size, seed });
        }
        let Inputs { variant, workload, .. } = self.inputs;
        let (size, in_flight) = match variant.stack {
            Stack::Zfs => (variant.recordsize(&workload.dataset).min(BLOCK), InFlight::Beginning),
            Stack::Filesystem(_) => (PAGE, InFlight::AnyPart),
        };
        Work::Blocks(Blocks { directory, size: size as usize, seed, in_flight })
    }

    /// Builds the variant in a new directory, runs the writers and records its drives.
    pub fn record(&self, directory: &Path, synchronous: bool) -> Result<Recorded, Error> {
        let fails = self.args.fail.iter().filter(|fault| fault.kind == FaultKind::Running);
        let task = writer::Task {
            work: self.work(),
            synchronous,
            length_ns: self.length_ns(),
            fail: fails.map(|fault| fault.drive.clone()).collect(),
            killed_server: None,
        };
        let mut drives = self.variant.drives()?;
        let record = directory.join("record");
        drives.record = Some(record.clone());
        let ledger = self.write(directory, &task, &drives, &[])?;
        if let Some(why) = ledger.useless() {
            return Err(Error::failed(why));
        }
        Ok(Recorded { synchronous, ledger, record, work: task.work })
    }

    /// Builds the variant in a new directory, runs the writers until the moment that the seed determines, kills the
    /// database's server, and returns what it finds after its restart, and why writers had stopped before. The directory
    /// is removed afterwards.
    pub fn crash_server(
        &self,
        directory: &Path,
        synchronous: bool,
        seed: u64,
    ) -> Result<(State, Vec<String>), Error> {
        let task = writer::Task {
            work: self.work(),
            synchronous,
            length_ns: share_of(self.length_ns(), mix(seed)),
            fail: Vec::new(),
            killed_server: self.database.map(|database| database.begin(synchronous)),
        };
        let restart = [program(inside::RESTARTED)];
        let ledger = self.write(directory, &task, &self.variant.drives()?, &restart)?;
        let found: Recovered = read_result(directory, recovery::RECOVERED)?;
        let acknowledged = ledger.acknowledged_by(u64::MAX);
        let kept = found.kept(&acknowledged);
        let first = ledger.first_lost(&kept.first, u64::MAX);
        let mut state = State {
            seed,
            at_s: (ledger.ended - ledger.begun) as f64 / 1e9,
            acknowledged: acknowledged.iter().sum(),
            lost_s: first.map(|first| ledger.ended.saturating_sub(first) as f64 / 1e9),
            ..State::default()
        };
        state.add(found, kept);
        fs::remove_dir_all(directory).map_err(io("remove", directory))?;
        Ok((state, ledger.problems))
    }

    /// Virtual ns of writing.
    fn length_ns(&self) -> u64 {
        self.args.seconds * 1_000_000_000
    }

    /// What the writers do.
    fn work(&self) -> Work {
        self.database.map_or_else(|| self.files(), |database| database.work.clone())
    }

    /// Builds the variant in a new directory, runs the writers, and then these steps.
    fn write(
        &self,
        directory: &Path,
        task: &writer::Task,
        drives: &Config,
        afterwards: &[Step],
    ) -> Result<Ledger, Error> {
        fs::create_dir(directory).map_err(io("make", directory))?;
        write_task(directory, writer::TASK, task)?;
        let mut steps = self.variant.build();
        steps.extend(variant_machine::place(self.inputs));
        steps.extend(self.prepare(directory, task)?);
        // What was laid out is on the drives; a page cache would keep it for half a minute.
        steps.push(Step::Run(Command::new(["sync"])));
        steps.push(program(inside::FIRST));
        steps.extend(afterwards.iter().cloned());
        let ended = self.variant.run(directory, drives, None, steps, RECORDING, self.stop);
        ended.map_err(|early| {
            match (early, self.database.and_then(|d| d.client.complaint(directory))) {
                (EarlyEnd::Error(error @ (Error::Interrupted | Error::Environment(_))), _) => error,
                (_, Some(complaint)) => Error::failed(complaint),
                (EarlyEnd::Died(how) | EarlyEnd::Hung(how), None) => Error::failed(how),
                (EarlyEnd::Error(error), None) => error,
            }
        })?;
        read_result(directory, writer::LEDGER)
    }

    /// The steps between building the variant and starting the writers.
    fn prepare(&self, directory: &Path, task: &writer::Task) -> Result<Vec<Step>, Error> {
        if let Some(database) = self.database {
            let part = database.client.lay_out();
            for (name, text) in &part.files {
                let path = directory.join(name);
                fs::write(&path, text).map_err(io("write", &path))?;
            }
            let mut steps = part.steps;
            // A server that is killed is started by what kills it.
            if task.killed_server.is_none() {
                steps.extend(database.begin(task.synchronous));
            }
            return Ok(steps);
        }
        let mut steps = Vec::new();
        let dataset = &self.inputs.workload.dataset;
        let sync = self.inputs.variant.property(dataset, "sync");
        if !task.synchronous && self.inputs.variant.is_zfs() && sync == Some("always") {
            // Otherwise the control would be synchronous, too.
            let name = full_name(dataset);
            steps.push(Step::Run(Command::new(["zfs", "set", "sync=standard", &name])));
        }
        Ok(steps)
    }

    /// The drive faults of the state with a seed: first those of all states.
    fn faults(&self, seed: u64) -> Vec<DriveFault> {
        let mut faults = self.args.fail.to_vec();
        if self.args.faults {
            let vdevs = &self.inputs.variant.pool.vdevs;
            faults.extend(drive_fault::schedule(vdevs, &self.args.fail, mix(seed)));
        }
        faults
    }

    /// Cuts the power at the moment that the seed determines.
    pub fn cut(
        &self,
        recorded: &Recorded,
        base: &mut CrashDrives,
        seed: u64,
    ) -> Result<AfterCut, Error> {
        let ledger = &recorded.ledger;
        let at = recorded.moment(seed);
        let mut drives = self.variant.drives()?;
        let faults = self.faults(seed);
        let replay = base.replay(&recorded.record, ledger.begun, &drives, at, &faults, seed);
        let replay = replay.map_err(io("read", &recorded.record))?;
        let faulty_before = replay.faulty_writes();
        let (contents, unflushed, rotten) = base.cut(replay, &faults, seed, &mut drives);
        let acknowledged = ledger.acknowledged_by(at);
        let state = State {
            seed,
            at_s: (at - ledger.begun) as f64 / 1e9,
            acknowledged: acknowledged.iter().sum(),
            unflushed: unflushed.total(),
            dropped: unflushed.lost + unflushed.torn,
            silent_errors: rotten + faulty_before + unflushed.faulty,
            drive_faults: faults[self.args.fail.len()..].iter().map(ToString::to_string).collect(),
            ..State::default()
        };
        Ok(AfterCut { at, drives, contents, acknowledged, state })
    }

    /// Cuts the power as [`Setup::cut`] does, and returns what a machine on the drives finds. Where no recovery is
    /// known that would be the same, the machine is started. The directory is removed afterwards.
    pub fn check(
        &self,
        recorded: &Recorded,
        (base, known): (&mut CrashDrives, &mut KnownRecoveries),
        directory: &Path,
        seed: u64,
    ) -> Result<Checked, Error> {
        let mut after = self.cut(recorded, base, seed)?;
        let (at, mut state) = (after.at, std::mem::take(&mut after.state));
        let acknowledged = std::mem::take(&mut after.acknowledged);
        let outcome = match known.find(base, &after) {
            Some(outcome) => {
                base.discard(after.contents);
                outcome
            }
            None => {
                let recovered = self.recover(recorded, base, directory, &after);
                let removed = fs::remove_dir_all(directory).map_err(io("remove", directory));
                match recovered {
                    Ok((found, read)) => {
                        removed?;
                        known.add(base, after, found, read)
                    }
                    Err(early) => {
                        base.discard(after.contents);
                        return unchecked(early, state);
                    }
                }
            }
        };
        let kept = outcome.found.kept(&acknowledged);
        let first = recorded.ledger.first_lost(&kept.first, at);
        state.lost_s = first.map(|first| (at - first) as f64 / 1e9);
        state.contents_read = Some(outcome.contents_read);
        state.add(outcome.found, kept);
        Ok(Checked::State(Box::new(state)))
    }

    /// Starts a machine on drives after a cut. Returns what it finds, and which pages of each drive it read.
    fn recover(
        &self,
        recorded: &Recorded,
        base: &CrashDrives,
        directory: &Path,
        AfterCut { drives, contents, .. }: &AfterCut,
    ) -> Result<(Recovered, Vec<Vec<u64>>), EarlyEnd> {
        fs::create_dir(directory).map_err(io("make", directory))?;
        let task = recovery::Task { storage: self.storage(drives), work: recorded.work.clone() };
        write_task(directory, recovery::TASK, &task)?;
        let mut steps = self.variant.load();
        steps.push(program(inside::AFTER));
        steps.push(Step::Write { path: "/proc/drives".into(), text: format!("reads {READS}") });
        let drives = Config { reads: true, ..drives.clone() };
        let held = Some(base.contents_of(contents));
        self.variant.run(directory, &drives, held, steps, RECOVERY, self.stop)?;
        let found = read_result(directory, recovery::RECOVERED)?;
        let path = directory.join(READS);
        let read = reads::load(&path, drives.drives.len()).map_err(io("read", &path))?;
        Ok((found, read))
    }

    /// What holds the data on these drives.
    pub fn storage(&self, drives: &Config) -> Storage {
        let device = |drive: &DriveConfig| format!("{DEVICE}{}", drive.name);
        match &self.inputs.variant.stack {
            Stack::Zfs => Storage::Pool(recovery::Pool {
                name: POOL.to_owned(),
                devices: drives.drives.iter().map(device).collect(),
                dead: drives.drives.iter().any(|drive| drive.failed),
            }),
            Stack::Filesystem(on_drives) => {
                let whole = drives.drives.iter().filter(|drive| !drive.failed);
                Storage::Filesystem(recovery::Filesystem {
                    kind: on_drives.filesystem,
                    device: variant_machine::filesystem_device(on_drives),
                    members: on_drives.level.map(|_| whole.map(device).collect()),
                    mount: variant_machine::mount(self.inputs),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::powercut::report::Written;

    #[test]
    fn a_machine_that_dies_makes_its_state_unusable_and_one_that_hangs_gives_none() {
        let how = "Kernel panic - not syncing";
        let of = |early| unchecked(early, State { seed: 4, acknowledged: 9, ..State::default() });
        let Ok(Checked::State(died)) = of(EarlyEnd::Died(how.to_owned())) else { panic!() };
        assert!(died.damaged() && died.lost == 0);
        let line = died.line(Written::Blocks);
        assert!(line.ends_with(&format!("its data cannot be used: {how}")), "{line}");
        let hung = of(EarlyEnd::Hung("600 s of real time".to_owned()));
        assert!(matches!(hung, Ok(Checked::Hung(how)) if how == "600 s of real time"));
        let error = Error::Environment("no space is left".to_owned());
        assert!(of(EarlyEnd::Error(error)).is_err());
    }

    #[test]
    fn shares_cover_a_length_and_hardly_move_with_it() {
        let length = 6_000_000_000;
        assert_eq!((share_of(length, 0), share_of(length, u64::MAX)), (0, length - 1));
        for seed in 0..100 {
            let [one, other] = [length, length + 7].map(|length| share_of(length, mix(seed)));
            assert!(one < length && other - one <= 7, "{seed}: {one} {other}");
        }
    }
}
