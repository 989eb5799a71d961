//! Drives in the machine are what their profiles say: as the block layer sees them, and in the time of every
//! request. These tests need an engine and fio.

#[path = "drives/client.rs"]
mod client;
mod script_machine;
#[path = "with_engine/mod.rs"]
mod with_engine;

use client::{Client, Seen, compare};
use contents::config::DriveConfig;
use drives::Profile;
use script_machine::{Bare, drive, profiles};
use std::collections::BTreeMap;

/// KiB of a request up to which the block layer goes by itself (`BLK_DEF_MAX_SECTORS_CAP` of Linux 7.2).
const USUAL_KIB: u64 = 4096;
/// Requests that a scheduler holds for a drive of this depth (`blk_mq_init_sched`).
fn scheduled(depth: u64) -> u64 {
    2 * depth.min(128)
}

/// Every profile once, the n-th with seed n.
fn one_of_each() -> Vec<DriveConfig> {
    let all = profiles();
    let numbered = all.iter().zip(1..);
    numbered.map(|((name, profile), seed)| drive(name, profile, seed)).collect()
}

#[test]
fn the_block_layer_sees_each_drive_as_its_profile_says() {
    let Some(machine) = Bare::new(one_of_each()) else {
        return;
    };
    let out =
        machine.run("cd /sys/block\ngrep -s . pw-*/size pw-*/queue/* pw-*/mq/0/nr_tags || true\n");
    let seen: BTreeMap<&str, &str> = out.lines().filter_map(|l| l.split_once(':')).collect();
    for (name, profile) in profiles() {
        let attribute = |what: &str| {
            let path = format!("pw-{name}/{what}");
            *seen.get(&*path).unwrap_or_else(|| panic!("no {path}"))
        };
        let found = Attributes {
            bytes: attribute("size").parse::<u64>().unwrap() * 512,
            sectors: ["logical_block_size", "physical_block_size"]
                .map(|what| attribute(&format!("queue/{what}")).parse().unwrap()),
            rotational: attribute("queue/rotational") == "1",
            write_back: attribute("queue/write_cache") == "write back",
            fua: attribute("queue/fua") == "1",
            tags: attribute("mq/0/nr_tags").parse().unwrap(),
            requests: attribute("queue/nr_requests").parse().unwrap(),
            largest_kib: ["max_hw_sectors_kb", "max_sectors_kb"]
                .map(|what| attribute(&format!("queue/{what}")).parse().unwrap()),
            discards: attribute("queue/discard_max_hw_bytes") != "0",
            scheduler: in_brackets(attribute("queue/scheduler")).to_owned(),
        };
        assert_eq!(found, Attributes::expected(&profile), "{name}");
    }
}

/// What of a drive is in `/sys/block`.
#[derive(Debug, PartialEq)]
struct Attributes {
    bytes: u64,
    /// Logical and physical, bytes.
    sectors: [u64; 2],
    rotational: bool,
    write_back: bool,
    fua: bool,
    tags: u64,
    requests: u64,
    /// What the drive takes, and what the block layer makes.
    largest_kib: [u64; 2],
    discards: bool,
    scheduler: String,
}

impl Attributes {
    fn expected(profile: &Profile) -> Attributes {
        let attachment = profile.attachment();
        let depth = u64::from(attachment.depth);
        let largest = u64::from(attachment.max_transfer) >> 10;
        Attributes {
            bytes: profile.capacity.value as u64,
            sectors: [profile.logical_sector.value, profile.reported_physical_sector()]
                .map(|v| v as u64),
            rotational: profile.rotational,
            write_back: attachment.write_cache,
            fua: attachment.fua,
            tags: depth,
            requests: match attachment.scheduler {
                true => scheduled(depth),
                false => depth,
            },
            largest_kib: [largest, largest.min(USUAL_KIB)],
            discards: attachment.discard,
            scheduler: match attachment.scheduler {
                true => "mq-deadline",
                false => "none",
            }
            .to_owned(),
        }
    }
}

/// `mq-deadline` of `none [mq-deadline]`; all of what has no brackets.
fn in_brackets(text: &str) -> &str {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(inside, _)| inside)
}

/// Lets fio work on drives, and gives what it saw of each and how late their requests were in all, ns.
fn measure(drives: &[DriveConfig]) -> Option<(BTreeMap<String, Seen>, u64)> {
    let machine = Bare::new(drives.to_vec())?;
    let clients: Vec<Client> = drives.iter().map(Client::new).collect();
    let path = |name: &str| machine.file(name);
    let commands: String = clients.iter().map(|client| client.write(&path)).collect();
    let out = machine.run(&(commands + "grep -o 'late_ns [0-9]*' /proc/drives\n"));
    let late = out.split_whitespace().filter_map(|w| w.parse::<u64>().ok());
    let seen = client::seen(&clients, &machine.record(), &path);
    Some((seen, late.sum()))
}

#[test]
fn every_request_of_fio_takes_the_time_that_the_model_says() {
    let drives = one_of_each();
    let Some((seen, late_ns)) = measure(&drives) else {
        return;
    };
    assert_eq!(late_ns, 0, "requests completed later than their models say");
    let wrong: Vec<String> = drives
        .iter()
        .filter_map(|drive| {
            let why = compare(&seen[&drive.name], drive).err()?;
            Some(format!("{}: {why}\n", drive.name))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

/// A lab's override that makes a model 5 % slower in one of its numbers.
fn slower(profile: &Profile) -> Option<Profile> {
    let number = |value: f64| value * 1.05;
    let text = match (&profile.hdd, &profile.flash, &profile.card) {
        (Some(hdd), ..) => format!("hdd.rpm = {}", hdd.rpm.value / 1.05),
        (_, Some(flash), _) => format!(
            "flash.read_latency_us = {}\nflash.read_iops = {}",
            number(flash.read_latency_us.value),
            flash.read_iops.value / 1.05,
        ),
        (.., Some(card)) => format!("card.overhead_us = {}", number(card.overhead_us.value)),
        _ => return None,
    };
    Some(profile.overridden(&text.parse().unwrap()).unwrap())
}

#[test]
fn a_model_that_is_5_percent_off_is_found() {
    let all = profiles();
    let names = ["hdd-7200-8t", "pm983-960g", "optane-p4800x", "raid10-4x-r5-h755"];
    let wrong: Vec<DriveConfig> =
        names.iter().map(|name| drive(name, &slower(&all[*name]).unwrap(), 1)).collect();
    let Some((seen, _)) = measure(&wrong) else {
        return;
    };
    for name in names {
        let compared = compare(&seen[name], &drive(name, &all[name], 1));
        let why = compared.expect_err(name);
        assert!(why.contains("random reads"), "{name}: {why}");
    }
}
