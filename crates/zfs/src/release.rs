//! Release lines of OpenZFS.

crate::named! {
    /// A release line of OpenZFS that labs can name.
    #[derive(Default, PartialOrd, Ord)]
    pub enum OpenZfs {
        /// The 2.3 series (Debian 13).
        V2_3 = "2.3",
        /// The 2.4 series (Debian 13 backports); the default.
        #[default]
        V2_4 = "2.4",
    }
}

impl OpenZfs {
    /// The release line of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|openzfs| openzfs.name() == name)
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
