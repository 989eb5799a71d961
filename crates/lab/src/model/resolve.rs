//! S chosen: the smallest that fits this machine, never beyond the caps.

use super::caps;
use super::demand::{demand, job};
use super::feed::feed;
use super::held::held;
use super::{Cap, Model, machine, sizes};
use crate::campaign::{Campaign, Host, Program, Variant, Workload};
use crate::diagnostic::Diagnostic;
use crate::units::{about, print_size};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What this machine can give to a scale model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HostLimits {
    /// Memory that is free, bytes. Where the backing store lies in memory, what is left beside it.
    pub memory: u64,
    /// Free space of the backing store, bytes.
    pub store_bytes: u64,
    /// Processor cores.
    pub cores: u32,
}

impl HostLimits {
    /// A machine on which only the lab itself bounds a model.
    pub const BOUNDLESS: Self = Self {
        memory: u64::MAX,
        store_bytes: u64::MAX,
        cores: u32::MAX,
    };
}

/// The dirty-data limit is not reduced below this: under it every txg is pushed by a few writes.
const LEAST_DIRTY: u64 = 64 << 20;

/// Chooses S for a campaign and works out every stock of its baseline.
///
/// Where the lab leaves the dirty-data limit to Poolwright and no S would fit with the real one, for
/// the ARC or for small files that are rewritten, it is halved until one does, `zfs_wrlog_data_max`
/// with it, and a note says so.
///
/// # Errors
/// When no S lies between what this machine can hold and what keeps the model true, or the lab
/// states one that does not: which two rules conflict, and what to change.
pub fn resolve(campaign: &Campaign, limits: &HostLimits) -> Result<Model, Diagnostic> {
    let Some(baseline) = campaign.variants.first() else {
        return Err(
            Diagnostic::error("this lab has no variant").fix("state the pool's vdevs in [pool]")
        );
    };
    if let Some((_, refused)) = beyond_pools(campaign).into_iter().next() {
        return Err(refused);
    }
    let demand = demand(campaign);
    let real = machine::dirty_data_max(&campaign.host, baseline);
    let mut dirty = campaign.scale.dirty_data_max.unwrap_or(real).min(real);
    let memory = caps::memory(campaign, limits);
    if campaign.scale.dirty_data_max.is_none() {
        let fits = |dirty: u64| {
            let least = memory
                .bound
                .max(caps::store(campaign, &demand, limits, dirty).bound);
            let most = caps::coalescing(&demand, dirty, real)
                .map_or(f64::INFINITY, |cap| cap.bound)
                .min(caps::dirty_data(campaign, dirty).bound);
            round_up(least).max(campaign.scale.size.unwrap_or(1.0)) <= most
        };
        while !fits(dirty) && dirty / 2 >= LEAST_DIRTY {
            dirty = (dirty / 2) >> 20 << 20;
        }
    }
    let mut all = vec![
        memory,
        caps::store(campaign, &demand, limits, dirty),
        caps::dirty_data(campaign, dirty),
    ];
    all.extend(caps::coalescing(&demand, dirty, real));
    all.extend(caps::metaslabs(campaign));
    all.extend(caps::l2arc(campaign));
    all.extend(caps::clients(&demand));
    let (size, bound_by) = choose(&all, campaign.scale.size)?;
    check_sizes(&all, size, &campaign.method.size_check)?;
    let mut model = Model {
        size,
        size_bound_by: bound_by,
        time: campaign.scale.time,
        time_guessed: false,
        arc_max: 0,
        physmem: 0,
        dirty_data_max: dirty,
        dirty_data_max_real: real,
        wrlog_data_max: 0,
        drives_hold: held(campaign, &demand, dirty).at(size),
        module: BTreeMap::new(),
        feed_interval: 1.0,
        caps: all,
        notes: Vec::new(),
    };
    model = of_variant(&model, &campaign.host, baseline);
    model.notes = notes(campaign, &model, &demand.unknown);
    Ok(model)
}

/// The module parameter that is log₂ of an indirect block's bytes.
const INDIRECT: &str = "zfs_default_ibs";

/// [`INDIRECT`] at which files shrunk by S have as many indirect blocks as on the real machine: random
/// writes rewrite the block of pointers over each, and a transaction group's dirty data counts it. With
/// 128 KiB over an S-th of the data the model's pools without a log were up to 1.5 times as fast at four
/// times S (docs/findings.md). None where it is OpenZFS' own; 4 KiB is the least (dnode.h), so that from
/// S = 32 on there are fewer.
fn indirect_shift(size: f64) -> Option<i64> {
    const MOST: i64 = 17;
    const LEAST: i64 = 12;
    let shift = (MOST - size.max(1.0).log2().round() as i64).max(LEAST);
    (shift != MOST).then_some(shift)
}

/// The same S and k with the stocks of another variant, whose module parameters or version may
/// differ from the baseline's.
pub fn of_variant(model: &Model, host: &Host, variant: &Variant) -> Model {
    let host = &variant.host(host);
    let shrink = |bytes: u64| (bytes as f64 / model.size) as u64;
    let real = machine::dirty_data_max(host, variant);
    // A limit that was reduced for the campaign is reduced alike for all: variants that differ in it
    // still do, and bursts of each are as many times longer on the real machine.
    let dirty = if model.dirty_data_max < model.dirty_data_max_real {
        let part = model.dirty_data_max as f64 / model.dirty_data_max_real as f64;
        (real as f64 * part) as u64
    } else {
        real
    };
    let mut module = BTreeMap::new();
    if !variant.module.contains_key(INDIRECT) {
        module.extend(indirect_shift(model.size).map(|shift| (INDIRECT.to_owned(), shift)));
    }
    for name in machine::STOCKS {
        if let Some(bytes) = machine::parameter(variant, name) {
            module.insert((*name).to_owned(), shrink(bytes).max(1) as i64);
        }
    }
    let feed = feed(variant, machine::lists(host.cores, variant), model.size);
    module.insert(machine::LISTS.to_owned(), i64::from(feed.lists));
    for (name, value) in feed.module {
        module.insert(name.to_owned(), value);
    }
    Model {
        arc_max: shrink(machine::arc_max(host, variant)).max(64 << 20),
        physmem: shrink(host.memory).max(256 << 20),
        dirty_data_max: dirty,
        dirty_data_max_real: real,
        wrlog_data_max: machine::wrlog_data_max(variant, dirty).min(
            // A limit stated for the real machine shrinks with the dirty data it belongs to.
            if dirty < real {
                dirty.saturating_mul(2)
            } else {
                u64::MAX
            },
        ),
        module,
        feed_interval: feed.interval,
        ..model.clone()
    }
}

fn choose(all: &[Cap], stated: Option<f64>) -> Result<(f64, String), Diagnostic> {
    let least = all
        .iter()
        .filter(|cap| cap.lower)
        .max_by(|a, b| a.bound.total_cmp(&b.bound));
    let most = all
        .iter()
        .filter(|cap| !cap.lower)
        .min_by(|a, b| a.bound.total_cmp(&b.bound));
    let (least_bound, least_name) =
        least.map_or((1.0, "nothing"), |cap| (cap.bound, cap.rule.name()));
    let conflict = |message: String, cap: &Cap| Diagnostic::error(message).fix(remedy(cap));
    if let Some(least) = least.filter(|cap| !cap.bound.is_finite()) {
        return Err(conflict(
            format!(
                "no size scale fits this machine's {}: {}",
                least.rule, least.why
            ),
            least,
        ));
    }
    let size = match stated {
        Some(size) => size,
        // Two figures are enough, and rounded up it fits all the more.
        None => round_up(least_bound),
    };
    if let Some(least) = least
        && size < least.bound
    {
        let message = format!(
            "size = {size} does not fit this machine's {}: S must be at least {:.1} ({})",
            least.rule, least.bound, least.why
        );
        return Err(conflict(message, least));
    }
    if let Some(most) = most
        && size > most.bound
    {
        let message = match stated {
            Some(_) => format!(
                "size = {size} is beyond what keeps the model true: S may be at most {:.1} by {} ({})",
                most.bound, most.rule, most.why
            ),
            None => format!(
                "this lab cannot be modelled truly on this machine: {least_name} needs S ≥ {least_bound:.1}, {} allows S ≤ {:.1} ({})",
                most.rule, most.bound, most.why
            ),
        };
        return Err(match (stated, least) {
            // No S serves both, so that both rules have their remedy.
            (None, Some(least)) => Diagnostic::error(message)
                .fix([most, least].map(|cap| cap.rule.remedy()).join("; or ")),
            _ => conflict(message, most),
        });
    }
    let bound_by = match stated {
        Some(_) => "the lab".to_owned(),
        None if least_bound > 1.0 => least_name.to_owned(),
        None => "nothing: full size fits".to_owned(),
    };
    Ok((size, bound_by))
}

/// What helps against a cap, [scale] size among it.
fn remedy(cap: &Cap) -> String {
    let size = match cap.lower {
        true => "a larger [scale] size",
        false => "a smaller [scale] size",
    };
    format!("{}, or take {size}", cap.rule.remedy())
}

/// The workloads whose files do not fit a pool that lays them out, by name. Less is taken off than OpenZFS
/// takes: what is refused has no room on the real machine either.
pub fn beyond_pools(campaign: &Campaign) -> Vec<(&str, Diagnostic)> {
    let refused = |workload: &'_ Workload| beyond_pool(campaign, workload);
    let workloads = campaign.workloads.iter();
    workloads
        .filter_map(|workload| Some((workload.name.as_str(), refused(workload)?)))
        .collect()
}

fn beyond_pool(campaign: &Campaign, workload: &Workload) -> Option<Diagnostic> {
    let job = job(workload).filter(|job| job.filled && !job.compressible)?;
    let bytes = workload.size.or(job.working_set)?;
    let rooms = campaign.variants.iter();
    let (variant, room) = rooms
        .map(|variant| (variant, sizes::room(variant, &workload.dataset)))
        .find(|(_, room)| bytes > *room)?;
    let message = format!(
        "the files of workload {} come to {}, and the pool of variant {} holds about {}",
        workload.name,
        about(bytes),
        variant.name,
        about(room)
    );
    Some(Diagnostic::error(message).fix("use smaller files or fewer jobs, or model larger drives"))
}

/// Whether the cells can also be run at the other sizes that the lab asks for.
fn check_sizes(all: &[Cap], size: f64, factors: &[f64]) -> Result<(), Diagnostic> {
    for factor in factors {
        let beyond = |cap: &&Cap| !cap.lower && size * factor > cap.bound;
        if let Some(cap) = all.iter().find(beyond) {
            return Err(Diagnostic::error(format!(
                "size_check = {factor} takes S from {size} to {}, beyond what keeps the model true: S may be at most {:.1} by {} ({})",
                size * factor,
                cap.bound,
                cap.rule,
                cap.why
            ))
            .fix(format!(
                "a smaller factor, or a smaller [scale] size; or {}",
                remedy(cap)
            )));
        }
    }
    Ok(())
}

/// Rounded up to two significant figures, at least 1.
fn round_up(bound: f64) -> f64 {
    if !bound.is_finite() {
        return bound;
    }
    let bound = bound.max(1.0);
    let unit = 10f64.powf(bound.log10().floor() - 1.0);
    let rounded = (bound / unit - 1e-9).ceil() * unit;
    // 0.1 + 0.2 and its kin: what is printed is what is used.
    (rounded * 1000.0).round() / 1000.0
}

fn notes(campaign: &Campaign, model: &Model, unknown: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    if model.dirty_data_max < model.dirty_data_max_real {
        let ratio = model.dirty_data_max_real as f64 / model.dirty_data_max as f64;
        notes.push(format!(
            "zfs_dirty_data_max is {} instead of the real machine's {} (zfs_wrlog_data_max {}): bursts last {ratio:.1} times as long there",
            print_size(model.dirty_data_max),
            about(model.dirty_data_max_real),
            print_size(model.wrlog_data_max),
        ));
    }
    if model.size > 1.0 {
        notes.push(format!(
            "times to fill a cache or a pool are {} times as long on the real machine",
            model.size
        ));
    }
    for workload in unknown {
        notes.push(format!("workload {workload}: the job file does not say how large its files are, so memory and store are planned without it"));
    }
    for workload in &campaign.workloads {
        let Program::Fio { job, .. } = &workload.program;
        if model.size > 1.0 && steep_zipf(job) {
            notes.push(format!("workload {}: a Zipf distribution with θ ≥ 1 hits more on a smaller set; hit ratios do not carry over", workload.name));
        }
    }
    for variant in &campaign.variants {
        if let Some((drive, held, needed)) = sizes::small_log(variant, model.wrlog_data_max) {
            notes.push(format!(
                "variant {}: its log of {} ({drive}) is smaller than 1.5 × zfs_wrlog_data_max = {}: when it fills, commits go to the pool, on the real machine too",
                variant.name, about(held), about(needed)
            ));
        }
    }
    notes
}

/// Whether a job asks for `random_distribution=zipf:θ` with θ ≥ 1.
fn steep_zipf(job: &str) -> bool {
    job.lines().any(|line| {
        line.trim()
            .strip_prefix("random_distribution=zipf:")
            .and_then(|rest| rest.split([':', ' ']).next()?.parse::<f64>().ok())
            .is_some_and(|theta| theta >= 1.0)
    })
}
