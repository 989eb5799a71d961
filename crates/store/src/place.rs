//! The directory of the store.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The default store: `$XDG_DATA_HOME/poolwright/store`, else `~/.local/share/poolwright/store`, else,
/// without a home, `poolwright-store` in the working directory. Not by the crate etcetera, which takes the home of
/// /etc/passwd where HOME is not set: that of `nobody` does not exist, and in a container without an entry for the
/// user it gives an error even where XDG_DATA_HOME is set.
pub fn default_path() -> PathBuf {
    path_from(env::var_os("XDG_DATA_HOME"), env::var_os("HOME"))
}

fn path_from(data: Option<OsString>, home: Option<OsString>) -> PathBuf {
    // The XDG base directory specification: a path that is not absolute is ignored.
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let data = data.and_then(absolute);
    let home = || home.and_then(absolute).map(|home| home.join(".local/share"));
    match data.or_else(home) {
        Some(base) => base.join("poolwright/store"),
        None => PathBuf::from("poolwright-store"),
    }
}

/// Whether a directory has results of an older version, which had a `journal.sqlite` per campaign: in it, or
/// up to two levels below.
pub fn is_former(directory: &Path) -> bool {
    has_journal(directory, 2)
}

fn has_journal(directory: &Path, levels: u32) -> bool {
    if directory.join("journal.sqlite").is_file() {
        return true;
    }
    if levels == 0 {
        return false;
    }
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let directories = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
    // What makes a store of this format holds many directories and no journal.
    let below = directories.filter(|e| !OWN.iter().any(|name| e.file_name() == *name));
    below.map(|e| e.path()).any(|path| has_journal(&path, levels - 1))
}

/// The directories of a store.
const OWN: [&str; 9] = [
    "trials", "states", "failed", "planned", "running", "damaged", "campaigns", "reports",
    "crash-states",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_is_below_the_data_directory_and_without_a_home_here() {
        let path = |data: Option<&str>, home: Option<&str>| {
            path_from(data.map(Into::into), home.map(Into::into))
        };
        let at = |text: &str| PathBuf::from(text);
        assert_eq!(path(Some("/d"), Some("/h")), at("/d/poolwright/store"));
        assert_eq!(path(Some("d"), Some("/h")), at("/h/.local/share/poolwright/store"));
        assert_eq!(path(None, None), at("poolwright-store"));
        assert_eq!(path(None, Some("")), at("poolwright-store"));
    }
}
