//! The labs, workloads and drive profiles that come with Poolwright.

use crate::files::{Files, normal};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The built-in labs: name and text.
pub fn labs() -> &'static [(&'static str, &'static str)] {
    LABS
}

/// The text of a built-in lab.
pub fn lab(name: &str) -> Option<&'static str> {
    find(LABS, name)
}

fn find(table: &'static [(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The files that a built-in lab refers to; their paths are relative to `labs/`.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltinFiles;

impl Files for BuiltinFiles {
    fn read(&self, path: &str) -> Result<String, String> {
        let path = normal(&format!("labs/{path}"));
        path.split_once('/')
            .and_then(|(folder, file)| match folder {
                "workloads" => find(WORKLOADS, file.strip_suffix(".fio")?),
                "profiles" => find(PROFILES, file.strip_suffix(".toml")?),
                _ => None,
            })
            .map(str::to_owned)
            .ok_or_else(|| "it does not come with Poolwright".to_owned())
    }

    fn beside(&self, _path: &str) -> Vec<String> {
        WORKLOADS.iter().map(|(name, _)| format!("../workloads/{name}.fio")).collect()
    }
}
