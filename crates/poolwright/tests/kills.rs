//! Every process of a run killed in turn, at moments that a seed chooses: nothing stays, it costs one
//! trial, and the same command goes on.

mod place;

use findings::record::Outcome;
use place::{Place, said};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};
use store::State;

/// The processes of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Victim {
    /// The process that the user started.
    Keeper,
    /// util-linux's `unshare`, which stands between.
    Unshare,
    /// The first process of the run's namespaces.
    Inside,
    /// The engine.
    Engine,
    /// The client.
    Fio,
}

const ALL: [Victim; 5] = [
    Victim::Keeper,
    Victim::Unshare,
    Victim::Inside,
    Victim::Engine,
    Victim::Fio,
];

impl Victim {
    /// Its process, once it is there.
    fn find(self, place: &Place, keeper: &Child) -> Option<i32> {
        if self == Victim::Keeper {
            return Some(keeper.id() as i32);
        }
        let needle = place.dir.path().to_string_lossy().into_owned();
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else {
                continue;
            };
            let comm = String::from_utf8_lossy(&read("comm")).trim().to_owned();
            let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
            let here = fs::read_link(entry.path().join("cwd"))
                .is_ok_and(|cwd| cwd.starts_with(place.dir.path()));
            let found = match self {
                Victim::Keeper => false,
                // Not the one that only tries what is granted.
                Victim::Unshare => comm == "unshare" && line.contains("poolwright run"),
                Victim::Inside => comm == "poolwright" && pid != keeper.id() as i32,
                Victim::Engine => comm.starts_with("poolfs-"),
                Victim::Fio => comm == "fio" && line.contains("--output=fio.json"),
            };
            if found && (here || line.contains(&needle)) {
                return Some(pid);
            }
        }
        None
    }
}

/// Starts a run and kills one of its processes `after` it is there, sooner where it does not live that
/// long. How the run ended after it; none when it had ended before.
fn kill(place: &Place, victim: Victim, mut after: Duration) -> Option<ExitStatus> {
    let mut keeper = place.start("");
    let until = Instant::now() + Duration::from_secs(60);
    let mut killed = false;
    while !killed && Instant::now() < until && keeper.try_wait().unwrap().is_none() {
        if victim.find(place, &keeper).is_some() {
            std::thread::sleep(after);
            // It may be another one by now: that of the next trial.
            if let Some(pid) = victim.find(place, &keeper) {
                killed = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).is_ok();
            } else {
                after /= 2;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = keeper.wait().unwrap();
    killed.then_some(ended)
}

fn each_in_turn(victims: &[Victim], engine: &Path, trials: u32, seed: u64, longest_ms: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for victim in victims.iter().copied() {
        let place = Place::with_engine(trials, engine);
        let after = Duration::from_millis(random.next_u64() % longest_ms);
        let ended = kill(&place, victim, after);
        let ended = ended.unwrap_or_else(|| panic!("{victim:?} after {after:?}"));
        match victim {
            Victim::Keeper => assert_eq!(ended.signal(), Some(9)),
            // As a shell tells of what signal 9 ended.
            Victim::Unshare | Victim::Inside => assert_eq!(ended.code(), Some(137), "{victim:?}"),
            Victim::Engine | Victim::Fio => assert!(matches!(ended.code(), Some(0 | 1))),
        }
        place.assert_nothing_left();
        let journal = |state| match fs::read_dir(place.dir.path().join("results/lab")) {
            Ok(_) => place.store().journal().count(state).unwrap(),
            // It had not come so far.
            Err(_) => 0,
        };
        let lost = journal(State::Begun) + journal(State::Failed);
        assert!(lost <= 1, "{victim:?}: {lost} trials lost");
        let output = place.run("");
        assert_ne!(
            output.status.code(),
            Some(3),
            "{victim:?}: {}",
            said(&output)
        );
        let all = place.trials();
        assert_eq!(
            all.len(),
            2 * trials as usize,
            "{victim:?}: {}",
            said(&output)
        );
        assert!(
            all.iter()
                .all(|t| matches!(t.outcome, Outcome::Measured(_))),
            "{victim:?}: {}",
            said(&output)
        );
        place.assert_nothing_left();
        let drives = fs::read_dir(place.dir.path().join("drives")).unwrap();
        assert_eq!(drives.count(), 0, "{victim:?} after {after:?}");
    }
}

#[test]
fn whatever_is_killed_of_a_run_nothing_stays_and_the_same_command_goes_on() {
    each_in_turn(&ALL, &place::fake(), 2, 20_261_121, 900);
}

#[test]
fn a_signal_to_the_process_inside_pauses_the_run_as_ctrl_c_does() {
    const INTERRUPTED: i32 = 130;
    let place = Place::with_engine(2, &place::fake());
    let mut keeper = place.start("");
    let until = Instant::now() + Duration::from_secs(60);
    let fio = |keeper: &Child| Victim::Fio.find(&place, keeper);
    while fio(&keeper).is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let inside = Victim::Inside.find(&place, &keeper).unwrap();
    kill_process(Pid::from_raw(inside).unwrap(), Signal::TERM).unwrap();
    assert_eq!(keeper.wait().unwrap().code(), Some(INTERRUPTED));
    place.assert_nothing_left();
    place.run("");
    assert_eq!(place.trials().len(), 4);
}

/// The engine that `make engine` has built, in the repository or where the environment says.
fn real() -> Option<PathBuf> {
    let stated = std::env::var_os("POOLWRIGHT_ENGINES");
    let mut dirs: Vec<PathBuf> = stated
        .map(|dirs| std::env::split_paths(&dirs).collect())
        .unwrap_or_default();
    dirs.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.engines"));
    dirs.into_iter()
        .map(|dir| dir.join("poolfs-2.1"))
        .find(|engine| engine.is_file())
}

#[test]
fn the_same_holds_with_openzfs_at_work() {
    match real() {
        Some(engine) => {
            let victims = [Victim::Keeper, Victim::Engine, Victim::Fio];
            each_in_turn(&victims, &engine, 1, 7, 2500);
        }
        None => eprintln!("not tried: there is no engine here; `make engine` builds it"),
    }
}
