//! Errors of profiles.

/// Why a profile is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// It is not TOML, or not the TOML of a profile.
    #[error("{message}")]
    Syntax {
        /// The parser's message.
        message: String,
        /// Bytes of the text it is about, where known.
        span: Option<std::ops::Range<usize>>,
    },
    /// A number is out of its range.
    #[error("{field} = {value}: {wanted}")]
    OutOfRange {
        /// Dotted path of the number, as in the file.
        field: String,
        /// Its value.
        value: String,
        /// Its range or rule.
        wanted: String,
    },
    /// The section that the kind needs is absent, or one is there that it does not use.
    #[error("{0}")]
    Section(String),
}
