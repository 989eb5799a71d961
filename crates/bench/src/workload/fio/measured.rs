//! The measurements of a trial with fio.

use super::Finished;
use super::rewrite::Rewritten;
use crate::fault::Fault;
use crate::workload::Seen;
use measurement::{Fact, Measured};

/// The measurements of a trial that ran `job` to its end. Pure.
///
/// # Errors
/// Why the observations are not a valid measurement of the job.
pub fn measured(job: &Rewritten, finished: Finished, seen: Seen) -> Result<Measured, Fault> {
    let Finished { output, series, logged } = finished;
    let (read, write, sync) = (output.read(), output.write(), output.sync());
    if read.ops + write.ops == 0 {
        return Err(Fault::failed("fio did no I/O: check the job's size, runtime and ramp"));
    }
    // The others had the pool to themselves: a result of another workload than the one asked for.
    let idle = output.idle();
    if !idle.is_empty() {
        return Err(Fault::failed(format!(
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

/// Compares the seconds that fio measured with the job's: a shorter run does not show sustained throughput.
fn check_duration(measured_s: f64, wanted_s: Option<f64>) -> Result<(), Fault> {
    const LEAST: f64 = 0.9;
    match wanted_s {
        Some(wanted_s) if measured_s < LEAST * wanted_s => Err(Fault::failed(format!(
            "fio ended after {measured_s:.1} s, but its job should run for {wanted_s} s: with \
             file_append=1, io_size or number_ios fio does not start its files again; increase \
             `size` or `io_size`, or shorten the runtime"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check_duration;

    #[test]
    fn a_job_that_ends_early_is_not_a_valid_measurement() {
        let reason = check_duration(0.6, Some(6.0)).unwrap_err().to_string();
        assert!(reason.contains("after 0.6 s"), "{reason}");
        assert!(check_duration(5.99, Some(6.0)).is_ok());
        assert!(check_duration(0.6, None).is_ok(), "it ends with its files");
    }
}
