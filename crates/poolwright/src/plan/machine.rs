//! The baseline's settings that the sizes of log and cache depend on.

use lab::campaign::{AllocationClass, Campaign, Variant};
use plan::sizing::LogLimits;

fn parameter(campaign: &Campaign, name: &str) -> Option<u64> {
    let value = *campaign.variants.first()?.module.get(name)?;
    u64::try_from(value).ok().filter(|value| *value > 0)
}

/// The recordsize of the root dataset.
pub fn recordsize(campaign: &Campaign) -> Option<u64> {
    let root = campaign.variants.first()?.datasets.get("")?;
    lab::units::size(root.get("recordsize")?).ok().filter(|bytes| *bytes >= 512)
}

/// The limits of the log.
pub fn log_limits(campaign: &Campaign) -> LogLimits {
    let default = LogLimits::default();
    LogLimits {
        dirty_data_max: parameter(campaign, "zfs_dirty_data_max"),
        wrlog_data_max: parameter(campaign, "zfs_wrlog_data_max"),
        txg_timeout_s: parameter(campaign, "zfs_txg_timeout")
            .map_or(default.txg_timeout_s, |seconds| seconds as f64),
    }
}

/// The ARC's limit: as set where that is obeyed (from 64 MiB to below all of `memory`), else the
/// default of OpenZFS 2.3 and 2.4 (`arc_default_max` in arc_os.c).
pub fn arc(campaign: &Campaign, memory: u64) -> Option<u64> {
    let obeyed = |bytes: &u64| (64 << 20..memory).contains(bytes);
    if let Some(set) = parameter(campaign, "zfs_arc_max").filter(obeyed) {
        return Some(set);
    }
    Some((memory / 8 * 5).max(memory.saturating_sub(1 << 30)))
}

/// Bytes of the largest L2ARC among the variants.
pub fn cache_bytes(campaign: &Campaign) -> Option<u64> {
    let bytes = |variant: &Variant| -> u64 {
        let caches = variant.pool.vdevs.iter().filter(|vdev| vdev.class == AllocationClass::Cache);
        let drives = caches.flat_map(|vdev| &vdev.drives);
        drives.filter_map(|drive| super::drives::capacity(variant, &drive.kind)).sum()
    };
    campaign.variants.iter().map(bytes).max().filter(|largest| *largest > 0)
}
