//! Dirty-data limits that differ between variants, and log limits that are stated.

use super::*;

/// S and the dirty-data limits of the machines.
fn limits(memory: &str, more: &str) -> (f64, Vec<u64>) {
    let lab = campaign(memory, more);
    let model = model(&lab, &HostLimits::MACHINE);
    let of = |variant| variant_model(&model, &lab.host, variant).dirty_data_max;
    (model.size, lab.variants.iter().map(of).collect())
}

#[test]
fn the_largest_dirty_limit_decides_whichever_variant_is_the_baseline() {
    let factor = |limits: &str| format!("[factors]\nmodule.zfs_dirty_data_max = [{limits}]\n");
    let (size, dirty) = limits("128G", &factor("\"1G\", \"8G\""));
    let (other, mut reversed) = limits("128G", &factor("\"8G\", \"1G\""));
    reversed.reverse();
    assert_eq!((size, &dirty), (other, &reversed));
    assert_eq!(dirty[1], 8 * dirty[0]);
}

#[test]
fn no_variants_dirty_limit_is_halved_below_the_least() {
    let factor = "[factors]\nmodule.zfs_dirty_data_max = [\"128M\", \"8G\"]\n";
    assert_eq!(limits("128G", factor).1, [64 << 20, 4 * GIB]);
}

#[test]
fn a_stated_dirty_limit_holds_for_a_variant_with_more_memory() {
    let more =
        "[variants.large]\nhost.memory = \"256G\"\n[scale]\nsize = 1\ndirty_data_max = \"1G\"\n";
    let (_, dirty) = limits("8G", more);
    assert!((GIB - 8..=GIB).contains(&dirty[1]), "but for rounding: {dirty:?}");
    assert!(dirty[0] < GIB, "reduced alike: {dirty:?}");
}

#[test]
fn a_stated_log_limit_shrinks_with_the_dirty_data_in_every_bound() {
    let more = "[variants.log]\nadd = \"log optane0\"\n[scale]\ndirty_data_max = \"128M\"\n";
    let stated = campaign("128G", &format!("{more}[module]\nzfs_wrlog_data_max = \"8G\"\n"));
    let [stated, default] =
        [stated, campaign("128G", more)].map(|lab| model(&lab, &HostLimits::MACHINE));
    assert_eq!(stated.wrlog_data_max, 256 << 20);
    assert_eq!((stated.size, stated.drives_hold), (default.size, default.drives_hold));
}
