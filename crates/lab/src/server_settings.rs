//! What the settings of all database servers have in common: names that a lab may not state, and switches.

use crate::diagnostic::did_you_mean_or;
use zfs::property::Refused;

/// Refuses a setting that a trial sets itself; `own` has their names with the reasons.
///
/// # Errors
/// The reason.
pub(crate) fn check_own(name: &str, own: &[(&str, &str)]) -> Result<(), Refused> {
    match own.iter().find(|(own, _)| *own == name) {
        None => Ok(()),
        Some((_, why)) => {
            let message = format!("a lab cannot set `{name}`");
            Err(Refused::new(message, format!("remove it: {why}")))
        }
    }
}

/// Refuses a name that `server` (`PostgreSQL 15`) does not have: with the nearest one that it has, or with `list`,
/// which says where the names are found.
pub(crate) fn unknown(server: &str, name: &str, known: &[&str], list: &str) -> Refused {
    let fix = did_you_mean_or(name, known.iter().copied(), list);
    Refused::new(format!("{server} has no setting `{name}`"), fix)
}

/// A switch in the words that a lab may state it in, of any server. PostgreSQL itself also takes prefixes of them.
pub(crate) fn switch(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(true),
        "off" | "false" | "no" | "0" => Some(false),
        _ => None,
    }
}
