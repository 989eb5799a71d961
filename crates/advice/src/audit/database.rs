//! The dataset of a database.

use super::{Check, Problem, Severity, rules};
use crate::format::size;
use crate::setting::{Target, rounded_arc};
use crate::system::{Database, DatabaseServer, Found, System};
use lab::durability::evidence;
use zfs::AllocationClass;

rules! {
    "database-sync-disabled", Error, Check::Database(sync_disabled),
    what: "{subject} holds {engine} and has sync=disabled.",
    what_zh: "{subject} 存放 {engine}，并设置了 sync=disabled。",
    why: "COMMIT returns before anything is stable. A power cut loses the committed work of up to twice zfs_txg_timeout, which is seconds; replicas and clients then know of transactions that the server has lost.",
    why_zh: "COMMIT 在落盘之前就返回。断电最多丢失两倍 zfs_txg_timeout、也就是几秒内已提交的事务；副本和客户端知道的事务，服务器却已丢失。",
    sources: [ZfsProps("sync"), Mysql("sync=disabled")],
    lab: evidence::SYNC_DISABLED;

    "database-records-torn", Warning, Check::Database(records_torn),
    what: "{subject} holds {engine} with pages of {page} in records of {record}.",
    what_zh: "{subject} 存放 {engine}，页大小为 {page}，ZFS 记录（recordsize）为 {record}。",
    why: "A page takes several records, each a block of its own with its checksum and pointer. The intent log can divide it between two log blocks, so that a power cut tears it: keep the server's own protection on (full_page_writes, doublewrite).",
    why_zh: "一页要占几个 ZFS 记录（record），每个都是带校验和与指针的独立块。意图日志可能把一页分在两个日志块中，断电会造成页撕裂：必须保留数据库自身的保护（full_page_writes、doublewrite）。",
    sources: [Mysql("innodb_doublewrite=0"), ZfsProps("recordsize")],
    lab: "hk-recordsize";

    "database-records-large", Warning, Check::Database(records_large),
    what: "{subject} holds {engine} with pages of {page} in records of {record}.",
    what_zh: "{subject} 存放 {engine}，页大小为 {page}，ZFS 记录（recordsize）为 {record}。",
    why: "Each page written rewrites a whole record, up to {factor} times the data, and reads the record first if it is not cached. 16K suits pages of 8K and 16K. Other sources advise 32K, or large records for analytics. 128K is right for scans: where it is set on this dataset itself, this finding is only a note. Only files written afterwards get the new size.",
    why_zh: "每写一页都要重写整个 ZFS 记录（record），写入量最多放大到 {factor} 倍，未缓存时还要先读。16K 适合 8K 和 16K 的页。也有来源建议 32K，或为分析负载使用大记录。128K 适合扫描：若直接设置在此数据集上，本条只作提示。新的 recordsize 只对之后写入的文件生效。",
    sources: [HongKong("databases, recordsize=16K"), Mysql("recordsize=16k"), ZfsProps("recordsize")],
    lab: "hk-recordsize";

    "database-logbias", Note, Check::Database(logbias),
    what: "{subject} holds {engine} with logbias=throughput and no log vdev.",
    what_zh: "{subject} 存放 {engine}，设置了 logbias=throughput，而且没有日志 vdev。",
    why: "Sources disagree: one sets latency for OLTP, another throughput for bulk writes. Throughput writes each record once, but a small commit into a large record writes the whole record, and the pool fragments. Measure with your page size and release.",
    why_zh: "各来源说法不一：一个为 OLTP 设 latency，另一个为批量写入设 throughput。throughput 使每个 ZFS 记录（record）只写一次，但小提交落在大记录上时要写整个记录，而且存储池会产生碎片。请按自己的页大小和版本测量。",
    sources: [HongKong("databases, logbias=latency"), Mysql("logbias=throughput"), ZfsProps("logbias")],
    lab: "hk-logbias";

    "database-primarycache", Warning, Check::Database(primarycache),
    what: "{subject} keeps data out of the ARC (primarycache=metadata) though {setting} is only {cache} of {memory}.",
    what_zh: "{subject} 不让数据进 ARC（primarycache=metadata），而 {setting} 只有 {cache}，内存共 {memory}。",
    why: "What the server does not cache is read from the drives each time, and appends to logs on this dataset read their records again. The setting saves memory only if the server's own cache holds the working set.",
    why_zh: "数据库自己没有缓存的数据每次都要从盘上读，在此数据集上追加日志时还要重读 ZFS 记录（record）。只有数据库自身的缓存装得下工作集时，这样设置才省内存。",
    sources: [Mysql("primarycache=metadata"), ZfsProps("primarycache")];

    "database-memory", Warning, Check::System(memory),
    what: "The ARC may take {arc} and database servers {cache} ({setting}), out of {memory} of RAM.",
    what_zh: "ARC 可占 {arc}，数据库共占 {cache}（{setting}），而内存共 {memory}。",
    why: "The ARC gives memory back, but more slowly than a server takes it. The result is stalls in memory reclaim, swapping or the OOM killer. Limit the ARC so that all fit, with room for connections and the kernel.",
    why_zh: "ARC 会归还内存，但比数据库申请得慢，结果是内存回收卡顿、换页或触发 OOM。限制 ARC，使各方都放得下，并给连接和内核留出余地。",
    sources: [Zfs4("zfs_arc_max"), Practice("leave room for all caches")];
}

fn sync_disabled(_: &System, database: &Database) -> Option<Problem> {
    let property = database.dataset.get("sync").filter(|p| p.value == "disabled")?;
    Some(Problem::of_property(&database.dataset.name, "sync", property, "standard"))
}

fn records_torn(system: &System, database: &Database) -> Option<Problem> {
    let problem = wrong_record(database, |record, page| record < page)?;
    // Files written before keep their small records, so the server's protection must stay on.
    Some(match database.server {
        DatabaseServer::Postgresql if !system.postgresql.is_empty() => {
            problem.set(Target::Postgresql, "full_page_writes", Some("on"))
        }
        DatabaseServer::Mysql if !system.mysql.is_empty() => {
            problem.set(Target::Mysql, "innodb_doublewrite", Some("ON"))
        }
        _ => problem,
    })
}

fn records_large(system: &System, database: &Database) -> Option<Problem> {
    let problem = wrong_record(database, |record, page| record > page)?;
    // Nothing says what the load of a machine is: 128K that somebody set is what tune sets for analytics, the default is
    // nobody's choice. In a lab every property is set, and its programs run transactions.
    let chosen = !system.planned
        && database.dataset.get("recordsize").is_some_and(|property| property.local)
        && database.dataset.bytes("recordsize") == Some(128 << 10);
    Some(if chosen { problem.severity(Severity::Note) } else { problem })
}

fn wrong_record(database: &Database, wrong: fn(u64, u64) -> bool) -> Option<Problem> {
    let dataset = database.dataset;
    let property = dataset.get("recordsize")?;
    let record = dataset.bytes("recordsize")?;
    if database.suits(record) || !wrong(record, database.page) {
        return None;
    }
    let right = size(database.record());
    let problem = Problem::of_property(&dataset.name, "recordsize", property, right)
        .with("page", size(database.page))
        .with("record", size(record))
        .with("factor", record / database.page.max(1));
    // A threshold that the new records reach would send the database to the special vdev. ZFS compares the size after
    // compression, so a compressed record reaches lower ones.
    let small = dataset.bytes("special_small_blocks").unwrap_or(0);
    let whole = dataset.is("compression", "off") && small < database.record();
    Some(if small == 0 || whole {
        problem
    } else {
        problem.set_property(&dataset.name, "special_small_blocks", 0)
    })
}

fn logbias(system: &System, database: &Database) -> Option<Problem> {
    let dataset = database.dataset;
    let property = dataset.get("logbias").filter(|p| p.value == "throughput")?;
    // With a log vdev, a rule of the log vdev covers it.
    let logged = system.pool(dataset.pool()).is_some_and(|pool| pool.has(AllocationClass::Log));
    (!logged).then(|| Problem::of_property(&dataset.name, "logbias", property, "latency"))
}

fn primarycache(system: &System, database: &Database) -> Option<Problem> {
    let dataset = database.dataset;
    let property = dataset.get("primarycache").filter(|p| p.value == "metadata")?;
    let memory = system.memory.as_ref()?.value;
    let (configured, setting, own) = match database.server {
        DatabaseServer::Postgresql => (
            !system.postgresql.is_empty(),
            "shared_buffers",
            system.postgres_bytes("shared_buffers", 8192),
        ),
        DatabaseServer::Mysql => {
            let name = "innodb_buffer_pool_size";
            (!system.mysql.is_empty(), name, system.innodb_bytes(name))
        }
    };
    // Both servers default to 128 MiB.
    let bytes = own.as_ref().map_or(128 << 20, |found| found.value);
    if !configured || bytes >= memory / 2 {
        return None;
    }
    let problem = Problem::of_property(&dataset.name, "primarycache", property, "all")
        .with("setting", setting)
        .with("cache", size(bytes))
        .with("memory", size(memory));
    Some(match own {
        Some(own) => problem.evidence(&own.at, format!("{setting} {}", size(bytes))),
        None => problem,
    })
}

fn memory(system: &System) -> Option<Problem> {
    // All clusters share the memory: one finding, with the first.
    let first = system.cluster.is_none_or(|cluster| cluster == 0);
    let memory = system.memory.as_ref().filter(|_| first)?;
    let servers = system.database_memory();
    let cache = servers.iter().fold(0u64, |sum, (_, own)| sum.saturating_add(own.value));
    let arc = system.arc_max()?;
    let share = memory.value / 100;
    // Below 1 GiB the smallest ARC of 64 MiB leaves no room for advice.
    if servers.is_empty()
        || cache.saturating_add(arc) <= share * 95
        || (system.pools.is_empty() && system.datasets.is_empty())
        || memory.value < 1 << 30
    {
        return None;
    }
    let mut problem = Problem::of("zfs_arc_max")
        .with("arc", size(arc))
        .with("setting", settings(&servers))
        .with("cache", size(cache))
        .with("memory", size(memory.value))
        .evidence(&memory.at, format!("memory {}", size(memory.value)));
    for (server, own) in &servers {
        let text = format!("{} {}", server.cache_setting(), size(own.value));
        problem = problem.evidence(&own.at, text);
    }
    if let Some(set) = system.module.get("zfs_arc_max") {
        problem = problem.evidence(&set.at, format!("zfs_arc_max={}", set.value));
    }
    // Servers that take nearly all memory by themselves get half.
    let kept = if cache <= share * 75 { cache } else { memory.value / 2 };
    let fair = memory.value.saturating_sub(kept).saturating_sub(share * 20);
    let fair = rounded_arc(fair.clamp(64 << 20, memory.value / 2));
    problem = problem.set_parameter("zfs_arc_max", Some(fair));
    if kept != cache {
        problem = smaller_caches(system, problem, &servers, kept);
    }
    if system.parameter("zfs_arc_min").is_some_and(|min| min.value > fair / 2) {
        problem = problem.set_parameter("zfs_arc_min", None);
    }
    Some(problem)
}

/// The settings of the servers' caches, with how many clusters have one.
fn settings(servers: &[(DatabaseServer, Found<u64>)]) -> String {
    let named =
        |server: DatabaseServer| match servers.iter().filter(|(own, _)| *own == server).count() {
            0 => None,
            1 => Some(server.cache_setting().to_string()),
            several => Some(format!("{several} × {}", server.cache_setting())),
        };
    let both = [DatabaseServer::Postgresql, DatabaseServer::Mysql].into_iter().filter_map(named);
    both.collect::<Vec<_>>().join(" + ")
}

/// Shares `kept` bytes out: each kind of server keeps its part of all caches, and clusters of PostgreSQL get the same each.
fn smaller_caches(
    system: &System,
    problem: Problem,
    servers: &[(DatabaseServer, Found<u64>)],
    kept: u64,
) -> Problem {
    let cache: u128 = servers.iter().map(|(_, own)| u128::from(own.value)).sum();
    let kinds = [
        (DatabaseServer::Postgresql, Target::Postgresql, "MB"),
        (DatabaseServer::Mysql, Target::Mysql, "M"),
    ];
    kinds.into_iter().fold(problem, |problem, (server, target, unit)| {
        let own = servers.iter().filter(|(of, _)| *of == server).map(|(_, found)| found.value);
        let sizes: Vec<u128> = own.map(u128::from).collect();
        if sizes.is_empty() {
            return problem;
        }
        let part = sizes.iter().sum::<u128>() * u128::from(kept) / cache.max(1);
        let mebibytes = (part / sizes.len() as u128).div_ceil(1 << 20);
        let value = format!("{mebibytes}{unit}");
        let problem = problem.set(target, server.cache_setting(), Some(value));
        // Below half of memory, such a cache does not stand in for the ARC (database-primarycache).
        let small = mebibytes << 20 < kept.into();
        let databases = system.databases_of(server).into_iter().map(|database| database.dataset);
        databases
            .filter(|dataset| small && dataset.is("primarycache", "metadata"))
            .fold(problem, |problem, dataset| {
                problem.set_property(&dataset.name, "primarycache", "all")
            })
    })
}
