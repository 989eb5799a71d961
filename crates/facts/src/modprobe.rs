//! `/etc/modprobe.d/*.conf`: options of kernel modules.

use crate::{At, Parsed, Problem, excerpt, joined, nothing_found, numbered};
use std::iter::Peekable;

/// One option of one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleOption {
    /// The module: `zfs`, `spl`.
    pub module: String,
    /// The parameter.
    pub name: String,
    /// Its value as written; empty for a bare name, which the kernel reads as 1.
    pub value: At<String>,
}

/// The module options in a modprobe configuration, in order.
pub fn parse(text: &str) -> Parsed<Vec<ModuleOption>> {
    let mut facts = Vec::new();
    let mut problems = Vec::new();
    let mut any = false;
    let rows = numbered(text).map(|(line, row)| (line, row.trim()));
    for rows in joined(rows.filter(|(_, row)| !row.starts_with('#'))) {
        let first = rows[0].0;
        let words = |(line, row)| str::split_whitespace(row).map(move |word| (line, word));
        let words: Vec<(u32, &str)> = rows.into_iter().flat_map(words).collect();
        let Some(&(line, directive)) = words.first() else { continue };
        match directive {
            "options" => {
                any = true;
                let Some(&(_, module)) = words.get(1) else {
                    problems.push(Problem::new(line, "`options` has no module name"));
                    continue;
                };
                let mut rest = words.get(2..).unwrap_or(&[]).iter().peekable();
                while let Some(&(line, word)) = rest.next() {
                    if let Some(written) = spaced(word, &mut rest) {
                        let right = excerpt(&written);
                        let what = format!("modprobe takes no blanks around `=`: write {right:?}");
                        problems.push(Problem::new(first, what));
                        continue;
                    }
                    let (name, value) = word.split_once('=').unwrap_or((word, ""));
                    facts.push(ModuleOption {
                        module: module.to_string(),
                        name: name.to_string(),
                        value: At::new(value.trim_matches('"').to_string(), line),
                    });
                }
            }
            "alias" | "blacklist" | "install" | "remove" | "softdep" | "weakdep" => any = true,
            _ => problems.push(Problem::quoting(first, "not a directive of modprobe", directive)),
        }
    }
    if !any {
        problems.push(nothing_found(text, "modprobe.d"));
    }
    Parsed { facts, problems }
}

/// An option with blanks around its `=`, written without them; takes its words from `rest`.
fn spaced<'a>(
    word: &str,
    rest: &mut Peekable<impl Iterator<Item = &'a (u32, &'a str)>>,
) -> Option<String> {
    let mut written = word.to_string();
    if !word.contains('=')
        && let Some((_, sign)) = rest.next_if(|(_, next)| next.starts_with('='))
    {
        written.push_str(sign);
    }
    if written.ends_with('=')
        && let Some((_, value)) = rest.next_if(|(_, next)| !next.contains('='))
    {
        written.push_str(value);
    }
    (written != word || word.starts_with('=')).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_with_blanks_around_its_sign_is_a_problem_and_no_option() {
        for options in ["a=1 b = 5 c=2", "a=1 b =5 c=2", "a=1 b= 5 c=2"] {
            let parsed = parse(&format!("options zfs {options}\n"));
            let names: Vec<&str> = parsed.facts.iter().map(|row| row.name.as_str()).collect();
            assert_eq!(names, ["a", "c"], "{options}");
            assert!(parsed.problems[0].what.contains("write \"b=5\""), "{:?}", parsed.problems);
        }
        // A bare name is 1 to the kernel, and a text may be empty.
        assert!(parse("options zfs a b= c=1\n").problems.is_empty());
    }

    #[test]
    fn joined_lines_keep_each_options_own_line() {
        let parsed = parse(
            "# zfs\noptions zfs zfs_arc_max=8589934592 \\\n  zfs_txg_timeout=5\n\
             options zfs zfs_txg_timeout=0x0a\nblacklist floppy\n",
        );
        assert!(parsed.problems.is_empty());
        let rows = parsed.facts.iter().map(|row| (row.value.text(), row.value.line));
        assert_eq!(rows.collect::<Vec<_>>(), [("8589934592", 2), ("5", 3), ("0x0a", 4)]);
    }
}
