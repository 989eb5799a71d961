//! What a machine may touch on its host, and what it leaves there. These tests need an engine.

mod place;
mod processes;
#[path = "../with_engine/mod.rs"]
mod with_engine;

use place::{LAB, Place, compiled, feed, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use with_engine::{can_mount, copy, engine, skipped};

#[test]
fn a_shell_reads_commands_and_gives_their_output_and_exit_code() {
    let Some(place) = Place::new() else { return };
    let output = place.shell("zpool status -x\necho wrong >&2\nls /dev/pw-*\nexit 7\n");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "{out}{err}");
    let drives = "/dev/pw-hdd0\n/dev/pw-hdd1\n/dev/pw-hdd2\n";
    assert_eq!(out, format!("all pools are healthy\n{drives}"), "{err}");
    assert!(err.ends_with("wrong\n"), "{err}");
    assert_eq!(place.directories(), 0);
    // To the end of the input, and a signal as a shell reports it.
    assert_eq!(place.shell("true").status.code(), Some(0));
    assert_eq!(place.shell("kill -9 $$\n").status.code(), Some(137));
    let unknown = place.command(&["shell", "lab.toml", "bas"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("did you mean `base`?"));
}

/// On a processor with AVX2 the dynamic linker of the host searches the directories of two levels, with AVX-512 of three.
#[test]
fn programs_load_their_libraries_alike_on_every_processor() {
    let Some(place) = Place::new() else { return };
    let output = place.shell("/lib64/ld-linux-x86-64.so.2 --list-diagnostics\n");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let value = |name: &str| out.lines().find_map(|line| line.strip_prefix(name));
    assert_eq!(value("dl_hwcaps_subdirs_active="), Some("0x0"), "{err}");
    assert_eq!(value("x86.cpu_features.xsave_state_size="), Some("0x0"), "{err}");
}

#[test]
fn a_process_may_have_more_pages_than_the_host_allows_mappings() {
    let Some(place) = Place::new() else { return };
    // On this many the host's limit is set where it is not changed.
    let most = fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
    let output = place.shell(&(compiled(&place, "pages") + "/run/pages\n"));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(out.lines().collect::<Vec<_>>(), ["81920"; 3], "{err} (the host allows {most})");
}

#[test]
fn threads_that_wake_each_other_do_not_hold_the_clock_back() {
    let Some(place) = Place::new() else { return };
    let output = place.shell(&(compiled(&place, "waiters") + "/run/waiters\n"));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let rounds: u64 = out.trim().parse().unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    // Each round costs the machine some hundred microseconds of the host's time, whatever it costs in virtual time.
    assert!((1000..100_000).contains(&rounds), "{rounds} rounds in a second");
}

#[test]
fn the_clock_without_a_system_call_is_the_kernels() {
    let Some(place) = Place::new() else { return };
    let script = compiled(&place, "clock");
    // The date is set between: the time of day is read anew.
    let output = place.shell(&(script + "/run/clock\ndate -s 2030-01-01 +%F\n/run/clock\n"));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 9, "{out}");
    assert_eq!(lines[4], "2030-01-01");
    for run in [&lines[..4], &lines[5..]] {
        let numbers = |line: &str| -> Vec<i64> {
            let words = line.split(' ');
            words.map(|word| word.parse().unwrap()).collect()
        };
        for line in &run[..2] {
            // No more apart than the charge for a system call.
            let apart = numbers(line);
            assert!(apart.iter().all(|ns| (0..=200).contains(ns)), "{out}");
        }
        // A millisecond is 4,096 reads and some steps; with another task ready, 16 reads and more steps.
        assert!((100..4_500).contains(&numbers(run[2])[0]), "{out}");
        assert_eq!(numbers(run[3]), [0], "{out}");
    }
}

#[test]
fn the_time_stamp_counter_is_virtual_time() {
    let Some(place) = Place::new() else { return };
    let output = place.shell(&(compiled(&place, "counter") + "/run/counter\n"));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    let lines: Vec<Vec<i64>> = out
        .lines()
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    let [[ahead, of_rdtscp, 0], [after_sleep, of_rdtscp_after_sleep, 0]] =
        [&lines[0][..], &lines[1][..]]
    else {
        panic!("{out}")
    };
    // No more apart than some reads, or a system call, take.
    for ns in [of_rdtscp, after_sleep, of_rdtscp_after_sleep] {
        assert!((ns - ahead).abs() <= 500, "{out}");
    }
    // A millisecond is 40,000 reads. With a switch to the kernel for each, it was found to be a loop after 177.
    assert!((1_000..50_000).contains(&lines[2][0]), "{out}");
    assert!((0..=2_000).contains(&lines[3][0]), "{out}");
}

#[test]
fn a_call_returns_after_the_time_that_it_takes() {
    let Some(place) = Place::new() else { return };
    let output = place.shell(&(compiled(&place, "calls") + "/run/calls /tmp/a /run/pool/a\n"));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    let within: Vec<u64> = out.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(within.len(), 2, "{out}{err}");
    // 64 copies of 1 MiB at 100 ps a byte. fio takes its latencies so, and a job with a rate sleeps between them.
    let copies = 64 * 104_858;
    assert!(within.iter().all(|ns| (copies..copies * 3 / 2).contains(ns)), "{out}");
}

#[test]
fn time_does_not_follow_from_the_programs_path_nor_random_numbers_from_the_build() {
    let Some(place) = Place::new() else { return };
    let far = place.at("poolwright-at-a-path-that-is-longer-than-it-was-before");
    fs::copy(env!("CARGO_BIN_EXE_poolwright"), &far).unwrap();
    // A program reads its own mappings when it starts, which have its path.
    let script = "cat /proc/sys/kernel/random/boot_id\n\
                  uname -v\n\
                  /proc/1/exe --version > /tmp/version\n\
                  grep busy /proc/processor\n";
    let here = place.shell(script);
    let there = feed(place.wrapped(&[far.to_str().unwrap()], &["shell", "lab.toml"]), script);
    let there = there.wait_with_output().unwrap();
    let (here, there) = (text(&here.stdout), text(&there.stdout));
    assert_eq!(here, there);
    let lines: Vec<&str> = here.lines().collect();
    assert_eq!(lines[..2], [BOOT_ID, "#1 Thu Jan 1 00:00:00 UTC 1970"], "{here}");
    assert!(lines[2].starts_with("busy "), "{here}");
}

/// A number of the generator in a shell of [`LAB`], whose seed is always the same. What the kernel and the first process
/// take from the generator before decides it; another build of the kernel, another host or user does not.
const BOOT_ID: &str = "50382ce4-b4f2-4cd9-89fb-db77017eec3b";

#[test]
fn a_pulled_drive_is_replaced_by_a_blank_one() {
    let Some(place) = Place::new() else { return };
    let output = place.shell(
        "dd if=/dev/urandom of=/run/pool/file bs=1M count=20 conv=fsync status=none\n\
         echo fail hdd0 > /proc/drives\n\
         dd if=/dev/urandom of=/run/pool/file bs=1M count=20 conv=fsync status=none\n\
         sleep 30\n\
         zpool status tank\n\
         zpool replace -w tank pw-hdd0 pw-hdd2\n\
         zpool status tank\n",
    );
    let out = text(&output.stdout);
    let (before, after) = out.split_once("errors:").unwrap();
    assert!(before.contains("pw-hdd0  FAULTED"), "{out}");
    assert!(after.contains("resilvered") && !after.contains("pw-hdd0"), "{out}");
    assert!(after.contains("errors: No known data errors"), "{out}");
}

#[test]
fn two_machines_at_once_share_no_files_and_no_processes() {
    let Some(place) = Place::new() else { return };
    let other = Place::new().unwrap();
    let script = |mark: &str| {
        format!(
            "echo {mark} > /run/pool/mark\necho {mark} > /tmp/mark\nsleep 30\ncat /run/pool/mark /tmp/mark\nls /run/pool /tmp\nps -e -o comm= > /run/ps\ngrep -c -x bash /run/ps\n"
        )
    };
    let [one, two] = std::thread::scope(|scope| {
        let one = scope.spawn(|| place.shell(&script("one")));
        let two = scope.spawn(|| other.shell(&script("two")));
        [one, two].map(|thread| text(&thread.join().unwrap().stdout))
    });
    let expected = |mark: &str| format!("{mark}\n{mark}\n/run/pool:\nmark\n\n/tmp:\nmark\n1\n");
    assert_eq!(one, expected("one"));
    assert_eq!(two, expected("two"));
}

#[test]
fn the_guest_cannot_change_the_host() {
    let Some(place) = Place::new() else { return };
    let mine = place.at("mine");
    fs::write(&mine, "mine").unwrap();
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o644)).unwrap();
    let here = place.path().display();
    let output = place.shell(&format!(
        "mount -o remount,rw /\n\
         mkdir /run/host && mount -t hostfs none /run/host -o / || exit 1\n\
         cd /run/host{here} && cat mine\n\
         echo x > new\necho x >> mine\nrm mine\nmv mine moved\nmkdir directory\nln -s mine link\n\
         mknod /run/machine/vda b 254 0\n\
         if {mounts}; then chmod 600 mine; chown 1 mine; fi\n\
         echo save {here}/image > /proc/drives\n\
         echo x > /run/machine/own && echo own\n",
        // Without a mount namespace, owners may change modes and times of their files.
        mounts = can_mount(),
    ));
    assert_eq!(text(&output.stdout), "mineown\n", "{}", text(&output.stderr));
    let mut names: Vec<String> = fs::read_dir(place.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["cache", "lab.toml", "mine", "tmp"]);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    let mode = fs::metadata(&mine).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
fn it_runs_as_nobody_without_a_home_and_with_little_shared_memory() {
    let Some(place) = Place::new() else { return };
    if !can_mount() {
        return skipped("needs root that may mount");
    }
    // Where nobody may read: the engine and this program are copied.
    copy(&engine().unwrap(), &place.at("engine"));
    fs::copy(env!("CARGO_BIN_EXE_poolwright"), place.at("poolwright")).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for directory in ["tmp", "data"] {
        fs::create_dir_all(place.at(directory)).unwrap();
        std::os::unix::fs::chown(place.at(directory), Some(65534), Some(65534)).unwrap();
    }
    let script = "mount -t tmpfs -o size=64m,noexec none /dev/shm && \
                  exec setpriv --reuid=65534 --regid=65534 --clear-groups \
                  ./poolwright run lab.toml --json";
    let output = place
        .wrapped(&["unshare", "-m", "sh", "-c"], &[script])
        .env("POOLWRIGHT_ENGINE", place.at("engine"))
        .env_remove("HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(findings["cells"][0]["trials"]["failed"], 0, "{err}");
}

#[test]
fn a_full_disk_is_named_and_the_next_run_resumes() {
    let Some(place) = Place::new() else { return };
    if !can_mount() {
        return skipped("needs root that may mount");
    }
    fs::create_dir(place.at("data")).unwrap();
    let two = LAB.replace("_trials = 1", "_trials = 2");
    fs::create_dir(place.at("two")).unwrap();
    fs::write(place.at("two/lab.toml"), two).unwrap();
    // In turn: one trial stored; no room; room for the inputs of a trial and not for its outputs; room.
    let script = "mount -t tmpfs -o size=64m none data || exit 1\n\
        $0 run lab.toml >/dev/null 2>&1; echo $?\n\
        head -c 100m /dev/zero >data/filler 2>/dev/null\n\
        $0 run two/lab.toml 2>&1 >/dev/null; echo $?\n\
        truncate -s -64K data/filler\n\
        $0 run two/lab.toml 2>&1 >/dev/null; echo $?\n\
        rm data/filler\n\
        $0 run two/lab.toml 2>&1 >/dev/null; echo $?\n";
    let program = env!("CARGO_BIN_EXE_poolwright");
    let output =
        place.wrapped(&["unshare", "-m", "sh", "-c"], &[script, program]).output().unwrap();
    let out = text(&output.stdout);
    let codes: Vec<&str> = out.lines().filter(|line| line.parse::<u8>().is_ok()).collect();
    assert_eq!(codes, ["0", "3", "3", "0"], "{out}");
    let full = out.lines().filter(|line| line.to_lowercase().contains("no space")).count();
    assert_eq!(full, 2, "{out}");
    assert!(out.contains("1 of 2 trials are stored"), "{out}");
}
