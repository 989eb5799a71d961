//! What two sides are compared over, and what hides behind a mean.

mod synthetic;

use findings::schema::{Caution, OtherSize, Verdict, VerdictClass};
use findings::{Findings, analyse};
use lab::campaign::Variant;
use measurement::{Counter, Flow, Measured, Perturbation, Trial};
use synthetic::{
    SYNC_JOB, Truth, campaign, log_and_cache, measured, model, trial, variant, verdict,
};

fn pair() -> [Variant; 2] {
    [variant(false, false), variant(true, false)]
}

/// A trial with these rates, a transaction group synced in some of its seconds.
fn course(rates: &[f64], syncs: impl Fn(usize) -> bool) -> Measured {
    let levels: Vec<(usize, f64)> = rates.iter().map(|rate| (1, *rate)).collect();
    let mut measured = measured(&Truth { levels, ..Truth::flat(0.0) });
    for (i, second) in measured.seconds.iter_mut().enumerate() {
        second.writes = rates[i];
        *second.values.entry(Counter::TxgSyncs) = f64::from(u8::from(syncs(i)));
    }
    measured
}

fn analysed(job: &str, sides: impl Fn(u32) -> [Measured; 2]) -> Findings {
    let variants = pair();
    let all: Vec<Trial> = (0..3)
        .flat_map(|repeat| {
            let names = variants.iter().map(|variant| variant.name.clone());
            names.zip(sides(repeat)).map(move |(name, measured)| trial(&name, repeat, measured))
        })
        .collect();
    analyse(&campaign(variants.to_vec(), job), &model(), &all)
}

fn jitter(repeat: u32) -> f64 {
    [1.0, 1.0013, 0.9993][repeat as usize]
}

#[test]
fn sides_are_compared_over_the_same_seconds() {
    // The first second is a little faster with a log, so that only that side does without it.
    let side = |first: f64, repeat: u32| {
        let rate = |i: usize| 1000.0 * jitter(repeat) + ((i * 7 % 5) as f64 - 2.0);
        let rates: Vec<f64> = (0..10).map(|i| if i == 0 { first } else { rate(i) }).collect();
        course(&rates, |i| i % 5 == 4)
    };
    let found = analysed(SYNC_JOB, |repeat| [side(1600.0, repeat), side(1660.0, repeat)]);
    let log = verdict(&found, "log");
    let ratio = found.effects[log.effects[0]].ratio;
    assert_eq!(log.class, VerdictClass::NoEffect, "{ratio:?}");
    assert!((ratio.value - 1.0).abs() < 0.005, "{ratio:?}");
}

#[test]
fn the_second_in_which_a_group_is_synced_changes_no_verdict() {
    for (seconds, slow) in [(8, 700.0), (12, 500.0), (13, 500.0), (18, 400.0), (30, 200.0)] {
        let side = |slow_at: usize, repeat: u32| {
            let rate = |i: usize| if i % 5 == slow_at { slow } else { 1200.0 * jitter(repeat) };
            let rates: Vec<f64> = (0..seconds).map(rate).collect();
            course(&rates, |i| i % 5 == slow_at)
        };
        let found = analysed(SYNC_JOB, |repeat| [side(2, repeat), side(4, repeat)]);
        let log = verdict(&found, "log");
        let ratio = found.effects[log.effects[0]].ratio;
        assert_eq!(log.class, VerdictClass::NoEffect, "{seconds} s: {ratio:?}");
    }
}

#[test]
fn a_mean_with_undecided_pairs_does_not_overrule_the_pair_beside_the_baseline() {
    let variants = log_and_cache();
    let spread = [0.02, -0.0115, 0.0115, -0.02];
    let mut all = Vec::new();
    for repeat in 0..4 {
        let noise = spread[repeat as usize];
        let gains = [0.0, 0.085 + 0.05 * noise, 0.0, -0.075 + noise];
        for (variant, gain) in variants.iter().zip(gains) {
            let rate = 1000.0 * f64::exp(gain);
            all.push(trial(&variant.name, repeat, measured(&Truth::flat(rate))));
        }
    }
    let found = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let log = verdict(&found, "log");
    assert_eq!(log.class, VerdictClass::WorthIt);
    let deciding = &found.effects[log.effects[0]];
    assert_eq!(deciding.variant.as_deref(), Some("mirror/none"), "{deciding:?}");
}

/// Readers from memory beside writers that sync, eight of each.
fn mixture(reads: f64, commits: f64) -> Measured {
    let flow = |rate: f64, share: f64, bytes: u64| {
        let (ops, mean_ns) = ((rate * 60.0) as u64, share * 8.0 / rate * 1e9);
        let histogram = vec![(mean_ns as u64, ops)];
        Flow { ops, bytes: ops * bytes, mean_ns, histogram, overflow: 0 }
    };
    let mut measured = measured(&Truth::flat(commits));
    measured.concurrency = 16.0;
    measured.read = flow(reads, 1.0, 16384);
    measured.write = flow(commits, 0.25, 16384);
    measured.sync = flow(commits, 0.75, 0);
    measured.seconds.iter_mut().for_each(|second| second.reads = reads);
    *measured.totals.entry(Counter::DbufHits) = reads * 60.0;
    measured
}

#[test]
fn many_reads_do_not_hide_what_becomes_of_few_writes() {
    let job = "[global]\nbs=16k\n[readers]\nrw=randread\nnumjobs=8\n[writers]\nrw=randwrite\nfsync=1\nnumjobs=8\n";
    let found = analysed(job, |repeat| {
        [mixture(60_000.0 * jitter(repeat), 200.0), mixture(60_000.0, 2000.0 * jitter(repeat))]
    });
    let log = verdict(&found, "log");
    assert_eq!(log.class, VerdictClass::Depends);
    let flows = log.cautions.iter().find_map(|caution| match caution {
        Caution::Flows { read, write } => Some((*read, *write)),
        _ => None,
    });
    let (read, write) = flows.unwrap();
    assert!((read - 1.0).abs() < 0.01 && (write - 10.0).abs() < 0.1, "{read} {write}");
    let alike = analysed(job, |repeat| {
        [mixture(60_000.0, 200.0), mixture(60_000.0 * jitter(repeat), 200.0)]
    });
    assert!(!verdict(&alike, "log").cautions.iter().any(Caution::is_flows));
    // Both do ten times as much, and more yet in the seconds that are compared: the first are not among them.
    let late = |repeat| {
        let mut measured = mixture(60_000.0, 2000.0 * jitter(repeat));
        for (at, second) in measured.seconds.iter_mut().enumerate() {
            let share = if at < 15 { 0.2 } else { 76.0 / 60.0 };
            second.reads *= share;
            second.writes *= share;
        }
        measured
    };
    let both = analysed(job, |repeat| [mixture(6000.0 * jitter(repeat), 200.0), late(repeat)]);
    let log = verdict(&both, "log");
    assert!(both.effects[log.effects[0]].ratio.value > 12.0, "{log:?}");
    assert!(!log.cautions.iter().any(Caution::is_flows), "{log:?}");
}

#[test]
fn operations_of_several_sizes_are_compared_by_bytes_too() {
    let job = "[global]\nfsync=1\nrw=randwrite\n[a]\nbs=4k\nnumjobs=4\n[b]\nbs=1m\nnumjobs=4\n";
    let found = analysed(job, |repeat| {
        let few = measured(&Truth::flat(1000.0));
        let mut many = measured(&Truth::flat(2000.0 * jitter(repeat)));
        many.write.bytes = few.write.bytes / 5 * 4;
        [few, many]
    });
    let cautions = &verdict(&found, "log").cautions;
    assert!(
        cautions
            .iter()
            .any(|c| matches!(c, Caution::Bytes { ratio } if (ratio - 0.8).abs() < 0.01)),
        "{cautions:?}"
    );
}

#[test]
fn a_queue_that_zfs_does_not_take_is_named() {
    let job = "[a]\nrw=randwrite\nfsync=1\nbs=16k\nioengine=libaio\niodepth=4\nnumjobs=2\n";
    let found = analysed(job, |repeat| {
        [1000.0, 2000.0].map(|rate| measured(&Truth::flat(rate * jitter(repeat))))
    });
    let is_blocked = |c: &Caution| matches!(c, Caution::BlockingSubmission { in_flight: 2, .. });
    let queued = |verdict: &Verdict| verdict.cautions.iter().any(is_blocked);
    assert!(queued(verdict(&found, "log")), "{:?}", verdict(&found, "log").cautions);
}

#[test]
fn another_number_or_size_is_compared_with_the_trials_of_its_seed() {
    let variants = pair();
    let mut all = Vec::new();
    for (repeat, gain) in [0.045f64, 0.075, 0.07, 0.07].into_iter().enumerate() {
        let rates = [1000.0, 1000.0 * gain.exp()];
        for (variant, rate) in variants.iter().zip(rates) {
            all.push(trial(&variant.name, repeat as u32, measured(&Truth::flat(rate))));
        }
    }
    // Neither the number nor the size matters: the same runs again.
    let again = measured(&Truth::flat(1000.0 * f64::exp(0.045)));
    for factor in [0.5, 2.0] {
        all.push(Trial {
            rerun: Some(Perturbation {
                drive: "optane".into(),
                parameter: "flash.flush_us".into(),
                factor,
            }),
            key: format!("flush {factor}"),
            ..trial(&variants[1].name, 0, again.clone())
        });
    }
    let other = Trial { size: 24.0, key: "size".into(), ..trial(&variants[1].name, 0, again) };
    all.push(other);
    let found = analyse(&campaign(variants.to_vec(), SYNC_JOB), &model(), &all);
    let log = verdict(&found, "log");
    assert_eq!(log.class, VerdictClass::WorthIt);
    let sensitivity = &log.sensitivity[0];
    assert_eq!((sensitivity.holds_from, sensitivity.holds_to), (0.5, 2.0), "{sensitivity:?}");
    let moved: Vec<&OtherSize> = found.scale.other_sizes.iter().collect();
    assert!(moved.iter().all(|size| !size.moves && (size.ratio - 1.0).abs() < 1e-9), "{moved:?}");
    assert_eq!(moved.len(), 1);
}
