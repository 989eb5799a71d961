//! Effects and verdicts in English.

use super::{English, stage};
use crate::lang::{AnswerWords, name, names};
use crate::number::{bytes, count, micros, range, ratio, ratio_number, seconds, share};
use findings::output::{
    Basis, Caution, Class, Condition, Contribution, Effect, Interaction, Lack, Limit, Metric,
    Needed, PhaseKind, Reason, Subject,
};

impl AnswerWords for English {
    fn class(&self, class: Class) -> &'static str {
        match class {
            Class::WorthIt => "worth it",
            Class::Harmful => "harmful",
            Class::NoEffect => "no effect",
            Class::Undecided => "undecided",
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
            Subject::Property {
                dataset,
                name: property,
            } if dataset.is_empty() => name(property),
            Subject::Property {
                dataset,
                name: property,
            } => {
                format!("{} of {}", name(property), name(dataset))
            }
            Subject::PoolProperty { name: property } => name(property),
            Subject::Module { name: parameter } => name(parameter),
            Subject::OpenZfs => "OpenZFS version".into(),
            Subject::Memory => "memory".into(),
        }
    }

    fn judgement(&self, class: Class, effect: Option<&Effect>) -> String {
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
        let (low, high) = (
            ratio_number(effect.ratio.low),
            ratio_number(effect.ratio.high),
        );
        let by = format!(
            "by {} and {} trials of the model",
            effect.trials.0, effect.trials.1
        );
        match class {
            Class::WorthIt => {
                format!("It gives {core}; {by}, between {low} and {high}.")
            }
            Class::Harmful => {
                format!("It costs: {core}; {by}, between {low} and {high}.")
            }
            Class::NoEffect => {
                format!("Nothing worth naming: {core}; {by}, between {low} and {high}.")
            }
            Class::Undecided if effect.ratio.basis != Basis::Trials => {
                format!("So far {core}, by too few trials to say how far that may be off.")
            }
            Class::Undecided => {
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
            Reason::Stage {
                operation,
                stage,
                before_us,
                after_us,
                share_of_change,
            } => format!(
                "{} ({}) takes {} an operation instead of {}: {} of the whole change.",
                capital(&stage::what(operation, stage)),
                stage::within(operation),
                micros(*after_us),
                micros(*before_us),
                share(*share_of_change)
            ),
            Reason::Commit {
                before_us,
                after_us,
            } => format!(
                "A commit takes {} instead of {}.",
                micros(*after_us),
                micros(*before_us)
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
            Reason::CacheServes {
                hits,
                drives_before,
                drives_after,
            } => format!(
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
            Reason::DirtyFilled {
                seconds: after,
                real_seconds,
                throttle_share,
            } => format!(
                "After {} ({} in the model) writers wait for the drives to take what was promised: {} of an operation’s time is throttle.",
                seconds(*real_seconds),
                seconds(*after),
                share(*throttle_share)
            ),
            Reason::OutsidePool { share: part } => format!(
                "{} of an operation’s time is outside the pool, where this cannot help.",
                share(*part)
            ),
            Reason::SameWork => "It changes nothing that was counted.".into(),
        }
    }

    fn stage(&self, operation: &str, stage: &str) -> String {
        format!(
            "{}: {}",
            stage::operation(operation),
            stage::what(operation, stage)
        )
    }

    fn limit(&self, limit: &Limit) -> String {
        match limit {
            Limit::Drives { kind, busy } => {
                format!("the {} drives, busy {}", name(kind), share(*busy))
            }
            Limit::Throttle { share: part } => {
                format!(
                    "the write throttle, {} of an operation’s time",
                    share(*part)
                )
            }
            Limit::Latency { stage, share: part } => format!(
                "waiting and not capacity: {} takes {} of an operation’s time while no drive is full",
                stage::what("", stage),
                share(*part)
            ),
            Limit::Processor { share: part } => {
                format!("this machine’s processor, {} used", share(*part))
            }
            Limit::Clients { share: part } => {
                format!(
                    "the clients, {} of an operation’s time outside the pool",
                    share(*part)
                )
            }
            Limit::Unknown => "nothing that the numbers name".into(),
        }
    }

    fn caution(&self, caution: &Caution) -> String {
        match caution {
            Caution::Durability { variants } => format!(
                "Not the same promise: {} may lose acknowledged writes in a power cut.",
                names(variants, ", ")
            ),
            Caution::SetAside { marked, of } => format!(
                "{marked} of {of} trials {} set aside.",
                if *marked == 1 { "is" } else { "are" }
            ),
            Caution::Failed { failed, of } => format!("{failed} of {of} trials failed."),
            Caution::SingleTrial => {
                "A cell has one trial that counts, which shows nothing of what differs between trials."
                    .into()
            }
            Caution::Processor {
                free,
                charged,
                time,
            } => format!(
                "The processor matters: {} as measured, with one {} times as fast against the drives as this machine’s; {} with this machine’s own time added back.",
                ratio(*free),
                count(*time),
                ratio(*charged)
            ),
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
            Lack::SecondTrial => {
                "a second trial: one alone tells nothing of the spread between trials"
            }
            Lack::SoundTrial => "a trial that counts: a cell has none",
            Lack::LongerRun => "a longer run: a cell never settled",
        };
        let mut said = format!("It lacks {lack}");
        if let Some(trials) = needed.trials {
            said += &format!("; about {trials} more of each");
        }
        if let Some(wall) = needed.wall_s {
            said += &format!(" ({} on this machine)", seconds(wall));
        }
        said + "."
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
        let part = |estimate: &Option<findings::output::Estimate>| {
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

    fn change(&self, class: Class) -> &'static str {
        match class {
            Class::WorthIt => "better",
            Class::Harmful => "worse",
            Class::NoEffect => "unchanged",
            Class::Undecided => "undecided",
        }
    }
}

/// With a capital first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
