use super::*;
use crate::campaign::{Campaign, DriveRef};
use crate::{Diagnostic, NoFiles, Profiles, load};

mod dirty_limits;
mod dirty_records;
mod endless_writes;
mod estimates;
mod notes;
mod room;

const GIB: u64 = 1 << 30;

/// Memory that holds anything.
const ROOMY: HostLimits = HostLimits { memory: 4096 * GIB };

fn read(memory: &str, more: &str) -> Result<Campaign, Vec<Diagnostic>> {
    let text = format!(
        r#"
openzfs = "2.4"
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
    read(memory, more).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// Why a lab is not modelled.
#[track_caller]
fn refusal(memory: &str, more: &str, limits: &HostLimits) -> String {
    match read(memory, more) {
        Ok(campaign) => resolve(&campaign, limits).unwrap_err().message,
        Err(diagnostics) => diagnostics[0].message.clone(),
    }
}

fn model(campaign: &Campaign, limits: &HostLimits) -> Model {
    resolve(campaign, limits).unwrap_or_else(|e| panic!("{e:#?}"))
}

fn cap(model: &Model, name: &str) -> f64 {
    model.caps.iter().find(|cap| cap.rule.name() == name).map_or(f64::NAN, |cap| cap.bound)
}

#[test]
fn arc_and_dirty_limits_are_those_of_openzfs() {
    // OpenZFS: arc_default_max and arc_init; a host of 128 GiB has a dirty limit of 4 GiB.
    let lab = campaign("128G", "");
    let (host, variant) = (&lab.host, &lab.variants[0]);
    assert_eq!(arc_max(host, variant), 127 * GIB);
    assert_eq!(dirty_data_max(host, variant), 4 * GIB);
    let small = campaign("8G", "");
    assert_eq!(dirty_data_max(&small.host, variant), 8 * GIB / 10);
    let set = campaign("128G", "[module]\nzfs_arc_max = \"100G\"\nzfs_dirty_data_max = \"1G\"\n");
    assert_eq!(arc_max(&set.host, &set.variants[0]), 100 * GIB);
    assert_eq!(dirty_data_max(&set.host, &set.variants[0]), GIB);
    // `arc_tuning_update` takes no limit above the memory.
    let beyond = campaign("128G", "[module]\nzfs_arc_max = \"200G\"\n");
    assert_eq!(arc_max(&beyond.host, &beyond.variants[0]), 127 * GIB);
}

#[test]
fn where_everything_fits_s_is_one() {
    let model = model(&campaign("128G", ""), &ROOMY);
    assert_eq!(model.size, 1.0);
    assert_eq!(model.size_bound_by, "nothing: full size fits");
    assert_eq!(model.dirty_data_max, model.dirty_data_max_real);
    assert!(model.notes.is_empty(), "{:?}", model.notes);
}

#[test]
fn the_variant_with_the_least_room_for_dirty_data_limits_s() {
    let factor = |limits: &str| format!("[factors]\nmodule.zfs_dirty_data_max = [{limits}]\n");
    let one = model(&campaign("128G", &factor("\"1G\", \"2G\"")), &ROOMY);
    // With the larger limit as the baseline the caps are the same.
    let other = model(&campaign("128G", &factor("\"2G\", \"1G\"")), &ROOMY);
    assert_eq!(cap(&one, "dirty data"), 127.0 / (4.0 * 2.0));
    assert_eq!(cap(&one, "dirty data"), cap(&other, "dirty data"));
    assert_eq!(cap(&one, "memory"), cap(&other, "memory"));
}

#[test]
fn memory_binds_and_the_dirty_limit_follows_with_a_note_about_bursts() {
    let campaign = campaign("128G", "");
    let limits = HostLimits { memory: 64 * GIB };
    let model = model(&campaign, &limits);
    assert_eq!(model.size_bound_by, "memory");
    // 127 GiB of ARC and 160 GiB of files, one and a half times on raidz2, shrink. With 2 GiB of dirty data these, 4
    // of log records, 1.25 of programs and rounding and 6 of churn do not: 367 ÷ (64 − 13.25) = 7.23, in two figures.
    assert_eq!(model.size, 7.3);
    assert_eq!(model.dirty_data_max, 2 * GIB);
    assert_eq!(model.wrlog_data_max, 2 * model.dirty_data_max);
    assert!(model.notes.iter().any(|note| note.contains("bursts last")), "{:?}", model.notes);
    assert_eq!(model.guest_memory % (256 << 20), 0);
    let needed = host_memory_needed(&model);
    let filled = needed as f64 / limits.memory as f64;
    assert!((0.95..=1.0).contains(&filled), "{filled} of what bound S");
}

#[test]
fn guest_memory_holds_arc_dirty_data_log_records_and_programs() {
    let lab = campaign(
        "128G",
        "[module]\nzfs_arc_max = \"64G\"\n[scale]\nsize = 64\ndirty_data_max = \"128M\"\n",
    );
    let model = model(&lab, &HostLimits::MACHINE);
    // 1 GiB + 128 MiB + 256 MiB + 1 GiB = 2,432 MiB, in quarters of a GiB.
    assert_eq!(model.guest_memory, 2560 << 20);
    // 160 GiB ÷ 64 and twice 128 MiB, one and a half times on raidz2.
    assert_eq!(model.drives_hold, 4224 << 20);
    assert_eq!(host_memory_needed(&model), (2560 + 4224) << 20);
}

#[test]
fn a_stated_s_may_exceed_the_memory_of_a_machine() {
    let lab = campaign("128G", "[scale]\nsize = 8\ndirty_data_max = \"128M\"\n");
    let model = model(&lab, &HostLimits::MACHINE);
    assert_eq!((model.size, &*model.size_bound_by), (8.0, "the lab"));
    assert!(cap(&model, "memory") > 8.0);
    assert!(host_memory_needed(&model) > HostLimits::MACHINE.memory);
}

#[test]
fn small_files_reduce_the_dirty_limit_instead_of_being_refused() {
    let more = "[workloads.small]\nfio.job = \"\"\"\n[s]\nrw=randwrite\nbs=16k\nsize=1g\nruntime=3\n\"\"\"\n";
    let campaign = campaign("32G", more);
    let model = model(&campaign, &HostLimits { memory: 64 * GIB });
    assert_eq!(model.size_bound_by, "memory");
    assert!(model.size > 2.0 && model.size <= cap(&model, "coalescing"));
    assert!(model.dirty_data_max < model.dirty_data_max_real);
    assert!(model.notes.iter().any(|n| n.contains("dirty")), "{:?}", model.notes);
}

#[test]
fn a_stated_dirty_limit_is_taken_and_widens_the_caps() {
    let reduced = campaign("128G", "[scale]\nsize = 32\ndirty_data_max = \"256M\"\n");
    let model = model(&reduced, &HostLimits::MACHINE);
    assert_eq!(model.size, 32.0);
    assert_eq!(model.size_bound_by, "the lab");
    assert_eq!((model.dirty_data_max, model.wrlog_data_max), (256 << 20, 512 << 20));
    // 127 GiB ÷ (4 × 256 MiB)
    assert_eq!(cap(&model, "dirty data"), 127.0);
    // 5 % of 160 GiB ÷ (20 % of 256 MiB)
    assert_eq!(cap(&model, "coalescing").round(), 160.0);
    assert!(model.notes[0].contains("16.0 times"), "{:?}", model.notes);
}

#[test]
fn a_scale_beyond_a_cap_is_refused_by_the_name_of_the_cap() {
    for (more, word) in [
        ("[scale]\nsize = 1200\ndirty_data_max = \"32M\"\n", "dirty data"),
        ("[scale]\nsize = 500\ndirty_data_max = \"256M\"\n", "dirty data"),
        // Eight clients of 20 GiB each.
        (
            "[scale]\nsize = 1300\ndirty_data_max = \"16M\"\n[module]\nzfs_arc_max = \"120G\"\n",
            "clients",
        ),
    ] {
        let refused = refusal("128G", more, &HostLimits::MACHINE);
        assert!(refused.contains(word), "{word}: {refused}");
    }
}

#[test]
fn if_no_s_within_the_caps_fits_the_memory_the_largest_one_is_used_with_a_note() {
    let lab = campaign("128G", "[scale]\ndirty_data_max = \"1G\"\n");
    // 367 GiB ÷ (20 − 7.25) = 28.8 is below 127 GiB ÷ 4 GiB.
    let fits = model(&lab, &HostLimits { memory: 20 * GIB });
    assert_eq!((fits.size, &*fits.size_bound_by), (29.0, "memory"));
    let model = model(&lab, &HostLimits::MACHINE);
    assert_eq!((model.size, &*model.size_bound_by), (31.0, "dirty data"));
    let needed = host_memory_needed(&model);
    assert!(needed > HostLimits::MACHINE.memory);
    assert!(
        model.notes.iter().any(|note| note.contains("one machine takes up to")),
        "{:?}",
        model.notes
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
    let none = hold("dataset.atime = \"off\"", "ramp = \"12s\"\nruntime = \"8s\"");
    let of_feed = |method: &str| hold(cached, method) - none;
    let data = (160 * GIB / 128) as f64;
    // 80 MiB and 32 of boost, five times a second, for 20 s.
    let fed = ((5 * 112 * 20u64) << 20) as f64;
    let within =
        |got: f64, wanted: f64| assert!((got / wanted - 1.0).abs() < 0.01, "{got} {wanted}");
    within(of_feed("ramp = \"12s\"\nruntime = \"8s\""), data + fed);
    within(of_feed("runtime = \"5s\""), data + fed / 4.0);
    let full = drive_capacity(&campaign("128G", "").variants[0], "nvme").unwrap_or(0) / 128;
    within(of_feed("ramp = \"90s\"\nruntime = \"30s\""), full as f64);
    // The least S says the same.
    let memory = |runtime: &str| {
        let more = format!(
            "[variants.both]\n{cached}\n[method]\nruntime = \"{runtime}\"\n[scale]\ndirty_data_max = \"64M\"\n[module]\nl2arc_write_max = \"8M\"\n"
        );
        let limits = HostLimits { memory: 12 * GIB };
        let model = model(&campaign("128G", &more), &limits);
        assert!(host_memory_needed(&model) <= limits.memory);
        cap(&model, "memory")
    };
    assert!(memory("50s") > 1.2 * memory("5s"), "{} {}", memory("50s"), memory("5s"));
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
    let drive = |kind: &str| sizes[&DriveRef { kind: kind.to_owned(), index: 0 }];
    let real = |kind: &str| drive_capacity(both, kind).unwrap_or(0);
    assert_eq!(drive("optane"), real("optane") >> 20 << 20);
    assert_eq!(drive("hdd"), (real("hdd") / 32) >> 20 << 20);
    assert_eq!(drive("nvme"), (real("nvme") / 32) >> 20 << 20);
}

/// Lists × interval is an S-th of the real server's, and what is written in a second is the same.
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
        let module = variant_model(
            &model(&campaign, &HostLimits::MACHINE),
            &campaign.host,
            &campaign.variants[1],
        )
        .module;
        assert!(!module.contains_key("l2arc_headroom"));
        let value = |name: &str| module.get(name).copied();
        let (most, boost) = (value("l2arc_write_max"), value("l2arc_write_boost"));
        let intervals = (value("l2arc_feed_ms"), value("l2arc_feed_min_ms"));
        (value(LISTS), intervals, most, boost)
    };
    let some = |value: i64| Some(value);
    let every = |ms: i64| (Some(ms), Some(ms / 5));
    let default = some(32 * MIB);
    assert_eq!(feed(1.0, ""), (some(32), every(1000), default, default));
    assert_eq!(feed(8.0, ""), (some(4), every(1000), default, default));
    let half = some(16 * MIB);
    assert_eq!(feed(64.0, ""), (some(1), every(500), half, half));
    let (lists, intervals, most, _) = feed(20.0, "");
    assert_eq!((lists, intervals), (some(2), every(800)));
    assert_eq!(most, some((32.0 * MIB as f64 * 0.8).round() as i64));
    assert_eq!(
        feed(
            64.0,
            "[module]\nl2arc_write_max = \"64M\"\nl2arc_write_boost = 0\nl2arc_feed_min_ms = 50\nl2arc_feed_secs = 2"
        ),
        (some(1), (some(1000), some(25)), some(32 * MIB), some(0))
    );
    let own = "[module]\nzfs_multilist_num_sublists = 64";
    assert_eq!(feed(8.0, own).0, some(8));
    // An eighth as often as it should, so that four records fit.
    let large = feed(128.0, "dataset.recordsize = \"4M\"");
    assert_eq!(large, (some(1), every(500), half, half));
    let campaign = campaign("128G", "");
    let without = model(&campaign, &ROOMY);
    assert!(!without.module.contains_key("l2arc_write_max"));
}

#[test]
fn a_machine_loads_the_module_with_scaled_stocks_and_everything_else_as_written() {
    let lab = campaign(
        "128G",
        "[module]\nzfs_arc_max = \"64G\"\nzfs_arc_min = \"32G\"\nzfs_txg_timeout = 7\nzfs_dirty_data_max_percent = 5\n[scale]\nsize = 32\ndirty_data_max = \"256M\"\n",
    );
    let variant = &lab.variants[0];
    let all = parameters(&model(&lab, &HostLimits::MACHINE), &lab.host, variant);
    let value = |name: &str| all.get(name).copied();
    assert_eq!(value("zfs_arc_max"), Some(2 << 30));
    assert_eq!(value("zfs_arc_min"), Some(1 << 30));
    assert_eq!(value("zfs_dirty_data_max"), Some(256 << 20));
    assert_eq!(value("zfs_wrlog_data_max"), Some(512 << 20));
    assert_eq!(value("zfs_txg_timeout"), Some(7));
    assert_eq!(value("zfs_dirty_data_max_percent"), None, "of the guest's memory");
    // A 32nd of the server's memory where the lab does not say, and not of the guest's.
    let lab = campaign("128G", "[scale]\nsize = 32\ndirty_data_max = \"256M\"\n");
    let model = model(&lab, &HostLimits::MACHINE);
    let all = parameters(&model, &lab.host, &lab.variants[0]);
    assert_eq!(all["zfs_arc_min"], 128 << 20);
    // Half of a limit that is below that.
    let lab = campaign("128G", "[module]\nzfs_arc_max = \"2G\"\n[scale]\nsize = 1\n");
    let model = self::model(&lab, &ROOMY);
    assert_eq!(parameters(&model, &lab.host, &lab.variants[0])["zfs_arc_min"], 1 << 30);
}

#[test]
fn an_array_scales_like_a_pool_and_has_no_module() {
    let lab = campaign(
        "8G",
        "[variants.array]\nstack = \"md\"\nmd = \"raid6 hdd[0-5]\"\n[scale]\nsize = 16\ndirty_data_max = \"64M\"\n",
    );
    let whole = model(&lab, &HostLimits::MACHINE);
    let array = &lab.variants[1];
    let own = variant_model(&whole, &lab.host, array);
    assert!(own.module.is_empty());
    assert_eq!(own.guest_memory, whole.guest_memory);
    let sizes = drive_sizes(&own, array);
    assert_eq!(sizes.len(), 6);
    let real = drive_capacity(array, "hdd").unwrap_or(0);
    assert!(sizes.values().all(|bytes| *bytes == (real / 16) >> 20 << 20));
    // Four of six drives hold data.
    assert_eq!(sizes::room(array, ""), real * 4);
}

#[test]
fn a_file_has_as_many_indirect_blocks_as_on_the_real_machine() {
    let shift = |size: f64, own: &str| {
        let campaign =
            campaign("128G", &format!("[scale]\nsize = {size}\ndirty_data_max = \"128M\"\n{own}"));
        model(&campaign, &ROOMY).module.get("zfs_default_ibs").copied()
    };
    assert_eq!(shift(1.0, ""), None, "128 KiB, as it is");
    assert_eq!(shift(4.0, ""), Some(15));
    assert_eq!(shift(11.0, ""), Some(14), "the nearest: an eighth");
    assert_eq!(shift(32.0, ""), Some(12));
    assert_eq!(shift(64.0, ""), Some(12), "no smaller ones exist");
    assert_eq!(shift(16.0, "[module]\nzfs_default_ibs = 14\n"), None, "the lab's own");
}

#[test]
fn a_variants_own_parameters_scale_with_it() {
    let campaign = campaign(
        "128G",
        "[variants.less]\nmodule.zfs_arc_max = \"16G\"\n[scale]\nsize = 4\ndirty_data_max = \"512M\"\n",
    );
    let model = model(&campaign, &ROOMY);
    assert_eq!(model.arc_max, 127 * GIB / 4);
    assert_eq!(variant_model(&model, &campaign.host, &campaign.variants[1]).arc_max, 4 * GIB);
}

#[test]
fn parameters_that_size_a_stock_of_memory_shrink_with_it() {
    let campaign = campaign(
        "128G",
        "[scale]\nsize = 32\ndirty_data_max = \"256M\"\n[module]\ndbuf_cache_max_bytes = \"8G\"\nzfs_arc_dnode_limit = 0\nl2arc_write_max = \"64M\"\n",
    );
    let variant = &campaign.variants[0];
    let scaled = variant_model(&model(&campaign, &ROOMY), &campaign.host, variant).module;
    assert_eq!(scaled.get("dbuf_cache_max_bytes"), Some(&(256 << 20)));
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
    assert_eq!((sizes::expansion(raidz2, 128 << 10, 12) * 128.0).round(), 192.0);
}

#[test]
fn an_ashift_left_to_openzfs_follows_the_sectors_that_drives_report() {
    let mut campaign = campaign("128G", "[datasets.db]\nrecordsize = \"4K\"\n");
    let variant = &mut campaign.variants[0];
    variant.pool.ashift = None;
    let taken = |v: &crate::campaign::Variant| sizes::stored(v, "db", &v.pool.vdevs[0]);
    assert_eq!(taken(variant), 3.0, "one sector and two of parity");
    variant.pool.ashift = Some(9);
    assert_eq!(taken(variant), 1.5, "eight sectors in two rows of four, and parity");
    variant.pool.ashift = None;
    let hdd = variant.drives.get_mut("hdd").unwrap();
    hdd.numbers["reported_sector"] = 512.into();
    assert_eq!(taken(variant), 1.5, "the same");
    variant.pool.ashift = Some(9);
    let hdd = variant.drives.get_mut("hdd").unwrap();
    hdd.numbers["logical_sector"] = 4096.into();
    assert_eq!(taken(variant), 3.0, "no less than a logical sector");
}

#[test]
fn size_check_must_stay_within_the_caps() {
    let with = |factor: &str| {
        format!("[method]\nsize_check = [{factor}]\n[scale]\nsize = 32\ndirty_data_max = \"256M\"")
    };
    // An ARC of 127 GiB allows S ≤ 127 with 256 MiB of dirty data.
    let fits = campaign("128G", &with("2"));
    assert_eq!(model(&fits, &ROOMY).size, 32.0);
    let refused = refusal("128G", &with("4"), &ROOMY);
    assert!(refused.contains("size_check = 4"), "{refused}");
    assert!(refused.contains("dirty data"), "{refused}");
}

#[test]
fn files_that_no_pool_could_hold_are_refused_where_they_are_laid_out() {
    // raidz2 of six disks of 16 TB: 58.2 TiB of drives' 87.3, less what 16K records cost on it.
    let refusal = |job: &str, size: &str| {
        let more = format!(
            "[workloads.large]\nfio.job = \"[w]\\n{job}\\nruntime=30\\n\"\nsize = \"{size}\"\n"
        );
        let read = read("64G", &more).map_err(|diagnostics| diagnostics[0].message.clone());
        read.err().unwrap_or_default()
    };
    let refused = refusal("rw=randread", "70T");
    assert!(refused.contains("need 70"), "{refused}");
    assert!(refused.contains("hold about"), "{refused}");
    let mixed = refusal("rw=readwrite", "70T");
    assert!(mixed.contains("hold about"), "{mixed}");
    // fio begins on holes, and ends when its time is over.
    assert!(!refusal("rw=randwrite", "70T").contains("hold about"));
    assert!(!refusal("rw=randread", "20T").contains("hold about"));
    let small = refusal("rw=randread\\nbuffer_compress_percentage=60", "70T");
    assert!(!small.contains("hold about"), "{small}");
}

#[test]
fn files_beyond_a_quota_are_refused_where_they_are_laid_out() {
    let refusal = |rw: &str, property: &str| {
        let more = format!(
            "[variants.a]\ndataset.{property}\n[workloads.large]\n\
             fio.job = \"[w]\\nrw={rw}\\nruntime=30\\n\"\nsize = \"2T\"\n"
        );
        let read = read("64G", &more).map_err(|diagnostics| diagnostics[0].message.clone());
        read.err().unwrap_or_default()
    };
    let refused = refusal("randread", "quota = \"1T\"");
    assert!(refused.contains("need 2") && refused.contains("has `quota=1T`"), "{refused}");
    assert!(refusal("randread", "refquota = \"500G\"").contains("has `refquota=500G`"));
    for fits in ["quota = \"3T\"", "quota = \"none\""] {
        assert_eq!(refusal("randread", fits), "", "{fits}");
    }
    // To run into a quota can be the question.
    assert_eq!(refusal("randwrite", "quota = \"1T\""), "");
}

#[test]
fn each_release_has_the_parameters_that_the_model_sets() {
    for openzfs in zfs::OpenZfs::ALL {
        for name in SET {
            assert!(zfs::module::lookup(name, openzfs).is_ok(), "{name} in {openzfs}");
        }
    }
}
