//! Verdicts: one for each factor level and workload, with reasons, ranges, conditions and cautions.

pub(crate) mod adequate;
pub(crate) mod cautions;
pub(crate) mod durability;
pub(crate) mod price;
pub(crate) mod reasons;
pub(crate) mod reruns;

use self::reasons::Facts;
use self::reruns::Rerun;
use crate::cells::Group;
use crate::cells::client::is_paced;
use crate::effects::factors::Pair;
use crate::effects::{MeasuredPair, class};
use crate::schema::{
    Basis, Both, BreakEven, BreakEvenBasis, Caution, Cell, Condition, Effect, Estimate, Findings,
    Lack, Ladder, Metric, PhaseKind, Subject, Verdict, VerdictClass,
};
use lab::campaign::{Campaign, Workload};
use lab::model::Model;
use stats::Interval;
use std::collections::BTreeMap;

/// A group with its cell.
pub type Shown<'a> = (&'a Group<'a>, &'a Cell);

/// A pair with the denominator's and the numerator's cells.
pub type Compared<'a> = (&'a Pair<'a>, Shown<'a>, Shown<'a>);

/// What all verdicts of a campaign draw on.
pub struct Evidence<'a> {
    pub campaign: &'a Campaign,
    pub model: &'a Model,
    pub effects: &'a [Effect],
    pub ladders: &'a [Ladder],
    /// Re-runs with other numbers.
    pub reruns: &'a [Rerun<'a>],
}

/// The class that an effect's numbers have, also where a cell never settled: reasons explain the numbers.
fn leaning(effect: &Effect) -> VerdictClass {
    let Estimate { value, low, high, .. } = effect.ratio;
    match effect.class {
        VerdictClass::Undecided => class(Interval { value, low, high }, effect.metric),
        decided => decided,
    }
}

/// The verdict on a factor level. `pairs` are those of the level, the baseline's context first.
pub fn verdicts(
    pairs: &[Compared<'_>],
    subjects: &[Subject],
    evidence: &Evidence<'_>,
) -> Option<Verdict> {
    let &Evidence { campaign, model, effects, ladders, reruns } = evidence;
    let first = pairs.first()?;
    let workload = first.1.0.workload;
    let metric = metric(workload);
    let chosen = choose(first.0, &workload.name, effects, metric);
    let Some(deciding) = chosen.first().map(|i| &effects[*i]) else {
        // Where nothing was tried yet there is nothing to say.
        let cautions = cautions::kept_out(pairs);
        return (!cautions.is_empty()).then(|| Verdict { cautions, ..unanswered(first, metric) });
    };
    // Facts are those of the pair that decides: another one may have no trial that counts.
    let shown = shown_by(deciding, first.0, &chosen, effects);
    let shows = |(pair, _, _): &&Compared<'_>| shown == Some(pair.variant.name.as_str());
    let (pair, before, after) = pairs.iter().find(shows).unwrap_or(first);
    let facts = Facts::new(before.0, before.1).zip(Facts::new(after.0, after.1));
    let reasons = facts.map_or_else(Vec::new, |(before, after)| {
        let sides = Both { before: &before, after: &after };
        reasons::explain(leaning(deciding), subjects, sides)
    });
    let contrasted: Vec<MeasuredPair<'_>> = pairs
        .iter()
        .filter(|(of, _, _)| deciding.variant.is_none() || std::ptr::eq(*of, *pair))
        .map(|(of, before, after)| (*of, after.0, before.0))
        .collect();
    let conditions = conditions(&chosen, effects, first.0);
    let cautions = cautions::cautions(pairs, (before, after), &chosen, effects, subjects, model);
    let class = match deciding.class {
        _ if opposed(&conditions) => VerdictClass::Depends,
        // The sum of reads and writes hides what each of them does.
        VerdictClass::NoEffect if cautions.iter().any(Caution::is_flows) => VerdictClass::Depends,
        decided => decided,
    };
    let gained = match (class, metric) {
        (VerdictClass::WorthIt, Metric::Throughput) => {
            before.0.sustained().zip(after.0.sustained())
        }
        _ => None,
    };
    Some(Verdict {
        factor: first.0.factor.to_owned(),
        level: first.0.level.to_owned(),
        against: first.0.against.to_owned(),
        workload: workload.name.clone(),
        class,
        metric,
        phase: deciding.phase,
        break_even: break_even(class, before, after, ladders),
        price: price::price(&campaign.host, pair.baseline, pair.variant, gained),
        conditions,
        cautions,
        effects: chosen,
        reasons,
        reasons_context: pair.context.clone(),
        sensitivity: reruns::sensitivities(deciding, &contrasted, campaign, reruns),
    })
}

/// The variant whose pair explains the deciding effect: its own, or of a mean over contexts the one beside the
/// baseline (`first`), unless that one is not of the mean's class: then the clearest that is. What is undecided
/// there may even go the other way.
fn shown_by<'a>(
    deciding: &'a Effect,
    first: &'a Pair<'_>,
    chosen: &[usize],
    effects: &'a [Effect],
) -> Option<&'a str> {
    if let Some(own) = &deciding.variant {
        return Some(own);
    }
    let alike = || {
        let single = chosen.iter().map(|&i| &effects[i]);
        single.filter(|e| (e.class, e.phase) == (deciding.class, deciding.phase))
    };
    let is_first = |e: &&Effect| e.variant.as_ref() == Some(&first.variant.name);
    alike()
        .find(is_first)
        .or_else(|| {
            let clearest = alike().filter(|e| e.variant.is_some());
            clearest.max_by(|a, b| distance(a).total_cmp(&distance(b)))
        })
        .and_then(|e| e.variant.as_deref())
}

/// What a verdict on a workload rests on: of one that is offered so many operations a second, how long
/// they take.
pub fn metric(workload: &Workload) -> Metric {
    if is_paced(workload) { Metric::MeanLatency } else { Metric::Throughput }
}

/// The verdict on a level where no pair has a trial that counts on both sides.
fn unanswered((pair, before, _): &Compared<'_>, metric: Metric) -> Verdict {
    Verdict {
        factor: pair.factor.to_owned(),
        level: pair.level.to_owned(),
        against: pair.against.to_owned(),
        workload: before.0.workload.name.clone(),
        class: VerdictClass::Undecided,
        metric,
        phase: PhaseKind::Whole,
        effects: Vec::new(),
        reasons: Vec::new(),
        reasons_context: BTreeMap::new(),
        sensitivity: Vec::new(),
        break_even: None,
        price: None,
        conditions: Vec::new(),
        cautions: Vec::new(),
    }
}

/// Below which load a gain in throughput is none: what the slower side carries.
fn break_even(
    class: VerdictClass,
    before: &Shown<'_>,
    after: &Shown<'_>,
    ladders: &[Ladder],
) -> Option<BreakEven> {
    if class != VerdictClass::WorthIt {
        return None;
    }
    let ladder = |shown: &Shown<'_>| {
        let cell = shown.1;
        let is_of_cell = |l: &&Ladder| l.variant == cell.variant && l.workload == cell.workload;
        ladders.iter().find(is_of_cell)
    };
    let carried = ladder(before)
        .filter(|l| l.saturated.is_some())
        .and_then(|l| l.carried)
        .zip(ladder(after).and_then(|l| l.carried))
        .filter(|(slower, faster)| faster > slower);
    let (ops_s, basis) = match carried {
        Some((slower, _)) => (slower, BreakEvenBasis::Ladder),
        None if !before.0.client.paced => (before.0.sustained()?, BreakEvenBasis::ClosedLoop),
        None => return None,
    };
    Some(BreakEven {
        ops_s,
        syncs_s: before
            .1
            .resources
            .as_ref()
            .map(|used| used.commits_per_op * ops_s)
            .filter(|syncs| *syncs > 0.0),
        basis,
    })
}

/// How far an effect is from none, whichever way.
fn distance(effect: &Effect) -> f64 {
    effect.ratio.value.max(f64::MIN_POSITIVE).ln().abs()
}

/// Ratios of single pairs whose intervals do not meet and that are so many times apart have a mean that is
/// neither's.
const APART: f64 = 2.0;

/// Whether ratios are that many times apart, decided or not: their mean then describes none of them.
fn spread(single: &[&Effect]) -> bool {
    let values = || single.iter().map(|effect| effect.ratio.value);
    values().fold(0.0, f64::max) > APART * values().fold(f64::INFINITY, f64::min)
}

/// Whether the effect of a factor differs that much between levels of the others.
fn apart<'a>(single: impl Iterator<Item = &'a Effect> + Clone) -> bool {
    // The sustained phase of a cell that never settled is unknown, however well its trials agree.
    let settled = |e: &Effect| e.needed.as_ref().is_none_or(|n| n.lack != Lack::LongerRun);
    let known = single
        .filter(|e| e.phase != PhaseKind::Burst && e.ratio.basis != Basis::Point && settled(e));
    known.clone().any(|more| {
        known.clone().any(|less| {
            more.ratio.low > less.ratio.high && more.ratio.value > APART * less.ratio.value
        })
    })
}

/// The effects a verdict rests on, the deciding one first: the main effect, unless what it is a mean of
/// disagrees or is decided where it is not; then the one beside the baseline. Where those are [`apart`] it is
/// one that is decided, an effect before "no effect": that beside the baseline if it is, else the largest. What lasts
/// decides; the burst stands beside it.
fn choose(pair: &Pair<'_>, workload: &str, effects: &[Effect], metric: Metric) -> Vec<usize> {
    let lasting = |e: &Effect| e.phase != PhaseKind::Burst;
    let mine: Vec<usize> = (0..effects.len())
        .filter(|&i| {
            let e = &effects[i];
            e.factor == pair.factor
                && e.level == pair.level
                && e.workload == workload
                && e.metric == metric
        })
        .collect();
    let is_main = |i: &usize| effects[*i].variant.is_none();
    let single: Vec<usize> = mine.iter().copied().filter(|i| !is_main(i)).collect();
    let mut classes: Vec<VerdictClass> = single
        .iter()
        .map(|&i| &effects[i])
        .filter(|e| lasting(e) && e.class != VerdictClass::Undecided)
        .map(|e| e.class)
        .collect();
    classes.dedup();
    let mains: Vec<usize> = mine.iter().copied().filter(is_main).collect();
    let beside = |i: &usize| effects[*i].variant.as_deref() == Some(pair.variant.name.as_str());
    // All pairs are decided and agree while their mean is undecided: it rests on the cell with the fewest
    // trials, and no more are planned for a cell whose own pair is decided.
    let undecided =
        |i: &usize| lasting(&effects[*i]) && effects[*i].class == VerdictClass::Undecided;
    let pairs_say = mains.iter().any(undecided) && !single.iter().any(undecided);
    // A mean of pairs that are not decided says nothing against the one beside the baseline that is.
    let decided = |i: &usize| lasting(&effects[*i]) && effects[*i].class != VerdictClass::Undecided;
    let overruled = mains.iter().filter(|i| decided(i)).any(|main| {
        let mut own = single.iter().filter(|i| beside(i) && decided(i));
        own.any(|i| effects[*i].class != effects[*main].class)
    });
    let apart = apart(single.iter().map(|&i| &effects[i]));
    let some_effect = classes.iter().any(|class| *class != VerdictClass::NoEffect);
    let rank = |i: &usize| {
        let preferred = if apart {
            !is_main(i)
                && decided(i)
                && !(some_effect && effects[*i].class == VerdictClass::NoEffect)
        } else if classes.len() > 1 || pairs_say || overruled {
            beside(i)
        } else {
            is_main(i)
        };
        let fallback = beside(i);
        (!lasting(&effects[*i]), !preferred, !fallback)
    };
    let mut chosen: Vec<usize> = mains.into_iter().chain(single).collect();
    if apart {
        // Of several that are decided elsewhere than beside the baseline it is the largest.
        chosen.sort_by(|&a, &b| distance(&effects[b]).total_cmp(&distance(&effects[a])));
    }
    chosen.sort_by_key(rank);
    chosen
}

/// Where the other factors change the class: every effect of a single pair, if they differ, have a wide [`spread`] or
/// are decided by one that is not `beside` the baseline.
fn conditions(chosen: &[usize], effects: &[Effect], beside: &Pair<'_>) -> Vec<Condition> {
    let single: Vec<&Effect> = chosen
        .iter()
        .map(|&i| &effects[i])
        .filter(|e| e.variant.is_some() && e.phase != PhaseKind::Burst)
        .collect();
    let differ = single.windows(2).any(|w| w[0].class != w[1].class) || spread(&single);
    let elsewhere = chosen.first().is_some_and(|&i| {
        let variant = effects[i].variant.as_ref();
        variant.is_some_and(|name| *name != beside.variant.name)
    });
    if !differ && !elsewhere {
        return Vec::new();
    }
    single
        .into_iter()
        .map(|e| Condition { context: e.context.clone(), class: e.class, ratio: e.ratio.value })
        .collect()
}

/// Whether the level is better beside some levels of the other factors and worse beside others.
fn opposed(conditions: &[Condition]) -> bool {
    let has = |class| conditions.iter().any(|c| c.class == class);
    has(VerdictClass::WorthIt) && has(VerdictClass::Harmful)
}

/// Orders verdicts: decided before undecided, the larger change first.
pub fn sort(findings: &mut Findings) {
    let effects = &findings.effects;
    let strength = |v: &Verdict| {
        let change = v.effects.first().map_or(0.0, |&i| effects[i].ratio.value.ln().abs());
        (v.class == VerdictClass::Undecided, -change)
    };
    findings.verdicts.sort_by(|a, b| {
        let (a, b) = (strength(a), strength(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
}
