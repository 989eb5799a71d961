//! For a buyer, in English: how far a verdict holds, from which load on, at what price.

use super::English;
use crate::lang::{BuyWords, name, re_run_points};
use crate::number::{count, micros, range, ratio};
use findings::schema::{
    Adequate, BreakEven, BreakEvenBasis, Ladder, LoadWithin, Operation, Price, Sensitivity,
};

impl BuyWords for English {
    fn sensitivity(&self, sensitivity: &Sensitivity) -> String {
        let number =
            format!("{} of {}", profile_number(&sensitivity.parameter), name(&sensitivity.kind));
        let range = match (sensitivity.holds_from, sensitivity.holds_to) {
            (from, to) if from < 1.0 && to > 1.0 => {
                format!("from {} to {} the stated value", ratio(from), ratio(to))
            }
            (from, _) if from < 1.0 => format!("from {} the stated value up to it", ratio(from)),
            (_, to) if to > 1.0 => format!("from the stated value up to {} of it", ratio(to)),
            _ => "at the stated value only".into(),
        };
        let turned = match sensitivity.points.iter().any(|p| !p.holds) {
            true => " Beyond, it came out otherwise.",
            false => "",
        };
        let covered = match sensitivity.covers_stated() {
            Some(true) => " That covers the range that its profile states.",
            Some(false) => {
                " The range that its profile states is wider: within it the verdict may turn."
            }
            None => "",
        };
        format!(
            "Run again with another {number}, it holds {range}: {}.{turned}{covered}",
            re_run_points(&sensitivity.points)
        )
    }

    fn break_even(&self, even: &BreakEven) -> String {
        let load = match even.syncs_s {
            Some(syncs) => format!("{} ops/s ({} sync commits/s)", count(even.ops_s), count(syncs)),
            None => format!("{} ops/s", count(even.ops_s)),
        };
        match even.basis {
            BreakEvenBasis::ClosedLoop => format!(
                "Below {load} it adds no throughput: that much lasts without it; what is gained there is latency alone."
            ),
            BreakEvenBasis::Ladder => format!(
                "Up to {load} it adds no throughput: without it, that offered load was kept up with; what is gained there is latency alone."
            ),
        }
    }

    fn price(&self, price: &Price) -> String {
        let more = count(price.more.abs());
        match (price.more, price.per_op_s) {
            (_, Some(each)) => format!(
                "It costs {more} more, {} for each operation a second gained (in the lab’s currency).",
                count(each)
            ),
            (more_or_less, None) if more_or_less > 0.0 => {
                format!("It costs {more} more (in the lab’s currency).")
            }
            (more_or_less, None) if more_or_less < 0.0 => {
                format!("It costs {more} less (in the lab’s currency).")
            }
            _ => "It costs the same.".into(),
        }
    }

    fn adequate(&self, adequate: &Adequate) -> String {
        let (small, large) = match adequate.prices {
            Some((small, large)) => (count(small), count(large)),
            None => {
                (format!("{} drives", adequate.drives.0), format!("{} drives", adequate.drives.1))
            }
        };
        let risk = if adequate.riskier {
            " It runs a risk that the other does not: see the risks below."
        } else {
            ""
        };
        format!(
            "{} does as well as {}: {}{} of its throughput, with {small} instead of {large}.{risk}",
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
                    "Keeps up with {} ops/s; at {from} no trial counts: how much more it carries is not known.",
                    count(carried)
                ),
                None => format!(
                    "At {from} ops/s, the lowest rate offered, no trial counts: what it carries is not known."
                ),
            };
        }
        match (ladder.carried, ladder.saturated) {
            (Some(carried), Some(full)) => format!(
                "Keeps up with {} ops/s; saturated at {}, where it does {}.",
                count(carried),
                count(full),
                ladder.achieved_at(full).map_or("–".into(), count)
            ),
            (Some(carried), None) => format!(
                "Keeps up with {} ops/s, the highest rate offered: the ladder ends below saturation.",
                count(carried)
            ),
            (None, Some(full)) => {
                format!("Saturated at the lowest rate offered, {} ops/s.", count(full))
            }
            (None, None) => "No rung was measured.".into(),
        }
    }

    fn load_within(&self, within: &LoadWithin) -> String {
        let of = match within.of {
            Operation::ReadWrite => "p99",
            Operation::Sync => "sync p99",
        };
        let up_to = within.up_to.map_or("–".into(), count);
        let beyond = within.exceeded_at.map_or_else(
            || ", the highest rate that counts".to_owned(),
            |at| format!(", no longer at {}", count(at)),
        );
        format!("{of} ≤ {} up to {up_to} ops/s{beyond}", micros(within.limit_us))
    }
}

/// Numbers of profiles that verdicts are tested against, in words; others by their own name.
fn profile_number(parameter: &str) -> String {
    match parameter {
        "flash.flush_us" => "flush time".into(),
        "flash.write_latency_us" => "write latency".into(),
        "flash.read_latency_us" => "read latency".into(),
        "hdd.flush_overhead_ms" => "flush overhead".into(),
        "hdd.write_ack_ms" => "time to take a write".into(),
        other => name(other),
    }
}
