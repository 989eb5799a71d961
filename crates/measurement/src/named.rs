//! Enums whose variants have a name in records.

use std::borrow::Cow;

/// Declares an enum with the name of each variant and its `NAMED` variants, and implements [`crate::Named`]. What follows
/// `and` are variants whose names the enum makes itself, as its own implementation.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $Enum:ident { $($variants:tt)* }) => {
        $crate::named::named! { $(#[$meta])* pub enum $Enum { $($variants)* } and {} }

        impl $crate::Named for $Enum {
            fn name(&self) -> std::borrow::Cow<'static, str> {
                self.fixed_name().unwrap_or_default().into()
            }

            fn parse(name: &str) -> Option<$Enum> {
                $Enum::with_fixed_name(&$crate::named::current(name))
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $Enum:ident {
            $($(#[$doc:meta])* $Variant:ident = $name:literal,)*
        }
        and { $($more:tt)* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Enum {
            $($(#[$doc])* $Variant,)*
            $($more)*
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
