//! `poolwright trial KEY…`: run planned trials, in any order and on any number of hosts.

use crate::exit::{INTERRUPTED, Refusal};
use crate::run::progress::Progress;
use crate::store_dir::StoreDir;
use crate::{engine, host_resources, output};
use bench::budget::Budget;
use bench::clock::WallClock;
use bench::engine::linux::host_memory;
use bench::planned_trial::{self, PlannedTrial};
use bench::round::{Done, Runner};
use bench::stop::Stop;
use measurement::TrialResult;
use std::num::NonZeroUsize;
use std::sync::Arc;
use text::line::one_line;

/// Exit code when a trial failed.
const FAILED: u8 = 1;

/// Run planned trials by their keys, as `poolwright run LAB --list` prints them
///
/// Several processes may share one store: each trial is run once. To spread a lab over processors:
/// `poolwright run LAB --list | cut -f1 | parallel poolwright trial`. On another host, with a store of
/// its own, copy <store>/planned there first, and bring the results back with `poolwright merge`.
///
/// Exit codes: 0 all trials are stored now · 1 a trial failed · 2 a key is unknown · 3 this host lacks
/// something · 130 interrupted; the same command resumes.
#[derive(clap::Args)]
pub struct Args {
    /// Keys, or enough of their first digits to be unique
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
    /// Trials that run in parallel [default: one per processor, as far as memory allows]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    store: StoreDir,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let store = self.store.open()?;
        let mut trials: Vec<PlannedTrial> = Vec::new();
        for name in &self.keys {
            let key = store.resolve(name)?;
            let inputs = store.inputs(&key)?;
            if trials.iter().all(|trial| trial.key != key) {
                trials.push(planned_trial::of_inputs(key, inputs)?);
            }
        }
        let engine = engine::open()?;
        let stop = Stop::at_signals()?;
        let progress = Progress::new();
        let largest = trials.iter().map(|trial| host_memory(&trial.inputs)).max().unwrap_or(0);
        let runner = Runner {
            store: &store,
            engine: engine.as_ref(),
            stop: &stop,
            clock: Arc::new(WallClock::start()),
            parallel: host_resources::parallel(self.jobs, largest, host_resources::free_memory()),
            watch: &progress,
        };
        let done = runner.run(&trials, &mut Budget::new(f64::INFINITY));
        progress.clear();
        let done = done?;
        let mut code = 0;
        for (planned, done) in trials.iter().zip(&done) {
            let state = match done {
                Done::Trial(trial) => match &trial.outcome {
                    TrialResult::Measured(_) => "stored".to_owned(),
                    TrialResult::Failed { reason } => {
                        code = code.max(FAILED);
                        format!("failed\t{}", one_line(reason))
                    }
                },
                Done::NoTime { .. } | Done::Stopped => "not run".to_owned(),
            };
            code = code.max(output::print(&format!("{}\t{state}\n", planned.key)));
        }
        store.tidy_states()?;
        if stop.interrupted() {
            output::complain("Results so far are saved. Run the same command to resume.\n");
            return Ok(INTERRUPTED);
        }
        Ok(code)
    }
}
