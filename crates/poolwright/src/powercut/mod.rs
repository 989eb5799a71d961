//! `poolwright powercut LAB`: checks what survives a power cut.
//!
//! Everything that reaches the drives of a machine is recorded while its clients write. The record gives the
//! contents of the drives after a power cut at any moment. A machine is started on such a crash state and
//! checked for the writes that were acknowledged before the cut: blocks of files, or transactions of a
//! database workload. A control (no fdatasync, or a server that syncs nothing) must lose something, or the
//! check proves nothing.

mod blocks;
mod commits;
mod crash_drives;
mod drive_fault;
pub mod inside;
mod kept;
mod known;
mod pages;
mod recovery;
mod replay;
mod report;
mod runs;
mod saved;
mod server_crash;
mod states;
mod work;
mod writer;

use crate::exit::{ENVIRONMENT, INTERRUPTED, Refusal};
use crate::lab_file::load_or_explain;
use crate::output;
use crate::store_dir::StoreDir;
use bench::engine::Engine as _;
use bench::engine::linux::{Linux, host_memory};
use bench::error::{Error, doing};
use bench::inputs::Inputs;
use bench::stop::Stop;
use bench::trial_spec::TrialSpec;
use bench::workload::{Client, Place};
use drive_fault::DriveFault;
use lab::campaign::Campaign;
use report::{Report, Written};
use runs::Jobs;
use saved::Saved;
use states::Setup;
use std::num::NonZeroUsize;
use store::Key;
use text::line::visible;

/// Exit code when acknowledged writes were lost, or nothing was proved.
const LOST: u8 = 1;

/// Cut the power of a variant during synchronous writes, and check what survives
///
/// With a pgbench, sysbench or SQLite workload, numbered transactions are committed and checked after the cut;
/// otherwise blocks are written to files with fdatasync and checked. Each crash state is saved in the store, so the
/// same command resumes, and a larger --states adds only the missing states.
///
/// Exit codes: 0 every acknowledged write survived, and the control (no fdatasync, or a server that
/// syncs nothing) lost some · 1 something was lost, or the control lost nothing, which proves nothing · 2 the lab or an argument
/// is wrong · 3 this host lacks something, or was too slow to check a state · 130 interrupted · with --replay that of the shell.
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
    /// Number of crash states; the control gets as many, at most 20
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
    /// after the cut, `optane0:rot` has one in 50 of its written blocks silently zeroed, `optane0:lies`
    /// acknowledges flushes and does nothing for them, `optane0:lost-writes` silently loses one in 100 writes,
    /// `optane0:misdirected-writes` silently writes one in 100 to another place
    #[arg(long, value_name = "DRIVE[:FAULT]")]
    fail: Vec<DriveFault>,
    /// Give each crash state one or two such faults that the pool's redundancy covers, chosen by its seed:
    /// the check fails if an acknowledged write is lost
    #[arg(long)]
    faults: bool,
    /// Overwrite pages of this size in place, with an fdatasync after every 64, similar to a database's checkpoint,
    /// and look for torn pages
    #[arg(long, value_name = "SIZE", value_parser = page)]
    pages: Option<usize>,
    /// Kill the database's server (SIGKILL) instead of cutting the power, and start it again: the operating system
    /// keeps what the server had written. --replay cannot show such a state
    #[arg(long, conflicts_with_all = ["fail", "faults", "pages", "replay"])]
    server_crash: bool,
    /// Seed of the machine and of the first crash state
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Machines that run in parallel [default: one per processor, as far as memory allows]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreDir,
}

/// Most bytes of a page: those of InnoDB have at most as many.
const LARGEST_PAGE: u64 = 64 << 10;

/// The size of a page as an option gives it.
fn page(text: &str) -> Result<usize, String> {
    let size = lab::units::size(text).map_err(|why| why.to_string())?;
    match (4096..=LARGEST_PAGE).contains(&size) && size % 4096 == 0 {
        true => Ok(size as usize),
        false => Err("write a multiple of 4K, at most 64K, such as 8K or 16K".to_owned()),
    }
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let (_, loaded) = load_or_explain(&self.lab, None)?;
        loaded.draw_diagnostics();
        let campaign = &loaded.campaign;
        let number = self.variant(campaign).map_err(Refusal::usage)?;
        let name = &campaign.variants[number].name;
        let workloads = campaign.workloads.iter().map(|workload| workload.name.as_str()).collect();
        let workload = self.number("workload", self.workload.as_deref(), workloads);
        let workload = workload.map_err(Refusal::usage)?;
        drive_fault::check(&self.fail, &campaign.variants[number])
            .map_err(|why| Refusal::usage(format!("--fail: {why}")))?;
        let model = loaded.model()?;
        let linux = Linux::find(states::RECORDING)?;
        let program = &campaign.workloads[workload].program;
        let build = linux.build_id(campaign.variants[number].openzfs, program)?;
        let spec = TrialSpec::repeat(number, workload, 0);
        let mut inputs = Inputs::new(campaign, &model, &spec, &build);
        inputs.seed = self.seed;
        let stop = Stop::at_signals()?;
        let database = commits::database(&inputs, Place::Host, self.seed)?;
        if self.pages.is_some() && database.is_some() {
            let name = &campaign.workloads[workload].name;
            return Err(Refusal::usage(format!(
                "--pages writes files, but workload `{name}` runs a database: choose a fio workload with --workload, or leave --pages out"
            )));
        }
        if self.server_crash
            && !database.as_ref().is_some_and(|database| database.written.by_server())
        {
            let name = &campaign.workloads[workload].name;
            return Err(Refusal::usage(format!(
                "--server-crash kills a database's server, but workload `{name}` has none: choose one with pgbench or sysbench with --workload"
            )));
        }
        let client = database.as_ref().map(|database| database.client.as_ref() as &dyn Client);
        let variant = linux.variant(&inputs, client);
        let setup = Setup {
            inputs: &inputs,
            variant: &variant,
            database: database.as_ref(),
            args: &self,
            stop: &stop,
        };
        let code = |error: Error| match stop.interrupted() {
            true => Refusal::silent(INTERRUPTED),
            false => error.into(),
        };
        if let Some(seed) = self.replay {
            let title = format!("{} {name}, state {seed}", campaign.name);
            return replay::open(&linux, &setup, &title, seed).map_err(code);
        }
        let report = self.report(&setup, &campaign.name, name).map_err(code)?;
        output::print(&if self.json {
            output::json(&report)?
        } else {
            // It may quote programs and servers.
            visible(&report.text()).into_owned()
        });
        Ok(match report.sound() {
            true => 0,
            false if report.unfinished() => ENVIRONMENT,
            false => LOST,
        })
    }

    /// Makes the crash states that are not saved, and reports on all.
    fn report(&self, setup: &Setup, lab: &str, variant: &str) -> Result<Report, Error> {
        let inputs = setup.inputs;
        let saved = Saved::open(&self.store.path(), &self.key(inputs)?)?;
        // Each job has what the drives held when the writing began a second time, to make states from.
        let each = host_memory(inputs).saturating_add(inputs.model.drives_hold);
        let jobs = Jobs { stated: self.jobs, each };
        let files = if self.pages.is_some() { Written::Pages } else { Written::Blocks };
        let written = setup.database.map_or(files, |database| database.written);
        let runs = runs::run(setup, &self.seeds(), &jobs, written, &saved)?;
        Ok(Report {
            lab: lab.to_owned(),
            variant: variant.to_owned(),
            seed: self.seed,
            seconds: self.seconds,
            zfs: inputs.variant.is_zfs(),
            written,
            server_crash: self.server_crash,
            by_settings: lab::durability::assess(&inputs.variant, &inputs.workload),
            dirty_data_max: inputs.model.dirty_data_max,
            drive_faults: self.fail.iter().map(DriveFault::to_string).collect(),
            scheduled_faults: self.faults,
            runs,
        })
    }

    /// The number of what an argument names, the first if it names nothing.
    fn number(&self, what: &str, wanted: Option<&str>, all: Vec<&str>) -> Result<usize, String> {
        let Some(wanted) = wanted else {
            return Ok(0);
        };
        all.iter().position(|name| *name == wanted).ok_or_else(|| {
            format!("{} has no {what} `{wanted}`; it has: {}", self.lab, all.join(", "))
        })
    }

    /// The number of the variant.
    fn variant(&self, campaign: &Campaign) -> Result<usize, String> {
        let names = campaign.variants.iter().map(|variant| variant.name.as_str());
        // The baseline comes first.
        let number = self.number("variant", self.variant.as_deref(), names.collect())?;
        let variant = &campaign.variants[number];
        let (name, lab) = (&variant.name, &self.lab);
        if variant.used_drives().next().is_none() {
            return Err(format!(
                "variant `{name}` of {lab} has no drives: choose another with --variant"
            ));
        }
        let vdevs = &variant.pool.vdevs;
        if self.faults && drive_fault::schedule(vdevs, &self.fail, self.seed).is_empty() {
            return Err(format!(
                "--faults needs a pool with redundancy, but variant `{name}` of {lab} has none left: choose another variant, or set faults with --fail"
            ));
        }
        Ok(number)
    }

    fn seeds(&self) -> Vec<u64> {
        match self.state {
            Some(seed) => vec![seed],
            None => (0..self.states).map(|n| self.seed.wrapping_add(n)).collect(),
        }
    }

    /// The key of all crash states that differ by their seed alone. This program writes and checks in the machines,
    /// so it is one of their inputs.
    fn key(&self, inputs: &Inputs) -> Result<Key, Error> {
        // Its path may be another program's by now.
        let program = std::fs::read("/proc/self/exe");
        let program = program.map_err(doing("read this program"))?;
        let (inputs, _) = inputs.key()?;
        let fail: Vec<String> = self.fail.iter().map(DriveFault::to_string).collect();
        let all = serde_json::json!({
            "inputs": inputs.as_str(),
            "program": Key::from_inputs(&program).as_str(),
            "seconds": self.seconds,
            "fail": fail,
            "faults": self.faults,
            "pages": self.pages,
            "server_crash": self.server_crash,
        });
        Ok(Key::from_inputs(all.to_string().as_bytes()))
    }
}
