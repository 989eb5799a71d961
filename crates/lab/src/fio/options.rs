//! The treatment of each fio option, from the table that docs/reference/fio.md is made from.

use std::collections::HashMap;
use std::sync::LazyLock;

zfs::named! {
    /// The treatment of an option.
    pub enum Treatment {
        /// It reaches fio as written.
        Passed = "passed",
        /// It is a size and is divided by S.
        Scaled = "scaled",
        /// It is replaced by Poolwright's own value.
        Replaced = "replaced",
        /// The job file is refused, and the line is named.
        Refused = "refused",
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The option's first name.
    pub name: &'static str,
    /// Its other name, or nothing.
    pub alias: &'static str,
    /// Its treatment.
    pub treatment: Treatment,
    /// How or why; may be empty where it is passed.
    pub why: &'static str,
}

const TABLE: &str = include_str!("options.txt");
/// The text above the table in docs/reference/fio.md.
const DOCUMENT: &str = include_str!("document.md");

/// I/O engines that work on the files of a mounted file system, and whether a job submits
/// asynchronously with them (so that `iodepth` counts).
pub const ENGINES: &[(&str, bool)] = &[
    ("sync", false),
    ("psync", false),
    ("vsync", false),
    ("pvsync", false),
    ("pvsync2", false),
    ("splice", false),
    ("libaio", true),
    ("io_uring", true),
    ("posixaio", true),
    ("ftruncate", false),
];

fn row(line: &'static str) -> Option<Rule> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = line.splitn(4, '|').map(str::trim);
    let (name, alias) = (fields.next()?, fields.next()?);
    let treatment = Treatment::named(fields.next()?)?;
    Some(Rule { name, alias, treatment, why: fields.next().unwrap_or("") })
}

/// Every rule, by name.
pub fn rules() -> impl Iterator<Item = Rule> {
    TABLE.lines().filter_map(row)
}

/// The rule for an option by any of its names; none when fio 3.33 has no such option.
pub fn rule(name: &str) -> Option<Rule> {
    static BY_NAME: LazyLock<HashMap<&'static str, Rule>> = LazyLock::new(|| {
        rules()
            .flat_map(|rule| [(rule.name, rule), (rule.alias, rule)])
            .filter(|(name, _)| !name.is_empty())
            .collect()
    });
    BY_NAME.get(name).copied()
}

/// docs/reference/fio.md: what becomes of a job file, and the whole table.
pub fn document() -> String {
    let engines: Vec<String> = ENGINES.iter().map(|(name, _)| format!("`{name}`")).collect();
    let mut text = DOCUMENT.replace("{engines}", &engines.join(", "));
    for rule in rules() {
        let treatment = match rule.treatment {
            Treatment::Scaled => "**scaled**",
            other => other.name(),
        };
        let alias =
            if rule.alias.is_empty() { String::new() } else { format!(", `{}`", rule.alias) };
        text.push_str(&format!("| `{}`{alias} | {treatment} | {} |\n", rule.name, rule.why));
    }
    text
}
