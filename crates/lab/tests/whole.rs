//! Checks of a whole lab.

mod common;

use common::*;

#[test]
fn what_no_machine_can_model_is_a_mistake_of_the_lab() {
    // 58.2 TiB of each raidz2's 87.3, less what 16K records cost there.
    refused(
        "[workloads.large]\nfio.job = \"[w]\\nrw=randread\\nruntime=30\\n\"\nsize = \"400T\"\n",
        "\"400T\"",
        "the files of workload large need 400T",
        "smaller files",
    );
    refused(
        "[scale]\nsize = 20000\n",
        "20000",
        "size = 20000 is too large for a faithful model",
        "a smaller [scale] size",
    );
    refused(
        "[method]\nsize_check = [900]\n[scale]\nsize = 8\n",
        "[900]",
        "size_check = 900 raises S from 8 to 7200",
        "a smaller factor",
    );
    let both = "[workloads.large]\nfio.job = \"[w]\\nrw=randread\\nruntime=30\\n\"\nsize = \"400T\"\n[scale]\nsize = 20000\n";
    assert_eq!(errors(&format!("{BASE}{both}")).len(), 2);
}

#[test]
fn identical_variants_and_limits_without_effect_are_reported() {
    let notes = |more: &str| -> Vec<String> {
        let text = format!("{BASE}{more}");
        let (_, diagnostics) = read(&text).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
        let mut lines = lines(&text, &diagnostics);
        lines.retain(|line| !line.contains("no variant uses"));
        lines
    };
    let alike = notes("[variants.a]\ndataset.recordsize = \"16K\"\n");
    assert_eq!(alike.len(), 1, "{alike:#?}");
    assert!(alike[0].starts_with("a | variants `base` and `a` are identical"));
    assert!(notes("[variants.a]\ndataset.recordsize = \"8K\"\n").is_empty());
    let more = notes("[scale]\ndirty_data_max = \"8G\"\n");
    assert!(more[0].contains("zfs_dirty_data_max is 4G"), "{more:#?}");
    assert!(notes("[scale]\ndirty_data_max = \"1G\"\n").is_empty());
}
