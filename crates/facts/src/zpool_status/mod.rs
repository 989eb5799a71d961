//! `zpool status [-v]`, as text, of OpenZFS 0.8 to 2.4, ZFS on Linux and illumos.

mod scan;
mod tree;

pub use scan::{Date, Scan, ScanKind, ScanState};
pub use tree::{Vdev, VdevKind};

use crate::{At, Parsed, Problem, last_line, nothing_found, numbered};

/// One pool of the output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pool {
    /// Its name.
    pub name: At<String>,
    /// `ONLINE`, `DEGRADED`, `FAULTED`, `SUSPENDED`, …
    pub state: Option<At<String>>,
    /// What is wrong, in ZFS's words, its lines joined.
    pub status: Option<At<String>>,
    /// Scrubs and resilvers; a pool may show one of each.
    pub scans: Vec<Scan>,
    /// Other headed lines (`remove`, `checkpoint`, `expand`, `dedup`, …): key and text.
    pub others: Vec<(String, At<String>)>,
    /// Top-level vdevs of all classes, in order.
    pub vdevs: Vec<Vdev>,
    /// What stands behind `errors:`.
    pub errors: Option<At<String>>,
}

impl Pool {
    /// Whether ZFS says that no data is known to be damaged; none when the text does not say.
    pub fn undamaged(&self) -> Option<bool> {
        let errors = self.errors.as_ref()?;
        Some(errors.value.starts_with("No known data errors"))
    }

    /// Whether all of its I/O waits. Releases whose state does not say so have it in the status text.
    pub fn is_suspended(&self) -> bool {
        let state = self.state.as_ref().is_some_and(|state| state.value == "SUSPENDED");
        let text = self.status.as_ref();
        state || text.is_some_and(|text| text.value.contains("in response to IO failures"))
    }

    /// Whether the text is of an imported pool that is ONLINE and neither scrubs nor resilvers.
    pub fn is_at_rest(&self) -> bool {
        let online = self.state.as_ref().is_some_and(|state| state.value == "ONLINE");
        let running = self.scans.iter().any(|scan| scan.state == ScanState::Running);
        // `zpool import` has no line about errors.
        online && !running && self.errors.is_some()
    }
}

/// The pools in a `zpool status` text.
pub fn parse(text: &str) -> Parsed<Vec<Pool>> {
    let mut problems = Vec::new();
    let mut pools: Vec<Pool> = Vec::new();
    let mut section: Option<(String, At<String>)> = None;
    let mut table: Vec<(u32, String)> = Vec::new();

    for (line, raw) in numbered(text) {
        if let Some((key, rest)) = heading(raw) {
            if let Some(pool) = pools.last_mut() {
                close(pool, section.take(), &mut table, &mut problems);
            }
            if key == "pool" {
                pools.push(Pool { name: At::new(rest.to_string(), line), ..Pool::default() });
            } else if pools.is_empty() {
                let what = format!(
                    "`{key}:` comes before any `pool:` line: the beginning is missing, paste all of it"
                );
                problems.push(Problem::new(line, what));
                pools.push(Pool { name: At::new(String::new(), line), ..Pool::default() });
            }
            section = Some((key.to_string(), At::new(rest.to_string(), line)));
            continue;
        }
        match &mut section {
            Some((key, _)) if key == "config" => table.push((line, raw.to_string())),
            Some((key, body)) if key == "errors" || key == "pool" => {
                // `-v` lists the damaged files behind `errors: … in the following files:`, indented.
                let listed = key == "errors" && body.value.contains("following files");
                let damaged = listed && raw.starts_with(char::is_whitespace);
                if !raw.trim().is_empty() && !damaged {
                    problems.push(Problem::quoting(line, "not part of zpool status", raw));
                }
            }
            Some((_, body)) if !raw.trim().is_empty() => {
                body.value.push(' ');
                body.value.push_str(raw.trim());
            }
            // A prompt before the output is no fact and no problem.
            None if !raw.trim().is_empty() && !raw.contains("zpool status") => {
                problems.push(Problem::quoting(line, "not part of zpool status", raw));
            }
            _ => {}
        }
    }
    let cut_in_config = matches!(&section, Some((key, _)) if key == "config");
    if let Some(pool) = pools.last_mut() {
        close(pool, section.take(), &mut table, &mut problems);
        if cut_in_config || pool.errors.is_none() {
            let what = format!(
                "the output for pool {:?} ends before its `errors:` line: paste all of it",
                pool.name.value
            );
            problems.push(Problem::new(last_line(text), what));
        }
    } else {
        problems.push(nothing_found(text, "zpool status"));
    }
    Parsed { facts: pools, problems }
}

/// `  pool: tank` → (`pool`, `tank`). Headings are right-aligned to six characters, so that a
/// device name with a colon further in is not one.
fn heading(raw: &str) -> Option<(&str, &str)> {
    const KEYS: [&str; 13] = [
        "pool", "id", "state", "status", "action", "see", "scan", "scrub", "remove", "checkpoint",
        "config", "errors", "expand",
    ];
    let (key, rest) = raw.split_once(':')?;
    let key = key.trim();
    // A damaged object is listed as `pool:<0x1>` or `tank:/file`, without a blank.
    if !(rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        return None;
    }
    // ` dedup: DDT entries …` shares its word with the class heading, which has no colon.
    (KEYS.contains(&key) || (key == "dedup" && rest.contains("DDT"))).then(|| (key, rest.trim()))
}

fn close(
    pool: &mut Pool,
    section: Option<(String, At<String>)>,
    table: &mut Vec<(u32, String)>,
    problems: &mut Vec<Problem>,
) {
    let Some((key, body)) = section else { return };
    match key.as_str() {
        "pool" | "action" | "see" => {}
        "state" => pool.state = Some(body),
        "status" => pool.status = Some(body),
        "scan" | "scrub" => pool.scans.push(scan::read(&body, problems)),
        "errors" => pool.errors = Some(body),
        "config" => {
            let rows = std::mem::take(table);
            pool.vdevs = tree::read(&rows, &pool.name.value, problems);
        }
        _ => pool.others.push((key, body)),
    }
}
