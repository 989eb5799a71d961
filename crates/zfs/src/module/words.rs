//! The values that zfs.ko takes for its text parameters when it is loaded; with another it does not load.

use crate::property::Refused;
use crate::spelling::did_you_mean;

/// Task queues of a type of I/O: issue, issue of high priority, interrupt, interrupt of high priority.
const QUEUES: usize = 4;

/// Checks the value of a text parameter.
///
/// # Errors
/// What the module would refuse, or what cannot stand in a line of modprobe.d.
pub fn check(name: &str, value: &str) -> Result<(), Refused> {
    let refused = |fix: String| {
        Err(Refused::new(format!("`{name}` cannot be \"{}\"", value.escape_debug()), fix))
    };
    if name.starts_with("zio_taskq_") {
        let queues: Vec<&str> = value.split(' ').filter(|word| !word.is_empty()).collect();
        let is_right = |(at, word): (usize, &&str)| is_queue(word, at % 2 == 1);
        return match queues.len() == QUEUES && queues.iter().enumerate().all(is_right) {
            true => Ok(()),
            false => refused(
                "write the four queues as zfs(4) does: \"fixed,1,8 null scale null\"".to_owned(),
            ),
        };
    }
    let text = super::find(name).filter(|parameter| parameter.ctype == "text");
    let words = text.map_or(&[][..], |parameter| &parameter.taken);
    if !words.is_empty() {
        return if words.contains(&value) { Ok(()) } else { refused(did_you_mean(value, words)) };
    }
    let ends_word = |c: char| c.is_whitespace() || c.is_control() || c == '"';
    match value.is_empty() || value.contains(ends_word) {
        true => refused("write one word, without spaces and quotes".to_owned()),
        false => Ok(()),
    }
}

/// Whether a word describes a task queue (`spa_taskq_param_set`); those of high priority need not exist.
fn is_queue(word: &str, high: bool) -> bool {
    let below = |text: &str, least: u32| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits && text.parse().is_ok_and(|number: u32| (least..16384).contains(&number))
    };
    match word.split_once(',') {
        None => matches!(word, "scale" | "sync") || (high && word == "null"),
        Some(("scale", least)) => below(least, 0),
        Some(("fixed", numbers)) => numbers
            .split_once(',')
            .is_some_and(|(queues, threads)| below(queues, 1) && below(threads, 1)),
        Some(_) => false,
    }
}

/// Whether a parameter chooses among implementations of one computation, which the processor of the real server decides.
pub fn is_implementation(name: &str) -> bool {
    name.ends_with("_impl")
}

/// Whether a text parameter affects performance in the machine.
pub fn acts(name: &str) -> bool {
    name.starts_with("zio_taskq_") || name == "zfs_active_allocator"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_which_the_module_does_not_load_is_refused() {
        for (name, value) in [
            ("zfs_deadman_failmode", "foo"),
            ("zfs_active_allocator", "new-dynamic"),
            ("zfs_vdev_raidz_impl", "avx9"),
            ("zio_taskq_write", "fixed,1,5"),
            ("zio_taskq_write", "null null scale null"),
            ("zio_taskq_read", "fixed,0,8 null scale null"),
            ("spl_hostid_path", "/etc/host id"),
            ("spl_hostid_path", ""),
        ] {
            assert!(check(name, value).is_err(), "{name}={value}");
        }
        for (name, value) in [
            ("zfs_deadman_failmode", "continue"),
            ("zfs_active_allocator", "cursor"),
            ("zfs_sha256_impl", "avx2"),
            ("zio_taskq_write", "sync null scale null"),
            ("zio_taskq_read", "fixed,1,8 null scale,4 fixed,1,1"),
            ("spl_hostid_path", "/etc/hostid"),
        ] {
            assert_eq!(check(name, value), Ok(()), "{name}={value}");
        }
    }

    #[test]
    fn what_a_parameter_takes_is_words_of_a_text_or_bounds_of_a_number() {
        let stated = || crate::module::ALL.iter().filter(|parameter| !parameter.taken.is_empty());
        assert_eq!(stated().count(), 14);
        for parameter in stated() {
            assert_eq!(parameter.ctype == "text", parameter.bounds().is_none(), "{parameter:?}");
        }
    }
}
