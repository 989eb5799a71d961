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
fn the_size_that_a_refusal_names_is_accepted() {
    // Bounds of 5.96, whose nearest tenth is more than they allow, and others.
    for rows in ["1000000", "1100000", "1234567", "2000000"] {
        let text = format!(
            "{BASE}[method]\nruntime = \"30s\"\n[workloads.app.sqlite]\nclients = 4\nwrites = 0.2\nrows = {rows}\n[scale]\nsize = "
        );
        let refused = errors(&format!("{text}900\n")).concat();
        let most = refused.split_once("S may be at most ").unwrap_or_else(|| panic!("{refused}")).1;
        let most = most.split(',').next().unwrap();
        let again = errors(&format!("{text}{most}\n"));
        assert!(again.is_empty(), "{rows}: {again:?}");
    }
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

#[test]
fn settings_of_a_server_are_held_to_the_machine_of_each_variant() {
    let oltp = "[method]\nruntime = \"30s\"\n[workloads.oltp.pgbench]\nscale = 10\nclients = 64\n";
    let sysbench = "[method]\nruntime = \"30s\"\n[workloads.bulk.sysbench]\ntables = 4\ntable_size = 1000\nthreads = 8\n";
    let found = |more: &str| errors(&format!("{BASE}{more}"));
    for (more, word) in [
        (format!("{oltp}[postgresql]\nshared_buffers = \"640GB\"\n"), "shared_buffers is 640G"),
        (format!("{oltp}[postgresql]\nmax_connections = 20\n"), "too few for 64 clients"),
        (
            format!("{sysbench}[mariadb]\ninnodb_buffer_pool_size = \"1T\"\n"),
            "innodb_buffer_pool_size is 1T",
        ),
        (
            format!(
                "{oltp}[postgresql]\nshared_buffers = \"16GB\"\n[variants.small]\nhost.memory = \"8G\"\n"
            ),
            "the machine has only 8G of memory",
        ),
        (
            format!("{oltp}[variants.large]\npostgresql.shared_buffers = \"640GB\"\n"),
            "shared_buffers is 640G",
        ),
    ] {
        let found = found(&more);
        assert_eq!(found.len(), 1, "{more}: {found:#?}");
        assert!(found[0].contains(word), "{more}: {found:#?}");
    }
    let fits = format!("{oltp}[postgresql]\nshared_buffers = \"16GB\"\nmax_connections = 0x100\n");
    assert!(read(&format!("{BASE}{fits}")).is_ok());
    let large = found(&format!("{oltp}[postgresql]\nmax_connections = 0xFFFFFFFFFFFFFFFFFFFF\n"));
    assert!(large[0].contains("0xFFFF"), "{large:#?}");
}

#[test]
fn records_of_several_equal_blocks_compress_and_that_is_said() {
    let found = |record: &str, compression: &str, more: &str| -> Vec<String> {
        let text = format!(
            "{BASE}[datasets.db]\nrecordsize = \"{record}\"\n{compression}\n[workloads.db]\ndataset = \"db\"\nfio.job = \"\"\"\n[w]\nrw=randwrite\nbs=16k\nsize=1G\nruntime=60\n{more}\n\"\"\"\n"
        );
        let (_, diagnostics) = read(&text).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
        let mut lines = lines(&text, &diagnostics);
        lines.retain(|line| line.contains("compress well"));
        lines
    };
    let said = found("128K", "", "");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("records of 128K") && said[0].contains("same 16K"), "{said:?}");
    assert_eq!(found("16K", "", ""), [""; 0], "a record is one block");
    assert_eq!(found("128K", "compression = \"off\"", ""), [""; 0]);
    for content in
        ["refill_buffers=1", "zero_buffers=1", "buffer_pattern=0xdeadbeef", "verify=crc32c"]
    {
        assert_eq!(found("128K", "", content), [""; 0], "{content}");
    }
    // How much each block compresses says nothing of several.
    assert_eq!(found("128K", "", "buffer_compress_percentage=50").len(), 1);
}
