//! Flash and Optane: parallel servers behind an interface, and a write buffer that drains.

use crate::completion_queue::CompletionQueue;
use crate::link::Link;
use crate::profile::in_range;
use crate::random::Random;
use crate::{
    Completion, Drive, FlushBehaviour, Nanos, Op, Profile, ProfileError, ProfileNumber, Request,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Fastest that a SATA link carries, MB/s: 6 Gb/s after 8b/10b coding.
const SATA_MB_S: f64 = 600.0;
/// Bytes of the request that latencies and IOPS are stated for.
const UNIT: f64 = 4096.0;
/// Sequential streams that the write path can tell apart.
const STREAMS: usize = 8;

/// Which server takes a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// The first that is free: every access is spread over all channels (Optane).
    Any,
    /// The die that holds the address, busy or not (flash).
    Address,
}

/// Numbers of the flash model. Latencies and IOPS are for 4 KiB; MB is 10⁶ bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flash {
    /// Which server takes a read.
    pub placement: Placement,
    /// Mean of a random read at queue depth 1, µs.
    pub read_latency_us: ProfileNumber,
    /// Random reads per second at any queue depth.
    pub read_iops: ProfileNumber,
    /// Dies that reads are spread over, where that is known to differ from what IOPS × latency
    /// keeps busy; `read_iops` is then a limit of the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dies: Option<ProfileNumber>,
    /// Sequential read rate, MB/s.
    pub read_mb_s: ProfileNumber,
    /// A write into the buffer at queue depth 1, µs.
    pub write_latency_us: ProfileNumber,
    /// Writes per second while the buffer has room.
    pub write_iops: ProfileNumber,
    /// Write rate while the buffer has room, MB/s.
    pub write_mb_s: ProfileNumber,
    /// Reads and writes together, MB/s.
    pub shared_mb_s: ProfileNumber,
    /// Buffer that takes writes at full speed, MB.
    pub buffer_mb: ProfileNumber,
    /// Rate at which the buffer drains when writes are sequential, MB/s.
    pub sustained_mb_s: ProfileNumber,
    /// Rate at which it drains when they are random, writes per second.
    pub sustained_iops: ProfileNumber,
    /// Spread of a read's service time around its mean, as a share of the mean (exponential).
    pub jitter: ProfileNumber,
    /// Share of requests in the slow tail.
    pub tail_probability: ProfileNumber,
    /// Mean of what the tail adds (exponential), µs.
    pub tail_us: ProfileNumber,
    /// A flush, µs; without power-loss protection what is in `volatile_mb` comes on top. Without it a FUA
    /// write takes this long on top of an ordinary one.
    pub flush_us: ProfileNumber,
    /// Bytes that a flush may have to bring to the medium, MB; unused with power-loss protection.
    pub volatile_mb: ProfileNumber,
    /// A trim, µs.
    pub trim_us: ProfileNumber,
}

impl Flash {
    /// Every number with its name and the range it must lie in.
    pub(crate) fn numbers(
        &self,
    ) -> impl Iterator<Item = (&'static str, &ProfileNumber, std::ops::RangeInclusive<f64>)> {
        [
            ("read_latency_us", &self.read_latency_us, 0.1..=1e6),
            ("read_iops", &self.read_iops, 1.0..=1e8),
            ("read_mb_s", &self.read_mb_s, 0.1..=1e6),
            ("write_latency_us", &self.write_latency_us, 0.1..=1e6),
            ("write_iops", &self.write_iops, 1.0..=1e8),
            ("write_mb_s", &self.write_mb_s, 0.1..=1e6),
            ("shared_mb_s", &self.shared_mb_s, 0.1..=1e6),
            ("buffer_mb", &self.buffer_mb, 0.0..=1e7),
            ("sustained_mb_s", &self.sustained_mb_s, 0.1..=1e6),
            ("sustained_iops", &self.sustained_iops, 1.0..=1e8),
            ("jitter", &self.jitter, 0.0..=1.0),
            ("tail_probability", &self.tail_probability, 0.0..=1.0),
            ("tail_us", &self.tail_us, 0.0..=1e7),
            ("flush_us", &self.flush_us, 0.0..=1e7),
            ("volatile_mb", &self.volatile_mb, 0.0..=1e6),
            ("trim_us", &self.trim_us, 0.0..=1e7),
        ]
        .into_iter()
        .chain(self.dies.iter().map(|dies| ("dies", dies, 1.0..=65536.0)))
    }

    /// Whether all its traffic fits a SATA link.
    pub(crate) fn is_sata(&self) -> bool {
        self.shared_mb_s.value <= SATA_MB_S
    }

    pub(crate) fn validate(&self) -> Result<(), ProfileError> {
        for (name, number, range) in self.numbers() {
            in_range(&format!("flash.{name}"), number, *range.start(), *range.end())?;
        }
        for (name, iops, latency) in [
            ("flash.read_iops", &self.read_iops, &self.read_latency_us),
            ("flash.write_iops", &self.write_iops, &self.write_latency_us),
        ] {
            // One request at a time already gives 1/latency.
            if iops.value * latency.value < 0.99e6 {
                return Err(ProfileError::OutOfRange {
                    field: name.to_owned(),
                    value: iops.value.to_string(),
                    wanted: format!(
                        "must be at least 1 / latency = {:.0}: one request at a time gives that",
                        1e6 / latency.value
                    ),
                });
            }
        }
        Ok(())
    }
}

/// c servers of `service` ns each, and a pipeline of `delay` ns that holds none of them:
/// c = ⌊IOPS × latency⌋, service = c / IOPS, delay = latency − service.
#[derive(Debug)]
struct Servers {
    free_at: Vec<f64>,
    service: f64,
    delay: f64,
}

impl Servers {
    fn new(iops: f64, latency_us: f64) -> Self {
        let count = (iops * latency_us / 1e6 * 1.0001).floor().max(1.0);
        let service = count * 1e9 / iops;
        Self {
            free_at: vec![0.0; count as usize],
            service,
            delay: (latency_us * 1e3 - service).max(0.0),
        }
    }

    /// `count` servers that a request holds for its whole latency.
    fn dies(count: f64, latency_us: f64) -> Self {
        Self { free_at: vec![0.0; count as usize], service: latency_us * 1e3, delay: 0.0 }
    }

    fn first_free(&self) -> usize {
        let mut best = 0;
        for (i, at) in self.free_at.iter().enumerate() {
            if *at < self.free_at[best] {
                best = i;
            }
        }
        best
    }

    /// Books `server` for its service time scaled by `factor` plus `extra` ns; when the answer
    /// is out.
    fn book(&mut self, server: usize, now: f64, factor: f64, extra: f64) -> f64 {
        let start = self.free_at[server].max(now);
        self.free_at[server] = start + self.service * factor + extra;
        self.free_at[server] + self.delay * factor
    }
}

/// Writes that were taken and are not on the medium yet, first in first out.
#[derive(Debug)]
struct Buffer {
    /// (when it has drained, bytes)
    queue: VecDeque<(f64, f64)>,
    used: f64,
    size: f64,
    /// When the last one taken has drained.
    drained_at: f64,
    /// When the last one taken was let in.
    admitted_at: f64,
}

impl Buffer {
    /// Takes a write of `bytes` that needs `cost` ns to drain; when there is room for it.
    fn take(&mut self, now: f64, bytes: f64, cost: f64) -> f64 {
        let mut room_at = now.max(self.admitted_at);
        while let Some(&(at, freed)) = self.queue.front() {
            if at > room_at && self.used + bytes <= self.size {
                break;
            }
            self.queue.pop_front();
            self.used -= freed;
            room_at = room_at.max(at);
        }
        self.admitted_at = room_at;
        self.drained_at = self.drained_at.max(room_at) + cost;
        self.queue.push_back((self.drained_at, bytes));
        self.used += bytes;
        room_at
    }
}

/// A drive of the flash model.
#[derive(Debug)]
pub(crate) struct FlashDrive {
    read: Servers,
    /// What the controller takes, in commands.
    commands: Link,
    write: Servers,
    read_link: Link,
    write_link: Link,
    shared_link: Link,
    buffer: Buffer,
    placement: Placement,
    jitter: f64,
    tail_probability: f64,
    tail: f64,
    sector: u64,
    drain_byte: f64,
    drain_operation: f64,
    streams: [u64; STREAMS],
    next_stream: usize,
    write_cache: bool,
    flush: FlushCost,
    /// When the last write so far completes.
    acknowledged_at: f64,
    /// When the last request so far completes.
    idle_at: f64,
    trim: f64,
    random: Random,
    done: CompletionQueue,
}

#[derive(Debug)]
struct FlushCost {
    lies: bool,
    /// FLUSH CACHE of SATA is no queued command: the host waits until the drive has nothing to do, and sends
    /// nothing else before it completes (libata).
    alone: bool,
    /// Whether a write can be acknowledged before it is durable and a FUA write changes that.
    volatile: bool,
    base: f64,
    /// Bytes written since the last flush, as far as they count.
    pending: f64,
    most: f64,
    ns_per_byte: f64,
    free_at: f64,
}

impl FlashDrive {
    pub fn new(profile: &Profile, flash: &Flash, seed: u64) -> Self {
        let drain_byte = 1e3 / flash.sustained_mb_s.value;
        let protected = profile.power_loss_protection || !profile.write_cache;
        Self {
            read: match &flash.dies {
                Some(dies) => Servers::dies(dies.value, flash.read_latency_us.value),
                None => Servers::new(flash.read_iops.value, flash.read_latency_us.value),
            },
            commands: Link::each(match &flash.dies {
                Some(_) => 1e9 / flash.read_iops.value,
                None => 0.0,
            }),
            write: Servers::new(flash.write_iops.value, flash.write_latency_us.value),
            read_link: Link::of_rate(flash.read_mb_s.value),
            write_link: Link::of_rate(flash.write_mb_s.value),
            shared_link: Link::of_rate(flash.shared_mb_s.value),
            buffer: Buffer {
                queue: VecDeque::new(),
                used: 0.0,
                size: flash.buffer_mb.value * 1e6,
                drained_at: 0.0,
                admitted_at: 0.0,
            },
            placement: flash.placement,
            jitter: flash.jitter.value,
            tail_probability: flash.tail_probability.value,
            tail: flash.tail_us.value * 1e3,
            sector: profile.physical_sector.whole().max(1),
            drain_byte,
            drain_operation: (1e9 / flash.sustained_iops.value - UNIT * drain_byte).max(0.0),
            streams: [u64::MAX; STREAMS],
            next_stream: 0,
            write_cache: profile.write_cache,
            flush: FlushCost {
                lies: profile.flush == FlushBehaviour::Lies,
                alone: flash.is_sata(),
                volatile: !protected && profile.flush == FlushBehaviour::Honest,
                base: flash.flush_us.value * 1e3,
                pending: 0.0,
                most: if protected { 0.0 } else { flash.volatile_mb.value * 1e6 },
                ns_per_byte: 1e3 / flash.write_mb_s.value,
                free_at: 0.0,
            },
            acknowledged_at: 0.0,
            idle_at: 0.0,
            trim: flash.trim_us.value * 1e3,
            random: Random::new(seed),
            done: CompletionQueue::default(),
        }
    }

    /// (factor on the service time, ns on top of it) of one request.
    fn draw(&mut self) -> (f64, f64) {
        let factor = 1.0 + self.jitter * (self.random.exponential() - 1.0);
        let slow = self.tail_probability > 0.0 && self.random.uniform() < self.tail_probability;
        let extra = if slow { self.tail * self.random.exponential() } else { 0.0 };
        (factor, extra)
    }

    fn read(&mut self, now: f64, offset: u64, length: f64) -> f64 {
        let (factor, extra) = self.draw();
        let server = match self.placement {
            Placement::Any => self.read.first_free(),
            Placement::Address => {
                let page = offset / UNIT as u64;
                let spread = u128::from(page.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                ((spread * self.read.free_at.len() as u128) >> 64) as usize
            }
        };
        let served = self.read.book(server, now, factor, extra)
            + (length - UNIT).max(0.0) * self.read_link.ns_each();
        served
            .max(self.commands.book(now, 1.0))
            .max(self.read_link.book(now, length))
            .max(self.shared_link.book(now, length))
    }

    fn write(&mut self, now: f64, offset: u64, length: u64, fua: bool) -> f64 {
        let first = offset / self.sector * self.sector;
        let end = offset.saturating_add(length);
        let last = end.checked_next_multiple_of(self.sector).unwrap_or(end);
        let bytes = (last - first) as f64;
        let mut cost = bytes * self.drain_byte;
        match self.streams.iter().position(|end| *end == offset) {
            Some(i) => self.streams[i] = end,
            None => {
                cost += self.drain_operation;
                self.streams[self.next_stream] = end;
                self.next_stream = (self.next_stream + 1) % STREAMS;
            }
        }
        if bytes != length as f64 {
            // Part of a page: the rest of it is read before it is written.
            cost += self.read.service / self.read.free_at.len() as f64;
        }
        let room_at = self.buffer.take(now, bytes, cost);
        let (factor, extra) = self.draw();
        let server = self.write.first_free();
        let taken = self.write.book(server, room_at, factor, extra)
            + (length as f64 - UNIT).max(0.0) * self.write_link.ns_each();
        // On the wire that reads need it takes its turn as it comes: what waits for room holds no
        // wire. Its own bytes cross once there is room for them.
        let mut finish = taken
            .max(self.write_link.book(room_at, length as f64))
            .max(self.shared_link.book(now, length as f64))
            .max(room_at + length as f64 * self.shared_link.ns_each());
        if !self.write_cache {
            finish = finish.max(self.buffer.drained_at);
        }
        if fua && self.flush.volatile {
            // It programs its own pages and the mapping, as a flush does; what others left in the
            // volatile cache stays there.
            let (factor, _) = self.draw();
            finish += self.flush.base * factor + bytes * self.flush.ns_per_byte;
        } else {
            self.flush.pending = (self.flush.pending + bytes).min(self.flush.most);
        }
        self.acknowledged_at = self.acknowledged_at.max(finish);
        finish
    }

    fn flush(&mut self, now: f64) -> f64 {
        let now = if self.flush.alone { now.max(self.idle_at) } else { now };
        self.flush.free_at = if self.flush.lies {
            now + self.flush.base.min(self.write.service + self.write.delay)
        } else {
            let start = now.max(self.acknowledged_at).max(self.flush.free_at);
            let (factor, _) = self.draw();
            let pending = std::mem::take(&mut self.flush.pending);
            start + self.flush.base * factor + pending * self.flush.ns_per_byte
        };
        self.flush.free_at
    }
}

impl Drive for FlashDrive {
    fn submit(&mut self, now: Nanos, tag: u64, request: Request) {
        let held = if self.flush.alone { self.flush.free_at } else { 0.0 };
        let at = held.max(now as f64);
        let finish = match request.op {
            Op::Read => self.read(at, request.offset, request.length as f64),
            Op::Write => self.write(at, request.offset, request.length, request.fua),
            Op::Flush => self.flush(at),
            Op::Discard => at + self.trim,
        };
        self.idle_at = self.idle_at.max(finish);
        self.done.add((finish.ceil() as Nanos).max(now), tag);
    }

    fn next_event(&self) -> Option<Nanos> {
        self.done.next()
    }

    fn advance(&mut self, now: Nanos, finished: &mut Vec<Completion>) {
        self.done.drain(now, finished);
    }
}
