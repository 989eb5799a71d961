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
