//! English.

mod answer;
mod buying;
mod label;
mod lint;
mod trust;
mod validation;

use super::{Label, Words};

/// English words.
pub struct English;

impl Words for English {
    fn label(&self, label: Label) -> &'static str {
        label::of(label)
    }
}
