//! Engines, workloads, schedule and trials.
