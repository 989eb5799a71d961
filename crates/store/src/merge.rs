//! Merging two stores.

use crate::files::{self, create, list};
use crate::trials::content;
use crate::{Claim, Error, Found, Store};
use std::fs;
use std::path::PathBuf;

/// The result of a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// Trials that were copied.
    pub copied: usize,
    /// Trials that were there, with the same result.
    pub same: usize,
    /// Trials that another process is running here at this moment: not copied.
    pub running: usize,
    /// Trials of the other store that were left out, with what is wrong with them.
    pub damaged: Vec<String>,
    /// Two different results of one key: the trial was not a pure function of its inputs.
    pub conflicts: Vec<(PathBuf, PathBuf)>,
}

impl Store {
    /// Copies the trials and campaigns of another store that this one does not have. A key that both have
    /// with different results is a conflict; this store keeps its own.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn merge(&self, other: &Store) -> Result<Merged, Error> {
        let mut merged = Merged::default();
        for key in other.keys()? {
            let theirs = other.trial_path(&key);
            if let Err(e) = content(&theirs, &key) {
                merged.damaged.push(e.to_string());
                continue;
            }
            if matches!(self.find(&key), Found::Measured { .. }) {
                if self.result(&key)? == other.result(&key)? {
                    merged.same += 1;
                } else {
                    let result = |path: PathBuf| path.join("result.json");
                    let ours = result(self.trial_path(&key));
                    merged.conflicts.push((ours, result(theirs)));
                }
                continue;
            }
            match self.claim(&key)? {
                Claim::Taken => merged.running += 1,
                Claim::Mine(running) => {
                    files::copy(&theirs, running.part())?;
                    running.publish()?;
                    merged.copied += 1;
                }
            }
        }
        self.merge_campaigns(other)?;
        Ok(merged)
    }

    fn merge_campaigns(&self, other: &Store) -> Result<(), Error> {
        for lab in list(&other.path().join("campaigns"))? {
            let directory = self.path().join("campaigns");
            let directory = directory.join(lab.file_name().unwrap_or_default());
            for record in list(&lab)? {
                let ours = directory.join(record.file_name().unwrap_or_default());
                if ours.extension().is_some_and(|e| e == "json") && !ours.exists() {
                    create(&directory)?;
                    let content = fs::read(&record).map_err(Error::io("read", &record))?;
                    files::replace(&ours, &content)?;
                }
            }
        }
        Ok(())
    }
}
