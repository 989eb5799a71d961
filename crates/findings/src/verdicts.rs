//! Verdicts: one for each factor level and workload, with reasons, ranges, conditions and cautions.

use crate::cells::{Group, Judged};
use crate::effects::Side;
use crate::factors::Pair;
use crate::output::{
    Basis, BreakEven, BreakEvenBasis, Caution, Cell, Class, Condition, Effect, Findings, Lack,
    Ladder, Metric, PhaseKind, Phases, Subject, Verdict,
};
use crate::reasons::{self, Facts};
use crate::reruns::{self, Rerun};
use crate::{counters, job, price};
use lab::campaign::{Campaign, Class as VdevClass, Variant, Workload};
use lab::model::Model;

/// A group with its cell.
pub type Shown<'a> = (&'a Group<'a>, &'a Cell);

/// A pair with the denominator's and the numerator's cells.
pub type Compared<'a> = (&'a Pair<'a>, Shown<'a>, Shown<'a>);

/// What all verdicts of a campaign draw on.
pub struct Evidence<'a> {
    /// The campaign.
    pub campaign: &'a Campaign,
    /// Its scale.
    pub model: &'a Model,
    /// Every effect of the findings.
    pub effects: &'a [Effect],
    /// Its ladders.
    pub ladders: &'a [Ladder],
    /// Re-runs with other numbers.
    pub reruns: &'a [Rerun<'a>],
}

/// The verdict on a factor level. `pairs` are those of the level, the baseline's context first.
pub fn of(
    pairs: &[Compared<'_>],
    subjects: &[Subject],
    evidence: &Evidence<'_>,
) -> Option<Verdict> {
    let &Evidence {
        campaign,
        model,
        effects,
        ladders,
        reruns,
    } = evidence;
    let first = pairs.first()?;
    let workload = first.1.0.workload;
    let metric = metric(workload);
    let chosen = choose(first.0, &workload.name, effects, metric);
    let Some(deciding) = chosen.first().map(|i| &effects[*i]) else {
        return unanswered(pairs, metric);
    };
    // Facts are those of the pair that decides: another one may have no trial that counts.
    let shown = shown_by(deciding, first.0, &chosen, effects);
    let shows = |(pair, _, _): &&Compared<'_>| shown == Some(pair.variant.name.as_str());
    let (pair, before, after) = pairs.iter().find(shows).unwrap_or(first);
    let facts = Facts::of(before.0, before.1).zip(Facts::of(after.0, after.1));
    let reasons = facts.map_or_else(Vec::new, |(before, after)| {
        reasons::of(deciding.class, subjects, &before, &after)
    });
    let (bottom, top) = (side(before), side(after));
    let contrasted: Vec<(&Pair<'_>, Side<'_>, Side<'_>)> = pairs
        .iter()
        .filter(|(of, _, _)| deciding.variant.is_none() || std::ptr::eq(*of, *pair))
        .map(|(of, before, after)| (*of, side(after), side(before)))
        .collect();
    let gained = match (deciding.class, metric) {
        (Class::WorthIt, Metric::Throughput) => bottom.lasting().zip(top.lasting()),
        _ => None,
    };
    Some(Verdict {
        factor: pair.factor.to_owned(),
        level: pair.level.to_owned(),
        against: pair.against.to_owned(),
        workload: before.0.workload.name.clone(),
        class: deciding.class,
        metric,
        phase: deciding.phase,
        break_even: break_even(deciding.class, before, after, &bottom, ladders),
        price: price::price(&campaign.host, pair.baseline, pair.variant, gained),
        conditions: conditions(&chosen, effects, first.0),
        cautions: cautions(pairs, after, &chosen, effects, subjects, model),
        effects: chosen,
        reasons,
        sensitivity: reruns::of(deciding, &contrasted, campaign, reruns),
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
    if job::of(workload).paced {
        Metric::MeanLatency
    } else {
        Metric::Throughput
    }
}

/// The verdict where no pair has a trial that counts on both sides; none where nothing was tried yet.
fn unanswered(pairs: &[Compared<'_>], metric: Metric) -> Option<Verdict> {
    let (pair, before, _) = pairs.first()?;
    let cautions = kept_out(pairs);
    (!cautions.is_empty()).then(|| Verdict {
        factor: pair.factor.to_owned(),
        level: pair.level.to_owned(),
        against: pair.against.to_owned(),
        workload: before.0.workload.name.clone(),
        class: Class::Undecided,
        metric,
        phase: PhaseKind::Whole,
        effects: Vec::new(),
        reasons: Vec::new(),
        sensitivity: Vec::new(),
        break_even: None,
        price: None,
        conditions: Vec::new(),
        cautions,
    })
}

fn side<'a>(shown: &Shown<'a>) -> Side<'a> {
    Side {
        group: shown.0,
        phases: shown.1.phases,
    }
}

/// Below which load a gain in throughput is none: what the slower side carries.
fn break_even(
    class: Class,
    before: &Shown<'_>,
    after: &Shown<'_>,
    bottom: &Side<'_>,
    ladders: &[Ladder],
) -> Option<BreakEven> {
    if class != Class::WorthIt {
        return None;
    }
    let ladder = |shown: &Shown<'_>| {
        let cell = shown.1;
        let of = |l: &&Ladder| l.variant == cell.variant && l.workload == cell.workload;
        ladders.iter().find(of)
    };
    let carried = ladder(before)
        .filter(|l| l.saturated.is_some())
        .and_then(|l| l.carried)
        .zip(ladder(after).and_then(|l| l.carried))
        .filter(|(slower, faster)| faster > slower);
    let (ops_s, basis) = match carried {
        Some((slower, _)) => (slower, BreakEvenBasis::Ladder),
        None if !before.0.job.paced => (bottom.lasting()?, BreakEvenBasis::ClosedLoop),
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

/// Whether the effect of a factor differs that much between levels of the others.
fn apart<'a>(single: impl Iterator<Item = &'a Effect> + Clone) -> bool {
    // Of a cell that never settled nobody knows what lasts, however well its trials agree.
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
/// one that is decided, that beside the baseline if it is, else the largest. What lasts decides; the burst stands
/// beside it.
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
    let mut classes: Vec<Class> = single
        .iter()
        .map(|&i| &effects[i])
        .filter(|e| lasting(e) && e.class != Class::Undecided)
        .map(|e| e.class)
        .collect();
    classes.dedup();
    let mains: Vec<usize> = mine.iter().copied().filter(is_main).collect();
    let beside = |i: &usize| effects[*i].variant.as_deref() == Some(pair.variant.name.as_str());
    // All pairs are known and agree, while the mean over them is not: it rests on the fewest trials of
    // any cell, and nobody asks for more of one whose own pair is decided.
    let undecided = |i: &usize| lasting(&effects[*i]) && effects[*i].class == Class::Undecided;
    let pairs_say = mains.iter().any(undecided) && !single.iter().any(undecided);
    let apart = apart(single.iter().map(|&i| &effects[i]));
    let rank = |i: &usize| {
        let preferred = if apart {
            !is_main(i) && effects[*i].class != Class::Undecided
        } else if classes.len() > 1 || pairs_say {
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

/// Where the other factors change the class: every effect of a single pair, if they differ or are [`apart`], or
/// if the one that decides is not `beside` the baseline.
fn conditions(chosen: &[usize], effects: &[Effect], beside: &Pair<'_>) -> Vec<Condition> {
    let single: Vec<&Effect> = chosen
        .iter()
        .map(|&i| &effects[i])
        .filter(|e| e.variant.is_some() && e.phase != PhaseKind::Burst)
        .collect();
    let differ =
        single.windows(2).any(|w| w[0].class != w[1].class) || apart(single.iter().copied());
    let elsewhere = chosen.first().is_some_and(|&i| {
        let variant = effects[i].variant.as_ref();
        variant.is_some_and(|name| *name != beside.variant.name)
    });
    if !differ && !elsewhere {
        return Vec::new();
    }
    single
        .into_iter()
        .map(|e| Condition {
            context: e.context.clone(),
            class: e.class,
            ratio: e.ratio.value,
        })
        .collect()
}

/// How many trials failed or are excluded.
fn kept_out(pairs: &[Compared<'_>]) -> Vec<Caution> {
    let cells: Vec<&Cell> = pairs.iter().flat_map(|(_, a, b)| [a.1, b.1]).collect();
    let sum = |pick: &dyn Fn(&Cell) -> u32| cells.iter().map(|cell| pick(cell)).sum::<u32>();
    let of = sum(&|c| c.trials.all());
    let (excluded, failed) = (sum(&|c| c.trials.excluded), sum(&|c| c.trials.failed));
    let mut cautions = Vec::new();
    if failed > 0 {
        cautions.push(Caution::Failed { failed, of });
    }
    if excluded > 0 {
        cautions.push(Caution::Excluded { excluded, of });
    }
    cautions
}

/// What to know, given the pairs of a level and the numerator's cell of the one that decides.
fn cautions(
    pairs: &[Compared<'_>],
    after: &Shown<'_>,
    chosen: &[usize],
    effects: &[Effect],
    subjects: &[Subject],
    model: &Model,
) -> Vec<Caution> {
    let mut cautions = Vec::new();
    let deciding = &effects[chosen[0]];
    let cells: Vec<Shown<'_>> = pairs.iter().flat_map(|(_, a, b)| [*a, *b]).collect();
    if deciding.durability_differs {
        let mut variants: Vec<String> = cells
            .iter()
            .filter(|(group, _)| crate::durability::loses_acknowledged(group.variant))
            .map(|(group, _)| group.variant.name.clone())
            .collect();
        variants.sort();
        variants.dedup();
        cautions.push(Caution::Durability { variants });
    }
    cautions.extend(kept_out(pairs));
    if deciding.ratio.basis == Basis::Batches {
        cautions.push(Caution::SingleTrial);
    }
    let unsettled = cells.iter().filter_map(|(_, cell)| match cell.phases {
        Phases::NotSettled { seconds } => Some(seconds),
        _ => None,
    });
    if let Some(seconds) = unsettled.reduce(f64::max) {
        cautions.push(Caution::NotSettled { seconds });
    } else {
        cautions.extend(unsettled_trials(&cells));
    }
    let restarted = cells.iter().find_map(|(_, cell)| match cell.phases {
        Phases::AfterRestart { whole } => Some(whole),
        _ => None,
    });
    if let Some(whole) = restarted {
        cautions.push(Caution::AfterRestart {
            seconds: whole.seconds,
            real_seconds: whole.real_seconds.unwrap_or(whole.seconds),
        });
    }
    if subjects.contains(&Subject::Cache) {
        cautions.extend(filling(after, model));
    }
    let burst = chosen
        .iter()
        .map(|&i| &effects[i])
        .find(|e| e.phase == PhaseKind::Burst && e.variant == deciding.variant);
    if let Some(burst) = burst {
        let (burst, sustained) = (burst.ratio.value, deciding.ratio.value);
        if burst / sustained > 1.2 || sustained / burst > 1.2 {
            cautions.push(Caution::TwoPhases { burst, sustained });
        }
    }
    cautions
}

/// Trials that never settled, among those that count of cells that did.
fn unsettled_trials(cells: &[Shown<'_>]) -> Option<Caution> {
    let settled = |trial: &Judged<'_>| trial.course.as_ref().is_none_or(|c| c.judged().is_some());
    let all = || cells.iter().flat_map(|(group, _)| group.valid());
    let trials = all().filter(|trial| !settled(trial)).count() as u32;
    (trials > 0).then(|| Caution::Unsettled {
        trials,
        of: all().count() as u32,
    })
}

/// The cache still grew in the last fifth of a trial, and has room.
fn filling(after: &Shown<'_>, model: &Model) -> Option<Caution> {
    let trial = after.0.shown().into_iter().next_back()?;
    let sizes: Vec<f64> = trial
        .measured
        .seconds
        .iter()
        .filter_map(|s| s.values.get(counters::L2_SIZE).copied())
        .collect();
    let held = *sizes.last()?;
    let earlier = sizes[sizes.len() * 4 / 5];
    let stated = after.0.workload.size.map(|bytes| bytes as f64 / model.size);
    let set = stated.or_else(|| trial.measured.facts.get("files.bytes").copied());
    let room = capacity(after.0.variant, VdevClass::Cache) / model.size;
    let of = set?.min(room).max(held);
    (held > earlier * 1.02 && held < 0.98 * of).then_some(Caution::CacheFilling { held, of })
}

/// Bytes of the drives of a class.
fn capacity(variant: &Variant, class: VdevClass) -> f64 {
    let of_class = variant.pool.vdevs.iter().filter(|vdev| vdev.class == class);
    of_class
        .flat_map(|vdev| &vdev.drives)
        .filter_map(|drive| lab::model::drive_capacity(variant, &drive.kind))
        .map(|bytes| bytes as f64)
        .sum()
}

/// Orders verdicts: decided before undecided, the larger change first.
pub fn sort(findings: &mut Findings) {
    let effects = &findings.effects;
    let strength = |v: &Verdict| {
        let change = v
            .effects
            .first()
            .map_or(0.0, |&i| effects[i].ratio.value.ln().abs());
        (v.class == Class::Undecided, -change)
    };
    findings.verdicts.sort_by(|a, b| {
        let (a, b) = (strength(a), strength(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
}
