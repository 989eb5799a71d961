//! What is told of its own accord: operations that wait for long, and what has failed.

use crate::fuse::Operation;
use crate::protocol::Event;
use drives::Nanos;
use std::collections::BTreeSet;

/// Virtual time after which an operation counts as stalled: 30 s.
const STALLED: Nanos = 30_000_000_000;

/// What has been told already.
#[derive(Debug, Default)]
pub(super) struct Watch {
    stalled: bool,
    faults: BTreeSet<String>,
}

fn seconds(at: Nanos) -> f64 {
    at as f64 / 1e9
}

impl Watch {
    /// Looks at the oldest operation under way and its age. A stall is told once, until operations
    /// go on.
    pub(super) fn operations(
        &mut self,
        at: Nanos,
        oldest: Option<(Operation, Nanos)>,
    ) -> Option<Event> {
        let stalled = oldest.filter(|(_, age)| *age >= STALLED);
        let told = std::mem::replace(&mut self.stalled, stalled.is_some());
        let (operation, age) = stalled.filter(|_| !told)?;
        Some(Event::Stalled {
            at: seconds(at),
            what: format!("{} for {:.0} s", operation.name(), seconds(age)),
        })
    }

    /// Looks at what has failed. A fault is told once, until it is gone.
    pub(super) fn faults(&mut self, at: Nanos, faults: Vec<String>) -> Vec<Event> {
        let now: BTreeSet<String> = faults.into_iter().collect();
        let told = std::mem::replace(&mut self.faults, now);
        let new = self.faults.difference(&told);
        new.map(|what| Event::Fault {
            at: seconds(at),
            what: what.clone(),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_told_once_until_operations_go_on() {
        let mut watch = Watch::default();
        let waits = |s: u64| Some((Operation::Write, s * 1_000_000_000));
        assert!(watch.operations(0, waits(29)).is_none());
        let Some(Event::Stalled { at, what }) = watch.operations(40_000_000_000, waits(31)) else {
            panic!("a write that waits for 31 s is a stall");
        };
        assert_eq!((at, what.as_str()), (40.0, "write for 31 s"));
        assert!(watch.operations(0, waits(32)).is_none(), "told already");
        assert!(watch.operations(0, None).is_none());
        assert!(watch.operations(0, waits(30)).is_some(), "another one");
    }

    #[test]
    fn a_fault_is_told_once_until_it_is_gone() {
        let mut watch = Watch::default();
        let one = || vec!["drive hdd0 fails every request".to_owned()];
        assert_eq!(watch.faults(0, one()).len(), 1);
        assert!(watch.faults(0, one()).is_empty(), "told already");
        let two = [one(), vec!["the pool has given up drive hdd0".to_owned()]].concat();
        let told = watch.faults(5_000_000_000, two);
        assert!(
            matches!(&told[..], [Event::Fault { at, what }] if *at == 5.0 && what.contains("given up"))
        );
        assert!(watch.faults(0, Vec::new()).is_empty());
        assert_eq!(watch.faults(0, one()).len(), 1, "again");
    }
}
