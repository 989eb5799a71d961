//! fio job files, read and refused.

mod common;

use common::{RATES, SIZED, TIMED, refused_in};
use lab::fio::options::{self, Treatment};
use lab::fio::{Mistake, mistakes, parse, sizes};
use proptest::prelude::*;
use std::path::Path;

fn found(text: &str) -> Vec<(usize, String)> {
    let found = mistakes(text, TIMED);
    found.into_iter().map(|m| (m.line, m.message)).collect()
}

#[test]
fn the_documented_table_is_the_one_that_is_used() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/fio.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, options::document()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written == options::document(),
        "docs/reference/fio.md is out of date: run UPDATE_DOCS=1 cargo test -p lab --test fio"
    );
}

#[test]
fn every_row_of_the_table_is_read_and_what_is_refused_says_why() {
    let rows =
        include_str!("../src/fio/options.txt").lines().filter(|l| !l.starts_with('#')).count();
    assert_eq!(options::rules().count(), rows);
    for rule in options::rules() {
        assert!(
            rule.treatment == Treatment::Passed || !rule.why.is_empty(),
            "{} has no reason",
            rule.name
        );
        assert_eq!(options::rule(rule.name), Some(rule));
    }
}

#[test]
fn every_option_of_the_installed_fio_3_33_is_in_the_table() {
    let Ok(fio) = std::process::Command::new("fio").arg("--version").output() else {
        return; // not installed here: CI has it
    };
    if !String::from_utf8_lossy(&fio.stdout).starts_with("fio-3.33") {
        return;
    }
    let help = std::process::Command::new("fio").arg("--cmdhelp=all").output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let names: Vec<&str> = help
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.0.trim()))
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.len() > 200, "fio's help has changed its form");
    let unknown: Vec<&&str> = names.iter().filter(|n| options::rule(n).is_none()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn global_settings_hold_for_the_jobs_after_them_and_the_last_one_counts() {
    let text = "[global]\nsize=1G\nsize=2G\n[a]\nrw=read\n[global]\nsize=4G\n[b]\nrw=read\nsize=8G\n[c]\nrw=read\n";
    let file = parse::parse(text).unwrap();
    let sizes: Vec<&str> = file.jobs.iter().filter_map(|j| j.get("size")).collect();
    assert_eq!(sizes, ["2G", "8G", "4G"]);
}

#[test]
fn every_mistake_is_reported_with_its_line() {
    let text = "size=1G\n[a\n[j]\nrw=read\nexec_prerun=rm -rf /\nnot_an_option=1\nioengine=rbd\nnumjobs=none\nfilename=/dev/sda\nsize=$SIZE\n";
    let found = found(text);
    let lines: Vec<usize> = found.iter().map(|m| m.0).collect();
    assert_eq!(lines, [1, 2, 5, 6, 7, 8, 9, 10], "{found:#?}");
}

#[test]
fn a_search_for_one_of_a_few_open_files_is_refused() {
    let job = |options: &str| found(&format!("[j]\nfilesize=100k\nrw=randread\n{options}"));
    let refused = job("nrfiles=1000\nopenfiles=16\n");
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0].0, 5);
    assert!(refused[0].1.contains("below the 1000 files of job `j`"), "{refused:?}");
    assert_eq!(job("nrfiles=1000\nopenfiles=16\nfile_service_type=random:8\n").len(), 1);
    assert_eq!(job("nrfiles=1000\nopenfiles=16\nfile_service_type=sequential\n"), []);
    assert_eq!(job("nrfiles=16\nopenfiles=16\n"), []);
}

#[test]
fn jobs_one_after_another_are_refused_but_a_stonewall_without_effect_is_not() {
    let text = "[a]\nstonewall\nrw=read\nsize=1G\n[b]\nstonewall\nrw=read\nsize=1G\n";
    assert_eq!(found(text)[0].0, 6);
    assert!(parse::parse("[a]\nstonewall\nrw=read\nsize=1G\n").is_ok());
}

#[test]
fn what_would_reach_a_file_outside_the_model_is_refused_even_where_a_later_line_replaces_it() {
    for line in [
        "mem=mmap:/home/me/x",
        "iomem=mmaphuge:x",
        "filename_format=../../../home/me/.bashrc",
        "buffer_pattern='/etc/passwd'",
        "verify_pattern=0xff'/etc/passwd'",
        "ioengine=external:/tmp/x.so",
    ] {
        let text = format!(
            "[global]\n{line}\n[a]\nrw=read\nsize=1G\nmem=malloc\nfilename_format=x\nioengine=psync\n"
        );
        let found = found(&text);
        let lines: Vec<usize> = found.iter().map(|m| m.0).collect();
        assert_eq!(lines, [2], "{found:#?}");
    }
    for name in ["../../../dev/sdb", "a]/../../b", "/home/me/x"] {
        let found = found(&format!("[{name}]\nrw=read\nsize=1G\n"));
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0].0, 1);
    }
    let harmless = "[a]\nrw=read\nsize=1G\nmem=mmap\nbuffer_pattern=\"abc\"\n";
    assert!(found(harmless).is_empty());
}

/// fio reads a line in pieces: the end of a long comment would be an option to it.
#[test]
fn a_line_that_fio_would_take_for_two_is_refused() {
    let text = |length| {
        let comment = "x".repeat(length);
        format!("[a]\nrw=read\nsize=1G\n;{comment}exec_prerun=true\n")
    };
    assert_eq!(found(&text(4094))[0].0, 4);
    assert!(found(&text(3000)).is_empty());
}

#[test]
fn the_name_of_a_section_is_what_fio_takes_for_it() {
    assert_eq!(found("[a] b\nrw=read\nsize=1G\n")[0].0, 1);
    let file = parse::parse("[globals]\nsize=1G\n[a] ; a comment\nrw=read\n").unwrap();
    let names: Vec<&str> = file.jobs.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["a"]);
    assert_eq!(file.jobs[0].get("size"), Some("1G"));
    let file = parse::parse("[ w ]\nrw=read\nsize=1G\n").unwrap();
    assert_eq!(file.jobs[0].name, " w ", "with its blanks");
}

#[test]
fn fios_own_keywords_may_stand_in_the_format_of_file_names_and_nothing_else_may() {
    let with_option = |option: &str| found(&format!("[a]\nrw=read\nsize=1G\n{option}\n"));
    assert!(with_option("filename_format=$jobname.$jobnum.$filenum").is_empty());
    assert!(with_option("filename_format=$clientuid$jobnum").is_empty());
    for value in ["$jobnum.${HOME}", "$ncpus", "$$jobnumncpus", "x$"] {
        assert_eq!(with_option(&format!("filename_format={value}"))[0].0, 4, "{value}");
    }
    assert_eq!(with_option("description=$jobname")[0].0, 4);
}

#[test]
fn a_labs_working_set_needs_a_size_of_all_jobs_or_of_none() {
    let lines = |text| -> Vec<usize> { mistakes(text, SIZED).iter().map(|m| m.line).collect() };
    assert_eq!(lines("[a]\nrw=read\nsize=1G\n[b]\nrw=read\n"), [4]);
    assert_eq!(lines("[a]\nrw=read\n[b]\nrw=read\nfilesize=1M\n"), [1]);
    assert_eq!(lines("[a]\nrw=read\n[b]\nrw=read\n"), [0; 0]);
    let in_global = "[global]\nsize=1G\n[a]\nrw=read\n[b]\nrw=read\n";
    assert_eq!(lines(in_global), [0; 0]);
    // fio would ask for the size of a file that is not there yet.
    assert_eq!(lines("[a]\nrw=read\nsize=50%\n"), [3]);
    assert_eq!(lines("[a]\nrw=read\nsize=50%\nfilesize=1G\n"), [0; 0]);
}

#[test]
fn a_range_of_block_sizes_may_have_fios_colon() {
    assert_eq!(mistakes("[a]\nrw=read\nsize=1G\nbsrange=4k:8k\n", TIMED), []);
}

#[test]
fn a_job_without_a_size_is_refused() {
    assert_eq!(found("[a]\nrw=read\n")[0].0, 1);
    assert_eq!(mistakes("[a]\nrw=read\n", SIZED), []);
}

#[test]
fn fios_prefixes_are_binary_and_with_ib_decimal() {
    let sizes = [("4k", 4096), ("4ki", 4096), ("4KiB", 4000), ("1GB", 1 << 30), ("0x10", 16)];
    for (text, want) in sizes {
        assert_eq!(sizes::bytes(text), Some(want), "{text}");
    }
    for text in ["", "k", "4q", "-1", "99999999999999999999", "9999999p", "i", "4 k", "0x4k"] {
        assert_eq!(sizes::bytes(text), None, "{text}");
    }
}

#[test]
fn sizes_times_and_directions_are_refused_where_they_stand_and_once() {
    let text = "[global]\nsize=lots\nruntime=soon\n[a]\nrw=randtrim\n[b]\nrw=randwite\nfilesize=4k-1k\n[c]\nrw=randrw:8\n";
    let found = found(text);
    let lines: Vec<usize> = found.iter().map(|m| m.0).collect();
    assert_eq!(lines, [2, 3, 5, 7, 8], "{found:#?}");
}

#[test]
fn a_slip_in_an_options_name_finds_it() {
    let fix = |text| {
        let found = mistakes(text, SIZED);
        found.first().map(|m| m.fix.clone()).unwrap_or_default()
    };
    assert_eq!(fix("[a]\nrw=read\niodeph=4\n"), "did you mean `iodepth`?");
    assert_eq!(fix("[a]\nrw=randred\n"), "did you mean `randread`?");
}

#[test]
fn a_mistake_points_at_its_line_without_blanks_and_comment() {
    let text = "[a]\n  size=1q  ; why\n";
    let found: Vec<Mistake> = mistakes(text, TIMED);
    assert_eq!(&text[found[0].span(text)], "size=1q");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic_and_every_mistake_lies_in_it(
        text in "(\\[|\\]|=|%|size|numjobs|rw|filesize|runtime|9|G|-|;|\n|\\PC){0,60}",
    ) {
        for mistake in mistakes(&text, TIMED) {
            prop_assert!(text.get(mistake.span(&text)).is_some());
        }
        if let Ok(file) = parse::parse(&text) {
            let _ = lab::fio::demand(&file);
        }
    }
}

#[test]
fn a_job_that_paces_itself_or_starts_late_cannot_have_a_ladder() {
    let text = "[global]\nthinktime=5ms\n[a]\nrw=read\nsize=1G\n[b]\nrw=read\nsize=1G\nrate_iops=4\nverify_async=1\n";
    assert_eq!(mistakes(text, TIMED), []);
    let lines: Vec<usize> = mistakes(text, RATES).iter().map(|m| m.line).collect();
    assert_eq!(lines, [2, 9, 10]);
}

#[test]
fn counts_and_times_beyond_what_fio_runs_are_refused() {
    let line = |option: &str| found(&format!("[a]\nrw=read\nsize=1G\n{option}\n"));
    for option in [
        "numjobs=4097",
        "iodepth=99999999",
        "nrfiles=4000000000",
        "runtime=99999999999999999d",
        "size=0",
        "startdelay=60",
        "random_distribution=zoned_abs:60/20G:40/80G",
    ] {
        let found = line(option);
        assert_eq!(found.len(), 1, "{option}: {found:#?}");
        assert_eq!(found[0].0, 4, "{option}: {found:#?}");
    }
    let many = "[a]\nrw=read\nsize=1G\nnumjobs=4000\n[b]\nrw=read\nsize=1G\nnumjobs=4000\n";
    assert_eq!(found(many)[0].0, 5);
}

#[test]
fn files_of_two_directories_that_would_become_one_are_refused() {
    for text in [
        "[a]\nrw=read\nsize=1G\nfilename=/d1/test:/d2/test\n",
        "[a]\nrw=read\nsize=1G\nfilename=/a/f\n[b]\nrw=read\nsize=1G\nfilename=/b/f\n",
        "[global]\nrw=read\nsize=1G\nfilename=test\n[a]\ndirectory=/d1\n[b]\ndirectory=/d2\n",
    ] {
        let found = found(text);
        assert_eq!(found.len(), 1, "{text}: {found:#?}");
        assert!(found[0].1.contains("would be the same file"), "{found:?}");
    }
    let shared = "[global]\nrw=read\nsize=1G\ndirectory=/d\n[a]\nfilename=x:y\n[b]\nfilename=y\n";
    assert_eq!(found(shared), []);
    let named_by_fio = "[global]\nrw=read\nsize=1G\n[x]\ndirectory=/a\n[y]\nfilename=/b/x\n";
    assert_eq!(found(named_by_fio), [], "x.0.0 and x");
}

#[test]
fn counts_ranges_and_times_are_read_in_fios_own_notation() {
    let text = "[w]\nrw=read\nnrfiles=1k\nnumjobs=0x4\nfilesize=1k:4k\nruntime=60000msec\n";
    assert_eq!(found(text), []);
    let demand = lab::fio::demand(&parse::parse(text).unwrap());
    assert_eq!((demand.clients, demand.runtime_s), (4, Some(60.0)));
    assert_eq!(demand.working_set, Some(4 * 1024 * 4096));
    assert_eq!(found("[w]\nrw=read\nsize=50%\n").len(), 1, "of what?");
    let marked = found("\u{feff}[w]\nrw=read\nsize=1g\n");
    assert!(
        matches!(&marked[..], [(1, message)] if message.contains("byte-order mark")),
        "{marked:?}"
    );
}

#[test]
fn invalid_blocks_and_shares_are_refused_at_their_place() {
    let first_error = |option: &str| {
        let text = format!("[w]\nrw=randrw\nsize=1g\n{option}\n");
        let message = found(&text);
        assert!(message.len() < 2, "{option}: {message:?}");
        message.into_iter().next().unwrap_or_default()
    };
    for (option, word) in [
        ("bs=16q", "`16q` is not a block size"),
        ("bs=8k,0", "`0` is not a block size"),
        ("bsrange=4k-x", "`x` is not a block size"),
        ("bssplit=4k/60:8k/70", "more than 100 %"),
        ("bssplit=4k/60:8k/40,16q/100", "`16q` is not a block size"),
        ("blockalign=z", "`z` is not a block size"),
        ("fsync=-1", "`fsync` cannot be `-1`"),
        ("ioengine=rbd", "`rbd` is not supported"),
        ("fdatasync=often", "`fdatasync` cannot be `often`"),
        ("rate_iops=-5", "`rate_iops` cannot be `-5`"),
        ("rate=1m,fast", "`rate` cannot be `1m,fast`"),
        ("offset=150%", "not a percentage"),
        ("bs=2g", "is smaller than a block"),
    ] {
        let (_, message) = first_error(option);
        assert!(message.contains(word), "{option}: {message}");
    }
    for option in [
        "bs=8k,64k",
        "bs=,64k",
        "bsrange=4k-64k,1k-2k",
        "bssplit=4k/60:8k/:16k/10,64k/50:32k/50",
        "fsync=0",
        "fsync=32",
        "rate_iops=500",
        "rate=,1m",
        "offset=50%",
        "bs=1g",
    ] {
        assert_eq!(first_error(option), <(usize, String)>::default(), "{option}");
    }
}

#[test]
fn what_names_a_clock_a_processor_or_a_polling_queue_is_changed_and_noted() {
    let text = "[global]\nclocksource=cpu\ncpus_allowed=0-3\n[a]\nrw=read\nsize=1G\nioengine=io_uring\nhipri\nnuma_cpu_nodes=0\n[b]\nrw=read\nsize=1G\nclocksource=clock_gettime\n";
    assert_eq!(found(text), []);
    let notes = lab::fio::notes(text, TIMED);
    let lines: Vec<usize> = notes.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 8, 9], "{notes:#?}");
    assert!(notes[0].1.starts_with("`clocksource=cpu` becomes `clock_gettime`"));
    assert!(notes[1].1.starts_with("`cpus_allowed=0-3` is left out: the machine has one"));
    assert_eq!(lab::fio::notes("[a]\nrw=read\nsize=1G\ndirect=1\n", TIMED), []);
}

#[test]
fn engines_that_work_on_files_are_taken() {
    for engine in ["psync", "libaio", "io_uring", "posixaio", "splice"] {
        let text = format!("[a]\nrw=randread\nsize=1G\ndirect=1\nioengine={engine}\n");
        assert_eq!(found(&text), [], "{engine}");
    }
}

#[test]
fn what_the_machine_cannot_carry_out_is_refused_with_a_reason_and_a_fix() {
    for (option, word) in [
        ("ioengine=mmap", "takes no virtual time"),
        ("mem=mmaphuge", "huge pages"),
        ("iomem=shmhuge", "huge pages"),
        ("nowait=1", "EOPNOTSUPP"),
        ("uncached=1", "atomic write"),
        ("atomic=1", "O_ATOMIC"),
    ] {
        let text = format!("[a]\nrw=read\nsize=1G\n{option}\n");
        let found = mistakes(&text, TIMED);
        assert_eq!(found.len(), 1, "{option}: {found:#?}");
        assert_eq!(found[0].line, 4);
        assert!(found[0].message.contains(word), "{:?}", found[0]);
        assert!(!found[0].fix.is_empty());
    }
}

#[test]
fn a_job_that_only_reads_cannot_verify_what_no_job_has_written() {
    let word = "only reads: its files are laid out without that";
    refused_in(3, "size=1g\nrw=randread\nverify=crc32c\n", word);
    refused_in(3, "size=1g\nrw=read\nverify=md5\ndo_verify=0\n", word);
    refused_in(2, "size=1g\nverify_pattern=0xab\n", word);
    refused_in(3, "size=1g\nrw=randwrite\nverify_only\n", "an earlier run");
    for can in [
        "rw=randrw\nverify=crc32c\n",
        "rw=randread\nverify=0\n",
        "rw=randread\nverify=null\n",
        "rw=randread\nverify=pattern\nverify_pattern=0xab\nbuffer_pattern=0xab\n",
        "rw=read\nverify=md5\nfilename=x\n[b]\nsize=1g\nrw=write\nverify=md5\nfilename=y:x\n",
    ] {
        assert_eq!(found(&format!("[a]\nsize=1g\n{can}")), [], "{can}");
    }
}

#[test]
fn the_engine_that_truncates_files_can_neither_read_nor_flush() {
    for does in ["rw=randread\n", "rw=randrw\n", "", "rw=write\nfsync=4\n"] {
        refused_in(1, &format!("ioengine=ftruncate\nsize=1g\n{does}"), "`ftruncate` only writes");
    }
    assert_eq!(found("[a]\nioengine=ftruncate\nsize=1g\nrw=randwrite\nfsync=0\n"), []);
}

#[test]
fn a_block_larger_than_a_file_is_refused() {
    let smaller = "smaller than a block of this job";
    refused_in(1, "filesize=4k\nbs=1M\nnrfiles=100\n", smaller);
    refused_in(1, "filesize=4k\nsize=100M\nbs=1M\nrw=write\n", smaller);
    refused_in(1, "size=100k\nbs=4k\nnrfiles=100\n", "makes each of 100 files smaller");
    for holds in ["filesize=4k-1M\nbs=1M", "filesize=64k\nbsrange=4k-1M", "size=400k\nnrfiles=100"]
    {
        assert_eq!(found(&format!("[a]\n{holds}\n")), [], "{holds}");
    }
}

#[test]
fn a_depth_that_a_synchronous_engine_does_not_have_is_noted() {
    let notes =
        |options: &str| lab::fio::notes(&format!("[a]\nsize=1g\nrw=read\n{options}\n"), TIMED);
    for engine in ["psync", "sync", "vsync", "pvsync", "pvsync2"] {
        let notes = notes(&format!("iodepth=16\nioengine={engine}"));
        let [(4, note)] = &notes[..] else { panic!("{engine}: {notes:?}") };
        assert!(note.contains(&format!("`{engine}` has one operation under way")), "{note}");
        assert!(note.contains("use more clients (`numjobs`), or an asynchronous engine"), "{note}");
    }
    assert_eq!(notes("iodepth=16").len(), 1, "fio's default engine");
    for deep in ["iodepth=16\nioengine=libaio", "iodepth=1", "iodepth=16\nio_submit_mode=offload"] {
        assert_eq!(notes(deep), [], "{deep}");
    }
    let global = "[global]\niodepth=16\nsize=1g\n[a]\nrw=read\n[b]\nrw=write\n";
    assert_eq!(lab::fio::notes(global, TIMED).len(), 1);
    assert_eq!(lab::fio::notes(global, RATES), []);
}

#[test]
fn shares_of_reads_and_writes_are_whole_numbers_that_add_up_to_100() {
    let mixed = "size=1g\nrw=randrw\n";
    for share in ["70%", "101", "-1", "0.7", "7k", ""] {
        refused_in(3, &format!("{mixed}rwmixread={share}\n"), &format!("cannot be `{share}`"));
        refused_in(3, &format!("{mixed}rwmixwrite={share}\n"), &format!("cannot be `{share}`"));
    }
    let word = "`rwmixread=70` and `rwmixwrite=50` do not add up to 100";
    refused_in(4, &format!("{mixed}rwmixread=70\nrwmixwrite=50\n"), word);
    refused_in(4, &format!("{mixed}rwmixwrite=50\nrwmixread=70\n"), word);
    for right in ["rwmixread=0", "rwmixread=100", "rwmixwrite=30\nrwmixread=70"] {
        assert_eq!(found(&format!("[a]\n{mixed}{right}\n")), [], "{right}");
    }
}
