//! Why a trial did not finish.

/// Why a trial did not finish.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
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

impl Error {
    /// A failure with its message.
    pub fn failed(reason: impl Into<String>) -> Error {
        Error::Failed(reason.into())
    }
}

/// No trial can run where results cannot be stored.
impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        Error::Environment(error.to_string())
    }
}

/// Adds the failed action to a system error.
pub fn doing<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Error {
    move |e| Error::Failed(format!("cannot {what}: {e}"))
}

/// The same for an action that no trial can do without: it failed because of this host.
pub fn host<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Error {
    move |e| Error::Environment(format!("cannot {what}: {e}"))
}
