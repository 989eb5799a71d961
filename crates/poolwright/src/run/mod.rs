//! `poolwright run LAB...`: build, measure, explain, report.

use crate::exit::{INTERRUPTED, Refusal};
use crate::lab_file::{LabFile, Loaded, load_all_or_explain, release};
use crate::report::{self, Format, ReportInput};
use crate::store_dir::StoreDir;
use crate::{engine, host_resources, output};
use bench::campaign::{self, CampaignRun, End, Listed, NotRun, Question};
use bench::clock::WallClock;
use bench::round::Runner;
use bench::stop::Stop;
use bench::trial_spec::TrialSpec;
use lab::campaign::{Campaign, OpenZfs};
use lab::units::print_duration;
use measurement::Trial;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use store::{Entry, Store};

pub mod progress;

use progress::Progress;

/// Exit code of a run in which a cell failed or has no trial.
const INCOMPLETE: u8 = 1;

/// Build each variant of a lab as a scale model, measure and compare them
///
/// Several labs run one after the other, each with its own budget and report; their machines reuse the same memory.
/// Stored trials are not run again, so the same command resumes a stopped run.
///
/// Exit codes: 0 every cell was measured · 1 a cell failed or did not fit the budget · 2 a lab or an
/// argument is wrong, and nothing was run · 3 this host lacks something · 130 interrupted; the same command resumes.
#[derive(clap::Args)]
pub struct Args {
    /// Lab files, or names of built-in labs
    #[arg(required = true, value_name = "LAB")]
    labs: Vec<String>,
    /// OpenZFS release to use instead of the lab's
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    openzfs: Option<OpenZfs>,
    /// Wall-time budget of each lab instead of its own: 20m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<f64>,
    /// Seed of data, drives and offsets instead of the lab's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Trials that run in parallel [default: one per processor, as far as memory allows]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Afterwards run the baseline and the best variant with one cost removed at a time (log flushes, pool
    /// reads, …), to see what they wait for. The lab demo always does this
    #[arg(long)]
    why: bool,
    /// Only check that every cell runs: one trial per cell, with 2 s of virtual time. Gives no verdict
    #[arg(long)]
    short: bool,
    /// Print the planned trials and start nothing: key, variant, workload, repeat, seed, whether it is
    /// stored, and how it differs from the cell's other trials; separated by tabs. `poolwright trial KEY`
    /// runs one
    #[arg(long, conflicts_with = "json")]
    list: bool,
    /// Print the findings of the lab as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreDir,
}

fn duration(text: &str) -> Result<f64, String> {
    lab::units::duration(text).map_err(|e| e.to_string())
}

/// Virtual seconds of a short run's measurement, and of each phase before it.
const SHORT_S: f64 = 2.0;

/// Shortens a campaign to a check that its cells run.
fn shorten(campaign: &mut Campaign) {
    // Its results are stored separately from the lab's own results.
    campaign.name += "-short";
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

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        // Started first, because the budget covers the whole run.
        let clock = WallClock::start();
        if self.json && self.labs.len() > 1 {
            return Err(Refusal::usage(
                "--json prints the findings of one lab: give one lab, or leave --json out and use `poolwright report LAB --format json`",
            ));
        }
        if self.labs.iter().any(|lab| lab == "-") {
            return Err(Refusal::usage(
                "`run` cannot read a lab from standard input, because the same command must be able to resume it: save the lab, then `poolwright run FILE`",
            ));
        }
        // A mistake in the last lab is reported before the first is run.
        let labs = load_all_or_explain(&self.labs, self.openzfs)?.into_iter();
        let labs: Vec<Question> =
            labs.map(|(file, loaded)| self.question(file, loaded)).collect::<Result<_, _>>()?;
        match self.list {
            true => self.list(&labs),
            false => self.measure(&labs, clock),
        }
    }

    /// A lab and its model, with the arguments applied.
    fn question(&self, file: LabFile, mut loaded: Loaded) -> Result<Question, Refusal> {
        let campaign = &mut loaded.campaign;
        if let Some(budget_s) = self.budget {
            campaign.method.budget_s = budget_s;
        }
        if let Some(seed) = self.seed {
            campaign.method.seed = seed;
        }
        let demo = campaign.name == "demo" && !self.short;
        if self.short {
            shorten(campaign);
        }
        let (model, campaign) = (loaded.model()?, loaded.campaign);
        Ok(Question { lab: file.text, campaign, model, why: self.why || demo })
    }

    fn list(&self, labs: &[Question]) -> Result<u8, Refusal> {
        let engine = engine::open()?;
        let store = self.store.open()?;
        let mut code = 0;
        for question in labs {
            let listed = campaign::list(&store, engine.as_ref(), question)?;
            let text: String =
                listed.iter().flat_map(|trial| rows(trial, &question.campaign)).collect();
            code = code.max(output::print(&text));
        }
        Ok(code)
    }

    fn measure(&self, labs: &[Question], clock: WallClock) -> Result<u8, Refusal> {
        let store = self.store.open()?;
        let stop = Stop::at_signals()?;
        let memory = host_resources::free_memory();
        let (mut code, mut clock, mut last) = (0, Some(clock), None);
        for question in labs {
            if labs.len() > 1 {
                output::complain(&format!("lab {}\n", question.campaign.name));
            }
            let needed = host_resources::needed(&question.campaign, &question.model);
            let parallel = host_resources::parallel(self.jobs, needed, memory);
            // The engine keeps the memory of as many machines. More of them could take more than is free.
            let engine = match last.take_if(|(of, _)| *of == parallel) {
                Some((_, engine)) => engine,
                None => {
                    drop(last.take());
                    engine::open()?
                }
            };
            let progress = Progress::new();
            let runner = Runner {
                store: &store,
                engine: engine.as_ref(),
                stop: &stop,
                clock: Arc::new(clock.take().unwrap_or_else(WallClock::start)),
                parallel,
                watch: &progress,
            };
            match self.measure_one(question, &runner, &progress)? {
                INTERRUPTED => return Ok(INTERRUPTED),
                ended => code = code.max(ended),
            }
            last = Some((parallel, engine));
        }
        Ok(code)
    }

    /// Measures one lab and shows its report.
    fn measure_one(
        &self,
        question: &Question,
        runner: &Runner,
        progress: &Progress,
    ) -> Result<u8, Refusal> {
        let store = runner.store;
        let ran = campaign::run(runner, question, &mut |trials| {
            match save(store, question, &report_input(question, trials)) {
                Ok(page) => progress.say(&format!(
                    "Verdicts: {}. Next: trials with one cost removed at a time, which show what the cells wait for.",
                    page.display()
                )),
                // It is tried again at the end.
                Err(refusal) => drop(refusal.report()),
            }
        });
        progress.clear();
        let ran = ran?;
        let whole = self.show(store, question, &ran)?;
        Ok(match ran.end {
            End::Interrupted => {
                output::complain("Results so far are saved. Run the same command to resume.\n");
                INTERRUPTED
            }
            End::Budget => {
                output::complain(&not_run(&ran.not_run, question.campaign.method.budget_s));
                if whole { 0 } else { INCOMPLETE }
            }
            End::Complete if whole => 0,
            End::Complete => INCOMPLETE,
        })
    }

    /// Analyses the trials, prints the report, and writes it in every format into the store. Returns whether
    /// every cell has a valid trial.
    fn show(&self, store: &Store, question: &Question, ran: &CampaignRun) -> Result<bool, Refusal> {
        // Without a trial there is nothing to tell a person; JSON lists what was not run.
        if ran.trials.is_empty() && !self.json {
            return Ok(false);
        }
        let input = report_input(question, &ran.trials);
        // The report is printed even if it cannot be stored.
        let (format, to_terminal) = match self.json {
            true => (Format::Json, false),
            false => (Format::Text, std::io::stdout().is_terminal()),
        };
        let printed = output::print(&render(&input, format, to_terminal)?);
        if ran.trials.is_empty() {
            return if printed == 0 { Ok(false) } else { Err(Refusal::silent(printed)) };
        }
        let page = save(store, question, &input)?;
        let named = match self.json {
            true => 0,
            false => output::print(&format!("report   {}\n", page.display())),
        };
        match printed.max(named) {
            0 => Ok(findings::complete(&input.findings)),
            code => Err(Refusal::silent(code)),
        }
    }
}

/// Writes the report in every format into the store; the path of the page.
fn save(store: &Store, question: &Question, input: &ReportInput) -> Result<PathBuf, Refusal> {
    let save = |name, format| {
        let text = render(input, format, false)?;
        store.keep_report(&question.campaign.name, name, &text).map_err(Refusal::from)
    };
    save("findings.json", Format::Json)?;
    save("report.md", Format::Md)?;
    save("report.csv", Format::Csv)?;
    save("report.html", Format::Html)
}

fn report_input(question: &Question, trials: &[Trial]) -> ReportInput {
    ReportInput {
        findings: findings::analyse(&question.campaign, &question.model, trials),
        source: Some((question.campaign.clone(), question.lab.clone())),
    }
}

fn render(input: &ReportInput, format: Format, to_terminal: bool) -> Result<String, Refusal> {
    let rendered = report::render(input, format, report::locale(), to_terminal);
    rendered.map_err(Refusal::environment)
}

/// The rows of `--list` for a planned trial, one for each of its specs.
fn rows(listed: &Listed, campaign: &Campaign) -> Vec<String> {
    let Listed { planned, stored } = listed;
    let state = if *stored { "stored" } else { "missing" };
    let row = |(spec, entry): (&TrialSpec, Entry)| {
        let columns = [
            &entry.key,
            &entry.variant,
            &entry.workload,
            &spec.repeat.to_string(),
            &spec.seed(campaign).to_string(),
            state,
            &spec.difference(),
        ];
        columns.join("\t").trim_end().to_owned() + "\n"
    };
    planned.entries(campaign).map(row).collect()
}

/// The message about trials that did not fit the budget, with the time that they need.
fn not_run(trials: &[NotRun], budget_s: f64) -> String {
    const SHOWN: usize = 8;
    let needs_s: f64 = trials.iter().map(|t| t.needs_s).sum();
    let [budget, needs] = [budget_s, needs_s.ceil()].map(print_duration);
    let about = if trials.iter().any(|trial| trial.stopped) { "more than" } else { "about" };
    let mut text = match trials.len() {
        1 => format!(
            "The budget of {budget} has no time left for one trial of this round, which takes {about} {needs}:\n"
        ),
        count => format!(
            "The budget of {budget} has no time left for {count} trials of this round, which take {about} {needs} one after another:\n"
        ),
    };
    for trial in trials.iter().take(SHOWN) {
        let needs = print_duration(trial.needs_s.ceil());
        let about = if trial.stopped { "stopped before it ended; more than" } else { "about" };
        text.push_str(&format!("  {}  ({about} {needs})\n", trial.name));
    }
    if trials.len() > SHOWN {
        text.push_str(&format!("  and {} more\n", trials.len() - SHOWN));
    }
    text.push_str("Run the same command again to add them, or give it a longer --budget.\n");
    text
}
