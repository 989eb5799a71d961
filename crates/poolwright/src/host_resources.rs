//! Resources of this host for modelled machines.

use bench::engine::linux::host_memory;
use bench::inputs::Inputs;
use bench::trial_spec::TrialSpec;
use lab::Diagnostic;
use lab::campaign::Campaign;
use lab::model::{HostLimits, Model, resolve};
use procfs::Current;
use std::num::NonZeroUsize;

/// The scale model of a campaign, the same on every host.
pub fn model(campaign: &Campaign) -> Result<Model, Diagnostic> {
    resolve(campaign, &HostLimits::MACHINE)
}

/// Host memory that the largest machine of a campaign takes, bytes.
pub fn needed(campaign: &Campaign, model: &Model) -> u64 {
    let cells = (0..campaign.variants.len())
        .flat_map(|variant| (0..campaign.workloads.len()).map(move |workload| (variant, workload)));
    let memory = |(variant, workload)| {
        host_memory(&Inputs::new(campaign, model, &TrialSpec::repeat(variant, workload, 0), ""))
    };
    cells.map(memory).max().unwrap_or(0)
}

/// Processors that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Number of parallel trials that need `each` bytes: as stated, else one per processor, as far as the free memory allows
/// if that is known.
pub fn parallel(stated: Option<NonZeroUsize>, each: u64, free: Option<u64>) -> usize {
    stated.map_or_else(|| fitting(cores(), free.unwrap_or(u64::MAX), each), NonZeroUsize::get)
}

/// Free memory of this host, bytes; none if unknown.
pub fn free_memory() -> Option<u64> {
    procfs::Meminfo::current().ok()?.mem_available
}

fn fitting(cores: usize, free: u64, each: u64) -> usize {
    let fitting = usize::try_from(free / each.max(1)).unwrap_or(usize::MAX);
    cores.min(fitting).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_run_side_by_side_as_far_as_processors_and_memory_go() {
        assert_eq!(fitting(8, 16 << 30, 3 << 30), 5);
        assert_eq!(fitting(2, 16 << 30, 3 << 30), 2);
        assert_eq!(fitting(8, 1 << 30, 3 << 30), 1);
    }

    #[test]
    fn the_memory_of_a_database_server_is_needed_too() {
        let needed = |buffers: &str| {
            let text = format!(
                "[host]\nmemory = \"64G\"\n[drives]\nssd = \"2x pm883-3.84t\"\n[pool]\nvdevs = \"mirror ssd[0-1]\"\n\
                 [workloads.w.pgbench]\nscale = 1000\nclients = 4\n[workloads.w.postgresql]\nshared_buffers = \"{buffers}\"\n\
                 [method]\nruntime = \"10s\"\n[scale]\nsize = 4\ndirty_data_max = \"128M\"\n"
            );
            let profiles = lab::Profiles::builtin();
            let (campaign, _) = lab::load("lab.toml", &text, &lab::NoFiles, &profiles).unwrap();
            super::needed(&campaign, &model(&campaign).unwrap())
        };
        let more = needed("16GB") - needed("8GB");
        assert!(
            (2 << 30..3 << 30).contains(&more),
            "a quarter of 8 GB and a sixteenth of that: {more}"
        );
    }

    #[test]
    fn the_buffers_of_deep_queues_are_needed_too() {
        let needed = |depth: u32| {
            let text = format!(
                "[host]\nmemory = \"64G\"\n[drives]\nssd = \"2x pm883-3.84t\"\n[pool]\nvdevs = \"mirror ssd[0-1]\"\n\
                 [workloads.w]\nfio.job = \"\"\"\n[w]\nrw=randwrite\nioengine=libaio\nbs=1m\nnumjobs=16\niodepth={depth}\nsize=1G\n\"\"\"\n\
                 [method]\nruntime = \"10s\"\n[scale]\nsize = 4\ndirty_data_max = \"128M\"\n"
            );
            let profiles = lab::Profiles::builtin();
            let (campaign, _) = lab::load("lab.toml", &text, &lab::NoFiles, &profiles).unwrap();
            super::needed(&campaign, &model(&campaign).unwrap())
        };
        assert_eq!(needed(256) - needed(1), (4 << 30) - (256 << 20));
    }

    #[test]
    fn free_memory_is_that_of_this_host_in_bytes() {
        let free = free_memory().unwrap();
        assert!((64 << 20..64 << 40).contains(&free), "{free}");
    }
}
