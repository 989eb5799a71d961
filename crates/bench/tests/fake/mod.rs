//! An engine that is none: what it measures is a pure function of its inputs.
#![allow(dead_code, reason = "each user uses a part of it")]

use bench::clock::Clock;
use bench::engine::{Engine, TrialContext};
use bench::error::Error;
use bench::inputs::Inputs;
use lab::campaign::{AllocationClass, OpenZfs, Program};
use measurement::{Cost, Counter, DriveCounter, Flow, Measured, Second, Stage};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The engine.
#[derive(Debug)]
pub struct Fake {
    /// Its wall time.
    pub clock: Arc<dyn Clock>,
    /// Wall seconds that a trial takes.
    pub wall_s: f64,
    /// Its build.
    pub build: String,
    /// Whether trials of pools with a log fail.
    pub logs_fail: bool,
    /// Added to each mean latency, ns: an engine that is not deterministic.
    pub noise_ns: f64,
    /// A file that gets the key of each trial that begins.
    pub log: Option<PathBuf>,
    /// How many trials it has begun.
    pub begun: AtomicUsize,
    /// Seeds of trials whose pool state it was to keep, in the order of the trials.
    pub kept: Mutex<Vec<u64>>,
}

impl Fake {
    /// One that takes so long for a trial.
    pub fn new(clock: Arc<dyn Clock>, wall_s: f64) -> Fake {
        Fake {
            clock,
            wall_s,
            build: "fake-1".into(),
            logs_fail: false,
            noise_ns: 0.0,
            log: None,
            begun: AtomicUsize::new(0),
            kept: Mutex::default(),
        }
    }

    /// How many trials it has begun.
    pub fn count(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }
}

impl Engine for Fake {
    fn build_id(&self, _openzfs: OpenZfs, _client: &Program) -> Result<String, Error> {
        Ok(self.build.clone())
    }

    fn version(&self, openzfs: OpenZfs) -> Result<String, Error> {
        Ok(format!("{openzfs}.0"))
    }

    fn run(&self, inputs: &Inputs, context: &TrialContext) -> Result<Measured, Error> {
        let TrialContext { raw, stop, .. } = *context;
        if let Some(log) = &self.log {
            let line = format!("{}\n", inputs.key()?.0);
            let file = File::options().append(true).create(true).open(log);
            let noted = file.and_then(|mut file| file.write_all(line.as_bytes()));
            noted.map_err(|e| Error::failed(format!("cannot write to the log: {e}")))?;
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        if context.state_needed_again
            && let Ok(mut kept) = self.kept.lock()
        {
            kept.push(inputs.seed);
        }
        let written = std::fs::write(raw.join("fake.log"), "begun\n");
        written.map_err(|e| Error::failed(format!("cannot write to {}: {e}", raw.display())))?;
        (context.stage)(Stage::Measuring);
        let begun = self.clock.now_s();
        while self.clock.now_s() - begun < self.wall_s {
            if stop.should_end() {
                return Err(Error::Interrupted);
            }
            let left = self.wall_s - (self.clock.now_s() - begun);
            self.clock.sleep(Duration::from_secs_f64(left.clamp(0.0, 0.05)));
        }
        let has_log = inputs.variant.pool.vdevs.iter().any(|v| v.class == AllocationClass::Log);
        if has_log && self.logs_fail {
            return Err(Error::failed("VERIFY3(0 == spa_create()) failed (0 == 5)"));
        }
        // The log gives ten times the operations, a flush is half of what is left; a seed moves by 1 %.
        let seed = (inputs.seed % 1000) as f64 / 1000.0;
        let mut rate = if has_log { 6000.0 } else { 600.0 } * (1.0 + 0.01 * seed);
        if inputs.without == Some(Cost::LogFlush) {
            rate *= 2.0;
        }
        let rate = inputs.rate.map_or(rate, |offered| offered.min(rate));
        Ok(measured(rate, inputs.method.runtime_s.unwrap_or(10.0), self.noise_ns))
    }
}

/// Of one client that writes 16 KiB synchronously.
fn measured(rate: f64, seconds: f64, noise_ns: f64) -> Measured {
    let ops = (rate * seconds) as u64;
    let mean_ns = 1e9 / rate;
    let whole = seconds as usize;
    let second = |i: usize| Second {
        at: i as f64 + 1.0,
        reads: 0.0,
        writes: rate * (1.0 + 0.02 * (((i * 7919) % 13) as f64 / 6.0 - 1.0)),
        values: [(Counter::TxgSyncs, f64::from(u8::from(i % 5 == 4)))].into(),
    };
    Measured {
        concurrency: 1.0,
        runtime_s: seconds,
        write: Flow {
            ops,
            bytes: ops * 16384,
            mean_ns: mean_ns + noise_ns,
            histogram: vec![(mean_ns as u64, ops)],
            overflow: 0,
        },
        seconds: (0..whole).map(second).collect(),
        totals: [
            (Counter::ZilCommits, ops as f64),
            (Counter::drive("hdd0", DriveCounter::Flushes), ops as f64),
        ]
        .into(),
        ..Measured::default()
    }
}
