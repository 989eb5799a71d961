//! Files of PostgreSQL's clusters, and the settings of one cluster.

use super::{Found, Place, System};
use facts::At;
use facts::postgresql::Settings;
use std::collections::BTreeSet;

/// A file with settings of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct PostgresFile {
    /// Where its text begins.
    pub origin: Place,
    /// Its path, or the name it came under.
    pub name: String,
    /// Where in the input it begins.
    pub at: Place,
    /// The number of its cluster, from 0; the clusters are told apart when all files are known.
    pub cluster: usize,
    /// Its settings.
    pub settings: Settings,
}

/// `max_wal_size` for a machine with so many bytes of memory. The PostgreSQL manual gives no size: the WAL of one
/// `checkpoint_timeout` must fit. 16GB is what the lab hk-oltp has, on a machine of 64 GiB; a smaller one gets a quarter.
pub fn max_wal_size(memory: u64) -> &'static str {
    if memory >= 64 << 30 { "16GB" } else { "4GB" }
}

impl PostgresFile {
    /// Whether it is the file that ALTER SYSTEM writes. The server reads it last, from the data directory.
    pub fn automatic(&self) -> bool {
        self.name.rsplit('/').next().is_some_and(|name| name.ends_with(".auto.conf"))
    }

    /// Whether it is the file that a server begins with.
    fn main(&self) -> bool {
        let name = self.name.rsplit('/').next().unwrap_or(&self.name);
        name.starts_with("postgresql") && !self.automatic()
    }

    /// The data directory where no file states it: that of `postgresql.conf` and `postgresql.auto.conf`. Not where packages
    /// keep settings apart from data.
    fn beside_data(&self) -> Option<&str> {
        let (directory, _) = self.name.rsplit_once('/')?;
        let apart = directory == "/etc" || directory.starts_with("/etc/");
        let is_own = self.main() || self.automatic();
        (is_own && directory.starts_with('/') && !apart).then_some(directory)
    }

    /// What the files of one cluster have in common: the directory, without that of included files.
    fn directory(&self) -> String {
        let directory = self.name.rsplit_once('/').map_or("", |(directory, _)| directory);
        let directory = directory.strip_suffix("/conf.d").unwrap_or(directory);
        // Debian has the configuration of a cluster and its data under two roots, by version and name.
        for root in ["/etc/postgresql/", "/var/lib/postgresql/"] {
            if let Some((before, cluster)) = directory.split_once(root) {
                return format!("{before}/postgresql/{cluster}");
            }
        }
        directory.to_string()
    }
}

/// Gives each file the number of its cluster and puts each `postgresql.auto.conf` behind the other files of its
/// cluster.
pub(super) fn group(files: &mut Vec<PostgresFile>) {
    let mut clusters: Vec<Vec<PostgresFile>> = Vec::new();
    for file in std::mem::take(files) {
        let same = |cluster: &&mut Vec<PostgresFile>| cluster[0].directory() == file.directory();
        match clusters.iter_mut().find(same) {
            Some(cluster) => cluster.push(file),
            None => clusters.push(vec![file]),
        }
    }
    let (mut whole, parts): (Vec<_>, Vec<_>) =
        clusters.into_iter().partition(|cluster| cluster.iter().any(PostgresFile::main));
    let mut rest = Vec::new();
    for part in parts {
        let path = part[0].name.rsplit_once('/').map_or("", |(directory, _)| directory);
        let mut owner = whole.iter().position(|cluster| {
            cluster.iter().any(|file| data_directory(file).is_some_and(|data| data == path))
        });
        if owner.is_none() && whole.len() == 1 {
            owner = Some(0);
        }
        match owner {
            Some(owner) => whole[owner].extend(part),
            None => rest.push(part),
        }
    }
    for (number, mut cluster) in whole.into_iter().chain(rest).enumerate() {
        cluster.sort_by_key(PostgresFile::automatic);
        files.extend(cluster.into_iter().map(|file| PostgresFile { cluster: number, ..file }));
    }
}

fn data_directory(file: &PostgresFile) -> Option<&str> {
    Some(file.settings.get("data_directory")?.value.trim_end_matches('/'))
}

impl System {
    /// The system as each of PostgreSQL's clusters sees it; once where there is at most one.
    pub fn clusters(&self) -> Vec<System> {
        let last = self.postgresql.iter().map(|file| file.cluster).max().unwrap_or(0);
        (0..=last).map(|cluster| System { cluster: Some(cluster), ..self.clone() }).collect()
    }

    /// The files of the cluster that is looked at, which is the last one where none was chosen.
    pub fn postgres_files(&self) -> impl DoubleEndedIterator<Item = &PostgresFile> {
        let cluster = self.cluster.or_else(|| Some(self.postgresql.last()?.cluster));
        self.postgresql.iter().filter(move |file| Some(file.cluster) == cluster)
    }

    /// Data directories of all clusters: as stated, else where the files of the cluster are.
    pub(super) fn data_directories(&self) -> Vec<String> {
        let mut stated = BTreeSet::new();
        let mut directories = Vec::new();
        for file in &self.postgresql {
            if let Some(directory) = data_directory(file) {
                stated.insert(file.cluster);
                directories.push(directory.to_owned());
            }
        }
        let unstated = self.postgresql.iter().filter(|file| !stated.contains(&file.cluster));
        directories.extend(unstated.filter_map(PostgresFile::beside_data).map(String::from));
        directories
    }

    /// The major release of the cluster, where a path of it says so: `/etc/postgresql/15/main`, `/var/lib/pgsql/16/data`.
    pub fn postgres_major(&self) -> Option<u32> {
        let of_path = |path: &str| {
            let mut words =
                path.split('/').skip_while(|word| !matches!(*word, "postgresql" | "pgsql"));
            words.nth(1)?.split('.').next()?.parse().ok()
        };
        let mut files = self.postgres_files();
        files.find_map(|file| of_path(&file.name).or_else(|| of_path(data_directory(file)?)))
    }

    /// A setting of `postgresql.conf`.
    pub fn postgres(&self, name: &str) -> Option<Found<String>> {
        self.of_last_file(|settings| settings.get(name).cloned())
    }

    /// A switch of `postgresql.conf`.
    pub fn postgres_switch(&self, name: &str) -> Option<Found<bool>> {
        self.of_last_file(|settings| settings.switch(name))
    }

    /// A memory setting of `postgresql.conf`, bytes.
    pub fn postgres_bytes(&self, name: &str, unit: u64) -> Option<Found<u64>> {
        self.of_last_file(|settings| settings.bytes(name, unit))
    }

    /// Whether ALTER SYSTEM made a setting, so that a change of `postgresql.conf` has no effect; and the value that the
    /// other files give it.
    pub fn postgres_automatic(&self, name: &str) -> Option<Option<String>> {
        let mut files = self.postgres_files().rev();
        let set = files.find(|file| file.settings.get(name).is_some())?;
        let below = || {
            let mut files = self.postgres_files().rev().filter(|file| !file.automatic());
            files.find_map(|file| Some(file.settings.get(name)?.value.clone()))
        };
        set.automatic().then(below)
    }

    /// A value of the last file that has it.
    fn of_last_file<T>(&self, get: impl Fn(&Settings) -> Option<At<T>>) -> Option<Found<T>> {
        self.postgres_files().rev().find_map(|file| {
            let At { value, line } = get(&file.settings)?;
            Some(Found::new(value, file.origin.below(line)))
        })
    }
}
