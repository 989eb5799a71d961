//! For a buyer: how far a verdict holds, from which load on, at what price.

use crate::number::{count, micros, range, ratio};
use crate::{Label, Language, counted, name, say};
use findings::schema::{
    Adequate, Basis, BreakEven, BreakEvenBasis, Ladder, LoadWithin, Operation, Part, Price,
    RerunPoint, Sensitivity,
};

impl Language {
    /// Over which range a verdict holds.
    pub fn sensitivity(self, sensitivity: &Sensitivity) -> String {
        let number = self.profile_number(&sensitivity.parameter);
        let kind = name(&sensitivity.kind);
        let (from, to) = (ratio(sensitivity.holds_from), ratio(sensitivity.holds_to));
        let range = if sensitivity.holds_from < 1.0 || sensitivity.holds_to > 1.0 {
            say!(self; "from {from} to {to} of the profile’s value", "在参数文件取值的 {from} 到 {to} 之间")
        } else {
            say!(self; "at the profile’s value only", "仅在参数文件的取值处")
        };
        let turned = match sensitivity.points.iter().any(|p| !p.holds) {
            true => self.pick(" Outside that range the verdict changes.", "超出该范围结论会改变。"),
            false => "",
        };
        let covered = match sensitivity.covers_stated() {
            Some(true) => self.pick(
                " This covers the range given in the profile.",
                "这已覆盖参数文件给出的范围。",
            ),
            Some(false) => self.pick(
                " The profile gives a wider range: within it the verdict may change.",
                "参数文件给出的范围更宽：在该范围内结论可能改变。",
            ),
            None => "",
        };
        let points = self.rerun_points(&sensitivity.points);
        say!(self;
            "With the {number} of {kind} varied, the verdict holds {range}: {points}.{turned}{covered}",
            "改变 {kind} 的{number}后重新测试，结论{range}成立：{points}。{turned}{covered}")
    }

    /// Numbers of profiles that verdicts are tested against, in words; others by their own name.
    fn profile_number(self, parameter: &str) -> String {
        match parameter {
            "flash.flush_us" => say!(self; "flush time", "刷盘（flush）时间"),
            "flash.write_latency_us" => say!(self; "write latency", "写延迟"),
            "flash.read_latency_us" => say!(self; "read latency", "读延迟"),
            "hdd.flush_overhead_ms" => say!(self; "flush overhead", "刷盘（flush）开销"),
            "hdd.write_ack_ms" => say!(self;
                "time to acknowledge a cached write", "写缓存应答时间"),
            other => name(other),
        }
    }

    /// What a trial that belongs to no cell changed; none of a repeat of its cell.
    pub fn part(self, part: &Part) -> Option<String> {
        Some(match part {
            Part::Cell => return None,
            Part::Rung { offered } => say!(self, offered: count;
                "{offered} ops/s offered", "负载速率 {offered} 次/秒"),
            Part::Rerun { kind, parameter, factor } => say!(self,
                kind = name(kind), number = self.profile_number(parameter), factor: count;
                "{number} of {kind} × {factor}", "{kind} 的{number} × {factor}"),
            Part::Without { cost } => self.without(*cost).into(),
            Part::OtherSize { size } => format!("S = {}", count(*size)),
        })
    }

    /// Below which load nothing is gained; `rate` is what operations a second are called.
    pub fn break_even(self, even: &BreakEven, rate: Label) -> String {
        let ops = format!("{} {}", count(even.ops_s), self.label(rate));
        let load = match even.syncs_s.map(count) {
            Some(syncs) => say!(self;
                "{ops} ({syncs} sync commits/s)", "{ops}（其中同步提交 {syncs} 次/秒）"),
            None => ops + self.gap(rate),
        };
        match even.basis {
            BreakEvenBasis::ClosedLoop => say!(self;
                "Below {load} there is no gain in throughput, only in latency: the other variant sustains that load.",
                "负载低于 {load}时吞吐量没有收益，只有延迟受益：对照方案也能持续承受该负载。"),
            BreakEvenBasis::Ladder => say!(self;
                "Up to {load} there is no gain in throughput, only in latency: the other variant keeps up with that offered load.",
                "负载不超过 {load}时吞吐量没有收益，只有延迟受益：对照方案也能承受该速率。"),
        }
    }

    /// What stands between a unit and the word behind it: a space, if only one of them is Chinese.
    fn gap(self, unit: Label) -> &'static str {
        if unit == Label::Tps { self.pick("", " ") } else { "" }
    }

    /// What a gain costs; `rate` is what operations a second are called.
    pub fn price(self, price: &Price, rate: Label) -> String {
        let unit = match rate {
            Label::OpsPerSecond => self.pick("op/s", "次/秒"),
            other => self.label(other),
        };
        let (more, gap) = (count(price.more.abs()), self.gap(rate));
        match (price.more, price.per_op_s.map(count)) {
            (_, Some(each)) => say!(self;
                "It costs {more} more: {each} per additional {unit} (in the currency of the lab file).",
                "成本增加 {more}，折合每提高 1 {unit}{gap}需 {each}（货币单位同实验文件）。"),
            (difference, None) if difference > 0.0 => say!(self;
                "It costs {more} more (in the currency of the lab file).",
                "成本增加 {more}（货币单位同实验文件）。"),
            (difference, None) if difference < 0.0 => say!(self;
                "It costs {more} less (in the currency of the lab file).",
                "成本减少 {more}（货币单位同实验文件）。"),
            _ => say!(self; "It costs the same.", "成本相同。"),
        }
    }

    /// The smallest configuration that will do.
    pub fn adequate(self, adequate: &Adequate) -> String {
        let drives =
            |n: u32| say!(self, drives = counted(n.into(), "drive"); "{drives}", "{n} 块硬盘");
        let (small, large) = match adequate.prices {
            Some((small, large)) => (count(small), count(large)),
            None => (drives(adequate.drives.0), drives(adequate.drives.1)),
        };
        let risk = match adequate.riskier {
            true => self.pick(
                " It has a risk that the other does not have: see the risks of each variant.",
                "但它有另一方案没有的风险：见各方案的风险。",
            ),
            false => "",
        };
        say!(self, enough = name(&adequate.enough), fastest = name(&adequate.fastest),
            value = ratio(adequate.ratio.value), range = range(&adequate.ratio);
            "{enough} is as fast as {fastest} ({value}{range} of its throughput), for {small} instead of {large}.{risk}",
            "{enough} 与 {fastest} 同样快（吞吐量为其 {value}{range}），只需 {small} 而非 {large}。{risk}")
    }

    /// What load a configuration carries.
    pub fn ladder(self, ladder: &Ladder) -> String {
        if let (Some(from), None) = (ladder.unknown_from.map(count), ladder.saturated) {
            return match ladder.carried.map(count) {
                Some(carried) => say!(self;
                    "Keeps up with {carried} ops/s; there is no valid trial at {from} ops/s, so the limit is unknown.",
                    "可承受 {carried} 次/秒；{from} 次/秒时没有有效的试验，能否承受更多未知。"),
                None => say!(self;
                    "There is no valid trial at {from} ops/s, the lowest offered rate: the rate that it sustains is unknown.",
                    "最低速率 {from} 次/秒时没有有效的试验，能承受多少未知。"),
            };
        }
        match (ladder.carried.map(count), ladder.saturated) {
            (Some(carried), Some(full)) => say!(self,
                done = ladder.achieved_at(full).map_or("–".into(), count), full = count(full);
                "Keeps up with {carried} ops/s; saturated at {full} ops/s offered, of which it completes {done}.",
                "可承受 {carried} 次/秒；速率 {full} 次/秒时饱和，仅完成 {done} 次/秒。"),
            (Some(carried), None) => say!(self;
                "Keeps up with {carried} ops/s, the highest offered rate: saturation was not reached.",
                "可承受 {carried} 次/秒（测试的最高速率），尚未饱和。"),
            (None, Some(full)) => say!(self, full = count(full);
                "Saturated at the lowest offered rate, {full} ops/s.",
                "在最低速率 {full} 次/秒时即已饱和。"),
            (None, None) => say!(self; "No offered rate was measured.", "没有测试过任何速率。"),
        }
    }

    /// What load keeps a percentile under a limit.
    pub fn load_within(self, within: &LoadWithin) -> String {
        let percentile = match within.of {
            Operation::ReadWrite => "p99",
            Operation::Sync => "fsync p99",
        };
        let (limit, up_to) = (micros(within.limit_us), within.up_to.map_or("–".into(), count));
        match within.exceeded_at.map(count) {
            Some(at) => say!(self;
                "{percentile} ≤ {limit} up to {up_to} ops/s, exceeded at {at}",
                "{up_to} 次/秒以内 {percentile} ≤ {limit}，{at} 次/秒时超出"),
            None => say!(self;
                "{percentile} ≤ {limit} up to {up_to} ops/s, the highest valid rate",
                "{up_to} 次/秒（最高有效速率）以内 {percentile} ≤ {limit}"),
        }
    }

    /// `2× → 9.1× [8.8, 9.4]`, a re-run each. Their intervals have commas, so in Chinese semicolons stand between them.
    fn rerun_points(self, points: &[RerunPoint]) -> String {
        let all: Vec<String> = points
            .iter()
            .map(|point| {
                let at = format!("{} → {}", ratio(point.factor), ratio(point.ratio.value));
                match point.ratio.basis {
                    Basis::Trials | Basis::TrialsAndBatches => at + &range(&point.ratio),
                    Basis::Batches | Basis::Point => at,
                }
            })
            .collect();
        all.join(self.pick(", ", "；"))
    }
}
