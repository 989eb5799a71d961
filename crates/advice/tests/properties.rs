//! Claims that hold for any input: no text panics, no lab panics, and a fix that is followed
//! silences its rule and raises no other.

mod fix_applied;

use advice::audit::{Finding, audit, audit_variants};
use advice::system::{Input, System, gather, variants};
use advice::tune::{Need, Server, Workload, differences, files, tune};
use fix_applied::changed;
use lab::campaign::{
    AllocationClass, Campaign, DriveKind, DriveRef, Host, Layout, Method, OpenZfs, Pool, Processor,
    Program, Scale, Stack, Variant, Vdev,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use text::Language;

fn read(text: &str) -> System {
    let (mut system, _) = gather(&[Input { name: "any".into(), text: text.into() }]);
    system.today = Some(20_000);
    system
}

/// Lines that mean something to some rule, so that random texts reach far into them.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("==> zpool status <==".to_string()),
        Just("  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n\ttank  ONLINE 0 0 0".to_string()),
        "\t {0,4}(mirror-0|raidz2-1|sda|nvme0n1p1|logs|cache|draid2:4d:7c:1s-0) +ONLINE +[0-9]{1,20} 0 0",
        Just("errors: No known data errors".to_string()),
        "(tank|tank/pgdata)\t(recordsize|volblocksize|ashift|sync|copies)\t[0-9A-Za-z.]{0,20}\tlocal",
        "options zfs [a-z_]{1,20}=[0-9a-zA-Z]{0,22}",
        "(shared_buffers|max_wal_size|full_page_writes) = [0-9a-zA-Z]{0,22}",
        "(\\[mysqld\\]|innodb_buffer_pool_size = [0-9]{1,22}[KMGT]?)",
        "MemTotal: +[0-9]{1,22} kB",
        "13 1 0x01 1 2 [0-9]{1,21} [0-9]{1,21}",
        "zil_commit_count 4 [0-9]{1,21}",
        "\\PC{0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(lines in prop::collection::vec(line(), 0..30)) {
        let system = read(&lines.join("\n"));
        for finding in audit(&system) {
            finding.text(Language::English);
            prop_assert!(!finding.fix().is_empty());
        }
        let need = Need {
            server: Server::Postgresql, workload: Workload::Oltp, memory: 64 << 30, cores: 8,
            allow_loss_s: 0.0, system, card: None,
        };
        let choices = tune(&need);
        files(&choices, Language::English);
        differences(&need, &choices);
    }
}

fn pick(of: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(of)
}

/// A machine as its tools would describe it, with settings good and bad.
fn machine() -> impl Strategy<Value = String> {
    let pool = (
        pick(&[
            "\t  mirror-0 ONLINE 0 0 0\n\t    sda ONLINE 0 0 0\n\t    sdb ONLINE 0 0 0",
            "\t  raidz2-0 ONLINE 0 0 0\n\t    sda ONLINE 0 0 0\n\t    sdb ONLINE 0 0 0\n\t    sdc ONLINE 0 0 0\n\t    sdd ONLINE 0 0 0\n\t    sde ONLINE 0 0 0\n\t    sdf ONLINE 0 0 0",
            "\t  sda ONLINE 0 0 0",
        ]),
        pick(&["", "\tlogs\n\t  nvme8n1 ONLINE 0 0 0\n"]),
        pick(&["", "\tcache\n\t  nvme7n1 ONLINE 0 0 0\n"]),
        pick(&[
            "",
            "\tspecial\n\t  mirror-9 ONLINE 0 0 0\n\t    nvme5n1 ONLINE 0 0 0\n\t    nvme6n1 ONLINE 0 0 0\n",
        ]),
    );
    let dataset = (
        pick(&["tank/pgdata", "tank/mysql", "tank/share"]),
        pick(&["4K", "8K", "16K", "32K", "128K", "1M"]),
        pick(&["standard", "always", "disabled"]),
        pick(&["latency", "throughput"]),
        pick(&["all", "metadata", "none"]),
        pick(&["0", "8K", "16K", "128K"]),
        pick(&["off", "lz4", "gzip-9"]),
        pick(&["9", "12", "13"]),
    );
    let modules = prop::collection::vec(
        (
            pick(&[
                "zfs_arc_max", "zfs_arc_min", "zfs_txg_timeout", "zfs_dirty_data_max",
                "l2arc_write_max", "l2arc_write_max_mb", "zfs_nocacheflush",
                "zfs_prefetch_disable", "zfs_arc_meta_limit_percent",
            ]),
            pick(&[
                "0", "1", "5", "8", "64", "60", "8388608", "1G", "8G", "34359738368",
                "107374182400",
            ]),
        ),
        0..5,
    );
    let server = (
        pick(&["shared_buffers = 16GB\nfull_page_writes = off\n", "shared_buffers = 100GB\n", ""]),
        pick(&[
            "[mysqld]\ninnodb_buffer_pool_size = 48G\ninnodb_doublewrite = 0\n",
            "[mysqld]\nsync_binlog = 0\ninnodb_flush_log_at_trx_commit = 2\n",
            "",
        ]),
        pick(&["16777216", "67108864", "268435456"]),
        pick(&["2.1.11", "2.3.2"]),
        pick(&["randwrite", "write", "randread"]),
        pick(&["4k", "8k", "64k", "1M"]),
    );
    (pool, dataset, modules, server).prop_map(|(pool, dataset, modules, server)| {
        let mut text = format!(
            "==> status <==\n  pool: tank\n state: ONLINE\n  scan: scrub repaired 0B in 03:37:12 with 0 errors on Sun May 12 03:25:01 2024\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n{}\n{}{}{}\nerrors: No known data errors\n",
            pool.0, pool.3, pool.1, pool.2
        );
        let (name, record, sync, logbias, primary, small, compression, ashift) = dataset;
        text.push_str(&format!(
            "==> zpool get <==\nNAME  PROPERTY  VALUE  SOURCE\ntank\tashift\t{ashift}\tlocal\ntank\tautotrim\toff\tdefault\n==> zfs get <==\nNAME  PROPERTY  VALUE  SOURCE\n{name}\trecordsize\t{record}\tlocal\n{name}\tsync\t{sync}\tlocal\n{name}\tlogbias\t{logbias}\tlocal\n{name}\tprimarycache\t{primary}\tlocal\n{name}\tsecondarycache\tall\tdefault\n{name}\tspecial_small_blocks\t{small}\tlocal\n{name}\tcompression\t{compression}\tlocal\n"
        ));
        if !modules.is_empty() {
            text.push_str("==> /etc/modprobe.d/zfs.conf <==\n");
            for (name, value) in modules {
                text.push_str(&format!("options zfs {name}={value}\n"));
            }
        }
        let (pg, my, memory, version, direction, block) = server;
        if !pg.is_empty() {
            text.push_str(&format!("==> postgresql.conf <==\n{pg}"));
        }
        if !my.is_empty() {
            text.push_str(&format!("==> my.cnf <==\n{my}"));
        }
        text.push_str(&format!(
            "==> meminfo <==\nMemTotal: {memory} kB\n==> version <==\nzfs-{version}-1\n==> job.fio <==\n[j]\nrw={direction}\nbs={block}\n==> lsblk <==\n{{\"blockdevices\":[{{\"name\":\"nvme7n1\",\"size\":3840755982336,\"rota\":false}},{{\"name\":\"nvme8n1\",\"size\":118410444800,\"rota\":false}},{{\"name\":\"sda\",\"rota\":true,\"phy-sec\":4096,\"size\":4000787030016}}]}}\n"
        ));
        text
    })
}

fn is(a: &Finding, b: &Finding) -> bool {
    a.rule == b.rule && a.subject == b.subject
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_fix_that_is_followed_silences_its_rule_and_raises_no_other(text in machine()) {
        let system = read(&text);
        let before = audit(&system);
        for finding in before.iter().filter(|finding| !finding.changes.is_empty()) {
            let fixed = finding.changes.iter().fold(system.clone(), |s, change| changed(&s, change));
            let after = audit(&fixed);
            prop_assert!(
                !after.iter().any(|other| is(other, finding)),
                "{} about {} survives {:?}", finding.rule.name, finding.subject, finding.changes
            );
            for new in &after {
                prop_assert!(
                    before.iter().any(|old| is(old, new)),
                    "{}: {:?} raises {} about {}", finding.rule.name, finding.changes, new.rule.name, new.subject
                );
            }
        }
    }

    #[test]
    fn the_default_set_loses_nothing_and_a_loss_is_asked_for(
        server in prop::sample::select(&[Server::Postgresql, Server::Mysql, Server::Nfs, Server::Smb, Server::Generic][..]),
        allow in 0.0f64..60.0,
        memory in 1u64..4096,
    ) {
        let need = |allow_loss_s| Need {
            server, workload: Workload::Oltp, memory: memory << 30, cores: 32, allow_loss_s,
            system: System::default(), card: None,
        };
        for choice in tune(&need(0.0)).iter().filter(|choice| !choice.offered) {
            prop_assert_eq!(choice.loss.seconds(), 0.0);
            prop_assert!(!choice.sources.is_empty() && !choice.reason.in_language(Language::Chinese).is_empty());
            prop_assert!(choice.lab.is_none_or(|lab| lab::builtin::lab(lab.split(' ').next().unwrap()).is_some()), "{:?}", choice.lab);
            let dangerous = [("sync", "disabled"), ("fsync", "off"), ("synchronous_commit", "off"), ("innodb_flush_log_at_trx_commit", "0"), ("innodb_flush_log_at_trx_commit", "2"), ("sync_binlog", "0"), ("full_page_writes", "off"), ("innodb_doublewrite", "OFF")];
            prop_assert!(!dangerous.contains(&(choice.name(), choice.value())));
        }
        for choice in tune(&need(allow)) {
            prop_assert!(choice.offered || choice.loss.seconds() <= allow);
        }
    }
}

fn vdev() -> impl Strategy<Value = (AllocationClass, u32, u32)> {
    (
        prop::sample::select(
            &[
                AllocationClass::Normal,
                AllocationClass::Log,
                AllocationClass::Cache,
                AllocationClass::Special,
                AllocationClass::Dedup,
                AllocationClass::Spare,
            ][..],
        ),
        0u32..6,
        0u32..40,
    )
}

fn campaign() -> impl Strategy<Value = Campaign> {
    (
        prop::collection::vec(vdev(), 0..6),
        prop::collection::btree_map("[a-z_]{1,16}|recordsize|sync|special_small_blocks", "[0-9A-Za-z]{0,12}|128K|16K", 0..8),
        prop::collection::btree_map("[a-z_]{1,16}|zfs_arc_max|l2arc_write_max", any::<i64>(), 0..5),
        any::<u64>(),
        prop::option::of(any::<u8>()),
        "\\PC{0,80}",
        any::<bool>(),
    )
        .prop_map(|(vdevs, properties, module, memory, ashift, job, old)| {
            let mut next = 0;
            let vdevs = vdevs
                .into_iter()
                .map(|(class, layout, width)| {
                    let drives = (0..width).map(|_| { next += 1; DriveRef { kind: "d".into(), index: next } }).collect();
                    let layout = match layout {
                        0 => Layout::Single,
                        1 => Layout::Mirror,
                        5 => Layout::Draid { parity: 2, data: width, spares: 0 },
                        parity => Layout::Raidz { parity },
                    };
                    Vdev { class, layout, drives }
                })
                .collect();
            let variant = Variant {
                name: "v".into(),
                levels: BTreeMap::new(),
                openzfs: if old { OpenZfs::V2_3 } else { OpenZfs::V2_4 },
                stack: Stack::Zfs,
                drives: BTreeMap::from([("d".to_string(), DriveKind { count: 60, profile: "p1600x-118g".into(), numbers: serde_json::json!({ "capacity": { "value": memory as f64 }, "rotational": old }), price: None })]),
                pool: Pool { ashift, vdevs, properties: BTreeMap::new() },
                datasets: BTreeMap::from([(String::new(), properties.clone()), ("pgdata".to_string(), properties)]),
                module,
                module_words: Default::default(),
                memory: None,
                servers: Default::default(),
            };
            Campaign {
                title: "t".into(),
                source: None,
                name: "n".into(),
                host: Host { memory, cores: 4, processor: Processor::Charged, memory_price: None },
                variants: vec![variant],
                workloads: vec![lab::campaign::Workload { name: "w".into(), dataset: String::new(), program: Program::Fio { origin: "x".into(), job: format!("[j]\nrw=randwrite\nbs=8k\n{job}") }, size: None, rates: None }],
                method: Method { baseline: "v".into(), precision: 0.05, budget_s: 60.0, min_trials: 1, max_trials: 2, runtime_s: None, ramp_s: 0.0, ramp_most_s: None, warm_up_s: 0.0, restart: false, size_check: vec![], sensitivity: vec![], seed: 1 },
                scale: Scale { size: None, dirty_data_max: None },
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_thousand_labs_pass_through_audit_and_tune(campaign in campaign()) {
        let systems = variants(&campaign, "lab.toml", "[pool]\nvdevs = \"\"\n");
        audit_variants(&systems);
        for (_, system) in systems {
            for server in [Server::Postgresql, Server::Mysql, Server::Nfs, Server::Smb] {
                let need = Need { server, workload: Workload::Mixed, memory: campaign.host.memory, cores: 4, allow_loss_s: 5.0, system: system.clone(), card: None };
                let choices = tune(&need);
                prop_assert!(!files(&choices, Language::English).is_empty());
                differences(&need, &choices);
            }
        }
    }
}
