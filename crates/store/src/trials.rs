//! Trials by key.

use crate::files::{
    self, create, create_above, directories, list, remove_directory, replace, sweep, write,
    write_json,
};
use crate::key::is_hexadecimal;
use crate::lock::Lock;
use crate::{Error, Key, is_former};
use measurement::{Trial, TrialResult};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const INPUTS: &str = "inputs.json";
pub(crate) const RESULT: &str = "result.json";
const RUN: &str = "run.json";
const RAW: &str = "raw";

/// A store.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

/// Facts about a trial's run on this host; not part of its key or result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// Wall seconds it took.
    pub wall_s: f64,
    /// Name of the host.
    pub host: String,
    /// Version of Poolwright.
    pub poolwright: String,
}

/// The state of a trial in a store.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// It was measured. The trial has no variant, workload, repeat or re-run: a campaign names those.
    Measured {
        /// The result.
        trial: Box<Trial>,
        /// How it ran; none where that cannot be read.
        run: Option<Run>,
    },
    /// It failed when it was last run.
    Failed {
        /// The result, with its reason.
        trial: Box<Trial>,
    },
    /// Nothing.
    Missing,
    /// Files that do not match the key. Treated as missing, and reported.
    Damaged {
        /// Which file, and what is wrong with it.
        why: String,
    },
}

/// A trial that is running. If it is dropped before it is
/// [finished](Running::finish), nothing is stored.
#[derive(Debug)]
pub struct Running {
    store: Store,
    key: Key,
    /// The directory that becomes the trial's.
    pub(crate) part: PathBuf,
    _lock: Lock,
}

impl Store {
    /// Opens a store for writing, and makes it where there is none. What killed processes left is removed.
    ///
    /// # Errors
    /// [`Error::Former`], or what the file system refused.
    pub fn open(root: &Path) -> Result<Store, Error> {
        let store = Store::read(root)?;
        create(&store.root.join("running"))?;
        sweep(&store.root.join("planned"))?;
        for path in list(&store.root.join("running"))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(key) = Key::parse(name.trim_end_matches(".lock")) else {
                continue;
            };
            if let Some(_lock) = Lock::take(&store.lock_of(&key))? {
                // What stays now is removed before the trial is run again.
                let _ = fs::remove_dir_all(store.part_of(&key));
            }
        }
        Ok(store)
    }

    /// Opens a store for reading. One that does not exist has no trials.
    ///
    /// # Errors
    /// [`Error::Former`].
    pub fn read(root: &Path) -> Result<Store, Error> {
        if is_former(root) {
            return Err(Error::Former { path: root.to_owned() });
        }
        Ok(Store { root: root.to_owned() })
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Where a measured trial is.
    pub fn trial_path(&self, key: &Key) -> PathBuf {
        let digits = &key.as_str()[..2];
        self.root.join("trials").join(digits).join(key.as_str())
    }

    fn failed_path(&self, key: &Key) -> PathBuf {
        self.root.join("failed").join(key.as_str())
    }

    fn planned_path(&self, key: &Key) -> PathBuf {
        self.root.join("planned").join(format!("{key}.json"))
    }

    fn part_of(&self, key: &Key) -> PathBuf {
        self.root.join("running").join(key.as_str())
    }

    fn lock_of(&self, key: &Key) -> PathBuf {
        self.root.join("running").join(format!("{key}.lock"))
    }

    /// The state of a trial. A trial that failed first and was measured later is measured.
    pub fn find(&self, key: &Key) -> Found {
        let trial_path = self.trial_path(key);
        if trial_path.exists() {
            let wrong = match content(&trial_path, key) {
                Ok(trial) if matches!(trial.outcome, TrialResult::Measured(_)) => {
                    let run = files::parse(&trial_path.join(RUN)).ok();
                    return Found::Measured { trial, run };
                }
                Ok(_) => Error::content(&trial_path.join(RESULT), "it belongs to a failed trial"),
                Err(e) => e,
            };
            return Found::Damaged { why: wrong.to_string() };
        }
        // A failed trial is run again in any case: what cannot be read of it is no loss.
        match content(&self.failed_path(key), key) {
            Ok(trial) if matches!(trial.outcome, TrialResult::Failed { .. }) => {
                Found::Failed { trial }
            }
            _ => Found::Missing,
        }
    }

    /// The bytes of a stored result.
    ///
    /// # Errors
    /// [`Error::Unknown`], or what the file system refused.
    pub fn result(&self, key: &Key) -> Result<Vec<u8>, Error> {
        let read = files::read(&self.trial_path(key).join(RESULT))?;
        read.ok_or_else(|| self.unknown(key.as_str()))
    }

    /// The inputs of a trial that is planned, stored or failed, whose hash is its key.
    ///
    /// # Errors
    /// [`Error::Unknown`] where there are none, [`Error::Content`] where they do not fit the key.
    pub fn inputs(&self, key: &Key) -> Result<Vec<u8>, Error> {
        let places = [
            self.trial_path(key).join(INPUTS),
            self.planned_path(key),
            self.failed_path(key).join(INPUTS),
        ];
        let mut wrong = None;
        for path in places {
            if let Some(inputs) = files::read(&path)? {
                match Key::from_inputs(&inputs) == *key {
                    true => return Ok(inputs),
                    false => wrong = Some(other_inputs(&path)),
                }
            }
        }
        Err(wrong.unwrap_or_else(|| self.unknown(key.as_str())))
    }

    /// Keeps the inputs of a trial that is planned, so that any process with this store can run it.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn plan(&self, key: &Key, inputs: &[u8]) -> Result<(), Error> {
        let path = self.planned_path(key);
        if files::read(&path)?.as_deref() == Some(inputs) {
            return Ok(());
        }
        create_above(&path)?;
        replace(&path, inputs)
    }

    /// The one trial whose key begins with these digits.
    ///
    /// # Errors
    /// [`Error::Unknown`] or [`Error::Ambiguous`].
    pub fn resolve(&self, prefix: &str) -> Result<Key, Error> {
        if let Some(key) = Key::parse(prefix) {
            return Ok(key);
        }
        let mut keys = BTreeSet::new();
        if !prefix.is_empty() && is_hexadecimal(prefix) {
            keys.extend(self.keys()?);
            for directory in ["failed", "planned"] {
                keys.extend(keys_in(&self.root.join(directory))?);
            }
            keys.retain(|key| key.as_str().starts_with(prefix));
        }
        let keys: Vec<Key> = keys.into_iter().collect();
        match keys.as_slice() {
            [] => Err(self.unknown(prefix)),
            [key] => Ok(key.clone()),
            _ => Err(Error::Ambiguous { prefix: prefix.to_owned(), keys }),
        }
    }

    /// Keys of the measured trials.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn keys(&self) -> Result<Vec<Key>, Error> {
        let mut keys = Vec::new();
        for digits in directories(&self.root.join("trials"))? {
            keys.extend(keys_in(&digits)?);
        }
        Ok(keys)
    }

    /// Claims a trial to run it; none where another process or thread runs it at this moment.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn claim(&self, key: &Key) -> Result<Option<Running>, Error> {
        create(&self.root.join("running"))?;
        let Some(lock) = Lock::take(&self.lock_of(key))? else {
            return Ok(None);
        };
        let part = self.part_of(key);
        remove_directory(&part)?;
        create(&part.join(RAW))?;
        Ok(Some(Running { store: self.clone(), key: key.clone(), part, _lock: lock }))
    }

    fn unknown(&self, key: &str) -> Error {
        Error::Unknown { key: key.to_owned(), store: self.root.clone() }
    }
}

impl Running {
    /// Where raw outputs of programs go.
    pub fn raw(&self) -> PathBuf {
        self.part.join(RAW)
    }

    /// Stores the trial, whole: a measured one for good, a failed one for the report of this run.
    /// `trial` is stored without what a campaign names (variant, workload, repeat, re-run): the same
    /// inputs have the same result under every name.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn finish(self, inputs: &[u8], trial: &Trial, run: &Run) -> Result<(), Error> {
        write(&self.part.join(INPUTS), inputs)?;
        let result = self.part.join(RESULT);
        let bytes = result_bytes(trial).map_err(|e| Error::content(&result, e))?;
        write(&result, &bytes)?;
        write_json(&self.part.join(RUN), run)?;
        let failed = self.store.failed_path(&self.key);
        remove_directory(&failed)?;
        match trial.outcome {
            TrialResult::Measured(_) => self.publish(),
            TrialResult::Failed { .. } => {
                create_above(&failed)?;
                fs::rename(&self.part, &failed).map_err(Error::io("write", &failed))
            }
        }
    }

    /// Moves a complete trial to its place.
    pub(crate) fn publish(&self) -> Result<(), Error> {
        let place = self.store.trial_path(&self.key);
        if place.exists() {
            self.set_aside(&place)?;
        }
        create_above(&place)?;
        fs::rename(&self.part, &place).map_err(Error::io("write", &place))?;
        // What stays is only listed once more.
        let _ = fs::remove_file(self.store.planned_path(&self.key));
        Ok(())
    }

    /// Moves what is damaged out of the way.
    fn set_aside(&self, place: &Path) -> Result<(), Error> {
        let damaged = self.store.root.join("damaged");
        create(&damaged)?;
        let mut free = (0u32..).map(|n| damaged.join(format!("{}-{n}", self.key)));
        let to = free.find(|path| !path.exists()).unwrap_or(damaged);
        fs::rename(place, &to).map_err(Error::io("move", place))
    }

    /// Its store.
    pub fn store(&self) -> &Store {
        &self.store
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Gone if it was finished. What cannot be removed now is removed when the store is next opened.
        let _ = fs::remove_dir_all(&self.part);
    }
}

/// The bytes of a trial's result as they are stored: without the names that a campaign gives it.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn result_bytes(trial: &Trial) -> Result<Vec<u8>, serde_json::Error> {
    let nameless = Trial {
        variant: String::new(),
        workload: String::new(),
        repeat: 0,
        rerun: None,
        ..trial.clone()
    };
    serde_json::to_vec(&nameless)
}

/// The result in a trial's directory, where inputs and result fit the key.
pub(crate) fn content(directory: &Path, key: &Key) -> Result<Box<Trial>, Error> {
    let path = directory.join(INPUTS);
    let inputs = fs::read(&path).map_err(Error::io("read", &path))?;
    if Key::from_inputs(&inputs) != *key {
        return Err(other_inputs(&path));
    }
    let path = directory.join(RESULT);
    let trial: Box<Trial> = files::parse(&path)?;
    if trial.key != key.as_str() {
        return Err(Error::content(&path, format!("it belongs to trial {}", trial.key)));
    }
    Ok(trial)
}

fn other_inputs(path: &Path) -> Error {
    Error::content(path, "the hash of its content differs from its key")
}

/// Keys that name files or directories in a directory.
fn keys_in(directory: &Path) -> Result<Vec<Key>, Error> {
    let key = |path: &PathBuf| Key::parse(path.file_name()?.to_str()?.trim_end_matches(".json"));
    Ok(list(directory)?.iter().filter_map(key).collect())
}
