//! Why a trial did not finish.

/// Why a trial did not finish.
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
    /// A failure with its message.
    pub fn failed(reason: impl Into<String>) -> Fault {
        Fault::Failed(reason.into())
    }
}

/// No trial can run where results cannot be stored.
impl From<store::Error> for Fault {
    fn from(error: store::Error) -> Fault {
        Fault::Environment(error.to_string())
    }
}

/// Adds the failed action to a system error.
pub fn doing<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Fault {
    move |e| Fault::Failed(format!("cannot {what}: {e}"))
}

/// The same for an action that no trial can do without: it failed because of this host.
pub fn host<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Fault {
    move |e| Fault::Environment(format!("cannot {what}: {e}"))
}
