//! Stop requests: by the user, or by a deadline; shared by everything that waits.

use crate::clock::Clock;
use crate::error::{Error, host};
use procfs::process::Process;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user wants to stop, or the deadline has passed; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    deadline: Option<(Arc<dyn Clock>, f64)>,
}

impl Stop {
    /// Asks everything to stop.
    pub fn request(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// A request that SIGINT, SIGTERM and SIGHUP make from now on, the last unless it was ignored before. A second one
    /// ends this process at once.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn at_signals() -> Result<Stop, Error> {
        let stop = Stop::default();
        let register = |signal| {
            // The first does nothing until the second has set what it looks at.
            flag::register_conditional_default(signal, Arc::clone(&stop.asked))?;
            flag::register(signal, Arc::clone(&stop.asked))
        };
        for signal in stop_signals() {
            register(signal).map_err(host("handle signals"))?;
        }
        Ok(stop)
    }

    /// The same request, which also holds from a deadline of `clock` on, seconds.
    pub fn with_deadline(&self, clock: Arc<dyn Clock>, deadline_s: f64) -> Stop {
        Stop { asked: Arc::clone(&self.asked), deadline: Some((clock, deadline_s)) }
    }

    /// Whether to stop now.
    pub fn should_end(&self) -> bool {
        let over = |(clock, at): &(Arc<dyn Clock>, f64)| clock.now_s() >= *at;
        self.interrupted() || self.deadline.as_ref().is_some_and(over)
    }

    /// Whether the user asked for it.
    pub fn interrupted(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}

/// The signals that stop a run: SIGINT, SIGTERM, and SIGHUP unless this process was started with it ignored,
/// as by nohup(1).
fn stop_signals() -> Vec<i32> {
    let status = Process::myself().and_then(|process| process.status());
    let ignores_hangup = status.is_ok_and(|status| status.sigign >> (SIGHUP - 1) & 1 == 1);
    [SIGINT, SIGTERM].into_iter().chain((!ignores_hangup).then_some(SIGHUP)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Set in the process that the test starts of itself.
    const INSIDE: &str = "POOLWRIGHT_TEST_OF_SIGNALS";

    #[test]
    fn a_signal_that_nohup_has_ignored_is_seen() {
        if std::env::var_os(INSIDE).is_some() {
            return println!("stops at {:?}", stop_signals());
        }
        let started = |hangup: &str| {
            let output = Command::new("env")
                .arg(hangup)
                .arg(std::env::current_exe().unwrap())
                .args(["stop::tests::", "--nocapture"])
                .env(INSIDE, "1")
                .output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        assert!(started("--default-signal=HUP").contains("stops at [2, 15, 1]"));
        assert!(started("--ignore-signal=HUP").contains("stops at [2, 15]"));
    }
}
