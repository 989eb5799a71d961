//! What the settings of all database servers have in common: names that a lab may not state, and switches.

use crate::diagnostic::did_you_mean_or;
use zfs::property::Refused;

/// Refuses a setting that a trial has to decide itself; `own` has lines of such a name, a tab and the reason.
///
/// # Errors
/// The reason.
pub(crate) fn check_own(name: &str, own: &str) -> Result<(), Refused> {
    match own.lines().filter_map(|line| line.split_once('\t')).find(|(own, _)| *own == name) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_list_names_a_setting_and_the_reason() {
        for (list, count) in
            [(include_str!("mysql/own.tsv"), 36), (include_str!("postgresql/own.tsv"), 14)]
        {
            let lines = || list.lines().filter(|line| !line.starts_with('#'));
            let refused = |line: &&str| {
                let (name, why) = line.split_once('\t').unwrap_or_default();
                let fix = check_own(name, list).map_err(|refused| refused.fix);
                !why.is_empty() && fix == Err(format!("remove it: {why}"))
            };
            assert_eq!((lines().count(), lines().filter(refused).count()), (count, count));
        }
    }
}
