//! How long a campaign takes, before anything is started.

use super::Model;
use super::demand::{RUNTIME, job, times};
use crate::campaign::Campaign;

/// Wall seconds to build a pool, mount it, drain and stop it, once per trial.
const SET_UP: f64 = 8.0;
/// Bytes a second at which working files are laid out on instant drives.
const LAY_OUT: f64 = 300e6;
/// The range of k that pilots choose on a machine of two cores or more, where the lab states none.
const TYPICAL_TIME: (f64, f64) = (3.0, 10.0);

/// The wall time of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Cells: variants × workloads.
    pub cells: usize,
    /// Trials at least.
    pub trials: u64,
    /// Virtual seconds of those trials at most: ramps and warm-ups included.
    pub virtual_s: f64,
    /// Workloads that do not say how long they run, counted with a minute each.
    pub untimed: Vec<String>,
    /// Wall seconds of those trials at the k stated, or at the ends of the range that is usual.
    pub wall_s: (f64, f64),
}

/// Estimates the fewest trials that the method allows.
pub fn estimate(campaign: &Campaign, model: &Model) -> Estimate {
    let variants = campaign.variants.len();
    let trials_of_cell = u64::from(campaign.method.min_trials);
    let mut virtual_s = 0.0;
    let mut set_up = 0.0;
    let mut untimed = Vec::new();
    for workload in &campaign.workloads {
        let demand = job(workload);
        let times = times(&campaign.method, demand.as_ref());
        if times.runtime_s.is_none() {
            untimed.push(workload.name.clone());
        }
        let runtime = times.runtime_s.unwrap_or(RUNTIME);
        let bytes = workload
            .size
            .or(demand.and_then(|demand| demand.working_set))
            .unwrap_or(0);
        let trials = (variants as u64 * trials_of_cell) as f64;
        virtual_s += trials * (runtime + times.ramp_s + times.warm_up_s);
        set_up += trials * (SET_UP + bytes as f64 / model.size / LAY_OUT);
    }
    let (fast, slow) = model.time.map_or(TYPICAL_TIME, |time| (time, time));
    let cells = variants * campaign.workloads.len();
    Estimate {
        cells,
        trials: cells as u64 * trials_of_cell,
        virtual_s,
        untimed,
        wall_s: (virtual_s * fast + set_up, virtual_s * slow + set_up),
    }
}
