//! A thousand labs made by chance go through plan, audit and tune.

use crate::audit::terminal as audit_text;
use crate::plan::drives;
use advice::tune::{Need, Server, Workload, differences, files, tune};
use lab::{NoFiles, Profiles};
use plan::assess::Options;
use plan::enumerate::Scope;
use plan::rank::{Wanted, include, rank};
use text::Language;
use text::layouts::Sentences;

/// Numbers by chance, the same at each run (Knuth's MMIX generator).
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn choose<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// A lab that `check` may or may not like.
fn lab_text(dice: &mut Dice) -> String {
    let count = 1 + dice.below(14);
    let rows: Vec<String> = match dice.below(6) {
        0 => vec![format!("hdd[0-{}]", count - 1)],
        1 => (0..count / 2).map(|i| format!("mirror hdd[{}-{}]", 2 * i, 2 * i + 1)).collect(),
        2 => vec![format!("raidz{} hdd[0-{}]", 1 + dice.below(3), count - 1)],
        3 => vec![format!(
            "draid{}:{}d:{count}c:{}s hdd[0-{}]",
            1 + dice.below(2),
            1 + dice.below(4),
            dice.below(2),
            count - 1
        )],
        4 if count > 7 => vec![
            format!("raidz2 hdd[0-{}]", count / 2 - 1),
            format!("raidz2 hdd[{}-{}]", count / 2, count - 1),
        ],
        _ => vec![format!("mirror hdd[0-{}]", count - 1)],
    };
    let mut vdevs = rows;
    for class in [
        "log nvme0", "log mirror nvme[0-1]", "cache nvme2", "special mirror nvme[3-4]",
        "special nvme3", "spare hdd0",
    ] {
        if dice.below(4) == 0 {
            vdevs.push(class.to_string());
        }
    }
    let hdd = dice.choose(&["hdd-7200-16t", "hdd-7200-8t", "pm983-960g", "pm9a3-3.84t"]);
    let nvme = dice.choose(&["p1600x-118g", "pm9a3-3.84t", "pm983-960g"]);
    format!(
        "title = \"by chance\"\nopenzfs = \"{}\"\n[host]\nmemory = \"{}\"\ncores = {}\n[drives]\nhdd = \"{count}x {hdd}\"\nnvme = \"5x {nvme}\"\n[pool]\nashift = {}\nvdevs = \"\"\"\n{}\n\"\"\"\n[dataset]\nrecordsize = \"{}\"\nsync = \"{}\"\nlogbias = \"{}\"\nprimarycache = \"{}\"\ncompression = \"{}\"\nspecial_small_blocks = \"{}\"\n[module]\nzfs_arc_max = {}\nzfs_txg_timeout = {}\nzfs_dirty_data_max = {}\n[workloads.w]\nfio.job = \"\"\"\n[j]\nrw={}\nbs={}\nsize=1g\n{}\"\"\"\n",
        dice.choose(&["2.3", "2.4"]),
        dice.choose(&["2G", "16G", "128G", "1T"]),
        1 + dice.below(128),
        dice.choose(&["9", "12", "13"]),
        vdevs.join("\n"),
        dice.choose(&["4K", "16K", "128K", "1M"]),
        dice.choose(&["standard", "always", "disabled"]),
        dice.choose(&["latency", "throughput"]),
        dice.choose(&["all", "metadata", "none"]),
        dice.choose(&["off", "lz4", "gzip-9", "zstd"]),
        dice.choose(&["0", "32K", "128K"]),
        dice.choose(&["0", "67108864", "17179869184"]),
        dice.choose(&["1", "5", "60"]),
        dice.choose(&["0", "4294967296", "68719476736"]),
        dice.choose(&["randwrite", "randread", "write", "read", "randrw"]),
        dice.choose(&["4k", "8k", "128k", "1m"]),
        dice.choose(&["fsync=1\n", "sync=1\n", ""]),
    )
}

#[test]
fn a_thousand_labs_go_through_plan_audit_and_tune() {
    let mut dice = Dice(2025);
    let profiles = Profiles::builtin();
    let (mut made, mut tries) = (0, 0);
    while made < 1000 {
        tries += 1;
        assert!(tries < 20_000, "only {made} labs of {tries} can be loaded");
        let text = lab_text(&mut dice);
        let Ok((campaign, _)) = lab::load("chance.toml", &text, &NoFiles, &profiles) else {
            continue;
        };
        made += 1;
        let drives = drives::from_lab(&campaign).unwrap_or_else(|e| panic!("{e}\n{text}"));
        // Sets of failures are another test's matter.
        let options = Options { failures: 0, ..Options::default() };
        let mut ranking = rank(&drives, &Scope::default(), &options, &Wanted::default());
        let pools =
            drives::lab_pools(&campaign, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(pools.len(), campaign.variants.len(), "{text}");
        include(&mut ranking, pools);
        for language in Language::ALL {
            assert!(
                report::layouts::table::render(&ranking, Sentences(language)).contains("* "),
                "{text}"
            );
            report::layouts::html::page("by chance", &ranking, Sentences(language));
        }
        let variants = advice::system::variants(&campaign, "chance.toml", &text);
        let report = crate::audit::Report {
            findings: advice::audit::audit_variants(&variants),
            lints: Vec::new(),
            unread: Vec::new(),
            texts: 1,
        };
        for language in Language::ALL {
            audit_text::text(&report, language);
            audit_text::json(&report, language);
        }
        let servers =
            [Server::Postgresql, Server::Mysql, Server::Nfs, Server::Smb, Server::Generic];
        let (_, system) = variants.into_iter().next().expect("a variant");
        let need = Need {
            server: servers[dice.below(servers.len())],
            workload: [Workload::Oltp, Workload::Vm, Workload::LargeFiles][dice.below(3)],
            memory: campaign.host.memory,
            cores: campaign.host.cores,
            allow_loss_s: 0.0,
            system,
            card: None,
        };
        let choices = tune(&need);
        assert!(!files(&choices, Language::Chinese).is_empty());
        assert!(choices.iter().all(|choice| choice.offered || choice.loss.seconds() == 0.0));
        differences(&need, &choices);
    }
}
