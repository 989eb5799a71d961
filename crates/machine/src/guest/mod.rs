//! Inside the machine: the first process, which carries out a [`Script`] and ends the machine.

mod mounts;
mod programs;
mod sampler;

use crate::outcome::{Outcome, WarmUp};
use crate::script::{Command, Script, Step};
use crate::{INSIDE, OUTCOME, PROGRESS, SCRIPT};
use programs::Running;
pub use programs::run as execute;
use sampler::Sampler;
use std::ffi::CStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What the first process' program does in a machine takes no virtual time, in other processes too, except in those with
/// this name (linux/driver/processor.c).
const CLIENT: &CStr = c"client";

/// The calling process, on its main thread, is a client of the modelled host from now on: its system calls take time.
pub fn charge_system_calls() {
    // A short name is always taken.
    let _ = rustix::thread::set_name(CLIENT);
}

/// Runs as the first process of a machine whose directory is `directory` on the host, and its engine's
/// `engine`. Does not return: the machine ends with it.
pub fn run(directory: &Path, engine: &Path) -> ! {
    let outcome = match prepared(directory, engine) {
        Ok(script) => carry_out(&script),
        Err(why) => Outcome { failure: Some(why), ..Outcome::default() },
    };
    // Without a directory of its own the console is all there is.
    if let Some(why) = &outcome.failure {
        println!("the machine's script failed: {why}");
    }
    let text = serde_json::to_vec(&outcome).unwrap_or_default();
    if let Err(why) = fs::write(Path::new(INSIDE).join(OUTCOME), text) {
        println!("cannot write the outcome: {why}");
    }
    loop {
        if let Err(why) = rustix::system::reboot(rustix::system::RebootCommand::PowerOff) {
            println!("cannot end the machine: {why}");
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}

fn prepared(directory: &Path, engine: &Path) -> Result<Script, String> {
    mounts::mount_all(directory, engine)?;
    let path = Path::new(INSIDE).join(SCRIPT);
    let text = fs::read_to_string(&path).map_err(|e| format!("cannot read the script: {e}"))?;
    let script: Script =
        serde_json::from_str(&text).map_err(|e| format!("cannot read the script: {e}"))?;
    programs::install(&script.programs)?;
    // A person at a shell has the host's users and settings.
    if !script.steps.iter().any(|step| matches!(step, Step::Shell(_))) {
        mounts::replace_settings()?;
    }
    Ok(script)
}

fn carry_out(script: &Script) -> Outcome {
    let begun = Instant::now();
    let mut outcome = Outcome::default();
    for step in &script.steps {
        if let Step::Stage(stage) = step {
            if outcome.built_s == 0.0 && *stage != measurement::Stage::Building {
                outcome.built_s = begun.elapsed().as_secs_f64();
            }
            // A stage is a word; the console takes it as JSON.
            println!("{PROGRESS}{}", serde_json::to_string(stage).unwrap_or_default());
            continue;
        }
        if let Err(why) = one(script, step, &mut outcome) {
            outcome.failure = Some(why);
            break;
        }
    }
    outcome
}

fn one(script: &Script, step: &Step, outcome: &mut Outcome) -> Result<(), String> {
    match step {
        Step::Stage(_) => Ok(()),
        Step::Module { file, parameters } => module(file, parameters),
        Step::Write { path, text } => {
            fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
        }
        Step::Run(command) => programs::run(command),
        Step::Warm { command, limit_s, period_s, fixed } => {
            let until = Duration::from_secs_f64(*limit_s);
            outcome.warm_up = Some(warm(&script.pool, command, until, *period_s, *fixed)?);
            Ok(())
        }
        Step::Measure { command, ramp_s, limit_s } => {
            let limit = Duration::from_secs_f64(*limit_s);
            let mut sampler = Sampler::new(&script.pool);
            let mut running = Running::start(command)?;
            let window = Instant::now() + Duration::from_secs_f64(*ramp_s);
            let mut second = 0;
            let ended = loop {
                let tick = window + Duration::from_secs(second);
                if running.ended_by(tick)? {
                    break true;
                }
                outcome.samples.push(sampler.sample(second as f64));
                if running.age() > limit {
                    break false;
                }
                second += 1;
            };
            let at = Instant::now().saturating_duration_since(window);
            outcome.samples.push(sampler.sample(at.as_secs_f64()));
            if !ended {
                running.kill();
                return Err(format!(
                    "{} did not end within {limit_s:.0} s of the machine's time and was ended",
                    command.argv.join(" ")
                ));
            }
            running.finish()
        }
        Step::Shell(command) => {
            outcome.shell = Some(programs::shell(command)?);
            Ok(())
        }
    }
}

/// Runs a program until the caches are warm or the time is over.
fn warm(
    pool: &str,
    command: &Command,
    limit: Duration,
    period_s: f64,
    fixed: bool,
) -> Result<WarmUp, String> {
    let mut sampler = Sampler::new(pool);
    let mut running = Running::start(command)?;
    let begun = Instant::now();
    let mut samples = vec![sampler.sample(0.0)];
    let mut settled = false;
    while begun.elapsed() < limit && !settled {
        let tick = begun + Duration::from_secs(samples.len() as u64);
        if running.ended_by(tick.min(begun + limit))? {
            running.finish()?;
            break;
        }
        samples.push(sampler.sample(begun.elapsed().as_secs_f64()));
        settled = !fixed && crate::warm::warmth(&samples, period_s).settled;
    }
    running.kill();
    Ok(WarmUp {
        seconds: begun.elapsed().as_secs_f64(),
        settled,
        hit_ratio: crate::warm::warmth(&samples, period_s).hit_ratio,
    })
}

fn module(file: &Path, parameters: &str) -> Result<(), String> {
    let load = || -> Result<(), String> {
        let module = fs::File::open(file).map_err(|e| e.to_string())?;
        let parameters = std::ffi::CString::new(parameters).map_err(|e| e.to_string())?;
        rustix::system::finit_module(&module, &parameters, 0).map_err(|e| e.to_string())
    };
    load().map_err(|why| {
        format!(
            "cannot load {} with {parameters:?}: {why} (the console has the kernel's reason)",
            file.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::CLIENT;

    #[test]
    fn the_kernel_charges_processes_of_this_name() {
        let driver = include_str!("../../../../linux/driver/processor.c");
        let line = format!("#define CLIENT_NAME \"{}\"\n", CLIENT.to_str().unwrap());
        assert!(driver.contains(&line), "{line}");
    }
}
