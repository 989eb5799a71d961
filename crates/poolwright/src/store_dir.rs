//! `--store DIR`, of every verb that reads or writes trials.

use std::path::PathBuf;
use store::{Error, Store};

/// Where trials are kept.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct StoreDir {
    /// Directory of the stored trials [default: $XDG_DATA_HOME/poolwright/store, else
    /// ~/.local/share/poolwright/store]
    #[arg(long = "store", value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl StoreDir {
    pub fn path(&self) -> PathBuf {
        self.directory.clone().unwrap_or_else(store::default_path)
    }

    /// Opens it for writing, and makes it where there is none.
    pub fn open(&self) -> Result<Store, Error> {
        Store::open(&self.path())
    }

    pub fn read(&self) -> Result<Store, Error> {
        Store::read(&self.path())
    }
}
