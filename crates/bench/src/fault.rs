//! Why a trial did not run to its end.

/// Why a trial did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The trial failed and the campaign goes on.
    #[error("{0}")]
    Failed(String),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// This machine lacks something, so no trial can run.
    #[error("{0}")]
    Environment(String),
}

impl Fault {
    /// A failure, in words.
    pub fn failed(reason: impl Into<String>) -> Fault {
        Fault::Failed(reason.into())
    }
}

/// Adds what was being done to an error of the system.
pub(crate) fn doing<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Fault {
    move |e| Fault::Failed(format!("cannot {what}: {e}"))
}
