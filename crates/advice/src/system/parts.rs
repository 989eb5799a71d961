//! Texts that one input holds.

use super::gather::Input;
use super::{Found, Place};
use facts::At;

/// A part of an input: its text begins after `skipped` lines.
pub(super) struct Part<'a> {
    /// The file that the user has: evidence points into it, not to the name inside.
    file: &'a str,
    /// The name of the part: that of the file, or the one inside it.
    pub(super) name: &'a str,
    pub(super) text: String,
    pub(super) skipped: u32,
}

impl Part<'_> {
    /// Where in the input a line of the part stands.
    pub(super) fn place(&self, line: u32) -> Place {
        Place::new(self.file, line.saturating_add(self.skipped))
    }

    /// The line before the part's first.
    pub(super) fn origin(&self) -> Place {
        self.place(0)
    }

    /// Where the part begins: the line that names it, or its first.
    pub(super) fn beginning(&self) -> Place {
        Place::new(self.file, self.skipped.max(1))
    }

    pub(super) fn found<T: Clone>(&self, at: &Option<At<T>>) -> Option<Found<T>> {
        at.as_ref().map(|at| Found::new(at.value.clone(), self.place(at.line)))
    }
}

/// A row behind which a text begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading<'a> {
    /// The name of its file: `==> name <==`, as `head` and `tail` print it, or `cat FILE` behind a shell's prompt.
    File(&'a str),
    /// Another command behind a prompt (`root@nas:~# zpool status`).
    Command,
    /// A prompt alone, behind which nothing was printed.
    Prompt,
}

/// The heading that a row is.
pub fn heading(row: &str) -> Option<Heading<'_>> {
    let row = row.trim_end();
    if let Some(name) = row.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <==")) {
        return Some(Heading::File(name));
    }
    let command = command(row)?;
    let of_root = command.strip_prefix("sudo ").unwrap_or(command).trim_start();
    Some(match of_root.strip_prefix("cat ").map(str::trim) {
        Some(file) if !file.contains(char::is_whitespace) => Heading::File(file),
        _ if command.is_empty() => Heading::Prompt,
        _ => Heading::Command,
    })
}

/// What stands behind a prompt with `user@host`, as bash, zsh and TrueNAS print it; empty for a prompt alone.
fn command(row: &str) -> Option<&str> {
    let is_end = |at: &usize| row[at + 1..].is_empty() || row[at + 1..].starts_with(' ');
    let end = row.match_indices(['#', '$', '%']).map(|(at, _)| at).find(is_end)?;
    let (user, rest) = row[..end].trim_start_matches('[').split_once('@')?;
    let host = rest.split([':', '[', ']', ' ']).next()?;
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    // Only the directory stands between the host and the sign: a row about a snapshot (`tank@daily`) has more.
    let place = rest[host.len()..].trim_end();
    let is_place = match place.strip_prefix([':', '[', ' ']) {
        Some(place) => !place.is_empty() && !place.contains(char::is_whitespace),
        None => place.is_empty() && !rest.ends_with(' '),
    };
    (is_name(user) && is_name(host) && is_place).then(|| row[end + 1..].trim())
}

pub(super) fn split(input: &Input) -> Vec<Part<'_>> {
    let file = input.name.as_str();
    let mut parts: Vec<Part> = Vec::new();
    // Editors on Windows begin a file with a byte order mark.
    let text = input.text.strip_prefix('\u{feff}').unwrap_or(&input.text);
    for (row, line) in text.lines().zip(1u32..) {
        match (heading(row), parts.last_mut()) {
            (Some(heading), _) => {
                // The format of a command's output is known by its content.
                let name = if let Heading::File(name) = heading { name } else { "" };
                parts.push(Part { file, name, text: String::new(), skipped: line });
            }
            (None, Some(part)) => {
                part.text.push_str(row);
                part.text.push('\n');
            }
            (None, None) => {
                parts.push(Part { file, name: file, text: format!("{row}\n"), skipped: 0 });
            }
        }
    }
    if parts.len() == 1 && parts[0].skipped == 0 {
        parts[0].text = text.to_owned();
    }
    parts.retain(|part| !part.text.trim().is_empty());
    for part in &mut parts {
        if part.skipped > 0 && part.name.starts_with("/sys/block/") && part.name.contains("/queue/")
        {
            // An attribute alone says nothing of its device: write it as `grep` would.
            part.text = format!("{}:{}\n", part.name, part.text.trim());
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_the_name_of_a_file_or_a_prompt() {
        use Heading::{Command, File, Prompt};
        for (row, found) in [
            ("==> /etc/modprobe.d/zfs.conf <==", Some(File("/etc/modprobe.d/zfs.conf"))),
            ("root@pve1:~# zpool status -v", Some(Command)),
            ("root@pve1:~# ", Some(Prompt)),
            ("[root@db1 ~]# cat /etc/my.cnf", Some(File("/etc/my.cnf"))),
            ("truenas_admin@truenas[~]$ sudo cat /etc/exports", Some(File("/etc/exports"))),
            ("truenas_admin@truenas[~]$ sudo zfs get all", Some(Command)),
            ("me@nas ~ % cat a b", Some(Command)),
            ("root@fbsd:~ # zpool list", Some(Command)),
            ("# zpool status", None),
            ("options zfs zfs_arc_max=1 # asked for by me@example.com", None),
            ("mail root@nas: 5$x", None),
            ("/srv @trusted(rw) # all", None),
            ("tank@weekly  org.example:note  50% full  local", None),
            ("tank@a  x:y  Fix # 12  local", None),
            ("joe@nas: 96 % full", None),
        ] {
            assert_eq!(heading(row), found, "{row}");
        }
    }
}
