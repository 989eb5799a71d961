//! What a lab file means, and what is said about one that means nothing.

use lab::campaign::{Campaign, Class, OpenZfs, Program};
use lab::{Diagnostic, Files, Profiles, Severity, load, load_on};

/// The files of these tests, by path.
struct Here;

impl Files for Here {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "jobs/sync.fio" => Ok("[w]\nrw=randwrite\nbs=16k\nsize=1g\n".to_owned()),
            "jobs/broken.fio" => Ok("; nothing\nbs=4k\n".to_owned()),
            _ => Err("No such file or directory".to_owned()),
        }
    }

    fn beside(&self, _path: &str) -> Vec<String> {
        vec!["jobs/sync.fio".to_owned()]
    }
}

const BASE: &str = r#"
title = "t"
openzfs = "2.1"
[host]
memory = "128G"
cores = 32
[drives]
hdd = "12x hdd-7200-16t"
meta = "2x pm983-960g"
optane = "2x p1600x-118g"
nvme = { profile = "pm9a3-3.84t", count = 1, flush = "honest" }
[pool]
ashift = 12
vdevs = """
  raidz2 hdd[0-5]
  raidz2 hdd[6-11]
  special mirror meta[0-1]
"""
[dataset]
recordsize = "16K"
compression = "lz4"
sync = "always"
[module]
zfs_txg_timeout = 5
[workloads.sync]
fio = "jobs/sync.fio"
"#;

fn read(text: &str) -> Result<(Campaign, Vec<Diagnostic>), Vec<Diagnostic>> {
    load("labs/the-lab.toml", text, &Here, &Profiles::builtin())
}

fn campaign(text: &str) -> Campaign {
    match read(text) {
        Ok((campaign, _)) => campaign,
        Err(said) => panic!("refused: {}", lines(text, &said).join("\n")),
    }
}

/// `text under the caret | message | fix` of each error.
fn lines(text: &str, said: &[Diagnostic]) -> Vec<String> {
    said.iter()
        .map(|d| {
            let place = d
                .place
                .as_ref()
                .and_then(|p| text.get(p.span.clone()))
                .unwrap_or("-");
            format!(
                "{place} | {} | {}",
                d.message,
                d.fix.as_deref().unwrap_or("-")
            )
        })
        .collect()
}

fn errors(text: &str) -> Vec<String> {
    match read(text) {
        Ok(_) => Vec::new(),
        Err(said) => {
            let errors: Vec<Diagnostic> = said.into_iter().filter(Diagnostic::is_error).collect();
            lines(text, &errors)
        }
    }
}

#[track_caller]
fn refused(added: &str, under: &str, message: &str, fix: &str) {
    let text = format!("{BASE}{added}");
    let said = errors(&text);
    assert_eq!(said.len(), 1, "one mistake, one error: {said:#?}");
    let mut parts = said[0].split(" | ");
    assert_eq!(parts.next(), Some(under), "{said:?}");
    assert!(
        parts.next().is_some_and(|m| m.contains(message)),
        "{said:?}"
    );
    assert!(parts.next().is_some_and(|f| f.contains(fix)), "{said:?}");
}

fn names(campaign: &Campaign) -> Vec<&str> {
    campaign.variants.iter().map(|v| v.name.as_str()).collect()
}

#[test]
fn another_release_takes_the_place_of_the_labs_own_but_not_of_a_variants() {
    let text = "openzfs = \"2.1\"\n[host]\nmemory = \"64G\"\n[drives]\nhdd = \"2x hdd-7200-8t\"\n\
                [pool]\nvdevs = \"mirror hdd[0-1]\"\n[variants.a]\n[variants.b]\nopenzfs = \"2.1\"\n\
                [workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\n\"\n";
    let on = Some(OpenZfs::V2_3);
    let (campaign, _) = load_on(on, "t.toml", text, &Here, &Profiles::builtin()).unwrap();
    let of = |name: &str| {
        let variant = campaign.variants.iter().find(|v| v.name == name);
        variant.map(|v| v.openzfs)
    };
    assert_eq!(of("a"), on);
    assert_eq!(of("b"), Some(OpenZfs::V2_1));
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
    assert!(
        variant.drives["hdd"].numbers["capacity"]["value"]
            .as_f64()
            .is_some_and(|b| b > 15e12)
    );
    let Program::Fio { origin, job } = &campaign.workloads[0].program;
    assert_eq!(origin, "jobs/sync.fio");
    assert!(job.contains("rw=randwrite"));
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
        [
            "none/none",
            "none/nvme",
            "mirror/none",
            "mirror/nvme",
            "big-records"
        ]
    );
    let both = &campaign.variants[3];
    assert_eq!(both.levels["log"], "mirror");
    assert_eq!(both.levels["cache"], "nvme");
    assert_eq!(
        lab::vdev::summary(&both.pool.vdevs),
        "raidz2 hdd[0-5] raidz2 hdd[6-11] special mirror meta[0-1] log mirror optane[0-1] cache nvme0"
    );
    let big = &campaign.variants[4];
    assert!(big.levels.is_empty());
    assert_eq!(big.datasets[""]["recordsize"], "1M");
    assert!(big.pool.vdevs.iter().all(|v| v.class == Class::Normal));
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
fn ablation_takes_each_setting_alone_and_each_away() {
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
            "none",
            "only-records",
            "only-bias",
            "only-log",
            "all-but-records",
            "all-but-bias",
            "all-but-log",
            "all"
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
    assert_eq!(
        campaign.variants[0].datasets["wal"]["logbias"],
        "throughput"
    );
    let wal = campaign.workloads.iter().find(|w| w.name == "wal");
    assert_eq!(
        wal.map(|w| (w.dataset.as_str(), w.size)),
        Some(("wal", Some(4 << 30)))
    );
}

#[test]
fn vdevs_of_a_variant_replace_those_of_the_pool() {
    let campaign = campaign(&format!(
        "{BASE}[variants.mirrors]\nvdevs = \"mirror hdd[0-1] mirror hdd[2-3]\"\nadd = \"log optane0\"\n"
    ));
    assert_eq!(names(&campaign), ["base", "mirrors"]);
    assert_eq!(
        lab::vdev::summary(&campaign.variants[1].pool.vdevs),
        "mirror hdd[0-1] mirror hdd[2-3] log optane0"
    );
}

#[test]
fn what_changes_nothing_is_accepted_and_said_so() {
    let text = format!("{BASE}[datasets.x]\natime = \"off\"\nmountpoint = \"/x\"\n");
    let Ok((_, said)) = read(&text) else {
        panic!("refused")
    };
    let notes: Vec<&Diagnostic> = said
        .iter()
        .filter(|d| d.severity == Severity::Note)
        .collect();
    assert!(
        notes.iter().any(|d| d
            .message
            .contains("`atime` changes nothing in the scale model")),
        "{notes:?}"
    );
    assert!(
        notes
            .iter()
            .any(|d| d.message.contains("`mountpoint` changes no figure")),
        "{notes:?}"
    );
}

#[test]
fn each_mistake_has_its_place_and_its_fix() {
    refused(
        "[pooll]\n",
        "pooll",
        "a lab has no key `pooll`",
        "did you mean `pool`",
    );
    refused(
        "[variants.a]\nadd = \"log optane[0-2]\"\n",
        "optane[0-2]",
        "too few drives `optane`",
        "optane[0-1]",
    );
    refused(
        "[variants.a]\nadd = \"log hdd0\"\n",
        "hdd0",
        "`hdd0` is used twice",
        "drives of its own",
    );
    refused(
        "[variants.a]\nadd = \"raidz3 nvme0\"\n",
        "raidz3 nvme0",
        "needs at least 4 drives",
        "name 4 drives",
    );
    refused(
        "[variants.a]\nremove = \"log\"\n",
        "log",
        "no `log` to remove",
        "raidz2 hdd[0-5]",
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
        "[variants.a]\ndataset.recordsise = \"16K\"\n",
        "recordsise",
        "no dataset property",
        "did you mean `recordsize`",
    );
    refused(
        "[variants.a]\ndataset.sync = \"yes\"\n",
        "\"yes\"",
        "cannot be `yes`",
        "standard",
    );
    refused(
        "[variants.a]\ndataset.atime = false\n",
        "false",
        "boolean",
        "\"off\"",
    );
    refused(
        "[variants.a]\nmodule.l2arc_write_max_mb = 64\n",
        "l2arc_write_max_mb",
        "no module parameter",
        "did you mean `l2arc_write_max`",
    );
    refused(
        "[variants.a]\nopenzfs = \"2.1.11\"\n",
        "\"2.1.11\"",
        "no engine",
        "\"2.1\"",
    );
    refused(
        "[variants.a]\nopenzfs = \"2.2\"\n",
        "\"2.2\"",
        "no engine",
        "2.1",
    );
    refused(
        "[variants.a]\npool.ashift = 20\n",
        "20",
        "`ashift` cannot be 20",
        "9 to 16",
    );
    refused(
        "[variants.a]\ndrives.x = \"2x hdd-7200-16\"\n",
        "\"2x hdd-7200-16\"",
        "no drive profile",
        "did you mean `hdd-7200-16t`",
    );
    refused(
        "[variants.a]\ndrives.x = \"many hdd-7200-16t\"\n",
        "\"many hdd-7200-16t\"",
        "no count of drives",
        "12x",
    );
    refused(
        "[variants.a]\ndrives.x2 = \"2x hdd-7200-16t\"\n",
        "x2",
        "cannot name a kind",
        "not ending in a digit",
    );
    refused(
        "[variants.a]\ndrives.x = { profile = \"hdd-7200-16t\", hdd = { rpm = -1 } }\n",
        "{ profile = \"hdd-7200-16t\", hdd = { rpm = -1 } }",
        "makes no drive",
        "docs/drives.md",
    );
    refused(
        "[variants.\"a b\"]\n",
        "\"a b\"",
        "cannot name a variant",
        "letters",
    );
    refused(
        "[workloads.x]\nfio = \"jobs/sinc.fio\"\n",
        "\"jobs/sinc.fio\"",
        "cannot read",
        "did you mean `jobs/sync.fio`",
    );
    refused("[workloads.x]\n", "x", "runs nothing", "fio.job");
    refused(
        "[workloads.x]\nfio = \"jobs/sync.fio\"\ndataset = \"wal\"\n",
        "\"wal\"",
        "no variant has a dataset",
        "[datasets.wal]",
    );
    refused(
        "[method]\nbaseline = \"bass\"\n",
        "\"bass\"",
        "no variant `bass`",
        "base",
    );
    refused(
        "[method]\nbudget = \"soon\"\n",
        "\"soon\"",
        "not a duration",
        "20m",
    );
    refused(
        "[method]\nprecision = 7\n",
        "7",
        "out of range",
        "0.001 to 1",
    );
    refused("[scale]\nsize = 0.5\n", "0.5", "out of range", "1 to");
    refused(
        "[scale]\ndirty_data_max = \"1M\"\n",
        "\"1M\"",
        "stalls",
        "256M",
    );
    refused(
        "[factors]\nlog = { none = \"\" }\n",
        "log",
        "fewer than two levels",
        "add another",
    );
    refused(
        "[factors]\nlog = \"log optane0\"\n",
        "\"log optane0\"",
        "needs levels",
        "none = \"\"",
    );
}

#[test]
fn ladders_warm_ups_sensitivity_and_money_are_read_or_refused() {
    let text = format!(
        "{}[workloads.x]\nfio = \"jobs/sync.fio\"\nrates = [400, 100]\n[method]\nwarm_up = \"2m\"\nrestart = true\nsensitivity = [0.5, 1, 2]\n[variants.more]\nhost.memory = \"192G\"\n",
        BASE.replacen("memory = ", "memory_price = 4\nmemory = ", 1)
    );
    let Ok((campaign, _)) = read(&text) else {
        panic!("refused: {:#?}", read(&text).map(drop))
    };
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
    assert_eq!(
        more.and_then(|v| v.price(&campaign.host)),
        None,
        "drives without a price"
    );
    let mut priced = campaign.variants[0].clone();
    for kind in priced.drives.values_mut() {
        kind.price = Some(100.0);
    }
    let drives: usize = priced.pool.vdevs.iter().map(|v| v.drives.len()).sum();
    let gib = (campaign.host.memory >> 30) as f64;
    assert_eq!(
        priced.price(&campaign.host),
        Some(100.0 * drives as f64 + 4.0 * gib)
    );

    refused(
        "[method]\nwarm_up = \"warm\"\n",
        "\"warm\"",
        "not a duration",
        "20m",
    );
    refused(
        "[method]\nsize_check = [1]\n",
        "1",
        "out of range",
        "1.1 to 1000",
    );
    refused(
        "[method]\nrestart = true\n",
        "true",
        "nothing is warm",
        "warm_up",
    );
    refused(
        "[method]\nsensitivity = [0]\n",
        "0",
        "out of range",
        "0.05 to 20",
    );
    refused(
        "[variants.more]\nhost.memory = \"1M\"\n",
        "\"1M\"",
        "between 1G",
        "128G",
    );
    refused(
        "[variants.more]\nhost.cores = 4\n",
        "cores",
        "no key",
        "memory",
    );
}

#[test]
fn a_broken_job_file_is_shown_in_its_own_text() {
    let Err(said) = read(&format!("{BASE}[workloads.x]\nfio = \"jobs/broken.fio\"\n")) else {
        panic!("accepted")
    };
    let place = said[0]
        .place
        .as_ref()
        .map(|p| (p.file.as_str(), p.span.clone()));
    assert_eq!(place, Some(("jobs/broken.fio", 10..15)));
}

#[test]
fn all_mistakes_are_reported_at_once_in_the_order_of_the_file() {
    let text = r#"
openzfs = "2.4"
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
    let said = errors(text);
    let found = |what: &str| said.iter().any(|line| line.contains(what));
    for what in [
        "2.4",
        "lots",
        "`cores`",
        "`ashift`",
        "raidz2 needs at least 3",
        "called `ssd`",
        "3K",
        "l2arc_write_max_mb",
        "nowhere.fio",
        "budget",
    ] {
        assert!(found(what), "{what} not in {said:#?}");
    }
    assert!(
        !found("no data vdev"),
        "the pool is there, but misspelt: {said:#?}"
    );
    let Err(diagnostics) = read(text) else {
        panic!("accepted")
    };
    let starts: Vec<usize> = diagnostics
        .iter()
        .filter(|d| d.is_error())
        .filter_map(|d| Some(d.place.as_ref()?.span.start))
        .collect();
    assert!(starts.is_sorted(), "{starts:?}");
}

#[test]
fn a_mistake_in_the_base_is_said_once_for_all_variants() {
    let text = format!("{BASE}[factors]\nlog = {{ a = \"\", b = \"log optane0\" }}\n")
        .replace("\"16K\"", "\"17K\"");
    assert_eq!(errors(&text).len(), 1);
}

#[test]
fn a_pool_that_is_replaced_takes_its_mistakes_with_it() {
    let text = format!("{BASE}[variants.a]\nvdevs = \"mirror hdd[0-1]\"\nremove = \"cache\"\n")
        .replace("raidz2 hdd[0-5]", "raidz2 hdd[0-1]");
    let said = errors(&text);
    assert!(
        said.iter()
            .any(|line| line.contains("no `cache` to remove")),
        "{said:?}"
    );
    assert_eq!(said.len(), 2, "{said:?}");
}

#[test]
fn too_few_drives_of_an_unknown_profile_are_told_together_with_it() {
    let text = BASE
        .replace("12x hdd-7200-16t", "12x hdd-7200-16tb")
        .replace("hdd[6-11]", "hdd[6-12]");
    let said = errors(&text);
    assert!(
        said.iter().any(|e| e.contains("no drive profile")),
        "{said:#?}"
    );
    assert!(
        said.iter().any(|e| e.contains("too few drives `hdd`")),
        "{said:#?}"
    );
}

#[test]
fn drives_of_an_unknown_profile_are_not_missed_a_second_time() {
    let said = errors(&BASE.replace("12x hdd-7200-16t", "12x hdd-7200-16"));
    assert_eq!(said.len(), 1, "{said:?}");
}

#[test]
fn broken_toml_is_said_beside_what_else_is_wrong() {
    let text = BASE
        .replace("recordsize = \"16K\"", "recordsize = 16K")
        .replace("\"always\"", "\"allways\"");
    let said = errors(&text);
    assert!(
        said.iter().any(|line| line.contains("not TOML")),
        "{said:?}"
    );
    assert!(
        said.iter().any(|line| line.contains("`always`")),
        "{said:?}"
    );
    assert!(!errors("").is_empty(), "an empty file is no lab");
    let header = errors(&BASE.replace("[pool]", "[pool"));
    assert!(
        header.iter().all(|line| line.contains("not TOML")),
        "{header:?}"
    );
}
