//! What this machine can give to a scale model.

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
const IN_MEMORY: &str = "/dev/shm";

/// Where a campaign's drives lie, what there is for them, and the model that follows: in memory
/// where that does not make the model smaller, since a disk's own pauses would be taken for the
/// model's; else, or where the user states it, in [`store()`].
///
/// # Errors
/// Why this machine cannot model the campaign.
pub fn place(
    stated: Option<&Path>,
    campaign: &Campaign,
) -> Result<(PathBuf, HostLimits, Model), Diagnostic> {
    let at = |place: PathBuf| -> Result<_, Diagnostic> {
        let limits = limits(&place);
        let model = resolve(campaign, &limits)?;
        Ok((place, limits, model))
    };
    let disk = at(store(stated));
    if stated.is_some() {
        return disk;
    }
    match (at(PathBuf::from(IN_MEMORY)), disk) {
        (Ok(memory), Ok(disk)) if memory.2.size > disk.2.size => Ok(disk),
        (Ok(memory), _) => Ok(memory),
        (Err(_), disk) => disk,
    }
}

/// Free memory, free space where the store is, and cores.
pub fn limits(store: &Path) -> HostLimits {
    let memory = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| available(&text))
        .unwrap_or(MEMORY);
    let existing = store
        .ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("/"));
    let store_bytes = rustix::fs::statvfs(existing)
        .map(|stat| stat.f_bavail.saturating_mul(stat.f_frsize))
        .unwrap_or(0);
    let in_memory = rustix::fs::statfs(existing).is_ok_and(|stat| is_memory(stat.f_type as u64));
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    // A store in memory and the model share what is free.
    let (memory, store_bytes) = if in_memory {
        (memory / 2, store_bytes.min(memory / 2))
    } else {
        (memory, store_bytes)
    };
    HostLimits {
        memory,
        store_bytes,
        cores,
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
    fn this_machine_has_something_to_give() {
        let limits = limits(Path::new("/tmp/not/there/yet"));
        assert!(limits.memory > 0 && limits.cores > 0);
    }
}
