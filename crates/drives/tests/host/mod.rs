//! A host that sends single requests to a drive and follows them, for tests.

use crate::common::capacity;
use drives::{Completion, Drive, Nanos, Op, Profile, Request};

/// A drive with the time and the requests under way.
pub struct Host {
    drive: Box<dyn Drive>,
    /// ns since the start.
    pub now: Nanos,
    sent: u64,
}

impl Host {
    /// Of a new drive of full size.
    pub fn new(profile: &Profile) -> Host {
        let size = capacity(profile);
        Host { drive: profile.drive(size, size, 1), now: 0, sent: 0 }
    }

    /// Sends a request now; its tag.
    pub fn send(&mut self, op: Op, offset: u64, length: u64) -> u64 {
        self.sent += 1;
        self.drive.submit(self.now, self.sent, Request::new(op, offset, length));
        self.sent
    }

    /// Goes on to the next event; what finished.
    pub fn step(&mut self) -> Vec<Completion> {
        let mut finished = Vec::new();
        self.now = self.drive.next_event().expect("a busy drive has a next event");
        self.drive.advance(self.now, &mut finished);
        finished
    }
}
