//! A machine with drives of a test's choice that carries out a shell script. Compute takes no time in it.
#![allow(dead_code, reason = "each test file uses a part of it")]

use contents::config::{Config, DriveConfig};
use drives::Profile;
use machine::engine::Engine;
use machine::script::{Command, Script, Step};
use machine::start::Machine;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pages of 4 KiB that all drives together may hold: 4 GiB.
const PAGES: u32 = 1 << 20;

/// A machine that is not started yet.
pub struct Bare {
    engine: Engine,
    directory: tempfile::TempDir,
    drives: Vec<DriveConfig>,
    /// Release of OpenZFS that is loaded; none for none.
    pub openzfs: Option<&'static str>,
}

impl Bare {
    /// With these drives; none, with a notice, where there is no engine.
    pub fn new(drives: Vec<DriveConfig>) -> Option<Bare> {
        let directory = super::with_engine::engine()?;
        Some(Bare {
            engine: Engine::open(&directory).unwrap(),
            directory: tempfile::tempdir().unwrap(),
            drives,
            openzfs: None,
        })
    }

    /// A file of its directory, which is `/run/machine` inside.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Everything that reached its drives, after its end.
    pub fn record(&self) -> PathBuf {
        self.file("record")
    }

    /// Runs `sh -e` on a script in `/run/machine`, and gives what it printed.
    pub fn run(&self, script: &str) -> String {
        fs::write(self.file("script.sh"), script).unwrap();
        let inside = self.engine.inside();
        let mut steps = Vec::new();
        let mut programs = BTreeMap::new();
        if let Some(release) = self.openzfs {
            for (module, parameters) in [("spl", "spl_hostid=1"), ("zfs", "")] {
                steps.push(Step::Module {
                    file: inside.module(release, module),
                    parameters: parameters.to_owned(),
                });
            }
            programs = inside.programs(release);
        }
        let shell = Command::new(["sh", "-e", "script.sh"]);
        let shell = shell.directory(machine::INSIDE).output("printed");
        steps.push(Step::Run(shell));
        let script = Script { pool: String::new(), programs, steps };
        let config = Config {
            pages: PAGES,
            memory: None,
            spill: None,
            drives: self.drives.clone(),
            image: None,
            record: Some(self.record()),
            reads: false,
        };
        let machine = Machine {
            kernel: self.engine.kernel(),
            executable: Path::new(env!("CARGO_BIN_EXE_poolwright")),
            directory: self.directory.path(),
            memory: 2 << 30,
            cores: 4,
            pace: 0,
            charged: false,
            seed: 1,
            script: &script,
            image: None,
            start_s: 0,
            reused: None,
            locks: machine::engine::cache().join("cores"),
            patience: Duration::from_secs(600),
        };
        let ended = machine.run(&config, &|_| (), &|| false);
        let printed = fs::read_to_string(self.file("printed")).unwrap_or_default();
        if let Err(why) = ended {
            let console = fs::read_to_string(self.file(machine::CONSOLE)).unwrap_or_default();
            panic!("{why}\n{printed}\n{console}");
        }
        printed
    }
}

/// Every profile of this repository by the name of its file.
pub fn profiles() -> BTreeMap<String, Profile> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
    let files = fs::read_dir(directory).unwrap();
    files
        .map(|file| file.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap();
            (name, Profile::from_toml(&text).unwrap())
        })
        .collect()
}

/// A drive of a profile at its real size.
pub fn drive(name: &str, profile: &Profile, seed: u64) -> DriveConfig {
    let capacity = profile.capacity.value as u64;
    DriveConfig {
        name: name.to_owned(),
        profile: profile.clone(),
        real_capacity: capacity,
        capacity,
        seed,
        free: Vec::new(),
        failed: false,
    }
}
