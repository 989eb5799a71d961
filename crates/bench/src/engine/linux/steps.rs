//! The machine's scripts that make a pool state and run a trial.

use super::parameters::Parameters;
use crate::inputs::Inputs;
use crate::workload::{Client, ClientSteps};
use lab::build_commands::{self, POOL};
use lab::campaign::{DriveRef, FilesystemOnDrives, Stack, Variant};
use lab::units;
use machine::DEVICE;
use machine::engine::Engine;
use machine::script::{Command, Script, Step};
use measurement::Stage;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use zfs::property::{self, MachineEffect};

/// Where the file system is mounted inside.
pub const MOUNT: &str = "/run/pool";
const ARRAY: &str = "/dev/md/tank";

/// The directory that a trial's client works in, inside.
pub fn directory(inputs: &Inputs) -> PathBuf {
    match inputs.workload.dataset.as_str() {
        "" => PathBuf::from(MOUNT),
        dataset => Path::new(MOUNT).join(dataset),
    }
}

fn device(drive: &DriveRef) -> String {
    format!("{DEVICE}{drive}")
}

/// The script of a machine, and the client's files in its directory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Work {
    /// The script.
    pub script: Script,
    /// Name → text.
    pub files: BTreeMap<String, String>,
}

/// A script with the pool of the variant and the programs that it needs.
pub fn script(inputs: &Inputs, engine: &Engine, steps: Vec<Step>) -> Script {
    match &inputs.variant.stack {
        Stack::Zfs => {
            let programs = engine.inside().programs(inputs.variant.openzfs.name());
            Script { pool: POOL.to_owned(), programs, steps }
        }
        Stack::Filesystem(_) => Script { steps, ..Script::default() },
    }
}

impl Work {
    fn new(inputs: &Inputs, engine: &Engine) -> Work {
        Work { script: script(inputs, engine, Vec::new()), files: BTreeMap::new() }
    }

    fn stage(&mut self, stage: Stage) {
        self.script.steps.push(Step::Stage(stage));
    }

    fn add(&mut self, steps: impl IntoIterator<Item = Step>) {
        self.script.steps.extend(steps);
    }

    /// A part of the client's work, with its files.
    fn client(&mut self, part: ClientSteps) {
        self.add(part.steps);
        self.files.extend(part.files);
    }
}

/// How a pool state is made: the variant is built, the client's data is laid out, and everything is written.
/// Where the lab restarts the server before it measures, caches are warmed before that.
pub fn state(
    inputs: &Inputs,
    engine: &Engine,
    client: &dyn Client,
    parameters: &Parameters,
) -> Work {
    let mut work = Work::new(inputs, engine);
    work.add(build(inputs, engine, parameters));
    work.stage(Stage::LayingOut);
    work.add(place(inputs));
    work.client(client.lay_out());
    work.stage(Stage::Settling);
    work.add(close(inputs));
    if inputs.method.restart {
        work.add(open(inputs));
        work.client(client.start());
        work.client(client.warm_up(inputs.method.warm_up_s));
        work.client(client.stop());
        work.stage(Stage::Settling);
        work.add(close(inputs));
    }
    work
}

/// A trial on drives that hold its pool state.
pub fn trial(
    inputs: &Inputs,
    engine: &Engine,
    client: &dyn Client,
    parameters: &Parameters,
) -> Work {
    let mut work = Work::new(inputs, engine);
    work.stage(Stage::Settling);
    work.add(modules(inputs, engine, parameters));
    work.add(open(inputs));
    work.client(client.start());
    if !inputs.method.restart {
        work.client(client.warm_up(inputs.method.warm_up_s));
    }
    work.stage(Stage::Measuring);
    work.client(client.measure());
    work.client(client.stop());
    if inputs.variant.stack == Stack::Zfs {
        // For people: the output that they would check on a real server.
        let looks = [
            ("zpool-iostat.txt", &["zpool", "iostat", "-lqv", POOL][..]),
            ("zpool-iostat-histograms.txt", &["zpool", "iostat", "-w", POOL]),
            ("zpool-status.txt", &["zpool", "status", POOL]),
        ];
        let look = |(file, words)| Command { may_fail: true, ..run(words).output(file) };
        work.add(looks.map(|of| Step::Run(look(of))));
    }
    work
}

/// The steps that load the kernel's modules.
fn modules(inputs: &Inputs, engine: &Engine, parameters: &Parameters) -> Vec<Step> {
    let release = inputs.variant.openzfs.name();
    let load = |(module, values)| Step::Module {
        file: engine.inside().module(release, module),
        parameters: Parameters::line(values),
    };
    match &inputs.variant.stack {
        Stack::Zfs => [("spl", &parameters.spl), ("zfs", &parameters.zfs)].map(load).to_vec(),
        Stack::Filesystem(_) => Vec::new(),
    }
}

/// The steps that build a variant from empty drives.
pub fn build(inputs: &Inputs, engine: &Engine, parameters: &Parameters) -> Vec<Step> {
    let mut steps = load(inputs, engine, parameters);
    steps.extend(commands(inputs));
    steps
}

/// The first of them: those that load the kernel's modules.
pub fn load(inputs: &Inputs, engine: &Engine, parameters: &Parameters) -> Vec<Step> {
    let mut steps = vec![Step::Stage(Stage::Building)];
    steps.extend(modules(inputs, engine, parameters));
    steps
}

/// A file system has no datasets: the directory that a workload's dataset is there.
pub fn place(inputs: &Inputs) -> Option<Step> {
    let is_root = inputs.workload.dataset.is_empty();
    let directory = directory(inputs);
    (!inputs.variant.is_zfs() && !is_root)
        .then(|| Step::Run(run(&["mkdir", "-p", &directory.to_string_lossy()])))
}

fn run(words: &[&str]) -> Command {
    Command::new(words.iter().copied())
}

/// The commands that a person would type, with this machine's devices and place.
fn commands(inputs: &Inputs) -> Vec<Step> {
    let variant = &inputs.variant;
    let devices: BTreeMap<String, String> =
        variant.used_drives().map(|drive| (drive.to_string(), device(drive))).collect();
    if devices.is_empty() {
        return Vec::new();
    }
    let commands = build_commands::commands(&modelled(variant, inputs.model.size));
    let all = commands.create.into_iter().chain(commands.set);
    all.chain(commands.create_datasets)
        .map(|command| Step::Run(Command::new(here(command.0, &devices))))
        .collect()
}

/// The variant at size scale S: with quotas and reservations divided by S.
fn modelled(variant: &Variant, size: f64) -> Variant {
    let mut variant = variant.clone();
    let release = variant.openzfs;
    for (name, value) in variant.datasets.values_mut().flatten() {
        let property = property::dataset::lookup(name, release);
        if property.is_ok_and(|property| property.effect == MachineEffect::Scaled)
            && let Ok(bytes) = units::size(value)
        {
            *value = ((bytes as f64 / size) as u64).max(1).to_string();
        }
    }
    variant
}

/// A command of a real server on this machine: its devices, and where it mounts.
fn here(words: Vec<String>, devices: &BTreeMap<String, String>) -> Vec<String> {
    let zpool_create = words.starts_with(&["zpool".to_owned(), "create".to_owned()]);
    let mut argv = Vec::new();
    for (index, word) in words.into_iter().enumerate() {
        argv.push(match devices.get(&word) {
            Some(device) => device.clone(),
            None if word == format!("/{POOL}") => MOUNT.to_owned(),
            None => word,
        });
        if zpool_create && index == 1 {
            // Nothing is remembered outside the pool.
            argv.extend(["-o", "cachefile=none", "-m", MOUNT].map(str::to_owned));
        }
        // The array is not zeroed first, and mdadm does not prompt.
        if argv == ["mdadm", "--create"] {
            argv.extend(["--run", "--assume-clean"].map(str::to_owned));
        }
    }
    argv
}

/// Writes everything dirty and releases the drives, as a shutdown of the server does.
fn close(inputs: &Inputs) -> Vec<Step> {
    let words: Vec<&[&str]> = match &inputs.variant.stack {
        Stack::Zfs => vec![&["zpool", "sync", POOL], &["zpool", "export", POOL]],
        Stack::Filesystem(on_drives) => {
            let stop = on_drives.level.map(|_| &["mdadm", "--stop", ARRAY][..]);
            std::iter::once(&["umount", MOUNT][..]).chain(stop).collect()
        }
    };
    words.into_iter().map(|words| Step::Run(run(words))).collect()
}

/// Imports or assembles and mounts it again, with empty caches.
fn open(inputs: &Inputs) -> Vec<Step> {
    let command = |argv| Step::Run(Command::new(argv));
    match &inputs.variant.stack {
        Stack::Zfs => {
            let mut import = vec!["zpool".to_owned(), "import".to_owned()];
            for vdev in &inputs.variant.pool.vdevs {
                for drive in &vdev.drives {
                    import.extend(["-d".to_owned(), device(drive)]);
                }
            }
            import.extend(["-o", "cachefile=none", POOL].map(str::to_owned));
            vec![command(import)]
        }
        Stack::Filesystem(on_drives) => {
            let assemble = on_drives.level.map(|_| {
                let mut assemble = ["mdadm", "--assemble", ARRAY].map(str::to_owned).to_vec();
                assemble.extend(on_drives.drives.iter().map(device));
                command(assemble)
            });
            assemble.into_iter().chain([command(mount(inputs))]).collect()
        }
    }
}

/// The command that mounts a file system without ZFS.
pub fn mount(inputs: &Inputs) -> Vec<String> {
    match commands(inputs).pop() {
        Some(Step::Run(command)) => command.argv,
        _ => Vec::new(),
    }
}

/// The device of a file system without ZFS: its array or its drive.
pub fn filesystem_device(on_drives: &FilesystemOnDrives) -> String {
    match (on_drives.level, on_drives.drives.first()) {
        (None, Some(drive)) => device(drive),
        _ => ARRAY.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parameters;
    use super::*;
    use crate::trial_spec::TrialSpec;
    use crate::workload::{self, Place};
    use lab::model::{HostLimits, resolve};
    use machine::engine::Manifest;

    /// What the machines of a stack run besides the client, those of its state and of its trial.
    fn programs(stack: &str) -> [Vec<String>; 2] {
        let text = format!(
            "{stack}\n[host]\nmemory = \"8G\"\n[drives]\nnvme = \"3x pm9a3-1.92t\"\n\
             [workloads.w]\ndataset = \"db\"\nfio.job = \"[w]\\nrw=read\\nsize=1g\\nruntime=5\\n\"\n"
        );
        let profiles = lab::Profiles::builtin();
        let (campaign, _) = lab::load("lab.toml", &text, &lab::NoFiles, &profiles).unwrap();
        let model = resolve(&campaign, &HostLimits::MACHINE).unwrap();
        let inputs = Inputs::new(&campaign, &model, &TrialSpec::repeat(0, 0, 0), "build");
        let manifest = Manifest { linux: "7.2".into(), key: "aa".into(), openzfs: BTreeMap::new() };
        let engine = Engine { manifest, directory: "/anywhere".into() };
        let client = workload::prepare(&inputs, Place::Nowhere).unwrap();
        let client = client.as_ref();
        let parameters = parameters::parameters(&inputs, Some(client));
        let works = [state, trial].map(|work| work(&inputs, &engine, client, &parameters).script);
        works.map(|script| {
            assert!(script.programs.is_empty() && script.pool.is_empty());
            let own = |step: &Step| match step {
                Step::Run(command) => Some(command.argv.join(" ")),
                Step::Module { file, .. } => panic!("{} is loaded", file.display()),
                _ => None,
            };
            let own = script.steps.iter().filter_map(own);
            own.filter(|line| !line.contains("fio")).collect()
        })
    }

    /// The variant of a lab with one NVMe drive.
    fn variant(pool: &str) -> Variant {
        let text = format!(
            "[host]\nmemory = \"8G\"\n[drives]\nnvme = \"1x pm9a3-1.92t\"\n[pool]\nvdevs = \"nvme0\"\n{pool}\n\
             [workloads.w]\ndataset = \"db\"\nfio.job = \"[w]\\nrw=read\\nsize=1g\\nruntime=5\\n\"\n"
        );
        let profiles = lab::Profiles::builtin();
        let (mut campaign, _) = lab::load("lab.toml", &text, &lab::NoFiles, &profiles).unwrap();
        campaign.variants.remove(0)
    }

    #[test]
    fn quotas_and_reservations_are_divided_by_the_size_scale() {
        let stated = "[datasets.db]\nquota = \"1G\"\nreservation = \"none\"\nrecordsize = \"16K\"";
        let at_4 = modelled(&variant(stated), 4.0);
        let value = |name: &str| at_4.datasets["db"][name].as_str();
        assert_eq!(
            (value("quota"), value("reservation"), value("recordsize")),
            ("268435456", "none", "16K")
        );
    }

    #[test]
    fn a_lone_drive_is_formatted_once_and_mounted_again_without_md() {
        let [state, trial] =
            programs("stack = \"ext4\"\ndrive = \"nvme2\"\nmount_options = \"noatime\"");
        let mount = format!("mount --mkdir -o noatime {DEVICE}nvme2 {MOUNT}");
        assert_eq!(
            state,
            [
                format!("mkfs.ext4 {DEVICE}nvme2"),
                mount.clone(),
                format!("mkdir -p {MOUNT}/db"),
                format!("umount {MOUNT}")
            ]
        );
        assert_eq!(trial, [mount]);
    }

    #[test]
    fn an_array_is_assembled_from_its_drives_and_stopped() {
        let [state, trial] = programs("stack = \"md\"\nmd = \"raid1 nvme[0-1]\"");
        let drives = format!("{DEVICE}nvme0 {DEVICE}nvme1");
        assert!(
            state[0].starts_with("mdadm --create --run") && state[0].ends_with(&drives),
            "{state:?}"
        );
        assert_eq!(
            state[3..],
            [
                format!("mkdir -p {MOUNT}/db"),
                format!("umount {MOUNT}"),
                format!("mdadm --stop {ARRAY}")
            ]
        );
        assert_eq!(
            trial,
            [
                format!("mdadm --assemble {ARRAY} {drives}"),
                format!("mount --mkdir {ARRAY} {MOUNT}")
            ]
        );
    }
}
