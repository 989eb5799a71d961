//! Module parameters of a trial: sizes from the model, the rest from the lab.

use crate::inputs::Inputs;
use crate::workload::Client;
use lab::model::{LISTS, lists};
use measurement::Cost;
use std::collections::BTreeMap;
use zfs::module;

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
pub fn parameters(inputs: &Inputs, client: Option<&dyn Client>) -> Parameters {
    let model = &inputs.model;
    let cores = inputs.host.cores;
    let mut numbers = lab::model::parameters(model, &inputs.host, &inputs.variant);
    let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let mut more_memory = 0;
    match inputs.without {
        Some(Cost::ArcSize) => {
            // All files twice: their blocks, and what describes them.
            more_memory = 2 * client.map_or(0, |client| client.data_bytes());
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
    // The lists of the ARC are those of the modelled host at S.
    set(LISTS, lists(cores, &inputs.variant).to_string());
    for (name, value) in &numbers {
        set(name, value.to_string());
    }
    // The machine's kernel does not have what a processor has.
    let words = &inputs.variant.module_words;
    for (name, word) in words.iter().filter(|(name, _)| !module::words::is_implementation(name)) {
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
    more_memory += client.map_or(0, |client| client.memory());
    Parameters { spl, zfs, more_memory }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_a_space_is_quoted() {
        let parameters =
            BTreeMap::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "x y".to_owned())]);
        assert_eq!(Parameters::line(&parameters), "a=1 b=\"x y\"");
    }
}
