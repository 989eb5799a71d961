//! The user's wish to stop, shared by everything that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user wants to stop; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks everything to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Takes SIGINT, SIGTERM and SIGHUP to this process for the wish from now on. Without handlers the first
    /// process of a PID namespace would ignore them.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn follow_signals(&self) -> std::io::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&self.0))?;
        }
        Ok(())
    }

    /// Whether stopping was asked for.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
