//! What the machine does in a trial, as a script.

use super::parameters::Parameters;
use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::workload::Client;
use lab::campaign::{DriveRef, Stack, Variant};
use lab::command::{self, POOL};
use lab::property::{self, Effect};
use machine::engine::Engine;
use machine::script::{Command, Phase, Script, Step};
use machine::{DEVICE, warm};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the file system is mounted inside.
pub const MOUNT: &str = "/run/pool";

/// The directory that a trial's client works in, inside.
pub fn directory(inputs: &Inputs) -> PathBuf {
    match inputs.workload.dataset.as_str() {
        "" => PathBuf::from(MOUNT),
        dataset => Path::new(MOUNT).join(dataset),
    }
}

/// The device of a drive.
fn device(drive: &DriveRef) -> String {
    format!("{DEVICE}{drive}")
}

/// The script of a trial.
///
/// # Errors
/// What of the job cannot be written.
pub fn script(
    inputs: &Inputs,
    engine: &Engine,
    client: &dyn Client,
    parameters: &Parameters,
) -> Result<Script, Fault> {
    let (mut steps, programs, pool) = build(inputs, engine, parameters);
    steps.push(Step::Phase(Phase::LayingOut));
    steps.extend(client.lay_out());
    steps.push(Step::Phase(Phase::Settling));
    steps.extend(reopen(inputs));
    steps.extend(work(inputs, client)?);
    if inputs.variant.stack == Stack::Zfs {
        // For people: what they would look at on a real server.
        for (file, words) in [
            ("zpool-iostat.txt", &["zpool", "iostat", "-lqv", POOL][..]),
            (
                "zpool-iostat-histograms.txt",
                &["zpool", "iostat", "-w", POOL],
            ),
            ("zpool-status.txt", &["zpool", "status", POOL]),
        ] {
            steps.push(Step::Run(run(words).output(file).may_fail()));
        }
    }
    Ok(Script {
        pool,
        programs,
        steps,
    })
}

/// What the client does once its data is laid out and no cache holds any of it.
fn work(inputs: &Inputs, client: &dyn Client) -> Result<Vec<Step>, Fault> {
    let mut steps = client.start();
    steps.extend(client.pre_read()?);
    let limit_s = inputs.method.warm_up_s;
    if limit_s > 0.0 {
        steps.push(Step::Phase(Phase::WarmingUp));
        steps.push(Step::Warm {
            command: client.warm_up(limit_s)?,
            limit_s,
            period_s: warm::period_s(limit_s),
            fixed: false,
        });
    }
    if let Some((ramp_s, command)) = client.ramp()? {
        steps.push(Step::Phase(Phase::WarmingUp));
        steps.push(Step::Warm {
            command,
            limit_s: ramp_s,
            period_s: warm::period_s(ramp_s),
            fixed: true,
        });
    }
    if inputs.method.restart {
        steps.extend(client.stop());
        steps.push(Step::Phase(Phase::Settling));
        steps.extend(reopen(inputs));
        steps.extend(client.start());
    }
    steps.push(Step::Phase(Phase::Measuring));
    steps.extend(client.measure());
    steps.extend(client.stop());
    Ok(steps)
}

/// The steps that build a variant, the programs that they need, and the name of the pool.
pub fn build(
    inputs: &Inputs,
    engine: &Engine,
    parameters: &Parameters,
) -> (Vec<Step>, BTreeMap<String, Vec<String>>, String) {
    let engine = engine.inside();
    let mut steps = vec![Step::Phase(Phase::Building)];
    match &inputs.variant.stack {
        Stack::Zfs => {
            let release = inputs.variant.openzfs.name();
            for (module, values) in [("spl", &parameters.spl), ("zfs", &parameters.zfs)] {
                steps.push(Step::Module {
                    file: engine.module(release, module),
                    parameters: Parameters::line(values),
                });
            }
            steps.extend(commands(&inputs.variant));
            (steps, engine.programs(release), POOL.to_owned())
        }
        Stack::Md(_) => {
            steps.extend(commands(&inputs.variant));
            (steps, BTreeMap::new(), String::new())
        }
    }
}

fn run(words: &[&str]) -> Command {
    Command::new(words.iter().copied())
}

/// The commands that a person would type, with this machine's devices and place.
fn commands(variant: &Variant) -> Vec<Step> {
    let devices: BTreeMap<String, String> = variant
        .used_drives()
        .map(|drive| (drive.to_string(), device(drive)))
        .collect();
    if devices.is_empty() {
        return Vec::new();
    }
    let commands = command::commands(&modelled(variant));
    let all = commands.create.into_iter().chain(commands.set);
    all.chain(commands.create_datasets)
        .map(|command| Step::Run(Command::new(here(command.0, &devices))))
        .collect()
}

/// The variant without properties that the machine leaves out (a key that a person would type, say).
fn modelled(variant: &Variant) -> Variant {
    let mut variant = variant.clone();
    let release = variant.openzfs;
    for properties in variant.datasets.values_mut() {
        properties.retain(|name, _| {
            let property = property::dataset::lookup(name, release);
            !property.is_ok_and(|p| matches!(p.effect, Effect::NotModelled(_)))
        });
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
        // An array is not filled with zeros first, and nobody is asked.
        if argv == ["mdadm", "--create"] {
            argv.extend(["--run", "--assume-clean"].map(str::to_owned));
        }
    }
    argv
}

/// Everything dirty is written and every cache emptied, as by a restart of the server.
fn reopen(inputs: &Inputs) -> Vec<Step> {
    let words: Vec<Vec<String>> = match &inputs.variant.stack {
        Stack::Zfs => {
            let mut import = vec!["zpool".to_owned(), "import".to_owned()];
            for vdev in &inputs.variant.pool.vdevs {
                for drive in &vdev.drives {
                    import.extend(["-d".to_owned(), device(drive)]);
                }
            }
            import.extend(["-o", "cachefile=none", POOL].map(str::to_owned));
            vec![
                ["zpool", "sync", POOL].map(str::to_owned).to_vec(),
                ["zpool", "export", POOL].map(str::to_owned).to_vec(),
                import,
            ]
        }
        Stack::Md(_) => {
            let mount = commands(&inputs.variant).pop();
            let unmount = Step::Run(run(&["umount", MOUNT]));
            return std::iter::once(unmount).chain(mount).collect();
        }
    };
    words
        .into_iter()
        .map(|argv| Step::Run(Command::new(argv)))
        .collect()
}
