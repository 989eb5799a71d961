//! fio: an ordinary job file, run in the modelled machine.

pub mod output;
pub mod rewrite;
pub mod series;

mod client;
mod diff;
mod finished;
mod measured;
mod open;
mod preparation;
mod rejected_by_fio;
mod scaled_sizes;
mod section;
mod times;

pub(super) use client::Client;
pub use rejected_by_fio::{complaint, refusals};

use crate::error::Error;
use crate::inputs::Inputs;
use finished::Finished;
use lab::campaign::Program;
use lab::fio::{Mistake, parse};
use rewrite::{Rewritten, Target};
use std::path::Path;

/// Mistakes of a job file as one reason.
fn reason(origin: &str, mistakes: &[Mistake]) -> String {
    mistakes.iter().map(|mistake| format!("{origin}:{mistake}")).collect::<Vec<_>>().join("; ")
}

/// A trial's job file, rewritten for a dataset that is mounted on `dir`; or every mistake in it.
fn rewritten(inputs: &Inputs, origin: &str, job: &str, dir: &Path) -> Result<Rewritten, Error> {
    let target = Target {
        dir,
        size: inputs.model.size,
        working_set: inputs.workload.size,
        runtime_s: inputs.method.runtime_s,
        ramp_s: inputs.method.ramp_s,
        ramp_most_s: inputs.method.ramp_most_s,
        warmed: inputs.method.warm_up_s > 0.0 && !inputs.method.restart,
        seed: inputs.seed,
        rate: inputs.rate,
    };
    let wrong = |m: Vec<Mistake>| Error::Failed(reason(origin, &m));
    let file = parse::parse(job).map_err(wrong)?;
    rewrite::rewrite(&file, &target).map_err(wrong)
}

/// Operations a virtual second that the jobs of an open loop offer together, in whole ones for each; none
/// in a closed loop.
pub fn offered_rate(inputs: &Inputs) -> Option<f64> {
    inputs.rate?;
    let Program::Fio { origin, job } = &inputs.workload.program else { return None };
    rewritten(inputs, origin, job, Path::new("/")).ok()?.offered_rate
}
