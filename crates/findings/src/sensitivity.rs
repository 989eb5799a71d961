//! Over which range of the drives' uncertain numbers a verdict holds, from stage times: one stage is
//! replaced, all else is held, and the ratio is computed again for a closed loop (X = N ÷ R, so that
//! the ratio of throughputs is that of times per operation). Times per operation are those of what
//! lasts; a stage's are of the whole window, the only ones there are.

use crate::SMALLEST_EFFECT;
use crate::factors::Pair;
use crate::output::{Class, Parameter, Sensitivity, Subject, Uncertain};
use crate::profile_numbers;
use crate::reasons::Facts;
use lab::campaign::{Class as VdevClass, Variant};

/// The ranges for a verdict on a pair: `before` is the denominator.
pub fn of(
    class: Class,
    subjects: &[Subject],
    pair: &Pair<'_>,
    before: &Facts<'_>,
    after: &Facts<'_>,
) -> Vec<Sensitivity> {
    let variant = pair.variant;
    let kind = |variant: &Variant, class: VdevClass| {
        let vdev = variant.pool.vdevs.iter().find(|v| v.class == class)?;
        Some(vdev.drives.first()?.kind.clone())
    };
    let (log, cache, data) = (
        kind(variant, VdevClass::Log),
        kind(variant, VdevClass::Cache),
        kind(variant, VdevClass::Normal),
    );
    let log_before = kind(pair.baseline, VdevClass::Log);
    let scan = |parameter, kind: Option<String>, stage: Option<Stage>| {
        range(class, parameter, kind?, variant, before, after, stage?)
    };
    let mut all = Vec::new();
    // Two logs of different kinds, or one that is taken away: no one number of a drive stands for both
    // sides.
    let one_log = log_before.is_none() || log_before == log;
    if !one_log {
    } else if log_before.is_none() && subjects.contains(&Subject::Log) {
        all.extend(scan(Parameter::LogCommit, log, commits(None, Some(after))));
        all.extend(scan(
            Parameter::PoolCommit,
            data.clone(),
            commits(Some(before), None),
        ));
    } else if log.is_some() {
        all.extend(scan(
            Parameter::LogCommit,
            log,
            commits(Some(before), Some(after)),
        ));
    } else {
        all.extend(scan(
            Parameter::PoolCommit,
            data.clone(),
            commits(Some(before), Some(after)),
        ));
    }
    // What the baseline spends on reads is the pool's alone only where it has no cache.
    if kind(pair.baseline, VdevClass::Cache).is_none() {
        if subjects.contains(&Subject::Cache) {
            all.extend(scan(
                Parameter::CacheRead,
                cache,
                cache_reads(before, after),
            ));
        }
        all.extend(scan(Parameter::PoolRead, data, pool_reads(before, after)));
    }
    all
}

/// A stage of both sides.
struct Stage {
    /// µs once, as measured.
    at_us: f64,
    /// µs an operation spends in it: before, after. 0 where that side does not depend on it.
    per_op: (f64, f64),
}

/// Commits of the sides that depend on the number.
fn commits(before: Option<&Facts<'_>>, after: Option<&Facts<'_>>) -> Option<Stage> {
    let spent = |facts: Option<&Facts<'_>>| {
        facts.map_or(Some(0.0), |f| Some(f.commits_per_op() * f.commit_us()?))
    };
    Some(Stage {
        at_us: after.or(before)?.commit_us()?,
        per_op: (spent(before)?, spent(after)?),
    })
}

/// Reads of the cache device: what remains of reading after the pool's part.
fn cache_reads(before: &Facts<'_>, after: &Facts<'_>) -> Option<Stage> {
    let ((n0, shares0), (n1, shares1)) = (before.lookups()?, after.lookups()?);
    let (missed0, missed1, cached) = (n0 * shares0.drives, n1 * shares1.drives, n1 * shares1.l2arc);
    if missed0 <= 0.0 || cached <= 0.0 {
        return None;
    }
    let pool_us = before.read_us()? / missed0;
    let spent = (after.read_us()? - missed1 * pool_us).max(0.0);
    Some(Stage {
        at_us: spent / cached,
        per_op: (0.0, spent),
    })
}

/// Reads of the data drives, a read taking as long on both sides as before.
fn pool_reads(before: &Facts<'_>, after: &Facts<'_>) -> Option<Stage> {
    let ((n0, shares0), (n1, shares1)) = (before.lookups()?, after.lookups()?);
    let (missed0, missed1) = (n0 * shares0.drives, n1 * shares1.drives);
    if missed0 <= 0.0 {
        return None;
    }
    let at_us = before.read_us()? / missed0;
    Some(Stage {
        at_us,
        per_op: (before.read_us()?, (missed1 * at_us).min(after.client_us)),
    })
}

/// The range of a stage's length in which the ratio of times per operation stays in the verdict's
/// class. With f times the stage, before is B + b·(f − 1) and after A + a·(f − 1): their ratio goes one
/// way as f grows, and passes ρ at f = 1 + (ρ·A − B) ÷ (b − ρ·a). None where the stage hardly matters
/// (it cannot change the class, whatever its length), where times per operation and throughput do not
/// agree on the class, and for verdicts that are still open.
fn range(
    class: Class,
    parameter: Parameter,
    kind: String,
    variant: &Variant,
    before: &Facts<'_>,
    after: &Facts<'_>,
    stage: Stage,
) -> Option<Sensitivity> {
    let (least, most) = match class {
        Class::WorthIt => (1.0 + SMALLEST_EFFECT, f64::INFINITY),
        Class::Harmful => (0.0, 1.0 / (1.0 + SMALLEST_EFFECT)),
        Class::NoEffect => (1.0 / (1.0 + SMALLEST_EFFECT), 1.0 + SMALLEST_EFFECT),
        Class::Undecided => return None,
    };
    let (b, a) = stage.per_op;
    let (before_us, after_us) = (before.lasting_us(), after.lasting_us());
    let ratio = before_us / after_us;
    if !(least..=most).contains(&ratio) || stage.at_us <= 0.0 {
        return None;
    }
    let crossing = |rho: f64| {
        let f = 1.0 + (rho * after_us - before_us) / (b - rho * a);
        // Beyond a thousand times as long it is another kind of drive.
        (f.is_finite() && f > 0.0 && f < 1000.0).then_some(f)
    };
    let crossings: Vec<f64> = [least, most]
        .into_iter()
        .filter(|rho| *rho > 0.0 && rho.is_finite())
        .filter_map(crossing)
        .collect();
    let from = crossings
        .iter()
        .copied()
        .filter(|f| *f <= 1.0)
        .reduce(f64::max);
    let to = crossings
        .iter()
        .copied()
        .filter(|f| *f > 1.0)
        .reduce(f64::min);
    if from.is_none() && to.is_none() {
        return None;
    }
    let (from_us, to_us) = (from.map(|f| f * stage.at_us), to.map(|f| f * stage.at_us));
    let uncertain = profile_numbers::stage_range(variant, &kind, parameter).map(|change| {
        let (low_us, high_us) = ((stage.at_us + change.0).max(0.0), stage.at_us + change.1);
        Uncertain {
            low_us,
            high_us,
            within: from_us.is_none_or(|from| low_us >= from)
                && to_us.is_none_or(|to| high_us <= to),
        }
    });
    Some(Sensitivity::Stages {
        parameter,
        kind,
        at_us: stage.at_us,
        from_us,
        to_us,
        uncertain,
    })
}
