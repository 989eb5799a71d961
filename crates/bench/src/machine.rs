//! What this machine spends its processors on, from /proc.

use std::fs;

/// Ticks of /proc are hundredths of a second on every Linux that Rust runs on.
fn seconds(ticks: u64) -> f64 {
    let hz = rustix::param::clock_ticks_per_second();
    ticks as f64 / hz as f64
}

/// Processor seconds (user and system) that a process has used; none when it is gone.
pub(crate) fn process_cpu_s(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    process_ticks(&stat).map(seconds)
}

/// utime + stime of a /proc/pid/stat. The command may hold blanks and parentheses.
fn process_ticks(stat: &str) -> Option<u64> {
    let after = stat.rsplit_once(')')?.1;
    let mut fields = after.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// Where the whole machine's processor time has gone since its start, seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spent {
    /// On its programs and its kernel.
    pub(crate) busy: f64,
    /// Taken by the host of this virtual machine for others.
    pub(crate) stolen: f64,
}

/// Where this machine's processor time has gone; zero where its kernel does not say.
pub(crate) fn spent() -> Spent {
    let stat = fs::read_to_string("/proc/stat").ok();
    let (busy, stolen) = stat.and_then(|stat| ticks(&stat)).unwrap_or_default();
    Spent {
        busy: seconds(busy),
        stolen: seconds(stolen),
    }
}

/// All but idle, iowait and steal of the first line, and steal; guests are part of user already.
fn ticks(stat: &str) -> Option<(u64, u64)> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line
        .split_ascii_whitespace()
        .map_while(|f| f.parse().ok())
        .collect();
    let all: u64 = ticks.iter().take(8).sum();
    let stolen = *ticks.get(7)?;
    Some((all - ticks.get(3)? - ticks.get(4)? - stolen, stolen))
}

/// Threads of a process; 0 when it is gone.
pub(crate) fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count)
}

/// The processors this process may use, as the kernel lists them: `0-3,8`.
pub(crate) fn allowed_processors() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mut lists = status
        .lines()
        .filter_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    lists.next().map(|list| list.trim().to_owned())
}

/// Processors that are at work in this machine, of which this process may use fewer.
pub(crate) fn online() -> usize {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let is_one = |line: &&str| {
        let number = line.strip_prefix("cpu");
        number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    stat.lines().filter(is_one).count().max(1)
}

/// Processors this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

#[cfg(test)]
mod tests {
    use super::{process_ticks, ticks};

    #[test]
    fn a_command_name_with_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 90 0 0 0 12 30 0 0 20 0 1 0 5";
        assert_eq!(process_ticks(stat), Some(42));
    }

    #[test]
    fn idle_iowait_and_steal_are_not_busy_and_guests_are_counted_once() {
        let stat = "cpu  10 1 5 1000 50 2 3 4 9 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert_eq!(ticks(stat), Some((21, 4)));
    }
}
