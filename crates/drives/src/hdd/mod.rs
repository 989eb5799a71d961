//! A disk: one arm, platters that turn, a queue to choose from, read-ahead and a write buffer.

mod arm;
mod buffer;
mod geometry;
mod numbers;
mod write_back;

pub use numbers::Hdd;

use crate::completion_queue::CompletionQueue;
use crate::cover::covers;
use crate::random::Random;
use crate::{Completion, Drive, FlushBehaviour, Nanos, Op, Profile, Request};
use buffer::{Extent, WriteBuffer};
use geometry::Geometry;
use std::collections::VecDeque;
use write_back::{PendingFlush, Waiting};

/// A command that waits for the arm.
#[derive(Debug, Clone, Copy)]
struct Command {
    tag: u64,
    write: bool,
    start: u64,
    end: u64,
    /// When it came within the commands that the drive chooses from.
    entered: f64,
    /// Not moved for before this.
    ready: f64,
    start_revolutions: f64,
}

/// What the arm is doing.
#[derive(Debug, Clone, Copy)]
enum Activity {
    Idle,
    /// Reading on from `from` at `since` until `until`, in case somebody asks for it.
    ReadAhead {
        segment: u64,
        from: u64,
        since: f64,
        until: u64,
    },
    Command {
        command: Command,
        /// When the head is on the data.
        reached: f64,
        finish: f64,
    },
    Destage {
        extent: Extent,
        finish: f64,
    },
}

/// A drive of the disk model. Times inside are in fractions of ns.
#[derive(Debug)]
pub(crate) struct HddDrive {
    geometry: Geometry,
    phase: f64,
    write_settle: f64,
    overhead: f64,
    bus_ns_per_byte: f64,
    queue_depth: usize,
    age_limit: f64,
    write_age_limit: f64,
    read_ahead: u64,
    segment_limit: usize,
    /// The longest a segment becomes: its share of the buffer, or what is read ahead.
    segment_bytes: u64,
    buffer_bytes: u64,
    buffer_writes: usize,
    write_ack: f64,
    flush_overhead: f64,
    write_cache: bool,
    flush_lies: bool,
    sector: u64,

    activity: Activity,
    /// Until when the firmware may change its mind about what the arm does next.
    decided_at: f64,
    /// Choices still to be made by position since one was made for its age, see [`BY_POSITION`].
    by_position: u32,
    head: u64,
    /// Bytes that the head has served without leaving their contiguous order.
    run: u64,
    bus_free_at: f64,
    queue: VecDeque<Command>,
    buffer: WriteBuffer,
    sequence: u64,
    waiting: VecDeque<Waiting>,
    flushes: VecDeque<PendingFlush>,
    /// Stretches of data read earlier, the newest last.
    segments: VecDeque<(u64, u64)>,
    done: CompletionQueue,
}

impl HddDrive {
    pub fn new(
        profile: &Profile,
        hdd: &Hdd,
        real_capacity: u64,
        scaled_capacity: u64,
        seed: u64,
    ) -> Self {
        let read_ahead = hdd.read_ahead_kib.whole() << 10;
        let buffer_bytes = (hdd.buffer_mb.value * 1e6) as u64;
        Self {
            geometry: Geometry::new(hdd, real_capacity, scaled_capacity),
            phase: Random::new(seed).uniform(),
            write_settle: hdd.write_settle_ms.value * 1e6,
            overhead: hdd.command_overhead_ms.value * 1e6,
            bus_ns_per_byte: 1e3 / hdd.interface_mb_s.value,
            queue_depth: hdd.queue_depth.whole() as usize,
            age_limit: hdd.age_limit_ms.value * 1e6,
            write_age_limit: hdd.write_age_limit_ms.value * 1e6,
            read_ahead,
            segment_limit: hdd.segments.whole() as usize,
            segment_bytes: (buffer_bytes / hdd.segments.whole().max(1)).max(read_ahead),
            buffer_bytes,
            buffer_writes: hdd.buffer_writes.whole() as usize,
            write_ack: hdd.write_ack_ms.value * 1e6,
            flush_overhead: hdd.flush_overhead_ms.value * 1e6,
            write_cache: profile.write_cache,
            flush_lies: profile.flush == FlushBehaviour::Lies,
            sector: profile.physical_sector.whole().max(1),
            activity: Activity::Idle,
            decided_at: 0.0,
            by_position: 0,
            head: 0,
            run: 0,
            bus_free_at: 0.0,
            queue: VecDeque::new(),
            buffer: WriteBuffer::default(),
            sequence: 0,
            waiting: VecDeque::new(),
            flushes: VecDeque::new(),
            segments: VecDeque::new(),
            done: CompletionQueue::default(),
        }
    }

    fn finish(&mut self, at: f64, tag: u64) {
        self.done.add(at.ceil() as Nanos, tag);
    }

    /// Books the interface for `bytes`; when they have passed.
    fn transfer(&mut self, from: f64, bytes: u64) -> f64 {
        self.bus_free_at = self.bus_free_at.max(from) + bytes as f64 * self.bus_ns_per_byte;
        self.bus_free_at
    }

    /// Plays the arm forward to `now`.
    fn play(&mut self, now: f64) {
        loop {
            match self.activity {
                Activity::Command { command, finish, .. } if finish <= now => {
                    self.pass(command.start, command.end);
                    self.finish(finish, command.tag);
                    if command.write {
                        self.activity = Activity::Idle;
                    } else {
                        self.read_on(command.start, finish);
                    }
                    self.next(finish);
                }
                Activity::Destage { extent, finish } if finish <= now => {
                    self.pass(extent.start, extent.end);
                    self.activity = Activity::Idle;
                    self.admit(finish);
                    self.settle_flushes(finish);
                    self.next(finish);
                }
                _ => return,
            }
        }
    }

    /// The head has passed `start..end`.
    fn pass(&mut self, start: u64, end: u64) {
        let before = if start == self.head { self.run } else { 0 };
        self.run = before + (end - start);
        self.head = end;
    }

    /// After a read that began at `start`: keep reading until somebody needs the arm.
    fn read_on(&mut self, start: u64, at: f64) {
        let segment = match self.segments.back() {
            Some(&(from, to)) if to == start => {
                self.segments.pop_back();
                from
            }
            _ => start,
        };
        let until = self.head + self.read_ahead;
        self.activity = Activity::ReadAhead {
            segment: self.within_segment(segment, until),
            from: self.head,
            since: at,
            until,
        };
    }

    /// Where a segment that reaches `end` begins: of a longer stretch only the last of it is kept.
    fn within_segment(&self, start: u64, end: u64) -> u64 {
        start.max(end.saturating_sub(self.segment_bytes))
    }

    /// The arm is wanted: ends a read-ahead and remembers what it brought.
    fn stop_reading(&mut self, at: f64) {
        let Activity::ReadAhead { segment, from, since, until } = self.activity else {
            return;
        };
        let passed = (at - since).max(0.0) / self.geometry.revolution * self.geometry.track(from);
        self.head = (from + passed as u64).min(until);
        self.activity = Activity::Idle;
        self.remember(segment, self.head);
    }

    fn remember(&mut self, start: u64, end: u64) {
        if self.segment_limit == 0 {
            return;
        }
        if self.segments.len() == self.segment_limit {
            self.segments.pop_front();
        }
        let start = self.within_segment(start, end);
        self.segments.push_back((start, end));
    }

    fn read(&mut self, at: f64, tag: u64, start: u64, end: u64) {
        let in_segment = self.segments.iter().any(|&(s, e)| s <= start && end <= e);
        if in_segment || covers(start, end, |at| self.buffered(at)) {
            let sent = self.transfer(at + self.overhead, end - start);
            self.finish(sent, tag);
            return;
        }
        if let Activity::ReadAhead { segment, from, since, until } = self.activity {
            let turns = |to: u64| {
                (self.geometry.revolutions(to) - self.geometry.revolutions(from))
                    * self.geometry.revolution
            };
            let stopped = since + turns(until) <= at;
            let reached = since + turns(end.max(from));
            if segment <= start && reached <= at && end <= until {
                let sent = self.transfer(at + self.overhead, end - start);
                self.finish(sent, tag);
                if !stopped {
                    let until = until.max(end + self.read_ahead);
                    self.activity = Activity::ReadAhead {
                        segment: self.within_segment(segment, until),
                        from,
                        since,
                        until,
                    };
                }
                return;
            }
            // The head is on its way to the data: no new positioning.
            if !stopped && segment <= start && start <= until && self.queue.is_empty() {
                let sent = at + self.overhead + (end - start) as f64 * self.bus_ns_per_byte;
                self.activity = Activity::Command {
                    command: self.command(at, tag, start, end, false),
                    reached,
                    finish: reached.max(sent),
                };
                self.decided_at = at;
                self.remember(segment, start);
                return;
            }
        }
        let command = self.command(at, tag, start, end, false);
        self.enqueue(at, command);
    }

    /// How far the written data that holds a byte goes on, in the buffer or on its way from there to
    /// the medium.
    fn buffered(&self, at: u64) -> Option<u64> {
        let destaging = match self.activity {
            Activity::Destage { extent, .. } if extent.holds(at) => Some(extent.end),
            _ => None,
        };
        self.buffer.reach(at).max(destaging)
    }

    fn command(&self, at: f64, tag: u64, start: u64, end: u64, write: bool) -> Command {
        Command {
            tag,
            write,
            start,
            end,
            entered: at,
            ready: at + self.overhead,
            start_revolutions: self.geometry.revolutions(start),
        }
    }
}

impl Drive for HddDrive {
    fn submit(&mut self, now: Nanos, tag: u64, request: Request) {
        let at = now as f64;
        self.play(at);
        let end = request.offset.saturating_add(request.length);
        match request.op {
            Op::Read => self.read(at, tag, request.offset, end),
            Op::Write => self.write(at, tag, request.offset, end),
            Op::Flush => self.flush(at, tag),
            Op::Discard => self.finish(at + self.overhead, tag),
        }
    }

    fn next_event(&self) -> Option<Nanos> {
        let arm = match self.activity {
            Activity::Command { finish, .. } | Activity::Destage { finish, .. } => {
                Some(finish.ceil() as Nanos)
            }
            _ => None,
        };
        match (arm, self.done.next()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn advance(&mut self, now: Nanos, finished: &mut Vec<Completion>) {
        self.play(now as f64);
        self.done.drain(now, finished);
    }
}
