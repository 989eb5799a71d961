//! The engine that verbs run trials on.

use bench::engine::Engine;
use bench::fault::Fault;
use std::sync::OnceLock;

/// Opens the engine of this host, or says what is missing and what to do.
pub type OpenEngine = fn() -> Result<Box<dyn Engine>, Fault>;

static OPEN: OnceLock<OpenEngine> = OnceLock::new();

/// Sets how the engine is opened. The first call counts.
pub fn set(open: OpenEngine) {
    let _ = OPEN.set(open);
}

/// Opens the engine.
///
/// # Errors
/// [`Fault::Environment`] when this host has none.
pub fn open() -> Result<Box<dyn Engine>, Fault> {
    match OPEN.get() {
        Some(open) => open(),
        None => Err(Fault::Environment("no engine was set".to_owned())),
    }
}
