//! This machine, read without changing it: programs by argument vectors, files of /proc and /sys.

use advice::system::Input;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is asked of a machine.
pub trait Host {
    /// Standard output of a program; none where it is missing, fails without output or says
    /// nothing.
    fn run(&self, arguments: &[&str]) -> Option<String>;
    /// A file's text.
    fn read(&self, path: &str) -> Option<String>;
    /// Names in a directory, sorted.
    fn list(&self, path: &str) -> Vec<String>;
    /// Lets time pass.
    fn wait(&self, time: Duration);
}

/// The machine we are on.
pub struct Machine;

impl Host for Machine {
    fn run(&self, arguments: &[&str]) -> Option<String> {
        let (program, rest) = arguments.split_first()?;
        let output = Command::new(program)
            .args(rest)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        // smartctl's exit status is a bit mask of findings: its output counts all the same.
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (!text.trim().is_empty()).then_some(text)
    }

    fn read(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(Path::new(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(path) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Programs whose output says what there is.
const PROGRAMS: [&[&str]; 11] = [
    &["zpool", "status", "-v"],
    &["zpool", "get", "-Hp", "all"],
    &["zfs", "get", "-Hp", "-t", "filesystem,volume", "all"],
    &["zfs", "version"],
    &[
        "lsblk",
        "-J",
        "-b",
        "-o",
        "NAME,TYPE,SIZE,ROTA,PHY-SEC,LOG-SEC,MODEL,SERIAL,WWN,TRAN,SCHED,RA,FSTYPE,MOUNTPOINT",
    ],
    &["nvme", "list", "-o", "json"],
    &["storcli", "/call", "show", "all", "J"],
    &["perccli", "/call", "show", "all", "J"],
    &["arcconf", "GETCONFIG", "1", "AL"],
    &["ssacli", "ctrl", "all", "show", "config", "detail"],
    &["ip", "link"],
];

/// Files that say how it is set up.
const FILES: [&str; 6] = [
    "/proc/meminfo",
    "/etc/exports",
    "/etc/samba/smb.conf",
    "/etc/my.cnf",
    "/etc/mysql/my.cnf",
    "/var/lib/pgsql/data/postgresql.conf",
];

/// Module parameters that are set at run time as often as in files.
const PARAMETERS: [&str; 9] = [
    "zfs_arc_max",
    "zfs_arc_min",
    "zfs_txg_timeout",
    "zfs_nocacheflush",
    "zil_nocacheflush",
    "zil_replay_disable",
    "zfs_prefetch_disable",
    "l2arc_write_max",
    "l2arc_rebuild_enabled",
];

/// Kernel counters that are read before and after.
const KSTATS: [&str; 3] = ["zil", "arcstats", "dmu_tx"];

/// Everything an audit reads of a machine, with counters over `seconds` (0: since the module was
/// loaded).
pub fn read(host: &dyn Host, seconds: u32) -> Vec<Input> {
    let mut texts = Vec::new();
    let mut add = |name: String, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            texts.push(Input { name, text });
        }
    };
    let kstats = |add: &mut dyn FnMut(String, Option<String>)| {
        for name in KSTATS {
            let path = format!("/proc/spl/kstat/zfs/{name}");
            let text = host.read(&path);
            add(path, text);
        }
    };
    kstats(&mut add);
    for program in PROGRAMS {
        add(program.join(" "), host.run(program));
    }
    for path in FILES {
        add(path.to_string(), host.read(path));
    }
    for file in host
        .list("/etc/modprobe.d")
        .iter()
        .filter(|name| name.ends_with(".conf"))
    {
        let path = format!("/etc/modprobe.d/{file}");
        let text = host.read(&path).filter(|text| {
            text.lines().any(|row| {
                row.trim_start().starts_with("options zfs")
                    || row.trim_start().starts_with("options spl")
            })
        });
        add(path, text);
    }
    for version in host.list("/etc/postgresql") {
        let path = format!("/etc/postgresql/{version}/main/postgresql.conf");
        let text = host.read(&path);
        add(path, text);
    }
    for name in PARAMETERS {
        let path = format!("/sys/module/zfs/parameters/{name}");
        let text = host.read(&path);
        add(path, text);
    }
    for device in host.list("/sys/block") {
        let virtual_device = ["loop", "ram", "zram", "zd", "dm-", "md", "nbd", "sr"]
            .iter()
            .any(|p| device.starts_with(p));
        if virtual_device {
            continue;
        }
        let rows: String = ["scheduler", "read_ahead_kb", "rotational", "write_cache"]
            .iter()
            .filter_map(|attribute| {
                let path = format!("/sys/block/{device}/queue/{attribute}");
                host.read(&path)
                    .map(|value| format!("{path}:{}\n", value.trim()))
            })
            .collect();
        add(format!("/sys/block/{device}/queue"), Some(rows));
        add(
            format!("smartctl -j -a /dev/{device}"),
            host.run(&["smartctl", "-j", "-a", &format!("/dev/{device}")]),
        );
    }
    if seconds > 0 {
        // With -y the first report is left out: one report over the whole time, which also waits.
        let seconds_text = seconds.to_string();
        let words = [
            "zpool",
            "iostat",
            "-l",
            "-H",
            "-p",
            "-y",
            &seconds_text,
            "1",
        ];
        let counted = host.run(&words);
        if counted.is_none() && host.read("/proc/spl/kstat/zfs/zil").is_some() {
            host.wait(Duration::from_secs(u64::from(seconds)));
        }
        add(words.join(" "), counted);
        kstats(&mut add);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    /// A machine made of answers; it remembers what was asked.
    #[derive(Default)]
    struct Fake {
        programs: BTreeMap<String, String>,
        files: BTreeMap<String, Vec<String>>,
        asked: RefCell<Vec<String>>,
        waited: RefCell<Duration>,
    }

    impl Host for Fake {
        fn run(&self, arguments: &[&str]) -> Option<String> {
            self.asked.borrow_mut().push(arguments.join(" "));
            self.programs.get(&arguments.join(" ")).cloned()
        }

        fn read(&self, path: &str) -> Option<String> {
            let readings = self.files.get(path)?;
            let waited = usize::from(!self.waited.borrow().is_zero());
            readings.get(waited).or(readings.last()).cloned()
        }

        fn list(&self, path: &str) -> Vec<String> {
            let names = self
                .files
                .keys()
                .filter_map(|file| file.strip_prefix(path)?.strip_prefix('/'));
            names
                .filter_map(|rest| rest.split('/').next())
                .map(String::from)
                .collect()
        }

        fn wait(&self, time: Duration) {
            *self.waited.borrow_mut() += time;
        }
    }

    fn zil(second: u64, commits: u64) -> String {
        format!(
            "13 1 0x01 1 2 0 {}\nname type data\nzil_commit_count 4 {commits}\n",
            second * 1_000_000_000
        )
    }

    #[test]
    fn a_machine_that_never_syncs_is_told_that_it_needs_no_slog() {
        let mut fake = Fake::default();
        fake.files.insert(
            "/proc/spl/kstat/zfs/zil".into(),
            vec![zil(1000, 70_000), zil(1300, 70_020)],
        );
        let texts = read(&fake, 300);
        assert_eq!(*fake.waited.borrow(), Duration::from_secs(300));
        let (system, _) = advice::system::gather(&texts);
        let found = advice::audit::audit(&system);
        assert!(
            found
                .iter()
                .any(|finding| finding.rule.name() == "no-commits"),
            "{found:?}"
        );
    }

    #[test]
    fn only_programs_that_read_are_started() {
        let mut fake = Fake::default();
        fake.files.insert(
            "/sys/block/sda/queue/scheduler".into(),
            vec!["[none] mq-deadline".into()],
        );
        read(&fake, 5);
        for call in fake.asked.borrow().iter() {
            let reads = [
                "status",
                "get",
                "version",
                "lsblk",
                "list",
                "show",
                "GETCONFIG",
                "ip link",
                "smartctl -j -a",
                "iostat",
            ];
            assert!(reads.iter().any(|word| call.contains(word)), "{call}");
        }
    }
}
