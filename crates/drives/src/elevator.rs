//! The host's block layer in front of a drive: requests sorted by offset, a bounded number sent.
//!
//! OpenZFS has a queue of its own and needs none. A client on a raw drive has: without it, a disk
//! of 32 commands cannot make use of 512 outstanding requests.

use crate::{Completion, Drive, Nanos, Op, Request};
use std::collections::{BTreeMap, HashSet};

/// A request that waited for longer comes before those of its kind that are next by offset, ns.
/// It is the expiry of writes in Linux's mq-deadline (5 s), here of reads, too: with the 0.5 s that
/// Linux gives reads, every one of 512 outstanding on a disk expires, and its measured 2.0 MiB/s
/// (ZJU mirror site, 4 KiB at random) are not reached.
const EXPIRY: Nanos = 5_000_000_000;
/// Requests sent in order of offset from an expired one on (`fifo_batch` of mq-deadline): many
/// that have expired are still sorted.
const BATCH: u32 = 16;
/// Reads sent for one write while both wait (`writes_starved` of mq-deadline).
const READS_A_WRITE: u32 = 2;

/// Sends reads and writes on, at most `in_flight` at a time: reads first, with one write after two
/// of them; those of a kind in ascending order of offset, from the last one sent on and round
/// again, an expired one first (the rules of Linux's mq-deadline). Flushes and trims pass at once.
pub struct Elevator {
    drive: Box<dyn Drive>,
    in_flight: usize,
    sent: HashSet<u64>,
    reads: Waiting,
    writes: Waiting,
    /// Reads sent since the last write while writes waited.
    reads_sent: u32,
    finished: Vec<Completion>,
}

impl Elevator {
    /// Puts an elevator in front of `drive` that keeps at most `in_flight` requests in it.
    pub fn new(drive: Box<dyn Drive>, in_flight: usize) -> Self {
        Self {
            drive,
            in_flight: in_flight.max(1),
            sent: HashSet::new(),
            reads: Waiting::default(),
            writes: Waiting::default(),
            reads_sent: 0,
            finished: Vec::new(),
        }
    }

    fn send(&mut self, now: Nanos) {
        while self.sent.len() < self.in_flight {
            let Some((tag, request)) = self.next(now) else { return };
            self.sent.insert(tag);
            self.drive.submit(now, tag, request);
        }
    }

    /// Takes out what is sent next.
    fn next(&mut self, now: Nanos) -> Option<(u64, Request)> {
        if self.writes.is_empty() {
            self.reads_sent = 0;
            return self.reads.take(now);
        }
        if self.reads.is_empty() || self.reads_sent == READS_A_WRITE {
            self.reads_sent = 0;
            return self.writes.take(now);
        }
        self.reads_sent += 1;
        self.reads.take(now)
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
            Op::Read => self.reads.add(now, tag, request),
            Op::Write => self.writes.add(now, tag, request),
            Op::Flush | Op::Discard => return self.drive.submit(now, tag, request),
        }
        self.send(now);
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

/// Reads or writes that wait.
#[derive(Default)]
struct Waiting {
    /// By offset, then by number.
    by_offset: BTreeMap<(u64, u64), (u64, Request)>,
    /// When each came and its offset, by its number in order of arrival.
    by_age: BTreeMap<u64, (Nanos, u64)>,
    /// How many have come.
    numbered: u64,
    /// Where the last one sent ends.
    position: u64,
    /// How many are still sent by offset before age counts again.
    batch: u32,
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.by_offset.is_empty()
    }

    fn add(&mut self, now: Nanos, tag: u64, request: Request) {
        self.by_offset.insert((request.offset, self.numbered), (tag, request));
        self.by_age.insert(self.numbered, (now, request.offset));
        self.numbered += 1;
    }

    /// Takes out the next one: the oldest when it has expired, else the next by offset.
    fn take(&mut self, now: Nanos) -> Option<(u64, Request)> {
        self.batch = self.batch.saturating_sub(1);
        let key = match self.expired(now) {
            Some(oldest) if self.batch == 0 => {
                self.batch = BATCH;
                oldest
            }
            _ => self.next_by_offset()?,
        };
        let (tag, request) = self.by_offset.remove(&key)?;
        self.by_age.remove(&key.1);
        self.position = request.offset + request.length;
        Some((tag, request))
    }

    /// The oldest, when it has waited for too long.
    fn expired(&self, now: Nanos) -> Option<(u64, u64)> {
        let (number, (since, offset)) = self.by_age.first_key_value()?;
        (now > since + EXPIRY).then_some((*offset, *number))
    }

    fn next_by_offset(&self) -> Option<(u64, u64)> {
        let ahead = self.by_offset.range((self.position, 0)..).next();
        ahead.or_else(|| self.by_offset.first_key_value()).map(|(key, _)| *key)
    }
}
