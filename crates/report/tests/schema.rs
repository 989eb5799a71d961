//! The published schema is that of the type.

use std::path::Path;

/// `UPDATE_SCHEMA=1 cargo test -p report --test schema` writes it anew.
#[test]
fn the_published_schema_is_current() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/findings.schema.json");
    let schema = report::json::schema();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&file, &schema).expect("docs/ is writable");
    }
    let published = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        published == schema,
        "docs/reference/findings.schema.json is not that of findings::Findings: \
         run `UPDATE_SCHEMA=1 cargo test -p report --test schema`"
    );
}

/// The names that other programs were promised.
#[test]
fn a_cell_has_the_fields_that_other_programs_read() {
    let schema: serde_json::Value = serde_json::from_str(&report::json::schema()).expect("JSON");
    let fields = |name: &str| schema["$defs"][name]["properties"].clone();
    for field in [
        "variant", "workload", "concurrency", "throughput", "latency", "sync_latency", "hits",
        "checks", "scale",
    ] {
        assert!(!fields("Cell")[field].is_null(), "{field}");
    }
    for field in ["value", "low", "high"] {
        assert!(!fields("Estimate")[field].is_null(), "{field}");
    }
    for field in ["mean_us", "p50_us", "p95_us", "p99_us"] {
        assert!(!fields("Latency")[field].is_null(), "{field}");
    }
}
