//! The server's own counters over the measured run, and its settings as it ran them.

use crate::workload::database;
use lab::mysql::{self, Server};
use measurement::{Counter, Counters};
use std::collections::BTreeMap;
use std::path::Path;

/// The counter; its name in `SHOW GLOBAL STATUS`.
const COUNTERS: [(Counter, &str); 9] = [
    (Counter::MysqlCommits, "Com_commit"),
    (Counter::MysqlBufferRequests, "Innodb_buffer_pool_read_requests"),
    (Counter::MysqlBufferReads, "Innodb_buffer_pool_reads"),
    (Counter::MysqlRedoBytes, "Innodb_os_log_written"),
    (Counter::MysqlFlushes, "Innodb_data_fsyncs"),
    (Counter::MysqlBinlogGroups, "Binlog_group_commits"),
    (Counter::MysqlPagesWritten, "Innodb_pages_written"),
    (Counter::MysqlPagesDoubled, "Innodb_dblwr_pages_written"),
    (Counter::MysqlRowLockWaits, "Innodb_row_lock_waits"),
];

/// Names and values, separated by a tab.
fn table(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.split_once('\t')).collect()
}

/// Their values in a file; none where it does not hold them.
pub fn values(text: &str) -> Option<Counters> {
    let table = table(text);
    let known = |name: &str| table.get(name)?.parse::<f64>().ok();
    let found: Counters = COUNTERS
        .iter()
        .filter_map(|(counter, name)| Some((counter.clone(), known(name)?)))
        .collect();
    found.get(&Counter::MysqlRedoBytes).is_some().then_some(found)
}

/// Settings that the server does not run as it was asked to, one note each.
pub fn changed(server: Server, raw: &Path, asked: &BTreeMap<String, String>) -> Vec<String> {
    let text = database::text(raw, "settings.tsv");
    let runs = table(&text);
    let changed = asked.iter().filter_map(|(name, asked)| {
        let runs = runs.get(name.as_str())?;
        let setting = mysql::lookup(server, name, None).ok().flatten();
        let same = match setting {
            Some(setting) => setting.same(asked, runs),
            None => asked.eq_ignore_ascii_case(runs),
        };
        (!same).then(|| format!("the server uses {name} = {runs} instead of the lab’s {asked}"))
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn counters_are_read_by_name_and_a_client_s_error_is_none() {
        let text =
            "Com_commit\t421\nInnodb_os_log_written\t4096\nBinlog_snapshot_file\tbinlog.000001\n";
        let found = values(text).unwrap();
        assert_eq!(found.count(&Counter::MysqlCommits), 421.0);
        assert_eq!(found.get(&Counter::MysqlBinlogGroups), None);
        assert!(values("ERROR 2002 (HY000): Can't connect").is_none());
    }

    #[test]
    fn a_setting_that_the_server_changed_is_told() {
        let raw = tempfile::tempdir().unwrap();
        let text = "innodb_log_write_ahead_size\t4096\ninnodb_doublewrite\tOFF\ninnodb_buffer_pool_size\t67108864\n";
        fs::write(raw.path().join("settings.tsv"), text).unwrap();
        let asked = [
            ("innodb_log_write_ahead_size", "16384"),
            ("innodb_doublewrite", "0"),
            ("innodb_buffer_pool_size", "64M"),
            ("skip_slave_start", "on"),
        ];
        let asked = asked.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(
            changed(Server::Mariadb, raw.path(), &asked),
            ["the server uses innodb_log_write_ahead_size = 4096 instead of the lab’s 16384"]
        );
    }
}
