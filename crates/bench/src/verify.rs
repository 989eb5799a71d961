//! A stored trial run again: the same bytes, or the first field that differs.

use crate::engine::{Engine, TrialContext};
use crate::error::{Error, doing};
use crate::inputs::Inputs;
use crate::planned_trial;
use crate::stop::Stop;
use crate::trial;
use measurement::TrialResult;
use serde_json::Value;
use std::fmt;
use store::Running;

/// What a verification found.
#[derive(Debug, Clone, PartialEq)]
pub enum Verified {
    /// Both results are the same to the byte.
    Identical,
    /// They are not.
    Differs(Difference),
    /// The trial failed, for this reason.
    Failed(String),
}

/// The first field in which two results differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where: `write.histogram[12][1]`.
    pub field: String,
    /// What is stored.
    pub stored: String,
    /// What the trial gave now.
    pub again: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: stored {}, now {}", self.field, self.stored, self.again)
    }
}

/// Runs a trial again and compares its result with the bytes that are stored. Raw outputs stay in the claimed directory.
///
/// # Errors
/// When the trial cannot be run, or when the result cannot be written as JSON.
pub fn verify(
    engine: &dyn Engine,
    inputs: &Inputs,
    stored: &[u8],
    running: &Running,
    stop: &Stop,
) -> Result<Verified, Error> {
    let context = TrialContext {
        raw: &running.raw(),
        store: running.store(),
        state_needed_again: planned_trial::shares_state(inputs),
        stage: &|_| (),
        stop,
    };
    let trial = trial::measure(engine, inputs, &context)?;
    let again = store::result_bytes(&trial).map_err(doing("write a result"))?;
    Ok(match trial.outcome {
        _ if again == stored => Verified::Identical,
        TrialResult::Failed { reason } => Verified::Failed(reason),
        TrialResult::Measured(_) => Verified::Differs(difference(stored, &again)),
    })
}

/// The first field in which two JSON texts differ, in the order of its names.
pub fn difference(stored: &[u8], again: &[u8]) -> Difference {
    let read = |text: &[u8]| serde_json::from_slice::<Value>(text);
    let found = match (read(stored), read(again)) {
        (Ok(stored), Ok(again)) => first(&stored, &again, String::new()),
        _ => None,
    };
    // The same values in other bytes: another order of fields, other blanks.
    found.unwrap_or_else(|| Difference {
        field: "the bytes of the file".into(),
        stored: format!("{} bytes", stored.len()),
        again: format!("{} bytes", again.len()),
    })
}

fn first(stored: &Value, again: &Value, field: String) -> Option<Difference> {
    match (stored, again) {
        (Value::Object(a), Value::Object(b)) => {
            let missing = b.keys().filter(|name| !a.contains_key(*name));
            a.keys().chain(missing).find_map(|name| {
                let field = match field.is_empty() {
                    true => name.clone(),
                    false => format!("{field}.{name}"),
                };
                first(&stored[name], &again[name], field)
            })
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut indices = 0..a.len().max(b.len());
            indices.find_map(|i| first(&stored[i], &again[i], format!("{field}[{i}]")))
        }
        _ if stored == again => None,
        _ => Some(Difference { field, stored: short(stored), again: short(again) }),
    }
}

/// A value that fits a line.
fn short(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_first_field_that_differs_is_named_with_both_values() {
        let difference = |a: &str, b: &str| difference(a.as_bytes(), b.as_bytes()).to_string();
        let a = r#"{"key":"k","write":{"ops":7,"histogram":[[1,2],[3,4]]}}"#;
        let b = a.replace("[3,4]", "[3,5]");
        assert_eq!(difference(a, &b), "write.histogram[1][1]: stored 4, now 5");
        assert_eq!(
            difference(a, &a.replace(",[3,4]", "")),
            "write.histogram[1]: stored [3,4], now null"
        );
        let blank = a.replace(',', ", ");
        assert!(difference(a, &blank).starts_with("the bytes of the file"));
    }
}
