//! Wall time, as a run sees it.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// A monotonic clock.
pub trait Clock: Debug + Send + Sync {
    /// Wall seconds since some moment.
    fn now_s(&self) -> f64;
    /// Waits.
    fn sleep(&self, duration: Duration);
}

/// This host's clock, from the moment it was made.
#[derive(Debug, Clone, Copy)]
pub struct WallClock(Instant);

impl WallClock {
    /// A clock that begins now.
    pub fn start() -> WallClock {
        WallClock(Instant::now())
    }
}

impl Clock for WallClock {
    fn now_s(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
