//! `poolwright plan LAB|--drives …`: which layouts the drives allow, and what each is worth.

mod drives;

use crate::lab_file::load_or_explain;
use crate::{exit, output};
use plan::assess::Options;
use plan::drive::{Drives, capacity, parse};
use plan::enumerate::Scope;
use plan::rank::{KINDS, Ranking, Sort, Wanted, rank};
use plan::{html, sizing, text};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Layouts for a set of drives: room for files, failures survived, rebuild, loss, speed, price
///
/// Every sensible layout is looked at (stripes, mirrors, raidz, dRAID, mdadm and RAID-card
/// levels); shown are those that no other beats in everything. Sizes are decimal, as on a drive's
/// label; `TiB` and the like are binary.
///
/// Exit codes: 0 something is shown, 1 no layout does what is wanted, 2 an argument cannot be read.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["lab", "drives"])))]
pub struct Args {
    /// Plan for the data drives of this lab's baseline: a file, `-`, or a built-in lab
    #[arg(value_name = "LAB")]
    lab: Option<String>,
    /// Plan for these drives: `30x8T hdd-7200`, `12x hdd-7200-16t price=280 + 4x3.84T nvme`
    #[arg(long, value_name = "DRIVES", conflicts_with = "lab")]
    drives: Option<String>,
    /// Least room for files: `150T`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    need: Option<u64>,
    /// Least number of drives that may fail at once, whichever they are
    #[arg(long, value_name = "N", default_value_t = 1)]
    survive: u32,
    /// Most money, where every drive has a `price=`
    #[arg(long, value_name = "MONEY")]
    budget: Option<f64>,
    /// Block size of the files or volumes: `128K`, `16K`, `1M` (binary, as in `zfs set`)
    #[arg(long, value_name = "SIZE", default_value = "128K", value_parser = recordsize)]
    recordsize: u64,
    /// Share of the pool that is used when a drive fails
    #[arg(long, value_name = "PERCENT", default_value = "70%", value_parser = percent)]
    used: f64,
    /// Hours until a failed drive is swapped where no spare stands by
    #[arg(long, value_name = "HOURS", default_value_t = 24.0, value_parser = hours)]
    swap: f64,
    /// How many times likelier a drive fails while another of its group is failed
    #[arg(long, value_name = "TIMES", default_value_t = 2.0, value_parser = correlation)]
    correlation: f64,
    /// Most hot spares that a layout may leave
    #[arg(long, value_name = "N", default_value_t = 2)]
    spares: u32,
    /// Only layouts whose name contains this: `raidz2`, `draid2:8d`, `card`
    #[arg(long, value_name = "TEXT")]
    like: Option<String>,
    /// Order: balance, usable, loss, rebuild, iops, stream, price
    #[arg(long, value_name = "ORDER", default_value = "balance", value_parser = order)]
    sort: Sort,
    /// Most layouts shown
    #[arg(long, value_name = "N", default_value_t = 12)]
    top: usize,
    /// Show layouts that others beat too
    #[arg(long)]
    all: bool,
    /// ZFS gets partitions or other devices as they are, and not whole disks
    #[arg(long)]
    raw_devices: bool,
    /// RAM of the machine, to size log and cache: `128G` (binary); a lab states its own
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
    /// Network of the clients, to size the log: `10G` is 10 Gb/s
    #[arg(long, value_name = "BITS", default_value = "10G", value_parser = size)]
    network: u64,
    /// Words about each layout, and its vdevs
    #[arg(long, short)]
    verbose: bool,
    /// Print JSON on standard output
    #[arg(long)]
    json: bool,
    /// Write a page with a chart to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

fn size(text: &str) -> Result<u64, String> {
    capacity(text).ok_or_else(|| "write a size such as `150T`, `960G` or `136TiB`".to_string())
}

fn memory(text: &str) -> Result<u64, String> {
    let bytes = lab::units::size(text).map_err(|e| e.to_string())?;
    match bytes {
        0 => Err("no machine has no memory".to_string()),
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

fn order(text: &str) -> Result<Sort, String> {
    match text {
        "balance" => Ok(Sort::Balance),
        "usable" => Ok(Sort::Usable),
        "loss" => Ok(Sort::Loss),
        "rebuild" => Ok(Sort::Rebuild),
        "iops" => Ok(Sort::Iops),
        "stream" => Ok(Sort::Stream),
        "price" => Ok(Sort::Price),
        _ => Err("one of balance, usable, loss, rebuild, iops, stream, price".to_string()),
    }
}

/// A plan, as JSON.
#[derive(Serialize)]
struct Plan<'a> {
    drives: &'a [Drives],
    options: &'a Options,
    wanted: &'a Wanted,
    ranking: &'a Ranking,
    log: Option<sizing::Slog>,
    cache: Option<Cache>,
    special: Vec<SpecialAt>,
}

/// The largest sensible L2ARC for a machine.
#[derive(Clone, Copy, Serialize)]
struct Cache {
    arc: u64,
    at_recordsize: sizing::L2arc,
}

/// A special vdev for so many small blocks.
#[derive(Clone, Copy, Serialize)]
struct SpecialAt {
    special_small_blocks: u64,
    size: sizing::Special,
}

impl Args {
    /// Plans.
    pub fn run(self) -> ExitCode {
        let (drives, memory) = match self.given() {
            Ok(given) => given,
            Err(code) => return code,
        };
        if drives.is_empty() || drives.len() > KINDS {
            return usage(&format!(
                "{} kinds of data drives: a plan takes from 1 to {KINDS}",
                drives.len()
            ));
        }
        if self.budget.is_some() && drives.iter().any(|d| d.drive.price.is_none()) {
            return usage("--budget needs the price of every drive: `30x8T hdd-7200 price=180`");
        }
        let mut options = Options {
            recordsize: self.recordsize,
            whole_disks: !self.raw_devices,
            ..Options::default()
        };
        options.conditions.used = self.used;
        options.conditions.swap_h = self.swap;
        options.assumptions.correlation = self.correlation;
        let scope = Scope {
            spares: self.spares,
            ..Scope::default()
        };
        let wanted = Wanted {
            need: self.need.unwrap_or(0),
            survive: self.survive,
            budget: self.budget,
            like: self.like.clone(),
            sort: self.sort,
            top: self.top,
            front_only: !self.all,
        };
        let ranking = rank(&drives, &scope, &options, &wanted);
        let title = title(&drives);
        if let Some(path) = &self.html
            && let Err(e) = std::fs::write(path, html::page(&title, &ranking))
        {
            output::complain(&format!("error: cannot write {}: {e}\n", path.display()));
            return ExitCode::from(exit::ENVIRONMENT);
        }
        let plan = Plan {
            drives: &drives,
            options: &options,
            wanted: &wanted,
            log: memory.map(|bytes| sizing::slog(bytes, self.network as f64 / 8.0, None)),
            cache: memory.map(|bytes| cache(bytes, self.recordsize)),
            special: special(&ranking, self.recordsize),
            ranking: &ranking,
        };
        let printed = match self.json {
            true => output::print(&json(&plan)),
            false => output::print(&self.words(&title, &plan)),
        };
        match ranking.shown.is_empty() {
            true => ExitCode::FAILURE,
            false => printed,
        }
    }

    /// The drives to plan for, and the machine's memory where it is known.
    fn given(&self) -> Result<(Vec<Drives>, Option<u64>), ExitCode> {
        match (&self.lab, &self.drives) {
            (Some(lab), _) => {
                let (_, loaded) = load_or_explain(lab)?;
                let memory = self.memory.unwrap_or(loaded.campaign.host.memory);
                match drives::of_lab(&loaded.campaign) {
                    Ok(found) => Ok((found, Some(memory))),
                    Err(message) => Err(usage(&message)),
                }
            }
            (None, Some(text)) => match parse(text, &drives::of_profile) {
                Ok(found) => Ok((found, self.memory)),
                Err(e) => Err(usage(&format!("--drives: {e}"))),
            },
            (None, None) => Err(usage("name a lab or give --drives")),
        }
    }

    fn words(&self, title: &str, plan: &Plan<'_>) -> String {
        let ranking = plan.ranking;
        let mut out = format!("{title}\n{}\n\n", text::summary(ranking));
        if ranking.shown.is_empty() {
            out.push_str("No layout does what is wanted: ask for less room (--need), fewer failures (--survive) or more spares (--spares).\n");
            return out;
        }
        out.push_str(&text::table(ranking));
        if self.verbose {
            for pool in &ranking.shown {
                out.push_str(&format!("\n{}\n  {}\n", pool.name, text::about(pool)));
                for vdevs in pool.parts.iter().filter_map(|p| p.vdevs.as_deref()) {
                    for line in vdevs.lines() {
                        out.push_str(&format!("  {line}\n"));
                    }
                }
            }
        }
        out.push('\n');
        if let Some(log) = &plan.log {
            out.push_str(&format!(
                "log      {} is enough: at most {} of synchronous writes wait for their txg (dirty data limit {}, {} arriving)\n",
                text::tebibytes(log.needed),
                text::tebibytes(log.wrlog_data_max.min(log.by_rate)),
                text::tebibytes(log.dirty_data_max),
                text::rate(log.arrives),
            ));
        }
        if let Some(cache) = &plan.cache {
            out.push_str(&format!(
                "cache    up to {} at this recordsize: its headers then take a tenth of an ARC of {}\n",
                text::tebibytes(cache.at_recordsize.sensible),
                text::tebibytes(cache.arc),
            ));
        }
        for special in &plan.special {
            let what = match special.special_small_blocks {
                0 => "metadata only".to_string(),
                bytes => format!("and blocks up to {}", text::tebibytes(bytes)),
            };
            out.push_str(&format!(
                "special  {} for a mirror site's file sizes, {what}\n",
                text::tebibytes(special.size.needed)
            ));
        }
        out.push_str(&format!("\n{}\n", text::ASSUMED));
        out
    }
}

fn json(plan: &Plan<'_>) -> String {
    match serde_json::to_string_pretty(plan) {
        Ok(text) => text + "\n",
        Err(e) => format!("{{\"error\":\"{e}\"}}\n"),
    }
}

fn usage(message: &str) -> ExitCode {
    output::complain(&format!("error: {message}\n"));
    ExitCode::from(exit::USAGE)
}

fn title(drives: &[Drives]) -> String {
    let each: Vec<String> = drives
        .iter()
        .map(|d| format!("{} × {} {}", d.count, text::terabytes(d.drive.bytes), d.drive.kind))
        .collect();
    format!("Layouts of {}", each.join(" + "))
}

/// An L2ARC beside the default ARC of half the memory (OpenZFS 2.1 and 2.2 on Linux).
fn cache(memory: u64, recordsize: u64) -> Cache {
    let arc = memory / 2;
    let sensible = sizing::l2arc(0, recordsize, arc, 1.0).sensible;
    /// `l2arc_write_max` of 8 MiB, five feeds a second when there is much to write.
    const FEED: f64 = 40.0 * 1_048_576.0;
    Cache {
        arc,
        at_recordsize: sizing::l2arc(sensible, recordsize, arc, FEED),
    }
}

/// Special vdevs for a mirror site's files that fill the roomiest layout shown.
fn special(ranking: &Ranking, recordsize: u64) -> Vec<SpecialAt> {
    let Some(bytes) = ranking.shown.iter().map(|p| p.score.holds).max() else {
        return Vec::new();
    };
    let files = sizing::mirror_site(bytes);
    [0, 32 << 10]
        .into_iter()
        .map(|small| SpecialAt {
            special_small_blocks: small,
            size: sizing::special(&files, recordsize, small),
        })
        .collect()
}
