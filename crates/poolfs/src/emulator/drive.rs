//! One emulated drive.

use super::backing::Backing;
use super::log::Mark;
use super::statistics::{Counters, Service, Statistics};
use super::timer::Handle;
use super::{Io, Place};
use crate::clock::Clock;
use drives::{Completion, Flush, Nanos, Op, Profile, Request};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const EIO: i32 = rustix::io::Errno::IO.raw_os_error();

/// What a drive is made from.
#[derive(Debug, Clone)]
pub struct Spec {
    /// `hdd3`: names its files and its statistics.
    pub name: String,
    /// Its kind's numbers.
    pub profile: Profile,
    /// Bytes of the real drive.
    pub real_capacity: u64,
    /// Bytes of the scaled drive.
    pub scaled_capacity: u64,
    /// Seed of its model.
    pub seed: u64,
    /// Requests that a block layer's elevator in front of it keeps inside the drive; none passes
    /// every request on, as for flash, and for a pool, which has a queue of its own.
    pub elevator: Option<usize>,
}

/// What a drive says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Bytes.
    pub size: u64,
    /// Smallest addressable unit, bytes.
    pub logical_sector: u32,
    /// Smallest unit that is written without reading first, bytes.
    pub physical_sector: u32,
    /// It turns.
    pub rotational: bool,
}

/// A drive that takes requests.
pub struct Drive<I: Io> {
    name: String,
    geometry: Geometry,
    lies: bool,
    clock: Clock,
    backing: Backing,
    instant: Arc<AtomicBool>,
    failed: AtomicBool,
    full: AtomicBool,
    state: Mutex<State<I>>,
    timer: Handle,
    /// Its place in the timer, once registered.
    index: AtomicUsize,
}

struct State<I> {
    model: Box<dyn drives::Drive>,
    pending: HashMap<u64, Pending<I>>,
    next_tag: u64,
    now: Nanos,
    finished: Vec<Completion>,
    statistics: Statistics,
}

struct Pending<I> {
    io: I,
    arrived: Nanos,
    /// What a flush covers.
    mark: Option<Mark>,
}

impl<I: Io> Drive<I> {
    pub(super) fn open(
        place: &Place,
        spec: &Spec,
        clock: Clock,
        instant: Arc<AtomicBool>,
        timer: Handle,
    ) -> io::Result<Self> {
        let profile = &spec.profile;
        let logical = profile.logical_sector.value as u64;
        let size = spec.scaled_capacity / logical * logical;
        let backing = Backing::open(
            place,
            &spec.name,
            size,
            profile.volatile_cache(),
            profile.tearing.value as u64,
        )?;
        let mut model = profile.drive(spec.real_capacity, size, spec.seed);
        if let Some(in_flight) = spec.elevator {
            model = Box::new(drives::Elevator::new(model, in_flight));
        }
        Ok(Self {
            name: spec.name.clone(),
            geometry: Geometry {
                size,
                logical_sector: logical as u32,
                physical_sector: profile.told_sector() as u32,
                rotational: profile.rotational,
            },
            lies: profile.flush == Flush::Lies,
            clock,
            backing,
            instant,
            failed: AtomicBool::new(false),
            full: AtomicBool::new(false),
            state: Mutex::new(State {
                model,
                pending: HashMap::new(),
                next_tag: 0,
                now: 0,
                finished: Vec::new(),
                statistics: Statistics::new(),
            }),
            timer,
            index: AtomicUsize::new(usize::MAX),
        })
    }

    pub(super) fn registered(&self, index: usize) {
        self.index.store(index, Ordering::Release);
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it says of itself.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// What the range holds is no longer of use; a drive in memory gives its room back. Its model does not
    /// hear of it.
    pub fn forget(&self, offset: u64, length: u64) {
        self.backing.forget(offset, length);
    }

    /// From now on every request ends in EIO, also those under way.
    pub fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// It has been made to fail.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Its data could not grow: there is no more room where drives lie.
    pub fn full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Running totals.
    pub fn counters(&self) -> Counters {
        let mut state = self.state.lock();
        let now = self.clock.now();
        state.statistics.counters(now)
    }

    /// Distribution of service times since the last call, of each kind of request that there was.
    pub fn take_service(&self) -> Vec<Service> {
        self.state.lock().statistics.take_service()
    }

    /// Takes a request, moves its data and completes it when the model says so.
    pub fn submit(&self, mut io: I) {
        if self.failed.load(Ordering::Relaxed) {
            return io.complete(Err(EIO));
        }
        let request = Request {
            op: io.op(),
            offset: io.offset(),
            length: io.length(),
        };
        let mark = match self.move_data(&mut io, request) {
            Ok(mark) => mark,
            Err(e) => return io.complete(Err(e.raw_os_error().unwrap_or(EIO))),
        };
        if self.instant.load(Ordering::Relaxed) {
            let mut state = self.state.lock();
            state.statistics.count(request.op, request.length);
            drop(state);
            return self.finish(io, mark);
        }
        let mut state = self.state.lock();
        let done = state.play(self.clock.now());
        let (now, tag) = (state.now, state.next_tag);
        state.next_tag += 1;
        state.statistics.arrived(now);
        let pending = Pending {
            io,
            arrived: now,
            mark,
        };
        state.pending.insert(tag, pending);
        state.model.submit(now, tag, request);
        self.arm(&state);
        drop(state);
        for pending in done {
            self.finish(pending.io, pending.mark);
        }
    }

    /// The timer's call: completes what is due.
    pub(super) fn due(&self) {
        let mut state = self.state.lock();
        let done = state.play(self.clock.now());
        self.arm(&state);
        drop(state);
        for pending in done {
            self.finish(pending.io, pending.mark);
        }
    }

    /// With the state locked, so that no older event time overwrites a newer one.
    fn arm(&self, state: &State<I>) {
        let index = self.index.load(Ordering::Acquire);
        self.timer.arm(index, state.model.next_event());
    }

    fn move_data(&self, io: &mut I, request: Request) -> io::Result<Option<Mark>> {
        let Request { op, offset, length } = request;
        if offset
            .checked_add(length)
            .is_none_or(|end| end > self.geometry.size)
        {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        match op {
            Op::Read => self.backing.read(offset, io.data_mut())?,
            Op::Write => self.backing.write(offset, io.data()).inspect_err(|e| {
                if e.kind() == io::ErrorKind::StorageFull {
                    self.full.store(true, Ordering::Relaxed);
                }
            })?,
            Op::Trim => self.backing.trim(offset, length)?,
            Op::Flush => return Ok(self.backing.mark()),
        }
        Ok(None)
    }

    fn finish(&self, io: I, mark: Option<Mark>) {
        let flushed = match mark {
            Some(mark) if !self.lies => self.backing.retire(mark),
            _ => Ok(()),
        };
        if self.failed.load(Ordering::Relaxed) {
            return io.complete(Err(EIO));
        }
        io.complete(flushed.map_err(|e| e.raw_os_error().unwrap_or(EIO)));
    }
}

impl<I: Io> State<I> {
    /// Plays the model forward and takes out what has finished.
    fn play(&mut self, now: Nanos) -> Vec<Pending<I>> {
        self.now = self.now.max(now);
        self.model.advance(self.now, &mut self.finished);
        let mut done = Vec::with_capacity(self.finished.len());
        for Completion { tag, at } in self.finished.drain(..) {
            if let Some(pending) = self.pending.remove(&tag) {
                self.statistics.finished(
                    pending.io.op(),
                    pending.io.length(),
                    pending.arrived,
                    at,
                    self.now,
                );
                done.push(pending);
            }
        }
        done
    }
}
