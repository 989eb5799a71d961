use super::*;
use crate::campaign::{Campaign, DriveRef};
use crate::{Diagnostic, NoFiles, Profiles, load};

const GIB: u64 = 1 << 30;

/// A machine that holds anything.
const ROOMY: HostLimits = HostLimits {
    memory: 4096 * GIB,
    store_bytes: 4096 * GIB,
    cores: 64,
};

fn read(memory: &str, more: &str) -> Result<Campaign, Vec<Diagnostic>> {
    let text = format!(
        r#"
openzfs = "2.1"
[host]
memory = "{memory}"
cores = 32
[drives]
hdd = "6x hdd-7200-16t"
optane = "1x p1600x-118g"
nvme = "1x pm9a3-3.84t"
[pool]
ashift = 12
vdevs = "raidz2 hdd[0-5]"
[dataset]
recordsize = "16K"
[workloads.w]
fio.job = """
[w]
rw=randwrite
bs=16k
numjobs=8
size=20g
runtime=30
"""
{more}
"#
    );
    let (campaign, _) = load("t.toml", &text, &NoFiles, &Profiles::builtin())?;
    Ok(campaign)
}

fn campaign(memory: &str, more: &str) -> Campaign {
    read(memory, more).unwrap_or_else(|said| panic!("{said:#?}"))
}

/// Why a machine does not model a lab, or no machine does.
#[track_caller]
fn refusal(memory: &str, more: &str, limits: &HostLimits) -> String {
    match read(memory, more) {
        Ok(campaign) => resolve(&campaign, limits).unwrap_err().message,
        Err(said) => said[0].message.clone(),
    }
}

fn model(campaign: &Campaign, limits: &HostLimits) -> Model {
    resolve(campaign, limits).unwrap_or_else(|e| panic!("{e:#?}"))
}

fn cap(model: &Model, name: &str) -> f64 {
    model
        .caps
        .iter()
        .find(|cap| cap.rule.name() == name)
        .map_or(f64::NAN, |cap| cap.bound)
}

#[test]
fn arc_and_dirty_limits_are_those_of_the_version() {
    // OpenZFS: arc_default_max and arc_init; a host of 128 GiB has a dirty limit of 4 GiB.
    let old = campaign("128G", "");
    let (host, variant) = (&old.host, &old.variants[0]);
    assert_eq!(arc_max(host, variant), 64 * GIB);
    assert_eq!(dirty_data_max(host, variant), 4 * GIB);
    let small = campaign("8G", "");
    assert_eq!(dirty_data_max(&small.host, variant), 8 * GIB / 10);
    let new = campaign("128G", "[variants.new]\nopenzfs = \"2.3\"\n");
    assert_eq!(arc_max(&new.host, &new.variants[1]), 127 * GIB);
    let set = campaign(
        "128G",
        "[module]\nzfs_arc_max = \"100G\"\nzfs_dirty_data_max = \"1G\"\n",
    );
    assert_eq!(arc_max(&set.host, &set.variants[0]), 100 * GIB);
    assert_eq!(dirty_data_max(&set.host, &set.variants[0]), GIB);
}

#[test]
fn a_machine_that_holds_it_all_models_it_at_full_size() {
    let model = model(&campaign("128G", ""), &ROOMY);
    assert_eq!(model.size, 1.0);
    assert_eq!(model.size_bound_by, "nothing: full size fits");
    assert_eq!(model.dirty_data_max, model.dirty_data_max_real);
    assert!(model.notes.is_empty(), "{:?}", model.notes);
}

#[test]
fn memory_binds_and_the_dirty_limit_follows_with_a_word_about_bursts() {
    let campaign = campaign("128G", "");
    let model = model(
        &campaign,
        &HostLimits {
            memory: 24 * GIB,
            ..ROOMY
        },
    );
    assert_eq!(model.size_bound_by, "memory");
    // (24 GiB × 0.6 − 768 MiB) ÷ 1.25 holds an ARC of 10.92 GiB: 64 ÷ 10.92 = 5.86, in two figures.
    assert_eq!(model.size, 5.9);
    // 64 GiB ÷ 5.9 is no longer four times 4 GiB, but it is four times half of that.
    assert_eq!(model.dirty_data_max, 2 * GIB);
    assert_eq!(model.wrlog_data_max, 2 * model.dirty_data_max);
    assert!(
        model.notes.iter().any(|note| note.contains("bursts last")),
        "{:?}",
        model.notes
    );
    let physmem = campaign.host.memory as f64 / model.size;
    assert_eq!(model.physmem, physmem as u64);
}

#[test]
fn what_a_small_store_cannot_churn_is_not_made_dirty() {
    // Four txgs of 4 GiB on a raidz2 of records of 16K (× 2), and the log beside them.
    let limits = HostLimits {
        memory: 24 * GIB,
        store_bytes: 40 * GIB,
        cores: 2,
    };
    let model = model(&campaign("128G", ""), &limits);
    assert_eq!(model.size_bound_by, "backing store");
    assert!(model.dirty_data_max < model.dirty_data_max_real);
    assert!(model.size <= cap(&model, "dirty data"));
    assert_eq!(hold(&model, &limits), Ok(()));
    let less = HostLimits {
        store_bytes: limits.store_bytes / 2,
        ..limits
    };
    let said = hold(&model, &less).unwrap_err();
    assert!(said.contains("free where they lie"), "{said}");
    let little = HostLimits {
        memory: 1 << 30,
        ..limits
    };
    assert!(hold(&model, &little).unwrap_err().contains("ARC"));
    let room = limits.store_bytes as f64 * caps::STORE_SHARE;
    let filled = model.drives_hold as f64 / room;
    assert!((0.9..=1.0).contains(&filled), "{filled} of what bound S");
}

#[test]
fn small_files_reduce_the_dirty_limit_instead_of_being_refused() {
    let more = "[workloads.small]\nfio.job = \"\"\"\n[s]\nrw=randwrite\nbs=16k\nsize=1g\nruntime=3\n\"\"\"\n";
    let limits = HostLimits {
        memory: 8 * GIB,
        ..ROOMY
    };
    let model = model(&campaign("32G", more), &limits);
    assert_eq!(model.size_bound_by, "memory");
    assert!(model.size > 2.0 && model.size <= cap(&model, "coalescing"));
    assert!(model.dirty_data_max < model.dirty_data_max_real);
    assert!(
        model.notes.iter().any(|n| n.contains("dirty")),
        "{:?}",
        model.notes
    );
}

#[test]
fn a_stated_dirty_limit_is_taken_and_widens_the_caps() {
    let reduced = campaign("128G", "[scale]\nsize = 32\ndirty_data_max = \"256M\"\n");
    let limits = HostLimits {
        memory: 16 * GIB,
        store_bytes: 100 * GIB,
        cores: 2,
    };
    let model = model(&reduced, &limits);
    assert_eq!(model.size, 32.0);
    assert_eq!(model.size_bound_by, "the lab");
    assert_eq!(
        (model.dirty_data_max, model.wrlog_data_max),
        (256 << 20, 512 << 20)
    );
    // 64 GiB ÷ (4 × 256 MiB)
    assert_eq!(cap(&model, "dirty data"), 64.0);
    // 5 % of 160 GiB ÷ (20 % of 256 MiB)
    assert_eq!(cap(&model, "coalescing").round(), 160.0);
    assert!(model.notes[0].contains("16.0 times"), "{:?}", model.notes);
}

#[test]
fn a_scale_beyond_a_cap_is_refused_by_the_name_of_the_cap() {
    let limits = HostLimits {
        memory: 64 * GIB,
        ..ROOMY
    };
    for (more, word) in [
        (
            "[scale]\nsize = 2000\ndirty_data_max = \"16M\"\n",
            "dirty data",
        ),
        (
            "[scale]\nsize = 500\ndirty_data_max = \"256M\"\n",
            "dirty data",
        ),
        // Eight clients of 20 GiB each.
        (
            "[scale]\nsize = 1300\ndirty_data_max = \"16M\"\n[module]\nzfs_arc_max = \"120G\"\n",
            "clients",
        ),
        ("[scale]\nsize = 1\n", "memory"),
    ] {
        let refused = refusal("128G", more, &limits);
        assert!(refused.contains(word), "{word}: {refused}");
    }
    let tiny = HostLimits {
        memory: GIB,
        ..ROOMY
    };
    assert!(resolve(&campaign("128G", ""), &tiny).is_err_and(|e| e.message.contains("memory")));
    let full = HostLimits {
        store_bytes: GIB,
        ..ROOMY
    };
    assert!(
        resolve(&campaign("128G", ""), &full).is_err_and(|e| e.message.contains("backing store"))
    );
}

/// A record that is written again is fed again, for as long as a trial runs: what a cache drive comes to
/// hold is the feed's and not the files', until the drive is full.
#[test]
fn a_cache_drive_holds_what_writers_have_fed_to_it() {
    let hold = |cache: &str, method: &str| {
        let more = format!(
            "[variants.both]\n{cache}\n[module]\nl2arc_write_max = \"80M\"\n[method]\n{method}\n[scale]\nsize = 128\ndirty_data_max = \"64M\"\n"
        );
        model(&campaign("128G", &more), &ROOMY).drives_hold as f64
    };
    let cached = "add = [\"cache nvme0\"]";
    let none = hold(
        "dataset.atime = \"off\"",
        "ramp = \"12s\"\nruntime = \"8s\"",
    );
    let of_feed = |method: &str| hold(cached, method) - none;
    let data = (160 * GIB / 128) as f64;
    // 80 MiB and 8 of boost, five times a second, for 20 s.
    let fed = ((5 * 88 * 20u64) << 20) as f64;
    let within =
        |got: f64, wanted: f64| assert!((got / wanted - 1.0).abs() < 0.01, "{got} {wanted}");
    within(of_feed("ramp = \"12s\"\nruntime = \"8s\""), data + fed);
    within(of_feed("runtime = \"5s\""), data + fed / 4.0);
    let full = drive_capacity(&campaign("128G", "").variants[0], "nvme").unwrap_or(0) / 128;
    within(of_feed("ramp = \"90s\"\nruntime = \"30s\""), full as f64);
    // The least S says the same.
    let store = |runtime: &str| {
        let more = format!(
            "[variants.both]\n{cached}\n[method]\nruntime = \"{runtime}\"\n[scale]\ndirty_data_max = \"64M\"\n"
        );
        let limits = HostLimits {
            store_bytes: 12 * GIB,
            ..ROOMY
        };
        let model = model(&campaign("128G", &more), &limits);
        assert_eq!(super::hold(&model, &limits), Ok(()));
        cap(&model, "backing store")
    };
    assert!(
        store("50s") > 1.2 * store("5s"),
        "{} {}",
        store("50s"),
        store("5s")
    );
}

#[test]
fn stocks_shrink_and_the_log_does_not() {
    let campaign = campaign(
        "128G",
        "[variants.both]\nadd = [\"log optane0\", \"cache nvme0\"]\n[scale]\nsize = 32\ndirty_data_max = \"256M\"\n",
    );
    let model = model(&campaign, &ROOMY);
    let both = &campaign.variants[1];
    let sizes = drive_sizes(&model, both);
    let drive = |kind: &str| {
        sizes[&DriveRef {
            kind: kind.to_owned(),
            index: 0,
        }]
    };
    let real = |kind: &str| drive_capacity(both, kind).unwrap_or(0);
    assert_eq!(drive("optane"), real("optane") >> 20 << 20);
    assert_eq!(drive("hdd"), (real("hdd") / 32) >> 20 << 20);
    assert_eq!(drive("nvme"), (real("nvme") / 32) >> 20 << 20);
}

/// Lists × interval is an S-th of the real machine's, and what is written in a second is the same.
#[test]
fn the_feed_of_an_l2arc_comes_as_much_more_often_as_the_arc_is_smaller() {
    const MIB: i64 = 1 << 20;
    let feed = |size: f64, own: &str| {
        let campaign = campaign(
            "128G",
            &format!(
                "[variants.both]\nadd = [\"cache nvme0\"]\n{own}\n[scale]\nsize = {size}\ndirty_data_max = \"64M\"\n"
            ),
        );
        let of = of_variant(
            &model(&campaign, &ROOMY),
            &campaign.host,
            &campaign.variants[1],
        );
        assert!(!of.module.contains_key("l2arc_headroom"));
        let written = |name: &str| of.module.get(name).copied();
        let (most, boost) = (written("l2arc_write_max"), written("l2arc_write_boost"));
        (of.module[LISTS], of.feed_interval, most, boost)
    };
    let default = Some(8 * MIB);
    assert_eq!(feed(1.0, ""), (32, 1.0, default, default));
    assert_eq!(feed(8.0, ""), (4, 1.0, default, default));
    assert_eq!(feed(64.0, ""), (1, 0.5, Some(4 * MIB), Some(4 * MIB)));
    let (lists, interval, most, _) = feed(20.0, "");
    assert_eq!((lists, interval), (2, 32.0 / 2.0 / 20.0));
    assert_eq!(most, Some((8.0 * MIB as f64 * 0.8).round() as i64));
    assert_eq!(
        feed(
            64.0,
            "[module]\nl2arc_write_max = \"64M\"\nl2arc_write_boost = 0"
        ),
        (1, 0.5, Some(32 * MIB), Some(0))
    );
    let own = "[module]\nzfs_multilist_num_sublists = 64";
    assert_eq!(feed(8.0, own).0, 8);
    // Half as often as it should, so that four records fit.
    assert_eq!(
        feed(128.0, "dataset.recordsize = \"1M\""),
        (1, 0.5, Some(4 * MIB), Some(4 * MIB))
    );
    let campaign = campaign("128G", "");
    let without = model(&campaign, &ROOMY);
    assert_eq!(without.feed_interval, 1.0);
    assert!(!without.module.contains_key("l2arc_write_max"));
}

#[test]
fn a_file_has_as_many_indirect_blocks_as_on_the_real_machine() {
    let shift = |size: f64, own: &str| {
        let campaign = campaign(
            "128G",
            &format!("[scale]\nsize = {size}\ndirty_data_max = \"128M\"\n{own}"),
        );
        model(&campaign, &ROOMY)
            .module
            .get("zfs_default_ibs")
            .copied()
    };
    assert_eq!(shift(1.0, ""), None, "128 KiB, as it is");
    assert_eq!(shift(4.0, ""), Some(15));
    assert_eq!(shift(11.0, ""), Some(14), "the nearest: an eighth");
    assert_eq!(shift(32.0, ""), Some(12));
    assert_eq!(shift(64.0, ""), Some(12), "no smaller ones exist");
    assert_eq!(
        shift(16.0, "[module]\nzfs_default_ibs = 14\n"),
        None,
        "the lab's own"
    );
}

#[test]
fn a_variants_own_parameters_scale_with_it() {
    let campaign = campaign(
        "128G",
        "[variants.less]\nmodule.zfs_arc_max = \"16G\"\n[scale]\nsize = 4\ndirty_data_max = \"512M\"\n",
    );
    let model = model(&campaign, &ROOMY);
    assert_eq!(model.arc_max, 16 * GIB);
    assert_eq!(
        of_variant(&model, &campaign.host, &campaign.variants[1]).arc_max,
        4 * GIB
    );
}

#[test]
fn parameters_that_size_a_stock_of_memory_shrink_with_it() {
    let campaign = campaign(
        "128G",
        "[scale]\nsize = 32\ndirty_data_max = \"256M\"\n[module]\nzfs_arc_meta_limit = \"8G\"\nzfs_arc_dnode_limit = 0\nl2arc_write_max = \"64M\"\n",
    );
    let variant = &campaign.variants[0];
    let scaled = of_variant(&model(&campaign, &ROOMY), &campaign.host, variant).module;
    assert_eq!(scaled.get("zfs_arc_meta_limit"), Some(&(256 << 20)));
    assert_eq!(scaled.get("zfs_arc_dnode_limit"), None, "its default");
    assert_eq!(scaled.get("l2arc_write_max"), None, "a rate");
}

#[test]
fn space_on_drives_is_counted_with_what_a_dataset_inherits() {
    let mut campaign = campaign("128G", "[datasets.db]\nrecordsize = \"4K\"\n");
    let one = demand::demand(&campaign).expansion;
    let root = campaign.variants[0].datasets.get_mut("").unwrap();
    root.insert("copies".to_owned(), "2".to_owned());
    assert_eq!(demand::demand(&campaign).expansion, 2.0 * one);
}

#[test]
fn raidz_takes_the_space_that_openzfs_allocates() {
    // notes of vdev_raidz_asize: 8K on any raidz2 of 4K sectors takes 24K, 128K on six drives 196K.
    let variant = &campaign("128G", "").variants[0];
    let raidz2 = &variant.pool.vdevs[0];
    assert_eq!(sizes::expansion(raidz2, 8 << 10, 12), 3.0);
    assert_eq!(
        (sizes::expansion(raidz2, 128 << 10, 12) * 128.0).round(),
        192.0
    );
}

#[test]
fn an_ashift_left_to_openzfs_follows_the_sectors_that_drives_report() {
    let mut campaign = campaign("128G", "[datasets.db]\nrecordsize = \"4K\"\n");
    let variant = &mut campaign.variants[0];
    variant.pool.ashift = None;
    let taken = |v: &crate::campaign::Variant| sizes::stored(v, "db", &v.pool.vdevs[0]);
    assert_eq!(taken(variant), 3.0, "one sector and two of parity");
    variant.pool.ashift = Some(9);
    assert_eq!(taken(variant), 3.0, "a raidz does not keep 9");
    variant.pool.ashift = None;
    let hdd = variant.drives.get_mut("hdd").unwrap();
    hdd.numbers["reported_sector"] = 512.into();
    assert_eq!(
        taken(variant),
        1.5,
        "eight sectors in two rows of four, and parity"
    );
}

#[test]
fn the_estimate_counts_the_fewest_trials() {
    let campaign = campaign(
        "128G",
        "[scale]\nsize = 32\ntime = 5\ndirty_data_max = \"256M\"\n[method]\nmin_trials = 3\nramp = \"5s\"\n",
    );
    let estimate = estimate(&campaign, &model(&campaign, &ROOMY));
    assert_eq!((estimate.cells, estimate.trials), (1, 3));
    assert_eq!(estimate.virtual_s, 105.0);
    assert_eq!(estimate.wall_s.0, estimate.wall_s.1);
    assert!(estimate.wall_s.0 > 5.0 * 105.0);
}

#[test]
fn another_size_to_check_with_must_keep_the_model_true_too() {
    let with = |factor: &str| {
        format!("[method]\nsize_check = [{factor}]\n[scale]\nsize = 32\ndirty_data_max = \"256M\"")
    };
    // An ARC of 64 GiB allows S ≤ 64 with 256 MiB of dirty data.
    let fits = campaign("128G", &with("2"));
    assert_eq!(model(&fits, &ROOMY).size, 32.0);
    let refused = refusal("128G", &with("4"), &ROOMY);
    assert!(refused.contains("size_check = 4"), "{refused}");
    assert!(refused.contains("dirty data"), "{refused}");
}

#[test]
fn files_that_no_pool_could_hold_are_refused_where_they_are_laid_out() {
    // raidz2 of six disks of 16 TB: 58.2 TiB of drives' 87.3, less what 16K records cost on it.
    let of = |job: &str, size: &str| {
        let more = format!(
            "[workloads.large]\nfio.job = \"[w]\\n{job}\\nruntime=30\\n\"\nsize = \"{size}\"\n"
        );
        let read = read("64G", &more).map_err(|said| said[0].message.clone());
        read.err().unwrap_or_default()
    };
    let refused = of("rw=randread", "70T");
    assert!(refused.contains("come to 70"), "{refused}");
    assert!(refused.contains("holds about"), "{refused}");
    let mixed = of("rw=readwrite", "70T");
    assert!(mixed.contains("holds about"), "{mixed}");
    // fio begins on holes, and ends when its time is over.
    assert!(!of("rw=randwrite", "70T").contains("holds about"));
    assert!(!of("rw=randread", "20T").contains("holds about"));
    let small = of("rw=randread\\nbuffer_compress_percentage=60", "70T");
    assert!(!small.contains("holds about"), "{small}");
}

#[test]
fn a_ramp_of_the_jobs_own_counts_for_the_time_a_campaign_takes() {
    let more = "[workloads.ramp]\nfio.job = \"[w]\\nrw=read\\nsize=20g\\nruntime=30\\nramp_time=10m\\n\"\n";
    let of = |more: &str| {
        let campaign = campaign("64G", more);
        estimate(&campaign, &model(&campaign, &ROOMY)).virtual_s
    };
    assert_eq!(of(more) - of(""), 2.0 * (30.0 + 600.0));
    let more = "[workloads.whole]\nfio.job = \"[w]\\nrw=read\\nsize=20g\\n\"\n";
    let campaign = campaign("64G", more);
    let found = estimate(&campaign, &model(&campaign, &ROOMY));
    assert_eq!(found.untimed, ["whole"]);
}
