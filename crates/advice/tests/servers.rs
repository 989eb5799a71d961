//! Servers: what their settings come to, and that audit and tune agree about them.

mod pasted;

use advice::audit::{Severity, audit};
use advice::setting::Target;
use advice::system::{Input, System, gather};
use advice::tune::{Choice, Need, Server, Workload, files, tune};
use pasted::{fires, found, read};
use text::Language;

/// Files that `tail -n +1` joined: a machine has hundreds, and a text of many more must not take for ever.
#[test]
fn a_hundred_thousand_joined_files_are_read_in_seconds_and_facts_keep_their_lines() {
    let files = 100_000;
    let text = "==> /sys/module/zfs/parameters/zfs_txg_timeout <==\n7\n".repeat(files)
        + "==> /etc/mysql/my.cnf <==\n[mysqld]\ninnodb_page_size = 8K\n";
    let system = read(&text);
    let found = system.innodb("innodb_page_size").unwrap();
    assert_eq!((found.value.as_str(), found.at.line), ("8K", 2 * files as u32 + 3));
    let parameter = &system.module["zfs_txg_timeout"];
    assert!(parameter.value == "7" && parameter.at.line.is_multiple_of(2), "{parameter:?}");
}

fn need(server: Server, workload: Workload, system: System) -> Need {
    Need { server, workload, memory: 64 << 30, cores: 16, allow_loss_s: 0.0, system, card: None }
}

fn tuned(system: System) -> Vec<Choice> {
    tune(&need(Server::Mysql, Workload::Oltp, system))
}

fn values<'a>(choices: &'a [Choice], name: &str) -> Vec<(&'a Target, &'a str)> {
    let wanted = choices.iter().filter(|choice| choice.name() == name);
    wanted.map(|choice| (&choice.setting.target, choice.value())).collect()
}

const STANDARD: &str = "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank/mysql\trecordsize\t16K\tlocal\ntank/mysql\tsync\tstandard\tlocal\n";

fn with(cnf: &str) -> String {
    format!("{STANDARD}==> /etc/mysql/my.cnf <==\n{cnf}")
}

#[test]
fn write_through_counts_only_where_the_flush_method_leaves_it_on() {
    let through = "innodb_data_file_write_through=ON\n";
    for (cnf, protected) in [
        (format!("[mariadb-11.4]\n{through}"), true),
        (format!("[mariadb-11.4]\n{through}innodb_flush_method=O_DIRECT\n"), true),
        (format!("[mariadb-11.4]\n{through}innodb_flush_method=fsync\n"), false),
        (format!("[mariadb-11.4]\n{through}innodb_flush_method=0\n"), false),
        (format!("[mariadb-11.4]\n{through}innodb_flush_method=littlesync\n"), false),
        (format!("[mariadb-11.4]\n{through}innodb_flush_method=3\n"), false),
        ("[mariadb-11.4]\ninnodb_flush_method=O_DSYNC\n".to_string(), true),
        ("[mariadb-10.11]\ninnodb_flush_method=O_DSYNC\n".to_string(), false),
        ("[mariadb]\ninnodb_flush_method=O_DSYNC\n".to_string(), false),
        (format!("[mariadb-10.11]\nloose_{through}"), false),
        // A later group counts.
        (
            format!(
                "[mysqld]\ninnodb_flush_method=fsync\n[mariadb]\ninnodb_flush_method=O_DIRECT\n{through}"
            ),
            true,
        ),
    ] {
        assert_eq!(!fires(&with(&cnf), "my-checkpoint"), protected, "{cnf}");
    }
    // The server itself says what it is.
    let of = |version: &str| {
        fires(
            &with(&format!("[mysqld]\nloose_{through}==> mysqld --version <==\n{version}\n")),
            "my-checkpoint",
        )
    };
    assert!(of(
        "mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)"
    ));
    assert!(!of("/usr/sbin/mariadbd  Ver 11.4.2-MariaDB for Linux on x86_64"));
    assert!(!of("mysqld  Ver 8.4.3 for Linux on x86_64 (MySQL Community Server - GPL)"));
}

#[test]
fn tune_writes_what_leaves_write_through_on() {
    let choices = tuned(System::default());
    let method = values(&choices, "innodb_flush_method");
    assert_eq!(method, [(&Target::Mysql, "fsync"), (&Target::Mariadb, "O_DIRECT")]);
    let written = files(&choices, Language::English);
    let cnf = &written.iter().find(|file| file.path.ends_with(".cnf")).unwrap().text;
    let rows: Vec<&str> =
        cnf.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).collect();
    let at = rows.iter().position(|row| *row == "[mariadb]").unwrap();
    assert_eq!(rows[0], "[mysqld]");
    assert_eq!(
        rows[at + 1..],
        [
            "innodb_flush_method = O_DIRECT",
            "loose_innodb_data_file_buffering = ON",
            "loose_innodb_data_file_write_through = ON"
        ]
    );
    // MySQL has no use for the group, and MariaDB 10.11 needs fsync for the ARC.
    let mysql = read("==> v <==\nmysqld  Ver 8.4.3 for Linux on x86_64 (GPL)\n");
    assert_eq!(values(&tuned(mysql), "innodb_flush_method"), [(&Target::Mysql, "fsync")]);
    let old = read("==> v <==\nmariadbd  Ver 10.11.6-MariaDB for Linux on x86_64\n");
    assert_eq!(values(&tuned(old), "innodb_flush_method"), [(&Target::Mysql, "fsync")]);
}

#[test]
fn a_group_for_mariadb_says_nothing_of_mysql() {
    let cnf = "==> zfs version <==\nzfs-2.3.2-1\nzfs-kmod-2.3.2-1\n==> /etc/mysql/my.cnf <==\n[mysqld]\ninnodb_doublewrite=0\ninnodb_flush_method=fsync\n\
               [mariadb]\ninnodb_flush_method=O_DIRECT\ninnodb_data_file_buffering=ON\n";
    assert!(fires(&format!("{STANDARD}{cnf}"), "my-doublewrite"));
}

#[test]
fn tune_does_not_undo_sync_always() {
    let always = "NAME\tPROPERTY\tVALUE\tSOURCE\ntank/mariadb\trecordsize\t16K\tlocal\ntank/mariadb\tsync\talways\tlocal\n";
    let sync = |choices: &[Choice], dataset: &str| -> Option<String> {
        let wanted = Target::Dataset(dataset.to_string());
        let mut own = choices.iter().filter(|choice| choice.setting.target == wanted);
        own.find(|choice| choice.name() == "sync").map(|choice| choice.value().to_string())
    };
    assert_eq!(sync(&tuned(read(always)), "tank/mariadb"), None);
    let log = always.replace("mariadb\tsync", "mysql-log\tsync");
    assert_eq!(sync(&tuned(read(&log)), "tank/mysql-log"), None);
    assert_eq!(sync(&tuned(read(&log)), "tank/mariadb").unwrap(), "standard");
    for (cnf, wanted) in [
        ("[mariadb-10.11]\ninnodb_buffer_pool_size=8G\n", "always"),
        ("[mariadb-11.4]\ninnodb_buffer_pool_size=8G\n", "standard"),
        ("[mysqld]\ninnodb_buffer_pool_size=8G\n", "standard"),
    ] {
        let choices = tuned(read(&with(cnf)));
        assert_eq!(sync(&choices, "tank/mysql").unwrap(), wanted, "{cnf}");
        assert_eq!(sync(&choices, "tank/mysql-log").unwrap(), "standard", "{cnf}");
    }
}

#[test]
fn the_binary_log_counts_where_there_is_one() {
    let rule = "my-sync-binlog";
    assert!(fires("==> /etc/my.cnf <==\n[mariadb]\nlog_bin = /var/log/mysql/bin\n", rule));
    assert!(!fires("==> /etc/my.cnf <==\n[mysqld]\nlog_bin = /var/log/mysql/bin\n", rule));
    assert!(!fires("==> /etc/my.cnf <==\n[mariadb]\nserver_id = 1\n", rule));
    assert!(!fires("==> /etc/my.cnf <==\n[mysqld]\nskip-log-bin\nsync_binlog=0\n", rule));
    // MariaDB has none by default.
    assert!(!fires("==> /etc/my.cnf <==\n[mariadbd]\nsync_binlog=0\n", rule));
    assert!(fires("==> /etc/my.cnf <==\n[mariadbd]\nlog-bin\nsync_binlog=0\n", rule));
    assert!(fires("==> /etc/my.cnf <==\n[mysqld]\nsync_binlog=0\n", rule));
    assert!(fires("==> /etc/my.cnf <==\n[mysqld]\nskip-log-bin\nlog-bin\nsync_binlog=0\n", rule));
}

#[test]
fn groups_of_another_release_say_nothing() {
    let rule = "my-flush-log";
    let one = "innodb_flush_log_at_trx_commit=1\n";
    let zero = "[mysqld-5.7]\ninnodb_flush_log_at_trx_commit=0\n";
    let version = |number: &str| format!("==> v <==\nmysqld  Ver {number} for Linux on x86_64\n");
    assert!(!fires(&format!("==> my.cnf <==\n[mysqld]\n{one}{zero}"), rule));
    assert!(fires(&format!("==> my.cnf <==\n{zero}"), rule));
    assert!(!fires(&format!("{}==> my.cnf <==\n{zero}", version("8.0.36")), rule));
    assert!(fires(
        &format!("{}==> my.cnf <==\n{zero}[mysqld]\n{one}", version("5.7.44")).replace(one, ""),
        rule
    ));
    // A file of one release does not hide a file for all.
    assert!(!fires(&format!("==> a.cnf <==\n[mysqld]\n{one}==> b.cnf <==\n{zero}"), rule));
}

#[test]
fn a_background_write_limit_is_not_set_below_the_default() {
    let pool = "==> zpool status <==\n  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  nvme0n1 ONLINE 0 0 0\n\nerrors: No known data errors\n";
    let capacity = |version: &str| {
        let choices = tuned(read(&format!("{pool}{version}")));
        let found = values(&choices, "innodb_io_capacity");
        found
            .into_iter()
            .map(|(target, value)| (target.clone(), value.to_string()))
            .collect::<Vec<_>>()
    };
    let version = |text: &str| format!("==> v <==\n{text} for Linux on x86_64\n");
    assert_eq!(capacity(""), [(Target::Mariadb, "2000".to_string())]);
    assert_eq!(capacity(&version("mysqld  Ver 8.4.3")), []);
    assert_eq!(capacity(&version("mysqld  Ver 8.0.36")), [(Target::Mysql, "2000".to_string())]);
    assert_eq!(
        capacity(&version("mariadbd  Ver 10.11.6-MariaDB")),
        [(Target::Mariadb, "2000".to_string())]
    );
}

/// What tune writes, as the tools of a machine that has it would show it.
fn installed(choices: &[Choice]) -> String {
    let mut text = String::new();
    for file in files(choices, Language::English) {
        let name = match file.path.as_str() {
            "etc/samba/poolwright.conf" => "/etc/samba/smb.conf",
            "etc/nfs.conf.d/poolwright.conf" | "zfs-set.sh" => continue,
            path => path,
        };
        let head = if name.ends_with("smb.conf") { "[global]\n" } else { "" };
        text += &format!("==> {name} <==\n{head}{}", file.text);
    }
    text += "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\n";
    for choice in choices {
        if let Target::Dataset(dataset) = &choice.setting.target {
            text += &format!("{dataset}\t{}\t{}\tlocal\n", choice.name(), choice.value());
        }
    }
    text
}

#[test]
fn the_audit_finds_nothing_in_what_tune_writes() {
    let servers = [Server::Postgresql, Server::Mysql, Server::Nfs, Server::Smb, Server::Generic];
    let workloads = [
        Workload::Oltp,
        Workload::Analytics,
        Workload::SmallFiles,
        Workload::LargeFiles,
        Workload::Vm,
        Workload::Mixed,
    ];
    let given = [
        "==> /proc/meminfo <==\nMemTotal:       67108864 kB\n",
        "==> my.cnf <==\n[mysqld]\ninnodb_page_size=8k\n",
        "==> my.cnf <==\n[mysqld]\ninnodb_page_size=32k\n",
        "==> my.cnf <==\n[mariadb-10.11]\nport=3306\n",
        "==> v <==\nmariadbd  Ver 11.4.2-MariaDB for Linux on x86_64\n",
    ];
    for server in servers {
        for workload in workloads {
            for text in given {
                let choices = tune(&need(server, workload, read(text)));
                let all = format!("{text}{}", installed(&choices));
                for finding in audit(&read(&all)) {
                    // The audit cannot see that a server scans.
                    let analytics = workload == Workload::Analytics
                        && finding.rule.name == "database-records-large"
                        && finding.severity == Severity::Note;
                    assert!(analytics, "{server:?} {workload:?} {text}: {finding:?}");
                }
            }
        }
    }
}

#[test]
fn records_that_nobody_chose_are_a_warning() {
    let severity = |row: &str| {
        found(
            &format!("NAME\tPROPERTY\tVALUE\tSOURCE\ntank/mysql\trecordsize\t{row}\n"),
            "database-records-large",
        )
        .first()
        .map(|finding| finding.severity)
    };
    assert_eq!(severity("128K\tdefault"), Some(Severity::Warning));
    assert_eq!(severity("128K\tlocal"), Some(Severity::Note));
    assert_eq!(severity("1M\tlocal"), Some(Severity::Warning));
}

#[test]
fn what_alter_system_set_counts_whatever_the_order_of_files() {
    let main =
        "==> /etc/postgresql/15/main/postgresql.conf <==\nfsync = on\nfull_page_writes = off\n";
    let auto = "==> /var/lib/postgresql/15/main/postgresql.auto.conf <==\nfsync = 'off'\nfull_page_writes = 'off'\n";
    for text in [format!("{main}{auto}"), format!("{auto}{main}")] {
        let fsync = found(&text, "pg-fsync");
        assert_eq!(fsync.len(), 1, "{text}");
        assert_eq!(fsync[0].fix(), ["psql -c 'ALTER SYSTEM RESET fsync'"]);
        // The file below is wrong, too.
        let pages = found(&text, "pg-full-page-writes");
        let fix = [
            "postgresql.conf: full_page_writes = on",
            "psql -c 'ALTER SYSTEM RESET full_page_writes'",
        ];
        assert_eq!(pages[0].fix(), fix);
    }
    let right = auto.replace("off", "on");
    assert!(!fires(&format!("{right}{}", main.replace("on", "off")), "pg-fsync"));
}

#[test]
fn each_cluster_of_postgresql_is_checked_by_itself() {
    let text = "==> /etc/postgresql/15/main/postgresql.conf <==\nfsync = off\n==> /etc/postgresql/15/main/conf.d/x.conf <==\n\
                wal_level = replica\n==> /etc/postgresql/16/main/postgresql.conf <==\nfsync = on\n";
    let fsync = found(text, "pg-fsync");
    assert_eq!(fsync.len(), 1);
    let evidence: Vec<String> =
        fsync[0].evidence.iter().map(|e| format!("{} {}", e.at, e.text)).collect();
    assert_eq!(
        evidence,
        ["pasted:2 fsync = off", "pasted:1 /etc/postgresql/15/main/postgresql.conf"]
    );
    // A file with its own name and one that names its data directory.
    let apart = "==> /srv/conf/postgresql.conf <==\ndata_directory = '/tank/pg'\nfsync = on\n\
                 ==> /other/postgresql.conf <==\nfsync = on\n==> /tank/pg/postgresql.auto.conf <==\nfsync = off\n";
    let fsync = found(apart, "pg-fsync");
    assert_eq!(fsync.len(), 1);
    assert_eq!(fsync[0].evidence[1].text, "/srv/conf/postgresql.conf");
}

#[test]
fn async_exports_keep_their_other_options() {
    let text = "==> /etc/exports <==\n/tank/a 10.0.0.0/24(rw,async,no_root_squash,sec=krb5p) # farm\n\
                ==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank/nfs\tsharenfs\trw=@10.0.0.0/24,async\tlocal\n\
                tank/nfs/below\tsharenfs\trw=@10.0.0.0/24,async\tinherited from tank/nfs\n";
    let fix = found(text, "nfs-async")[0].fix();
    let expected = [
        "/etc/exports: /tank/a 10.0.0.0/24(rw,sync,no_root_squash,sec=krb5p)",
        "zfs set sharenfs=rw=@10.0.0.0/24,sync tank/nfs",
        "exportfs -ra",
    ];
    assert_eq!(fix, expected);
    let (_, unread) =
        gather(&[Input { name: "/etc/exports".into(), text: "/tank/a h(rw)\nbogus\n".into() }]);
    assert_eq!(unread[0].at.line, 2);
}

/// While the module runs, OpenZFS ignores a limit that is not above the ARC's minimum.
#[test]
fn a_limit_of_the_arc_that_a_script_writes_must_exceed_its_minimum() {
    let echo = |bytes: u64| {
        format!("==> tune.sh <==\necho {bytes} > /sys/module/zfs/parameters/zfs_arc_max\n")
    };
    let option = |name: &str, value: u64| {
        format!("==> /etc/modprobe.d/zfs.conf <==\noptions zfs {name}={value}\n")
    };
    let memory = "==> /proc/meminfo <==\nMemTotal: 131072000 kB\n";
    let ignored = |text: &str| found(&format!("{memory}{text}"), "arc-max-ignored");
    let two = 2 << 30;
    let finding = &ignored(&echo(two))[0];
    let line = format!("/etc/modprobe.d/zfs.conf: options zfs zfs_arc_max={two}");
    assert_eq!(finding.fix(), [line], "an option is read before there is a minimum");
    assert_eq!(read(&format!("{memory}{}", echo(two))).arc_max(), Some(131_072_000 * 512));
    for silent in [
        echo(8 << 30),
        option("zfs_arc_max", two),
        option("zfs_arc_max", two) + &echo(two),
        option("zfs_arc_min", 1 << 30) + &echo(two),
    ] {
        assert!(ignored(&silent).is_empty(), "{silent}");
    }
    assert!(!ignored(&(option("zfs_arc_min", 8 << 30) + &echo(8 << 30))).is_empty());
}

/// A cache of 1.8T with OpenZFS 2.1: both verbs name one rate.
#[test]
fn audit_and_tune_fill_an_l2arc_at_the_same_rate() {
    let text = "==> zfs version <==\nzfs-2.1.11-1\n==> zpool status <==\n  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\
        \ttank ONLINE 0 0 0\n\t  sda ONLINE 0 0 0\n\tcache\n\t  nvme0n1 ONLINE 0 0 0\n\nerrors: No known data errors\n\
        ==> lsblk <==\n{\"blockdevices\": [{\"name\": \"nvme0n1\", \"size\": 2000398934016, \"rota\": false}]}\n";
    let system = read(text);
    let advised = found(text, "cache-slow-to-fill")[0].changes[0].value.clone().unwrap();
    assert_eq!(values(&tuned(system.clone()), "l2arc_write_max"), [(&Target::Module, &*advised)]);
    // What it advises is enough, however large the cache is.
    let larger = text.replace("2000398934016", "20003989340160");
    let fast = format!(
        "{larger}==> /etc/modprobe.d/zfs.conf <==\noptions zfs l2arc_write_max=134217728\n"
    );
    assert!(!fires(&fast, "cache-slow-to-fill") && fires(&larger, "cache-slow-to-fill"));
}

#[test]
fn each_share_of_samba_counts() {
    let text = "[global]\n workgroup = X\n[vm]\n Strict  Sync = no\n[home]\n strict sync = yes\n[two]\n sync always = on\n";
    let text = format!("==> /etc/samba/smb.conf <==\n{text}");
    let off = found(&text, "smb-strict-sync");
    assert_eq!(off[0].text(Language::English).0, "strict sync is off in [vm].");
    assert_eq!(off[0].fix(), ["smb.conf [vm]: strict sync = yes"]);
    assert_eq!(off[0].evidence[0].at.line, 5);
    assert_eq!(found(&text, "smb-sync-always")[0].fix(), ["smb.conf [two]: sync always = no"]);
    for value in ["on", "1", "TRUE", "yes"] {
        assert!(!fires(
            &format!("==> smb.conf <==\n[global]\nstrict sync = {value}\n"),
            "smb-strict-sync"
        ));
    }
    for value in ["off", "0", "False"] {
        assert!(fires(
            &format!("==> smb.conf <==\n[global]\nstrict sync = {value}\n"),
            "smb-strict-sync"
        ));
    }
    // The last row of a section counts.
    let twice = "==> smb.conf <==\n[global]\nstrict sync = no\n[a]\npath = /a\n[Global]\nstrict sync = yes\n";
    assert!(!fires(twice, "smb-strict-sync"));
}

#[test]
fn of_several_pools_the_one_with_the_database_is_tuned_or_one_that_is_not_booted_from() {
    let pool = |name: &str| {
        format!(
            "==> zpool status <==\n  pool: {name}\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\t{name} ONLINE 0 0 0\n\
             \t  sda ONLINE 0 0 0\n\nerrors: No known data errors\n"
        )
    };
    let pools = [pool("boot-pool"), pool("tank"), pool("fast")].concat();
    let tuned = |text: &str, server: Server| {
        let need = need(server, Workload::Oltp, read(text));
        need.pool().unwrap().name.clone()
    };
    assert_eq!(tuned(&pools, Server::Smb), "tank");
    assert_eq!(tuned(&pool("rpool"), Server::Smb), "rpool");
    let database = "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\nfast/pgdata\trecordsize\t8K\tlocal\n\
        fast/pgdata\tmountpoint\t/var/lib/postgresql\tlocal\n";
    assert_eq!(tuned(&format!("{pools}{database}"), Server::Postgresql), "fast");
    assert_eq!(tuned(&format!("{pools}{database}"), Server::Smb), "tank");
}

#[test]
fn guests_of_a_hypervisor_get_the_memory_and_a_database_shares_it_with_the_arc() {
    let arc = |server: Server, workload: Workload, memory: u64| {
        let need = Need { memory, ..need(server, workload, System::default()) };
        need.arc()
    };
    assert_eq!(arc(Server::Generic, Workload::Vm, 64 << 30), 6553 << 20);
    assert_eq!(arc(Server::Generic, Workload::Vm, 1 << 40), 16 << 30);
    assert!(arc(Server::Smb, Workload::Mixed, 64 << 30) > 50 << 30);
}

#[test]
fn a_dataset_that_is_never_mounted_holds_no_database() {
    let holder = |canmount: &str| {
        let text = format!(
            "==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\ntank/lib\tmountpoint\t/var/lib\tlocal\n\
             tank/lib\tcanmount\t{canmount}\tlocal\ntank/lib\trecordsize\t128K\tdefault\n\
             ==> postgresql.conf <==\ndata_directory = '/var/lib/postgresql/15/main'\n"
        );
        read(&text).databases().first().map(|database| database.dataset.name.clone())
    };
    assert_eq!(holder("on").as_deref(), Some("tank/lib"));
    assert_eq!(holder("off"), None);
}

#[test]
fn an_export_is_where_the_dataset_is_mounted() {
    let export = |rows: &str| {
        let text = format!("==> zfs get all <==\nNAME\tPROPERTY\tVALUE\tSOURCE\n{rows}");
        let mut system = read(&text);
        system.pools = vec![advice::system::Pool { name: "tank".into(), ..Default::default() }];
        need(Server::Nfs, Workload::Mixed, system).mountpoint()
    };
    assert_eq!(export("tank\tmountpoint\t/mnt/tank\tlocal\n"), "/mnt/tank/share");
    assert_eq!(export("tank/share\tmountpoint\t/srv\tlocal\n"), "/srv");
    assert_eq!(export("tank\tmountpoint\tlegacy\tlocal\n"), "/tank/share");
    assert_eq!(export("tank\tmountpoint\t/\tlocal\n"), "/share");
    assert_eq!(export("tank/share\tmountpoint\t/\tlocal\n"), "/");
}
