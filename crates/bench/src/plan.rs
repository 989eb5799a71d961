//! Chooses the next trials from the campaign and the known trials. A pure function, so that a campaign takes
//! the same course however many trials run in parallel: trials are chosen in rounds, and a round is complete
//! before the next is chosen.

use crate::known_trials::KnownTrials;
use crate::trial_spec::TrialSpec;
use crate::{ladder, repeats, sensitivity, size_check, without_cost};
use findings::schema::Effect;
use lab::campaign::Campaign;
use lab::model::Model;

/// The next trials of a campaign, in the order in which they are to begin; none when enough is known.
///
/// First every cell as often as the method asks for at least, the baseline first and all cells before any
/// is repeated, so that a budget that ends early leaves an answer. Then ladders, rung by rung; then repeats
/// of the cells whose effects are open; then what verdicts rest on: re-runs with an uncertain number
/// changed, and other sizes. With `why`, last, re-runs without a cost.
pub fn next(campaign: &Campaign, model: &Model, known: &KnownTrials, why: bool) -> Vec<TrialSpec> {
    let stages: [&dyn Fn() -> Vec<TrialSpec>; 6] = [
        &|| fewest(campaign, known),
        &|| ladder::next(campaign, known),
        &|| repeats::next(campaign, model, known),
        &|| sensitivity::next(campaign, model, known),
        &|| size_check::next(campaign, model, known),
        &|| match why {
            true => without_cost::next(campaign, known),
            false => Vec::new(),
        },
    ];
    let mut rounds = stages.iter().map(|stage| stage());
    rounds.find(|round| !round.is_empty()).unwrap_or_default()
}

/// Indices of the variants, the baseline first.
pub(crate) fn baseline_first(campaign: &Campaign) -> Vec<usize> {
    let is_baseline = |v: &usize| campaign.variants[*v].name == campaign.method.baseline;
    let mut order: Vec<usize> = (0..campaign.variants.len()).collect();
    order.sort_by_key(|v| !is_baseline(v));
    order
}

/// The indices of the two variants and of the workload of an effect that a verdict may rest on.
pub(crate) fn cells_of(campaign: &Campaign, effect: &Effect) -> Option<([usize; 2], usize)> {
    let index = |name: &Option<String>| {
        let name = name.as_ref()?;
        campaign.variants.iter().position(|v| v.name == *name)
    };
    let workload = campaign.workloads.iter().position(|w| w.name == effect.workload)?;
    if effect.metric != findings::metric(&campaign.workloads[workload]) {
        return None;
    }
    Some(([index(&effect.baseline)?, index(&effect.variant)?], workload))
}

/// The repeats that every cell has at least, the baseline's first and all cells' before any is repeated.
pub(crate) fn first_repeats(campaign: &Campaign) -> Vec<TrialSpec> {
    let mut repeats = Vec::new();
    for repeat in 0..campaign.method.min_trials.max(1) {
        for variant in baseline_first(campaign) {
            let workloads = 0..campaign.workloads.len();
            repeats.extend(workloads.map(|workload| TrialSpec::repeat(variant, workload, repeat)));
        }
    }
    repeats
}

/// Those of them that are missing; and where all trials of a cell failed, one more, until it is given up.
fn fewest(campaign: &Campaign, known: &KnownTrials) -> Vec<TrialSpec> {
    let is_missing = |spec: &TrialSpec| {
        known.trial(spec).is_none() && !known.is_given_up(spec.variant, spec.workload)
    };
    let missing: Vec<TrialSpec> = first_repeats(campaign).into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        return missing;
    }
    let again = |cell: TrialSpec| {
        let (variant, workload) = (cell.variant, cell.workload);
        let unmeasured = known.cell(variant, workload).next().is_none();
        let mut repeats = (0..campaign.method.max_trials)
            .map(|repeat| TrialSpec::repeat(variant, workload, repeat));
        unmeasured.then(|| repeats.find(is_missing)).flatten()
    };
    let mut cells = first_repeats(campaign);
    cells.retain(|spec| spec.repeat == 0);
    cells.into_iter().filter_map(again).collect()
}
