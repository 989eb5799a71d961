//! Quality issues: what limits how far a trial answers its question.

pub(crate) mod conservation;
pub(crate) mod profile_numbers;
pub(crate) mod scale;
pub mod validation;

use crate::cells::phases::{Course, SHORTEST};
use crate::cells::resources;
use crate::schema::{Check, QualityIssue, Validity};
use measurement::{Counter, Measured};

/// From this share of the modelled cores on, a result rests on the table of compute costs.
pub const PROCESSOR_BOUND: f64 = 0.90;

/// The issues of a trial, given its checks and its course.
pub fn issues(measured: &Measured, checks: &[Check], course: Option<&Course>) -> Vec<QualityIssue> {
    let mut issues: Vec<QualityIssue> = checks
        .iter()
        .filter(|check| !check.pass)
        .map(|check| QualityIssue::Broken {
            law: check.law,
            measured: check.measured,
            expected: check.expected,
        })
        .collect();
    let refused =
        measured.totals.sum(&[Counter::ThrottleDirtyThrottle, Counter::ThrottleMemoryReserve]);
    issues.extend((refused > 0.0).then_some(QualityIssue::MemoryThrottle { count: refused }));
    let busy = resources::mean_processor(&measured.seconds);
    let bound = busy.filter(|busy| *busy >= PROCESSOR_BOUND);
    issues.extend(bound.map(|busy| QualityIssue::ProcessorBound { busy }));
    let count = measured.read.overflow + measured.write.overflow + measured.sync.overflow;
    issues.extend((count > 0).then_some(QualityIssue::Overflow { count }));
    let seconds = measured.seconds.len() as f64;
    match course {
        None => issues.push(QualityIssue::WindowTooShort { seconds, least: SHORTEST as f64 }),
        Some(course) if course.judged().is_none() => {
            issues.push(QualityIssue::NotSettled { seconds });
        }
        Some(_) => {}
    }
    issues
}

/// What a trial is worth, by its issues.
pub fn validity(issues: &[QualityIssue]) -> Validity {
    let worst = issues.iter().map(QualityIssue::validity).max();
    worst.unwrap_or(Validity::Valid)
}
