//! `run --list`, `trial`, `merge` and `verify`: trials one by one, on any number of hosts.

mod two_variant_lab;

use std::fs;
use std::process::{Child, Stdio};
use two_variant_lab::{Place, results, stderr, stdout};

/// The rows of `run --list`.
fn list(place: &Place) -> Vec<Vec<String>> {
    let output = place.run(&["run", "lab.toml", "--list"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = stdout(&output);
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    rows.lines().map(row).collect()
}

#[test]
fn a_plan_is_listed_without_starting_anything() {
    let place = Place::new();
    let rows = list(&place);
    let columns: Vec<[&str; 4]> =
        rows.iter().map(|row| [&row[1], &row[2], &row[3], &row[5]].map(String::as_str)).collect();
    assert_eq!(
        columns,
        [
            ["none", "sync", "0", "missing"],
            ["optane", "sync", "0", "missing"],
            ["none", "sync", "1", "missing"],
            ["optane", "sync", "1", "missing"],
        ]
    );
    assert_eq!((&rows[0][4], &rows[2][4]), (&rows[1][4], &rows[3][4]), "one seed a repeat");
    assert_ne!(rows[0][4], rows[2][4]);
    assert!(rows.iter().all(|row| row[0].len() == 64));
    assert!(place.begun().is_empty());
    place.run(&["run", "lab.toml"]);
    assert!(list(&place).iter().all(|row| row[5] == "stored"));
}

/// As GNU parallel does: a process for each key, some at a time, in any order.
#[test]
fn trials_are_run_by_processes_that_know_only_their_keys() {
    let (place, whole) = (Place::new(), Place::new());
    whole.run(&["run", "lab.toml"]);
    let rows = list(&place);
    let start = |key: &str| -> Child {
        let mut command = place.command(&["trial", key]);
        command.env("FAKE_WALL_S", "0.2").stdout(Stdio::piped());
        command.spawn().unwrap()
    };
    // The first digits are enough; one key is given to two processes.
    let digits = rows.iter().rev().map(|row| &row[0][..16]).chain([&rows[0][0][..]]);
    let children: Vec<Child> = digits.map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).ends_with("\tstored\n"), "{}", stdout(&output));
    }
    assert_eq!(place.begun().len(), 4);
    assert_eq!(place.results(), whole.results());
    let run = place.run(&["run", "lab.toml"]);
    assert_eq!((run.status.code(), place.begun().len()), (Some(0), 4));
}

#[test]
fn a_key_that_is_not_known_is_refused_with_what_to_do() {
    let place = Place::new();
    for key in ["0123456789abcdef", &"0".repeat(64), "no key"] {
        let output = place.run(&["trial", key]);
        assert_eq!(output.status.code(), Some(2), "{key}");
        assert!(stderr(&output).contains("--list"), "{}", stderr(&output));
    }
}

#[test]
fn a_failed_trial_is_reported_with_its_reason() {
    let place = Place::new();
    let rows = list(&place);
    let keys: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    let mut command = place.command(&[&["trial"], keys.as_slice()].concat());
    let output = command.env("FAKE_LOGS_FAIL", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let printed = stdout(&output);
    assert_eq!(printed.matches("\tstored\n").count(), 2, "{printed}");
    assert_eq!(printed.matches("\tfailed\tVERIFY3").count(), 2, "{printed}");
}

#[test]
fn the_results_of_another_host_are_merged_and_reported() {
    let (here, there) = (Place::new(), Place::new());
    let rows = list(&here);
    // To another host go the plans, from there come the results.
    let planned = there.store().join("planned");
    fs::create_dir_all(&planned).unwrap();
    for row in &rows {
        let name = format!("{}.json", row[0]);
        fs::copy(here.store().join("planned").join(&name), planned.join(&name)).unwrap();
    }
    let keys: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    there.run(&[&["trial"], keys.as_slice()].concat());
    let other = there.store().display().to_string();
    let merged = here.run(&["merge", &other]);
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
    assert!(stdout(&merged).contains("4 copied, 0 already here"), "{}", stdout(&merged));
    assert_eq!(here.results(), there.results());
    let run = here.run(&["run", "lab.toml"]);
    assert_eq!((run.status.code(), here.begun().len()), (Some(0), 0));
}

#[test]
fn two_results_of_one_trial_are_a_conflict_that_names_both_files() {
    let (here, there) = (Place::new(), Place::new());
    here.run(&["run", "lab.toml"]);
    let mut noisy = there.command(&["run", "lab.toml"]);
    noisy.env("FAKE_NOISE_NS", "1").output().unwrap();
    let before = here.results();
    let other = there.store().display().to_string();
    let merged = here.run(&["merge", &other]);
    assert_eq!(merged.status.code(), Some(1));
    for key in before.keys() {
        let name = format!("trials/{}/{key}/result.json", &key[..2]);
        for store in [here.store(), there.store()] {
            let path = store.join(&name).display().to_string();
            assert!(stderr(&merged).contains(&path), "{path}: {}", stderr(&merged));
        }
    }
    assert_eq!(here.results(), before);
}

#[test]
fn a_directory_that_is_not_a_store_is_not_merged() {
    let place = Place::new();
    fs::create_dir(place.at("empty")).unwrap();
    for name in ["empty", "missing"] {
        let output = place.run(&["merge", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("is not a store"), "{}", stderr(&output));
    }
}

#[test]
fn a_result_is_verified_by_its_file_its_key_or_its_lab() {
    let place = Place::new();
    place.run(&["run", "lab.toml"]);
    let key = place.results().into_keys().next().unwrap();
    let directory = place.store().join("trials").join(&key[..2]).join(&key);
    let (directory, file) =
        (directory.display().to_string(), directory.join("result.json").display().to_string());
    for (what, results) in
        [(&directory, 1), (&file, 1), (&key[..10].to_owned(), 1), (&"lab".to_owned(), 4)]
    {
        let output = place.run(&["verify", what]);
        assert_eq!(output.status.code(), Some(0), "{what}: {}", stderr(&output));
        let printed = stdout(&output);
        assert_eq!(printed.matches("identical\n").count(), results, "{printed}");
    }
    // Nothing of it is kept, and no result is replaced.
    assert_eq!(results(&place.store()).len(), 4);
    assert_eq!(fs::read_dir(place.store().join("running")).unwrap().count(), 0);
    let other = place.run(&["verify", "other"]);
    assert_eq!(other.status.code(), Some(2), "{}", stderr(&other));
}

#[test]
fn a_planted_difference_is_found_and_named() {
    let place = Place::new();
    place.run(&["run", "lab.toml"]);
    let key = place.results().into_keys().next().unwrap();
    let mut command = place.command(&["verify", &key]);
    let output = command.env("FAKE_NOISE_NS", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(printed.contains("differs: outcome.write.mean_ns: stored "), "{printed}");
    // As a bit of a disk that fell over.
    let path = place.store().join("trials").join(&key[..2]).join(&key).join("result.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"concurrency\":1.0", "\"concurrency\":2.0", 1)).unwrap();
    let output = place.run(&["verify", &key]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(printed.contains("outcome.concurrency: stored 2.0, now 1.0"), "{printed}");
}

#[test]
fn a_lab_whose_name_looks_like_the_digits_of_a_key_is_verified_as_a_lab() {
    let place = Place::new();
    place.run(&["run", "lab.toml"]);
    let name = place.results().keys().next().unwrap()[..4].to_owned();
    fs::copy(place.at("lab.toml"), place.at(&format!("{name}.toml"))).unwrap();
    place.run(&["run", &format!("{name}.toml")]);
    let output = place.run(&["verify", &name]);
    let printed = stdout(&output);
    assert_eq!(printed.matches("identical").count(), 4, "{printed}");
}
