//! Campaigns: the resolved lab, and the keys of its trials.

use crate::files::{create, is_hidden, list, parse, remove, replace, sweep};
use crate::lock::Lock;
use crate::{Error, Found, Key, Store};
use lab::campaign::Campaign;
use lab::model::Model;
use measurement::{Perturbation, Trial};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Version of the format of [`CampaignRecord`].
const FORMAT: u32 = 1;

/// A campaign as it was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CampaignRecord {
    /// Version of this format.
    format: u32,
    /// The campaign, resolved.
    pub campaign: Campaign,
    /// Its scale model.
    pub model: Model,
    /// The text of the lab file.
    pub lab: String,
    /// Release of OpenZFS → identity of the engine build that ran it.
    pub builds: BTreeMap<String, String>,
    /// Its trials, in the order in which they were planned.
    pub trials: Vec<Entry>,
}

/// A trial of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The key that it is stored under. Identical variants share it.
    pub key: String,
    /// The variant's name.
    pub variant: String,
    /// The workload's name.
    pub workload: String,
    /// Which repeat of the cell, from 0.
    pub repeat: u32,
    /// Which number of a drive was changed, for a re-run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<Perturbation>,
}

impl Entry {
    /// The trial with the names that its campaign gives it.
    pub fn name(&self, trial: Trial) -> Trial {
        Trial {
            variant: self.variant.clone(),
            workload: self.workload.clone(),
            repeat: self.repeat,
            rerun: self.rerun.clone(),
            ..trial
        }
    }
}

impl CampaignRecord {
    /// A campaign without trials.
    pub fn new(
        campaign: &Campaign,
        model: &Model,
        lab: &str,
        builds: BTreeMap<String, String>,
    ) -> CampaignRecord {
        CampaignRecord {
            format: FORMAT,
            campaign: campaign.clone(),
            model: model.clone(),
            lab: lab.to_owned(),
            builds,
            trials: Vec::new(),
        }
    }

    /// Adds a trial; one that is there stays once.
    pub fn add(&mut self, entry: Entry) {
        if !self.trials.contains(&entry) {
            self.trials.push(entry);
        }
    }

    /// Reads a campaign's file.
    ///
    /// # Errors
    /// What the file system refused, or [`Error::Content`].
    pub fn read(path: &Path) -> Result<CampaignRecord, Error> {
        let record: CampaignRecord = parse(path).map_err(|error| match error {
            Error::Content { path, why } => {
                let why = format!("{why}. Run the lab again: its stored trials are used");
                Error::Content { path, why }
            }
            other => other,
        })?;
        match record.format {
            FORMAT => Ok(record),
            other => Err(Error::content(
                path,
                format!(
                    "it has format {other}, and this Poolwright reads {FORMAT}: run the lab again"
                ),
            )),
        }
    }

    /// The store that a campaign's file lies in: `<store>/campaigns/<lab>/<file>`.
    pub fn store_of(path: &Path) -> Option<PathBuf> {
        let lab = path.parent()?;
        let campaigns = lab.parent()?;
        let named = campaigns.file_name()? == "campaigns";
        let store = named.then(|| campaigns.parent())??;
        Some(match store.as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => store.to_owned(),
        })
    }

    /// The trials that are stored, and what is wrong with those that are damaged. Failed ones are among
    /// them, missing ones are not.
    pub fn load(&self, store: &Store) -> (Vec<Trial>, Vec<String>) {
        let (mut trials, mut damaged) = (Vec::new(), Vec::new());
        for entry in &self.trials {
            let found = Key::parse(&entry.key).map(|key| store.find(&key));
            match found {
                Some(Found::Measured { trial, .. } | Found::Failed { trial }) => {
                    trials.push(entry.name(*trial));
                }
                Some(Found::Damaged { why }) => damaged.push(why),
                Some(Found::Missing) => {}
                None => damaged.push(format!("{:?} is not a trial key", entry.key)),
            }
        }
        (trials, damaged)
    }

    /// The identity of a campaign, 8 hexadecimal digits. Budget and maximum trials are not part of it, so
    /// that a campaign can be continued with more of both.
    fn identity(&self) -> Result<String, serde_json::Error> {
        let mut campaign = self.campaign.clone();
        (campaign.method.budget_s, campaign.method.max_trials) = (0.0, 0);
        let text = serde_json::to_vec(&(campaign, &self.model, &self.builds))?;
        Ok(Key::from_inputs(&text).as_str()[..8].to_owned())
    }
}

impl Store {
    /// The directory of a lab's campaigns.
    pub(crate) fn campaigns_of(&self, lab: &str) -> PathBuf {
        self.path().join("campaigns").join(file_name(lab))
    }

    /// Stores a campaign under the time `now`, and returns its path, as [`Store::update`] does.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn keep(&self, record: &mut CampaignRecord, now: SystemTime) -> Result<PathBuf, Error> {
        let directory = self.campaigns_of(&record.campaign.name);
        create(&directory)?;
        sweep(&directory)?;
        let wrong = |e: serde_json::Error| Error::content(&directory, e);
        let identity = record.identity().map_err(wrong)?;
        let stamp = humantime::format_rfc3339_seconds(now).to_string();
        let stamp = stamp.replace(['-', ':'], "");
        self.update(&directory.join(format!("{stamp}-{identity}.json")), record)
    }

    /// Writes a campaign to its path again. The trials of every file of the same campaign, of an earlier or a concurrent
    /// run, are added, and the newest file stays: its path.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn update(&self, path: &Path, record: &mut CampaignRecord) -> Result<PathBuf, Error> {
        let directory = self.campaigns_of(&record.campaign.name);
        create(&directory)?;
        let _lock = Lock::wait(&directory.join("records.lock"))?;
        let identity = record.identity().map_err(|e| Error::content(path, e))?;
        let suffix = format!("-{identity}.json");
        let mut known: BTreeMap<PathBuf, Option<CampaignRecord>> = BTreeMap::new();
        for other in list(&directory)? {
            let is_of_campaign = other == path || other.to_string_lossy().ends_with(&suffix);
            // A file that cannot be read stays, for a person to look at.
            if is_of_campaign && let Ok(read) = CampaignRecord::read(&other) {
                read.trials.iter().for_each(|entry| record.add(entry.clone()));
                known.insert(other, Some(read));
            }
        }
        known.insert(path.to_owned(), None);
        // Names begin with the time. The newest keeps its text of the lab, its budget and the like.
        let (newest, own) = known.pop_last().unwrap_or_else(|| (path.to_owned(), None));
        let text = match own {
            None => serde_json::to_vec_pretty(record),
            Some(own) => {
                serde_json::to_vec_pretty(&CampaignRecord { trials: record.trials.clone(), ..own })
            }
        };
        let mut text = text.map_err(|e| Error::content(path, e))?;
        text.push(b'\n');
        replace(&newest, &text)?;
        known.keys().try_for_each(|other| remove(other))?;
        Ok(newest)
    }

    /// Keeps a file of a lab's newest report, `<store>/reports/<lab>/<name>`, and gives its path.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn keep_report(&self, lab: &str, name: &str, text: &str) -> Result<PathBuf, Error> {
        let directory = self.path().join("reports").join(file_name(lab));
        create(&directory)?;
        sweep(&directory)?;
        let path = directory.join(name);
        replace(&path, text.as_bytes())?;
        Ok(path)
    }

    /// The files of a lab's campaigns, oldest first.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn campaigns(&self, lab: &str) -> Result<Vec<PathBuf>, Error> {
        let mut paths = list(&self.campaigns_of(lab))?;
        paths.retain(|path| path.extension().is_some_and(|e| e == "json") && !is_hidden(path));
        Ok(paths)
    }
}

/// A name as one component of a path: special characters become `_`.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_+=.".contains(c);
    let clean: String = name.chars().take(80).map(|c| if plain(c) { c } else { '_' }).collect();
    match clean.trim_start_matches('.') {
        "" => "_".to_owned(),
        kept => kept.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_of_a_campaign_is_known_from_its_path() {
        let store = |path: &str| CampaignRecord::store_of(Path::new(path));
        assert_eq!(store("/s/campaigns/demo/x.json"), Some("/s".into()));
        assert_eq!(store("campaigns/demo/x.json"), Some(".".into()));
        assert_eq!(store("/s/other/demo/x.json"), None);
    }

    #[test]
    fn a_name_is_one_component_of_a_path() {
        assert_eq!(file_name("../a b/c"), "_a_b_c");
        assert_eq!(file_name(".."), "_");
    }
}
