//! Contradictions in tables.

use crate::number::{bytes, count, ratio, seconds, share, share_number};
use crate::{Language, counted, name, phrases, say};
use findings::schema::{LintFinding, Severity};

phrases! {
    /// How bad a contradiction is.
    severity(Severity) {
        Impossible: "impossible" | "不可能",
        Implausible: "implausible" | "不可信",
        NotComparable: "not comparable" | "不可比",
        Note: "note" | "提示",
    }
}

impl Language {
    /// What a lint found.
    pub fn lint(self, finding: &LintFinding) -> String {
        match finding {
            LintFinding::Little { throughput, mean_ms, in_flight, concurrency } => say!(self,
                ops = count(*throughput), mean = seconds(mean_ms / 1e3), needed = count(*in_flight), stated = count(*concurrency);
                "{ops} ops/s at a mean latency of {mean} need {needed} operations in flight (Little’s law); the table states {stated}.",
                "{ops} 次/秒、平均延迟 {mean} 需要 {needed} 的并发（Little 定律），而表中为 {stated}。"),
            LintFinding::Bandwidth { bandwidth, throughput, size } => say!(self,
                ops = count(*throughput), real = bytes(throughput * size), size: bytes, stated = bytes(*bandwidth);
                "{ops} ops/s of {size} are {real}/s; the table states {stated}/s.",
                "{ops} 次/秒、每次 {size} 应为 {real}/s，而表中为 {stated}/s。"),
            LintFinding::PercentileOrder { lower, lower_ms, higher, higher_ms } => say!(self,
                low = count(*lower), low_s = seconds(lower_ms / 1e3), high = count(*higher), high_s = seconds(higher_ms / 1e3);
                "p{low} ({low_s}) is above p{high} ({high_s}).",
                "p{low}（{low_s}）高于 p{high}（{high_s}）。"),
            LintFinding::ThinTail { p95_ms, p99_ms, ratio: found, plausible } => say!(self,
                p99 = seconds(p99_ms / 1e3), found: ratio, p95 = seconds(p95_ms / 1e3), least = ratio(*plausible);
                "p99 ({p99}) is only {found} the p95 ({p95}); with checkpoints and txg syncs, at least {least} is expected.",
                "p99（{p99}）仅为 p95（{p95}）的 {found}；存在检查点和 txg 同步时至少应为 {least}。"),
            LintFinding::ConstantTail { least, most } => say!(self, least: ratio, most: ratio;
                "p99 is {least} to {most} the mean in every row: it looks computed, not measured.",
                "每一行的 p99 都是平均值的 {least} 到 {most}：像是推算而非实测。"),
            LintFinding::MediaSyncs { syncs, at_most, rpm, vdevs } => say!(self,
                syncs = count(*syncs), rpm = count(*rpm), most = count(*at_most), of = counted((*vdevs).into(), "vdev"), reach = if *vdevs == 1 { "reaches" } else { "reach" };
                "{syncs} syncs/s cannot come from the platters: {of} at {rpm} rpm {reach} at most {most}. A write-back cache must be answering.",
                "{syncs} 次/秒的同步写不可能由盘片完成：{vdevs} 个 {rpm} 转/分的 vdev 最多 {most} 次/秒。应是回写缓存在应答。"),
            LintFinding::SyncDisabled { throughput, unsynced_faster } => {
                let but = unsynced_faster.map_or_else(String::new, |times| {
                    say!(self, times = ratio(times);
                    " But asynchronous writes were {times} as fast, so sync was probably active.",
                    "但异步写的速度是其 {times}，说明 sync 很可能仍然生效。")
                });
                say!(self, ops = count(*throughput);
                    "{ops} synchronous ops/s were measured with sync=disabled, which makes no write durable.{but}",
                    "{ops} 次/秒的“同步”操作是在 sync=disabled 下测得的，不保证落盘。{but}")
            }
            LintFinding::LayoutWidth { data, parity, vdevs, spares, drives, data_actual } => {
                self.layout_width([*data, *parity], *vdevs, *spares, *drives, *data_actual)
            }
            LintFinding::FaultTolerance { stated, stated_of, survives, of } => say!(self;
                "The table states that {stated} of {stated_of} drives may fail; with this parity any {survives} of {of} may fail, not more.",
                "表中称 {stated_of} 块硬盘中可坏 {stated} 块；按其校验级别，{of} 块中最多可坏任意 {survives} 块。"),
            LintFinding::NotLineRate { bits, link } => say!(self,
                bits = count(bits / 1e9), link = count(link / 1e9);
                "{bits} Gb/s is called line rate, but the link has {link} Gb/s.",
                "声称跑满 {link} Gb/s 链路，实际为 {bits} Gb/s。"),
            LintFinding::OverLink { bandwidth, link } => say!(self, bandwidth: bytes, link: bytes;
                "{bandwidth}/s exceeds the {link}/s of the link.", "{bandwidth}/s 超过链路的 {link}/s。"),
            LintFinding::ArcDrop { without, with, arc, headers, explained } => say!(self,
                without: share, with: share, headers: bytes, arc: bytes, explained: share_number;
                "The ARC hit ratio falls from {without} to {with}; L2ARC headers take at most {headers} of the {arc} ARC, which explains only {explained} percentage points of that.",
                "ARC 命中率由 {without} 降到 {with}；L2ARC 头部最多占用 {headers}（ARC 共 {arc}），只能解释其中 {explained} 个百分点。"),
            LintFinding::FillTime { hits, bytes: held, feed, seconds: needed, run } => say!(self,
                hits: share, held: bytes, feed: bytes, needed: seconds, run: seconds;
                "For {hits} of the reads to hit the L2ARC it must hold {held}; at {feed}/s that takes {needed} to fill, but the run lasted {run}.",
                "L2ARC 要命中 {hits} 的读取需缓存 {held}；以 {feed}/s 写入需 {needed}，而测试只运行了 {run}。"),
            LintFinding::PrimaryCache { primarycache, hits } => say!(self,
                value = name(primarycache), hits: share;
                "primarycache={value} keeps data out of the ARC and therefore out of the L2ARC, yet {hits} of the reads hit it.",
                "primarycache={value} 使数据不进入 ARC，也就不会进入 L2ARC，却有 {hits} 的读取命中 L2ARC。"),
            LintFinding::Raid0Below { raid0, other, level, same_settings } => {
                self.raid0_below(*raid0, *other, level, *same_settings)
            }
            LintFinding::OtherSize { bandwidth, computed, size } => say!(self,
                stated = bytes(*bandwidth), computed: bytes, size: bytes;
                "The table states {stated}/s, but operations × size give {computed}/s: the block size ({size}) or other settings differ, so the two are not comparable.",
                "表中为 {stated}/s，而操作数 × 块大小为 {computed}/s：块大小（{size}）或其他设置不同，不可比。"),
            LintFinding::Capacity { stated, computed } => say!(self,
                stated: bytes, computed: bytes;
                "The table states {stated} usable; the layout gives {computed}.",
                "表中可用容量为 {stated}；按布局应为 {computed}。"),
            LintFinding::Range { column, value } => say!(self, column = name(column), value: count;
                "{column} is {value}, which is out of range.", "{column} 为 {value}，超出合理范围。"),
        }
    }

    /// Vdevs of stated data and parity that need other drives than there are.
    fn layout_width(
        self,
        [data, parity]: [u32; 2],
        vdevs: u32,
        spares: u32,
        drives: u32,
        data_actual: u32,
    ) -> String {
        let of_vdevs = u64::from(vdevs) * (u64::from(data) + u64::from(parity));
        let beside = match spares {
            0 => self.pick("", " ").to_owned(),
            spares => say!(self, beside = counted(spares.into(), "spare");
                " and {beside}", " 和 {spares} 块热备盘"),
        };
        say!(self, needed = of_vdevs + u64::from(spares), of = counted(vdevs.into(), "vdev");
            "{of} of {data}D+{parity}P{beside} need {needed} drives; {drives} drives give {data_actual}D+{parity}P.",
            "{vdevs} 个 {data}D+{parity}P 的 vdev{beside}需要 {needed} 块硬盘；{drives} 块硬盘只能组成 {data_actual}D+{parity}P。")
    }

    /// A stripe that is slower than what has redundancy.
    fn raid0_below(self, raid0: f64, other: f64, level: &str, same_settings: bool) -> String {
        let end = match same_settings {
            true => self.pick("with the same settings: impossible.", "设置相同，不可能。"),
            false => self.pick("with different settings: not comparable.", "设置不同，不可比。"),
        };
        say!(self, raid0 = count(raid0), level = name(level), other = count(other);
            "RAID 0 ({raid0}) is slower than {level} ({other}), measured {end}",
            "RAID 0（{raid0}）慢于 {level}（{other}）：{end}")
    }
}
