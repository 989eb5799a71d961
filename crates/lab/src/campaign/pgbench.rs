//! pgbench with a PostgreSQL server of its own.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// pgbench and its server, as on the real server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pgbench {
    /// Scale: 100,000 accounts each.
    pub scale: u32,
    /// Sessions (`-c`).
    pub clients: u32,
    /// Threads of pgbench (`-j`), at most as many as clients.
    pub threads: u32,
    /// How statements are sent (`-M`).
    pub protocol: Protocol,
    /// What the transactions are; one at least.
    pub scripts: Vec<Script>,
    /// Transactions that all clients together begin in a second (`-R`); none: each begins the next at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Share of the fillers' bytes in accounts that is random text, 0 to 1; the rest is blanks, as pgbench has it, which
    /// makes rows compress better than those of real tables. None: all of it is blanks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_filler: Option<f64>,
    /// Major version of PostgreSQL; none for the newest that is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The server's settings by their own names.
    pub settings: BTreeMap<String, String>,
    /// Where the database is.
    pub directories: Directories,
}

/// Datasets of a database, by name; `""` is the root.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Directories {
    /// The data directory.
    pub data: String,
    /// The write-ahead log; none for within the data directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wal: Option<String>,
    /// A tablespace for pgbench's tables; none for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<String>,
    /// A tablespace for their indexes; none for the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexes: Option<String>,
}

impl Directories {
    /// Each with its key in a lab.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let [wal, tables, indexes] = [&self.wal, &self.tables, &self.indexes].map(Option::as_deref);
        let stated = [
            ("data", Some(self.data.as_str())),
            ("wal", wal),
            ("tables", tables),
            ("indexes", indexes),
        ];
        stated.into_iter().filter_map(|(key, dataset)| Some((key, dataset?)))
    }
}

zfs::named! {
    /// How pgbench sends statements, by its own names.
    #[derive(Default)]
    pub enum Protocol {
        /// As text; pgbench's own default.
        #[default]
        Simple = "simple",
        /// Parsed, bound and executed each time.
        Extended = "extended",
        /// Parsed once.
        Prepared = "prepared",
    }
}

/// A transaction script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// `tpcb-like`, or the path of the file as the lab has it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// How often it is chosen, against the others.
    pub weight: u32,
}

impl Script {
    /// Whether its transactions change something.
    pub fn writes(&self) -> bool {
        let changes = ["update", "insert", "delete", "merge", "copy", "truncate"];
        let text = without_blocks(&self.text);
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('\\'));
        let statements = lines.map(|line| line.split("--").next().unwrap_or_default());
        statements
            .flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
            .any(|word| changes.iter().any(|change| word.eq_ignore_ascii_case(change)))
    }
}

/// A text without its remarks between `/*` and `*/`.
fn without_blocks(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |rest, part| match part.split_once("*/") {
        Some((_, after)) => rest + " " + after,
        None => rest,
    })
}

/// pgbench's own scripts, as `pgbench --show-script` of PostgreSQL 15 prints them, over accounts, branches and
/// tellers whose numbers do not follow from one scale.
pub const BUILTIN: [(&str, &str); 3] = [
    ("tpcb-like", include_str!("tpcb-like.sql")),
    ("simple-update", include_str!("simple-update.sql")),
    ("select-only", include_str!("select-only.sql")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_writes_by_its_statements_and_not_by_its_remarks() {
        let writes = |text: &str| {
            let script = Script { name: "s".into(), text: text.into(), weight: 1 };
            script.writes()
        };
        let builtin = BUILTIN.map(|(name, text)| (name, writes(text)));
        assert_eq!(builtin, [("tpcb-like", true), ("simple-update", true), ("select-only", false)]);
        assert!(!writes("-- update nothing\n\\set delete 1\nselect updated_at from t;\n"));
        for read in ["SELECT 1; -- no update here\n", "/* insert\nand delete */ SELECT 1;\n"] {
            assert!(!writes(read), "{read}");
        }
        assert!(writes("/* all */ DELETE FROM t; -- of them\n"));
        assert!(writes("with d as (delete from t returning 1) select * from d;"));
    }
}
