//! How a request is stamped, handed to the volume and answered.

use super::convert::{errno, file_attr};
use super::stamp::{Operation, Stamp};
use super::{Slot, Stamps};
use crate::clock::Clock;
use crate::volume::{self, Attr, Volume};
use fuser::{Generation, INodeNo, ReplyEmpty, ReplyEntry, ReplyXattr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The volume as fuser calls it (see `filesystem`).
pub(super) struct Bridge {
    pub(super) slot: Slot,
    pub(super) stamps: Arc<Stamps>,
    /// How long the kernel may believe what it was told of names and attributes.
    pub(super) ttl: Duration,
    pub(super) max_write: u32,
    pub(super) negotiated: Arc<Mutex<Vec<String>>>,
}

impl Bridge {
    pub(super) fn new(
        slot: Slot,
        stamps: Arc<Stamps>,
        clock: Clock,
        max_write: u32,
        negotiated: Arc<Mutex<Vec<String>>>,
    ) -> Self {
        Self {
            slot,
            stamps,
            // One virtual second, as libfuse's default is one second.
            ttl: Duration::from_secs_f64(clock.dilation()),
            max_write,
            negotiated,
        }
    }

    pub(super) fn stamped<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&dyn Volume) -> volume::Result<T>,
        reply: impl FnOnce(volume::Result<T>),
    ) {
        let stamp = self.stamps.arrived(operation);
        let result = self.slot.with(work);
        stamp.finish(0, || reply(result));
    }

    pub(super) fn entry(
        &self,
        operation: Operation,
        reply: ReplyEntry,
        work: impl FnOnce(&dyn Volume) -> volume::Result<Attr>,
    ) {
        self.stamped(operation, work, |result| match result {
            Ok(attr) => reply.entry(&self.ttl, &file_attr(&attr), Generation(attr.generation)),
            Err(e) => reply.error(errno(e)),
        });
    }

    pub(super) fn empty(
        &self,
        operation: Operation,
        reply: ReplyEmpty,
        work: impl FnOnce(&dyn Volume) -> volume::Result<()>,
    ) {
        self.stamped(operation, work, |result| match result {
            Ok(()) => reply.ok(),
            Err(e) => reply.error(errno(e)),
        });
    }

    pub(super) fn fsync_inode(&self, ino: INodeNo, datasync: bool, reply: ReplyEmpty) {
        let mut stamp = self.stamps.arrived(Operation::Fsync);
        let result = self
            .slot
            .with(|v| v.fsync(ino.0, datasync, &mut stamp.stages));
        stamp.finish(0, || match result {
            Ok(()) => reply.ok(),
            Err(e) => reply.error(errno(e)),
        });
    }

    pub(super) fn xattr(
        &self,
        size: u32,
        reply: ReplyXattr,
        work: impl FnOnce(&dyn Volume) -> volume::Result<Vec<u8>>,
    ) {
        self.stamped(Operation::Ask, work, |result| match result {
            Ok(value) if size == 0 => reply.size(value.len() as u32),
            Ok(value) if value.len() > size as usize => reply.error(fuser::Errno::ERANGE),
            Ok(value) => reply.data(&value),
            Err(e) => reply.error(errno(e)),
        });
    }
}

/// The volume has read or written, or failed to.
pub(super) fn finish_io(
    stamp: Stamp<'_>,
    result: volume::Result<usize>,
    reply: impl FnOnce(volume::Result<usize>),
) {
    let bytes = result.map_or(0, |count| count as u64);
    stamp.finish(bytes, || reply(result));
}
