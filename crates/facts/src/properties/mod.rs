//! `zpool get all` and `zfs get all`, as a table or with `-H` and `-p`.

mod owner;

pub use owner::Owner;

use crate::{At, Parsed, Problem, nothing_found, numbered};

/// One property of one pool or dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The pool, dataset or snapshot.
    pub target: String,
    /// Which of them it is.
    pub owner: Owner,
    /// The vdev of the pool that has it. Of vdevs only `ashift` is read.
    pub vdev: Option<String>,
    /// ZFS's name of the property.
    pub name: String,
    /// Its value as printed.
    pub value: At<String>,
    /// Where it comes from.
    pub source: Source,
}

/// Where the value of a property comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Set on the target itself, or received.
    Local,
    /// The default, an ancestor, an option of this mount, or no setting at all: a statistic.
    Elsewhere,
    /// Not in the text: the column was left out or cut.
    Unstated,
}

/// Where the columns of a table begin, in characters.
struct Columns {
    property: usize,
    value: usize,
    source: Option<usize>,
}

/// The properties in the output of `zpool get` or `zfs get`, in order.
pub fn parse(text: &str) -> Parsed<Vec<Property>> {
    let mut facts = Vec::new();
    let mut problems = Vec::new();
    let mut columns: Option<Columns> = None;
    // The first row of each table: one text may hold the tables of both programs.
    let mut tables = vec![0];
    for (line, raw) in numbered(text) {
        if raw.trim().is_empty() {
            continue;
        }
        if let Some(found) = header(raw) {
            columns = Some(found);
            tables.push(facts.len());
            continue;
        }
        if ["zpool get", "zfs get"].iter().any(|call| raw.contains(call)) {
            tables.push(facts.len());
            continue;
        }
        let row = if raw.contains('\t') {
            tabbed(raw, line)
        } else if let Some(columns) = &columns {
            in_columns(raw, line, columns).or_else(|| in_words(raw, line))
        } else {
            in_words(raw, line)
        };
        match row {
            Some(row) => facts.push(row),
            None => problems.push(Problem::quoting(line, "not a row of zpool get or zfs get", raw)),
        }
    }
    // Only the last row may have been cut; a text without the column lacks it everywhere.
    let mut from_unstated = facts.iter().skip_while(|row| row.source != Source::Unstated);
    if facts.is_empty() {
        problems.push(nothing_found(text, "zpool get or zfs get"));
    } else if let (Some(row), None) = (from_unstated.next(), from_unstated.next()) {
        problems.push(Problem::new(
            row.value.line,
            "the last row has no source: the text is incomplete, paste all of it",
        ));
    }
    tables.push(facts.len());
    problems.extend(owner::decide(&mut facts, &tables));
    Parsed { facts, problems }
}

/// `NAME  PROPERTY  VALUE  SOURCE`.
fn header(raw: &str) -> Option<Columns> {
    let words: Vec<&str> = raw.split_whitespace().collect();
    if !matches!(
        words.as_slice(),
        ["NAME", "PROPERTY", "VALUE"]
            | ["NAME", "PROPERTY", "VALUE", "SOURCE"]
            | ["NAME", "PROPERTY", "VALUE", "RECEIVED", "SOURCE"]
    ) {
        return None;
    }
    // The header is ASCII, so byte and character positions are the same.
    let received = raw.find("RECEIVED");
    Some(Columns {
        property: raw.find("PROPERTY")?,
        value: raw.find("VALUE")?,
        source: received.or_else(|| raw.find("SOURCE")),
    })
}

fn property(target: &str, name: &str, value: &str, source: Source, line: u32) -> Option<Property> {
    let plausible = !target.is_empty()
        && !name.is_empty()
        && !name.contains(char::is_whitespace)
        && name.starts_with(|c: char| c.is_ascii_lowercase());
    plausible.then(|| Property {
        target: target.to_string(),
        owner: Owner::Dataset,
        vdev: None,
        name: name.to_string(),
        value: At::new(value.to_string(), line),
        source,
    })
}

fn tabbed(raw: &str, line: u32) -> Option<Property> {
    let fields: Vec<&str> = raw.split('\t').map(str::trim).collect();
    match fields.as_slice() {
        [target, name, value] => property(target, name, value, Source::Unstated, line),
        [target, name, value, .., word] => property(target, name, value, source(word), line),
        _ => None,
    }
}

fn in_columns(raw: &str, line: u32, columns: &Columns) -> Option<Property> {
    let chars: Vec<char> = raw.chars().collect();
    let cut = |from: usize, to: usize| chars.iter().take(to).skip(from).collect::<String>();
    // A column starts after a blank; where it does not, the table is not aligned.
    let aligned = |at: usize| at == 0 || chars.get(at - 1).is_none_or(|c| c.is_whitespace());
    let end = columns.source.unwrap_or(usize::MAX);
    if ![columns.property, columns.value, end].into_iter().all(aligned) {
        return None;
    }
    property(
        cut(0, columns.property).trim(),
        cut(columns.property, columns.value).trim(),
        cut(columns.value, end).trim(),
        source(cut(end, usize::MAX).trim()),
        line,
    )
}

/// Rows whose blanks were collapsed: target, property, value of one or more words, source.
fn in_words(raw: &str, line: u32) -> Option<Property> {
    let words: Vec<&str> = raw.split_whitespace().collect();
    let [target, name, rest @ ..] = words.as_slice() else { return None };
    let inherited = rest.windows(3).position(|w| w[0] == "inherited" && w[1] == "from");
    let (value, source) = match (inherited, rest) {
        (_, []) => return None,
        (Some(at), _) if at > 0 => (&rest[..at], source(&rest[at..].join(" "))),
        (_, [value @ .., last]) if !value.is_empty() && is_source(last) => (value, source(last)),
        _ => (rest, Source::Unstated),
    };
    property(target, name, &value.join(" "), source, line)
}

/// Whether the text is what ZFS prints in the SOURCE column.
pub(crate) fn is_source(text: &str) -> bool {
    matches!(text, "local" | "default" | "received" | "temporary" | "-" | "none")
        || text.starts_with("inherited from ")
}

fn source(text: &str) -> Source {
    // `zfs get all` with the RECEIVED column has it before the source.
    let text = text.split("  ").last().unwrap_or(text).trim();
    match text {
        "local" | "received" => Source::Local,
        _ if is_source(text) => Source::Elsewhere,
        _ => Source::Unstated,
    }
}
