//! Options of fio job files that do not go together, and what they come to.

mod common;

use common::{ALONE, BASE, RATES, TIMED, has_mistake, lines, read, refused_in};
use lab::fio::{demand, job_options, mistakes, notes, parse};

#[track_caller]
fn accepted(options: &str) {
    assert_eq!(mistakes(&format!("[a]\n{options}"), TIMED), [], "{options}");
}

#[test]
fn rates_that_fio_refuses_together_are_mistakes() {
    let job = "rw=randrw\nsize=1g\n";
    refused_in(4, &format!("{job}rate=1m\nrate_iops=10\n"), "`rate` or `rate_iops`, not both");
    refused_in(4, &format!("{job}rate_min=1m\nrate_iops_min=10\n"), "not both");
    refused_in(4, &format!("{job}rate=1m\nrate_min=2m\n"), "`rate_min=2m` is above `rate=1m`");
    refused_in(4, &format!("{job}rate_iops=100,10\nrate_iops_min=50\n"), "is above");
    for right in ["rate=2m\nrate_min=1m\n", "rate=0\nrate_iops=10\n", "rate_min=1m\n"] {
        accepted(&format!("{job}{right}"));
    }
}

#[test]
fn what_fio_does_with_one_file_alone_is_refused_with_several() {
    let job = "rw=write\nsize=1g\n";
    for several in ["nrfiles=2\n", "filename=x:y\n"] {
        let errors = format!("{job}{several}block_error_percentiles=1\n");
        refused_in(4, &errors, "needs one file a job, but job `a` has 2");
        let set = format!("{job}{several}dedupe_percentage=20\ndedupe_mode=working_set\n");
        refused_in(5, &set, "needs one file a job");
    }
    let share = |share: u32| format!("dedupe_percentage={share}\ndedupe_mode=working_set\n");
    refused_in(4, &format!("{job}{}", share(99)), "add up to more than 100 %");
    refused_in(3, &format!("filesize=1g\n{}", share(20)), "needs `size`");
    accepted(&format!("{job}{}", share(95)));
    accepted(&format!("{job}dedupe_percentage=99\ndedupe_working_set_percentage=5\n"));
    accepted(&format!("{job}filename=x\nnrfiles=2\nblock_error_percentiles=1\n"));
}

#[test]
fn jobs_that_end_before_their_time_by_design_are_refused() {
    let job = "rw=randread\nsize=1g\nruntime=60\ntime_based\n";
    for (option, word) in [
        ("steadystate=iops:5%", "share one measured window"),
        ("ss=bw:5%", "ends a job early"),
        ("ss_dur=10", "belongs to `steadystate`"),
        ("steadystate_ramp_time=5", "belongs to `steadystate`"),
    ] {
        refused_in(5, &format!("{job}{option}\n"), word);
    }
    refused_in(5, &format!("{job}latency_target=5ms\n"), "share one measured window");
    accepted(&format!("{job}latency_target=5ms\nlatency_run=1\n"));

    let exit =
        |jobs: &str| mistakes(&format!("[global]\nrw=read\nsize=1g\nexitall\n{jobs}"), ALONE);
    let found = exit("[a]\nruntime=60\ntime_based\n[b]\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].line, 4);
    assert!(found[0].message.contains("lets job `b` end the others"), "{found:?}");
    assert_eq!(exit("[a]\nruntime=60\ntime_based\n[b]\nruntime=30\ntime_based\n").len(), 1);
    assert_eq!(exit("[a]\n[b]\n"), [], "they have no time");
    assert_eq!(exit("[a]\nruntime=60\ntime_based\n[b]\nruntime=1m\ntime_based\n"), []);
}

/// Where the lab states the runtime it is that of all jobs.
#[test]
fn jobs_of_unlike_times_are_looked_at_where_the_lab_states_no_runtime() {
    let job = "fio.job = \"\"\"\n[a]\nrw=read\nsize=1g\nexitall\n[b]\nrw=read\nsize=1g\nruntime=60\ntime_based\n[c]\nrw=read\nsize=1g\ntime_based\n\"\"\"";
    let text = |method: &str| {
        let start = BASE.find("[workloads").unwrap();
        format!("{}[workloads.w]\n{job}\n[method]\n{method}\n", &BASE[..start])
    };
    has_mistake(&text(""), "exitall", "share one measured window", "[method] runtime");
    let timed = text("runtime = \"60s\"");
    let Ok((_, notes)) = read(&timed) else { panic!("refused") };
    assert!(!lines(&timed, &notes).join("\n").contains("time_based"));
}

#[test]
fn time_based_without_a_runtime_is_noted() {
    let text = "[global]\nrw=read\nsize=1g\ntime_based\n[a]\n[b]\nruntime=5\n[c]\nruntime=0\n";
    assert_eq!(notes(text, TIMED), []);
    let found = notes(text, ALONE);
    let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [4, 4], "of a and c: {found:?}");
    assert!(found[0].1.contains("job `a` ends with its files"), "{found:?}");
    let unreadable = "[a]\nrw=read\nsize=1g\ntime_based\nruntime=1 m\n";
    assert_eq!(notes(unreadable, ALONE), [], "it is refused");
}

#[test]
fn a_rung_of_a_ladder_takes_no_option_of_io_uring() {
    let text = "[global]\nrw=read\nsize=1g\nioengine=io_uring\n[a]\nfixedbufs=1\ncmdprio_percentage=5\n[b]\nioengine=libaio\ncmdprio_percentage=5\n";
    assert_eq!(mistakes(text, TIMED), []);
    let lines: Vec<usize> = mistakes(text, RATES).iter().map(|m| m.line).collect();
    assert_eq!(lines, [6, 7]);
}

#[test]
fn options_for_block_and_zoned_devices_are_refused_with_their_reason() {
    let job = "rw=randwrite\nsize=1g\nverify=crc32c\n";
    for option in
        ["trim_percentage=50", "trim_backlog=16", "trim_backlog_batch=4", "trim_verify_zero=1"]
    {
        refused_in(4, &format!("{job}{option}\n"), "trim is for block devices");
    }
    refused_in(4, &format!("{job}zonemode=zbd\n"), "zoned devices");
    for option in ["zonemode=strided", "zonesize=1m", "zonerange=1m", "zoneskip=1m"] {
        refused_in(4, &format!("{job}{option}\n"), "sizes of the real file");
    }
    accepted(&format!("{job}zonemode=none\n"));
}

#[test]
fn options_that_fio_does_not_list_with_the_others_are_known() {
    let job = "rw=randread\nsize=1g\n";
    accepted(&format!("{job}iomem_align=4k\nsoftrandommap=1\nverify_async_cpus=0\n"));
    accepted(&format!("{job}mem_align=4k\n"));
    refused_in(3, &format!("{job}bs_is_seq_rand=1\n"), "reads and writes");
    let noted = notes(&format!("[a]\n{job}verify_async_cpus=0\n"), TIMED);
    assert_eq!(noted.len(), 1, "{noted:?}");
}

#[test]
fn a_blank_before_the_unit_of_a_time_is_refused_with_the_time_without_it() {
    let found = mistakes("[a]\nrw=read\nsize=1g\nruntime=1 m\n", TIMED);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].fix.contains("write `1m`"), "{found:?}");
}

#[test]
fn files_that_a_job_names_are_those_that_it_has() {
    let working_set = |options: &str| {
        let file = parse::parse(&format!("[a]\nrw=read\n{options}")).unwrap();
        let real = job_options::real_bytes(&file.jobs[0]).unwrap();
        assert_eq!(demand(&file).working_set.map(Some), Some(real), "{options}");
        real.unwrap() >> 20
    };
    assert_eq!(working_set("filename=x:y\nfilesize=1g\n"), 2048);
    assert_eq!(working_set("filename=x\nnrfiles=4\nfilesize=1g\n"), 1024);
    assert_eq!(working_set("filename=x:y\nsize=1g\n"), 1024);
    refused_in(1, "size=6k\nfilename=x:y\n", "makes each of 2 files smaller");
    accepted("size=6k\nfilename=x\nnrfiles=4\n");
    accepted("size=1g\nfilename=x\nnrfiles=4\nopenfiles=1\n");
    refused_in(3, "size=1g\nfilename=x:y\nopenfiles=1\n", "below the 2 files");
}

#[test]
fn offsets_lie_within_a_file_of_a_stated_size() {
    let working_set = |options: &str| {
        let text = format!("[w]\nrw=read\nfilename=x\nnumjobs=4\noffset_increment=1g\n{options}");
        demand(&parse::parse(&text).unwrap()).working_set.unwrap() >> 30
    };
    assert_eq!(working_set("size=1g\n"), 4);
    assert_eq!(working_set("size=1g\nfilesize=4g\noffset=1g\n"), 4);
}
