//! One trial.

use crate::clock::Clock;
use crate::engine::{Engine, TrialContext};
use crate::error::Error;
use crate::inputs::Inputs;
use crate::planned_trial::PlannedTrial;
use crate::stop::Stop;
use crate::workload;
use measurement::{Stage, Trial, TrialResult};
use std::time::SystemTime;
use store::{Run, Running};

/// Runs a trial from its inputs. The result has no names; a campaign adds them. A trial that fails is a
/// result, with the reason.
///
/// # Errors
/// [`Error::Interrupted`] when it was stopped, [`Error::Environment`] when this host cannot run it.
pub fn measure(
    engine: &dyn Engine,
    inputs: &Inputs,
    context: &TrialContext,
) -> Result<Trial, Error> {
    let release = inputs.variant.openzfs;
    let build = engine.build_id(release, &inputs.workload.program)?;
    if build != inputs.build {
        return Err(Error::Environment(format!(
            "the trial was planned for engine build {}, but this host has {build} for OpenZFS \
             {release}, and the result could differ: run the lab again on this host",
            inputs.build
        )));
    }
    let (key, _) = inputs.key()?;
    let outcome = match engine.run(inputs, context) {
        Ok(measured) => TrialResult::Measured(Box::new(measured)),
        Err(Error::Failed(reason)) => TrialResult::Failed { reason },
        Err(other) => return Err(other),
    };
    Ok(Trial {
        key: key.to_string(),
        variant: String::new(),
        workload: String::new(),
        repeat: 0,
        seed: inputs.seed,
        size: inputs.model.size,
        openzfs: engine.version(release)?,
        offered_rate: workload::offered_rate(inputs),
        rerun: None,
        without: inputs.without,
        outcome,
    })
}

/// Runs a planned trial that was claimed, and stores it. Gives the wall seconds that it took.
///
/// # Errors
/// As [`measure`], and what the store refused as [`Error::Environment`].
pub fn measure_and_store(
    engine: &dyn Engine,
    planned: &PlannedTrial,
    running: Running,
    clock: &dyn Clock,
    stage: &dyn Fn(Stage),
    stop: &Stop,
) -> Result<(Trial, f64), Error> {
    let (started, begun_s) = (SystemTime::now(), clock.now_s());
    let context = TrialContext {
        raw: &running.raw(),
        store: running.store(),
        state_needed_again: planned.state_needed_again,
        stage,
        stop,
    };
    let trial = measure(engine, &planned.inputs, &context)?;
    let wall_s = clock.now_s() - begun_s;
    let run = Run {
        started: humantime::format_rfc3339_seconds(started).to_string(),
        wall_s,
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        poolwright: env!("CARGO_PKG_VERSION").to_owned(),
    };
    running.finish(&planned.bytes, &trial, &run)?;
    Ok((trial, wall_s))
}
