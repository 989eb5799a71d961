//! Whether machines can run here.

use super::Linux;
use crate::error::Error;
use contents::config::Config;
use machine::engine::Engine;
use machine::memory::Memory;
use machine::script::{Command, Script, Step};
use machine::start::{Failure, Machine};
use measurement::Stage;
use std::path::Path;
use std::time::{Duration, Instant};

/// Memory of the test machine, bytes.
const MEMORY: u64 = 512 << 20;
/// Real time after which it counts as hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// Why machines cannot run on a system and processor (Rust's names); none if they can.
pub fn unsupported(system: &str, processor: &str) -> Option<String> {
    ((system, processor) != ("linux", "x86_64")).then(|| {
        format!(
            "the machine runs on x86-64 Linux only, and this is {processor} {system}: run it on such a host; every command but run, trial, shell, verify and powercut works here"
        )
    })
}

impl Linux {
    /// Starts a machine in an empty directory that loads a release of OpenZFS and its tools, and ends.
    /// Returns the real time that it took.
    ///
    /// # Errors
    /// Why the machine failed.
    pub fn probe(
        engine: &Engine,
        release: &str,
        executable: &Path,
        directory: &Path,
    ) -> Result<Duration, Error> {
        let inside = engine.inside();
        let module = |name: &str| Step::Module {
            file: inside.module(release, name),
            parameters: String::new(),
        };
        let script = Script {
            programs: inside.programs(release),
            steps: vec![
                Step::Stage(Stage::Building),
                module("spl"),
                module("zfs"),
                Step::Run(Command::new(["zpool", "list"])),
                Step::Run(Command::new(["zfs", "list"])),
            ],
            ..Script::default()
        };
        let drives = Config {
            pages: 1 << 10,
            memory: Some(machine::memory::DRIVES),
            spill: None,
            drives: Vec::new(),
            image: None,
            record: None,
            reads: false,
        };
        let memory = Memory::new().map_err(|e| {
            Error::Environment(format!("cannot get memory for a machine: {e}: free memory"))
        })?;
        let machine = Machine {
            kernel: engine.kernel(),
            executable,
            directory,
            memory: MEMORY,
            cores: 1,
            pace: 0,
            charged: false,
            seed: 1,
            script: &script,
            reused: Some(&memory),
            image: None,
            start_s: 0,
            locks: machine::engine::cache().join("cores"),
            patience: PATIENCE,
        };
        let begun = Instant::now();
        let ended = machine.run(&drives, &|_| (), &|| false);
        ended.map(|_| begun.elapsed()).map_err(|failure| match failure {
            Failure::Start(why) => Error::Environment(why),
            other => Error::Environment(other.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::unsupported;

    #[test]
    fn machines_run_on_one_kind_of_host() {
        assert_eq!(unsupported("linux", "x86_64"), None);
        for (system, processor) in [("linux", "aarch64"), ("macos", "x86_64")] {
            let why = unsupported(system, processor).unwrap();
            assert!(why.contains(system) && why.contains(processor), "{why}");
        }
    }
}
