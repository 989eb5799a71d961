//! Quotas and reservations of datasets as OpenZFS counts them (`dsl_dir_set_reservation_check`,
//! `dsl_dataset_set_refreservation_check`): in bytes of [`super::sizes::space`].

use crate::campaign::Variant;
use crate::units;

/// A quota that is too small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Exceeded<'a> {
    pub dataset: &'a str,
    /// `quota` or `refquota`.
    pub name: &'static str,
    /// As the lab states it.
    pub stated: &'a str,
    /// What it would have to hold, bytes.
    pub needed: u64,
}

/// Bytes that a dataset takes of those above it, where `files` says what each dataset holds.
pub(crate) fn claim(variant: &Variant, dataset: &str, files: &dyn Fn(&str) -> u64) -> u64 {
    let children = variant.datasets.keys().filter(|name| parent(variant, name) == Some(dataset));
    let below = children.map(|child| claim(variant, child, files));
    let used = below.fold(own(variant, dataset, files), u64::saturating_add);
    used.max(stated(variant, dataset, "reservation").map_or(0, |(_, bytes)| bytes))
}

/// The smallest quota that does not hold what is in it.
pub(crate) fn exceeded<'a>(
    variant: &'a Variant,
    files: &dyn Fn(&str) -> u64,
) -> Option<Exceeded<'a>> {
    let of = |dataset: &'a str, name: &'static str, needed: u64| {
        let (stated, most) = stated(variant, dataset, name)?;
        (needed > most).then_some((most, Exceeded { dataset, name, stated, needed }))
    };
    let datasets = variant.datasets.keys();
    let all = datasets.flat_map(|dataset| {
        let referenced = of(dataset, "refquota", own(variant, dataset, files));
        [of(dataset, "quota", claim(variant, dataset, files)), referenced]
    });
    all.flatten().min_by_key(|(most, _)| *most).map(|(_, exceeded)| exceeded)
}

/// What a dataset takes without those below it.
fn own(variant: &Variant, dataset: &str, files: &dyn Fn(&str) -> u64) -> u64 {
    let reserved = stated(variant, dataset, "refreservation").map_or(0, |(_, bytes)| bytes);
    reserved.max(files(dataset))
}

/// A limit or reservation of a dataset's own; none for `none`.
fn stated<'a>(variant: &'a Variant, dataset: &str, name: &str) -> Option<(&'a str, u64)> {
    let text = variant.datasets.get(dataset)?.get(name)?;
    Some((text, units::size(text).ok()?))
}

/// The nearest dataset above that the lab names. Nothing is stated of those between.
fn parent<'a>(variant: &Variant, dataset: &'a str) -> Option<&'a str> {
    if dataset.is_empty() {
        return None;
    }
    let mut above =
        std::iter::successors(dataset.rsplit_once('/'), |(name, _)| name.rsplit_once('/'));
    Some(above.find(|(name, _)| variant.datasets.contains_key(*name)).map_or("", |(name, _)| name))
}
