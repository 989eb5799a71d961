//! Vdev sentences of a lab: read, added to a pool, and removed from it.

use super::context::{At, Context};
use crate::campaign::{AllocationClass, Vdev};
use std::ops::Range;
use zfs::property::Refused;
use zfs::vdev;

/// A vdev of a variant, with its place in the lab's text.
pub(super) use zfs::vdev::Placed as LabVdev;

/// What `remove` asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Removal {
    Class(AllocationClass, Range<usize>),
    Vdev(LabVdev),
}

/// A vdev of a sentence, whose bytes are at these of the lab's text.
fn absolute(placed: LabVdev, at: impl Fn(Range<usize>) -> Range<usize>) -> LabVdev {
    let drive_spans = placed.drive_spans.into_iter().map(&at).collect();
    LabVdev { vdev: placed.vdev, span: at(placed.span), drive_spans }
}

fn problems(cx: &Context<'_>, text: &At<String>, problems: Vec<(Range<usize>, Refused)>) {
    for (span, Refused { message, fix }) in problems {
        cx.error(cx.within(text, span), message, fix);
    }
}

/// The property, by its path in a lab, and the value where vdevs should be: `recordsize = 8K`, as in `zfs set`.
fn setting(text: &str) -> Option<(String, &str)> {
    let (name, value) = text.split_once('=')?;
    let (name, value) = (name.trim(), value.trim().trim_matches(['"', '\'']));
    let path = if name.contains('.') { name.to_owned() } else { format!("dataset.{name}") };
    (!name.contains(char::is_whitespace)).then_some((path, value))
}

/// Reads vdevs to be in a pool; and whether all of them were understood.
pub(super) fn read(cx: &Context<'_>, text: &At<String>) -> (Vec<LabVdev>, bool) {
    if let Some((property, value)) = setting(&text.value) {
        cx.error(
            text.span.clone(),
            format!("`{}` is a setting and not a vdev", text.value.trim()),
            format!("to compare values, make it a factor: {property} = [\"{value}\", …]; to set it in one variant, write `{property} = \"{value}\"` in [variants.NAME]"),
        );
        return (Vec::new(), false);
    }
    let (sentence, wrong) = vdev::parse(&text.value);
    let whole = wrong.is_empty();
    problems(cx, text, wrong);
    for (_, span) in sentence.bare {
        let span = cx.within(text, span);
        let word = cx.text.get(span.clone()).unwrap_or("the class").to_owned();
        cx.error(
            span,
            format!("no drive follows `{word}`"),
            format!("name its drives: `{word} hdd0`"),
        );
    }
    let at = cx.places(text);
    let vdevs = sentence.vdevs.into_iter().map(|placed| absolute(placed, &at)).collect();
    (vdevs, whole)
}

/// Reads vdevs to be taken out of a pool: a class keyword alone means all of that class.
pub(super) fn read_removal(cx: &Context<'_>, text: &At<String>) -> Vec<Removal> {
    let (sentence, wrong) = vdev::parse(&text.value);
    problems(cx, text, wrong);
    let at = cx.places(text);
    let classes = sentence.bare.into_iter().map(|(class, span)| Removal::Class(class, at(span)));
    let vdevs = sentence.vdevs.into_iter().map(|placed| Removal::Vdev(absolute(placed, &at)));
    classes.chain(vdevs).collect()
}

/// Takes out of `pool` what `removal` names; says so when it is not there, unless the pool is known
/// only in part.
pub(super) fn remove(cx: &Context<'_>, pool: &mut Vec<LabVdev>, removal: &Removal, broken: bool) {
    let before = pool.len();
    let (span, what) = match removal {
        Removal::Class(class, span) => {
            pool.retain(|vdev| vdev.vdev.class != *class);
            (span, cx.text.get(span.clone()).unwrap_or_default().to_owned())
        }
        Removal::Vdev(gone) => {
            pool.retain(|vdev| !is_same(&vdev.vdev, &gone.vdev));
            (&gone.span, vdev::summary(std::slice::from_ref(&gone.vdev)))
        }
    };
    if pool.len() == before && !broken {
        let there: Vec<Vdev> = pool.iter().map(|vdev| vdev.vdev.clone()).collect();
        let there = vdev::summary(&there);
        cx.missing(
            span.clone(),
            format!("there is no `{what}` to remove"),
            format!("the pool is: {}", if there.is_empty() { "empty" } else { &there }),
        );
    }
}

/// Whether two vdevs are one, in whatever order their drives are named.
fn is_same(one: &Vdev, other: &Vdev) -> bool {
    let drives = |vdev: &Vdev| {
        let mut drives = vdev.drives.clone();
        drives.sort();
        drives
    };
    (one.class, &one.layout) == (other.class, &other.layout) && drives(one) == drives(other)
}
