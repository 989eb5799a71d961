//! What a buyer asks: how far a verdict holds, what is enough, what it costs, and whether the scale of
//! the model matters.

mod synthetic;

use findings::schema::*;
use findings::{Findings, analyse};
use lab::campaign::{AllocationClass, Layout, Variant};
use measurement::{Perturbation, Trial, WarmUp, WarmUpEnd};
use synthetic::*;

fn pair() -> Vec<Variant> {
    vec![variant(false, false), variant(true, false)]
}

fn two(variants: &[Variant], plain: f64, log: f64) -> Vec<Trial> {
    trials(&[(&variants[0], Truth::flat(plain)), (&variants[1], Truth::flat(log))], 3, 0.01)
}

/// Trials of the variant with the log, its flush time changed.
fn reruns(factor: f64, rate: f64) -> Vec<Trial> {
    (0..2)
        .map(|i| Trial {
            rerun: Some(Perturbation {
                drive: "optane".into(),
                parameter: "flash.flush_us".into(),
                factor,
            }),
            key: format!("flush {factor} {i}"),
            ..trial("mirror/none", i, measured(&Truth::flat(rate * spread(i as usize, 0.009))))
        })
        .collect()
}

fn rerun_of(findings: &Findings) -> &Sensitivity {
    let [found] = findings.verdicts[0].sensitivity.as_slice() else {
        panic!("{:?}", findings.verdicts[0].sensitivity);
    };
    assert_eq!(found.kind, "optane");
    found
}

#[test]
fn re_runs_say_how_far_a_verdict_holds_and_where_it_turns() {
    let variants = pair();
    let mut all = two(&variants, 640.0, 4300.0);
    all.extend(reruns(0.5, 4600.0));
    all.extend(reruns(4.0, 2100.0));
    all.extend(reruns(50.0, 645.0));
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let found = rerun_of(&findings);
    assert_eq!((found.holds_from, found.holds_to), (0.5, 4.0));
    let points = &found.points;
    let held: Vec<(f64, bool)> = points.iter().map(|p| (p.factor, p.holds)).collect();
    assert_eq!(held, [(0.5, true), (4.0, true), (50.0, false)]);
    assert!((points[1].ratio.value - 2100.0 / 640.0).abs() < 0.1);
    assert_eq!(points[1].ratio.basis, Basis::TrialsAndBatches);
    assert_eq!(findings.verdicts[0].class, VerdictClass::WorthIt);
    assert_eq!(findings.cells[1].trials.valid, 3, "re-runs are in no cell");
    assert!(
        findings
            .trials
            .iter()
            .any(|t| matches!(&t.part, Part::Rerun { factor, .. } if *factor == 50.0))
    );
}

#[test]
fn a_side_that_has_the_drive_and_was_not_run_again_gives_no_point() {
    let variants = pair();
    let mut all = two(&variants, 640.0, 4300.0);
    // Both pools have the disks; only one was run again with slower ones.
    all.extend(reruns(2.0, 4000.0).into_iter().map(|mut t| {
        t.rerun.as_mut().unwrap().drive = "hdd".into();
        t
    }));
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    assert!(findings.verdicts[0].sensitivity.is_empty());
}

/// Log × cache at these rates: none, log, cache, both.
fn four(rates: [f64; 4], repeats: usize, noise: f64) -> (Vec<Variant>, Vec<Trial>) {
    let variants = log_and_cache();
    let truths: Vec<_> =
        variants.iter().zip(rates).map(|(v, rate)| (v, Truth::flat(rate))).collect();
    let all = trials(&truths, repeats, noise);
    (variants, all)
}

#[test]
fn a_mean_over_pairs_is_remade_from_re_runs_of_all_of_them() {
    let (variants, mut all) = four([640.0, 691.0, 1000.0, 2000.0], 4, 0.003);
    let of_cache = |trials: Vec<Trial>| {
        trials.into_iter().map(|mut trial| {
            trial.variant = "mirror/nvme".into();
            trial
        })
    };
    all.extend(reruns(2.0, 659.0));
    all.extend(of_cache(reruns(2.0, 1900.0)));
    // Only one of the pairs: says nothing of the mean.
    all.extend(of_cache(reruns(4.0, 900.0)));
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let log = verdict(&findings, "log");
    assert_eq!(findings.effects[log.effects[0]].variant, None);
    let points: Vec<&RerunPoint> = log.sensitivity.iter().flat_map(|s| &s.points).collect();
    let [point] = points[..] else { panic!("{points:?}") };
    assert_eq!((point.factor, point.holds), (2.0, true));
    let mean = (659.0 / 640.0 * 1900.0 / 1000.0_f64).sqrt();
    assert!((point.ratio.value - mean).abs() < 0.02, "{point:?}");
}

#[test]
fn what_gains_nothing_has_no_price_for_each_operation_gained() {
    let (variants, trials) = parts([4285.0, 4290.0, 4300.0]);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let two = findings.verdicts.iter().find(|v| v.level == "two").unwrap();
    assert_eq!(two.class, VerdictClass::NoEffect);
    let price = two.price.unwrap();
    assert_eq!((price.more, price.per_op_s), (220.0, None));
}

#[test]
fn re_runs_say_whether_they_cover_what_the_profile_leaves_open() {
    let covers = |high: f64| {
        let mut variants = pair();
        variants[1].drives.get_mut("optane").unwrap().numbers = serde_json::json!({
            "write_cache": false,
            "flash": {
                "write_latency_us": { "value": 10.0, "source": "data sheet" },
                "flush_us": { "value": 10.0, "low": 5.0, "high": high, "source": "estimate" },
            }
        });
        let mut all = two(&variants, 640.0, 4300.0);
        all.extend(reruns(0.5, 4600.0));
        all.extend(reruns(4.0, 2100.0));
        let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
        let open = &findings.scale.open_numbers;
        assert_eq!((open[0].all, open[0].open, open[0].kind.as_str()), (2, 1, "optane"));
        let found = rerun_of(&findings);
        assert_eq!(found.stated, Some((0.5, high / 10.0)));
        found.covers_stated()
    };
    assert_eq!((covers(30.0), covers(50.0)), (Some(true), Some(false)));
}

/// none, one log drive, two of them: the second adds nothing.
fn parts(rates: [f64; 3]) -> (Vec<Variant>, Vec<Trial>) {
    let mut variants: Vec<Variant> = vec![variant(false, false); 3];
    for (variant, (name, n)) in variants.iter_mut().zip([("none", 0), ("one", 1), ("two", 2)]) {
        variant.name = name.into();
        variant.levels = [("log".to_owned(), name.to_owned())].into();
        variant.drives.get_mut("hdd").unwrap().price = Some(300.0);
        variant.drives.get_mut("optane").unwrap().price = Some(110.0);
        if n > 0 {
            let layout = if n > 1 { Layout::Mirror } else { Layout::Single };
            variant.pool.vdevs.push(vdev(AllocationClass::Log, layout, "optane", n));
        }
    }
    let truths: Vec<_> =
        variants.iter().zip(rates).map(|(v, rate)| (v, Truth::flat(rate))).collect();
    let trials = trials(&truths, 4, 0.003);
    (variants, trials)
}

#[test]
fn the_smallest_part_that_does_as_well_is_named_with_its_price_and_its_risk() {
    let (variants, trials) = parts([640.0, 4290.0, 4300.0]);
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let [enough] = findings.adequate.as_slice() else {
        panic!("{:?}", findings.adequate);
    };
    assert_eq!((enough.enough.as_str(), enough.fastest.as_str()), ("one", "two"));
    assert_eq!(enough.drives, (7, 8));
    assert_eq!(enough.prices, Some((1910.0, 2020.0)));
    assert!(enough.riskier, "the log is not mirrored");
    assert_eq!(findings.variants[2].price, Some(2020.0));
    let two = findings.verdicts.iter().find(|v| v.level == "two").unwrap();
    let price = two.price.unwrap();
    assert_eq!(price.more, 220.0);
    assert!((price.per_op_s.unwrap() - 220.0 / 3660.0).abs() < 0.002);
}

#[test]
fn a_part_that_is_slower_is_not_enough_and_a_missing_price_is_no_price() {
    let (mut variants, trials) = parts([640.0, 3700.0, 4300.0]);
    variants[2].drives.get_mut("optane").unwrap().price = None;
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    assert!(findings.adequate.is_empty(), "{:?}", findings.adequate);
    assert_eq!(findings.variants[2].price, None);
    assert!(findings.verdicts.iter().find(|v| v.level == "two").unwrap().price.is_none());
}

#[test]
fn a_variant_that_loses_writes_is_never_enough() {
    let (mut variants, trials) = parts([4290.0, 4295.0, 4300.0]);
    let root = variants[0].datasets.get_mut("").unwrap();
    root.insert("sync".into(), "disabled".into());
    let mut campaign = campaign(variants, SYNC_JOB);
    campaign.method.baseline = "two".into();
    let findings = analyse(&campaign, &model(), &trials);
    assert_eq!(findings.adequate[0].enough, "one");
}

#[test]
fn a_variant_that_keeps_more_than_the_baseline_competes() {
    let (mut variants, trials) = parts([640.0, 4290.0, 4300.0]);
    let root = variants[0].datasets.get_mut("").unwrap();
    root.insert("sync".into(), "disabled".into());
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    assert_eq!(findings.adequate[0].enough, "one");
}

/// Prices and numbers of drives are not compared with each other.
#[test]
fn where_one_variant_has_no_price_all_are_compared_by_their_drives() {
    let (mut variants, trials) = parts([4290.0, 4295.0, 4300.0]);
    // The one with a log drive has no price, but one drive more than the one without.
    variants[1].drives.get_mut("optane").unwrap().price = None;
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &trials);
    let [enough] = findings.adequate.as_slice() else {
        panic!("{:?}", findings.adequate);
    };
    assert_eq!((enough.enough.as_str(), enough.prices), ("none", None));
}

#[test]
fn results_that_move_with_the_size_scale_are_named() {
    let variants = pair();
    let mut all = two(&variants, 640.0, 4300.0);
    for (size, rate) in [(24.0, 650.0), (48.0, 820.0)] {
        all.push(Trial {
            size,
            key: format!("S {size}"),
            ..trial("none/none", 0, measured(&Truth::flat(rate)))
        });
    }
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let sizes = &findings.scale.other_sizes;
    let found: Vec<(f64, bool)> = sizes.iter().map(|o| (o.size, o.moves)).collect();
    assert_eq!(found, [(24.0, false), (48.0, true)]);
    assert!((sizes[1].ratio - 820.0 / 640.0).abs() < 0.02);
    assert_eq!(findings.cells[0].trials.valid, 3, "another S is another model");
}

/// Clients that keep a pace do as many operations at any size.
#[test]
fn paced_clients_move_with_the_size_scale_by_their_latency() {
    let variants = pair();
    let mut all = two(&variants, 640.0, 640.0);
    for (size, factor) in [(24.0, 1.0), (48.0, 0.5)] {
        let mut at = Trial {
            size,
            key: format!("S {size}"),
            ..trial("none/none", 0, measured(&Truth::flat(640.0)))
        };
        let measured = measured_of(&mut at);
        for flow in [&mut measured.write, &mut measured.sync] {
            flow.mean_ns *= factor;
        }
        all.push(at);
    }
    let job = format!("{SYNC_JOB}rate_iops=80\n");
    let findings = analyse(&campaign(variants, &job), &model(), &all);
    let sizes = &findings.scale.other_sizes;
    let found: Vec<(f64, bool)> = sizes.iter().map(|o| (o.size, o.moves)).collect();
    assert_eq!(found, [(24.0, false), (48.0, true)]);
    assert_eq!(sizes[1].metric, Metric::MeanLatency);
}

#[test]
fn warm_ups_are_reported_by_the_least_settled_of_them() {
    let variants = pair();
    let mut all = two(&variants, 640.0, 4300.0);
    let ends = [WarmUpEnd::Settled, WarmUpEnd::TimeLimit, WarmUpEnd::Settled];
    let mine = all.iter_mut().filter(|t| t.variant == "none/none");
    for (trial, (ended, hits)) in mine.zip(ends.into_iter().zip([0.8, 0.6, 0.7])) {
        if let measurement::TrialResult::Measured(measured) = &mut trial.outcome {
            measured.warm_up = Some(WarmUp { seconds: 30.0, ended, hit_ratio: Some(hits) });
        }
    }
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let warmed = findings.cells[0].warm_up.unwrap();
    assert_eq!((warmed.seconds, warmed.ended), (30.0, WarmUpEnd::TimeLimit));
    assert_eq!(warmed.hit_ratio, Some(0.6));
    assert_eq!(findings.cells[1].warm_up, None);
}

#[test]
fn the_ratio_of_a_re_run_is_the_one_that_is_judged() {
    let variants = pair();
    let flat = |rate| measured(&Truth::flat(rate));
    let plain = (0..4).map(|repeat| trial(&variants[0].name, repeat, flat(640.0)));
    // The first two seeds are faster than the others with a log.
    let with_log = [4400.0, 4440.0, 4000.0, 4040.0].into_iter().zip(0..);
    let with_log = with_log.map(|(rate, repeat)| trial(&variants[1].name, repeat, flat(rate)));
    let mut all: Vec<Trial> = plain.chain(with_log).collect();
    all.extend(reruns(2.0, 4420.0));
    let findings = analyse(&campaign(variants, SYNC_JOB), &model(), &all);
    let decided = findings.effects[findings.verdicts[0].effects[0]].ratio.value;
    let point = &rerun_of(&findings).points[0];
    assert!(point.holds, "a re-run that changed nothing");
    assert!((point.ratio.value / decided - 1.0).abs() < 0.02, "{} {decided}", point.ratio.value);
}

/// Neither a gain nor a loss is to be had without what it costs.
#[test]
fn a_risk_that_only_one_side_has_is_named_with_it() {
    let (variants, trials) = parts([640.0, 4290.0, 4300.0]);
    let risks = |baseline: &str, level: &str| {
        let mut campaign = campaign(variants.clone(), SYNC_JOB);
        campaign.method.baseline = baseline.into();
        let findings = analyse(&campaign, &model(), &trials);
        let verdict = findings.verdicts.iter().find(|v| v.level == level).unwrap();
        let named = verdict.cautions.iter().filter_map(|caution| match caution {
            Caution::Risks { variant, risks } => Some((variant.clone(), risks.clone())),
            _ => None,
        });
        named.collect::<Vec<_>>()
    };
    let bare = [("one".to_owned(), vec![DurabilityRisk::LogNotMirrored])];
    assert_eq!(risks("none", "one"), bare, "the level has it");
    assert_eq!(risks("one", "two"), bare, "what it is held against has it");
    assert_eq!(risks("none", "two"), []);
}
