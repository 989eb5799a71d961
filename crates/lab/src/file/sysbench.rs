//! `[workloads.X.sysbench]` with its server's `mariadb` or `mysql` and `directories`.

use super::section::{Entry, Section};
use super::server;
use super::workloads::WorkloadInputs;
use crate::campaign::{MysqlDirectories, OptionKind, SYSBENCH_OPTIONS, SYSBENCH_SCRIPTS, Sysbench};
use crate::mysql::Server;
use toml::de::DeValue;

/// Most sessions: beyond, the server's threads alone fill a machine.
const MOST_THREADS: i64 = 2000;
/// Most tables: sysbench prepares each statement for each table in each session.
const MOST_TABLES: i64 = 1000;
/// Most rows of a table: an id is an INTEGER.
const MOST_ROWS: i64 = 2_147_000_000;

pub(super) fn read(
    entry: &Entry<'_>,
    table: &mut Section<'_>,
    known: &WorkloadInputs<'_>,
) -> Option<Sysbench> {
    let (server, stated) = server_of(table);
    let directories = table.take("directories");
    let mut client = entry.table("sysbench")?;
    let mut sysbench = Sysbench {
        version: client.take("version").and_then(|entry| version(&entry, server)),
        server,
        ..Sysbench::default()
    };
    let mut count = |key, most, example| server::count(&mut client, entry, key, most, example);
    let tables = count("tables", MOST_TABLES, "tables = 8");
    let table_size = count("table_size", MOST_ROWS, "table_size = 10000000");
    let threads = count("threads", MOST_THREADS, "threads = 64");
    sysbench.rate = client.number("rate", 1.0, 1e7, "transactions a second");
    let script = client.choice("script", &SYSBENCH_SCRIPTS, |script| script.name);
    sysbench.script = script.unwrap_or(SYSBENCH_SCRIPTS[0]).name.to_owned();
    for (name, kind) in &SYSBENCH_OPTIONS {
        if let Some(entry) = client.take(name)
            && let Some(value) = option(&entry, kind)
        {
            sysbench.options.insert((*name).to_owned(), value);
        }
    }
    client.finish();
    if let Some(stated) = &stated {
        sysbench.settings = server::of_mysql(stated, server, sysbench.version);
    }
    if let Some(entry) = directories
        && let Some(mut table) = entry.table("directories")
    {
        let mut dataset = |key| server::dataset(&mut table, key, known);
        sysbench.directories = MysqlDirectories {
            data: dataset("data").unwrap_or_default(),
            redo: dataset("redo"),
            binlog: dataset("binlog"),
        };
        table.finish();
        check_binlog(&entry, &sysbench);
    }
    server::check_runtime(entry, known);
    sysbench.tables = u32::try_from(tables?).ok()?;
    sysbench.table_size = table_size?;
    sysbench.threads = u32::try_from(threads?).ok()?;
    Some(sysbench)
}

fn option(entry: &Entry<'_>, kind: &OptionKind) -> Option<String> {
    match kind {
        OptionKind::Count(least, most) => {
            let count: i64 = entry.integer(*least, *most, "a whole number")?;
            Some(count.to_string())
        }
        OptionKind::Number(least, most) => {
            let number = entry.number(*least, *most, "a number")?;
            Some(number.to_string())
        }
        OptionKind::Switch => Some(if entry.boolean()? { "on" } else { "off" }.to_owned()),
        OptionKind::Words(words) => entry.choice(words, |word| word).map(str::to_owned),
    }
}

/// The server and its settings: of MariaDB where the lab names neither.
fn server_of<'a>(table: &mut Section<'a>) -> (Server, Option<Entry<'a>>) {
    let [mariadb, mysql] = Server::ALL.map(|server| table.take(server.section()));
    if let (Some(_), Some(mysql)) = (&mariadb, &mysql) {
        mysql.error_at_key(
            "`mariadb` and `mysql` in one workload",
            "keep the section of the server that it works on",
        );
    }
    match (mariadb, mysql) {
        (None, Some(mysql)) => (Server::Mysql, Some(mysql)),
        (mariadb, _) => (Server::Mariadb, mariadb),
    }
}

/// `"10.11"`, as major × 100 + minor.
fn version(entry: &Entry<'_>, server: Server) -> Option<u32> {
    const FIX: &str =
        "write major and minor version in quotes, such as \"10.11\" of MariaDB or \"8.4\" of MySQL";
    if !matches!(entry.value(), DeValue::String(_)) {
        return entry.refuse("`version` must be a string", FIX);
    }
    let stated = entry.string(FIX)?;
    let parts = stated.value.split_once('.');
    let version = parts.and_then(|(major, minor)| {
        let (major, minor) = (major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?);
        ((5..100).contains(&major) && minor < 100).then_some(100 * major + minor)
    });
    if version.is_none() {
        let message =
            format!("`{}` is not a version of {}", stated.value.escape_debug(), server.name());
        entry.error(message, FIX);
    }
    version
}

/// A place for a binary log that there is not.
fn check_binlog(entry: &Entry<'_>, sysbench: &Sysbench) {
    if sysbench.directories.binlog.is_some() && !sysbench.logs_binary() {
        entry.cx.note(
            entry.key_span(),
            "`directories.binlog` is set, but the server writes no binary log: set `log_bin = true` in its settings",
        );
    }
}
