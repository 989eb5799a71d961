//! Diagnostics of `[drives]`.

mod common;

use common::*;

#[test]
fn each_invalid_number_of_a_drive_is_reported_at_its_place() {
    let with = |overrides: &str| {
        let drive = format!("count = 1, {overrides} }}");
        errors(&BASE.replace("count = 1, flush = \"honest\" }", &drive))
    };
    let diagnostics =
        with("flash.read_latency_us = -5, flash.bogus = 3, hdd.rpm = 4, logical_sector = \"3K\"");
    let under: Vec<&str> = diagnostics.iter().filter_map(|s| s.split(" | ").next()).collect();
    assert_eq!(under, ["-5", "3", "4", "\"3K\""], "{diagnostics:#?}");
    assert!(diagnostics[1].contains("`bogus`"), "{diagnostics:#?}");
    assert!(diagnostics[2].contains("has no [hdd]"), "{diagnostics:#?}");
    assert!(diagnostics[3].contains("3072: must be a power of two"), "{diagnostics:#?}");
    let diagnostics = with("capacity = \"64X\", flash.read_latency_us = 99999999999999999999");
    let starts = [
        "\"64X\" | capacity: `64X` is not a size; write a number and one of K, M",
        "flash | `read_latency_us` holds a number that is out of range",
    ];
    for (diagnostic, start) in diagnostics.iter().zip(starts) {
        assert!(diagnostic.starts_with(start), "{diagnostics:#?}");
    }
    assert_eq!(diagnostics.len(), 2, "{diagnostics:#?}");
    // None is wrong alone.
    let diagnostics = with("kind = \"hdd\", flash.read_latency_us = 80");
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    assert!(diagnostics[0].starts_with("{ profile"), "{diagnostics:#?}");
    assert!(with("capacity = \"1T\", flash.read_latency_us = { value = 80 }").is_empty());
}

#[test]
fn too_few_drives_are_reported_together_with_an_unknown_profile() {
    let text =
        BASE.replace("12x hdd-7200-16t", "12x hdd-7200-16tb").replace("hdd[6-11]", "hdd[6-12]");
    let diagnostics = errors(&text);
    assert!(
        diagnostics.iter().any(|e| e.contains("there is no drive profile")),
        "{diagnostics:#?}"
    );
    assert!(diagnostics.iter().any(|e| e.contains("too few drives `hdd`")), "{diagnostics:#?}");
}

#[test]
fn an_unknown_profile_is_reported_once() {
    let diagnostics = errors(&BASE.replace("12x hdd-7200-16t", "12x hdd-7200-16"));
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
}

#[test]
fn drives_whose_count_was_not_read_are_not_too_few() {
    for wrong in
        ["\"1e3\"", "\"12xhdd-7200-16t\"", "\"0x hdd-7200-16t\"", "{ profile = \"12x\" }", "5"]
    {
        let diagnostics = errors(&BASE.replace("\"12x hdd-7200-16t\"", wrong));
        assert_eq!(diagnostics.len(), 1, "{wrong}: {diagnostics:#?}");
    }
    // A variant's drives instead of those of the lab.
    let more = "[variants.a]\ndrives.optane = \"x9\"\nadd = \"log optane[0-4]\"\n";
    let diagnostics = errors(&format!("{BASE}{more}"));
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
}

#[test]
fn the_capacity_of_a_card_follows_its_members() {
    let capacity = |overrides: &str| {
        let card = format!("nvme = {{ profile = \"raid10-4x-r5-h755\"{overrides} }}\n");
        let nvme = BASE.lines().find(|line| line.starts_with("nvme")).unwrap();
        let lab = campaign(&BASE.replace(&format!("{nvme}\n"), &card));
        lab.variants[0].drives["nvme"].number("capacity").unwrap()
    };
    let member = 7_681_501_126_656.0;
    for (overrides, bytes) in [
        ("", 2.0 * member),
        (", card.members = 8", 4.0 * member),
        (", card.members = 8, card.level = \"raid6\"", 6.0 * member),
        (", card.member.capacity = \"1T\"", 2.0 * f64::from(1 << 20) * f64::from(1 << 20)),
        (", card.members = 8, capacity = 1e12", 1e12),
        (", card.iops = 1000", 2.0 * member),
    ] {
        assert_eq!(capacity(overrides), bytes, "{overrides}");
    }
}

#[test]
fn a_logical_sector_above_a_page_is_reported_at_its_place() {
    let added = "[variants.a]\ndrives.x = { profile = \"pm9a3-3.84t\", physical_sector = 8192, logical_sector = 8192, capacity = -1 }\n";
    let diagnostics = errors(&format!("{BASE}{added}"));
    assert_eq!(diagnostics.len(), 2, "{diagnostics:#?}");
    let sector =
        "8192 | with these values `pm9a3-3.84t` is not a valid drive: logical_sector = 8192";
    assert!(diagnostics[0].starts_with(sector), "{diagnostics:#?}");
    assert!(diagnostics[1].starts_with("-1 | "), "{diagnostics:#?}");
}
