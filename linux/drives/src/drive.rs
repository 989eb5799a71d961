//! One drive: a timing model, contents and counters.

use crate::statistics::Statistics;
use contents::Contents;
use contents::config::{DriveConfig, FreeRequest};
use contents::reads::InitialReads;
use drives::{Attachment, Completion, Nanos, Op, Request};

/// A drive at work.
pub struct Drive {
    /// Its name, ended by 0 for the kernel.
    pub name: std::ffi::CString,
    /// What it holds.
    pub contents: Contents,
    /// What was read of the contents that it began with; none where that is not noted.
    pub reads: Option<InitialReads>,
    /// Its counters.
    pub statistics: Statistics,
    /// Bytes.
    pub size: u64,
    /// Smallest addressable unit, bytes.
    pub logical_sector: u32,
    /// Physical sector that it reports, bytes.
    pub physical_sector: u32,
    /// It rotates.
    pub rotational: bool,
    /// It announces a write cache, so that the block layer sends it flushes.
    pub write_cache: bool,
    /// It completes flushes and FUA writes without making anything durable.
    pub lies: bool,
    /// Its queue limits.
    pub attachment: Attachment,
    model: Box<dyn drives::Drive>,
    free: Vec<FreeRequest>,
    failed: bool,
    /// By tag.
    pending: Vec<Option<Pending>>,
    finished: Vec<Completion>,
}

/// A request in flight.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// The request.
    pub request: Request,
    /// Number of its event in the record, or of the next event for a flush.
    pub event: u64,
    arrived: Nanos,
}

/// A finished request.
#[derive(Debug, Clone, Copy)]
pub struct Finished {
    /// The tag it was submitted under.
    pub tag: u64,
    /// The request.
    pub pending: Pending,
    /// It ended in an error.
    pub failed: bool,
}

impl Drive {
    /// A drive as configured.
    ///
    /// # Errors
    /// That its name cannot be a device's.
    pub fn new(config: &DriveConfig) -> Result<Drive, std::ffi::NulError> {
        let profile = &config.profile;
        let logical = profile.logical_sector.value as u64;
        let size = config.capacity / logical * logical;
        Ok(Drive {
            name: std::ffi::CString::new(config.name.as_str())?,
            contents: Contents::new(size),
            reads: None,
            statistics: Statistics::default(),
            size,
            logical_sector: logical as u32,
            physical_sector: profile.reported_physical_sector() as u32,
            rotational: profile.rotational,
            write_cache: profile.attachment().write_cache,
            lies: profile.lies(),
            attachment: profile.attachment(),
            model: profile.drive(config.real_capacity, size, config.seed),
            free: config.free.clone(),
            failed: config.failed,
            pending: vec![None; profile.attachment().depth as usize],
            finished: Vec::with_capacity(256),
        })
    }

    /// From now on every request ends in an error.
    pub fn fail(&mut self) {
        self.failed = true;
    }

    /// Whether it has failed.
    pub fn failed(&self) -> bool {
        self.failed
    }

    /// Bytes are overwritten or discarded.
    pub fn overwritten(&mut self, offset: u64, length: u64) {
        if let Some(reads) = &mut self.reads {
            reads.overwrite(offset, length);
        }
    }

    fn completes_at_once(&self, op: Op) -> bool {
        let free = match op {
            Op::Read => FreeRequest::Read,
            Op::Write => FreeRequest::Write,
            Op::Flush => FreeRequest::Flush,
            Op::Discard => return false,
        };
        self.failed || self.free.contains(&free)
    }

    /// A request arrives; `event` is its number in the record.
    pub fn submit(&mut self, now: Nanos, tag: u64, request: Request, event: u64) {
        self.statistics.arrived(now);
        let pending = Pending { request, event, arrived: now };
        self.pending[tag as usize] = Some(pending);
        if self.completes_at_once(request.op) {
            self.finished.push(Completion { tag, at: now });
        } else {
            self.model.submit(now, tag, request);
        }
    }

    /// When it may next have something finished.
    pub fn next_event(&self) -> Option<Nanos> {
        match self.finished.first() {
            Some(completion) => Some(completion.at),
            None => self.model.next_event(),
        }
    }

    /// Plays the model to `now` and takes up to `most` finished requests.
    pub fn advance(&mut self, now: Nanos, most: usize, mut with: impl FnMut(Finished)) {
        self.model.advance(now, &mut self.finished);
        let n = self.finished.len().min(most);
        for Completion { tag, at } in self.finished.drain(..n) {
            let Some(pending) = self.pending[tag as usize].take() else {
                continue;
            };
            let Request { op, length, .. } = pending.request;
            self.statistics.finished(op, length, pending.arrived, at, now);
            with(Finished { tag, pending, failed: self.failed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drives::{FlushBehaviour, Profile};

    #[test]
    fn a_card_whose_members_lie_completes_no_flush_that_counts() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles/raid0-12x4t.toml");
        let mut profile = Profile::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap();
        profile.power_loss_protection = false;
        let member = &mut profile.card.as_mut().unwrap().member;
        (member.write_cache, member.flush) = (true, FlushBehaviour::Lies);
        let config = DriveConfig {
            name: "card0".to_owned(),
            profile,
            real_capacity: 48 << 40,
            capacity: 4 << 30,
            seed: 1,
            free: Vec::new(),
            failed: false,
        };
        assert!(Drive::new(&config).unwrap().lies);
    }
}
