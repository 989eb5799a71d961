//! A number of a profile, with where it comes from.

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A number, the range it may lie in, and its source.
///
/// In a profile it is a table, `{ value = 8.0, low = 7.5, high = 8.5, source = "…" }`; a lab that
/// overrides it may write the bare number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfileNumber {
    /// The number, in the unit that its field's name states.
    pub value: f64,
    /// The least it may be, where it is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The most it may be, where it is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Where it comes from: a datasheet, a measurement, or how it was estimated.
    pub source: String,
}

impl ProfileNumber {
    /// The source of a number that was written without one.
    pub const STATED: &str = "stated in the lab file";

    /// A number that its user states.
    pub fn stated(value: f64) -> Self {
        Self { value, low: None, high: None, source: Self::STATED.to_owned() }
    }

    /// Whether it is known only within a range.
    pub fn is_estimate(&self) -> bool {
        self.low.is_some() || self.high.is_some()
    }

    /// The value as bytes or a count; `Profile::validate` has refused negative and absurd ones.
    pub fn whole(&self) -> u64 {
        self.value as u64
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    #[serde(default = "stated")]
    source: String,
}

fn stated() -> String {
    ProfileNumber::STATED.to_owned()
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = ProfileNumber;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, or { value = …, low = …, high = …, source = \"…\" }")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<ProfileNumber, E> {
        Ok(ProfileNumber::stated(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<ProfileNumber, E> {
        Ok(ProfileNumber::stated(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<ProfileNumber, E> {
        Ok(ProfileNumber::stated(value as f64))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ProfileNumber, A::Error> {
        let table = Table::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(ProfileNumber {
            value: table.value,
            low: table.low,
            high: table.high,
            source: table.source,
        })
    }
}

impl<'de> Deserialize<'de> for ProfileNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}
