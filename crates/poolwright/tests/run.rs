//! `poolwright run` with an engine that is none and a real fio: what a run leaves, whatever happens
//! to it.

mod place;

use findings::record::{Outcome, Trial};
use place::{Place, said, signal};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use store::State;

fn reason(trial: &Trial) -> &str {
    match &trial.outcome {
        Outcome::Failed { reason } => reason,
        Outcome::Measured(_) => "measured",
    }
}

#[test]
fn a_campaign_is_measured_kept_and_reported_and_running_it_again_measures_nothing() {
    let place = Place::new(1);
    let output = place.run("");
    let trials = place.trials();
    assert_eq!(trials.len(), 2, "{}", said(&output));
    for trial in &trials {
        let Outcome::Measured(measured) = &trial.outcome else {
            panic!("{}", reason(trial));
        };
        assert!(measured.write.ops > 0 && measured.sync.ops > 0);
        assert_eq!(measured.concurrency, 1.0);
        let in_seconds: f64 = measured.seconds.iter().map(|s| s.writes).sum();
        assert!((in_seconds - measured.write.ops as f64).abs() < 1.0);
        assert_eq!(measured.facts["fake.drives"], 1.0);
    }
    let dir = place.store().path().to_owned();
    for name in [
        "lab.toml",
        "report.html",
        "report.md",
        "report.csv",
        "machine.json",
    ] {
        assert!(dir.join(name).is_file(), "{name}");
    }
    let raw = dir.join("trials/0000-").to_string_lossy().into_owned();
    let raw = [format!("{raw}none-sync/1"), format!("{raw}optane-sync/1")]
        .into_iter()
        .map(PathBuf::from)
        .find(|p| p.exists())
        .unwrap();
    for name in [
        "original.fio",
        "job.fio",
        "job.diff",
        "fio.json",
        "fio.json.command",
        "poolfs.log",
    ] {
        assert!(raw.join(name).is_file(), "{name}");
    }
    place.run("die-in-build"); // would fail if it measured anything
    assert_eq!(place.trials(), trials);
    place.assert_nothing_left();
    assert_eq!(
        fs::read_dir(place.dir.path().join("drives"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn another_build_of_the_engine_begins_anew_and_says_so() {
    let place = Place::new(1);
    place.run("");
    let engine = place.dir.path().join("engines/poolfs-2.1");
    let mut built = fs::read(&engine).unwrap();
    built.push(0);
    fs::write(&engine, built).unwrap();
    let output = place.run("");
    let told = said(&output);
    assert!(
        told.contains("beginning anew") && told.contains(": poolfs-2.1"),
        "{told}"
    );
    let campaigns = fs::read_dir(place.dir.path().join("results/lab")).unwrap();
    assert_eq!(campaigns.count(), 2);
    assert!(said(&place.run("die-in-build")).contains("continuing"));
}

#[test]
fn an_engine_that_dies_costs_its_trial_and_its_last_assertion_is_the_reason() {
    for (fault, why) in [
        ("die-in-build", "VERIFY3(0 == spa_create()) failed (0 == 5)"),
        ("die-in-window", "ASSERT at zil.c:1:zil_commit()"),
        ("no-mount", "nothing is mounted"),
        ("full", "No space left on device"),
    ] {
        let place = Place::new(1);
        let output = place.run(fault);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        let trials = place.trials();
        assert_eq!(trials.len(), 2, "{fault}: {}", said(&output));
        for trial in &trials {
            assert!(reason(trial).contains(why), "{fault}: {}", reason(trial));
        }
        place.assert_nothing_left();
    }
}

#[test]
fn a_run_that_is_killed_at_any_point_leaves_nothing_and_is_continued() {
    let place = Place::new(2);
    // Into the build, the layout, the window and beyond.
    for (round, ms) in [120u64, 700, 1400, 2600, 3900].into_iter().enumerate() {
        let mut child = place.start("");
        std::thread::sleep(Duration::from_millis(ms));
        signal(&child, Signal::KILL);
        child.wait().unwrap();
        place.assert_nothing_left();
        if round == 2 {
            assert!(place.dir.path().join("results/lab").exists());
        }
    }
    let output = place.run("");
    let trials = place.trials();
    let mut ids: Vec<u64> = trials.iter().map(|t| t.id).collect();
    ids.dedup();
    assert_eq!(ids, [0, 1, 2, 3], "{}", said(&output));
    assert!(
        trials
            .iter()
            .all(|t| matches!(t.outcome, Outcome::Measured(_)))
    );
    // The drives of the killed runs went with the next one's start.
    assert_eq!(
        fs::read_dir(place.dir.path().join("drives"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn ctrl_c_ends_a_run_in_order_also_while_it_waits_for_a_hung_engine() {
    for fault in ["", "hang-in-build"] {
        let place = Place::new(1);
        let mut child = place.start(fault);
        std::thread::sleep(Duration::from_millis(1500));
        signal(&child, Signal::INT);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{fault}");
        let store = place.store();
        assert!(store.journal().count(State::Begun).unwrap() >= 1);
        place.assert_nothing_left();
    }
}

#[test]
fn a_killed_fio_costs_its_trial_only() {
    let place = Place::new(1);
    let mut child = place.start("");
    let until = Instant::now() + Duration::from_secs(30);
    let mut killed = false;
    while !killed && Instant::now() < until && child.try_wait().unwrap().is_none() {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let fio = read("comm").starts_with(b"fio")
                && String::from_utf8_lossy(&read("cmdline")).contains("--output=fio.json")
                && fs::read_link(entry.path().join("cwd"))
                    .is_ok_and(|cwd| cwd.starts_with(place.dir.path()));
            if fio && let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() {
                killed = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).is_ok();
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait().unwrap();
    let trials = place.trials();
    assert_eq!(trials.len(), 2);
    assert!(
        reason(&trials[0]).contains("signal 9"),
        "{}",
        reason(&trials[0])
    );
    assert_eq!(reason(&trials[1]), "measured");
}

#[test]
fn what_is_missing_on_this_machine_is_named_with_the_line_that_installs_it() {
    let place = Place::new(1);
    let empty = place.dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    // Where it was built there may be one.
    let elsewhere = place.dir.path().join("poolwright");
    fs::copy(env!("CARGO_BIN_EXE_poolwright"), &elsewhere).unwrap();
    let mut command = std::process::Command::new(elsewhere);
    command.args(["run", "lab.toml"]).current_dir(&place.dir);
    let no_engine = command.env("POOLWRIGHT_ENGINES", &empty).output().unwrap();
    assert_eq!(no_engine.status.code(), Some(3), "{}", said(&no_engine));
    assert!(
        said(&no_engine).contains("make engine"),
        "{}",
        said(&no_engine)
    );
    let mut command = place.command("");
    let no_fio = command.env("PATH", &empty).output().unwrap();
    assert_eq!(no_fio.status.code(), Some(3), "{}", said(&no_fio));
    assert!(
        said(&no_fio).contains("apt install fio"),
        "{}",
        said(&no_fio)
    );
}

#[test]
fn an_engine_that_hangs_is_ended_in_time_and_costs_its_trial() {
    let place = Place::new(1);
    let mut command = place.command("hang-in-build");
    let output = command.args(["--patience", "1s"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for trial in place.trials() {
        let why = "did not build the pool in time";
        assert!(reason(&trial).contains(why), "{}", reason(&trial));
    }
    place.assert_nothing_left();
}

#[test]
fn an_engine_that_would_hang_at_its_end_costs_nothing_once_it_is_measured() {
    let place = Place::new(1);
    let mut command = place.command("hang-at-stop");
    let output = command.args(["--patience", "1s"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let trials = place.trials();
    assert!(!trials.is_empty());
    for trial in trials {
        assert_eq!(reason(&trial), "measured");
    }
    place.assert_nothing_left();
}

#[test]
fn an_engine_that_hangs_when_asked_to_end_is_ended_in_time() {
    use bench::engine::Engine;
    use bench::engine::scale::Scale;
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(1);
    let at = |name: &str| place.dir.path().join(name);
    fs::create_dir(at("hanging")).unwrap();
    let program = at("hanging/poolfs-2.1");
    let fake = at("engines/poolfs-2.1");
    let script = format!(
        "#!/bin/sh\nFAKE_POOLFS=hang-at-stop exec {} \"$@\"\n",
        fake.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let scale = Scale {
        engines: vec![at("hanging")],
        stop: bench::stop::Stop::default(),
        patience: Duration::from_secs(1),
    };
    let mut session = scale
        .session(lab::campaign::OpenZfs::V2_1, place.dir.path())
        .unwrap();
    let began = Instant::now();
    let fault = session.stop().unwrap_err().to_string();
    assert!(fault.contains("did not stop in time"), "{fault}");
    assert!(began.elapsed() < Duration::from_secs(20));
    place.assert_nothing_left();
}

/// A directory with a `fio` of its own: a shell script, followed by the real one.
fn with_fio(place: &Place, script: &str) -> std::ffi::OsString {
    use std::os::unix::fs::PermissionsExt;
    let real = bench::programs::find("fio").expect("fio is installed");
    let dir = place.dir.path().join("bin");
    fs::create_dir(&dir).unwrap();
    let text = format!("#!/bin/sh\n{script}\nexec {} \"$@\"\n", real.display());
    fs::write(dir.join("fio"), text).unwrap();
    fs::set_permissions(dir.join("fio"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(dir).chain(std::env::split_paths(&path))).unwrap()
}

#[test]
fn a_fio_that_hangs_is_ended_in_time_and_costs_its_trial() {
    let place = Place::new(1);
    // Deaf to everything but a kill.
    let path = with_fio(
        &place,
        "case \"$*\" in *--output=fio.json*) trap '' INT TERM; sleep 1000; exit 0;; esac",
    );
    let mut command = place.command("");
    let began = Instant::now();
    let output = command
        .args(["--patience", "1s"])
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    for trial in place.trials() {
        assert!(
            reason(&trial).contains("fio did not end within"),
            "{}",
            reason(&trial)
        );
    }
    assert!(began.elapsed() < Duration::from_secs(120));
    place.assert_nothing_left();
}

#[test]
fn a_place_without_room_for_the_drives_is_named() {
    let place = Place::new(1);
    // A store of 4 MiB: less than any drive needs.
    let output = std::process::Command::new("unshare")
        .args(["--mount", "--", "sh", "-c"])
        .arg("mount -t tmpfs -o size=4m none \"$0\" && exec \"$@\"")
        .arg(place.dir.path().join("drives"))
        .arg(env!("CARGO_BIN_EXE_poolwright"))
        .args(["run", "lab.toml", "--store"])
        .arg(place.dir.path().join("drives"))
        .current_dir(place.dir.path())
        .env("POOLWRIGHT_ENGINES", place.dir.path().join("engines"))
        .output()
        .unwrap();
    let code = output.status.code();
    assert!(
        code == Some(2) || code == Some(3),
        "{code:?}: {}",
        said(&output)
    );
    assert!(
        said(&output).contains("backing store") || said(&output).contains("free"),
        "{}",
        said(&output)
    );
    place.assert_nothing_left();
}
