//! The machine of a variant, for other work than a trial: the caller decides what it runs.

use super::parameters::{Parameters, parameters};
pub use super::steps::{directory, filesystem_device, mount, place};
use super::{DriveContents, Linux, devices, of_host, steps, trial_error};
use crate::error::Error;
use crate::inputs::Inputs;
use crate::stop::Stop;
use crate::workload::Client;
use contents::config::Config;
use machine::memory::image;
use machine::outcome::Outcome;
use machine::script::Step;
use machine::start::{Failure, Machine};
use measurement::Stage;
use std::path::Path;
use std::time::Duration;

/// A variant whose machine can be started any number of times.
#[derive(Debug)]
pub struct VariantMachine<'a> {
    linux: &'a Linux,
    inputs: &'a Inputs,
    parameters: Parameters,
}

/// Why a machine ended before its script.
#[derive(Debug)]
pub enum EarlyEnd {
    /// Its kernel panicked, or it ended in another way of itself: how, in one line.
    Died(String),
    /// It was ended because it took too long in real time: how, in one line. It may have been in a loop, or the host
    /// slow.
    Hung(String),
    /// Anything else.
    Error(Error),
}

impl From<Error> for EarlyEnd {
    fn from(error: Error) -> EarlyEnd {
        EarlyEnd::Error(error)
    }
}

impl Linux {
    /// The machine of a variant, with room for a client. The client's part of the inputs is not used, except for its
    /// dataset.
    pub fn variant<'a>(
        &'a self,
        inputs: &'a Inputs,
        client: Option<&dyn Client>,
    ) -> VariantMachine<'a> {
        VariantMachine { linux: self, inputs, parameters: parameters(inputs, client) }
    }
}

impl VariantMachine<'_> {
    /// Its drives.
    ///
    /// # Errors
    /// That a profile cannot be used.
    pub fn drives(&self) -> Result<Config, Error> {
        devices::config(self.inputs)
    }

    /// The steps that build it from empty drives.
    pub fn build(&self) -> Vec<Step> {
        steps::build(self.inputs, &self.linux.engine, &self.parameters)
    }

    /// The first of these steps: those that load the kernel's modules.
    pub fn load(&self) -> Vec<Step> {
        steps::load(self.inputs, &self.linux.engine, &self.parameters)
    }

    /// Runs a machine with these drives, empty or with `contents`, to the end of these steps. It counts as hung after a
    /// real time.
    ///
    /// # Errors
    /// Why the machine failed before.
    pub fn run(
        &self,
        directory: &Path,
        drives: &Config,
        contents: Option<DriveContents>,
        steps: Vec<Step>,
        hung_after: Duration,
        stop: &Stop,
    ) -> Result<Outcome, EarlyEnd> {
        let script = steps::script(self.inputs, &self.linux.engine, steps);
        let memory = self.linux.take_memory(directory)?;
        let index = contents.map(|contents| contents.hand_over(&memory, directory)).transpose()?;
        let drives = Config { image: index.as_ref().map(|_| image()), ..drives.clone() };
        let machine = Machine {
            patience: hung_after,
            image: index.as_ref(),
            ..self.linux.machine(self.inputs, &self.parameters, directory, &script, &memory)
        };
        let ended = self.linux.run_machine(&machine, &drives, &|_: Stage| (), stop);
        // Memory that is given back frees what its drives had on the disk.
        let ended = ended.map_err(|failure| early(failure, directory));
        self.linux.give_memory_back(memory);
        ended
    }
}

/// Why a machine ended early: of itself, or because of the host. Its directory is not kept, so that no file of it may be
/// named.
fn early(failure: Failure, directory: &Path) -> EarlyEnd {
    match failure {
        Failure::Ended(_) | Failure::Hung { .. } if let Some(error) = of_host(directory) => {
            EarlyEnd::Error(error)
        }
        Failure::Ended(how) => EarlyEnd::Died(how),
        Failure::Hung { seconds, last } => EarlyEnd::Hung(format!(
            "the machine did not end within {seconds} s of real time and was ended; its last message: {}",
            last.as_deref().unwrap_or("none")
        )),
        other => EarlyEnd::Error(trial_error(&other, directory, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_hangs_has_not_died_and_neither_has_one_that_the_host_ended() {
        let end = |failure| early(failure, Path::new("/gone"));
        let hung =
            |last: Option<&str>| Failure::Hung { seconds: 600, last: last.map(str::to_owned) };
        let EarlyEnd::Hung(how) = end(hung(Some("spinning"))) else { panic!() };
        assert!(how.contains("600 s of real time") && how.ends_with("message: spinning"), "{how}");
        assert!(!how.contains("console.txt"), "{how}");
        assert!(matches!(end(hung(None)), EarlyEnd::Hung(_)));
        assert!(matches!(end(Failure::Ended("panic".to_owned())), EarlyEnd::Died(_)));
        let killed = end(Failure::Killed("signal 9".to_owned()));
        assert!(matches!(killed, EarlyEnd::Error(Error::Environment(_))), "{killed:?}");
        let directory = tempfile::tempdir().unwrap();
        let console = "the record of the drives cannot be written: File too large (os error 27)\n";
        std::fs::write(directory.path().join(machine::CONSOLE), console).unwrap();
        for failure in [hung(None), Failure::Ended("panic".to_owned())] {
            let refused = early(failure, directory.path());
            assert!(matches!(refused, EarlyEnd::Error(Error::Environment(_))), "{refused:?}");
        }
    }
}
