//! Settings of `smb.conf`, section by section.

use super::{Found, Place, System};
use facts::{joined, numbered};

/// A setting of `smb.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SambaRow {
    /// Its section as written: `global`, or a share.
    pub section: String,
    /// Its name, in lower case with single blanks.
    pub name: String,
    /// Its value and place.
    pub found: Found<String>,
}

/// The section that holds for every share.
pub const GLOBAL: &str = "global";

fn normal(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase()
}

/// The settings in a text. What stands before any section is global: a file that `[global]` includes has none.
pub fn samba(origin: &Place, text: &str) -> Vec<SambaRow> {
    let mut section = GLOBAL.to_string();
    let mut rows = Vec::new();
    for parts in joined(numbered(text).map(|(number, row)| (number, row.trim()))) {
        let line: String = parts.iter().map(|(_, part)| *part).collect();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = name.trim().to_string();
        } else if let Some((name, value)) =
            line.split_once('=').filter(|_| !line.starts_with(['#', ';']))
        {
            let found = Found::new(value.trim().to_string(), origin.below(parts[0].0));
            rows.push(SambaRow { section: section.clone(), name: normal(name), found });
        }
    }
    rows
}

impl System {
    /// What a section of `smb.conf` sets itself: the last row counts.
    pub fn samba_of(&self, section: &str, name: &str) -> Option<&SambaRow> {
        let own = |row: &&SambaRow| row.name == name && normal(&row.section) == normal(section);
        self.samba.iter().rfind(own)
    }

    /// The rows of a setting that count, one of each section that has it.
    pub fn samba_rows(&self, name: &str) -> Vec<&SambaRow> {
        let counts = |row: &&SambaRow| {
            let last = self.samba_of(&row.section, name);
            row.name == name && last.is_some_and(|last| std::ptr::eq(last, *row))
        };
        self.samba.iter().filter(counts).collect()
    }
}
