//! One directory for one campaign.

use crate::{Attempt, Error, Journal};
use findings::record::Trial;
use lab::{campaign::Campaign, model::Model};
use rustix::fs::{FlockOperation, flock};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The file that holds [`MadeBy`].
const MADE_BY: &str = "made-by.json";

/// A campaign's directory, open.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    campaign: Campaign,
    journal: Journal,
    /// Held for as long as a run is at work; none when only read.
    _lock: Option<File>,
}

/// Whether [`Store::open`] found something to continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfinished {
    /// A new directory was made.
    New,
    /// An earlier run of the same campaign is continued.
    Continued,
    /// A new directory was made, since another build, or drives in another place, measured the same campaign.
    Anew {
        /// Where that one is, and stays.
        instead_of: PathBuf,
        /// The names in [`MadeBy`] that differ.
        differs: Vec<String>,
    },
}

/// What measures a campaign: each program, and the place of its drives, with what tells one from another.
/// Trials of one cell are made by the same.
pub type MadeBy = BTreeMap<String, String>;

impl Store {
    /// Opens the directory of `campaign` below `results` for measuring: the newest one that holds
    /// the same campaign `made_by` the same, or a new one. The wall budget and the most trials of a cell are
    /// no part of a campaign's identity, so that more of both can be given to one that ran out of them.
    ///
    /// # Errors
    /// [`Error::Busy`] when a run is at work there; otherwise what the file system said.
    pub fn open(
        results: &Path,
        campaign: &Campaign,
        lab_text: &str,
        made_by: &MadeBy,
        fresh: bool,
        now: SystemTime,
    ) -> Result<(Store, Unfinished), Error> {
        let home = results.join(file_name(&campaign.name));
        let (found, unfinished) = match fresh {
            true => (None, Unfinished::New),
            false => newest(&home, campaign, made_by)?,
        };
        if let Some(path) = found {
            let lock = lock(&path)?;
            let store = Store {
                journal: Journal::open(&path.join("journal.sqlite"))?,
                campaign: campaign.clone(),
                path,
                _lock: Some(lock),
            };
            // What is no part of its identity may have changed.
            replace(&store.path.join("lab.toml"), lab_text.as_bytes())?;
            store.write("campaign.json", campaign)?;
            return Ok((store, unfinished));
        }
        let path = new_directory(&home, now)?;
        let lock = lock(&path)?;
        let lab = path.join("lab.toml");
        replace(&lab, lab_text.as_bytes())?;
        let store = Store {
            journal: Journal::open(&path.join("journal.sqlite"))?,
            campaign: campaign.clone(),
            path,
            _lock: Some(lock),
        };
        store.write(MADE_BY, made_by)?;
        // Last, since it is what makes the directory a campaign's.
        store.write("campaign.json", campaign)?;
        Ok((store, unfinished))
    }

    /// Opens a campaign's directory for reading.
    ///
    /// # Errors
    /// What the file system said, or [`Error::Content`].
    pub fn read(path: &Path) -> Result<Store, Error> {
        let campaign = parse(&path.join("campaign.json"))?;
        Ok(Store {
            journal: Journal::read(&path.join("journal.sqlite"))?,
            campaign,
            path: path.to_owned(),
            _lock: None,
        })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The campaign that was run.
    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The lab file as it was run.
    ///
    /// # Errors
    /// What the file system said.
    pub fn lab_text(&self) -> Result<String, Error> {
        let path = self.path.join("lab.toml");
        fs::read_to_string(&path).map_err(Error::io("read", &path))
    }

    /// The model chosen by an earlier run of this campaign.
    ///
    /// # Errors
    /// What the file system said, or [`Error::Content`].
    pub fn model(&self) -> Result<Option<Model>, Error> {
        let path = self.path.join("model.json");
        if path.exists() {
            parse(&path).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Keeps the model, so that a continued campaign runs on the same one.
    ///
    /// # Errors
    /// What the file system said.
    pub fn set_model(&self, model: &Model) -> Result<(), Error> {
        self.write("model.json", model)
    }

    /// Writes a text file into the directory, whole or not at all.
    ///
    /// # Errors
    /// What the file system said.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), Error> {
        replace(&self.path.join(name), text.as_bytes())
    }

    /// Writes a JSON file into the directory, whole or not at all.
    ///
    /// # Errors
    /// What the file system said.
    pub fn write(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        let path = self.path.join(name);
        let mut text = serde_json::to_vec_pretty(value).map_err(|source| Error::Content {
            path: path.clone(),
            source,
        })?;
        text.push(b'\n');
        replace(&path, &text)
    }

    /// Makes the directory for the raw outputs of an attempt.
    ///
    /// # Errors
    /// What the file system said.
    pub fn raw(&self, trial: &Trial, attempt: &Attempt) -> Result<PathBuf, Error> {
        let path = self
            .path
            .join("trials")
            .join(format!(
                "{:04}-{}-{}{}",
                trial.id,
                file_name(&trial.variant),
                file_name(&trial.workload),
                apart(trial)
            ))
            .join(attempt.number.to_string());
        fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
        Ok(path)
    }
}

/// What sets a trial apart from a repeat of its closed-loop cell, for its directory.
fn apart(trial: &Trial) -> String {
    let mut text = String::new();
    if let Some(rate) = trial.offered_rate {
        text.push_str(&format!("-at-{rate:.0}"));
    }
    if let Some(change) = &trial.rerun {
        text.push_str(&format!(
            "-{}-{}-x{}",
            file_name(&change.drive),
            file_name(&change.parameter),
            change.factor
        ));
    }
    text
}

/// A name as one component of a path: what could be taken for anything else becomes `_`.
fn file_name(name: &str) -> String {
    let clean: String = name
        .chars()
        .take(80)
        .map(|c| {
            if c.is_alphanumeric() || "-_+=.".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    match clean.trim_start_matches('.') {
        "" => "_".to_owned(),
        kept => kept.to_owned(),
    }
}

fn same(a: &Campaign, b: &Campaign) -> bool {
    let identity = |c: &Campaign| {
        let mut c = c.clone();
        (c.method.budget_s, c.method.max_trials) = (0.0, 0);
        c
    };
    identity(a) == identity(b)
}

/// The newest directory below `home` that holds this campaign made by the same, and what is told of it. Names
/// sort by time.
fn newest(
    home: &Path,
    campaign: &Campaign,
    made_by: &MadeBy,
) -> Result<(Option<PathBuf>, Unfinished), Error> {
    let entries = match fs::read_dir(home) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok((None, Unfinished::New)),
        Err(e) => return Err(Error::io("read", home)(e)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(Error::io("read", home))?.path());
    }
    paths.sort();
    let mut told = Unfinished::New;
    for path in paths.into_iter().rev() {
        // A directory of another version, or half made, is no candidate.
        if !parse::<Campaign>(&path.join("campaign.json")).is_ok_and(|found| same(&found, campaign))
        {
            continue;
        }
        // One that does not tell was made by a build from before.
        let theirs: MadeBy = parse(&path.join(MADE_BY)).unwrap_or_default();
        if theirs == *made_by {
            return Ok((Some(path), Unfinished::Continued));
        }
        if told == Unfinished::New {
            let differs = made_by
                .iter()
                .filter(|(name, of)| theirs.get(*name) != Some(of));
            told = Unfinished::Anew {
                differs: differs.map(|(name, _)| name.clone()).collect(),
                instead_of: path,
            };
        }
    }
    Ok((None, told))
}

fn new_directory(home: &Path, now: SystemTime) -> Result<PathBuf, Error> {
    fs::create_dir_all(home).map_err(Error::io("create", home))?;
    let stamp = humantime::format_rfc3339_seconds(now)
        .to_string()
        .replace(['-', ':'], "");
    for n in 1u32.. {
        let path = match n {
            1 => home.join(&stamp),
            n => home.join(format!("{stamp}-{n}")),
        };
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(Error::io("create", &path)(e)),
        }
    }
    unreachable!("some number is free")
}

fn lock(path: &Path) -> Result<File, Error> {
    let name = path.join("lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&name)
        .map_err(Error::io("create", &name))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::Busy {
            path: path.to_owned(),
        }),
        Err(e) => Err(Error::io("lock", &name)(e.into())),
    }
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
    serde_json::from_str(&text).map_err(|source| Error::Content {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file so that a kill leaves the old content or the new.
fn replace(path: &Path, content: &[u8]) -> Result<(), Error> {
    let fresh = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&fresh)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    };
    write().map_err(Error::io("write", path))
}
