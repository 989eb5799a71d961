//! Checks, marks, scale and method in English.

use super::English;
use crate::lang::{TrustWords, name, names, versions};
use crate::number::{count, ratio, seconds, share, whole};
use findings::output::{
    Basis, DurabilityRisk, Findings, Law, Mark, MethodFindings, OpenNumbers, OtherSize, ScaleLimit,
    Standing, Warmed,
};
use findings::record::WarmUpEnd;

impl TrustWords for English {
    fn law(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "Little’s law",
            Law::Bandwidth => "Bandwidth",
            Law::BytesOnDrives => "Bytes on drives",
            Law::Busy => "Busy share",
            Law::Reads => "Reads",
            Law::Stages => "Stages",
            Law::SomeIo => "I/O at all",
            Law::Percentiles => "Histogram",
            Law::Series => "Series",
            Law::Samples => "Samples",
        }
    }

    fn law_says(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "throughput × latency (syncs included) is the number in flight",
            Law::Bandwidth => "bytes a second are operations × size",
            Law::BytesOnDrives => "drives write at least what was written and synced",
            Law::Busy => "a drive is busy at most all the time",
            Law::Reads => "every lookup was answered by someone",
            Law::Stages => {
                "what an operation waited for lies within the time the volume worked on it"
            }
            Law::SomeIo => "the client did some I/O",
            Law::Percentiles => "it ascends, and holds as many operations as were counted",
            Law::Series => "the logs of the seconds held the client’s operations",
            Law::Samples => "the pool was looked at in each second",
        }
    }

    fn law_unit(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "in flight",
            Law::Bandwidth => "B/s",
            Law::BytesOnDrives => "B",
            Law::Busy => "",
            Law::Reads => "lookups",
            Law::Stages => "µs/op",
            Law::SomeIo | Law::Percentiles | Law::Series => "ops",
            Law::Samples => "s",
        }
    }

    fn of_trials(&self, trials: u32, of: u32) -> String {
        format!("{trials} of {of} trials")
    }

    fn mark(&self, mark: &Mark) -> String {
        match mark {
            Mark::Late {
                share: late,
                limit,
                enough,
            } => format!(
                "emulated drives answered late by {} of the mean latency (limit {}{})",
                share(*late),
                share(*limit),
                within(*enough)
            ),
            Mark::Processor {
                share: used,
                limit,
                enough,
            } => format!(
                "{} of this machine’s processor was used (limit {}{})",
                share(*used),
                share(*limit),
                within(*enough)
            ),
            Mark::Drives { kind, p50, p99 } => format!(
                "{} drives took {} of their intended time at the median and {} at p99",
                name(kind),
                share(*p50),
                share(*p99)
            ),
            Mark::Neighbours { share: used } => {
                format!("other programs used {} of this machine", share(*used))
            }
            Mark::Stolen { share: lost } => format!(
                "the host of this virtual machine gave {} of its processors to others",
                share(*lost)
            ),
            Mark::Broken {
                law,
                measured,
                expected,
            } => format!(
                "{} is broken: {} measured, {} expected",
                self.law(*law),
                count(*measured),
                count(*expected)
            ),
            Mark::Overflow { count: beyond } => format!(
                "{} operations took longer than the histogram holds: high percentiles are lower bounds",
                whole(*beyond)
            ),
            Mark::NotSteady { seconds: watched } => {
                format!("not steady within {}", seconds(*watched))
            }
            Mark::Serialised { feature } => format!(
                "this kernel cannot run these writers in parallel ({} is missing)",
                name(feature)
            ),
            Mark::SharedFlush => "clients flush a file that several of them write to, which FUSE does for one at a time: let them flush after each write (fsync=1), or give each a file of its own".to_owned(),
            Mark::MemoryThrottle { count: times } => format!(
                "the model’s ARC is too small for its dirty data: {} transactions waited a whole txg",
                count(*times)
            ),
            Mark::OtherScale { size, time } => {
                format!(
                    "ran at another scale: S = {}, k = {}",
                    count(*size),
                    count(*time)
                )
            }
            Mark::DidNotRun => "did not run".into(),
        }
    }

    fn standing(&self, standing: Standing) -> &'static str {
        match standing {
            Standing::Sound => "counts",
            Standing::Marked => "set aside",
            Standing::Failed => "failed",
        }
    }

    fn basis(&self, basis: Basis) -> &'static str {
        match basis {
            Basis::Trials => "over trials",
            Basis::Blocks => "within one trial",
            Basis::Point => "one number, no interval",
        }
    }

    fn durability(&self, risk: &DurabilityRisk) -> String {
        match risk {
            DurabilityRisk::SyncDisabled { datasets } => format!(
                "sync=disabled on {}: a power cut loses acknowledged synchronous writes.",
                datasets_named(datasets)
            ),
            DurabilityRisk::NoCacheFlush { kinds } => format!(
                "zfs_nocacheflush=1 over volatile caches ({}): a power cut loses acknowledged writes.",
                names(kinds, ", ")
            ),
            DurabilityRisk::LyingFlush { kinds } => format!(
                "{} acknowledge a flush and do not keep it: a power cut loses acknowledged writes.",
                names(kinds, ", ")
            ),
            DurabilityRisk::LogNotMirrored => {
                "The log is on one drive: if it dies together with a power cut, acknowledged writes are lost.".into()
            }
            DurabilityRisk::SpecialNotRedundant => {
                "A special or dedup vdev has less redundancy than the data: its loss is the pool’s loss.".into()
            }
            DurabilityRisk::NoRedundancy => "A data vdev has no redundancy: one dead drive loses the pool.".into(),
        }
    }

    fn scale_limit(&self, limit: &ScaleLimit) -> String {
        match limit {
            ScaleLimit::FillTimes { factor } => format!(
                "Warming up, filling and rebuilding take {} times as long on the real machine.",
                count(*factor)
            ),
            ScaleLimit::Bursts { factor } => format!(
                "Bursts last {} times as long on the real machine, whose dirty-data limit is that much larger.",
                count(*factor)
            ),
            ScaleLimit::Processor { factor } => format!(
                "Relative to the drives, the processor is {} times as fast as this host’s.",
                count(*factor)
            ),
            ScaleLimit::Cap {
                name: cap,
                bound,
                size,
                why,
            } => format!(
                "A cap of the scaling is exceeded ({}: at most {}, run at {}): {}",
                name(cap),
                count(*bound),
                count(*size),
                crate::text::one_line(why)
            ),
            ScaleLimit::Network => {
                "No network is modelled: clients run on the machine itself.".into()
            }
        }
    }

    fn open_numbers(&self, open: &OpenNumbers) -> String {
        format!(
            "{} ({}): {} of its {} numbers are estimates, or have a range.",
            name(&open.kind),
            name(&open.profile),
            open.open,
            open.all
        )
    }

    fn other_size(&self, other: &OtherSize) -> String {
        let said = format!(
            "{} · {}: at S = {}, {} of the throughput at this campaign’s S.",
            name(&other.variant),
            name(&other.workload),
            count(other.size),
            ratio(other.ratio)
        );
        said + if other.moves {
            " It moves by more than 10 %: this result depends on the size scale."
        } else {
            " It does not depend on it by more than 10 %."
        }
    }

    fn warmed(&self, warmed: &Warmed) -> String {
        let hits = warmed.hit_ratio.map_or_else(String::new, |hits| {
            format!(", {} of lookups answered by memory or L2ARC", share(hits))
        });
        let after = seconds(warmed.seconds);
        match warmed.ended {
            WarmUpEnd::Settled => format!("warmed for {after} until the hit ratio settled{hits}"),
            WarmUpEnd::TimeLimit => format!(
                "warmed for {after}, the most that was allowed; the hit ratio had not settled{hits}"
            ),
            WarmUpEnd::Fixed => format!("warmed for a fixed {after}{hits}"),
        }
    }

    fn method(&self, method: &MethodFindings) -> Vec<String> {
        vec![
            format!(
                "Trials run in shuffled blocks over the variants (seed {}), so that a drift of the machine falls on all of them. Each starts on a pool of its own.",
                method.seed
            ),
            format!(
                "An effect is a ratio of two variants that differ in one factor. Its interval is Welch’s, on the logarithms of whole trials and never on the samples within one. The smallest effect worth naming is {}; repeats stop at a precision of {} or when the answer is clear. At most {} of effects that are not there are named, over all looks.",
                share(method.smallest_effect),
                share(method.precision),
                share(method.error_rate)
            ),
            format!(
                "Intervals beside single configurations are {} ones, for reading. Outliers are flagged and kept. A trial that breaks a conservation law counts as failed; one whose emulation was late or whose machine was busy is shown and set aside.",
                share(method.confidence)
            ),
        ]
    }

    fn bound_by(&self, rule: &str) -> String {
        match rule {
            "the lab" => "stated in the lab".into(),
            rule => format!("bound by {}", name(rule)),
        }
    }

    fn model(&self, findings: &Findings) -> String {
        let scale = &findings.scale;
        let mut said = format!(
            "OpenZFS {} in userland · size 1/{} ({})",
            versions(findings),
            count(scale.size),
            self.bound_by(&scale.size_bound_by)
        );
        if let Some(time) = scale.time {
            said += &format!(" · time {}× slower", count(time));
        }
        said
    }

    fn worst(&self, late: f64, processor: f64) -> String {
        format!(
            "At worst, emulated drives answered late by {} of a cell’s mean latency (limit 2 %), and {} of this machine’s processor was used (limit 50 %).",
            share(late),
            share(processor)
        )
    }

    fn census(&self, cells: usize, trials: usize, marked: usize, failed: usize) -> String {
        let plural = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        let mut said = format!("{}, {}", plural(cells, "cell"), plural(trials, "trial"));
        if marked > 0 {
            said += &format!(", {marked} set aside");
        }
        if failed > 0 {
            said += &format!(", {failed} failed");
        }
        said
    }
}

/// `the root dataset, wal`.
fn datasets_named(datasets: &[String]) -> String {
    let all: Vec<String> = datasets
        .iter()
        .map(|d| {
            if d.is_empty() {
                "the root dataset".into()
            } else {
                name(d)
            }
        })
        .collect();
    all.join(", ")
}

/// What would have kept a limit: a k, or fewer clients where they wait for the processor at any k.
fn within(enough: Option<f64>) -> String {
    match enough {
        Some(k) => format!("; within it at [scale] time = {k:.0}"),
        None => "; fewer clients would keep it, a slower clock would not".to_owned(),
    }
}
