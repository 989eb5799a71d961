//! What clients with a database server of their own have in common.
//!
//! The server runs as an unprivileged user and is reached through a Unix socket in memory. Its client runs as root,
//! since it writes into the machine's directory.

use super::{ClientSteps, warm};
use crate::error::Error;
use crate::inputs::Inputs;
use machine::script::{Command, Step};
use measurement::Counters;
use std::fs;
use std::path::{Path, PathBuf};

/// The server's user and group inside: nobody, who is in every user database, as initdb asks for.
pub const USER: u32 = 65534;
/// Virtual seconds for which a server may start, recovery included: a day, since the clock jumps.
pub const START_S: u32 = 86400;
/// How many times its own time a client may take before it is taken for hung, and seconds on top.
const LIMIT: (f64, f64) = (3.0, 600.0);

/// How long a client runs, virtual seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// The measured run, whole seconds.
    pub runtime_s: f64,
    /// The ramp before it; 0 for none.
    pub ramp_s: f64,
}

impl Times {
    pub fn new(inputs: &Inputs) -> Times {
        let method = &inputs.method;
        Times {
            // A lab states it; a pool state does not follow from it.
            runtime_s: method.runtime_s.unwrap_or(0.0).ceil().max(1.0),
            ramp_s: method.ramp_most_s.map_or(method.ramp_s, |most| method.ramp_s.min(most)),
        }
    }

    /// The warm-up for at most so many seconds, and the ramp: `run` is the client for whole seconds, with its output
    /// in a file.
    pub fn warm_up(&self, limit_s: f64, run: impl Fn(f64, &str) -> Command) -> ClientSteps {
        let mut part = ClientSteps::default();
        for (limit_s, fixed, output) in
            [(limit_s, false, "warm.out"), (self.ramp_s, true, "ramp.out")]
        {
            if limit_s > 0.0 {
                // It is ended when the time is over, which may be no whole second.
                part.steps.extend(warm(run(limit_s.ceil() + 1.0, output), limit_s, fixed));
            }
        }
        part
    }

    pub fn measure(&self, command: Command) -> Step {
        Step::Measure { command, ramp_s: 0.0, limit_s: LIMIT.0 * self.runtime_s + LIMIT.1 }
    }

    /// Refuses a run that took less time than it was to take. A client that keeps a rate waits before its first transaction
    /// and after its last; such waits are Poisson.
    ///
    /// # Errors
    /// How long it took instead.
    pub fn check(&self, client: &str, seconds: f64, rate: Option<f64>) -> Result<(), Error> {
        /// Mean waits that two together exceed in one of two thousand runs.
        const WAITS: f64 = 10.0;
        let waited = rate.map_or(0.0, |rate| WAITS / rate);
        match seconds + waited < 0.9 * self.runtime_s {
            true => Err(Error::failed(format!(
                "{client} ended after {seconds:.1} s instead of {} s: see its output in the trial's directory",
                self.runtime_s
            ))),
            false => Ok(()),
        }
    }
}

/// The step that makes a directory of the server's user.
pub fn directory(path: impl AsRef<Path>) -> Step {
    let (user, path) = (USER.to_string(), path.as_ref().to_string_lossy());
    Step::Run(Command::new(["install", "-d", "-m", "0700", "-o", &user, "-g", &user, &path]))
}

/// A directory of the server in a dataset below the mounted root: one of its own for each purpose, since datasets may
/// be shared.
pub fn place(mount: &Path, dataset: &str, name: &str) -> PathBuf {
    mount.join(dataset).join(name)
}

/// A file of a machine's directory as text; empty where there is none.
pub fn text(raw: &Path, name: &str) -> String {
    let bytes = fs::read(raw.join(name)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What the first of some logs says that has a reason in it.
pub fn complaint(
    raw: &Path,
    logs: &[&str],
    reason: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    logs.iter().find_map(|name| reason(&text(raw, name)))
}

/// By how much the server's counters grew from one file to another, as `values` reads them.
///
/// # Errors
/// The file that does not hold them.
pub fn grown(
    raw: &Path,
    [begin, end]: [&str; 2],
    values: impl Fn(&str) -> Option<Counters>,
) -> Result<Counters, Error> {
    let read = |name: &str| {
        values(&text(raw, name)).ok_or_else(|| {
            let path = raw.join(name);
            Error::failed(format!("{} does not hold the server's counters", path.display()))
        })
    };
    let (begin, end) = (read(begin)?, read(end)?);
    let grown = end.iter().filter_map(|(counter, value)| {
        let before = begin.get(counter)?;
        Some((counter.clone(), value - before))
    });
    Ok(grown.collect())
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn a_run_that_ended_early_is_refused_and_a_wait_for_the_next_transaction_is_not() {
        let times = Times { runtime_s: 10.0, ramp_s: 0.0 };
        let refused = |seconds, rate| times.check("pgbench", seconds, rate).is_err();
        assert!(refused(8.0, None) && !refused(9.5, None));
        // Two a second: five seconds without one are rare, and nine are an end.
        assert!(!refused(8.0, Some(2.0)) && refused(3.0, Some(2.0)));
        assert!(refused(8.0, Some(500.0)));
    }
}
