//! The language of plans, audits and settings.

use plan::lang::Language;

/// Chooses the language: that of `--lang`, else that of the locale.
pub fn choose(flag: Option<report::lang::Language>) -> Language {
    match flag.unwrap_or_else(crate::report::locale) {
        report::lang::Language::English => Language::English,
        report::lang::Language::Chinese => Language::Chinese,
    }
}
