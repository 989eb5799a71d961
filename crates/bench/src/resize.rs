//! Cells at another S: whether a result depends on the scale that it was measured at.

use crate::schedule::{Extra, Slot};
use findings::record::{Outcome, Trial};
use lab::campaign::{Campaign, MOST_TRIALS};
use lab::model::Model;

/// The next trial at another S, or none when every cell has been run at each. `first` is the id of the
/// first.
pub fn next(
    campaign: &Campaign,
    model: &Model,
    trials: &[Trial],
    first: u64,
    tried: &[u64],
    seed: impl Fn(u32, usize) -> u64,
) -> Option<Slot> {
    let sizes = campaign.method.size_check.iter().map(|f| model.size * f);
    let cells = (0..campaign.workloads.len())
        .flat_map(|w| (0..campaign.variants.len()).map(move |v| (v, w)));
    let cells: Vec<(usize, usize)> = cells.collect();
    for size in sizes {
        for (variant, workload) in cells.iter().copied() {
            let run = trials.iter().find(|t| {
                t.is_main()
                    && t.size == size
                    && t.variant == campaign.variants[variant].name
                    && t.workload == campaign.workloads[workload].name
            });
            let known =
                |t: &Trial| matches!(t.outcome, Outcome::Measured(_)) || tried.contains(&t.id);
            if run.is_some_and(known) {
                continue;
            }
            let free = trials.iter().map(|t| t.id + 1).fold(first, u64::max);
            return Some(Slot {
                // A failed one keeps its id.
                id: run.map_or(free, |t| t.id),
                variant,
                workload,
                // After every repeat at the campaign's own S, from which ladders begin.
                repeat: MOST_TRIALS,
                seed: seed(0, workload),
                extra: Some(Extra::Size(size)),
            });
        }
    }
    None
}
