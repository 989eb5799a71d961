//! Diagnostics of labs whose stack is not ZFS.

mod common;

use common::*;

#[test]
fn an_invalid_array_is_refused_at_its_place() {
    let array = |md: &str| format!("[variants.a]\nstack = \"md\"\nmd = \"{md}\"\n");
    refused(
        &array("raid6 hdd[0-2]"),
        "raid6",
        "raid6 needs at least 4 drives, but 3 are named",
        "name at least 4 drives",
    );
    refused(
        &array("raid01 hdd[0-3]"),
        "raid01",
        "`raid01` is not an array level",
        "did you mean `raid10`",
    );
    refused(&array("raid10 hdd[0-12]"), "hdd[0-12]", "too few drives `hdd`", "hdd[0-11]");
    refused(&array("raid1 hdd[0-1] hdd1"), "hdd1", "`hdd1` is used twice", "its own drives");
    refused(
        &array("raid0 hdd[0-1] chunk=48K"),
        "chunk=48K",
        "`48K` is not a valid chunk size",
        "power of two",
    );
    refused(
        &array("raid1 hdd[0-1] chunk=64K"),
        "chunk=64K",
        "raid1 has no chunk size",
        "remove it",
    );
    refused(
        &array("raid10 hdd[0-1] consistency=ppl"),
        "consistency=ppl",
        "raid10 cannot have a partial parity log",
        "only raid5",
    );
    refused(
        &array("raid0 hdd[0-1] consistency=bitmap"),
        "consistency=bitmap",
        "`bitmap` is not a consistency policy of this array",
        "consistency=ppl",
    );
    refused(
        &format!("{}filesystem = \"btrfs\"\n", array("raid0 hdd[0-1]")),
        "\"btrfs\"",
        "`filesystem` cannot be `btrfs`",
        "xfs",
    );
    refused(
        "[variants.a]\nstack = \"md\"\n", "a", "stack = \"md\" needs an array", "raid10 nvme[0-3]",
    );
}

#[test]
fn the_keys_of_one_stack_are_refused_in_the_other() {
    let array = "[variants.a]\nstack = \"md\"\nmd = \"raid1 hdd[0-1]\"\n";
    for (key, under) in [
        ("vdevs = \"mirror hdd[2-3]\"", "vdevs"),
        ("add = \"log optane0\"", "add"),
        ("dataset.recordsize = \"8K\"", "dataset"),
        ("pool.ashift = 12", "pool"),
        ("module.zfs_txg_timeout = 5", "module"),
    ] {
        refused(
            &format!("{array}{key}\n"),
            under,
            "this key is for ZFS pools, but the stack here is `md`",
            "remove it",
        );
    }
    refused(
        "[variants.a]\nfilesystem = \"xfs\"\n",
        "filesystem",
        "this key is for md arrays, but the stack here is `zfs`",
        "stack = \"md\"",
    );
}

#[test]
fn an_invalid_lone_drive_is_refused_at_its_place() {
    let lone = |drive: &str| format!("[variants.a]\nstack = \"ext4\"\ndrive = \"{drive}\"\n");
    refused(
        &lone("hdd[0-1]"),
        "\"hdd[0-1]\"",
        "`drive` is one drive, but 2 are named",
        "stack = \"md\"",
    );
    refused(&lone("hdd"), "\"hdd\"", "`hdd` is not a drive", "hdd0");
    refused(&lone("hdd12"), "\"hdd12\"", "too few drives `hdd`", "hdd[0-11]");
    refused(
        "[variants.a]\nstack = \"xfs\"\n", "a", "stack = \"xfs\" needs a drive",
        "drive = \"nvme0\"",
    );
    refused("[variants.a]\nstack = \"btrfs\"\n", "\"btrfs\"", "`stack` cannot be `btrfs`", "ext4");
    let vdevs = format!("{}vdevs = \"mirror hdd[2-3]\"\n", lone("hdd0"));
    refused(
        &vdevs,
        "vdevs",
        "this key is for ZFS pools, but the stack here is `ext4`",
        "remove it",
    );
    for (key, under, fix) in [
        ("filesystem = \"xfs\"", "filesystem", "here `stack` is the file system"),
        ("md = \"raid1 hdd[1-2]\"", "md", "write stack = \"md\""),
    ] {
        refused(
            &format!("{}{key}\n", lone("hdd0")),
            under,
            "this key is for md arrays, but the stack here is `ext4`",
            fix,
        );
    }
    refused(
        "[variants.a]\nstack = \"md\"\nmd = \"raid1 hdd[0-1]\"\ndrive = \"hdd2\"\n",
        "drive",
        "this key is for a file system on one drive, but the stack here is `md`",
        "stack = \"xfs\"",
    );
    refused(
        "[variants.a]\nmount_options = \"noatime\"\n",
        "mount_options",
        "this key is for file systems without ZFS, but the stack here is `zfs`",
        "stack = \"ext4\"",
    );
    refused(
        &format!("{}mount_options = \"noatime,logbsize=256k\"\n", lone("hdd0")),
        "mount_options",
        "`logbsize` is a mount option of xfs, but the file system here is ext4",
        "remove it",
    );
    refused(
        "[variants.a]\nstack = \"md\"\nmd = \"raid1 hdd[0-1]\"\nmount_options = \"data=journal\"\n",
        "mount_options",
        "`data` is a mount option of ext4, but the file system here is xfs",
        "remove it",
    );
}

#[test]
fn a_workload_does_not_leave_a_file_system() {
    let lab = |workload: &str| {
        format!(
            "stack = \"ext4\"\ndrive = \"nvme0\"\n[host]\nmemory = \"8G\"\n[drives]\nnvme = \"1x pm9a3-1.92t\"\n\
             [method]\nruntime = \"10s\"\n{workload}"
        )
    };
    let fio = |dataset: &str| {
        lab(&format!(
            "[workloads.w]\nfio.job = \"[w]\\nrw=read\\nsize=1g\"\ndataset = \"{dataset}\"\n"
        ))
    };
    has_mistake(
        &fio("../../tmp/x"),
        "\"../../tmp/x\"",
        "`../../tmp/x` is not a valid dataset name",
        "use letters",
    );
    assert_eq!(errors(&fio("db/data")), [""; 0]);
    let pgbench = "[workloads.w.pgbench]\nscale = 10\nclients = 1\n[workloads.w.directories]\ndata = \"/tmp/pg\"\n";
    has_mistake(
        &lab(pgbench),
        "\"/tmp/pg\"",
        "`/tmp/pg` is not a valid dataset name",
        "use letters",
    );
}
