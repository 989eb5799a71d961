//! How fio is started so that the threads of an open loop begin.
//!
//! Before 3.42, fio's `start_worker` (workqueue.c) states a worker's condition after it has created
//! the thread, and so takes back that it runs where the thread was quicker; fio then waits for it for
//! good (axboe/fio pull request 2053). On one processor, under `SCHED_FIFO`, no thread runs before the
//! one that made it waits. That is needed until all are there; then they get back the processors and
//! the policy that every client has.

use crate::fault::Fault;
use crate::machine;
use crate::programs::{find, mortal};
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The first release that starts them in any order.
const MENDED: (u32, u32) = (3, 42);
/// How long fio's threads may take to appear, real time, and besides on its own clock: before it starts
/// its jobs it sleeps for a tenth of a second of that.
const APPEAR: Duration = Duration::from_secs(10);
const APPEAR_VIRTUAL_S: f64 = 1.0;
/// From one look to the next.
const LOOK: Duration = Duration::from_millis(5);
/// How often letting them go is tried.
const TRIES: usize = 3;
/// From when the last has appeared until its maker has stated its condition.
const STATED: Duration = Duration::from_millis(50);

/// Whether a release (`fio-3.33`) may wait for threads that are there. A version that cannot be read
/// is taken for a new one.
pub(super) fn forgets(version: &str) -> bool {
    let number = version.trim_start_matches("fio-");
    let mut parts = number.split(['.', '-']).map_while(|part| part.parse().ok());
    match (parts.next(), parts.next()) {
        (Some(major), Some(minor)) => (major, minor) < MENDED,
        _ => false,
    }
}

/// The programs that hold fio's threads to the order in which they were made: util-linux's.
#[derive(Debug)]
pub(super) struct InOrder {
    taskset: PathBuf,
    chrt: PathBuf,
    /// Processors of this process, as in `0-3,8`.
    processors: String,
}

impl InOrder {
    /// None where they are missing, or this process may not ask for the policy.
    pub(super) fn find() -> Option<InOrder> {
        let (taskset, chrt) = (find("taskset")?, find("chrt")?);
        let processors = machine::allowed_processors()?;
        let mut tried = Command::new(&chrt);
        tried.args(["-f", "1"]).arg(&taskset).arg("--version");
        quiet(&mut tried).then_some(InOrder {
            taskset,
            chrt,
            processors,
        })
    }

    /// The one processor.
    fn first(&self) -> &str {
        self.processors.split([',', '-']).next().unwrap_or("0")
    }

    /// A command that starts a program so.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = mortal(&self.taskset);
        command.args(["-c", self.first()]).arg(&self.chrt);
        command.args(["-f", "1"]).arg(program);
        command
    }

    /// Waits until a process on a clock `time` times slower has so many threads, or has ended, and lets
    /// them go. Whether they were there.
    ///
    /// # Errors
    /// That they cannot be let go: what they did so would not be what a client does.
    pub(super) fn release(
        &self,
        child: &mut Child,
        threads: usize,
        time: f64,
    ) -> Result<bool, Fault> {
        let limit = APPEAR + Duration::from_secs_f64(APPEAR_VIRTUAL_S * time);
        let begun = Instant::now();
        let mut there = false;
        while !there && begun.elapsed() < limit {
            if !matches!(child.try_wait(), Ok(None)) {
                return Ok(there);
            }
            there = machine::threads(child.id()) >= threads;
            std::thread::sleep(if there { STATED } else { LOOK });
        }
        let pid = child.id().to_string();
        let mut policy = Command::new(&self.chrt);
        policy.args(["-a", "-o", "-p", "0", &pid]);
        let mut processors = Command::new(&self.taskset);
        processors.args(["-a", "-c", "-p", &self.processors, &pid]);
        for command in [&mut policy, &mut processors] {
            // A thread that ends meanwhile makes it fail.
            let released = (0..TRIES).any(|_| quiet(command));
            if !released && matches!(child.try_wait(), Ok(None)) {
                return Err(Fault::failed(format!(
                    "fio's threads cannot be given back the processors and the policy of others: {} failed; fio 3.42 or newer does without",
                    command.get_program().to_string_lossy()
                )));
            }
        }
        Ok(there)
    }
}

/// What stands before a program so started, for a reader.
impl Display for InOrder {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (taskset, chrt) = (self.taskset.display(), self.chrt.display());
        write!(f, "{taskset} -c {} {chrt} -f 1", self.first())
    }
}

/// Whether a command succeeds that has nothing to say.
fn quiet(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::forgets;

    #[test]
    fn releases_before_the_mend_are_told_from_those_after_it() {
        assert!(forgets("fio-3.33") && forgets("fio-3.41-12-gabcdef") && forgets("fio-2.2.10"));
        assert!(!forgets("fio-3.42") && !forgets("fio-3.100") && !forgets("fio-4.0"));
        assert!(!forgets("fio-git"));
    }
}
