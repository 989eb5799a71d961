//! `mount_options`: what `mount` would refuse would fail each trial. From the options of ext4 and XFS in Linux
//! (`ext4_param_specs`, `xfs_fs_parameters`, `xfs_fs_validate_params`, `ext4_check_journal_data_mode`) and mount(8).

use crate::campaign::Filesystem;
use crate::diagnostic::{did_you_mean, did_you_mean_or};
use crate::units;
use zfs::property::Refused;

/// What an option takes after `=`.
enum Value {
    Number(u64, u64),
    /// A power of two of bytes, as `64k`.
    Size(u64, u64),
    Words(Vec<&'static str>),
}
use Value::{Number, Size, Words};

/// A line of `mount_options.txt`; an option that may have a value or none has two.
struct MountOption {
    /// `any` for each.
    filesystem: &'static str,
    name: &'static str,
    value: Option<Value>,
}

fn all() -> impl Iterator<Item = MountOption> {
    include_str!("mount_options.txt").lines().filter_map(|line| {
        let mut words = line.split(' ').filter(|_| !line.starts_with('#'));
        let (filesystem, name) = (words.next()?, words.next()?);
        let value = match &words.collect::<Vec<_>>()[..] {
            [] => None,
            ["words", words @ ..] => Some(Words(words.to_vec())),
            ["number", least, most] => Some(Number(least.parse().ok()?, most.parse().ok()?)),
            ["size", least, most] => Some(Size(units::size(least).ok()?, units::size(most).ok()?)),
            _ => return None,
        };
        Some(MountOption { filesystem, name, value })
    })
}

/// Options that no trial can have, as it mounts a file system of its own to be written, on these drives alone.
const UNUSABLE: [&str; 9] =
    ["ro", "loop", "bind", "rbind", "remount", "norecovery", "logdev", "rtdev", "journal_path"];

/// What is wrong with each of some mount options.
pub(super) fn mistakes(filesystem: Filesystem, options: &str) -> Vec<Refused> {
    let stated = || options.split(',').filter(|option| !option.is_empty());
    let mut mistakes: Vec<_> = stated().filter_map(|option| mistake(filesystem, option)).collect();
    let last = |name: &str| {
        let value = |option| str::strip_prefix(option, name)?.strip_prefix('=');
        stated().filter_map(value).next_back()
    };
    let is_stated = |name: &str| stated().any(|option| option == name);
    if filesystem == Filesystem::Ext4 && mistakes.is_empty() {
        if last("data") == Some("journal") && is_stated("delalloc") {
            let message = "ext4 does not mount with both data=journal and delalloc";
            mistakes.push(Refused::new(message, "remove one of the two"));
        }
        if last("data").is_none_or(|mode| mode == "ordered") && is_stated("journal_async_commit") {
            let message = "ext4 does not mount with journal_async_commit and data=ordered";
            mistakes.push(Refused::new(message, "add data=writeback, or remove it"));
        }
    }
    mistakes
}

fn mistake(filesystem: Filesystem, option: &str) -> Option<Refused> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    let own = filesystem.name();
    let is_here = |known: &MountOption| ["any", own].contains(&known.filesystem);
    let named = || all().filter(|known| known.name == name);
    let is_flag = named().any(|known| is_here(&known) && known.value.is_none());
    let taken = named().filter(is_here).find_map(|known| known.value);
    let foreign = named().find(|known| !is_here(known));
    let (message, fix) = match (taken, value, foreign) {
        (Some(taken), Some(value), _) => {
            (format!("the mount option `{name}` cannot be `{value}`"), refused(&taken, value)?)
        }
        (_, None, _) if is_flag => return None,
        (Some(taken), None, _) => (
            format!("the mount option `{name}` of {own} needs a value"),
            format!("write {name}={}", example(&taken)),
        ),
        (_, _, Some(MountOption { filesystem: other, .. })) => (
            format!("`{name}` is a mount option of {other}, but the file system here is {own}"),
            "remove it, or state it in the variants with that file system".to_owned(),
        ),
        _ if UNUSABLE.contains(&name) => (
            format!("`{name}` cannot be a mount option of a trial"),
            "remove it: a trial makes a file system on the variant's drives and writes to it"
                .to_owned(),
        ),
        _ if is_flag => {
            (format!("the mount option `{name}` takes no value"), format!("write `{name}`"))
        }
        _ => (
            format!(
                "`{}` is not a mount option that Poolwright knows of {own}",
                name.escape_debug()
            ),
            did_you_mean_or(
                name,
                all().filter(is_here).map(|known| known.name),
                format!("see {own}(5) and mount(8), or remove it"),
            ),
        ),
    };
    Some(Refused::new(message, fix))
}

/// A value as it may be.
fn example(taken: &Value) -> String {
    match taken {
        Number(_, most) => 8.min(*most).to_string(),
        Size(_, most) => units::print_size(*most).to_lowercase(),
        Words(words) => words[0].to_owned(),
    }
}

/// What to write instead of a value that the file system refuses.
fn refused(taken: &Value, value: &str) -> Option<String> {
    match taken {
        Number(least, most) => {
            let good = value.parse::<u64>().is_ok_and(|number| (*least..=*most).contains(&number));
            (!good).then(|| format!("write a number from {least} to {most}"))
        }
        Size(least, most) => {
            // The kernel knows one letter after the digits.
            let digits = value.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G']).unwrap_or(value);
            let plain = digits.chars().all(|c| c.is_ascii_digit());
            let bytes = units::size(value).ok().filter(|bytes| plain && bytes.is_power_of_two());
            let [first, last] = [*least, *most].map(|size| units::print_size(size).to_lowercase());
            let range = format!("write a power of two, {first} to {last}");
            (!bytes.is_some_and(|bytes| (*least..=*most).contains(&bytes))).then_some(range)
        }
        Words(words) => (!words.contains(&value)).then(|| did_you_mean(value, words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_an_option() {
        let lines = include_str!("mount_options.txt").lines();
        let lines = lines.filter(|line| !line.starts_with('#'));
        assert_eq!((lines.count(), all().count()), (83, 83));
    }
}
