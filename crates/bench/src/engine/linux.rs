//! The Linux machine: variants are built and measured inside a kernel in virtual time.

mod devices;
mod parameters;
pub mod probe;
mod samples;
pub mod shell;
pub(crate) mod steps;
pub mod variant;

use super::{Engine, Step, TrialWatch};
use crate::fault::{Fault, doing};
use crate::inputs::Inputs;
use crate::programs::{Fio, Postgresql};
use crate::stop::Stop;
use crate::workload::{self, Client, Seen};
use findings::record::{Cost, Measured, WarmUp, WarmUpEnd};
use lab::campaign::{OpenZfs, Processor, Program};
use machine::memory::Memory;
use machine::script::Phase;
use machine::start::{Failure, Machine};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// Bytes without which a machine cannot write its results; those of a trial are smaller.
const LEAST_SPACE: u64 = 1 << 20;

/// The engine of this host.
#[derive(Debug)]
pub struct Linux {
    /// Kernel, modules and tools.
    pub engine: machine::engine::Engine,
    /// The client.
    pub fio: Fio,
    /// Hash of the client's program.
    fio_hash: String,
    /// This program, which is also the machine's first process.
    pub executable: PathBuf,
    /// Where cores are held.
    pub locks: PathBuf,
    /// Real time after which a machine is taken for hung.
    pub patience: Duration,
    /// Memory of machines that have ended.
    memory: Mutex<Vec<Memory>>,
}

impl Linux {
    /// The engine that `make engine` built, with fio and this program.
    ///
    /// # Errors
    /// [`Fault::Environment`] with what is missing and what to do.
    pub fn find(patience: Duration) -> Result<Linux, Fault> {
        let environment = |why: String| Fault::Environment(why);
        if let Some(why) = probe::unsupported(std::env::consts::OS, std::env::consts::ARCH) {
            return Err(environment(why));
        }
        let engine = machine::engine::Engine::find().map_err(|e| environment(e.to_string()))?;
        let fio = Fio::find()?;
        let program = fs::read(&fio.program)
            .map_err(|e| environment(format!("cannot read {}: {e}", fio.program.display())))?;
        let executable = std::env::current_exe()
            .map_err(|e| environment(format!("cannot find this program: {e}")))?;
        Ok(Linux {
            engine,
            fio_hash: blake3::hash(&program).to_hex()[..16].to_owned(),
            fio,
            executable,
            locks: machine::engine::cache().join("cores"),
            patience,
            memory: Mutex::default(),
        })
    }

    /// Memory that a machine has used, or new memory.
    fn take_memory(&self) -> Result<Memory, Fault> {
        let used = self.memory.lock().ok().and_then(|mut all| all.pop());
        used.map_or_else(Memory::new, Ok)
            .map_err(|e| Fault::Environment(format!("cannot get memory for a machine: {e}")))
    }

    fn give_memory_back(&self, memory: Memory) {
        if let Ok(mut all) = self.memory.lock() {
            all.push(memory);
        }
    }
}

impl Engine for Linux {
    fn build_id(&self, openzfs: OpenZfs, client: &Program) -> Result<String, Fault> {
        let identity = self.engine.identity(Some(openzfs.name()));
        let identity = identity.map_err(|e| Fault::Environment(e.to_string()))?;
        Ok(match client {
            Program::Fio { .. } => format!("{identity} {} {}", self.fio.version, self.fio_hash),
            Program::Pgbench(pgbench) => {
                let server = Postgresql::find(pgbench.version)?;
                format!("{identity} {} {}", server.version, server.hash()?)
            }
        })
    }

    fn version(&self, openzfs: OpenZfs) -> Result<String, Fault> {
        let release = self.engine.openzfs(openzfs.name());
        let release = release.map_err(|e| Fault::Environment(e.to_string()))?;
        Ok(release.version.clone())
    }

    fn run(
        &self,
        inputs: &Inputs,
        raw: &Path,
        watch: &dyn TrialWatch,
        stop: &Stop,
    ) -> Result<Measured, Fault> {
        watch.step(Step::Booting);
        let raw = fs::canonicalize(raw).map_err(doing(format!("find {}", raw.display())))?;
        let client = workload::prepare(inputs, &self.fio, &raw)?;
        let client = client.as_ref();
        let parameters = parameters::of(inputs, client.data_bytes());
        let script = steps::script(inputs, &self.engine, client, &parameters)?;
        let drives = devices::config(inputs, &raw)?;
        let free =
            inputs.host.processor == Processor::Free || inputs.without == Some(Cost::Processor);
        let memory = self.take_memory()?;
        let machine = Machine {
            kernel: &self.engine.kernel(),
            executable: &self.executable,
            directory: &raw,
            memory: inputs.model.guest_memory + parameters.more_memory + client.memory(),
            cores: inputs.host.cores,
            pace: 0,
            charged: !free,
            seed: inputs.seed,
            script: &script,
            reused: Some(&memory),
            locks: self.locks.clone(),
            patience: self.patience,
        };
        let phase = |phase: Phase| {
            watch.step(match phase {
                Phase::Building => Step::Building,
                Phase::LayingOut => Step::LayingOut,
                Phase::Settling => Step::Settling,
                Phase::WarmingUp => Step::WarmingUp,
                Phase::Measuring => Step::Measuring,
            });
        };
        let outcome = machine.run(&drives, &phase, &|| stop.requested());
        self.give_memory_back(memory);
        let outcome = outcome.map_err(|failure| fault(&failure, &raw, Some(client)))?;
        let warm_up = outcome.warm_up.map(|warm| WarmUp {
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
        client.measured(Seen {
            samples: samples::differences(&outcome.samples),
            facts: [("machine.built_s".to_owned(), outcome.built_s)].into(),
            warm_up: warm_up.or(ramp),
        })
    }
}

/// Why a machine did not end well, as a campaign knows it.
fn fault(failure: &Failure, raw: &Path, client: Option<&dyn Client>) -> Fault {
    match failure {
        Failure::Stopped => Fault::Interrupted,
        Failure::Host { .. } | Failure::Start(_) => Fault::Environment(failure.to_string()),
        _ if is_full(raw) => Fault::Environment(format!(
            "no space is left on the file system of {}: free some and run the same command again",
            raw.display()
        )),
        Failure::Ended(why) | Failure::Script(why) => match client.and_then(Client::complaint) {
            Some(line) => Fault::failed(line),
            None => Fault::failed(why.clone()),
        },
    }
}

/// Whether a directory's file system has no room for what a machine writes.
fn is_full(directory: &Path) -> bool {
    rustix::fs::statvfs(directory).is_ok_and(|of| of.f_bavail * of.f_frsize < LEAST_SPACE)
}
