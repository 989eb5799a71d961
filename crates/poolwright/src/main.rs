//! The program `poolwright`.

use bench::engine::Engine;
use bench::engine::linux::Linux;
use bench::fault::Fault;
use std::process::ExitCode;
use std::time::Duration;

/// Real time after which a machine counts as hung. The longest trials of the labs take minutes.
const PATIENCE: Duration = Duration::from_secs(3600);

fn main() -> ExitCode {
    poolwright::main(open_engine)
}

/// The engine of this host.
fn open_engine() -> Result<Box<dyn Engine>, Fault> {
    Ok(Box::new(Linux::find(PATIENCE)?))
}
