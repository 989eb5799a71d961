//! `poolwright merge STORE…`: the union of stores.

use crate::exit::{Refusal, refuse};
use crate::output;
use crate::store_dir::StoreDir;
use std::path::PathBuf;
use store::Store;

/// Exit code when something was not copied.
const INCOMPLETE: u8 = 1;

/// Copy the trials and campaigns of other stores into this one
///
/// Exit codes: 0 everything is here now · 1 a trial has a different result there, cannot be read, or is being run
/// here · 2 an argument is not a store · 3 this store cannot be written.
#[derive(clap::Args)]
pub struct Args {
    /// The other stores
    #[arg(required = true, value_name = "STORE")]
    others: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreDir,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let mut others = Vec::new();
        for path in &self.others {
            let other = Store::read(path)?;
            if !path.join("trials").is_dir() {
                let path = path.display();
                let why =
                    "it has no directory `trials`; name the directory that was given to --store";
                return Err(Refusal::usage(format!("{path} is not a store: {why}")));
            }
            others.push(other);
        }
        let store = self.store.open()?;
        let mut code = 0;
        for other in &others {
            let merged = store.merge(other)?;
            for why in &merged.damaged {
                code = refuse(INCOMPLETE, format!("not copied: {why}"));
            }
            for (ours, theirs) in &merged.conflicts {
                let (ours, theirs) = (ours.display(), theirs.display());
                let why = format!(
                    "two results of the same trial differ: {ours} and {theirs}. A trial always gives \
                     the same result, so the engine or a disk is faulty. `poolwright verify` \
                     shows which result can be reproduced"
                );
                code = refuse(INCOMPLETE, why);
            }
            if merged.running > 0 {
                let why = format!(
                    "not copied: {} trials, which another process is running in this store. Run the same \
                     command again when it has ended",
                    merged.running
                );
                code = refuse(INCOMPLETE, why);
            }
            let line = format!(
                "{}: {} copied, {} already here\n",
                other.path().display(),
                merged.copied,
                merged.same
            );
            code = code.max(output::print(&line));
        }
        Ok(code)
    }
}
