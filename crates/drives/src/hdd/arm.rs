//! What the arm does next, and how long it takes.

use super::buffer::Extent;
use super::{Activity, Command, HddDrive};

/// Buffered writes looked at on either side of the head.
const REACH: usize = 64;
/// A start that the head passed less than this part of a revolution ago (80 ns at 7200 rpm) is
/// still caught: rounding, not mechanics.
const CAUGHT: f64 = 1e-5;
/// After a choice for age, as many are made by position: a drive that is late with everything
/// still reorders, or it would never catch up.
const BY_POSITION: u32 = 3;
/// Contiguous bytes after which the oldest command comes before those that continue the run. An
/// estimate: it bounds what a sequential stream delays others, to some 80 ms at 210 MB/s. Results
/// for random loads do not depend on it.
const LONGEST_RUN: u64 = 16 << 20;

impl HddDrive {
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

    /// From `at` until the head is on the command's data.
    fn cost(&self, at: f64, command: &Command) -> f64 {
        let begin = at.max(command.ready);
        begin - at
            + self.positioning(begin, command.start, command.start_revolutions, command.write)
    }

    /// From `at` until the head is on the extent's first byte.
    fn reach(&self, at: f64, extent: &Extent) -> f64 {
        let begin = at.max(extent.ready);
        begin - at + self.positioning(begin, extent.start, extent.start_revolutions, true)
    }

    /// Gives the arm its next work at `at`, when there is any and it is free.
    pub(super) fn next(&mut self, at: f64) {
        if matches!(self.activity, Activity::Command { .. } | Activity::Destage { .. })
            || (self.queue.is_empty() && self.buffer.is_empty())
        {
            return;
        }
        self.stop_reading(at);
        self.decided_at = at + self.overhead;
        self.choose(at);
    }

    /// A request has arrived at `at`: the arm starts, or, when its work was chosen only just now,
    /// the choice is made again. Requests sent together are thus chosen from together.
    pub(super) fn arrived(&mut self, at: f64) {
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
        // What came after a flush waits for it, as it does in front of a SATA drive.
        let before = self.flushes.front().map_or(f64::INFINITY, |f| f.arrived);
        let late = self.queue.front().is_some_and(|command| self.late(at, command, before));
        let pressed = barrier.is_some()
            || !self.waiting.is_empty()
            || self.buffer.bytes() > self.buffer_bytes / 2
            || self.buffer.len() > self.buffer_writes / 2;
        let command = if late {
            self.queue.front().map(|c| (self.cost(at, c), 0))
        } else {
            self.best_command(at, before)
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
                    self.activity = Activity::Destage { extent, finish: at + cost + media };
                }
            }
            _ => {}
        }
    }

    /// Whether the oldest command comes before nearer ones: it came by `arrived_by` and has waited
    /// for too long, or a contiguous run that it does not continue has lasted for too long.
    fn late(&self, at: f64, oldest: &Command, arrived_by: f64) -> bool {
        let in_reach = self.queue.len().min(self.queue_depth);
        let outrun = self.run > LONGEST_RUN && oldest.start != self.head;
        let overdue = self.overdue(at - oldest.entered, self.age_limit, in_reach);
        oldest.entered <= arrived_by && (outrun || overdue)
    }

    /// Whether something of this age comes before what is nearer, with `others` beside it.
    fn overdue(&self, age: f64, limit: f64, others: usize) -> bool {
        self.by_position == 0 && age > limit + others as f64 * self.geometry.revolution
    }

    /// Starts a command whose data the head reaches at `reached`.
    fn go(&mut self, command: Command, reached: f64) {
        let media =
            self.media(command.start, command.end, command.start_revolutions, command.write);
        self.activity = Activity::Command { command, reached, finish: reached + media };
    }

    /// The command that the head reaches first, of those that came by `arrived_by`. Of a run of
    /// contiguous commands it is always the first, so that a stream is not begun in its middle.
    fn best_command(&self, at: f64, arrived_by: f64) -> Option<(f64, usize)> {
        let (_, mut index) = self
            .queue
            .iter()
            .take(self.queue_depth)
            .enumerate()
            .filter(|(_, command)| command.entered <= arrived_by)
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
        self.queue.iter().take(self.queue_depth).position(|c| c.end == start)
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

    /// Queues a command, or starts it in place of one that was chosen only just now.
    pub(super) fn enqueue(&mut self, at: f64, command: Command) {
        if let Activity::Command { command: chosen, reached, .. } = self.activity
            && at < self.decided_at
            && self.queue.len() < self.queue_depth
            && self.flushes.is_empty()
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
}
