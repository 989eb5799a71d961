//! Module parameters of a trial: sizes from the model, the rest from the lab.

use crate::inputs::Inputs;
use crate::workload::Client;
use lab::model::{LISTS, lists};
use measurement::Cost;
use std::collections::BTreeMap;

/// Factor on the dirty-data limit when the write throttle is removed.
const WITHOUT_THROTTLE: u64 = 4;

/// Parameters of the modules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    /// Of spl.ko.
    pub spl: BTreeMap<String, String>,
    /// Of zfs.ko.
    pub zfs: BTreeMap<String, String>,
    /// Memory that the machine needs beyond its model's, bytes.
    pub more_memory: u64,
}

impl Parameters {
    /// The parameters as modprobe takes them.
    pub fn line(parameters: &BTreeMap<String, String>) -> String {
        let words: Vec<String> = parameters
            .iter()
            .map(|(name, value)| match value.contains(' ') {
                true => format!("{name}=\"{value}\""),
                false => format!("{name}={value}"),
            })
            .collect();
        words.join(" ")
    }
}

/// The parameters of a trial, with the memory that its client needs.
pub fn with_client(inputs: &Inputs, client: &dyn Client) -> Parameters {
    let mut parameters = without_client(inputs, client.data_bytes());
    parameters.more_memory += client.memory();
    parameters
}

/// The parameters of a trial whose client has files of `files_bytes`, without the client's memory.
pub fn without_client(inputs: &Inputs, files_bytes: u64) -> Parameters {
    let model = &inputs.model;
    let cores = inputs.host.cores;
    let mut numbers = lab::model::parameters(model, &inputs.host, &inputs.variant);
    let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let mut more_memory = 0;
    match inputs.without {
        Some(Cost::ArcSize) => {
            // All files twice: their blocks, and what describes them.
            more_memory = 2 * files_bytes;
            numbers.insert("zfs_arc_max".to_owned(), signed(model.arc_max + more_memory));
        }
        Some(Cost::WriteThrottle) => {
            let dirty_max = WITHOUT_THROTTLE * model.dirty_data_max;
            more_memory = 2 * dirty_max;
            for (name, bytes) in [
                ("zfs_arc_max", model.arc_max + more_memory),
                ("zfs_dirty_data_max", dirty_max),
                ("zfs_dirty_data_max_max", dirty_max),
                ("zfs_wrlog_data_max", 2 * dirty_max),
            ] {
                numbers.insert(name.to_owned(), signed(bytes));
            }
        }
        _ => {}
    }
    let mut zfs: BTreeMap<String, String> = BTreeMap::new();
    let mut set = |name: &str, value: String| {
        zfs.insert(name.to_owned(), value);
    };
    // What sizes itself by the number of processors is set as on the modelled host.
    set(LISTS, lists(cores, &inputs.variant).to_string());
    set("spa_num_allocators", allocators(cores).to_string());
    set("zio_taskq_write", write_taskqs(cores));
    set("zio_taskq_read", read_taskqs(cores));
    for (name, value) in &numbers {
        set(name, value.to_string());
    }
    for (name, word) in &inputs.variant.module_words {
        set(name, word.clone());
    }
    if inputs.without == Some(Cost::WriteThrottle) {
        set("zfs_delay_scale", "1".to_owned());
    }
    let mut spl = BTreeMap::from([("spl_hostid".to_owned(), "1".to_owned())]);
    spl.extend(
        zfs.iter()
            .filter(|(name, _)| name.starts_with("spl_"))
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    zfs.retain(|name, _| !name.starts_with("spl_"));
    Parameters { spl, zfs, more_memory }
}

/// Allocators of a pool: a fourth of the processors, 1 to 4 (`spa_alloc_count` and `spa_cpus_per_allocator`).
fn allocators(cores: u32) -> u32 {
    (cores / 4).clamp(1, 4)
}

/// Threads and queues of OpenZFS's task queues for writes, in the words of `zio_taskq_write`. Its default
/// for the issue queue is `sync`/`scale` by the number of processors, of which the machine has one; this
/// is what `spa_taskqs_init` computes for the modelled host: 80 % of its processors, in queues of about
/// the square root of that.
fn write_taskqs(cores: u32) -> String {
    let (queues, threads) = scaled(cores);
    format!("fixed,{queues},{threads} fixed,1,5 fixed,{queues},{threads} fixed,1,5")
}

/// The same for reads: eight threads in a queue issue, interrupts scale.
fn read_taskqs(cores: u32) -> String {
    let (queues, threads) = scaled(cores);
    format!("fixed,1,8 null fixed,{queues},{threads} null")
}

/// Queues, and threads of each, of a scaling task queue.
fn scaled(cores: u32) -> (u32, u32) {
    let threads = (cores * 4 / 5).max(1);
    let each = f64::from(threads).sqrt().ceil() as u32;
    (threads.div_ceil(each), each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_queues_are_those_of_the_modelled_host() {
        assert_eq!(scaled(1), (1, 1));
        assert_eq!(scaled(32), (5, 5));
        assert_eq!(allocators(2), 1);
        assert_eq!(allocators(64), 4);
    }

    #[test]
    fn a_value_with_a_space_is_quoted() {
        let parameters =
            BTreeMap::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "x y".to_owned())]);
        assert_eq!(Parameters::line(&parameters), "a=1 b=\"x y\"");
    }
}
