//! Contradictions in English.

use super::English;
use crate::lang::{LintWords, name};
use crate::number::{bytes, count, ratio, seconds, share};
use findings::schema::{LintFinding, Severity};

impl LintWords for English {
    fn severity(&self, severity: Severity) -> &'static str {
        match severity {
            Severity::Impossible => "impossible",
            Severity::Implausible => "implausible",
            Severity::NotComparable => "not comparable",
            Severity::Note => "note",
        }
    }

    fn lint(&self, finding: &LintFinding) -> String {
        match finding {
            LintFinding::Little { throughput, mean_ms, in_flight, concurrency } => format!(
                "{} operations a second at {} mean need {} in flight (Little’s law); {} are stated.",
                count(*throughput),
                seconds(mean_ms / 1e3),
                count(*in_flight),
                count(*concurrency)
            ),
            LintFinding::Bandwidth { bandwidth, throughput, size } => format!(
                "{} operations a second of {} are {}/s, not the {}/s stated.",
                count(*throughput),
                bytes(*size),
                bytes(throughput * size),
                bytes(*bandwidth)
            ),
            LintFinding::PercentileOrder { lower, lower_ms, higher, higher_ms } => format!(
                "p{} ({}) is above p{} ({}).",
                count(*lower),
                seconds(lower_ms / 1e3),
                count(*higher),
                seconds(higher_ms / 1e3)
            ),
            LintFinding::ThinTail { p95_ms, p99_ms, ratio: found, plausible } => format!(
                "p99 ({}) is only {} p95 ({}); storage under checkpoints and txg syncs has at least {}.",
                seconds(p99_ms / 1e3),
                ratio(*found),
                seconds(p95_ms / 1e3),
                ratio(*plausible)
            ),
            LintFinding::ConstantTail { least, most } => format!(
                "p99 is {} to {} the mean in every row: computed rather than measured, by the look of it.",
                ratio(*least),
                ratio(*most)
            ),
            LintFinding::MediaSyncs { syncs, at_most, rpm, vdevs } => format!(
                "{} syncs a second cannot come from the media: {} vdevs at {} rpm give at most {}. A write-back cache answers.",
                count(*syncs),
                vdevs,
                count(*rpm),
                count(*at_most)
            ),
            LintFinding::SyncDisabled { throughput, unsynced_faster } => {
                let but = unsynced_faster.map_or_else(String::new, |times| {
                    format!(
                        " Yet unsynchronised ones were {} as fast: sync was probably active.",
                        ratio(times)
                    )
                });
                format!(
                    "{} synchronous operations a second were measured under sync=disabled, which promises nothing.{but}",
                    count(*throughput)
                )
            }
            LintFinding::LayoutWidth { data, parity, vdevs, drives, data_actual } => format!(
                "{vdevs} vdevs of {data}D+{parity}P need {} drives; {drives} drives give {data_actual}D+{parity}P.",
                u64::from(*vdevs) * (u64::from(*data) + u64::from(*parity))
            ),
            LintFinding::FaultTolerance { stated, stated_of, survives, of } => format!(
                "Said to survive {stated} of {stated_of} drives; by its parity it survives any {survives} of {of}, and not one more."
            ),
            LintFinding::NotLineRate { bits, link } => format!(
                "{} Gb/s is said to fill a link of {} Gb/s.",
                count(bits / 1e9),
                count(link / 1e9)
            ),
            LintFinding::OverLink { bandwidth, link } => format!(
                "{}/s is more than the {}/s the link carries.",
                bytes(*bandwidth),
                bytes(*link)
            ),
            LintFinding::ArcDrop { without, with, arc, headers, explained } => format!(
                "The ARC’s hit ratio falls from {} to {}; L2ARC headers take at most {} of its {} and explain a fall of {}.",
                share(*without),
                share(*with),
                bytes(*headers),
                bytes(*arc),
                share(*explained)
            ),
            LintFinding::FillTime { hits, bytes: held, feed, seconds: needed, run } => format!(
                "{} of reads from the L2ARC need {} in it; at {}/s that takes {}, and the run lasted {}.",
                share(*hits),
                bytes(*held),
                bytes(*feed),
                seconds(*needed),
                seconds(*run)
            ),
            LintFinding::PrimaryCache { primarycache, hits } => format!(
                "primarycache={} keeps data out of the ARC and so out of the L2ARC; yet {} of reads hit it.",
                name(primarycache),
                share(*hits)
            ),
            LintFinding::Raid0Below { raid0, other, level, same_settings } => {
                let end = if *same_settings {
                    "under the same settings: this cannot be."
                } else {
                    "under different settings: not comparable."
                };
                format!(
                    "RAID 0 at {} stands below {} at {}, measured {end}",
                    count(*raid0),
                    name(level),
                    count(*other)
                )
            }
            LintFinding::OtherSize { bandwidth, computed, size } => format!(
                "{}/s beside {}/s by operations × size: another size ({}) or other settings, not comparable.",
                bytes(*bandwidth),
                bytes(*computed),
                bytes(*size)
            ),
            LintFinding::Capacity { stated, computed } => format!(
                "{} usable is stated; the layout gives {}.",
                bytes(*stated),
                bytes(*computed)
            ),
            LintFinding::Range { column, value } => {
                format!("{} is {}, out of its range.", name(column), count(*value))
            }
        }
    }
}
