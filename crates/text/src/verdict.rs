//! Effects and verdicts.

use crate::number::{bytes, count, range, ratio, ratio_end, ratio_number, seconds, share};
use crate::{Label, Language, counted, level_of, name, phrases, say};
use findings::schema::{
    Basis, Caution, Condition, Contribution, DurabilityRisk, Effect, Estimate, Interaction, Lack,
    Metric, Needed, PhaseKind, Subject, Verdict, VerdictClass,
};
use std::collections::BTreeMap;

phrases! {
    /// `worth it`.
    class(VerdictClass) {
        WorthIt: "worth it" | "值得",
        Harmful: "harmful" | "更差",
        NoEffect: "no effect" | "无明显效果",
        Undecided: "undecided" | "尚无定论",
        Depends: "depends" | "视情况而定",
    }

    /// Two campaigns compared: how a cell changed.
    change(VerdictClass) {
        WorthIt: "better" | "变好",
        Harmful: "worse" | "变差",
        NoEffect: "unchanged" | "不变",
        Undecided: "undecided" | "尚无定论",
        Depends: "depends" | "视情况而定",
    }

    /// Two campaigns compared: why it is open how a cell changed.
    open_change(Lack) {
        Trials: "undecided: needs more trials" | "尚无定论：试验次数不足",
        SecondTrial: "undecided: needs two trials of each" | "尚无定论：两轮各需两次试验",
        ValidTrial: "undecided: no valid trial" | "尚无定论：没有有效试验",
        LongerRun: "undecided: no steady state, needs a longer runtime" | "尚无定论：未进入稳态，需要更长的 runtime",
    }

    /// `sustained`.
    phase(PhaseKind) {
        Whole: "whole run" | "全程",
        Burst: "burst" | "突发",
        Sustained: "sustained" | "持续",
    }

    /// `throughput`.
    metric(Metric) {
        Throughput: "throughput" | "吞吐量",
        MeanLatency: "mean latency" | "平均延迟",
        P99Latency: "p99 latency" | "p99 延迟",
    }
}

impl Language {
    /// Two campaigns compared: of how many cells it is open how they changed.
    pub fn open_changes(self, cells: usize) -> String {
        say!(self; "{cells} undecided", "{cells} 个组合尚无定论")
    }

    /// The name of a metric; none for throughput, which is what ratios are of unless they say otherwise.
    pub fn metric_unless_throughput(self, metric: Metric) -> Option<&'static str> {
        (metric != Metric::Throughput).then(|| self.metric(metric))
    }

    /// `SLOG`; a factor of several subjects is called by its own name.
    pub fn subject(self, subject: &Subject) -> String {
        match subject {
            Subject::Log => "SLOG".into(),
            Subject::Cache => "L2ARC".into(),
            Subject::Special => "special vdev".into(),
            Subject::Dedup => "dedup vdev".into(),
            Subject::Spare => say!(self; "Hot spare", "热备盘"),
            Subject::Layout => say!(self; "Layout", "存储池布局"),
            Subject::Stack => say!(self; "Storage stack", "存储栈"),
            Subject::Ashift => "ashift".into(),
            Subject::Drive { kind } => say!(self, kind = name(kind); "Drive {kind}", "硬盘 {kind}"),
            Subject::Property { dataset, name: property } if dataset.is_empty() => name(property),
            Subject::Property { dataset, name: property } => say!(self,
                property = name(property), dataset = name(dataset);
                "{property} of {dataset}", "{dataset} 的 {property}"),
            Subject::PoolProperty { name: property } => name(property),
            Subject::Module { name: parameter } => name(parameter),
            Subject::Server { name: setting } => name(setting),
            Subject::OpenZfs => say!(self; "OpenZFS version", "OpenZFS 版本"),
            Subject::Memory => say!(self; "memory", "内存"),
        }
    }

    /// The verdict as a sentence, with its interval in words.
    pub fn judgement(self, verdict: &Verdict, effect: Option<&Effect>) -> String {
        let class = verdict.class;
        let has = |class| verdict.conditions.iter().any(|condition| condition.class == class);
        let both_ways = has(VerdictClass::WorthIt) && has(VerdictClass::Harmful);
        if class == VerdictClass::Depends && !both_ways {
            return say!(self;
                "Reads and writes together hardly change, but not each by itself:",
                "读写合计几乎不变，但各自并非如此：");
        }
        if class == VerdictClass::Depends {
            return say!(self;
                "Better with some levels of the other factors and worse with others:",
                "在其他因素的某些水平下更好，在另一些水平下更差：");
        }
        let Some(effect) = effect else {
            return say!(self; "No pair of valid measurements to compare.", "没有可供比较的一对有效结果。");
        };
        let value = ratio_number(effect.ratio.value);
        let (low, high) = (ratio_end(effect.ratio.low), ratio_end(effect.ratio.high));
        let measure = match (self, effect.phase) {
            (_, PhaseKind::Whole) => self.metric(effect.metric).to_owned(),
            (Language::English, PhaseKind::Burst) => {
                format!("{} in the burst", self.metric(effect.metric))
            }
            (Language::English, phase) => {
                format!("{} {}", self.phase(phase), self.metric(effect.metric))
            }
            (Language::Chinese, phase) => {
                format!("{}{}", self.phase(phase), self.metric(effect.metric))
            }
        };
        let trials = match effect.trials {
            (top, bottom) if top == bottom => say!(self, trials = counted(top.into(), "trial");
                "{trials} each", "两侧各 {top} 次试验"),
            (top, bottom) => say!(self; "{top} and {bottom} trials", "{top} 次与 {bottom} 次试验"),
        };
        let judged = |word| {
            say!(self;
            "{word}: {measure} is {value} times that of the other, between {low} and {high} ({trials}).",
            "{word}：{measure}是对照方案的 {value} 倍，区间 {low}–{high} 倍（{trials}）。")
        };
        match class {
            VerdictClass::WorthIt => judged(self.pick("Better", "更好")),
            VerdictClass::Harmful => judged(self.pick("Worse", "更差")),
            VerdictClass::NoEffect => {
                judged(self.pick("No difference that matters", "差别可以忽略"))
            }
            VerdictClass::Undecided if effect.ratio.basis == Basis::Point => say!(self;
                "So far {measure} is {value} times that of the other; there are too few trials for an interval.",
                "目前{measure}是对照方案的 {value} 倍；试验次数太少，无法给出区间。"),
            VerdictClass::Undecided | VerdictClass::Depends => say!(self;
                "So far {measure} is {value} times that of the other, somewhere between {low} and {high} ({trials}).",
                "目前{measure}是对照方案的 {value} 倍，真值可能在 {low}–{high} 倍之间（{trials}）。"),
        }
    }

    /// The other phase beside it, where there are two.
    pub fn beside(self, effect: &Effect) -> String {
        let (value, range) = (ratio(effect.ratio.value), range(&effect.ratio));
        match effect.phase {
            PhaseKind::Whole => say!(self;
                "{value} over the whole run{range}", "全程 {value}{range}"),
            PhaseKind::Burst => say!(self; "{value} in the burst{range}", "突发 {value}{range}"),
            PhaseKind::Sustained => say!(self; "{value} sustained{range}", "持续 {value}{range}"),
        }
    }

    /// In place of the class of an effect without an interval: nothing within one trial tells how far it may vary.
    pub fn no_interval(self) -> &'static str {
        self.pick("no interval, one trial of each side", "无区间（两侧各只有一次试验）")
    }

    /// What to know before acting.
    pub fn caution(self, caution: &Caution) -> String {
        match caution {
            Caution::Durability { variants } => say!(self, variants = self.names(variants);
                "A power cut can do more damage to {variants} than to the variants compared with them: see the risks of each variant.",
                "断电对 {variants} 造成的后果可能比对照方案更严重：见各方案的风险。"),
            Caution::Risks { variant, risks } => self.risks_of_one(variant, risks),
            Caution::Excluded { excluded, of } => say!(self,
                are = if *excluded == 1 { "is" } else { "are" };
                "{excluded} of {of} trials {are} excluded.", "{of} 次试验中有 {excluded} 次不计入。"),
            Caution::Failed { failed, of } => say!(self;
                "{failed} of {of} trials failed.", "{of} 次试验中有 {failed} 次失败。"),
            Caution::SingleTrial => say!(self;
                "One trial of each cell: the interval comes from batches within the trial, widened by an allowance for the variation between seeds.",
                "每个组合只有一次试验：区间由试验内的批均值得出；单次试验无法体现不同随机种子之间的差异，仅留有余量。"),
            Caution::Unsettled { trials, of } => say!(self;
                "{trials} of {of} trials had not reached a steady state at the end; the mean of everything after the burst is used for them.",
                "{of} 次试验中有 {trials} 次到结束时仍未进入稳态，取突发之后的均值。"),
            Caution::NotSettled { seconds: watched } => say!(self, watched: seconds;
                "A variant had not reached a steady state after {watched}: its sustained throughput is unknown. Set a longer runtime.",
                "有方案运行 {watched} 仍未进入稳态，其持续吞吐量未知。请延长 runtime。"),
            Caution::Unsteady { seconds: watched, lowest, highest, drifts } => {
                let of_mean = say!(self, lowest: ratio, highest: ratio;
                    "{lowest} to {highest} of the mean", "均值的 {lowest} 到 {highest}");
                let watched = seconds(*watched);
                match drifts {
                    true => say!(self;
                        "A variant had not reached a steady state after {watched}: its rate still rose or fell. The interval allows for this trend to continue for as long again ({of_mean}). A longer runtime narrows it.",
                        "有方案运行 {watched} 仍未进入稳态，速率仍在上升或下降。区间已计入这一趋势再持续同样长时间的情形（{of_mean}）。延长 runtime 可缩小区间。"),
                    false => say!(self;
                        "A variant had not reached a steady state after {watched}: its rate varies without a trend. The interval includes this variation ({of_mean}).",
                        "有方案运行 {watched} 仍未进入稳态：速率来回波动，没有趋势。区间已计入这一波动（{of_mean}）。"),
                }
            }
            Caution::AfterRestart { seconds: watched, real_seconds } => say!(self,
                watched: seconds, real = seconds(*real_seconds);
                "This compares the time after a restart ({watched} in the model, {real} on the real server); sustained throughput may differ.",
                "比较的是重启后的一段时间（模型中 {watched}，真实服务器上 {real}）；持续吞吐量可能不同。"),
            Caution::CacheFilling { held, of } => say!(self, held: bytes, of: bytes;
                "The cache was still filling: it held {held} of {of} (sizes in the model).",
                "缓存尚未填满：已缓存 {held}，共 {of}（模型中的容量）。"),
            Caution::RateNotReached { variants, rate } => say!(self,
                variants = self.names(variants), rate: count;
                "{variants} did not complete the {rate} operations/s that the clients offered. Operations queue up, so their latency grows with the length of the window: compare operations/s instead, or offer less.",
                "{variants} 未能完成客户端每秒发出的 {rate} 次操作，操作不断积压，延迟随测量时长增长：请改为比较吞吐量，或降低速率。"),
            Caution::Flows { read, write } => say!(self, read: ratio, write: ratio;
                "Reads and writes change in different ways: reads {read}, writes {write}. The ratio above is of both together; judge by those that your application waits for.",
                "读与写的变化不同：读 {read}，写 {write}。上面的比值是两者合计，请以应用所等待的操作为准。"),
            Caution::Bytes { ratio: bytes } => say!(self, bytes: ratio;
                "The operations have different sizes and are counted alike; by bytes the ratio is {bytes}.",
                "各操作大小不同，但都按一次计数；按字节计，比值为 {bytes}。"),
            Caution::BlockingSubmission { in_flight, of } => say!(self,
                of = count(*of), are = if *in_flight == 1 { "is" } else { "are" };
                "On ZFS, fio’s libaio waits for each operation when it submits it: {in_flight} of {of} operations {are} under way, and most of the latency is time in fio’s own queue.",
                "在 ZFS 上，fio 的 libaio 提交时就会等待操作完成：队列中的 {of} 个操作实际只有 {in_flight} 个在进行，延迟大部分是在 fio 自身队列中的等待。"),
            Caution::TwoPhases { burst, sustained } => say!(self, burst: ratio, sustained: ratio;
                "Quote both numbers: {burst} in the burst, {sustained} sustained.",
                "引用时请同时给出两个数：突发 {burst}，持续 {sustained}。"),
        }
    }

    /// What one of two variants risks and the other does not.
    fn risks_of_one(self, variant: &str, risks: &[DurabilityRisk]) -> String {
        let all: Vec<String> = risks.iter().map(|risk| self.durability(risk)).collect();
        say!(self, variant = name(variant), all = all.join(self.label(Label::Space));
            "{variant} has a risk that the other does not have. {all}", "{variant} 有对照方案没有的风险。{all}")
    }

    /// How a verdict depends on the other factors.
    pub fn condition(self, condition: &Condition) -> String {
        say!(self, context = self.context(&condition.context), class = self.class(condition.class), value = ratio(condition.ratio);
            "With {context}: {class}, {value}.", "当 {context} 时：{class}，{value}。")
    }

    /// With which levels of the other factors the reasons of a verdict were found.
    pub fn reasons_context(self, levels: &BTreeMap<String, String>) -> String {
        say!(self, context = self.context(levels);
            "The following reasons are from trials with {context}.", "以下原因取自 {context} 的试验。")
    }

    /// Levels of the other factors: `log mirror, cache none`.
    fn context(self, levels: &BTreeMap<String, String>) -> String {
        let levels = levels.iter().map(|(factor, level)| level_of(&name(factor), &name(level)));
        levels.collect::<Vec<_>>().join(self.pick(", ", "、"))
    }

    /// What would decide an undecided effect.
    pub fn needed(self, needed: &Needed) -> String {
        match (needed.lack, needed.trials) {
            (Lack::Trials, Some(1)) => say!(self;
                "About one more trial of each side is needed to decide.",
                "要得出结论，两侧大约各还需 1 次试验。"),
            (Lack::Trials, Some(trials)) => say!(self;
                "About {trials} more trials of each side are needed to decide.",
                "要得出结论，两侧大约各还需 {trials} 次试验。"),
            (Lack::Trials, None) => say!(self;
                "More trials are needed to decide.", "要得出结论，还需更多试验。"),
            (Lack::SecondTrial, _) => say!(self;
                "A second trial of each side is needed to decide: the batches within one trial are not enough.",
                "要得出结论，两侧各需第二次试验：仅凭单次试验内的批均值不足以判定。"),
            (Lack::ValidTrial, _) => say!(self;
                "A valid trial is needed to decide: one of the cells has none.",
                "要得出结论，需要有效的试验：其中一个组合一次也没有。"),
            (Lack::LongerRun, _) => say!(self;
                "A longer runtime is needed to decide: a cell never reached a steady state.",
                "要得出结论，需要更长的 runtime：有组合始终未进入稳态。"),
        }
    }

    /// How two factors act together.
    pub fn interaction(self, interaction: &Interaction) -> String {
        let pair = |(factor, level): &(String, String)| level_of(&name(factor), &name(level));
        say!(self, first = pair(&interaction.first), second = pair(&interaction.second),
            without = ratio(interaction.without), with = ratio(interaction.with);
            "{first} gives {without} without {second}, and {with} with it.",
            "{first}：没有 {second} 时为 {without}，有 {second} 时为 {with}。")
    }

    /// What a setting contributes.
    pub fn contribution(self, contribution: &Contribution) -> String {
        let metric = self.metric_unless_throughput(contribution.metric);
        let part = |estimate: Option<Estimate>| {
            estimate.map_or("–".into(), |e| self.measured_in(&ratio(e.value), metric, None))
        };
        let of_gain = contribution.share.map_or_else(String::new, |part| {
            say!(self, part = share(part); "; {part} of the whole gain", "；占总收益的 {part}")
        });
        say!(self, alone = part(contribution.alone), last = part(contribution.last);
            "alone {alone}, added last {last}{of_gain}", "单独启用 {alone}，最后启用 {last}{of_gain}")
    }
}
