//! A disk: one arm, platters that turn, a queue to choose from, read-ahead and a write buffer.

mod buffer;
mod geometry;
mod numbers;

pub use numbers::Hdd;

use crate::done::Done;
use crate::random::Random;
use crate::{Completion, Drive, Flush, Nanos, Op, Profile, Request};
use buffer::{Extent, WriteBuffer};
use geometry::Geometry;
use std::collections::VecDeque;

/// Buffered writes looked at on either side of the head.
const REACH: usize = 64;
/// A start that the head passed less than this part of a revolution ago (80 ns at 7200 rpm) is
/// still caught: rounding, not mechanics.
const CAUGHT: f64 = 1e-5;

/// After a choice for age, as many are made by position: a drive that is late with everything
/// still reorders, or it would never catch up.
const BY_POSITION: u32 = 3;

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

/// A write that the buffer has no room for yet.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    tag: u64,
    start: u64,
    end: u64,
}

/// A flush that waits for every buffered write older than `barrier`.
#[derive(Debug, Clone, Copy)]
struct PendingFlush {
    tag: u64,
    barrier: u64,
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
    bus_free_at: f64,
    queue: VecDeque<Command>,
    buffer: WriteBuffer,
    sequence: u64,
    waiting: VecDeque<Waiting>,
    flushes: VecDeque<PendingFlush>,
    /// Stretches of data read earlier, the newest last.
    segments: VecDeque<(u64, u64)>,
    done: Done,
}

impl HddDrive {
    pub fn new(
        profile: &Profile,
        hdd: &Hdd,
        real_capacity: u64,
        scaled_capacity: u64,
        seed: u64,
    ) -> Self {
        Self {
            geometry: Geometry::new(hdd, real_capacity, scaled_capacity),
            phase: Random::new(seed).uniform(),
            write_settle: hdd.write_settle_ms.value * 1e6,
            overhead: hdd.command_overhead_ms.value * 1e6,
            bus_ns_per_byte: 1e3 / hdd.interface_mb_s.value,
            queue_depth: hdd.queue_depth.whole() as usize,
            age_limit: hdd.age_limit_ms.value * 1e6,
            write_age_limit: hdd.write_age_limit_ms.value * 1e6,
            read_ahead: hdd.read_ahead_kib.whole() << 10,
            segment_limit: hdd.segments.whole() as usize,
            buffer_bytes: (hdd.buffer_mb.value * 1e6) as u64,
            buffer_writes: hdd.buffer_writes.whole() as usize,
            write_ack: hdd.write_ack_ms.value * 1e6,
            flush_overhead: hdd.flush_overhead_ms.value * 1e6,
            write_cache: profile.write_cache,
            flush_lies: profile.flush == Flush::Lies,
            sector: profile.physical_sector.whole().max(1),
            activity: Activity::Idle,
            decided_at: 0.0,
            by_position: 0,
            head: 0,
            bus_free_at: 0.0,
            queue: VecDeque::new(),
            buffer: WriteBuffer::default(),
            sequence: 0,
            waiting: VecDeque::new(),
            flushes: VecDeque::new(),
            segments: VecDeque::new(),
            done: Done::default(),
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

    /// From `at` with the arm at rest until the start of the data is under the head.
    fn positioning(&self, at: f64, start: u64, start_revolutions: f64, write: bool) -> f64 {
        let mut seek = self.geometry.seek(self.head, start);
        if write && seek > 0.0 {
            seek += self.write_settle;
        }
        let passed = (at + seek) / self.geometry.revolution + self.phase;
        let ahead = start_revolutions - passed;
        let mut wait = ahead - ahead.floor();
        if wait > 1.0 - CAUGHT {
            wait = 0.0;
        }
        seek + wait * self.geometry.revolution
    }

    /// Time on the medium from the start of the data, reading back part-written sectors included.
    fn media(&self, start: u64, end: u64, start_revolutions: f64, write: bool) -> f64 {
        let mut revolutions = self.geometry.revolutions(end) - start_revolutions;
        if write {
            let torn_head = !start.is_multiple_of(self.sector);
            let torn_tail = !end.is_multiple_of(self.sector);
            if torn_head || torn_tail {
                // The sector is read in passing and written when it comes round again; head and
                // tail share that turn only when one pass sees both.
                let apart = torn_head && torn_tail && revolutions > 1.0;
                revolutions += if apart { 2.0 } else { 1.0 };
            }
        }
        revolutions * self.geometry.revolution
    }

    /// Plays the arm forward to `now`.
    fn play(&mut self, now: f64) {
        loop {
            match self.activity {
                Activity::Command {
                    command, finish, ..
                } if finish <= now => {
                    self.head = command.end;
                    self.finish(finish, command.tag);
                    if command.write {
                        self.activity = Activity::Idle;
                    } else {
                        self.read_on(command.start, finish);
                    }
                    self.next(finish);
                }
                Activity::Destage { extent, finish } if finish <= now => {
                    self.head = extent.end;
                    self.activity = Activity::Idle;
                    self.admit(finish);
                    self.settle_flushes(finish);
                    self.next(finish);
                }
                _ => return,
            }
        }
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
        self.activity = Activity::ReadAhead {
            segment,
            from: self.head,
            since: at,
            until: self.head + self.read_ahead,
        };
    }

    /// The arm is wanted: ends a read-ahead and remembers what it brought.
    fn stop_reading(&mut self, at: f64) {
        let Activity::ReadAhead {
            segment,
            from,
            since,
            until,
        } = self.activity
        else {
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
        self.segments.push_back((start, end));
    }

    /// Gives the arm its next work at `at`, when there is any and it is free.
    fn next(&mut self, at: f64) {
        if matches!(
            self.activity,
            Activity::Command { .. } | Activity::Destage { .. }
        ) || (self.queue.is_empty() && self.buffer.is_empty())
        {
            return;
        }
        self.stop_reading(at);
        self.decided_at = at + self.overhead;
        self.choose(at);
    }

    /// A request has arrived at `at`: the arm starts, or, when its work was chosen only just now,
    /// the choice is made again. Requests sent together are thus chosen from together.
    fn arrived(&mut self, at: f64) {
        if let Activity::Destage { extent, .. } = self.activity
            && at < self.decided_at
        {
            self.activity = Activity::Idle;
            self.buffer.insert(extent, &self.geometry);
            self.choose(at);
        } else {
            self.next(at);
        }
    }

    /// Sends the arm to the best of what there is.
    fn choose(&mut self, at: f64) {
        let barrier = self.flushes.back().map(|f| f.barrier);
        let overdue = self
            .buffer
            .oldest()
            .filter(|e| self.overdue(at - e.since, self.write_age_limit, self.buffer.len()));
        let in_reach = self.queue.len().min(self.queue_depth);
        let late = self
            .queue
            .front()
            .is_some_and(|c| self.overdue(at - c.entered, self.age_limit, in_reach));
        let pressed = barrier.is_some()
            || !self.waiting.is_empty()
            || self.buffer.bytes() > self.buffer_bytes / 2
            || self.buffer.len() > self.buffer_writes / 2;
        let command = if late {
            self.queue.front().map(|c| (self.cost(at, c), 0))
        } else {
            self.best_command(at)
        };
        let destage = match overdue {
            Some(extent) => Some((self.reach(at, extent), extent.start)),
            None if command.is_none() || pressed => self.best_destage(at, barrier),
            None => None,
        };
        let forced_write = overdue.is_some() && !late;
        self.by_position = if late || overdue.is_some() {
            BY_POSITION
        } else {
            self.by_position.saturating_sub(1)
        };
        match (command, destage) {
            (Some((cost, index)), other)
                if !forced_write
                    && (late || other.is_none_or(|(write_cost, _)| cost <= write_cost)) =>
            {
                if let Some(command) = self.queue.remove(index) {
                    if let Some(entering) = self.queue.get_mut(self.queue_depth - 1) {
                        entering.entered = at;
                    }
                    self.go(command, at + cost);
                }
            }
            (_, Some((cost, start))) => {
                if let Some(extent) = self.buffer.remove(start) {
                    let media =
                        self.media(extent.start, extent.end, extent.start_revolutions, true);
                    self.activity = Activity::Destage {
                        extent,
                        finish: at + cost + media,
                    };
                }
            }
            _ => {}
        }
    }

    /// Whether something of this age comes before what is nearer, with `others` beside it.
    fn overdue(&self, age: f64, limit: f64, others: usize) -> bool {
        self.by_position == 0 && age > limit + others as f64 * self.geometry.revolution
    }

    /// Starts a command whose data the head reaches at `reached`.
    fn go(&mut self, command: Command, reached: f64) {
        let media = self.media(
            command.start,
            command.end,
            command.start_revolutions,
            command.write,
        );
        self.activity = Activity::Command {
            command,
            reached,
            finish: reached + media,
        };
    }

    /// Queues a command, or starts it in place of one that was chosen only just now.
    fn enqueue(&mut self, at: f64, command: Command) {
        if let Activity::Command {
            command: chosen,
            reached,
            ..
        } = self.activity
            && at < self.decided_at
            && self.queue.len() < self.queue_depth
            && self.by_position != BY_POSITION
            && chosen.end != command.start
            && self.before(command.start).is_none()
        {
            let sooner = at + self.cost(at, &command);
            if sooner < reached {
                // Commands wait in order of age.
                let place = self.queue.partition_point(|c| c.entered <= chosen.entered);
                self.queue.insert(place, chosen);
                self.go(command, sooner);
                return;
            }
        }
        self.queue.push_back(command);
        self.arrived(at);
    }

    /// From `at` until the head is on the command's data.
    fn cost(&self, at: f64, command: &Command) -> f64 {
        let begin = at.max(command.ready);
        begin - at
            + self.positioning(
                begin,
                command.start,
                command.start_revolutions,
                command.write,
            )
    }

    /// From `at` until the head is on the extent's first byte.
    fn reach(&self, at: f64, extent: &Extent) -> f64 {
        let begin = at.max(extent.ready);
        begin - at + self.positioning(begin, extent.start, extent.start_revolutions, true)
    }

    /// The command that the head reaches first; of a run of contiguous commands always its first,
    /// so that a stream is not begun in its middle.
    fn best_command(&self, at: f64) -> Option<(f64, usize)> {
        let (_, mut index) = self
            .queue
            .iter()
            .take(self.queue_depth)
            .enumerate()
            .map(|(index, command)| (self.cost(at, command), index))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let mut first = self.queue[index].start;
        for _ in 0..self.queue_depth {
            match self.before(first) {
                Some(earlier) if self.queue[earlier].start < first => {
                    index = earlier;
                    first = self.queue[earlier].start;
                }
                _ => break,
            }
        }
        Some((self.cost(at, &self.queue[index]), index))
    }

    /// The command within reach that ends where another starts.
    fn before(&self, start: u64) -> Option<usize> {
        self.queue
            .iter()
            .take(self.queue_depth)
            .position(|c| c.end == start)
    }

    /// The buffered write that the head reaches first; while flushes wait, of those they wait for.
    fn best_destage(&self, at: f64, barrier: Option<u64>) -> Option<(f64, u64)> {
        let barrier = barrier.unwrap_or(u64::MAX);
        let mut best: Option<(f64, u64)> = None;
        let mut look = |extent: &Extent| {
            // The farther, the longer the seek: once that alone is too long, so are the rest.
            let seek = self.geometry.seek(self.head, extent.start);
            if best.is_some_and(|(cost, _)| seek >= cost) {
                return false;
            }
            if extent.oldest < barrier {
                let cost = self.reach(at, extent);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, extent.start));
                }
            }
            true
        };
        for extent in self.buffer.above(self.head).take(REACH) {
            if !look(extent) {
                break;
            }
        }
        for extent in self.buffer.below(self.head).take(REACH) {
            if !look(extent) {
                break;
            }
        }
        best.or_else(|| {
            let extent = self.buffer.oldest()?;
            Some((self.reach(at, extent), extent.start))
        })
    }

    /// Whether the buffer takes another `bytes`.
    fn has_room(&self, bytes: u64) -> bool {
        let destaging = match self.activity {
            Activity::Destage { extent, .. } => extent.end - extent.start,
            _ => 0,
        };
        self.buffer.is_empty()
            || (self.buffer.len() < self.buffer_writes
                && self.buffer.bytes() + destaging + bytes <= self.buffer_bytes)
    }

    /// Lets waiting writes into the room that a destage has made.
    fn admit(&mut self, at: f64) {
        while let Some(&write) = self.waiting.front() {
            if !self.has_room(write.end - write.start) {
                break;
            }
            self.waiting.pop_front();
            self.take(at, write);
        }
    }

    /// Puts a write into the buffer at `at` and acknowledges it.
    fn take(&mut self, at: f64, write: Waiting) {
        let received = self.transfer(at, write.end - write.start);
        self.finish(received + self.write_ack, write.tag);
        let extent = Extent {
            start: write.start,
            end: write.end,
            oldest: self.sequence,
            since: at,
            ready: received + self.overhead,
            start_revolutions: 0.0,
        };
        self.sequence += 1;
        self.buffer.insert(extent, &self.geometry);
        self.segments
            .retain(|&(start, end)| end <= write.start || start >= write.end);
    }

    /// Finishes the flushes whose writes are all on the medium.
    fn settle_flushes(&mut self, at: f64) {
        let mut oldest = self.buffer.oldest().map_or(u64::MAX, |e| e.oldest);
        if let Activity::Destage { extent, .. } = self.activity {
            oldest = oldest.min(extent.oldest);
        }
        while let Some(&flush) = self.flushes.front() {
            if oldest < flush.barrier {
                break;
            }
            self.flushes.pop_front();
            self.finish(at + self.flush_overhead, flush.tag);
        }
    }

    fn read(&mut self, at: f64, tag: u64, start: u64, end: u64) {
        let in_buffer = self.buffer.holds(start, end)
            || matches!(self.activity, Activity::Destage { extent, .. }
                if extent.start <= start && end <= extent.end);
        let in_segment = self.segments.iter().any(|&(s, e)| s <= start && end <= e);
        if in_buffer || in_segment {
            let sent = self.transfer(at + self.overhead, end - start);
            self.finish(sent, tag);
            return;
        }
        if let Activity::ReadAhead {
            segment,
            from,
            since,
            until,
        } = self.activity
        {
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
                    self.activity = Activity::ReadAhead {
                        segment,
                        from,
                        since,
                        until: until.max(end + self.read_ahead),
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

    fn write(&mut self, at: f64, tag: u64, start: u64, end: u64) {
        if !self.write_cache {
            let command = self.command(at, tag, start, end, true);
            self.segments.retain(|&(s, e)| e <= start || s >= end);
            self.enqueue(at, command);
            return;
        }
        let write = Waiting { tag, start, end };
        if self.waiting.is_empty() && self.has_room(end - start) {
            self.take(at, write);
        } else {
            self.waiting.push_back(write);
        }
        self.arrived(at);
    }

    fn flush(&mut self, at: f64, tag: u64) {
        if self.flush_lies {
            self.finish(at + self.flush_overhead, tag);
            return;
        }
        self.flushes.push_back(PendingFlush {
            tag,
            barrier: self.sequence,
        });
        self.settle_flushes(at);
        self.arrived(at);
    }
}

impl Drive for HddDrive {
    fn submit(&mut self, now: Nanos, tag: u64, request: Request) {
        let at = now as f64;
        self.play(at);
        let end = request.offset + request.length;
        match request.op {
            Op::Read => self.read(at, tag, request.offset, end),
            Op::Write => self.write(at, tag, request.offset, end),
            Op::Flush => self.flush(at, tag),
            Op::Trim => self.finish(at + self.overhead, tag),
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
