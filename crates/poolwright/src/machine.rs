//! What this machine can give to a scale model.

use bench::isolate::{self, Isolation};
use lab::Diagnostic;
use lab::campaign::Campaign;
use lab::model::{HostLimits, Model, resolve};
use std::path::{Path, PathBuf};

/// Memory assumed where the kernel does not say.
const MEMORY: u64 = 4 << 30;

/// Where the drives' backing files go: `--store`, else a directory of Poolwright's own below
/// `$XDG_CACHE_HOME`, else `~/.cache`, else the system's directory for temporary files.
pub fn store(stated: Option<&Path>) -> PathBuf {
    if let Some(stated) = stated {
        return stated.to_owned();
    }
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("poolwright")
}

/// The file system that is memory.
pub const IN_MEMORY: &str = "/dev/shm";

/// Shares of the free memory that drives in memory are tried with; the model itself takes the rest.
/// The largest comes first: OpenZFS does not write again soon where it has freed, so that drives grow
/// for as long as a pool is written to.
const DRIVE_SHARES: [f64; 3] = [0.8, 0.65, 0.5];

/// That share where the user states a directory in memory: as much for drives as for the model.
const STATED_SHARE: f64 = 0.5;

/// How much smaller a model may be for its drives to lie in memory. The pauses of a disk under them are taken
/// for the model's and set trials aside, where the self-check from S to 4S moves results by 1 to 13 %
/// (docs/findings.md); the caps bound S in either place.
const SMALLER: f64 = 4.0;

/// Where a campaign's drives lie, what there is for them, and the model that follows: in memory
/// where that makes the model no more than `SMALLER` times smaller; else, or where the user states it, in
/// [`store()`].
///
/// # Errors
/// Why this machine cannot model the campaign.
pub fn place(
    stated: Option<&Path>,
    campaign: &Campaign,
) -> Result<(PathBuf, HostLimits, Model), Diagnostic> {
    let at = |place: PathBuf, limits: HostLimits| -> Result<_, Diagnostic> {
        let model = resolve(campaign, &limits)?;
        Ok((place, limits, model))
    };
    let path = store(stated);
    let limits = limits(&path);
    let disk = at(path, limits);
    if stated.is_some() {
        return disk;
    }
    let memory = DRIVE_SHARES
        .iter()
        .filter_map(|share| at(IN_MEMORY.into(), in_memory(IN_MEMORY.as_ref(), *share)).ok())
        // The first of equals: it leaves the drives most.
        .min_by(|a, b| a.2.size.total_cmp(&b.2.size));
    match (memory, disk) {
        (Some(memory), Ok(disk)) if !serves(memory.2.size, disk.2.size) => Ok(disk),
        (Some(memory), _) => Ok(memory),
        (None, disk) => disk,
    }
}

/// Whether a model with drives in memory serves better than one with drives on a disk, by their S.
fn serves(memory: f64, disk: f64) -> bool {
    memory <= SMALLER * disk
}

/// Removes what killed verbs have left in the host's memory. It takes room from every model, and a verb
/// with a /dev/shm of its own does not come upon it.
pub fn remove_leftovers() {
    store::remove_leftovers(IN_MEMORY.as_ref());
}

/// Inside, with mounts of its own: a /dev/shm for the drives that ends with the verb, whatever ends it. Not
/// where the user states a place in memory.
pub fn own_memory(isolation: Isolation, store: Option<&Path>, bytes: u64) {
    let stated = store.is_some_and(|store| store.starts_with(IN_MEMORY));
    if isolation != Isolation::None && !stated {
        isolate::own_memory(bytes);
    }
}

/// Whether a directory's files are kept in memory.
pub fn is_in_memory(directory: &Path) -> bool {
    rustix::fs::statfs(existing(directory)).is_ok_and(|stat| is_memory(stat.f_type as u64))
}

/// The nearest directory that is there.
fn existing(path: &Path) -> &Path {
    path.ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("/"))
}

/// What there is when `share` of the free memory is for drives in `directory`.
fn in_memory(directory: &Path, share: f64) -> HostLimits {
    let limits = free(directory);
    let drives = (limits.memory as f64 * share) as u64;
    HostLimits {
        memory: limits.memory - drives,
        store_bytes: limits.store_bytes.min(drives),
        ..limits
    }
}

/// Free memory, free space where the store is, and cores. A store in memory and the model share what
/// is free.
pub fn limits(store: &Path) -> HostLimits {
    if is_in_memory(store) {
        in_memory(store, STATED_SHARE)
    } else {
        free(store)
    }
}

/// Free memory, free space where the store is, and cores, each as if nothing else used it.
fn free(store: &Path) -> HostLimits {
    let memory = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| available(&text))
        .unwrap_or(MEMORY);
    let store_bytes = rustix::fs::statvfs(existing(store))
        .map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))
        .unwrap_or(0);
    HostLimits {
        memory,
        store_bytes,
        cores: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32),
    }
}

/// `TMPFS_MAGIC` and `RAMFS_MAGIC` of statfs(2).
fn is_memory(kind: u64) -> bool {
    matches!(kind, 0x0102_1994 | 0x8584_58f6)
}

/// `MemAvailable` of /proc/meminfo, bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_bytes() {
        assert_eq!(
            available("MemTotal: 9 kB\nMemAvailable:   2048 kB\n"),
            Some(2 << 20)
        );
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn drives_lie_in_memory_unless_that_makes_the_model_much_smaller() {
        assert!(serves(13.0, 6.1));
        assert!(serves(2.0, 2.0));
        assert!(!serves(30.0, 6.1));
    }

    #[test]
    fn this_machine_has_something_to_give() {
        let limits = limits(Path::new("/tmp/not/there/yet"));
        assert!(limits.memory > 0 && limits.cores > 0);
    }
}
