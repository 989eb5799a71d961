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
    /// Major and minor number.
    pub fn number(self) -> (u32, u32) {
        match self {
            Self::V2_3 => (2, 3),
            Self::V2_4 => (2, 4),
        }
    }
}
