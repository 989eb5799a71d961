//! Fixed words in English.

use crate::lang::Label;

/// The words of a label.
pub fn of(label: Label) -> &'static str {
    match label {
        Label::Report => "Storage comparison",
        Label::Lab => "Lab",
        Label::Model => "Model",
        Label::Source => "Source of the question",
        Label::Baseline => "Baseline",
        Label::SkipToAnswer => "Skip to the answer",
        Label::Contents => "Contents",
        Label::LanguageSwitch => "Language",
        Label::Theme => "Colours",
        Label::ThemeAuto => "Auto",
        Label::ThemeLight => "Light",
        Label::ThemeDark => "Dark",
        Label::Print => "Print",
        Label::NoScript => {
            "Scripts are off: sorting, the switches and the JSON download need them. Everything else works."
        }
        Label::Answer => "The answer",
        Label::NoVerdict => {
            "There is no verdict: no two variants that differ in one factor both have a trial that counts."
        }
        Label::Effects => "Effects",
        Label::EffectsIntro => {
            "Each row holds two variants that differ in one factor against each other. Right of 1× is better for operations a second, worse for latency. The shaded band is too small to name; a bar wholly inside it is no effect, one clear of 1× is an effect, any other is undecided, and so is what never settled."
        }
        Label::Comparison => "Every configuration",
        Label::ComparisonIntro => {
            "Operations a second and latency are those of the modelled machine. Intervals are for reading; verdicts use wider ones that hold under repeated looks."
        }
        Label::OverTime => "Throughput over time",
        Label::OverTimeIntro => {
            "One panel a variant on a common scale. Ticks at the foot are transaction groups being synced; a dark line is the mean of a phase; the shaded window is where the trial was steady."
        }
        Label::Load => "How late it gets under load",
        Label::LoadIntro => {
            "Operations are begun at a set rate, whether earlier ones have ended or not; latency is counted from the intended start. A rung keeps up when it completes 95 % of what was offered. The load that keeps a percentile under a limit lies between the two rates named."
        }
        Label::LoadCurve => "p99 of reads and writes by offered ops/s",
        Label::LoadCurveSync => "p99 of fsync by offered ops/s",
        Label::LatencyCurves => "Latency by percentile",
        Label::LatencyIntro => {
            "Reads and writes as the client saw them, merged over trials. Each step to the right is ten times rarer; both axes are logarithmic."
        }
        Label::SyncCurves => "fsync",
        Label::WaitsFor => "What the cell waits for",
        Label::WaitsForIntro => {
            "Each cell was run again with one cost removed from the machine, with the same seeds. The bar is its throughput without that cost, against 1× with it: what gains most is what it waits for most."
        }
        Label::LimitedBy => "What limits each configuration",
        Label::LimitedByIntro => {
            "From the kernel’s counters and the drives’ record of every request. Shares and waits are of what lasts; commits, bytes and mean service times are of the whole window."
        }
        Label::WhoAnswered => "Who answered the reads",
        Label::WhoAnsweredIntro => {
            "Every lookup of a data or metadata block, by who had it: the dbuf cache, the ARC, the L2ARC or a drive."
        }
        Label::Drives => "How busy each drive was",
        Label::DrivesIntro => {
            "A row a drive, time to the right, colour for the share of each second the drive was busy. The trial shown is each cell’s first that counts."
        }
        Label::Configuration => "Configuration, and how to build it",
        Label::ConfigurationIntro => {
            "What each variant is, with the commands that build it on real drives."
        }
        Label::WhatChanges => "What would change the answer",
        Label::Trust => "Why should I believe this?",
        Label::Checks => "Conservation checks",
        Label::ChecksIntro => {
            "Laws that hold whatever the hardware. A trial that breaks one is not shown as a result."
        }
        Label::Method => "Method",
        Label::Trials => "Every trial",
        Label::Data => "The numbers",
        Label::DataIntro => {
            "The whole result as a program reads it. The format is described by findings.schema.json in Poolwright’s docs."
        }
        Label::Ranking => "Settings by what each contributes",
        Label::Interactions => "Factors that act on each other",
        Label::Contradictions => "Contradictions in the numbers",
        Label::Risks => "What each configuration risks",
        Label::Limits => "What these numbers cannot tell",
        Label::Validation => "What was checked for this case",
        Label::Variant => "Variant",
        Label::Workload => "Workload",
        Label::Factor => "Factor",
        Label::Effect => "Effect",
        Label::Verdict => "Verdict",
        Label::Trial => "Trial",
        Label::Seed => "Seed",
        Label::Outcome => "Outcome",
        Label::Remarks => "Remarks",
        Label::Burst => "burst",
        Label::Sustained => "sustained",
        Label::Cold => "cold",
        Label::OpsPerSecond => "ops/s",
        Label::Tps => "TPS",
        Label::Throughput => "Operations a second",
        Label::Bandwidth => "Bandwidth",
        Label::Mean => "mean",
        Label::P95 => "p95",
        Label::P99 => "p99",
        Label::SyncMean => "sync mean",
        Label::Arc => "from memory",
        Label::ArcAlone => "ARC",
        Label::L2arc => "L2ARC",
        Label::Against => "against",
        Label::TrialsColumn => "Trials",
        Label::Whole => "whole run",
        Label::Phase => "Phase",
        Label::Interval => "Interval",
        Label::Law => "Law",
        Label::Measured => "Measured",
        Label::Expected => "Expected",
        Label::Tolerance => "Tolerance",
        Label::Holds => "holds",
        Label::Broken => "broken",
        Label::Of => "Of",
        Label::Drive => "Drive",
        Label::Offered => "offered ops/s",
        Label::Achieved => "done ops/s",
        Label::SyncP99 => "sync p99",
        Label::KeepsUp => "Keeps up",
        Label::Yes => "yes",
        Label::No => "no",
        Label::Price => "Price of the drives",
        Label::WarmUp => "Warm-up",
        Label::Percentile => "Percentile",
        Label::Second => "Second",
        Label::Without => "Without",
        Label::Processor => "Processor busy",
        Label::CommitsPerOp => "Commits an operation",
        Label::LogWrite => "Log write",
        Label::LogFlush => "Log flush",
        Label::ThrottledPerWrite => "Throttle waits a write",
        Label::WrittenPerByte => "Bytes on drives a byte written",
        Label::NotSettled => "not settled",
        Label::Outlier => "far from its cell’s other trials (kept)",
        Label::Excluded => "excluded",
        Label::Failed => "failed",
        Label::WholeWindow => {
            "Latency and bandwidth are of the whole window, its first phase included."
        }
        Label::Numbers => "The numbers of this chart",
        Label::Dbuf => "Dbuf cache",
        Label::Pool => "Drives",
        Label::Idle => "idle",
        Label::Saturated => "always busy",
        Label::MoreEffects => "Only the first effects are drawn; the data has all of them.",
        Label::MoreCells => {
            "Charts are drawn for the first cells only; the table and the data hold all of them."
        }
        Label::SeriesThinned => {
            "Time series inside this page are in stretches of several seconds to keep it small; `poolwright report --format json` gives every second."
        }
        Label::BuildIt => "Build it",
        Label::AddIt => "Or add it to a pool built as the baseline",
        Label::AsGiven => {
            "As given. Each trial ran it with sizes divided by S and with the lab’s times; what was changed is kept beside each trial."
        }
        Label::BuildWarning => {
            "Put your own devices in place of the names (by id, from /dev/disk/by-id). zpool create destroys what is on them."
        }
        Label::Settings => "Properties",
        Label::ModuleParameters => "Module parameters",
        Label::JobFile => "Job file",
        Label::LabFile => "The lab file as it was run",
        Label::DatasetRoot => "root dataset",
        Label::Copy => "Copy",
        Label::NoCampaign => {
            "The configuration is not part of the findings file this page was made from; make the page from the campaign to have it."
        }
        Label::NothingChanges => {
            "Nothing was found within the range of the drives’ uncertain numbers that turns a verdict."
        }
        Label::DownloadJson => "Download JSON",
        Label::DownloadCsv => "Download CSV",
        Label::RawWhere => {
            "The raw output of every program, with its version and command line, lies in the store under trials/, by the trial’s key."
        }
        Label::NotValidated => {
            "No whole pool was compared with real hardware. Take the ratios as the model’s, and measure the variant you choose."
        }
        Label::ProfileNumbers => "How sure the drives’ numbers are",
        Label::OtherSizes => "The same at other size scales",
        Label::Enough => "What is enough",
        Label::SizeScale => "Size scale S, and what bound it",
        Label::ModelArc => "ARC of the model",
        Label::DirtyLimit => "Dirty-data limit, model / real",
        Label::Colon => ": ",
        Label::Comma => ", ",
        Label::Semicolon => "; ",
        Label::FullStop => ".",
        Label::Space => " ",
        Label::SortHint => "Press a column’s name to sort by it.",
        Label::Change => "change",
        Label::OnlyInOne => "only in one of the two",
        Label::NothingCounts => "no trial that counts, before or after",
        Label::Regressions => "cells that became worse: ",
        Label::OtherScale => "The two ran at different S: ratios carry that change as well.",
        Label::ScaleMoves => {
            "A result moves by more than 10 % with the size scale: do not take its size for the real machine’s."
        }
        Label::Published => "published",
        Label::Ratio => "measured ÷ published",
        Label::Below => "cells that lie more than 5 % below what was published: ",
        Label::NoneBelow => "no cell’s whole interval lies more than 5 % below what was published",
        Label::Campaigns => "campaigns",
        Label::Steps => "changes for good: ",
        Label::NoSteps => "nothing changed for good",
        Label::LatestStep => "the last change made it worse",
        Label::NoRegression => "no cell’s whole interval is worse",
    }
}
