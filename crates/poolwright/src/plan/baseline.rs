//! The baseline's settings that the sizes of log and cache depend on.

use lab::campaign::{AllocationClass, Campaign, Variant};
use lab::model;
use plan::sizing::LogLimits;

/// The recordsize of the root dataset.
pub fn recordsize(campaign: &Campaign) -> Option<u64> {
    let root = campaign.variants.first()?.datasets.get("")?;
    lab::units::size(root.get("recordsize")?).ok().filter(|bytes| *bytes >= 512)
}

pub fn log_limits(campaign: &Campaign) -> LogLimits {
    let default = LogLimits::default();
    let Some(baseline) = campaign.variants.first() else { return default };
    let dirty = model::dirty_data_max(&campaign.host, baseline);
    let timeout = baseline.module.get("zfs_txg_timeout").filter(|seconds| **seconds > 0);
    LogLimits {
        dirty_data_max: Some(dirty),
        wrlog_data_max: Some(model::wrlog_data_max(baseline, dirty)),
        txg_timeout_s: timeout.map_or(default.txg_timeout_s, |seconds| *seconds as f64),
    }
}

/// The ARC's limit.
pub fn arc(campaign: &Campaign) -> Option<u64> {
    campaign.variants.first().map(|baseline| model::arc_max(&campaign.host, baseline))
}

/// Bytes a second that its L2ARC is fed at most, once the ARC is full.
pub fn feed(campaign: &Campaign) -> Option<f64> {
    campaign.variants.first().map(model::l2arc_feed::warm)
}

/// Bytes of the largest L2ARC among the variants.
pub fn cache_bytes(campaign: &Campaign) -> Option<u64> {
    let bytes = |variant: &Variant| -> u64 {
        let drives = variant.pool.drives_of_class(AllocationClass::Cache);
        drives.filter_map(|drive| super::drives::capacity(variant, &drive.kind)).sum()
    };
    campaign.variants.iter().map(bytes).max().filter(|largest| *largest > 0)
}
