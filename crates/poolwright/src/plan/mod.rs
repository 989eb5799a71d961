//! `poolwright plan LAB|--drives …`: the layouts that drives allow, with their figures.

mod baseline;
pub(crate) mod drives;
mod sizes;

use crate::exit::Refusal;
use crate::lab_file::load_or_explain;
use crate::output;
use lab::campaign::Campaign;
use plan::assess::Options;
use plan::drive::{Drives, parse};
use plan::enumerate::Scope;
use plan::histogram::{self, Histogram};
use plan::rank::{KINDS, Ranking, Sort, Wanted, include, rank};
use plan::sizing::{self, LogLimits};
use report::layouts::{html, table};
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use text::Language;
use text::layouts::{Label, Sentences};
use text::number::terabytes;
use zfs::units::capacity;

/// Exit code when no layout meets the requirements.
const NO_LAYOUT: u8 = 1;

/// Layouts for a set of drives: capacity, failures survived, rebuild, data loss, speed, price
///
/// Considers every sensible layout (stripes, mirrors, raidz, dRAID, mdadm and RAID-card levels) and shows the
/// Pareto front: the layouts for which no other layout is at least as good in every figure, ZFS and RAID
/// apart. The pools of a lab come first. Sizes are decimal, as on a drive's label; `TiB` and the like are binary.
///
/// Exit codes: 0 a layout meets the requirements · 1 none does · 2 invalid argument · 3 the page cannot
/// be written.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["lab", "drives"])))]
pub struct Args {
    /// Plan for the data drives of this lab's baseline, and show the lab's own pools: a file, `-`,
    /// or a built-in lab
    #[arg(value_name = "LAB")]
    lab: Option<String>,
    /// Plan for these drives: `30x8T hdd-7200`, `12x hdd-7200-16t price=280 + 4x3.84T nvme`
    #[arg(long, value_name = "DRIVES", conflicts_with = "lab")]
    drives: Option<String>,
    /// Minimum capacity for files: `150T`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    need: Option<u64>,
    /// Minimum number of failed drives to survive, whichever they are
    #[arg(long, value_name = "N", default_value_t = 1)]
    survive: u32,
    /// Maximum price; needs `price=` for every drive
    #[arg(long, value_name = "MONEY")]
    budget: Option<f64>,
    /// recordsize or volblocksize: `128K`, `16K`, `1M` (binary, as in `zfs set`) [default: that of
    /// the lab, else 128K]
    #[arg(long, value_name = "SIZE", value_parser = recordsize)]
    recordsize: Option<u64>,
    /// Used share of the pool when a drive fails
    #[arg(long, value_name = "PERCENT", default_value = "70%", value_parser = percent)]
    used: f64,
    /// Hours until a failed drive is replaced when there is no spare
    #[arg(long, value_name = "HOURS", default_value_t = 24.0, value_parser = hours)]
    swap: f64,
    /// Factor on the failure rate of a drive while its group has another failed drive
    #[arg(long, value_name = "TIMES", default_value_t = 2.0, value_parser = correlation)]
    correlation: f64,
    /// Maximum number of hot spares in a layout
    #[arg(long, value_name = "N", default_value_t = 2)]
    spares: u32,
    /// Only layouts whose name contains this: `raidz2`, `draid2:8d`, `card`
    #[arg(long, value_name = "TEXT")]
    like: Option<String>,
    /// Order: balance, usable, loss, rebuild, iops, stream, price
    #[arg(long, value_name = "ORDER", default_value = "balance", value_parser = order)]
    sort: Sort,
    /// Maximum number of layouts to show
    #[arg(long, value_name = "N", default_value = "12")]
    top: NonZeroUsize,
    /// Show all layouts, not only the Pareto front
    #[arg(long)]
    all: bool,
    /// ZFS gets partitions or other devices instead of whole disks
    #[arg(long)]
    raw_devices: bool,
    /// RAM of the machine, to size log and cache: `128G` (binary) [default: that of the lab]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
    /// Network of the clients, to size the log: `10G` is 10 Gb/s
    #[arg(long, value_name = "BITS", default_value = "10G", value_parser = size)]
    network: u64,
    /// Sizes of your files or blocks, to size a special vdev: the output of `zdb -Lbbbs POOL`, or
    /// lines `size,count` of files; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    histogram: Option<String>,
    /// Describe each layout, with its vdevs
    #[arg(long, short)]
    verbose: bool,
    /// Language, en or zh [default: that of the locale]
    #[arg(long, value_parser = crate::report::language)]
    lang: Option<Language>,
    /// Print JSON on standard output
    #[arg(long)]
    json: bool,
    /// Write an HTML page with a chart to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

fn size(text: &str) -> Result<u64, String> {
    capacity(text).ok_or_else(|| "write a size such as `150T`, `960G` or `136TiB`".to_string())
}

fn memory(text: &str) -> Result<u64, String> {
    match lab::units::size(text).map_err(|e| e.to_string())? {
        0 => Err("the memory must be more than 0".to_string()),
        bytes => Ok(bytes),
    }
}

fn recordsize(text: &str) -> Result<u64, String> {
    let bytes = lab::units::size(text).map_err(|e| e.to_string())?;
    if (512..=16 << 20).contains(&bytes) && bytes.is_power_of_two() {
        Ok(bytes)
    } else {
        Err("a recordsize is a power of two from 512 to 16M".to_string())
    }
}

fn number(text: &str, low: f64, high: f64) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|n| (low..=high).contains(n))
        .ok_or_else(|| format!("write a number from {low} to {high}"))
}

fn percent(text: &str) -> Result<f64, String> {
    number(text.trim_end_matches('%'), 0.0, 100.0).map(|n| n / 100.0)
}

fn hours(text: &str) -> Result<f64, String> {
    number(text, 0.0, 10_000.0)
}

fn correlation(text: &str) -> Result<f64, String> {
    number(text, 1.0, 1000.0)
}

fn order(text: &str) -> Result<Sort, &'static str> {
    serde_json::from_value(text.into())
        .map_err(|_| "one of balance, usable, loss, rebuild, iops, stream, price")
}

/// A plan, as JSON.
#[derive(Serialize)]
struct Plan<'a> {
    drives: &'a [Drives],
    options: &'a Options,
    wanted: &'a Wanted,
    ranking: &'a Ranking,
    /// Some layout meets the requirements, those of the lab aside.
    found: bool,
    log: Option<sizing::Slog>,
    cache: Option<sizes::Cache>,
    special: Vec<sizes::SpecialAt>,
    histogram: Option<&'a Histogram>,
}

struct PlanInput {
    drives: Vec<Drives>,
    lab: Option<Campaign>,
    memory: Option<u64>,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let says = Sentences(self.lang.unwrap_or_else(crate::report::locale));
        let given = self.given()?;
        let drives = &given.drives;
        self.check(drives).map_err(Refusal::usage)?;
        let counted = self.histogram().map_err(Refusal::usage)?;
        let options = self.options(given.lab.as_ref());
        let scope = Scope { spares: self.spares, ..Scope::default() };
        let wanted = self.wanted();
        let mut ranking = rank(drives, &scope, &options, &wanted);
        let found = !ranking.shown.is_empty();
        if let Some(lab) = &given.lab {
            include(&mut ranking, drives::lab_pools(lab, &options).map_err(Refusal::usage)?);
        }
        let title = title(drives, says);
        if let Some(path) = &self.html {
            output::write(path, &html::page(&title, &ranking, says), "--html")?;
        }
        let lab = given.lab.as_ref();
        let limits = lab.map_or(LogLimits::default(), baseline::log_limits);
        let plan = Plan {
            drives,
            options: &options,
            wanted: &wanted,
            log: given.memory.map(|bytes| sizing::slog(bytes, self.network as f64 / 8.0, &limits)),
            cache: given.memory.map(|bytes| sizes::cache(bytes, options.recordsize, lab)),
            special: sizes::special(&ranking, options.recordsize, counted.as_ref()),
            ranking: &ranking,
            found,
            histogram: counted.as_ref(),
        };
        let printed = match self.json {
            true => output::print(&output::json(&plan)?),
            false => output::print(&self.text(&title, &plan, says)),
        };
        Ok(if found { printed } else { NO_LAYOUT })
    }

    fn check(&self, drives: &[Drives]) -> Result<(), String> {
        if drives.is_empty() || drives.len() > KINDS {
            let kinds = drives.len();
            return Err(format!(
                "{kinds} kinds of data drives; a plan takes from 1 to {KINDS}: name them with --drives"
            ));
        }
        if self.budget.is_some() && drives.iter().any(|d| d.drive.price.is_none()) {
            let message = "--budget needs the price of every drive: `30x8T hdd-7200 price=180`";
            return Err(message.to_string());
        }
        Ok(())
    }

    fn options(&self, lab: Option<&Campaign>) -> Options {
        let root = lab.and_then(baseline::recordsize);
        let mut options = Options {
            recordsize: self.recordsize.or(root).unwrap_or(128 << 10),
            whole_disks: !self.raw_devices,
            ..Options::default()
        };
        options.conditions.used = self.used;
        options.conditions.swap_h = self.swap;
        options.assumptions.correlation = self.correlation;
        options
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            need: self.need.unwrap_or(0),
            survive: self.survive,
            budget: self.budget,
            like: self.like.clone(),
            sort: self.sort,
            top: self.top.get(),
            front_only: !self.all,
        }
    }

    /// The drives to plan for, their lab, and the machine's memory where it is known.
    fn given(&self) -> Result<PlanInput, Refusal> {
        if let Some(lab) = &self.lab {
            let (_, loaded) = load_or_explain(lab, None)?;
            let mut lab = loaded.campaign;
            let drives = drives::from_lab(&lab).map_err(Refusal::usage)?;
            let memory = Some(self.memory.unwrap_or(lab.host.memory));
            // The limits of its ARC and its dirty data follow from this memory.
            if let Some(baseline) = lab.variants.first_mut() {
                baseline.memory = memory;
            }
            return Ok(PlanInput { drives, memory, lab: Some(lab) });
        }
        let text = self.drives.as_deref().unwrap_or_default();
        let drives = parse(text, &drives::from_profile_name);
        let drives = drives.map_err(|e| Refusal::usage(format!("--drives: {e}")))?;
        Ok(PlanInput { drives, memory: self.memory, lab: None })
    }

    fn histogram(&self) -> Result<Option<Histogram>, String> {
        let Some(name) = &self.histogram else {
            return Ok(None);
        };
        let text = match name.as_str() {
            "-" => std::io::read_to_string(std::io::stdin()),
            path => std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        };
        let text = text.map_err(|e| format!("--histogram: cannot read {name}: {e}"))?;
        let counted = histogram::parse(&text);
        counted.map(Some).map_err(|e| format!("--histogram: {name}: {e}"))
    }

    fn text(&self, title: &str, plan: &Plan<'_>, says: Sentences) -> String {
        let ranking = plan.ranking;
        let mut out = format!("{title}\n{}\n\n", table::summary(ranking, says));
        if ranking.shown.is_empty() {
            return out + Label::NoLayout.text(says.0) + "\n";
        }
        out.push_str(&table::render(ranking, says));
        out.push_str(&table::marks(ranking, says));
        if !plan.found {
            out.push_str(&format!("{}\n", Label::NoLayout.text(says.0)));
        }
        if self.verbose {
            for pool in &ranking.shown {
                out.push_str(&format!("\n{}\n  {}\n", pool.name, table::about(pool, says)));
                for vdevs in pool.parts.iter().filter_map(|p| p.vdevs.as_deref()) {
                    for line in vdevs.lines() {
                        out.push_str(&format!("  {line}\n"));
                    }
                }
            }
        }
        out.push('\n');
        out.push_str(&sizes::lines(plan, says));
        out.push_str(&format!("\n{}\n", Label::Assumptions.text(says.0)));
        out
    }
}

fn title(drives: &[Drives], says: Sentences) -> String {
    let each: Vec<String> = drives
        .iter()
        .map(|d| format!("{} × {} {}", d.count, terabytes(d.drive.bytes), d.drive.kind))
        .collect();
    says.title(&each.join(" + "))
}
