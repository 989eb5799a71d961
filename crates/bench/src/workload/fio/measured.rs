//! The measurements of a trial with fio.

use super::Finished;
use super::rewrite::Rewritten;
use super::series;
use crate::error::Error;
use crate::workload::Seen;
use measurement::{Fact, Measured};

/// The measurements of a trial that ran `job` to its end. Pure.
///
/// # Errors
/// Why the observations are not a valid measurement of the job.
pub fn measured(job: &Rewritten, finished: Finished, seen: Seen) -> Result<Measured, Error> {
    let Finished { output, series, logged, silent } = finished;
    let (read, write, sync) = (output.read(), output.write(), output.sync());
    if read.ops + write.ops == 0 {
        return Err(Error::failed("fio did no I/O: check the job's size, runtime and ramp"));
    }
    // The others had the pool to themselves: a result of another workload than the one asked for.
    let mut idle = output.idle();
    if output.jobs.len() < job.jobs as usize && output.runtime_s() > SURELY_LOGGED_S {
        idle.extend(idle_in_group(job, &silent));
    }
    if !idle.is_empty() {
        return Err(Error::failed(format!(
            "fio's job {} did no I/O in the measured time, but others did: use a longer runtime",
            idle.join(", ")
        )));
    }
    let runtime_s = output.runtime_s();
    check_duration(runtime_s, job.lasts_s)?;
    let mut notes = job.notes.clone();
    let ignored: u64 = output.jobs.iter().map(|j| j.total_err).sum();
    if ignored > 0 {
        notes.push(format!("fio ignored {ignored} errors (continue_on_error)"));
    }
    notes.push(output.version.clone());
    let measured = Measured {
        concurrency: output.in_flight(&job.places),
        runtime_s,
        read,
        write,
        sync,
        notes,
        ..Measured::default()
    };
    let mut measured = seen.with(measured, job.files_bytes, (series, logged));
    measured.facts.insert(Fact::FilesJobs, f64::from(job.jobs));
    Ok(measured)
}

/// Seconds after which a log surely holds something of a job that works.
const SURELY_LOGGED_S: f64 = 2.0 * series::OPEN_S;

/// Names of the jobs of a file none of whose clones has logged anything. With `group_reporting` fio's own counts are those
/// of all of them.
fn idle_in_group<'a>(job: &'a Rewritten, silent: &[usize]) -> Vec<&'a str> {
    let mut first = 0;
    let mut idle = Vec::new();
    for ((clones, _), name) in job.places.iter().zip(&job.names) {
        let mut clones = first..first + *clones as usize;
        first = clones.end;
        if clones.all(|clone| silent.contains(&clone)) {
            idle.push(name.as_str());
        }
    }
    idle
}

/// Compares the seconds that fio measured with the job's: a shorter run does not show sustained throughput.
fn check_duration(measured_s: f64, wanted_s: Option<f64>) -> Result<(), Error> {
    const LEAST: f64 = 0.9;
    match wanted_s {
        Some(wanted_s) if measured_s < LEAST * wanted_s => Err(Error::failed(format!(
            "fio ended after {measured_s:.1} s, but its job should run for {wanted_s} s: with \
             file_append=1, io_size or number_ios fio does not start its files again; increase \
             `size` or `io_size`, or shorten the runtime"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_duration, idle_in_group};
    use crate::workload::fio::rewrite::{Target, rewrite};
    use lab::fio::parse;
    use std::path::Path;

    #[test]
    fn a_job_of_a_group_that_logs_nothing_is_idle() {
        let text = "[global]\nsize=1m\nrw=read\nnumjobs=2\n[a]\n[b]\n[c]\n";
        let target = Target {
            dir: Path::new("/"),
            size: 1.0,
            working_set: None,
            runtime_s: Some(60.0),
            ramp_s: 0.0,
            ramp_most_s: None,
            warmed: false,
            seed: 0,
            rate: None,
        };
        let job = rewrite(&parse::parse(text).unwrap(), &target).unwrap();
        assert_eq!(idle_in_group(&job, &[0, 2, 3]), ["b"]);
        assert_eq!(idle_in_group(&job, &[]), [""; 0]);
    }

    #[test]
    fn a_job_that_ends_early_is_not_a_valid_measurement() {
        let reason = check_duration(0.6, Some(6.0)).unwrap_err().to_string();
        assert!(reason.contains("after 0.6 s"), "{reason}");
        assert!(check_duration(5.99, Some(6.0)).is_ok());
        assert!(check_duration(0.6, None).is_ok(), "it ends with its files");
    }
}
