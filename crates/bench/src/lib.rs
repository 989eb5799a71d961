//! Engines, workloads, schedule and trials: how a campaign is measured.

pub mod campaign;
pub mod engine;
pub mod fault;
pub mod isolate;
pub mod ladder;
pub mod lateness;
pub mod machine;
pub mod pilot;
pub mod plan;
pub mod programs;
pub mod rerun;
pub mod resize;
pub mod schedule;
pub mod settled;
pub mod stop;
pub mod trial;
pub mod warm;
pub mod window;
pub mod workload;
