//! Merging two stores.

use crate::files::{self, directories, list};
use crate::trials::{RESULT, content};
use crate::{CampaignRecord, Error, Found, Store};
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
    /// Trials and campaigns of the other store that were left out, with what is wrong with them.
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
            let is_here = || matches!(self.find(&key), Found::Measured { .. });
            if !is_here() {
                let Some(running) = self.claim(&key)? else {
                    merged.running += 1;
                    continue;
                };
                // Another process may have stored it between the check and the claim.
                if !is_here() {
                    files::copy(&theirs, &running.part)?;
                    running.publish()?;
                    merged.copied += 1;
                    continue;
                }
            }
            if self.result(&key)? == other.result(&key)? {
                merged.same += 1;
            } else {
                let ours = self.trial_path(&key);
                merged.conflicts.push((ours.join(RESULT), theirs.join(RESULT)));
            }
        }
        self.merge_campaigns(other, &mut merged)?;
        Ok(merged)
    }

    fn merge_campaigns(&self, other: &Store, merged: &mut Merged) -> Result<(), Error> {
        for lab in directories(&other.path().join("campaigns"))? {
            let mut records = list(&lab)?;
            records.retain(|path| path.extension().is_some_and(|e| e == "json"));
            for record in records {
                match CampaignRecord::read(&record) {
                    Ok(mut read) => {
                        let ours = self.campaigns_of(&read.campaign.name);
                        let path = ours.join(record.file_name().unwrap_or_default());
                        self.update(&path, &mut read)?;
                    }
                    Err(e) => merged.damaged.push(e.to_string()),
                }
            }
        }
        Ok(())
    }
}
