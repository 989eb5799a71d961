//! This machine, read without changing it: programs by argument vectors, files of /proc and /sys.

use crate::output::complain;
use advice::system::{Input, diskstats};
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Access to a machine.
pub trait Host {
    /// Standard output of a program; none if it is missing or prints nothing.
    fn run(&self, arguments: &[&str]) -> Option<String>;
    fn read(&self, path: &str) -> Option<String>;
    /// Names in a directory, sorted.
    fn list(&self, path: &str) -> Vec<String>;
    /// Waits for this time, or until it is stopped.
    fn wait(&self, time: Duration);
}

pub struct LocalHost {
    /// Set by Ctrl-C.
    stopped: Arc<AtomicBool>,
}

impl LocalHost {
    /// This machine. Ctrl-C ends a wait; a second Ctrl-C ends the program, because a query of a suspended
    /// pool may never return.
    pub fn new() -> LocalHost {
        use signal_hook::{consts::SIGINT, flag};
        let stopped = Arc::new(AtomicBool::new(false));
        let code = i32::from(crate::exit::INTERRUPTED);
        // In this order, so that the first one only sets what the second one finds. Without handlers Ctrl-C
        // ends the program: only the result so far is lost.
        let _ = flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&stopped));
        let _ = flag::register(SIGINT, Arc::clone(&stopped));
        LocalHost { stopped }
    }
}

impl Host for LocalHost {
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
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn wait(&self, time: Duration) {
        let terminal = std::io::stderr().is_terminal();
        let begin = Instant::now();
        if !terminal {
            complain(&format!("counting for {} s\n", time.as_secs()));
        }
        while begin.elapsed() < time && !self.stopped.load(Ordering::SeqCst) {
            if terminal {
                let left = time.saturating_sub(begin.elapsed()).as_secs();
                complain(&format!(
                    "\r\u{1b}[2Kcounting, {left} s left (Ctrl-C: the result so far)"
                ));
            }
            let step = Duration::from_millis(200).min(time.saturating_sub(begin.elapsed()));
            std::thread::sleep(step);
        }
        if terminal {
            complain("\r\u{1b}[2K");
        }
        if self.stopped.load(Ordering::SeqCst) {
            let passed = begin.elapsed().as_secs();
            complain(&format!("stopped after {passed} of {} s\n", time.as_secs()));
        }
    }
}

/// What is read of a machine beside its counters, a line each.
const LIST: &str = include_str!("host.txt");

/// Kernel counters that are read before and after.
const KSTATS: [&str; 3] = ["zil", "arcstats", "dmu_tx"];
/// Histograms of what writes wait for, since the pools were imported; read before and after. (An
/// interval would be counted by zpool itself, but lost when Ctrl-C ends zpool, too.)
const WAITS: [&str; 6] = ["zpool", "iostat", "-w", "-v", "-H", "-p"];

/// What has been read of a machine.
struct Reading<'a> {
    host: &'a dyn Host,
    texts: Vec<Input>,
}

impl Reading<'_> {
    /// Keeps a text, unless it is missing or blank.
    fn add(&mut self, name: String, text: Option<String>) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.texts.push(Input { name, text });
        }
    }

    fn program(&mut self, arguments: &[&str]) {
        let text = self.host.run(arguments);
        self.add(arguments.join(" "), text);
    }

    fn file(&mut self, path: String) {
        let text = self.host.read(&path);
        self.add(path, text);
    }

    /// The files of a directory whose names end so.
    fn files(&mut self, directory: &str, end: &str) {
        for name in self.host.list(directory).iter().filter(|name| name.ends_with(end)) {
            self.file(format!("{directory}/{name}"));
        }
    }

    /// Everything that counts, read once.
    fn counters(&mut self) {
        for name in KSTATS {
            self.file(format!("/proc/spl/kstat/zfs/{name}"));
        }
        // The block layer's counts have no time of their own.
        let disks = self
            .host
            .read("/proc/uptime")
            .zip(self.host.read("/proc/diskstats"))
            .map(|(uptime, disks)| format!("{}\n{disks}", uptime.trim()))
            // Dropped if it has no drive, or no count of flushes.
            .filter(|text| diskstats::reading(text).is_some());
        self.add("/proc/diskstats".to_string(), disks);
        self.program(&WAITS);
    }

    /// Files of modprobe that set parameters of ZFS.
    fn modprobe(&mut self) {
        let is_of_zfs = |text: &String| {
            let mut rows = text.lines().map(str::trim_start);
            rows.any(|row| row.starts_with("options zfs") || row.starts_with("options spl"))
        };
        let directory = "/etc/modprobe.d";
        for name in self.host.list(directory).iter().filter(|name| name.ends_with(".conf")) {
            let path = format!("{directory}/{name}");
            let text = self.host.read(&path).filter(is_of_zfs);
            self.add(path, text);
        }
    }

    /// The configuration of PostgreSQL's clusters. What ALTER SYSTEM set is in the data directory of each.
    fn postgresql(&mut self) {
        // Debian: /etc/postgresql/VERSION/CLUSTER.
        for version in self.host.list("/etc/postgresql") {
            for cluster in self.host.list(&format!("/etc/postgresql/{version}")) {
                let directory = format!("/etc/postgresql/{version}/{cluster}");
                let main = format!("{directory}/postgresql.conf");
                let stated = self.host.read(&main).and_then(|text| {
                    let settings = facts::postgresql::parse(&text).facts;
                    Some(settings.get("data_directory")?.value.clone())
                });
                self.file(main);
                self.files(&format!("{directory}/conf.d"), ".conf");
                let data =
                    stated.unwrap_or_else(|| format!("/var/lib/postgresql/{version}/{cluster}"));
                self.file(format!("{}/postgresql.auto.conf", data.trim_end_matches('/')));
            }
        }
        // Red Hat: /var/lib/pgsql/data; packages of the project: /var/lib/pgsql/VERSION/data.
        let versions = self.host.list("/var/lib/pgsql").into_iter().filter(|name| name != "data");
        let versions = versions.map(|version| format!("/var/lib/pgsql/{version}/data"));
        for directory in std::iter::once("/var/lib/pgsql/data".to_string()).chain(versions) {
            self.file(format!("{directory}/postgresql.conf"));
            self.file(format!("{directory}/postgresql.auto.conf"));
        }
    }

    /// What Linux and the drive itself say of a drive.
    fn drive(&mut self, device: &str) {
        let rows: String = ["scheduler", "read_ahead_kb", "rotational", "write_cache"]
            .iter()
            .filter_map(|attribute| {
                let path = format!("/sys/block/{device}/queue/{attribute}");
                self.host.read(&path).map(|value| format!("{path}:{}\n", value.trim()))
            })
            .collect();
        self.add(format!("/sys/block/{device}/queue"), Some(rows));
        self.program(&["smartctl", "-j", "-a", &format!("/dev/{device}")]);
    }
}

/// Everything that an audit reads from a machine, with counters over `seconds` or until it is stopped (0:
/// since the module was loaded).
pub fn read(host: &dyn Host, seconds: u32) -> Vec<Input> {
    let mut reading = Reading { host, texts: Vec::new() };
    reading.counters();
    for line in LIST.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["run", ref program @ ..] => reading.program(program),
            ["file", path] => reading.file(path.to_owned()),
            ["files", directory, end] => reading.files(directory, end),
            ["modprobe"] => reading.modprobe(),
            ["postgresql"] => reading.postgresql(),
            _ => {}
        }
    }
    for device in host.list("/sys/block").iter().filter(|device| diskstats::is_drive(device)) {
        reading.drive(device);
    }
    if seconds > 0 {
        host.wait(Duration::from_secs(u64::from(seconds)));
        reading.counters();
    }
    reading.texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    /// A fake machine with fixed answers; it records the requests.
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
            let name = arguments.join(" ");
            let later = (!self.waited.borrow().is_zero()).then(|| format!("{name} later"));
            let answer = later.and_then(|later| self.programs.get(&later));
            answer.or_else(|| self.programs.get(&name)).cloned()
        }

        fn read(&self, path: &str) -> Option<String> {
            let readings = self.files.get(path)?;
            let waited = usize::from(!self.waited.borrow().is_zero());
            readings.get(waited).or(readings.last()).cloned()
        }

        fn list(&self, path: &str) -> Vec<String> {
            let names =
                self.files.keys().filter_map(|file| file.strip_prefix(path)?.strip_prefix('/'));
            names.filter_map(|rest| rest.split('/').next()).map(String::from).collect()
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
    fn a_machine_without_commits_needs_no_slog() {
        let mut fake = Fake::default();
        fake.files
            .insert("/proc/spl/kstat/zfs/zil".into(), vec![zil(1000, 70_000), zil(1300, 70_020)]);
        let texts = read(&fake, 300);
        assert_eq!(*fake.waited.borrow(), Duration::from_secs(300));
        let (system, _) = advice::system::gather(&texts);
        let found = advice::audit::audit(&system);
        assert!(found.iter().any(|finding| finding.rule.name == "no-commits"), "{found:?}");
    }

    /// `zpool iostat -w -v -H -p` of a mirror, with `writes` synchronous writes of up to `edge` ns.
    fn waits(edge: u64, writes: u64) -> String {
        let mut text = String::from("\ntank\n");
        for bucket in 0..37 {
            let top = (1u64 << (bucket + 1)) - 1;
            let n = if top == edge { writes } else { 0 };
            text.push_str(&format!("{top}\t0\t{n}\t0\t{n}\t0\t{n}\t0\t0\t0\t0\n"));
        }
        text
    }

    /// `/proc/diskstats` with so many flushes of so many ms.
    fn disks(flushes: u64, ms: u64) -> String {
        format!(" 8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 {flushes} {ms}\n")
    }

    fn found(fake: &Fake) -> Vec<advice::audit::Finding> {
        let (system, unread) = advice::system::gather(&read(fake, 300));
        assert!(unread.is_empty(), "{unread:?}");
        advice::audit::audit(&system)
    }

    fn machine(edge: u64, flush_ms: u64) -> Fake {
        let mut fake = Fake::default();
        let mut file = |path: &str, before: String, after: String| {
            fake.files.insert(path.into(), vec![before, after]);
        };
        file("/proc/spl/kstat/zfs/zil", zil(1000, 70_000), zil(1300, 130_000));
        file("/proc/uptime", "1000.00 9.0\n".into(), "1300.00 9.0\n".into());
        file("/proc/diskstats", disks(500, 9000), disks(60_500, 9000 + flush_ms));
        let status = " pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\t  sda ONLINE 0 0 0\n\nerrors: No known data errors\n";
        fake.programs.insert("zpool status -v".to_string(), status.to_string());
        let name = WAITS.join(" ");
        fake.programs.insert(name.clone(), waits(edge, 500));
        fake.programs.insert(format!("{name} later"), waits(edge, 60_500));
        fake
    }

    #[test]
    fn slow_commits_are_reported_with_their_parts() {
        // 200 commits a second, log writes of up to 8 ms twice over, flushes of 5 ms.
        let found = found(&machine((1 << 23) - 1, 300_000));
        let slow = found.iter().find(|f| f.rule.name == "slow-commits").expect("slow");
        assert_eq!(slow.arguments["rate"], "200");
        assert_eq!(slow.arguments["flush"], "5.00");
        assert_eq!(slow.arguments["p99"], "16.78", "two upper edges of buckets");
        assert_eq!(slow.arguments["mean"], "12.58");
        let evidence: Vec<String> = slow.evidence.iter().map(|e| e.text.clone()).collect();
        assert!(evidence[1].contains("200 synchronous writes a second"), "{evidence:?}");
    }

    #[test]
    fn fast_commits_need_no_slog() {
        let found = found(&machine((1 << 15) - 1, 600));
        assert!(found.iter().any(|f| f.rule.name == "fast-commits"), "{found:?}");
        assert!(found.iter().all(|f| f.rule.name != "slow-commits"));
    }

    #[test]
    fn a_machine_without_zfs_is_judged_by_its_flushes() {
        let mut fake = machine(0, 0);
        fake.files.remove("/proc/spl/kstat/zfs/zil");
        fake.programs.clear();
        fake.files.insert("/proc/diskstats".into(), vec![disks(500, 9000), disks(530, 9300)]);
        let found = found(&fake);
        let none = found.iter().find(|f| f.rule.name == "no-commits").expect("no commits");
        assert_eq!(none.arguments["rate"], "0.10");
    }

    #[test]
    fn each_cluster_of_postgresql_is_read_with_what_alter_system_set() {
        let mut fake = Fake::default();
        for (path, text) in [
            (
                "/etc/postgresql/15/main/postgresql.conf",
                "data_directory = '/tank/pg15/'\nfsync = on\n",
            ),
            ("/tank/pg15/postgresql.auto.conf", "fsync = off\n"),
            ("/etc/postgresql/16/second/postgresql.conf", "fsync = on\n"),
            ("/var/lib/postgresql/16/second/postgresql.auto.conf", "synchronous_commit = off\n"),
            ("/var/lib/pgsql/17/data/postgresql.conf", "fsync = off\n"),
            ("/var/lib/pgsql/17/data/postgresql.auto.conf", "fsync = on\n"),
        ] {
            fake.files.insert(path.into(), vec![text.into()]);
        }
        let (system, _) = advice::system::gather(&read(&fake, 0));
        let found: Vec<(&str, String)> = advice::audit::audit(&system)
            .iter()
            .map(|found| (found.rule.name, found.evidence[0].at.to_string()))
            .collect();
        let expected = [
            ("pg-fsync", "/tank/pg15/postgresql.auto.conf:1".to_string()),
            (
                "pg-synchronous-commit",
                "/var/lib/postgresql/16/second/postgresql.auto.conf:1".to_string(),
            ),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_line_of_the_list_is_a_comment_or_is_read() {
        let lines = LIST.lines().filter(|line| !line.starts_with('#'));
        let words = lines.map(|line| line.split(' ').collect::<Vec<_>>());
        for words in words {
            let known = match words[..] {
                ["run", _, _, ..] | ["modprobe" | "postgresql"] => true,
                ["file", path] | ["files", path, _] => path.starts_with('/'),
                _ => false,
            };
            assert!(known, "{words:?}");
        }
    }

    #[test]
    fn only_programs_that_read_are_started() {
        let mut fake = Fake::default();
        fake.files
            .insert("/sys/block/sda/queue/scheduler".into(), vec!["[none] mq-deadline".into()]);
        read(&fake, 5);
        for call in fake.asked.borrow().iter() {
            let reads = [
                "status", "get", "version", "lsblk", "list", "show", "GETCONFIG", "ip link",
                "smartctl -j -a", "iostat",
            ];
            assert!(reads.iter().any(|word| call.contains(word)), "{call}");
        }
    }
}
