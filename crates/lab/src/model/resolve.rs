//! The choice of S: the smallest that fits the memory of one machine, within the caps.

use super::demand::demand;
use super::does_not_fit::beyond_pools;
use super::drive_memory::held;
use super::l2arc_feed::feed;
use super::notes::notes;
use super::size_caps;
use super::{Cap, Model, memory_limits};
use crate::campaign::{Campaign, Host, Variant};
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// What one machine may use of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimits {
    /// Memory for the guest and for the contents of its drives, bytes.
    pub memory: u64,
}

impl HostLimits {
    /// What `auto` plans with on every host, so that a lab has the same S everywhere: 8 GiB.
    pub const MACHINE: Self = Self { memory: 8 << 30 };
}

/// The dirty-data limit is not reduced below this: under it every txg is pushed by a few writes.
const LEAST_DIRTY: u64 = 64 << 20;

/// Chooses S for a campaign and works out every stock of its baseline.
///
/// Where the lab leaves the dirty-data limit to Poolwright and no S would fit with the real one, it is halved
/// until one does, `zfs_wrlog_data_max` with it, and a note says so. If still none does, S is the largest
/// within the caps, and a machine takes more than `limits`. An S that the lab states may need more, too:
/// [`host_memory_needed`](super::host_memory_needed) says how much.
///
/// # Errors
/// When the lab states an S above a cap: the rule, and what to change. When a workload's files do not fit a
/// pool.
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
    // Of the variant with the largest: that one comes to a cap first, and a limit that the lab states holds for all.
    let real = largest_dirty_data_max(campaign);
    let mut dirty = campaign.scale.dirty_data_max.unwrap_or(real).min(real);
    let dirty_limits = |dirty| {
        let of =
            |variant| reduced(memory_limits::dirty_data_max(&campaign.host, variant), dirty, real);
        campaign.variants.iter().map(of).collect::<Vec<u64>>()
    };
    let memory = |dirty| size_caps::memory(campaign, &demand, limits, &dirty_limits(dirty));
    let most = |dirty| {
        let mut most = vec![size_caps::dirty_data(campaign, &dirty_limits(dirty))];
        most.extend(size_caps::coalescing(&demand, dirty, real));
        most.extend(size_caps::read_modify_write(&demand, dirty, real));
        most
    };
    if campaign.scale.dirty_data_max.is_none() {
        let fits = |dirty: u64| {
            let stated = campaign.scale.size;
            let size = stated.unwrap_or_else(|| round_up(memory(dirty).bound));
            most(dirty).iter().all(|cap| size <= cap.bound)
        };
        let half = |dirty: u64| (dirty / 2) >> 20 << 20;
        let least = |dirty| dirty_limits(dirty).into_iter().min().unwrap_or(0);
        while !fits(dirty) && dirty / 2 >= LEAST_DIRTY && least(half(dirty)) >= LEAST_DIRTY {
            dirty = half(dirty);
        }
    }
    let mut all = vec![memory(dirty)];
    all.extend(most(dirty));
    all.extend(size_caps::metaslabs(campaign));
    all.extend(size_caps::l2arc(campaign));
    all.extend(size_caps::clients(&demand));
    let (size, bound_by) = choose(&all, campaign.scale.size)?;
    check_sizes(&all, size, &campaign.method.size_check)?;
    let mut model = Model {
        size,
        size_bound_by: bound_by,
        arc_max: 0,
        guest_memory: 0,
        dirty_data_max: dirty,
        dirty_data_max_real: real,
        wrlog_data_max: 0,
        drives_hold: held(campaign, &demand, &dirty_limits(dirty)).at(size),
        module: BTreeMap::new(),
        caps: all,
        notes: Vec::new(),
    };
    model = variant_model(&model, &campaign.host, baseline);
    model.notes = notes(campaign, &model, &demand.unknown, limits);
    Ok(model)
}

/// The module parameter that is log₂ of an indirect block's bytes.
const INDIRECT: &str = "zfs_default_ibs";

/// [`INDIRECT`] at which files shrunk by S have as many indirect blocks as on the real server: random
/// writes rewrite the block of pointers over each, and a transaction group's dirty data counts it. With
/// 128 KiB over an S-th of the data, pools without a log were up to 1.5 times as fast at four
/// times S. None where it is OpenZFS's own; 4 KiB is the least (dnode.h), so that from
/// S = 32 on there are fewer.
fn indirect_shift(size: f64) -> Option<i64> {
    const MOST: i64 = 17;
    const LEAST: i64 = 12;
    let shift = (MOST - size.max(1.0).log2().round() as i64).max(LEAST);
    (shift != MOST).then_some(shift)
}

/// The largest dirty-data limit of the real servers of a campaign's variants, bytes.
pub fn largest_dirty_data_max(campaign: &Campaign) -> u64 {
    let real = |variant| memory_limits::dirty_data_max(&campaign.host, variant);
    campaign.variants.iter().map(real).max().unwrap_or(0)
}

/// A variant's dirty-data limit in the model, given another's there and on the real server. A limit that was reduced
/// for the campaign is reduced alike for all: variants that differ in it still do, and bursts of each are as many times
/// longer on the real server.
pub(super) fn reduced(real: u64, other: u64, other_real: u64) -> u64 {
    if other >= other_real {
        return real;
    }
    (real as f64 * (other as f64 / other_real as f64)) as u64
}

/// The same S with the stocks of another variant, whose memory, stack or module parameters may
/// differ from the baseline's.
pub fn variant_model(model: &Model, host: &Host, variant: &Variant) -> Model {
    let host = &variant.host(host);
    let shrink = |bytes: u64| (bytes as f64 / model.size) as u64;
    let real = memory_limits::dirty_data_max(host, variant);
    let dirty = reduced(real, model.dirty_data_max, model.dirty_data_max_real);
    let wrlog = memory_limits::modelled_wrlog(host, variant, dirty);
    let arc_max = shrink(memory_limits::arc_max(host, variant)).max(64 << 20);
    Model {
        arc_max,
        guest_memory: memory_limits::guest_memory(arc_max, dirty, wrlog),
        dirty_data_max: dirty,
        dirty_data_max_real: real,
        wrlog_data_max: wrlog,
        module: match variant.is_zfs() {
            true => scaled(variant, host.cores, model.size),
            false => BTreeMap::new(),
        },
        ..model.clone()
    }
}

/// The model of one cell: that of its variant, with what the drives of this cell come to hold. Of the campaign's other
/// variants and workloads it has S and the dirty-data limit alone, so that to edit one of them leaves this cell as it is.
pub fn cell_model(model: &Model, campaign: &Campaign, variant: usize, workload: usize) -> Model {
    let variant = &campaign.variants[variant];
    let own = variant_model(model, &campaign.host, variant);
    let cell = Campaign {
        title: String::new(),
        source: None,
        name: String::new(),
        host: campaign.host,
        variants: vec![variant.clone()],
        workloads: vec![campaign.workloads[workload].on(variant)],
        method: campaign.method.clone(),
        scale: campaign.scale,
    };
    let drives_hold = held(&cell, &demand(&cell), &[own.dirty_data_max]).at(own.size);
    Model { drives_hold, ..own }
}

/// Module parameters that the scaling sets.
fn scaled(variant: &Variant, cores: u32, size: f64) -> BTreeMap<String, i64> {
    let mut module = BTreeMap::new();
    if !variant.module.contains_key(INDIRECT) {
        module.extend(indirect_shift(size).map(|shift| (INDIRECT.to_owned(), shift)));
    }
    for name in memory_limits::STOCKS {
        if let Some(bytes) = memory_limits::parameter(variant, name) {
            module.insert((*name).to_owned(), ((bytes as f64 / size) as i64).max(1));
        }
    }
    let feed = feed(variant, memory_limits::lists(cores, variant), size);
    module.extend(feed.into_iter().map(|(name, value)| (name.to_owned(), value)));
    module
}

/// S, and the rule that limits it.
fn choose(all: &[Cap], stated: Option<f64>) -> Result<(f64, String), Diagnostic> {
    let least = all.iter().filter(|cap| cap.lower);
    let least = least.max_by(|a, b| a.bound.total_cmp(&b.bound));
    let most = all.iter().filter(|cap| !cap.lower);
    let most = most.min_by(|a, b| a.bound.total_cmp(&b.bound));
    if let Some(size) = stated {
        return match most.filter(|most| size > most.bound) {
            Some(most) => Err(Diagnostic::error(format!(
                "size = {size} is too large for a faithful model: S may be at most {}, limited by {} ({})",
                // Down, so that what is printed is allowed.
                (most.bound * 10.0).floor() / 10.0,
                most.rule,
                most.why
            ))
            .fix(remedy(most))),
            None => Ok((size, "the lab".to_owned())),
        };
    }
    // Two figures are enough. Rounded up it fits the memory all the more, rounded down it is the truer.
    let needed = least.map_or(1.0, |cap| round_up(cap.bound));
    match (least, most) {
        (_, Some(most)) if needed > most.bound => {
            Ok((round_down(most.bound), most.rule.name().to_owned()))
        }
        (Some(least), _) if needed > 1.0 => Ok((needed, least.rule.name().to_owned())),
        _ => Ok((1.0, "nothing: full size fits".to_owned())),
    }
}

/// The remedy for an upper cap, including a smaller [scale] size.
fn remedy(cap: &Cap) -> String {
    format!("{}, or use a smaller [scale] size", cap.rule.remedy())
}

/// Whether the cells can also be run at the other sizes that the lab asks for.
fn check_sizes(all: &[Cap], size: f64, factors: &[f64]) -> Result<(), Diagnostic> {
    for factor in factors {
        let beyond = all.iter().filter(|cap| !cap.lower && size * factor > cap.bound);
        if let Some(cap) = beyond.min_by(|a, b| a.bound.total_cmp(&b.bound)) {
            return Err(Diagnostic::error(format!(
                "size_check = {factor} raises S from {size} to {}, which is too large for a \
                 faithful model: S may be at most {:.1}, limited by {} ({})",
                size * factor,
                cap.bound,
                cap.rule,
                cap.why
            ))
            .fix(format!("use a smaller factor; or {}", remedy(cap))));
        }
    }
    Ok(())
}

/// Rounded up to two significant figures, at least 1.
fn round_up(bound: f64) -> f64 {
    two_figures(bound, |figures| (figures - 1e-9).ceil())
}

/// Rounded down to two significant figures, at least 1.
fn round_down(bound: f64) -> f64 {
    two_figures(bound, |figures| (figures + 1e-9).floor())
}

fn two_figures(bound: f64, round: impl Fn(f64) -> f64) -> f64 {
    if !bound.is_finite() {
        return bound;
    }
    let bound = bound.max(1.0);
    let unit = 10f64.powf(bound.log10().floor() - 1.0);
    // 0.1 + 0.2 and its kin: what is printed is what is used.
    (round(bound / unit) * unit * 1000.0).round() / 1000.0
}
