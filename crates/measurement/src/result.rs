//! The result of a trial: the input of every finding. Written by `bench`, kept by `store`.

use crate::sync_test::SyncTest;
use crate::values::{Counters, Facts, Values, read_by_second};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum TrialResult {
    /// It ran to its end.
    Measured(Box<Measured>),
    /// It did not: the reason, in one line.
    Failed {
        /// What went wrong, where, what to do.
        reason: String,
    },
}

/// By hand and not derived: a derived reader of a tagged enum holds the whole record in memory, twice,
/// before it looks at the tag, and a record has thousands of numbers. Records are written with the tag
/// first, so that it can be read as it comes.
impl<'de> Deserialize<'de> for TrialResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tagged;
        impl<'de> Visitor<'de> for Tagged {
            type Value = TrialResult;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an outcome, its tag `outcome` first")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TrialResult, A::Error> {
                let tag: Option<String> = map.next_key()?;
                if tag.as_deref() != Some("outcome") {
                    return Err(A::Error::custom("an outcome begins with its tag `outcome`"));
                }
                let outcome: String = map.next_value()?;
                let rest = MapAccessDeserializer::new(map);
                match outcome.as_str() {
                    "measured" => Ok(TrialResult::Measured(Box::new(Measured::deserialize(rest)?))),
                    "failed" => {
                        #[derive(Deserialize)]
                        struct Failed {
                            reason: String,
                        }
                        let Failed { reason } = Failed::deserialize(rest)?;
                        Ok(TrialResult::Failed { reason })
                    }
                    other => Err(A::Error::unknown_variant(other, &["measured", "failed"])),
                }
            }
        }
        deserializer.deserialize_map(Tagged)
    }
}

/// The measurements of a trial that ran to its end. All times are virtual.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Operations in flight when every client is busy: Σ jobs × depth (1 for synchronous engines), each
    /// for as long as it ran.
    pub concurrency: f64,
    /// Virtual seconds measured.
    pub runtime_s: f64,
    /// Reads as the client saw them.
    pub read: Flow,
    /// Writes as the client saw them.
    pub write: Flow,
    /// fsync/fdatasync calls as the client saw them; fio keeps their latency apart.
    pub sync: Flow,
    /// Each virtual second of the window, in order.
    pub seconds: Vec<Second>,
    /// Counters over the whole window: sums of counts, means of levels.
    pub totals: Counters,
    /// Facts of the built pool and of the client.
    pub facts: Facts,
    /// What the reader must know about this trial.
    pub notes: Vec<String>,
    /// How the caches were warmed before the window; none where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// Operations a second of each test of pg_test_fsync; empty of another client.
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    pub sync_tests: Values<SyncTest>,
}

impl Measured {
    /// Reads and writes.
    pub fn operations(&self) -> f64 {
        (self.read.ops + self.write.ops) as f64
    }
}

/// The time before the measured window in which caches fill.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// Virtual seconds it lasted.
    pub seconds: f64,
    /// Why it ended.
    pub ended: WarmUpEnd,
    /// Share of lookups answered by memory and L2ARC over its last period, 0 to 1; none where nothing
    /// was looked up.
    pub hit_ratio: Option<f64>,
}

/// Why a warm-up ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarmUpEnd {
    /// The hit ratio had settled: the caches were warm.
    Settled,
    /// The time allowed for it was over first.
    TimeLimit,
    /// It lasted as long as the lab says (`ramp`), whatever the caches did.
    Fixed,
}

/// Where fio's histograms end, ns: the lower edge of its last bin, which holds whatever was slower
/// (`FIO_IO_U_PLAT_NR` of its stat.h: 29 groups of 64).
pub const HISTOGRAM_END_NS: u64 = 17_045_651_456;

/// A direction of traffic, merged over the client's jobs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Operations.
    pub ops: u64,
    /// Bytes.
    pub bytes: u64,
    /// Mean latency, ns.
    pub mean_ns: f64,
    /// Histogram: (upper edge in ns, count), ascending, merged over jobs, never averaged.
    pub histogram: Vec<(u64, u64)>,
    /// Samples beyond the histogram's end, [`HISTOGRAM_END_NS`].
    pub overflow: u64,
}

/// One virtual second.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// Virtual seconds since the window began, at the end of this one.
    pub at: f64,
    /// Client operations completed in it: reads, writes.
    pub reads: f64,
    /// See `reads`.
    pub writes: f64,
    /// The kernel's and the drives' counters in it. Reading a record keeps those that findings look at
    /// second by second: a campaign has millions of the others.
    #[serde(deserialize_with = "read_by_second")]
    pub values: Counters,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counter, DriveCounter};

    #[test]
    fn an_outcome_is_read_as_it_was_written() {
        let failed = TrialResult::Failed { reason: "fio: no".into() };
        let text = serde_json::to_string(&failed).unwrap();
        assert_eq!(serde_json::from_str::<TrialResult>(&text).unwrap(), failed);
        for wrong in [
            r#"{"reason":"x","outcome":"failed"}"#,
            r#"{"outcome":"won"}"#,
            r#"{"outcome":"failed"}"#,
            "{}",
            "7",
        ] {
            assert!(serde_json::from_str::<TrialResult>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn of_a_second_the_counters_that_findings_look_at_are_kept() {
        let text = r#"{"at":1.0,"reads":2.0,"writes":3.0,"values":
            {"drive.hdd0.busy":0.5,"drive.hdd0.reads":7.0,"arc.size":9.0,"dirty.bytes":4.0}}"#;
        let second: Second = serde_json::from_str(text).unwrap();
        let kept = [(Counter::DirtyBytes, 4.0), (Counter::drive("hdd0", DriveCounter::Busy), 0.5)];
        assert_eq!(second.values, kept.into());
    }
}
