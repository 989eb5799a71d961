//! `my.cnf` of MySQL and MariaDB.

use crate::{At, Parsed, Problem, excerpt, nothing_found, numbered, without_comment};

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

/// The server that reads a file, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Server {
    /// Whether it is MariaDB and not MySQL.
    pub mariadb: Option<bool>,
    /// Its release series: `(8, 4)`, `(10, 11)`.
    pub series: Option<(u32, u32)>,
}

impl Server {
    /// Whether it reads a group; none for a group of one release (`mysqld-8.0`) where its own is not known.
    pub fn reads(self, group: &str) -> Option<bool> {
        let (family, suffix) = match group.split_once('-') {
            Some((family, suffix)) => (family, Some(suffix)),
            None => (group, None),
        };
        let own = match family {
            "mysqld" | "server" => true,
            "mariadb" | "mariadbd" | "galera" => self.mariadb != Some(false),
            _ => false,
        };
        match suffix.map(series) {
            None => Some(own),
            // `mariadb-client` and the like are programs, not releases.
            Some(None) => Some(false),
            Some(Some(_)) if !own => Some(false),
            Some(wanted) => self.series.map(|known| Some(known) == wanted),
        }
    }
}

/// `8.4` in numbers.
pub fn series(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What a name may begin with, and the value of the option when it does.
const PREFIXES: [(&str, &str); 3] = [("skip_", "OFF"), ("disable_", "OFF"), ("enable_", "ON")];

impl Options {
    /// The option `name` that counts for a server: the last of `name`, `skip_name`, `disable_name` and `enable_name` in
    /// a group that it reads. `possible`: groups of one release count too where the server's own is not known.
    pub fn row(&self, name: &str, server: Server, possible: bool) -> Option<&OptionRow> {
        let name = normal(name);
        let same = |written: &str| {
            let prefixed = |(prefix, _): &(&str, &str)| written.strip_prefix(prefix) == Some(&name);
            written == name || PREFIXES.iter().any(prefixed)
        };
        let read = |row: &&OptionRow| server.reads(&row.group).unwrap_or(possible);
        self.rows.iter().filter(read).rfind(|row| same(&row.name))
    }
}

impl OptionRow {
    /// The value that it gives the option `name`: a bare option is `ON`, as the server reads it.
    pub fn setting(&self, name: &str) -> At<String> {
        let prefix = PREFIXES
            .iter()
            .find(|(prefix, _)| self.name != normal(name) && self.name.starts_with(prefix));
        let bare = prefix.map_or("ON", |(_, value)| value);
        match &self.value {
            Some(value) if prefix.is_none() => value.clone(),
            _ => At::new(bare.to_string(), self.line),
        }
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
        // A comment begins with `#` anywhere outside quotes, with `;` only at the beginning.
        let content = without_comment(raw, &['\'', '"']).0.trim();
        if content.is_empty() || content.starts_with(';') {
            continue;
        }
        if let Some(include) = content.strip_prefix('!') {
            let what = format!("options included by !{} are not read", excerpt(include));
            problems.push(Problem::new(line, what));
            includes = true;
            continue;
        }
        if let Some(rest) = content.strip_prefix('[') {
            match rest.split_once(']') {
                Some((name, _)) => group = Some(name.trim().to_string()),
                None => {
                    let what = "a group name without a closing bracket";
                    problems.push(Problem::quoting(line, what, raw));
                }
            }
            continue;
        }
        let (name, value) = match content.split_once('=') {
            Some((name, value)) => (name, Some(At::new(unquoted(value.trim()), line))),
            None => (content, None),
        };
        let Some(group) = &group else {
            problems.push(Problem::quoting(line, "an option before any [group]", raw));
            continue;
        };
        if name.trim().is_empty() || name.trim().contains(char::is_whitespace) {
            problems.push(Problem::quoting(line, "not an option", raw));
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

    /// The value that counts for a server of which nothing is known.
    fn value(options: &Options, name: &str) -> Option<At<String>> {
        let row = |possible| options.row(name, Server::default(), possible);
        Some(row(false).or_else(|| row(true))?.setting(name))
    }

    #[test]
    fn dashes_underscores_skips_and_groups_are_the_servers() {
        let parsed = parse(
            "[client]\nport=1\n[mysqld]\ninnodb-buffer-pool-size = 12G # big\n\
             loose_innodb_doublewrite=0\nskip-log-bin\nsync_binlog\n[mariadb-11.4]\nsync_binlog=0\n",
        );
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let options = parsed.facts;
        let size = value(&options, "innodb_buffer_pool_size").unwrap();
        assert_eq!(size.read(crate::units::binary), Some(At::new(12 << 30, 4)));
        for (name, expected, line) in
            [("innodb_doublewrite", "0", 5), ("log_bin", "OFF", 6), ("sync_binlog", "ON", 7)]
        {
            assert_eq!(value(&options, name), Some(At::new(expected.to_string(), line)));
        }
        assert_eq!(value(&options, "port"), None);
    }

    #[test]
    fn the_last_of_an_option_and_its_opposites_counts() {
        let value = |text: &str| value(&parse(text).facts, "innodb_doublewrite").unwrap().value;
        assert_eq!(value("[mysqld]\ninnodb_doublewrite=ON\nskip-innodb-doublewrite\n"), "OFF");
        assert_eq!(value("[mysqld]\nskip-innodb-doublewrite\ninnodb_doublewrite=ON\n"), "ON");
        assert_eq!(value("[mysqld]\ninnodb_doublewrite=0\nenable-innodb-doublewrite\n"), "ON");
        assert_eq!(
            value("[mysqld]\nenable-innodb-doublewrite\ndisable_innodb_doublewrite\n"),
            "OFF"
        );
    }

    #[test]
    fn groups_of_one_release_count_for_that_release() {
        let text = "[mysqld]\nsync_binlog=1\n[mysqld-5.7]\nsync_binlog=0\n[mariadb-client]\nsync_binlog=7\n";
        let options = parse(text).facts;
        let of_series = |series| {
            let server = Server { mariadb: None, series };
            options.row("sync_binlog", server, false).unwrap().setting("sync_binlog").value
        };
        assert_eq!(
            (of_series(None), of_series(Some((5, 7))), of_series(Some((8, 0)))),
            ("1".into(), "0".into(), "1".into())
        );
        assert_eq!(value(&options, "sync_binlog").unwrap().value, "1");
        // They are all there is.
        let only = parse("[mysqld-5.7]\nsync_binlog=0\n").facts;
        assert_eq!(value(&only, "sync_binlog").unwrap().value, "0");
        assert_eq!(Server { mariadb: Some(false), series: None }.reads("mariadb"), Some(false));
    }

    #[test]
    fn an_include_is_reported_as_not_read() {
        let parsed = parse("!includedir /etc/mysql/conf.d/\n");
        assert!(parsed.problems[0].what.contains("are not read"));
    }
}
