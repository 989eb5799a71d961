//! Causes by trying: a cell run again with one cost removed.

mod synthetic;

use findings::schema::*;
use findings::{Findings, analyse};
use measurement::{Cost, Trial};
use synthetic::*;

/// Repeats of the baseline without a cost, at a rate.
fn without(cost: Cost, repeats: u32, rate: f64) -> Vec<Trial> {
    (0..repeats)
        .map(|repeat| Trial {
            without: Some(cost),
            key: format!("{cost:?} {repeat}"),
            ..trial(
                "none/none",
                repeat,
                measured(&Truth::flat(rate * spread(repeat as usize, 0.009))),
            )
        })
        .collect()
}

fn findings(job: &str, repeats: u32) -> Findings {
    let variants = vec![variant(false, false), variant(true, false)];
    let truths = [(&variants[0], Truth::flat(640.0)), (&variants[1], Truth::flat(4300.0))];
    let mut all = trials(&truths, repeats as usize, 0.01);
    all.extend(without(Cost::LogFlush, repeats, 768.0));
    all.extend(without(Cost::LogWrite, repeats, 1984.0));
    all.extend(without(Cost::Processor, repeats, 640.0));
    analyse(&campaign(variants, job), &model(), &all)
}

#[test]
fn what_a_cell_waits_for_is_ranked_by_what_it_gains_without_it() {
    let findings = findings(SYNC_JOB, 3);
    let ranked: Vec<(u32, Cost)> = findings.causes.iter().map(|c| (c.rank, c.cost)).collect();
    assert_eq!(ranked, [(1, Cost::LogWrite), (2, Cost::LogFlush), (3, Cost::Processor)]);
    let first = &findings.causes[0];
    assert_eq!((first.variant.as_str(), first.pairs), ("none/none", 3));
    let gain = first.throughput;
    assert!((gain.value - 3.1).abs() < 0.05, "{gain:?}");
    assert!(gain.low > 2.9 && gain.high < 3.3 && gain.basis == Basis::Trials);
    let latency = first.mean_latency.unwrap();
    assert!((latency.value - 1.0 / 3.1).abs() < 0.01, "{latency:?}");
    // They are in no cell and no effect, and are listed as what they are.
    assert_eq!(findings.cells[0].trials.valid, 3);
    let parts = findings.trials.iter().filter(|t| matches!(t.part, Part::Without { .. }));
    assert_eq!(parts.count(), 9);
}

#[test]
fn one_pair_has_an_interval_from_its_batches() {
    let findings = findings(SYNC_JOB, 1);
    let gain = findings.causes[1].throughput;
    assert_eq!(gain.basis, Basis::Batches);
    assert!(gain.low < 1.2 && 1.2 < gain.high && gain.high < 1.3, "{gain:?}");
}

#[test]
fn a_shorter_re_run_is_compared_with_the_same_seconds() {
    let variants = vec![variant(false, false)];
    let levels = |levels: &[(usize, f64)]| Truth { levels: levels.to_vec(), ..Truth::flat(0.0) };
    // Over its whole window the cell does 2,000 operations a second, in its first ten seconds 3,000.
    let mut all = trials(&[(&variants[0], levels(&[(10, 3000.0), (20, 1500.0)]))], 1, 0.0);
    let again = measured(&levels(&[(10, 4500.0)]));
    all.push(Trial { without: Some(Cost::LogFlush), ..trial("none/none", 0, again) });
    let campaign = campaign(variants, SYNC_JOB);
    let cause = &analyse(&campaign, &model(), &all).causes[0];
    assert!((cause.throughput.value - 1.5).abs() < 0.001, "{cause:?}");
    assert_eq!(cause.mean_latency, None, "it is known of the whole window alone");
    // It stalls at its end, so that fio ends late: that part of a second is left out.
    let last = measured_of(all.last_mut().unwrap());
    last.runtime_s = 10.2;
    last.seconds.push(measurement::Second { at: 10.2, ..last.seconds[9].clone() });
    last.seconds[10].writes = 1.0;
    let late = &analyse(&campaign, &model(), &all).causes[0];
    assert_eq!(late.throughput, cause.throughput);
}

#[test]
fn a_re_run_is_compared_in_the_seconds_that_stand_for_the_cell() {
    let variants = vec![variant(false, false)];
    let levels = |levels: &[(usize, f64)]| Truth { levels: levels.to_vec(), ..Truth::flat(0.0) };
    let mut all = trials(&[(&variants[0], levels(&[(15, 3000.0), (45, 1000.0)]))], 1, 0.0);
    // Its burst lasts three times as long: 3,000 in each of the first 45 seconds, then 1,000.
    let again = measured(&levels(&[(45, 3000.0), (15, 1000.0)]));
    all.push(Trial { without: Some(Cost::WriteThrottle), ..trial("none/none", 0, again) });
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    assert!(matches!(findings.cells[0].phases, Phases::Burst { .. }));
    // In the 45 seconds of the cell's sustained phase it did 30 · 3,000 + 15 · 1,000.
    let expected = (30.0 * 3000.0 + 15.0 * 1000.0) / 45.0 / 1000.0;
    let value = findings.causes[0].throughput.value;
    assert!((value - expected).abs() < 0.02 * expected, "{value} of {expected}");
}

#[test]
fn clients_that_keep_a_pace_are_ranked_by_latency() {
    let variants = vec![variant(false, false)];
    let mut all = trials(&[(&variants[0], Truth::flat(640.0))], 2, 0.01);
    for (cost, factor) in [(Cost::LogFlush, 0.9), (Cost::LogWrite, 0.2)] {
        all.extend(without(cost, 2, 640.0).into_iter().map(|mut trial| {
            let measured = measured_of(&mut trial);
            for flow in [&mut measured.write, &mut measured.sync] {
                flow.mean_ns *= factor;
            }
            trial
        }));
    }
    let job = format!("{SYNC_JOB}rate_iops=80\n");
    let findings = analyse(&campaign(variants, &job), &model(), &all);
    let order: Vec<Cost> = findings.causes.iter().map(|c| c.cost).collect();
    assert_eq!(order, [Cost::LogWrite, Cost::LogFlush]);
}
