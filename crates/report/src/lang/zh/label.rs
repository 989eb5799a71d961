//! Fixed words in simplified Chinese.

use crate::lang::Label;

/// The words of a label.
pub fn of(label: Label) -> &'static str {
    match label {
        Label::Report => "存储方案对比",
        Label::Lab => "实验",
        Label::Model => "模型",
        Label::Source => "问题来源",
        Label::Baseline => "基准",
        Label::SkipToAnswer => "跳到结论",
        Label::Contents => "目录",
        Label::LanguageSwitch => "语言",
        Label::Theme => "配色",
        Label::ThemeAuto => "自动",
        Label::ThemeLight => "浅色",
        Label::ThemeDark => "深色",
        Label::Print => "打印",
        Label::NoScript => "脚本已禁用：排序、切换和 JSON 下载需要脚本，其余内容不受影响。",
        Label::Answer => "结论",
        Label::NoVerdict => "没有结论：没有两个只差一个因素的方案都有有效的试验。",
        Label::Effects => "效应",
        Label::EffectsIntro => {
            "每一行比较只差一个因素的两个方案。对每秒操作数而言，1× 右侧更好；对延迟而言，右侧更差。阴影带内的差别太小，不值一提：区间全在带内为无效应，不跨过 1× 为有效应，其余未定；一直没有稳定的也未定。"
        }
        Label::Comparison => "全部方案",
        Label::ComparisonIntro => {
            "每秒操作数和延迟都是被建模机器上的数值。表中区间供阅读；判定使用更宽的区间，反复查看时依然成立。"
        }
        Label::OverTime => "吞吐量随时间的变化",
        Label::OverTimeIntro => {
            "每个方案一格，纵轴相同。底部短线是事务组（txg）正在同步；深色横线是一个阶段的均值；阴影是该次试验达到稳态的时间窗。"
        }
        Label::Load => "负载升高时延迟多大",
        Label::LoadIntro => {
            "按给定速率发起操作，不等先前的操作结束；延迟从预定的开始时刻算起。完成给定量的 95 % 即算跟得上。使某百分位不超限的负载，在所列两个速率之间。"
        }
        Label::LoadCurve => "读写 p99 随给定速率（次/秒）",
        Label::LoadCurveSync => "fsync p99 随给定速率（次/秒）",
        Label::LatencyCurves => "延迟百分位曲线",
        Label::LatencyIntro => {
            "客户端看到的读写延迟，各次试验合并统计。向右每一格少见十倍；两轴均为对数。"
        }
        Label::SyncCurves => "fsync",
        Label::WaitsFor => "单元在等待什么",
        Label::WaitsForIntro => {
            "每个单元都以相同的种子、去掉机器的一项开销后重新运行。条形为去掉该项后的吞吐量，与未去掉时的 1× 相比：收益最大的一项，就是它等待最多的。"
        }
        Label::LimitedBy => "每个方案的瓶颈",
        Label::LimitedByIntro => {
            "取自内核计数器和硬盘对每个请求的记录。比例和等待次数取自持续阶段；提交次数、字节数和平均服务时间取自整个窗口。"
        }
        Label::WhoAnswered => "读请求由谁应答",
        Label::WhoAnsweredIntro => {
            "每次查找数据块或元数据块时，块在哪里：dbuf 缓存、ARC、L2ARC 还是磁盘。"
        }
        Label::Drives => "每块盘有多忙",
        Label::DrivesIntro => {
            "每行一块盘，时间向右，颜色表示该秒内盘忙碌的比例。显示的是每个单元第一次有效的试验。"
        }
        Label::Configuration => "配置与搭建方法",
        Label::ConfigurationIntro => "每个方案的具体内容，以及在真实硬盘上搭建它的命令。",
        Label::WhatChanges => "什么会改变结论",
        Label::Trust => "凭什么相信这些结果？",
        Label::Checks => "守恒检查",
        Label::ChecksIntro => "无论硬件如何都必须成立的定律。违反任何一条的试验不作为结果展示。",
        Label::Method => "方法",
        Label::Trials => "全部试验",
        Label::Data => "原始数据",
        Label::DataIntro => {
            "完整结果，供程序读取。格式见 Poolwright 文档中的 findings.schema.json。"
        }
        Label::Ranking => "各项设置的贡献排名",
        Label::Interactions => "相互影响的因素",
        Label::Contradictions => "数据中的矛盾",
        Label::Risks => "每个方案的风险",
        Label::Limits => "这些数字不能说明什么",
        Label::Validation => "本例经过哪些检验",
        Label::Variant => "方案",
        Label::Workload => "负载",
        Label::Factor => "因素",
        Label::Effect => "效应",
        Label::Verdict => "判定",
        Label::Trial => "试验",
        Label::Seed => "种子",
        Label::Outcome => "结果",
        Label::Remarks => "备注",
        Label::Burst => "突发",
        Label::Sustained => "持续",
        Label::Cold => "预热前",
        Label::OpsPerSecond => "次/秒",
        Label::Tps => "TPS",
        Label::Throughput => "每秒操作数",
        Label::Bandwidth => "带宽",
        Label::Mean => "平均",
        Label::P95 => "p95",
        Label::P99 => "p99",
        Label::SyncMean => "同步平均",
        Label::Arc => "内存应答",
        Label::ArcAlone => "ARC",
        Label::L2arc => "L2ARC",
        Label::Against => "相对于",
        Label::TrialsColumn => "试验数",
        Label::Whole => "全程",
        Label::Phase => "阶段",
        Label::Interval => "区间",
        Label::Law => "定律",
        Label::Measured => "实测",
        Label::Expected => "应为",
        Label::Tolerance => "容差",
        Label::Holds => "成立",
        Label::Broken => "违反",
        Label::Of => "对象",
        Label::Drive => "盘",
        Label::Offered => "给定 次/秒",
        Label::Achieved => "完成 次/秒",
        Label::SyncP99 => "同步 p99",
        Label::KeepsUp => "跟得上",
        Label::Yes => "是",
        Label::No => "否",
        Label::Price => "硬盘总价",
        Label::WarmUp => "预热",
        Label::Percentile => "百分位",
        Label::Second => "秒",
        Label::Without => "去掉",
        Label::Processor => "处理器忙碌",
        Label::CommitsPerOp => "每次操作的提交数",
        Label::LogWrite => "日志写入",
        Label::LogFlush => "日志刷写",
        Label::ThrottledPerWrite => "每次写入的节流等待",
        Label::WrittenPerByte => "每写一字节的落盘字节",
        Label::NotSettled => "未稳定",
        Label::Outlier => "与同单元其他试验相差很远（保留）",
        Label::Excluded => "不计入",
        Label::Failed => "失败",
        Label::WholeWindow => "延迟和带宽取自整个窗口，包括其第一阶段。",
        Label::Numbers => "图中数据",
        Label::Dbuf => "dbuf 缓存",
        Label::Pool => "磁盘",
        Label::Idle => "空闲",
        Label::Saturated => "始终忙碌",
        Label::MoreEffects => "只画出前面的效应；数据包含全部效应。",
        Label::MoreCells => "只为前面的单元画图；表格和数据包含全部单元。",
        Label::SeriesThinned => {
            "为控制页面大小，页内时间序列每项为数秒；`poolwright report --format json` 给出每一秒。"
        }
        Label::BuildIt => "搭建命令",
        Label::AddIt => "或加到按基准搭建的现有存储池",
        Label::AsGiven => {
            "原文。每次试验运行时，大小除以 S，时长取自实验文件；改动随每次试验保存。"
        }
        Label::BuildWarning => {
            "请把盘名换成自己的设备（使用 /dev/disk/by-id 中的设备标识）。zpool create 会销毁盘上原有数据。"
        }
        Label::Settings => "属性",
        Label::ModuleParameters => "模块参数",
        Label::JobFile => "作业文件",
        Label::LabFile => "实际运行的实验文件",
        Label::DatasetRoot => "根数据集",
        Label::Copy => "复制",
        Label::NoCampaign => "生成本页的结果文件不含配置；请从实验记录生成页面。",
        Label::NothingChanges => "在硬盘不确定参数的范围内，没有发现会推翻判定的情况。",
        Label::DownloadJson => "下载 JSON",
        Label::DownloadCsv => "下载 CSV",
        Label::RawWhere => {
            "每个程序的原始输出及其版本和命令行，都在结果库的 trials/ 下，以试验的键命名。"
        }
        Label::NotValidated => {
            "没有任何整池结果与真实硬件对比过。请把比值看作模型的结果，并实测你选定的方案。"
        }
        Label::ProfileNumbers => "硬盘参数有多可靠",
        Label::OtherSizes => "换一个大小比例的结果",
        Label::Enough => "怎样就够用",
        Label::SizeScale => "大小比例 S 及其限制因素",
        Label::ModelArc => "模型的 ARC",
        Label::DirtyLimit => "脏数据上限，模型 / 真实",
        Label::Colon => "：",
        Label::Comma => "，",
        Label::Semicolon => "；",
        Label::FullStop => "。",
        Label::Space => "",
        Label::SortHint => "点击列名即可排序。",
        Label::Change => "变化",
        Label::OnlyInOne => "只在其中一个里",
        Label::NothingCounts => "前后有一方没有有效的试验",
        Label::Regressions => "变差的单元数：",
        Label::OtherScale => "两者的 S 不同：比值中也包含了这一变化。",
        Label::ScaleMoves => "有结果随大小比例变化超过 10 %：不要把其数值当作真实机器的。",
        Label::Published => "已发表",
        Label::Ratio => "实测 ÷ 已发表",
        Label::Below => "比已发表低 5 % 以上的单元数：",
        Label::NoneBelow => "没有单元可以肯定比已发表低 5 % 以上",
        Label::Campaigns => "次实验",
        Label::Steps => "持久变化：",
        Label::NoSteps => "没有持久变化",
        Label::LatestStep => "最近一次变化是变差",
        Label::NoRegression => "没有单元可以肯定变差",
    }
}
