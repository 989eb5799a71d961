//! Short texts: memory, release, interfaces.

use super::{Found, Link, Place};

/// Module parameters that a script sets: `echo 64 > /sys/module/zfs/parameters/NAME`.
pub fn echoed(origin: &Place, text: &str) -> Vec<(String, Found<String>)> {
    rows(origin, text)
        .filter_map(|(at, row)| {
            let (value, path) = row.trim_start().strip_prefix("echo")?.split_once('>')?;
            let name = path.trim().strip_prefix("/sys/module/zfs/parameters/")?;
            let name: String =
                name.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let value = value.trim().trim_matches(['"', '\'']).to_string();
            (!name.is_empty()).then(|| (name, Found::new(value, at)))
        })
        .collect()
}

/// `MemTotal` of `/proc/meminfo`, bytes.
pub fn memory(origin: &Place, text: &str) -> Option<Found<u64>> {
    rows(origin, text).find_map(|(at, row)| {
        let rest = row.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?;
        Some(Found::new(rest.trim().parse::<u64>().ok()?.checked_mul(1024)?, at))
    })
}

/// A version of OpenZFS: its release line, and its point release.
pub type Version = (Found<(u32, u32)>, Option<u32>);

/// The version in `zfs version` (`zfs-2.1.11-1`, `zfs-kmod-…`). The kernel module's counts where both are there.
pub fn release(origin: &Place, text: &str) -> Option<Version> {
    let mut found = None;
    for (at, row) in rows(origin, text) {
        let row = row.trim();
        let number = row.strip_prefix("zfs-kmod-").or_else(|| row.strip_prefix("zfs-"));
        let Some(number) = number else { continue };
        // A drive's name may begin like that too: `zfs-2-1`.
        let Some((major, rest)) = number.split_once('.') else { continue };
        let mut parts = rest.split(['.', '-']);
        if let (Ok(major), Some(Ok(minor))) = (major.parse(), parts.next().map(str::parse)) {
            let point = parts.next().and_then(|point| point.parse().ok());
            found = Some((Found::new((major, minor), at), point));
        }
    }
    found
}

/// Interfaces of `ip link` (`2: eth0: <…> mtu 9000 …`), loopback left out. Those of one text are of one host.
pub fn links(origin: &Place, text: &str) -> Vec<Link> {
    let host = format!("{}:{}", origin.file, origin.line);
    rows(origin, text)
        .filter_map(|(at, row)| {
            let (_, rest) = row.split_once(": ").filter(|(n, _)| n.parse::<u32>().is_ok())?;
            let (name, rest) = rest.split_once(": ")?;
            let mut words = rest.split_whitespace();
            words.find(|word| *word == "mtu")?;
            let mtu = words.next()?.parse().ok()?;
            (name != "lo").then(|| Link { name: name.to_string(), host: host.clone(), mtu, at })
        })
        .collect()
}

/// Lines with their places, below the line where the text begins.
pub fn rows<'a>(origin: &'a Place, text: &'a str) -> impl Iterator<Item = (Place, &'a str)> {
    text.lines().zip(1u32..).map(move |(row, line)| (origin.below(line), row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_module_decides_the_release() {
        let both = release(&Place::new("v", 0), "zfs-2.3.2-1~bpo12+2\nzfs-kmod-2.1.11-1+deb12u1\n")
            .unwrap();
        assert_eq!((both.0.value, both.0.at.line, both.1), ((2, 1), 2, Some(11)));
    }

    #[test]
    fn a_script_that_echoes_sets_parameters() {
        let text = "# tuning\necho 64  > /sys/module/zfs/parameters/l2arc_write_max_mb\n";
        let (name, found) = &echoed(&Place::new("s", 0), text)[0];
        assert_eq!(
            (name.as_str(), found.value.as_str(), found.at.line),
            ("l2arc_write_max_mb", "64", 2)
        );
    }

    #[test]
    fn ip_link_gives_mtus() {
        let text =
            "1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue\n2: eth0: <UP> mtu 9000 qdisc mq\n";
        let found = links(&Place::new("l", 0), text);
        assert_eq!((found.len(), found[0].mtu, found[0].at.line), (1, 9000, 2));
    }
}
