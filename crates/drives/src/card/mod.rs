//! A RAID card: a drive made of drives.

mod cache;
mod layout;
mod numbers;
mod write_back;

pub use layout::RaidLevel;
pub use numbers::Card;

use crate::completion_queue::CompletionQueue;
use crate::cover::covers;
use crate::link::Link;
use crate::{Completion, Drive, Elevator, FlushBehaviour, Nanos, Op, Profile, Request};
use cache::{ReadCache, WriteCache};
use layout::Layout;
use std::collections::{HashMap, VecDeque};
use write_back::PendingFlush;

/// Sequential streams that the card can tell apart.
const STREAMS: usize = 16;

/// Requests with the member each is for.
type Requests = Vec<(u64, Request)>;

/// What happens when a job's last member request is done.
#[derive(Debug)]
enum End {
    /// The host's request finishes; a read leaves its data in the cache.
    Host { tag: u64, bytes: u64, read: Option<(u64, u64)> },
    /// A row is clean.
    Destage { row: u64, bytes: u64, oldest: u64 },
    /// Data read ahead is there for the reads that wait for it.
    ReadAhead { start: u64, end: u64, waiters: Vec<HostRead> },
}

/// A read of the host.
#[derive(Debug, Clone, Copy)]
struct HostRead {
    tag: u64,
    start: u64,
    end: u64,
}

/// Requests to members; when they are done those of `then`, and then the end.
#[derive(Debug)]
struct Job {
    left: usize,
    then: Requests,
    end: End,
}

/// A card with its members. Times in ns.
pub(crate) struct CardDrive {
    layout: Layout,
    members: Vec<Box<dyn Drive>>,
    outstanding: Vec<usize>,
    /// Member request → (job, member).
    sent: HashMap<u64, (u64, usize)>,
    jobs: HashMap<u64, Job>,
    next_id: u64,
    write_back: bool,
    battery: bool,
    lies: bool,
    volatile_members: bool,
    overhead: f64,
    cache_time: f64,
    read_ahead: u64,
    commands: Link,
    bus: Link,
    reads: ReadCache,
    dirty: WriteCache,
    destaging: usize,
    most_destages: usize,
    waiting: VecDeque<(u64, u64, u64)>,
    flushes: VecDeque<PendingFlush>,
    sequence: u64,
    /// (where the next read of the stream starts, how far has been read ahead)
    streams: [(u64, u64); STREAMS],
    next_stream: usize,
    /// Read-aheads under way: (start, end, job).
    ahead: Vec<(u64, u64, u64)>,
    capacity: u64,
    completions: Vec<Completion>,
    done: CompletionQueue,
}

impl CardDrive {
    /// Makes the card of a profile of kind `card`, and its members.
    pub fn boxed(profile: &Profile, real: u64, scaled: u64, seed: u64) -> Box<dyn Drive> {
        let Some(card) = &profile.card else {
            return Box::new(crate::instant::InstantDrive::default());
        };
        let layout = card.layout();
        let queue = card.member_queue.whole() as usize;
        let columns = card.data_members();
        let members: Vec<Box<dyn Drive>> = (0..layout.members)
            .map(|i| {
                let member = card.member.drive(
                    real / columns,
                    scaled / columns,
                    seed.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
                );
                Box::new(Elevator::new(member, queue)) as Box<dyn Drive>
            })
            .collect();
        let cache = card.cache_mb.value * 1e6;
        Box::new(Self {
            layout,
            outstanding: vec![0; members.len()],
            most_destages: members.len() * queue,
            members,
            sent: HashMap::new(),
            jobs: HashMap::new(),
            next_id: 0,
            write_back: profile.write_cache,
            battery: profile.power_loss_protection,
            lies: profile.flush == FlushBehaviour::Lies,
            volatile_members: card.member.volatile_cache(),
            overhead: card.overhead_us.value * 1e3,
            cache_time: card.cache_us.value * 1e3,
            read_ahead: card.read_ahead_kib.whole() << 10,
            commands: Link::each(1e9 / card.iops.value),
            bus: Link::of_rate(card.interface_mb_s.value),
            reads: ReadCache::new((cache * card.read_share.value) as u64),
            dirty: WriteCache::new((cache * (1.0 - card.read_share.value)) as u64),
            destaging: 0,
            waiting: VecDeque::new(),
            flushes: VecDeque::new(),
            sequence: 0,
            streams: [(u64::MAX, 0); STREAMS],
            next_stream: 0,
            ahead: Vec::new(),
            capacity: scaled,
            completions: Vec::new(),
            done: CompletionQueue::default(),
        })
    }

    /// The host's request finishes: after the card's own time, its turn and its bytes.
    fn finish(&mut self, at: f64, tag: u64, bytes: u64) {
        let turn = self.commands.book(at, 1.0);
        let sent = self.bus.book(at, bytes as f64);
        self.done.add(turn.max(sent).ceil() as Nanos, tag);
    }

    /// Starts a job; one without requests ends at once.
    fn start(&mut self, at: Nanos, first: Requests, then: Requests, end: End) {
        let id = self.next_id;
        self.next_id += 1;
        let job = Job { left: first.len(), then, end };
        if first.is_empty() {
            self.end(at, job.end);
            return;
        }
        self.jobs.insert(id, job);
        self.send(at, id, first);
    }

    fn send(&mut self, at: Nanos, job: u64, requests: Requests) {
        for (member, request) in requests {
            let member = member as usize;
            let tag = self.next_id;
            self.next_id += 1;
            self.sent.insert(tag, (job, member));
            self.outstanding[member] += 1;
            self.members[member].submit(at, tag, request);
        }
    }

    /// Plays the members forward to `now`, in order of time over all of them.
    fn play(&mut self, now: Nanos) {
        loop {
            let next = self.members.iter().filter_map(|m| m.next_event()).min();
            let Some(at) = next.filter(|at| *at <= now) else {
                return;
            };
            let mut completions = std::mem::take(&mut self.completions);
            for member in &mut self.members {
                if member.next_event().is_some_and(|event| event <= at) {
                    member.advance(at, &mut completions);
                }
            }
            for completion in completions.drain(..) {
                self.completed(at, completion.tag);
            }
            self.completions = completions;
        }
    }

    fn completed(&mut self, at: Nanos, tag: u64) {
        let Some((id, member)) = self.sent.remove(&tag) else {
            return;
        };
        self.outstanding[member] -= 1;
        let Some(job) = self.jobs.get_mut(&id) else {
            return;
        };
        job.left -= 1;
        if job.left > 0 {
            return;
        }
        let then = std::mem::take(&mut job.then);
        if !then.is_empty() {
            job.left = then.len();
            self.send(at, id, then);
        } else if let Some(job) = self.jobs.remove(&id) {
            self.end(at, job.end);
        }
    }

    fn end(&mut self, at: Nanos, end: End) {
        match end {
            End::Host { tag, bytes, read } => {
                if let Some((start, end)) = read {
                    self.reads.insert(start, end);
                }
                self.finish(at as f64 + self.overhead, tag, bytes);
            }
            End::Destage { row, bytes, .. } => {
                self.dirty.destaged(row, bytes);
                self.destaging -= 1;
                while let Some(&(tag, start, end)) = self.waiting.front() {
                    if !self.dirty.has_room(end - start) {
                        break;
                    }
                    self.waiting.pop_front();
                    self.take(at, tag, start, end);
                }
                self.destage(at);
                self.settle_flushes(at);
            }
            End::ReadAhead { start, end, waiters } => {
                self.ahead.retain(|&(from, to, _)| (from, to) != (start, end));
                self.reads.insert(start, end);
                for read in waiters {
                    self.serve(at, read);
                }
            }
        }
    }

    /// Requests that bring `start..end` from the members.
    fn gather(&self, start: u64, end: u64) -> Requests {
        self.layout
            .pieces(start, end)
            .filter_map(|piece| {
                let least = |member: &u64| self.outstanding[*member as usize];
                let member = self.layout.holders(piece.row, piece.column).min_by_key(least)?;
                Some((member, Request::new(Op::Read, piece.offset, piece.length)))
            })
            .collect()
    }

    fn read(&mut self, now: Nanos, tag: u64, start: u64, end: u64) {
        let here = |at| self.dirty.reach(at, &self.layout).max(self.reads.reach(at));
        if covers(start, end, here) {
            self.finish(now as f64 + self.cache_time, tag, end - start);
        } else if covers(start, end, |at| here(at).max(self.coming(at))) {
            self.serve(now, HostRead { tag, start, end });
        } else {
            let requests = self.gather(start, end);
            let end = End::Host { tag, bytes: end - start, read: Some((start, end)) };
            self.start(now, requests, Vec::new(), end);
        }
        if self.read_ahead > 0 {
            self.read_on(now, start, end);
        }
    }

    /// How far a read-ahead under way that brings a byte goes on.
    fn coming(&self, at: u64) -> Option<u64> {
        let bringing = self.ahead.iter().filter(|(from, to, _)| (*from..*to).contains(&at));
        bringing.map(|(_, to, _)| *to).max()
    }

    /// Answers a read from the cache when no read-ahead under way brings a part of it any more.
    fn serve(&mut self, now: Nanos, read: HostRead) {
        let brings = |(from, to, _): &&(u64, u64, u64)| *from < read.end && read.start < *to;
        let job = self.ahead.iter().find(brings).and_then(|(_, _, job)| self.jobs.get_mut(job));
        match job {
            Some(Job { end: End::ReadAhead { waiters, .. }, .. }) => waiters.push(read),
            _ => self.finish(now as f64 + self.cache_time, read.tag, read.end - read.start),
        }
    }

    /// Keeps a sequential stream's read-ahead at least half its length in front of it, and another
    /// request like the last.
    fn read_on(&mut self, now: Nanos, start: u64, end: u64) {
        let Some(stream) = self.streams.iter_mut().find(|(next, _)| *next == start) else {
            self.streams[self.next_stream] = (end, end);
            self.next_stream = (self.next_stream + 1) % STREAMS;
            return;
        };
        let from = stream.1.max(end);
        *stream = (end, from);
        if from - end >= (self.read_ahead / 2).max(end - start) {
            return;
        }
        let to = (from + self.read_ahead).min(self.capacity);
        if to <= from {
            return;
        }
        *stream = (end, to);
        let requests = self.gather(from, to);
        self.ahead.push((from, to, self.next_id));
        let end = End::ReadAhead { start: from, end: to, waiters: Vec::new() };
        self.start(now, requests, Vec::new(), end);
    }
}

impl Drive for CardDrive {
    fn submit(&mut self, now: Nanos, tag: u64, request: Request) {
        self.play(now);
        let end = request.offset.saturating_add(request.length);
        match request.op {
            Op::Read => self.read(now, tag, request.offset, end),
            Op::Write => self.write(now, tag, request.offset, end),
            Op::Flush => self.flush(now, tag),
            Op::Discard => self.finish(now as f64 + self.overhead, tag, 0),
        }
    }

    fn next_event(&self) -> Option<Nanos> {
        let members = self.members.iter().filter_map(|m| m.next_event());
        members.chain(self.done.next()).min()
    }

    fn advance(&mut self, now: Nanos, finished: &mut Vec<Completion>) {
        self.play(now);
        self.done.drain(now, finished);
    }
}
