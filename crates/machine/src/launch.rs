//! The last moment before a machine's kernel: this process is given one core, its parent's fate and one
//! directory to write to, and becomes the kernel.

use crate::memory;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Becomes `program` on a core (any, where there is none), which can write only below `directory` and to what its
/// parent has open and `descriptors` lists. The program ends with the thread that started this process. Returns only
/// when that fails, with the reason.
pub fn run(
    parent: u32,
    core: Option<usize>,
    descriptors: &str,
    directory: &Path,
    program: &OsString,
    arguments: &[OsString],
) -> String {
    if let Err(why) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return format!("cannot set the machine to end when Poolwright ends: {why}");
    }
    // It may have gone before that.
    if getppid().map(Pid::as_raw_nonzero).map(|pid| pid.get() as u32) != Some(parent) {
        return "Poolwright ended before the machine started".to_owned();
    }
    if let Some(core) = core {
        let mut only = CpuSet::new();
        only.set(core);
        // Slower without, and otherwise the same.
        let _ = sched_setaffinity(None, &only);
    }
    let mut command = Command::new(program);
    if let Err(why) = memory::inherit_descriptors(parent, descriptors, &mut command) {
        return format!(
            "cannot open the machine's memory: {why}; /proc must be mounted, and show a process what its parent has open"
        );
    }
    if let Err(why) = crate::confine::confine(directory) {
        return why;
    }
    // The kernel names files of the directory relative to it: the length of its path stays outside.
    if let Err(why) = std::env::set_current_dir(directory) {
        return format!("cannot enter {}: {why}", directory.display());
    }
    let why = command.args(arguments).exec();
    format!("cannot start {}: {why}", program.to_string_lossy())
}
