//! Once each virtual second: a sample of every counter, when asked for, and a look for operations
//! that have been waiting for long and for what has failed. The first sample comes a second after it
//! was asked for, so that who asks as a client begins gets the client's own seconds.

use super::watch::Watch;
use super::{Mounts, Outlet};
use crate::clock::{Clock, monotonic};
use crate::emulator::Counters;
use crate::pool::Pool;
use crate::protocol::{Event, Message};
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

/// The sampling thread and its switch. The thread ends with the process.
pub(super) struct Sampler {
    switch: Arc<Switch>,
    work: Option<Work>,
}

/// Whether samples are wanted, and how often that was said: turned off and on again at once, they
/// begin anew.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Wanted {
    on: bool,
    said: u64,
}

/// The switch, and word of a change to whoever sleeps until the next sample.
#[derive(Default)]
struct Switch {
    wanted: Mutex<Wanted>,
    changed: Condvar,
}

impl Switch {
    fn set(&self, on: bool) {
        let mut wanted = self.wanted.lock();
        *wanted = Wanted {
            on,
            said: wanted.said + 1,
        };
        self.changed.notify_all();
    }

    /// Sleeps for so long, or until the switch is no longer as it was; how it is then.
    fn sleep(&self, was: Wanted, time: Duration) -> Wanted {
        let mut wanted = self.wanted.lock();
        let as_it_was = |wanted: &mut Wanted| *wanted == was;
        self.changed.wait_while_for(&mut wanted, as_it_was, time);
        *wanted
    }
}

struct Work {
    outlet: Outlet,
    pool: Arc<dyn Pool>,
    mounts: Mounts,
    switch: Arc<Switch>,
}

impl Sampler {
    pub(super) fn new(outlet: Outlet, pool: Arc<dyn Pool>, mounts: Mounts) -> Self {
        let switch = Arc::<Switch>::default();
        Self {
            switch: Arc::clone(&switch),
            work: Some(Work {
                outlet,
                pool,
                mounts,
                switch,
            }),
        }
    }

    /// Samples are sent from now on, or no more.
    pub(super) fn set(&self, on: bool) {
        self.switch.set(on);
    }

    /// The clock runs: the thread starts.
    pub(super) fn start(&mut self, clock: Clock) {
        if let Some(work) = self.work.take() {
            thread::spawn(move || work.run(clock));
        }
    }
}

impl Work {
    fn run(&self, clock: Clock) {
        let mut last: Option<Reading> = None;
        let mut watch = Watch::default();
        let mut wanted = Wanted::default();
        let mut next = clock.now() + SECOND;
        loop {
            let until = clock.real_of(next).saturating_sub(monotonic());
            let now_wanted = self.switch.sleep(wanted, Duration::from_nanos(until));
            if now_wanted != wanted {
                wanted = now_wanted;
                last = wanted.on.then(|| self.read(clock));
                next = clock.now() + SECOND;
                continue;
            }
            // A second that was missed is left out, its counts are in the next.
            let now = clock.now();
            next += SECOND;
            if next <= now {
                next = now + SECOND;
            }
            self.watch(clock, &mut watch);
            if !wanted.on {
                continue;
            }
            let reading = self.read(clock);
            if let Some(last) = &last {
                self.outlet.send(&Message::Event(Event::Sample {
                    at: reading.at as f64 / SECOND as f64,
                    values: reading.since(last),
                }));
            }
            last = Some(reading);
        }
    }

    fn watch(&self, clock: Clock, watch: &mut Watch) {
        if let Some(why) = self.pool.broken() {
            // OpenZFS would suspend the pool, and its clients would wait for good.
            eprintln!("poolfs: {why}");
            std::process::exit(1);
        }
        let oldest = self
            .mounts
            .lock()
            .iter()
            .filter_map(|(_, mount)| mount.stamps().oldest())
            .max_by_key(|(_, age)| *age);
        let stall = watch.operations(clock.now(), oldest);
        let faults = watch.faults(clock.now(), self.pool.faults());
        for event in stall.into_iter().chain(faults) {
            self.outlet.send(&Message::Event(event));
        }
    }

    fn read(&self, clock: Clock) -> Reading {
        let mut totals = HashMap::new();
        let mut levels = BTreeMap::new();
        for counter in self.pool.counters() {
            if counter.level {
                levels.insert(counter.name, counter.value);
            } else {
                totals.insert(counter.name, counter.value);
            }
        }
        let in_flight: usize = self
            .mounts
            .lock()
            .iter()
            .map(|(_, mount)| mount.stamps().in_flight())
            .sum();
        levels.insert("fuse.in_flight".to_owned(), in_flight as f64);
        let drives = self
            .pool
            .drives()
            .into_iter()
            .map(|drive| (drive.name, drive.counters))
            .collect();
        Reading {
            at: clock.now(),
            totals,
            levels,
            drives,
        }
    }
}

/// Every counter at one moment.
struct Reading {
    at: u64,
    totals: HashMap<String, f64>,
    levels: BTreeMap<String, f64>,
    drives: HashMap<String, Counters>,
}

impl Reading {
    /// What a sample says: totals as differences, levels as they are.
    fn since(&self, last: &Self) -> BTreeMap<String, f64> {
        let mut values = self.levels.clone();
        for (name, value) in &self.totals {
            let before = last.totals.get(name).copied().unwrap_or(0.0);
            // A pool that was imported anew counts from zero.
            values.insert(name.clone(), (value - before).max(0.0));
        }
        let time = self.at.saturating_sub(last.at).max(1) as f64;
        for (name, now) in &self.drives {
            let before = last.drives.get(name).copied().unwrap_or_default();
            let mut put = |what: &str, value: f64| {
                values.insert(format!("drive.{name}.{what}"), value);
            };
            let mut count = |what: &str, now: u64, before: u64| {
                put(what, now.saturating_sub(before) as f64);
            };
            count("reads", now.reads, before.reads);
            count("writes", now.writes, before.writes);
            count("read_bytes", now.read_bytes, before.read_bytes);
            count("write_bytes", now.write_bytes, before.write_bytes);
            count("flushes", now.flushes, before.flushes);
            count("late_ns", now.late_ns, before.late_ns);
            put(
                "queue",
                now.queue_ns.saturating_sub(before.queue_ns) as f64 / time,
            );
            put(
                "busy",
                now.busy_ns.saturating_sub(before.busy_ns) as f64 / time,
            );
        }
        values
    }
}
