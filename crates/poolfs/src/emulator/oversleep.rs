//! How late sleeps end on this machine, learnt while it sleeps.

/// The shortest and the longest stretch that is spun, ns: below the one nothing is gained, above the
/// other two processors have better things to do.
const LEAST: f64 = 5_000.0;
const MOST: f64 = 60_000.0;

/// Share of the sleeps that shall end before the spinning has to.
const QUANTILE: f64 = 0.9;

/// Relative size of a step.
const STEP: f64 = 0.05;

/// A running estimate of the ninth decile of how late sleeps end, by stochastic approximation: steps
/// up and down cancel where a tenth lies above.
#[derive(Debug, Clone, Copy)]
pub(super) struct Oversleep {
    late: f64,
}

impl Default for Oversleep {
    /// Starts long, which costs processor time for a moment and no punctuality.
    fn default() -> Self {
        Self { late: MOST }
    }
}

impl Oversleep {
    /// A sleep ended this much late, ns.
    pub(super) fn saw(&mut self, late: u64) {
        let step = STEP * self.late;
        self.late += if late as f64 > self.late {
            step * QUANTILE
        } else {
            -step * (1.0 - QUANTILE)
        };
        self.late = self.late.clamp(LEAST, MOST);
    }

    /// How long before its time an event should be awaited awake, ns.
    pub(super) fn spin(&self) -> u64 {
        self.late as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_ninth_decile_and_follows_it() {
        let mut oversleep = Oversleep::default();
        // 0, 200, … 19,800 ns in a mixed order: nine tenths lie below 18 µs.
        for i in 0..20_000_u64 {
            oversleep.saw(i * 37 % 100 * 200);
        }
        let quiet = oversleep.spin();
        assert!((15_000..21_000).contains(&quiet), "{quiet}");
        for _ in 0..1000 {
            oversleep.saw(1_000_000);
        }
        assert_eq!(oversleep.spin(), MOST as u64, "and no further");
        for _ in 0..2000 {
            oversleep.saw(0);
        }
        assert_eq!(oversleep.spin(), LEAST as u64);
    }
}
