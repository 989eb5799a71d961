//! What is read in what fio prints and logs.

use bench::workload::fio::{output, series};
use proptest::prelude::*;

const RECORDED: &str = include_str!("fixtures/randrw-sync.json");

#[test]
fn counts_of_all_jobs_are_added_and_histograms_hold_every_operation() {
    let output = output::parse(RECORDED).unwrap();
    let (read, write, sync) = (output.read(), output.write(), output.sync());
    assert_eq!((read.ops, write.ops), (1200, 1350));
    assert_eq!(read.bytes, 1200 * 8192);
    for flow in [&read, &write, &sync] {
        let held: u64 = flow.histogram.iter().map(|b| b.1).sum();
        assert_eq!(held + flow.overflow, flow.ops);
    }
    // The mean of two jobs of 600 reads each: 372,597.7 and 304,802.9 ns.
    assert!((read.mean_ns - 338_700.3).abs() < 0.1, "{}", read.mean_ns);
    assert_eq!(output.error(), None);
    assert!((output.runtime_s() - 3.0).abs() < 0.01);
}

/// A job may do more in the window that is open at its end than in all before.
#[test]
fn a_log_goes_on_to_the_end_but_for_the_window_that_is_open_there() {
    let log = "1000, 200, 0, 0, 0\n2000, 200, 0, 0, 0\n9002, 8348, 0, 0, 0\n";
    assert!(series::reaches_end(log, 10.285));
    assert!(!series::reaches_end(log, 12.0), "it was cut off");
    assert!(!series::reaches_end("", 10.0));
}

#[test]
fn a_job_that_did_nothing_is_named() {
    assert_eq!(output::parse(RECORDED).unwrap().idle(), [""; 0]);
    let mut output = output::parse(RECORDED).unwrap();
    for job in &mut output.jobs {
        job.jobname = "writer".into();
        job.read.total_ios = 0;
        job.write.total_ios = 0;
    }
    assert_eq!(output.idle(), ["writer"]);
}

#[test]
fn a_job_that_ends_early_is_in_flight_for_as_long_as_it_ran() {
    let mut output = output::parse(RECORDED).unwrap();
    // Three jobs of 3 s: none ends early.
    assert_eq!(output.in_flight(&[(2, 1.0), (1, 4.0)]), 6.0);
    output.jobs[2].job_runtime = 1000;
    let near = |x: f64, want: f64| assert!((x - want).abs() < 0.01, "{x} {want}");
    near(output.in_flight(&[(2, 1.0), (1, 4.0)]), 2.0 + 4.0 / 3.0);
    // As one group, whose times fio adds up.
    output.jobs[0].job_runtime = 3000 + 3000 + 1000;
    output.jobs.truncate(1);
    near(output.in_flight(&[(3, 2.0)]), 6.0 * 7.0 / 9.0);
    output.jobs[0].job_runtime = 0;
    assert_eq!(output.in_flight(&[(3, 2.0)]), 6.0);
}

#[test]
fn the_mean_lies_within_the_histogram() {
    let read = output::parse(RECORDED).unwrap().read();
    let above: f64 = read.histogram.iter().map(|(edge, n)| *edge as f64 * *n as f64).sum();
    let mean = above / read.ops as f64;
    // Upper edges overstate by at most one 64th.
    assert!(mean >= read.mean_ns && mean <= read.mean_ns * 1.02, "{mean}");
}

#[test]
fn warnings_before_the_json_are_ignored() {
    let text = format!("fio: posix_fallocate fails: {{ not JSON }}\n{RECORDED}\ntrailing words\n");
    assert_eq!(output::parse(&text).unwrap().read().ops, 1200);
    assert!(output::preface(&text).starts_with("fio: posix"));
}

#[test]
fn latencies_above_fios_histogram_are_overflow() {
    let text = RECORDED.replacen("\"bins\" : {", "\"bins\" : {\n\"17112760320\" : 3,", 1);
    assert_eq!(output::parse(&text).unwrap().read().overflow, 3);
}

#[test]
fn an_output_without_json_is_named_as_such() {
    assert_eq!(output::parse("fio: job global dropped\n").unwrap_err(), "fio printed no JSON");
    let other = output::parse("{\n\"fio version\" : 3").unwrap_err();
    assert!(other.starts_with("fio's JSON cannot be read: "), "{other}");
}

#[test]
fn seconds_in_which_nothing_was_done_stay_empty() {
    let mut per_second = series::PerSecond::new();
    // Nothing between the first second and the fourth; the last line is a little late.
    series::add(&mut per_second, "1000, 200, 0, 0, 0\n5000, 100, 0, 0, 0\n6200, 100, 0, 0, 0\n");
    let reads: Vec<f64> = per_second.iter().map(|s| s.0).collect();
    assert_eq!(reads[..5], [200.0, 0.0, 0.0, 0.0, 100.0]);
    assert!((reads[5..].iter().sum::<f64>() - 120.0).abs() < 1e-9, "{reads:?}");
}

#[test]
fn the_second_that_fio_did_not_log_is_taken_from_the_totals() {
    let mut per_second = series::PerSecond::new();
    series::add(&mut per_second, "1000, 200, 0, 0, 0\n1000, 50, 1, 0, 0\n2000, 200, 0, 0, 0\n");
    series::settle(&mut per_second, 3.0, 600, 150);
    assert_eq!(per_second, [(200.0, 50.0), (200.0, 0.0), (200.0, 100.0)]);
}

#[test]
fn operations_in_the_logs_are_counted_before_the_totals_correct_them() {
    let mut per_second = series::PerSecond::new();
    // The log of the other job is not there.
    series::add(&mut per_second, "1000, 200, 0, 0, 0\n2000, 200, 0, 0, 0\n");
    assert_eq!(series::settle(&mut per_second, 2.0, 800, 0), 400.0);
    assert_eq!(per_second, [(200.0, 0.0), (600.0, 0.0)]);
}

#[test]
fn the_rest_of_a_second_belongs_to_the_previous_one() {
    let lengths = [7.95, 8.004, 8.6, 12.45, 12.55, 0.3].map(series::entries);
    assert_eq!(lengths, [8, 8, 8, 12, 12, 1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_series_holds_as_many_operations_as_the_totals(
        rates in proptest::collection::vec(0u32..1000, 0..20), reads in 0u64..20_000, seconds in 1.0f64..20.0,
    ) {
        let log: String = rates.iter().enumerate().map(|(i, r)| format!("{}, {r}, 0, 0, 0\n", (i + 1) * 1001)).collect();
        let mut per_second = series::PerSecond::new();
        series::add(&mut per_second, &log);
        series::settle(&mut per_second, seconds, reads, 0);
        let sum: f64 = per_second.iter().map(|s| s.0).sum();
        prop_assert!((sum - reads as f64).abs() < 1e-6 * (1.0 + reads as f64), "{} {}", sum, reads);
        prop_assert_eq!(per_second.len(), series::entries(seconds));
    }
}
