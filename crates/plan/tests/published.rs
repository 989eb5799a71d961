//! What others published: calculators' capacities, a calculator's chances, resilver hours.

use plan::assess::{Options, assess};
use plan::drive::{known, parse};
use plan::layout::{Layout, Scheme};
use plan::rebuild::{self, Conditions};
use plan::tolerance::choose;
use zfs::Layout::{Mirror, Raidz};

fn layout(scheme: Scheme, groups: u32, width: u32, spares: u32) -> Layout {
    Layout { scheme, groups, width, spares }
}

/// OpenZFS Capacity Calculator of jro.io (as copied at tools-cjf.pages.dev), table "Common
/// Layouts" for 24 bays: TiB by drive size. It takes the disks' partitions and swap as TrueNAS
/// makes them and leaves the embedded log out, hence the error allowed: 0.5 %.
#[test]
fn capacities_are_within_half_a_percent_of_the_openzfs_capacity_calculator() {
    let z = |parity| Scheme::Zfs(Raidz { parity });
    let sizes = ["4T", "8T", "12T", "18T", "22T"];
    let published = [
        (Scheme::Zfs(Mirror), 12, 2, 0, [43.375, 87.063, 130.75, 196.188, 239.875]),
        (z(1), 8, 3, 0, [57.985, 116.095, 174.288, 261.536, 319.646]),
        (z(1), 6, 4, 0, [63.29, 126.706, 190.121, 285.278, 348.761]),
        (z(1), 4, 5, 4, [57.99, 116.104, 174.219, 261.391, 319.506]),
        (z(2), 4, 5, 4, [42.928, 85.981, 129.035, 193.615, 236.668]),
        (z(2), 4, 6, 0, [57.985, 116.136, 174.288, 261.536, 319.687]),
        (z(2), 2, 10, 4, [55.29, 110.705, 166.12, 249.266, 304.682]),
        (z(2), 2, 11, 2, [60.836, 121.798, 182.759, 274.213, 335.174]),
    ];
    for (scheme, groups, width, spares, tebibytes) in published {
        for (size, expected) in sizes.iter().zip(tebibytes) {
            let drives = parse(&format!("24x{size} hdd-7200"), &|_| None).unwrap();
            let layout = layout(scheme, groups, width, spares);
            let pool = assess(&[(0, layout)], &drives, &Options::default());
            let found = pool.score.usable as f64 / (1u64 << 40) as f64;
            let error = (found / expected - 1.0).abs();
            assert!(error < 0.005, "{} of {size}: {found:.3} against {expected}", layout.name());
        }
    }
}

/// Share of pools of a layout that are lost when each drive is failed with chance `p`, independently.
fn lost(layout: &Layout, p: f64) -> f64 {
    let group: f64 = (0..=layout.tolerance())
        .map(|i| {
            let works = (layout.width - i) as i32;
            choose(layout.width, i) * p.powi(i as i32) * (1.0 - p).powi(works)
        })
        .sum();
    1.0 - group.powi(layout.groups as i32)
}

/// Reliable RAID Configuration Calculator (R2-C2), its example 1: three vdevs of eight drives in
/// raidz2, each failed with chance p.
#[test]
fn the_chance_to_lose_a_pool_is_that_of_r2_c2() {
    let pool = layout(Scheme::Zfs(Raidz { parity: 2 }), 3, 8, 0);
    for p in [0.001, 0.01, 0.05, 0.2] {
        let q: f64 = 1.0 - p;
        let vdev = 28.0 * p * p * q.powi(6) + 8.0 * p * q.powi(7) + q.powi(8);
        let expected = 1.0 - vdev.powi(3);
        assert!((lost(&pool, p) - expected).abs() < 1e-12);
    }
}

/// Resilvers of mirrors of disks whose models are not named. Allowed: a fifth.
#[test]
fn published_resilvers_take_about_as_long_as_computed() {
    let mirror = layout(Scheme::Zfs(Mirror), 1, 2, 0);
    let disk = known("hdd-7200", 4_000_000_000_000).unwrap();
    // openzfs/zfs issue 4627: 2.61T onto a fresh second drive "only 7 hours".
    let conditions = Conditions { used: 1.0, ..Conditions::default() };
    let hours =
        rebuild::estimate(&mirror, &disk, 2.61 * (1u64 << 40) as f64, &conditions).unwrap().hours;
    assert!((hours / 7.0 - 1.0).abs() < 0.2, "{hours}");

    // openzfs/zfs pull request 5153, sequential rebuild of a nearly empty 1.8T mirror: 21.5G in
    // 1 min 46 s, at the outer edge (210 MiB/s on such disks) and without gaps.
    let mut outer = known("hdd-7200", 2_000_000_000_000).unwrap();
    (outer.read, outer.write) = (220e6, 220e6);
    let conditions = Conditions { used: 1.0, rotating: 1.0, ..Conditions::default() };
    let seconds =
        rebuild::estimate(&mirror, &outer, 21.5 * (1u64 << 30) as f64, &conditions).unwrap().hours
            * 3600.0;
    assert!((seconds / 106.0 - 1.0).abs() < 0.2, "{seconds}");
}
