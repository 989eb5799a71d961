//! Diagnostics of labs that are invalid, or differ from their author's intention.

mod common;

use common::*;

#[test]
fn each_mistake_has_its_place_and_its_fix() {
    refused("[pooll]\n", "pooll", "a lab has no key `pooll`", "did you mean `pool`");
    refused(
        "[variants.a]\nadd = \"log optane[0-2]\"\n",
        "optane[0-2]",
        "too few drives `optane`",
        "optane[0-1]",
    );
    refused("[variants.a]\nadd = \"log hdd0\"\n", "hdd0", "`hdd0` is used twice", "its own drives");
    refused(
        "[variants.a]\nadd = \"raidz3 nvme0\"\n",
        "raidz3 nvme0",
        "needs at least 4 drives",
        "name at least 4 drives",
    );
    refused("[variants.a]\nremove = \"log\"\n", "log", "no `log` to remove", "raidz2 hdd[0-5]");
    refused(
        "[variants]\nbaseline = \"a\"\n[variants.a]\n",
        "\"a\"",
        "the baseline is named in [method]",
        "write `baseline = \"a\"` under [method]",
    );
    refused(
        "[variants.a]\nremove = \"cache nvme0\"\n",
        "nvme0",
        "no `cache nvme0` to remove",
        "special mirror",
    );
    refused(
        "[variants.a]\nadd = \"log obtane0\"\n",
        "obtane0",
        "no drives are called `obtane`",
        "did you mean `optane`",
    );
    refused(
        "[variants.a]\ndataset.recordsize = \"100K\"\n",
        "\"100K\"",
        "power of two",
        "64K or 128K",
    );
    refused(
        "[variants.a]\ndataset.recordsize = [\"16K\", \"128K\"]\n",
        "[\"16K\", \"128K\"]",
        "must not be an array",
        "list them in [factors]",
    );
    refused(
        "[variants.a]\ndataset.recordsise = \"16K\"\n",
        "recordsise",
        "is not a dataset property",
        "did you mean `recordsize`",
    );
    refused(
        "[variants.a]\npool.\"feature@drad\" = \"disabled\"\n",
        "\"feature@drad\"",
        "`feature@drad` is not a pool property",
        "did you mean `feature@draid`",
    );
    refused(
        "[variants.a]\npool.ashfit = 12\n", "ashfit", "`ashfit` is not a pool property",
        "did you mean `ashift`",
    );
    refused(
        "[variants.a]\nopenzfs = \"2.3\"\npool.\"feature@physical_rewrite\" = \"disabled\"\n",
        "\"feature@physical_rewrite\"",
        "OpenZFS 2.3 has no pool property",
        "it was added in 2.4",
    );
    refused("[variants.a]\ndataset.sync = \"yes\"\n", "\"yes\"", "cannot be `yes`", "standard");
    refused("[variants.a]\ndataset.atime = false\n", "false", "boolean", "\"off\"");
    refused(
        "[variants.a]\nmodule.l2arc_write_max_mb = 64\n",
        "l2arc_write_max_mb",
        "no module parameter",
        "did you mean `l2arc_write_max`",
    );
    refused("[variants.a]\nopenzfs = \"2.3.9\"\n", "\"2.3.9\"", "is not a release line", "\"2.3\"");
    refused(
        "[variants.a]\nopenzfs = \"2.1\"\n",
        "\"2.1\"",
        "the machine runs OpenZFS 2.3 and 2.4; OpenZFS 2.1 is not ported to it",
        "change the line: openzfs = \"2.4\"",
    );
    refused(
        "[scale]\ntime = 5\n",
        "time",
        "the time scale was removed: virtual time is exact",
        "remove the line",
    );
    refused(
        "[variants.a]\nopenzfs = \"2.2\"\n",
        "\"2.2\"",
        "the machine runs OpenZFS 2.3 and 2.4, not `2.2`",
        "\"2.3\", \"2.4\"",
    );
    refused("[variants.a]\npool.ashift = 20\n", "20", "`ashift` cannot be 20", "9 to 16");
    refused(
        "[variants.a]\ndrives.x = \"2x hdd-7200-16\"\n",
        "\"2x hdd-7200-16\"",
        "there is no drive profile",
        "did you mean `hdd-7200-16t`",
    );
    refused(
        "[variants.a]\ndrives.x = \"many hdd-7200-16t\"\n",
        "\"many hdd-7200-16t\"",
        "is not a number of drives",
        "12x",
    );
    refused(
        "[variants.a]\ndrives.x2 = \"2x hdd-7200-16t\"\n",
        "x2",
        "is not a valid name for a kind",
        "do not end with a digit",
    );
    refused(
        "[variants.a]\ndrives.x = { profile = \"hdd-7200-16t\", hdd = { rpm = -1 } }\n",
        "-1",
        "is not a valid drive",
        "docs/explanation/drives.md",
    );
    refused("[variants.\"a b\"]\n", "\"a b\"", "is not a valid name for a variant", "letters");
    refused(
        "[workloads.x]\nfio = \"jobs/sinc.fio\"\n",
        "\"jobs/sinc.fio\"",
        "cannot read",
        "did you mean `jobs/sync.fio`",
    );
    refused("[workloads.x]\n", "x", "has no program", "fio.job");
    // Once, at the first of them, with a job and without one.
    refused(
        "[workloads.x]\nfio = \"jobs/sync.fio\"\nbs = \"4k\"\nrw = \"read\"\n",
        "bs",
        "an option of fio",
        "fio.job",
    );
    refused(
        "[workloads.x]\nsize = \"1G\"\nrw = \"read\"\nbs = \"16k\"\n",
        "rw",
        "an option of fio",
        "fio.job",
    );
    refused(
        "[workloads.x]\nfio = \"jobs/sync.fio\"\ndataset = \"wal\"\n",
        "\"wal\"",
        "no variant has a dataset",
        "[datasets.wal]",
    );
    refused("[method]\nbaseline = \"bass\"\n", "\"bass\"", "no variant `bass`", "base");
    refused("[method]\nbudget = \"soon\"\n", "\"soon\"", "not a duration", "20m");
    refused("[method]\nprecision = 7\n", "7", "out of range", "0.001 to 1");
    refused("[scale]\nsize = 0.5\n", "0.5", "out of range", "1 to");
    refused("[scale]\ndirty_data_max = \"1M\"\n", "\"1M\"", "stalls", "256M");
    refused("[factors]\nlog = { none = \"\" }\n", "log", "fewer than two levels", "add another");
    refused("[factors]\nlog = \"log optane0\"\n", "\"log optane0\"", "needs levels", "none = \"\"");
}

#[test]
fn a_broken_job_file_is_shown_in_its_own_text() {
    let Err(diagnostics) = read(&format!("{BASE}[workloads.x]\nfio = \"jobs/broken.fio\"\n"))
    else {
        panic!("accepted")
    };
    let place = diagnostics[0].place.as_ref().map(|p| (p.file.as_str(), p.span.clone()));
    assert_eq!(place, Some(("jobs/broken.fio", 10..15)));
}

#[test]
fn all_mistakes_are_reported_at_once_in_the_order_of_the_file() {
    let text = r#"
openzfs = "2.5"
[host]
memory = "lots"
cores = 0
[drives]
hdd = "2x hdd-7200-16t"
[pool]
ashift = 99
vdevs = "raidz2 hdd[0-1] log ssd0"
[dataset]
recordsize = "3K"
[module]
l2arc_write_max_mb = 64
[workloads.a]
fio = "nowhere.fio"
[method]
budget = 0
"#;
    let diagnostics = errors(text);
    let found = |what: &str| diagnostics.iter().any(|line| line.contains(what));
    for what in [
        "2.5", "lots", "`cores`", "`ashift`", "raidz2 needs at least 3", "called `ssd`", "3K",
        "l2arc_write_max_mb", "nowhere.fio", "budget",
    ] {
        assert!(found(what), "{what} not in {diagnostics:#?}");
    }
    assert!(!found("no data vdev"), "the pool is there, but misspelt: {diagnostics:#?}");
    let Err(diagnostics) = read(text) else { panic!("accepted") };
    let starts: Vec<usize> = diagnostics
        .iter()
        .filter(|d| d.is_error())
        .filter_map(|d| Some(d.place.as_ref()?.span.start))
        .collect();
    assert!(starts.is_sorted(), "{starts:?}");
}

#[test]
fn a_mistake_in_the_base_is_reported_once_for_all_variants() {
    let text = format!("{BASE}[factors]\nlog = {{ a = \"\", b = \"log optane0\" }}\n")
        .replace("\"16K\"", "\"17K\"");
    assert_eq!(errors(&text).len(), 1);
}

#[test]
fn an_unknown_baseline_is_reported_beside_a_variant_that_is_wrong() {
    let broken = "[variants.slog]\ndataset.recordsize = \"17K\"\n";
    let diagnostics = errors(&format!("{BASE}{broken}[method]\nbaseline = \"slug\"\n"));
    assert_eq!(diagnostics.len(), 2, "{diagnostics:#?}");
    assert!(diagnostics.iter().any(|line| line.contains("no variant `slug`")), "{diagnostics:#?}");
    let unread = "[variants]\nslog = 7\n";
    let diagnostics = errors(&format!("{BASE}{unread}[method]\nbaseline = \"slog\"\n"));
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
}

#[test]
fn a_stack_within_the_pool_is_told_where_it_belongs() {
    let stack = "[pool]\nstack = \"md\"\nmd = \"raid6 hdd[0-5]\"\nfilesystem = \"xfs\"\n";
    let text = format!(
        "{stack}[host]\nmemory = \"8G\"\n[drives]\nhdd = \"6x hdd-7200-8t\"\n[workloads.w]\nfio.job = \"[j]\\nsize=1G\\n\"\n"
    );
    let diagnostics = errors(&text);
    assert_eq!(diagnostics.len(), 3, "{diagnostics:#?}");
    let help = "before the first section of the lab";
    assert!(diagnostics.iter().all(|line| line.contains("is in [pool]") && line.contains(help)));
}

#[test]
fn invalid_toml_is_reported_with_all_other_mistakes() {
    let text = BASE
        .replace("recordsize = \"16K\"", "recordsize = 16K")
        .replace("\"always\"", "\"allways\"");
    let diagnostics = errors(&text);
    assert!(diagnostics.iter().any(|line| line.contains("not TOML")), "{diagnostics:?}");
    assert!(diagnostics.iter().any(|line| line.contains("`always`")), "{diagnostics:?}");
    assert!(!errors("").is_empty(), "an empty file is no lab");
    let header = errors(&BASE.replace("[pool]", "[pool"));
    assert!(header.iter().all(|line| line.contains("not TOML")), "{header:?}");
}

#[test]
fn zero_or_too_many_variants_are_reported_with_the_mistakes_of_the_base() {
    refused("[factors]\n", "factors", "has no factor", "add one");
    let twice = "two settings that are combined state the pool's vdevs";
    refused(
        "[factors]\na = { one = { vdevs = \"hdd0\" }, two = \"\" }\npool.vdevs = [\"hdd1\", \"hdd2\"]\n",
        "vdevs",
        twice,
        "`add` or `remove`",
    );
    refused(
        "[ablate]\na = { vdevs = \"hdd0\" }\nb = { vdevs = \"hdd1\" }\n",
        "ablate",
        twice,
        "keep `vdevs` in one",
    );
    refused(
        "[factors]\nlog = { a = \"\", b = \"log optane0\" }\n[ablate]\nx = { dataset.atime = \"off\" }\ny = { dataset.sync = \"disabled\" }\n",
        "ablate",
        "[ablate] and [factors] cannot be used together",
        "a lab of their own",
    );
    let none = BASE.replace("vdevs = \"\"\"", "vdevs_ = \"\"\"");
    let diagnostics = errors(&format!("{none}[variants]\n").replace("\"16K\"", "\"17K\""));
    assert!(diagnostics.iter().any(|line| line.contains("has no variant")), "{diagnostics:#?}");
    let levels: Vec<String> = (0..20).map(|i| format!("l{i} = \"\"")).collect();
    let levels = levels.join(", ");
    let text = format!(
        "{BASE}[method]\nbaseline = \"l0/l1\"\n[factors]\na = {{ {levels} }}\nb = {{ {levels} }}\n"
    );
    let diagnostics = errors(&text.replace("\"lz4\"", "\"lz5\""));
    assert_eq!(diagnostics.len(), 2, "{diagnostics:#?}");
    assert!(diagnostics.iter().any(|line| line.contains("400 variants")));
    assert!(diagnostics.iter().any(|line| line.contains("`lz5`")));
}

#[test]
fn nothing_that_is_stated_is_passed_over() {
    refused(
        "[variants.a]\nvdevs = \"mirror hdd[0-1]\"\npool.vdevs = \"raidz hdd[0-2]\"\n",
        "\"mirror hdd[0-1]\"",
        "the pool's vdevs are given twice",
        "remove one",
    );
    refused(
        "[variants.a]\ndrives.x = { profile = \"pm983-960g\", capacity = 99999999999999999999 }\n",
        "99999999999999999999",
        "out of range",
        "docs/explanation/drives.md",
    );
    refused(
        "[variants.a]\ndrives.x = { profile = \"pm983-960g\", capacity = \"32M\" }\n",
        "{ profile = \"pm983-960g\", capacity = \"32M\" }",
        "too small",
        "64M",
    );
    refused("[workloads.x]\nfio = \"jobs/sync.fio\"\nsize = 0\n", "0", "cannot be 0", "160G");
    refused(
        "[workloads.\"a\\u001b[31m\"]\nfio = \"jobs/sync.fio\"\n",
        "\"a\\u001b[31m\"",
        "is not a valid name for a workload",
        "letters",
    );
}

#[test]
fn a_word_that_is_copied_is_one_mistake() {
    let diagnostics = errors(&BASE.replace("hdd[6-11]", "hdd[0-5]"));
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    assert!(diagnostics[0].contains("`hdd[0-5]` are used twice"), "{diagnostics:?}");
    let diagnostics = errors(&BASE.replace("hdd[6-11]", "hdd[5-10]"));
    assert!(diagnostics[0].contains("`hdd5` is used twice"), "{diagnostics:?}");
}

#[test]
fn what_a_broken_section_held_is_not_missed() {
    for section in ["[drives]", "[pool]"] {
        let text = format!("{BASE}[variants.a]\nadd = \"log optane[0-1]\"\n");
        let diagnostics = errors(&text.replace(section, &section[..section.len() - 1]));
        assert!(
            diagnostics.iter().all(|line| line.contains("not TOML")),
            "{section}: {diagnostics:#?}"
        );
    }
}

#[test]
fn what_a_workload_needs_every_variant_has() {
    refused(
        "[variants.a]\ndatasets.db.recordsize = \"8K\"\n[workloads.w]\nfio = \"jobs/sync.fio\"\ndataset = \"db\"\n",
        "\"db\"",
        "which is missing in: base",
        "add an empty [datasets.db]",
    );
    let job =
        |text: &str| format!("[workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\n{text}\"\n");
    let diagnostics = errors(&format!("{BASE}{}", job("runtime=500ms\\n")));
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert!(diagnostics[0].contains("must run for at least 1 s"), "{diagnostics:?}");
    let zero = format!("{BASE}{}", job("runtime=0\\n"));
    assert_eq!(errors(&zero), [""; 0], "none, to fio");
    let share = "[workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=50%\\n\"\n";
    let diagnostics = errors(&format!("{BASE}{share}"));
    assert!(diagnostics.len() == 1 && diagnostics[0].contains("has no size"), "{diagnostics:?}");
}

#[test]
fn a_property_by_both_its_names_is_one_property() {
    refused(
        "[variants.a]\ndataset.recsize = \"8K\"\ndataset.recordsize = \"16K\"\n",
        "recordsize",
        "`recordsize` is stated twice",
        "remove one",
    );
    refused(
        "[factors]\ndataset.recordsize = [\"8K\", \"16K\"]\ndataset.recsize = [\"32K\", \"64K\"]\n",
        "recsize",
        "factors `recordsize` and `recsize` set the same property",
        "keep one",
    );
    let two = "[datasets.db]\n[factors]\ndataset.recordsize = [\"8K\", \"16K\"]\ndatasets.db.recsize = [\"32K\", \"64K\"]\n";
    assert_eq!(errors(&format!("{BASE}{two}")), [""; 0], "of two datasets");
}

#[test]
fn one_slip_is_one_mistake() {
    refused(
        "[factors]\ndataset.recordsize = [\"8K\", \"8K\", \"16K\"]\npool.ashift = [9, 12]\n",
        "[\"8K\", \"8K\", \"16K\"]",
        "has the level `8K` twice",
        "write each once",
    );
    refused(
        "[variants.a]\nvdevs = \"miror hdd[0-1]\"\n",
        "miror",
        "`miror` is not a drive",
        "did you mean `mirror`",
    );
    refused(
        "[factors]\nrecord = { none = \"\", small = \"recordsize = 8K\" }\n",
        "\"recordsize = 8K\"",
        "`recordsize = 8K` is a setting and not a vdev",
        "dataset.recordsize = [\"8K\", …]",
    );
    refused(
        "[variants.a]\nadd = \"pool.ashift='9'\"\n",
        "\"pool.ashift='9'\"",
        "is a setting and not a vdev",
        "pool.ashift = [\"9\", …]",
    );
    refused(
        "[factors]\nopenzfs = [\"2.3\", \"2.4\"]\n",
        "[\"2.3\", \"2.4\"]",
        "needs levels",
        "new = { openzfs",
    );
    refused(
        "[factors]\nrecordsize = [\"8K\", \"16K\"]\n",
        "[\"8K\", \"16K\"]",
        "needs levels",
        "write dataset.recordsize = [",
    );
    refused("[factors]\nashift = [9, 12]\n", "[9, 12]", "needs levels", "write pool.ashift = [");
    refused(
        "[factors.record]\nsmall = { recordsize = \"8K\" }\nlarge = \"\"\n",
        "recordsize",
        "no key `recordsize`",
        "dataset = { recordsize = ",
    );
    refused(
        "[variants.a]\nzfs_txg_timeout = 5\n",
        "zfs_txg_timeout",
        "no key `zfs_txg_timeout`",
        "module = { zfs_txg_timeout = ",
    );
    let text = BASE.replace("raidz2 hdd[6-11]", "raidz3 hdd[6-8]");
    let diagnostics = read(&text).unwrap_err();
    assert!(diagnostics.iter().all(|d| !d.message.contains("uses drives")), "{diagnostics:#?}");
}

#[test]
fn the_fix_names_where_a_key_belongs() {
    refused(
        "[factors]\nhost.memory = [\"64G\", \"128G\"]\n",
        "host",
        "`host` is not one of the sections",
        "small = { host.memory",
    );
    for (key, section) in [
        ("pool.recordsize", "dataset"),
        ("dataset.autotrim", "pool"),
        ("dataset.ashift", "pool"),
        ("dataset.zfs_arc_max", "module"),
    ] {
        let (of, name) = key.split_once('.').unwrap();
        let fix = format!("it belongs in {section}, beside {of}: {section}.{name} = …");
        refused(&format!("[variants.a]\n{key} = 9\n"), name, "property of OpenZFS", &fix);
    }
    let within = BASE.replace("[pool]\n", "[pool]\ndataset.sync = \"always\"\n");
    let diagnostics = read(&within).unwrap_err();
    let section = "`dataset` is a section, and no property";
    let found = diagnostics.iter().find(|d| d.message == section);
    let fix = found.and_then(|found| found.fix.as_deref());
    let beside = "write [dataset] beside the section that it is in, not within";
    assert_eq!(fix, Some(beside), "{diagnostics:#?}");
    refused(
        "[variants.a]\ndataset.version = 6\n",
        "6",
        "`version` cannot be `6`",
        "known here: 1, 2, 3, 4, 5, current",
    );
    refused(
        "[drives.disk]\nprofile = \"hdd-7200-8t\"\n",
        "disk",
        "`disk` cannot name a kind of drive",
        "name it after the hardware",
    );
}

#[test]
fn one_mistake_is_reported_once_at_its_place() {
    let diagnostics = errors(&BASE.replace('\n', "\r"));
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    assert!(diagnostics[0].contains("CR alone"), "{diagnostics:#?}");

    let misspelt = format!("{BASE}[workloads.other]\nfio.jobs = \"[a]\\nrw=write\\nsize=1G\"\n");
    let diagnostics = errors(&misspelt);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    assert!(diagnostics[0].contains("no key `jobs`"), "{diagnostics:#?}");

    let bare = BASE.replace("raidz2 hdd[0-5]", "").replace("raidz2 hdd[6-11]", "");
    let diagnostics = read(&bare).unwrap_err();
    let diagnostics: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    let place = diagnostics[0].place.as_ref().unwrap();
    assert!(bare[place.span.start..].starts_with("pool]"), "{diagnostics:#?}");
}

#[test]
fn an_invalid_rate_and_a_too_large_number_are_reported_once() {
    let rates = "[workloads.x]\nfio = \"jobs/sync.fio\"\nrates = [0]\n";
    refused(rates, "0", "`rates` is out of range", "1 to 1000000000");
    refused("[method]\nsensitivity = [1]\n", "[1]", "a factor of 1 changes nothing", "[0.5, 2]");
    let seed = "[method]\nseed = 99999999999999999999\n";
    refused(seed, "99999999999999999999", "`seed` is too large", "the maximum is");
}

#[test]
fn a_text_parameter_with_which_the_module_does_not_load_is_refused() {
    for (parameter, under, fix) in [
        ("zfs_deadman_failmode = \"foo\"", "\"foo\"", "wait, continue, panic"),
        ("zfs_vdev_raidz_impl = \"avx9\"", "\"avx9\"", "fastest"),
        ("zio_taskq_write = \"sync\"", "\"sync\"", "write the four queues"),
    ] {
        refused(&format!("[variants.a]\nmodule.{parameter}\n"), under, "cannot be", fix);
    }
}

#[test]
fn a_size_below_a_block_of_each_client_is_refused() {
    let job = "fio.job = \"[w]\\nrw=read\\nbs=16k\\nnumjobs=16\\n\"\n";
    refused(
        &format!("[workloads.w]\nsize = 160\n{job}"),
        "160",
        "one block of each client takes 256K",
        "with its unit",
    );
    assert_eq!(errors(&format!("{BASE}[workloads.w]\nsize = \"256K\"\n{job}")), [""; 0]);
}
