//! The recordings and crash states of a command, less those that are saved.

use super::crash_drives::{CrashDrives, KNOWN_BYTES};
use super::known::KnownRecoveries;
use super::report::{Run, State, Written};
use super::saved::{Saved, SavedLine};
use super::states::{Checked, Recorded, Setup};
use crate::host_resources;
use crate::status_line::StatusLine;
use ::machine::scratch::Scratch;
use bench::error::{Error, doing};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Both recordings: with durable writes, and the control.
const BOTH: [bool; 2] = [true, false];
/// Most crash states of the control: it only shows that the check can fail.
const CONTROL_STATES: usize = 20;

/// Least number of parts of a job's crash states, so that all jobs end at nearly the same time.
const SHARES: usize = 8;
/// Most crash states of a part.
const AT_ONCE: usize = 128;

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
    let held = held.saturating_add(KNOWN_BYTES);
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
    let jobs = jobs.number(held, host_resources::free_memory());
    let at_once = (states.len() / (jobs * SHARES)).clamp(1, AT_ONCE);
    let parts: Vec<&[(&Recorded, u64)]> = states.chunks(at_once).collect();
    let hung = in_parallel(
        jobs,
        &parts,
        || (CrashDrives::new(&config), KnownRecoveries::default()),
        |(base, known), states| {
            let mut hung = Vec::new();
            for &(recording, seed) in *states {
                let synchronous = recording.synchronous;
                let name = format!("state-{synchronous}-{seed}");
                let directory = scratch.path().join(name);
                match setup.check(recording, (base, known), &directory, seed)? {
                    Checked::State(state) => {
                        saved.add(SavedLine::State { synchronous, state: state.clone() })?;
                        progress.state(synchronous, &state);
                    }
                    Checked::Hung(how) => {
                        progress.hung(seed, &how);
                        hung.push(Hung { synchronous, seed, how });
                    }
                }
            }
            Ok(hung)
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

/// Processes items in parallel, each thread with its own context; returns the results in the items' order, or
/// the first error.
fn in_parallel<I: Sync, O: Send, T>(
    jobs: usize,
    items: &[I],
    own: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, &I) -> Result<O, Error> + Sync,
) -> Result<Vec<O>, Error> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                let mut own = own();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else {
                        return;
                    };
                    let result = work(&mut own, item);
                    if result.is_err() {
                        // The other threads finish their current item.
                        next.store(items.len(), Ordering::Relaxed);
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
