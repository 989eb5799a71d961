//! A drive that finishes everything at once, for tests of what stands above it.

use crate::completion_queue::CompletionQueue;
use crate::{Completion, Drive, Nanos, Request};

#[derive(Debug, Default)]
pub(crate) struct InstantDrive {
    done: CompletionQueue,
}

impl Drive for InstantDrive {
    fn submit(&mut self, now: Nanos, tag: u64, _request: Request) {
        self.done.add(now, tag);
    }

    fn next_event(&self) -> Option<Nanos> {
        self.done.next()
    }

    fn advance(&mut self, now: Nanos, finished: &mut Vec<Completion>) {
        self.done.drain(now, finished);
    }
}
