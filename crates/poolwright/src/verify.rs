//! `poolwright verify RESULT`: runs a stored trial again; the result must have the same bytes.

use crate::exit::Refusal;
use crate::store_dir::StoreDir;
use crate::{engine, output};
use bench::engine::Engine;
use bench::error::Error;
use bench::inputs::Inputs;
use bench::stop::Stop;
use bench::verify::{Verified, verify};
use std::fs;
use std::path::{Path, PathBuf};
use store::{CampaignRecord, Key, Store};
use text::line::one_line;

/// Exit code when a result differs.
const DIFFERS: u8 = 1;

/// Run stored trials again and compare their results, byte by byte
///
/// Exit codes: 0 identical · 1 a result differs, or the trial failed · 2 there is no such result · 3
/// this host lacks something, such as the engine build that ran it · 130 interrupted.
#[derive(clap::Args)]
pub struct Args {
    /// A result.json of a store, the key of a trial, or a lab that was run; of a lab all trials are verified
    #[arg(value_name = "RESULT|KEY|LAB")]
    what: String,
    #[command(flatten)]
    store: StoreDir,
}

struct Stored {
    key: Key,
    inputs: Vec<u8>,
    result: Vec<u8>,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let store = self.store.open()?;
        let all = self.find(&store)?;
        let engine = engine::open()?;
        let stop = Stop::at_signals()?;
        let mut code = 0;
        for stored in &all {
            let outcome = match again(&store, engine.as_ref(), stored, &stop)? {
                Verified::Identical => "identical".to_owned(),
                Verified::Differs(difference) => {
                    code = code.max(DIFFERS);
                    format!("differs: {}", one_line(&difference.to_string()))
                }
                Verified::Failed(reason) => {
                    code = code.max(DIFFERS);
                    format!("failed: {}", one_line(&reason))
                }
            };
            code = code.max(output::print(&format!("{}  {outcome}\n", stored.key.short())));
        }
        store.tidy_states()?;
        Ok(code)
    }

    fn find(&self, store: &Store) -> Result<Vec<Stored>, Refusal> {
        let path = Path::new(&self.what);
        let directory = match path.file_name() {
            Some(name) if name == "result.json" => path.parent().map(Path::to_owned),
            _ => Some(path.to_owned()).filter(|path| path.join("result.json").is_file()),
        };
        if let Some(directory) = directory {
            let stored = read_result(&directory);
            return stored.map(|one| vec![one]).map_err(Refusal::usage);
        }
        let campaigns = store.campaigns(&lab::name_of(&self.what))?;
        // The name of a lab that was run may look like the first digits of a key.
        let is_lab = !campaigns.is_empty() && Key::parse(&self.what).is_none();
        let of_lab = || measured_keys(store, &self.what, campaigns.last());
        let keys = if is_lab {
            of_lab()?
        } else {
            match store.resolve(&self.what) {
                Ok(key) => vec![key],
                Err(e @ store::Error::Ambiguous { .. }) => return Err(e.into()),
                Err(_) => of_lab()?,
            }
        };
        let read = |key: Key| -> Result<Stored, Refusal> {
            Ok(Stored { inputs: store.inputs(&key)?, result: store.result(&key)?, key })
        };
        keys.into_iter().map(read).collect()
    }
}

fn read_result(directory: &Path) -> Result<Stored, String> {
    let read = |name: &str| -> Result<Vec<u8>, String> {
        let path: PathBuf = directory.join(name);
        fs::read(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))
    };
    let inputs = read("inputs.json")?;
    Ok(Stored { key: Key::from_inputs(&inputs), result: read("result.json")?, inputs })
}

/// The measured trials of the newest campaign of a lab.
fn measured_keys(store: &Store, name: &str, newest: Option<&PathBuf>) -> Result<Vec<Key>, Refusal> {
    let Some(newest) = newest else {
        return Err(Refusal::usage(format!(
            "{name} is not a result, a trial key or a lab that was run; if it is a lab, run `poolwright run {name}` first"
        )));
    };
    let record = CampaignRecord::read(newest)?;
    let mut keys: Vec<Key> = Vec::new();
    for entry in &record.trials {
        if let Some(key) = Key::parse(&entry.key)
            && !keys.contains(&key)
            && store.trial_path(&key).exists()
        {
            keys.push(key);
        }
    }
    if keys.is_empty() {
        return Err(Refusal::usage(format!(
            "no trial of {name} is stored: run `poolwright run {name}` first"
        )));
    }
    Ok(keys)
}

/// Runs a trial again in the claim's directory, which is removed afterwards.
fn again(
    store: &Store,
    engine: &dyn Engine,
    stored: &Stored,
    stop: &Stop,
) -> Result<Verified, Error> {
    let inputs = Inputs::read(&stored.inputs)?;
    match store.claim(&stored.key)? {
        None => Err(Error::Environment(format!(
            "another process runs trial {} at this moment: verify it afterwards",
            stored.key.short()
        ))),
        Some(running) => verify(engine, &inputs, &stored.result, &running, stop),
    }
}
