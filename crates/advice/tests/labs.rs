//! What audit and tune see of a lab, and of a server that loses data.

use advice::audit::{Finding, Severity, audit, audit_variants};
use advice::system::{Input, gather, variants};
use advice::tune::{Need, Server, Workload, tune};

/// The names of the rules that fire on a lab with these drives, this pool and these sections.
fn found(drives: &str, vdevs: &str, more: &str) -> Vec<&'static str> {
    findings(drives, vdevs, more).into_iter().map(|finding| finding.rule.name).collect()
}

fn findings(drives: &str, vdevs: &str, more: &str) -> Vec<Finding> {
    let text = format!(
        "[host]\nmemory = \"64G\"\n[method]\nruntime = \"10s\"\n[drives]\n{drives}\n[pool]\nvdevs = \"{vdevs}\"\n{more}"
    );
    let profiles = lab::Profiles::builtin();
    let campaign = match lab::load("l.toml", &text, &lab::NoFiles, &profiles) {
        Ok((campaign, _)) => campaign,
        Err(diagnostics) => panic!("{diagnostics:?}\n{text}"),
    };
    audit_variants(&variants(&campaign, "l.toml", &text))
}

const HDD: &str = "hdd = \"2x hdd-7200-8t\"";
const MIRROR: &str = "mirror hdd[0-1]";

#[test]
fn a_lab_shows_its_servers_and_their_datasets() {
    let postgresql = "[workloads.w.pgbench]\nscale = 10\nclients = 4\n[workloads.w.postgresql]\n\
                      fsync = \"off\"\nfull_page_writes = \"off\"\n";
    let rules = found(HDD, MIRROR, postgresql);
    for rule in ["pg-fsync", "pg-full-page-writes", "log-missing", "database-records-large"] {
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
    let sysbench = "[workloads.w.sysbench]\ntables = 4\ntable_size = 1000\nthreads = 4\n";
    let mariadb =
        found(HDD, MIRROR, &format!("{sysbench}[workloads.w.mariadb]\ninnodb_doublewrite = 0\n"));
    for rule in ["my-doublewrite", "my-checkpoint"] {
        assert!(mariadb.contains(&rule), "{rule}: {mariadb:?}");
    }
    let mysql = found(HDD, MIRROR, &format!("{sysbench}[workloads.w.mysql]\n"));
    assert!(!mysql.contains(&"my-checkpoint"), "{mysql:?}");
}

#[test]
fn what_a_lab_states_of_its_server_counts() {
    let sysbench = "[workloads.w.sysbench]\ntables = 4\ntable_size = 1000\nthreads = 4\n";
    let through = |more: &str| {
        let settings =
            format!("[workloads.w.mariadb]\ninnodb_data_file_write_through = true\n{more}");
        found(HDD, MIRROR, &format!("{sysbench}{settings}")).contains(&"my-checkpoint")
    };
    assert!(!through(""));
    assert!(!through("innodb_flush_method = \"O_DIRECT\"\n"));
    assert!(through("innodb_flush_method = \"fsync\"\n"));
    // Its programs run transactions, and every property in it is set.
    let records = "[datasets.d]\nrecordsize = \"128K\"\n";
    let on = "[workloads.w.directories]\ndata = \"d\"\n";
    let large = findings(HDD, MIRROR, &format!("{records}{sysbench}{on}[workloads.w.mysql]\n"));
    let large = large.iter().find(|finding| finding.rule.name == "database-records-large");
    assert_eq!(large.map(|finding| finding.severity), Some(Severity::Warning));
}

#[test]
fn a_log_is_missing_only_where_commits_wait_for_disks() {
    let sync = "[workloads.w]\nfio.job = \"[w]\\nrw=randwrite\\nbs=8k\\nfsync=1\\nsize=1g\\n\"\n";
    assert!(found(HDD, MIRROR, sync).contains(&"log-missing"));
    let special = format!("{HDD}\nssd = \"2x pm9a3-1.92t\"");
    let vdevs = "mirror hdd[0-1] special mirror ssd[0-1]";
    let on_special = |release: &str| found(&special, vdevs, &format!("{sync}{release}"));
    assert!(!on_special("").contains(&"log-missing"), "2.4 has the log on the special vdev");
    let card = "card = \"1x raid10-4x-r5-h755\"";
    let on_card = found(card, "card0", sync);
    assert!(!on_card.contains(&"log-missing"), "a protected cache: {on_card:?}");
    assert!(!on_card.contains(&"layout-stripe"), "the card has redundancy: {on_card:?}");
}

#[test]
fn what_loses_data_in_the_input_is_set_right() {
    let text = "==> /etc/postgresql/15/main/postgresql.conf <==\nfsync = off\n\
                data_directory = '/tank/pg'\n==> /etc/modprobe.d/zfs.conf <==\n\
                options zfs zfs_nocacheflush=1\n==> zfs get all <==\n\
                NAME  PROPERTY  VALUE  SOURCE\ntank/pg\tmountpoint\t/tank/pg\tlocal\n\
                tank/pg\tsync\tdisabled\tlocal\n";
    let input = Input { name: "pasted".to_owned(), text: text.to_owned() };
    let (system, unread) = gather(&[input]);
    assert!(unread.is_empty(), "{unread:?}");
    let need = Need {
        server: Server::Postgresql,
        workload: Workload::Oltp,
        memory: 64 << 30,
        cores: 8,
        allow_loss_s: 0.0,
        system,
        card: None,
    };
    let choices = tune(&need);
    let value = |name: &str| choices.iter().find(|c| c.name() == name).map(|c| c.value());
    assert_eq!(value("fsync"), Some("on"));
    assert_eq!(value("zfs_nocacheflush"), Some("0"));
    assert_eq!(value("sync"), Some("standard"));
    assert_eq!(need.dataset(), "tank/pg");
}

#[test]
fn the_health_of_a_pool_is_read_from_its_properties_too() {
    let text = "==> zpool get all <==\nNAME  PROPERTY  VALUE  SOURCE\ntank\thealth\tDEGRADED\t-\n\
                tank\tashift\t12\tlocal\n";
    let (system, _) = gather(&[Input { name: "pasted".to_owned(), text: text.to_owned() }]);
    let rules: Vec<_> = audit(&system).into_iter().map(|finding| finding.rule.name).collect();
    assert!(rules.contains(&"pool-degraded"), "{rules:?}");
}
