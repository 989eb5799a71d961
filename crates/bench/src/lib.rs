//! Measuring a campaign: which trials it needs, their order, and when to stop; the workloads; and the
//! contract of the engine that runs a trial.

pub mod budget;
pub mod campaign;
pub mod clock;
pub mod engine;
pub mod error;
pub mod inputs;
pub mod known_trials;
pub mod ladder;
pub mod plan;
pub mod planned_trial;
pub mod programs;
mod repeats;
pub mod round;
pub mod sensitivity;
mod size_check;
pub mod stop;
mod trial;
pub mod trial_spec;
pub mod verify;
pub mod window;
pub mod without_cost;
pub mod workload;
