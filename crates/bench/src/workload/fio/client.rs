//! fio as a client of a trial.

use super::rewrite::Rewritten;
use super::{Finished, complaint, diff, measured, rewritten};
use crate::engine::linux::steps;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::programs::Fio;
use crate::workload::{self, ClientSteps, Place, Seen, database, warm};
use machine::INSIDE;
use machine::script::{Command, Step};
use measurement::Measured;
use std::path::Path;

/// Limits after which fio counts as hung: a multiple of its run time, plus these seconds.
const LIMIT: (f64, f64) = (3.0, 600.0);
/// Files that fio may have open. Its jobs are threads of one process here and share them; as processes each may have
/// 524,288, systemd's hard limit for a service or a session.
const OPEN_FILES: u64 = 1 << 20;
/// Name of the copy that runs.
const COPY: &str = "job.fio";
/// Seconds for jobs that do not say how long they run.
const UNTIMED_S: f64 = 24.0 * 3600.0;

/// fio with its job of one trial.
#[derive(Debug)]
pub struct Client {
    /// Its program, on the host.
    program: String,
    job: Rewritten,
    /// Where the job file comes from, and its text.
    original: (String, String),
}

impl Client {
    /// Rewrites the job of a trial.
    pub fn new(inputs: &Inputs, origin: &str, job: &str, place: Place) -> Result<Client, Error> {
        Ok(Client {
            program: match place {
                Place::Host => Fio::find()?.program.to_string_lossy().into_owned(),
                Place::Nowhere => "fio".to_owned(),
            },
            job: rewritten(inputs, origin, job, &steps::directory(inputs))?,
            original: (origin.to_owned(), job.to_owned()),
        })
    }

    /// Adds a job file; the command that runs it.
    fn command(&self, part: &mut ClientSteps, file: &str, text: String, output: &str) -> Command {
        part.files.insert(file.to_owned(), text);
        let json = format!("--output={output}.json");
        let command = Command::new([&self.program, "--output-format=json+", &json, file])
            .directory(INSIDE)
            .output(&format!("{output}.out"));
        Command { open_files: Some(OPEN_FILES), ..command }
    }
}

/// Bytes of I/O buffers that every machine has room for.
const BUFFERS: u64 = 256 << 20;

impl workload::Client for Client {
    fn memory(&self) -> u64 {
        let jobs = lab::fio::parse::read(&self.original.1, &mut Vec::new());
        lab::fio::demand(&jobs).buffers.saturating_sub(BUFFERS)
    }

    fn lay_out(&self) -> ClientSteps {
        let mut part = ClientSteps::default();
        let command = self.command(&mut part, "layout.fio", self.job.layout(), "layout");
        part.steps.push(Step::Run(command));
        part
    }

    /// Files are read once where a job asks for it, caches are warmed, and fio runs for a ramp that the measured
    /// run cannot have itself.
    fn warm_up(&self, limit_s: f64) -> ClientSteps {
        let mut part = ClientSteps::default();
        if let Some(text) = self.job.pre_read() {
            let command = self.command(&mut part, "pre-read.fio", text, "pre-read");
            part.steps.push(Step::Run(command));
        }
        if limit_s > 0.0 {
            let text = self.job.warm_up(limit_s);
            let command = self.command(&mut part, "warm.fio", text, "warm");
            part.steps.extend(warm(command, limit_s, false));
        }
        if self.job.lead_s > 0.0 {
            let command = self.command(&mut part, "lead.fio", self.job.lead(), "lead");
            part.steps.extend(warm(command, self.job.lead_s, true));
        }
        part
    }

    fn measure(&self) -> ClientSteps {
        let mut part = ClientSteps::default();
        let (origin, text) = &self.original;
        let difference = diff::unified(origin, text, COPY, &self.job.text);
        part.files.insert("original.fio".to_owned(), text.clone());
        part.files.insert("job.diff".to_owned(), difference);
        let command = self.command(&mut part, COPY, self.job.text.clone(), "fio");
        let runs_s = self.job.runtime_s.map_or(UNTIMED_S, |s| s + self.job.ramp_s);
        part.steps.push(Step::Measure {
            command,
            ramp_s: self.job.ramp_s,
            limit_s: LIMIT.0 * runs_s + LIMIT.1,
        });
        part
    }

    fn ramp_s(&self) -> f64 {
        self.job.ramp_s
    }

    fn data_bytes(&self) -> u64 {
        self.job.files_bytes
    }

    fn measured(&self, raw: &Path, seen: Seen) -> Result<Measured, Error> {
        let finished = Finished::read(raw)?;
        measured::measured(&self.job, finished, seen)
    }

    fn complaint(&self, raw: &Path) -> Option<String> {
        const LOGS: [&str; 10] = [
            "fio.out.err", "fio.json", "warm.out.err", "warm.json", "lead.out.err", "lead.json",
            "pre-read.out.err", "pre-read.json", "layout.out.err", "layout.json",
        ];
        database::complaint(raw, &LOGS, |log| complaint(log).map(str::to_owned))
    }
}
