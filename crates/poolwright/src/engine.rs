//! The engine that verbs run trials on.

use bench::engine::Engine;
use bench::engine::linux::Linux;
use bench::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

/// Opens the engine of this host, or says what is missing and what to do.
pub type OpenEngine = fn() -> Result<Box<dyn Engine>, Error>;

/// Real time after which a machine counts as hung, beside that for its trial's virtual time.
const PATIENCE: Duration = Duration::from_secs(3600);

/// The engine of this host: machines of Linux in virtual time.
///
/// # Errors
/// What the host lacks.
pub fn open_engine() -> Result<Box<dyn Engine>, Error> {
    Ok(Box::new(Linux::find(PATIENCE)?))
}

static OPEN: OnceLock<OpenEngine> = OnceLock::new();

/// Sets how the engine is opened. The first call counts.
pub fn set(open: OpenEngine) {
    let _ = OPEN.set(open);
}

/// Opens the engine.
///
/// # Errors
/// [`Error::Environment`] when this host has none.
pub fn open() -> Result<Box<dyn Engine>, Error> {
    match OPEN.get() {
        Some(open) => open(),
        None => Err(Error::Environment("no engine was set".to_owned())),
    }
}
