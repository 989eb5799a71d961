//! `poolwright mount LAB VARIANT DIR [-- COMMAND…]`: a scale model to play with.

use crate::exit::{ENVIRONMENT, INTERRUPTED, USAGE};
use crate::lab_file::load_or_explain;
use crate::{diagnostics, machine, output};
use bench::engine::scale::{PATIENCE, Scale};
use bench::engine::{Engine, Session};
use bench::fault::Fault;
use bench::isolate::Isolation;
use bench::programs;
use bench::stop::Stop;
use lab::campaign::{Campaign, SLOWEST, Variant};
use lab::model::{Model, of_variant};
use poolfs::protocol::Build;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Scratch;

/// The least room that is worth starting with.
const LEAST_ROOM: u64 = 256 << 20;

/// Mount a variant of a lab as a scale model, until Ctrl-C or until a command ends
///
/// The directory is a ZFS dataset on emulated drives; what is written there is gone afterwards.
/// Exit codes: 0 or the command's · 2 the lab or an argument is wrong · 3 this machine lacks
/// something.
#[derive(clap::Args)]
pub struct Args {
    /// A lab file, or the name of a built-in lab
    lab: String,
    /// Which of its variants
    variant: String,
    /// An empty directory
    dir: PathBuf,
    /// Dataset to mount; `drive:hdd0` for a drive that is not in the pool
    #[arg(long, value_name = "NAME", default_value = "")]
    dataset: String,
    /// How many times slower the model's time runs; programs here see real time
    #[arg(long, value_name = "K", default_value_t = 1.0, value_parser = slower)]
    time: f64,
    /// Drives without a timing model: as fast as this machine
    #[arg(long)]
    instant: bool,
    /// Where the emulated drives lie, instead of in memory
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// What to run while it is mounted
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// A dilation, as a command line states it.
///
/// # Errors
/// What may be given.
pub fn slower(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(k) if (1.0..=SLOWEST).contains(&k) => Ok(k),
        _ => Err(format!("give a number from 1 to {SLOWEST}")),
    }
}

/// One variant of a lab that this machine can model.
pub struct Chosen {
    /// The whole campaign.
    pub campaign: Campaign,
    /// The variant.
    pub variant: Variant,
    /// Its model; its `time` is set by the verb.
    pub model: Model,
    /// Where drives may lie while the verb lasts.
    pub scratch: Scratch,
}

impl Chosen {
    /// Finds a variant (none: the baseline) and a place for its drives.
    ///
    /// # Errors
    /// The exit code; what is wrong has been said.
    pub fn find(
        lab: &str,
        variant: Option<&str>,
        store: Option<&Path>,
        isolation: Isolation,
    ) -> Result<Self, u8> {
        let (_, loaded) = load_or_explain(lab, None).map_err(|_| USAGE)?;
        let campaign = loaded.campaign;
        let name = variant.unwrap_or(&campaign.method.baseline);
        let Some(variant) = campaign.variants.iter().find(|v| v.name == name).cloned() else {
            let names: Vec<&str> = campaign.variants.iter().map(|v| v.name.as_str()).collect();
            return Err(complain(
                USAGE,
                &format!(
                    "{lab} has no variant `{name}`; it has: {}",
                    names.join(", ")
                ),
            ));
        };
        machine::remove_leftovers();
        let (place, limits, model) = machine::place(store, &campaign).map_err(|refused| {
            diagnostics::draw(&[refused], &loaded.sources);
            ENVIRONMENT
        })?;
        machine::own_memory(isolation, store, limits.store_bytes);
        let unusable = |e: String| {
            complain(
                ENVIRONMENT,
                &format!("{e}; name a directory for the drives with --store"),
            )
        };
        std::fs::create_dir_all(&place)
            .map_err(|e| unusable(format!("cannot create {}: {e}", place.display())))?;
        let scratch = Scratch::create(&[place], LEAST_ROOM).map_err(|e| unusable(e.to_string()))?;
        Ok(Self {
            model: of_variant(&model, &campaign.host, &variant),
            campaign,
            variant,
            scratch,
        })
    }

    /// What poolfs needs to build it, with its drives in `store`.
    pub fn build(&self, store: &Path, seed: u64, instant: bool) -> Build {
        Build {
            variant: self.variant.clone(),
            model: self.model.clone(),
            cores: self.campaign.host.cores,
            store: store.to_owned(),
            arena: None,
            seed,
            instant,
        }
    }

    /// An engine for it, whose output goes to `log`; `stop` ends every wait for it.
    ///
    /// # Errors
    /// The exit code; what is wrong has been said.
    pub fn session(&self, log: &Path, stop: &Stop) -> Result<Box<dyn Session>, u8> {
        let scale = Scale {
            engines: programs::engine_directories(),
            stop: stop.clone(),
            patience: PATIENCE,
        };
        scale.session(self.variant.openzfs, log).map_err(failed)
    }

    /// An empty directory of that name in the scratch place.
    ///
    /// # Errors
    /// The exit code; what is wrong has been said.
    pub fn directory(&self, name: &str) -> Result<PathBuf, u8> {
        let dir = self.scratch.path().join(name);
        std::fs::create_dir_all(&dir).map_err(|e| {
            complain(
                ENVIRONMENT,
                &format!("cannot create {}: {e}", dir.display()),
            )
        })?;
        Ok(dir)
    }
}

impl Args {
    /// Mounts, and waits.
    pub fn run(self) -> ExitCode {
        ExitCode::from(self.mounted().unwrap_or_else(|code| code))
    }

    fn mounted(&self) -> Result<u8, u8> {
        self.dir_is_empty().map_err(|why| complain(USAGE, &why))?;
        let dir = self.dir.canonicalize().map_err(|e| {
            complain(
                ENVIRONMENT,
                &format!("cannot find {}: {e}", self.dir.display()),
            )
        })?;
        let mut chosen = Chosen::find(
            &self.lab,
            Some(&self.variant),
            self.store.as_deref(),
            // The mount is for others to see.
            Isolation::None,
        )?;
        chosen.model.time = Some(self.time);
        let store = chosen.directory("drives")?;
        let log = chosen.directory("log")?;
        let signals = Signals::follow()
            .map_err(|e| complain(ENVIRONMENT, &format!("cannot wait for Ctrl-C: {e}")))?;
        let mut session = chosen.session(&log, &signals.stop)?;
        session
            .build(chosen.build(&store, chosen.campaign.method.seed, self.instant))
            .map_err(failed)?;
        session.mount(&self.dataset, &dir, 0).map_err(failed)?;
        output::complain(&format!(
            "{} of {} on {}: OpenZFS {} · size 1/{:.3} · time {}× slower{}\n",
            chosen.variant.name,
            chosen.campaign.name,
            self.dir.display(),
            session.hello().openzfs,
            chosen.model.size,
            self.time,
            if self.instant {
                " · instant drives"
            } else {
                ""
            },
        ));
        let code = match self.command.split_first() {
            None => {
                output::complain("Ctrl-C ends it; what is written there is gone then\n");
                signals.wait();
                0
            }
            Some((program, arguments)) => signals.command(program, arguments)?,
        };
        session.stop().map_err(failed)?;
        Ok(code)
    }

    /// That there is an empty directory to mount on, or why not and what to do.
    fn dir_is_empty(&self) -> Result<(), String> {
        let dir = self.dir.display();
        match std::fs::read_dir(&self.dir).map(|mut entries| entries.next().is_none()) {
            Ok(true) => Ok(()),
            // What FUSE answers to everything once nobody serves a mount.
            Err(e) if e.kind() == ErrorKind::NotConnected => Err(format!(
                "{dir} is still mounted, but the process that served it is gone, as after a kill of `poolwright mount`: detach it with `fusermount3 -u {dir}`, or as root with `umount -l {dir}`, and repeat the command"
            )),
            _ => Err(format!("{dir} is not an empty directory: make one")),
        }
    }
}

/// What Ctrl-C and its like are for.
enum Phase {
    /// They end the build, or what tears it down.
    Building,
    /// They end the wait.
    Mounted(Sender<()>),
    /// They are the command's, which decides when to end.
    Running(Pid),
}

/// Follows the signals that ask a program to end.
struct Signals {
    stop: Stop,
    phase: Arc<Mutex<Phase>>,
}

impl Signals {
    fn follow() -> std::io::Result<Signals> {
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let these = Signals {
            stop: Stop::default(),
            phase: Arc::new(Mutex::new(Phase::Building)),
        };
        let (stop, phase) = (these.stop.clone(), Arc::clone(&these.phase));
        std::thread::spawn(move || {
            for signal in signals.forever() {
                match &*phase.lock().unwrap_or_else(PoisonError::into_inner) {
                    Phase::Building => stop.request(),
                    Phase::Mounted(tell) => {
                        let _ = tell.send(());
                    }
                    // The terminal's reaches the command by itself.
                    Phase::Running(_) if signal == SIGINT => {}
                    Phase::Running(pid) => {
                        let signal = if signal == SIGHUP { Signal::HUP } else { Signal::TERM };
                        let _ = kill_process(*pid, signal);
                    }
                }
            }
        });
        Ok(these)
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a signal.
    fn wait(&self) {
        let (tell, told) = channel();
        *self.phase() = Phase::Mounted(tell);
        if !self.stop.requested() {
            let _ = told.recv();
        }
    }

    /// Runs a command; its exit code, or a shell's for the signal that ended it.
    fn command(&self, program: &OsString, arguments: &[OsString]) -> Result<u8, u8> {
        use std::os::unix::process::ExitStatusExt;
        let failed = |e| {
            complain(
                ENVIRONMENT,
                &format!("cannot run {}: {e}", program.display()),
            )
        };
        // Held until the command can be told: no signal falls between.
        let mut phase = self.phase();
        if self.stop.requested() {
            return Err(INTERRUPTED);
        }
        let mut child = Command::new(program).args(arguments).spawn().map_err(failed)?;
        if let Some(pid) = Pid::from_raw(child.id() as i32) {
            *phase = Phase::Running(pid);
        }
        drop(phase);
        let status = child.wait();
        *self.phase() = Phase::Building;
        let status = status.map_err(failed)?;
        let signal = || 128 + status.signal().unwrap_or(0);
        Ok(status.code().unwrap_or_else(signal) as u8)
    }
}

/// Says how the engine failed; an exit code. Who stopped it needs no telling.
pub fn failed(fault: Fault) -> u8 {
    match fault {
        Fault::Interrupted => INTERRUPTED,
        fault => complain(ENVIRONMENT, &fault.to_string()),
    }
}

fn complain(code: u8, message: &str) -> u8 {
    output::complain(&format!("error: {message}\n"));
    code
}
