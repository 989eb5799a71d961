//! `plan`'s arithmetic against pools that OpenZFS makes in the machine. These tests need an engine.

mod script_machine;
#[path = "../../plan/tests/table/mod.rs"]
mod table;
#[path = "with_engine/mod.rs"]
mod with_engine;

use contents::config::DriveConfig;
use drives::ProfileNumber;
use plan::space::{self, PoolSpace, VdevSpace};
use script_machine::{Bare, drive, profiles};
use std::collections::BTreeMap;
use std::fmt::Write;
use table::{BLOCKS, geometry};
use zfs::{AllocationClass, DriveRef, Geometry, Layout, Sectors, Vdev};

/// The layouts of `plan`'s own test: layout, vdevs, bytes of a drive, ashift, and what follows.
const LAYOUTS: &str = include_str!("../../plan/tests/data/layouts.tsv");

/// Vdevs that are alike.
struct Pool {
    /// As in the table: `raidz2:6`.
    name: String,
    geometry: Geometry,
    vdevs: u32,
    /// Bytes of a drive.
    bytes: u64,
    ashift: u32,
}

impl Pool {
    fn new(row: &str) -> Pool {
        let fields: Vec<&str> = row.split('\t').collect();
        let name = fields[0].to_owned();
        Pool {
            geometry: geometry(&name),
            vdevs: fields[1].parse().unwrap(),
            bytes: fields[2].parse().unwrap(),
            ashift: fields[3].parse().unwrap(),
            name,
        }
    }

    fn drives(&self) -> u32 {
        self.vdevs * self.geometry.children
    }

    /// The vdevs as `zpool create` takes them, of the drives of this size.
    fn spec(&self, device: impl Fn(u32) -> String) -> String {
        let word =
            self.geometry.layout.keyword(self.geometry.children as usize).unwrap_or_default();
        let group = |vdev: u32| {
            let drives =
                (0..self.geometry.children).map(|n| device(vdev * self.geometry.children + n));
            [word.to_owned()].into_iter().chain(drives).collect::<Vec<_>>().join(" ")
        };
        (0..self.vdevs).map(group).collect::<Vec<_>>().join(" ")
    }

    /// What plan says of it.
    fn planned(&self, closely: bool) -> Found {
        let vdev = space::vdev(self.geometry, self.bytes, self.ashift, true);
        let vdevs = u64::from(self.vdevs);
        let pool = PoolSpace::of(vdevs * vdev.dspace, vdevs * vdev.embedded_dspace);
        let Geometry { layout, children } = self.geometry;
        Found {
            size: vdevs * (vdev.space + vdev.embedded_log),
            usable: pool.usable,
            closely: closely.then(|| {
                (
                    BLOCKS.map(|block| sectors(self.geometry.charged(block, self.ashift))),
                    layout.tolerance(children),
                )
            }),
        }
    }
}

/// What `stat` says of a file with these bytes of blocks, in units of 512 bytes: rounded, and one for its
/// dnode (`sa_object_size`).
fn sectors(bytes: u64) -> u64 {
    (bytes + 256) / 512 + 1
}

/// What a pool has, bytes.
#[derive(Debug, PartialEq)]
struct Found {
    /// `zpool list -o size`.
    size: u64,
    /// USED and AVAIL of the root dataset.
    usable: u64,
    /// Of every third pool, what files of one block take, units of 512 bytes, and how many drives of the first
    /// vdev `zpool offline` takes away.
    closely: Option<([u64; 8], u32)>,
}

/// Whether a pool's blocks and failures are looked at, which takes longer than its space.
fn is_closely(number: usize) -> bool {
    number.is_multiple_of(3)
}

/// The script that makes each pool, prints a line of numbers of it, and destroys it.
fn script(pools: &[Pool], device: &dyn Fn(&Pool, u32) -> String) -> String {
    let mut script = String::from(
        "space() { zpool list -Hp -o size t; zfs list -Hp -o used,available t; }\n\
         closely() {\n\
           for size in $SIZES; do head -c $size /dev/zero >/run/t/$size; done\n\
           zpool sync t\n\
           (cd /run/t && stat -c %b $SIZES)\n\
           gone=0\n\
           for drive in \"$@\"; do zpool offline t $drive 2>/dev/null || break; gone=$((gone+1)); done\n\
           echo $gone\n\
         }\n",
    );
    let sizes = BLOCKS.map(|size| size.to_string()).join(" ");
    let _ = writeln!(script, "SIZES='{sizes}'");
    for (number, pool) in pools.iter().enumerate() {
        let spec = pool.spec(|n| device(pool, n));
        let members: Vec<String> = (0..pool.geometry.children).map(|n| device(pool, n)).collect();
        let more = match is_closely(number) {
            true => format!("closely {}", members.join(" ")),
            false => String::new(),
        };
        let _ = writeln!(
            script,
            "zpool create -f -o ashift={} -o cachefile=none -O compression=off -O recordsize=16M -m /run/t t {spec}\n\
             space\n{more}\necho end\nzpool destroy t",
            pool.ashift,
        );
    }
    script
}

/// Drives for the pools: of each size as many as the largest needs.
fn drives_for(pools: &[Pool]) -> Vec<DriveConfig> {
    let mut most: BTreeMap<u64, u32> = BTreeMap::new();
    for pool in pools {
        let count = most.entry(pool.bytes).or_default();
        *count = (*count).max(pool.drives());
    }
    let instant = &profiles()["instant"];
    let of_size = |(bytes, count): (u64, u32)| {
        let mut profile = instant.clone();
        profile.capacity = ProfileNumber::stated(bytes as f64);
        (0..count).map(move |n| drive(&name(bytes, n), &profile, 1))
    };
    most.into_iter().flat_map(of_size).collect()
}

fn name(bytes: u64, number: u32) -> String {
    format!("{bytes}-{number}")
}

/// Makes the pools with a release and gives what each has.
fn make(release: &'static str, pools: &[Pool]) -> Option<Vec<Found>> {
    let mut machine = Bare::new(drives_for(pools))?;
    machine.openzfs = Some(release);
    let device = |pool: &Pool, n: u32| format!("{}{}", machine::DEVICE, name(pool.bytes, n));
    let out = machine.run(&script(pools, &device));
    let of = |text: &str| {
        let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let [size, used, available, more @ ..] = &numbers[..] else { panic!("{text}") };
        Found {
            size: *size,
            usable: used + available,
            closely: more
                .split_last()
                .map(|(gone, blocks)| (blocks.try_into().unwrap(), *gone as u32)),
        }
    };
    let found: Vec<Found> = out.split("end").filter(|t| !t.trim().is_empty()).map(of).collect();
    assert_eq!(found.len(), pools.len(), "{out}");
    Some(found)
}

/// Makes every sixth pool of the table.
fn agree(release: &'static str, which: usize) {
    let rows = LAYOUTS.lines().filter(|row| !row.starts_with('#'));
    let pools: Vec<Pool> = rows.skip(which).step_by(6).map(Pool::new).collect();
    let Some(found) = make(release, &pools) else {
        return;
    };
    let mut wrong = String::new();
    for (number, (pool, found)) in pools.iter().zip(&found).enumerate() {
        let planned = pool.planned(is_closely(number));
        if *found != planned {
            let Pool { name, vdevs, bytes, ashift, .. } = pool;
            let _ = writeln!(
                wrong,
                "{vdevs} x {name} of {bytes} bytes, ashift {ashift}:\n  OpenZFS {found:?}\n  plan    {planned:?}"
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn pools_of_openzfs_2_3_have_the_space_and_the_tolerance_that_plan_says() {
    agree("2.3", 0);
}

#[test]
fn pools_of_openzfs_2_4_have_the_space_and_the_tolerance_that_plan_says() {
    agree("2.4", 3);
}

/// Space of a mirror of drives of a profile.
fn mirror(profile: &str) -> VdevSpace {
    let bytes = profiles()[profile].capacity.value as u64;
    space::vdev(Geometry { layout: Layout::Single, children: 1 }, bytes, 12, true)
}

#[test]
fn log_cache_and_special_vdevs_add_nothing_to_what_a_pool_offers() {
    let all = profiles();
    let mut drives = Vec::new();
    for profile in ["hdd-7200-8t", "p1600x-118g", "pm983-960g"] {
        drives.extend((0..2).map(|n| drive(&format!("{profile}-{n}"), &all[profile], n)));
    }
    let pair = |profile: &str| format!("/dev/pw-{profile}-0 /dev/pw-{profile}-1");
    let (data, log, special) = (pair("hdd-7200-8t"), pair("p1600x-118g"), pair("pm983-960g"));
    let script = [
        "".to_owned(),
        format!("log mirror {log}"),
        format!("cache {log}"),
        format!("special mirror {special}"),
    ]
    .map(|more| {
        let held = match more.starts_with("special") {
            true => "zpool get -Hp -o value allocated t mirror-1",
            false => "echo 0",
        };
        format!(
            "zpool create -f -o ashift=12 -o cachefile=none -m /run/t t mirror {data} {more}\n\
             zpool list -Hp -o size t\nzfs list -Hp -o used,available t\n\
             {held}\nzpool destroy t\n"
        )
    })
    .concat();
    let (data, special) = (mirror("hdd-7200-8t"), mirror("pm983-960g"));
    let usable = PoolSpace::of(data.dspace, data.embedded_dspace).usable;
    let size = |vdev: &VdevSpace| vdev.space + vdev.embedded_log;
    let logs = data.embedded_dspace + special.embedded_dspace;
    // From 2.4 on a special vdev has an embedded log as well, and slop is less both (`spa_get_slop_space`).
    let with_special = data.dspace - space::slop(data.dspace, logs);
    for (release, with_special) in [("2.3", usable), ("2.4", with_special)] {
        let whole = size(&data) + size(&special);
        let mut expected = [(size(&data), usable); 4];
        expected[3] = (whole, with_special);
        let Some(mut machine) = Bare::new(drives.clone()) else {
            return;
        };
        machine.openzfs = Some(release);
        let out = machine.run(&script);
        let numbers: Vec<u64> = out.split_whitespace().map(|word| word.parse().unwrap()).collect();
        // What a special vdev holds is used and was not available (`spa_update_dspace`).
        let found: Vec<(u64, u64)> =
            numbers.chunks(4).map(|c| (c[0], c[1] + c[2] - c[3])).collect();
        assert_eq!(found, expected, "OpenZFS {release}");
    }
}

/// The ashift of vdevs whose pool states 9, and where it states none.
#[test]
fn vdevs_have_the_ashift_that_their_sectors_and_the_lab_say() {
    let sectors = [(512.0, 512.0), (512.0, 4096.0), (4096.0, 4096.0)];
    let instant = &profiles()["instant"];
    let names = |of: usize| (0..3).map(move |n| format!("{of}-{n}"));
    let of_sectors = |(of, (logical, physical)): (usize, &(f64, f64))| {
        let mut profile = instant.clone();
        profile.capacity = ProfileNumber::stated(1e9);
        profile.logical_sector = ProfileNumber::stated(*logical);
        profile.physical_sector = ProfileNumber::stated(*physical);
        names(of).map(|name| drive(&name, &profile, 1)).collect::<Vec<DriveConfig>>()
    };
    let drives: Vec<DriveConfig> = sectors.iter().enumerate().flat_map(of_sectors).collect();
    let (mut script, mut expected) = (String::new(), Vec::new());
    for (of, (logical, physical)) in sectors.iter().enumerate() {
        let devices: Vec<String> =
            names(of).map(|name| machine::DEVICE.to_owned() + &name).collect();
        let reported = Sectors { logical: *logical as u64, physical: *physical as u64 };
        for (layout, word) in [(Layout::Mirror, "mirror"), (Layout::Raidz { parity: 1 }, "raidz")] {
            let drives = (0..3).map(|index| DriveRef { kind: "drive".into(), index }).collect();
            let vdev = Vdev { class: AllocationClass::Normal, layout, drives };
            for stated in [None, Some(9)] {
                expected.push(vdev.ashift(stated, |_| Some(reported)));
                let _ = writeln!(
                    script,
                    "zpool create -f -o ashift={} -o cachefile=none -m /run/t t {word} {}\n\
                     zpool get -H -o value ashift t {word}{}-0\nzpool destroy t",
                    stated.unwrap_or(0),
                    devices.join(" "),
                    if word == "raidz" { "1" } else { "" },
                );
            }
        }
    }
    for release in ["2.3", "2.4"] {
        let Some(mut machine) = Bare::new(drives.clone()) else {
            return;
        };
        machine.openzfs = Some(release);
        let out = machine.run(&script);
        let found: Vec<u8> = out.split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert_eq!(found, expected, "OpenZFS {release}");
    }
}
