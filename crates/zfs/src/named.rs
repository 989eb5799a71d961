//! Enums whose variants have a name.

/// Declares an enum with the name of each variant, by which it is written, shown and serialized. The names are in the
/// keys of trials: another name makes them run again. The calling crate depends on serde. (Counters and their like have
/// a macro of their own in `measurement`.)
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $Enum:ident {
            $($(#[$doc:meta])* $Variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        pub enum $Enum {
            $($(#[$doc])* #[serde(rename = $name)] $Variant,)*
        }

        impl $Enum {
            /// Every variant.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$Variant),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)*
                }
            }

            /// The variant of a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }

        impl ::std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
