//! Enums whose variants have a name in records.

use std::borrow::Cow;

/// Declares an enum with the name of each variant, its `NAMED` variants, and the conversions between them.
/// What follows `and` are variants whose names the enum makes itself.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $Enum:ident {
            $($(#[$doc:meta])* $Variant:ident = $name:literal,)*
        }
        $(and { $($more:tt)* })?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Enum {
            $($(#[$doc])* $Variant,)*
            $($($more)*)?
        }

        impl $Enum {
            /// The variants that have a fixed name.
            pub const NAMED: &'static [$Enum] = &[$($Enum::$Variant),*];

            /// The fixed name in records, where it has one.
            fn fixed_name(&self) -> Option<&'static str> {
                match self {
                    $($Enum::$Variant => Some($name),)*
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }

            /// The variant with a fixed name.
            fn with_fixed_name(name: &str) -> Option<$Enum> {
                match name {
                    $($name => Some($Enum::$Variant),)*
                    _ => None,
                }
            }
        }
    };
}

/// A name as it is now. Results from when the machine had MariaDB alone have its name in it.
pub(crate) fn current(name: &str) -> Cow<'_, str> {
    match name.strip_prefix("mariadb.") {
        Some(rest) => format!("mysql.{rest}").into(),
        None => name.into(),
    }
}

pub(crate) use named;
