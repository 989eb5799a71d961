//! Release lines of OpenZFS.

use serde::{Deserialize, Serialize};

/// A release line of OpenZFS.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum OpenZfs {
    /// The 2.3 series (Debian 13).
    #[serde(rename = "2.3")]
    V2_3,
    /// The 2.4 series (Debian 13 backports); the default.
    #[default]
    #[serde(rename = "2.4")]
    V2_4,
}

impl OpenZfs {
    /// Every release line that labs can name.
    pub const ALL: [Self; 2] = [Self::V2_3, Self::V2_4];

    /// The release line of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|openzfs| openzfs.name() == name)
    }

    /// `2.3`, `2.4`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V2_3 => "2.3",
            Self::V2_4 => "2.4",
        }
    }

    /// Major and minor number.
    pub fn number(self) -> (u32, u32) {
        match self {
            Self::V2_3 => (2, 3),
            Self::V2_4 => (2, 4),
        }
    }
}

impl std::fmt::Display for OpenZfs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
