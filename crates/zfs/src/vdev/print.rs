//! Vdevs printed as the words a person would type after `zpool create`.

use super::{DriveRef, Vdev};
use crate::{AllocationClass, Layout};
use std::mem::discriminant;

/// Puts vdevs into the order in which zpool reads them back as the same pool: data vdevs first,
/// then class by class; within a class single drives first, since a drive after a mirror would
/// become its member. Otherwise the order stays.
pub fn sort(vdevs: &mut [Vdev]) {
    let order = |class| AllocationClass::NAMED.iter().position(|named| *named == class);
    vdevs.sort_by_key(|vdev| (order(vdev.class), vdev.layout != Layout::Single));
}

/// The words after `zpool create NAME`, one drive a word.
pub fn words(vdevs: &[Vdev]) -> Vec<String> {
    sentence(vdevs, |drives| drives.iter().map(DriveRef::to_string).collect())
}

/// The same in short, with ranges: `raidz2 hdd[0-5] raidz2 hdd[6-11] log mirror optane[0-1]`.
pub fn summary(vdevs: &[Vdev]) -> String {
    sentence(vdevs, ranges).join(" ")
}

fn sentence(vdevs: &[Vdev], drives: impl Fn(&[DriveRef]) -> Vec<String>) -> Vec<String> {
    let mut sorted = vdevs.to_vec();
    sort(&mut sorted);
    let mut words = Vec::new();
    let mut class = AllocationClass::Normal;
    // Single drives of a class that follow each other are one list.
    let mut list: Vec<DriveRef> = Vec::new();
    for vdev in sorted {
        if vdev.class != class {
            words.extend(drives(&list));
            list.clear();
            class = vdev.class;
            words.push(class.keyword().to_owned());
        }
        match vdev.layout.keyword(vdev.drives.len()) {
            None => list.extend(vdev.drives),
            Some(word) => {
                words.extend(drives(&list));
                list.clear();
                words.push(word);
                words.extend(drives(&vdev.drives));
            }
        }
    }
    words.extend(drives(&list));
    words
}

/// Drives as a person would write them: `hdd[0-5]`, `hdd7`.
pub fn ranges(drives: &[DriveRef]) -> Vec<String> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = drives.get(at) {
        let run = drives[at..]
            .iter()
            .zip(first.index..)
            .take_while(|(drive, index)| drive.kind == first.kind && drive.index == *index)
            .count();
        words.push(match run {
            1 => first.to_string(),
            n => format!("{}[{}-{}]", first.kind, first.index, first.index as usize + n - 1),
        });
        at += run;
    }
    words
}

/// Whether `zpool create` refuses the pool as of mismatched replication without `-f`, by the rules
/// of `get_replication` in zpool_vdev.c: log, cache and spare drives do not count; vdevs of one kind
/// must be equally wide, those of different kinds survive the same number of failures, and the drives of
/// one, of which `capacity` tells the bytes by kind, be equally large. Neighbours are compared.
pub fn needs_force(vdevs: &[Vdev], capacity: impl Fn(&str) -> Option<u64>) -> bool {
    // `ZPOOL_FUZZ`: sizes of "the same" drives differ a little.
    const FUZZ: u64 = 16 << 20;
    let survives = |vdev: &Vdev| vdev.layout.tolerance(vdev.drives.len() as u32);
    let compared: Vec<&Vdev> =
        vdevs.iter().filter(|vdev| AllocationClass::DATA.contains(&vdev.class)).collect();
    let uneven = |vdev: &&Vdev| {
        let sizes = || vdev.drives.iter().filter_map(|drive| capacity(&drive.kind));
        let (least, most) = (sizes().min(), sizes().max());
        least.zip(most).is_some_and(|(least, most)| most - least > FUZZ)
    };
    let mismatched = |pair: &[&Vdev]| {
        let (one, other) = (pair[0], pair[1]);
        let of_one_kind = discriminant(&one.layout) == discriminant(&other.layout);
        let has_disk = one.layout == Layout::Single || other.layout == Layout::Single;
        let alike = match of_one_kind {
            true => has_disk || one.drives.len() == other.drives.len(),
            false => !has_disk,
        };
        !alike || survives(one) != survives(other)
    };
    compared.iter().any(uneven) || compared.windows(2).any(mismatched)
}
