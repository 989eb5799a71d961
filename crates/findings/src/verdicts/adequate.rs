//! The smallest configuration that does as well as the fastest one.

use crate::cells::Group;
use crate::effects::{self, Looks};
use crate::schema::{Adequate, Metric, VerdictClass};
use crate::verdicts::durability::{after_power_cut, risks};
use crate::verdicts::price;
use lab::campaign::{Campaign, Variant};

/// One for each workload in which a cheaper variant (by price where each that competes has one, otherwise by
/// fewer drives) is as fast as the fastest: the interval of their ratio lies inside ±5 %. Variants compete
/// only where a power cut costs them no more than the baseline.
pub fn adequate(campaign: &Campaign, baseline: &Variant, groups: &[Group<'_>]) -> Vec<Adequate> {
    campaign
        .workloads
        .iter()
        .filter_map(|workload| {
            let promise = lab::durability::assess(baseline, workload).durability;
            let mut competing: Vec<(&Group<'_>, f64)> = groups
                .iter()
                .filter(|g| g.workload.name == workload.name && !g.client.paced)
                .filter(|g| !after_power_cut(g).worse_than(promise))
                .filter_map(|g| Some((g, g.lasting()?)))
                .collect();
            competing.sort_by(|a, b| b.1.total_cmp(&a.1));
            let (fastest, _) = *competing.first()?;
            let priced = competing.iter().all(|(g, _)| g.variant.price(&campaign.host).is_some());
            let enough = competing[1..]
                .iter()
                .filter_map(|(group, _)| against(group, fastest, priced, campaign));
            enough.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, found)| found)
        })
        .collect()
}

/// A variant that is enough, with the price or the number of drives that is compared to find the smallest.
fn against(
    group: &Group<'_>,
    fastest: &Group<'_>,
    priced: bool,
    campaign: &Campaign,
) -> Option<(f64, Adequate)> {
    let (one, best) = (group.variant, fastest.variant);
    let drives = (price::drives(one), price::drives(best));
    let prices = one.price(&campaign.host).zip(best.price(&campaign.host)).filter(|_| priced);
    let (small, large) = prices.unwrap_or((f64::from(drives.0), f64::from(drives.1)));
    if small >= large {
        return None;
    }
    let terms = [(1.0, group), (-1.0, fastest)];
    let phase = effects::lasting_phase(&terms);
    let effect =
        effects::estimate(&terms, Metric::Throughput, phase, &campaign.method, Looks::Repeated)?;
    let known = risks(best);
    (effect.class == VerdictClass::NoEffect).then(|| {
        (
            small,
            Adequate {
                workload: group.workload.name.clone(),
                fastest: best.name.clone(),
                enough: one.name.clone(),
                ratio: effect.ratio,
                drives,
                prices,
                riskier: risks(one).iter().any(|risk| !known.contains(risk)),
            },
        )
    })
}
