//! Trials of a plan, with their inputs and keys.

use crate::engine::Engine;
use crate::error::Error;
use crate::inputs::Inputs;
use crate::trial_spec::TrialSpec;
use lab::campaign::{Campaign, OpenZfs, Program};
use lab::model::{Model, expected_rate};
use measurement::TrialKind;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use store::Key;

/// One trial to find in the store or to run.
#[derive(Debug, Clone)]
pub struct PlannedTrial {
    /// What it is, for people.
    pub name: String,
    /// Index of its variant and of its workload; trials of one cell take about as long.
    pub cell: (usize, usize),
    /// A guess of its operations in a virtual second: the more there are, the longer it takes.
    pub expected_rate: f64,
    /// What it answers: several specs where variants are identical.
    pub specs: Vec<TrialSpec>,
    /// Its key.
    pub key: Key,
    /// Its inputs.
    pub inputs: Inputs,
    /// The inputs as they are stored.
    pub bytes: Vec<u8>,
    /// Whether later trials begin with the same pool state.
    pub state_needed_again: bool,
}

impl PlannedTrial {
    /// Its specs, each with its entry in a campaign's record.
    pub fn entries(&self, campaign: &Campaign) -> impl Iterator<Item = (&TrialSpec, store::Entry)> {
        self.specs.iter().map(|spec| (spec, spec.entry(campaign, self.key.as_str())))
    }
}

/// The engine build of each release that a campaign runs on, with the client of each workload (its index).
#[derive(Debug, Clone, Default)]
pub struct Builds(BTreeMap<(OpenZfs, usize), Build>);

/// One of them.
#[derive(Debug, Clone)]
struct Build {
    /// The release, and where it is not fio the workload whose client it has.
    name: String,
    id: String,
}

impl Builds {
    /// Of this host.
    ///
    /// # Errors
    /// [`Error::Environment`] when it has no engine for one of them.
    pub fn new(engine: &dyn Engine, campaign: &Campaign) -> Result<Builds, Error> {
        let mut builds = BTreeMap::new();
        for variant in &campaign.variants {
            let release = variant.openzfs;
            for (index, workload) in campaign.workloads.iter().enumerate() {
                if let Entry::Vacant(vacant) = builds.entry((release, index)) {
                    let name = match &workload.program {
                        Program::Fio { .. } => release.to_string(),
                        Program::Pgbench(_)
                        | Program::Sysbench(_)
                        | Program::PgTestFsync(_)
                        | Program::Sqlite(_) => format!("{release} {}", workload.name),
                    };
                    let id = engine.build_id(release, &workload.program)?;
                    vacant.insert(Build { name, id });
                }
            }
        }
        Ok(Builds(builds))
    }

    /// By the names of the releases; a client other than fio has one of its own, with the workload's name.
    pub fn by_name(&self) -> BTreeMap<String, String> {
        let builds = self.0.values();
        builds.map(|build| (build.name.clone(), build.id.clone())).collect()
    }
}

/// Whether a trial is a rung or a re-run: one of several that begin with the pool state of a repeat. After a
/// restart a rung begins with a state that its own rate has warmed up.
pub(crate) fn shares_state(inputs: &Inputs) -> bool {
    let rung = inputs.rate.is_some() && !inputs.method.restart;
    rung || inputs.changed.is_some() || inputs.without.is_some()
}

/// Whether later trials may begin with the pool state of a repeat: those of other workloads, rungs, and re-runs,
/// which take the first repeat.
fn is_shared(campaign: &Campaign, spec: &TrialSpec, why: bool) -> bool {
    let method = &campaign.method;
    let rungs = campaign.workloads[spec.workload].rates.is_some() && !method.restart;
    campaign.workloads.len() > 1
        || (rungs && spec.repeat < method.min_trials)
        || (spec.repeat == 0 && (why || !method.sensitivity.is_empty()))
}

/// The trials of a round, in its order. Specs with the same inputs are one trial, which counts for all identical variants,
/// also for those that the round does not need. With `why`, re-runs without a cost follow.
///
/// # Errors
/// [`Error::Failed`] when inputs cannot be written.
pub fn of_round(
    campaign: &Campaign,
    model: &Model,
    builds: &Builds,
    round: &[TrialSpec],
    why: bool,
) -> Result<Vec<PlannedTrial>, Error> {
    let inputs_of = |spec: &TrialSpec| {
        let release = campaign.variants[spec.variant].openzfs;
        let build = builds.0.get(&(release, spec.workload));
        Inputs::new(campaign, model, spec, build.map_or("", |build| &build.id))
    };
    // Of each workload's first repeats, by variant: identical variants have equal ones.
    let first_key =
        |variant, workload| Ok(inputs_of(&TrialSpec::repeat(variant, workload, 0)).key()?.0);
    let keys_of = |workload| (0..campaign.variants.len()).map(|v| first_key(v, workload)).collect();
    let keys: Vec<Vec<Key>> =
        (0..campaign.workloads.len()).map(keys_of).collect::<Result<_, Error>>()?;
    let mut trials: Vec<PlannedTrial> = Vec::new();
    for spec in round {
        let inputs = inputs_of(spec);
        let (key, bytes) = inputs.key()?;
        let index = trials.iter().position(|trial| trial.key == key).unwrap_or(trials.len());
        if index == trials.len() {
            trials.push(PlannedTrial {
                name: spec.name(campaign),
                cell: (spec.variant, spec.workload),
                expected_rate: expected_rate(
                    campaign, &campaign.variants[spec.variant], &campaign.workloads[spec.workload],
                ),
                specs: Vec::new(),
                key,
                bytes,
                state_needed_again: match spec.kind {
                    TrialKind::Repeat => is_shared(campaign, spec, why),
                    _ => shares_state(&inputs),
                },
                inputs,
            });
        }
        let keys = &keys[spec.workload];
        for (variant, _) in keys.iter().enumerate().filter(|(_, key)| **key == keys[spec.variant]) {
            let spec = TrialSpec { variant, ..spec.clone() };
            if !trials[index].specs.contains(&spec) {
                trials[index].specs.push(spec);
            }
        }
    }
    Ok(trials)
}

/// A trial that is planned, failed or stored, from its stored inputs.
///
/// # Errors
/// [`Error::Environment`] where they are not of this version.
pub fn of_inputs(key: Key, bytes: Vec<u8>) -> Result<PlannedTrial, Error> {
    let inputs = Inputs::read(&bytes)?;
    Ok(PlannedTrial {
        name: format!("trial {}", key.short()),
        cell: (0, 0),
        expected_rate: 0.0,
        specs: Vec::new(),
        key,
        state_needed_again: shares_state(&inputs),
        inputs,
        bytes,
    })
}
