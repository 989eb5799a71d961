//! The eight layouts of the mirror-site article (30 disks of 8 TB), as the source counts their
//! capacity and as their tolerance is.

use plan::assess::{Options, assess};
use plan::drive::parse;
use plan::enumerate::{Scope, layouts};
use plan::layout::Layout;
use plan::tolerance::Counted;

/// Layout, the source's capacity in TB, and what it survives: any so many, share of sets of one
/// more.
///
/// Two of the source's statements are wrong and not repeated here: it says that raidz3-10 survives
/// two failures in a group of ten (it survives three), and that the dRAIDs survive two in a group
/// of 14, 9 or 7 (their groups are permuted over all drives: two anywhere, and every third failure
/// meets two others in some group).
const LAYOUTS: [(&str, f64, u32, f64); 8] = [
    ("stripe-30", 240.0, 0, 0.0),
    ("raidz3-30", 216.0, 3, 0.0),
    ("3×raidz2-10", 192.0, 2, 1.0 - 360.0 / 4060.0),
    ("draid2:12d:30c:2s", 192.0, 2, 0.0),
    ("3×raidz3-10", 168.0, 3, 1.0 - 630.0 / 27_405.0),
    ("draid2:7d:30c:3s", 168.0, 2, 0.0),
    ("5×raidz2-6", 160.0, 2, 1.0 - 100.0 / 4060.0),
    ("draid2:5d:30c:2s", 160.0, 2, 0.0),
];

fn found() -> Vec<Layout> {
    layouts(30, &Scope::default())
}

#[test]
fn raw_capacity_is_what_the_source_counts() {
    for (name, terabytes, ..) in LAYOUTS {
        let layout = *found().iter().find(|l| l.name() == name).unwrap();
        assert!((layout.data_drives() * 8.0 - terabytes).abs() < 1e-9, "{name}");
    }
}

#[test]
fn tolerance_is_counted_and_not_copied() {
    let drives = parse("30x8T hdd-7200", &|_| None).unwrap();
    for (name, _, survives, beyond) in LAYOUTS {
        let layout = *found().iter().find(|l| l.name() == name).unwrap();
        let pool = assess(&[(0, layout)], &drives, &Options::default());
        assert_eq!(pool.tolerance.guaranteed, survives, "{name}");
        for share in &pool.tolerance.shares {
            assert_eq!(share.by, Counted::Enumeration, "{name}");
            if share.failed <= survives {
                assert_eq!(share.survived, 1.0, "{name}");
            }
            if share.failed == survives + 1 {
                assert!((share.survived - beyond).abs() < 1e-12, "{name}: {}", share.survived);
            }
        }
    }
}

/// The source's decimal terabytes of data drives are not what `zfs list` shows: labels, whole
/// metaslabs, padding in the deflate ratio and slop take their share.
#[test]
fn zfs_list_shows_less_than_the_data_drives_hold() {
    let drives = parse("30x8T hdd-7200", &|_| None).unwrap();
    for (name, terabytes, ..) in LAYOUTS {
        let layout = *found().iter().find(|l| l.name() == name).unwrap();
        let pool = assess(&[(0, layout)], &drives, &Options::default());
        let share = pool.score.usable as f64 / (terabytes * 1e12);
        assert!((0.85..1.0).contains(&share), "{name}: {share}");
    }
}
