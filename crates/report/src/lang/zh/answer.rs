//! Effects and verdicts in simplified Chinese.

use super::Chinese;
use crate::lang::{AnswerWords, name, names};
use crate::number::{bytes, count, micros, range, ratio, ratio_number, seconds, share};
use crate::text::visible;
use findings::schema::{
    Basis, Cause, Caution, Condition, Contribution, Database, DriveTime, Effect, Interaction, Lack,
    Limit, Metric, Needed, PhaseKind, Reason, Subject, VerdictClass,
};
use measurement::Cost;

impl AnswerWords for Chinese {
    fn class(&self, class: VerdictClass) -> &'static str {
        match class {
            VerdictClass::WorthIt => "值得",
            VerdictClass::Harmful => "有害",
            VerdictClass::NoEffect => "无效果",
            VerdictClass::Undecided => "未定",
        }
    }

    fn phase(&self, phase: PhaseKind) -> &'static str {
        match phase {
            PhaseKind::Whole => "全程",
            PhaseKind::Burst => "突发",
            PhaseKind::Sustained => "持续",
        }
    }

    fn metric(&self, metric: Metric) -> &'static str {
        match metric {
            Metric::Throughput => "每秒操作数",
            Metric::MeanLatency => "平均延迟",
            Metric::P99Latency => "p99 延迟",
        }
    }

    fn subject(&self, subject: &Subject) -> String {
        match subject {
            Subject::Log => "SLOG".into(),
            Subject::Cache => "L2ARC".into(),
            Subject::Special => "special vdev".into(),
            Subject::Dedup => "dedup vdev".into(),
            Subject::Spare => "热备盘".into(),
            Subject::Layout => "布局".into(),
            Subject::Ashift => "ashift".into(),
            Subject::Drive { kind } => format!("硬盘 {}", name(kind)),
            Subject::Property { dataset, name: property } if dataset.is_empty() => name(property),
            Subject::Property { dataset, name: property } => {
                format!("{} 的 {}", name(dataset), name(property))
            }
            Subject::PoolProperty { name: property } => name(property),
            Subject::Module { name: parameter } => name(parameter),
            Subject::OpenZfs => "OpenZFS 版本".into(),
            Subject::Memory => "内存".into(),
        }
    }

    fn judgement(&self, class: VerdictClass, effect: Option<&Effect>) -> String {
        let Some(effect) = effect else {
            return "没有可以互相比较的两组测量。".into();
        };
        let when = match effect.phase {
            PhaseKind::Whole => "",
            PhaseKind::Burst => "突发阶段的",
            PhaseKind::Sustained => "持续的",
        };
        let what = self.metric(effect.metric);
        let value = ratio_number(effect.ratio.value);
        let (low, high) = (ratio_number(effect.ratio.low), ratio_number(effect.ratio.high));
        let core = format!("{when}{what}为原来的 {value} 倍");
        let by = match effect.trials {
            (1, 1) => "据两边各一次试验".to_owned(),
            (top, bottom) => format!("据 {top} 次与 {bottom} 次试验"),
        };
        match class {
            VerdictClass::WorthIt => format!("{core}；{by}，在 {low} 到 {high} 倍之间。"),
            VerdictClass::Harmful => format!("有代价：{core}；{by}，在 {low} 到 {high} 倍之间。"),
            VerdictClass::NoEffect => {
                format!("不值一提：{core}；{by}，在 {low} 到 {high} 倍之间。")
            }
            VerdictClass::Undecided if effect.ratio.basis == Basis::Point => {
                format!("目前{core}；试验次数太少，无法判断误差有多大。")
            }
            VerdictClass::Undecided => {
                format!("目前{core}；{by}，可能是 {low} 到 {high} 倍之间的任何一个。")
            }
        }
    }

    fn beside(&self, effect: &Effect) -> String {
        format!(
            "{}{}{}",
            match effect.phase {
                PhaseKind::Whole => "全程 ",
                PhaseKind::Burst => "突发阶段 ",
                PhaseKind::Sustained => "持续 ",
            },
            ratio(effect.ratio.value),
            range(&effect.ratio)
        )
    }

    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::LogWrites { before, after } => {
                format!("一次日志写入由 {} 变为 {}。", drive_time(before), drive_time(after))
            }
            Reason::LogFlushes { before, after } => format!(
                "存放日志的盘每次刷写（flush）由 {} 变为 {}。",
                drive_time(before),
                drive_time(after)
            ),
            Reason::Commits { before, after } => format!(
                "平均每次操作提交意图日志的次数由 {} 变为 {}。",
                count(*before),
                count(*after)
            ),
            Reason::LimitMoved { before, after } => {
                format!("瓶颈转移：之前是 {}；现在是 {}。", self.limit(before), self.limit(after))
            }
            Reason::SameLimit { limit } => {
                format!("两者的瓶颈相同：{}。", self.limit(limit))
            }
            Reason::NothingSynced => "没有同步写：意图日志从未提交。".into(),
            Reason::NothingRead { per_s } => {
                format!("几乎没有不在内存中的读取（每秒 {} 块）。", count(*per_s))
            }
            Reason::LogUnused => "日志设备没有收到任何日志块。".into(),
            Reason::LogPartly { share: part } => {
                format!("只有 {} 的日志字节写到日志设备，其余写进存储池。", share(*part))
            }
            Reason::Indirect { before, after } => {
                format!("指向池内数据块的日志记录由 {} 变为 {}。", share(*before), share(*after))
            }
            Reason::CacheUnused { hits, fed } => {
                format!("L2ARC 只应答了 {} 的查找；写入 L2ARC 的有 {}。", share(*hits), bytes(*fed))
            }
            Reason::CacheServes { hits, drives_before, drives_after } => format!(
                "L2ARC 应答 {} 的查找；留给磁盘的由 {} 变为 {}。",
                share(*hits),
                share(*drives_before),
                share(*drives_after)
            ),
            Reason::MemoryServes { before, after } => {
                format!("内存应答的查找由 {} 变为 {}。", share(*before), share(*after))
            }
            Reason::RecordReads { before, after } => format!(
                "每写一字节，为补全记录要先读 {} 字节（原来是 {}）。",
                count(*after),
                count(*before)
            ),
            Reason::WriteAmplification { before, after } => format!(
                "每写一字节，硬盘实际写 {} 字节（原来是 {}）。",
                count(*after),
                count(*before)
            ),
            Reason::DirtyFilled { seconds: after, real_seconds, per_write } => format!(
                "{}（模型中 {}）之后脏数据达到上限，写入者要等待硬盘：平均每次写入在写节流中等待 {} 次。",
                seconds(*real_seconds),
                seconds(*after),
                count(*per_write)
            ),
            Reason::Throttled { before, after } => format!(
                "平均每次写入在写节流中等待的次数由 {} 变为 {}。",
                count(*before),
                count(*after)
            ),
            Reason::SameWork => "所有计数都没有变化。".into(),
        }
    }

    fn shown_by(&self, command: &str) -> String {
        format!("（在服务器上查看：{}）", visible(command))
    }

    fn without(&self, cost: Cost) -> &'static str {
        match cost {
            Cost::LogFlush => "去掉日志的刷写（flush）",
            Cost::LogWrite => "去掉日志的写入",
            Cost::PoolRead => "去掉对池中硬盘的读取",
            Cost::WriteThrottle => "去掉写节流",
            Cost::Processor => "去掉计算时间",
            Cost::ArcSize => "让 ARC 容纳全部数据",
            Cost::Seek => "去掉寻道",
        }
    }

    fn cause(&self, cause: &Cause) -> String {
        let latency = cause.mean_latency.map_or_else(String::new, |latency| {
            format!("，平均延迟 {}{}", ratio(latency.value), range(&latency))
        });
        format!(
            "{}：{}{}{latency}",
            self.without(cause.cost),
            ratio(cause.throughput.value),
            range(&cause.throughput)
        )
    }

    fn database(&self, database: &Database) -> String {
        let hits = database
            .buffer_hits
            .map(|hits| format!("；共享缓冲区命中率 {}", share(hits)))
            .unwrap_or_default();
        format!(
            "每个事务写 WAL {}，其中全页写 {} 页；每秒 {} 次检查点{hits}",
            bytes(database.wal_bytes),
            count(database.full_pages),
            count(database.checkpoints)
        )
    }

    fn limit(&self, limit: &Limit) -> String {
        match limit {
            Limit::Drives { kind, busy } => format!("{} 盘，忙碌 {}", name(kind), share(*busy)),
            Limit::Processor { busy } => format!("处理器，模型的核心忙碌 {}", share(*busy)),
            Limit::Throttle { per_write } => {
                format!("写节流，平均每次写入等待 {} 次", count(*per_write))
            }
            Limit::Clients { in_flight, of } => {
                format!("客户端，{} 个并发位置中平均只用 {} 个", count(*of), count(*in_flight))
            }
            Limit::Latency { kind, busy } => {
                format!("延迟而非容量，最忙的盘（{}）忙碌 {}", name(kind), share(*busy))
            }
            Limit::Unknown => "计数未能指明的原因".into(),
        }
    }

    fn caution(&self, caution: &Caution) -> String {
        match caution {
            Caution::Durability { variants } => {
                format!("两边的承诺不同：{} 在断电时可能丢失已确认的写入。", names(variants, "、"))
            }
            Caution::Excluded { excluded, of } => {
                format!("{of} 次试验中有 {excluded} 次不计入。")
            }
            Caution::Failed { failed, of } => format!("{of} 次试验中有 {failed} 次失败。"),
            Caution::SingleTrial => {
                "两边各只有一次试验：区间来自试验内的分段均值，看不到不同种子之间的差别。".into()
            }
            Caution::Unsettled { trials, of } => {
                format!("{of} 次试验中有 {trials} 次到结束时仍未稳定，取其突发之后全部时间的均值。")
            }
            Caution::NotSettled { seconds: watched } => {
                format!("有方案在 {} 后仍未稳定：长期水平未知。", seconds(*watched))
            }
            Caution::AfterRestart { seconds: watched, real_seconds } => format!(
                "比较的是重启之后的一段时间，模型中为 {}，真实机器上为 {}；长期水平可能不同。",
                seconds(*watched),
                seconds(*real_seconds)
            ),
            Caution::CacheFilling { held, of } => format!(
                "缓存仍在填充：已有 {}，可达 {}（模型中的大小）。",
                bytes(*held),
                bytes(*of)
            ),
            Caution::TwoPhases { burst, sustained } => format!(
                "请同时引用两个数：突发阶段 {}，持续 {}。",
                ratio(*burst),
                ratio(*sustained)
            ),
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        let context: Vec<String> = condition
            .context
            .iter()
            .map(|(factor, level)| format!("{} {}", name(factor), name(level)))
            .collect();
        format!(
            "在 {} 时：{}，{}。",
            context.join("、"),
            self.class(condition.class),
            ratio(condition.ratio)
        )
    }

    fn needed(&self, needed: &Needed) -> String {
        let lack = match needed.lack {
            Lack::Trials => "更多试验",
            Lack::SecondTrial => "两边的第二次试验：单次试验内的分段均值尚不足以判定",
            Lack::ValidTrial => "有效的试验：某个单元一次也没有",
            Lack::LongerRun => "更长的运行：有单元一直没有稳定",
        };
        match (needed.lack, needed.trials) {
            (Lack::Trials, Some(trials)) => format!("还缺{lack}：每边大约再 {trials} 次。"),
            _ => format!("还缺{lack}。"),
        }
    }

    fn interaction(&self, interaction: &Interaction) -> String {
        format!(
            "{} {}：没有 {} {} 时为 {}，有则为 {}。",
            name(&interaction.first.0),
            name(&interaction.first.1),
            name(&interaction.second.0),
            name(&interaction.second.1),
            ratio(interaction.without),
            ratio(interaction.with)
        )
    }

    fn contribution(&self, contribution: &Contribution) -> String {
        let part = |estimate: &Option<findings::schema::Estimate>| {
            estimate.map_or_else(|| "–".into(), |e| ratio(e.value))
        };
        format!(
            "单独 {}，最后加入 {}{}",
            part(&contribution.alone),
            part(&contribution.last),
            contribution.share.map_or_else(String::new, |s| format!("；占全部收益的 {}", share(s)))
        )
    }

    fn change(&self, class: VerdictClass) -> &'static str {
        match class {
            VerdictClass::WorthIt => "变好",
            VerdictClass::Harmful => "变差",
            VerdictClass::NoEffect => "不变",
            VerdictClass::Undecided => "未定",
        }
    }
}

/// `hdd（含其数据）上的 8 ms`.
fn drive_time(time: &DriveTime) -> String {
    let data = match time.with_data {
        true => "（含其数据）",
        false => " ",
    };
    format!("{}{data}上的 {}", name(&time.kind), micros(time.us))
}
