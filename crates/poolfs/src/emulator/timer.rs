//! The threads that complete the requests of every drive of the process: one keeps time, and one
//! stands in for it (`relief`) when its processor is taken away.

mod relief;

use super::drive::Drive;
use super::oversleep::Oversleep;
use super::{Io, Settings};
use crate::clock::{Clock, monotonic};
use crate::schedule::punctual;
use drives::Nanos;
use parking_lot::{Condvar, Mutex, RwLock};
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// No event.
const NEVER: Nanos = Nanos::MAX;

/// What a drive needs of the timer.
#[derive(Clone)]
pub(super) struct Handle(Arc<Shared>);

struct Shared {
    events: Mutex<Events>,
    changed: Condvar,
    /// The earliest event, for the thread while it spins.
    earliest: AtomicU64,
    /// The processor on which the thread last ran.
    processor: AtomicUsize,
}

struct Events {
    /// Next event of each drive.
    at: Vec<Nanos>,
    /// What the thread sleeps towards.
    awaited: Nanos,
    stop: bool,
}

impl Events {
    fn earliest(&self) -> Nanos {
        self.at.iter().copied().min().unwrap_or(NEVER)
    }
}

impl Shared {
    /// Takes the drive whose event is longest due. One at a time: what a thread has taken, nobody else
    /// does for it should it lose its processor.
    fn take_due(&self, now: Nanos) -> Option<usize> {
        let mut events = self.events.lock();
        let (index, at) = events
            .at
            .iter_mut()
            .enumerate()
            .min_by_key(|(_, at)| **at)?;
        if *at > now {
            return None;
        }
        *at = NEVER;
        Some(index)
    }
}

/// The drives, by the numbers that they were registered with.
type Registered<I> = RwLock<Vec<Weak<Drive<I>>>>;

/// Completes whatever is due on any drive.
fn complete_due<I: Io>(shared: &Shared, drives: &Registered<I>, now: Nanos) {
    while let Some(index) = shared.take_due(now) {
        let drive = drives.read().get(index).and_then(Weak::upgrade);
        if let Some(drive) = drive {
            drive.due();
        }
    }
}

/// The threads; they end when it is dropped.
pub(super) struct Timer<I: Io> {
    handle: Handle,
    drives: Arc<Registered<I>>,
    threads: Vec<JoinHandle<()>>,
}

impl Handle {
    /// The drive's next event, none when it has nothing to do.
    pub(super) fn arm(&self, index: usize, at: Option<Nanos>) {
        let at = at.unwrap_or(NEVER);
        let mut events = self.0.events.lock();
        let Some(place) = events.at.get_mut(index) else {
            return;
        };
        *place = at;
        self.0.earliest.fetch_min(at, Ordering::Relaxed);
        if at < events.awaited {
            events.awaited = at;
            drop(events);
            self.0.changed.notify_one();
        }
    }
}

impl<I: Io> Timer<I> {
    pub(super) fn start(clock: Clock, settings: Settings) -> io::Result<Self> {
        let handle = Handle(Arc::new(Shared {
            events: Mutex::new(Events {
                at: Vec::new(),
                awaited: NEVER,
                stop: false,
            }),
            changed: Condvar::new(),
            earliest: AtomicU64::new(NEVER),
            processor: AtomicUsize::new(usize::MAX),
        }));
        let mut timer = Self {
            handle,
            drives: Arc::default(),
            threads: Vec::new(),
        };
        timer.spawn("drives", move |shared, drives| {
            run(shared, drives, clock, settings);
        })?;
        timer.spawn("relief", move |shared, drives| {
            relief::run(shared, drives, clock);
        })?;
        Ok(timer)
    }

    fn spawn(
        &mut self,
        name: &str,
        run: impl FnOnce(&Shared, &Registered<I>) + Send + 'static,
    ) -> io::Result<()> {
        let shared = Arc::clone(&self.handle.0);
        let drives = Arc::clone(&self.drives);
        let thread = thread::Builder::new().name(name.to_owned());
        self.threads
            .push(thread.spawn(move || run(&shared, &drives))?);
        Ok(())
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle.clone()
    }

    pub(super) fn register(&self, drive: &Arc<Drive<I>>) {
        let mut drives = self.drives.write();
        let mut events = self.handle.0.events.lock();
        drive.registered(drives.len());
        drives.push(Arc::downgrade(drive));
        events.at.push(NEVER);
    }
}

impl<I: Io> Drop for Timer<I> {
    fn drop(&mut self) {
        self.handle.0.events.lock().stop = true;
        self.handle.0.changed.notify_one();
        for thread in self.threads.drain(..) {
            // A panic there has been printed already, and there is nobody to tell here.
            let _ = thread.join();
        }
    }
}

fn run<I: Io>(shared: &Shared, drives: &Registered<I>, clock: Clock, settings: Settings) {
    punctual();
    let mut oversleep = Oversleep::default();
    loop {
        let at = {
            let mut events = shared.events.lock();
            loop {
                if events.stop {
                    return;
                }
                let earliest = events.earliest();
                events.awaited = earliest;
                let processor = rustix::thread::sched_getcpu();
                shared.processor.store(processor, Ordering::Relaxed);
                if earliest == NEVER {
                    shared.changed.wait(&mut events);
                    continue;
                }
                let left = clock.real_of(earliest).saturating_sub(monotonic());
                let spin = settings
                    .spin
                    .map_or_else(|| oversleep.spin(), |fixed| fixed.as_nanos() as u64);
                if left <= spin {
                    shared.earliest.store(earliest, Ordering::Relaxed);
                    // While awake, nobody has to wake us.
                    events.awaited = 0;
                    break earliest;
                }
                let until = monotonic() + (left - spin);
                let sleep = Duration::from_nanos(left - spin);
                if shared.changed.wait_for(&mut events, sleep).timed_out() {
                    oversleep.saw(monotonic().saturating_sub(until));
                }
            }
        };
        let mut target = clock.real_of(at);
        while monotonic() < target {
            std::hint::spin_loop();
            // An earlier event may have come up.
            let earliest = shared.earliest.load(Ordering::Relaxed);
            if earliest < at {
                target = target.min(clock.real_of(earliest));
            }
        }
        complete_due(shared, drives, clock.now());
    }
}
