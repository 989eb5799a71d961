//! The language of plans, audits and settings: as told, or that of the locale, as reports have it.

use plan::lang::Language;
use report::lang::Language as Told;

/// The language that was told, else that of the locale.
pub fn of(told: Option<Told>) -> Language {
    match told.unwrap_or_else(crate::report::locale) {
        Told::English => Language::English,
        Told::Chinese => Language::Chinese,
    }
}
