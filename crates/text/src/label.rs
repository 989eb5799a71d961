//! Fixed words of a report.

use crate::Language;

/// An enum of fixed texts, each in English and in Chinese.
macro_rules! labels {
    ($(#[$doc:meta])* $($name:ident: $english:literal | $chinese:literal),* $(,)?) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "the English words beside each say what it is")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Label { $($name),* }

        impl Label {
            /// Its text in a language.
            pub fn text(self, language: Language) -> &'static str {
                match self {
                    $(Label::$name => language.pick($english, $chinese),)*
                }
            }
        }
    };
}
pub(crate) use labels;

impl Language {
    /// A heading, the name of a column or another fixed phrase.
    pub fn label(self, label: Label) -> &'static str {
        label.text(self)
    }
}

labels! {
    /// A fixed word or phrase of a report.
    // Head and controls.
    Report: "Storage comparison" | "存储方案对比",
    Lab: "Lab" | "实验",
    Model: "Model" | "模型",
    Source: "Source of the question" | "问题来源",
    Baseline: "Baseline" | "基线方案",
    SkipToAnswer: "Skip to the answer" | "跳到结论",
    Contents: "Contents" | "目录",
    LanguageSwitch: "Language" | "语言",
    Theme: "Colours" | "配色",
    ThemeAuto: "Auto" | "自动",
    ThemeLight: "Light" | "浅色",
    ThemeDark: "Dark" | "深色",
    Print: "Print" | "打印",
    NoScript: "JavaScript is off: sorting, the language and theme switches and the JSON download need it. Everything else works." | "脚本已禁用：排序、语言与配色切换、JSON 下载需要脚本，其余内容不受影响。",
    // Sections.
    Answer: "The answer" | "结论",
    NoVerdict: "No verdict: there are no two variants that differ in one factor and both have a valid trial." | "没有结论：没有任何一对仅有一个因素不同、且两者都有有效试验的方案。",
    Effects: "Effects" | "效应",
    EffectsIntro: "Each row compares two variants that differ in one factor. Right of 1× is better for throughput, worse for latency. A bar inside the shaded band means no effect; any other bar that does not include 1× means an effect; all others are undecided. Without a steady state a bar of throughput includes the variation and the trend of the run; latency is then undecided, and so is throughput if variation and trend cannot be bounded." | "每行比较仅有一个因素不同的两个方案。1× 右侧：若为吞吐量则更好，若为延迟则更差。区间完全落在阴影带内为无明显效果；除此之外，不跨过 1× 的为有效果；其余尚无定论。未进入稳态时，吞吐量的区间已计入运行期间的波动与趋势；此时延迟尚无定论，波动与趋势无法给出界限时，吞吐量也尚无定论。",
    SyncTests: "pg_test_fsync: all tests" | "pg_test_fsync：全部测试",
    SyncTestsIntro: "Operations per second and the mean time of an operation, averaged over the trials. One client, one file; every test writes 8 kB unless it says otherwise." | "每秒操作数及单次操作的平均时间，取各次试验的平均值。单客户端、单文件；未注明时每次写入 8 kB。",
    SyncTest: "Test" | "测试",
    Comparison: "All variants" | "全部方案",
    ComparisonIntro: "Throughput and latency are those of the modelled server. The intervals shown are confidence intervals; verdicts use wider ones that stay valid under repeated interim looks. A ratio is the mean over pairs of trials with the same seed, each over the seconds in which both had settled: it can differ slightly from the ratio of the two throughputs shown, because each of those is averaged on its own." | "吞吐量和延迟都是模拟主机的数值。表中为置信区间；结论采用更宽的区间，即使中途多次查看结果也仍然有效。比值由同种子的试验逐对计算，只取双方均已进入稳态的时段，再求平均；吞吐量则是各自的均值，因此比值与两个吞吐量之商可能略有出入。",
    OverTime: "Throughput over time" | "吞吐量随时间的变化",
    OverTimeIntro: "One panel per variant, all on the same scale. Ticks at the bottom are txg syncs, a straight horizontal line is the mean of a phase, and the shaded part is the steady state of that trial." | "每个方案一格，纵轴一致。底部短线为 txg 同步，水平直线为各阶段均值，阴影为该次试验的稳态段。",
    Load: "Latency under offered load" | "不同负载速率下的延迟",
    LoadIntro: "Operations start at a fixed rate whether or not earlier ones have completed; latency is counted from the intended start. A rate is sustained when at least 95 % of it completes. The highest load that keeps a percentile under a limit lies between the two rates given." | "按固定速率发起操作，不等待之前的操作完成；延迟从预定发起时刻计算。完成 95 % 以上即视为可承受。使百分位不超限的最高负载介于所列两个速率之间。",
    LoadCurve: "p99 of reads and writes by offered ops/s" | "读写 p99 与负载速率（次/秒）",
    LoadCurveSync: "p99 of fsync by offered ops/s" | "fsync p99 与负载速率（次/秒）",
    LatencyCurves: "Latency by percentile" | "延迟百分位曲线",
    LatencyIntro: "Reads, writes and syncs as the client saw them, over all trials. Both axes are logarithmic; each step to the right is ten times rarer." | "客户端测得的读、写和同步延迟，合并各次试验。两轴均为对数；每向右一格，概率降为十分之一。",
    LatencyIntroTransactions: "Transactions as the client saw them, over all trials. Both axes are logarithmic; each step to the right is ten times rarer." | "客户端测得的事务延迟，合并各次试验。两轴均为对数；每向右一格，概率降为十分之一。",
    SyncCurves: "fsync" | "fsync",
    WaitsFor: "What each cell waits for" | "各组合在等待什么",
    WaitsForIntro: "Each cell was run again without one cost, with the same seeds. The bar is its throughput without that cost, relative to 1× with it: the longest bar is what the cell waits for most." | "每个组合用相同的随机种子、去除一项开销后重新运行。条形为去除该项后的吞吐量（未去除时为 1×）：最长的一项就是主要的等待来源。",
    LimitedBy: "Bottleneck of each variant" | "各方案的瓶颈",
    LimitedByIntro: "From the kernel’s counters and the drives’ record of every request. Utilization and throttle delays are those of the sustained phase; commits, bytes and mean service times those of the whole window." | "取自内核计数器和硬盘的请求记录。繁忙度与写限流延迟取自持续阶段；提交次数、字节数和平均服务时间取自整个测量窗口。",
    Counters: "Counters, for each second or as a mean level:" | "各项计数（每秒的量或平均水平）：",
    WhoAnswered: "Where reads were served from" | "读取由哪一级提供",
    WhoAnsweredIntro: "All lookups of data and metadata blocks, by what served them: dbuf cache, ARC, L2ARC or a drive." | "全部数据块与元数据块的查找，按提供者划分：dbuf 缓存、ARC、L2ARC 或硬盘。",
    Drives: "Utilization of each drive" | "各硬盘的繁忙度",
    DrivesIntro: "One row per drive, time to the right; the colour is the share of each second in which the drive was busy. Shown is the first valid trial of each cell." | "每行一块硬盘，时间向右，颜色为该秒内的繁忙度。显示每个组合的第一次有效试验。",
    Configuration: "Configuration and build commands" | "配置与部署命令",
    ConfigurationIntro: "Each variant, with the commands that build it on real drives." | "各方案的内容，以及在真实硬盘上部署的命令。",
    WhatChanges: "What would change the verdict" | "什么会改变结论",
    Trust: "How reliable are these results?" | "这些结果有多可靠？",
    Checks: "Conservation checks" | "守恒检查",
    ChecksIntro: "Laws that hold for any hardware. A trial that breaks one is not shown as a result." | "对任何硬件都成立的定律。违反任何一条的试验不作为结果。",
    Method: "Method" | "方法",
    Trials: "All trials" | "全部试验",
    Data: "Data" | "数据",
    DataIntro: "The complete result in machine-readable form. The format is described in findings.schema.json in Poolwright’s docs." | "供程序读取的完整结果。格式见 Poolwright 文档中的 findings.schema.json。",
    Ranking: "Settings ranked by contribution" | "各项设置的贡献排序",
    Interactions: "Interactions between factors" | "因素之间的交互作用",
    Contradictions: "Contradictions in the numbers" | "数据中的矛盾",
    Risks: "Risks of each variant" | "每个方案的风险",
    Limits: "Limits of these numbers" | "这些数字的局限",
    Validation: "What was validated for this case" | "本例经过哪些验证",
    // Columns and words of tables.
    Variant: "Variant" | "方案",
    Workload: "Workload" | "负载",
    Factor: "Factor" | "因素",
    Effect: "Effect" | "效应",
    Verdict: "Verdict" | "结论",
    Trial: "Trial" | "试验",
    Seed: "Seed" | "种子",
    Outcome: "Outcome" | "结果",
    Remarks: "Remarks" | "备注",
    Burst: "burst" | "突发",
    Sustained: "sustained" | "持续",
    Cold: "cold cache" | "冷缓存",
    OpsPerSecond: "ops/s" | "次/秒",
    Tps: "TPS" | "TPS",
    Throughput: "Throughput" | "吞吐量",
    Bandwidth: "Bandwidth" | "带宽",
    Mean: "mean" | "平均",
    P95: "p95" | "p95",
    P99: "p99" | "p99",
    SyncMean: "fsync mean" | "fsync 平均",
    Arc: "from memory" | "内存命中",
    ArcAlone: "ARC" | "ARC",
    L2arc: "L2ARC" | "L2ARC",
    Against: "vs" | "相对于",
    TrialsColumn: "Trials" | "试验数",
    Whole: "whole run" | "全程",
    Phase: "Phase" | "阶段",
    Interval: "Interval" | "区间",
    Law: "Check" | "检查项",
    Measured: "Measured" | "测得值",
    Expected: "Expected" | "应为",
    Tolerance: "Tolerance" | "容差",
    Holds: "pass" | "通过",
    Broken: "fail" | "未通过",
    Of: "Subject" | "对象",
    Drive: "Drive" | "硬盘",
    Offered: "offered ops/s" | "负载速率（次/秒）",
    Achieved: "completed ops/s" | "完成（次/秒）",
    SyncP99: "fsync p99" | "fsync p99",
    KeepsUp: "Keeps up" | "可承受",
    Yes: "yes" | "是",
    No: "no" | "否",
    Price: "Price" | "总价",
    WarmUp: "Warm-up" | "预热",
    Without: "Without" | "去除",
    Processor: "CPU busy" | "CPU 繁忙度",
    CommitsPerOp: "ZIL commits per op" | "每次操作的 ZIL 提交",
    LogWrite: "Log write" | "日志写入",
    LogFlush: "Log flush" | "日志刷盘",
    ThrottledPerWrite: "Throttle delays per write" | "每次写入被限流延迟的次数",
    WrittenPerByte: "Write amplification" | "写放大",
    Percentile: "Percentile" | "百分位",
    Second: "Second" | "秒",
    // States.
    NotSettled: "no steady state" | "未进入稳态",
    Outlier: "outlier in its cell (kept)" | "同组合中的离群值（保留）",
    Excluded: "excluded" | "不计入",
    Failed: "failed" | "失败",
    WholeWindow: "Latency and bandwidth cover the whole window, including the first phase." | "延迟和带宽取自整个测量窗口，包括第一阶段。",
    // Charts.
    Numbers: "Data of this chart" | "图中数据",
    Dbuf: "Dbuf cache" | "dbuf 缓存",
    Pool: "Drives" | "硬盘",
    Idle: "idle" | "空闲",
    Saturated: "100 % busy" | "100 % 繁忙",
    MoreCells: "Charts are drawn for the first cells only; the table and the data have all of them." | "只为前若干个组合画图；表格和数据中包含全部。",
    MoreEffects: "Only the first effects are drawn; the data has all of them." | "只画出前若干项效应；数据中包含全部。",
    SeriesThinned: "Time series in this page are averaged over several seconds to keep it small; `poolwright report --format json` has every second." | "为控制页面大小，页内时间序列按数秒取平均；`poolwright report --format json` 提供逐秒数据。",
    // Configuration.
    BuildIt: "Build it" | "部署命令",
    AddIt: "Or add it to an existing pool built like the baseline" | "或添加到与基线方案相同的现有存储池",
    BuildWarning: "Replace the drive names with your own devices (from /dev/disk/by-id). zpool create destroys all data on them." | "请将硬盘名换成自己的设备（取自 /dev/disk/by-id）。zpool create 会清除盘上的全部数据。",
    AsGiven: "The job as given. Trials ran it with sizes divided by S and with the times of the lab file; each trial keeps the job it ran." | "作业原文。试验运行时文件大小除以 S，时长取自实验文件；实际运行的作业随每次试验保存。",
    Settings: "Properties" | "属性",
    ModuleParameters: "Module parameters" | "模块参数",
    JobFile: "Job file" | "作业文件",
    LabFile: "The lab file as it was run" | "实际运行的实验文件",
    DatasetRoot: "root dataset" | "根数据集",
    Copy: "Copy" | "复制",
    NoCampaign: "This findings file has no configuration. Run `poolwright report` on the campaign to include it." | "此结果文件不含配置。请对整轮测试运行 `poolwright report` 以包含配置。",
    // What would change the answer.
    NotVaried: "Not tested: no number of a drive was varied. Set sensitivity = [0.5, 2] in [method]." | "未做敏感性测试：没有改变任何硬盘参数。可在 [method] 中设 sensitivity = [0.5, 2]。",
    // Downloads.
    DownloadJson: "Download JSON" | "下载 JSON",
    DownloadCsv: "Download CSV" | "下载 CSV",
    RawWhere: "The raw output of every program, with its version and command line, is in the store under trials/XX/KEY/raw, where XX are the first two digits of KEY." | "每个程序的原始输出及其版本和命令行，保存在结果库的 trials/XX/KEY/raw 下（XX 为 KEY 的前两位）。",
    // Scale and trust.
    NotValidated: "No whole pool was compared with real hardware. Treat the ratios as those of the model, and measure the variant you choose." | "没有任何整池结果与真实硬件对比过。请将比值视为模型的结果，并实测所选方案。",
    ProfileNumbers: "Uncertainty of the drives’ numbers" | "硬盘参数的不确定性",
    OtherSizes: "Results at other size scales" | "其他缩放倍数下的结果",
    Cheapest: "The cheapest variant that is fast enough" | "性能足够且价格最低的方案",
    Smallest: "The smallest variant that is fast enough" | "性能足够且规模最小的方案",
    SizeScale: "Size scale S, and what limits it" | "缩放倍数 S 及其限制因素",
    ModelArc: "ARC of the model" | "模型的 ARC",
    DirtyLimit: "Dirty-data limit, model / real" | "脏数据上限，模型 / 真实",
    // Punctuation.
    Colon: ": " | "：",
    Comma: ", " | "，",
    Semicolon: "; " | "；",
    FullStop: "." | "。",
    Space: " " | "",
    // Sorting.
    SortHint: "Click a column name to sort by it." | "点击列名即可排序。",
    // Comparing campaigns.
    Change: "change" | "变化",
    OnlyInOne: "only in one of the two campaigns" | "仅出现在其中一轮",
    NothingCounts: "no valid trial before or after" | "前后至少一方没有有效的试验",
    Regressions: "cells that became worse: " | "变差的组合数：",
    NoRegression: "no cell is known to have become worse" | "没有组合被判定为变差",
    OtherRelease: "The two campaigns ran different versions of OpenZFS: the ratios include that change." | "两轮的 OpenZFS 版本不同：比值中包含这一差异。",
    OtherScale: "The two campaigns ran at different S: the ratios include that change." | "两轮的 S 不同：比值中包含这一差异。",
    ScaleMoves: "A result changes by more than 10 % with the size scale: do not apply its value to the real server." | "有结果随缩放倍数变化超过 10 %：其数值不能直接用于真实服务器。",
    Published: "published" | "公开值",
    Ratio: "measured ÷ published" | "测得值 ÷ 公开值",
    Below: "cells more than 5 % below the published value: " | "比公开值低 5 % 以上的组合数：",
    NoneBelow: "no cell is more than 5 % below the published value beyond its interval" | "没有组合确定低于公开值 5 % 以上",
    // History.
    RateOrLatency: "rate or latency" | "速率或延迟",
    Campaigns: "campaigns" | "轮数",
    Steps: "lasting changes: " | "持久变化：",
    NoSteps: "no lasting change" | "没有持久变化",
    LatestStep: "the latest change is for the worse" | "最近一次变化使性能变差",
}
