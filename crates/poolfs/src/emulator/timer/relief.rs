//! The thread that completes what the timer's thread is late with.
//!
//! A virtual machine's processor is taken away for milliseconds at a time, and a thread that waits for
//! its turn on it with it. On a host with two of them each was gone for 1 to 2 % of the time, both at
//! once for a twentieth to a fifth of that (docs/findings.md): a second look from the other one is what
//! keeps the drives punctual.

use super::{NEVER, Registered, Shared, complete_due};
use crate::clock::{Clock, monotonic};
use crate::emulator::Io;
use crate::schedule::punctual;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;

/// How late an event may be before it is completed from here, real ns: several times what the timer's
/// thread is usually late, so that the two do not get in each other's way.
const GRACE: u64 = 30_000;

/// The longest sleep, real ns. Events that come up meanwhile do not end it, which would cost each request
/// another wake-up.
const LONGEST: u64 = 2_000_000;

pub(super) fn run<I: Io>(shared: &Shared, drives: &Registered<I>, clock: Clock) {
    // On a single processor there is nobody who could stand in.
    let Some(mut place) = Place::find() else {
        return;
    };
    punctual();
    loop {
        let earliest = {
            let events = shared.events.lock();
            if events.stop {
                return;
            }
            events.earliest()
        };
        let wait = if earliest == NEVER {
            LONGEST
        } else {
            let due = clock.real_of(earliest) + GRACE;
            due.saturating_sub(monotonic()).clamp(GRACE, LONGEST)
        };
        sleep(Duration::from_nanos(wait));
        place.keep_away_from(shared.processor.load(Ordering::Relaxed));
        let late = clock.virtual_of(monotonic().saturating_sub(GRACE));
        if shared.events.lock().earliest() <= late {
            complete_due(shared, drives, clock.now());
        }
    }
}

/// Where this thread may run.
struct Place {
    allowed: CpuSet,
    avoided: usize,
}

impl Place {
    /// None where there is one processor, or they cannot be told apart.
    fn find() -> Option<Self> {
        let allowed = sched_getaffinity(None).ok()?;
        (allowed.count() > 1).then_some(Self {
            allowed,
            avoided: usize::MAX,
        })
    }

    /// Moves to another processor than the one on which the timer's thread last ran.
    fn keep_away_from(&mut self, other: usize) {
        if other == self.avoided || other >= CpuSet::MAX_CPU || !self.allowed.is_set(other) {
            return;
        }
        let mut rest = self.allowed;
        rest.unset(other);
        // Refused, it stays where it is and helps half of the time.
        if sched_setaffinity(None, &rest).is_ok() {
            self.avoided = other;
        }
    }
}
