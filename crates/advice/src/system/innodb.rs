//! The settings of MySQL and MariaDB, and what they come to.

use super::{Found, Place, System};
use facts::mycnf::{OptionRow, Server, series};
use facts::units::switch;
use std::collections::BTreeMap;

/// Options that MariaDB has since 11.0: a server that does not know them does not start, unless they are `loose_`.
const SINCE_11: [&str; 3] = [
    "innodb_data_file_buffering", "innodb_data_file_write_through", "innodb_log_file_write_through",
];

/// Whether a group is read by MariaDB only.
fn of_mariadb(row: &OptionRow) -> bool {
    row.group.starts_with("mariadb") || row.group == "galera"
}

/// The server and series in the output of `mysqld --version` or `mariadbd --version`.
pub(super) fn version(text: &str) -> Option<Server> {
    text.lines().find_map(|row| {
        let (program, rest) = row.split_once("  Ver ")?;
        let program = program.rsplit('/').next()?;
        let number = rest.split_whitespace().next()?;
        let mut parts = number.split(['.', '-']);
        let series = series(&format!("{}.{}", parts.next()?, parts.next()?))?;
        let mariadb = program == "mariadbd" || number.contains("MariaDB");
        matches!(program, "mysqld" | "mariadbd")
            .then_some(Server { mariadb: Some(mariadb), series: Some(series) })
    })
}

impl System {
    /// The row of `my.cnf` that counts for a server, and where its file begins. Groups of one release, where the server's
    /// own is not known, count only if no other group has the option.
    fn option(&self, name: &str, server: Server) -> Option<(&Place, &OptionRow)> {
        [false, true].into_iter().find_map(|possible| {
            self.mysql
                .iter()
                .rev()
                .find_map(|(origin, options)| Some((origin, options.row(name, server, possible)?)))
        })
    }

    /// A setting of `my.cnf` as MariaDB or MySQL reads it.
    pub fn innodb_as(&self, mariadb: bool, name: &str) -> Option<Found<String>> {
        let server = Server { mariadb: Some(mariadb), ..self.mysql_server };
        let (origin, row) = self.option(name, server)?;
        let at = row.setting(name);
        Some(Found::new(at.value, origin.below(at.line)))
    }

    /// A setting of `my.cnf`.
    pub fn innodb(&self, name: &str) -> Option<Found<String>> {
        self.innodb_as(self.mysql_server.mariadb != Some(false), name)
    }

    /// Whether a setting of `my.cnf` is written with `loose_`.
    pub fn innodb_loose(&self, name: &str) -> bool {
        self.option(name, self.mysql_server).is_some_and(|(_, row)| row.loose)
    }

    /// A size of `my.cnf`, bytes.
    pub fn innodb_bytes(&self, name: &str) -> Option<Found<u64>> {
        let found = self.innodb(name)?;
        facts::units::binary(&found.value).map(|bytes| Found::new(bytes, found.at))
    }

    /// InnoDB's page, bytes; 16 KiB unless set.
    pub fn innodb_page(&self) -> u64 {
        self.innodb_bytes("innodb_page_size").map_or(16384, |found| found.value)
    }

    /// The block in which the redo log is best extended: the page, which is the maximum, but at most 16 KiB. The records
    /// below it must not be larger, or a write into a reused file first reads the record that it is a part of
    /// (MySQL reference manual, innodb_log_write_ahead_size).
    pub fn redo_block(&self) -> u64 {
        self.innodb_page().min(16384)
    }

    /// Whether a setting of `my.cnf` is a switch that is on, as MariaDB reads it.
    fn mariadb_on(&self, name: &str) -> bool {
        self.innodb_as(true, name).is_some_and(|found| switch(&found.value) == Some(true))
    }

    /// Whether `my.cnf` says that the server is MariaDB, by a group that only it reads, where nothing else says what it
    /// is.
    pub fn is_mariadb(&self) -> bool {
        let mut rows = self.mysql.iter().flat_map(|(_, options)| &options.rows);
        self.mysql_server.mariadb.unwrap_or_else(|| rows.any(of_mariadb))
    }

    /// Whether a server that is MariaDB is of 11.0 or later; none where nothing tells.
    pub fn is_mariadb_11(&self) -> Option<bool> {
        let known = |series: (u32, u32)| series >= (11, 0);
        if let Some(series) = self.mysql_server.series {
            return Some(known(series));
        }
        let server = Server { mariadb: Some(true), series: None };
        let strict = |name: &str| self.option(name, server).is_some_and(|(_, row)| !row.loose);
        if SINCE_11.iter().any(|name| strict(name)) {
            return Some(true);
        }
        let rows = self.mysql.iter().flat_map(|(_, options)| &options.rows);
        let mut named = rows
            .filter(|row| of_mariadb(row))
            .filter_map(|row| Some(known(series(row.group.split_once('-')?.1)?)));
        let first = named.next()?;
        named.all(|other| other == first).then_some(first)
    }

    /// The word of `innodb_flush_method` as MariaDB or MySQL reads it, in small letters.
    pub fn flush_method(&self, mariadb: bool) -> Option<String> {
        let name = "innodb_flush_method";
        let set = BTreeMap::from([(name.to_owned(), self.innodb_as(mariadb, name)?.value)]);
        let server = if mariadb { lab::mysql::Server::Mariadb } else { lab::mysql::Server::Mysql };
        lab::mysql::word(server, &set, name)
    }

    /// Whether MariaDB writes its pages through: they are durable when they are written.
    pub fn writes_through(&self) -> bool {
        let method = self.innodb_as(true, "innodb_flush_method").map(|found| found.value);
        let set = self.mariadb_on("innodb_data_file_write_through");
        lab::mysql::writes_pages_through(method.as_deref(), set, self.is_mariadb_11())
    }

    /// Whether InnoDB opens its data files with O_DIRECT, in each server that may read these settings.
    pub fn opens_directly(&self) -> bool {
        let servers = match self.mysql_server.mariadb {
            Some(mariadb) => vec![mariadb],
            None => vec![false, true],
        };
        // Without its flushes (`O_DIRECT_NO_FSYNC`), no page is sure to be kept whole.
        let method = |mariadb: bool| {
            let word = self.flush_method(mariadb)?;
            let buffered = mariadb
                && self.mariadb_on("innodb_data_file_buffering")
                && self.is_mariadb_11() != Some(false);
            Some(word == "o_direct" && !buffered)
        };
        let mut known = servers.into_iter().filter_map(method).peekable();
        known.peek().is_some() && known.all(|direct| direct)
    }
}
