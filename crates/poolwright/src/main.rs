//! The program `poolwright`.

use bench::engine::Engine;
use bench::fault::Fault;
use std::process::ExitCode;

fn main() -> ExitCode {
    poolwright::main(open_engine)
}

/// The engine of this host.
fn open_engine() -> Result<Box<dyn Engine>, Fault> {
    Err(Fault::Environment(
        "there is no engine on this host; build it in Poolwright's source directory with: make engine"
            .to_owned(),
    ))
}
