//! `poolwright powercut LAB`: what survives a power cut.
//!
//! Writers note what was acknowledged; poolfs is killed in the middle; the drives' unflushed writes
//! are then lost, kept or torn by seed, many times from the one kill, and the pool is imported from
//! each such state. The same without fdatasync must lose something, or the check proves nothing.

mod writer;

use crate::exit::ENVIRONMENT;
use crate::mount::{Chosen, failed};
use crate::output;
use bench::isolate::{self, Isolation};
use bench::stop::Stop;
use poolfs::emulator::{CutReport, copy_store, power_cut};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use writer::{Damage, Ledger, Writer};

/// Clients that write at the same time.
const WRITERS: u64 = 4;
/// Exit code when acknowledged writes were lost.
const LOST: u8 = 1;
/// Exit code when the user stopped it.
const INTERRUPTED: u8 = 130;
/// How often the user's wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Cut the power of a variant under synchronous writes, and see what survives
///
/// Exit codes: 0 every acknowledged write survived and the negative control lost some · 1 something
/// was lost, or the control proved nothing · 2 the lab or an argument is wrong · 3 this machine
/// lacks something · 130 interrupted.
#[derive(clap::Args)]
pub struct Args {
    /// A lab file, or the name of a built-in lab
    lab: String,
    /// Which of its variants, instead of the baseline
    #[arg(long)]
    variant: Option<String>,
    /// Crash states made from each kill
    #[arg(long, value_name = "N", default_value_t = 10)]
    states: u64,
    /// Seconds of writing before the kill
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Seed of the writes and of the crash states
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Where the emulated drives lie, instead of in memory
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// What one kill and its crash states gave.
#[derive(Debug, Serialize)]
struct Kill {
    /// Writes were followed by fdatasync.
    synchronous: bool,
    /// Writes acknowledged before the kill.
    acknowledged: u64,
    /// One for each crash state.
    states: Vec<State>,
}

/// One crash state.
#[derive(Debug, Serialize)]
struct State {
    seed: u64,
    /// Writes that no flush had covered, over all drives.
    unflushed: u64,
    /// Of them, those lost whole or in part.
    dropped: u64,
    /// Records replayed from the intent log.
    replayed: u64,
    /// Acknowledged blocks that are gone.
    lost: u64,
    /// Blocks that hold a mixture.
    torn: u64,
    /// Why the pool could not be opened or read.
    unusable: Option<String>,
}

impl Kill {
    fn damaged(&self) -> usize {
        let bad = |s: &&State| s.lost + s.torn > 0 || s.unusable.is_some();
        self.states.iter().filter(bad).count()
    }

    fn sum(&self, of: impl Fn(&State) -> u64) -> u64 {
        self.states.iter().map(of).sum()
    }
}

impl Args {
    /// Cuts.
    pub fn run(self) -> ExitCode {
        let code = match Isolation::inside() {
            None => isolate::keep(std::env::args_os().skip(1)).map_err(|e| {
                output::complain(&format!("error: cannot start: {e}\n"));
                ENVIRONMENT
            }),
            Some(_) => self.inside(),
        };
        ExitCode::from(code.unwrap_or_else(|code| code))
    }

    fn inside(&self) -> Result<u8, u8> {
        let stop = Stop::default();
        isolate::follow(stop.clone());
        let mut chosen = Chosen::find(&self.lab, self.variant.as_deref(), self.store.as_deref())?;
        chosen.model.time = Some(1.0);
        let with = self.kill(&chosen, &stop, true)?;
        let without = self.kill(&chosen, &stop, false)?;
        let name = &chosen.variant.name;
        if self.json {
            let all = serde_json::json!({ "variant": name, "kills": [&with, &without] });
            output::print(&format!("{all:#}\n"));
        } else {
            output::print(&text(name, &with, &without));
        }
        let sound = with.damaged() == 0 && without.damaged() > 0;
        Ok(if sound { 0 } else { LOST })
    }

    fn kill(&self, chosen: &Chosen, stop: &Stop, synchronous: bool) -> Result<Kill, u8> {
        let store = chosen.directory("drives")?;
        let mount = chosen.directory("mnt")?;
        let log = chosen.directory("log")?;
        let ledgers = self.write(chosen, stop, synchronous, (&store, &mount, &log))?;
        let mut kill = Kill {
            synchronous,
            acknowledged: ledgers.iter().map(|l| l.acknowledged).sum(),
            states: Vec::new(),
        };
        for seed in self.seed..self.seed + self.states {
            if stop.requested() {
                return Err(INTERRUPTED);
            }
            kill.states
                .push(self.state(chosen, &ledgers, seed, (&store, &mount, &log))?);
        }
        std::fs::remove_dir_all(&store).map_err(io("remove", &store))?;
        Ok(kill)
    }

    /// Builds, writes, kills.
    fn write(
        &self,
        chosen: &Chosen,
        stop: &Stop,
        synchronous: bool,
        (store, mount, log): (&Path, &Path, &Path),
    ) -> Result<Vec<Ledger>, u8> {
        let mut session = chosen.session(log)?;
        session
            .build(chosen.build(store, self.seed, false))
            .map_err(failed)?;
        session.mount("", mount).map_err(failed)?;
        let mut writers = Vec::new();
        for number in 0..WRITERS {
            let writer = Writer::start(mount, number, self.seed, synchronous);
            writers.push(writer.map_err(io("write in", mount))?);
        }
        let mut left = Duration::from_secs(self.seconds);
        while !left.is_zero() && !stop.requested() {
            std::thread::sleep(LOOK);
            left = left.saturating_sub(LOOK);
        }
        session.kill();
        drop(session);
        let ledgers = writers
            .into_iter()
            .map(|w| w.join().map_err(io("write in", mount)))
            .collect();
        if stop.requested() {
            return Err(INTERRUPTED);
        }
        ledgers
    }

    /// Makes one crash state and looks what is in it.
    fn state(
        &self,
        chosen: &Chosen,
        ledgers: &[Ledger],
        seed: u64,
        (store, mount, log): (&Path, &Path, &Path),
    ) -> Result<State, u8> {
        let state = chosen.directory("state")?;
        copy_store(store, &state).map_err(io("copy", store))?;
        let mut cut = CutReport::default();
        for (kind, drives) in &chosen.variant.drives {
            for index in 0..drives.count {
                let drive = format!("{kind}{index}");
                if !state.join(format!("{drive}.data")).exists() {
                    continue;
                }
                let one = power_cut(&state, &drive, seed).map_err(io("cut the power of", store))?;
                cut.unflushed += one.unflushed;
                cut.lost += one.lost + one.torn;
            }
        }
        let looked = self.look(chosen, ledgers, (&state, mount, log));
        std::fs::remove_dir_all(&state).map_err(io("remove", &state))?;
        let (replayed, damage, unusable) = match looked {
            Ok((replayed, damage)) => (replayed, damage, None),
            Err(why) => (0, Damage::default(), Some(why)),
        };
        Ok(State {
            seed,
            unflushed: cut.unflushed,
            dropped: cut.lost,
            replayed,
            lost: damage.lost,
            torn: damage.torn,
            unusable,
        })
    }

    fn look(
        &self,
        chosen: &Chosen,
        ledgers: &[Ledger],
        (state, mount, log): (&Path, &Path, &Path),
    ) -> Result<(u64, Damage), String> {
        let mut session = chosen
            .session(log)
            .map_err(|_| "the engine could not be started".to_owned())?;
        let replayed = session
            .import(chosen.build(state, self.seed, true))
            .map_err(|e| e.to_string())?;
        session.mount("", mount).map_err(|e| e.to_string())?;
        let mut damage = Damage::default();
        for ledger in ledgers {
            let one = ledger.check(mount).map_err(|e| e.to_string())?;
            damage.lost += one.lost;
            damage.torn += one.torn;
        }
        session.stop().map_err(|e| e.to_string())?;
        Ok((replayed, damage))
    }
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> u8 {
    let path = path.display().to_string();
    move |e| {
        output::complain(&format!("error: cannot {what} {path}: {e}\n"));
        ENVIRONMENT
    }
}

fn text(variant: &str, with: &Kill, without: &Kill) -> String {
    let mut text = format!("variant {variant}\n");
    for kill in [with, without] {
        text.push_str(&format!(
            "{:<18} {} writes acknowledged · {} crash states ({} of {} unflushed writes dropped, {} log records replayed) · {} blocks lost, {} torn\n",
            if kill.synchronous { "with fdatasync" } else { "without (control)" },
            kill.acknowledged,
            kill.states.len(),
            kill.sum(|s| s.dropped),
            kill.sum(|s| s.unflushed),
            kill.sum(|s| s.replayed),
            kill.sum(|s| s.lost),
            kill.sum(|s| s.torn),
        ));
        for state in &kill.states {
            if let Some(why) = &state.unusable {
                text.push_str(&format!("  state {}: {why}\n", state.seed));
            }
        }
    }
    text.push_str(match (with.damaged(), without.damaged()) {
        (0, 0) => "nothing was lost, but neither was without fdatasync: write for longer (--seconds), this proves nothing\n",
        (0, _) => "every acknowledged write survived; without fdatasync some did not, so the check can fail\n",
        _ => "acknowledged writes were lost: this configuration does not keep its promise\n",
    });
    text
}
