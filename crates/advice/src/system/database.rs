//! Which datasets hold a database, and the settings of its server.

use super::{Dataset, Found, System};
use zfs::write_path::IMMEDIATE_WRITE;
use zfs::{AllocationClass, WritePath};

/// A database server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DatabaseServer {
    /// PostgreSQL.
    Postgresql,
    /// MySQL or MariaDB with InnoDB.
    Mysql,
}

impl DatabaseServer {
    /// The setting of its own cache.
    pub fn cache_setting(self) -> &'static str {
        match self {
            DatabaseServer::Postgresql => "shared_buffers",
            DatabaseServer::Mysql => "innodb_buffer_pool_size",
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            DatabaseServer::Postgresql => "PostgreSQL",
            DatabaseServer::Mysql => "InnoDB",
        }
    }
}

/// A database on a dataset.
#[derive(Debug, Clone, Copy)]
pub struct Database<'a> {
    /// Where it lives.
    pub dataset: &'a Dataset,
    /// Its server.
    pub server: DatabaseServer,
    /// Bytes of a page.
    pub page: u64,
}

/// Words in a dataset's name that say what is in it.
const NAMES: [(&str, DatabaseServer); 8] = [
    ("pgdata", DatabaseServer::Postgresql),
    ("pg_data", DatabaseServer::Postgresql),
    ("pgsql", DatabaseServer::Postgresql),
    ("postgres", DatabaseServer::Postgresql),
    ("mysql", DatabaseServer::Mysql),
    ("mariadb", DatabaseServer::Mysql),
    ("innodb", DatabaseServer::Mysql),
    ("percona", DatabaseServer::Mysql),
];

/// Words in a dataset's name that say that it holds a log and not tables.
const LOGS: [&str; 5] = ["wal", "xlog", "binlog", "redo", "backup"];

impl System {
    /// Databases on datasets: by the server's data directory, else by the dataset's name. Volumes
    /// and datasets for logs are left out.
    pub fn databases(&self) -> Vec<Database<'_>> {
        self.datasets
            .iter()
            .filter(|dataset| dataset.get("volblocksize").is_none())
            .filter_map(|dataset| {
                let server = self.server_of(dataset)?;
                let page = match server {
                    DatabaseServer::Postgresql => 8192,
                    DatabaseServer::Mysql => self.innodb_page(),
                };
                Some(Database { dataset, server, page })
            })
            .collect()
    }

    pub(crate) fn databases_of(&self, server: DatabaseServer) -> Vec<Database<'_>> {
        self.databases().into_iter().filter(|database| database.server == server).collect()
    }

    pub(crate) fn database_on(&self, dataset: &Dataset) -> Option<Database<'_>> {
        let mut databases = self.databases().into_iter();
        databases.find(|database| database.dataset.name == dataset.name)
    }

    fn server_of(&self, dataset: &Dataset) -> Option<DatabaseServer> {
        let stated = self.stated_databases.iter().find(|(name, _)| *name == dataset.name);
        if let Some((_, server)) = stated {
            return Some(*server);
        }
        let clusters =
            self.data_directories().into_iter().map(|path| (DatabaseServer::Postgresql, path));
        let datadir = self.innodb("datadir").map(|found| (DatabaseServer::Mysql, found.value));
        if datadir.is_none() && self.is_default_datadir(dataset) {
            return Some(DatabaseServer::Mysql);
        }
        for (server, directory) in clusters.chain(datadir) {
            if self.holds(dataset, &directory) {
                return Some(server);
            }
        }
        let name = dataset.name.to_ascii_lowercase();
        let last = name.rsplit('/').next().unwrap_or(&name);
        // `mysql-log` is the dataset of a log, as tune names it; `catalog` or `blog` is not.
        let log =
            last.rsplit(['-', '_', '.']).next().is_some_and(|word| matches!(word, "log" | "logs"));
        if log || LOGS.iter().any(|log| last.contains(log)) {
            return None;
        }
        NAMES.iter().find(|(word, _)| last.contains(word)).map(|(_, server)| *server)
    }

    /// Whether a dataset is mounted where packages of MySQL and MariaDB keep the data, and a `my.cnf` of the server is
    /// known. That may be one file of several, of which another names the directory: a dataset above says nothing.
    fn is_default_datadir(&self, dataset: &Dataset) -> bool {
        const DIRECTORIES: [&str; 2] = ["/var/lib/mysql", "/var/db/mysql"];
        let at = |directory: &str| dataset.mounted_above(directory) == Some(directory.len());
        let mut rows = self.mysql.iter().flat_map(|(_, options)| &options.rows);
        DIRECTORIES.iter().any(|directory| at(directory))
            && rows.any(|row| self.mysql_server.reads(&row.group) != Some(false))
    }

    /// Whether a directory lies on a dataset and not on one below it.
    fn holds(&self, dataset: &Dataset, directory: &str) -> bool {
        let depth = |dataset: &Dataset| dataset.mounted_above(directory.trim_end_matches('/'));
        let own = depth(dataset);
        own.is_some() && own == self.datasets.iter().filter_map(depth).max()
    }

    /// The dataset that a directory lies on.
    pub fn holder(&self, directory: &str) -> Option<&Dataset> {
        self.datasets.iter().find(|dataset| self.holds(dataset, directory))
    }

    /// Whether databases of a server are known on ZFS, and a power cut tears a page of none. `o_direct`: as in
    /// `tears_pages`.
    pub fn keeps_pages_whole(&self, server: DatabaseServer, o_direct: bool) -> bool {
        let databases = self.databases_of(server);
        !databases.is_empty() && databases.iter().all(|db| !self.tears_pages(db, o_direct))
    }

    /// Whether a power cut can tear a page of a database on ZFS. `o_direct`: its files are opened with O_DIRECT. What
    /// is not known protects nothing. `sync=disabled` and `logbias=throughput` do not count as protection: rules of
    /// their own advise against them.
    fn tears_pages(&self, database: &Database<'_>, o_direct: bool) -> bool {
        let dataset = database.dataset;
        let property = |name: &str| dataset.get(name).map(|found| found.value.as_str());
        let number = |name: &str| self.parameter(name).map(|set| set.value);
        // From 2.4 on the intent log may go to a special vdev. Where the release is not known it may, too.
        let special = self.openzfs.as_ref().is_none_or(|release| release.value >= (2, 4));
        let classes: &[AllocationClass] = match special {
            true => &[AllocationClass::Log, AllocationClass::Special],
            false => &[AllocationClass::Log],
        };
        let path = WritePath {
            release: self.openzfs.as_ref().map(|version| version.value),
            sync: None,
            direct: property("direct"),
            logbias: None,
            record: dataset.bytes("recordsize").unwrap_or(0),
            o_direct,
            direct_io_enabled: number("zfs_dio_enabled").is_none_or(|value| value != 0),
            immediate_write: number("zfs_immediate_write_sz").unwrap_or(IMMEDIATE_WRITE),
            has_log_or_special: self
                .pool(dataset.pool())
                .is_none_or(|pool| classes.iter().any(|class| pool.has(*class))),
        };
        path.tears(database.page)
    }

    /// Memory that database servers take for their own caches: shared_buffers of each cluster, innodb_buffer_pool_size.
    pub fn database_memory(&self) -> Vec<(DatabaseServer, Found<u64>)> {
        let clusters = self.clusters();
        let buffers = clusters.iter().filter_map(|of| of.postgres_bytes("shared_buffers", 8192));
        let pool =
            self.innodb_bytes("innodb_buffer_pool_size").map(|own| (DatabaseServer::Mysql, own));
        buffers.map(|own| (DatabaseServer::Postgresql, own)).chain(pool).collect()
    }

    /// The size of a load's random writes and of the records they change, bytes, where a write is at
    /// most a quarter of a record: ZFS then reads and rewrites the whole record.
    pub(crate) fn partial_write(&self, load: &super::Load) -> Option<(u64, u64)> {
        let dataset = self.dataset(&load.dataset)?;
        let (_, record, _) = dataset.block()?;
        let block = load.block?;
        (load.writes && load.random && block > 0 && block.saturating_mul(4) <= record)
            .then_some((block, record))
    }

    /// The block size a dataset has, or would have once the rules about databases and partial
    /// writes are followed: rules about space and memory look at this, so that following one rule
    /// does not break another.
    pub fn intended_block(&self, dataset: &Dataset) -> Option<u64> {
        let (name, block, _) = dataset.block()?;
        if name == "volblocksize" {
            return Some(block);
        }
        if let Some(database) = self.database_on(dataset) {
            return Some(if database.suits(block) { block } else { database.record() });
        }
        let short = self
            .loads
            .iter()
            .filter(|load| load.dataset == dataset.name)
            .filter_map(|load| self.partial_write(load))
            .map(|(write, _)| write.next_power_of_two().max(16384))
            .max();
        Some(short.unwrap_or(block))
    }
}

impl Dataset {
    /// The length of its mount point, where a directory is that or below it. The longest of all datasets is the one that
    /// holds the directory. None of the dataset at `/`, which holds the system, too: properties for one directory
    /// do not belong there; and none with `canmount=off`, which only hands its mount point down.
    pub(super) fn mounted_above(&self, directory: &str) -> Option<usize> {
        let point = self.get("mountpoint")?.value.trim_end_matches('/');
        let holds_files = point.starts_with('/') && !self.is("canmount", "off");
        let rest = directory.strip_prefix(point).filter(|_| holds_files)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(point.len())
    }
}

/// The record size to set for a database with pages of so many bytes: 16 KiB, or a larger page.
pub fn record_for(page: u64) -> u64 {
    page.max(16384)
}

impl Database<'_> {
    /// The record size to set, bytes.
    pub fn record(&self) -> u64 {
        record_for(self.page)
    }

    /// Whether a record size suits the database's page: not smaller, and at most 32 KiB.
    pub fn suits(&self, record: u64) -> bool {
        (self.page..=32768.max(self.page)).contains(&record)
    }
}
