//! Settings for a server on a pool. Each is one function named after it, which holds its value, its
//! reason in both languages, its sources and its lab.
//!
//! Nothing in the default set may lose acknowledged writes. [`Need::allow_loss_s`] adds settings
//! that may, and they say how much.

mod choice;
mod dataset;
mod files;
mod module;
mod mysql;
mod nfs;
mod pool;
mod postgresql;
mod raid_card;
mod samba;
mod udev;

pub use choice::{Choice, Loss, Need, Sentence, Server, Workload};
pub use files::{Difference, File, differences, files};

/// A setting: none where it does not apply.
type Setting = fn(&Need) -> Option<Choice>;

/// Settings of datasets, pool and module, for every server.
const STORAGE: &[Setting] = &[
    dataset::recordsize,
    dataset::compression,
    dataset::atime,
    dataset::xattr,
    dataset::acltype,
    dataset::dnodesize,
    dataset::logbias,
    dataset::primarycache,
    dataset::sync,
    dataset::special_small_blocks,
    dataset::log_recordsize,
    dataset::log_compression,
    dataset::log_atime,
    pool::ashift,
    pool::autotrim,
    module::zfs_arc_max,
    module::l2arc_write_max,
];

/// Settings for a server on a pool, those of the storage first.
pub fn tune(need: &Need) -> Vec<Choice> {
    let server: &[Setting] = match need.server {
        Server::Postgresql => postgresql::SETTINGS,
        Server::Mysql => mysql::SETTINGS,
        Server::Nfs => nfs::SETTINGS,
        Server::Smb => samba::SETTINGS,
        Server::Generic => &[],
    };
    STORAGE
        .iter()
        .chain(server)
        .filter_map(|setting| setting(need))
        .chain(udev::schedulers(need))
        .chain(raid_card::settings(need))
        // Losses must be allowed, whichever setting has them.
        .filter(|choice| choice.offered || choice.loss.seconds() <= need.allow_loss_s)
        .collect()
}
