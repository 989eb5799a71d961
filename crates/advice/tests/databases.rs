//! Rules about databases: what their files say, and where nothing may be said.

mod fix_applied;
mod pasted;

use advice::audit::{Finding, audit};
use advice::setting::Target;
use advice::tune::{Choice, Need, Server, Workload, tune};
use fix_applied::changed;
use pasted::{fires, found, read};

/// Datasets and their properties, as `zfs get` prints them; `!` marks one that was set.
fn datasets(rows: &[(&str, &[(&str, &str)])]) -> String {
    let mut text = "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\n".to_string();
    for (dataset, properties) in rows {
        for (name, value) in *properties {
            let source = if value.starts_with('!') { "local" } else { "default" };
            let value = value.trim_start_matches('!');
            text += &format!("{dataset}\t{name}\t{value}\t{source}\n");
        }
    }
    text
}

fn my_cnf(rows: &str) -> String {
    format!("==> /etc/mysql/my.cnf <==\n{rows}\n")
}

const MYSQL_84: &str = "==> v <==\nmysqld  Ver 8.4.3 for Linux on x86_64 (GPL)\n";
const ZFS_23: &str = "==> zfs version <==\nzfs-2.3.4-1\nzfs-kmod-2.3.4-1\n";

#[test]
fn pages_that_are_not_flushed_are_an_error_unless_the_dataset_makes_them_durable() {
    let text = |method: &str, sync: &str| {
        let rows = [("recordsize", "16K"), ("mountpoint", "/tank/mysql"), ("sync", sync)];
        let cnf = format!("[mysqld]\ndatadir=/tank/mysql\ninnodb_flush_method={method}");
        format!("{MYSQL_84}{ZFS_23}{}{}", my_cnf(&cnf), datasets(&[("tank/mysql", &rows)]))
    };
    let rule = "my-flush-method";
    for (method, right) in [
        ("O_DIRECT_NO_FSYNC", Some("O_DIRECT")),
        ("o_direct_no_fsync", Some("O_DIRECT")),
        ("5", Some("O_DIRECT")),
        ("nosync", Some("fsync")),
        ("3", Some("fsync")),
        ("O_DIRECT", None),
        ("fsync", None),
    ] {
        let fix = found(&text(method, "standard"), rule).first().map(Finding::fix);
        let expected =
            right.map(|right| vec![format!("my.cnf [mysqld]: innodb_flush_method = {right}")]);
        assert_eq!(fix, expected, "{method}");
    }
    assert!(!fires(&text("nosync", "always"), rule));
    assert!(!fires(&text("nosync", "disabled"), rule));
    assert!(fires(&text("nosync", "disabled"), "database-sync-disabled"));
    // Nothing shows that the data is on ZFS.
    assert!(!fires(&my_cnf("[mysqld]\ninnodb_flush_method=nosync"), rule));
}

#[test]
fn nosync_does_not_flush_the_redo_log_of_another_dataset_either() {
    let always = [("recordsize", "16K"), ("mountpoint", "/tank/mysql"), ("sync", "!always")];
    let redo = [("recordsize", "128K"), ("mountpoint", "/tank/redo"), ("sync", "standard")];
    let text = |method: &str| {
        let cnf = format!(
            "[mysqld]\ndatadir=/tank/mysql\ninnodb_log_group_home_dir=/tank/redo/\ninnodb_flush_method={method}"
        );
        my_cnf(&cnf) + &datasets(&[("tank/mysql", &always), ("tank/redo", &redo)])
    };
    let nosync = found(&text("nosync"), "my-flush-method");
    assert_eq!(nosync[0].arguments["dataset"], "tank/redo");
    assert!(!fires(&text("O_DIRECT_NO_FSYNC"), "my-flush-method"));
}

#[test]
fn without_flushes_no_power_cut_is_called_harmless() {
    let rows = [("recordsize", "!16K"), ("mountpoint", "/tank/mysql"), ("sync", "standard")];
    let text = |method: &str| {
        let cnf = format!(
            "[mysqld]\ndatadir=/tank/mysql\ninnodb_doublewrite=OFF\ninnodb_flush_method={method}"
        );
        format!("{MYSQL_84}{ZFS_23}{}{}", my_cnf(&cnf), datasets(&[("tank/mysql", &rows)]))
    };
    assert!(fires(&text("O_DIRECT"), "my-doublewrite-kept"));
    assert!(!fires(&text("O_DIRECT_NO_FSYNC"), "my-doublewrite-kept"));
    assert!(fires(&text("O_DIRECT_NO_FSYNC"), "my-doublewrite"));
}

#[test]
fn mysql_with_direct_writes_flushes_no_copy_of_a_page_that_can_be_torn() {
    let text = |server: &str, method: &str, record: &str, sync: &str| {
        let rows = [("recordsize", record), ("mountpoint", "/tank/mysql"), ("sync", sync)];
        let cnf = my_cnf(&format!("[mysqld]\ndatadir=/tank/mysql\n{method}"));
        format!("{server}{ZFS_23}{cnf}{}", datasets(&[("tank/mysql", &rows)]))
    };
    let rule = "my-copies";
    let stated = "innodb_flush_method=O_DIRECT";
    let before = "==> v <==\nmysqld  Ver 8.0.40 for Linux on x86_64 (GPL)\n";
    let mariadb = "==> v <==\nmariadbd  Ver 10.11.19-MariaDB for Linux on x86_64\n";
    for (server, method, record, sync, wrong) in [
        (MYSQL_84, stated, "32K", "standard", true),
        (MYSQL_84, "", "32K", "standard", true),
        (before, stated, "32K", "standard", true),
        (before, "", "32K", "standard", false),
        ("", "", "32K", "standard", false),
        (mariadb, stated, "32K", "standard", false),
        (MYSQL_84, "innodb_flush_method=fsync", "32K", "standard", false),
        (MYSQL_84, stated, "16K", "standard", false),
        (MYSQL_84, "", "32K", "always", false),
    ] {
        let findings = found(&text(server, method, record, sync), rule);
        assert_eq!(!findings.is_empty(), wrong, "{server}{method} {record} {sync}");
        for finding in findings {
            assert_eq!(finding.fix(), ["my.cnf [mysqld]: innodb_flush_method = fsync"]);
        }
    }
    // Copies that are turned on must be flushed, too.
    let off = text(MYSQL_84, "innodb_doublewrite=OFF", "32K", "standard");
    let fix = found(&off, "my-doublewrite")[0].fix();
    assert!(fix.contains(&"my.cnf [mysqld]: innodb_flush_method = fsync".to_owned()), "{fix:?}");
    assert!(!fires(&off, rule));
}

const MEMORY: &str = "==> /proc/meminfo <==\nMemTotal:       131072000 kB\n";

fn tank_mysql() -> String {
    datasets(&[("tank/mysql", &[("recordsize", "!16K"), ("mountpoint", "/tank/mysql")])])
}

fn cluster(version: u32, buffers: &str) -> String {
    format!("==> /etc/postgresql/{version}/main/postgresql.conf <==\nshared_buffers = {buffers}\n")
}

#[test]
fn the_memory_of_all_database_servers_counts_in_one_finding() {
    let rule = "database-memory";
    let clusters = [13, 16, 17].map(|version| cluster(version, "30GB")).concat();
    let three = found(&format!("{MEMORY}{ZFS_23}{}{clusters}", tank_mysql()), rule);
    assert_eq!(three.len(), 1);
    assert_eq!(three[0].arguments["setting"], "3 × shared_buffers");
    assert_eq!(three[0].arguments["cache"], "90G");
    // 125 GiB less 90 and a fifth.
    assert_eq!(three[0].changes[0].value, Some((10u64 << 30).to_string()));
    // Both engines want more than three quarters: together they get half of 125 GiB.
    let pool = my_cnf("[mysqld]\ninnodb_buffer_pool_size=64G");
    let both = format!("{MEMORY}{ZFS_23}{}{pool}{}", tank_mysql(), cluster(16, "32GB"));
    let both = found(&both, rule);
    assert_eq!(both.len(), 1);
    assert_eq!(both[0].arguments["setting"], "shared_buffers + innodb_buffer_pool_size");
    let values: Vec<_> = both[0].changes.iter().filter_map(|c| c.value.clone()).collect();
    assert_eq!(values, [(37u64 << 30).to_string(), "21334MB".to_string(), "42667M".to_string()]);
}

#[test]
fn a_cache_that_the_fix_makes_small_does_not_stand_in_for_the_arc() {
    let rows =
        [("recordsize", "!16K"), ("mountpoint", "/tank/mysql"), ("primarycache", "!metadata")];
    let pool = my_cnf("[mysqld]\ninnodb_buffer_pool_size=64G");
    let text = format!("{MEMORY}{ZFS_23}{pool}{}", datasets(&[("tank/mysql", &rows)]));
    let with = |other: &str| {
        let all = format!("{text}{other}");
        let memory = found(&all, "database-memory").remove(0);
        let fixed =
            memory.changes.iter().fold(read(&all), |system, change| changed(&system, change));
        audit(&fixed).iter().any(|finding| finding.rule.name.starts_with("database-"))
    };
    assert!(!with(&cluster(16, "32GB")));
    assert!(!with(""));
}

#[test]
fn datasets_show_that_there_is_an_arc_without_zpool_status() {
    let pool = my_cnf("[mysqld]\ninnodb_buffer_pool_size=64G");
    assert!(fires(&format!("{MEMORY}{ZFS_23}{pool}{}", tank_mysql()), "database-memory"));
    assert!(!fires(&format!("{MEMORY}{ZFS_23}{pool}"), "database-memory"));
}

#[test]
fn the_default_data_directory_of_mysql_holds_its_database() {
    let rows = |point| [("recordsize", "128K"), ("mountpoint", point), ("sync", "!disabled")];
    let deb = my_cnf("[mysqld]\nuser = mysql\ninnodb_buffer_pool_size = 24G");
    let at = |cnf: &str, point| cnf.to_string() + &datasets(&[("tank/db", &rows(point))]);
    for rule in ["database-sync-disabled", "database-records-large"] {
        assert!(fires(&at(&deb, "/var/lib/mysql"), rule), "{rule}");
        // Another file may say where the data is.
        assert!(!fires(&at(&deb, "/var/lib"), rule), "{rule}");
        assert!(!fires(&at("", "/var/lib/mysql"), rule), "{rule}");
        let elsewhere = deb.replace("user = mysql", "datadir = /srv/mysql");
        assert!(!fires(&at(&elsewhere, "/var/lib/mysql"), rule), "{rule}");
        let client = my_cnf("[client]\nport = 3306");
        assert!(!fires(&at(&client, "/var/lib/mysql"), rule), "{rule}");
    }
}

#[test]
fn a_cluster_without_data_directory_is_where_its_file_is() {
    let rows = [("recordsize", "128K"), ("mountpoint", "/var/lib/pgsql"), ("sync", "!disabled")];
    let with = |path: &str, setting: &str| {
        let file = format!("==> {path} <==\nshared_buffers = 8GB\n{setting}");
        fires(&(file + &datasets(&[("tank/db", &rows)])), "database-sync-disabled")
    };
    assert!(with("/var/lib/pgsql/16/data/postgresql.conf", ""));
    assert!(with("/var/lib/pgsql/16/data/postgresql.auto.conf", ""));
    assert!(!with("postgresql.conf", ""));
    assert!(!with("var/lib/pgsql/16/data/postgresql.conf", ""));
    assert!(!with("/etc/postgresql/16/main/postgresql.conf", ""));
    assert!(!with("/var/lib/pgsql/16/data/postgresql.conf", "data_directory = '/srv/pg'\n"));
}

fn tuned(server: Server, memory_gib: u64, text: &str) -> Vec<Choice> {
    let (workload, system) = (Workload::Oltp, read(text));
    let memory = memory_gib << 30;
    tune(&Need { server, workload, memory, cores: 16, allow_loss_s: 0.0, system, card: None })
}

#[test]
fn asynchronous_reads_of_postgresql_18_stay_on() {
    let rows = [("recordsize", "!16K"), ("mountpoint", "/tank/pgdata")];
    let text = |path: &str| {
        format!(
            "==> zfs version <==\nzfs-2.1.11-1\nzfs-kmod-2.1.11-1\n==> {path} <==\n\
             data_directory = '/tank/pgdata'\neffective_io_concurrency = 200\n{}",
            datasets(&[("tank/pgdata", &rows)])
        )
    };
    let fix = |path: &str| found(&text(path), "pg-io-concurrency").first().map(Finding::fix);
    let off = vec!["postgresql.conf: effective_io_concurrency = 0".to_string()];
    assert_eq!(fix("/etc/postgresql/17/main/postgresql.conf"), Some(off.clone()));
    assert_eq!(fix("/etc/postgresql/9.6/main/postgresql.conf"), Some(off.clone()));
    assert_eq!(fix("etc18/postgresql/18/main/postgresql.conf"), None);
    assert_eq!(fix("/var/lib/pgsql/18/data/postgresql.conf"), None);
    let ask = vec!["psql -c 'SHOW server_version'".to_string()];
    assert_eq!(fix("postgresql.conf"), Some(ask));
    let offered = |path: &str| {
        let choices = tuned(Server::Postgresql, 64, &text(path));
        choices.iter().any(|choice| choice.name() == "effective_io_concurrency")
    };
    assert!(offered("/etc/postgresql/17/main/postgresql.conf"));
    assert!(!offered("/etc/postgresql/18/main/postgresql.conf"));
}

#[test]
fn smaller_records_of_a_database_come_with_no_threshold_for_the_special_vdev() {
    let fix = |small: &str, compression: &str| {
        let rows = [
            ("recordsize", "128K"),
            ("mountpoint", "/tank/pgdata"),
            ("compression", compression),
            ("special_small_blocks", small),
        ];
        found(&datasets(&[("tank/pgdata", &rows)]), "database-records-large")[0].fix()
    };
    let records = "zfs set recordsize=16K tank/pgdata".to_string();
    let both = vec![records.clone(), "zfs set special_small_blocks=0 tank/pgdata".to_string()];
    assert_eq!(fix("32K", "lz4"), both);
    assert_eq!(fix("8K", "lz4"), both);
    assert_eq!(fix("16K", "off"), both);
    assert_eq!(fix("8K", "off"), std::slice::from_ref(&records));
    assert_eq!(fix("0", "lz4"), [records]);
    // The same where its records are small already.
    let rows =
        [("recordsize", "16K"), ("mountpoint", "/tank/pgdata"), ("special_small_blocks", "16K")];
    let special = "==> zpool status <==\n  pool: tank\n state: ONLINE\n  scan: none requested\n\
                   config:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  sda ONLINE 0 0 0\n\
                   \tspecial\n\t  sdb ONLINE 0 0 0\n\nerrors: No known data errors\n";
    let text = special.to_owned() + &datasets(&[("tank/pgdata", &rows)]);
    let fix = found(&text, "special-everything")[0].fix();
    assert_eq!(fix, ["zfs set special_small_blocks=0 tank/pgdata"]);
}

#[test]
fn audit_and_tune_set_the_same_max_wal_size() {
    for (gib, size) in [(32, "4GB"), (48, "4GB"), (64, "16GB"), (256, "16GB")] {
        let memory = format!("==> /proc/meminfo <==\nMemTotal: {} kB\n", gib << 20);
        let text = memory + &cluster(16, "8GB");
        let fix = found(&text, "pg-max-wal-size")[0].changes[0].value.clone();
        assert_eq!(fix.as_deref(), Some(size), "{gib}");
        let choices = tuned(Server::Postgresql, gib, &text);
        let choice = choices.iter().find(|choice| choice.name() == "max_wal_size").unwrap();
        assert_eq!(choice.value(), size, "{gib}");
    }
}

#[test]
fn the_redo_log_lies_on_records_no_larger_than_what_it_is_extended_by() {
    for (page, bytes, record) in [("4K", 4096, "4K"), ("16K", 16384, "16K"), ("32K", 16384, "16K")]
    {
        let text = my_cnf(&format!("[mysqld]\ninnodb_page_size={page}")) + &tank_mysql();
        let choices = tuned(Server::Mysql, 64, &text);
        let value = |name: &str, target: &Target| {
            let mut own = choices.iter().filter(|choice| choice.setting.target == *target);
            own.find(|choice| choice.name() == name).unwrap().value().to_string()
        };
        let log = Target::Dataset("tank/mysql-log".to_string());
        assert_eq!(value("recordsize", &log), record);
        let ahead = value("loose_innodb_log_write_ahead_size", &Target::Mysql);
        assert_eq!(ahead, bytes.to_string());
    }
    let choices = tuned(Server::Postgresql, 64, "");
    let log = Target::Dataset("POOL/pgwal".to_string());
    assert!(choices.iter().any(|c| c.setting.target == log && c.value() == "128K"));
}
