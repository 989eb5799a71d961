//! Inside the first machine: writers that record when each of their writes was acknowledged.
//!
//! The writers are a separate process, because they wait forever if the pool has lost too many drives. Their
//! records go through a pipe, so that only their writes reach a file system.

use super::inside;
use super::server_crash;
use super::work::Work;
use machine::INSIDE;
use machine::script::Step;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// File in the machine's directory with the [`Task`].
pub const TASK: &str = "writer.json";
/// File in the machine's directory with the [`Ledger`].
pub const LEDGER: &str = "ledger.json";
/// Virtual time before the first write, in which the drives destage the writes of building the pool from
/// their caches.
const IDLE: Duration = Duration::from_secs(10);
/// Virtual time from the last possible cut to the end of the writers: what they were acknowledged before it they have
/// reported by then. A report that ends with them would make the block before it one that nothing promised.
const GRACE: Duration = Duration::from_millis(100);
/// Virtual time in which the writers' pipe ends after they were killed. It does not end if the pool is suspended:
/// what waits for it cannot be killed.
const DRAIN: Duration = Duration::from_secs(1);

/// Virtual ns after the last acknowledgement in which the power may be cut where all writers stopped early.
const MOMENT: u64 = 1_000_000;

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Task {
    pub work: Work,
    /// False for the control.
    pub synchronous: bool,
    /// How long, virtual ns.
    pub length_ns: u64,
    /// Drives that fail halfway.
    pub fail: Vec<String>,
    /// Starts the database's server, which is killed at the end; none if the power is cut.
    pub killed_server: Option<Vec<Step>>,
}

/// The acknowledged writes. Times are virtual ns since boot, as in the record of the drives.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ledger {
    /// When the writing began.
    pub begun: u64,
    /// When drives failed, if any did.
    pub failed: Option<u64>,
    /// When it ended: no cut is later. All acknowledgements until then are here; later ones may be missing.
    pub ended: u64,
    /// Per writer, when its n-th block or transaction was acknowledged.
    pub acknowledged: Vec<Vec<u64>>,
    pub problems: Vec<String>,
}

impl Ledger {
    /// Adds a line of the writers: a writer's number and a time, or `!` and a problem.
    fn add(&mut self, line: &str) {
        if let Some(problem) = line.strip_prefix('!') {
            self.problems.push(problem.trim().to_owned());
            return;
        }
        let mut words = line.split(' ').map(str::parse::<u64>);
        if let (Some(Ok(writer)), Some(Ok(at))) = (words.next(), words.next())
            && let Some(times) = self.acknowledged.get_mut(writer as usize)
        {
            times.push(at);
        }
    }

    /// Ends it at a time, or where all writers had stopped by then, a moment after the last acknowledgement. A cut of
    /// drives at rest can lose nothing: it would count as evidence and is none.
    fn end(&mut self, at: u64, all_stopped: bool) {
        let last = self.acknowledged.iter().flatten().max().copied().unwrap_or(self.begun);
        self.ended = at;
        if all_stopped && last + MOMENT < at {
            self.ended = last + MOMENT;
            self.problems.push(format!(
                "all writers had stopped {:.3} s after the writing began: each cut falls within that time",
                last.saturating_sub(self.begun) as f64 / 1e9
            ));
        }
    }

    /// Why no cut would show what a failed drive costs: nothing was written after it failed.
    pub fn useless(&self) -> Option<String> {
        self.failed.filter(|failed| *failed >= self.ended).map(|_| {
            format!(
                "all writers had stopped before the drives failed, halfway through the writing, so no cut would show what the failed drives cost: write for less time (--seconds), or give the dataset more room ({})",
                self.problems.join("; ")
            )
        })
    }

    /// Number of acknowledged blocks of each writer at a time.
    pub fn acknowledged_by(&self, at: u64) -> Vec<u64> {
        let count = |times: &Vec<u64>| times.partition_point(|time| *time <= at) as u64;
        self.acknowledged.iter().map(count).collect()
    }

    /// When the first lost write was acknowledged, for a cut at this time; none if nothing was lost. `kept`
    /// is the number of first writes that each writer still has.
    pub fn first_lost(&self, kept: &[u64], cut: u64) -> Option<u64> {
        let of_writer = self.acknowledged.iter().zip(kept);
        let lost = of_writer.filter_map(|(times, kept)| times.get(*kept as usize).copied());
        lost.filter(|at| *at <= cut).min()
    }
}

/// A thread that adds the writers' lines to a ledger.
struct Listener {
    ledger: Arc<Mutex<Ledger>>,
    /// Is disconnected when the lines end.
    end: Receiver<()>,
}

impl Listener {
    fn start(lines: impl Read + Send + 'static, ledger: Ledger) -> Listener {
        let ledger = Arc::new(Mutex::new(ledger));
        let (sender, end) = mpsc::channel();
        let shared = Arc::clone(&ledger);
        thread::spawn(move || {
            let _until_the_end = sender;
            for line in BufReader::new(lines).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                shared.lock().unwrap_or_else(PoisonError::into_inner).add(&line);
            }
        });
        Listener { ledger, end }
    }

    /// The ledger at the end of the lines, or after a time if they do not end.
    fn finish(self, limit: Duration) -> Ledger {
        let _ = self.end.recv_timeout(limit);
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The machine's clock: virtual ns since boot.
pub struct Clock(File);

impl Clock {
    pub fn new() -> io::Result<Clock> {
        File::open("/proc/processor").map(Clock)
    }

    pub fn now(&self) -> io::Result<u64> {
        let mut text = [0; 64];
        let length = self.0.read_at(&mut text, 0)?;
        let text = String::from_utf8_lossy(&text[..length]);
        let now = text.lines().find_map(|line| line.strip_prefix("now "));
        now.and_then(|now| now.parse().ok())
            .ok_or_else(|| io::Error::other("/proc/processor has no time"))
    }
}

/// Runs something and returns its result with the virtual seconds that it took.
pub fn timed<T>(run: impl FnOnce() -> Result<T, String>) -> Result<(T, f64), String> {
    let clock = Clock::new().map_err(|e| format!("cannot open the clock: {e}"))?;
    let now = || clock.now().map_err(|e| format!("cannot read the clock: {e}"));
    let begun = now()?;
    let result = run()?;
    Ok((result, (now()? - begun) as f64 / 1e9))
}

/// Makes the tables that the writers write to.
pub fn make_tables() -> Result<(), String> {
    inside::read::<Task>(TASK)?.work.make_tables()
}

/// Runs the writers, and writes the ledger.
pub fn run() -> Result<(), String> {
    let task: Task = inside::read(TASK)?;
    let clock = Clock::new().map_err(|e| format!("cannot open the clock: {e}"))?;
    let now = || clock.now().map_err(|e| format!("cannot read the clock: {e}"));
    if let Some(start) = &task.killed_server {
        server_crash::start(start)?;
    }
    thread::sleep(IDLE);
    let ledger = Ledger {
        begun: now()?,
        acknowledged: vec![Vec::new(); task.work.writers()],
        ..Ledger::default()
    };
    let mut writers = Command::new("/proc/self/exe")
        .args([inside::VERB, inside::WRITE])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot start the writers: {e}"))?;
    let lines = writers.stdout.take().ok_or("no pipe from the writers")?;
    let listener = Listener::start(lines, ledger);
    let half = Duration::from_nanos(task.length_ns) / 2;
    thread::sleep(half);
    for drive in &task.fail {
        fs::write("/proc/drives", format!("fail {drive}"))
            .map_err(|e| format!("cannot make {drive} fail: {e}"))?;
    }
    let failed = now()?;
    thread::sleep(half);
    let ended = now()?;
    if task.killed_server.is_none() {
        thread::sleep(GRACE);
    }
    let early = writers.try_wait().ok().flatten();
    // They may never end if the pool is suspended, so this does not wait for them.
    let _ = writers.kill();
    if task.killed_server.is_some() {
        // After the writers, which would report that their sessions ended.
        server_crash::kill()?;
    }
    let mut ledger = listener.finish(DRAIN);
    if let (Some(status), true) = (early, ledger.problems.is_empty()) {
        ledger.problems.push(format!("the writers ended early: {status}"));
    }
    match task.killed_server {
        None => ledger.end(ended, early.is_some()),
        // A server at rest may still have commits in its memory, so that this moment counts.
        Some(_) => ledger.ended = ended,
    }
    ledger.failed = (!task.fail.is_empty()).then_some(failed);
    let text = serde_json::to_vec(&ledger).map_err(|e| e.to_string())?;
    fs::write(Path::new(INSIDE).join(LEDGER), text)
        .map_err(|e| format!("cannot write {LEDGER}, the times of acknowledged writes: {e}"))
}

/// The writers' process; it runs until it is killed.
pub fn write() -> Result<(), String> {
    let task: Task = inside::read(TASK)?;
    machine::guest::charge_system_calls();
    let writers: Vec<_> = (0..task.work.writers())
        .map(|writer| {
            let task = task.clone();
            thread::spawn(move || {
                if let Err(why) = write_all(&task, writer) {
                    println!("!writer {writer} stopped: {why}");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().map_err(|_| "a writer panicked".to_owned())?;
    }
    Ok(())
}

fn write_all(task: &Task, writer: usize) -> io::Result<()> {
    let clock = Clock::new()?;
    let mut write = task.work.open(writer, task.synchronous)?;
    for number in 0.. {
        write(number)?;
        let at = clock.now()?;
        writeln!(io::stdout().lock(), "{writer} {at}")?;
        thread::sleep(task.work.pause());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one line each time, late.
    struct Late(Vec<&'static str>);

    impl Read for Late {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            thread::sleep(Duration::from_millis(20));
            let line = self.0.pop().unwrap_or_default();
            buffer[..line.len()].copy_from_slice(line.as_bytes());
            Ok(line.len())
        }
    }

    fn of_one_writer() -> Ledger {
        Ledger { acknowledged: vec![Vec::new()], ..Ledger::default() }
    }

    #[test]
    fn lines_that_are_unread_when_the_writers_are_killed_are_in_the_ledger() {
        let lines = Late(vec!["0 30\n", "\u{ff}\n", "0 20\n", "0 10\n"]);
        let ledger = Listener::start(lines, of_one_writer()).finish(Duration::from_secs(60));
        assert_eq!(ledger.acknowledged, [[10, 20, 30]]);
    }

    #[test]
    fn a_pipe_that_a_suspended_pool_keeps_open_is_not_waited_for() {
        let (lines, mut writers) = io::pipe().unwrap();
        let listener = Listener::start(lines, of_one_writer());
        writers.write_all(b"0 10\n").unwrap();
        let ledger = listener.finish(Duration::from_millis(500));
        assert_eq!(ledger.acknowledged, [[10]]);
        drop(writers);
    }

    #[test]
    fn no_cut_comes_long_after_all_writers_have_stopped() {
        let ms = 1_000_000;
        let of = |stopped, failed| {
            let acknowledged = vec![vec![1010 * ms, 3000 * ms], vec![2000 * ms]];
            let mut ledger = Ledger { begun: 1000 * ms, acknowledged, ..Ledger::default() };
            ledger.failed = failed;
            ledger.end(61_000 * ms, stopped);
            ledger
        };
        let full = of(true, None);
        assert_eq!(full.ended, 3001 * ms);
        assert!(full.problems[0].starts_with("all writers had stopped 2.000 s after"));
        let last = full.ended - 1;
        assert_eq!(full.acknowledged_by(last), [2, 1], "the last acknowledgement can be lost, too");
        let running = of(false, None);
        assert_eq!((running.ended, running.problems.len()), (61_000 * ms, 0));
        // Drives that fail halfway must fail while there are writes.
        assert_eq!(of(false, Some(31_000 * ms)).useless(), None);
        assert_eq!(of(true, Some(2500 * ms)).useless(), None);
        let why = of(true, Some(31_000 * ms)).useless().unwrap();
        assert!(why.contains("--seconds") && why.contains("2.000 s after"), "{why}");
        let mut none = Ledger { begun: 5, acknowledged: vec![vec![]], ..Ledger::default() };
        none.end(60_000 * ms, true);
        assert_eq!(none.ended, 5 + MOMENT);
    }

    #[test]
    fn a_ledger_counts_acknowledged_writes_up_to_a_time() {
        let mut ledger = Ledger { acknowledged: vec![Vec::new(); 2], ..Ledger::default() };
        for line in ["0 10", "1 12", "0 20", "nonsense", "7 30", "!writer 1 stopped: no space"] {
            ledger.add(line);
        }
        assert_eq!(ledger.acknowledged_by(9), [0, 0]);
        assert_eq!(ledger.acknowledged_by(12), [1, 1]);
        assert_eq!(ledger.acknowledged_by(u64::MAX), [2, 1]);
        assert_eq!(ledger.first_lost(&[1, 0], 20), Some(12));
        assert_eq!(ledger.first_lost(&[1, 1], 19), None);
        assert_eq!(ledger.problems, ["writer 1 stopped: no space"]);
    }
}
