//! Contradictions in simplified Chinese.

use super::Chinese;
use crate::lang::{LintWords, name};
use crate::number::{bytes, count, ratio, seconds, share};
use findings::schema::{LintFinding, Severity};

impl LintWords for Chinese {
    fn severity(&self, severity: Severity) -> &'static str {
        match severity {
            Severity::Impossible => "不可能",
            Severity::Implausible => "不可信",
            Severity::NotComparable => "不可比",
            Severity::Note => "提示",
        }
    }

    fn lint(&self, finding: &LintFinding) -> String {
        match finding {
            LintFinding::Little { throughput, mean_ms, in_flight, concurrency } => format!(
                "每秒 {} 次、平均 {} 需要并发 {}（利特尔法则），而标明的是 {}。",
                count(*throughput),
                seconds(mean_ms / 1e3),
                count(*in_flight),
                count(*concurrency)
            ),
            LintFinding::Bandwidth { bandwidth, throughput, size } => format!(
                "每秒 {} 次、每次 {} 是 {}/s，而不是标明的 {}/s。",
                count(*throughput),
                bytes(*size),
                bytes(throughput * size),
                bytes(*bandwidth)
            ),
            LintFinding::PercentileOrder { lower, lower_ms, higher, higher_ms } => format!(
                "p{}（{}）高于 p{}（{}）。",
                count(*lower),
                seconds(lower_ms / 1e3),
                count(*higher),
                seconds(higher_ms / 1e3)
            ),
            LintFinding::ThinTail { p95_ms, p99_ms, ratio: found, plausible } => format!(
                "p99（{}）只有 p95（{}）的 {}；有检查点和 txg 同步的存储至少是 {}。",
                seconds(p99_ms / 1e3),
                seconds(p95_ms / 1e3),
                ratio(*found),
                ratio(*plausible)
            ),
            LintFinding::ConstantTail { least, most } => format!(
                "每一行的 p99 都是平均值的 {} 到 {}：看来是算出来的，不是测出来的。",
                ratio(*least),
                ratio(*most)
            ),
            LintFinding::MediaSyncs { syncs, at_most, rpm, vdevs } => format!(
                "每秒 {} 次同步不可能来自介质：{} 个 vdev、{} 转最多 {} 次。是回写缓存在应答。",
                count(*syncs),
                vdevs,
                count(*rpm),
                count(*at_most)
            ),
            LintFinding::SyncDisabled { throughput, unsynced_faster } => {
                let but = unsynced_faster.map_or_else(String::new, |times| {
                    format!("但不同步的快 {}：同步多半是生效的。", ratio(times))
                });
                format!(
                    "每秒 {} 次“同步”操作是在 sync=disabled 下测得的，它不作任何保证。{but}",
                    count(*throughput)
                )
            }
            LintFinding::LayoutWidth { data, parity, vdevs, drives, data_actual } => format!(
                "{vdevs} 个 {data}D+{parity}P 的 vdev 需要 {} 块盘；{drives} 块盘只能组成 {data_actual}D+{parity}P。",
                u64::from(*vdevs) * (u64::from(*data) + u64::from(*parity))
            ),
            LintFinding::FaultTolerance { stated, stated_of, survives, of } => format!(
                "声称 {stated_of} 块盘中可坏 {stated} 块；按其校验，{of} 块中可坏任意 {survives} 块，不能再多。"
            ),
            LintFinding::NotLineRate { bits, link } => format!(
                "声称跑满 {} Gb/s 的链路，实际是 {} Gb/s。",
                count(link / 1e9),
                count(bits / 1e9)
            ),
            LintFinding::OverLink { bandwidth, link } => {
                format!("{}/s 超过链路能承载的 {}/s。", bytes(*bandwidth), bytes(*link))
            }
            LintFinding::ArcDrop { without, with, arc, headers, explained } => format!(
                "ARC 命中率由 {} 降到 {}；L2ARC 头部最多占 {}（ARC 共 {}），只能解释 {} 的下降。",
                share(*without),
                share(*with),
                bytes(*headers),
                bytes(*arc),
                share(*explained)
            ),
            LintFinding::FillTime { hits, bytes: held, feed, seconds: needed, run } => format!(
                "{} 的读取来自 L2ARC 需要其中有 {}；以 {}/s 填充要 {}，而运行只有 {}。",
                share(*hits),
                bytes(*held),
                bytes(*feed),
                seconds(*needed),
                seconds(*run)
            ),
            LintFinding::PrimaryCache { primarycache, hits } => format!(
                "primarycache={} 使数据进不了 ARC，也就进不了 L2ARC；却有 {} 的读取命中它。",
                name(primarycache),
                share(*hits)
            ),
            LintFinding::Raid0Below { raid0, other, level, same_settings } => {
                let end = if *same_settings {
                    "设置相同：不可能。"
                } else {
                    "设置不同：不可比。"
                };
                format!(
                    "RAID 0 的 {} 低于 {} 的 {}，{end}",
                    count(*raid0),
                    name(level),
                    count(*other)
                )
            }
            LintFinding::OtherSize { bandwidth, computed, size } => format!(
                "{}/s 与按操作数 × 大小得出的 {}/s 并列：块大小不同（{}）或设置不同，不可比。",
                bytes(*bandwidth),
                bytes(*computed),
                bytes(*size)
            ),
            LintFinding::Capacity { stated, computed } => {
                format!("标明可用 {}；按布局为 {}。", bytes(*stated), bytes(*computed))
            }
            LintFinding::Range { column, value } => {
                format!("{} 为 {}，超出范围。", name(column), count(*value))
            }
        }
    }
}
