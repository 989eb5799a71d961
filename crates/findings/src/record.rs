//! What is known of one trial: the input of every finding. Written by `bench`, kept by `store`.

use crate::counters;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// One trial: a cell run once with one seed. A pure function of its inputs: the same key has the same
/// content, to the byte, on every host. Nothing in it comes from the host's clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Hash of its inputs, in lower-case hexadecimal: the name it is stored under.
    pub key: String,
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Which repeat of the cell, from 0.
    pub repeat: u32,
    /// Seed of its data, drives and offsets.
    pub seed: u64,
    /// Size scale S it ran at.
    pub size: f64,
    /// Full version of OpenZFS: `2.4.4`.
    pub openzfs: String,
    /// For a rung of an open-loop ladder: operations a virtual second that the clients are to begin, all
    /// jobs together. Latency is then counted from the intended start. None for a closed
    /// loop. Trials of one variant and workload at different rates are different rungs, and none of
    /// them belongs to the closed-loop cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_rate: Option<f64>,
    /// For a re-run with one number of a drive changed: which, and by how much. Such a trial shows
    /// how far a verdict holds; it belongs to no cell and no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<Perturbation>,
    /// For a re-run with one cost removed from the machine: which. It belongs to no cell and no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Cost>,
    /// What came of it.
    pub outcome: Outcome,
}

impl Trial {
    /// Whether it is a repeat of its closed-loop cell: neither a rung of a ladder nor a re-run with
    /// other numbers or with a cost removed.
    pub fn is_main(&self) -> bool {
        self.offered_rate.is_none() && self.rerun.is_none() && self.without.is_none()
    }
}

/// A cost that the machine can be run without, to see what a cell waits for. Each is a knob of the
/// machine (of its drives, its processor or a module parameter), never an edit of a result.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// Flushes of the drives that take the intent log complete at once.
    LogFlush,
    /// Writes to the log vdevs complete at once.
    LogWrite,
    /// Reads from the pool's drives complete at once.
    PoolRead,
    /// OpenZFS does not delay writers for dirty data.
    WriteThrottle,
    /// Compute takes no virtual time.
    Processor,
    /// The ARC holds everything the client touches.
    ArcSize,
    /// Disks move their heads in no time; the platters still turn.
    Seek,
}

/// A number of a drive profile, changed for a re-run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Perturbation {
    /// The kind of drive in the lab: `optane`.
    pub drive: String,
    /// The number, by the profile's own name: `flush`.
    pub parameter: String,
    /// New ÷ stated value; above 0.
    pub factor: f64,
}

/// What came of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
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
impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tagged;
        impl<'de> Visitor<'de> for Tagged {
            type Value = Outcome;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an outcome, its tag `outcome` first")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Outcome, A::Error> {
                let tag: Option<String> = map.next_key()?;
                if tag.as_deref() != Some("outcome") {
                    return Err(A::Error::custom("an outcome begins with its tag `outcome`"));
                }
                let outcome: String = map.next_value()?;
                let rest = MapAccessDeserializer::new(map);
                match outcome.as_str() {
                    "measured" => Ok(Outcome::Measured(Box::new(Measured::deserialize(rest)?))),
                    "failed" => {
                        #[derive(Deserialize)]
                        struct Failed {
                            reason: String,
                        }
                        let Failed { reason } = Failed::deserialize(rest)?;
                        Ok(Outcome::Failed { reason })
                    }
                    other => Err(A::Error::unknown_variant(other, &["measured", "failed"])),
                }
            }
        }
        deserializer.deserialize_map(Tagged)
    }
}

/// The fact of how many operations the client's logs held, from which its seconds are, before those were
/// brought to its counts. Records of earlier versions lack it.
pub const LOGGED: &str = "client.logged_ops";

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
    /// Counters over the whole window, by the names of [`crate::counters`]: sums of counts, means of
    /// levels.
    pub totals: BTreeMap<String, f64>,
    /// Facts of the built pool (sizes, classes) and of the client (`files.bytes`, [`LOGGED`]), by name.
    pub facts: BTreeMap<String, f64>,
    /// What the reader must know about this trial.
    pub notes: Vec<String>,
    /// How the caches were warmed before the window; none where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
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
    /// The kernel's and the drives' counters in it, by the names of [`crate::counters`]. Reading a record
    /// keeps those that findings look at ([`counters::of_seconds`]): a campaign has millions of the others.
    #[serde(deserialize_with = "looked_at")]
    pub values: BTreeMap<String, f64>,
}

impl Second {
    /// What these counters come to together; one that is not there is 0.
    pub fn sum_of(&self, names: &[&str]) -> f64 {
        names.iter().filter_map(|name| self.values.get(*name)).sum()
    }
}

/// Reads counters, and lets go of those that nobody looks at without making a string of their names.
fn looked_at<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, f64>, D::Error> {
    struct Name(Option<String>);
    impl<'de> Deserialize<'de> for Name {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Look;
            impl Visitor<'_> for Look {
                type Value = Name;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("the name of a counter")
                }

                fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                    Ok(Name(counters::of_seconds(name).then(|| name.to_owned())))
                }
            }
            deserializer.deserialize_str(Look)
        }
    }
    struct Counters;
    impl<'de> Visitor<'de> for Counters {
        type Value = BTreeMap<String, f64>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("counters by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut kept = BTreeMap::new();
            while let Some(Name(name)) = map.next_key()? {
                match name {
                    Some(name) => {
                        kept.insert(name, map.next_value()?);
                    }
                    None => {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            Ok(kept)
        }
    }
    deserializer.deserialize_map(Counters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_read_as_it_was_written() {
        let failed = Outcome::Failed { reason: "fio: no".into() };
        let text = serde_json::to_string(&failed).unwrap();
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), failed);
        for wrong in [
            r#"{"reason":"x","outcome":"failed"}"#,
            r#"{"outcome":"won"}"#,
            r#"{"outcome":"failed"}"#,
            "{}",
            "7",
        ] {
            assert!(serde_json::from_str::<Outcome>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn of_a_second_the_counters_that_findings_look_at_are_kept() {
        let text = r#"{"at":1.0,"reads":2.0,"writes":3.0,"values":
            {"drive.hdd0.busy":0.5,"drive.hdd0.reads":7.0,"arc.size":9.0,"dirty.bytes":4.0}}"#;
        let second: Second = serde_json::from_str(text).unwrap();
        let kept: Vec<&str> = second.values.keys().map(String::as_str).collect();
        assert_eq!(kept, ["dirty.bytes", "drive.hdd0.busy"]);
    }
}
