//! The command line with a fake engine, for tests. Its environment: `FAKE_WALL_S` wall seconds that a trial
//! takes, `FAKE_LOG` a file that gets a line for each trial that begins, `FAKE_NOISE_NS` what it adds to a
//! mean latency, `FAKE_LOGS_FAIL` that pools with a log fail.

#[path = "../../bench/tests/fake/mod.rs"]
mod fake;

use bench::clock::WallClock;
use bench::engine::Engine;
use bench::error::Error;
use fake::Fake;
use std::env;
use std::process::ExitCode;
use std::sync::Arc;

fn open() -> Result<Box<dyn Engine>, Error> {
    let number = |name: &str| env::var(name).ok()?.parse::<f64>().ok();
    let wall_s = number("FAKE_WALL_S").unwrap_or(0.0);
    let mut fake = Fake::new(Arc::new(WallClock::start()), wall_s);
    fake.noise_ns = number("FAKE_NOISE_NS").unwrap_or(0.0);
    fake.logs_fail = env::var_os("FAKE_LOGS_FAIL").is_some();
    fake.log = env::var_os("FAKE_LOG").map(Into::into);
    Ok(Box::new(fake))
}

fn main() -> ExitCode {
    poolwright::main(open)
}
