//! Checks, quality issues, scale and method in English.

use super::{English, validation};
use crate::lang::{TrustWords, name, names, versions};
use crate::number::{count, ratio, seconds, share, whole};
use findings::schema::{
    Basis, DurabilityRisk, Findings, Law, MethodFindings, NotRun, OpenNumbers, OtherSize,
    Processor, QualityIssue, ScaleLimit, Validation, Validity, Warmed,
};
use measurement::WarmUpEnd;

impl TrustWords for English {
    fn law(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "Little’s law",
            Law::Bandwidth => "Bandwidth",
            Law::BytesOnDrives => "Bytes on drives",
            Law::Busy => "Busy share",
            Law::Reads => "Reads",
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
            Law::Reads => "every read was looked up in the caches",
            Law::SomeIo => "the client did some I/O",
            Law::Percentiles => "it ascends, and holds as many operations as were counted",
            Law::Series => "the logs of the seconds held the client’s operations",
            Law::Samples => "the kernel’s counters were read in each second",
        }
    }

    fn law_unit(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "in flight",
            Law::Bandwidth => "B/s",
            Law::BytesOnDrives => "B",
            Law::Busy => "",
            Law::Reads => "lookups",
            Law::SomeIo | Law::Percentiles | Law::Series => "ops",
            Law::Samples => "s",
        }
    }

    fn of_trials(&self, trials: u32, of: u32) -> String {
        format!("{trials} of {of} trials")
    }

    fn issue(&self, issue: &QualityIssue) -> String {
        match issue {
            QualityIssue::Broken { law, measured, expected } => format!(
                "{} does not hold: {} measured, {} expected",
                self.law(*law),
                count(*measured),
                count(*expected)
            ),
            QualityIssue::Overflow { count: beyond } => format!(
                "{} operations took longer than the histogram holds: high percentiles are lower bounds",
                whole(*beyond)
            ),
            QualityIssue::NotSettled { seconds: watched } => {
                format!("not settled within {}", seconds(*watched))
            }
            QualityIssue::WindowTooShort { seconds: watched, least } => format!(
                "a window of {} is too short to see whether it settles: measure {} at least",
                seconds(*watched),
                seconds(*least)
            ),
            QualityIssue::MemoryThrottle { count: times } => format!(
                "outside the model’s truth: its ARC is too small for its dirty data, {} transactions were refused",
                count(*times)
            ),
            QualityIssue::ProcessorBound { busy } => format!(
                "the modelled cores were busy {}: the result rests on the table of compute costs",
                share(*busy)
            ),
            QualityIssue::DidNotRun => "did not run".into(),
        }
    }

    fn validity(&self, validity: Validity) -> &'static str {
        match validity {
            Validity::Valid => "counts",
            Validity::Excluded => "excluded",
            Validity::Failed => "failed",
        }
    }

    fn not_run(&self, cell: &NotRun) -> String {
        match cell.trials {
            1 => "not run: needs 1 trial".to_owned(),
            trials => format!("not run: needs {trials} trials"),
        }
    }

    fn validation(&self, part: &Validation) -> String {
        validation::sentence(part)
    }

    fn basis(&self, basis: Basis) -> &'static str {
        match basis {
            Basis::Trials => "over trials",
            Basis::Batches => "batches within one trial",
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
            ScaleLimit::Cap { name: cap, bound, size, why } => format!(
                "A cap of the scaling is exceeded ({}: at most {}, run at {}): {}",
                name(cap),
                count(*bound),
                count(*size),
                crate::text::one_line(why)
            ),
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
                "A trial is a pure function of its inputs: the same configuration, workload and seed give the same result on every host. Repeats differ in their seed, which all variants share (from {}). Each starts on a pool of its own.",
                method.seed
            ),
            format!(
                "An effect is a ratio of two variants that differ in one factor. Its interval is Student’s, on the logarithms of the ratios of trials with the same seed; of a single trial of each side it is from batches within them. The smallest effect worth naming is {}; repeats stop at a precision of {} or when the answer is clear. At most {} of effects that are not there are named, over all looks.",
                share(method.smallest_effect),
                share(method.precision),
                share(method.error_rate)
            ),
            format!(
                "Intervals beside single configurations are {} ones, for reading. Outliers are flagged and kept. A trial that breaks a conservation law counts as failed; one outside the model’s truth is shown and excluded.",
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
        let processor = match scale.processor {
            Processor::Charged => "charged",
            Processor::Free => "free",
        };
        format!(
            "OpenZFS {} on a Linux machine in virtual time · size 1/{} ({}) · processor {processor}",
            versions(findings),
            count(scale.size),
            self.bound_by(&scale.size_bound_by)
        )
    }

    fn census(&self, cells: usize, trials: usize, excluded: usize, failed: usize) -> String {
        let plural = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        let mut said = format!("{}, {}", plural(cells, "cell"), plural(trials, "trial"));
        if excluded > 0 {
            said += &format!(", {excluded} excluded");
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
        .map(|d| if d.is_empty() { "the root dataset".into() } else { name(d) })
        .collect();
    all.join(", ")
}
