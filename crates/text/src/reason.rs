//! Reasons of an effect, and what a cell is limited by.

use crate::line::visible;
use crate::number::{bytes, count, micros, range, ratio, seconds, share};
use crate::{Language, name, phrases, say};
use findings::schema::{Both, Cause, Database, DriveTime, Limit, Reason};
use measurement::Cost;

phrases! {
    /// A cost that a cell was run without: `without log flushes`.
    without(Cost) {
        LogFlush: "without log flushes" | "去除日志刷盘（flush）",
        LogWrite: "without log writes" | "去除日志写入",
        PoolRead: "without reads from the pool’s drives" | "去除存储池硬盘读取",
        WriteThrottle: "without the write throttle" | "去除写限流",
        Processor: "without CPU time" | "去除 CPU 时间",
        ArcSize: "with an ARC that holds everything" | "ARC 可容纳全部数据",
        Seek: "without seeks" | "去除寻道",
    }
}

impl Language {
    /// A reason, as a sentence.
    pub fn reason(self, reason: &Reason) -> String {
        match reason {
            Reason::LogWrites(Both { before, after }) => say!(self,
                before = self.drive_time(before), after = self.drive_time(after);
                "A log write takes {after} instead of {before}.",
                "单次日志写入耗时由 {before}变为 {after}。"),
            Reason::LogFlushes(Both { before, after }) => say!(self,
                before = self.drive_time(before), after = self.drive_time(after);
                "A cache flush of the drives that hold the log takes {after} instead of {before}.",
                "存放日志的硬盘单次刷盘（flush）耗时由 {before}变为 {after}。"),
            Reason::NoLogFlush { before, kind } => self.no_log_flush(before, kind),
            Reason::Commits(Both { before, after }) => say!(self, before: count, after: count;
                "There are {after} ZIL commits per operation instead of {before}.",
                "每次操作的 ZIL 提交次数由 {before} 变为 {after}。"),
            Reason::LimitMoved(Both { before, after }) => say!(self,
                before = self.limit(before), after = self.limit(after);
                "The bottleneck was {before}; now it is {after}.",
                "瓶颈原为：{before}；现为：{after}。"),
            Reason::SameLimit { limit } => say!(self, limit = self.limit(limit);
                "Both have the same bottleneck: {limit}.", "双方的瓶颈相同：{limit}。"),
            Reason::NothingSynced { commits } if *commits > 0.0 => say!(self, commits: count;
                "There are hardly any synchronous writes: {commits} ZIL commits per operation.",
                "几乎没有同步写：每次操作仅 {commits} 次 ZIL 提交。"),
            Reason::NothingSynced { .. } => say!(self;
                "There are no synchronous writes: the ZIL is never committed.",
                "没有同步写：ZIL 从未提交。"),
            Reason::NothingRead { per_s } if *per_s <= 0.0 => say!(self;
                "All reads hit memory.", "读取全部命中内存。"),
            Reason::NothingRead { per_s } => say!(self, blocks = count(*per_s);
                "Almost all reads hit memory ({blocks} blocks/s miss).",
                "读取几乎全部命中内存（每秒仅 {blocks} 个块未命中）。"),
            Reason::LogUnused => say!(self;
                "No log blocks were written to the log vdev.",
                "没有日志块写入日志 vdev。"),
            Reason::LogPartly { share: part } => say!(self, part: share;
                "Only {part} of the log bytes went to the log vdev; the rest went to the pool’s data vdevs.",
                "只有 {part} 的日志数据写入日志 vdev，其余写入存储池的数据 vdev。"),
            Reason::LogOverflows(Both { before, after }) => self.log_overflows(*before, *after),
            Reason::Indirect(Both { before, after }) => self.indirect(*before, *after),
            Reason::CacheUnused { hits, fed } => say!(self, hits: share, fed: bytes;
                "The L2ARC served {hits} of the lookups; {fed} were written to it.",
                "L2ARC 仅命中 {hits} 的查找；写入 L2ARC 的数据为 {fed}。"),
            Reason::CacheBypassed => say!(self;
                "Reads with O_DIRECT bypass the ARC (OpenZFS 2.3 and later), and the L2ARC is only fed from the ARC.",
                "O_DIRECT 读取绕过 ARC（OpenZFS 2.3 及以后版本），而 L2ARC 只从 ARC 填充。"),
            Reason::CacheServes { hits, drives_before, drives_after } => {
                self.cache_serves(*hits, *drives_before, *drives_after)
            }
            Reason::MemoryServes(Both { before, after }) => say!(self, before: share, after: share;
                "Memory serves {after} of the lookups instead of {before}.",
                "内存命中率由 {before} 变为 {after}。"),
            Reason::RecordReads(Both { before, after }) => self.record_reads(*before, *after),
            Reason::RecordWait(Both { before, after }) => self.record_wait(*before, *after),
            Reason::SpecialUnread => say!(self;
                "Hardly anything was read from the special vdev: the metadata was in memory.",
                "几乎没有从 special vdev 读取：元数据都在内存中。"),
            Reason::WriteAmplification(Both { before, after }) => say!(self,
                before: count, after: count;
                "Write amplification is {after} instead of {before} (bytes written to drives per byte from the client).",
                "写放大由 {before} 变为 {after}（硬盘写入字节 ÷ 客户端写入字节）。"),
            Reason::DirtyFilled { seconds, real_seconds, per_write } => {
                self.dirty_filled(*seconds, *real_seconds, *per_write)
            }
            Reason::Throttled(Both { before, after }) => say!(self, before: count, after: count;
                "The write throttle delays a write {after} times on average instead of {before}.",
                "平均每次写入被写限流延迟的次数由 {before} 变为 {after}。"),
            Reason::Wal(Both { before, after }) => say!(self, before: bytes, after: bytes;
                "A transaction writes {after} of WAL instead of {before}.",
                "每个事务写入的 WAL 由 {before} 变为 {after}。"),
            Reason::Redo(Both { before, after }) => say!(self, before: bytes, after: bytes;
                "A transaction writes {after} of redo log instead of {before}.",
                "每个事务写入的重做日志由 {before} 变为 {after}。"),
            Reason::Doublewrite(Both { before, after }) => say!(self, before: count, after: count;
                "InnoDB writes {after} pages to the doublewrite buffer per transaction instead of {before}.",
                "每个事务写入双写缓冲区（doublewrite buffer）的页数由 {before} 变为 {after}。"),
            Reason::SameWork => say!(self;
                "None of the kernel’s or the drives’ counters changes noticeably.",
                "内核与硬盘的各项计数均无明显变化。"),
        }
    }

    /// A log whose writes wait for no flush: its drives need none, or the configuration leaves it out, which is no merit.
    fn no_log_flush(self, before: &DriveTime, kind: &str) -> String {
        say!(self, before = self.drive_time(before), kind = name(kind);
        "The log on {kind} waits for no cache flush; a flush took {before}.",
        "{kind} 上的日志写入不等待刷盘（flush）；原先单次刷盘耗时为 {before}。")
    }

    /// `before` and `after` are shares of the log's bytes.
    fn log_overflows(self, before: f64, after: f64) -> String {
        say!(self, before = share(before), after = share(after);
        "{after} of the log bytes went to the data vdevs because the log vdev was full, instead of {before}.",
        "日志 vdev 写满后转而写入数据 vdev 的日志数据占比由 {before} 变为 {after}。")
    }

    /// Each is a share of all lookups.
    fn cache_serves(self, hits: f64, drives_before: f64, drives_after: f64) -> String {
        say!(self, hits = share(hits), before = share(drives_before), after = share(drives_after);
        "The L2ARC serves {hits} of the lookups; {after} still reach the pool’s drives instead of {before}.",
        "L2ARC 命中 {hits} 的查找；仍需访问存储池硬盘的查找占比由 {before} 变为 {after}。")
    }

    /// `before` and `after` are microseconds of the model for each operation.
    fn record_wait(self, before: f64, after: f64) -> String {
        say!(self, before = micros(before), after = micros(after);
        "Read-modify-write: an operation waits {after} on average for reads of the rest of its record instead of {before}.",
        "读-改-写：平均每次操作等待读取 ZFS 记录（record）其余部分的时间由 {before} 变为 {after}。")
    }

    /// `after` is in seconds of the model, `real_seconds` in those of the real server; `per_write` counts delays after
    /// that.
    fn dirty_filled(self, after: f64, real_seconds: f64, per_write: f64) -> String {
        say!(self, real = seconds(real_seconds), model = seconds(after), waits = count(per_write);
        "After {real} ({model} in the model) dirty data reaches its limit, and writers are delayed by the write throttle: {waits} delays per write.",
        "{real}（模型中 {model}）后脏数据达到上限，写入受写限流延迟：平均每次写入延迟 {waits} 次。")
    }

    /// `before` and `after` are shares of the ZIL's records.
    fn indirect(self, before: f64, after: f64) -> String {
        say!(self, before = share(before), after = share(after);
        "{after} of the ZIL records are indirect (they point at data written to the pool) instead of {before}.",
        "在 ZIL 记录中，间接记录（WR_INDIRECT，数据直接写入存储池）的占比由 {before} 变为 {after}。")
    }

    /// `before` and `after` are bytes read for each byte written.
    fn record_reads(self, before: f64, after: f64) -> String {
        say!(self, before = count(before), after = count(after);
        "Read-modify-write: {after} bytes are read per byte written instead of {before}.",
        "读-改-写：每写 1 字节需先读 {after} 字节（原为 {before}）。")
    }

    /// With which command a reason is seen on a real server, in brackets.
    pub fn shown_by(self, command: &str) -> String {
        say!(self, command = visible(command);
            "(Check: {command})", "（查看命令：{command}）")
    }

    /// What a cell does without a cost: `without log flushes: 1.2× [1.1, 1.3]`.
    pub fn cause(self, cause: &Cause) -> String {
        let latency = cause.mean_latency.map_or_else(String::new, |latency| {
            say!(self, value = ratio(latency.value), range = range(&latency);
                ", mean latency {value}{range}", "，平均延迟 {value}{range}")
        });
        say!(self, without = self.without(cause.cost), value = ratio(cause.throughput.value), range = range(&cause.throughput);
            "{without}: {value}{range}{latency}", "{without}：{value}{range}{latency}")
    }

    /// What a cell's database server did.
    pub fn database(self, database: &Database) -> String {
        match *database {
            Database::Postgresql { wal_bytes, full_pages, checkpoints, buffer_hits } => {
                let hits = buffer_hits.map_or_else(String::new, |hits| {
                    say!(self, hits = share(hits); "; shared buffer hit ratio {hits}", "；共享缓冲区命中率 {hits}")
                });
                say!(self, wal = bytes(wal_bytes), pages = count(full_pages), checkpoints = count(checkpoints);
                    "{wal} of WAL and {pages} full-page images per transaction; {checkpoints} checkpoints/s{hits}",
                    "每个事务写 WAL {wal}、全页镜像 {pages} 个；检查点 {checkpoints} 次/秒{hits}")
            }
            Database::Mysql {
                redo_bytes,
                flushes,
                pages_written,
                pages_doubled,
                binlog_group,
                row_lock_waits,
                buffer_hits,
            } => {
                let group = binlog_group.map_or_else(String::new, |group| {
                    say!(self, group = count(group); "; {group} transactions per group in the binary log", "；每次组提交写入二进制日志 {group} 个事务")
                });
                let hits = buffer_hits.map_or_else(String::new, |hits| {
                    say!(self, hits = share(hits); "; buffer pool hit ratio {hits}", "；缓冲池命中率 {hits}")
                });
                say!(self, redo = bytes(redo_bytes), flushes = count(flushes), pages = count(pages_written), doubled = count(pages_doubled), waits = count(row_lock_waits);
                    "per transaction: {redo} of redo log, {flushes} flushes by InnoDB, {pages} pages written ({doubled} of them twice), {waits} row lock waits{group}{hits}",
                    "每个事务：重做日志 {redo}、InnoDB 刷盘 {flushes} 次、写页 {pages} 个（其中双写 {doubled} 个）、行锁等待 {waits} 次{group}{hits}")
            }
        }
    }

    /// What limits a cell.
    pub fn limit(self, limit: &Limit) -> String {
        match limit {
            Limit::Drives { kind, busy } => say!(self, kind = name(kind), busy: share;
                "the {kind} drives ({busy} busy)", "硬盘 {kind}（繁忙度 {busy}）"),
            Limit::Processor { busy } => say!(self, busy: share;
                "the CPU ({busy} of the modelled cores busy)", "CPU（模拟主机核心繁忙度 {busy}）"),
            Limit::Throttle { per_write } => say!(self, waits = count(*per_write);
                "the write throttle ({waits} delays per write)", "写限流（平均每次写入延迟 {waits} 次）"),
            Limit::Clients { in_flight, of } => say!(self, in_flight: count, of: count;
                "the clients ({in_flight} of {of} operations in flight)",
                "客户端（并发上限 {of}，平均仅用 {in_flight}）"),
            Limit::Latency { kind, busy } => say!(self, kind = name(kind), busy: share;
                "latency, not capacity (the busiest drives, {kind}, are {busy} busy)",
                "延迟而非吞吐能力（最忙的硬盘 {kind} 繁忙度 {busy}）"),
            Limit::Unknown => say!(self;
                "unknown (no counter shows it)", "未知（各项计数均未显示）"),
        }
    }

    /// `8 ms on hdd (its data included)`.
    fn drive_time(self, time: &DriveTime) -> String {
        let (us, kind) = (micros(time.us), name(&time.kind));
        match time.with_data {
            true => say!(self;
                "{us} on {kind} (data writes included)", "{us}（{kind}，含数据写入）"),
            false => say!(self; "{us} on {kind}", "{us}（{kind}）"),
        }
    }
}
