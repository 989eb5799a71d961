//! The limits of the ARC.

use super::System;
use zfs::memory;

impl System {
    /// `zfs_arc_max` as set, where OpenZFS accepts it, or the default of the release.
    pub fn arc_max(&self) -> Option<u64> {
        let memory = self.memory.as_ref().map(|memory| memory.value);
        let set = self.parameter("zfs_arc_max").map(|set| set.value);
        let least = self.arc_max_floor();
        let accepted = |bytes: &u64| {
            memory::accepts_arc_max(*bytes, memory.unwrap_or(u64::MAX))
                && least.is_none_or(|least| *bytes > least)
        };
        set.filter(accepted).or_else(|| self.default_arc_max())
    }

    fn default_arc_max(&self) -> Option<u64> {
        let release = self.openzfs.as_ref().map_or((0, 0), |version| version.value);
        Some(memory::default_arc_max(self.memory.as_ref()?.value, release))
    }

    /// What `zfs_arc_max` must exceed where a script writes it while the module runs: the ARC's minimum then
    /// (`arc_tuning_update`). A module option lowers the minimum instead (`arc_init`).
    pub fn arc_max_floor(&self) -> Option<u64> {
        if !self.echoed.contains("zfs_arc_max") {
            return None;
        }
        let default_max = self.default_arc_max()?;
        let valid = |bytes: &u64| (memory::LEAST_ARC_MIN..=default_max).contains(bytes);
        let set = self.parameter("zfs_arc_min").map(|set| set.value).filter(valid);
        let default = memory::default_arc_min(self.memory.as_ref()?.value);
        Some(set.unwrap_or(default))
    }
}
