//! The program as it is, but for memory that it takes and keeps at its start, so that its later system calls for
//! memory come at other times: for a test that no result depends on such things.

use std::process::ExitCode;

fn main() -> ExitCode {
    let kept: Vec<Vec<u8>> = (1..200).map(|n| vec![1; 517 * n]).collect();
    std::mem::forget(kept);
    poolwright::main(poolwright::open_engine)
}
