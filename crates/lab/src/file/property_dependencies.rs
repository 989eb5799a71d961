//! Properties of a dataset that ZFS takes only with others, as `zfs create` checks them, and those and vdevs that need a
//! feature of the pool.

use super::context::Context;
use super::settings::{Setting, Settings};
use super::vdevs::LabVdev;
use crate::campaign::{AllocationClass, Layout, inherited};
use crate::diagnostic::Diagnostic;
use crate::units;
use std::collections::BTreeMap;
use std::ops::Range;

/// Checks each dataset's own settings against what it has and inherits (`zfs_crypto_create` and
/// `zfs_valid_proplist` of OpenZFS).
pub(super) fn check(
    cx: &Context<'_>,
    settings: &BTreeMap<String, BTreeMap<String, Setting>>,
    datasets: &BTreeMap<String, BTreeMap<String, String>>,
) {
    for (dataset, own) in settings {
        let has = |name: &str| inherited(datasets, dataset, name);
        let encrypted = |of: Option<&str>| of.is_some_and(|value| value != "off");
        let wrong = |name: &str, message: String, fix: &str| {
            if let Some(setting) = own.get(name) {
                cx.error(setting.value.span.clone(), message, fix);
            }
        };
        let is_encrypted = encrypted(has("encryption"));
        let parent = dataset.rsplit_once('/').map_or("", |(parent, _)| parent);
        let within = !dataset.is_empty() && encrypted(inherited(datasets, parent, "encryption"));
        let stated = |name: &str| own.get(name).map(|setting| setting.value.value.as_str());
        // As in libzfs, `none` is no key format.
        let keyformat = stated("keyformat").filter(|of| *of != "none");
        const FORMATS: &str = "add keyformat = \"passphrase\", \"raw\" or \"hex\"";
        let message = "a dataset that is an encryption root needs `keyformat`".to_owned();
        match keyformat {
            None if is_encrypted && own.contains_key("keylocation") => {
                wrong("keylocation", message, FORMATS);
            }
            None if is_encrypted && !within => wrong("encryption", message, FORMATS),
            _ => {}
        }
        if is_encrypted && keyformat != Some("passphrase") {
            wrong(
                "pbkdf2iters",
                "`pbkdf2iters` is set, but the dataset has no passphrase of its own".to_owned(),
                "add keyformat = \"passphrase\", or remove it",
            );
        }
        for name in ["keyformat", "keylocation", "pbkdf2iters"] {
            if !is_encrypted {
                wrong(
                    name,
                    format!("`{name}` is set, but encryption is off"),
                    "add encryption = \"on\", or remove it",
                );
            }
        }
        let places = ["file://", "http://", "https://"];
        if let Some(place) = stated("keylocation")
            && place != "prompt"
            && !places.iter().any(|prefix| place.starts_with(prefix))
        {
            wrong(
                "keylocation",
                format!("`keylocation` cannot be `{}`", place.escape_debug()),
                "\"prompt\", or a URL such as \"file:///etc/zfs/tank.key\"",
            );
        }
        if is_encrypted && has("copies") == Some("3") {
            let message = "an encrypted dataset can have at most two copies".to_owned();
            let name = if own.contains_key("copies") { "copies" } else { "encryption" };
            wrong(name, message, "copies = 2");
        }
        if stated("normalization").is_some_and(|form| form != "none")
            && has("utf8only") == Some("off")
        {
            wrong(
                "utf8only",
                "`normalization` needs `utf8only = \"on\"`, which it sets by default".to_owned(),
                "remove it",
            );
        }
    }
}

/// Checks that no feature is disabled which a dataset's property or a vdev needs (`zfs_check_settable`,
/// `dmu_objset_create_crypt_check`, `spa_create`).
pub(super) fn check_features(cx: &Context<'_>, settings: &Settings) {
    let disabled =
        settings.pool_properties.iter().filter(|(_, flag)| flag.value.value == "disabled");
    for (name, flag) in disabled {
        let Some(feature) = name.strip_prefix("feature@") else {
            continue;
        };
        let mut properties = settings.datasets.values().flat_map(BTreeMap::values);
        let user = properties
            .find(|setting| property_needs(feature, &setting.name.value, &setting.value.value))
            .map(|setting| {
                let stated = format!("`{} = \"{}\"`", setting.name.value, setting.value.value);
                (stated, setting.value.span.clone())
            })
            .or_else(|| vdev_that_needs(feature, settings.vdevs()));
        if let Some((user, span)) = user {
            cx.say(
                Diagnostic::error(format!("`{name}` is disabled, but {user} needs it"))
                    .at(cx.file, flag.value.span.clone())
                    .related(span, "needs it")
                    .fix("remove one of the two: features are enabled by default"),
            );
        }
    }
}

/// Whether a property with this value needs a feature.
fn property_needs(feature: &str, property: &str, value: &str) -> bool {
    /// Largest record of a pool without large blocks (`SPA_OLD_MAXBLOCKSIZE`), bytes.
    const SMALL: u64 = 128 << 10;
    match (feature, property) {
        ("zstd_compress", "compression") => value.starts_with("zstd"),
        ("lz4_compress", "compression") => value == "lz4",
        ("large_blocks", "recordsize") => units::size(value).is_ok_and(|bytes| bytes > SMALL),
        ("encryption", "encryption") => value != "off",
        ("large_dnode", "dnodesize") => value != "legacy",
        ("sha512" | "skein" | "edonr" | "blake3", "checksum" | "dedup") => {
            value.trim_end_matches(",verify") == feature
        }
        _ => false,
    }
}

/// The first vdev that needs a feature: what it is, and where it stands.
fn vdev_that_needs(feature: &str, vdevs: &[LabVdev]) -> Option<(String, Range<usize>)> {
    let needs = |vdev: &&LabVdev| match feature {
        "allocation_classes" => {
            matches!(vdev.vdev.class, AllocationClass::Special | AllocationClass::Dedup)
        }
        "draid" => matches!(vdev.vdev.layout, Layout::Draid { .. }),
        _ => false,
    };
    let vdev = vdevs.iter().find(needs)?;
    let what = match (feature, vdev.vdev.class) {
        ("draid", _) => "a dRAID vdev",
        (_, AllocationClass::Dedup) => "a dedup vdev",
        _ => "a special vdev",
    };
    Some((what.to_owned(), vdev.span.clone()))
}
