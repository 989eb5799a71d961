//! What tune writes, as a lab: its class must be the one that was allowed.

use advice::setting::Target;
use advice::system::System;
use advice::tune::{Choice, Need, Server, Workload, tune};
use lab::durability::{Durability, worst};
use std::collections::BTreeMap;

/// The lines of a section with the settings for a target, as far as a lab knows them.
fn lines(choices: &[Choice], wanted: impl Fn(&Target) -> bool, names: &[&str]) -> String {
    // A setting of a later group counts.
    let mut all = BTreeMap::new();
    for choice in choices.iter().filter(|c| !c.offered && wanted(&c.setting.target)) {
        let name = choice.name().trim_start_matches("loose_");
        if names.contains(&name) {
            all.insert(name, choice.value());
        }
    }
    all.iter().map(|(name, value)| format!("{name} = \"{value}\"\n")).collect()
}

fn class(server: Server, section: &str, client: &str, allow_loss_s: f64) -> Durability {
    let need = Need {
        server,
        workload: Workload::Oltp,
        memory: 64 << 30,
        cores: 16,
        allow_loss_s,
        system: System::default(),
        card: None,
    };
    let choices = tune(&need);
    let properties = ["sync", "recordsize", "logbias"];
    let dataset = |name: String| {
        lines(&choices, |target| *target == Target::Dataset(name.clone()), &properties)
    };
    let mut settings = vec![
        "fsync", "synchronous_commit", "full_page_writes", "innodb_flush_log_at_trx_commit",
        "innodb_flush_method", "innodb_doublewrite", "sync_binlog",
    ];
    if section == "mariadb" {
        settings.extend(["innodb_data_file_buffering", "innodb_data_file_write_through"]);
    }
    let of_server = |target: &Target| match target {
        Target::Mariadb => section == "mariadb",
        other => matches!(other, Target::Postgresql | Target::Mysql),
    };
    let log = if server == Server::Postgresql { "wal" } else { "redo" };
    let text = format!(
        "[host]\nmemory = \"64G\"\n[method]\nruntime = \"10s\"\n[drives]\nhdd = \"2x hdd-7200-8t\"\n\
         [pool]\nvdevs = \"mirror hdd[0-1]\"\n[datasets.data]\n{}[datasets.log]\n{}[workloads.oltp.{client}\n\
         [workloads.oltp.directories]\ndata = \"data\"\n{log} = \"log\"\n[workloads.oltp.{section}]\n{}",
        dataset(need.dataset()),
        dataset(need.log_dataset().unwrap()),
        lines(&choices, of_server, &settings),
    );
    let profiles = lab::Profiles::builtin();
    let campaign = match lab::load("tune.toml", &text, &lab::NoFiles, &profiles) {
        Ok((campaign, _)) => campaign,
        Err(diagnostics) => panic!("{diagnostics:?}\n{text}"),
    };
    worst(&campaign.variants[0], &campaign).durability
}

#[test]
fn a_tuned_server_loses_at_most_what_was_allowed() {
    let sysbench = "sysbench]\ntables = 4\ntable_size = 1000000\nthreads = 8";
    let pgbench = "pgbench]\nscale = 10\nclients = 4";
    let servers = [
        (Server::Postgresql, "postgresql", pgbench),
        (Server::Mysql, "mysql", sysbench),
        (Server::Mysql, "mariadb", sysbench),
    ];
    for (server, section, client) in servers {
        let class = |allowed| class(server, section, client, allowed);
        assert_eq!(class(0.0), Durability::KeepsAcknowledged, "{section}");
        for allowed in [1.0, 5.0, 10.0, 15.0, 60.0] {
            match class(allowed) {
                Durability::LosesLast { seconds: Some(seconds) } => {
                    assert!(seconds <= allowed, "{section}: {seconds} of {allowed} s");
                }
                other => panic!("{section}, {allowed} s allowed: {other}"),
            }
        }
    }
}
