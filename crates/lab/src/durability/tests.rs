use super::*;
use crate::campaign::Campaign;

/// A lab of a mirror with a log, with lines of its own in a section.
fn lab(ssd: &str, more: &str) -> Campaign {
    let text = format!(
        r#"
[host]
memory = "64G"
[method]
runtime = "10s"
[drives]
hdd = "2x hdd-7200-8t"
ssd = {{ profile = "nvme-consumer-1t", count = 1{ssd} }}
[pool]
vdevs = "mirror hdd[0-1] log ssd0"
[workloads.oltp.pgbench]
scale = 10
clients = 4
[workloads.oltp.directories]
data = "data"
wal = "wal"
[datasets.data]
recordsize = "8K"
[datasets.wal]
{more}
"#
    );
    load(&text)
}

pub(crate) fn load(text: &str) -> Campaign {
    let profiles = crate::Profiles::builtin();
    match crate::load("lab.toml", text, &crate::NoFiles, &profiles) {
        Ok((campaign, _)) => campaign,
        Err(diagnostics) => panic!("{diagnostics:?}"),
    }
}

fn assess(campaign: &Campaign) -> Assessment {
    worst(&campaign.variants[0], campaign)
}

/// The class, and the settings that are the reasons.
fn class(ssd: &str, more: &str) -> (Durability, Vec<String>) {
    let found = assess(&lab(ssd, more));
    (found.durability, found.reasons.into_iter().map(|reason| reason.setting).collect())
}

fn loses(seconds: f64) -> Durability {
    Durability::LosesLast { seconds: Some(seconds) }
}

#[test]
fn defaults_keep_what_was_acknowledged_even_on_honest_volatile_drives() {
    assert_eq!(class("", ""), (Durability::KeepsAcknowledged, vec![]));
}

#[test]
fn without_sync_two_transaction_groups_are_lost() {
    let all = "sync = \"disabled\"\n[datasets.data]\nsync = \"disabled\"";
    let all = all.replace("[datasets.data]", "[module]\nzfs_txg_timeout = 3\n[dataset]");
    // The log's dataset states it itself and data inherits it.
    let (durability, settings) = class("", &all);
    assert_eq!(durability, loses(6.0));
    assert_eq!(settings, ["sync=disabled on tank/data, tank/wal"]);
}

#[test]
fn a_database_of_which_a_part_is_synchronous_may_corrupt() {
    let (durability, settings) = class("", "sync = \"disabled\"");
    assert_eq!(durability, Durability::MayCorrupt);
    assert_eq!(settings, ["sync=disabled on tank/wal, but not on tank/data"]);
    let off = "sync = \"always\"\n[workloads.oltp.postgresql]\nfsync = \"off\"";
    let (durability, settings) = class("", off);
    assert_eq!(durability, Durability::MayCorrupt);
    assert_eq!(settings, ["fsync=off on tank/data, but not on tank/wal"]);
}

#[test]
fn a_server_that_does_not_sync_loses_on_zfs_what_a_pool_loses() {
    let off = "[workloads.oltp.postgresql]\nfsync = \"off\"\nsynchronous_commit = \"off\"";
    let (durability, settings) = class("", off);
    assert_eq!(durability, loses(10.6));
    assert_eq!(settings.len(), 2, "{settings:?}");
    let always = format!("[dataset]\nsync = \"always\"\n{off}");
    assert_eq!(class("", &always).0, loses(0.6), "each write is synchronous anyway");
    let delay =
        "[workloads.oltp.postgresql]\nsynchronous_commit = \"off\"\nwal_writer_delay = \"10s\"";
    assert_eq!(class("", delay).0, loses(30.0));
}

#[test]
fn pages_of_a_server_that_does_not_log_them_whole_may_be_torn() {
    let off = "[workloads.oltp.postgresql]\nfull_page_writes = \"off\"";
    let found = assess(&lab("", off));
    assert_eq!(found.durability, Durability::MayCorrupt);
    assert_eq!(found.reasons[0].setting, "full_page_writes=off on tank/data");
    let with = |name: &str, value: &str| {
        let mut campaign = lab("", off);
        let data = campaign.variants[0].datasets.get_mut("data").unwrap();
        data.insert(name.to_owned(), value.to_owned());
        assess(&campaign).reasons.iter().any(|reason| reason.setting.starts_with("full_page"))
    };
    assert!(with("recordsize", "16K"));
    assert!(!with("sync", "disabled"), "nothing is in the intent log");
    assert!(!with("direct", "always"), "records of 8K are logged by their pointer");
    assert!(!with("logbias", "throughput"), "so are all with this logbias");
}

#[test]
fn a_log_that_is_not_flushed_ends_early_and_a_pool_that_is_not_may_corrupt() {
    // Data and log of the database are on two datasets, each with an intent log of its own.
    let lies = ", flush = \"lies\"";
    let unflushed = "[module]\nzil_nocacheflush = 1";
    assert_eq!(class(lies, "").0, Durability::MayCorrupt);
    assert_eq!(class("", unflushed).0, Durability::MayCorrupt);
    let open = Durability::LosesLast { seconds: None };
    let on_one = |ssd: &str, more: &str| {
        let mut campaign = lab(ssd, more);
        if let Program::Pgbench(pgbench) = &mut campaign.workloads[0].program {
            pgbench.directories.wal = None;
        }
        assess(&campaign).durability
    };
    assert_eq!(on_one(lies, ""), open);
    assert_eq!(on_one("", unflushed), open);
    let protected = ", flush = \"lies\", power_loss_protection = true";
    assert_eq!(class(protected, "").0, Durability::KeepsAcknowledged);
    // Disks have a volatile cache, too.
    assert_eq!(class("", "[module]\nzfs_nocacheflush = 1").0, Durability::MayCorrupt);
}

#[test]
fn without_replay_of_the_log_transaction_groups_are_lost() {
    let (durability, settings) = class("", "[module]\nzil_replay_disable = 1");
    assert_eq!(durability, loses(10.0));
    assert_eq!(settings, ["zil_replay_disable=1"]);
}

#[test]
fn a_card_that_writes_through_to_volatile_members_is_sent_no_flush() {
    let card = |member: &str| {
        let text = format!(
            "pool.vdevs = \"card0\"\n[host]\nmemory = \"64G\"\n[method]\nruntime = \"10s\"\n[drives]\n\
             card = {{ profile = \"raid10-4x-r5-h755\", count = 1{member} }}\n\
             [workloads.oltp]\nfio.job = \"[j]\\nrw=write\\nsize=1g\\n\""
        );
        assess(&load(&text)).durability
    };
    assert_eq!(card(""), Durability::KeepsAcknowledged);
    let volatile = ", card.member.power_loss_protection = false";
    assert_eq!(card(&format!(", write_cache = false{volatile}")), Durability::MayCorrupt);
}

#[test]
fn a_flush_of_a_card_without_battery_is_worth_what_its_members_flush_is() {
    let card = |more: &str| {
        let text = format!(
            "pool.vdevs = \"card0\"\n[host]\nmemory = \"64G\"\n[method]\nruntime = \"10s\"\n[drives]\n\
             card = {{ profile = \"raid0-12x4t\", count = 1, card.member.write_cache = true{more} }}\n\
             [workloads.oltp]\nfio.job = \"[j]\\nrw=write\\nsize=1g\\n\""
        );
        let found = assess(&load(&text));
        let settings = found.reasons.into_iter().map(|reason| reason.setting);
        (found.durability, settings.collect::<Vec<String>>())
    };
    let (unprotected, lies) = (", power_loss_protection = false", ", card.member.flush = \"lies\"");
    assert_eq!(card(unprotected).0, Durability::KeepsAcknowledged);
    assert_eq!(card(lies).0, Durability::KeepsAcknowledged, "its battery's memory keeps it");
    let (durability, settings) = card(&format!("{unprotected}{lies}"));
    assert_eq!(durability, Durability::MayCorrupt);
    assert_eq!(settings, ["card: a volatile cache that no flush empties"]);
}

#[test]
fn arrays_with_parity_have_a_write_hole_and_no_whole_pages() {
    let array = |level: &str, settings: &str| {
        let text = format!(
            r#"
stack = "md"
md = "{level}"
filesystem = "ext4"
[host]
memory = "64G"
[method]
runtime = "10s"
[drives]
nvme = "4x pm9a3-1.92t"
[workloads.oltp.pgbench]
scale = 10
clients = 4
[workloads.oltp.postgresql]
{settings}
"#
        );
        assess(&load(&text)).durability
    };
    assert_eq!(array("raid10 nvme[0-3]", ""), Durability::KeepsAcknowledged);
    assert_eq!(array("raid5 nvme[0-3]", ""), Durability::MayCorrupt);
    let logged = array("raid5 nvme[0-3] consistency=ppl", "");
    assert_eq!(logged, Durability::KeepsAcknowledged);
    assert_eq!(array("raid10 nvme[0-3]", "full_page_writes = \"off\""), Durability::MayCorrupt);
    assert_eq!(array("raid10 nvme[0-3]", "fsync = \"off\""), Durability::MayCorrupt);
}

#[test]
fn a_lone_drive_keeps_what_it_flushes_and_tears_pages_like_an_array() {
    let lone = |drive: &str, settings: &str| {
        let drive = format!("profile = \"nvme-consumer-1t\", count = 1{drive}");
        let workload = format!("{PGBENCH}[workloads.oltp.postgresql]\n{settings}");
        let found = assess(&on_ext4(&drive, "", &workload));
        let settings = found.reasons.into_iter().map(|reason| reason.setting);
        (found.durability, settings.collect::<Vec<String>>())
    };
    assert_eq!(lone("", ""), (Durability::KeepsAcknowledged, vec![]));
    let (durability, settings) = lone(", flush = \"lies\"", "");
    assert_eq!(durability, Durability::MayCorrupt);
    assert_eq!(settings, ["ssd: a volatile cache that no flush empties"]);
    for setting in ["fsync = \"off\"", "full_page_writes = \"off\""] {
        assert_eq!(lone("", setting).0, Durability::MayCorrupt, "{setting}");
    }
    let commit = "synchronous_commit = \"off\"";
    assert_eq!(lone("", commit).0, loses(0.6), "WAL and data keep their order");
}

#[test]
fn sqlite_loses_and_corrupts_by_its_documentation() {
    let durability_of = |stack: &str, sqlite: &str| {
        let text = format!(
            "{stack}\n[host]\nmemory = \"64G\"\n[method]\nruntime = \"10s\"\n[drives]\nssd = \"1x nvme-consumer-1t\"\n\
             [workloads.app.sqlite]\nrows = 100000\nclients = 4\nwrites = 0.5\n{sqlite}"
        );
        let found = assess(&load(&text));
        (found.durability, found.reasons.first().map(|reason| reason.setting.clone()))
    };
    let (zfs, ext4) = ("pool.vdevs = \"ssd0\"", "stack = \"ext4\"\ndrive = \"ssd0\"");
    let always = "pool.vdevs = \"ssd0\"\ndataset.sync = \"always\"";
    let disabled = "pool.vdevs = \"ssd0\"\ndataset.sync = \"disabled\"";
    let (off, normal) = ("synchronous = \"off\"\n", "synchronous = \"normal\"\n");
    let delete = "journal_mode = \"delete\"\n";
    let open = Durability::LosesLast { seconds: None };
    for (stack, sqlite, durability) in [
        (zfs, "", Durability::KeepsAcknowledged),
        (ext4, "", Durability::KeepsAcknowledged),
        (zfs, off, loses(10.0)),
        (ext4, off, Durability::MayCorrupt),
        (zfs, normal, loses(10.0)),
        (ext4, normal, open),
        (zfs, delete, loses(10.0)),
        (ext4, delete, open),
        (always, off, Durability::KeepsAcknowledged),
        (disabled, "", loses(10.0)),
    ] {
        assert_eq!(durability_of(stack, sqlite).0, durability, "{stack} {sqlite}");
    }
    assert_eq!(durability_of(disabled, off).1.as_deref(), Some("sync=disabled on tank"));
    let setting = "synchronous=full with journal_mode=delete";
    assert_eq!(durability_of(ext4, delete).1.as_deref(), Some(setting));
}

#[test]
fn the_worst_workload_decides() {
    let mut campaign = lab("", "[workloads.oltp.postgresql]\nsynchronous_commit = \"off\"");
    let mut safe = campaign.workloads[0].clone();
    if let Program::Pgbench(pgbench) = &mut safe.program {
        pgbench.settings.clear();
    }
    campaign.workloads.push(safe);
    let found = assess(&campaign);
    assert_eq!(found.durability, loses(0.6));
}

const PGBENCH: &str = "[workloads.oltp.pgbench]\nscale = 10\nclients = 4\n";

/// A lab of ext4 on one drive, whose keys of `[drives]` are given, with options of mount and the sections of a workload.
pub(crate) fn on_ext4(drive: &str, options: &str, workload: &str) -> Campaign {
    load(&format!(
        r#"
[host]
memory = "64G"
[method]
runtime = "10s"
[drives]
ssd = {{ {drive} }}
[variants.ext4]
stack = "ext4"
drive = "ssd0"
mount_options = "{options}"
{workload}
"#
    ))
}

#[test]
fn a_file_system_without_barriers_may_corrupt_over_a_volatile_cache() {
    let on = |profile: &str, options: &str| {
        assess(&on_ext4(&format!("profile = \"{profile}\", count = 1"), options, PGBENCH))
    };
    for options in ["nobarrier", "noatime,barrier=0", "barrier=1,nobarrier"] {
        let found = on("nvme-consumer-1t", options);
        assert_eq!(found.durability, Durability::MayCorrupt, "{options}");
        assert!(found.reasons[0].setting.ends_with("over volatile caches (ssd)"), "{found:?}");
        assert_eq!(on("pm983-960g", options).durability, Durability::KeepsAcknowledged);
    }
    for options in ["noatime", "barrier=1", "nobarrier,barrier", "nobarrier,barrier=1"] {
        let found = on("nvme-consumer-1t", options);
        assert_eq!(found.durability, Durability::KeepsAcknowledged, "{options}");
    }
}

/// The log's drive is protected, the data's are not.
#[test]
fn a_log_that_points_at_data_needs_the_flush_of_the_datas_drives() {
    let unflushed = |more: &str| {
        let module = "[module]\nzil_nocacheflush = 1\n";
        class(
            ", power_loss_protection = true",
            &format!("{module}[dataset]\nrecordsize = \"8K\"\n{more}"),
        )
    };
    assert_eq!(unflushed("").0, Durability::KeepsAcknowledged);
    for points in ["logbias = \"throughput\"", "direct = \"always\""] {
        let (durability, settings) = unflushed(points);
        assert_eq!(durability, Durability::MayCorrupt, "{points}");
        assert_eq!(settings, ["zil_nocacheflush=1 over volatile caches (hdd)"], "{points}");
    }
}

#[test]
fn groups_that_follow_each_other_at_once_lose_a_time_that_is_not_known() {
    let all = "[module]\nzfs_txg_timeout = 0\n[dataset]\nsync = \"disabled\"";
    assert_eq!(class("", all).0, Durability::LosesLast { seconds: None });
}
