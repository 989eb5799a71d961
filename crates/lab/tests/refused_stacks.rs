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
        &array("raid5 hdd[0-2] chunk=64K chunk=128K"),
        "chunk=128K",
        "`chunk=` is stated twice",
        "remove one",
    );
    let many = "[variants.a]\ndrives.many = \"65x hdd-7200-8t\"\nstack = \"md\"\nmd = \"raid5 many[0-64] consistency=ppl\"\n";
    refused(
        many,
        "\"raid5 many[0-64] consistency=ppl\"",
        "at most 64 drives, but 65 are named",
        "remove consistency=ppl",
    );
    assert_eq!(errors(&format!("{BASE}{}", many.replace("0-64", "0-63"))), [""; 0]);
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

#[test]
fn mount_options_with_which_mount_fails_are_refused() {
    let on = |stack: &str, options: &str| {
        format!(
            "[variants.a]\nstack = \"{stack}\"\ndrive = \"hdd0\"\nmount_options = \"{options}\"\n"
        )
    };
    for (stack, options, message, fix) in [
        ("ext4", "noatme", "`noatme` is not a mount option", "did you mean `noatime`"),
        ("ext4", "data=foo", "`data` cannot be `foo`", "journal, ordered, writeback"),
        ("ext4", "commit=soon", "`commit` cannot be `soon`", "a number"),
        ("ext4", "data=journal,delalloc", "both data=journal and delalloc", "remove one"),
        ("ext4", "journal_async_commit", "and data=ordered", "data=writeback"),
        ("ext4", "noatime=1", "`noatime` takes no value", "write `noatime`"),
        ("xfs", "logbsize=257k", "`logbsize` cannot be `257k`", "16k to 256k"),
        ("xfs", "logbufs=9", "`logbufs` cannot be `9`", "2 to 8"),
        ("xfs", "logbsize", "`logbsize` of xfs needs a value", "logbsize=256k"),
        ("xfs", "ro", "`ro` cannot be a mount option of a trial", "remove it"),
        ("xfs", "loop", "`loop` cannot be a mount option of a trial", "remove it"),
    ] {
        refused(&on(stack, options), "mount_options", message, fix);
    }
    for (stack, options) in [
        ("ext4", "noatime,,data=writeback,journal_async_commit,barrier=0,commit=30,nodelalloc"),
        ("ext4", "data=journal,data=ordered,delalloc,errors=remount-ro,init_itable,discard"),
        ("xfs", "noatime,logbsize=256k,logbufs=8,allocsize=64m,inode64,noexec,nosuid,lazytime"),
        ("xfs", ""),
    ] {
        assert_eq!(errors(&format!("{BASE}{}", on(stack, options))), [""; 0], "{options}");
    }
}
