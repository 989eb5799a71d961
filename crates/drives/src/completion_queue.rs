//! Completions that are decided and not yet reported.

use crate::{Completion, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue of completions in order of time; equal times keep the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct CompletionQueue {
    heap: BinaryHeap<Reverse<(Nanos, u64, u64)>>,
    added: u64,
}

impl CompletionQueue {
    /// `tag` finishes at `at`.
    pub fn add(&mut self, at: Nanos, tag: u64) {
        self.heap.push(Reverse((at, self.added, tag)));
        self.added += 1;
    }

    /// When the next one is due.
    pub fn next(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse((at, _, _))| *at)
    }

    /// Moves everything due by `now` to `finished`.
    pub fn drain(&mut self, now: Nanos, finished: &mut Vec<Completion>) {
        while let Some(&Reverse((at, _, tag))) = self.heap.peek() {
            if at > now {
                break;
            }
            self.heap.pop();
            finished.push(Completion { tag, at });
        }
    }
}
