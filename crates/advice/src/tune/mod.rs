//! Settings for a server on a pool. Each is one function named after it, which holds its value, its
//! reason in both languages, its sources and its lab.
//!
//! Nothing in the default set may lose acknowledged writes, except that MariaDB up to 10.11 needs
//! `sync=always` besides where the input does not say that it is one (`innodb_data_file_write_through` in `mysql.rs`).
//! [`Need::allow_loss_s`] adds settings that may, and they say how much.

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

/// Settings for a server on a pool, those of the storage first.
pub fn tune(need: &Need) -> Vec<Choice> {
    let server = match need.server {
        Server::Postgresql => postgresql::SETTINGS,
        Server::Mysql => mysql::SETTINGS,
        Server::Nfs => nfs::SETTINGS,
        Server::Smb => samba::SETTINGS,
        Server::Generic => &[],
    };
    let storage = [dataset::SETTINGS, pool::SETTINGS, module::SETTINGS].into_iter().flatten();
    let mut choices: Vec<Choice> = storage.filter_map(|setting| setting(need)).collect();
    // Losses add up, as data waits in one buffer after the other: what one setting may lose, the next may not.
    let mut left = need.clone();
    left.allow_loss_s -= choices.iter().map(|choice| choice.loss.seconds()).sum::<f64>();
    for setting in server {
        let Some(choice) = setting(&left) else { continue };
        left.allow_loss_s -= choice.loss.seconds();
        choices.push(choice);
    }
    choices.extend(udev::schedulers(need));
    choices.extend(raid_card::settings(need));
    // Losses must be allowed, whichever setting has them.
    choices.retain(|choice| choice.offered || choice.loss.seconds() <= need.allow_loss_s);
    choices
}
