//! What becomes of a fio job file.

use bench::workload::fio::refusals;
use bench::workload::fio::rewrite::{Rewritten, Target, rewrite};
use lab::fio::parse;
use proptest::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

const SMALL_SYNC: &str = "\
[global]
ioengine=psync
directory=/tank/db   ; where it ran
bs=8k
size=20G
numjobs=8
runtime=60
time_based

[writers]
rw=randwrite
fsync=1
";

fn target() -> Target<'static> {
    Target {
        dir: Path::new("/mnt/x:y"),
        size: 10.0,
        working_set: None,
        runtime_s: None,
        ramp_s: 2.0,
        ramp_most_s: None,
        warmed: false,
        seed: u64::MAX,
        rate: None,
    }
}

fn rewritten(text: &str, target: &Target) -> Rewritten {
    rewrite(&parse::parse(text).unwrap(), target).unwrap()
}

/// Operations in flight when every job is busy.
fn concurrency(job: &Rewritten) -> f64 {
    job.places.iter().map(|(clones, each)| f64::from(*clones) * each).sum()
}

#[test]
fn stocks_shrink_and_flows_do_not() {
    let job = rewritten(SMALL_SYNC, &target());
    // 20 GiB / 10, in whole blocks of 8 KiB.
    assert!(job.text.contains("\nsize=2147483648\n"), "{}", job.text);
    assert!(job.text.contains("\nbs=8k\n") && job.text.contains("\nfsync=1\n"));
    assert!(job.text.contains("\nruntime=60000ms\n"));
    assert_eq!((concurrency(&job), job.jobs), (8.0, 8));
    assert_eq!((job.runtime_s, job.ramp_s), (Some(60.0), 2.0));
    assert_eq!(job.files_bytes, 8 * 2_147_483_648);
}

#[test]
fn the_directory_is_the_mount_whatever_the_file_says() {
    let job = rewritten(SMALL_SYNC, &target());
    assert!(job.text.contains("\ndirectory=/mnt/x\\:y\n"), "{}", job.text);
    assert!(!job.text.contains("/tank"), "{}", job.text);
}

#[test]
fn with_many_files_their_count_shrinks_and_their_size_does_not() {
    let job = rewritten("[s]\nrw=randread\nnrfiles=1000\nfilesize=4k-64k\nsize=32M\n", &target());
    assert!(job.text.contains("\nnrfiles=100\n"), "{}", job.text);
    assert!(job.text.contains("\nfilesize=4096-65536\n"));
    assert!(job.text.contains("\nsize=3355443\n"));
}

#[test]
fn a_size_never_shrinks_below_one_block() {
    let job = rewritten("[s]\nrw=write\nbs=1M\nsize=4M\n", &target());
    assert!(job.text.contains("\nsize=1048576\n"), "{}", job.text);
}

#[test]
fn the_labs_working_set_replaces_the_files_and_is_shared_out() {
    let mut target = target();
    target.working_set = Some(40 << 30);
    let job = rewritten(SMALL_SYNC, &target); // eight files of 20G become eight of 5G, then ÷ 10
    assert_eq!(job.files_bytes, 8 * 536_870_912);
    let without = rewritten("[a]\nrw=read\nnumjobs=2\n", &target);
    assert_eq!(without.files_bytes, 2 * 2_147_483_648);
}

#[test]
fn of_the_labs_working_set_files_that_jobs_share_have_one_part() {
    let target = Target { working_set: Some(100 << 30), ..target() };
    let of = |text: &str| {
        let job = rewritten(text, &target);
        let file = parse::parse(&job.text).unwrap();
        let size = |job: &parse::Job| job.get("size").unwrap().parse::<u64>().unwrap() >> 30;
        let sizes: Vec<u64> = file.jobs.iter().map(size).collect();
        (sizes, job.files_bytes >> 30)
    };
    let clones = "[w]\nfilename=data\nnumjobs=8\nrw=randread\n";
    assert_eq!(of(clones), (vec![10], 10));
    let sections = "[a]\nfilename=data\nrw=read\n[b]\nfilename=data\nrw=randread\n";
    assert_eq!(of(sections), (vec![10, 10], 10));
    let one_of_two = "[a]\nrw=read\n[b]\nfilename=data\nnumjobs=3\nrw=randread\n";
    assert_eq!(of(one_of_two), (vec![5, 5], 10));
    let format = "[w]\nfilename_format=$jobname.$filenum\nnumjobs=8\nrw=randread\n";
    assert_eq!(of(format), (vec![10], 10));
}

/// The last value of an option in the first job of a copy.
fn value(job: &Rewritten, name: &str) -> Option<String> {
    let copy = parse::parse(&job.text).unwrap();
    copy.jobs[0].get(name).map(str::to_owned)
}

#[test]
fn engines_stay_as_written_and_asynchronous_ones_keep_their_depth_in_flight() {
    for (engine, in_flight) in
        [("psync", 2.0), ("splice", 2.0), ("libaio", 64.0), ("io_uring", 64.0), ("posixaio", 64.0)]
    {
        let text = format!("[a]\nioengine={engine}\niodepth=32\nnumjobs=2\nrw=read\nsize=1G\n");
        let job = rewritten(&text, &target());
        assert_eq!(concurrency(&job), in_flight, "{engine}");
        assert_eq!(value(&job, "ioengine").as_deref(), Some(engine));
        assert!(job.notes.is_empty(), "{:?}", job.notes);
    }
}

#[test]
fn a_job_that_offloads_by_itself_has_its_depth_in_flight_and_a_ramp_of_its_own() {
    let job =
        rewritten("[a]\nio_submit_mode=offload\niodepth=8\nrw=randread\nsize=1G\n", &target());
    assert_eq!((concurrency(&job), job.ramp_s, job.lead_s), (8.0, 0.0, 2.0));
}

#[test]
fn flushes_stay_as_written_however_many_clients_write_to_a_file() {
    for options in ["fsync=1\n", "fdatasync=1\n", "fsync=32\n"] {
        let text =
            format!("[global]\nfilename=wal\nsize=1g\nrw=write\nnumjobs=4\n{options}[a]\n[b]\n");
        let job = rewritten(&text, &target());
        assert!(job.text.contains(options), "{}", job.text);
        assert_eq!(value(&job, "sync"), None, "{}", job.text);
        assert_eq!(job.notes, [] as [String; 0]);
    }
}

#[test]
fn flushes_that_fio_counts_too_long_are_named() {
    let notes = |options: &str| {
        let text = format!("[a]\nrw=write\nsize=1g\n{options}");
        rewritten(&text, &target()).notes.len()
    };
    assert_eq!(notes("ioengine=libaio\nfsync=1\n"), 1);
    assert_eq!(notes("ioengine=libaio\nfsync=0\n"), 0);
    assert_eq!(notes("ioengine=io_uring\nfsync=1\n"), 0);
}

#[test]
fn what_runs_before_the_job_stays_in_the_page_cache() {
    let warmed = Target { warmed: true, ..target() };
    let of = |text: &str, target: &Target| {
        value(&rewritten(&format!("[a]\nsize=1g\n{text}"), target), "invalidate")
    };
    let no = Some("0".to_owned());
    assert_eq!(of("rw=randread\n", &target()), None);
    assert_eq!(of("rw=randread\n", &warmed), no);
    assert_eq!(of("rw=randread\npre_read=1\n", &target()), no);
    assert_eq!(of("rw=write\nnrfiles=8\n", &target()), no, "a ramp of its own");
    let stated = of("rw=randread\ninvalidate=1\n", &warmed);
    assert_eq!(stated.as_deref(), Some("1"));
}

#[test]
fn files_are_laid_out_in_large_blocks_where_that_changes_nothing() {
    let layout = |more: &str, size: &str| {
        rewritten(&format!("[a]\nrw=randread\nbs=8k\nsize={size}\n{more}"), &target()).layout()
    };
    let large = layout("", "10G");
    assert!(large.contains("\ncreate_only=1\n"), "{large}");
    assert!(large.contains("\nbs=1048576\niodepth=1\nrandseed="), "{large}");
    for (more, size) in
        [("buffer_compress_percentage=50\n", "10G"), ("nrfiles=100\n", "10G"), ("", "10000k")]
    {
        let own = layout(more, size);
        assert!(own.contains("create_only=1") && !own.contains("1048576"), "{own}");
    }
}

#[test]
fn random_writes_into_holes_are_named() {
    let notes = |more: &str, rw: &str| {
        rewritten(&format!("[a]\nrw={rw}\nsize=1G\n{more}"), &target()).notes
    };
    assert_eq!(notes("", "randwrite").len(), 1);
    assert!(notes("", "randwrite:4")[0].contains("overwrite=1"));
    assert!(notes("overwrite=1\n", "randwrite").is_empty());
    assert!(notes("", "randrw").is_empty() && notes("", "write").is_empty());
}

fn open(text: &str, rate: f64) -> Rewritten {
    let target = Target { rate: Some(rate), ..target() };
    rewritten(text, &target)
}

/// With fio itself: laid out with the threads of an open loop, fio 3.33 never ended.
#[test]
fn the_files_of_an_open_loop_are_laid_out_and_that_ends() {
    let dir = tempfile::tempdir().unwrap();
    let target = Target { dir: dir.path(), size: 1.0, rate: Some(100.0), ..target() };
    let job = rewritten("[a]\nrw=randread\nbs=8k\nsize=1M\nnumjobs=2\n", &target);
    assert!(job.text.contains("io_submit_mode=offload"));
    let file = dir.path().join("layout.fio");
    std::fs::write(&file, job.layout()).unwrap();
    let mut child = std::process::Command::new("fio")
        .arg(&file)
        .current_dir(dir.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("fio is installed");
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("fio still lays out 2 MB after 30 s");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
    let laid_out = |name| std::fs::metadata(dir.path().join(name)).unwrap().len();
    assert_eq!((laid_out("a.0.0"), laid_out("a.1.0")), (1 << 20, 1 << 20));
}

#[test]
fn an_open_loop_shares_its_rate_out_and_says_what_it_offers_in_whole_operations() {
    let job = open(SMALL_SYNC, 100.0);
    assert_eq!(job.offered_rate, Some(104.0)); // eight clones of 12.5, rounded to 13
    for line in ["rate_iops=13", "rate_process=poisson", "io_submit_mode=offload", "iodepth=32"] {
        assert!(job.text.contains(&format!("\n{line}\n")), "{}", job.text);
    }
    assert_eq!(concurrency(&job), 256.0);
    // Its ramp is a run of its own.
    assert!(!job.text.contains("ramp_time"), "{}", job.text);
    assert_eq!((job.ramp_s, job.lead_s), (0.0, 2.0));
    assert_eq!(rewritten(SMALL_SYNC, &target()).offered_rate, None);
}

#[test]
fn in_an_open_loop_a_write_is_synchronous_itself_and_a_mixture_keeps_its_shares() {
    let job = open(SMALL_SYNC, 800.0);
    let last = |name: &str| {
        let line = job.text.lines().rfind(|l| l.starts_with(name));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!((last("fsync=").as_str(), last("sync=").as_str()), ("fsync=0", "sync=1"));
    let mixed = open("[a]\nrw=randrw\nrwmixread=70\nsize=1G\nioengine=io_uring\n", 100.0);
    assert!(mixed.text.contains("\nrate_iops=70,30\n"), "{}", mixed.text);
    // fio does not offload with io_uring.
    assert_eq!(value(&mixed, "ioengine").as_deref(), Some("psync"));
    let native = open("[a]\nrw=randread\nsize=1G\nioengine=libaio\n", 100.0);
    assert_eq!(value(&native, "ioengine").as_deref(), Some("libaio"));
    assert_eq!(mixed.offered_rate, Some(100.0));
    let pure = open("[a]\nrw=randrw\nrwmixread=100\nsize=1G\n", 100.0);
    assert!(pure.text.contains("\nrate_iops=100\n"), "{}", pure.text);
    assert_eq!(pure.offered_rate, Some(100.0), "no write that never comes");
}

#[test]
fn the_ramp_of_jobs_that_pass_over_several_files_is_a_run_of_its_own() {
    let of = |rw: &str, files: &str| {
        let text = format!("[w]\nrw={rw}\nbs=1m\n{files}\nsize=8g\nruntime=60\n");
        let job = rewritten(&text, &target());
        let parts = (job.ramp_s, job.lead_s);
        assert_eq!(job.text.contains("ramp_time"), job.ramp_s > 0.0);
        parts
    };
    assert_eq!(of("write", "nrfiles=8"), (0.0, 2.0));
    assert_eq!(of("rw", "filename=a:b"), (0.0, 2.0));
    assert_eq!(of("read", "filename=a:b"), (0.0, 0.0));
    assert_eq!(of("randrw:8", "nrfiles=8"), (0.0, 2.0));
    assert_eq!(of("write", "nrfiles=1"), (2.0, 0.0));
    assert_eq!(of("randwrite", "nrfiles=8"), (2.0, 0.0));
}

#[test]
fn a_job_goes_on_for_its_time_only_where_it_says_so() {
    let of = |jobs: &str| rewritten(jobs, &target()).lasts_s;
    let one = "[a]\nrw=write\nsize=1g\nruntime=20\n";
    assert_eq!(of(one), None);
    assert_eq!(of(&format!("{one}time_based\n")), Some(20.0));
    assert_eq!(of(&format!("{one}time_based\n[b]\nrw=read\nsize=1g\nruntime=60\n")), Some(20.0));
    let both = format!("{one}time_based\n[b]\nrw=read\nsize=1g\nruntime=60\ntime_based\n");
    assert_eq!(of(&both), Some(60.0));
}

#[test]
fn offsets_are_drawn_freely_where_a_scaled_file_would_be_gone_through_too_soon() {
    let map = |job: &str, size: f64| {
        let target = Target { size, ..target() };
        let text = format!("[w]\nsize=8g\nruntime=60\n{job}\n");
        let file = parse::parse(&rewritten(&text, &target).text).unwrap();
        file.jobs[0].get("norandommap").map(str::to_owned)
    };
    let freely = Some("1".to_owned());
    assert_eq!(map("rw=randwrite\ntime_based", 10.0), freely);
    assert_eq!(map("rw=randrw:8\ntime_based=1", 10.0), freely);
    assert_eq!(map("rw=randread\ntime_based\nrandom_distribution=random", 10.0), freely);
    assert_eq!(map("rw=randwrite\ntime_based", 1.0), None, "not scaled");
    for (own, why) in [
        ("rw=randwrite", "each block once is what the job is"),
        ("rw=write\ntime_based", "in order"),
        ("rw=randread\ntime_based\nrandom_distribution=zipf:1.1", "has no map"),
        ("rw=randrw\ntime_based\nverify=crc32c", "finds what it wrote"),
        ("rw=randread\ntime_based\nrandom_generator=lfsr", "stated"),
    ] {
        assert_eq!(map(own, 10.0), None, "{own}: {why}");
    }
    let own = map("rw=randread\ntime_based\nnorandommap=0", 10.0);
    assert_eq!(own, Some("0".to_owned()), "as stated");
}

#[test]
fn a_short_run_waits_no_longer_than_it_may_whatever_ramp_a_job_asks_for() {
    let brief = Target { ramp_most_s: Some(2.0), ..target() };
    let job = rewritten("[w]\nrw=write\nsize=8g\nruntime=60\nramp_time=300\n", &brief);
    assert_eq!(job.ramp_s, 2.0);
    assert!(
        job.text.ends_with("\nramp_time=2000ms\n") || job.text.contains("\nramp_time=2000ms\n")
    );
    assert!(!job.text.contains("300"), "{}", job.text);
}

#[test]
fn caches_are_warmed_by_reads_alone_where_every_job_has_some() {
    for (line, read) in [
        ("rw=read", Some("read")),
        ("rw=randread:8", Some("randread:8")),
        ("rw=randrw", Some("randread")),
        ("rw = randrw ; mixed", Some("randread")),
        ("readwrite=randrw", Some("randread")),
        ("rw=readwrite", Some("read")),
        ("rw=write", None),
        ("rw=randrw\nverify=crc32c", None),
    ] {
        let text = format!(
            "[global]\n{line}\n[a]\nsize=1g\nruntime=5\n[b]\nrw=read\nsize=1g\nruntime=5\n"
        );
        let job = rewritten(&text, &target());
        let warm = parse::parse(&job.warm_up(30.0)).unwrap();
        let pattern = |job: usize| warm.jobs[job].get("rw");
        let stated = parse::parse(&text).unwrap();
        assert_eq!(pattern(0), read.or(stated.jobs[0].get("rw")), "{line}");
        assert_eq!(pattern(1), Some("read"), "{line}");
    }
}

#[test]
fn a_ramp_of_its_own_does_all_that_the_job_does() {
    let job = rewritten(
        "[a]\nrw=randrw\nsize=8g\nruntime=60\ntime_based\n",
        &Target { rate: Some(100.0), ..target() },
    );
    let of = |text: &str, name: &str| {
        let file = parse::parse(text).unwrap();
        file.jobs[0].get(name).map(str::to_owned)
    };
    assert_eq!(of(&job.lead(), "rw").as_deref(), Some("randrw"));
    assert_eq!(of(&job.warm_up(9.0), "rw").as_deref(), Some("randread"));
    assert_eq!(of(&job.lead(), "runtime").as_deref(), Some("2000ms"));
}

#[test]
fn files_are_read_once_before_the_job_and_not_within_it() {
    let text = "[a]\nrw=randwrite\noverwrite=1\npre_read=1\nsize=10g\n[b]\nrw=read\nsize=10g\n";
    let job = rewritten(text, &target());
    assert!(!job.text.contains("pre_read"), "{}", job.text);
    assert!(!job.layout().contains("pre_read"));
    let before = job.pre_read().unwrap();
    assert!(before.contains("\ncreate_only=1\n"), "{before}");
    // Not for a user's job, which is what the parser reads.
    let before = parse::parse(&before.replace("create_only=1\n", "")).unwrap();
    let of = |job: usize, name: &str| before.jobs[job].get(name);
    assert_eq!((of(0, "pre_read"), of(1, "pre_read")), (Some("1"), None));
    assert_eq!(of(0, "bs"), Some("1048576"));
    assert_eq!(rewritten(SMALL_SYNC, &target()).pre_read(), None);
}

#[test]
fn what_is_written_is_read_back_only_where_that_is_not_counted_as_work() {
    let verifies = |more: &str| {
        let text = format!("[a]\nrw=randwrite\nsize=8g\nverify=crc32c\nruntime=60\n{more}");
        let job = rewritten(&text, &target());
        let copy = parse::parse(&job.text).unwrap();
        copy.jobs[0].get("do_verify") != Some("0")
    };
    assert!(!verifies(""));
    assert!(verifies("time_based\n"));
}

#[test]
fn jobs_of_one_file_have_one_ramp_and_leave_their_files_there() {
    let text =
        "[global]\nunlink=1\nsize=8g\nruntime=60\n[a]\nrw=read\nramp_time=5\n[b]\nrw=randread\n";
    let job = rewritten(text, &target());
    assert_eq!((job.ramp_s, job.text.matches("ramp_time=5000ms").count()), (5.0, 2));
    assert!(!job.text.contains("unlink"), "{}", job.text);
}

#[test]
fn clones_that_begin_further_on_have_a_larger_file() {
    let text = "[w]\nfilename=x\nsize=10G\noffset_increment=10G\nnumjobs=4\nrw=randwrite\n";
    assert_eq!(rewritten(text, &target()).files_bytes, 4 << 30);
    let whole = Target { working_set: Some(80 << 30), ..target() };
    assert_eq!(rewritten(text, &whole).files_bytes, 8 << 30);
}

#[test]
fn huge_counts_do_not_panic() {
    let text = "[a]\nrw=read\nbs=8388608t\nsize=1g\n[b]\nrw=read\nbs=8388608t\nsize=1g\n";
    assert_eq!(rewritten(text, &target()).files_bytes, u64::MAX);
}

#[test]
fn a_warm_up_runs_the_same_job_on_other_offsets_and_logs_nothing() {
    let job = rewritten(SMALL_SYNC, &target());
    let warm = job.warm_up(90.0);
    let seed = |text: &str| {
        let line = text.lines().find(|l| l.starts_with("randseed=")).map(str::to_owned);
        line.unwrap()
    };
    assert_ne!(seed(&warm), seed(&job.text));
    assert_eq!(warm.matches("runtime=").count(), 1);
    assert!(warm.contains("\nruntime=90000ms\n") && !warm.contains("write_iops_log"));
    let (warm, job) = (parse::parse(&warm).unwrap(), parse::parse(&job.text).unwrap());
    assert_eq!(warm.jobs[0].get("size"), job.jobs[0].get("size"));
    assert_eq!(warm.jobs[0].get("fsync"), Some("1"));
}

#[test]
fn what_fio_itself_refuses_is_found_in_every_job_with_its_line() {
    let Some(fio) = bench::programs::find("fio") else {
        return; // not installed here: CI has it
    };
    let text = "[a]\nrw=read\nsize=1G\niodepth_batch=some\n[b]\nsize=1G\nrw=read ; as it was\nbs=8k\nrate_process=often # ?\n";
    let lines: Vec<usize> = refusals(&fio, text, false).iter().map(|m| m.line).collect();
    assert_eq!(lines, [4, 9], "{:#?}", refusals(&fio, text, false));
    assert_eq!(refusals(&fio, SMALL_SYNC, false), []);
}

#[test]
fn what_fio_refuses_is_said_once_and_of_the_line_that_was_written() {
    let Some(fio) = bench::programs::find("fio") else {
        return; // not installed here: CI has it
    };
    for wrong in ["zipf:1", "zipf:abc", "pareto:1.5"] {
        let text = format!("[a]\nrw=randread\nsize=1G\nrandom_distribution={wrong}\n");
        let found = refusals(&fio, &text, false);
        assert_eq!(found.len(), 1, "{found:#?}");
        let message = format!("fio rejects `random_distribution={wrong}`: ");
        assert!(found[0].line == 4 && found[0].message.starts_with(&message), "{found:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_the_parser_panic(text in "(\\[|\\]|=|%|size|rw|nrfiles|filesize|bs|9|G|-|:|\n|\\PC){0,60}") {
        if let Ok(file) = parse::parse(&text) {
            let _ = rewrite(&file, &target());
        }
    }

    #[test]
    fn a_rewritten_file_is_accepted_and_its_sizes_are_whole_blocks(
        size in 1u64..1 << 40, jobs in 1u32..64, block in 9u32..22, s in 1.0f64..1000.0,
    ) {
        let block = 1u64 << block;
        let text = format!("[a]\nrw=randwrite\nbs={block}\nsize={size}\nnumjobs={jobs}\n");
        let target = Target { size: s, ..target() };
        let job = rewritten(&text, &target);
        let again = parse::parse(&job.text).unwrap();
        let scaled: u64 = again.jobs[0].get("size").unwrap().parse().unwrap();
        prop_assert_eq!(scaled % block, 0);
        prop_assert!(scaled >= block && (scaled as f64) <= (size as f64 / s).max(block as f64));
        prop_assert_eq!(job.files_bytes, scaled * u64::from(jobs));
    }
}
