use super::*;
use crate::AllocationClass;
use proptest::prelude::*;

fn vdevs(text: &str) -> Vec<Vdev> {
    let (sentence, problems) = parse(text);
    assert_eq!(problems, [], "{text}");
    sentence.vdevs.into_iter().map(|placed| placed.vdev).collect()
}

fn problem(text: &str) -> String {
    let (_, problems) = parse(text);
    problems
        .first()
        .map(|(span, p)| format!("{} | {} | {}", &text[span.clone()], p.message, p.fix))
        .unwrap_or_default()
}

#[test]
fn ranges_and_single_names_are_the_same_drives() {
    assert_eq!(vdevs("raidz2 hdd[0-2,4]"), vdevs("raidz2 hdd0 hdd1 hdd[2] hdd4"));
    assert_eq!(vdevs("hdd[0-2]").len(), 3, "a stripe is three vdevs");
}

#[test]
fn a_class_holds_until_the_next_one_as_in_zpool() {
    let all = vdevs("mirror a0 b0 log mirror c0 c1 mirror c2 c3 cache d0 d1 spare a1");
    let classes: Vec<_> = all.iter().map(|v| (v.class, v.drives.len())).collect();
    assert_eq!(
        classes,
        [
            (AllocationClass::Normal, 2),
            (AllocationClass::Log, 2),
            (AllocationClass::Log, 2),
            (AllocationClass::Cache, 1),
            (AllocationClass::Cache, 1),
            (AllocationClass::Spare, 1)
        ]
    );
}

#[test]
fn cache_and_spare_end_at_the_next_layout_as_in_zpool() {
    let classes =
        |text: &str| -> Vec<AllocationClass> { vdevs(text).iter().map(|v| v.class).collect() };
    assert_eq!(
        classes("spare d0 raidz2 hdd[0-5]"),
        [AllocationClass::Spare, AllocationClass::Normal]
    );
    assert_eq!(
        classes("log l0 cache n0 n1 mirror a0 a1"),
        [
            AllocationClass::Log,
            AllocationClass::Cache,
            AllocationClass::Cache,
            AllocationClass::Normal
        ]
    );
}

#[test]
fn draid_defaults_are_those_of_zpool() {
    let draid = |text: &str| vdevs(text)[0].layout;
    let with = |parity, data, spares| Layout::Draid { parity, data, spares };
    assert_eq!(draid("draid hdd[0-29]"), with(1, 8, 0));
    assert_eq!(draid("draid2 hdd[0-5]"), with(2, 4, 0));
    assert_eq!(draid("draid2:2s:12d:30c hdd[0-29]"), with(2, 12, 2));
    assert_eq!(draid("draid3:7d:30c:3s hdd[0-29]"), with(3, 7, 3));
}

#[test]
fn printed_it_is_the_command_a_person_would_type() {
    let pool = vdevs(
        "raidz2 hdd[0-2] raidz2 hdd[3-5] special mirror meta[0-1] log mirror optane0 optane1 cache nvme0",
    );
    assert_eq!(
        words(&pool).join(" "),
        "raidz2 hdd0 hdd1 hdd2 raidz2 hdd3 hdd4 hdd5 special mirror meta0 meta1 log mirror optane0 optane1 cache nvme0"
    );
    assert_eq!(
        summary(&pool),
        "raidz2 hdd[0-2] raidz2 hdd[3-5] special mirror meta[0-1] log mirror optane[0-1] cache nvme0"
    );
    assert_eq!(
        summary(&vdevs("draid2:8d:30c:2s hdd[0-29] spare hdd30")),
        "draid2:8d:30c:2s hdd[0-29] spare hdd30"
    );
}

#[test]
fn data_vdevs_added_later_are_typed_first() {
    let mut pool = vdevs("mirror hdd[0-1] log optane0");
    pool.extend(vdevs("mirror hdd[2-3]"));
    pool.extend(vdevs("log optane1"));
    assert_eq!(summary(&pool), "mirror hdd[0-1] mirror hdd[2-3] log optane[0-1]");
}

#[test]
fn what_zpool_refuses_is_refused_with_a_fix() {
    for (text, what) in [
        ("raidz2 hdd[0-1]", "needs at least 3"),
        ("mirror hdd0", "needs at least 2"),
        ("raidz4 hdd[0-9]", "raidz1, raidz2 or raidz3"),
        ("raidz hdd[0-299]", "at most 255"),
        ("draid2:9d hdd[0-9]", "too many"),
        ("draid:0d hdd[0-9]", "too few"),
        ("draid:2x hdd[0-9]", "`:<data>d`"),
        ("draid:7c hdd[0-9]", "write :10c, or name 7 drives"),
        ("draid:9s hdd[0-9]", "leave no drive"),
        ("draid:99999999999999999999d hdd[0-9]", "`:<data>d`"),
        ("log raidz hdd[0-2]", "zpool cannot make a raidz of `log`"),
        ("cache mirror n0 n1", "cannot mirror `cache`"),
        ("a0 log l0 log l1", "`log` appears twice"),
        ("hdd[0-9999] hdd[0-9999]", "at most 10000 drives"),
        ("stripe hdd[0-2]", "needs no keyword"),
        ("mirror-0 hdd[0-1]", "write `mirror`"),
        ("hdd", "add its number"),
        ("hdd[5-2]", "hdd[2-5]"),
        ("hdd[0-", "close the bracket"),
        ("hdd[a]", "write numbers"),
        ("sata1[0-2]", "not end"),
        ("/dev/sda", "its kind and its number"),
        ("hdd[0-4000000000]", "fewer than"),
    ] {
        assert!(problem(text).contains(what), "{text}: {}", problem(text));
    }
}

#[test]
fn mixed_redundancy_needs_force_as_in_zpool() {
    let capacity = |kind: &str| match kind {
        "large" => Some(2_000_000_000_000),
        "same" => Some(1_000_008_000_000),
        _ => Some(1_000_000_000_000),
    };
    for (text, force) in [
        ("raidz2 hdd[0-5] special mirror m[0-1]", true),
        ("raidz2 hdd[0-5] special mirror m[0-2]", false),
        ("raidz2 hdd[0-5] raidz2 hdd[6-11] log o0", false),
        ("raidz2 hdd[0-5] raidz2 hdd[6-9]", true),
        ("mirror a[0-1] mirror b[0-1]", false),
        ("a[0-3]", false),
        ("a0 mirror b[0-1]", true),
        ("mirror a0 large0", true),
        ("mirror a0 same0", false),
        ("a0 large0", false),
        ("raidz2 a[0-5] mirror b[0-2] raidz2 a[6-13]", false),
    ] {
        assert_eq!(needs_force(&vdevs(text), capacity), force, "{text}");
    }
}

fn any_pool() -> impl Strategy<Value = Vec<Vdev>> {
    let class = prop_oneof![
        Just(AllocationClass::Normal),
        Just(AllocationClass::Log),
        Just(AllocationClass::Cache),
        Just(AllocationClass::Special),
        Just(AllocationClass::Dedup),
        Just(AllocationClass::Spare)
    ];
    let vdev = (class, 0..3u8, 1..=3u32, 1..12usize, "[a-z][a-z0-9_.-]{0,4}[a-z]");
    proptest::collection::vec(vdev, 1..6).prop_map(|all| {
        let mut vdevs: Vec<Vdev> = all
            .into_iter()
            .enumerate()
            .map(|(i, (class, shape, parity, count, kind))| {
                let layout = match (class, shape) {
                    (AllocationClass::Cache | AllocationClass::Spare, _) | (_, 0) => Layout::Single,
                    (AllocationClass::Normal, 1) => Layout::Raidz { parity },
                    (AllocationClass::Normal, 2) => {
                        Layout::Draid { parity, data: count as u32, spares: 1 }
                    }
                    _ => Layout::Mirror,
                };
                let count = match layout {
                    Layout::Single => 1,
                    Layout::Draid { .. } => count + parity as usize + 1,
                    _ => count + parity as usize + 1,
                };
                Vdev {
                    class,
                    layout,
                    drives: (0..count as u32)
                        .map(|index| DriveRef { kind: kind.clone(), index: index + 20 * i as u32 })
                        .collect(),
                }
            })
            // A kind may not be a keyword.
            .filter(|v| parse(&format!("{}0", v.drives[0].kind)).1.is_empty())
            .collect();
        sort(&mut vdevs);
        vdevs
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_the_same_pool(pool in any_pool()) {
        prop_assert_eq!(&vdevs(&words(&pool).join(" ")), &pool);
        prop_assert_eq!(&vdevs(&summary(&pool)), &pool);
    }

    #[test]
    fn no_sentence_panics_and_every_span_is_in_it(text in "((mirror|raidz|draid|log|cache|a|:|[|]|-|,|\\d| |\\PC){1,3}){0,20}") {
        let (sentence, problems) = parse(&text);
        for span in problems.iter().map(|(span, _)| span).chain(sentence.vdevs.iter().map(|v| &v.span)) {
            prop_assert!(text.get(span.clone()).is_some());
        }
    }
}

#[test]
fn a_physical_sector_above_16k_leaves_the_logical_one() {
    let given = |drives: &str| {
        vdevs(drives)[0].ashift(None, |kind| {
            let physical = if kind == "large" { 32 << 10 } else { 4 << 10 };
            Some(Sectors { logical: 512, physical })
        })
    };
    assert_eq!(given("mirror large[0-1]"), 9);
    assert_eq!(given("mirror large0 small0"), 12);
}
