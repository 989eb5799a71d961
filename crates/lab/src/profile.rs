//! The catalogue of drive profiles.

use crate::builtin::PROFILES;
use crate::diagnostic::nearest;
use drives::{Profile, ProfileError};
use std::collections::BTreeMap;

/// Drive profiles by name, as the text of their files: the catalogue that labs, `plan` and `audit` share.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    texts: BTreeMap<String, String>,
}

impl Profiles {
    /// Those of `profiles/`, which come with Poolwright.
    pub fn builtin() -> Self {
        PROFILES.iter().fold(Self::default(), |all, (name, text)| all.with(name, text))
    }

    /// Adds one, or replaces the one of that name.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.texts.insert(name.to_owned(), text.to_owned());
        self
    }

    /// Their names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// The text of the profile of that name: its file, with its comments.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The profile of that name; none when there is none.
    pub fn get(&self, name: &str) -> Option<Result<Profile, ProfileError>> {
        self.text(name).map(Profile::from_toml)
    }

    /// The fix for an unknown name.
    pub fn suggest(&self, name: &str) -> String {
        let list =
            "`poolwright profiles` lists all; a file of your own is named as `drives/mine.toml`";
        match nearest(name, self.names()) {
            Some(near) => format!("did you mean `{near}`? {list}"),
            None => list.to_owned(),
        }
    }
}
