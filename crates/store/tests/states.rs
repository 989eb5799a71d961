//! Pool states: found whole or not at all, and removed when they take too much room.

use serde_json::json;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use store::{Key, NewImage, Running, State, Store};

const INPUTS: &[u8] = b"{}";
const IMAGE: &str = "image";

/// The state, its image's hash checked or not.
fn find(store: &Store, key: &Key, hashed: bool) -> Option<State> {
    let never: &dyn Fn() -> bool = &|| false;
    store.state(key, hashed.then_some(never))
}

fn open() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store")).unwrap();
    (directory, store)
}

fn claim(store: &Store, inputs: &[u8]) -> Running {
    store.claim(&Key::from_inputs(inputs)).unwrap().unwrap()
}

/// Makes a state with an image; its directory.
fn make(store: &Store, inputs: &[u8], image: &[u8]) -> PathBuf {
    let directory = store.path().join("running/made");
    fs::create_dir(&directory).unwrap();
    let mut written = NewImage::create(&directory, &|| false).unwrap();
    written.write_all(image).unwrap();
    let key = Key::from_inputs(inputs);
    store.store_state(&key, inputs, json!({"reported": 7}), &directory, &written).unwrap();
    assert!(!directory.exists());
    let key = key.to_string();
    store.path().join("states").join(&key[..2]).join(key)
}

#[test]
fn a_state_is_found_as_it_was_made() {
    let (_dir, store) = open();
    let key = Key::from_inputs(INPUTS);
    assert!(find(&store, &key, true).is_none());
    let directory = make(&store, INPUTS, b"image");
    let mut state = find(&store, &key, true).unwrap();
    assert_eq!(state.outcome, json!({"reported": 7}));
    // It can be read to its end, also when it is removed meanwhile.
    fs::remove_dir_all(directory).unwrap();
    let mut image = Vec::new();
    state.image.read_to_end(&mut image).unwrap();
    assert_eq!(image, b"image");
    assert!(find(&store, &key, false).is_none());
    assert_eq!(store.keys().unwrap(), [], "a state is no trial");
}

#[test]
fn a_stop_ends_the_check_of_an_image() {
    let (_dir, store) = open();
    make(&store, INPUTS, b"image");
    let key = Key::from_inputs(INPUTS);
    assert!(store.state(&key, Some(&|| true)).is_none());
    assert!(find(&store, &key, true).is_some(), "it stays");
}

#[test]
fn a_damaged_state_is_ignored_and_made_again() {
    let (_dir, store) = open();
    let key = Key::from_inputs(INPUTS);
    let directory = make(&store, INPUTS, b"image");
    let damages: [(&str, &[u8], bool); 4] = [
        (IMAGE, b"imagf", true),
        (IMAGE, b"imag", false),
        ("state.json", b"{", false),
        ("inputs.json", b"{ }", false),
    ];
    for (file, content, hashed) in damages {
        fs::write(directory.join(file), content).unwrap();
        assert!(find(&store, &key, hashed).is_none(), "{file}");
        make(&store, INPUTS, b"image");
        assert!(find(&store, &key, true).is_some(), "{file}");
    }
    fs::remove_file(directory.join(IMAGE)).unwrap();
    assert!(find(&store, &key, false).is_none());
}

#[test]
fn the_states_used_longest_ago_go_first() {
    let (_dir, store) = open();
    let image = vec![7; 1 << 20];
    for (age, inputs) in [b"a", b"b", b"c"].into_iter().enumerate() {
        let about = make(&store, inputs, &image).join("state.json");
        let about = File::options().append(true).open(about).unwrap();
        let then = SystemTime::now() - Duration::from_secs(3600 - 60 * age as u64);
        about.set_modified(then).unwrap();
    }
    let there = || {
        [b"a", b"b", b"c"].map(|i| {
            store
                .path()
                .join("states")
                .join(&Key::from_inputs(i).as_str()[..2])
                .join(Key::from_inputs(i).as_str())
                .exists()
        })
    };
    store.trim_states(4 << 20).unwrap();
    assert_eq!(there(), [true, true, true]);
    // Its use makes the oldest the newest.
    assert!(find(&store, &Key::from_inputs(b"a"), true).is_some());
    store.trim_states(1 << 20).unwrap();
    assert_eq!(there(), [true, false, false]);
    store.trim_states(0).unwrap();
    assert_eq!(there(), [false, false, false]);
}

#[test]
fn the_last_process_removes_excess_states() {
    let (_dir, store) = open();
    let directory = make(&store, INPUTS, b"");
    // A file with a hole takes no room; this one has more than is kept.
    let image = File::create(directory.join(IMAGE)).unwrap();
    rustix::fs::fallocate(&image, rustix::fs::FallocateFlags::empty(), 0, store::KEPT + 4096)
        .unwrap();
    let other = claim(&store, b"other");
    store.tidy_states().unwrap();
    assert!(directory.exists(), "another is at work");
    drop(other);
    store.tidy_states().unwrap();
    assert!(!directory.exists());
}
