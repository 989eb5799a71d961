//! `poolwright merge STORE…`: the union of stores.

use crate::exit::{self, USAGE, refuse};
use crate::output;
use crate::store_dir::StoreDir;
use std::path::PathBuf;
use std::process::ExitCode;
use store::Store;

/// Exit code when two stores have different results of one trial.
const CONFLICT: u8 = 1;

/// Copy the trials and campaigns of other stores into this one
///
/// Exit codes: 0 all are here now · 1 a trial has another result there, which a trial must not, or
/// cannot be read · 2 one of them is no store · 3 this store cannot be written.
#[derive(clap::Args)]
pub struct Args {
    /// The other stores
    #[arg(required = true, value_name = "STORE")]
    others: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreDir,
}

impl Args {
    /// Merges.
    pub fn run(self) -> ExitCode {
        ExitCode::from(self.merge().unwrap_or_else(|code| code))
    }

    fn merge(&self) -> Result<u8, u8> {
        let mut others = Vec::new();
        for path in &self.others {
            let other = Store::read(path).map_err(|e| exit::of_store(&e))?;
            if !path.join("trials").is_dir() {
                let path = path.display();
                let why = "it has no directory `trials`; name the directory that --store named";
                return Err(refuse(USAGE, format!("{path} is no store: {why}")));
            }
            others.push(other);
        }
        let store = self.store.open().map_err(|e| exit::of_store(&e))?;
        let mut code = 0;
        for other in &others {
            let merged = store.merge(other).map_err(|e| exit::of_store(&e))?;
            for why in &merged.damaged {
                output::complain(&format!("error: left out: {why}\n"));
                code = CONFLICT;
            }
            for (ours, theirs) in &merged.conflicts {
                output::complain(&format!(
                    "error: two results of one trial: {} and {} differ. A trial is a pure function of its inputs, so this is a fault of the engine or of a disk: `poolwright verify` tells which of them comes out again\n",
                    ours.display(),
                    theirs.display()
                ));
                code = CONFLICT;
            }
            output::print(&format!(
                "{}: {} copied, {} already here\n",
                other.path().display(),
                merged.copied,
                merged.same
            ));
        }
        Ok(code)
    }
}
