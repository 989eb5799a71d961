//! Crash states that were checked, saved one by one, so that the same command resumes.

use super::report::State;
use bench::error::{Error, doing, host};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::Key;

/// Below the store: a file for all crash states that differ by their seed alone.
const DIRECTORY: &str = "crash-states";

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SavedLine {
    /// A recording: why its writers stopped early, if they did.
    Recorded { synchronous: bool, problems: Vec<String> },
    /// A crash state of it.
    State { synchronous: bool, state: Box<State> },
}

/// The saved crash states of a command, and those that it adds.
pub struct Saved {
    path: PathBuf,
    kept: Mutex<Kept>,
}

struct Kept {
    file: File,
    problems: BTreeMap<bool, Vec<String>>,
    states: BTreeMap<(bool, u64), State>,
}

impl Kept {
    fn remember(&mut self, line: SavedLine) {
        match line {
            SavedLine::Recorded { synchronous, problems } => {
                self.problems.insert(synchronous, problems);
            }
            SavedLine::State { synchronous, state } => {
                self.states.insert((synchronous, state.seed), *state);
            }
        }
    }
}

impl Saved {
    /// Those whose inputs, without the seed of the state, have this key. A line that a killed process left
    /// unfinished is ignored.
    pub fn open(store: &Path, key: &Key) -> Result<Saved, Error> {
        let directory = store.join(DIRECTORY);
        fs::create_dir_all(&directory).map_err(doing(format!("create {}", directory.display())))?;
        let path = directory.join(format!("{key}.jsonl"));
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(&path);
        let mut file = file.map_err(doing(format!("write {}", path.display())))?;
        let text = fs::read(&path).map_err(doing(format!("read {}", path.display())))?;
        if text.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(doing(format!("write {}", path.display())))?;
        }
        let mut kept = Kept { file, problems: BTreeMap::new(), states: BTreeMap::new() };
        let lines = text.split(|byte| *byte == b'\n').map(serde_json::from_slice);
        lines.flatten().for_each(|line| kept.remember(line));
        Ok(Saved { path, kept: Mutex::new(kept) })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the writers of a recording stopped early; empty if they did not.
    pub fn problems(&self, synchronous: bool) -> Vec<String> {
        self.kept().problems.get(&synchronous).cloned().unwrap_or_default()
    }

    pub fn has_state(&self, synchronous: bool, seed: u64) -> bool {
        self.kept().states.contains_key(&(synchronous, seed))
    }

    pub fn state(&self, synchronous: bool, seed: u64) -> Option<State> {
        self.kept().states.get(&(synchronous, seed)).cloned()
    }

    /// Saves a line, and has what it says from now on.
    pub fn add(&self, line: SavedLine) -> Result<(), Error> {
        let mut text = serde_json::to_vec(&line).map_err(doing("write a crash state as JSON"))?;
        text.push(b'\n');
        let mut kept = self.kept();
        let written = kept.file.write_all(&text).and_then(|()| kept.file.sync_data());
        // The disk is full, or the directory is gone: no further state would be saved either.
        written.map_err(host(format!("write {}", self.path.display())))?;
        kept.remember(line);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_states_are_found_again_and_an_unfinished_line_is_not() {
        let place = tempfile::tempdir().unwrap();
        let key = Key::from_inputs(b"inputs");
        let saved = Saved::open(place.path(), &key).unwrap();
        let problems = vec!["no space".to_owned()];
        saved.add(SavedLine::Recorded { synchronous: true, problems }).unwrap();
        for seed in [3, 4] {
            let state = State { seed, lost: 7, lost_s: Some(0.1), ..State::default() };
            saved.add(SavedLine::State { synchronous: true, state: Box::new(state) }).unwrap();
        }
        let mut text = fs::read(&saved.path).unwrap();
        text.truncate(text.len() - 20);
        fs::write(&saved.path, text).unwrap();
        let again = Saved::open(place.path(), &key).unwrap();
        assert_eq!(again.problems(true), ["no space"]);
        assert_eq!(again.problems(false), [""; 0]);
        let state = again.state(true, 3).unwrap();
        assert_eq!((state.lost, state.lost_s), (7, Some(0.1)));
        assert!(!again.has_state(true, 4) && !again.has_state(false, 3));
        let state = Box::new(State { seed: 4, ..State::default() });
        again.add(SavedLine::State { synchronous: true, state }).unwrap();
        assert!(again.has_state(true, 4));
        assert!(Saved::open(place.path(), &key).unwrap().has_state(true, 4));
        let other = Key::from_inputs(b"other inputs");
        assert!(!Saved::open(place.path(), &other).unwrap().has_state(true, 3));
    }
}
