//! What this host can give to modelled machines.

use lab::Diagnostic;
use lab::campaign::Campaign;
use lab::model::{HostLimits, Model, resolve};

/// Host memory that one modelled machine may take: its memory, and what its drives hold. Fixed, so that
/// the size scale S, and with it every result, is the same on every host.
pub const MEMORY: u64 = 8 << 30;
/// Of it, for what drives hold.
const DRIVES: u64 = MEMORY / 2;

/// What one modelled machine may take.
pub fn limits() -> HostLimits {
    HostLimits {
        memory: MEMORY - DRIVES,
        store_bytes: DRIVES,
        cores: cores() as u32,
    }
}

/// The scale model of a campaign.
///
/// # Errors
/// Why it cannot be modelled.
pub fn model(campaign: &Campaign) -> Result<Model, Diagnostic> {
    resolve(campaign, &limits())
}

/// Processors that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Trials that run side by side where the user does not say: one a core, as far as the free memory holds
/// them.
pub fn parallel() -> usize {
    let memory = std::fs::read_to_string("/proc/meminfo").ok();
    let fitting = memory
        .and_then(|text| available(&text))
        .map(|free| free / MEMORY);
    let fitting = fitting.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    cores().min(fitting).max(1)
}

/// `MemAvailable` of /proc/meminfo, bytes.
pub fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_bytes() {
        let text = "MemTotal: 9 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(available(text), Some(2 << 20));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }
}
