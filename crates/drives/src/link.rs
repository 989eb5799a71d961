//! A link: what passes bytes or commands one after the other.

/// Passes bytes (or commands) one after the other. Times in ns.
#[derive(Debug)]
pub(crate) struct Link {
    free_at: f64,
    ns_each: f64,
}

impl Link {
    /// A wire of `mb_s` MB/s.
    pub fn of_rate(mb_s: f64) -> Self {
        Self::each(1e3 / mb_s)
    }

    /// Something that takes `ns` for each.
    pub fn each(ns: f64) -> Self {
        Self { free_at: 0.0, ns_each: ns }
    }

    /// What one takes.
    pub fn ns_each(&self) -> f64 {
        self.ns_each
    }

    /// Sends `count` from `now` on, after what was sent before; when they have passed.
    pub fn book(&mut self, now: f64, count: f64) -> f64 {
        self.free_at = self.free_at.max(now) + count * self.ns_each;
        self.free_at
    }
}
