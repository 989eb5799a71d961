//! `--replay SEED`: a shell on the drives of a crash state.

use super::crash_drives::CrashDrives;
use super::states::{AfterCut, Setup};
use crate::shell;
use ::machine::scratch::Scratch;
use bench::engine::linux::Linux;
use bench::engine::linux::shell::Shell;
use bench::error::{Error, doing, host};
use bench::workload::Client;
use std::fs;

/// Writes as the lab has it, cuts the power and runs a shell; its exit code.
pub fn open(linux: &Linux, setup: &Setup, title: &str, seed: u64) -> Result<u8, Error> {
    let scratch = Scratch::new().map_err(doing("make a directory for the machine"))?;
    let input = shell::input().map_err(doing("read standard input"))?;
    let recorded = setup.record(&scratch.path().join("kept"), true)?;
    let mut base = CrashDrives::new(&setup.variant.drives()?);
    let directory = scratch.path().join("state");
    fs::create_dir(&directory).map_err(host(format!("make {}", directory.display())))?;
    let after = setup.cut(&recorded, &mut base, seed)?;
    let shell = Shell {
        inputs: setup.inputs,
        client: setup.database.map(|database| database.client.as_ref() as &dyn Client),
        greeting: &greeting(title, &after, &setup.storage(&after.drives).open_command()),
        drives: Some((&after.drives, base.contents_of(&after.contents))),
        directory: &directory,
        pace: 0,
        input: input.as_deref(),
    };
    linux.shell(&shell, setup.stop)
}

/// What a person should know before the first prompt.
fn greeting(title: &str, after: &AfterCut, open: &str) -> String {
    let AfterCut { drives, state, .. } = after;
    let failed = drives.drives.iter().filter(|drive| drive.failed);
    let failed: String = failed.map(|drive| format!("failed  {}\n", drive.name)).collect();
    format!(
        "\npoolwright: {title}: the power was cut {:.3} s into the writing, after {} acknowledgements\n\
         lost    {} of {} unflushed writes\n\
         {failed}\
         open    {open}\n\
         leave   exit or Ctrl-D; nothing is kept\n\n",
        state.at_s, state.acknowledged, state.dropped, state.unflushed,
    )
}
