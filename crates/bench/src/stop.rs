//! The user's wish to stop, shared by everything that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user wants to stop; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks everything to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Takes the signals of [`heeded`] to this process for the wish from now on. Without handlers the first
    /// process of a PID namespace would ignore them.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn follow_signals(&self) -> std::io::Result<()> {
        for signal in heeded() {
            signal_hook::flag::register(signal, Arc::clone(&self.0))?;
        }
        Ok(())
    }

    /// Whether stopping was asked for.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The signals that a user stops a run by: SIGINT, SIGTERM and SIGHUP, the last unless this process was
/// started with it ignored, as nohup(1) does.
pub fn heeded() -> Vec<i32> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut heeded = vec![SIGINT, SIGTERM];
    if !ignores(&status, SIGHUP) {
        heeded.push(SIGHUP);
    }
    heeded
}

/// Whether a process ignores a signal, by its /proc/PID/status.
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::ignores;

    #[test]
    fn a_signal_that_nohup_has_ignored_is_seen() {
        let status = "Name:\tx\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\n";
        assert!(ignores(status, 1));
        assert!(ignores(status, 13));
        assert!(!ignores(status, 2));
        assert!(!ignores("", 1));
    }
}
