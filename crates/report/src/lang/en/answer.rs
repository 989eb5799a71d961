//! Effects and verdicts in English.

use super::English;
use crate::lang::{AnswerWords, name, names};
use crate::number::{bytes, count, micros, range, ratio, ratio_number, seconds, share};
use crate::text::visible;
use findings::schema::{
    Basis, Cause, Caution, Condition, Contribution, Database, DriveTime, Effect, Interaction, Lack,
    Limit, Metric, Needed, PhaseKind, Reason, Subject, VerdictClass,
};
use measurement::Cost;

impl AnswerWords for English {
    fn class(&self, class: VerdictClass) -> &'static str {
        match class {
            VerdictClass::WorthIt => "worth it",
            VerdictClass::Harmful => "harmful",
            VerdictClass::NoEffect => "no effect",
            VerdictClass::Undecided => "undecided",
        }
    }

    fn phase(&self, phase: PhaseKind) -> &'static str {
        match phase {
            PhaseKind::Whole => "whole run",
            PhaseKind::Burst => "burst",
            PhaseKind::Sustained => "sustained",
        }
    }

    fn metric(&self, metric: Metric) -> &'static str {
        match metric {
            Metric::Throughput => "operations a second",
            Metric::MeanLatency => "mean latency",
            Metric::P99Latency => "p99 latency",
        }
    }

    fn subject(&self, subject: &Subject) -> String {
        match subject {
            Subject::Log => "SLOG".into(),
            Subject::Cache => "L2ARC".into(),
            Subject::Special => "Special vdev".into(),
            Subject::Dedup => "Dedup vdev".into(),
            Subject::Spare => "Hot spare".into(),
            Subject::Layout => "Layout".into(),
            Subject::Ashift => "ashift".into(),
            Subject::Drive { kind } => format!("Drive {}", name(kind)),
            Subject::Property { dataset, name: property } if dataset.is_empty() => name(property),
            Subject::Property { dataset, name: property } => {
                format!("{} of {}", name(property), name(dataset))
            }
            Subject::PoolProperty { name: property } => name(property),
            Subject::Module { name: parameter } => name(parameter),
            Subject::OpenZfs => "OpenZFS version".into(),
            Subject::Memory => "memory".into(),
        }
    }

    fn judgement(&self, class: VerdictClass, effect: Option<&Effect>) -> String {
        let Some(effect) = effect else {
            return "There are no two measurements to hold against each other.".into();
        };
        let when = match effect.phase {
            PhaseKind::Whole => "",
            PhaseKind::Burst => " in the burst",
            PhaseKind::Sustained => " sustained",
        };
        let value = ratio_number(effect.ratio.value);
        let core = match effect.metric {
            Metric::Throughput => format!("{value} times the operations a second{when}"),
            Metric::MeanLatency => format!("a mean latency {value} times as long{when}"),
            Metric::P99Latency => format!("a p99 latency {value} times as long{when}"),
        };
        let (low, high) = (ratio_number(effect.ratio.low), ratio_number(effect.ratio.high));
        let by = match effect.trials {
            (1, 1) => "by one trial of each".to_owned(),
            (top, bottom) => format!("by {top} and {bottom} trials"),
        };
        match class {
            VerdictClass::WorthIt => {
                format!("It gives {core}; {by}, between {low} and {high}.")
            }
            VerdictClass::Harmful => {
                format!("It costs: {core}; {by}, between {low} and {high}.")
            }
            VerdictClass::NoEffect => {
                format!("Nothing worth naming: {core}; {by}, between {low} and {high}.")
            }
            VerdictClass::Undecided if effect.ratio.basis == Basis::Point => {
                format!("So far {core}, by too few trials to say how far that may be off.")
            }
            VerdictClass::Undecided => {
                format!("So far {core}; {by}, it may be anything between {low} and {high}.")
            }
        }
    }

    fn beside(&self, effect: &Effect) -> String {
        format!(
            "{} {}{}",
            ratio(effect.ratio.value),
            match effect.phase {
                PhaseKind::Whole => "over the whole run",
                PhaseKind::Burst => "in the burst",
                PhaseKind::Sustained => "sustained",
            },
            range(&effect.ratio)
        )
    }

    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::LogWrites { before, after } => format!(
                "A log write takes {} instead of {}.",
                drive_time(after),
                drive_time(before)
            ),
            Reason::LogFlushes { before, after } => format!(
                "A flush of the drives that take the log takes {} instead of {}.",
                drive_time(after),
                drive_time(before)
            ),
            Reason::Commits { before, after } => format!(
                "The intent log is committed {} times an operation instead of {}.",
                count(*after),
                count(*before)
            ),
            Reason::LimitMoved { before, after } => format!(
                "What limits it has moved: it was {}; now it is {}.",
                self.limit(before),
                self.limit(after)
            ),
            Reason::SameLimit { limit } => {
                format!("Both are limited by the same: {}.", self.limit(limit))
            }
            Reason::NothingSynced => {
                "Nothing is synchronous: the intent log is never committed.".into()
            }
            Reason::NothingRead { per_s } => format!(
                "Next to nothing is read that is not in memory already ({} blocks/s).",
                count(*per_s)
            ),
            Reason::LogUnused => "The log vdev took no log blocks.".into(),
            Reason::LogPartly { share: part } => format!(
                "Only {} of the log’s bytes went to the log vdev; the rest went to the pool.",
                share(*part)
            ),
            Reason::Indirect { before, after } => format!(
                "Log records that point at data written into the pool: {} instead of {}.",
                share(*after),
                share(*before)
            ),
            Reason::CacheUnused { hits, fed } => format!(
                "The L2ARC answered {} of lookups; {} were fed to it.",
                share(*hits),
                bytes(*fed)
            ),
            Reason::CacheServes { hits, drives_before, drives_after } => format!(
                "The L2ARC answers {} of lookups; the drives are left {} instead of {}.",
                share(*hits),
                share(*drives_after),
                share(*drives_before)
            ),
            Reason::MemoryServes { before, after } => format!(
                "Memory answers {} of lookups instead of {}.",
                share(*after),
                share(*before)
            ),
            Reason::RecordReads { before, after } => format!(
                "For each byte written, {} bytes are read first to complete records, instead of {}.",
                count(*after),
                count(*before)
            ),
            Reason::WriteAmplification { before, after } => format!(
                "Drives write {} bytes for each byte written, instead of {}.",
                count(*after),
                count(*before)
            ),
            Reason::DirtyFilled { seconds: after, real_seconds, per_write } => format!(
                "After {} ({} in the model) dirty data is at its limit and writers wait for the drives: {} waits in the write throttle a write.",
                seconds(*real_seconds),
                seconds(*after),
                count(*per_write)
            ),
            Reason::Throttled { before, after } => format!(
                "Writers wait in the write throttle {} times a write instead of {}.",
                count(*after),
                count(*before)
            ),
            Reason::SameWork => "It changes nothing that was counted.".into(),
        }
    }

    fn shown_by(&self, command: &str) -> String {
        format!("(On a server: {})", visible(command))
    }

    fn without(&self, cost: Cost) -> &'static str {
        match cost {
            Cost::LogFlush => "without flushes of the log",
            Cost::LogWrite => "without writes to the log",
            Cost::PoolRead => "without reads from the pool’s drives",
            Cost::WriteThrottle => "without the write throttle",
            Cost::Processor => "without compute time",
            Cost::ArcSize => "with an ARC that holds everything",
            Cost::Seek => "without seeks",
        }
    }

    fn cause(&self, cause: &Cause) -> String {
        let latency = cause.mean_latency.map_or_else(String::new, |latency| {
            format!(", mean latency {}{}", ratio(latency.value), range(&latency))
        });
        format!(
            "{}: {}{}{latency}",
            self.without(cause.cost),
            ratio(cause.throughput.value),
            range(&cause.throughput)
        )
    }

    fn database(&self, database: &Database) -> String {
        let hits = database
            .buffer_hits
            .map(|hits| format!("; {} of pages found in shared buffers", share(hits)))
            .unwrap_or_default();
        format!(
            "a transaction writes {} of WAL with {} whole pages; {} checkpoints a second{hits}",
            bytes(database.wal_bytes),
            count(database.full_pages),
            count(database.checkpoints)
        )
    }

    fn limit(&self, limit: &Limit) -> String {
        match limit {
            Limit::Drives { kind, busy } => {
                format!("the {} drives, busy {}", name(kind), share(*busy))
            }
            Limit::Processor { busy } => {
                format!("the processor, {} of the modelled cores busy", share(*busy))
            }
            Limit::Throttle { per_write } => {
                format!("the write throttle, {} waits a write", count(*per_write))
            }
            Limit::Clients { in_flight, of } => format!(
                "the clients, with {} of {} operations in flight",
                count(*in_flight),
                count(*of)
            ),
            Limit::Latency { kind, busy } => format!(
                "latency and not capacity, the busiest drives ({}) being busy {}",
                name(kind),
                share(*busy)
            ),
            Limit::Unknown => "nothing that was counted".into(),
        }
    }

    fn caution(&self, caution: &Caution) -> String {
        match caution {
            Caution::Durability { variants } => format!(
                "Not the same promise: {} may lose acknowledged writes in a power cut.",
                names(variants, ", ")
            ),
            Caution::Excluded { excluded, of } => format!(
                "{excluded} of {of} trials {} excluded.",
                if *excluded == 1 { "is" } else { "are" }
            ),
            Caution::Failed { failed, of } => format!("{failed} of {of} trials failed."),
            Caution::SingleTrial => {
                "One trial of each side: the interval is from batches within it, and does not see what differs between seeds."
                    .into()
            }
            Caution::Unsettled { trials, of } => format!(
                "{trials} of {of} trials had not settled when {}, and {} with the mean of all that followed any burst.",
                if *trials == 1 { "it ended" } else { "they ended" },
                if *trials == 1 { "stands" } else { "stand" }
            ),
            Caution::NotSettled { seconds: watched } => format!(
                "A configuration had not settled after {}: what lasts is not known.",
                seconds(*watched)
            ),
            Caution::AfterRestart {
                seconds: watched,
                real_seconds,
            } => format!(
                "Compared is the time after a restart, {} here and {} on the real machine; what lasts may differ.",
                seconds(*watched),
                seconds(*real_seconds)
            ),
            Caution::CacheFilling { held, of } => format!(
                "The cache was still filling: {} of {} held (sizes of the model).",
                bytes(*held),
                bytes(*of)
            ),
            Caution::TwoPhases { burst, sustained } => format!(
                "Quote both numbers: {} in the burst, {} sustained.",
                ratio(*burst),
                ratio(*sustained)
            ),
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        let context: Vec<String> = condition
            .context
            .iter()
            .map(|(factor, level)| format!("{} {}", name(factor), name(level)))
            .collect();
        format!(
            "With {}: {}, {}.",
            context.join(", "),
            self.class(condition.class),
            ratio(condition.ratio)
        )
    }

    fn needed(&self, needed: &Needed) -> String {
        let lack = match needed.lack {
            Lack::Trials => "more trials",
            Lack::SecondTrial => "a second trial of each side: batches within one leave it open",
            Lack::ValidTrial => "a trial that counts: a cell has none",
            Lack::LongerRun => "a longer run: a cell never settled",
        };
        match (needed.lack, needed.trials) {
            (Lack::Trials, Some(trials)) => {
                format!("It lacks {lack}: about {trials} more of each side.")
            }
            _ => format!("It lacks {lack}."),
        }
    }

    fn interaction(&self, interaction: &Interaction) -> String {
        format!(
            "{} {} gives {} without {} {} and {} with it.",
            name(&interaction.first.0),
            name(&interaction.first.1),
            ratio(interaction.without),
            name(&interaction.second.0),
            name(&interaction.second.1),
            ratio(interaction.with)
        )
    }

    fn contribution(&self, contribution: &Contribution) -> String {
        let part = |estimate: &Option<findings::schema::Estimate>| {
            estimate.map_or_else(|| "–".into(), |e| ratio(e.value))
        };
        format!(
            "alone {}, as the last one added {}{}",
            part(&contribution.alone),
            part(&contribution.last),
            contribution
                .share
                .map_or_else(String::new, |s| format!("; {} of the whole gain", share(s)))
        )
    }

    fn change(&self, class: VerdictClass) -> &'static str {
        match class {
            VerdictClass::WorthIt => "better",
            VerdictClass::Harmful => "worse",
            VerdictClass::NoEffect => "unchanged",
            VerdictClass::Undecided => "undecided",
        }
    }
}

/// `8 ms on hdd (its data included)`.
fn drive_time(time: &DriveTime) -> String {
    let data = match time.with_data {
        true => " (its data included)",
        false => "",
    };
    format!("{} on {}{data}", micros(time.us), name(&time.kind))
}
