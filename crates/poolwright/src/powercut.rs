//! `poolwright powercut LAB`: what survives a power cut.
//!
//! Writers note what was acknowledged; poolfs is killed in the middle; the drives' unflushed writes
//! are then lost, kept or torn by seed, many times from the one kill, and the pool is imported from
//! each such state. The same without fdatasync must lose something, or the check proves nothing.
//! Drives may die before the cut or with it, and media may have gone bad unnoticed.

mod mishap;
mod report;
mod writer;

use crate::exit::{self, ENVIRONMENT, INTERRUPTED, USAGE};
use crate::mount::{Chosen, failed};
use crate::output;
use bench::isolate::{self, Isolation};
use bench::stop::Stop;
use mishap::{Mishap, When};
use poolfs::emulator::{CutReport, copy_store, power_cut, rot};
use report::{Kill, Report, State};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use writer::{Damage, Ledger, Writer};

/// Clients that write at the same time.
const WRITERS: u64 = 4;
/// Exit code when acknowledged writes were lost.
const LOST: u8 = 1;
/// Dilation where neither the lab nor the command line states one: two cores keep up with the drives
/// at it.
const TIME: f64 = 8.0;
/// With `:rot`, one in this many of a drive's written blocks is bad.
const ROTTEN: u64 = 50;
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
    /// Kills, each after a fresh pool has been written to
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=100))]
    kills: u64,
    /// Crash states made from each kill
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    states: u64,
    /// Seconds of writing before a kill, in the model's time
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// How many times slower the model's time runs; the lab's own, or 8
    #[arg(long, value_name = "K", value_parser = crate::mount::slower)]
    time: Option<f64>,
    /// A drive that dies: `optane0` halfway through the writing, `optane0:cut` with the power, `optane0:rot` one in 50 of its written blocks, unnoticed
    #[arg(long, value_name = "DRIVE[:WHEN]")]
    fail: Vec<Mishap>,
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

impl Args {
    /// Cuts.
    pub fn run(self) -> ExitCode {
        let code = match Isolation::inside() {
            None => isolate::keep(std::env::args_os().skip(1))
                .map(exit::of)
                .map_err(|e| {
                    output::complain(&format!("error: cannot start: {e}\n"));
                    ENVIRONMENT
                }),
            Some(isolation) => self.inside(isolation),
        };
        ExitCode::from(code.unwrap_or_else(|code| code))
    }

    fn inside(&self, isolation: Isolation) -> Result<u8, u8> {
        let stop = Stop::default();
        isolate::follow(stop.clone());
        let mut chosen = Chosen::find(
            &self.lab,
            self.variant.as_deref(),
            self.store.as_deref(),
            isolation,
        )?;
        let time = self.time.or(chosen.model.time).unwrap_or(TIME);
        chosen.model.time = Some(time);
        for (i, mishap) in self.fail.iter().enumerate() {
            let wrong = |why: String| {
                output::complain(&format!("error: --fail {why}\n"));
                USAGE
            };
            mishap.belongs_to(&chosen.variant).map_err(wrong)?;
            if self.fail[..i].iter().any(|m| m.drive == mishap.drive) {
                return Err(wrong(format!("{}: a drive fails once: state it once", mishap.drive)));
            }
        }
        let mut kills = Vec::new();
        for synchronous in [true, false] {
            for number in 0..self.kills {
                kills.push(self.kill(
                    &chosen,
                    &stop,
                    synchronous,
                    self.seed.wrapping_add(number * 1000),
                )?);
            }
        }
        let report = Report {
            variant: chosen.variant.name.clone(),
            time,
            mishaps: self.fail.iter().map(Mishap::to_string).collect(),
            kills,
        };
        output::print(&if self.json {
            format!("{:#}\n", serde_json::json!(report))
        } else {
            report.text()
        });
        Ok(if report.sound() { 0 } else { LOST })
    }

    fn kill(&self, chosen: &Chosen, stop: &Stop, synchronous: bool, seed: u64) -> Result<Kill, u8> {
        let store = chosen.directory("drives")?;
        let mount = chosen.directory("mnt")?;
        let log = chosen.directory("log")?;
        let ledgers = self.write(chosen, stop, (synchronous, seed), (&store, &mount, &log))?;
        let mut kill = Kill {
            seed,
            synchronous,
            acknowledged: ledgers.iter().map(|l| l.acknowledged).sum(),
            states: Vec::new(),
        };
        for seed in (0..self.states).map(|i| seed.wrapping_add(i)) {
            let state = self.state(chosen, stop, &ledgers, seed, (&store, &mount, &log))?;
            // A look that was cut short has found nothing.
            if stop.requested() {
                return Err(INTERRUPTED);
            }
            kill.states.push(state);
        }
        std::fs::remove_dir_all(&store).map_err(io("remove", &store))?;
        Ok(kill)
    }

    /// Builds, writes, kills.
    fn write(
        &self,
        chosen: &Chosen,
        stop: &Stop,
        (synchronous, seed): (bool, u64),
        (store, mount, log): (&Path, &Path, &Path),
    ) -> Result<Vec<Ledger>, u8> {
        let mut session = chosen.session(log, stop)?;
        session
            .build(chosen.build(store, seed, false))
            .map_err(failed)?;
        session.mount("", mount, 0).map_err(failed)?;
        let mut writers = Vec::new();
        for number in 0..WRITERS {
            let writer = Writer::start(mount, number, seed, synchronous);
            writers.push(writer.map_err(io("write in", mount))?);
        }
        let time = chosen.model.time.unwrap_or(TIME);
        let half = Duration::from_secs_f64(self.seconds as f64 * time / 2.0);
        pause(half, stop);
        for mishap in self.fail.iter().filter(|m| m.when == When::Running) {
            session.fail_drive(&mishap.drive).map_err(failed)?;
        }
        pause(half, stop);
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
        stop: &Stop,
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
        let mut rotten = 0;
        for mishap in &self.fail {
            match mishap.when {
                When::Rot => {
                    rotten += rot(&state, &mishap.drive, ROTTEN, seed)
                        .map_err(io("damage the drives in", &state))?;
                }
                // A new drive in its place, as blank as the pool sees a dead one.
                When::Running | When::Cut => {
                    let data = state.join(format!("{}.data", mishap.drive));
                    std::fs::remove_file(&data).map_err(io("remove", &data))?;
                }
            }
        }
        let mut refused = None;
        let mut looked = self.look(chosen, stop, ledgers, false, (&state, mount, log));
        if let (Err(why), true) = (&looked, self.fail.iter().any(|m| m.when != When::Rot)) {
            refused = Some(why.clone());
            looked = self.look(chosen, stop, ledgers, true, (&state, mount, log));
        }
        std::fs::remove_dir_all(&state).map_err(io("remove", &state))?;
        let (replayed, damage, unusable) = match looked {
            Ok((replayed, damage)) => (replayed, damage, None),
            Err(why) => (0, Damage::default(), Some(why)),
        };
        Ok(State {
            seed,
            unflushed: cut.unflushed,
            dropped: cut.lost,
            rotten,
            replayed,
            lost: damage.lost,
            torn: damage.torn,
            refused,
            unusable,
        })
    }

    fn look(
        &self,
        chosen: &Chosen,
        stop: &Stop,
        ledgers: &[Ledger],
        without_log: bool,
        (state, mount, log): (&Path, &Path, &Path),
    ) -> Result<(u64, Damage), String> {
        let mut session = chosen
            .session(log, stop)
            .map_err(|_| "the engine could not be started".to_owned())?;
        let build = chosen.build(state, self.seed, true);
        let imported = if without_log {
            session.import_without_log(build)
        } else {
            session.import(build)
        };
        let replayed = imported.map_err(|e| e.to_string())?;
        session.mount("", mount, 0).map_err(|e| e.to_string())?;
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

/// Waits, but not for a user who wants to stop.
fn pause(whole: Duration, stop: &Stop) {
    let mut left = whole;
    while !left.is_zero() && !stop.requested() {
        std::thread::sleep(LOOK.min(left));
        left = left.saturating_sub(LOOK);
    }
}
