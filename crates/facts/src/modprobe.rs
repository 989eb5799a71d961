//! `/etc/modprobe.d/*.conf`: options of kernel modules.

use crate::{At, Parsed, Problem, excerpt, nothing_found};

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
    for (first, words) in logical_lines(text) {
        let Some(&(line, directive)) = words.first() else {
            continue;
        };
        match directive {
            "options" => {
                any = true;
                let Some(&(_, module)) = words.get(1) else {
                    problems.push(Problem::new(line, "`options` has no module name"));
                    continue;
                };
                for &(line, word) in words.get(2..).unwrap_or(&[]) {
                    let (name, value) = word.split_once('=').unwrap_or((word, ""));
                    facts.push(ModuleOption {
                        module: module.to_string(),
                        name: name.to_string(),
                        value: At::new(value.trim_matches('"').to_string(), line),
                    });
                }
            }
            "alias" | "blacklist" | "install" | "remove" | "softdep" | "weakdep" => any = true,
            _ => problems.push(Problem::new(
                first,
                format!("not a directive of modprobe: {:?}", excerpt(directive)),
            )),
        }
    }
    if !any {
        problems.push(nothing_found(text, "modprobe.d"));
    }
    Parsed { facts, problems }
}

/// Lines joined at a backslash, without comments, as words with their own line numbers.
fn logical_lines(text: &str) -> Vec<(u32, Vec<(u32, &str)>)> {
    let mut out: Vec<(u32, Vec<(u32, &str)>)> = Vec::new();
    let mut joined = false;
    for (line, raw) in crate::numbered(text) {
        let content = raw.trim();
        if content.starts_with('#') {
            continue;
        }
        let (content, next) = match content.strip_suffix('\\') {
            Some(content) => (content, true),
            None => (content, false),
        };
        let words = content.split_whitespace().map(|word| (line, word));
        match out.last_mut() {
            Some((_, open)) if joined => open.extend(words),
            _ => out.push((line, words.collect())),
        }
        joined = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_lines_keep_each_options_own_line() {
        let parsed = parse(
            "# zfs\noptions zfs zfs_arc_max=8589934592 \\\n  zfs_txg_timeout=5\n\
             options zfs zfs_txg_timeout=0x0a\nblacklist floppy\n",
        );
        assert!(parsed.complete());
        let rows = parsed.facts.iter().map(|row| (row.value.text(), row.value.line));
        assert_eq!(rows.collect::<Vec<_>>(), [("8589934592", 2), ("5", 3), ("0x0a", 4)]);
    }
}
