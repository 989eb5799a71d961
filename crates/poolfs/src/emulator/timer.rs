//! The thread that completes the requests of every drive of the process.

use super::drive::Drive;
use super::oversleep::Oversleep;
use super::{Io, Settings};
use crate::clock::{Clock, monotonic};
use drives::Nanos;
use parking_lot::{Condvar, Mutex, RwLock};
use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
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
}

struct Events {
    /// Next event of each drive.
    at: Vec<Nanos>,
    /// What the thread sleeps towards.
    awaited: Nanos,
    stop: bool,
}

/// The thread; ends when dropped.
pub(super) struct Timer<I: Io> {
    handle: Handle,
    drives: Arc<RwLock<Vec<Weak<Drive<I>>>>>,
    thread: Option<JoinHandle<()>>,
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
        }));
        let drives = Arc::new(RwLock::new(Vec::new()));
        let shared = Arc::clone(&handle.0);
        let theirs = Arc::clone(&drives);
        let thread = thread::Builder::new()
            .name("drives".to_owned())
            .spawn(move || run(&shared, &theirs, clock, settings))?;
        Ok(Self {
            handle,
            drives,
            thread: Some(thread),
        })
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
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed already, and there is nobody to tell here.
            let _ = thread.join();
        }
    }
}

fn run<I: Io>(
    shared: &Shared,
    drives: &RwLock<Vec<Weak<Drive<I>>>>,
    clock: Clock,
    settings: Settings,
) {
    // Sleeps end as near to their time as the machine can; without the right to, 50 µs later.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    // Root may go before others; anybody else keeps time as well as the machine's load lets it.
    let _ = rustix::process::setpriority_process(None, -20);
    let mut oversleep = Oversleep::default();
    let mut due = Vec::new();
    loop {
        let at = {
            let mut events = shared.events.lock();
            loop {
                if events.stop {
                    return;
                }
                let earliest = events.at.iter().copied().min().unwrap_or(NEVER);
                events.awaited = earliest;
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
        let now = clock.now();
        {
            let mut events = shared.events.lock();
            for (index, at) in events.at.iter_mut().enumerate() {
                if *at <= now {
                    *at = NEVER;
                    due.push(index);
                }
            }
        }
        for index in due.drain(..) {
            let drive = drives.read().get(index).and_then(Weak::upgrade);
            if let Some(drive) = drive {
                drive.due();
            }
        }
    }
}
