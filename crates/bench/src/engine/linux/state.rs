//! Pool states: the contents of a trial's drives at its start. A state depends only on how it is made and on
//! its seed, which follows from the trial's. So every repeat has a layout of its own, and the spread of repeats
//! includes it; the rungs, re-runs and trials without a cost of one repeat share it. A stored state and a newly
//! made one give the same result.

use super::parameters::{Parameters, parameters};
use super::steps::{self, Work};
use super::{Given, Linux, devices, trial_error};
use crate::engine::TrialContext;
use crate::error::{Error, doing, host};
use crate::inputs::{Inputs, Timing};
use crate::workload::{self, Client, Place};
use contents::config::Config;
use contents::{PAGE, image};
use machine::memory::Memory;
use machine::outcome::Outcome;
use machine::script::Step;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use std::fs::{self, File};
use std::path::Path;
use std::sync::PoisonError;
use std::time::Instant;
use store::{Key, NewImage};

/// Where the machine that makes a state works, beside the directory of the trial's outputs.
const DIRECTORY: &str = "state";
/// The index that its drives are saved as.
const INDEX: &str = "index";
/// Bytes of an image that are written and hashed in a second of wall time: on a virtual host new pages of the page
/// cache are slow to be had. Measured: 4.7 GB in 27 s.
const STORED_IN_A_SECOND: f64 = 175e6;

/// A pool state, ready to begin with.
#[derive(Debug)]
pub(super) struct ReadyState {
    /// The image of the drives, or the index of what is in `memory`.
    pub image: File,
    /// The memory of the machine that made it, where that has just ended.
    pub memory: Option<Memory>,
    /// The outcome that the machine reported.
    pub outcome: Outcome,
}

/// Everything that a pool state depends on. The hash of its canonical JSON is the state's key.
#[derive(Debug, Serialize)]
struct Definition<'a> {
    build: &'a str,
    memory: u64,
    cores: u32,
    charged: bool,
    /// Seed of the machine that makes it.
    seed: u64,
    /// Without paths of the host.
    work: Work,
    /// The same.
    drives: Config,
}

/// A pool state to find or make.
#[derive(Debug)]
struct Wanted {
    key: Key,
    definition: Vec<u8>,
    /// The inputs of the machine that makes it.
    inputs: Inputs,
}

/// The seed of a trial's state: the first number of xoshiro256++ seeded with the trial's. It is another number,
/// so that offsets of files that are filled at random are not those of the measurement.
fn seed(trial: u64) -> u64 {
    Xoshiro256PlusPlus::seed_from_u64(trial).next_u64()
}

/// The inputs of the machine that makes a trial's state: a removed cost, a changed number of a drive and the
/// measurement come after it, and so does the warm-up unless the server is restarted then.
fn before(inputs: &Inputs) -> Inputs {
    let mut before = inputs.clone();
    before.seed = seed(inputs.seed);
    before.without = None;
    before.changed = None;
    if !inputs.method.restart {
        before.rate = None;
        before.method = Timing {
            runtime_s: None,
            ramp_s: 0.0,
            ramp_most_s: None,
            warm_up_s: 0.0,
            restart: false,
        };
    }
    before
}

/// How the machine makes it that has these inputs.
fn work(
    inputs: &Inputs,
    engine: &machine::engine::Engine,
    client: &dyn Client,
) -> (Work, Parameters) {
    let parameters = parameters(inputs, Some(client));
    let work = steps::state(inputs, engine, client, &parameters);
    (work, parameters)
}

impl Wanted {
    /// The state that a trial begins with.
    fn new(inputs: &Inputs, engine: &machine::engine::Engine) -> Result<Wanted, Error> {
        let inputs = before(inputs);
        let client = workload::prepare(&inputs, Place::Nowhere)?;
        let (work, parameters) = work(&inputs, engine, client.as_ref());
        let definition = Definition {
            build: &inputs.build,
            memory: inputs.model.guest_memory + parameters.more_memory,
            cores: inputs.host.cores,
            charged: super::charged(&inputs),
            seed: inputs.seed,
            work,
            drives: devices::config(&inputs)?,
        };
        // A `Value` keeps its keys sorted.
        let bytes = serde_json::to_value(definition).and_then(|value| serde_json::to_vec(&value));
        let definition = bytes.map_err(doing("write a state's inputs"))?;
        let key = Key::from_inputs(&definition);
        Ok(Wanted { key, definition, inputs })
    }
}

impl Linux {
    /// The state that a trial starts with: the stored one, or a new one.
    pub(super) fn state(
        &self,
        inputs: &Inputs,
        context: &TrialContext,
    ) -> Result<ReadyState, Error> {
        let wanted = Wanted::new(inputs, &self.engine)?;
        match self.stored(&wanted.key, context) {
            Some(state) => Ok(state),
            None => self.make(&wanted, &context.raw.with_file_name(DIRECTORY), context),
        }
    }

    /// A stored state. This process verifies its image once by reading all of it.
    fn stored(&self, key: &Key, context: &TrialContext) -> Option<ReadyState> {
        let verified = || self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let stop: &dyn Fn() -> bool = &|| context.stop.should_end();
        let check = (!verified().contains(key)).then_some(stop);
        let state = context.store.state(key, check)?;
        verified().insert(key.clone());
        Some(ReadyState {
            image: state.image,
            memory: None,
            outcome: serde_json::from_value(state.outcome).ok()?,
        })
    }

    /// Makes a state in a directory, which is gone afterwards. It stays in the memory of its machine, and is stored where
    /// it is needed again and storing it takes less time than making it.
    fn make(
        &self,
        wanted: &Wanted,
        directory: &Path,
        context: &TrialContext,
    ) -> Result<ReadyState, Error> {
        let begun = Instant::now();
        fs::create_dir(directory).map_err(host(format!("make {}", directory.display())))?;
        let memory = self.take_memory(directory)?;
        let outcome = self.lay_out(wanted, directory, &memory, context)?;
        let made_s = begun.elapsed().as_secs_f64();
        let path = directory.join(INDEX);
        let reading = || host(format!("read {}", path.display()));
        let index = File::open(&path).map_err(reading())?;
        fs::remove_file(&path).map_err(reading())?;
        let pages = index.metadata().map_err(reading())?.len() / image::INDEX_ENTRY;
        let stored_s = (pages * PAGE as u64) as f64 / STORED_IN_A_SECOND;
        if context.state_needed_again && made_s > stored_s {
            // Where it cannot be, the next trial that begins with this state makes it again.
            let _ = self.keep(wanted, directory, (&index, &memory), &outcome, context);
        }
        let _ = fs::remove_dir_all(directory);
        Ok(ReadyState { image: index, memory: Some(memory), outcome })
    }

    /// Runs the machine that makes a state.
    fn lay_out(
        &self,
        wanted: &Wanted,
        directory: &Path,
        memory: &Memory,
        context: &TrialContext,
    ) -> Result<Outcome, Error> {
        let inputs = &wanted.inputs;
        let client = workload::prepare(inputs, Place::Host)?;
        let client = client.as_ref();
        let (mut work, parameters) = work(inputs, &self.engine, client);
        work.script
            .steps
            .push(Step::Write { path: "/proc/drives".into(), text: format!("save {INDEX}") });
        let given = Given {
            inputs,
            raw: directory,
            work: &work,
            parameters: &parameters,
            drives: devices::config(inputs)?,
            image: None,
        };
        let outcome = self.start(&given, memory, context);
        outcome.map_err(|failure| trial_error(&failure, directory, Some(client)))
    }

    /// Stores a state that was just made in a directory, which goes to the store, unless it is stopped. Its drives are
    /// in memory.
    fn keep(
        &self,
        wanted: &Wanted,
        directory: &Path,
        (index, memory): (&File, &Memory),
        outcome: &Outcome,
        context: &TrialContext,
    ) -> Result<(), Error> {
        let store = context.store;
        let room = store::MOST.saturating_sub(wanted.inputs.model.drives_hold);
        store.trim_states(room)?;
        let stop = || context.stop.should_end();
        let writing = || doing(format!("write an image to {}", directory.display()));
        let mut image = NewImage::create(directory, &stop).map_err(writing())?;
        image::from_index(index, memory.drives(), &mut image).map_err(writing())?;
        let outcome = serde_json::to_value(outcome).map_err(doing("write a machine's outcome"))?;
        let (key, definition) = (&wanted.key, &wanted.definition);
        store.store_state(key, definition, outcome, directory, &image)?;
        self.states.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial_spec::TrialSpec;
    use lab::campaign::{Campaign, Processor};
    use lab::model::{HostLimits, resolve};
    use machine::engine::{Engine, Manifest};
    use measurement::{Cost, Perturbation, TrialKind};

    const LAB: &str = r#"
openzfs = "2.4"
[host]
memory = "32G"
[drives]
hdd = "2x hdd-7200-16t"
optane = "1x p1600x-118g"
[pool]
vdevs = "mirror hdd[0-1] log optane0"
[workloads.sync]
fio.job = """
[w]
rw=randrw
bs=16k
size=64g
runtime=10
ramp_time=2
"""
[method]
warm_up = "5s"
"#;

    fn campaign() -> Campaign {
        let profiles = lab::Profiles::builtin();
        lab::load("lab.toml", LAB, &lab::NoFiles, &profiles).unwrap().0
    }

    fn engine() -> Engine {
        Engine {
            manifest: Manifest {
                linux: "7.2".into(),
                key: "aa".into(),
                openzfs: Default::default(),
            },
            directory: "/anywhere".into(),
        }
    }

    fn wanted(campaign: &Campaign, spec: &TrialSpec) -> Wanted {
        let model = resolve(campaign, &HostLimits::MACHINE).unwrap();
        let inputs = Inputs::new(campaign, &model, spec, "build");
        Wanted::new(&inputs, &engine()).unwrap()
    }

    fn main() -> TrialSpec {
        TrialSpec::repeat(0, 0, 0)
    }

    #[test]
    fn the_measurement_does_not_change_the_state() {
        let stated = campaign();
        let state = wanted(&stated, &main());
        let kinds = [
            TrialKind::Rate(100.0),
            TrialKind::Without(Cost::Processor),
            TrialKind::Without(Cost::ArcSize),
            TrialKind::Without(Cost::Seek),
            TrialKind::Rerun(Perturbation {
                drive: "optane".into(),
                parameter: "flash.flush_us".into(),
                factor: 2.0,
            }),
        ];
        for kind in kinds {
            let again = wanted(&stated, &TrialSpec { kind, ..main() });
            assert_eq!(again.key, state.key);
            assert_eq!(again.inputs, state.inputs);
        }
        let changes: [&dyn Fn(&mut Campaign); 4] = [
            &|c| c.method.runtime_s = Some(7.0),
            &|c| c.method.ramp_s = 3.0,
            &|c| c.method.warm_up_s = 0.0,
            &|c| c.variants[0].name = "other".into(),
        ];
        for (i, change) in changes.iter().enumerate() {
            let mut changed = stated.clone();
            change(&mut changed);
            assert_eq!(wanted(&changed, &main()).key, state.key, "change {i}");
        }
    }

    #[test]
    fn every_repeat_has_a_layout_of_its_own_that_variants_and_costs_share() {
        let stated = campaign();
        let seeds: Vec<u64> = (0..3)
            .map(|repeat| wanted(&stated, &TrialSpec::repeat(0, 0, repeat)).inputs.seed)
            .collect();
        assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2] && seeds[0] != seeds[2]);
        assert_ne!(seeds[0], main().seed(&stated), "not the offsets of the measurement");
        let kind = TrialKind::Without(Cost::Seek);
        let (repeat, without) =
            (TrialSpec::repeat(0, 0, 2), TrialSpec { kind, ..TrialSpec::repeat(0, 0, 2) });
        assert_eq!(wanted(&stated, &without).key, wanted(&stated, &repeat).key);
        let mut variant = stated.clone();
        let root = variant.variants[0].datasets.entry(String::new()).or_default();
        root.insert("recordsize".into(), "16K".into());
        assert_eq!(wanted(&variant, &repeat).inputs.seed, seeds[2]);
    }

    #[test]
    fn the_drives_contents_change_the_state() {
        let stated = campaign();
        let mut keys =
            vec![wanted(&stated, &main()).key, wanted(&stated, &TrialSpec::repeat(0, 0, 1)).key];
        let kind = TrialKind::Size(2.0);
        keys.push(wanted(&stated, &TrialSpec { kind, ..main() }).key);
        let changes: [&dyn Fn(&mut Campaign); 6] = [
            &|c| c.method.seed += 1,
            &|c| c.host.processor = Processor::Free,
            &|c| c.host.memory *= 2,
            &|c| c.workloads[0].size = Some(32 << 30),
            &|c| {
                let root = c.variants[0].datasets.entry(String::new()).or_default();
                root.insert("recordsize".into(), "16K".into());
            },
            &|c| {
                let kind = c.variants[0].drives.get_mut("optane").unwrap();
                kind.numbers["flash"]["flush_us"] = serde_json::json!(11.0);
            },
        ];
        for change in changes {
            let mut changed = stated.clone();
            change(&mut changed);
            keys.push(wanted(&changed, &main()).key);
        }
        let all = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    /// Linux's own limits of dirty pages follow from memory, and with them what is where on a drive.
    #[test]
    fn the_memory_of_the_machine_that_makes_it_changes_the_state() {
        let fio = LAB.find("fio.job").unwrap();
        let method = LAB.find("[method]").unwrap();
        let keys = [4, 64].map(|clients| {
            let client =
                format!("sqlite = {{ rows = 1000000, clients = {clients}, writes = 0.1 }}\n");
            let lab = format!("{}{client}{}runtime = \"10s\"\n", &LAB[..fio], &LAB[method..]);
            let profiles = lab::Profiles::builtin();
            let campaign = lab::load("lab.toml", &lab, &lab::NoFiles, &profiles).unwrap().0;
            wanted(&campaign, &main()).key
        });
        assert_ne!(keys[0], keys[1]);
    }

    #[test]
    fn caches_are_warm_in_a_state_only_where_the_server_is_restarted() {
        let mut campaign = campaign();
        let text =
            |c: &Campaign, spec: &TrialSpec| String::from_utf8(wanted(c, spec).definition).unwrap();
        assert!(!text(&campaign, &main()).contains("warm.fio"));
        campaign.method.restart = true;
        assert!(text(&campaign, &main()).contains("warm.fio"));
        // Then the rate is part of it.
        let kind = TrialKind::Rate(100.0);
        let rung = wanted(&campaign, &TrialSpec { kind, ..main() });
        assert_ne!(rung.key, wanted(&campaign, &main()).key);
    }

    #[test]
    fn a_state_names_its_seed_and_no_path_of_the_host() {
        let state = wanted(&campaign(), &main());
        let text = String::from_utf8(state.definition).unwrap();
        assert!(!text.contains("/anywhere"), "{text}");
        // fio takes seeds of 63 bits here.
        let seed = state.inputs.seed;
        assert!(text.contains(&format!("randseed={}\\n", seed >> 1)), "{text}");
        assert!(text.contains(&format!("\"seed\":{seed}")), "{text}");
        assert_eq!((state.inputs.without, state.inputs.rate), (None, None));
    }
}
