//! What is asked of the kernel when a volume is mounted.

use fuser::{InitFlags, KernelConfig};

/// Requests the kernel may have outstanding that no thread waits for (asynchronous direct I/O).
const MAX_BACKGROUND: u16 = 4096;

/// Kernel features that are asked for, with the names under which they are reported.
const WANTED: [(InitFlags, &str); 4] = [
    (InitFlags::FUSE_ASYNC_DIO, "async-dio"),
    (InitFlags::FUSE_PARALLEL_DIROPS, "parallel-dirops"),
    (InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP, "direct-io-allow-mmap"),
    (InitFlags::FUSE_MAX_PAGES, "max-pages"),
];

/// The kernel that honours `FOPEN_PARALLEL_DIRECT_WRITES` (Linux 6.2) speaks this minor version of
/// the protocol; there is no flag for it at mount. Later ones do it for extending writes as before.
const PARALLEL_DIRECT_WRITES_MINOR: u32 = 38;

/// Asks for what the volume can use; returns what was granted, by the names of
/// [`super::Mount::features`].
pub(super) fn negotiate(config: &mut KernelConfig, max_write: u32) -> Vec<String> {
    let mut features = Vec::new();
    for (flag, name) in WANTED {
        if config.add_capabilities(flag).is_ok() {
            features.push(name.to_owned());
        }
    }
    if config.kernel_abi().1 >= PARALLEL_DIRECT_WRITES_MINOR {
        features.push("parallel-direct-writes".to_owned());
    }
    // Read-ahead is the volume's; the kernel's would never be asked with direct I/O.
    let _ = config.set_max_readahead(max_write.min(128 << 10));
    let granted = match config.set_max_write(max_write.clamp(4096, 1 << 20)) {
        Ok(_) => max_write.clamp(4096, 1 << 20),
        Err(nearest) => config
            .set_max_write(nearest)
            .map(|_| nearest)
            .unwrap_or(4096),
    };
    // Without max-pages the kernel stops at 32 pages.
    let granted = if features.iter().any(|f| f == "max-pages") {
        granted
    } else {
        granted.min(128 << 10)
    };
    features.push(format!("max-write={granted}"));
    let _ = config.set_max_background(MAX_BACKGROUND);
    features.push(format!("max-background={MAX_BACKGROUND}"));
    let version = config.kernel_abi();
    features.push(format!("protocol={}.{}", version.0, version.1));
    features
}
