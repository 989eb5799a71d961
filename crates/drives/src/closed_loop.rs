//! A client that keeps a fixed number of requests outstanding, on the abstract clock.

use crate::random::Random;
use crate::{Drive, Nanos, Op, Request};

/// Where the next request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Uniform over the span, aligned to the length.
    Random,
    /// One after the other, from the start of the span, wrapping round.
    Sequential,
}

/// What the client does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedLoop {
    /// Requests outstanding at any time, at least 1.
    pub depth: usize,
    /// Where they go.
    pub pattern: Pattern,
    /// Bytes of each, at least 1.
    pub length: u64,
    /// First byte of the span.
    pub offset: u64,
    /// Bytes of the span, at least `length`.
    pub span: u64,
    /// Share of writes, 0 to 1.
    pub writes: f64,
    /// A flush after each request, before the next one is sent. Only with `depth` 1.
    pub flush_each: bool,
    /// Virtual time between a completion and the next request, ns.
    pub think: Nanos,
    /// Requests that are not counted, at the start.
    pub warm_up: u64,
    /// Requests that are counted.
    pub requests: u64,
    /// Seed of the offsets.
    pub seed: u64,
}

impl Default for ClosedLoop {
    /// 4 KiB random reads at depth 1 over the first GiB.
    fn default() -> Self {
        Self {
            depth: 1,
            pattern: Pattern::Random,
            length: 4096,
            offset: 0,
            span: 1 << 30,
            writes: 0.0,
            flush_each: false,
            think: 0,
            warm_up: 100,
            requests: 10_000,
            seed: 1,
        }
    }
}

/// What the client saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Requests per second of virtual time.
    pub iops: f64,
    /// Bytes per second of virtual time.
    pub bytes_per_second: f64,
    /// Latency of every counted request, ns, in ascending order.
    pub latencies: Vec<Nanos>,
}

impl Outcome {
    /// Mean latency, ns.
    pub fn mean(&self) -> f64 {
        self.latencies.iter().map(|l| *l as f64).sum::<f64>() / self.latencies.len().max(1) as f64
    }

    /// The latency that a share `q` (0 to 1) of the requests did not exceed, ns.
    pub fn quantile(&self, q: f64) -> Nanos {
        let last = self.latencies.len().saturating_sub(1);
        let index = (q * self.latencies.len() as f64).ceil() as usize;
        self.latencies.get(index.saturating_sub(1).min(last)).copied().unwrap_or(0)
    }
}

impl ClosedLoop {
    /// Runs against a drive from time 0 on.
    pub fn run(&self, drive: &mut dyn Drive) -> Outcome {
        let mut random = Random::new(self.seed);
        let total = self.warm_up + self.requests;
        let mut sent = 0;
        let mut next_offset = self.offset;
        let mut sent_at = std::collections::HashMap::new();
        let mut arrivals = std::collections::BinaryHeap::new();
        for _ in 0..self.depth as u64 {
            arrivals.push(std::cmp::Reverse(0));
        }
        let mut latencies = Vec::with_capacity(self.requests as usize);
        let mut finished = Vec::new();
        let (mut counted_from, mut last, mut completed) = (0, 0, 0);
        while completed < total {
            let arrival = arrivals.peek().map(|std::cmp::Reverse(at)| *at);
            let event = drive.next_event();
            if let Some(at) = arrival.filter(|at| event.is_none_or(|e| *at <= e)) {
                arrivals.pop();
                if sent == total {
                    continue;
                }
                let request = self.request(&mut random, &mut next_offset);
                sent_at.insert(sent, at);
                drive.submit(at, sent, request);
                sent += 1;
                continue;
            }
            let Some(at) = event else { break };
            drive.advance(at, &mut finished);
            for completion in finished.drain(..) {
                let Some(start) = sent_at.remove(&completion.tag) else {
                    continue;
                };
                if self.flush_each && completion.tag & FLUSH == 0 {
                    sent_at.insert(completion.tag | FLUSH, start);
                    drive.submit(completion.at, completion.tag | FLUSH, Request::flush());
                    continue;
                }
                completed += 1;
                last = completion.at;
                if completed == self.warm_up {
                    counted_from = last;
                }
                if completed > self.warm_up {
                    latencies.push(completion.at - start);
                }
                arrivals.push(std::cmp::Reverse(completion.at + self.think));
            }
        }
        latencies.sort_unstable();
        let seconds = (last - counted_from).max(1) as f64 / 1e9;
        Outcome {
            iops: latencies.len() as f64 / seconds,
            bytes_per_second: latencies.len() as f64 * self.length as f64 / seconds,
            latencies,
        }
    }

    fn request(&self, random: &mut Random, next_offset: &mut u64) -> Request {
        let places = (self.span / self.length).max(1);
        let offset = match self.pattern {
            Pattern::Random => self.offset + random.below(places) * self.length,
            Pattern::Sequential => {
                let offset = *next_offset;
                *next_offset += self.length;
                if *next_offset + self.length > self.offset + self.span {
                    *next_offset = self.offset;
                }
                offset
            }
        };
        let op =
            if self.writes > 0.0 && random.uniform() < self.writes { Op::Write } else { Op::Read };
        Request::new(op, offset, self.length)
    }
}

/// Marks the flush that follows the request of the same tag.
const FLUSH: u64 = 1 << 63;
