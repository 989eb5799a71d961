//! Module parameters of OpenZFS by their own names, per version.
//!
//! The lists hold every parameter of `module/`, its C type, and whether the scale model can set it:
//! `exported` is a variable of libzpool, `poolfs` a rule of the ZPL that poolfs follows, and
//! `absent` one that userland's library has compiled in as a constant or does not have at all.

use crate::campaign::OpenZfs;
use crate::diagnostic::nearest;
use crate::property::Refused;

/// Whether the scale model can set a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A variable of libzpool.
    Exported,
    /// A rule of the ZPL, which poolfs follows.
    Poolfs,
    /// Out of reach: the model keeps OpenZFS's default.
    Absent,
}

/// One parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its C type: `int`, `uint`, `long`, `ulong`, `s64`, `u64`, or `text`.
    pub ctype: &'static str,
    /// Whether the model can set it.
    pub reach: Reach,
}

fn list(openzfs: OpenZfs) -> &'static str {
    match openzfs {
        OpenZfs::V2_1 => include_str!("2.1.txt"),
        OpenZfs::V2_3 => include_str!("2.3.txt"),
    }
}

/// Every parameter of a version.
pub fn all(openzfs: OpenZfs) -> impl Iterator<Item = Parameter> {
    list(openzfs).lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some(Parameter {
            name: words.next()?,
            ctype: words.next()?,
            reach: match words.next()? {
                "exported" => Reach::Exported,
                "poolfs" => Reach::Poolfs,
                _ => Reach::Absent,
            },
        })
    })
}

/// Looks a parameter up.
///
/// # Errors
/// A name that this version does not have, with the nearest that it has.
pub fn lookup(name: &str, openzfs: OpenZfs) -> Result<Parameter, Refused> {
    if let Some(parameter) = all(openzfs).find(|parameter| parameter.name == name) {
        return Ok(parameter);
    }
    let elsewhere = [OpenZfs::V2_1, OpenZfs::V2_3]
        .into_iter()
        .find(|other| all(*other).any(|parameter| parameter.name == name));
    Err(Refused {
        message: match elsewhere {
            Some(other) => format!(
                "module parameter `{name}` is of OpenZFS {other}, {openzfs} does not have it"
            ),
            None => format!("OpenZFS {openzfs} has no module parameter `{name}`"),
        },
        fix: match nearest(name, all(openzfs).map(|parameter| parameter.name)) {
            Some(near) if name.ends_with("_mb") => format!("did you mean `{near}`, in bytes?"),
            Some(near) => format!("did you mean `{near}`?"),
            None => "see zfs(4)".to_owned(),
        },
    })
}

impl Parameter {
    /// The least and most that the parameter's C type holds; none for text.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self.ctype {
            "int" => Some((i32::MIN.into(), i32::MAX.into())),
            "uint" => Some((0, u32::MAX.into())),
            "ulong" | "u64" => Some((0, i64::MAX)),
            "long" | "s64" => Some((i64::MIN, i64::MAX)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_read_to_the_last_line() {
        for (openzfs, count) in [(OpenZfs::V2_1, 329), (OpenZfs::V2_3, 378)] {
            assert_eq!(all(openzfs).count(), count);
            assert!(all(openzfs).all(|p| matches!(
                p.ctype,
                "int" | "uint" | "long" | "ulong" | "s64" | "u64" | "text"
            )));
        }
    }

    #[test]
    fn what_the_scale_model_needs_can_be_set() {
        for openzfs in [OpenZfs::V2_1, OpenZfs::V2_3] {
            for name in [
                "zfs_arc_max",
                "zfs_dirty_data_max",
                "zfs_wrlog_data_max",
                "zfs_txg_timeout",
                "l2arc_write_max",
                "zfs_nocacheflush",
            ] {
                assert_eq!(
                    lookup(name, openzfs).map(|p| p.reach),
                    Ok(Reach::Exported),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn the_parameter_that_does_not_exist_finds_the_one_that_does() {
        let refused = lookup("l2arc_write_max_mb", OpenZfs::V2_1).map_err(|e| e.fix);
        assert_eq!(
            refused,
            Err("did you mean `l2arc_write_max`, in bytes?".to_owned())
        );
        assert!(lookup("zfs_dio_enabled", OpenZfs::V2_1).is_err_and(|e| e.message.contains("2.3")));
    }
}
