//! `postgresql.conf`.

use super::{Check, Evidence, Finding, Problem, rules};
use crate::format::size;
use crate::setting::Target;
use crate::system::{DatabaseServer, System};
use facts::postgresql::switch;
use lab::durability::evidence;
use zfs::AllocationClass;

rules! {
    "pg-fsync", Error,
    Check::Setting {
        target: Target::Postgresql,
        name: "fsync",
        wrong: |value| switch(value) == Some(false),
        right: Some("on"),
    },
    what: "fsync is off.",
    what_zh: "fsync 已关闭。",
    why: "PostgreSQL then never flushes: a crash of the machine may corrupt the whole cluster. ZFS does not need it; synchronous_commit=off also makes COMMIT fast, and keeps the database consistent.",
    why_zh: "PostgreSQL 将完全不刷盘：机器崩溃可能损坏整个数据库实例。在 ZFS 上不需要这样；synchronous_commit=off 同样能让 COMMIT 变快，而且数据库保持一致。",
    sources: [PostgresManual("fsync")],
    lab: evidence::FSYNC;

    "pg-full-page-writes", Warning, Check::System(full_page_writes),
    what: "full_page_writes is off.",
    what_zh: "full_page_writes 已关闭。",
    why: "Without full pages in the WAL a torn page cannot be repaired, and ZFS tears pages too, whatever the recordsize: the fsync of a checkpoint puts pages into the intent log, which can divide one between two log blocks, and the power can fail between them. Simulated power cuts tore pages of 16K this way; pages of 8K are rarely divided.",
    why_zh: "WAL 里没有整页，页撕裂后就无法修复；而无论 recordsize 多大，ZFS 上也会发生页撕裂：检查点的 fsync 把页写入意图日志，一页可能分在两个日志块中，断电可能发生在两块之间。模拟断电中 16K 的页确实这样被撕裂；8K 的页很少跨两个日志块。",
    sources: [PostgresManual("full_page_writes"), ZfsCode("zil_lwb_assign")],
    lab: evidence::TORN_RECORDS;

    "pg-synchronous-commit", Warning,
    Check::Setting {
        target: Target::Postgresql,
        name: "synchronous_commit",
        wrong: |value| switch(value) == Some(false),
        right: Some("on"),
    },
    what: "synchronous_commit is off.",
    what_zh: "synchronous_commit 已关闭。",
    why: "COMMIT returns before its WAL is stable: a crash loses committed transactions of up to three times wal_writer_delay (0.6 s by default). The database stays consistent.",
    why_zh: "COMMIT 在其 WAL 落盘之前返回：崩溃会丢失最多三倍 wal_writer_delay（默认合计 0.6 秒）内已提交的事务。数据库保持一致。",
    sources: [PostgresManual("synchronous_commit")],
    lab: evidence::SYNCHRONOUS_COMMIT;

    "pg-wal-init-zero", Note, Check::System(|system| useless_on_zfs(system, "wal_init_zero")),
    what: "wal_init_zero is on, and the database is on ZFS.",
    what_zh: "wal_init_zero 为 on，而数据库在 ZFS 上。",
    why: "New WAL files are filled with zeros so that later writes overwrite allocated blocks. On a copy-on-write file system each write allocates anew, so the zeros are wasted work, and compression drops them anyway.",
    why_zh: "新的 WAL 文件先填零，以便以后覆盖已分配的块。在写时复制文件系统上每次写都重新分配，填零白费功夫，而且压缩会把零去掉。",
    sources: [PostgresManual("wal_init_zero")];

    "pg-wal-recycle", Note, Check::System(|system| useless_on_zfs(system, "wal_recycle")),
    what: "wal_recycle is on, and the database is on ZFS.",
    what_zh: "wal_recycle 为 on，而数据库在 ZFS 上。",
    why: "Old WAL files are renamed and overwritten to save allocation. On a copy-on-write file system that saves nothing, and a write into an old record that is no longer cached reads it first. A new file avoids the read.",
    why_zh: "旧 WAL 文件改名后被覆盖，以省去分配。这在写时复制文件系统上并无节省；所写的 ZFS 记录（record）若已不在缓存中，还要先读出。使用新文件可以避免这次读取。",
    sources: [PostgresManual("wal_recycle")];

    "pg-io-concurrency", Note, Check::System(effective_io_concurrency),
    what: "effective_io_concurrency is {value}, but this release of OpenZFS ignores posix_fadvise.",
    what_zh: "effective_io_concurrency 为 {value}，但此版本的 OpenZFS 忽略 posix_fadvise。",
    why: "Up to 2.1 the hints have no effect on Linux and cost a system call each; since 2.2 they start reads. This holds up to PostgreSQL 17: in 18, 0 turns its own asynchronous reads off.",
    why_zh: "在 Linux 上，2.1 及以前这些提示不起作用，每次还要一个系统调用；自 2.2 起它们会触发预读。这适用于 PostgreSQL 17 及以前：在 18 中设为 0 会关闭它自己的异步读取。",
    sources: [
        PostgresManual("effective_io_concurrency"),
        ZfsCode("zpl_file.c, fadvise since 2.2"),
        HongKong("databases")
    ];

    "pg-random-page-cost", Note, Check::System(random_page_cost),
    what: "random_page_cost is {cost}, although the pool is flash.",
    what_zh: "存储池是闪存，random_page_cost 却为 {cost}。",
    why: "The default of 4 models a hard disk: a random page costs 40 times a sequential one, and 90 % of random reads are cached. On SSDs it makes the planner avoid indexes.",
    why_zh: "默认值 4 对应机械盘：随机读一页的代价是顺序读的 40 倍，并假定 90 % 的随机读命中缓存。在 SSD 上它使规划器避开索引。",
    sources: [PostgresManual("random_page_cost")];

    "pg-max-wal-size", Note, Check::System(max_wal_size),
    what: "max_wal_size is {size}.",
    what_zh: "max_wal_size 为 {size}。",
    why: "A busy server then checkpoints every few seconds, and after each checkpoint the first change of a page writes the whole page to the WAL.",
    why_zh: "繁忙的数据库因此每隔几秒就做检查点，而每次检查点后，对一页的首次修改都把整页写进 WAL。",
    sources: [PostgresManual("max_wal_size, full_page_writes"), HongKong("databases, checkpoint settings")];
}

/// A problem of a setting that is there or is left at its default; the fix sets it.
fn of_setting(system: &System, name: &str, right: &str) -> Problem {
    let problem = match system.postgres(name) {
        Some(found) => Problem::setting(&Target::Postgresql, name, &found),
        None => Problem::of(name),
    };
    problem.set(Target::Postgresql, name, Some(right))
}

/// What a finding about PostgreSQL says besides: the cluster where there are `several`; and what to do where ALTER
/// SYSTEM made a setting, as a change of `postgresql.conf` then has no effect.
pub(super) fn finish(system: &System, several: bool, finding: &mut Finding) {
    if several
        && RULES.contains(finding.rule)
        && let Some(file) = system.postgres_files().next()
    {
        finding.evidence.push(Evidence { at: file.at.clone(), text: file.name.clone() });
    }
    let mut reset = Vec::new();
    finding.changes.retain(|change| {
        if change.target != Target::Postgresql {
            return true;
        }
        let Some(below) = system.postgres_automatic(&change.name) else { return true };
        reset.push(format!("ALTER SYSTEM RESET {}", change.name));
        below != change.value
    });
    let command = |statement| vec!["psql".to_string(), "-c".to_string(), statement];
    finding.commands.extend(reset.into_iter().map(command));
}

fn full_page_writes(system: &System) -> Option<Problem> {
    let off = system.postgres_switch("full_page_writes").is_some_and(|found| !found.value);
    let whole = system.keeps_pages_whole(DatabaseServer::Postgresql, false);
    (off && !whole).then(|| of_setting(system, "full_page_writes", "on"))
}

/// A switch that is on, as it is by default, and useless on ZFS.
fn useless_on_zfs(system: &System, name: &str) -> Option<Problem> {
    let on = system.postgres_switch(name).is_none_or(|found| found.value);
    let databases = system.databases_of(DatabaseServer::Postgresql);
    let dataset = databases.first().filter(|_| on && !system.postgresql.is_empty())?.dataset;
    Some(of_setting(system, name, "off").evidence(&dataset.place(), &dataset.name))
}

fn effective_io_concurrency(system: &System) -> Option<Problem> {
    // posix_fadvise came to Linux with OpenZFS 2.2 (zpl_fadvise).
    let version = system.openzfs.as_ref().filter(|version| version.value < (2, 2))?;
    let found = system.postgres("effective_io_concurrency")?;
    let asked: u64 = found.value.parse().unwrap_or(0);
    // A setting of PostgreSQL 18, whose asynchronous reads 0 would turn off.
    let own_reads = system.postgres("io_method").is_some();
    let major = system.postgres_major();
    let own_reads = own_reads || major.is_some_and(|major| major >= 18);
    if asked <= 1 || own_reads || system.databases_of(DatabaseServer::Postgresql).is_empty() {
        return None;
    }
    let release = format!("OpenZFS {}.{}", version.value.0, version.value.1);
    let name = "effective_io_concurrency";
    let problem = match major {
        Some(_) => of_setting(system, name, "0"),
        // Where the server may be 18, the first step is to ask it.
        None => Problem::setting(&Target::Postgresql, name, &found)
            .run(&["psql", "-c", "SHOW server_version"]),
    };
    Some(problem.evidence(&version.at, release))
}

fn random_page_cost(system: &System) -> Option<Problem> {
    let cost: f64 = match system.postgres("random_page_cost") {
        Some(found) => found.value.parse().ok()?,
        None if system.postgresql.is_empty() => return None,
        None => 4.0,
    };
    let databases = system.databases_of(DatabaseServer::Postgresql);
    let pool = system.pool(databases.first()?.dataset.pool())?;
    let mut leaves = pool.leaves_of(AllocationClass::Normal).peekable();
    leaves.peek()?;
    let flash = leaves.all(|leaf| system.rotates(leaf) == Some(false));
    (cost >= 4.0 && flash).then(|| {
        let problem = of_setting(system, "random_page_cost", "1.1").with("cost", cost);
        problem.evidence(&pool.place(), &pool.name)
    })
}

fn max_wal_size(system: &System) -> Option<Problem> {
    let memory = system.memory.as_ref().filter(|memory| memory.value >= 32 << 30)?;
    let found = system.postgres_bytes("max_wal_size", 1 << 20);
    let bytes = found.map_or(1 << 30, |found| found.value);
    if system.postgresql.is_empty() || bytes > 1 << 30 {
        return None;
    }
    let right = crate::system::max_wal_size(memory.value);
    let problem = of_setting(system, "max_wal_size", right).with("size", size(bytes));
    Some(problem.evidence(&memory.at, format!("memory {}", size(memory.value))))
}
