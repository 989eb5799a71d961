//! Findings as JSON: the published format, described by `docs/reference/findings.schema.json`.

use findings::schema::Findings;
use std::io::{self, Write};

/// Writes the findings, with a line break at the end.
///
/// # Errors
/// Those of the writer.
pub fn write(findings: &Findings, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, findings)?;
    out.write_all(b"\n")
}

/// The word of the format for a variant of an enum without fields.
pub(crate) fn word(variant: impl serde::Serialize) -> String {
    let value = serde_json::to_value(variant).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// The word of the format for a variant of an enum that is tagged in the field `tag`.
pub(crate) fn word_in(variant: impl serde::Serialize, tag: &str) -> Option<String> {
    Some(serde_json::to_value(variant).ok()?.get(tag)?.as_str()?.to_owned())
}

/// The JSON schema of the format.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Findings);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Why a file is not findings.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON of this shape.
    #[error("it is not a findings file: {0}")]
    Shape(#[from] serde_json::Error),
    /// A later version wrote it.
    #[error("its format is {found}; this version reads {known}: use a newer poolwright")]
    Newer {
        /// Format of the file.
        found: u32,
        /// Format of this version.
        known: u32,
    },
    /// An earlier version wrote it.
    #[error(
        "an older version of Poolwright wrote it (format {found}); this version reads format {known}: run the lab again"
    )]
    Older {
        /// Format of the file.
        found: u32,
        /// Format of this version.
        known: u32,
    },
}

/// Reads findings back.
///
/// # Errors
/// [`ReadError`], in words for a person.
pub fn read(text: &str) -> Result<Findings, ReadError> {
    #[derive(serde::Deserialize)]
    struct Head {
        format: u32,
    }
    let known = findings::schema::FORMAT;
    let Head { format: found } = serde_json::from_str(text)?;
    if found > known {
        return Err(ReadError::Newer { found, known });
    }
    if found < known {
        return Err(ReadError::Older { found, known });
    }
    Ok(serde_json::from_str(text)?)
}
