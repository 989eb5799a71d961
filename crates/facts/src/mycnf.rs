//! `my.cnf` of MySQL and MariaDB.

use crate::{At, Parsed, Problem, excerpt, nothing_found, numbered};

/// The options of a `my.cnf`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Every option, in order; what is in files that it includes is not known here.
    pub rows: Vec<OptionRow>,
}

/// An option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionRow {
    /// Its group: `mysqld`, `client`.
    pub group: String,
    /// Name with underscores, without `loose_`; `skip_x`, `disable_x` and `enable_x` stay as written.
    pub name: String,
    /// Whether it was written with `loose_`: a server that does not know it starts all the same.
    pub loose: bool,
    /// Value without quotes; none for a bare option.
    pub value: Option<At<String>>,
    /// The line it stands on.
    pub line: u32,
}

/// What a name begins with that servers may not know.
const LOOSE: &str = "loose_";

/// Groups that the server reads.
const SERVER: [&str; 5] = ["mysqld", "server", "mariadb", "mariadbd", "galera"];

impl Options {
    /// The server's option `name` that counts: the last one in a group it reads, version suffixes
    /// (`mysqld-8.0`, `mariadb-11.4`) included.
    pub fn server(&self, name: &str) -> Option<&OptionRow> {
        let name = normal(name);
        self.rows.iter().rev().find(|row| {
            let group = row.group.split('-').next().unwrap_or("");
            row.name == name && SERVER.contains(&group)
        })
    }

    /// Its value as text; a bare option is `ON`, as the server reads it.
    pub fn value(&self, name: &str) -> Option<At<String>> {
        if let Some(row) = self.server(name) {
            return Some(row.value.clone().unwrap_or_else(|| At::new("ON".to_string(), row.line)));
        }
        ["skip_", "disable_"].iter().find_map(|prefix| {
            let row = self.server(&format!("{prefix}{}", normal(name)))?;
            Some(At::new("OFF".to_string(), row.line))
        })
    }

    /// Its value in bytes (`K`, `M`, `G`, `T` are binary).
    pub fn bytes(&self, name: &str) -> Option<At<u64>> {
        let value = self.value(name)?;
        crate::units::binary(&value.value).map(|bytes| At::new(bytes, value.line))
    }
}

/// A switch as MySQL reads it: `1`, `ON`, `TRUE`, `YES` and their opposites.
pub fn switch(value: &str) -> Option<bool> {
    match value.to_ascii_uppercase().as_str() {
        "1" | "ON" | "TRUE" | "YES" => Some(true),
        "0" | "OFF" | "FALSE" | "NO" => Some(false),
        _ => None,
    }
}

fn normal(name: &str) -> String {
    let name = underscored(name);
    name.strip_prefix(LOOSE).unwrap_or(&name).to_string()
}

fn underscored(name: &str) -> String {
    name.trim().replace('-', "_").to_ascii_lowercase()
}

/// The options in a `my.cnf`.
pub fn parse(text: &str) -> Parsed<Options> {
    let mut facts = Options::default();
    let mut problems = Vec::new();
    let mut group: Option<String> = None;
    let mut includes = false;
    for (line, raw) in numbered(text) {
        let content = without_comment(raw).trim();
        if content.is_empty() {
            continue;
        }
        if let Some(include) = content.strip_prefix('!') {
            problems.push(Problem::new(
                line,
                format!("options included by !{} are not read", excerpt(include)),
            ));
            includes = true;
            continue;
        }
        if let Some(rest) = content.strip_prefix('[') {
            match rest.split_once(']') {
                Some((name, _)) => group = Some(name.trim().to_string()),
                None => problems.push(Problem::new(
                    line,
                    format!("a group name without a closing bracket: {:?}", excerpt(raw)),
                )),
            }
            continue;
        }
        let (name, value) = match content.split_once('=') {
            Some((name, value)) => (name, Some(At::new(unquoted(value.trim()), line))),
            None => (content, None),
        };
        let Some(group) = &group else {
            problems.push(Problem::new(
                line,
                format!("an option before any [group]: {:?}", excerpt(raw)),
            ));
            continue;
        };
        if name.trim().is_empty() || name.trim().contains(char::is_whitespace) {
            problems.push(Problem::new(line, format!("not an option: {:?}", excerpt(raw))));
            continue;
        }
        let loose = underscored(name).starts_with(LOOSE);
        facts.rows.push(OptionRow { group: group.clone(), name: normal(name), loose, value, line });
    }
    if group.is_none() && !includes {
        problems.push(nothing_found(text, "my.cnf"));
    }
    Parsed { facts, problems }
}

/// The line without its comment: `#` anywhere outside quotes, `;` at the beginning.
fn without_comment(raw: &str) -> &str {
    if raw.trim_start().starts_with(';') {
        return "";
    }
    let mut quote = None;
    for (at, c) in raw.char_indices() {
        match (quote, c) {
            (None, '#') => return &raw[..at],
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    raw
}

fn unquoted(text: &str) -> String {
    for quote in ['"', '\''] {
        let inner = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.to_string();
        }
    }
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_underscores_skips_and_groups_are_the_servers() {
        let parsed = parse(
            "[client]\nport=1\n[mysqld]\ninnodb-buffer-pool-size = 12G # big\n\
             loose_innodb_doublewrite=0\nskip-log-bin\nsync_binlog\n[mariadb-11.4]\nsync_binlog=0\n",
        );
        assert!(parsed.complete(), "{:?}", parsed.problems);
        let options = parsed.facts;
        assert_eq!(options.bytes("innodb_buffer_pool_size"), Some(At::new(12 << 30, 4)));
        for (name, value, line) in
            [("innodb_doublewrite", "0", 5), ("log_bin", "OFF", 6), ("sync_binlog", "0", 9)]
        {
            assert_eq!(options.value(name), Some(At::new(value.to_string(), line)));
        }
        assert_eq!(options.value("port"), None);
    }

    #[test]
    fn an_include_is_reported_as_not_read() {
        let parsed = parse("!includedir /etc/mysql/conf.d/\n");
        assert!(parsed.problems[0].what.contains("are not read"));
    }
}
