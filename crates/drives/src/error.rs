//! What can be wrong with a profile.

/// A profile that makes no drive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// It is not TOML, or not the TOML of a profile.
    #[error("{message}")]
    Syntax {
        /// What the parser says.
        message: String,
        /// Bytes of the text it is about, where known.
        span: Option<std::ops::Range<usize>>,
    },
    /// A number is out of its range.
    #[error("{field} = {value}: {wanted}")]
    OutOfRange {
        /// Dotted path of the number, as in the file.
        field: String,
        /// What it is.
        value: String,
        /// What it may be.
        wanted: String,
    },
    /// The section that the kind needs is absent, or one is there that it does not use.
    #[error("{0}")]
    Section(String),
}
