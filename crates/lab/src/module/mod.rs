//! Parameters of the zfs and spl modules by their own names, for each release.
//!
//! The lists were extracted from the `ZFS_MODULE_PARAM` and `module_param` declarations of OpenZFS 2.3.9
//! and 2.4.4 for Linux.

use crate::campaign::OpenZfs;
use crate::diagnostic::nearest;
use crate::property::Refused;

/// One parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its C type: `int`, `uint`, `long`, `ulong`, `s64`, `u64`, or `text`.
    pub ctype: &'static str,
}

fn list(openzfs: OpenZfs) -> &'static str {
    match openzfs {
        OpenZfs::V2_3 => include_str!("2.3.txt"),
        OpenZfs::V2_4 => include_str!("2.4.txt"),
    }
}

/// Every parameter of a release.
pub fn all(openzfs: OpenZfs) -> impl Iterator<Item = Parameter> {
    list(openzfs).lines().filter_map(|line| {
        let (name, ctype) = line.split_once(' ')?;
        Some(Parameter { name, ctype })
    })
}

/// Looks a parameter up.
///
/// # Errors
/// A name that this release does not have, with the nearest that it has.
pub fn lookup(name: &str, openzfs: OpenZfs) -> Result<Parameter, Refused> {
    if let Some(parameter) = all(openzfs).find(|parameter| parameter.name == name) {
        return Ok(parameter);
    }
    let elsewhere =
        OpenZfs::ALL.into_iter().find(|other| all(*other).any(|parameter| parameter.name == name));
    Err(Refused {
        message: match elsewhere {
            Some(other) => format!(
                "OpenZFS {openzfs} has no module parameter `{name}`; OpenZFS {other} has it"
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
    fn every_line_of_a_list_is_a_parameter_of_a_known_type() {
        for (openzfs, count) in [(OpenZfs::V2_3, 384), (OpenZfs::V2_4, 390)] {
            assert_eq!(all(openzfs).count(), count);
            assert!(all(openzfs).all(|p| matches!(
                p.ctype,
                "int" | "uint" | "long" | "ulong" | "s64" | "u64" | "text"
            )));
        }
    }

    #[test]
    fn each_release_has_the_parameters_that_the_model_sets() {
        for openzfs in OpenZfs::ALL {
            for name in crate::model::SET {
                assert!(lookup(name, openzfs).is_ok(), "{name} in {openzfs}");
            }
        }
    }

    #[test]
    fn a_parameter_of_the_other_release_is_refused_with_its_release() {
        for (name, openzfs, other) in [
            ("zil_special_is_slog", OpenZfs::V2_3, "OpenZFS 2.4 has it"),
            ("zfs_vdev_queue_depth_pct", OpenZfs::V2_4, "OpenZFS 2.3 has it"),
        ] {
            let refused = lookup(name, openzfs);
            assert!(refused.is_err_and(|e| e.message.contains(other)), "{name}");
        }
        // 2.1 had it, and no later release has.
        assert!(lookup("zfs_arc_meta_limit", OpenZfs::V2_3).is_err());
    }

    #[test]
    fn a_parameter_that_does_not_exist_leads_to_the_one_that_does() {
        let refused = lookup("l2arc_write_max_mb", OpenZfs::V2_4).map_err(|e| e.fix);
        assert_eq!(refused, Err("did you mean `l2arc_write_max`, in bytes?".to_owned()));
    }
}
