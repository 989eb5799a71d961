//! Every profile of the repository is read, checked and complete; bad ones are refused well.

mod common;

use common::{capacity, folder, profile};
use drives::{
    Completion, FlushBehaviour, Op, Profile, ProfileError, ProfileNumber, Request, TimingModel,
};

fn every() -> Vec<(String, Profile)> {
    let mut all: Vec<_> = std::fs::read_dir(folder())
        .expect("folder of profiles")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| {
            let name = path.file_stem().expect("stem").to_string_lossy().into_owned();
            let read = profile(&name);
            (name, read)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn every_drive_that_the_sources_name_has_a_profile() {
    let names: Vec<String> = every().into_iter().map(|(name, _)| name).collect();
    for wanted in [
        "dapustor-r5-7.68t", "flat-latency", "hdd-7200-16t", "hdd-7200-4t", "hdd-7200-8t",
        "instant", "nvme-consumer-1t", "optane-p4800x", "p1600x-118g", "p4801x-100g",
        "pm883-3.84t", "pm983-960g", "pm9a3-1.92t", "pm9a3-3.84t", "sata-ssd",
    ] {
        assert!(names.iter().any(|name| name == wanted), "{wanted} is missing");
    }
}

#[test]
fn every_number_of_every_profile_states_its_source() {
    for (name, profile) in every() {
        for (field, number) in profile.numbers() {
            assert!(
                number.source.len() > 5 && number.source != ProfileNumber::STATED,
                "{name}: {field} has no source"
            );
            assert!(
                !number.source.contains("from memory"),
                "{name}: {field}: what nobody can look up is an estimate"
            );
            let vague = ["estimate", "fitted"].iter().any(|word| number.source.starts_with(word));
            assert!(
                !vague
                    || number.is_estimate()
                    || field == "capacity"
                    || number.source.contains("AnandTech"),
                "{name}: {field} is uncertain and has no low and high"
            );
        }
    }
}

#[test]
fn every_profile_makes_a_drive_that_answers() {
    for (name, profile) in every() {
        let size = capacity(&profile);
        let mut drive = profile.drive(size, size / 12, 7);
        for (tag, op) in [Op::Write, Op::Read, Op::Flush, Op::Discard].into_iter().enumerate() {
            let request = Request::new(op, 8192 * tag as u64, 4096);
            drive.submit(1000, tag as u64, request);
        }
        let mut finished: Vec<Completion> = Vec::new();
        while let Some(at) = drive.next_event() {
            drive.advance(at, &mut finished);
        }
        let mut tags: Vec<u64> = finished.iter().map(|c| c.tag).collect();
        tags.sort_unstable();
        assert_eq!(tags, [0, 1, 2, 3], "{name}");
    }
}

#[test]
fn a_profile_survives_being_written_and_read() {
    for (name, profile) in every() {
        let text = toml::to_string(&profile).expect("serialises");
        assert_eq!(Profile::from_toml(&text).as_ref(), Ok(&profile), "{name}");
        // The campaign carries profiles as JSON values.
        let value = serde_json::to_value(&profile).expect("serialises");
        let back: Profile = serde_json::from_value(value).expect("deserialises");
        assert_eq!(back, profile, "{name}");
    }
}

#[test]
fn a_lab_overrides_numbers_and_words() {
    let overrides = toml::toml! {
        flush = "lies"
        hdd.rpm = 5400
        hdd.buffer_mb = { value = 0, source = "my drive" }
    };
    let disk = profile("hdd-7200-8t").overridden(&overrides).expect("valid");
    assert_eq!(disk.flush, FlushBehaviour::Lies);
    let hdd = disk.hdd.expect("section");
    assert_eq!(hdd.rpm, ProfileNumber::stated(5400.0));
    assert_eq!(hdd.buffer_mb.source, "my drive");
    assert_eq!(hdd.seek_average_ms.value, 8.0, "the rest is kept");
}

#[test]
fn unknown_keys_and_wrong_numbers_are_refused_by_name() {
    let disk = profile("hdd-7200-8t");
    let refused = |overrides: toml::Table| {
        disk.overridden(&overrides).expect_err("must be refused").to_string()
    };
    assert!(refused(toml::toml! { hdd.rmp = 1 }).contains("rmp"));
    assert!(refused(toml::toml! { hdd.rpm = 0 }).contains("hdd.rpm = 0"));
    assert!(refused(toml::toml! { hdd.rpm = "fast" }).contains("number"));
    assert!(refused(toml::toml! { physical_sector = 3000 }).contains("power of two"));
    assert!(
        refused(toml::toml! { physical_sector = 1024 logical_sector = 4096 })
            .contains("logical_sector")
    );
    let torn = "multiple of logical_sector = 512: write 512";
    assert!(refused(toml::toml! { tearing = 1000 }).contains(torn));
    assert!(refused(toml::toml! { tearing = 512.5 }).contains(torn));
    assert!(
        refused(toml::toml! { tearing = 512 logical_sector = 4096 })
            .contains("tearing = 512: must be a whole multiple of logical_sector = 4096")
    );
    let kept = toml::toml! { tearing = 8192 logical_sector = 4096 };
    assert!(disk.overridden(&kept).is_ok());
    assert!(refused(toml::toml! { reported_sector = 8192 }).contains("to physical_sector = 4096"));
    assert!(refused(toml::toml! { hdd.seek_full_ms = 2 }).contains("hdd.seek_average_ms"));
    assert!(refused(toml::toml! { flush = "sometimes" }).contains("honest"));
    assert!(refused(toml::toml! { kind = "flash" }).contains("[hdd]"));
    assert!(refused(toml::toml! { capacity = nan }).contains("capacity"));
}

#[test]
fn a_read_rate_below_what_one_request_at_a_time_gives_is_refused() {
    let error = profile("sata-ssd")
        .overridden(&toml::toml! { flash.read_iops = 1000 })
        .expect_err("1000 < 1/110 µs");
    assert!(matches!(error, ProfileError::OutOfRange { .. }), "{error}");
    assert!(error.to_string().contains("9091"), "{error}");
}

#[test]
fn a_card_lies_where_flushed_data_stays_in_a_members_cache() {
    let lies = |overrides: toml::Table| {
        profile("raid0-12x4t").overridden(&overrides).expect("valid").lies()
    };
    let member = |write_cache: bool, flush: &str| {
        let flush = flush.to_owned();
        toml::toml! { card.member = { write_cache = write_cache, flush = flush } }
    };
    let unprotected = |mut member: toml::Table| {
        member.insert("power_loss_protection".to_owned(), false.into());
        member
    };
    assert!(lies(unprotected(member(true, "lies"))));
    assert!(!lies(unprotected(member(true, "honest"))));
    assert!(!lies(unprotected(member(false, "lies"))), "its members have no cache");
    assert!(!lies(member(true, "lies")), "the battery's memory is flushed to, not the members");
    let mut through = member(true, "lies");
    through.insert("write_cache".to_owned(), false.into());
    assert!(lies(through), "a battery protects no write that goes through");
    assert!(lies(toml::toml! { flush = "lies" }));
    let disk = profile("hdd-7200-8t");
    assert!(!disk.lies() && Profile { flush: FlushBehaviour::Lies, ..disk }.lies());
}

#[test]
fn only_an_unprotected_write_cache_is_volatile() {
    assert!(profile("hdd-7200-8t").volatile_cache());
    assert!(profile("nvme-consumer-1t").volatile_cache());
    assert!(!profile("pm9a3-3.84t").volatile_cache());
    assert!(!profile("optane-p4800x").volatile_cache());
    let mut disk = profile("hdd-7200-8t");
    disk.write_cache = false;
    assert!(!disk.volatile_cache());
    assert_eq!(profile("instant").kind, TimingModel::Instant);
}
