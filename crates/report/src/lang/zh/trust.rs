//! Checks, marks, scale and method in simplified Chinese.

use super::Chinese;
use crate::lang::{TrustWords, name, names, versions};
use crate::number::{count, ratio, seconds, share, whole};
use findings::output::{
    Basis, DurabilityRisk, Findings, Law, Mark, MethodFindings, OpenNumbers, OtherSize, ScaleLimit,
    Standing, Warmed,
};
use findings::record::WarmUpEnd;

impl TrustWords for Chinese {
    fn law(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "利特尔法则",
            Law::Bandwidth => "带宽",
            Law::BytesOnDrives => "落盘字节",
            Law::Busy => "忙碌比例",
            Law::Reads => "读取",
            Law::Stages => "分段计时",
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
            Law::Reads => "每次查找都有应答者",
            Law::Stages => "一次操作的各段等待不超过卷为其工作的时间",
            Law::SomeIo => "客户端做了 I/O",
            Law::Percentiles => "单调不减，且所含操作数与计数一致",
            Law::Series => "逐秒日志包含客户端的全部操作",
            Law::Samples => "每一秒都采样了存储池",
        }
    }

    fn law_unit(&self, law: Law) -> &'static str {
        match law {
            Law::Little => "并发",
            Law::Bandwidth => "B/s",
            Law::BytesOnDrives => "B",
            Law::Busy => "",
            Law::Reads => "次查找",
            Law::Stages => "µs/次",
            Law::SomeIo | Law::Percentiles | Law::Series => "次",
            Law::Samples => "s",
        }
    }

    fn of_trials(&self, trials: u32, of: u32) -> String {
        format!("{of} 次试验中的 {trials} 次")
    }

    fn mark(&self, mark: &Mark) -> String {
        match mark {
            Mark::Late {
                share: late,
                limit,
                enough,
            } => format!(
                "模拟硬盘应答偏晚，占平均延迟的 {}（上限 {}{}）",
                share(*late),
                share(*limit),
                within(*enough)
            ),
            Mark::Processor {
                share: used,
                limit,
                enough,
            } => format!(
                "本机处理器用了 {}（上限 {}{}）",
                share(*used),
                share(*limit),
                within(*enough)
            ),
            Mark::Drives { kind, p50, p99 } => format!(
                "{} 盘的实际用时为预期的 {}（中位数）和 {}（p99）",
                name(kind),
                share(*p50),
                share(*p99)
            ),
            Mark::Neighbours { share: used } => format!("其他程序用了本机的 {}", share(*used)),
            Mark::Stolen { share: lost } => {
                format!("本虚拟机的宿主机把其 {} 的处理器分给了别人", share(*lost))
            }
            Mark::Broken {
                law,
                measured,
                expected,
            } => format!(
                "违反{}：实测 {}，应为 {}",
                self.law(*law),
                count(*measured),
                count(*expected)
            ),
            Mark::Overflow { count: beyond } => {
                format!("{} 次操作超出直方图上限：高百分位只是下界", whole(*beyond))
            }
            Mark::NotSteady { seconds: watched } => format!("{} 内未达稳态", seconds(*watched)),
            Mark::Serialised { feature } => {
                format!("本机内核不能让这些写入并行（缺少 {}）", name(feature))
            }
            Mark::SharedFlush => "多个客户端写入并刷新同一个文件，而 FUSE 一次只为一个客户端刷新：请每次写入后刷新（fsync=1），或让每个客户端使用自己的文件".to_owned(),
            Mark::MemoryThrottle { count: times } => {
                format!(
                    "模型的 ARC 对脏数据而言太小：{} 个事务等待了整个事务组",
                    count(*times)
                )
            }
            Mark::OtherScale { size, time } => {
                format!("以另一比例运行：S = {}，k = {}", count(*size), count(*time))
            }
            Mark::DidNotRun => "没有运行".into(),
        }
    }

    fn standing(&self, standing: Standing) -> &'static str {
        match standing {
            Standing::Sound => "有效",
            Standing::Marked => "搁置",
            Standing::Failed => "失败",
        }
    }

    fn basis(&self, basis: Basis) -> &'static str {
        match basis {
            Basis::Trials => "跨试验",
            Basis::Blocks => "单次试验内",
            Basis::Point => "单个数值，无区间",
        }
    }

    fn durability(&self, risk: &DurabilityRisk) -> String {
        match risk {
            DurabilityRisk::SyncDisabled { datasets } => {
                let all: Vec<String> = datasets
                    .iter()
                    .map(|d| {
                        if d.is_empty() {
                            "根数据集".into()
                        } else {
                            name(d)
                        }
                    })
                    .collect();
                format!(
                    "{} 上 sync=disabled：断电会丢失已确认的同步写入。",
                    all.join("、")
                )
            }
            DurabilityRisk::NoCacheFlush { kinds } => format!(
                "在易失缓存（{}）上设 zfs_nocacheflush=1：断电会丢失已确认的写入。",
                names(kinds, "、")
            ),
            DurabilityRisk::LyingFlush { kinds } => format!(
                "{} 确认刷新却不真正保存：断电会丢失已确认的写入。",
                names(kinds, "、")
            ),
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
                format!(
                    "预热、填充和重建在真实机器上需要 {} 倍的时间。",
                    count(*factor)
                )
            }
            ScaleLimit::Bursts { factor } => format!(
                "突发在真实机器上的持续时间是模型的 {} 倍，因为其脏数据上限也是这么多倍。",
                count(*factor)
            ),
            ScaleLimit::Processor { factor } => {
                format!("相对于硬盘，处理器速度是本机的 {} 倍。", count(*factor))
            }
            ScaleLimit::Cap {
                name: cap,
                bound,
                size,
                why,
            } => format!(
                "超出缩放上限（{}：至多 {}，实际 {}）：{}",
                name(cap),
                count(*bound),
                count(*size),
                crate::text::one_line(why)
            ),
            ScaleLimit::Network => "没有模拟网络：客户端在本机运行。".into(),
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
                "各方案的试验按打乱的区组交替运行（种子 {}），机器的漂移由所有方案分担。每次试验从独立的存储池开始。",
                method.seed
            ),
            format!(
                "效应是只差一个因素的两个方案之比；其区间为 Welch 区间，取自整次试验的对数，从不取自试验内的样本。值得一提的最小效应为 {}；精度达到 {} 或答案已明时停止重复。在所有查看中，并不存在的效应被误报的比例至多 {}。",
                share(method.smallest_effect),
                share(method.precision),
                share(method.error_rate)
            ),
            format!(
                "单个方案旁的区间为 {} 区间，供阅读。离群值只标记，不剔除。违反守恒定律的试验算失败；模拟偏晚或机器繁忙的试验会展示但搁置。",
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
        let mut said = format!(
            "用户态 OpenZFS {} · 大小 1/{}（{}）",
            versions(findings),
            count(scale.size),
            self.bound_by(&scale.size_bound_by)
        );
        if let Some(time) = scale.time {
            said += &format!(" · 时间放慢 {} 倍", count(time));
        }
        said
    }

    fn worst(&self, late: f64, processor: f64) -> String {
        format!(
            "最差时，模拟硬盘应答偏晚占单元平均延迟的 {}（上限 2 %），本机处理器用了 {}（上限 50 %）。",
            share(late),
            share(processor)
        )
    }

    fn census(&self, cells: usize, trials: usize, marked: usize, failed: usize) -> String {
        let mut said = format!("{cells} 个单元，{trials} 次试验");
        if marked > 0 {
            said += &format!("，{marked} 次搁置");
        }
        if failed > 0 {
            said += &format!("，{failed} 次失败");
        }
        said
    }
}

/// What would have kept a limit: a k, or fewer clients where they wait for the processor at any k.
fn within(enough: Option<f64>) -> String {
    match enough {
        Some(k) => format!("；[scale] time = {k:.0} 时可不超限"),
        None => "；减少客户端可不超限，放慢时钟则无济于事".to_owned(),
    }
}
