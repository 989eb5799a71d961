//! Databases beyond a pool, and reservations that leave no room.

use super::*;

/// The first message and fix about a lab on one drive of 3.84 TB, and as much again in a mirror of two small ones.
fn refused(more: &str) -> String {
    let text = format!(
        "[host]\nmemory = \"64G\"\n[drives]\noptane = \"2x p1600x-118g\"\n[method]\nruntime = \"10s\"\n{more}"
    );
    let first = |diagnostics: Vec<Diagnostic>| {
        let fix = diagnostics[0].fix.clone().unwrap_or_default();
        format!("{} | {fix}", diagnostics[0].message)
    };
    load("t.toml", &text, &NoFiles, &Profiles::builtin()).map_err(first).err().unwrap_or_default()
}

const POOL: &str = "[pool]\nvdevs = \"mirror optane[0-1]\"\n";

/// 148 GB for every 10,000.
fn pgbench(scale: u32, directories: &str) -> String {
    format!(
        "[workloads.db.pgbench]\nscale = {scale}\nclients = 1\n[workloads.db.directories]\n{directories}\n"
    )
}

#[test]
fn a_database_that_no_pool_could_hold_is_refused() {
    let off = format!("{POOL}[dataset]\ncompression = \"off\"\n");
    let wrong = refused(&format!("{off}{}", pgbench(100_000, "")));
    assert!(wrong.starts_with("the files of workload db need 1."), "{wrong}");
    assert!(wrong.contains("hold about 1") && wrong.contains("use a smaller database"), "{wrong}");
    // lz4 leaves a seventh of it.
    assert_eq!(refused(&format!("{POOL}{}", pgbench(10_000, ""))), "");
    let ext4 = format!("stack = \"ext4\"\ndrive = \"optane0\"\n{}", pgbench(10_000, ""));
    let wrong = match read_top(&ext4) {
        Ok(()) => String::new(),
        Err(message) => message,
    };
    assert!(wrong.contains("the drives of variant base hold about"), "{wrong}");
    let sysbench = |compression: &str| {
        refused(&format!(
            "{POOL}[dataset]\ncompression = \"{compression}\"\n\
             [workloads.db.sysbench]\ntables = 10\ntable_size = 100000000\nthreads = 4\n"
        ))
    };
    assert!(sysbench("lz4").contains("hold about"), "{}", sysbench("lz4"));
    assert_eq!(sysbench("zstd"), "");
}

/// As [`refused`], with keys at the top.
fn read_top(keys: &str) -> Result<(), String> {
    let (top, sections) = keys.split_once("[workloads").unwrap_or((keys, ""));
    let text = format!(
        "{top}[host]\nmemory = \"64G\"\n[drives]\noptane = \"2x p1600x-118g\"\n[method]\nruntime = \"10s\"\n[workloads{sections}"
    );
    let read = load("t.toml", &text, &NoFiles, &Profiles::builtin());
    read.map(|_| ()).map_err(|diagnostics| diagnostics[0].message.clone())
}

#[test]
fn a_database_beyond_the_quota_of_one_of_its_datasets_is_refused() {
    let with = |quotas: &str, directories: &str| {
        refused(&format!(
            "{POOL}[dataset]\ncompression = \"off\"\n{quotas}{}",
            pgbench(1000, directories)
        ))
    };
    let wrong = with("[datasets.pg]\nquota = \"1G\"\n", "data = \"pg\"");
    assert!(
        wrong.contains("has `quota=1G` | use a smaller database, or a larger quota"),
        "{wrong}"
    );
    let indexes = "[datasets.pg]\n[datasets.ix]\nrefquota = \"1G\"\n";
    let wrong = with(indexes, "data = \"pg\"\nindexes = \"ix\"");
    assert!(wrong.contains("need 2") && wrong.contains("has `refquota=1G`"), "{wrong}");
    assert_eq!(with("[datasets.pg]\nquota = \"20G\"\n", "data = \"pg\""), "");
}

#[test]
fn files_for_which_other_datasets_leave_no_room_are_refused() {
    let with = |reserved: &str| {
        refused(&format!(
            "{POOL}[datasets.a]\n{reserved}\n[datasets.db]\n[workloads.w]\ndataset = \"db\"\n\
             size = \"50G\"\nfio.job = \"[w]\\nrw=randread\\n\"\n"
        ))
    };
    let wrong = with("refreservation = \"80G\"");
    assert!(wrong.contains("need 50") && wrong.contains("80G are reserved"), "{wrong}");
    assert_eq!(with("reservation = \"20G\""), "");
}

#[test]
fn a_reservation_that_zfs_create_refuses_is_refused() {
    let with = |properties: &str| {
        let job =
            "[workloads.w]\ndataset = \"a/b\"\nfio.job = \"[w]\\nrw=randwrite\\nsize=1g\\n\"\n";
        refused(&format!("{POOL}{properties}\n{job}"))
    };
    let none = with("[datasets.\"a/b\"]\nreservation = \"200G\"");
    assert!(none.contains("reserve 200G, but the pool holds about 1"), "{none}");
    let two =
        with("[datasets.a]\nreservation = \"60G\"\n[datasets.\"a/b\"]\nreservation = \"60G\"");
    assert_eq!(two, "", "that of `a` holds the other");
    for (properties, quota) in [
        ("[datasets.\"a/b\"]\nquota = \"10G\"\nrefreservation = \"20G\"", "`quota`"),
        ("[datasets.\"a/b\"]\nrefquota = \"10G\"\nrefreservation = \"20G\"", "`refquota`"),
        ("[datasets.a]\nquota = \"10G\"\n[datasets.\"a/b\"]\nreservation = \"20G\"", "`quota`"),
    ] {
        let wrong = with(properties);
        let message = format!("{quota} is smaller than what is reserved within it, 20G");
        assert!(wrong.contains(&message), "{properties}: {wrong}");
    }
}

#[test]
fn a_striped_array_has_the_room_of_all_its_drives() {
    let array = |level: &str| {
        let lab =
            campaign("128G", &format!("[variants.array]\nstack = \"md\"\nmd = \"{level}\"\n"));
        sizes::room(&lab.variants[1], "")
    };
    let capacity = |kind: &str| drive_capacity(&campaign("128G", "").variants[0], kind).unwrap();
    assert_eq!(array("raid0 nvme0 optane0"), capacity("nvme") + capacity("optane"));
    assert_eq!(array("raid1 nvme0 optane0"), capacity("optane"));
}
