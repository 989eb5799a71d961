//! Reservations that `zfs create` refuses, because there is no such room.

use super::context::Context;
use super::settings::Setting;
use crate::campaign::Variant;
use crate::model::reserved::{claim, exceeded};
use crate::model::space;
use crate::units::{self, about};
use std::collections::BTreeMap;

/// Checks what the datasets of a variant reserve against their quotas and the pool.
pub(super) fn check(
    cx: &Context<'_>,
    settings: &BTreeMap<String, BTreeMap<String, Setting>>,
    variant: &Variant,
) {
    // Vdevs that were not understood may be what holds it.
    if cx.errors() > 0 {
        return;
    }
    let empty = |_: &str| 0;
    if let Some(quota) = exceeded(variant, &empty)
        && let Some(setting) = settings.get(quota.dataset).and_then(|own| own.get(quota.name))
    {
        cx.error(
            setting.value.span.clone(),
            format!(
                "`{}` is smaller than what is reserved within it, {}",
                quota.name,
                about(quota.needed)
            ),
            "use a larger quota, or reserve less",
        );
        return;
    }
    let (reserved, space) = (claim(variant, "", &empty), space(variant));
    let reservations = settings
        .values()
        .flat_map(BTreeMap::values)
        .filter(|setting| matches!(setting.name.value.as_str(), "reservation" | "refreservation"));
    let largest = reservations.max_by_key(|setting| units::size(&setting.value.value).unwrap_or(0));
    if let Some(setting) = largest.filter(|_| reserved > space) {
        cx.error(
            setting.value.span.clone(),
            format!(
                "the datasets reserve {}, but the pool holds about {}",
                about(reserved),
                about(space)
            ),
            "reserve less, or model larger drives",
        );
    }
}
