//! NFS exports: lines of `/etc/exports`, and the property sharenfs.

use super::Place;
use facts::{Problem, joined, numbered, without_comment};

/// A line of `/etc/exports`, continued lines joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// What is exported, as it is written there: with its quotes.
    pub path: String,
    /// The clients with their options, without a comment.
    pub clients: String,
    /// Where the line begins.
    pub at: Place,
}

/// The lines without their comments, each with the number of its first row.
fn lines(text: &str) -> Vec<(u32, String)> {
    let rows = numbered(text).map(|(number, row)| (number, without_comment(row, &['"']).0.trim()));
    let line = |rows: Vec<(u32, &str)>| {
        let parts: Vec<&str> = rows.iter().map(|(_, row)| row.trim_end()).collect();
        (rows[0].0, parts.join(" ").trim().to_string())
    };
    joined(rows).into_iter().map(line).filter(|(_, line)| !line.is_empty()).collect()
}

/// The path of a line, and the rest.
fn parted(text: &str) -> Option<(&str, &str)> {
    if let Some(inner) = text.strip_prefix('"') {
        let (path, rest) = text.split_at(inner.find('"')? + 2);
        return Some((path, rest.trim_start())).filter(|(path, _)| path.starts_with("\"/"));
    }
    let (path, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    path.starts_with('/').then_some((path, rest.trim_start()))
}

/// Whether the clients are written as exports(5) has it: brackets closed, no blank in them.
fn well_formed(clients: &str) -> bool {
    clients.split_whitespace().all(|client| match client.split_once('(') {
        Some((_, options)) => {
            options.ends_with(')') && !options[..options.len() - 1].contains(['(', ')'])
        }
        None => !client.contains(')'),
    })
}

/// The exports in a text, and the lines that are none.
pub fn exports(origin: &Place, text: &str) -> (Vec<Export>, Vec<Problem>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for (number, line) in lines(text) {
        match parted(&line).filter(|(_, clients)| well_formed(clients)) {
            Some((path, clients)) => found.push(Export {
                path: path.to_string(),
                clients: clients.to_string(),
                at: origin.below(number),
            }),
            None => {
                let row: String = line.chars().take(80).collect();
                let what = format!("not an export (path, then CLIENT(OPTIONS)): {row:?}");
                problems.push(Problem { line: number, what });
            }
        }
    }
    (found, problems)
}

/// The clients that a line exports to, with their options: those after `-` hold for the clients behind them, and a
/// client's own come after them.
fn options(clients: &str) -> Vec<Vec<&str>> {
    let mut defaults: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for word in clients.split_whitespace() {
        if let Some(list) = word.strip_prefix('-') {
            defaults = list.split(',').collect();
            continue;
        }
        let own = word.split_once('(').map_or("", |(_, list)| list.trim_end_matches(')'));
        all.push(defaults.iter().copied().chain(own.split(',')).map(str::trim).collect());
    }
    all
}

/// Whether options acknowledge before data is stable: the last of sync and async counts.
fn asynchronous(options: &[&str]) -> bool {
    let mut options = options.iter().rev();
    options.find(|option| ["sync", "async"].contains(*option)) == Some(&"async")
}

impl Export {
    /// Whether any client has the option async.
    pub fn asynchronous(&self) -> bool {
        options(&self.clients).iter().any(|options| asynchronous(options))
    }

    /// The clients with sync in the place of async, and all else as it is.
    pub fn synchronous(&self) -> String {
        self.clients.split_whitespace().map(synchronous).collect::<Vec<_>>().join(" ")
    }
}

/// Options with sync in the place of async: those of a client, or the value of sharenfs.
pub fn synchronous(options: &str) -> String {
    let mut text = String::new();
    let mut rest = options;
    while let Some(at) = rest.find("async") {
        let (before, found) = rest.split_at(at);
        let after = &found["async".len()..];
        let begins = (text.is_empty() && before.is_empty()) || before.ends_with(['(', ',', '-']);
        let ends = after.is_empty() || after.starts_with([',', ')']);
        text.push_str(before);
        text.push_str(if begins && ends { "sync" } else { "async" });
        rest = after;
    }
    text + rest
}

/// Whether the value of sharenfs has the option async.
pub fn shares_asynchronously(value: &str) -> bool {
    asynchronous(&value.split(',').map(str::trim).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_quoted_continued_and_have_comments_and_defaults() {
        let text = "/tank/a  10.0.0.0/24(rw,async,no_root_squash)   # build farm\n\
                    \"/tank/b c\"  10.0.0.0/24(rw,async)\n\
                    /tank/d \\\n    10.0.0.0/24(rw,async,sec=krb5p) \\\n    10.0.1.0/24(ro)\n\
                    /tank/e -async,no_subtree_check host1 host2(sync)\n\
                    /tank/f -async host(sync)\n/tank/async host(sync)\n/tank/g\nnonsense (rw)\n/tank/h host(rw\n";
        let (found, problems) = exports(&Place::new("e", 0), text);
        let wrong: Vec<(u32, String)> = found
            .iter()
            .filter(|export| export.asynchronous())
            .map(|export| (export.at.line, format!("{} {}", export.path, export.synchronous())))
            .collect();
        let expected = [
            (1, "/tank/a 10.0.0.0/24(rw,sync,no_root_squash)"),
            (2, "\"/tank/b c\" 10.0.0.0/24(rw,sync)"),
            (3, "/tank/d 10.0.0.0/24(rw,sync,sec=krb5p) 10.0.1.0/24(ro)"),
            (6, "/tank/e -sync,no_subtree_check host1 host2(sync)"),
        ];
        assert_eq!(wrong, expected.map(|(line, text)| (line, text.to_string())));
        let lines: Vec<u32> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [10, 11]);
    }

    #[test]
    fn sharenfs_is_edited_in_place() {
        assert!(shares_asynchronously("rw=@10.0.0.0/24,async"));
        assert!(!shares_asynchronously("on"));
        assert_eq!(
            synchronous("async,rw=@async.example,noasync"),
            "sync,rw=@async.example,noasync"
        );
    }
}
