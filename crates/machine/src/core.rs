//! One core a machine: kernel and programs of a machine hand over to each other at every system call, which
//! is several times cheaper on one core. Machines of several campaigns keep apart by locks on files.

use rustix::fs::{FlockOperation, flock};
use rustix::thread::{CpuSet, sched_getaffinity};
use std::fs::{self, File};
use std::path::Path;

/// A core that is held for a machine; it is free again when this is dropped.
#[derive(Debug)]
pub struct Core {
    /// Its number; none where every core is taken, or none can be held.
    pub number: Option<usize>,
    _lock: Option<File>,
}

/// The cores that this process may use, in ascending order; at least one.
pub fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect();
    if cores.is_empty() { vec![0] } else { cores }
}

impl Core {
    /// Holds a core that no other machine holds by its lock in `directory`.
    pub fn take(directory: &Path) -> Core {
        let _ = fs::create_dir_all(directory);
        for core in allowed() {
            let Ok(file) = File::create(directory.join(format!("core-{core}"))) else {
                break;
            };
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                return Core { number: Some(core), _lock: Some(file) };
            }
        }
        Core { number: None, _lock: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_is_held_once_until_it_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let cores = allowed();
        let held: Vec<Core> = cores.iter().map(|_| Core::take(directory.path())).collect();
        let numbers: Vec<usize> = held.iter().filter_map(|core| core.number).collect();
        assert_eq!(numbers, cores);
        assert_eq!(Core::take(directory.path()).number, None, "all are held");
        drop(held);
        assert_eq!(Core::take(directory.path()).number, Some(cores[0]));
    }
}
