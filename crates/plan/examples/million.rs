//! Ranks more than a million pools of 120 drives of two kinds and says how long it took:
//! `cargo run --release -p plan --example million`.

use plan::assess::Options;
use plan::drive::parse;
use plan::enumerate::Scope;
use plan::rank::{Wanted, rank};
use std::time::Instant;

fn main() -> Result<(), plan::drive::DriveError> {
    for text in ["36x16T hdd-7200 + 36x8T hdd-7200", "60x16T hdd-7200 + 60x8T hdd-7200"] {
        let drives = parse(text, &|_| None)?;
        let begin = Instant::now();
        let ranking = rank(&drives, &Scope::default(), &Options::default(), &Wanted::default());
        let seconds = begin.elapsed().as_secs_f64();
        println!("{text}: {} layouts, {} shown", ranking.considered, ranking.shown.len());
        println!("{seconds:.2} s on one core");
    }
    Ok(())
}
