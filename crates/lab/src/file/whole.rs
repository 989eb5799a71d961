//! What only the whole lab shows, once all of it is understood: what no machine could model, variants that are
//! alike, a reduction that reduces nothing.

use super::cx::Cx;
use crate::campaign::{Campaign, Variant};
use crate::diagnostic::Diagnostic;
use crate::model::{self, HostLimits};
use crate::units::about;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Checks a campaign whose file has no other mistake.
pub(super) fn check(cx: &Cx<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    impossible(cx, table, campaign);
    alike(cx, table, &campaign.variants);
    arc(cx, table, campaign);
    let real = campaign.variants.first();
    let real = real.map(|baseline| model::dirty_data_max(&campaign.host, baseline));
    if let (Some(stated), Some(real)) = (campaign.scale.dirty_data_max, real)
        && stated > real
    {
        cx.note(
            place(table, &["scale", "dirty_data_max"]).0,
            format!(
                "the real machine's zfs_dirty_data_max is {}: a scale model has no more of it",
                about(real)
            ),
        );
    }
}

/// What a machine of any size would refuse to model.
fn impossible(cx: &Cx<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    let refuse = |path: &[&str], wrong: Diagnostic| cx.say(wrong.at(cx.file, place(table, path).0));
    let mut rest = campaign.clone();
    for (workload, wrong) in model::beyond_pools(campaign) {
        refuse(&["workloads", workload, "size"], wrong);
        rest.workloads.retain(|other| other.name != workload);
    }
    let factors = std::mem::take(&mut rest.method.size_check);
    let resolve = |campaign: &Campaign| model::resolve(campaign, &HostLimits::BOUNDLESS);
    if let Err(wrong) = resolve(&rest) {
        refuse(&["scale", "size"], wrong);
        return;
    }
    rest.method.size_check = factors;
    if let Err(wrong) = resolve(&rest) {
        refuse(&["method", "size_check"], wrong);
    }
}

/// Sizes of an ARC that OpenZFS passes over.
fn arc(cx: &Cx<'_>, table: &DeTable<'_>, campaign: &Campaign) {
    const NAME: &str = "zfs_arc_max";
    for variant in &campaign.variants {
        let Some(bytes) = model::unheeded_arc(&campaign.host, variant) else {
            continue;
        };
        let own = place(table, &["variants", &variant.name, "module", NAME]);
        let base = place(table, &["module", NAME]);
        let span = [own, base].into_iter().find(|(_, whole)| *whole);
        cx.warning(
            span.map_or_else(|| place(table, &["factors"]).0, |(span, _)| span),
            format!("OpenZFS passes over zfs_arc_max = {}", about(bytes)),
            "64M or more, and less than the machine's memory",
        );
    }
}

/// Variants that differ in nothing but their names: an A/A comparison, or a slip.
fn alike(cx: &Cx<'_>, table: &DeTable<'_>, variants: &[Variant]) {
    let is = |variant: &Variant| Variant {
        name: String::new(),
        levels: Default::default(),
        ..variant.clone()
    };
    let all: Vec<Variant> = variants.iter().map(is).collect();
    for (at, variant) in variants.iter().enumerate() {
        let Some(first) = all.iter().take(at).position(|other| *other == all[at]) else {
            continue;
        };
        let path: &[&str] = match variant.levels.is_empty() {
            true => &["variants", &variant.name],
            false => &["factors"],
        };
        cx.note(
            place(table, path).0,
            format!(
                "variants `{}` and `{}` are alike: what differs between them will be chance",
                variants[first].name, variant.name
            ),
        );
    }
}

/// Where a path stands: its value, or the key of the last table of it that is written; and whether all of it is.
fn place(mut table: &DeTable<'_>, path: &[&str]) -> (Range<usize>, bool) {
    let mut at = 0..0;
    for name in path {
        let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else {
            return (at, false);
        };
        match value.get_ref() {
            DeValue::Table(inner) => (at, table) = (key.span(), inner),
            _ => return (value.span(), true),
        }
    }
    (at, true)
}
