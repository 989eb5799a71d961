//! What the host, or a process of it, does to a machine's processes.

use crate::place::{Place, compiled, descendants, feed, text};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_killed_program_leaves_no_process_and_no_file() {
    let Some(place) = Place::new() else { return };
    let shared = || fs::read_dir("/dev/shm").map_or(0, Iterator::count);
    let before = shared();
    let mut child = place.start_waiting("sleep 86400\n");
    let processes = descendants(child.id());
    assert!(processes.len() > 1, "the kernel and its programs");
    child.kill().unwrap();
    child.wait().unwrap();
    place.ends(&processes);
    assert_eq!(fs::read_dir(place.at("tmp")).unwrap().count(), 0);
    assert!(shared() <= before, "files in /dev/shm");
    // Its directory goes with the next machine.
    assert_eq!(place.directories(), 1);
    assert_eq!(place.shell("true").status.code(), Some(0));
    assert_eq!(place.directories(), 0);
}

#[test]
fn an_interrupt_ends_the_machine_with_130() {
    let Some(place) = Place::new() else { return };
    let child = place.start_waiting("sleep 86400\n");
    let processes = descendants(child.id());
    // As Ctrl-C does: the program and the machine at once. With the machine's kernel its other processes end, some before
    // their turn.
    for pid in processes.iter().chain([&child.id()]) {
        match kill_process(Pid::from_raw(*pid as i32).unwrap(), Signal::INT) {
            Ok(()) | Err(Errno::SRCH) => {}
            Err(why) => panic!("process {pid}: {why}"),
        }
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    place.ends(&processes);
    assert_eq!(place.directories(), 0);
}

/// Processes of this machine that run its programs and have set up their handlers of signals.
fn programs(of: u32) -> Vec<Pid> {
    let runs_program = |pid: &u32| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let caught = field("SigCgt:").and_then(|mask| u64::from_str_radix(mask, 16).ok());
        // The last one is SIGBUS.
        let ready = caught.is_some_and(|mask| mask & 1 << (Signal::BUS.as_raw() - 1) != 0);
        field("Name:") == Some("uml-userspace") && ready
    };
    let all = descendants(of).into_iter().filter(runs_program);
    all.map(|pid| Pid::from_raw(pid as i32).unwrap()).collect()
}

/// What a machine whose programs wait says when their processes have been treated so.
fn hindered(hinder: impl Fn(Pid)) -> Option<Output> {
    let place = Place::new()?;
    let mut child = place.start_waiting("sleep 2\necho late\n");
    let processes = descendants(child.id());
    let programs = programs(child.id());
    assert!(programs.len() > 1, "the first process and the shell");
    programs.into_iter().for_each(hinder);
    let until = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
    }
    // Where it still runs, the test fails.
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    place.ends(&processes);
    Some(output)
}

/// The program did not crash: the host ended it, as where memory runs out.
fn ends_the_machine(output: &Output) {
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{out}{error}");
    assert!(error.contains("the host ended or hindered the process of "), "{out}{error}");
    assert!(!out.contains("late"), "{out}");
}

#[test]
fn a_process_that_the_host_ends_ends_the_machine() {
    let Some(output) = hindered(|pid| kill_process(pid, Signal::KILL).unwrap()) else { return };
    ends_the_machine(&output);
}

#[test]
fn a_mapping_that_the_host_refuses_ends_the_machine() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let refuse = |pid| {
        prlimit(Some(pid), Resource::As, none).unwrap();
    };
    let Some(output) = hindered(refuse) else { return };
    ends_the_machine(&output);
}

/// Standard output of a machine whose programs compute, wait for each other in loops, look at the processor's flags, and
/// crash. With `alarms` its processes are asked all the time to report what they do, as the kernel asks one that has not
/// come back for some time.
fn computed(place: &Place, alarms: bool) -> String {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_poolwright"));
    let example = program.parent().unwrap().join("examples/waiting_threads");
    let sum = "for ((i = 0; i < 20000; i++)); do ((s += i % 7)); done; echo $s";
    let example = example.display();
    let flags = compiled(place, "flags");
    let script = format!("{flags}{example} || exit\n{sum}\n/run/flags\necho $?\ndate +%s.%N\n");
    let shell = ["timeout", "300", program.to_str().unwrap()];
    let child = feed(place.wrapped(&shell, &["shell", "lab.toml"]), &script);
    let id = child.id();
    let over = AtomicBool::new(false);
    let output = thread::scope(|scope| {
        if alarms {
            scope.spawn(|| {
                let mut asked = 0;
                while !over.load(Ordering::Relaxed) {
                    for pid in programs(id) {
                        asked += usize::from(kill_process(pid, Signal::ALARM).is_ok());
                    }
                    thread::sleep(Duration::from_micros(200));
                }
                assert!(asked > 1000, "{asked} alarms");
            });
        }
        let output = child.wait_with_output();
        over.store(true, Ordering::Relaxed);
        output.unwrap()
    });
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

/// A look at what a program does neither ends nor hurries it, whenever it is.
#[test]
fn programs_that_are_looked_at_compute_the_same_in_the_same_time() {
    let Some(place) = Place::new() else { return };
    let alone = computed(&place, false);
    for kind in ["pausing", "locking", "locking and pausing"] {
        assert!(alone.contains(&format!("{kind} waited ")), "{alone}");
    }
    assert!(alone.contains("\ntrap flag 0\n135\n"), "SIGBUS: {alone}");
    assert_eq!(computed(&place, true), alone);
}
