//! Fixed words of a report, by what they mean.

macro_rules! labels {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// A fixed word or phrase.
        #[allow(missing_docs, reason = "the English words in `lang/en` say what each is")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Label { $($(#[$doc])* $name),* }

        #[cfg(test)]
        impl Label {
            /// Every label.
            pub const ALL: &[Label] = &[$(Label::$name),*];
        }
    };
}

labels! {
    // Head and controls.
    Report, Lab, Model, Source, Baseline, SkipToAnswer, Contents, LanguageSwitch, Theme, ThemeAuto,
    ThemeLight, ThemeDark, Print, NoScript,
    // Sections.
    Answer, NoVerdict, Effects, EffectsIntro, Comparison, ComparisonIntro, OverTime, OverTimeIntro,
    LatencyCurves, LatencyIntro, WhereTime, WhereTimeIntro, WhoAnswered, WhoAnsweredIntro, Drives,
    DrivesIntro, Configuration, ConfigurationIntro, WhatChanges, Trust, Checks, ChecksIntro, Method,
    Trials, Data, DataIntro, Ranking, Interactions, Contradictions, Risks, Limits, Fidelity,
    // Columns and words of tables.
    Variant, Workload, Factor, Effect, Verdict, Why, Trial, Seed, Started, Wall, Outcome, Remarks,
    Burst, Sustained, Cold, OpsPerSecond, Throughput, Bandwidth, Mean, P50, P95, P99, P999, SyncMean,
    SyncP99, Arc, L2arc, Against, Concurrency, TrialsColumn, Whole, Phase, Metric, Ratio, Interval,
    Law, Measured, Expected, Tolerance, Holds, Broken, Of, Drive, Profile, Count, Property, Value,
    Kind, AtMedian, AtP99, Percentile, Latency, Second, ReadsColumn, WritesColumn, Setting,
    // States.
    NotSettled, NoReads, NoSync, Unknown, Outlier, SetAside, Failed, Yes, No, Stand,
    // Charts.
    Numbers, Dbuf, Pool, Outside, LimitedBy, TxgMark, SteadyWindow, Idle, Saturated, MoreCells,
    SeriesThinned, PhaseMean,
    // Configuration.
    BuildIt, BuildWarning, Settings, ModuleParameters, JobFile, LabFile, DatasetRoot, Copy, Copied,
    NoCampaign,
    // What would change the answer.
    HoldsWhere, DependsOn, Know, NothingChanges, ToDecide,
    // Downloads.
    DownloadJson, DownloadCsv, RawWhere,
    // Punctuation.
    Colon, Comma, Semicolon, FullStop, Space,
    // Sorting.
    SortHint, TableOf, Map, Curve, Bars,
    // Comparing campaigns.
    Before, After, Change, OnlyInOne, Regressions, NoRegression,
}
