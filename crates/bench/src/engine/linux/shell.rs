//! A shell in the modelled server, with a variant's pool built.

use super::parameters::parameters;
pub use super::steps::MOUNT;
use super::{DriveContents, Linux, devices, steps, trial_error};
use crate::error::{Error, doing};
use crate::inputs::Inputs;
use crate::stop::Stop;
use crate::workload::Client;
use contents::config::{Config, DriveConfig};
use lab::campaign::DriveRef;
use machine::memory::image;
use machine::script::{Command, Step};
use machine::start::Machine;
use machine::{INPUT, INSIDE};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// File in the machine's directory that an interactive shell begins with.
const RC: &str = "shell.rc";
/// File in the machine's directory with what is shown before the first prompt.
const GREETING: &str = "greeting";
/// File in the machine's directory with the output of a shell without a terminal.
const OUTPUT: &str = "output";

/// The shell to run.
pub struct Shell<'a> {
    /// The machine and its pool.
    pub inputs: &'a Inputs,
    /// The client that the machine has memory for; none for a shell alone.
    pub client: Option<&'a dyn Client>,
    /// Drives with contents: nothing is built or imported. Without them the pool is built on empty drives.
    pub drives: Option<(&'a Config, DriveContents<'a>)>,
    /// The machine's directory.
    pub directory: &'a Path,
    /// Virtual seconds per real second while the machine is idle; 0: its clock jumps.
    pub pace: u32,
    /// What is shown before the first prompt.
    pub greeting: &'a str,
    /// Commands; none for a person at the terminal.
    pub input: Option<&'a [u8]>,
}

/// Blank drives that the shell's machine has in addition to its pool, as replacements: one of each kind, with
/// the next number.
pub fn blank_drives(inputs: &Inputs) -> Vec<DriveRef> {
    let next = inputs.variant.drive_counts().into_iter();
    next.map(|(kind, index)| DriveRef { kind, index }).collect()
}

/// Adds the blank drives, each as large as the largest of its kind.
fn add_blank_drives(config: &mut Config, inputs: &Inputs) {
    for (number, blank) in blank_drives(inputs).into_iter().enumerate() {
        let same = inputs.variant.used_drives().filter(|drive| drive.kind == blank.kind);
        let names: Vec<String> = same.map(DriveRef::to_string).collect();
        let same = config.drives.iter().filter(|drive| names.contains(&drive.name));
        if let Some(largest) = same.max_by_key(|drive| drive.capacity).cloned() {
            let seed = !largest.seed ^ number as u64;
            config.drives.push(DriveConfig { name: blank.to_string(), seed, ..largest });
        }
    }
}

impl Linux {
    /// Runs a shell to its end; its exit code.
    ///
    /// # Errors
    /// Why the machine failed before.
    pub fn shell(&self, shell: &Shell, stop: &Stop) -> Result<u8, Error> {
        let Shell { inputs, directory, .. } = *shell;
        let parameters = parameters(inputs, shell.client);
        let mut steps = match shell.drives {
            None => steps::build(inputs, &self.engine, &parameters),
            Some(_) => steps::load(inputs, &self.engine, &parameters),
        };
        if shell.input.is_none() {
            // Lines of progress would stand on the terminal.
            steps.retain(|step| !matches!(step, Step::Stage(_)));
        }
        steps.push(Step::Shell(
            prepare(shell).map_err(doing(format!("write to {}", directory.display())))?,
        ));
        let script = steps::script(inputs, &self.engine, steps);
        let memory = self.take_memory(directory)?;
        let (drives, index) = match shell.drives {
            Some((drives, contents)) => {
                let index = contents.hand_over(&memory, directory)?;
                (Config { image: Some(image()), ..drives.clone() }, Some(index))
            }
            None => {
                let mut drives = devices::config(inputs)?;
                add_blank_drives(&mut drives, inputs);
                (drives, None)
            }
        };
        let machine = Machine {
            image: index.as_ref(),
            pace: shell.pace,
            patience: Duration::MAX,
            ..self.machine(inputs, &parameters, directory, &script, &memory)
        };
        let outcome = match shell.input {
            None => machine.interactive(&drives, &|| stop.should_end()),
            Some(_) => {
                let copies = RefCell::new([
                    Copy::new(directory, OUTPUT, io::stdout()),
                    Copy::new(directory, &format!("{OUTPUT}.err"), io::stderr()),
                ]);
                let copy = || copies.borrow_mut().iter_mut().for_each(Copy::copy_new);
                let ended = machine.run(&drives, &|_| (), &|| {
                    copy();
                    stop.should_end()
                });
                copy();
                ended
            }
        };
        let outcome = outcome.map_err(|failure| trial_error(&failure, directory, None))?;
        Ok(outcome.shell.and_then(|code| code.try_into().ok()).unwrap_or(1))
    }
}

/// Writes the shell's files; the command that starts it.
fn prepare(shell: &Shell) -> io::Result<Command> {
    let program = ["/bin/bash", "/bin/sh"].into_iter().find(|path| Path::new(path).exists());
    let program = program.unwrap_or("sh");
    if let Some(input) = shell.input {
        fs::write(shell.directory.join(INPUT), input)?;
        return Ok(Command::new([program]).output(OUTPUT));
    }
    fs::write(shell.directory.join(GREETING), shell.greeting)?;
    let prompt = r"PS1='\h:\w\$ '";
    fs::write(
        shell.directory.join(RC),
        format!("cat {INSIDE}/{GREETING}\n[ -n \"$BASH\" ] && {prompt}\n"),
    )?;
    let rc = format!("{INSIDE}/{RC}");
    let terminal = std::env::var("TERM").unwrap_or_else(|_| "linux".to_owned());
    // Other shells than bash read ENV. A session of its own with the terminal as its own: job control.
    let (terminal, env) = (format!("TERM={terminal}"), format!("ENV={rc}"));
    let words = ["env", &terminal, &env, "setsid", "-c", program];
    let of_bash = ["--rcfile", &rc].into_iter().filter(|_| program.ends_with("bash"));
    Ok(Command::new(words.into_iter().chain(of_bash)))
}

/// What a machine writes to a file, on its way to a standard stream.
struct Copy {
    path: std::path::PathBuf,
    file: Option<File>,
    to: Box<dyn Write>,
}

impl Copy {
    fn new(directory: &Path, file: &str, to: impl Write + 'static) -> Copy {
        Copy { path: directory.join(file), file: None, to: Box::new(to) }
    }

    /// Copies what is new. Nobody may listen any more, which is no reason to stop.
    fn copy_new(&mut self) {
        if self.file.is_none() {
            self.file = File::open(&self.path).ok();
        }
        if let Some(file) = &mut self.file {
            let _ = io::copy(file, &mut self.to).and_then(|_| self.to.flush());
        }
    }
}
