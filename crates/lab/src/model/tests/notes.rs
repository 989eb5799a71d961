use super::*;

#[test]
fn rows_of_a_draid_are_noted_where_s_shrinks_the_pool() {
    let noted = |layout: &str, size: u32| {
        let scale =
            format!("[variants.other]\nvdevs = \"{layout} hdd[0-5]\"\n[scale]\nsize = {size}\n");
        let notes = model(&campaign("128G", &scale), &ROOMY).notes;
        notes.iter().any(|note| note.starts_with("variants other: the rows of a dRAID"))
    };
    assert!(noted("draid2:3d:1s", 8));
    assert!(!noted("raidz1", 8) && !noted("draid2:3d:1s", 1));
}

#[test]
fn settings_that_change_nothing_are_noted() {
    let beyond = campaign("128G", "[module]\nzfs_arc_max = \"200G\"\n");
    let notes = model(&beyond, &ROOMY).notes.join("\n");
    assert!(notes.contains("OpenZFS ignores zfs_arc_max = 200G"), "{notes}");
    for (stated, ignored) in [("16M", true), ("65G", true), ("32M", false), ("64G", false)] {
        let module = format!(
            "[module]\nzfs_arc_max = \"64G\"\nzfs_arc_min = \"{stated}\"\n[scale]\nsize = 1\n"
        );
        let lab = campaign("128G", &module);
        let model = model(&lab, &ROOMY);
        let noted = model.notes.iter().any(|note| note.contains("OpenZFS ignores zfs_arc_min"));
        assert_eq!(noted, ignored, "{stated}: {:?}", model.notes);
        let least = parameters(&model, &lab.host, &lab.variants[0])["zfs_arc_min"];
        assert_eq!(least == 4 << 30, ignored, "a 32nd of memory where it is ignored: {least}");
    }
    // A pm9a3 has a protected cache, a disk a volatile one.
    let lies = |kind: &str| {
        let mut lab = campaign("128G", "");
        let numbers = &mut lab.variants[0].drives.get_mut(kind).unwrap().numbers;
        numbers["flush"] = "lies".into();
        model(&lab, &ROOMY).notes.join("\n")
    };
    assert!(lies("nvme").contains("drives `nvme`: flush = \"lies\" has no effect"));
    assert_eq!(lies("hdd"), "");
}
