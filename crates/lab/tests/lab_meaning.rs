//! What a lab file means.

mod common;

use common::*;
use lab::campaign::{AllocationClass, Filesystem, MdLevel, OpenZfs, Processor, Program, Stack};
use lab::{Diagnostic, Profiles, Severity, load_on};

#[test]
fn another_release_takes_the_place_of_the_labs_own_but_not_of_a_variants() {
    let text = "openzfs = \"2.3\"\n[host]\nmemory = \"64G\"\n[drives]\nhdd = \"2x hdd-7200-8t\"\n\
                [pool]\nvdevs = \"mirror hdd[0-1]\"\n[variants.a]\n[variants.b]\nopenzfs = \"2.3\"\n\
                [workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\n\"\n";
    let on = Some(OpenZfs::V2_4);
    let (campaign, _) = load_on(on, "t.toml", text, &Here, &Profiles::builtin()).unwrap();
    let release = |name: &str| {
        let variant = campaign.variants.iter().find(|v| v.name == name);
        variant.map(|v| v.openzfs)
    };
    assert_eq!(release("a"), on);
    assert_eq!(release("b"), Some(OpenZfs::V2_3));
}

#[test]
fn a_lab_without_factors_is_one_variant_called_base() {
    let campaign = campaign(BASE);
    assert_eq!(campaign.name, "the-lab");
    assert_eq!(names(&campaign), ["base"]);
    assert_eq!(campaign.method.baseline, "base");
    let variant = &campaign.variants[0];
    assert_eq!(variant.pool.vdevs.len(), 3);
    assert_eq!(variant.datasets[""]["recordsize"], "16K");
    assert_eq!(variant.module["zfs_txg_timeout"], 5);
    assert_eq!(variant.drives["nvme"].numbers["flush"], "honest");
    assert!(variant.drives["hdd"].numbers["capacity"]["value"].as_f64().is_some_and(|b| b > 15e12));
    let Program::Fio { origin, job } = &campaign.workloads[0].program else {
        panic!("{:?}", campaign.workloads[0].program);
    };
    assert_eq!(origin, "jobs/sync.fio");
    assert!(job.contains("rw=randwrite"));
}

#[test]
fn a_setting_of_a_server_with_a_fraction_or_a_switch_is_a_factor() {
    let campaign = campaign(&format!(
        "{BASE}[factors]\npostgresql.random_page_cost = [1.1, 4.0]\npostgresql.full_page_writes = [true, false]\n"
    ));
    assert_eq!(names(&campaign), ["1.1/on", "1.1/off", "4.0/on", "4.0/off"]);
    assert_eq!(campaign.variants[1].servers["postgresql"]["full_page_writes"], "off");
}

#[test]
fn a_memory_that_is_the_hosts_is_no_difference() {
    let host = campaign(BASE).host.memory;
    let campaign = campaign(&format!(
        "{BASE}[variants.same]\nhost.memory = {host}\n[variants.more]\nhost.memory = \"1T\"\n"
    ));
    let memory = |name: &str| campaign.variants.iter().find(|v| v.name == name).unwrap().memory;
    assert_eq!((memory("same"), memory("more")), (None, Some(1 << 40)));
}

#[test]
fn factors_make_every_combination_in_the_order_of_the_file() {
    let campaign = campaign(&format!(
        r#"{BASE}
[factors]
log = {{ none = "", mirror = "log mirror optane[0-1]" }}
cache = {{ none = "", nvme = "cache nvme0" }}
[variants.big-records]
dataset.recordsize = "1M"
remove = "special"
"#
    ));
    assert_eq!(
        names(&campaign),
        ["none/none", "none/nvme", "mirror/none", "mirror/nvme", "big-records"]
    );
    let both = &campaign.variants[3];
    assert_eq!(both.levels["log"], "mirror");
    assert_eq!(both.levels["cache"], "nvme");
    assert_eq!(
        zfs::vdev::summary(&both.pool.vdevs),
        "raidz2 hdd[0-5] raidz2 hdd[6-11] special mirror meta[0-1] log mirror optane[0-1] cache nvme0"
    );
    let big = &campaign.variants[4];
    assert!(big.levels.is_empty());
    assert_eq!(big.datasets[""]["recordsize"], "1M");
    assert!(big.pool.vdevs.iter().all(|v| v.class == AllocationClass::Normal));
}

#[test]
fn the_baseline_comes_first_and_the_others_keep_their_order() {
    let campaign = campaign(&format!(
        "{BASE}[factors]\nlog = {{ z = \"\", a = \"log optane0\", m = \"log optane1\" }}\n[method]\nbaseline = \"m\"\n"
    ));
    assert_eq!(names(&campaign), ["m", "z", "a"]);
}

#[test]
fn a_list_under_a_path_is_a_factor_of_its_own() {
    let campaign = campaign(&format!(
        "{BASE}[factors]\ndataset.recordsize = [\"8K\", \"1M\"]\nmodule.zfs_txg_timeout = [5, 30]\n"
    ));
    assert_eq!(names(&campaign), ["8K/5", "8K/30", "1M/5", "1M/30"]);
    assert_eq!(campaign.variants[3].datasets[""]["recordsize"], "1M");
    assert_eq!(campaign.variants[3].module["zfs_txg_timeout"], 30);
    assert_eq!(campaign.variants[3].levels["recordsize"], "1M");
}

#[test]
fn ablation_tries_each_setting_alone_and_each_left_out() {
    let campaign = campaign(&format!(
        r#"{BASE}
[ablate]
records = {{ dataset.recordsize = "128K" }}
bias = {{ dataset.logbias = "throughput" }}
log = {{ add = "log optane0" }}
"#
    ));
    assert_eq!(
        names(&campaign),
        [
            "none", "only-records", "only-bias", "only-log", "all-but-records", "all-but-bias",
            "all-but-log", "all"
        ]
    );
    let but_bias = &campaign.variants[5];
    assert_eq!(but_bias.levels["bias"], "off");
    assert!(!but_bias.datasets[""].contains_key("logbias"));
    assert_eq!(but_bias.datasets[""]["recordsize"], "128K");
}

#[test]
fn a_child_dataset_and_an_inline_job_need_no_other_file() {
    let campaign = campaign(&format!(
        "{BASE}[datasets.wal]\nlogbias = \"throughput\"\n[workloads.wal]\ndataset = \"wal\"\nsize = \"4G\"\nfio.job = \"\"\"\n[w]\nrw=write\nsize=1g\n\"\"\"\n"
    ));
    assert_eq!(campaign.variants[0].datasets["wal"]["logbias"], "throughput");
    let wal = campaign.workloads.iter().find(|w| w.name == "wal");
    assert_eq!(wal.map(|w| (w.dataset.as_str(), w.size)), Some(("wal", Some(4 << 30))));
}

#[test]
fn vdevs_of_a_variant_replace_those_of_the_pool() {
    let campaign = campaign(&format!(
        "{BASE}[variants.mirrors]\nvdevs = \"mirror hdd[0-1] mirror hdd[2-3]\"\nadd = \"log optane0\"\n"
    ));
    assert_eq!(names(&campaign), ["base", "mirrors"]);
    assert_eq!(
        zfs::vdev::summary(&campaign.variants[1].pool.vdevs),
        "mirror hdd[0-1] mirror hdd[2-3] log optane0"
    );
}

#[test]
fn vdevs_of_one_factor_keep_what_another_adds_in_either_order() {
    let log = "log = { none = \"\", m = \"log mirror optane[0-1]\" }\n";
    let data = "pool.vdevs = [\"mirror hdd[0-1]\", \"mirror hdd[2-3]\"]\n";
    for [first, second] in [[log, data], [data, log]] {
        let campaign = campaign(&format!("{BASE}[factors]\n{first}{second}"));
        let with_log: Vec<bool> = campaign
            .variants
            .iter()
            .map(|variant| variant.pool.has(AllocationClass::Log))
            .collect();
        let named: Vec<bool> =
            campaign.variants.iter().map(|variant| variant.levels["log"] == "m").collect();
        assert_eq!(with_log, named, "{first}{second}");
    }
}

#[test]
fn settings_without_effect_are_accepted_with_a_note() {
    let text = format!("{BASE}[datasets.x]\nxattr = \"sa\"\nmountpoint = \"/x\"\n");
    let Ok((_, diagnostics)) = read(&text) else { panic!("refused") };
    let notes: Vec<&Diagnostic> =
        diagnostics.iter().filter(|d| d.severity == Severity::Note).collect();
    assert!(
        notes.iter().any(|d| d.message.contains("`xattr` has no effect in the machine")),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|d| d.message.contains("`mountpoint` does not affect the results")),
        "{notes:?}"
    );
}

#[test]
fn ladders_warm_ups_sensitivity_and_money_are_read_or_refused() {
    let text = format!(
        "{}[workloads.x]\nfio = \"jobs/sync.fio\"\nrates = [400, 100]\n[method]\nwarm_up = \"2m\"\nrestart = true\nsensitivity = [0.5, 1, 2]\n[variants.more]\nhost.memory = \"192G\"\n",
        BASE.replacen("memory = ", "memory_price = 4\nmemory = ", 1)
    );
    let Ok((campaign, _)) = read(&text) else { panic!("refused: {:#?}", read(&text).map(drop)) };
    let open = campaign.workloads.iter().find(|w| w.name == "x");
    assert_eq!(
        open.and_then(|w| w.rates.clone()),
        Some(lab::campaign::Rates::Stated(vec![100.0, 400.0]))
    );
    assert_eq!(campaign.method.warm_up_s, 120.0);
    assert!(campaign.method.restart);
    assert_eq!(campaign.method.sensitivity, [0.5, 2.0]);
    let more = campaign.variants.iter().find(|v| v.name == "more");
    assert_eq!(more.map(|v| v.host(&campaign.host).memory), Some(192 << 30));
    assert_eq!(more.and_then(|v| v.price(&campaign.host)), None, "drives without a price");
    let mut priced = campaign.variants[0].clone();
    for kind in priced.drives.values_mut() {
        kind.price = Some(100.0);
    }
    let drives: usize = priced.pool.vdevs.iter().map(|v| v.drives.len()).sum();
    let gib = (campaign.host.memory >> 30) as f64;
    assert_eq!(priced.price(&campaign.host), Some(100.0 * drives as f64 + 4.0 * gib));

    refused("[method]\nwarm_up = \"warm\"\n", "\"warm\"", "not a duration", "20m");
    let repeated = format!("{BASE}[method]\nsize_check = [1.4, 1.2, 1.2]\n");
    let Ok((repeated, _)) = read(&repeated) else { panic!("{:?}", errors(&repeated)) };
    let repeated = repeated.method.size_check;
    assert_eq!(repeated, [1.2, 1.4], "each once");
    refused("[method]\nsize_check = [1]\n", "1", "out of range", "1.1 to 1000");
    refused("[method]\nrestart = true\n", "true", "`restart` needs `warm_up`", "warm_up");
    refused("[method]\nsensitivity = [0]\n", "0", "out of range", "0.05 to 20");
    refused("[variants.more]\nhost.memory = \"1M\"\n", "\"1M\"", "between 1G", "128G");
    refused("[variants.more]\nhost.cores = 4\n", "cores", "no key", "memory");
}

#[test]
fn a_factor_may_be_on_a_dataset_with_a_dot_in_its_name_and_on_one_key_of_two_datasets() {
    let text = format!(
        "{BASE}[datasets.\"pg.16\"]\n[factors]\ndataset.recordsize = [\"16K\", \"1M\"]\ndatasets.\"pg.16\".recordsize = [\"8K\", \"16K\"]\n"
    );
    let campaign = campaign(&text);
    assert_eq!(names(&campaign), ["16K/8K", "16K/16K", "1M/8K", "1M/16K"]);
    let levels = &campaign.variants[2].levels;
    assert_eq!(levels["dataset.recordsize"], "1M");
    assert_eq!(levels["datasets.pg.16.recordsize"], "8K");
    assert_eq!(campaign.variants[2].property("pg.16", "recordsize"), Some("8K"));
}

#[test]
fn a_dataset_has_what_those_above_it_have() {
    let text =
        format!("{BASE}[datasets.a]\natime = \"off\"\n[datasets.\"a/b\"]\nsync = \"disabled\"\n");
    let campaign = campaign(&text);
    let value = |dataset, name| campaign.variants[0].property(dataset, name);
    assert_eq!(value("a/b", "atime"), Some("off"));
    assert_eq!(value("a/b", "sync"), Some("disabled"));
    assert_eq!(value("a/b", "recordsize"), Some("16K"));
    assert_eq!(value("a", "sync"), Some("always"));
    assert_eq!(value("", "atime"), None);
}

fn warnings(text: &str) -> Vec<String> {
    match read(&format!("{BASE}{text}")) {
        Ok((_, diagnostics)) => diagnostics
            .into_iter()
            .filter(|d| d.severity == Severity::Warning)
            .map(|d| d.message)
            .collect(),
        Err(diagnostics) => panic!("{diagnostics:#?}"),
    }
}

#[test]
fn a_dataset_that_no_workload_uses_is_a_misspelt_one() {
    let lab = |changed: &str| {
        format!(
            "[datasets.db]\nrecordsize = \"128K\"\n[workloads.db]\ndataset = \"db\"\nfio.job = \"\"\"\n[w]\nrw=randwrite\nsize=1G\n\"\"\"\n\
             [variants.small]\ndatasets.{changed}.recordsize = \"8K\"\n"
        )
    };
    let found = |changed: &str| {
        let mut all = warnings(&lab(changed));
        all.retain(|message| message.starts_with("no workload uses dataset"));
        all
    };
    assert_eq!(found("bd"), ["no workload uses dataset `bd`"]);
    assert_eq!(found("\"b\\u0064\""), ["no workload uses dataset `bd`"]);
    assert_eq!(found("db"), [""; 0]);
}

#[test]
fn special_small_blocks_is_compared_with_each_datasets_recordsize() {
    let warnings = |text: &str| {
        let mut all = warnings(text);
        all.retain(|message| !message.starts_with("no workload uses dataset"));
        all
    };
    let inherits = "[datasets.wide]\nrecordsize = \"1M\"\n[datasets.\"wide/db\"]\nspecial_small_blocks = \"128K\"\n";
    assert_eq!(warnings(inherits), [""; 0]);
    let narrow = "[datasets.db]\nspecial_small_blocks = \"8K\"\n[datasets.\"db/wal\"]\nrecordsize = \"8K\"\n";
    let found = warnings(narrow);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("all data of dataset `db/wal`"), "{found:?}");
}

#[test]
fn a_lab_that_names_no_release_runs_the_newest_with_compute_charged() {
    let campaign = campaign(&BASE.replace("openzfs = \"2.4\"\n", ""));
    assert_eq!(campaign.variants[0].openzfs, OpenZfs::V2_4);
    assert_eq!(campaign.host.processor, Processor::Charged);
}

#[test]
fn compute_may_be_free() {
    let free = BASE.replacen("cores = 32", "cores = 32\nprocessor = \"free\"", 1);
    assert_eq!(campaign(&free).host.processor, Processor::Free);
    let diagnostics = errors(&free.replace("\"free\"", "\"cheap\""));
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert!(diagnostics[0].contains("`processor` cannot be `cheap`"), "{diagnostics:?}");
}

#[test]
fn a_baseline_among_the_named_variants_brings_no_base() {
    let variants =
        "[variants.a]\ndataset.recordsize = \"8K\"\n[variants.b]\ndataset.recordsize = \"1M\"\n";
    let with = |method: &str| campaign(&format!("{BASE}{variants}{method}"));
    assert_eq!(names(&with("[method]\nbaseline = \"b\"\n")), ["b", "a"]);
    assert_eq!(names(&with("")), ["base", "a", "b"]);
    let base = "[method]\nbaseline = \"base\"\n";
    assert_eq!(names(&with(base)), ["base", "a", "b"]);
    let lab = with("[method]\nbaseline = \"b\"\n");
    assert_eq!(lab.variants[1].property("", "sync"), Some("always"));
    let factors = format!(
        "{BASE}{variants}[factors]\nlog = {{ none = \"\", one = \"log optane0\" }}\n[method]\nbaseline = \"a\"\n"
    );
    assert_eq!(names(&campaign(&factors)), ["a", "none", "one", "b"]);
}

#[test]
fn an_array_stands_beside_a_pool_on_the_same_drives() {
    let text = format!(
        "{BASE}[variants.pool]\n[variants.array]\nstack = \"md\"\nmd = \"raid10 hdd[0-3] chunk=64K\"\nfilesystem = \"ext4\"\nmount_options = \"noatime\"\n[method]\nbaseline = \"pool\"\n"
    );
    let campaign = campaign(&text);
    assert_eq!(names(&campaign), ["pool", "array"]);
    assert_eq!(campaign.variants[0].stack, Stack::Zfs);
    let variant = &campaign.variants[1];
    let Stack::Filesystem(array) = &variant.stack else { panic!("{:?}", variant.stack) };
    assert_eq!((array.level, array.chunk), (Some(MdLevel::Raid10), Some(64 << 10)));
    assert_eq!(array.filesystem, Filesystem::Ext4);
    assert_eq!(array.mount_options, "noatime");
    let drives: Vec<String> = variant.used_drives().map(ToString::to_string).collect();
    assert_eq!(drives, ["hdd0", "hdd1", "hdd2", "hdd3"]);
    assert!(variant.pool.vdevs.is_empty() && variant.module.is_empty());
    let back: lab::campaign::Variant =
        serde_json::from_value(serde_json::to_value(variant).unwrap()).unwrap();
    assert_eq!(&back, variant);
}

#[test]
fn a_lab_may_be_an_array_alone() {
    let text = "stack = \"md\"\nmd = \"raid5 ssd[0-2]\"\n[host]\nmemory = \"8G\"\n[drives]\nssd = \"3x pm883-3.84t\"\n\
                [workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\n\"\n";
    let campaign = campaign(text);
    assert_eq!(names(&campaign), ["base"]);
    let Stack::Filesystem(array) = &campaign.variants[0].stack else { panic!("no array") };
    assert_eq!((array.level, array.filesystem), (Some(MdLevel::Raid5), Filesystem::Xfs));
    assert_eq!(array.copies(), 1.5);
}

#[test]
fn a_file_system_on_one_drive_stands_beside_a_pool_and_leaves_an_array_aside() {
    let text = "stack = \"md\"\nmd = \"raid5 ssd[0-2]\"\nfilesystem = \"xfs\"\n\
                mount_options = \"logbsize=256k\"\n[host]\nmemory = \"8G\"\n\
                [drives]\nssd = \"3x pm883-3.84t\"\n\
                [workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\n\"\n\
                [variants.lone]\nstack = \"ext4\"\ndrive = \"ssd2\"\nmount_options = \"noatime\"\n\
                [variants.plain]\nstack = \"ext4\"\ndrive = \"ssd2\"\n\
                [variants.pool]\nstack = \"zfs\"\nvdevs = \"ssd0\"\n";
    let campaign = campaign(text);
    let stack = |name: &str| &campaign.variants.iter().find(|v| v.name == name).unwrap().stack;
    let Stack::Filesystem(lone) = stack("lone") else { panic!("{:?}", stack("lone")) };
    assert_eq!((lone.level, lone.chunk, lone.filesystem), (None, None, Filesystem::Ext4));
    assert_eq!((lone.name(), lone.mount_options.as_str()), ("ext4", "noatime"));
    assert_eq!(lone.copies(), 1.0);
    let Stack::Filesystem(plain) = stack("plain") else { panic!("no file system") };
    assert_eq!(plain.mount_options, "", "those of xfs stay with the array");
    assert_eq!(stack("pool"), &Stack::Zfs);
    let Stack::Filesystem(array) = stack("base") else { panic!("no array") };
    assert_eq!((array.level, array.name()), (Some(MdLevel::Raid5), "md"));
    let lone = campaign.variants.iter().find(|v| v.name == "lone").unwrap();
    let drives: Vec<String> = lone.used_drives().map(ToString::to_string).collect();
    assert_eq!(drives, ["ssd2"]);
    let json = serde_json::to_value(lone).unwrap();
    // The keys of trials of arrays, which were measured before there were lone drives, are the same.
    assert_eq!(
        serde_json::to_value(array).unwrap()["level"],
        serde_json::json!("raid5"),
        "{json:#}"
    );
    assert_eq!(&serde_json::from_value::<lab::campaign::Variant>(json).unwrap(), lone);
}

#[test]
fn what_the_machine_changes_in_a_job_is_noted_at_its_line() {
    let text = format!(
        "{BASE}[workloads.x]\nfio.job = \"\"\"\n[w]\nrw=read\nsize=1g\nclocksource=cpu\ncpus_allowed=0-3\n\"\"\"\n"
    );
    let Ok((_, diagnostics)) = read(&text) else { panic!("refused") };
    let notes: Vec<String> =
        lines(&text, &diagnostics).into_iter().filter(|line| line.starts_with("c")).collect();
    assert_eq!(notes.len(), 2, "{notes:#?}");
    assert!(notes[0].starts_with("clocksource=cpu | `clocksource=cpu` becomes"));
    assert!(notes[1].starts_with("cpus_allowed=0-3 | `cpus_allowed=0-3` is left out"));
}

#[test]
fn special_vdevs_take_the_intent_log_from_2_4_on_where_there_is_no_log_vdev() {
    let class = |release: &str, vdevs: &str| {
        let text = format!(
            "openzfs = \"{release}\"\n[host]\nmemory = \"64G\"\n[drives]\nhdd = \"2x hdd-7200-8t\"\nssd = \"3x pm983-960g\"\n\
             [pool]\nvdevs = \"{vdevs}\"\n[workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\n\"\n"
        );
        campaign(&text).variants[0].log_class()
    };
    let special = "mirror hdd[0-1] special mirror ssd[0-1]";
    assert_eq!(class("2.3", special), AllocationClass::Normal);
    assert_eq!(class("2.4", special), AllocationClass::Special);
    assert_eq!(class("2.4", "mirror hdd[0-1]"), AllocationClass::Normal);
    assert_eq!(class("2.4", &format!("{special} log ssd2")), AllocationClass::Log);
}
