//! Checks, quality issues and durability risks.

use crate::number::{count, seconds, share, whole};
use crate::{Language, counted, name, phrases, say};
use findings::schema::{DurabilityRisk, Law, NotRun, PowerCutClass, QualityIssue, Validity};

/// Something a variant risks.
#[derive(Debug, Clone, Copy)]
pub enum Risk<'a> {
    /// A power cut alone.
    PowerCut(PowerCutClass),
    /// A setting, or a drive that fails.
    Configuration(&'a DurabilityRisk),
}

phrases! {
    /// Name of a conservation law.
    law(Law) {
        Little: "Little’s law" | "Little 定律",
        Bandwidth: "Bandwidth" | "带宽",
        BytesOnDrives: "Bytes on drives" | "落盘字节",
        Busy: "Utilization" | "繁忙度",
        Reads: "Reads" | "读取",
        SomeIo: "Any I/O" | "有无 I/O",
        Percentiles: "Histogram" | "直方图",
        Series: "Time series" | "时间序列",
        Samples: "Samples" | "采样",
    }

    /// What the law says.
    law_says(Law) {
        Little: "throughput × latency (syncs included) equals the operations in flight" | "吞吐量 × 延迟（含同步）等于并发数",
        Bandwidth: "bytes per second equal operations per second × size" | "每秒字节数等于每秒操作数 × 块大小",
        BytesOnDrives: "the drives write at least the bytes that the client wrote and synced" | "硬盘写入的字节不少于客户端已同步写入的字节",
        Busy: "no drive is busy for more than 100 % of the time" | "硬盘繁忙度不超过 100 %",
        Reads: "every read is looked up in the caches" | "每次读取都查找过缓存",
        SomeIo: "the client did I/O" | "客户端执行了 I/O",
        Percentiles: "the histogram’s bins ascend and hold as many operations as the client counted" | "直方图各桶边界递增，所含操作数与客户端计数一致",
        Series: "the per-second logs hold all operations of the client" | "逐秒日志包含客户端的全部操作",
        Samples: "the kernel counters were sampled every second" | "每秒都采集了内核计数器",
    }

    /// The unit of a law's numbers; none for shares.
    law_unit(Law) {
        Little: "in flight" | "并发",
        Bandwidth: "B/s" | "B/s",
        BytesOnDrives: "B" | "B",
        Busy: "" | "",
        Reads: "lookups" | "次查找",
        SomeIo: "ops" | "次",
        Percentiles: "ops" | "次",
        Series: "ops" | "次",
        Samples: "s" | "s",
    }

    /// What a trial is worth.
    validity(Validity) {
        Valid: "valid" | "有效",
        Excluded: "excluded" | "不计入",
        Failed: "failed" | "失败",
    }
}

impl Language {
    /// `2 of 4 trials`.
    pub fn of_trials(self, trials: u32, of: u32) -> String {
        say!(self; "{trials} of {of} trials", "{of} 次试验中的 {trials} 次")
    }

    /// A quality issue of a trial or cell.
    pub fn issue(self, issue: &QualityIssue) -> String {
        match issue {
            QualityIssue::Broken { law, measured, expected } => say!(self,
                law = self.law(*law), measured: count, expected: count;
                "check failed: {law}, measured {measured}, expected {expected}",
                "检查未通过：{law}，测得 {measured}，应为 {expected}"),
            QualityIssue::Overflow { count: beyond } => say!(self, beyond: whole;
                "{beyond} operations took longer than fio’s histogram can hold: high percentiles are lower bounds",
                "{beyond} 次操作超出 fio 直方图的上限：高百分位只是下限"),
            QualityIssue::NotSettled { seconds: watched } => say!(self, watched: seconds;
                "no steady state within {watched}", "{watched} 内未进入稳态"),
            QualityIssue::WindowTooShort { seconds: watched, least } => say!(self,
                watched: seconds, least: seconds;
                "the measured run lasted {watched}, too short to detect a steady state: set a runtime of at least {least}, and time_based in a fio job, which otherwise ends when its files are done",
                "实测只运行了 {watched}，无法判断是否进入稳态：runtime 至少设为 {least}；fio 作业还要加 time_based，否则文件读写完就结束"),
            QualityIssue::MemoryThrottle { count: times } => say!(self, times: count;
                "not representative: the scaled-down ARC is too small for the dirty data ({times} transactions were refused); use a smaller S",
                "不具代表性：缩放后的 ARC 容不下脏数据（{times} 个事务被拒绝）；请减小 S"),
            QualityIssue::ProcessorBound { busy } => say!(self, busy: share;
                "the modelled cores were {busy} busy: the result depends on the table of compute costs; compare with processor = \"free\" in [host]",
                "模拟主机核心繁忙度 {busy}：结果取决于计算开销表；请在 [host] 中设 processor = \"free\" 对比"),
            QualityIssue::DidNotRun => say!(self; "did not run", "未运行"),
        }
    }

    /// That a cell was not run, and how many trials it needs.
    pub fn not_run(self, cell: &NotRun) -> String {
        say!(self, missing = counted(cell.trials.into(), "trial"), trials = cell.trials;
            "not run yet: {missing} missing", "尚未运行：还差 {trials} 次试验")
    }

    /// What a variant risks.
    pub fn risk(self, risk: Risk<'_>) -> String {
        match risk {
            Risk::PowerCut(class) => self.after_power_cut(class),
            Risk::Configuration(risk) => self.durability(risk),
        }
    }

    /// What a power cut alone can cost.
    pub fn after_power_cut(self, class: PowerCutClass) -> String {
        match class {
            PowerCutClass::KeepsAcknowledged => say!(self;
                "A power cut loses no acknowledged write.",
                "断电不会丢失已确认的写入。"),
            PowerCutClass::LosesLast { seconds: Some(s) } => say!(self;
                "A power cut loses up to the last {s} s of acknowledged writes; the rest is consistent.",
                "断电最多丢失最后 {s} 秒内已确认的写入，其余数据一致。"),
            PowerCutClass::LosesLast { seconds: None } => say!(self;
                "A power cut loses the last acknowledged writes; the rest is consistent.",
                "断电会丢失最后一部分已确认的写入，其余数据一致。"),
            PowerCutClass::MayCorrupt => say!(self;
                "A power cut may corrupt data.", "断电可能损坏数据。"),
        }
    }

    /// What a configuration risks.
    pub fn durability(self, risk: &DurabilityRisk) -> String {
        match risk {
            DurabilityRisk::SyncDisabled { datasets } => {
                let root = || self.pick("the root dataset", "根数据集").to_owned();
                let all: Vec<String> =
                    datasets.iter().map(|d| if d.is_empty() { root() } else { name(d) }).collect();
                say!(self, all = all.join(self.pick(", ", "、"));
                    "sync=disabled on {all}: a power cut loses acknowledged synchronous writes.",
                    "{all} 设置了 sync=disabled：断电会丢失已确认的同步写入。")
            }
            DurabilityRisk::NoCacheFlush { kinds } => say!(self, kinds = self.names(kinds);
                "zfs_nocacheflush=1 with volatile write caches ({kinds}): a power cut loses acknowledged writes.",
                "硬盘带易失性写缓存（{kinds}）却设置了 zfs_nocacheflush=1：断电会丢失已确认的写入。"),
            DurabilityRisk::NoLogFlush { kinds } => say!(self, kinds = self.names(kinds);
                "zil_nocacheflush=1 with volatile write caches under the log ({kinds}): a power cut loses acknowledged writes.",
                "存放日志的硬盘带易失性写缓存（{kinds}）却设置了 zil_nocacheflush=1：断电会丢失已确认的写入。"),
            DurabilityRisk::LyingFlush { kinds } => say!(self, kinds = self.names(kinds);
                "The drives {kinds} acknowledge flushes without emptying their caches: a power cut loses acknowledged writes.",
                "硬盘 {kinds} 应答刷盘（flush）命令，却不把缓存落盘：断电会丢失已确认的写入。"),
            DurabilityRisk::LogNotMirrored => say!(self;
                "The log vdev is not mirrored: if it fails during a power cut, acknowledged writes are lost.",
                "日志 vdev 没有镜像：若断电时恰好损坏，会丢失已确认的写入。"),
            DurabilityRisk::SpecialNotRedundant => say!(self;
                "A special or dedup vdev has less redundancy than the data vdevs: if it fails, the pool is lost.",
                "special 或 dedup vdev 的冗余低于数据 vdev：一旦损坏，整个存储池丢失。"),
            DurabilityRisk::NoRedundancy => say!(self;
                "A data vdev has no redundancy: if one drive fails, the pool is lost.",
                "有数据 vdev 没有冗余：坏一块硬盘就会丢失整个存储池。"),
            DurabilityRisk::FilesystemNotRedundant => say!(self;
                "The file system has no redundancy: if one drive fails, it is lost.",
                "文件系统没有冗余：坏一块硬盘就会丢失整个文件系统。"),
        }
    }
}
