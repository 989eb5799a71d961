//! For a buyer, in simplified Chinese.

use super::Chinese;
use crate::lang::{BuyWords, name, re_run_points};
use crate::number::{count, micros, range, ratio};
use findings::schema::{
    Adequate, BreakEven, BreakEvenBasis, Ladder, LoadWithin, Operation, Price, Sensitivity,
};

impl BuyWords for Chinese {
    fn sensitivity(&self, sensitivity: &Sensitivity) -> String {
        let (from, to) = (sensitivity.holds_from, sensitivity.holds_to);
        let range = if from < 1.0 || to > 1.0 {
            format!("在标称值的 {} 到 {} 之间成立", ratio(from), ratio(to))
        } else {
            "只在标称值处成立".into()
        };
        let turned = match sensitivity.points.iter().any(|p| !p.holds) {
            true => "超出则结果不同。",
            false => "",
        };
        let covered = match sensitivity.covers_stated() {
            Some(true) => "这已涵盖其档案给出的范围。",
            Some(false) => "其档案给出的范围更宽：在其中判定可能改变。",
            None => "",
        };
        format!(
            "改变 {} 的{}重新运行，判定{range}：{}。{turned}{covered}",
            name(&sensitivity.kind),
            profile_number(&sensitivity.parameter),
            re_run_points(&sensitivity.points)
        )
    }

    fn break_even(&self, even: &BreakEven) -> String {
        let load = match even.syncs_s {
            Some(syncs) => {
                format!("每秒 {} 次操作（{} 次同步提交）", count(even.ops_s), count(syncs))
            }
            None => format!("每秒 {} 次操作", count(even.ops_s)),
        };
        match even.basis {
            BreakEvenBasis::ClosedLoop => {
                format!("负载低于{load}时吞吐量没有收益：没有它也能长期做到，收益只在延迟。")
            }
            BreakEvenBasis::Ladder => {
                format!(
                    "负载不超过{load}时吞吐量没有收益：没有它也跟得上这一给定速率，收益只在延迟。"
                )
            }
        }
    }

    fn price(&self, price: &Price) -> String {
        let more = count(price.more.abs());
        match (price.more, price.per_op_s) {
            (_, Some(each)) => {
                format!("多花 {more}，每秒每多一次操作 {}（以实验所用货币计）。", count(each))
            }
            (difference, None) if difference > 0.0 => format!("多花 {more}（以实验所用货币计）。"),
            (difference, None) if difference < 0.0 => format!("少花 {more}（以实验所用货币计）。"),
            _ => "价格相同。".into(),
        }
    }

    fn adequate(&self, adequate: &Adequate) -> String {
        let (small, large) = match adequate.prices {
            Some((small, large)) => (format!("价格 {}", count(small)), count(large)),
            None => (format!("{} 块盘", adequate.drives.0), format!("{} 块", adequate.drives.1)),
        };
        let risk =
            if adequate.riskier { "但它有对方没有的风险：见下文。" } else { "" };
        format!(
            "{} 不逊于 {}：吞吐量为其 {}{}，{small}（后者 {large}）。{risk}",
            name(&adequate.enough),
            name(&adequate.fastest),
            ratio(adequate.ratio.value),
            range(&adequate.ratio)
        )
    }

    fn ladder(&self, ladder: &Ladder) -> String {
        if let (Some(from), None) = (ladder.unknown_from, ladder.saturated) {
            let from = count(from);
            return match ladder.carried {
                Some(carried) => format!(
                    "跟得上每秒 {} 次操作；给定 {from} 次时没有有效的试验，能否承受更多不得而知。",
                    count(carried)
                ),
                None => {
                    format!("给定最低速率（每秒 {from} 次）时没有有效的试验，能承受多少不得而知。")
                }
            };
        }
        match (ladder.carried, ladder.saturated) {
            (Some(carried), Some(full)) => format!(
                "跟得上每秒 {} 次操作；给定 {} 次时饱和，只做到 {} 次。",
                count(carried),
                count(full),
                ladder.achieved_at(full).map_or("–".into(), count)
            ),
            (Some(carried), None) => {
                format!("跟得上每秒 {} 次操作，这是给定的最高速率：阶梯未到饱和。", count(carried))
            }
            (None, Some(full)) => format!("最低的给定速率（每秒 {} 次）就已饱和。", count(full)),
            (None, None) => "没有测得任何一级。".into(),
        }
    }

    fn load_within(&self, within: &LoadWithin) -> String {
        let of = match within.of {
            Operation::ReadWrite => "p99",
            Operation::Sync => "同步 p99",
        };
        let up_to = within.up_to.map_or("–".into(), count);
        let beyond = within.exceeded_at.map_or_else(
            || "（有效的最高给定速率）".to_owned(),
            |at| format!("，{} 次时超出", count(at)),
        );
        format!("{of} ≤ {}：每秒至多 {up_to} 次{beyond}", micros(within.limit_us))
    }
}

/// Numbers of profiles that verdicts are tested against, in words; others by their own name.
fn profile_number(parameter: &str) -> String {
    match parameter {
        "flash.flush_us" => "刷写时间".into(),
        "flash.write_latency_us" => "写延迟".into(),
        "flash.read_latency_us" => "读延迟".into(),
        "hdd.flush_overhead_ms" => "刷写开销".into(),
        "hdd.write_ack_ms" => "接收写入的时间".into(),
        other => name(other),
    }
}
