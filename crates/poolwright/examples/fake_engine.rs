//! The command line with a fake engine, for tests. Its environment: `FAKE_WALL_S` wall seconds that a trial
//! takes, `FAKE_LOG` a file that gets a line for each trial that begins, `FAKE_NOISE_NS` what it adds to a
//! mean latency, `FAKE_LOGS_FAIL` that pools with a log fail.

#[path = "../../bench/tests/fake/mod.rs"]
mod fake;

use bench::clock::WallClock;
use bench::engine::{Engine, TrialContext};
use bench::error::Error;
use bench::inputs::Inputs;
use fake::Fake;
use lab::campaign::{OpenZfs, Program};
use measurement::Measured;
use std::env;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// The fake engine, which logs the trials that it starts.
struct Noting(Fake);

impl Engine for Noting {
    fn build_id(&self, openzfs: OpenZfs, client: &Program) -> Result<String, Error> {
        self.0.build_id(openzfs, client)
    }

    fn version(&self, openzfs: OpenZfs) -> Result<String, Error> {
        self.0.version(openzfs)
    }

    fn run(&self, inputs: &Inputs, context: &TrialContext) -> Result<Measured, Error> {
        if let Some(log) = env::var_os("FAKE_LOG") {
            let line = format!("{}\n", inputs.key()?.0);
            let file = File::options().append(true).create(true).open(log);
            let noted = file.and_then(|mut file| file.write_all(line.as_bytes()));
            noted.map_err(|e| Error::failed(format!("cannot write to FAKE_LOG: {e}")))?;
        }
        self.0.run(inputs, context)
    }
}

fn open() -> Result<Box<dyn Engine>, Error> {
    let number = |name: &str| env::var(name).ok()?.parse::<f64>().ok();
    let wall_s = number("FAKE_WALL_S").unwrap_or(0.0);
    let mut fake = Fake::new(Arc::new(WallClock::start()), wall_s);
    fake.noise_ns = number("FAKE_NOISE_NS").unwrap_or(0.0);
    fake.logs_fail = env::var_os("FAKE_LOGS_FAIL").is_some();
    Ok(Box::new(Noting(fake)))
}

fn main() -> ExitCode {
    poolwright::main(open)
}
