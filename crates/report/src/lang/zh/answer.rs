//! Effects and verdicts in simplified Chinese.

use super::{Chinese, stage};
use crate::lang::{AnswerWords, name, names};
use crate::number::{bytes, count, micros, range, ratio, ratio_number, seconds, share};
use findings::output::{
    Basis, Caution, Class, Condition, Contribution, Effect, Interaction, Lack, Limit, Metric,
    Needed, PhaseKind, Reason, Subject,
};

impl AnswerWords for Chinese {
    fn class(&self, class: Class) -> &'static str {
        match class {
            Class::WorthIt => "值得",
            Class::Harmful => "有害",
            Class::NoEffect => "无效果",
            Class::Undecided => "未定",
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
            Subject::Property {
                dataset,
                name: property,
            } if dataset.is_empty() => name(property),
            Subject::Property {
                dataset,
                name: property,
            } => {
                format!("{} 的 {}", name(dataset), name(property))
            }
            Subject::PoolProperty { name: property } => name(property),
            Subject::Module { name: parameter } => name(parameter),
            Subject::OpenZfs => "OpenZFS 版本".into(),
            Subject::Memory => "内存".into(),
        }
    }

    fn judgement(&self, class: Class, effect: Option<&Effect>) -> String {
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
        let (low, high) = (
            ratio_number(effect.ratio.low),
            ratio_number(effect.ratio.high),
        );
        let core = format!("{when}{what}为原来的 {value} 倍");
        let by = format!(
            "据模型的 {} 次与 {} 次试验",
            effect.trials.0, effect.trials.1
        );
        match class {
            Class::WorthIt => format!("{core}；{by}，在 {low} 到 {high} 倍之间。"),
            Class::Harmful => format!("有代价：{core}；{by}，在 {low} 到 {high} 倍之间。"),
            Class::NoEffect => format!("不值一提：{core}；{by}，在 {low} 到 {high} 倍之间。"),
            Class::Undecided if effect.ratio.basis != Basis::Trials => {
                format!("目前{core}；试验次数太少，无法判断误差有多大。")
            }
            Class::Undecided => {
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
            Reason::Stage {
                operation,
                stage,
                before_us,
                after_us,
                share_of_change,
            } => format!(
                "{}操作中，{}的时间由每次 {} 变为 {}，占全部变化的 {}。",
                stage::operation(operation),
                stage::what(operation, stage),
                micros(*before_us),
                micros(*after_us),
                share(*share_of_change)
            ),
            Reason::Commit {
                before_us,
                after_us,
            } => {
                format!(
                    "一次提交由 {} 变为 {}。",
                    micros(*before_us),
                    micros(*after_us)
                )
            }
            Reason::LimitMoved { before, after } => format!(
                "瓶颈转移：之前是 {}；现在是 {}。",
                self.limit(before),
                self.limit(after)
            ),
            Reason::SameLimit { limit } => {
                format!("两者的瓶颈相同：{}。", self.limit(limit))
            }
            Reason::NothingSynced => "没有同步写：意图日志从未提交。".into(),
            Reason::NothingRead { per_s } => {
                format!("几乎没有不在内存中的读取（每秒 {} 块）。", count(*per_s))
            }
            Reason::LogUnused => "日志设备没有收到任何日志块。".into(),
            Reason::LogPartly { share: part } => {
                format!(
                    "只有 {} 的日志字节写到日志设备，其余写进存储池。",
                    share(*part)
                )
            }
            Reason::Indirect { before, after } => format!(
                "指向池内数据块的日志记录由 {} 变为 {}。",
                share(*before),
                share(*after)
            ),
            Reason::CacheUnused { hits, fed } => format!(
                "L2ARC 只应答了 {} 的查找；写入 L2ARC 的有 {}。",
                share(*hits),
                bytes(*fed)
            ),
            Reason::CacheServes {
                hits,
                drives_before,
                drives_after,
            } => format!(
                "L2ARC 应答 {} 的查找；留给磁盘的由 {} 变为 {}。",
                share(*hits),
                share(*drives_before),
                share(*drives_after)
            ),
            Reason::MemoryServes { before, after } => {
                format!(
                    "内存应答的查找由 {} 变为 {}。",
                    share(*before),
                    share(*after)
                )
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
            Reason::DirtyFilled {
                seconds: after,
                real_seconds,
                throttle_share,
            } => format!(
                "{}（模型中 {}）之后，写入者要等磁盘消化已承诺的数据：一次操作有 {} 的时间在节流。",
                seconds(*real_seconds),
                seconds(*after),
                share(*throttle_share)
            ),
            Reason::OutsidePool { share: part } => {
                format!("一次操作有 {} 的时间在池外，此项无能为力。", share(*part))
            }
            Reason::SameWork => "所有计数都没有变化。".into(),
        }
    }

    fn stage(&self, operation: &str, stage: &str) -> String {
        format!(
            "{}：{}",
            stage::operation(operation),
            stage::what(operation, stage)
        )
    }

    fn limit(&self, limit: &Limit) -> String {
        match limit {
            Limit::Drives { kind, busy } => format!("{} 盘，忙碌 {}", name(kind), share(*busy)),
            Limit::Throttle { share: part } => format!("写节流，占操作时间的 {}", share(*part)),
            Limit::Latency { stage, share: part } => format!(
                "等待而非容量：{}占操作时间的 {}，而没有硬盘满载",
                stage::what("", stage),
                share(*part)
            ),
            Limit::Processor { share: part } => format!("本机处理器，已用 {}", share(*part)),
            Limit::Clients { share: part } => {
                format!("客户端，操作时间的 {} 在池外", share(*part))
            }
            Limit::Unknown => "数字未能指明的原因".into(),
        }
    }

    fn caution(&self, caution: &Caution) -> String {
        match caution {
            Caution::Durability { variants } => format!(
                "两边的承诺不同：{} 在断电时可能丢失已确认的写入。",
                names(variants, "、")
            ),
            Caution::SetAside { marked, of } => format!("{of} 次试验中有 {marked} 次被搁置。"),
            Caution::Failed { failed, of } => format!("{of} 次试验中有 {failed} 次失败。"),
            Caution::SingleTrial => "有的单元只有一次有效试验，看不到试验之间的差别。".into(),
            Caution::Processor {
                free,
                charged,
                time,
            } => format!(
                "处理器有影响：实测为 {}，其处理器相对于硬盘的速度是本机的 {} 倍；计入本机处理器时间则为 {}。",
                ratio(*free),
                count(*time),
                ratio(*charged)
            ),
            Caution::Unsettled { trials, of } => {
                format!("{of} 次试验中有 {trials} 次到结束时仍未稳定，取其突发之后全部时间的均值。")
            }
            Caution::NotSettled { seconds: watched } => {
                format!("有方案在 {} 后仍未稳定：长期水平未知。", seconds(*watched))
            }
            Caution::AfterRestart {
                seconds: watched,
                real_seconds,
            } => format!(
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
            Lack::SecondTrial => "第二次试验：只有一次无法得知试验之间的差别",
            Lack::SoundTrial => "有效的试验：某个单元一次也没有",
            Lack::LongerRun => "更长的运行：有单元一直没有稳定",
        };
        let mut said = format!("还缺{lack}");
        if let Some(trials) = needed.trials {
            said += &format!("；每边大约再 {trials} 次");
        }
        if let Some(wall) = needed.wall_s {
            said += &format!("（在本机约需 {}）", seconds(wall));
        }
        said + "。"
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
        let part = |estimate: &Option<findings::output::Estimate>| {
            estimate.map_or_else(|| "–".into(), |e| ratio(e.value))
        };
        format!(
            "单独 {}，最后加入 {}{}",
            part(&contribution.alone),
            part(&contribution.last),
            contribution
                .share
                .map_or_else(String::new, |s| format!("；占全部收益的 {}", share(s)))
        )
    }

    fn change(&self, class: Class) -> &'static str {
        match class {
            Class::WorthIt => "变好",
            Class::Harmful => "变差",
            Class::NoEffect => "不变",
            Class::Undecided => "未定",
        }
    }
}
