//! `postgresql.conf`: settings, one a line; the last one of a name counts.

use crate::{At, Parsed, Problem, excerpt, nothing_found, numbered, without_comment};

/// The settings of a `postgresql.conf`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Every setting that is not commented out, in order; names in lower case. What is in files that it includes is
    /// not known here.
    pub rows: Vec<Setting>,
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Parameter, in lower case.
    pub name: String,
    /// Value without quotes.
    pub value: At<String>,
}

impl Settings {
    /// The value of `name` that counts: the last one.
    pub fn get(&self, name: &str) -> Option<&At<String>> {
        let mut rows = self.rows.iter().rev();
        rows.find(|row| row.name.eq_ignore_ascii_case(name)).map(|row| &row.value)
    }

    /// Bytes of a memory setting: with its unit, or `unit` bytes where it is a bare number
    /// (8192 for `shared_buffers` and `wal_buffers`, 1024 for `work_mem`).
    pub fn bytes(&self, name: &str, unit: u64) -> Option<At<u64>> {
        self.get(name)?.read(|value| match value.parse::<u64>() {
            Ok(number) => number.checked_mul(unit),
            Err(_) => crate::units::postgresql(value),
        })
    }

    /// A switch, see [`switch`].
    pub fn switch(&self, name: &str) -> Option<At<bool>> {
        self.get(name)?.read(switch)
    }
}

/// A switch as PostgreSQL reads it: `on`, `true`, `yes`, `1`, their opposites, and prefixes of them.
pub fn switch(value: &str) -> Option<bool> {
    let word = value.to_ascii_lowercase();
    let is = |full: &str, least: usize| word.len() >= least && full.starts_with(&word);
    if is("on", 2) || is("true", 1) || is("yes", 1) || word == "1" {
        Some(true)
    } else if is("off", 2) || is("false", 1) || is("no", 1) || word == "0" {
        Some(false)
    } else {
        None
    }
}

/// The settings in a `postgresql.conf`.
pub fn parse(text: &str) -> Parsed<Settings> {
    let mut facts = Settings::default();
    let mut problems = Vec::new();
    let mut includes = false;
    for (line, raw) in numbered(text) {
        if is_table_frame(raw) {
            continue;
        }
        if let Some(row) = table_row(raw, line) {
            facts.rows.push(row);
            continue;
        }
        let (content, closed) = without_comment(raw, &['\'']);
        let content = content.trim();
        if content.is_empty() {
            continue;
        }
        if !closed {
            problems.push(Problem::quoting(line, "a quote is not closed", raw));
            continue;
        }
        let end = content
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
            .unwrap_or(content.len());
        let (name, rest) = content.split_at(end);
        let rest = rest.trim_start();
        let rest = rest.strip_prefix('=').unwrap_or(rest).trim();
        let value = unquoted(rest);
        if name.is_empty() || (rest.is_empty() && value.is_none()) {
            problems.push(Problem::quoting(line, "not `parameter = value`", raw));
            continue;
        }
        let value = At::new(value.unwrap_or_else(|| rest.to_string()), line);
        let name = name.to_ascii_lowercase();
        if matches!(name.as_str(), "include" | "include_dir" | "include_if_exists") {
            let what = format!("settings included from {:?} are not read", excerpt(&value.value));
            problems.push(Problem::new(line, what));
            includes = true;
        } else {
            facts.rows.push(Setting { name, value });
        }
    }
    if facts.rows.is_empty() && !includes && !text.contains('#') {
        problems.push(nothing_found(text, "postgresql.conf"));
    }
    Parsed { facts, problems }
}

/// A row of psql's table of `SHOW ALL` or of `pg_settings` as a setting: the second column is the value, in the unit that
/// a bare number has in `postgresql.conf`.
fn table_row(line: &str, number: u32) -> Option<Setting> {
    let (name, columns) = line.trim().split_once('|')?;
    let name = name.trim_end();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let value = columns.split('|').next().unwrap_or_default().trim();
    (!name.is_empty() && name.chars().all(plain)).then(|| Setting {
        name: name.to_ascii_lowercase(),
        value: At::new(value.to_owned(), number),
    })
}

/// The lines of such a table that are no rows: its headings, the rule below them, and the number of rows.
fn is_table_frame(line: &str) -> bool {
    let line = line.trim();
    let headings = line.split('|').map(str::trim).take(2).eq(["name", "setting"]);
    let rule = line.starts_with("--") && line.chars().all(|c| matches!(c, '-' | '+'));
    let count = line.strip_prefix('(');
    headings || rule || count.is_some_and(|rest| rest.ends_with(" rows)") || rest == "1 row)")
}

/// `'it''s'` without its quotes.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.replace("''", "'").replace("\\'", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_name_counts_and_comments_do_not() {
        let parsed = parse(
            "fsync = on\n#fsync = off\nFSYNC off  # no\nshared_buffers = 1024\nwork_mem='64MB'\n\
             archive_command = 'cp %p /a#b'\n",
        );
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        assert_eq!(parsed.facts.switch("fsync"), Some(At::new(false, 3)));
        assert_eq!(parsed.facts.bytes("shared_buffers", 8192), Some(At::new(8 << 20, 4)));
        assert_eq!(parsed.facts.bytes("work_mem", 1024), Some(At::new(64 << 20, 5)));
        assert_eq!(parsed.facts.get("archive_command").unwrap().value, "cp %p /a#b");
    }

    #[test]
    fn a_table_of_psql_is_read_as_settings() {
        let parsed = parse(
            "          name      | setting | unit\n--------------------+---------+------\n fsync              | off     |\n \
             shared_buffers     | 16384   | 8kB\n(2 rows)\n",
        );
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        assert_eq!(parsed.facts.switch("fsync"), Some(At::new(false, 3)));
        assert_eq!(parsed.facts.bytes("shared_buffers", 8192), Some(At::new(128 << 20, 4)));
        let shown = parse(
            " synchronous_commit | off | Sets the server's level.\n full_page_writes | off | x\n",
        );
        assert_eq!(shown.facts.switch("full_page_writes"), Some(At::new(false, 2)));
        assert_eq!(shown.facts.rows.len(), 2);
    }

    #[test]
    fn included_files_are_reported_as_not_read() {
        let parsed = parse("include_dir = 'conf.d'\n");
        assert!(parsed.problems[0].what.contains("are not read"));
    }
}
