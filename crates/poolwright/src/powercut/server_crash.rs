//! `--server-crash`: the database's server is killed while its machine goes on. What it had written is in the kernel's
//! memory, so that only what it kept in its own is gone.

use super::recovery::Recovered;
use super::writer;
use super::{commits, inside};
use bench::workload::SERVER_USER;
use machine::script::Step;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Starts the server with these steps, as a process that this one waits for when it is killed: PostgreSQL does not start
/// beside one that has ended and that nobody waited for, and the machine's first process waits for its children alone.
pub fn start(steps: &[Step]) -> Result<(), String> {
    set_child_subreaper(Some(getpid())).map_err(|e| format!("cannot adopt the server: {e}"))?;
    steps.iter().try_for_each(commits::execute)
}

/// Kills all processes of the server's user, and waits for them. They are inside the machine, where nothing else runs as
/// this user.
pub fn kill() -> Result<(), String> {
    let entries = fs::read_dir("/proc").map_err(|e| format!("cannot read /proc: {e}"))?;
    for entry in entries.flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(process) = number.and_then(Pid::from_raw) else { continue };
        if entry.metadata().is_ok_and(|about| about.uid() == SERVER_USER) {
            // One that has ended meanwhile is as good as killed.
            let _ = kill_process(process, Signal::KILL);
        }
    }
    while let Ok(Some(_)) = wait(WaitOptions::empty()) {}
    Ok(())
}

/// Starts the server again, reads its data back, and writes the result.
pub fn restart() -> Result<(), String> {
    let task: writer::Task = inside::read(writer::TASK)?;
    let mut found = Recovered::default();
    match task.work.read_back() {
        Ok(data) => found.data = Some(data),
        Err(why) => found.unusable = Some(why),
    }
    found.save()
}
