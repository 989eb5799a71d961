//! Write-only jobs that end with their files.

use super::*;

/// The first message and fix about a job with these options on files of this size: raidz2 of six disks of 16 TB holds
/// 58.2 TiB.
fn refused(job: &str, size: &str, more: &str) -> String {
    let text =
        format!("{more}[workloads.large]\nfio.job = \"[w]\\n{job}\\n\"\nsize = \"{size}\"\n");
    let first = |diagnostics: Vec<Diagnostic>| {
        let fix = diagnostics[0].fix.clone().unwrap_or_default();
        format!("{} | {fix}", diagnostics[0].message)
    };
    read("64G", &text).map_err(first).err().unwrap_or_default()
}

#[test]
fn a_write_only_job_without_a_time_must_fit_the_pool() {
    for job in ["rw=write", "rw=randwrite\\nruntime=0", "rw=write\\ntime_based"] {
        let refused = refused(job, "70T", "");
        assert!(refused.contains("need 70") && refused.contains("hold about"), "{job}: {refused}");
        assert!(refused.ends_with("; or state a `runtime`"), "{refused}");
    }
    let quota = refused("rw=write", "2T", "[variants.a]\ndataset.quota = \"1T\"\n");
    assert!(quota.contains("need 2") && quota.contains("has `quota=1T`"), "{quota}");
}

#[test]
fn a_write_only_job_that_ends_earlier_need_not_fit_the_pool() {
    for job in [
        "rw=write\\nruntime=30", "rw=write\\nio_size=1g", "rw=randwrite\\nnorandommap",
        "rw=write\\nzero_buffers",
    ] {
        let refused = refused(job, "70T", "");
        assert!(!refused.contains("hold about"), "{job}: {refused}");
    }
    let timed = refused("rw=write", "70T", "[method]\nruntime = \"30s\"\n");
    assert!(!timed.contains("hold about"), "{timed}");
}
