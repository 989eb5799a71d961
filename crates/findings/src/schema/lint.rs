//! Lints: contradictions in the numbers themselves, measured or published.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A contradiction, with the numbers that make it one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lint {
    /// Names of the rows concerned.
    pub rows: Vec<String>,
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub finding: LintFinding,
}

/// How bad a lint's finding is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The numbers cannot all be true.
    Impossible,
    /// They can, but only by an unlikely chance.
    Implausible,
    /// Each may be true; set beside one another they mislead.
    NotComparable,
    /// True, and to be known when reading them.
    Note,
}

/// What a lint found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "lint", rename_all = "kebab-case")]
pub enum LintFinding {
    /// Little's law: throughput × latency is not the concurrency stated.
    Little {
        /// Operations a second.
        throughput: f64,
        /// Mean latency, ms.
        mean_ms: f64,
        /// Their product.
        in_flight: f64,
        /// Concurrency as stated.
        concurrency: f64,
    },
    /// Bandwidth is not operations × size.
    Bandwidth {
        /// Bytes a second as stated.
        bandwidth: f64,
        /// Operations a second.
        throughput: f64,
        /// Bytes an operation.
        size: f64,
    },
    /// Percentiles out of order.
    PercentileOrder {
        /// The lower percentile.
        lower: f64,
        /// Its value, ms.
        lower_ms: f64,
        /// The higher percentile.
        higher: f64,
        /// Its value, ms, which is less.
        higher_ms: f64,
    },
    /// Tails as thin as no storage under checkpoints and txg syncs has them.
    ThinTail {
        /// p95, ms.
        p95_ms: f64,
        /// p99, ms.
        p99_ms: f64,
        /// p99 ÷ p95.
        ratio: f64,
        /// Least ratio that is still plausible.
        plausible: f64,
    },
    /// p99 is the same multiple of the mean in every row: computed rather than measured.
    ConstantTail {
        /// p99 ÷ mean, smallest.
        least: f64,
        /// p99 ÷ mean, largest.
        most: f64,
    },
    /// More synchronous commits than the medium can turn.
    MediaSyncs {
        /// Syncs a second.
        syncs: f64,
        /// At most this many from the media.
        at_most: f64,
        /// Revolutions a minute.
        rpm: f64,
        /// Vdevs they could spread over, two in flight at best.
        vdevs: u32,
    },
    /// Synchronous writes were measured under `sync=disabled`.
    SyncDisabled {
        /// Operations a second that are called synchronous.
        throughput: f64,
        /// How many times faster unsynchronised ones were, where stated: well above 1 says that sync
        /// was active after all.
        unsynced_faster: Option<f64>,
    },
    /// The layout's stated data and parity do not match its drives.
    LayoutWidth {
        /// Data drives a vdev as stated.
        data: u32,
        /// Parity drives a vdev.
        parity: u32,
        /// Vdevs.
        vdevs: u32,
        /// Spares, or a dRAID's spare drives.
        #[serde(default)]
        spares: u32,
        /// Drives there are.
        drives: u32,
        /// Data drives a vdev there really are.
        data_actual: u32,
    },
    /// The layout survives other failures than stated.
    FaultTolerance {
        /// Drives that may fail, as stated.
        stated: u32,
        /// Of how many, as stated.
        stated_of: u32,
        /// Drives that may fail by the layout's parity.
        survives: u32,
        /// Of how many: the drives of a vdev, or all where groups are permuted over them.
        of: u32,
    },
    /// Said to fill a link that it does not.
    NotLineRate {
        /// Bits a second that were moved.
        bits: f64,
        /// Bits a second of the link.
        link: f64,
    },
    /// More than a link or bus carries.
    OverLink {
        /// Bytes a second as stated.
        bandwidth: f64,
        /// Bytes a second the link carries.
        link: f64,
    },
    /// The ARC's hit ratio falls further than the L2ARC's headers can explain.
    ArcDrop {
        /// Hit ratio without L2ARC.
        without: f64,
        /// With.
        with: f64,
        /// ARC, bytes.
        arc: f64,
        /// Bytes the headers can take at most.
        headers: f64,
        /// Fall they explain at most.
        explained: f64,
    },
    /// The L2ARC cannot have been filled that far in the time.
    FillTime {
        /// L2ARC share of reads as stated.
        hits: f64,
        /// Bytes it must hold for that.
        bytes: f64,
        /// Feed at most, bytes a second.
        feed: f64,
        /// Seconds that takes.
        seconds: f64,
        /// Seconds the run lasted.
        run: f64,
    },
    /// Data hits in an L2ARC that data cannot reach: `primarycache=metadata` or `none`.
    PrimaryCache {
        /// The property's value.
        primarycache: String,
        /// L2ARC hit ratio as stated.
        hits: f64,
    },
    /// RAID 0 below a redundant layout of the same drives.
    Raid0Below {
        /// RAID 0, operations a second.
        raid0: f64,
        /// The other.
        other: f64,
        /// The other's level.
        level: String,
        /// Both were measured under the same settings: otherwise they are not comparable.
        same_settings: bool,
    },
    /// Two bandwidths of one set-up that no one block size explains.
    OtherSize {
        /// Bytes a second as stated.
        bandwidth: f64,
        /// Operations × size, bytes a second.
        computed: f64,
        /// Size the bandwidth would need, bytes.
        size: f64,
    },
    /// Usable capacity is not what the layout gives.
    Capacity {
        /// Bytes as stated.
        stated: f64,
        /// Bytes as computed.
        computed: f64,
    },
    /// A hit ratio, share or count out of its range.
    Range {
        /// The column.
        column: String,
        /// Its value.
        value: f64,
    },
}
