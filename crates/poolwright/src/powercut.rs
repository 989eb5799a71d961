//! `poolwright powercut LAB`: checks what survives a power cut.
//!
//! Everything that reaches the drives of a machine is recorded while its clients write. The record gives the
//! contents of the drives after a power cut at any moment. A machine is started on such a crash state and
//! checked for the writes that were acknowledged before the cut: blocks of files, or transactions of a
//! database workload. A control (no fdatasync, or `synchronous_commit=off`) must lose something, or the check
//! proves nothing.

mod blocks;
mod commits;
mod drive_fault;
pub mod inside;
mod recovery;
mod replay;
mod report;
mod states;
mod work;
mod writer;

use crate::exit::{self, ENVIRONMENT, INTERRUPTED, USAGE, refuse};
use crate::lab_file::{Loaded, load_or_explain};
use crate::{diagnostics, machine, output};
use ::machine::scratch::Scratch;
use bench::engine::linux::Linux;
use bench::fault::Fault;
use bench::inputs::Inputs;
use bench::slot::Slot;
use bench::stop::Stop;
use bench::workload::Place;
use bench::workload::pgbench::Client;
use drive_fault::DriveFault;
use lab::campaign::{Campaign, Program};
use lab::model::host_memory_needed;
use report::{Report, Run, State, Written};
use states::{BaseContents, Recorded, Setup};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Exit code when acknowledged writes were lost, or nothing was proved.
const LOST: u8 = 1;
/// Real time after which a machine counts as hung.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Cut the power of a variant during synchronous writes, and check what survives
///
/// With a pgbench workload, numbered transactions are committed and checked after the cut; otherwise blocks
/// are written to files with fdatasync and checked.
///
/// Exit codes: 0 every acknowledged write survived, and the control (no fdatasync, or synchronous_commit=off)
/// lost some · 1 something was lost, or the control lost nothing, which proves nothing · 2 the lab or an argument
/// is wrong · 3 this host lacks something · 130 interrupted · with --replay that of the shell.
#[derive(clap::Args)]
pub struct Args {
    /// A lab file, or the name of a built-in lab
    lab: String,
    /// One of its variants [default: the baseline]
    #[arg(long)]
    variant: Option<String>,
    /// One of its workloads [default: the first]
    #[arg(long)]
    workload: Option<String>,
    /// Number of crash states; the control gets the same number
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    states: u64,
    /// Only the crash state with this seed, as printed in the report
    #[arg(long, value_name = "SEED", conflicts_with = "states")]
    state: Option<u64>,
    /// Open a root shell on the drives of the crash state with this seed, before the pool is imported
    #[arg(long, value_name = "SEED", conflicts_with_all = ["states", "state", "jobs", "json"])]
    replay: Option<u64>,
    /// Seconds of writing; each cut falls within them. The default is one more than OpenZFS's zfs_txg_timeout
    #[arg(long, value_name = "S", default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// A drive that fails: `optane0` fails halfway through the writing, `optane0:cut` does not come back
    /// after the cut, `optane0:rot` has one in 50 of its written blocks silently zeroed
    #[arg(long, value_name = "DRIVE[:WHEN]")]
    fail: Vec<DriveFault>,
    /// Seed of the machine and of the first crash state
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Machines that run in parallel [default: one per processor, as far as memory allows]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Cuts.
    pub fn run(self) -> ExitCode {
        ExitCode::from(self.cut().unwrap_or_else(|code| code))
    }

    fn cut(&self) -> Result<u8, u8> {
        let (_, loaded) = load_or_explain(&self.lab, None).map_err(|_| USAGE)?;
        let Loaded { campaign, diagnostics, sources } = loaded;
        diagnostics::draw(&diagnostics, &sources);
        let number = self.variant(&campaign).map_err(|why| refuse(USAGE, why))?;
        let name = &campaign.variants[number].name;
        let workload = self.workload(&campaign).map_err(|why| refuse(USAGE, why))?;
        drive_fault::check(&self.fail, &campaign.variants[number])
            .map_err(|why| refuse(USAGE, format!("--fail {why}")))?;
        let model = machine::model(&campaign).map_err(|diagnostic| {
            diagnostics::draw(&[diagnostic], &sources);
            ENVIRONMENT
        })?;
        let linux = Linux::find(PATIENCE).map_err(|e| exit::for_fault(&e))?;
        let mut inputs = Inputs::new(&campaign, &model, &Slot::main(number, workload, 0), "");
        inputs.seed = self.seed;
        let stop = Stop::default();
        let followed = stop.follow_signals();
        followed.map_err(|e| refuse(ENVIRONMENT, format!("cannot handle signals: {e}")))?;
        let database = match &inputs.workload.program {
            Program::Pgbench(pgbench) => {
                let client = Client::new(&inputs, pgbench, Place::Host(&linux.fio));
                Some(client.map_err(|e| exit::for_fault(&e))?)
            }
            Program::Fio { .. } | Program::Sysbench(_) | Program::PgTestFsync(_) => None,
        };
        let variant = match &database {
            None => linux.variant(&inputs),
            Some(client) => linux.variant_with(&inputs, client),
        };
        let setup = Setup {
            inputs: &inputs,
            variant: &variant,
            database: database.as_ref(),
            drive_faults: &self.fail,
            seconds: self.seconds,
            seed: self.seed,
            stop: &stop,
        };
        let code = |fault: Fault| match stop.asked() {
            true => INTERRUPTED,
            false => exit::for_fault(&fault),
        };
        if let Some(seed) = self.replay {
            let title = format!("{} {name}, state {seed}", campaign.name);
            return replay::open(&linux, &setup, &title, seed).map_err(code);
        }
        let runs = self.runs(&setup).map_err(code)?;
        let report = Report {
            lab: campaign.name.clone(),
            variant: name.clone(),
            seed: self.seed,
            seconds: self.seconds,
            written: if database.is_some() { Written::Commits } else { Written::Blocks },
            by_settings: lab::durability::assess(&inputs.variant, &inputs.workload),
            dirty_data_max: inputs.model.dirty_data_max,
            drive_faults: self.fail.iter().map(DriveFault::to_string).collect(),
            runs,
        };
        output::print(&if self.json {
            format!("{:#}\n", serde_json::json!(report))
        } else {
            report.text()
        });
        Ok(if report.sound() { 0 } else { LOST })
    }

    /// The number of the workload.
    fn workload(&self, campaign: &Campaign) -> Result<usize, String> {
        let names = || campaign.workloads.iter().map(|workload| workload.name.as_str());
        let number = match &self.workload {
            None => 0,
            Some(wanted) => names().position(|name| name == wanted).ok_or_else(|| {
                let all = names().collect::<Vec<_>>().join(", ");
                format!("{} has no workload `{wanted}`; it has: {all}", self.lab)
            })?,
        };
        let workload = &campaign.workloads[number];
        match workload.program {
            Program::Sysbench(_) | Program::PgTestFsync(_) => Err(format!(
                "powercut cannot check what `{}` wrote, which runs {}: name a workload that runs fio or pgbench with --workload",
                workload.name,
                workload.program.name()
            )),
            _ => Ok(number),
        }
    }

    /// The number of the variant.
    fn variant(&self, campaign: &Campaign) -> Result<usize, String> {
        let names = || campaign.variants.iter().map(|variant| variant.name.as_str());
        let number = match &self.variant {
            // The baseline comes first.
            None => 0,
            Some(wanted) => names().position(|name| name == wanted).ok_or_else(|| {
                let all: Vec<&str> = names().collect();
                let lab = &self.lab;
                format!("{lab} has no variant `{wanted}`; it has: {}", all.join(", "))
            })?,
        };
        let variant = &campaign.variants[number];
        match variant.is_zfs() && !variant.pool.vdevs.is_empty() {
            true => Ok(number),
            false => Err(format!(
                "variant `{}` of {} is not a ZFS pool: choose another with --variant",
                variant.name, self.lab
            )),
        }
    }

    /// Writes, writes again as the control, and makes every crash state of both.
    fn runs(&self, setup: &Setup) -> Result<Vec<Run>, Fault> {
        let scratch = Scratch::new().map_err(|e| {
            Fault::Environment(format!("cannot make a directory for the machines: {e}"))
        })?;
        let each = host_memory_needed(&setup.inputs.model);
        let jobs = self.jobs.map_or_else(|| machine::parallel(each), NonZeroUsize::get);
        let both = [("kept", true), ("control", false)];
        let recorded: Vec<Recorded> = in_parallel(
            jobs,
            &both,
            || (),
            |(), (name, synchronous)| setup.record(&scratch.path().join(name), *synchronous),
        )?;
        let seeds: Vec<u64> = match self.state {
            Some(seed) => vec![seed],
            None => (0..self.states).map(|n| self.seed.wrapping_add(n)).collect(),
        };
        let wanted: Vec<(&Recorded, u64)> =
            recorded.iter().flat_map(|run| seeds.iter().map(move |seed| (run, *seed))).collect();
        let config = setup.variant.drives(scratch.path())?;
        let states = in_parallel(
            jobs,
            &wanted,
            || BaseContents::new(&config),
            |base, (run, seed)| {
                let name = format!("state-{}-{seed}", run.synchronous);
                setup.check(run, base, &scratch.path().join(name), *seed)
            },
        )?;
        let mut states = states.into_iter();
        let run = |run: Recorded| Run {
            synchronous: run.synchronous,
            problems: run.ledger.problems,
            states: states.by_ref().take(seeds.len()).collect::<Vec<State>>(),
        };
        Ok(recorded.into_iter().map(run).collect())
    }
}

/// Processes items in parallel, each thread with its own context; returns the results in the items' order, or
/// the first error.
fn in_parallel<I: Sync, O: Send, T>(
    jobs: usize,
    items: &[I],
    own: impl Fn() -> T + Sync,
    work: impl Fn(&mut T, &I) -> Result<O, Fault> + Sync,
) -> Result<Vec<O>, Fault> {
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
                    3 => Err(Fault::failed("three")),
                    _ => Ok(()),
                }
            },
        );
        assert!(failed.is_err());
        assert_eq!(worked.into_inner(), 4);
    }
}
