//! The outputs of a finished fio.

use super::output::{self, Output};
use super::rejected_by_fio::complaint;
use super::series::{self, PerSecond};
use crate::error::Error;
use crate::workload::database::text;
use crate::workload::logs;
use std::path::Path;

/// fio's JSON in the trial's directory, and what it printed on standard error.
const OUTPUT: &str = "fio.json";
const ERRORS: &str = "fio.out.err";

/// The measurements of a fio that ran to its end.
#[derive(Debug)]
pub struct Finished {
    /// Its JSON.
    pub output: Output,
    /// Operations in each virtual second.
    pub series: PerSecond,
    /// Operations that the logs of the series held: all of them where each log goes on to the end.
    pub logged: f64,
    /// Clones, counted from 0 over all jobs, whose log holds nothing.
    pub silent: Vec<usize>,
}

impl Finished {
    /// Reads what fio left in `raw`: its JSON, what it printed on standard error, and its logs of operations.
    ///
    /// # Errors
    /// That fio failed, with the reason it gave, or that its output cannot be read.
    pub fn read(raw: &Path) -> Result<Finished, Error> {
        let (text, errors) = (text(raw, OUTPUT), text(raw, ERRORS));
        let why = complaint(output::preface(&text)).or_else(|| complaint(&errors));
        let failed = |otherwise: String| Error::failed(why.map_or(otherwise, str::to_owned));
        let output = output::parse(&text).map_err(|e| {
            failed(format!("{e} ({OUTPUT}); see {ERRORS} in the trial's directory"))
        })?;
        if let Some((job, errno)) = output.error() {
            let error = std::io::Error::from_raw_os_error(errno as i32);
            return Err(failed(format!("fio: job {job}: {error}")));
        }
        let seconds = output.runtime_s();
        let mut whole = None;
        let (mut series, mut silent) = (PerSecond::new(), Vec::new());
        for log in logs(raw, "series_iops", ".log")? {
            let (path, log) = log?;
            if log.trim().is_empty() {
                silent.extend(number(&path).and_then(|number| number.checked_sub(1)));
            }
            series::add(&mut series, &log);
            whole = Some(whole.unwrap_or(true) && series::reaches_end(&log, seconds));
        }
        let (reads, writes) = (output.read().ops, output.write().ops);
        let held = series::settle(&mut series, seconds, reads, writes);
        let logged = if whole == Some(true) { (reads + writes) as f64 } else { held };
        Ok(Finished { output, series, logged, silent })
    }
}

/// The number of a log's clone, from 1: `series_iops.3.log`.
fn number(path: &Path) -> Option<usize> {
    path.file_stem()?.to_str()?.rsplit('.').next()?.parse().ok()
}
