use super::*;

const ALWAYS: &str = "sync = \"always\"";
const DISABLED: &str = "sync = \"disabled\"";
const STANDARD: [&str; 3] = [""; 3];

/// A lab of a mirror with settings of MariaDB, and properties of the data's, of the redo log's and of all datasets.
fn class_on(server: &str, [data, redo, all]: [&str; 3]) -> (Durability, Vec<String>) {
    class_of(&format!("[workloads.oltp.mariadb]\n{server}"), [data, redo, all])
}

/// The same with the section of a server.
fn class_of(server: &str, properties: [&str; 3]) -> (Durability, Vec<String>) {
    class_in(&lab(server, properties))
}

fn class_in(campaign: &Campaign) -> (Durability, Vec<String>) {
    let found = worst(&campaign.variants[0], campaign);
    (found.durability, found.reasons.into_iter().map(|reason| reason.setting).collect())
}

fn lab(server: &str, [data, redo, all]: [&str; 3]) -> Campaign {
    let text = format!(
        r#"
[host]
memory = "64G"
[method]
runtime = "10s"
[drives]
hdd = "2x hdd-7200-8t"
[pool]
vdevs = "mirror hdd[0-1]"
[dataset]
{all}
[datasets.data]
recordsize = "16K"
{data}
[datasets.redo]
{redo}
[datasets.binlog]
[workloads.oltp.sysbench]
tables = 4
table_size = 1000000
threads = 8
[workloads.oltp.directories]
data = "data"
redo = "redo"
binlog = "binlog"
{server}
"#
    );
    super::tests::load(&text)
}

/// Of MariaDB whose data files are written durably.
fn class(server: &str) -> (Durability, Vec<String>) {
    class_on(server, [ALWAYS, "", ""])
}

fn loses(seconds: f64) -> Durability {
    Durability::LosesLast { seconds: Some(seconds) }
}

#[test]
fn defaults_keep_what_was_acknowledged_while_there_is_no_binary_log() {
    assert_eq!(class(""), (Durability::KeepsAcknowledged, vec![]));
    let (durability, settings) = class("log_bin = true");
    assert_eq!(durability, Durability::LosesLast { seconds: None });
    assert_eq!(settings, ["sync_binlog=0, the server's default"]);
    assert_eq!(class("log_bin = true\nsync_binlog = 1").0, Durability::KeepsAcknowledged);
}

#[test]
fn a_checkpoint_of_mariadb_may_pass_pages_that_wait_for_fsync() {
    let (durability, settings) = class_on("", STANDARD);
    assert_eq!(durability, Durability::MayCorrupt);
    assert_eq!(settings, ["MariaDB with sync=standard on tank/data"]);
    let through = "innodb_data_file_write_through = true";
    assert_eq!(class_on(through, STANDARD).0, Durability::KeepsAcknowledged);
    assert_eq!(class_on("", ["", ALWAYS, ""]).0, Durability::MayCorrupt, "only the redo log");
    let mysql = "[workloads.oltp.mysql]";
    assert_eq!(class_of(mysql, STANDARD).0, Durability::KeepsAcknowledged);
}

#[test]
fn a_redo_log_that_is_flushed_later_loses_as_much_as_its_interval() {
    assert_eq!(class("innodb_flush_log_at_trx_commit = 0").0, loses(1.0));
    let through = "innodb_flush_log_at_trx_commit = 2";
    assert_eq!(class(through).0, loses(1.0));
    assert_eq!(class_on(through, [ALWAYS, ALWAYS, ""]).0, Durability::KeepsAcknowledged);
    let late = "innodb_flush_log_at_trx_commit = 2\ninnodb_flush_log_at_timeout = 30";
    assert_eq!(class(late).0, loses(30.0));
    assert_eq!(class("innodb_flush_log_at_trx_commit = 3").0, Durability::KeepsAcknowledged);
}

#[test]
fn without_sync_everywhere_groups_are_lost_and_in_part_the_server_may_be_corrupt() {
    let (durability, settings) = class_on("", ["", "", DISABLED]);
    assert_eq!(durability, loses(10.0));
    assert_eq!(settings, ["sync=disabled on tank/data, tank/redo"]);
    let (durability, settings) = class_on("", [ALWAYS, DISABLED, ""]);
    assert_eq!(durability, Durability::MayCorrupt);
    assert_eq!(settings, ["sync=disabled on tank/redo, but not on tank/data"]);
    let binlog = "log_bin = true";
    assert_eq!(class_on(binlog, ["", "", DISABLED]).0, loses(10.0), "all return to one group");
    let never = "innodb_flush_method = \"nosync\"";
    assert_eq!(class_on(never, STANDARD).0, loses(10.0));
    assert_eq!(class_on(never, ["", "", ALWAYS]).0, Durability::KeepsAcknowledged);
}

#[test]
fn pages_may_be_torn_without_doublewrite_unless_each_is_a_record_of_direct_io() {
    let off = "innodb_doublewrite = 0";
    assert_eq!(class(off).0, Durability::KeepsAcknowledged, "a page of 16K is a record");
    for torn in [
        "innodb_page_size = \"8K\"", "innodb_page_size = \"32K\"",
        "innodb_flush_method = \"fsync\"", "innodb_data_file_buffering = true",
    ] {
        let (durability, settings) = class(&format!("{off}\n{torn}"));
        assert_eq!(durability, Durability::MayCorrupt, "{torn}");
        assert_eq!(settings, ["innodb_doublewrite=0, recordsize=16384 on tank/data"]);
        assert_eq!(class(torn).0, Durability::KeepsAcknowledged, "{torn}");
    }
    let fast = "innodb_doublewrite = \"fast\"\ninnodb_page_size = \"32K\"";
    assert_eq!(class(fast).1, ["innodb_doublewrite=fast, recordsize=16384 on tank/data"]);
    let mut no_direct_io = lab(&format!("[workloads.oltp.mariadb]\n{off}"), [ALWAYS, "", ""]);
    no_direct_io.variants[0].module.insert("zfs_dio_enabled".to_owned(), 0);
    assert_eq!(class_in(&no_direct_io).0, Durability::MayCorrupt);
    let buffered = class_on(off, [&format!("{ALWAYS}\ndirect = \"disabled\""), "", ""]);
    assert_eq!(buffered.0, Durability::MayCorrupt);
}

#[test]
fn mysql_has_its_own_defaults() {
    let class = |settings: &str| class_of(&format!("[workloads.oltp.mysql]\n{settings}"), STANDARD);
    assert_eq!(class("").0, Durability::KeepsAcknowledged, "a binary log that is synced");
    assert_eq!(class("sync_binlog = 0").1, ["sync_binlog=0"]);
    assert_eq!(class("log_bin = false\nsync_binlog = 0").0, Durability::KeepsAcknowledged);
    let mut before = lab("[workloads.oltp.mysql]\ninnodb_doublewrite = \"off\"", STANDARD);
    assert_eq!(class_in(&before).0, Durability::KeepsAcknowledged, "O_DIRECT since 8.4");
    let Program::Sysbench(sysbench) = &mut before.workloads[0].program else { panic!("sysbench") };
    sysbench.version = Some(800);
    assert_eq!(class_in(&before).0, Durability::MayCorrupt, "fsync before");
    let logs_only = "innodb_flush_method = \"O_DSYNC\"\ninnodb_doublewrite = \"off\"";
    assert_eq!(class(logs_only).0, Durability::MayCorrupt, "MySQL buffers pages then");
    let (durability, settings) = class("innodb_flush_method = \"O_DIRECT_NO_FSYNC\"");
    assert_eq!(durability, Durability::MayCorrupt);
    assert_eq!(settings, ["innodb_flush_method=O_DIRECT_NO_FSYNC on tank/data"]);
    for off in ["off", "DETECT_ONLY"] {
        let setting = format!("innodb_doublewrite = \"{off}\"\ninnodb_page_size = \"32K\"");
        assert_eq!(class(&setting).0, Durability::MayCorrupt, "{off}");
    }
}

#[test]
fn numbers_count_as_the_server_runs_them_and_words_as_what_they_stand_for() {
    let commit = |value: &str| {
        let server = format!("[workloads.oltp.mysql]\ninnodb_flush_log_at_trx_commit = {value}");
        class_of(&server, STANDARD).0
    };
    assert_eq!(commit("3"), loses(1.0), "MySQL runs 2");
    assert_eq!(commit("-1"), loses(1.0), "MySQL runs 0");
    assert_eq!(commit("1"), Durability::KeepsAcknowledged);
    let torn = |server: &str| {
        let server =
            format!("[workloads.oltp.{server}]\ninnodb_page_size = 32768\ninnodb_doublewrite = 2");
        let settings = class_of(&server, [ALWAYS, "", ""]).1;
        settings.iter().any(|setting| setting.starts_with("innodb_doublewrite=2"))
    };
    assert!(torn("mariadb"), "fast");
    assert!(torn("mysql"), "DETECT_ONLY");
}

#[test]
fn mariadb_wrote_pages_through_the_page_cache_before_10_6() {
    let torn = |version: u32| {
        let mut campaign =
            lab("[workloads.oltp.mariadb]\ninnodb_doublewrite = 0", [ALWAYS, "", ""]);
        if let Program::Sysbench(sysbench) = &mut campaign.workloads[0].program {
            sysbench.version = Some(version);
        }
        let settings = class_in(&campaign).1;
        settings.iter().any(|setting| setting.starts_with("innodb_doublewrite=0"))
    };
    assert!(torn(1005));
    assert!(!torn(1011), "O_DIRECT: records of 16K are logged by their pointer");
}

/// The class of a server on ext4, on a drive of a profile that writes so many bytes as a whole.
fn class_on_ext4(profile: &str, tearing: u32, server: &str) -> (Durability, Vec<String>) {
    let drive =
        format!("profile = \"{profile}\", count = 1, logical_sector = 512, tearing = {tearing}");
    let sysbench = "[workloads.oltp.sysbench]\ntables = 4\ntable_size = 1000000\nthreads = 8";
    let workload = format!("{sysbench}\n[workloads.oltp.{server}");
    class_in(&super::tests::on_ext4(&drive, "", &workload))
}

const KEEPS: (Durability, Vec<String>) = (Durability::KeepsAcknowledged, vec![]);

fn corrupts(setting: &str) -> (Durability, Vec<String>) {
    (Durability::MayCorrupt, vec![setting.to_owned()])
}

#[test]
fn mariadb_loses_a_first_page_that_is_torn() {
    let class = |tearing: u32, server: &str| class_on_ext4("nvme-consumer-1t", tearing, server);
    let pages = corrupts("MariaDB with pages of 16384");
    assert_eq!(class(4096, "mariadb]"), pages);
    assert_eq!(class_on_ext4("pm9a3-1.92t", 4096, "mariadb]"), pages, "a write that is under way");
    assert_eq!(class(16384, "mariadb]"), pages, "blocks of the file system");
    let small = "mariadb]\ninnodb_page_size = \"4k\"";
    assert_eq!(class(4096, small), KEEPS);
    assert_eq!(class(512, small), corrupts("MariaDB with pages of 4096"));
}

#[test]
fn mysql_writes_pages_with_o_direct_before_their_copies_are_durable() {
    let class = |server: &str| class_on_ext4("nvme-consumer-1t", 4096, server);
    let default = "innodb_flush_method=O_DIRECT, the server's default, over volatile caches (ssd)";
    assert_eq!(class("mysql]"), corrupts(default));
    let stated = "mysql]\ninnodb_flush_method = \"O_DIRECT\"";
    assert_eq!(class(stated), corrupts("innodb_flush_method=O_DIRECT, over volatile caches (ssd)"));
    assert_eq!(class("mysql]\ninnodb_flush_method = \"fsync\""), KEEPS);
    assert_eq!(class("mysql]\ninnodb_page_size = \"4k\""), KEEPS, "no page is torn");
    assert_eq!(class_on_ext4("pm9a3-1.92t", 4096, "mysql]"), KEEPS, "a protected cache");
    let on_zfs = |dataset: &str| class_of("[workloads.oltp.mysql]", [dataset, "", ""]);
    assert_eq!(on_zfs(""), KEEPS, "each page is a record");
    let large = "innodb_page_size = \"32K\"";
    let server = format!("[workloads.oltp.mysql]\n{large}");
    let records =
        "innodb_flush_method=O_DIRECT, the server's default, over records of 16384 on tank/data";
    assert_eq!(class_of(&server, STANDARD), corrupts(records));
    assert_eq!(class_of(&server, [ALWAYS, "", ""]), KEEPS);
    let fsync = format!("{server}\ninnodb_flush_method = \"fsync\"");
    assert_eq!(class_of(&fsync, STANDARD), KEEPS);
}

#[test]
fn without_doublewrite_a_torn_page_is_one_reason_and_not_two() {
    let class = |server: &str| class_on_ext4("nvme-consumer-1t", 4096, server);
    for server in ["mariadb", "mysql"] {
        let off = format!("{server}]\ninnodb_doublewrite = 0");
        assert_eq!(class(&off), corrupts("innodb_doublewrite=0"), "{server}");
        assert_eq!(class(&format!("{off}\ninnodb_page_size = \"4k\"")), KEEPS, "{server}");
    }
}

/// From 11.0 on the method sets the two settings.
#[test]
fn a_flush_method_ends_writing_through() {
    let through = "innodb_data_file_write_through = true\n";
    assert_eq!(class_on(through, STANDARD).0, Durability::KeepsAcknowledged);
    for method in ["fsync", "littlesync", "0"] {
        let server = format!("{through}innodb_flush_method = \"{method}\"");
        assert_eq!(class_on(&server, STANDARD).0, Durability::MayCorrupt, "{method}");
    }
}
