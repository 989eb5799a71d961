//! NFS, SMB and the network.

use super::{Change, Finding, Id, Severity};
use crate::system::System;

/// Exports that acknowledge before the data is stable.
pub fn nfs_async(system: &System) -> Vec<Finding> {
    system
        .exports
        .iter()
        .filter(|line| {
            line.value
                .split(['(', ')', ','])
                .any(|option| option.trim() == "async")
        })
        .map(|line| {
            let path = line.value.split_whitespace().next().unwrap_or("");
            Finding::new(Id::NfsAsync, Severity::Error, path)
                .because(&line.at, line.value.clone())
                .run(&[
                    "exportfs",
                    "-o",
                    "rw,sync,no_subtree_check",
                    &format!("CLIENT:{path}"),
                ])
        })
        .collect()
}

fn samba(
    system: &System,
    id: Id,
    severity: Severity,
    name: &str,
    wrong: &[&str],
    right: &str,
) -> Vec<Finding> {
    system
        .samba
        .get(name)
        .filter(|found| wrong.contains(&found.value.to_ascii_lowercase().as_str()))
        .map(|found| {
            Finding::new(id, severity, name)
                .because(&found.at, format!("{name} = {}", found.value))
                .change(Change::Samba {
                    name: name.to_string(),
                    value: right.to_string(),
                })
        })
        .into_iter()
        .collect()
}

/// Samba that ignores a client's request to flush.
pub fn strict_sync(system: &System) -> Vec<Finding> {
    samba(
        system,
        Id::SmbStrictSync,
        Severity::Warning,
        "strict sync",
        &["no", "false", "0"],
        "yes",
    )
}

/// Samba that flushes after every write.
pub fn sync_always(system: &System) -> Vec<Finding> {
    samba(
        system,
        Id::SmbSyncAlways,
        Severity::Note,
        "sync always",
        &["yes", "true", "1"],
        "no",
    )
}

/// Interfaces that carry large frames on one host and not on another.
pub fn mtu(system: &System) -> Vec<Finding> {
    // Every host has interfaces of other MTUs (bridges, VPNs): its largest is the storage network's.
    let mut largest: Vec<&crate::system::Link> = Vec::new();
    for link in system.links.iter().filter(|link| link.mtu >= 1280) {
        match largest.iter_mut().find(|known| known.host == link.host) {
            Some(known) if known.mtu < link.mtu => *known = link,
            Some(_) => {}
            None => largest.push(link),
        }
    }
    let mut links = largest.into_iter();
    let Some(first) = links.next() else {
        return Vec::new();
    };
    let Some(other) = links.find(|link| link.mtu != first.mtu) else {
        return Vec::new();
    };
    let (small, large) = if first.mtu < other.mtu {
        (first, other)
    } else {
        (other, first)
    };
    vec![
        Finding::new(Id::MtuMismatch, Severity::Warning, &small.name)
            .with("small", small.mtu)
            .with("large", large.mtu)
            .with("other", &large.name)
            .because(&small.at, format!("{} mtu {}", small.name, small.mtu))
            .because(&large.at, format!("{} mtu {}", large.name, large.mtu))
            .run(&[
                "ip",
                "link",
                "set",
                "dev",
                &small.name,
                "mtu",
                &large.mtu.to_string(),
            ]),
    ]
}
