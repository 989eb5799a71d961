//! Stage times of operations: when each arrived, worked and was answered, in virtual time.

use super::crew::{Crew, Shift};
use crate::clock::Clock;
use crate::volume::Stages;
use drives::Nanos;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The operations that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `read(2)` and its kin.
    Read,
    /// `write(2)` and its kin.
    Write,
    /// `fsync(2)`, `fdatasync(2)`, also of a directory.
    Fsync,
    /// `fallocate(2)`, `ftruncate(2)` and other changes of attributes.
    Setattr,
    /// Names: create, link, unlink, rename, ….
    Name,
    /// Everything that only asks.
    Ask,
}

impl Operation {
    const ALL: [Self; 6] = [
        Self::Read,
        Self::Write,
        Self::Fsync,
        Self::Setattr,
        Self::Name,
        Self::Ask,
    ];

    /// Its name in `Stages`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Fsync => "fsync",
            Self::Setattr => "setattr",
            Self::Name => "name",
            Self::Ask => "ask",
        }
    }
}

/// Sums over one kind of operation; times in virtual ns.
#[derive(Debug, Default)]
struct Sums {
    count: AtomicU64,
    bytes: AtomicU64,
    /// From the arrival at poolfs to the end of the volume's work.
    work: AtomicU64,
    /// Handing the answer to the kernel.
    reply: AtomicU64,
    range_lock: AtomicU64,
    throttle: AtomicU64,
    record_read: AtomicU64,
    commit: AtomicU64,
    log_write: AtomicU64,
    log_flush: AtomicU64,
    commits: AtomicU64,
}

/// An operation under way, for the stall watch: 0 is an idle thread.
#[derive(Debug, Default)]
struct Seat {
    since: AtomicU64,
    operation: AtomicUsize,
}

/// Stage times of a mount.
#[derive(Debug)]
pub struct Stamps {
    clock: Clock,
    sums: [Sums; 6],
    seats: Vec<Seat>,
    taken: AtomicUsize,
    crew: Crew,
}

thread_local! {
    static SEAT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The stamp of one operation.
#[derive(Debug)]
pub struct Stamp<'a> {
    stamps: &'a Stamps,
    operation: Operation,
    seat: Option<usize>,
    arrived: Nanos,
    /// Ends when the stamp is dropped, behind the answer.
    _shift: Shift<'a>,
    /// What the volume says about it.
    pub stages: Stages,
}

impl Stamps {
    /// For a mount that is served by this many threads.
    pub fn new(clock: Clock, threads: usize) -> Self {
        Self {
            clock,
            sums: Default::default(),
            seats: (0..threads).map(|_| Seat::default()).collect(),
            taken: AtomicUsize::new(0),
            crew: Crew::new(threads),
        }
    }

    /// The threads that serve the mount.
    pub fn crew(&self) -> &Crew {
        &self.crew
    }

    /// An operation has been read from the kernel by this thread.
    pub fn arrived(&self, operation: Operation) -> Stamp<'_> {
        let shift = self.crew.start();
        let seat = SEAT.get().unwrap_or_else(|| {
            let mine = self.taken.fetch_add(1, Relaxed);
            SEAT.set(Some(mine));
            mine
        });
        let arrived = self.clock.now();
        let seat = self.seats.get(seat).map(|s| {
            s.operation.store(operation as usize, Relaxed);
            s.since.store(arrived.max(1), Relaxed);
            seat
        });
        Stamp {
            stamps: self,
            operation,
            seat,
            arrived,
            _shift: shift,
            stages: Stages::default(),
        }
    }

    /// Operations being served at this moment.
    pub fn in_flight(&self) -> usize {
        let busy = |seat: &&Seat| seat.since.load(Relaxed) != 0;
        self.seats.iter().filter(busy).count()
    }

    /// The oldest operation under way: its kind and age in virtual ns.
    pub fn oldest(&self) -> Option<(Operation, Nanos)> {
        let now = self.clock.now();
        let busy = |seat: &Seat| {
            let since = seat.since.load(Relaxed);
            let operation = Operation::ALL.get(seat.operation.load(Relaxed))?;
            (since != 0).then(|| (*operation, now.saturating_sub(since)))
        };
        self.seats
            .iter()
            .filter_map(busy)
            .max_by_key(|(_, age)| *age)
    }

    /// Sums since the last call: `write.count`, `write.bytes`, `write.work`, `write.reply`,
    /// `write.range_lock`, `write.throttle`, `write.record_read`, `write.commit`,
    /// `write.log_write`, `write.log_flush`, `write.commits` and the same for each operation that
    /// took place.
    pub fn take(&self) -> BTreeMap<String, f64> {
        let mut all = BTreeMap::new();
        for (operation, sums) in Operation::ALL.iter().zip(&self.sums) {
            let count = sums.count.swap(0, Relaxed);
            if count == 0 {
                continue;
            }
            let mut put = |what: &str, value: u64| {
                all.insert(format!("{}.{what}", operation.name()), value as f64);
            };
            put("count", count);
            for (what, sum) in [
                ("bytes", &sums.bytes),
                ("work", &sums.work),
                ("reply", &sums.reply),
                ("range_lock", &sums.range_lock),
                ("throttle", &sums.throttle),
                ("record_read", &sums.record_read),
                ("commit", &sums.commit),
                ("log_write", &sums.log_write),
                ("log_flush", &sums.log_flush),
                ("commits", &sums.commits),
            ] {
                put(what, sum.swap(0, Relaxed));
            }
        }
        all
    }
}

impl Stamp<'_> {
    /// The volume has done its work, `bytes` of it; `reply` hands the answer to the kernel, after which
    /// the thread may sleep. Whoever has the answer finds the operation in the sums.
    pub fn finish(self, bytes: u64, reply: impl FnOnce()) {
        let worked = self.stamps.clock.now();
        if let Some(seat) = self.seat {
            self.stamps.seats[seat].since.store(0, Relaxed);
        }
        let sums = &self.stamps.sums[self.operation as usize];
        let add = |sum: &AtomicU64, value: u64| {
            if value != 0 {
                sum.fetch_add(value, Relaxed);
            }
        };
        add(&sums.count, 1);
        add(&sums.bytes, bytes);
        add(&sums.work, worked.saturating_sub(self.arrived));
        add(&sums.range_lock, self.stages.range_lock);
        add(&sums.throttle, self.stages.throttle);
        add(&sums.record_read, self.stages.record_read);
        add(&sums.commit, self.stages.commit);
        add(&sums.log_write, self.stages.log_write);
        add(&sums.log_flush, self.stages.log_flush);
        add(&sums.commits, self.stages.commits);
        reply();
        let replied = self.stamps.clock.now();
        add(&sums.reply, replied.saturating_sub(worked));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_count_each_operation_once_and_start_again() {
        let stamps = Stamps::new(Clock::start(1.0), 4);
        let mut stamp = stamps.arrived(Operation::Write);
        assert_eq!(stamps.in_flight(), 1);
        stamp.stages.commit = 250;
        stamp.stages.commits = 1;
        stamp.finish(8192, || {});
        stamps.arrived(Operation::Read).finish(10, || {});
        assert_eq!(stamps.in_flight(), 0);
        let sums = stamps.take();
        assert_eq!(sums["write.count"], 1.0);
        assert_eq!(sums["write.bytes"], 8192.0);
        assert_eq!(sums["write.commit"], 250.0);
        assert_eq!(sums["read.bytes"], 10.0);
        assert!(!sums.contains_key("fsync.count"));
        assert!(stamps.take().is_empty());
    }

    #[test]
    fn the_oldest_operation_is_named_with_its_age() {
        let clock = Clock::start(1.0);
        let stamps = Stamps::new(clock, 1);
        let stamp = stamps.arrived(Operation::Fsync);
        std::thread::sleep(std::time::Duration::from_millis(5));
        let (operation, age) = stamps.oldest().expect("one is under way");
        assert_eq!(operation, Operation::Fsync);
        assert!(age >= 5_000_000, "{age}");
        stamp.finish(0, || {});
        assert_eq!(stamps.oldest(), None);
    }
}
