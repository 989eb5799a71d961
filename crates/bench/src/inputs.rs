//! Everything that a trial's result depends on.

use crate::error::{Error, doing};
use crate::trial_spec::TrialSpec;
use crate::{sensitivity, without_cost};
use lab::campaign::{Campaign, Host, Program, Variant, Workload};
use lab::model::{Model, cell_model};
use measurement::{Cost, Perturbation, TrialKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use store::Key;
use zfs::property::{Property, dataset, pool};

/// Version of [`Inputs`], of the rewritten job file, of how a pool state follows from them, of what a client is started
/// with, and of the result: a change to any of them changes the keys.
const FORMAT: u32 = 5;

/// The inputs of a trial. What has no effect on its result is left out (names of variant and workload,
/// prices, sources of numbers, notes), so that trials of identical configurations are one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    /// Version of this format.
    format: u32,
    /// Identity of the engine build, [`Engine::build_id`](crate::engine::Engine::build_id).
    pub build: String,
    /// The configuration as the lab states it. It has no name, levels or memory of its own, and no properties on which
    /// the machine does not act.
    pub variant: Variant,
    /// The client's settings. They have no name and no ladder.
    pub workload: Workload,
    /// How to measure.
    pub method: Timing,
    /// The scale model of this variant, without notes.
    pub model: Model,
    /// The modelled machine, with this variant's memory.
    pub host: Host,
    /// Seed of data, drives and offsets.
    pub seed: u64,
    /// Operations a virtual second of all jobs together, for an open loop; none for a closed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The cost that the machine runs without, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Cost>,
    /// The number of a drive that a re-run changes while the trial is measured, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Perturbation>,
}

/// The part of a campaign's method that affects one trial. All times are virtual seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The measured window; none leaves it to the job file's `runtime`.
    pub runtime_s: Option<f64>,
    /// Time before it, not measured.
    pub ramp_s: f64,
    /// Its maximum, also for a job file's own ramp.
    pub ramp_most_s: Option<f64>,
    /// Maximum time to warm caches; 0 for no warm-up.
    pub warm_up_s: f64,
    /// Whether the pool is exported and imported between the warm-up and the measurement.
    pub restart: bool,
}

impl Timing {
    /// Virtual seconds that a trial takes, as far as the lab says: a window that is left to the job file
    /// counts as a minute.
    pub fn virtual_s(&self) -> f64 {
        const UNKNOWN_S: f64 = 60.0;
        self.runtime_s.unwrap_or(UNKNOWN_S) + self.ramp_s + self.warm_up_s
    }
}

impl Inputs {
    /// The inputs of a trial of a campaign, on an engine build.
    pub fn new(campaign: &Campaign, model: &Model, spec: &TrialSpec, build: &str) -> Inputs {
        let (variant, method) = (&campaign.variants[spec.variant], &campaign.method);
        let mut model = model.clone();
        let (mut rate, mut without, mut changed) = (None, None, None);
        match &spec.kind {
            TrialKind::Repeat => {}
            TrialKind::Size(size) => model.size = *size,
            TrialKind::Rate(offered) => rate = Some(*offered),
            TrialKind::Without(cost) => without = Some(*cost),
            TrialKind::Rerun(change) => changed = Some(change.clone()),
        }
        let changed = changed.filter(|change| sensitivity::perturbed(variant, change).is_some());
        let model = cell_model(&model, campaign, spec.variant, spec.workload);
        let host = variant.host(&campaign.host);
        let workload = &campaign.workloads[spec.workload];
        let runtime_s = match without {
            Some(_) => without_cost::window_s(method, workload),
            None => method.runtime_s,
        };
        Inputs {
            format: FORMAT,
            build: build.to_owned(),
            variant: nameless_variant(variant),
            workload: nameless_workload(&workload.on(variant)),
            method: Timing {
                runtime_s,
                ramp_s: method.ramp_s,
                ramp_most_s: method.ramp_most_s,
                warm_up_s: method.warm_up_s,
                restart: method.restart,
            },
            model: Model {
                size_bound_by: String::new(),
                caps: Vec::new(),
                notes: Vec::new(),
                ..model
            },
            host: Host { memory_price: None, ..host },
            seed: spec.seed(campaign),
            rate,
            without,
            changed,
        }
    }

    /// The variant as measured: with the changed number of a re-run.
    pub fn measured_variant(&self) -> Cow<'_, Variant> {
        let changed = self.changed.as_ref();
        match changed.and_then(|change| sensitivity::perturbed(&self.variant, change)) {
            Some(variant) => Cow::Owned(variant),
            None => Cow::Borrowed(&self.variant),
        }
    }

    /// Reads what [`Inputs::bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::Environment`] when they are of another version of Poolwright.
    pub fn read(bytes: &[u8]) -> Result<Inputs, Error> {
        let other = |why: String| {
            Error::Environment(format!(
                "these inputs are from another version of Poolwright ({why}): plan the trial \
                 again with `poolwright run LAB --list`"
            ))
        };
        let inputs: Inputs = serde_json::from_slice(bytes).map_err(|e| other(e.to_string()))?;
        if inputs.format != FORMAT {
            return Err(other(format!("format {}, not {FORMAT}", inputs.format)));
        }
        // Fields that this version does not know would be dropped silently.
        match inputs.bytes()? == bytes {
            true => Ok(inputs),
            false => Err(other("unknown fields".into())),
        }
    }

    /// Canonical JSON: keys sorted, no blanks. Equal inputs have equal bytes.
    ///
    /// # Errors
    /// [`Error::Failed`] when they cannot be written as JSON.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        // A `Value` keeps its keys sorted.
        let bytes = serde_json::to_value(self).and_then(|value| serde_json::to_vec(&value));
        bytes.map_err(doing("write a trial's inputs"))
    }

    /// The key of the trial, and its inputs as they are stored.
    ///
    /// # Errors
    /// As [`Inputs::bytes`].
    pub fn key(&self) -> Result<(Key, Vec<u8>), Error> {
        let bytes = self.bytes()?;
        Ok((Key::from_inputs(&bytes), bytes))
    }
}

/// The variant without what does not affect the result: its name, its levels, unused drives, prices, names of
/// profiles and sources of their numbers. Its memory is the host's.
fn nameless_variant(variant: &Variant) -> Variant {
    let mut variant = variant.clone();
    variant.name = String::new();
    variant.levels.clear();
    variant.memory = None;
    // They are in the workload.
    variant.servers.clear();
    drop_idle_properties(&mut variant);
    // Drives that no vdev uses have no effect on the result.
    let used = variant.drive_counts();
    variant.drives.retain(|kind, _| used.contains_key(kind));
    for (name, kind) in &mut variant.drives {
        kind.count = used.get(name).copied().unwrap_or(0);
        kind.profile = String::new();
        kind.price = None;
        kind.numbers = plain(kind.numbers.take());
    }
    variant
}

/// Takes out the properties on which the machine does not act. Some would keep it from working: it has no key for a
/// prompt, and its clients work where its pool is mounted.
fn drop_idle_properties(variant: &mut Variant) {
    let release = variant.openzfs;
    let pool = |name: &str| pool::lookup(name, release).is_ok_and(Property::acts);
    variant.pool.properties.retain(|name, _| pool(name));
    let of_dataset = |name: &str| dataset::lookup(name, release).is_ok_and(Property::acts);
    for properties in variant.datasets.values_mut() {
        properties.retain(|name, _| of_dataset(name));
    }
}

fn nameless_workload(workload: &Workload) -> Workload {
    let mut workload = workload.clone();
    workload.name = String::new();
    workload.rates = None;
    match &mut workload.program {
        Program::Fio { origin, .. } => *origin = "job.fio".to_owned(),
        Program::Sysbench(_) | Program::PgTestFsync(_) | Program::Sqlite(_) => {}
        Program::Pgbench(pgbench) => {
            for script in &mut pgbench.scripts {
                script.name = String::new();
            }
        }
    }
    workload
}

/// The numbers of a profile in their short form: values without ranges and sources, no description.
fn plain(numbers: Value) -> Value {
    match numbers {
        Value::Object(mut fields) => {
            if let Some(value) = fields.get_mut("value") {
                return value.take();
            }
            if let Some(description) = fields.get_mut("description") {
                *description = Value::String(String::new());
            }
            let fields = fields.into_iter().map(|(name, of)| (name, plain(of)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        other => other,
    }
}
