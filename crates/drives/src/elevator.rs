//! The host's block layer in front of a drive: requests sorted by offset, a bounded number sent.
//!
//! OpenZFS has a queue of its own and needs none. A client on a raw drive has: without it, a disk
//! of 32 commands cannot make use of 512 outstanding requests.

use crate::{Completion, Drive, Nanos, Op, Request};
use std::collections::{BTreeMap, VecDeque};

/// Sends reads and writes on in ascending order of offset, from the last one sent on and round
/// again (one direction of Linux's mq-deadline, without its deadlines), at most `in_flight` at a
/// time. Flushes and trims pass at once.
pub struct Elevator {
    drive: Box<dyn Drive>,
    in_flight: usize,
    sent: std::collections::HashSet<u64>,
    sorted: BTreeMap<u64, VecDeque<(u64, Request)>>,
    position: u64,
    finished: Vec<Completion>,
}

impl Elevator {
    /// Puts an elevator in front of `drive` that keeps at most `in_flight` requests in it.
    pub fn new(drive: Box<dyn Drive>, in_flight: usize) -> Self {
        Self {
            drive,
            in_flight: in_flight.max(1),
            sent: std::collections::HashSet::new(),
            sorted: BTreeMap::new(),
            position: 0,
            finished: Vec::new(),
        }
    }

    fn send(&mut self, now: Nanos) {
        while self.sent.len() < self.in_flight {
            let next = self
                .sorted
                .range(self.position..)
                .next()
                .or_else(|| self.sorted.first_key_value())
                .map(|(offset, _)| *offset);
            let Some(offset) = next else { return };
            let Some(waiting) = self.sorted.get_mut(&offset) else {
                return;
            };
            let first = waiting.pop_front();
            if waiting.is_empty() {
                self.sorted.remove(&offset);
            }
            let Some((tag, request)) = first else {
                continue;
            };
            self.position = offset + request.length;
            self.sent.insert(tag);
            self.drive.submit(now, tag, request);
        }
    }

    /// Plays the drive to `now`, sending on what its completions make room for when they do.
    fn play(&mut self, now: Nanos) {
        while let Some(at) = self.drive.next_event().filter(|at| *at <= now) {
            let before = self.finished.len();
            self.drive.advance(at, &mut self.finished);
            for completion in &self.finished[before..] {
                self.sent.remove(&completion.tag);
            }
            self.send(at);
        }
    }
}

impl Drive for Elevator {
    fn submit(&mut self, now: Nanos, tag: u64, request: Request) {
        self.play(now);
        match request.op {
            Op::Read | Op::Write => {
                let place = self.sorted.entry(request.offset).or_default();
                place.push_back((tag, request));
                self.send(now);
            }
            Op::Flush | Op::Discard => self.drive.submit(now, tag, request),
        }
    }

    fn next_event(&self) -> Option<Nanos> {
        match self.finished.first() {
            Some(completion) => Some(completion.at),
            None => self.drive.next_event(),
        }
    }

    fn advance(&mut self, now: Nanos, finished: &mut Vec<Completion>) {
        self.play(now);
        finished.append(&mut self.finished);
    }
}
