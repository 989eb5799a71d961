//! Settings for a server on a pool: one pure function a setting, named after it, with its reason
//! beside it.
//!
//! The default set holds nothing that may lose acknowledged writes. What may is added only as far
//! as [`Need::allow_loss_s`] reaches, and says what it may lose.

mod choice;
mod dataset;
mod files;
mod module;
mod mysql;
mod nfs;
mod pool;
mod postgresql;
mod raidcard;
mod samba;
pub mod udev;

pub use choice::{Choice, Loss, Need, Said, Server, Target, Workload};
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

/// What a server on a pool should be told, settings of the storage first.
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
        .chain(raidcard::settings(need))
        // What may lose acknowledged writes must be asked for, whoever proposed it.
        .filter(|choice| choice.offered || choice.loss.seconds() <= need.allow_loss_s)
        .collect()
}
