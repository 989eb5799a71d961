//! Checks, quality issues, scale and method in simplified Chinese.

use super::{Chinese, validation};
use crate::lang::{TrustWords, name, names, versions};
use crate::number::{count, ratio, seconds, share, whole};
use findings::schema::{
    Basis, DurabilityRisk, Findings, Law, MethodFindings, NotRun, OpenNumbers, OtherSize,
    Processor, QualityIssue, ScaleLimit, Validation, Validity, Warmed,
};
use measurement::WarmUpEnd;

impl TrustWords for Chinese {
    fn law(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "利特尔法则",
            Law::Bandwidth => "带宽",
            Law::BytesOnDrives => "落盘字节",
            Law::Busy => "忙碌比例",
            Law::Reads => "读取",
            Law::SomeIo => "确有 I/O",
            Law::Percentiles => "直方图",
            Law::Series => "时间序列",
            Law::Samples => "采样",
        }
    }

    fn law_says(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "吞吐量 × 延迟（含同步）等于并发数",
            Law::Bandwidth => "每秒字节数等于操作数 × 大小",
            Law::BytesOnDrives => "硬盘写入的字节不少于已写并同步的字节",
            Law::Busy => "一块盘最多一直忙碌",
            Law::Reads => "每次读取都在缓存中查找过",
            Law::SomeIo => "客户端做了 I/O",
            Law::Percentiles => "单调不减，且所含操作数与计数一致",
            Law::Series => "逐秒日志包含客户端的全部操作",
            Law::Samples => "每一秒都读取了内核计数器",
        }
    }

    fn law_unit(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "并发",
            Law::Bandwidth => "B/s",
            Law::BytesOnDrives => "B",
            Law::Busy => "",
            Law::Reads => "次查找",
            Law::SomeIo | Law::Percentiles | Law::Series => "次",
            Law::Samples => "s",
        }
    }

    fn of_trials(&self, trials: u32, of: u32) -> String {
        format!("{of} 次试验中的 {trials} 次")
    }

    fn issue(&self, issue: &QualityIssue) -> String {
        match issue {
            QualityIssue::Broken { law, measured, expected } => format!(
                "违反{}：实测 {}，应为 {}",
                self.law(*law),
                count(*measured),
                count(*expected)
            ),
            QualityIssue::Overflow { count: beyond } => {
                format!("{} 次操作超出直方图上限：高百分位只是下界", whole(*beyond))
            }
            QualityIssue::NotSettled { seconds: watched } => {
                format!("{} 内未达稳态", seconds(*watched))
            }
            QualityIssue::WindowTooShort { seconds: watched, least } => format!(
                "{} 的窗口太短，看不出是否稳定：至少测 {}",
                seconds(*watched),
                seconds(*least)
            ),
            QualityIssue::MemoryThrottle { count: times } => format!(
                "超出模型的适用范围：模型的 ARC 对脏数据而言太小，{} 个事务被拒绝",
                count(*times)
            ),
            QualityIssue::ProcessorBound { busy } => {
                format!("模型的核心忙碌 {}：结果取决于计算开销表", share(*busy))
            }
            QualityIssue::DidNotRun => "没有运行".into(),
        }
    }

    fn validity(&self, validity: Validity) -> &'static str {
        match validity {
            Validity::Valid => "有效",
            Validity::Excluded => "不计入",
            Validity::Failed => "失败",
        }
    }

    fn not_run(&self, cell: &NotRun) -> String {
        format!("没有运行：需要 {} 次试验", cell.trials)
    }

    fn validation(&self, part: &Validation) -> String {
        validation::sentence(part)
    }

    fn basis(&self, basis: Basis) -> &'static str {
        match basis {
            Basis::Trials => "跨试验",
            Basis::Batches => "单次试验内的分段均值",
            Basis::Point => "单个数值，无区间",
        }
    }

    fn durability(&self, risk: &DurabilityRisk) -> String {
        match risk {
            DurabilityRisk::SyncDisabled { datasets } => {
                let all: Vec<String> = datasets
                    .iter()
                    .map(|d| if d.is_empty() { "根数据集".into() } else { name(d) })
                    .collect();
                format!("{} 上 sync=disabled：断电会丢失已确认的同步写入。", all.join("、"))
            }
            DurabilityRisk::NoCacheFlush { kinds } => format!(
                "在易失缓存（{}）上设 zfs_nocacheflush=1：断电会丢失已确认的写入。",
                names(kinds, "、")
            ),
            DurabilityRisk::LyingFlush { kinds } => {
                format!("{} 确认刷新却不真正保存：断电会丢失已确认的写入。", names(kinds, "、"))
            }
            DurabilityRisk::LogNotMirrored => {
                "日志只在一块盘上：它若与断电同时损坏，已确认的写入会丢失。".into()
            }
            DurabilityRisk::SpecialNotRedundant => {
                "special 或 dedup vdev 的冗余低于数据：它一旦丢失，整个池随之丢失。".into()
            }
            DurabilityRisk::NoRedundancy => "有数据 vdev 没有冗余：坏一块盘就丢失整个池。".into(),
        }
    }

    fn scale_limit(&self, limit: &ScaleLimit) -> String {
        match limit {
            ScaleLimit::FillTimes { factor } => {
                format!("预热、填充和重建在真实机器上需要 {} 倍的时间。", count(*factor))
            }
            ScaleLimit::Bursts { factor } => format!(
                "突发在真实机器上的持续时间是模型的 {} 倍，因为其脏数据上限也是这么多倍。",
                count(*factor)
            ),
            ScaleLimit::Cap { name: cap, bound, size, why } => format!(
                "超出缩放上限（{}：至多 {}，实际 {}）：{}",
                name(cap),
                count(*bound),
                count(*size),
                crate::text::one_line(why)
            ),
        }
    }

    fn open_numbers(&self, open: &OpenNumbers) -> String {
        format!(
            "{}（{}）：其 {} / {} 个参数是估计值或给出了范围。",
            name(&open.kind),
            name(&open.profile),
            open.open,
            open.all
        )
    }

    fn other_size(&self, other: &OtherSize) -> String {
        let said = format!(
            "{} · {}：S = {} 时，吞吐量为本次 S 的 {}。",
            name(&other.variant),
            name(&other.workload),
            count(other.size),
            ratio(other.ratio)
        );
        said + if other.moves {
            "变化超过 10 %：此结果取决于大小比例。"
        } else {
            "变化不超过 10 %。"
        }
    }

    fn warmed(&self, warmed: &Warmed) -> String {
        let hits = warmed.hit_ratio.map_or_else(String::new, |hits| {
            format!("，{} 的查找由内存或 L2ARC 应答", share(hits))
        });
        let after = seconds(warmed.seconds);
        match warmed.ended {
            WarmUpEnd::Settled => format!("预热 {after}，命中率已稳定{hits}"),
            WarmUpEnd::TimeLimit => format!("预热 {after}（所允许的上限），命中率仍未稳定{hits}"),
            WarmUpEnd::Fixed => format!("固定预热 {after}{hits}"),
        }
    }

    fn method(&self, method: &MethodFindings) -> Vec<String> {
        vec![
            format!(
                "一次试验完全由其输入决定：相同的方案、负载和种子在任何主机上都给出相同的结果。重复试验只有种子不同，所有方案共用同一组种子（始于 {}）。每次试验从独立的存储池开始。",
                method.seed
            ),
            format!(
                "效应是只差一个因素的两个方案之比；其区间为学生 t 区间，取自同种子试验之比的对数；两边各只有一次试验时，取自试验内的分段均值。值得一提的最小效应为 {}；精度达到 {} 或答案已明时停止重复。在所有查看中，并不存在的效应被误报的比例至多 {}。",
                share(method.smallest_effect),
                share(method.precision),
                share(method.error_rate)
            ),
            format!(
                "单个方案旁的区间为 {} 区间，供阅读。离群值只标记，不剔除。违反守恒定律的试验算失败；超出模型适用范围的试验会展示但不计入。",
                share(method.confidence)
            ),
        ]
    }

    fn bound_by(&self, rule: &str) -> String {
        match rule {
            "the lab" => "由实验文件指定".into(),
            "memory" => "受限于内存".into(),
            "backing store" => "受限于后备存储空间".into(),
            "dirty data" => "受限于脏数据".into(),
            "coalescing" => "受限于写合并".into(),
            "metaslabs" => "受限于 metaslab 数量".into(),
            "L2ARC" => "受限于 L2ARC 容量".into(),
            "clients" => "受限于每个客户端的文件大小".into(),
            other => format!("受限于{}", name(other)),
        }
    }

    fn model(&self, findings: &Findings) -> String {
        let scale = &findings.scale;
        let processor = match scale.processor {
            Processor::Charged => "计入处理器",
            Processor::Free => "处理器免费",
        };
        format!(
            "虚拟时间中的 Linux 机器，OpenZFS {} · 大小 1/{}（{}）· {processor}",
            versions(findings),
            count(scale.size),
            self.bound_by(&scale.size_bound_by)
        )
    }

    fn census(&self, cells: usize, trials: usize, excluded: usize, failed: usize) -> String {
        let mut said = format!("{cells} 个单元，{trials} 次试验");
        if excluded > 0 {
            said += &format!("，{excluded} 次不计入");
        }
        if failed > 0 {
            said += &format!("，{failed} 次失败");
        }
        said
    }
}
