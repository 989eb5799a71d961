//! The slowed clock: virtual time advances k times slower than the machine's.

use drives::Nanos;
use rustix::time::{ClockId, clock_gettime};

/// Virtual time since an origin, from `CLOCK_MONOTONIC` divided by the dilation.
///
/// libzpool's clock is the same function of the same origin, so that both agree to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    origin: u64,
    dilation: f64,
}

impl Clock {
    /// Starts now; `dilation` is k ≥ 1 (a smaller or undefined one is taken as 1).
    pub fn start(dilation: f64) -> Self {
        Self::at(monotonic(), dilation)
    }

    /// A clock whose zero is the `CLOCK_MONOTONIC` time `origin`, ns.
    pub fn at(origin: u64, dilation: f64) -> Self {
        Self {
            origin,
            dilation: if dilation >= 1.0 { dilation } else { 1.0 },
        }
    }

    /// `CLOCK_MONOTONIC` ns of virtual time 0.
    pub fn origin(&self) -> u64 {
        self.origin
    }

    /// k.
    pub fn dilation(&self) -> f64 {
        self.dilation
    }

    /// Virtual ns since the origin.
    pub fn now(&self) -> Nanos {
        self.virtual_of(monotonic())
    }

    /// Virtual time of a `CLOCK_MONOTONIC` time, ns; 0 before the origin.
    pub fn virtual_of(&self, real: u64) -> Nanos {
        (real.saturating_sub(self.origin) as f64 / self.dilation) as Nanos
    }

    /// The first `CLOCK_MONOTONIC` time, ns, at which virtual time has reached `at`.
    pub fn real_of(&self, at: Nanos) -> u64 {
        let guess = self.origin + (at as f64 * self.dilation).ceil() as u64;
        // The division may round down once more.
        guess + u64::from(self.virtual_of(guess) < at)
    }
}

/// `CLOCK_MONOTONIC`, ns.
pub fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_dilation_below_one_is_one() {
        assert_eq!(Clock::at(0, 0.5).dilation(), 1.0);
        assert_eq!(Clock::at(0, f64::NAN).dilation(), 1.0);
    }

    #[test]
    fn ten_times_slower_is_a_tenth_of_the_time() {
        let clock = Clock::at(5_000, 10.0);
        assert_eq!(clock.virtual_of(5_000 + 1_000_000), 100_000);
        assert_eq!(clock.virtual_of(0), 0);
    }

    proptest! {
        #[test]
        fn virtual_time_has_come_when_its_real_time_has(
            k in 1.0f64..50.0, at in 0u64..(1 << 45), origin in 0u64..(1 << 50)
        ) {
            let clock = Clock::at(origin, k);
            let real = clock.real_of(at);
            prop_assert!(clock.virtual_of(real) >= at);
            // No later than a few real nanoseconds after it could have.
            prop_assert!(clock.virtual_of(real.saturating_sub(3)) <= at);
        }
    }
}
