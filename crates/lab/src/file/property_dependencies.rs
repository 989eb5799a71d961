//! Properties of a dataset that ZFS takes only with others, as `zfs create` checks them.

use super::context::Context;
use super::settings::Setting;
use crate::campaign::inherited;
use std::collections::BTreeMap;

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
        if is_encrypted && !within && !own.contains_key("keyformat") {
            wrong(
                "encryption",
                "a dataset that is an encryption root needs `keyformat`".to_owned(),
                "add keyformat = \"passphrase\", \"raw\" or \"hex\"",
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
        if let Some(place) = own.get("keylocation").map(|setting| setting.value.value.as_str())
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
        if own.get("normalization").is_some_and(|set| set.value.value != "none")
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
