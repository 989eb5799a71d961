//! The program `poolwright`.

use std::process::ExitCode;

fn main() -> ExitCode {
    poolwright::main(poolwright::open_engine)
}
