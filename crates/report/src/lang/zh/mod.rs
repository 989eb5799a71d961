//! Simplified Chinese.

mod answer;
mod buying;
mod label;
mod lint;
mod trust;
mod validation;

use super::{Label, Words};

/// Words in simplified Chinese.
pub struct Chinese;

impl Words for Chinese {
    fn label(&self, label: Label) -> &'static str {
        label::of(label)
    }
}
