//! What a buyer is told in simplified Chinese.

use super::Chinese;
use crate::lang::{BuyWords, name, re_run_points};
use crate::number::{count, micros, range, ratio};
use findings::output::{
    Adequate, BreakEven, BreakEvenBasis, Cost, Ladder, LoadWithin, Operation, Parameter,
    Sensitivity,
};

impl BuyWords for Chinese {
    fn sensitivity(&self, sensitivity: &Sensitivity) -> String {
        match sensitivity {
            Sensitivity::Stages {
                parameter,
                kind,
                at_us,
                from_us,
                to_us,
                uncertain,
            } => {
                let what = match parameter {
                    Parameter::LogCommit => "上的一次日志提交",
                    Parameter::PoolCommit => "上的一次存储池提交",
                    Parameter::CacheRead => "上的一次缓存读取",
                    Parameter::PoolRead => "的一次读取",
                };
                let range = match (from_us, to_us) {
                    (Some(from), Some(to)) => {
                        format!("在 {} 到 {} 之间", micros(*from), micros(*to))
                    }
                    (None, Some(to)) => format!("不超过 {}", micros(*to)),
                    (Some(from), None) => format!("不低于 {}", micros(*from)),
                    (None, None) => "为任意时长".into(),
                };
                let covered = uncertain.map_or_else(String::new, |u| {
                    let span = format!("{} 到 {}", micros(u.low_us), micros(u.high_us));
                    let open = match parameter {
                        Parameter::LogCommit | Parameter::PoolCommit => "写与刷写时间",
                        Parameter::CacheRead | Parameter::PoolRead => "读时间",
                    };
                    if u.within {
                        format!("这已涵盖其档案给出的{open}范围（{span}）。")
                    } else {
                        format!("其档案给出的{open}范围（{span}）更宽：在其中判定可能改变。")
                    }
                });
                format!(
                    "{} {what}{range} 时成立；实测为 {}，含排队（由分段计时推算，其余不变）。{covered}",
                    name(kind),
                    micros(*at_us)
                )
            }
            Sensitivity::Reruns {
                kind,
                parameter,
                points,
                holds_from,
                holds_to,
            } => {
                let broken = points.iter().any(|p| !p.holds);
                let range = if *holds_from < 1.0 || *holds_to > 1.0 {
                    format!(
                        "在标称值的 {} 到 {} 之间成立",
                        ratio(*holds_from),
                        ratio(*holds_to)
                    )
                } else {
                    "只在标称值处成立".into()
                };
                let turned = if broken {
                    "超出则结果不同。"
                } else {
                    ""
                };
                format!(
                    "改变 {} 的{}重新运行，判定{range}：{}。{turned}",
                    name(kind),
                    profile_number(parameter),
                    re_run_points(points)
                )
            }
        }
    }

    fn break_even(&self, even: &BreakEven) -> String {
        let load = match even.syncs_s {
            Some(syncs) => format!(
                "每秒 {} 次操作（{} 次同步提交）",
                count(even.ops_s),
                count(syncs)
            ),
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

    fn cost(&self, cost: &Cost) -> String {
        let more = count(cost.more.abs());
        match (cost.more, cost.per_op_s) {
            (_, Some(each)) => format!(
                "多花 {more}，每秒每多一次操作 {}（以实验所用货币计）。",
                count(each)
            ),
            (difference, None) if difference > 0.0 => format!("多花 {more}（以实验所用货币计）。"),
            (difference, None) if difference < 0.0 => format!("少花 {more}（以实验所用货币计）。"),
            _ => "价格相同。".into(),
        }
    }

    fn adequate(&self, adequate: &Adequate) -> String {
        let (small, large) = match adequate.prices {
            Some((small, large)) => (format!("价格 {}", count(small)), count(large)),
            None => (
                format!("{} 块盘", adequate.drives.0),
                format!("{} 块", adequate.drives.1),
            ),
        };
        let risk = if adequate.riskier {
            "但它有对方没有的风险：见下文。"
        } else {
            ""
        };
        format!(
            "{} 不逊于 {}：吞吐量为其 {}{}，{small}（后者 {large}）。{risk}",
            name(&adequate.enough),
            name(&adequate.fastest),
            ratio(adequate.ratio.value),
            range(&adequate.ratio)
        )
    }

    fn ladder(&self, ladder: &Ladder) -> String {
        if let (Some(from), None) = (ladder.set_aside, ladder.saturated) {
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
            (Some(carried), None) => format!(
                "跟得上每秒 {} 次操作，这是给定的最高速率：阶梯未到饱和。",
                count(carried)
            ),
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
        format!(
            "{of} ≤ {}：每秒至多 {up_to} 次{beyond}",
            micros(within.limit_us)
        )
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
