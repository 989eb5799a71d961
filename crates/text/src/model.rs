//! Scale, model and method: how far the numbers can be trusted.

use crate::number::{count, ratio, seconds, share};
use crate::{Language, counted, name, say};
use findings::schema::{
    Findings, MethodFindings, Metric, OpenNumbers, OtherSize, Processor, ScaleLimit, Warmed,
};
use measurement::WarmUpEnd;

impl Language {
    /// What the scale rules out.
    pub fn scale_limit(self, limit: &ScaleLimit) -> String {
        match limit {
            ScaleLimit::FillTimes { factor } => say!(self, factor: count;
                "Warm-up, cache fill and resilver take {factor} times as long on the real server.",
                "预热、缓存填充和重建在真实服务器上需要 {factor} 倍的时间。"),
            ScaleLimit::Bursts { factor } => say!(self, factor: count;
                "Bursts last {factor} times as long on the real server, because its dirty-data limit is that much larger.",
                "真实服务器的脏数据上限是模型的 {factor} 倍，突发的持续时间也相应为 {factor} 倍。"),
        }
    }

    /// How much of a drive's profile is open.
    pub fn open_numbers(self, numbers: &OpenNumbers) -> String {
        let (open, all) = (numbers.open, numbers.all);
        say!(self, kind = name(&numbers.kind), profile = name(&numbers.profile);
            "{kind} ({profile}): {open} of {all} numbers are estimates or ranges.",
            "{kind}（{profile}）：{all} 个参数中有 {open} 个为估计值或范围值。")
    }

    /// How a result moves with the size scale.
    pub fn other_size(self, other: &OtherSize) -> String {
        let depends = match other.moves {
            true => self.pick(
                " This is more than 10 % off: the result depends on the size scale.",
                "偏差超过 10 %：结果取决于缩放倍数。",
            ),
            false => self.pick(" This is within 10 %.", "偏差在 10 % 以内。"),
        };
        let what = match other.metric {
            Metric::Throughput => self.pick("throughput", "吞吐量"),
            Metric::MeanLatency | Metric::P99Latency => self.pick("mean latency", "平均延迟"),
        };
        say!(self, variant = name(&other.variant), workload = name(&other.workload), size = count(other.size), value = ratio(other.ratio);
            "{variant} · {workload}: at S = {size} the {what} is {value} that at this campaign’s S.{depends}",
            "{variant} · {workload}：S = {size} 时{what}为本轮 S 下的 {value}。{depends}")
    }

    /// How caches were warmed.
    pub fn warmed(self, warmed: &Warmed) -> String {
        let hits = warmed.hit_ratio.map_or_else(String::new, |hits| {
            say!(self, hits = share(hits);
                "; memory and L2ARC served {hits} of the lookups", "；内存与 L2ARC 的命中率为 {hits}")
        });
        let after = seconds(warmed.seconds);
        match warmed.ended {
            WarmUpEnd::Settled => say!(self;
                "warmed up for {after} until the hit ratio was stable{hits}", "预热 {after}，命中率已稳定{hits}"),
            WarmUpEnd::TimeLimit => say!(self;
                "warmed up for {after}, the time limit, before the hit ratio was stable{hits}",
                "预热 {after}（达到时限），命中率尚未稳定{hits}"),
            WarmUpEnd::Fixed => say!(self;
                "warmed up for a fixed {after}{hits}", "固定预热 {after}{hits}"),
        }
    }

    /// How sure the numbers are meant to be, in paragraphs.
    pub fn method(self, method: &MethodFindings) -> Vec<String> {
        vec![
            say!(self, seed = method.seed;
                "A trial depends only on its inputs: the same configuration, workload, seed, engine and client programs give the same result on every host. Repeats differ only in the seed (starting from {seed}), and all variants use the same seeds. Each trial starts on a fresh pool.",
                "试验结果只取决于其输入：相同的方案、负载、随机种子、引擎和客户端程序在任何主机上结果都相同。重复试验仅种子不同（从 {seed} 起），各方案使用同一组种子。每次试验都从全新的存储池开始。"),
            say!(self, smallest = share(method.smallest_effect), precision = share(method.precision), errors = share(method.error_rate);
                "An effect is the ratio of two variants that differ in one factor. Its interval is Student’s t on the log ratios of trials with the same seed, or, where that is narrower and the trials agree, it comes from batch means within them with an allowance for seeds; with one trial each it comes from batch means alone. Differences below {smallest} count as no effect. Repeats stop when the verdict is clear, or when a difference from 1 is known to within {precision}; one trial of each side is enough only for an interval beyond 1.3× or 1/1.3×. Over all interim looks, the probability of reporting an effect where there is none is at most {errors}, if results vary normally from seed to seed and, for a verdict from one trial of each side, at most twice as far as batches within it.",
                "效应是仅有一个因素不同的两个方案之比，区间为同种子试验对数比值的 t 区间；若各次试验彼此一致，而由试验内批均值（并计入种子间差异的余量）得出的区间更窄，则采用后者；两个方案各只有一次试验时，仅由批均值得出。小于 {smallest} 的差别视为无明显效果。结论已明确，或与 1 的差别已精确到 {precision} 以内时，停止重复；只有整个区间在 1.3 倍以上或 1/1.3 倍以下时，各一次试验才算足够。若结果随种子呈正态波动（两侧各只有一次试验时，波动不超过批均值的两倍），计入所有中途查看，误报率不超过 {errors}。"),
            say!(self, confidence = share(method.confidence);
                "Intervals beside single variants are {confidence} confidence intervals. Outliers are flagged and kept. A trial that fails a conservation check counts as failed; a trial in which the scaled model is not representative is shown but excluded.",
                "单个方案旁为 {confidence} 置信区间。离群值只标记，不剔除。未通过守恒检查的试验按失败处理；缩放模型不具代表性的试验会列出，但不计入。"),
        ]
    }

    /// What S was bound by: stated in the lab, or bound by a rule of docs/explanation/scale.md, by its short name.
    pub fn bound_by(self, rule: &str) -> String {
        let chinese = match rule {
            "the lab" => return say!(self; "set in the lab file", "由实验文件指定"),
            "nothing: full size fits" => return say!(self; "not scaled", "未缩放"),
            "memory" => "内存",
            "dirty data" => "脏数据",
            "coalescing" => "写合并",
            "read-modify-write" => "读-改-写",
            "metaslabs" => "每个 vdev 的 metaslab 数量",
            "L2ARC" => "缓存盘（L2ARC）容量",
            "clients" => "每个客户端的文件大小",
            other => other,
        };
        say!(self, rule = name(rule), chinese = name(chinese); "limited by {rule}", "受限于{chinese}")
    }

    /// The model in one line: `OpenZFS 2.4.4 on a Linux machine in virtual time · size 1/12 …`.
    pub fn model(self, findings: &Findings) -> String {
        let scale = &findings.scale;
        let processor = match scale.processor {
            Processor::Charged => self.pick("CPU time charged", "计入 CPU 时间"),
            Processor::Free => self.pick("CPU time free", "不计 CPU 时间"),
        };
        let versions =
            findings.openzfs_versions().into_iter().filter(|version| !version.is_empty());
        let versions: Vec<String> = versions.map(|version| name(version)).collect();
        say!(self, versions = versions.join(self.pick(", ", "、")), size = count(scale.size), bound = self.bound_by(&scale.size_bound_by);
            "OpenZFS {versions} on a Linux machine in virtual time · size 1/{size} ({bound}) · {processor}",
            "OpenZFS {versions}，运行于虚拟时间的模拟主机 · 缩放 1/{size}（{bound}）· {processor}")
    }

    /// How many trials count: `16 cells, 48 trials, 2 excluded, 1 failed`.
    pub fn census(self, cells: usize, trials: usize, excluded: usize, failed: usize) -> String {
        let mut census = match self {
            Language::English => {
                format!("{}, {}", counted(cells as u64, "cell"), counted(trials as u64, "trial"))
            }
            Language::Chinese => format!("{cells} 个组合，{trials} 次试验"),
        };
        if excluded > 0 {
            census += &say!(self; ", {excluded} excluded", "，{excluded} 次不计入");
        }
        if failed > 0 {
            census += &say!(self; ", {failed} failed", "，{failed} 次失败");
        }
        census
    }
}
