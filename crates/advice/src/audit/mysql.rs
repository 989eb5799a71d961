//! `my.cnf`: MySQL and MariaDB with InnoDB.

use super::{Check, Problem, rules};
use crate::format::size;
use crate::setting::Target;
use crate::system::{Database, DatabaseServer, Dataset, Found, Pool, System};
use facts::units::switch;
use lab::durability::evidence;

rules! {
    "my-flush-log", Error,
    Check::Setting {
        target: Target::Mysql,
        name: "innodb_flush_log_at_trx_commit",
        wrong: |value| matches!(value, "0" | "2"),
        right: Some("1"),
    },
    what: "innodb_flush_log_at_trx_commit={value}: commits do not wait for the redo log.",
    what_zh: "innodb_flush_log_at_trx_commit={value}：提交不等待重做日志落盘。",
    why: "With 0 the log is written and flushed once a second; with 2 it is written at commit and flushed once a second. A power cut loses about a second of committed transactions (with 0, so does a crash of mysqld).",
    why_zh: "0 表示日志每秒写一次并刷一次，2 表示提交时写、每秒刷一次：断电丢失约一秒已提交的事务（为 0 时 mysqld 崩溃也会丢）。",
    sources: [MysqlManual("innodb_flush_log_at_trx_commit"), Mysql("innodb_flush_log_at_trx_commit=0")],
    lab: evidence::FLUSH_AT_COMMIT;

    "my-sync-binlog", Warning, Check::System(sync_binlog),
    what: "sync_binlog={value}: the binary log is not flushed at every commit.",
    what_zh: "sync_binlog={value}：二进制日志不在每次提交时刷盘。",
    why: "After a power cut, replicas may have events that the source server lost, or the reverse, and must be built again.",
    why_zh: "断电之后，副本可能有源库已丢失的事件，或者相反，副本必须重建。",
    sources: [MysqlManual("sync_binlog"), Mysql("sync_binlog=0")],
    lab: evidence::SYNC_BINLOG;

    "my-flush-method", Error, Check::System(flush_method),
    what: "innodb_flush_method={value}: InnoDB does not flush its files on {dataset}.",
    what_zh: "innodb_flush_method={value}：InnoDB 对 {dataset} 上的文件不刷盘。",
    why: "On ZFS a page that was written and not flushed is durable only with its transaction group, with O_DIRECT too. A checkpoint counts it as durable and gives up its redo log: a power cut then loses the page, and tables are damaged. With nosync the redo log is not flushed either. Where the dataset has sync=always, each write is durable at once.",
    why_zh: "在 ZFS 上，写出而未刷盘的页要到所在的事务组写完才落盘，用 O_DIRECT 时也是如此。检查点却把它当作已落盘，不再保留它的重做日志：断电会丢失这一页，表因此损坏。设为 nosync 时连重做日志也不刷盘。数据集设有 sync=always 时，每次写入都立即落盘。",
    sources: [MysqlManual("innodb_flush_method"), ZfsProps("sync")],
    lab: evidence::DIRECT_NO_FSYNC;

    "my-doublewrite", Error, Check::System(torn_pages),
    what: "innodb_doublewrite={value}, and nothing in the input shows that the intent log points to each page of {page} as one record.",
    what_zh: "innodb_doublewrite={value}，而输入中没有信息表明每个 {page} 的页恰为一个 ZFS 记录（record），且意图日志只存指向它的指针。",
    why: "A torn page cannot be repaired from the redo log, and ZFS tears pages too: fsync puts pages into the intent log, which can divide one between two log blocks, and the power can fail between them. With O_DIRECT (OpenZFS 2.3 and later) the log has a pointer to a record that is written as a whole.",
    why_zh: "页撕裂（torn page）后无法用重做日志修复，而 ZFS 上也会发生页撕裂：fsync 把页写入意图日志，一页可能分在两个日志块中，断电可能发生在两块之间。用 O_DIRECT 时（OpenZFS 2.3 及以后），日志里只有一个指针，指向整体写入的 ZFS 记录（record）。",
    sources: [MysqlManual("innodb_doublewrite"), ZfsCode("zil_lwb_assign")],
    lab: evidence::TORN_RECORDS;

    "my-doublewrite-kept", Note, Check::System(|system| doublewrite_off(system).filter(|_| pages_whole(system))),
    what: "innodb_doublewrite={value}, and each page of {page} is one record, to which the intent log has a pointer.",
    what_zh: "innodb_doublewrite={value}，而每个 {page} 的页恰为一个 ZFS 记录（record），意图日志里只有指向它的指针。",
    why: "OpenZFS 2.3 and later writes such a page as one block with O_DIRECT or direct=always, so a power cut tears none, and half of the page writes are saved. Files written under another recordsize keep it until they are rewritten. This does not hold on another file system or with other settings: turn doublewrite on before you change either. MariaDB loses pages for another reason (my-checkpoint).",
    why_zh: "OpenZFS 2.3 及以后用 O_DIRECT 或 direct=always 时，把这样的页作为一个块写入，因此断电不会撕裂页，并省下一半的页写入。在别的 recordsize 下写的文件，重写之前仍保持原样。换到别的文件系统或改动这些设置后都不成立：改动之前要打开双写。MariaDB 因另一原因会丢失页（my-checkpoint）。",
    sources: [MysqlManual("innodb_doublewrite"), ZfsCode("zfs_log_write")],
    lab: evidence::TORN_RECORDS;

    "my-copies", Warning, Check::System(late_copies),
    what: "innodb_flush_method={value}: MySQL does not flush its doublewrite buffer before it writes pages, and nothing in the input shows that no page of {page} on {dataset} can be torn.",
    what_zh: "innodb_flush_method={value}：MySQL 写数据页之前不刷双写缓冲区，而输入中没有信息表明 {dataset} 上 {page} 的页不会被撕裂。",
    why: "With O_DIRECT, its default from 8.4 on, MySQL (8.0.20 and later) writes a page as soon as its copy in the doublewrite buffer is written. On ZFS a write is durable only after fsync or with its transaction group: a power cut can tear the page and lose the copy, so that tables are damaged or the server does not start. With innodb_flush_method=fsync the copies are durable first. Where each page is one record (OpenZFS 2.3 and later), none is torn.",
    why_zh: "用 O_DIRECT 时（8.4 起的默认值），MySQL（8.0.20 及以后）一写出双写缓冲区中的副本就写数据页。在 ZFS 上，写入要到 fsync 之后或随事务组才落盘：断电可能撕裂页并丢失其副本，表因此损坏或服务器无法启动。设 innodb_flush_method=fsync 时，副本先落盘。若每页恰为一个 ZFS 记录（record，OpenZFS 2.3 及以后），页不会撕裂。",
    sources: [MysqlCode("is_fsync_required() in buf0dblwr.cc"), ZfsCode("zil_lwb_assign")],
    lab: evidence::LATE_COPIES_ON_ZFS;

    "my-checkpoint", Warning, Check::System(checkpoint),
    what: "MariaDB's files on {subject} are durable only after fsync (sync=standard), and its checkpoint does not wait for all of them.",
    what_zh: "MariaDB 在 {subject} 上的文件要到 fsync 之后才落盘（sync=standard），而它的检查点并不等它们全部落盘。",
    why: "MariaDB (10.6 to 11.8) syncs its files and then sets its checkpoint to the oldest change whose page is not written yet. Pages that were written during the sync count as durable although they are not: a power cut loses them, and tables are damaged or the server does not start. Under a load that evicts pages all the time, 2 of 20 simulated power cuts did so without the doublewrite buffer, and 1 of 20 with it. With sync=always, or innodb_data_file_write_through=ON from 11.0 on, a page is durable when it is written; each then waits for the log of ZFS. innodb_flush_method=fsync turns write-through off: with it, use O_DIRECT and innodb_data_file_buffering=ON.",
    why_zh: "MariaDB（10.6 至 11.8）先同步文件，然后才把检查点设到最早的、所在页尚未写出的修改处。同步期间写出的页并未落盘，却被当作已落盘：断电会丢失它们，表损坏或服务器无法启动。在不断淘汰页的负载下，模拟断电的结果是：关闭双写时 20 次中有 2 次如此，打开时 20 次中有 1 次。设 sync=always，或自 11.0 起设 innodb_data_file_write_through=ON，页写出即落盘；每次写入都要等待 ZFS 的日志。innodb_flush_method=fsync 会关闭直写：直写要配 O_DIRECT 和 innodb_data_file_buffering=ON。",
    sources: [
        MariadbCode("log_checkpoint() in buf0flu.cc"),
        MariadbCode("innodb_init_params() in ha_innodb.cc"),
        ZfsProps("sync")
    ],
    lab: evidence::CHECKPOINT;

    "my-native-aio", Note, Check::System(native_aio),
    what: "innodb_use_native_aio={value}, on ZFS.",
    what_zh: "ZFS 上 innodb_use_native_aio={value}。",
    why: "ZFS serves Linux AIO synchronously: submitting waits for the I/O, so a few threads carry all of it. With OFF, InnoDB's own I/O threads wait in parallel.",
    why_zh: "ZFS 同步处理 Linux AIO：提交请求时就在等 I/O，全部 I/O 由少数线程承担。设为 OFF 时，InnoDB 自己的 I/O 线程并行等待。",
    sources: [MysqlManual("innodb_use_native_aio"), Mysql("innodb_use_native_aio=0")];

    "my-flush-neighbors", Note, Check::System(flush_neighbors),
    what: "innodb_flush_neighbors={value}, on flash.",
    what_zh: "闪存上 innodb_flush_neighbors={value}。",
    why: "InnoDB flushes neighbouring pages of a file together to save seeks. ZFS writes them elsewhere and flash has no seeks, so this only writes more.",
    why_zh: "InnoDB 把文件中相邻的页一起刷新以省寻道。ZFS 本来就写到别处，闪存也没有寻道，这只会增加写入。",
    sources: [MysqlManual("innodb_flush_neighbors"), Mysql("innodb_flush_neighbors=0")];

    "my-write-ahead", Note, Check::System(write_ahead),
    what: "innodb_log_write_ahead_size={value} is above innodb_page_size ({page}).",
    what_zh: "innodb_log_write_ahead_size={value} 大于 innodb_page_size（{page}）。",
    why: "The server reduces it to the page size. It is meant to avoid reading a block in order to append to it: put the redo log on a dataset whose records are no larger.",
    why_zh: "服务器会把它降到页大小。它用来避免为追加而先读一个块：应把重做日志放在 recordsize 不大于该值的数据集上。",
    sources: [MysqlManual("innodb_log_write_ahead_size"), Mysql("innodb_log_write_ahead_size")];

    "my-compression", Note, Check::System(compression),
    what: "innodb_compression_default={value} on a compressed dataset.",
    what_zh: "压缩的数据集上 innodb_compression_default={value}。",
    why: "The data is compressed twice, and pages that InnoDB has compressed no longer fill their records. Leave compression to ZFS.",
    why_zh: "数据压缩了两次，而且 InnoDB 压缩过的页不再填满 ZFS 记录（record）。把压缩交给 ZFS。",
    sources: [MariadbManual("innodb_compression_default"), Mysql("innodb_compression_default=OFF")];

    "my-two-servers", Error, Check::System(two_servers),
    what: "The file sets {subject}, which only MariaDB knows, and {other}, which only MySQL knows.",
    what_zh: "文件设置了只有 MariaDB 认识的 {subject}，也设置了只有 MySQL 认识的 {other}。",
    why: "A server does not start with an option that it does not know, unless the option's name begins with `loose-`.",
    why_zh: "服务器遇到不认识的选项会拒绝启动，除非选项名以 `loose-` 开头。",
    sources: [MysqlManual("server option reference"), MariadbManual("InnoDB system variables")];
}

/// A setting that is there, and its right value as the fix.
fn wrong(name: &str, found: &Found<String>, right: &str) -> Problem {
    Problem::setting(&Target::Mysql, name, found).set(Target::Mysql, name, Some(right))
}

fn sync_binlog(system: &System) -> Option<Problem> {
    let name = "sync_binlog";
    let log = system.innodb("log_bin");
    // MySQL has a binary log by default, MariaDB has none.
    let off = match &log {
        Some(log) => switch(&log.value) == Some(false),
        None => system.is_mariadb(),
    };
    if off {
        return None;
    }
    match system.innodb(name) {
        Some(found) => (found.value != "1").then(|| wrong(name, &found, "1")),
        // MySQL's default is 1, MariaDB's is 0.
        None => log.filter(|_| system.is_mariadb()).map(|log| {
            Problem::of(name)
                .with("value", 0)
                .evidence(&log.at, format!("log_bin = {}", log.value))
                .set(Target::Mysql, name, Some("1"))
        }),
    }
}

fn flush_method(system: &System) -> Option<Problem> {
    let name = "innodb_flush_method";
    let word = system.flush_method(system.mysql_server.mariadb != Some(false))?;
    let nothing = word == "nosync";
    if !nothing && word != "o_direct_no_fsync" {
        return None;
    }
    let data = system.databases_of(DatabaseServer::Mysql).into_iter().map(|db| db.dataset);
    let redo = system.innodb("innodb_log_group_home_dir").filter(|_| nothing);
    let redo = redo.and_then(|directory| system.holder(&directory.value));
    // With sync=disabled, that is what is wrong first: it has a rule of its own.
    let waits =
        |dataset: &&Dataset| !dataset.is("sync", "always") && !dataset.is("sync", "disabled");
    let dataset = data.chain(redo).find(waits)?;
    // With O_DIRECT, MySQL does not flush its doublewrite buffer, which torn pages need (my-copies). On MariaDB from 11.0
    // on, fsync would turn write-through off.
    let direct = !nothing && system.keeps_pages_whole(DatabaseServer::Mysql, true);
    let right = if direct || system.is_mariadb() { "O_DIRECT" } else { "fsync" };
    let problem = wrong(name, &system.innodb(name)?, right).with("dataset", &dataset.name);
    Some(match dataset.get("sync") {
        Some(property) => problem.property("sync", property),
        None => problem,
    })
}

/// The setting where it turns the doublewrite buffer off; `DETECT_ONLY` does not write pages either, and MariaDB's
/// `fast` syncs no copy.
fn doublewrite_off(system: &System) -> Option<Problem> {
    let name = "innodb_doublewrite";
    let without =
        |value: &str| ["detect_only", "fast"].contains(&value.to_ascii_lowercase().as_str());
    let off = |value: &str| switch(value) == Some(false) || without(value);
    let found = system.innodb(name).filter(|found| off(&found.value))?;
    Some(wrong(name, &found, "ON").with("page", size(system.innodb_page())))
}

/// Pages without copies. Copies must be flushed, too.
fn torn_pages(system: &System) -> Option<Problem> {
    let problem = doublewrite_off(system).filter(|_| !pages_whole(system))?;
    Some(match unflushed_copies(system) {
        Some(_) => problem.set(Target::Mysql, "innodb_flush_method", Some("fsync")),
        None => problem,
    })
}

/// Whether no power cut tears a page on the known datasets of InnoDB.
fn pages_whole(system: &System) -> bool {
    system.keeps_pages_whole(DatabaseServer::Mysql, system.opens_directly())
}

/// First series whose default method is O_DIRECT (MySQL reference manual, innodb_flush_method).
const DIRECT_BY_DEFAULT: (u32, u32) = (8, 4);

/// The dataset of a MySQL that writes pages with O_DIRECT, and so does not flush their copies first, if a power cut can
/// tear a page there.
fn unflushed_copies(system: &System) -> Option<&Dataset> {
    let direct = match system.flush_method(false) {
        Some(word) => word == "o_direct",
        None => {
            let server = system.mysql_server;
            let series = server.series.is_some_and(|series| series >= DIRECT_BY_DEFAULT);
            server.mariadb == Some(false) && series
        }
    };
    // MariaDB flushes them.
    if !direct || system.is_mariadb() || system.keeps_pages_whole(DatabaseServer::Mysql, true) {
        return None;
    }
    let waits = |db: &Database| !db.dataset.is("sync", "always") && !is_mariadb(system, db);
    Some(system.databases_of(DatabaseServer::Mysql).into_iter().find(waits)?.dataset)
}

fn late_copies(system: &System) -> Option<Problem> {
    let name = "innodb_flush_method";
    // Without copies each torn page is lost, which is a rule of its own.
    let dataset = unflushed_copies(system).filter(|_| doublewrite_off(system).is_none())?;
    let problem = match system.innodb(name) {
        Some(found) => Problem::setting(&Target::Mysql, name, &found),
        None => Problem::of(name)
            .with("value", "O_DIRECT")
            .property("recordsize", dataset.get("recordsize")?),
    };
    let page = size(system.innodb_page());
    let problem = problem.with("page", page).with("dataset", &dataset.name);
    Some(problem.set(Target::Mysql, name, Some("fsync")))
}

fn checkpoint(system: &System) -> Option<Problem> {
    if system.writes_through() {
        return None;
    }
    let own =
        system.databases_of(DatabaseServer::Mysql).into_iter().filter(|db| is_mariadb(system, db));
    let standard = |db: Database| {
        let property = db.dataset.get("sync").filter(|property| property.value == "standard")?;
        Some(Problem::of_property(&db.dataset.name, "sync", property, "always"))
    };
    let problem = own.filter_map(standard).next()?;
    // Settings that look like write-through and are not.
    let shown = ["innodb_data_file_write_through", "innodb_flush_method"];
    Some(shown.iter().fold(problem, |problem, name| match system.innodb(name) {
        Some(found) => problem.evidence(&found.at, format!("{name} = {}", found.value)),
        None => problem,
    }))
}

/// Whether the server is MariaDB: by its version, by a group of my.cnf that only it reads, or by the dataset's name.
fn is_mariadb(system: &System, database: &Database) -> bool {
    let named = database.dataset.name.to_ascii_lowercase().contains("mariadb");
    system.is_mariadb() || (named && system.mysql_server.mariadb.is_none())
}

fn native_aio(system: &System) -> Option<Problem> {
    let name = "innodb_use_native_aio";
    let found = system.innodb(name).filter(|found| switch(&found.value) == Some(true))?;
    (!system.databases_of(DatabaseServer::Mysql).is_empty()).then(|| wrong(name, &found, "OFF"))
}

fn flush_neighbors(system: &System) -> Option<Problem> {
    let name = "innodb_flush_neighbors";
    let found = system
        .innodb(name)
        .filter(|found| found.value != "0" && switch(&found.value) != Some(false))?;
    let databases = system.databases_of(DatabaseServer::Mysql);
    let pools = databases.iter().filter_map(|db| system.pool(db.dataset.pool()));
    let flash = pools
        .flat_map(Pool::leaves)
        .any(|leaf| system.rotates(leaf) == Some(false) || catalogue::flash(&leaf.name));
    flash.then(|| wrong(name, &found, "0"))
}

fn write_ahead(system: &System) -> Option<Problem> {
    let name = "innodb_log_write_ahead_size";
    let page = system.innodb_page();
    let bytes = system.innodb_bytes(name).filter(|found| found.value > page)?;
    let found = Found::new(size(bytes.value), bytes.at);
    Some(wrong(name, &found, &page.to_string()).with("page", size(page)))
}

fn compression(system: &System) -> Option<Problem> {
    let name = "innodb_compression_default";
    let found = system.innodb(name).filter(|found| switch(&found.value) == Some(true))?;
    let compressed =
        |db: &Database| db.dataset.get("compression").is_some_and(|p| p.value != "off");
    system
        .databases_of(DatabaseServer::Mysql)
        .iter()
        .any(compressed)
        .then(|| wrong(name, &found, "OFF"))
}

/// Settings that only one of the two servers has.
const MARIADB: [&str; 3] =
    ["innodb_compression_default", "innodb_use_atomic_writes", "aria_pagecache_buffer_size"];
const MYSQL: [&str; 4] = [
    "innodb_redo_log_capacity", "innodb_dedicated_server", "innodb_doublewrite_files",
    "innodb_doublewrite_pages",
];

fn two_servers(system: &System) -> Option<Problem> {
    let first = |names: &[&'static str]| {
        let mut strict = names.iter().filter(|name| !system.innodb_loose(name));
        strict.find_map(|name| Some((*name, system.innodb(name)?)))
    };
    let (mariadb, one) = first(&MARIADB)?;
    let (mysql, two) = first(&MYSQL)?;
    let problem = Problem::setting(&Target::Mysql, mariadb, &one)
        .with("other", mysql)
        .evidence(&two.at, format!("{mysql} = {}", two.value));
    Some(problem.run(&["mysqld", "--validate-config"]))
}
