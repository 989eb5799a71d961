//! A variant as the commands that build it on a real server.

use crate::campaign::{FilesystemOnDrives, MdLevel, Stack, Variant, Vdev};
use crate::model::drive_capacity;
use crate::units;
use serde::Serialize;
use std::fmt;
use zfs::vdev;

/// The pool's or the array's name in printed commands.
pub const POOL: &str = "tank";

/// A dataset of that pool by its full name; `""` is the root.
pub fn full_name(dataset: &str) -> String {
    match dataset {
        "" => POOL.to_owned(),
        dataset => format!("{POOL}/{dataset}"),
    }
}

/// Where module parameters are set at boot.
pub const MODPROBE: &str = "/etc/modprobe.d/zfs.conf";

/// A program with its arguments; printed, a line for a POSIX shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Command(pub Vec<String>);

/// The commands that build a variant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Commands {
    /// `zpool create`, with the root dataset's properties as `-O`; or `mdadm --create` for an array, `mkfs` and `mount`.
    pub create: Vec<Command>,
    /// `zfs set` of root dataset properties that `zpool create` does not accept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Command>,
    /// `zfs create` of each child dataset, parents first.
    pub create_datasets: Vec<Command>,
    /// Lines of [`MODPROBE`]; they hold after the module is loaded again.
    pub module: Vec<String>,
}

/// The commands of a variant. Drives keep the lab's names (`hdd3`), to be replaced by stable paths
/// such as `/dev/disk/by-id/…`.
pub fn commands(variant: &Variant) -> Commands {
    match &variant.stack {
        Stack::Zfs => pool(variant),
        Stack::Filesystem(on_drives) => {
            Commands { create: filesystem(on_drives), ..Commands::default() }
        }
    }
}

/// The commands of a file system and of the md array under it, if there is one; mounted where a pool would be.
fn filesystem(on_drives: &FilesystemOnDrives) -> Vec<Command> {
    let array = on_drives.level.map(|level| array(on_drives, level));
    let device = match &array {
        Some(_) => format!("/dev/md/{POOL}"),
        None => on_drives.drives.first().map(ToString::to_string).unwrap_or_default(),
    };
    let mkfs = words([&format!("mkfs.{}", on_drives.filesystem.name()), &device]);
    let mut mount = words(["mount", "--mkdir"]);
    if !on_drives.mount_options.is_empty() {
        mount.extend(words(["-o", &on_drives.mount_options]));
    }
    mount.extend(words([&device, &format!("/{POOL}")]));
    array.into_iter().chain([Command(mkfs), Command(mount)]).collect()
}

/// The command of an md array. mdadm adds a write-intent bitmap to redundant arrays of large drives by itself and asks
/// for smaller ones, so it is stated.
fn array(on_drives: &FilesystemOnDrives, level: MdLevel) -> Command {
    let mut create = words(["mdadm", "--create", &format!("/dev/md/{POOL}")]);
    create.push(format!("--level={}", level.number()));
    create.push(format!("--raid-devices={}", on_drives.drives.len()));
    if on_drives.ppl {
        create.push("--consistency-policy=ppl".to_owned());
    } else if level.is_redundant() {
        create.push("--bitmap=internal".to_owned());
    }
    create.extend(on_drives.chunk.map(|bytes| format!("--chunk={}K", bytes >> 10)));
    create.extend(on_drives.drives.iter().map(ToString::to_string));
    Command(create)
}

fn pool(variant: &Variant) -> Commands {
    let mut create = words(["zpool", "create"]);
    if force(variant, &variant.pool.vdevs) {
        create.push("-f".to_owned());
    }
    if let Some(ashift) = variant.pool.ashift {
        create.extend(words(["-o", &format!("ashift={ashift}")]));
    }
    for (name, value) in &variant.pool.properties {
        create.extend(words(["-o", &format!("{name}={value}")]));
    }
    let root = variant.datasets.get("").into_iter().flatten();
    // At creation `special_small_blocks` is at most 128K (`zfs_valid_proplist`); `zfs set` takes more afterwards.
    let (later, now): (Vec<_>, Vec<_>) = root.partition(|(name, value)| {
        *name == "special_small_blocks" && units::size(value).is_ok_and(|bytes| bytes > 128 << 10)
    });
    for (name, value) in now {
        create.extend(words(["-O", &format!("{name}={value}")]));
    }
    let set = later
        .into_iter()
        .map(|(name, value)| Command(words(["zfs", "set", &format!("{name}={value}"), POOL])))
        .collect();
    create.push(POOL.to_owned());
    create.extend(vdev::words(&variant.pool.vdevs));

    let datasets = variant.datasets.iter().filter(|(name, _)| !name.is_empty());
    let create_datasets = datasets
        .map(|(dataset, properties)| {
            let mut create = words(["zfs", "create"]);
            // `a/b` needs `a`, which the lab may leave to ZFS.
            if dataset.contains('/') {
                create.push("-p".to_owned());
            }
            for (name, value) in properties {
                create.extend(words(["-o", &format!("{name}={value}")]));
            }
            create.push(full_name(dataset));
            Command(create)
        })
        .collect();
    let numbers = variant.module.iter().map(|(n, value)| (n, value.to_string()));
    // As the kernel reads a value with spaces.
    let in_quotes =
        |word: &str| if word.contains(' ') { format!("\"{word}\"") } else { word.to_owned() };
    let worded = variant.module_words.iter().map(|(n, word)| (n, in_quotes(word)));
    let module = numbers
        .chain(worded)
        .map(|(name, value)| {
            let module = if name.starts_with("spl_") { "spl" } else { "zfs" };
            format!("options {module} {name}={value}")
        })
        .collect();
    Commands { create: vec![Command(create)], set, create_datasets, module }
}

impl Commands {
    /// All of them, one a line; lines of [`MODPROBE`] behind a comment with its name.
    pub fn lines(&self) -> Vec<String> {
        let commands = self.create.iter().chain(&self.set);
        let commands = commands.chain(&self.create_datasets);
        let mut lines: Vec<String> = commands.map(ToString::to_string).collect();
        if !self.module.is_empty() {
            lines.push(format!("# {MODPROBE}"));
            lines.extend(self.module.iter().cloned());
        }
        lines
    }
}

/// `zpool add` with the vdevs that `variant` has in addition to `base`, for an existing pool. None if they
/// differ in anything else, or one of them is not a pool.
pub fn addition(base: &Variant, variant: &Variant) -> Option<Command> {
    let same_drive = |kind: &str| {
        let numbers = |v: &Variant| v.drives.get(kind).map(|known| known.numbers.clone());
        numbers(base) == numbers(variant)
    };
    let mut there = base.pool.vdevs.iter().flat_map(|vdev| &vdev.drives);
    let alike = (&base.datasets, &base.module, &base.module_words)
        == (&variant.datasets, &variant.module, &variant.module_words)
        && (base.pool.ashift, &base.pool.properties)
            == (variant.pool.ashift, &variant.pool.properties)
        && (base.openzfs, base.memory) == (variant.openzfs, variant.memory)
        && there.all(|drive| same_drive(&drive.kind));
    let mut more = variant.pool.vdevs.clone();
    for vdev in &base.pool.vdevs {
        more.remove(more.iter().position(|v| v == vdev)?);
    }
    let pools = base.is_zfs() && variant.is_zfs();
    (alike && pools && !more.is_empty()).then(|| {
        let mut add = words(["zpool", "add"]);
        // A pool that is mismatched already is not looked at again (`check_replication`).
        let mismatch = !force(base, &base.pool.vdevs) && force(variant, &variant.pool.vdevs);
        if mismatch || force(variant, &more) {
            add.push("-f".to_owned());
        }
        add.push(POOL.to_owned());
        add.extend(vdev::words(&more));
        Command(add)
    })
}

/// Whether zpool accepts these vdevs of a variant only with `-f`.
fn force(variant: &Variant, vdevs: &[Vdev]) -> bool {
    vdev::needs_force(vdevs, |kind| drive_capacity(variant, kind))
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|word| quoted(word)).collect();
        f.write_str(&words.join(" "))
    }
}

/// A word that a POSIX shell reads back as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::{NoFiles, Profiles, load};

    fn campaign(text: &str) -> Campaign {
        campaign_of("", text)
    }

    fn campaign_of(top: &str, text: &str) -> Campaign {
        let text = format!(
            "{top}openzfs = \"2.4\"\n[host]\nmemory = \"64G\"\n[workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\\n\"\n{text}"
        );
        match load("t.toml", &text, &NoFiles, &Profiles::builtin()) {
            Ok((campaign, _)) => campaign,
            Err(diagnostics) => panic!("{diagnostics:#?}"),
        }
    }

    fn base_commands(text: &str) -> Commands {
        commands(&campaign(text).variants[0])
    }

    #[test]
    fn a_pool_that_is_there_is_added_to_where_nothing_else_differs() {
        let text = r#"
[drives]
hdd = "4x hdd-7200-16t"
optane = "2x p1600x-118g"
[pool]
vdevs = "mirror hdd[0-1]"
[variants.log]
add = "log mirror optane[0-1]"
[variants.more]
add = "mirror hdd[2-3]"
[variants.log16k]
add = "log mirror optane[0-1]"
dataset.recordsize = "16K"
[variants.other]
vdevs = "mirror hdd[2-3]"
[variants.stripe]
add = "hdd2"
[variants.larger]
add = "log mirror optane[0-1]"
host.memory = "128G"
"#;
        let campaign = campaign(text);
        let variant = |name: &str| campaign.variants.iter().find(|v| v.name == name).unwrap();
        let add =
            |name| addition(variant("base"), variant(name)).map(|command| command.to_string());
        assert_eq!(add("log").as_deref(), Some("zpool add tank log mirror optane0 optane1"));
        assert_eq!(add("more").as_deref(), Some("zpool add tank mirror hdd2 hdd3"));
        assert_eq!(
            (add("log16k"), add("other"), add("base"), add("larger")),
            (None, None, None, None)
        );
        assert_eq!(
            add("stripe").as_deref(),
            Some("zpool add -f tank hdd2"),
            "a single disk beside a mirror"
        );
    }

    #[test]
    fn an_array_is_made_formatted_and_mounted() {
        let drives = "[drives]\nnvme = \"4x pm9a3-1.92t\"\n";
        let top =
            "stack = \"md\"\nmd = \"raid10 nvme[0-3] chunk=64K\"\nmount_options = \"noatime\"\n";
        let md = campaign_of(top, drives);
        assert_eq!(
            commands(&md.variants[0]).lines(),
            [
                "mdadm --create /dev/md/tank --level=10 --raid-devices=4 --bitmap=internal --chunk=64K nvme0 nvme1 nvme2 nvme3",
                "mkfs.xfs /dev/md/tank",
                "mount --mkdir -o noatime /dev/md/tank /tank",
            ]
        );
        let top = "stack = \"md\"\nmd = \"raid0 nvme[0-1]\"\nfilesystem = \"ext4\"\n";
        let md = campaign_of(top, drives);
        assert_eq!(
            commands(&md.variants[0]).lines(),
            [
                "mdadm --create /dev/md/tank --level=0 --raid-devices=2 nvme0 nvme1",
                "mkfs.ext4 /dev/md/tank",
                "mount --mkdir /dev/md/tank /tank",
            ]
        );
    }

    #[test]
    fn a_raid_5_has_a_bitmap_or_a_partial_parity_log() {
        let drives = "[drives]\nhdd = \"3x hdd-7200-8t\"\n";
        let create = |more: &str| {
            let array =
                campaign_of(&format!("stack = \"md\"\nmd = \"raid5 hdd[0-2]{more}\"\n"), drives);
            commands(&array.variants[0]).lines().remove(0)
        };
        let with = |policy: &str| {
            format!(
                "mdadm --create /dev/md/tank --level=5 --raid-devices=3 {policy} hdd0 hdd1 hdd2"
            )
        };
        assert_eq!(create(""), with("--bitmap=internal"));
        assert_eq!(create(" consistency=bitmap"), with("--bitmap=internal"));
        assert_eq!(create(" consistency=ppl"), with("--consistency-policy=ppl"));
    }

    #[test]
    fn a_lone_drive_is_formatted_and_mounted_without_md() {
        let drives = "[drives]\nnvme = \"2x pm9a3-1.92t\"\n";
        let top = "stack = \"ext4\"\ndrive = \"nvme1\"\nmount_options = \"noatime\"\n";
        let lone = campaign_of(top, drives);
        assert_eq!(
            commands(&lone.variants[0]).lines(),
            ["mkfs.ext4 nvme1", "mount --mkdir -o noatime nvme1 /tank"]
        );
    }

    #[test]
    fn what_zpool_create_does_not_take_yet_is_set_afterwards() {
        let commands = base_commands(
            r#"
[drives]
hdd = "2x hdd-7200-16t"
meta = "2x pm983-960g"
[pool]
vdevs = "mirror hdd[0-1] special mirror meta[0-1]"
[dataset]
recordsize = "1M"
special_small_blocks = "512K"
[datasets.small]
special_small_blocks = "256K"
[module]
zfs_deadman_failmode = "continue"
zio_taskq_write = "sync null scale null"
"#,
        );
        assert_eq!(
            commands.lines(),
            [
                "zpool create -O recordsize=1M tank mirror hdd0 hdd1 special mirror meta0 meta1",
                "zfs set special_small_blocks=512K tank",
                "zfs create -o special_small_blocks=256K tank/small",
                "# /etc/modprobe.d/zfs.conf",
                "options zfs zfs_deadman_failmode=continue",
                "options zfs zio_taskq_write=\"sync null scale null\"",
            ]
        );
    }

    #[test]
    fn a_pool_is_one_command_that_a_person_would_type() {
        let commands = base_commands(
            r#"
[drives]
hdd = "6x hdd-7200-16t"
meta = "2x pm983-960g"
[pool]
ashift = 12
autotrim = "on"
comment = "it's mine"
vdevs = "raidz2 hdd[0-5] special mirror meta[0-1]"
[dataset]
recordsize = "16384"
[datasets.wal]
logbias = "throughput"
[datasets."db/pg"]
[module]
zfs_txg_timeout = 5
"#,
        );
        assert_eq!(
            commands.create[0].to_string(),
            r"zpool create -f -o ashift=12 -o autotrim=on -o 'comment=it'\''s mine' -O recordsize=16K tank raidz2 hdd0 hdd1 hdd2 hdd3 hdd4 hdd5 special mirror meta0 meta1"
        );
        let datasets: Vec<String> =
            commands.create_datasets.iter().map(ToString::to_string).collect();
        assert_eq!(
            datasets,
            ["zfs create -p tank/db/pg", "zfs create -o logbias=throughput tank/wal"]
        );
        assert_eq!(commands.module, ["options zfs zfs_txg_timeout=5"]);
    }
}
