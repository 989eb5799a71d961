//! Engines, workloads, schedule and trials: how a campaign is measured.

pub mod engine;
pub mod fault;
pub mod machine;
pub mod programs;
pub mod stop;
pub mod workload;
