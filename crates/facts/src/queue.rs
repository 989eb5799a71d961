//! `/sys/block/*/queue/*`, as `grep -H . /sys/block/*/queue/*` or `tail -n +1` prints them.

use crate::{At, Parsed, Problem, nothing_found, numbered};
use std::collections::BTreeMap;

/// The queue attributes of one block device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    /// `sda`, `nvme0n1`.
    pub device: String,
    /// Attribute → value, as the kernel prints it.
    pub attributes: BTreeMap<String, At<String>>,
}

impl Queue {
    /// An attribute as a number; none where it is negative.
    pub fn number(&self, name: &str) -> Option<At<u64>> {
        self.attributes.get(name)?.read(|value| value.parse().ok())
    }

    /// The scheduler in use, the one in brackets: `none`, `mq-deadline`, `bfq`, `kyber`.
    pub fn scheduler(&self) -> Option<At<String>> {
        self.attributes.get("scheduler")?.read(|value| match value.split_once('[') {
            Some((_, rest)) => Some(rest.split_once(']')?.0.to_string()),
            None => Some(value.trim().to_string()),
        })
    }

    /// Whether the drive rotates.
    pub fn rotational(&self) -> Option<At<bool>> {
        self.number("rotational").map(|n| n.map(|n| n != 0))
    }

    /// Whether the kernel treats the drive's cache as volatile and flushes it (`write back`).
    pub fn volatile_cache(&self) -> Option<At<bool>> {
        self.attributes.get("write_cache")?.read(|value| match value {
            "write back" => Some(true),
            "write through" => Some(false),
            _ => None,
        })
    }
}

/// The queues in the text, by device.
pub fn parse(text: &str) -> Parsed<Vec<Queue>> {
    let mut queues: BTreeMap<String, Queue> = BTreeMap::new();
    let mut problems = Vec::new();
    // Under `==> path <==` the next line is the value.
    let mut headed: Option<(String, String)> = None;
    for (line, raw) in numbered(text) {
        let content = raw.trim();
        if content.is_empty() || content.contains("grep ") || content.contains("tail -n") {
            continue;
        }
        let header = content.strip_prefix("==>").and_then(|rest| rest.strip_suffix("<=="));
        if let Some(path) = header {
            headed = place(path.trim());
            continue;
        }
        let found = match content.split_once(':') {
            Some((path, value)) if path.contains("queue/") => {
                place(path).map(|place| (place, value))
            }
            _ => headed.take().map(|place| (place, content)),
        };
        match found {
            Some(((device, attribute), value)) => {
                let queue = queues
                    .entry(device.clone())
                    .or_insert_with(|| Queue { device, attributes: BTreeMap::new() });
                let value = At::new(value.trim().to_string(), line);
                queue.attributes.insert(attribute, value);
            }
            None => problems.push(Problem::quoting(line, "no queue attribute", raw)),
        }
    }
    if queues.is_empty() {
        problems.push(nothing_found(text, "/sys/block/*/queue"));
    }
    Parsed { facts: queues.into_values().collect(), problems }
}

/// `/sys/block/sda/queue/rotational` → (`sda`, `rotational`).
fn place(path: &str) -> Option<(String, String)> {
    let (before, attribute) = path.rsplit_once("/queue/")?;
    let device = before.rsplit('/').next()?;
    (!device.is_empty() && !attribute.is_empty())
        .then(|| (device.to_string(), attribute.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_printing_sysfs_are_read() {
        let grep = "/sys/block/sda/queue/scheduler:none [mq-deadline] kyber\n\
                    /sys/block/sda/queue/write_cache:write back\n";
        let tail = "==> /sys/block/sda/queue/scheduler <==\nnone [mq-deadline] kyber\n\n\
                    ==> /sys/block/sda/queue/write_cache <==\nwrite back\n";
        for (text, line) in [(grep, 1), (tail, 2)] {
            let parsed = parse(text);
            assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
            let queue = &parsed.facts[0];
            let scheduler = queue.scheduler().unwrap();
            assert_eq!((scheduler.text(), scheduler.line), ("mq-deadline", line));
            assert!(queue.volatile_cache().unwrap().value);
        }
    }
}
