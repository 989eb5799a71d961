//! `mount_options`: what `mount` would refuse would fail each trial. From the options of ext4 and XFS in Linux
//! (`ext4_param_specs`, `xfs_fs_parameters`, `xfs_fs_validate_params`, `ext4_check_journal_data_mode`) and mount(8).

use crate::campaign::Filesystem;
use crate::diagnostic::{did_you_mean, did_you_mean_or};
use crate::units;

/// What an option takes after `=`.
enum Value {
    Number(u64, u64),
    /// A power of two of bytes, as `64k`.
    Size(u64, u64),
    Words(&'static [&'static str]),
}
use Value::{Number, Size, Words};

/// Options without a value that each file system takes.
const COMMON: &str = "async atime bsdgroups defaults dev diratime dirsync discard exec grpid lazytime noatime nodev \
    nodiratime nodiscard noexec nogrpid nolazytime noquota norelatime nostrictatime nosuid relatime rw strictatime suid \
    sync sysvgroups";

/// Options that no trial can have, as it mounts a file system of its own to be written, on these drives alone.
const UNUSABLE: [&str; 9] =
    ["ro", "loop", "bind", "rbind", "remount", "norecovery", "logdev", "rtdev", "journal_path"];

const MOST: u64 = u32::MAX as u64;

/// Options of one file system without a value.
fn flags(filesystem: Filesystem) -> &'static str {
    match filesystem {
        Filesystem::Xfs => {
            "attr2 filestreams ikeep inode32 inode64 largeio noalign noattr2 noikeep nolargeio nouuid swalloc wsync"
        }
        Filesystem::Ext4 => {
            "acl auto_da_alloc barrier block_validity bsddf delalloc dioread_lock dioread_nolock init_itable \
             journal_async_commit journal_checksum minixdf noauto_da_alloc nobarrier noblock_validity nodelalloc \
             nodioread_nolock noinit_itable nojournal_checksum noload nombcache nouid32 user_xattr"
        }
    }
}

/// Those with a value.
fn valued(filesystem: Filesystem) -> &'static [(&'static str, Value)] {
    match filesystem {
        Filesystem::Xfs => &[
            ("allocsize", Size(4 << 10, 1 << 30)),
            ("logbsize", Size(16 << 10, 256 << 10)),
            ("logbufs", Number(2, 8)),
            ("sunit", Number(0, MOST)),
            ("swidth", Number(0, MOST)),
        ],
        Filesystem::Ext4 => &[
            ("auto_da_alloc", Number(0, MOST)),
            ("barrier", Number(0, MOST)),
            ("commit", Number(0, MOST)),
            ("data", Words(&["journal", "ordered", "writeback"])),
            ("data_err", Words(&["abort", "ignore"])),
            ("errors", Words(&["continue", "panic", "remount-ro"])),
            ("init_itable", Number(0, MOST)),
            ("inode_readahead_blks", Number(0, 1 << 30)),
            ("journal_ioprio", Number(0, 7)),
            ("max_batch_time", Number(0, MOST)),
            ("max_dir_size_kb", Number(0, MOST)),
            ("mb_optimize_scan", Number(0, 1)),
            ("min_batch_time", Number(0, MOST)),
            ("stripe", Number(0, MOST)),
        ],
    }
}

/// The names of its own options, with or without a value.
fn names(filesystem: Filesystem) -> impl Iterator<Item = &'static str> {
    flags(filesystem).split_whitespace().chain(valued(filesystem).iter().map(|(name, _)| *name))
}

/// What is wrong with each of some mount options, and what to do.
pub(super) fn mistakes(filesystem: Filesystem, options: &str) -> Vec<(String, String)> {
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
            mistakes.push((message.to_owned(), "remove one of the two".to_owned()));
        }
        if last("data").is_none_or(|mode| mode == "ordered") && is_stated("journal_async_commit") {
            let message = "ext4 does not mount with journal_async_commit and data=ordered";
            mistakes.push((message.to_owned(), "add data=writeback, or remove it".to_owned()));
        }
    }
    mistakes
}

fn mistake(filesystem: Filesystem, option: &str) -> Option<(String, String)> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    let own = filesystem.name();
    let mut flags = COMMON.split_whitespace().chain(flags(filesystem).split_whitespace());
    let is_flag = flags.any(|flag| flag == name);
    let taken = valued(filesystem).iter().find(|(known, _)| *known == name);
    match (taken, value) {
        (Some((_, taken)), Some(value)) => {
            let fix = refused(taken, value)?;
            return Some((format!("the mount option `{name}` cannot be `{value}`"), fix));
        }
        (_, None) if is_flag => return None,
        (Some((_, taken)), None) => {
            let fix = format!("write {name}={}", example(taken));
            return Some((format!("the mount option `{name}` of {own} needs a value"), fix));
        }
        _ => {}
    }
    let has = |other: &Filesystem| names(*other).any(|known| known == name);
    if let Some(other) = Filesystem::ALL.into_iter().find(has)
        && other != filesystem
    {
        let message = format!(
            "`{name}` is a mount option of {}, but the file system here is {own}",
            other.name()
        );
        let fix = "remove it, or state it in the variants with that file system";
        return Some((message, fix.to_owned()));
    }
    if UNUSABLE.contains(&name) {
        let message = format!("`{name}` cannot be a mount option of a trial");
        let fix = "remove it: a trial makes a file system on the variant's drives and writes to it";
        return Some((message, fix.to_owned()));
    }
    if value.is_some() && is_flag {
        let message = format!("the mount option `{name}` takes no value");
        return Some((message, format!("write `{name}`")));
    }
    let known = COMMON.split_whitespace().chain(names(filesystem));
    Some((
        format!("`{}` is not a mount option that Poolwright knows of {own}", name.escape_debug()),
        did_you_mean_or(name, known, format!("see {own}(5) and mount(8), or remove it")),
    ))
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
            let (first, last) = (units::print_size(*least), units::print_size(*most));
            let range = format!(
                "write a power of two, {} to {}",
                first.to_lowercase(),
                last.to_lowercase()
            );
            (!bytes.is_some_and(|bytes| (*least..=*most).contains(&bytes))).then_some(range)
        }
        Words(words) => (!words.contains(&value)).then(|| did_you_mean(value, words)),
    }
}
