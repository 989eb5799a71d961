//! The findings files that the command line's own examples read are those of the fixture.

mod fixture;

use findings::Findings;
use fixture::{Shape, findings};
use std::path::Path;

const SHAPE: Shape = Shape { workloads: 1, trials: 4, seconds: 0, drives: 0 };

/// The mirror's throughput is a third less.
fn slower() -> Findings {
    let mut slower = findings(&SHAPE);
    for trial in &mut slower.trials {
        if trial.variant == "mirror/none" {
            trial.throughput = trial.throughput.map(|t| t * 0.66);
        }
    }
    slower
}

fn other_lab() -> Findings {
    let mut other = findings(&SHAPE);
    other.lab.name = "another".into();
    other
}

/// `UPDATE_SCHEMA=1 cargo test -p report --test examples` writes them anew.
#[test]
fn the_examples_of_the_command_line_are_current() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../poolwright/tests/cmd/report.in");
    for (name, findings) in
        [("before.json", findings(&SHAPE)), ("slower.json", slower()), ("other.json", other_lab())]
    {
        let mut made = Vec::new();
        report::json::write(&findings, &mut made).expect("memory takes it");
        let file = directory.join(name);
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::create_dir_all(&directory).expect("the tests' directory is writable");
            std::fs::write(&file, &made).expect("the tests' directory is writable");
        }
        assert!(
            std::fs::read(&file).unwrap_or_default() == made,
            "{name} is not that of the fixture: \
             run `UPDATE_SCHEMA=1 cargo test -p report --test examples`"
        );
    }
}
