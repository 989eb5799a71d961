//! fio as a client of a trial.

use super::{COPY, Ended, Finished, LAYOUT, LEAD, PRE_READ, Prepared, WARM, complaint, prepare};
use crate::engine::linux::steps;
use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::measured::{self, Observed};
use crate::programs::Fio;
use crate::workload::{self, Seen};
use findings::record::Measured;
use machine::INSIDE;
use machine::script::{Command, Step};
use std::fs;
use std::path::{Path, PathBuf};

/// How many times its own time fio may take before it is taken for hung, and seconds on top.
const LIMIT: (f64, f64) = (3.0, 600.0);
/// Seconds for jobs that do not say how long they run.
const UNTIMED_S: f64 = 24.0 * 3600.0;

/// fio with its job of one trial.
#[derive(Debug)]
pub struct Client {
    program: PathBuf,
    prepared: Prepared,
}

impl Client {
    /// Rewrites the job of a trial.
    ///
    /// # Errors
    /// Every mistake in the job file.
    pub fn new(inputs: &Inputs, fio: &Fio, raw: &Path) -> Result<Client, Fault> {
        Ok(Client {
            program: fio.program.clone(),
            prepared: prepare(inputs, &steps::directory(inputs), raw)?,
        })
    }

    fn command(&self, file: &str, output: &str) -> Command {
        let program = self.program.to_string_lossy();
        let json = format!("--output={output}.json");
        Command::new([&*program, "--output-format=json+", &json, file])
            .directory(INSIDE)
            .output(&format!("{output}.out"))
    }
}

impl workload::Client for Client {
    fn lay_out(&self) -> Vec<Step> {
        vec![Step::Run(self.command(LAYOUT, "layout"))]
    }

    fn start(&self) -> Vec<Step> {
        Vec::new()
    }

    fn pre_read(&self) -> Result<Vec<Step>, Fault> {
        Ok(match self.prepared.write_pre_read()? {
            true => vec![Step::Run(self.command(PRE_READ, "pre-read"))],
            false => Vec::new(),
        })
    }

    fn warm_up(&self, limit_s: f64) -> Result<Command, Fault> {
        self.prepared.write_warm_up(limit_s)?;
        Ok(self.command(WARM, "warm"))
    }

    fn ramp(&self) -> Result<Option<(f64, Command)>, Fault> {
        let lead_s = self.prepared.job.lead_s;
        if lead_s <= 0.0 {
            return Ok(None);
        }
        self.prepared.write_lead()?;
        Ok(Some((lead_s, self.command(LEAD, "lead"))))
    }

    fn measure(&self) -> Vec<Step> {
        let job = &self.prepared.job;
        let runs_s = job.runtime_s.map_or(UNTIMED_S, |s| s + job.ramp_s);
        vec![Step::Measure {
            command: self.command(COPY, "fio"),
            ramp_s: job.ramp_s,
            limit_s: LIMIT.0 * runs_s + LIMIT.1,
        }]
    }

    fn stop(&self) -> Vec<Step> {
        Vec::new()
    }

    fn ramp_s(&self) -> f64 {
        self.prepared.job.ramp_s
    }

    fn data_bytes(&self) -> u64 {
        self.prepared.job.files_bytes
    }

    fn memory(&self) -> u64 {
        0
    }

    fn measured(&self, seen: Seen) -> Result<Measured, Fault> {
        let raw = &self.prepared.raw;
        let observed = Observed {
            finished: Finished::read(raw, "fio.json", Ended::Status(0))?,
            samples: seen.samples,
            begin: Some(0.0),
            facts: seen.facts,
            notes: Vec::new(),
            warm_up: seen.warm_up,
        };
        measured::measured(&self.prepared.job, observed)
    }

    fn complaint(&self) -> Option<String> {
        let outputs = ["fio", "warm", "lead", "pre-read", "layout"];
        let mut texts = outputs.iter().flat_map(|name| {
            [format!("{name}.out.err"), format!("{name}.json")]
                .map(|file| fs::read(self.prepared.raw.join(file)).unwrap_or_default())
        });
        texts.find_map(|text| complaint(&String::from_utf8_lossy(&text)).map(str::to_owned))
    }
}
