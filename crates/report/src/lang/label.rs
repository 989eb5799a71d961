//! Fixed words of a report, by what they mean.

macro_rules! labels {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// A fixed word or phrase.
        #[allow(missing_docs, reason = "the English words in `lang/en` say what each is")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Label { $($(#[$doc])* $name),* }
    };
}

labels! {
    // Head and controls.
    Report, Lab, Model, Source, Baseline, SkipToAnswer, Contents, LanguageSwitch, Theme, ThemeAuto,
    ThemeLight, ThemeDark, Print, NoScript,
    // Sections.
    Answer, NoVerdict, Effects, EffectsIntro, Comparison, ComparisonIntro, OverTime, OverTimeIntro,
    Load, LoadIntro, LoadCurve, LoadCurveSync, LatencyCurves, LatencyIntro, SyncCurves, WaitsFor, WaitsForIntro, LimitedBy, LimitedByIntro, WhoAnswered, WhoAnsweredIntro, Drives,
    DrivesIntro, Configuration, ConfigurationIntro, WhatChanges, Trust, Checks, ChecksIntro, Method,
    Trials, Data, DataIntro, Ranking, Interactions, Contradictions, Risks, Limits, Validation,
    // Columns and words of tables.
    Variant, Workload, Factor, Effect, Verdict, Trial, Seed, Outcome, Remarks,
    Burst, Sustained, Cold, OpsPerSecond, Tps, Throughput, Bandwidth, Mean, P95, P99, SyncMean,
    Arc, ArcAlone, L2arc, Against, TrialsColumn, Whole, Phase, Interval,
    Law, Measured, Expected, Tolerance, Holds, Broken, Of, Drive,
    Offered, Achieved, SyncP99, KeepsUp, Yes, No, Price, WarmUp,
    Without, Processor, CommitsPerOp, LogWrite, LogFlush, ThrottledPerWrite, WrittenPerByte,
    Percentile, Second,
    // States.
    NotSettled, Outlier, Excluded, Failed, WholeWindow,
    // Charts.
    Numbers, Dbuf, Pool, Idle, Saturated, MoreCells, MoreEffects,
    SeriesThinned,
    // Configuration.
    BuildIt, AddIt, BuildWarning, AsGiven, Settings, ModuleParameters, JobFile, LabFile, DatasetRoot, Copy, NoCampaign,
    // What would change the answer.
    NothingChanges,
    // Downloads.
    DownloadJson, DownloadCsv, RawWhere,
    // Scale and trust.
    NotValidated, ProfileNumbers, OtherSizes, Enough,
    SizeScale, ModelArc, DirtyLimit,
    // Punctuation.
    Colon, Comma, Semicolon, FullStop, Space,
    // Sorting.
    SortHint,
    // Comparing campaigns.
    Change, OnlyInOne, NothingCounts, Regressions, NoRegression, OtherScale, ScaleMoves, Published, Ratio, Below, NoneBelow,
    // History.
    Campaigns, Steps, NoSteps, LatestStep,
}
