//! What the machine does in a trial, as a script.

use super::parameters::Parameters;
use crate::fault::Fault;
use crate::inputs::Inputs;
use crate::workload::fio::{COPY, LAYOUT, LEAD, PRE_READ, Prepared, WARM};
use lab::campaign::{DriveRef, MdArray, Stack, Variant};
use lab::command::{self, POOL};
use machine::engine::Engine;
use machine::script::{Command, Phase, Script, Step};
use machine::{DEVICE, INSIDE, warm};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the file system is mounted inside.
const MOUNT: &str = "/run/pool";
/// The array's device inside.
const ARRAY: &str = "/dev/md0";
/// How many times its own time a client may take before it is taken for hung, and seconds on top.
const LIMIT: (f64, f64) = (3.0, 600.0);
/// Seconds for clients that do not say how long they run.
const UNTIMED_S: f64 = 24.0 * 3600.0;

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
    fio: &Path,
    job: &Prepared,
    parameters: &Parameters,
) -> Result<Script, Fault> {
    let (mut steps, programs, pool) = build(inputs, engine, parameters);
    let client = |file: &str, output: &str| fio_command(fio, file, output);
    steps.push(Step::Phase(Phase::LayingOut));
    steps.push(Step::Run(client(LAYOUT, "layout")));
    steps.push(Step::Phase(Phase::Settling));
    steps.extend(reopen(inputs));
    if job.write_pre_read()? {
        steps.push(Step::Run(client(PRE_READ, "pre-read")));
    }
    let limit_s = inputs.method.warm_up_s;
    if limit_s > 0.0 {
        job.write_warm_up(limit_s)?;
        steps.push(Step::Phase(Phase::WarmingUp));
        steps.push(Step::Warm {
            command: client(WARM, "warm"),
            limit_s,
            period_s: warm::period_s(limit_s),
            fixed: false,
        });
    }
    if job.job.lead_s > 0.0 {
        job.write_lead()?;
        steps.push(Step::Phase(Phase::WarmingUp));
        steps.push(Step::Warm {
            command: client(LEAD, "lead"),
            limit_s: job.job.lead_s,
            period_s: warm::period_s(job.job.lead_s),
            fixed: true,
        });
    }
    if inputs.method.restart {
        steps.push(Step::Phase(Phase::Settling));
        steps.extend(reopen(inputs));
    }
    steps.push(Step::Phase(Phase::Measuring));
    let runs_s = job.job.runtime_s.map_or(UNTIMED_S, |s| s + job.job.ramp_s);
    steps.push(Step::Measure {
        command: client(COPY, "fio"),
        ramp_s: job.job.ramp_s,
        limit_s: LIMIT.0 * runs_s + LIMIT.1,
    });
    if inputs.variant.stack == Stack::Zfs {
        // For people: what they would look at on a real server.
        for (file, words) in [
            ("zpool-iostat.txt", &["zpool", "iostat", "-lqv", POOL][..]),
            ("zpool-iostat-histograms.txt", &["zpool", "iostat", "-w", POOL]),
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

/// The steps that build a variant, the programs that they need, and the name of the pool.
pub fn build(
    inputs: &Inputs,
    engine: &Engine,
    parameters: &Parameters,
) -> (Vec<Step>, BTreeMap<String, Vec<String>>, String) {
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
            steps.extend(pool(&inputs.variant));
            (steps, engine.programs(release), POOL.to_owned())
        }
        Stack::Md(array) => {
            steps.extend(md(array));
            (steps, BTreeMap::new(), String::new())
        }
    }
}

fn run(words: &[&str]) -> Command {
    Command::new(words.iter().copied())
}

fn fio_command(fio: &Path, file: &str, output: &str) -> Command {
    let program = fio.to_string_lossy();
    let json = format!("--output={output}.json");
    run(&[&program, "--output-format=json+", &json, file])
        .directory(INSIDE)
        .output(&format!("{output}.out"))
}

/// The commands that a person would type, on this machine's devices.
fn pool(variant: &Variant) -> Vec<Step> {
    let devices: BTreeMap<String, String> = variant
        .pool
        .vdevs
        .iter()
        .flat_map(|vdev| &vdev.drives)
        .map(|drive| (drive.to_string(), device(drive)))
        .collect();
    if devices.is_empty() {
        return Vec::new();
    }
    let commands = command::commands(variant);
    let mut create: Vec<String> = Vec::new();
    let mut after_name = false;
    for word in commands.create_pool.0 {
        match devices.get(&word) {
            Some(device) if after_name => create.push(device.clone()),
            _ => create.push(word.clone()),
        }
        if create.len() == 2 {
            // Behind `zpool create`: nothing is remembered outside the pool.
            create.extend(["-o", "cachefile=none", "-m", MOUNT].map(str::to_owned));
        }
        after_name |= word == POOL;
    }
    let rest = commands.set.into_iter().chain(commands.create_datasets);
    std::iter::once(create)
        .chain(rest.map(|command| command.0))
        .map(|argv| Step::Run(Command::new(argv)))
        .collect()
}

fn md(array: &MdArray) -> Vec<Step> {
    let count = array.drives.len().to_string();
    let mut create = vec!["mdadm", "--create", ARRAY, "--run", "--assume-clean"];
    let level = format!("--level={}", array.level);
    let members = format!("--raid-devices={count}");
    create.extend([level.as_str(), &members]);
    let chunk = array.chunk.map(|bytes| format!("--chunk={}K", bytes >> 10));
    create.extend(chunk.as_deref());
    let devices: Vec<String> = array.drives.iter().map(device).collect();
    create.extend(devices.iter().map(String::as_str));
    let format: &[&str] = match array.filesystem.as_str() {
        "ext4" => &["mkfs.ext4", "-q", "-F", ARRAY],
        _ => &["mkfs.xfs", "-q", "-f", ARRAY],
    };
    let options = match array.mount_options.as_str() {
        "" => "defaults",
        options => options,
    };
    [
        &create[..],
        format,
        &["mkdir", "-p", MOUNT],
        &["mount", "-o", options, ARRAY, MOUNT],
    ]
    .map(|words| Step::Run(run(words)))
    .into()
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
        Stack::Md(array) => {
            let options = match array.mount_options.as_str() {
                "" => "defaults",
                options => options,
            };
            vec![
                ["umount", MOUNT].map(str::to_owned).to_vec(),
                ["mount", "-o", options, ARRAY, MOUNT].map(str::to_owned).to_vec(),
            ]
        }
    };
    words
        .into_iter()
        .map(|argv| Step::Run(Command::new(argv)))
        .collect()
}
