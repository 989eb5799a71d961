//! Small texts beside the large ones: kernel counters, memory, interfaces, exports, Samba.

use super::{Found, Link, Place};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was counted over a window on a live machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Counters {
    /// Length of the window, seconds.
    pub seconds: f64,
    /// `zil_commit` calls: requests for stable storage.
    pub commits: Option<u64>,
    /// Bytes written to the intent log.
    pub zil_bytes: Option<u64>,
    /// Bytes of them on log vdevs.
    pub slog_bytes: Option<u64>,
    /// Latency of synchronous writes at the drives, ns: mean.
    pub sync_write_mean_ns: Option<u64>,
    /// ARC hits and misses by demand reads.
    pub demand_hits: Option<u64>,
    /// See `demand_hits`.
    pub demand_misses: Option<u64>,
    /// Hits on the ghost lists: what a larger cache would have held.
    pub ghost_hits: Option<u64>,
    /// L2ARC hits.
    pub l2_hits: Option<u64>,
    /// L2ARC misses.
    pub l2_misses: Option<u64>,
    /// L2ARC checksum and I/O errors since boot.
    pub l2_errors: Option<u64>,
    /// Bytes of L2ARC headers in RAM.
    pub l2_headers: Option<u64>,
    /// ARC size now, bytes.
    pub arc_size: Option<u64>,
    /// Times that memory pressure throttled writers.
    pub memory_throttled: Option<u64>,
    /// Transactions that the write throttle delayed.
    pub dirty_delayed: Option<u64>,
}

/// A kstat as `/proc/spl/kstat/zfs/*` shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Kstat {
    /// When it was made (the module was loaded) and when it was read, ns of the machine's clock.
    pub window: (u64, u64),
    /// Its counters.
    pub counters: BTreeMap<String, u64>,
}

/// A kstat of type 1 (named counters); none for any other text.
pub fn kstat(text: &str) -> Option<Kstat> {
    let mut rows = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let header = rows.next()?;
    let [_, "1", _, _, _, made, read] = header.as_slice() else {
        return None;
    };
    if rows.next()?.as_slice() != ["name", "type", "data"] {
        return None;
    }
    let counters = rows
        .filter_map(|words| match words.as_slice() {
            [name, _, value] => Some((name.to_string(), value.parse().ok()?)),
            _ => None,
        })
        .collect();
    Some(Kstat {
        window: (made.parse().ok()?, read.parse().ok()?),
        counters,
    })
}

/// What was counted between the first and the last reading of each kstat; with one reading, since
/// the module was loaded.
pub fn counters(readings: &[Kstat]) -> Option<Counters> {
    let mut kinds: BTreeMap<&str, Vec<&Kstat>> = BTreeMap::new();
    for reading in readings {
        let kind = ["zil_commit_count", "demand_data_hits", "dmu_tx_dirty_delay"]
            .into_iter()
            .find(|key| reading.counters.contains_key(*key));
        if let Some(kind) = kind {
            kinds.entry(kind).or_default().push(reading);
        }
    }
    let mut before: BTreeMap<&str, u64> = BTreeMap::new();
    let mut after: BTreeMap<&str, u64> = BTreeMap::new();
    let mut seconds: Option<f64> = None;
    for readings in kinds.values_mut() {
        readings.sort_by_key(|reading| reading.window.1);
        let (first, last) = (readings.first()?, readings.last()?);
        let single = readings.len() == 1;
        let from = if single {
            first.window.0
        } else {
            first.window.1
        };
        let window = last.window.1.saturating_sub(from) as f64 / 1e9;
        seconds = Some(seconds.map_or(window, |known| known.min(window)));
        for (name, value) in &last.counters {
            after.insert(name, *value);
            before.insert(
                name,
                if single {
                    0
                } else {
                    *first.counters.get(name).unwrap_or(value)
                },
            );
        }
    }
    let grew = |name: &str| Some(after.get(name)?.saturating_sub(*before.get(name)?));
    let sum = |names: &[&str], read: &dyn Fn(&str) -> Option<u64>| {
        let values: Vec<u64> = names.iter().filter_map(|name| read(name)).collect();
        (!values.is_empty()).then(|| values.iter().fold(0, |a: u64, b| a.saturating_add(*b)))
    };
    let now = |name: &str| after.get(name).copied();
    Some(Counters {
        seconds: seconds?,
        commits: grew("zil_commit_count"),
        zil_bytes: sum(
            &[
                "zil_itx_metaslab_normal_bytes",
                "zil_itx_metaslab_slog_bytes",
            ],
            &grew,
        ),
        slog_bytes: grew("zil_itx_metaslab_slog_bytes"),
        sync_write_mean_ns: None,
        demand_hits: sum(&["demand_data_hits", "demand_metadata_hits"], &grew),
        demand_misses: sum(&["demand_data_misses", "demand_metadata_misses"], &grew),
        ghost_hits: sum(&["mru_ghost_hits", "mfu_ghost_hits"], &grew),
        l2_hits: grew("l2_hits"),
        l2_misses: grew("l2_misses"),
        l2_errors: sum(&["l2_cksum_bad", "l2_io_error"], &now),
        l2_headers: now("l2_hdr_size"),
        arc_size: now("size"),
        memory_throttled: grew("memory_throttle_count"),
        dirty_delayed: grew("dmu_tx_dirty_delay"),
    })
}

/// Mean time of a synchronous write at the drives, ns, from `zpool iostat -l -H -p`: its wait in
/// the queue of synchronous writes and the drives' own time for writes; the slowest pool.
pub fn iostat(text: &str) -> Option<u64> {
    text.lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            // name alloc free ops×2 bandwidth×2 total×2 disk×2 syncq×2 asyncq×2 scrub trim …
            if fields.len() < 16 {
                return None;
            }
            let number = |index: usize| fields.get(index)?.trim().parse::<u64>().ok();
            let (disk, queue) = (number(10)?, number(12).unwrap_or(0));
            disk.checked_add(queue)
        })
        .max()
}

/// Module parameters that a script sets: `echo 64 > /sys/module/zfs/parameters/NAME`.
pub fn echoed(file: &str, text: &str) -> Vec<(String, Found<String>)> {
    rows(file, text)
        .filter_map(|(at, row)| {
            let (value, path) = row.trim_start().strip_prefix("echo")?.split_once('>')?;
            let name = path.trim().strip_prefix("/sys/module/zfs/parameters/")?;
            let name: String = name
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            let value = value.trim().trim_matches(['"', '\'']).to_string();
            (!name.is_empty()).then(|| (name, Found::new(value, at)))
        })
        .collect()
}

/// `MemTotal` of `/proc/meminfo`, bytes.
pub fn memory(file: &str, text: &str) -> Option<Found<u64>> {
    rows(file, text).find_map(|(at, row)| {
        let rest = row.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?;
        Some(Found::new(
            rest.trim().parse::<u64>().ok()?.checked_mul(1024)?,
            at,
        ))
    })
}

/// The release line in `zfs version` or `/sys/module/zfs/version`: `zfs-2.1.11-1`, `zfs-kmod-…`.
/// The kernel module's counts where both are there.
pub fn release(file: &str, text: &str) -> Option<Found<(u32, u32)>> {
    let mut found = None;
    for (at, row) in rows(file, text) {
        let row = row.trim();
        let number = row
            .strip_prefix("zfs-kmod-")
            .or_else(|| row.strip_prefix("zfs-"));
        let Some(number) = number else { continue };
        let mut parts = number.split(['.', '-']);
        if let (Some(Ok(major)), Some(Ok(minor))) =
            (parts.next().map(str::parse), parts.next().map(str::parse))
        {
            found = Some(Found::new((major, minor), at));
        }
    }
    found
}

/// Interfaces of `ip link` (`2: eth0: <…> mtu 9000 …`), loopback left out.
pub fn links(file: &str, text: &str) -> Vec<Link> {
    rows(file, text)
        .filter_map(|(at, row)| {
            let (_, rest) = row
                .split_once(": ")
                .filter(|(n, _)| n.parse::<u32>().is_ok())?;
            let (name, rest) = rest.split_once(": ")?;
            let mut words = rest.split_whitespace();
            words.find(|word| *word == "mtu")?;
            let mtu = words.next()?.parse().ok()?;
            (name != "lo").then(|| Link {
                name: name.to_string(),
                host: file.to_string(),
                mtu,
                at,
            })
        })
        .collect()
}

/// Lines of `/etc/exports`: a path and clients with options.
pub fn exports(file: &str, text: &str) -> Vec<Found<String>> {
    rows(file, text)
        .filter(|(_, row)| {
            row.starts_with('/') && row.contains('(') && row.trim_end().ends_with(')')
        })
        .map(|(at, row)| Found::new(row.trim().to_string(), at))
        .collect()
}

/// Settings of `smb.conf` by name in lower case with single blanks; the last one counts.
pub fn samba(file: &str, text: &str) -> BTreeMap<String, Found<String>> {
    rows(file, text)
        .filter(|(_, row)| !row.trim_start().starts_with(['#', ';', '[']))
        .filter_map(|(at, row)| {
            let (name, value) = row.split_once('=')?;
            let name = name
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .to_ascii_lowercase();
            Some((name, Found::new(value.trim().to_string(), at)))
        })
        .collect()
}

/// Lines with their places.
pub fn rows<'a>(file: &'a str, text: &'a str) -> impl Iterator<Item = (Place, &'a str)> {
    text.lines().zip(1u32..).map(move |(row, line)| {
        (
            Place {
                file: file.to_string(),
                line,
            },
            row,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_module_decides_the_release() {
        let both = release("v", "zfs-2.3.2-1~bpo12+2\nzfs-kmod-2.1.11-1+deb12u1\n").unwrap();
        assert_eq!((both.value, both.at.line), ((2, 1), 2));
    }

    fn reading(read: u64, rows: &str) -> Kstat {
        kstat(&format!(
            "13 1 0x01 3 4 1000000000 {read}\nname type data\n{rows}"
        ))
        .unwrap()
    }

    #[test]
    fn two_readings_are_a_window() {
        let first = reading(5_000_000_000, "zil_commit_count 4 100\nl2_io_error 4 1\n");
        let last = reading(305_000_000_000, "zil_commit_count 4 400\nl2_io_error 4 2\n");
        let counted = counters(&[last, first]).unwrap();
        assert_eq!((counted.seconds, counted.commits), (300.0, Some(300)));
        assert_eq!(counted.l2_errors, Some(2), "a level, not a difference");
        assert_eq!(counted.l2_hits, None);
    }

    #[test]
    fn one_reading_counts_since_the_module_was_loaded() {
        let counted = counters(&[reading(11_000_000_000, "zil_commit_count 4 50\n")]).unwrap();
        assert_eq!((counted.seconds, counted.commits), (10.0, Some(50)));
    }

    #[test]
    fn iostat_gives_the_wait_of_synchronous_writes() {
        let row = "tank\t1\t2\t3\t4\t5\t6\t7\t8\t9\t5000000\t-\t1000000\t-\t-\t-\t-\n";
        assert_eq!(iostat(row), Some(6_000_000));
    }

    #[test]
    fn a_script_that_echoes_sets_parameters() {
        let text = "# tuning\necho 64  > /sys/module/zfs/parameters/l2arc_write_max_mb\n";
        let (name, found) = &echoed("s", text)[0];
        assert_eq!(
            (name.as_str(), found.value.as_str(), found.at.line),
            ("l2arc_write_max_mb", "64", 2)
        );
    }

    #[test]
    fn ip_link_gives_mtus() {
        let text =
            "1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue\n2: eth0: <UP> mtu 9000 qdisc mq\n";
        let found = links("l", text);
        assert_eq!((found.len(), found[0].mtu, found[0].at.line), (1, 9000, 2));
    }
}
