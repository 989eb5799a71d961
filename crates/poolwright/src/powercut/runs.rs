//! The recordings and crash states of a command, less those that are saved.

use super::crash_drives::CrashDrives;
use super::known::{self, KnownRecoveries};
use super::report::{Run, State, Written};
use super::saved::{Saved, SavedLine};
use super::states::{Checked, Recorded, Setup};
use crate::host_resources;
use crate::status_line::StatusLine;
use ::machine::scratch::Scratch;
use bench::error::{Error, doing};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Both recordings: with durable writes, and the control.
const BOTH: [bool; 2] = [true, false];
/// Most crash states of the control: it only shows that the check can fail.
const CONTROL_STATES: usize = 20;

/// How many machines run in parallel.
pub struct Jobs {
    pub stated: Option<NonZeroUsize>,
    /// Memory that each takes without what is known after the recordings, bytes.
    pub each: u64,
}

impl Jobs {
    /// Where each takes so many bytes more, and so many are free; none if unknown.
    fn number(&self, more: u64, free: Option<u64>) -> usize {
        host_resources::parallel(self.stated, self.each.saturating_add(more), free)
    }
}

/// A crash state whose machine was ended because of real time. It is not saved: the next command tries it again.
struct Hung {
    synchronous: bool,
    seed: u64,
    how: String,
}

/// Those of the seeds that a recording has crash states with.
fn seeds_of(seeds: &[u64], synchronous: bool) -> &[u64] {
    match synchronous {
        true => seeds,
        false => &seeds[..seeds.len().min(CONTROL_STATES)],
    }
}

/// Writes, writes again as the control, and makes the crash states of both with these seeds.
///
/// # Errors
/// Why a machine failed, a state could not be saved, or the user stopped. States so far are saved.
pub fn run(
    setup: &Setup,
    seeds: &[u64],
    jobs: &Jobs,
    written: Written,
    saved: &Saved,
) -> Result<Vec<Run>, Error> {
    let all: Vec<(bool, u64)> = BOTH
        .iter()
        .flat_map(|run| seeds_of(seeds, *run).iter().map(|seed| (*run, *seed)))
        .collect();
    let missing: Vec<(bool, u64)> =
        all.iter().filter(|(run, seed)| !saved.has_state(*run, *seed)).copied().collect();
    let progress = Progress::new(all.len(), missing.len(), written);
    let made = make(setup, &missing, jobs, saved, &progress);
    progress.end(made.is_err());
    let hung = made?;
    let run = |synchronous: &bool| Run {
        synchronous: *synchronous,
        problems: saved.problems(*synchronous),
        states: seeds_of(seeds, *synchronous)
            .iter()
            .filter_map(|seed| saved.state(*synchronous, *seed))
            .collect(),
        hung: seeds
            .iter()
            .filter_map(|seed| {
                hung.iter().find(|h| (h.synchronous, h.seed) == (*synchronous, *seed))
            })
            .map(|hung| format!("state {}: {}", hung.seed, hung.how))
            .collect(),
    };
    Ok(BOTH.iter().map(run).collect())
}

/// Makes and saves crash states, and the recordings that they need. Returns those that could not be checked in time.
fn make(
    setup: &Setup,
    missing: &[(bool, u64)],
    jobs: &Jobs,
    saved: &Saved,
    progress: &Progress,
) -> Result<Vec<Hung>, Error> {
    let needed: Vec<bool> =
        BOTH.into_iter().filter(|run| missing.iter().any(|(of, _)| of == run)).collect();
    if needed.is_empty() {
        return Ok(Vec::new());
    }
    let scratch = Scratch::new().map_err(doing("make a directory for the machines"))?;
    if setup.args.server_crash {
        crash_servers(setup, missing, jobs, saved, progress, &scratch)?;
        return Ok(Vec::new());
    }
    let recorded: Vec<Recorded> = in_parallel(
        jobs.number(0, host_resources::free_memory()),
        &needed,
        || (),
        |(), synchronous| {
            progress.recording(*synchronous);
            let synchronous = *synchronous;
            let name = if synchronous { "kept" } else { "control" };
            let recorded = setup.record(&scratch.path().join(name), synchronous)?;
            let problems = recorded.ledger.problems.clone();
            saved.add(SavedLine::Recorded { synchronous, problems })?;
            Ok(recorded)
        },
    )?;
    let config = setup.variant.drives()?;
    // A job keeps all that was ever written: nothing tells it which blocks were freed. A state with faults of writes
    // shares none of it with the one before.
    let lengths: Result<Vec<u64>, Error> = recorded.iter().map(Recorded::length).collect();
    let longest = lengths?.into_iter().max().unwrap_or(0);
    let held = longest.saturating_mul(if setup.args.faults { 2 } else { 1 });
    let held = held.saturating_add(known::memory(&config));
    // In the order of their moments: a state without faults of writes is read on from the one before.
    let of = |(synchronous, seed): &(bool, u64)| {
        let recording = recorded.iter().find(|recording| recording.synchronous == *synchronous);
        let recording = recording.ok_or_else(|| Error::failed("a run was not recorded"))?;
        Ok((recording, *seed))
    };
    let states: Result<Vec<(&Recorded, u64)>, Error> = missing.iter().map(of).collect();
    let mut states = states?;
    states.sort_by_key(|(recording, seed)| (!recording.synchronous, recording.moment(*seed)));
    // A job has states that follow each other: many recover in the same way.
    let hung = in_parallel(
        jobs.number(held, host_resources::free_memory()),
        &states,
        || (CrashDrives::new(&config), KnownRecoveries::default()),
        |(base, known), &(recording, seed)| {
            let synchronous = recording.synchronous;
            let directory = scratch.path().join(format!("state-{synchronous}-{seed}"));
            match setup.check(recording, (base, known), &directory, seed)? {
                Checked::State(state) => {
                    saved.add(SavedLine::State { synchronous, state: state.clone() })?;
                    progress.state(synchronous, &state);
                    Ok(None)
                }
                Checked::Hung(how) => {
                    progress.hung(seed, &how);
                    Ok(Some(Hung { synchronous, seed, how }))
                }
            }
        },
    )?;
    Ok(hung.into_iter().flatten().collect())
}

/// Kills a server for each state, in a machine that writes for this state alone.
fn crash_servers(
    setup: &Setup,
    missing: &[(bool, u64)],
    jobs: &Jobs,
    saved: &Saved,
    progress: &Progress,
    scratch: &Scratch,
) -> Result<(), Error> {
    let jobs = jobs.number(0, host_resources::free_memory());
    in_parallel(
        jobs,
        missing,
        || (),
        |(), &(synchronous, seed)| {
            let directory = scratch.path().join(format!("state-{synchronous}-{seed}"));
            let (state, problems) = setup.crash_server(&directory, synchronous, seed)?;
            if !problems.is_empty() {
                saved.add(SavedLine::Recorded { synchronous, problems })?;
            }
            saved.add(SavedLine::State { synchronous, state: Box::new(state.clone()) })?;
            progress.state(synchronous, &state);
            Ok(())
        },
    )?;
    Ok(())
}

struct Progress {
    written: Written,
    /// All crash states of the command.
    all: usize,
    shown: Mutex<Shown>,
}

struct Shown {
    status: StatusLine,
    /// Crash states that are saved.
    done: usize,
    /// Damaged ones among those made now, without the control's.
    damaged: usize,
}

impl Progress {
    fn new(all: usize, missing: usize, written: Written) -> Progress {
        let mut status = StatusLine::new();
        let done = all - missing;
        if done > 0 {
            status.print(Some(&format!("{done} of {all} crash states are saved")), None);
        }
        Progress { written, all, shown: Mutex::new(Shown { status, done, damaged: 0 }) }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recording(&self, synchronous: bool) {
        let line = format!("recording {}: {}", self.written.name(), self.written.run(synchronous));
        self.shown().status.print(Some(&line), Some(&line));
    }

    fn state(&self, synchronous: bool, state: &State) {
        let mut shown = self.shown();
        shown.done += 1;
        let damaged = synchronous && state.damaged();
        shown.damaged += usize::from(damaged);
        let count = format!("{}/{} crash states, {} damaged", shown.done, self.all, shown.damaged);
        let tenth = |done: usize| done * 10 / self.all.max(1);
        let line = match damaged {
            true => Some(state.line(self.written).trim_start().to_owned()),
            false => (tenth(shown.done) > tenth(shown.done - 1)).then(|| count.clone()),
        };
        shown.status.print(line.as_deref(), Some(&count));
    }

    fn hung(&self, seed: u64, how: &str) {
        self.shown().status.print(Some(&format!("state {seed} was not checked: {how}")), None);
    }

    /// Removes the status line. After an error, what is saved is said.
    fn end(&self, failed: bool) {
        let mut shown = self.shown();
        let (done, all) = (shown.done, self.all);
        let line = (failed && done > 0).then(|| {
            format!("{done} of {all} crash states are saved. Run the same command to resume.")
        });
        shown.status.print(line.as_deref(), None);
    }
}

/// What is left to each thread of items that follow each other.
struct Shares(Mutex<Vec<Range<usize>>>);

impl Shares {
    /// Of so many items, equal ones.
    fn new(items: usize, threads: usize) -> Shares {
        let from = |thread| items * thread / threads;
        Shares(Mutex::new((0..threads).map(|thread| from(thread)..from(thread + 1)).collect()))
    }

    fn left(&self) -> std::sync::MutexGuard<'_, Vec<Range<usize>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item of a thread. One that has none left takes the second half of what another has.
    fn next(&self, thread: usize) -> Option<usize> {
        let mut left = self.left();
        if left[thread].is_empty() {
            let most = left.iter_mut().max_by_key(|share| share.len())?;
            let middle = most.start + most.len() / 2;
            let half = middle..most.end;
            most.end = middle;
            left[thread] = half;
        }
        left[thread].next()
    }

    /// Leaves nothing.
    fn end(&self) {
        self.left().fill(0..0);
    }
}

/// Processes items in parallel, each thread with its own context and with items that follow each other; returns the
/// results in the items' order, or the first error.
fn in_parallel<I: Sync, O: Send, T>(
    jobs: usize,
    items: &[I],
    own: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, &I) -> Result<O, Error> + Sync,
) -> Result<Vec<O>, Error> {
    let threads = jobs.min(items.len());
    let shares = Shares::new(items.len(), threads);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (shares, done, own, work) = (&shares, &done, &own, &work);
            scope.spawn(move || {
                let mut own = own();
                while let Some(number) = shares.next(thread) {
                    let result = work(&mut own, &items[number]);
                    if result.is_err() {
                        // The other threads finish their current item.
                        shares.end();
                    }
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn what_was_recorded_bounds_the_machines_in_parallel_unless_the_user_says_how_many() {
        let of = |stated, more| {
            Jobs { stated: NonZeroUsize::new(stated), each: 1 << 30 }.number(more, Some(8 << 30))
        };
        assert_eq!(of(0, 0), host_resources::parallel(None, 1 << 30, Some(8 << 30)));
        assert_eq!((of(0, 4 << 30), of(0, u64::MAX)), (1, 1), "8 GiB hold one of 5 GiB");
        assert_eq!((of(3, 0), of(3, 4 << 30)), (3, 3));
    }

    #[test]
    fn a_thread_without_items_takes_half_of_what_another_has_left() {
        let shares = Shares::new(10, 3);
        let mut next = |thread| shares.next(thread).unwrap();
        assert_eq!([0, 0, 0].map(&mut next), [0, 1, 2]);
        // All of its own are done; 3, 4 and 5 are left to the second, 6 to 9 to the third.
        assert_eq!([0, 1, 0, 1, 1, 0, 2].map(next), [8, 3, 9, 4, 5, 7, 6]);
        assert_eq!([0, 1, 2].map(|thread| shares.next(thread)), [None; 3]);
        let (ended, none) = (Shares::new(10, 2), Shares::new(0, 1));
        ended.end();
        assert_eq!([ended.next(0), ended.next(1), none.next(0)], [None; 3]);
    }

    #[test]
    fn results_come_in_order_and_an_error_ends_the_work() {
        let items: Vec<u64> = (0..50).collect();
        let doubled = in_parallel(4, &items, || 0, |_, n| Ok(n * 2)).unwrap();
        assert_eq!(doubled, items.iter().map(|n| n * 2).collect::<Vec<u64>>());
        let worked = AtomicUsize::new(0);
        let failed = in_parallel(
            1,
            &items,
            || (),
            |(), n| {
                worked.fetch_add(1, Ordering::Relaxed);
                match n {
                    3 => Err(Error::failed("three")),
                    _ => Ok(()),
                }
            },
        );
        assert!(failed.is_err());
        assert_eq!(worked.into_inner(), 4);
    }
}
