//! Diagnostics of what zpool, zfs and the module would refuse or change.

mod common;

use common::*;

#[test]
fn a_pool_that_is_replaced_takes_its_mistakes_with_it() {
    let text = format!("{BASE}[variants.a]\nvdevs = \"mirror hdd[0-1]\"\nremove = \"cache\"\n")
        .replace("raidz2 hdd[0-5]", "raidz2 hdd[0-1]");
    let diagnostics = errors(&text);
    assert!(
        diagnostics.iter().any(|line| line.contains("no `cache` to remove")),
        "{diagnostics:?}"
    );
    assert_eq!(diagnostics.len(), 2, "{diagnostics:?}");
}

#[test]
fn what_zpool_and_zfs_refuse_is_refused() {
    refused("[variants.a]\npool.readonly = \"on\"\n", "readonly", "does not accept", "at import");
    refused(
        "[variants.a]\npool.altroot = \"mnt\"\n",
        "\"mnt\"",
        "cannot be `mnt`",
        "absolute path",
    );
    refused("[variants.a]\ndataset.quota = \"0\"\n", "\"0\"", "cannot be 0", "none");
    refused(
        "[variants.a]\npool.comment = \"a comment of more than thirty-two characters\"\n",
        "\"a comment of more than thirty-two characters\"",
        "too long",
        "32",
    );
    refused("[variants.a]\nadd = \"log optane0 log optane1\"\n", "log", "appears twice", "once");
    refused(
        "[variants.a]\nmodule.zfs_txg_timeout = \"soon\"\n",
        "\"soon\"",
        "cannot be \"soon\"",
        "whole number",
    );
    let failmode =
        campaign(&format!("{BASE}[variants.a]\nmodule.zfs_deadman_failmode = \"panic\"\n"));
    assert_eq!(failmode.variants[1].module_words["zfs_deadman_failmode"], "panic");
}

#[test]
fn numbers_with_which_the_module_does_not_load_are_refused() {
    for (parameter, number, range) in [
        ("spa_slop_shift", "0", "1 to 31"),
        ("spa_slop_shift", "32", "1 to 31"),
        ("zfs_vdev_min_auto_ashift", "8", "9 to 16"),
        ("zfs_vdev_max_auto_ashift", "17", "9 to 16"),
    ] {
        let lab = format!("[variants.a]\nmodule.{parameter} = {number}\n");
        refused(&lab, number, "cannot be", &format!("OpenZFS takes {range}"));
    }
    let least = "[variants.a]\nmodule.zfs_vdev_min_auto_ashift = 15\n";
    refused(least, "15", "is 15, above `zfs_vdev_max_auto_ashift`, which is 14", "at most 14");
    let both = format!("{BASE}{least}module.zfs_vdev_max_auto_ashift = 16\n");
    assert_eq!(errors(&both), [""; 0]);
}

#[test]
fn properties_that_zfs_takes_only_together_are_refused_alone() {
    refused(
        "[variants.a]\ndataset.encryption = \"on\"\n",
        "\"on\"",
        "needs `keyformat`",
        "passphrase",
    );
    refused(
        "[variants.a]\ndataset.keyformat = \"raw\"\n",
        "\"raw\"",
        "`keyformat` is set, but encryption is off",
        "encryption = \"on\"",
    );
    let encrypted = "[variants.a]\ndataset.encryption = \"on\"\ndataset.keyformat = \"raw\"\n";
    assert_eq!(errors(&format!("{BASE}{encrypted}")), [""; 0]);
    refused(
        &format!("{encrypted}dataset.keylocation = \"banana\"\n"),
        "\"banana\"",
        "`keylocation` cannot be",
        "prompt",
    );
    refused(&format!("{encrypted}dataset.copies = 3\n"), "3", "at most two copies", "copies = 2");
    let keyless = encrypted.replace("raw", "none");
    refused(&keyless, "\"on\"", "needs `keyformat`", "passphrase");
    let elsewhere = "datasets.db.keylocation = \"prompt\"\n";
    refused(&format!("{encrypted}{elsewhere}"), "\"prompt\"", "needs `keyformat`", "passphrase");
    let own = format!("{BASE}{encrypted}{elsewhere}datasets.db.keyformat = \"hex\"\n");
    assert_eq!(errors(&own), [""; 0]);
    let rounds = format!("{encrypted}dataset.pbkdf2iters = 200000\n");
    refused(&rounds, "200000", "has no passphrase of its own", "keyformat = \"passphrase\"");
    let passphrase = rounds.replace("raw", "passphrase");
    assert_eq!(errors(&format!("{BASE}{passphrase}")), [""; 0]);
    // A child of an encrypted dataset has its key.
    let child = format!("{BASE}{encrypted}[datasets.db]\nencryption = \"aes-256-gcm\"\n");
    assert_eq!(errors(&child).len(), 1, "in the base it begins encryption");
    let both = format!("{BASE}{encrypted}datasets.db.encryption = \"aes-256-gcm\"\n");
    assert_eq!(errors(&both), [""; 0]);
    refused(
        "[variants.a]\ndataset.normalization = \"formD\"\ndataset.utf8only = \"off\"\n",
        "\"off\"",
        "`normalization` needs",
        "remove it",
    );
    refused("[variants.a]\ndataset.used = \"1G\"\n", "used", "cannot be set", "remove it");
}

#[test]
fn names_and_numbers_are_read_as_zfs_and_toml_read_them() {
    let lab = campaign(&format!(
        "{BASE}[variants.a]\ndataset.recsize = 0x4000\ndataset.compress = \"zstd\"\n"
    ));
    let variant = lab.variants.iter().find(|v| v.name == "a").unwrap();
    assert_eq!(variant.property("", "recordsize"), Some("16K"));
    assert_eq!(variant.property("", "compression"), Some("zstd"));
}

#[test]
fn an_ashift_that_openzfs_changes_is_reported() {
    let count_in = |base: &str, vdevs: &str, ashift: u8| {
        let change = format!("[variants.a]\npool.ashift = {ashift}\nvdevs = \"{vdevs}\"\n");
        let (_, diagnostics) = read(&format!("{base}{change}")).unwrap();
        let on_ashift = |d: &&lab::Diagnostic| d.message.contains("changes ashift 9 to 12");
        diagnostics.iter().filter(on_ashift).count()
    };
    assert_eq!(count_in(BASE, "mirror hdd[0-1]", 9), 0, "logical sectors of 512");
    let native = r#"{ profile = "hdd-7200-16t", count = 12, logical_sector = 4096 }"#;
    let native = BASE.replace(r#""12x hdd-7200-16t""#, native);
    assert_eq!(count_in(&native, "mirror hdd[0-1]", 9), 1);
    assert_eq!(count_in(&native, "mirror optane[0-1] log hdd[0-1]", 9), 1);
    assert_eq!(count_in(&native, "mirror hdd[0-1]", 12), 0);
}

#[test]
fn a_vdev_is_removed_in_whatever_order_its_drives_are_named() {
    let lab = campaign(&format!("{BASE}[variants.a]\nremove = \"special mirror meta1 meta0\"\n"));
    let variant = lab.variants.iter().find(|v| v.name == "a").unwrap();
    assert_eq!(variant.pool.vdevs.len(), 2);
    let twice = "[variants.a]\nremove = \"special mirror meta0 meta1 meta1\"\n";
    let diagnostics = errors(&format!("{BASE}{twice}"));
    assert!(diagnostics[0].contains("to remove"), "{diagnostics:#?}");
}

#[test]
fn a_disabled_feature_that_a_property_or_a_vdev_needs_is_refused() {
    let disabled = |feature: &str, user: &str| {
        format!("[variants.a]\npool.\"feature@{feature}\" = \"disabled\"\n{user}\n")
    };
    for (feature, user, needs) in [
        ("zstd_compress", "dataset.compression = \"zstd-3\"", "`compression = \"zstd-3\"`"),
        ("lz4_compress", "", "`compression = \"lz4\"`"),
        ("large_blocks", "dataset.recordsize = \"1M\"", "`recordsize = \"1M\"`"),
        (
            "encryption",
            "dataset.encryption = \"on\"\ndataset.keyformat = \"hex\"",
            "`encryption = \"on\"`",
        ),
        ("blake3", "dataset.checksum = \"blake3\"", "`checksum = \"blake3\"`"),
        ("skein", "dataset.dedup = \"skein,verify\"", "`dedup = \"skein,verify\"`"),
        ("large_dnode", "dataset.dnodesize = \"4k\"", "`dnodesize = \"4k\"`"),
        ("allocation_classes", "", "a special vdev"),
        (
            "draid",
            "add = \"draid1:2d:4c:1s hdd[0-3]\"\nremove = \"raidz2 hdd[0-5]\"",
            "a dRAID vdev",
        ),
    ] {
        let message = format!("`feature@{feature}` is disabled, but {needs} needs it");
        refused(&disabled(feature, user), "\"disabled\"", &message, "remove one of the two");
    }
    for (feature, user) in [
        ("zstd_compress", ""),
        ("lz4_compress", "dataset.compression = \"on\""),
        ("large_blocks", "dataset.recordsize = \"128K\""),
        ("encryption", ""),
        ("blake3", "dataset.checksum = \"sha256\""),
        ("large_dnode", "dataset.dnodesize = \"legacy\""),
        ("allocation_classes", "remove = \"special\""),
        ("draid", ""),
    ] {
        let text = format!("{BASE}{}", disabled(feature, user));
        assert_eq!(errors(&text), <[&str; 0]>::default(), "{feature}");
    }
}
