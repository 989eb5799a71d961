//! What of a job's files, groups and times is in its copy.

use bench::workload::fio::refusals;
use bench::workload::fio::rewrite::{Rewritten, Target, rewrite};
use lab::fio::parse;
use std::path::Path;
use std::process::Command;

fn at(size: f64, text: &str) -> Rewritten {
    let target = Target {
        dir: Path::new("/mnt"),
        size,
        working_set: None,
        runtime_s: None,
        ramp_s: 0.0,
        ramp_most_s: None,
        warmed: false,
        seed: 1,
        rate: None,
    };
    rewrite(&parse::parse(text).unwrap(), &target).unwrap()
}

/// The last value of an option in the first job of a copy.
fn value(job: &Rewritten, name: &str) -> String {
    let copy = parse::parse(&job.text).unwrap();
    copy.jobs[0].get(name).unwrap_or_default().to_owned()
}

#[test]
fn a_few_large_files_shrink_where_their_count_cannot() {
    let one = at(130.0, "[a]\nrw=randread\nnrfiles=4\nsize=400g\nio_size=200g\noffset=10g\n");
    assert_eq!(value(&one, "nrfiles"), "1");
    let (size, block) = ((400u64 << 30) / 130, 4096);
    let near = |name: &str, want: u64| {
        let bytes: u64 = value(&one, name).parse().unwrap();
        assert!(want - bytes <= block, "{name}: {bytes}, not {want}");
    };
    near("size", size);
    near("io_size", size / 2);
    near("offset", (40u64 << 30) / 130);
    assert!(one.files_bytes <= size, "{}", one.files_bytes);

    let each = at(130.0, "[a]\nrw=randread\nnrfiles=4\nfilesize=100g\n");
    assert_eq!(value(&each, "nrfiles"), "1");
    assert!(size - each.files_bytes <= block, "{}", each.files_bytes);
    // Fifteen of 1 GiB at 10: two of 0.75.
    let two = at(10.0, "[a]\nrw=randread\nnrfiles=15\nfilesize=1g\n");
    assert_eq!(
        (value(&two, "nrfiles"), value(&two, "filesize")),
        ("2".into(), (768 << 20).to_string())
    );
    // A file holds a block of its job.
    let small = at(10.0, "[a]\nrw=randread\nbs=4k\nnrfiles=15\nfilesize=4k\n");
    assert_eq!(value(&small, "filesize"), "4096");
    let many = at(10.0, "[a]\nrw=randread\nnrfiles=104\nfilesize=1g\n");
    assert_eq!(
        (value(&many, "nrfiles"), value(&many, "filesize")),
        ("10".into(), (1 << 30).to_string())
    );
}

#[test]
fn files_that_a_job_names_shrink_and_stay() {
    let two = at(10.0, "[a]\nrw=randread\nfilename=x:y\nfilesize=10g\nnrfiles=7\n");
    assert_eq!(two.files_bytes, 2 << 30);
    assert_eq!(
        (value(&two, "filesize"), value(&two, "nrfiles")),
        ((1 << 30).to_string(), "".into())
    );
    let small = at(10.0, "[a]\nrw=randread\nfilename=x:y\nsize=8k\n");
    assert_eq!(value(&small, "size"), "8192", "a block of each");
    let within = at(1.0, "[a]\nrw=read\nfilename=x\nfilesize=4g\nsize=1g\noffset=3g\n");
    assert_eq!(within.files_bytes, 4 << 30);
}

#[test]
fn jobs_are_reported_as_one_only_where_they_run_for_the_same_time() {
    let grouped = |jobs: &str| {
        let text = format!("[global]\nsize=1g\nrw=read\ngroup_reporting\n{jobs}");
        at(1.0, &text).text.contains("group_reporting")
    };
    let timed = "runtime=60\ntime_based\n";
    assert!(grouped("[a]\nnumjobs=4\n"));
    assert!(grouped(&format!("{timed}[a]\nnumjobs=4\n[b]\niodepth=8\n")));
    assert!(!grouped("[a]\nnumjobs=4\n[b]\n"));
    assert!(!grouped(&format!("{timed}[a]\n[b]\nruntime=30\n")));
    assert!(!grouped(&format!("{timed}[a]\n[b]\nnumber_ios=8\n")));
}

#[test]
fn without_a_runtime_a_job_ends_with_its_files_whatever_it_says() {
    let job = at(8.0, "[a]\nrw=randread\nsize=1g\ntime_based\n");
    assert_eq!((job.runtime_s, job.lasts_s), (None, None));
    assert_eq!((value(&job, "time_based"), value(&job, "norandommap")), ("".into(), "".into()));
}

#[test]
fn a_window_of_fios_own_does_not_reach_the_log_of_each_second() {
    let job = at(1.0, "[a]\nrw=read\nsize=1g\niopsavgtime=5000\n");
    assert!(!job.text.contains("iopsavgtime"), "{}", job.text);
}

/// With fio itself.
#[test]
fn files_that_a_job_makes_itself_or_not_at_all_are_laid_out() {
    for option in ["allow_file_create=0", "create_on_open = 1"] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!("[ w ]\nrw=write\nsize=1m\n{option}\n");
        let mut job = at(1.0, &text);
        job.text = job.text.replace("=/mnt\n", &format!("={}\n", dir.path().display()));
        let file = dir.path().join("layout.fio");
        std::fs::write(&file, job.layout()).unwrap();
        let output = Command::new("fio").arg(&file).current_dir(dir.path()).output().unwrap();
        assert!(output.status.success(), "{option}: {output:?}");
        let laid_out = std::fs::metadata(dir.path().join(" w .0.0"));
        assert_eq!(laid_out.map(|file| file.len()).ok(), Some(1 << 20), "{option}");
    }
}

#[test]
fn fio_is_asked_about_a_section_with_blanks_and_about_the_copy_of_a_rung() {
    let Some(fio) = bench::programs::find("fio") else {
        return; // not installed here: CI has it
    };
    let blanks = "[ w ]\nrw=read\nsize=1g\niodepth_batch=some\n";
    let found = refusals(&fio, blanks, false);
    assert_eq!(found.iter().map(|m| m.line).collect::<Vec<_>>(), [4], "{found:?}");
    let ring = "[w]\nrw=read\nsize=1g\nioengine=io_uring\nregisterfiles\n";
    assert_eq!(refusals(&fio, ring, false), []);
    let found = refusals(&fio, ring, true);
    assert_eq!(found.iter().map(|m| m.line).collect::<Vec<_>>(), [5], "{found:?}");
}
