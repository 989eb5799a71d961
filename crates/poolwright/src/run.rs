//! `poolwright run LAB`: build, measure, explain, report.
//!
//! The command starts itself again inside namespaces of its own (see `bench::isolate`): what comes
//! before that checks everything that can be checked without starting anything.

use crate::exit::{self, ENVIRONMENT, INTERRUPTED, USAGE};
use crate::lab_file::{LabFile, Loaded, load_or_explain, release};
use crate::{diagnostics, machine, output};
use bench::campaign::{End, Error, Setup};
use bench::engine::scale::Scale;
use bench::fault::Fault;
use bench::isolate::{self, Ended, Isolation};
use bench::programs::{self, Fio};
use bench::stop::Stop;
use lab::campaign::{Campaign, OpenZfs};
use lab::model::{HostLimits, Model, of_variant};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use store::{MadeBy, Scratch, Store, Unfinished};

mod progress;
mod result;
mod view;

/// Exit code of a run in which a cell failed or was set aside.
const INCOMPLETE: u8 = 1;
/// The least room that is worth starting with; the model asks for what it needs.
const LEAST_ROOM: u64 = 256 << 20;

/// Build each variant of a lab as a scale model, measure and compare them
///
/// Exit codes: 0 everything was measured · 1 a cell or a rung failed or was set aside · 2 the lab or an
/// argument is wrong · 3 this machine lacks something · 130 interrupted; the same command goes on.
#[derive(clap::Args)]
pub struct Args {
    /// A lab file, or the name of a built-in lab
    lab: String,
    /// A release of OpenZFS instead of the lab's: 2.1, 2.3
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    openzfs: Option<OpenZfs>,
    /// Wall time for the whole campaign instead of the lab's: 20m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<f64>,
    /// Seed of schedule, data and drives instead of the lab's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Only see that every cell runs: one trial of each, of 2 s in the modelled machine's time. No
    /// verdict comes of it
    #[arg(long)]
    short: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Where results are kept
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Where emulated drives lie while the run lasts, instead of in memory
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// How long a program may take beyond its own time before it is taken for hung and ended; more on
    /// a machine that is very busy
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    patience: f64,
    /// Show the pool at work while it is measured: drives, dirty data, the throttle, in the modelled
    /// machine's time
    #[arg(long)]
    watch: bool,
    /// Measure anew, even if results of this very lab are there
    #[arg(long)]
    fresh: bool,
}

fn duration(text: &str) -> Result<f64, String> {
    lab::units::duration(text).map_err(|e| e.to_string())
}

/// Virtual seconds that a short run measures, and gives to each time before it.
const SHORT_S: f64 = 2.0;

/// Most that a short run's clock is slowed: checks hold whether or not the model keeps its time.
const SHORT_TIME: f64 = 4.0;

/// A campaign that only shows whether its cells run.
fn shorten(campaign: &mut Campaign) {
    // Beside the lab's own results, which it must not be taken for.
    campaign.name += "-short";
    let time = campaign.scale.time.unwrap_or(SHORT_TIME);
    campaign.scale.time = Some(time.min(SHORT_TIME));
    let method = &mut campaign.method;
    (method.min_trials, method.max_trials) = (1, 1);
    method.runtime_s = Some(SHORT_S);
    method.ramp_s = method.ramp_s.min(SHORT_S);
    method.ramp_most_s = Some(SHORT_S);
    method.warm_up_s = method.warm_up_s.min(SHORT_S);
    method.sensitivity.clear();
    method.size_check.clear();
    for workload in &mut campaign.workloads {
        workload.rates = None;
    }
}

/// A lab that can be run on this machine.
struct Ready {
    file: LabFile,
    campaign: Campaign,
    model: Model,
    /// Where drives lie.
    place: PathBuf,
    limits: HostLimits,
    fio: Fio,
    engine: Scale,
}

impl Ready {
    /// What measures here: the build of each program, and where drives lie.
    fn made_by(&self) -> std::io::Result<MadeBy> {
        let place = match machine::is_in_memory(&self.place) {
            true => "memory",
            false => "disk",
        };
        let mut all = MadeBy::from([
            // As it was started, wherever another build has been put since.
            ("poolwright".to_owned(), programs::fingerprint(Path::new("/proc/self/exe"))?),
            ("fio".to_owned(), self.fio.version.clone()),
            ("place of the drives".to_owned(), place.to_owned()),
        ]);
        for release in self.campaign.variants.iter().map(|v| v.openzfs) {
            let name = format!("poolfs-{release}");
            if let (false, Ok(program)) = (all.contains_key(&name), self.engine.program(release)) {
                all.insert(name, programs::fingerprint(&program)?);
            }
        }
        Ok(all)
    }

    /// Dirty-data limit of the model, bytes, by variant.
    fn dirty_max(&self) -> BTreeMap<String, u64> {
        let host = &self.campaign.host;
        let of = |variant| of_variant(&self.model, host, variant).dirty_data_max;
        let variants = self.campaign.variants.iter();
        variants.map(|v| (v.name.clone(), of(v))).collect()
    }
}

impl Args {
    /// Runs the lab.
    pub fn run(self) -> ExitCode {
        let code = match Isolation::inside() {
            None => self.outside(),
            Some(isolation) => self.inside(isolation),
        };
        ExitCode::from(code.unwrap_or_else(|code| code))
    }

    /// Checks everything, then runs inside.
    fn outside(&self) -> Result<u8, u8> {
        if self.lab == "-" {
            return Err(complain(
                USAGE,
                "a run is continued by the same command, so its lab must be a file: save it, then `poolwright run FILE`",
            ));
        }
        machine::remove_leftovers();
        self.ready(true, &Stop::default())?;
        let ended = isolate::keep(std::env::args_os().skip(1))
            .map_err(|e| complain(ENVIRONMENT, &format!("cannot start the run: {e}")))?;
        let code = exit::of(ended);
        if !matches!(ended, Ended::Exit(_)) {
            output::complain("what was measured is kept: the same command goes on\n");
        }
        Ok(code)
    }

    /// The lab, its model, and the programs it needs. `aloud` draws what its author should know.
    fn ready(&self, aloud: bool, stop: &Stop) -> Result<Ready, u8> {
        let (file, loaded) = load_or_explain(&self.lab, self.openzfs).map_err(|_| USAGE)?;
        let Loaded {
            mut campaign,
            said,
            sources,
        } = loaded;
        if aloud {
            diagnostics::draw(&said, &sources);
        }
        if let Some(budget_s) = self.budget {
            campaign.method.budget_s = budget_s;
        }
        if let Some(seed) = self.seed {
            campaign.method.seed = seed;
        }
        if self.short {
            if let Some(stated) = campaign.scale.time.filter(|t| *t > SHORT_TIME) {
                crate::output::complain(&format!(
                    "note: a short run is slowed {SHORT_TIME} times, not {stated} as the lab states: what is set aside \
                     for it may count in a whole run\n"
                ));
            }
            shorten(&mut campaign);
        }
        let (place, limits, model) =
            machine::place(self.store.as_deref(), &campaign).map_err(|diagnostic| {
                diagnostics::draw(&[diagnostic], &sources);
                ENVIRONMENT
            })?;
        let environment = |fault: Fault| complain(ENVIRONMENT, &fault.to_string());
        let engine = Scale {
            engines: programs::engine_directories(),
            stop: stop.clone(),
            patience: self.patience(),
        };
        for variant in &campaign.variants {
            engine.program(variant.openzfs).map_err(environment)?;
        }
        let fio = Fio::find().map_err(environment)?;
        if campaign.scale.time != Some(1.0) {
            fio.slowed_by().map_err(environment)?;
        }
        Ok(Ready {
            file,
            campaign,
            model,
            place,
            limits,
            fio,
            engine,
        })
    }

    fn patience(&self) -> Duration {
        const DAY_S: f64 = 86_400.0;
        Duration::from_secs_f64(self.patience.clamp(0.1, DAY_S))
    }

    fn results_dir(&self) -> PathBuf {
        self.results
            .clone()
            .or_else(|| {
                let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from)?;
                state
                    .is_absolute()
                    .then(|| state.join("poolwright/results"))
            })
            .unwrap_or_else(|| PathBuf::from("results"))
    }

    /// Measures, inside namespaces as far as they were granted.
    fn inside(&self, isolation: Isolation) -> Result<u8, u8> {
        let stop = Stop::default();
        isolate::follow(stop.clone());
        let ready = self.ready(false, &stop)?;
        machine::own_memory(isolation, self.store.as_deref(), ready.limits.store_bytes);
        std::fs::create_dir_all(&ready.place).map_err(|e| {
            complain(
                ENVIRONMENT,
                &format!(
                    "cannot create {}: {e}; name a directory with --store",
                    ready.place.display()
                ),
            )
        })?;
        let scratch = Scratch::create(std::slice::from_ref(&ready.place), LEAST_ROOM)
            .map_err(|e| complain(ENVIRONMENT, &e.to_string()))?;
        let made_by = ready.made_by().map_err(|e| {
            complain(ENVIRONMENT, &format!("cannot read this program or its engines: {e}"))
        })?;
        let (store, unfinished) = Store::open(
            &self.results_dir(),
            &ready.campaign,
            &ready.file.text,
            &made_by,
            self.fresh,
            SystemTime::now(),
        )
        .map_err(|e| complain(ENVIRONMENT, &e.to_string()))?;
        // Trials of one cell run on one model, so that it is not made anew for less room.
        let kept = store.model().map_err(|e| complain(ENVIRONMENT, &e.to_string()))?;
        if let Some(Err(why)) = kept.map(|model| lab::model::hold(&model, &ready.limits)) {
            return Err(complain(
                ENVIRONMENT,
                &format!(
                    "{} was begun with more room than there is now: {why}; free some and repeat the command, or begin anew with --fresh",
                    store.path().display()
                ),
            ));
        }
        result::keep_machine(&store, &ready.fio, isolation)
            .map_err(|e| complain(ENVIRONMENT, &e.to_string()))?;
        let progress = progress::Progress::new(self.watch, ready.dirty_max());
        match unfinished {
            Unfinished::New => {}
            Unfinished::Continued => progress.say(&format!("continuing {}", store.path().display())),
            Unfinished::Anew {
                instead_of,
                differs,
            } => progress.say(&format!(
                "beginning anew: not the same as measured {}, which stays: {}",
                instead_of.display(),
                differs.join(", ")
            )),
        }
        if !machine::is_in_memory(&ready.place) {
            let (why, instead) = match &self.store {
                Some(_) => ("as --store says", "without it they lie in memory where it holds them"),
                None => (
                    "which memory does not hold at this size",
                    "a larger [scale] size fits into memory",
                ),
            };
            progress.say(&format!(
                "drives lie in {}, {why}. The pauses of the disk under it are taken for the model's: {instead}",
                ready.place.display()
            ));
        }
        let end = self.measure(&ready, &store, scratch.path(), &stop, &progress);
        progress.clear();
        let end = end.map_err(|e| match e {
            Error::Environment(why) => complain(ENVIRONMENT, &why),
            Error::Store(why) => complain(ENVIRONMENT, &why.to_string()),
        })?;
        drop(scratch);
        let whole = result::show(&store, self.json)?;
        let again = match self.fresh {
            true => "the same command without --fresh",
            false => "the same command",
        };
        Ok(match end {
            End::Interrupted => {
                progress.say(&format!("interrupted; {again} goes on from here"));
                INTERRUPTED
            }
            End::Budget => {
                progress.say(&format!(
                    "the budget is spent; {again} with a longer --budget goes on from here"
                ));
                if whole { 0 } else { INCOMPLETE }
            }
            End::Complete => {
                if whole {
                    0
                } else {
                    INCOMPLETE
                }
            }
        })
    }

    fn measure(
        &self,
        ready: &Ready,
        store: &Store,
        scratch: &Path,
        stop: &Stop,
        progress: &progress::Progress,
    ) -> Result<End, Error> {
        let setup = Setup {
            store,
            engine: &ready.engine,
            fio: &ready.fio,
            stop,
            scratch,
            in_memory: machine::is_in_memory(scratch),
            patience: self.patience().saturating_mul(2),
            watch: progress,
        };
        bench::campaign::run(&setup, ready.model.clone())
    }
}

/// Says what is wrong; the exit code is `code`.
fn complain(code: u8, message: &str) -> u8 {
    output::complain(&format!("error: {message}\n"));
    code
}
