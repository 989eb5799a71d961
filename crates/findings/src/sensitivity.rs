//! Over which range of the drives' uncertain numbers a verdict holds, from stage times: one stage is
//! replaced, all else is held, and the ratio is computed again for a closed loop (X = N ÷ R, so that
//! the ratio of throughputs is that of times per operation).

use crate::SMALLEST_EFFECT;
use crate::output::{Class, Parameter, Sensitivity, SensitivityBasis, Subject};
use crate::reasons::Facts;
use lab::campaign::{Class as VdevClass, Variant};

/// The ranges for a verdict on a pair: `before` is the denominator.
pub fn of(
    class: Class,
    subjects: &[Subject],
    variant: &Variant,
    before: &Facts<'_>,
    after: &Facts<'_>,
) -> Vec<Sensitivity> {
    if class != Class::WorthIt {
        return Vec::new();
    }
    let kind = |class: VdevClass| {
        let vdev = variant.pool.vdevs.iter().find(|v| v.class == class)?;
        Some(vdev.drives.first()?.kind.clone())
    };
    let mut all = Vec::new();
    if subjects.contains(&Subject::Log)
        && let Some(kind) = kind(VdevClass::Log)
    {
        all.extend(log_commit(kind, before, after));
    }
    if subjects.contains(&Subject::Cache) {
        if let Some(kind) = kind(VdevClass::Cache) {
            all.extend(cache_read(kind, before, after));
        }
        if let Some(kind) = kind(VdevClass::Normal) {
            all.extend(pool_read(kind, before, after));
        }
    }
    all
}

/// A commit may take this long before the gain falls below what is worth naming.
fn log_commit(kind: String, before: &Facts<'_>, after: &Facts<'_>) -> Option<Sensitivity> {
    let commits = after.commits_per_op();
    let at_us = after.commit_us()?;
    let spare = before.client_us / (1.0 + SMALLEST_EFFECT) - after.client_us;
    (commits > 0.0 && spare > 0.0).then(|| Sensitivity {
        parameter: Parameter::LogCommit,
        kind,
        at_us,
        from_us: None,
        to_us: Some(at_us + spare / commits),
        basis: SensitivityBasis::Stages,
    })
}

/// Times per operation of reads that reach the drives, with and without the cache.
struct Reads {
    /// Pool reads an operation, before and after.
    missed: (f64, f64),
    /// Cache reads an operation, after.
    cached: f64,
    /// µs of a pool read, from the side without the cache.
    pool_us: f64,
    /// µs of a cache read.
    cache_us: f64,
}

fn reads(before: &Facts<'_>, after: &Facts<'_>) -> Option<Reads> {
    let ((n0, shares0), (n1, shares1)) = (before.lookups()?, after.lookups()?);
    let missed = (n0 * shares0.drives, n1 * shares1.drives);
    let cached = n1 * shares1.l2arc;
    let (read0, read1) = (before.read_us()?, after.read_us()?);
    if missed.0 <= 0.0 || cached <= 0.0 {
        return None;
    }
    let pool_us = read0 / missed.0;
    Some(Reads {
        missed,
        cached,
        pool_us,
        cache_us: ((read1 - missed.1 * pool_us) / cached).max(0.0),
    })
}

/// A read of the cache may take this long.
fn cache_read(kind: String, before: &Facts<'_>, after: &Facts<'_>) -> Option<Sensitivity> {
    let reads = reads(before, after)?;
    let spare = before.client_us / (1.0 + SMALLEST_EFFECT) - after.client_us;
    (spare > 0.0).then(|| Sensitivity {
        parameter: Parameter::CacheRead,
        kind,
        at_us: reads.cache_us,
        from_us: None,
        to_us: Some(reads.cache_us + spare / reads.cached),
        basis: SensitivityBasis::Stages,
    })
}

/// A read of the pool must take at least this long: with d µs more of each, before + m₀·d must stay
/// (1 + smallest effect) times after + m₁·d.
fn pool_read(kind: String, before: &Facts<'_>, after: &Facts<'_>) -> Option<Sensitivity> {
    let reads = reads(before, after)?;
    let factor = 1.0 + SMALLEST_EFFECT;
    let slope = reads.missed.0 - factor * reads.missed.1;
    let more = (factor * after.client_us - before.client_us) / slope;
    (slope > 0.0 && more < 0.0).then(|| Sensitivity {
        parameter: Parameter::PoolRead,
        kind,
        at_us: reads.pool_us,
        from_us: Some((reads.pool_us + more).max(0.0)),
        to_us: None,
        basis: SensitivityBasis::Stages,
    })
}
