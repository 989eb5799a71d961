//! How many of the records that are read before a write the dirty-data limit may hold.

use super::*;

/// 8 × 20 GiB are 10 times the limit at this size: 160 GiB ÷ (10 × 128 MiB).
const MOST: f64 = 128.0;

fn bound(memory: &str, recordsize: &str, options: &str) -> f64 {
    let workload = format!(
        "[variants.other]\ndataset.recordsize = \"{recordsize}\"\n[scale]\nsize = 32\ndirty_data_max = \"128M\"\n\
         [workloads.other]\nfio.job = \"\"\"\n[w]\nrw=randwrite\nbs=16k\nnumjobs=8\nsize=20g\nruntime=30\n{options}\"\"\"\n"
    );
    cap(&model(&campaign(memory, &workload), &ROOMY), "read-modify-write")
}

#[test]
fn writes_smaller_than_their_records_beyond_the_arc_limit_s() {
    assert_eq!(bound("128G", "128K", "overwrite=1\n"), MOST);
    // Records as large as the writes, an ARC that holds the files, and holes are not read.
    assert!(bound("128G", "16K", "overwrite=1\n").is_nan());
    assert!(bound("256G", "128K", "overwrite=1\n").is_nan());
    assert!(bound("128G", "128K", "").is_nan());
}

#[test]
fn a_size_beyond_it_is_refused() {
    let more = "[scale]\nsize = 200\ndirty_data_max = \"128M\"\n[variants.other]\ndataset.recordsize = \"1M\"\n\
                [workloads.other]\nfio.job = \"\"\"\n[w]\nrw=randrw\nbs=16k\nnumjobs=8\nsize=20g\nruntime=30\n\"\"\"\n";
    let refused = refusal("128G", more, &ROOMY);
    assert!(refused.contains("limited by read-modify-write"), "{refused}");
    assert!(
        refused.contains("at most 10 % of the files") && refused.contains("160G ÷ S"),
        "{refused}"
    );
}
