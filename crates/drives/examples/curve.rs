//! Prints IOPS and latency of a profile against queue depth, and what a request costs in CPU.

use drives::Profile;
use drives::closed_loop::{ClosedLoop, Pattern};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: curve profiles/NAME.toml");
        std::process::exit(2);
    };
    let profile = Profile::from_toml(&std::fs::read_to_string(&path)?)?;
    let capacity = profile.capacity.value as u64;
    println!("depth  kind                IOPS     MB/s   mean µs    p99 µs  CPU ns/request");
    for (name, writes, pattern, length, span) in [
        ("random read", 0.0, Pattern::Random, 4096, capacity),
        ("tenth of stroke", 0.0, Pattern::Random, 4096, capacity / 10),
        ("random write", 1.0, Pattern::Random, 4096, capacity),
        ("sequential read", 0.0, Pattern::Sequential, 131_072, capacity),
        ("sequential write", 1.0, Pattern::Sequential, 131_072, capacity),
    ] {
        for depth in [1, 2, 4, 8, 16, 32, 1000] {
            let client = ClosedLoop {
                depth,
                pattern,
                length,
                span,
                writes,
                warm_up: 3000,
                requests: 20_000,
                ..ClosedLoop::default()
            };
            let mut drive = profile.drive(capacity, capacity, 1);
            let clock = Instant::now();
            let outcome = client.run(drive.as_mut());
            let cpu = clock.elapsed().as_nanos() as f64 / 23_000.0;
            println!(
                "{depth:5}  {name:16} {:8.0} {:8.1} {:9.1} {:9.1}  {cpu:8.0}",
                outcome.iops,
                outcome.bytes_per_second / 1e6,
                outcome.mean() / 1e3,
                outcome.quantile(0.99) as f64 / 1e3,
            );
        }
    }
    Ok(())
}
