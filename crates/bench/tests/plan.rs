//! Which trials come next: a pure function of the campaign, its model and what is known.

mod synthetic;

use bench::known_trials::KnownTrials;
use bench::ladder::preferred;
use bench::plan;
use bench::sensitivity;
use bench::trial_spec::TrialSpec;
use bench::without_cost::window_s;
use lab::campaign::{Campaign, Rates};
use measurement::{Cost, Counter, DriveCounter, Perturbation, Trial, TrialKind, TrialResult};
use synthetic::{failed, made_up, model};

const LAB: &str = r#"
[host]
memory = "32G"
[drives]
hdd = "2x hdd-7200-16t"
optane = { profile = "p1600x-118g", count = 1, price = 150 }
[pool]
vdevs = "mirror hdd[0-1]"
[factors]
log = { none = "", optane = "log optane0" }
[workloads.sync]
fio.job = """
[w]
rw=randwrite
bs=16k
size=1g
runtime=10
"""
[method]
min_trials = 2
max_trials = 6
"#;

fn campaign() -> Campaign {
    synthetic::campaign(LAB)
}

/// Runs rounds to their end on variants of such rates; gives the rounds.
fn rounds(
    campaign: &Campaign,
    known: &mut KnownTrials,
    rates: [f64; 2],
    why: bool,
) -> Vec<Vec<TrialSpec>> {
    let mut rounds = Vec::new();
    loop {
        let round = plan::next(campaign, &model(), known, why);
        if round.is_empty() {
            return rounds;
        }
        for spec in &round {
            let rate = rates[spec.variant] * (1.0 + 0.002 * f64::from(spec.repeat));
            let rate = match spec.kind {
                TrialKind::Rate(offered) => offered.min(rate),
                _ => rate,
            };
            known.add(spec.clone(), made_up(campaign, spec, rate, 10));
        }
        rounds.push(round);
        assert!(rounds.len() < 100);
    }
}

fn repeats_of(variants: &[usize], repeats: &[u32]) -> Vec<TrialSpec> {
    let of = |repeat: &u32| {
        let repeat = *repeat;
        variants.iter().map(move |v| TrialSpec::repeat(*v, 0, repeat))
    };
    repeats.iter().flat_map(of).collect()
}

#[test]
fn every_cell_comes_once_before_any_comes_twice_and_the_baseline_is_first() {
    let mut campaign = campaign();
    let first = plan::next(&campaign, &model(), &KnownTrials::default(), false);
    assert_eq!(first, repeats_of(&[0, 1], &[0, 1]));
    campaign.method.baseline = "optane".into();
    let first = plan::next(&campaign, &model(), &KnownTrials::default(), false);
    assert_eq!(first, repeats_of(&[1, 0], &[0, 1]));
}

#[test]
fn the_next_round_does_not_depend_on_the_order_in_which_trials_ended() {
    let campaign = campaign();
    let round = plan::next(&campaign, &model(), &KnownTrials::default(), false);
    let after = |specs: &mut dyn Iterator<Item = &TrialSpec>| {
        let mut known = KnownTrials::default();
        for spec in specs {
            // So far apart that no effect is known after two trials each.
            let rate = 600.0 * (1.0 + 3.0 * f64::from(spec.repeat) * spec.variant as f64);
            known.add(spec.clone(), made_up(&campaign, spec, rate, 10));
        }
        plan::next(&campaign, &model(), &known, false)
    };
    let next = after(&mut round.iter());
    assert_eq!(next, repeats_of(&[0, 1], &[2]));
    assert_eq!(after(&mut round.iter().rev()), next);
}

#[test]
fn a_clear_effect_ends_the_campaign_and_an_open_one_the_most_trials() {
    let campaign = campaign();
    let ended = rounds(&campaign, &mut KnownTrials::default(), [600.0, 6000.0], false);
    assert_eq!(ended.len(), 1);
    assert_eq!(trials_of_a_swinging_variant(&campaign, |_| ()), 12);
}

#[test]
fn single_trials_are_enough_for_a_large_effect_alone() {
    let campaign = synthetic::campaign(&LAB.replace("min_trials = 2\n", ""));
    let trials = |rates| {
        let mut known = KnownTrials::default();
        rounds(&campaign, &mut known, rates, false);
        known.trials().len()
    };
    assert_eq!(trials([600.0, 6000.0]), 2);
    assert_eq!(trials([600.0, 100.0]), 2);
    // Clear too, by the batches within the trials.
    assert_eq!(trials([600.0, 660.0]), 4);
    assert_eq!(trials([600.0, 601.0]), 4);
    // The same runs.
    assert_eq!(trials([600.0, 600.0]), 2);
}

/// How many trials a campaign has of which one variant swings between half and double; `change` changes each.
fn trials_of_a_swinging_variant(campaign: &Campaign, change: impl Fn(&mut Trial)) -> usize {
    let mut known = KnownTrials::default();
    loop {
        let round = plan::next(campaign, &model(), &known, false);
        if round.is_empty() {
            return known.trials().len();
        }
        for spec in round {
            let swing = [1.0, 0.5 + 1.5 * f64::from(spec.repeat % 2)][spec.variant];
            let mut trial = made_up(campaign, &spec, 600.0 * swing, 10);
            change(&mut trial);
            known.add(spec, trial);
        }
    }
}

/// One pair of latencies is a ratio without an interval: it decides nothing.
#[test]
fn a_paced_workload_is_repeated_until_its_latency_has_an_interval() {
    let paced = LAB.replace("runtime=10", "runtime=10\nrate_iops=100");
    let paced = synthetic::campaign(&paced.replace("min_trials = 2\n", ""));
    let mut known = KnownTrials::default();
    rounds(&paced, &mut known, [90.0, 99.0], false);
    let of = |variant| known.cell(variant, 0).count();
    assert!(of(0) > 1 && of(1) > 1, "{} and {}", of(0), of(1));
}

#[test]
fn repeats_end_where_only_a_longer_run_would_decide() {
    let rises = |trial: &mut Trial| {
        let TrialResult::Measured(measured) = &mut trial.outcome else { panic!("it failed") };
        // It gains a tenth of its first rate in each second.
        for (number, second) in measured.seconds.iter_mut().enumerate() {
            second.writes *= 1.0 + 0.1 * number as f64;
        }
    };
    assert_eq!(trials_of_a_swinging_variant(&campaign(), rises), 8, "of twelve");
}

#[test]
fn a_cell_that_failed_twice_is_given_up_and_the_others_go_on() {
    let campaign = campaign();
    let mut known = KnownTrials::default();
    for spec in plan::next(&campaign, &model(), &known, false) {
        let trial = match spec.variant {
            1 => failed(&campaign, &spec),
            _ => made_up(&campaign, &spec, 600.0, 10),
        };
        known.add(spec, trial);
    }
    assert!(known.is_given_up(1, 0) && !known.is_given_up(0, 0));
    assert_eq!(plan::next(&campaign, &model(), &known, false), []);
}

#[test]
fn a_cell_whose_first_trial_failed_has_a_second() {
    let campaign = synthetic::campaign(&LAB.replace("min_trials = 2\n", ""));
    let rounds_until_ended = |fails: fn(&TrialSpec) -> bool| {
        let mut known = KnownTrials::default();
        let mut rounds = Vec::new();
        loop {
            let round = plan::next(&campaign, &model(), &known, false);
            if round.is_empty() {
                return rounds;
            }
            for spec in &round {
                let trial = match fails(spec) {
                    true => failed(&campaign, spec),
                    false => made_up(&campaign, spec, [600.0, 6000.0][spec.variant], 10),
                };
                known.add(spec.clone(), trial);
            }
            rounds.push(round);
        }
    };
    let expected = [repeats_of(&[0, 1], &[0]), repeats_of(&[1], &[1])];
    let once = rounds_until_ended(|spec| (spec.variant, spec.repeat) == (1, 0));
    assert_eq!(once, expected);
    let always = rounds_until_ended(|spec| spec.variant == 1);
    assert_eq!(always, expected);
}

#[test]
fn a_re_run_without_a_cost_takes_half_of_the_window_and_eight_seconds_at_least() {
    let window = |change: fn(&mut Campaign)| {
        let mut campaign = campaign();
        change(&mut campaign);
        window_s(&campaign.method, &campaign.workloads[0])
    };
    assert_eq!(window(|c| c.method.runtime_s = Some(30.0)), Some(15.0));
    assert_eq!(window(|c| c.method.runtime_s = Some(10.0)), Some(8.0));
    assert_eq!(window(|c| c.method.runtime_s = Some(6.0)), Some(6.0));
    assert_eq!(window(|_| ()), None, "the job file says how long");
    let whole = window(|c| (c.method.runtime_s, c.method.restart) = (Some(30.0), true));
    assert_eq!(whole, Some(30.0));
    let mut paced = synthetic::campaign(&LAB.replace("runtime=10", "rate_iops=100"));
    paced.method.runtime_s = Some(30.0);
    assert_eq!(window_s(&paced.method, &paced.workloads[0]), Some(30.0));
}

#[test]
fn a_ladder_ends_at_the_first_rung_that_is_not_reached() {
    let mut campaign = campaign();
    campaign.workloads[0].rates = Some(Rates::Stated(vec![100.0, 200.0, 400.0, 800.0]));
    let mut known = KnownTrials::default();
    let rungs: Vec<Vec<(usize, f64)>> = rounds(&campaign, &mut known, [150.0, 390.0], false)
        .iter()
        .map(|round| {
            let rung = |spec: &TrialSpec| match spec.kind {
                TrialKind::Rate(rate) if spec.repeat == 0 => Some((spec.variant, rate)),
                _ => None,
            };
            round.iter().filter_map(rung).collect()
        })
        .filter(|round: &Vec<_>| !round.is_empty())
        .collect();
    // 390 of 400 are more than 95 %; 150 of 200 are not.
    let expected: [&[(usize, f64)]; 4] =
        [&[(0, 100.0), (1, 100.0)], &[(0, 200.0), (1, 200.0)], &[(1, 400.0)], &[(1, 800.0)]];
    assert_eq!(rungs, expected);
}

#[test]
fn an_automatic_ladder_begins_at_a_tenth_of_the_closed_loop_on_numbers_that_all_variants_share() {
    let mut campaign = campaign();
    campaign.workloads[0].rates = Some(Rates::Auto);
    let mut known = KnownTrials::default();
    rounds(&campaign, &mut known, [700.0, 15_000.0], false);
    let of = |variant: &str| -> Vec<f64> {
        let rungs = known.trials().iter().filter(|t| t.variant == variant && t.repeat == 0);
        rungs.filter_map(|t| t.offered_rate).collect()
    };
    let low = [68.0, 100.0, 150.0, 220.0, 330.0, 470.0, 680.0, 1000.0];
    assert_eq!(of("none"), low);
    assert_eq!(of("optane").first(), Some(&1500.0));
    assert_eq!(of("optane").last(), Some(&22_000.0));
}

#[test]
fn a_rate_that_fio_rounds_is_not_offered_again() {
    let mut campaign = campaign();
    campaign.workloads[0].rates = Some(Rates::Stated(vec![20.0, 40.0, 80.0]));
    let mut known = KnownTrials::default();
    let mut rates = Vec::new();
    loop {
        let round = plan::next(&campaign, &model(), &known, false);
        if round.is_empty() {
            break;
        }
        for spec in round {
            // Sixteen clones get whole operations per second: 16 instead of 20, 48 instead of 40.
            let mut trial = made_up(&campaign, &spec, [600.0, 6000.0][spec.variant], 10);
            if let TrialKind::Rate(rate) = spec.kind {
                let offered = (rate / 16.0).round().max(1.0) * 16.0;
                trial = made_up(&campaign, &spec, offered, 10);
                trial.offered_rate = Some(offered);
                if (spec.variant, spec.repeat) == (0, 0) {
                    rates.push(rate);
                }
            }
            known.add(spec, trial);
        }
    }
    assert_eq!(rates, [20.0, 40.0, 80.0]);
}

#[test]
fn a_rung_that_fails_ends_its_ladder() {
    let mut campaign = campaign();
    campaign.workloads[0].rates = Some(Rates::Stated(vec![100.0, 200.0]));
    let mut known = KnownTrials::default();
    let mut second = Vec::new();
    loop {
        let round = plan::next(&campaign, &model(), &known, false);
        if round.is_empty() {
            break;
        }
        for spec in round {
            let mut trial = made_up(&campaign, &spec, [600.0, 6000.0][spec.variant], 10);
            match spec.kind {
                TrialKind::Rate(_) if spec.variant == 0 => trial = failed(&campaign, &spec),
                TrialKind::Rate(rate) if rate > 150.0 => second.push(spec.variant),
                _ => {}
            }
            known.add(spec, trial);
        }
    }
    assert_eq!(second, [1, 1]);
}

#[test]
fn preferred_numbers_are_whole_and_begin_at_or_below_what_is_asked() {
    let first: Vec<f64> = preferred(0.3).take(8).collect();
    assert_eq!(first, [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 22.0]);
    assert_eq!(preferred(70.0).next(), Some(68.0));
}

#[test]
fn cells_of_a_decided_effect_are_run_again_where_they_have_the_uncertain_drive() {
    let mut campaign = campaign();
    campaign.method.sensitivity = vec![0.5, 2.0];
    let rounds = rounds(&campaign, &mut KnownTrials::default(), [600.0, 6000.0], false);
    let mut changes = Vec::new();
    for spec in rounds.last().unwrap() {
        let TrialKind::Rerun(change) = &spec.kind else { panic!("{spec:?}") };
        assert_eq!((spec.variant, spec.repeat), (1, 0));
        changes.push((change.parameter.as_str(), change.factor));
    }
    changes.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let expected = [
        ("flash.flush_us", 0.5),
        ("flash.flush_us", 2.0),
        ("flash.write_latency_us", 0.5),
        ("flash.write_latency_us", 2.0),
    ];
    assert_eq!(changes, expected);
}

#[test]
fn two_file_systems_are_run_again_with_the_drives_in_which_they_differ() {
    let (drives, rest) = LAB.split_once("[pool]").unwrap();
    let (_, workloads) = rest.split_once("[workloads.sync]").unwrap();
    let variants = r#"
[variants.disk]
stack = "ext4"
drive = "hdd0"
[variants.flash]
stack = "ext4"
drive = "optane0"
"#;
    let lab = format!("{drives}{variants}[workloads.sync]{workloads}");
    let mut campaign = synthetic::campaign(&lab);
    campaign.method.sensitivity = vec![2.0];
    let rounds = rounds(&campaign, &mut KnownTrials::default(), [600.0, 6000.0], false);
    let mut changes: Vec<(usize, String)> = Vec::new();
    for spec in rounds.last().unwrap() {
        let TrialKind::Rerun(change) = &spec.kind else { panic!("{spec:?}") };
        changes.push((spec.variant, format!("{} {}", change.drive, change.parameter)));
    }
    changes.sort();
    let expected = [(0, "hdd hdd.write_ack_ms"), (1, "optane flash.flush_us")];
    assert_eq!(changes, expected.map(|(variant, change)| (variant, change.to_owned())));
}

#[test]
fn a_changed_number_makes_a_valid_drive_and_touches_no_other() {
    let campaign = campaign();
    let change = |parameter: &str, factor| Perturbation {
        drive: "optane".into(),
        parameter: parameter.into(),
        factor,
    };
    let stated = &campaign.variants[1];
    let changed = sensitivity::perturbed(stated, &change("flash.flush_us", 2.0)).unwrap();
    let profile: drives::Profile =
        serde_json::from_value(changed.drives["optane"].numbers.clone()).unwrap();
    profile.validate().unwrap();
    assert_eq!(profile.flash.unwrap().flush_us.value, 20.0);
    assert_eq!(changed.drives["hdd"], stated.drives["hdd"]);
    assert_eq!(changed.pool, stated.pool);
    // A drive whose requests take an eighth as long does eight times as many one after another.
    let quick = sensitivity::perturbed(stated, &change("flash.write_latency_us", 0.125)).unwrap();
    let quick: drives::Profile =
        serde_json::from_value(quick.drives["optane"].numbers.clone()).unwrap();
    quick.validate().unwrap();
    assert!(sensitivity::perturbed(stated, &change("flash.nothing", 2.0)).is_none());
    assert!(sensitivity::perturbed(stated, &change("hdd.write_ack_ms", 2.0)).is_none());
}

#[test]
fn every_cell_is_run_once_at_each_other_size() {
    let mut campaign = campaign();
    campaign.method.size_check = vec![2.0, 4.0];
    let rounds = rounds(&campaign, &mut KnownTrials::default(), [600.0, 6000.0], false);
    let sizes: Vec<(usize, TrialKind)> =
        rounds.last().unwrap().iter().map(|spec| (spec.variant, spec.kind.clone())).collect();
    let at = |variant, size| (variant, TrialKind::Size(size));
    assert_eq!(sizes, [at(0, 2.0), at(1, 2.0), at(0, 4.0), at(1, 4.0)]);
}

/// The synthetic trials write; their counters show whether they commit or read from drives.
#[test]
fn costs_are_removed_last_from_the_baseline_and_the_best_where_they_apply() {
    let campaign = campaign();
    let with = |counters: &[(Counter, f64)]| {
        let mut known = KnownTrials::default();
        for spec in plan::next(&campaign, &model(), &known, true) {
            let mut trial = made_up(&campaign, &spec, [600.0, 6000.0][spec.variant], 10);
            if let TrialResult::Measured(measured) = &mut trial.outcome {
                measured.totals.extend(counters.iter().cloned());
            }
            known.add(spec, trial);
        }
        let round = plan::next(&campaign, &model(), &known, true);
        let cost = |spec: &TrialSpec| match spec.kind {
            TrialKind::Without(cost) => (spec.variant, spec.repeat, cost),
            _ => panic!("{spec:?}"),
        };
        round.iter().map(cost).collect::<Vec<_>>()
    };
    let both = |costs: &[Cost]| -> Vec<(usize, u32, Cost)> {
        let of = |variant| costs.iter().map(move |cost| (variant, 0, *cost));
        // What does more operations takes longer, and is begun first.
        of(1).chain(of(0)).collect()
    };
    assert_eq!(with(&[]), both(&[Cost::Seek]));
    // Half of the host's cores, and less than a hundredth of a client.
    let busy = |share| with(&[(Counter::ProcessorBusy, share)]);
    assert_eq!(busy(0.5), both(&[Cost::Processor, Cost::Seek]));
    assert_eq!(busy(0.000_1), both(&[Cost::Seek]));
    let drive = |name: &str, what| Counter::drive(name, what);
    let flushed = |name| {
        [
            (Counter::ZilCommits, 5.0),
            (drive(name, DriveCounter::Flushes), 5.0),
            (Counter::ThrottleDirtyDelay, 1.0),
        ]
    };
    let sync = flushed("hdd0");
    // The variant without a log vdev writes its log among its data; the other's log drives are sent no flush.
    let mut wanted = both(&[Cost::WriteThrottle, Cost::LogFlush, Cost::LogWrite, Cost::Seek]);
    let logs: Vec<bool> = campaign.variants.iter().map(has_log).collect();
    wanted.retain(|(variant, _, cost)| match cost {
        Cost::LogWrite => logs[*variant],
        Cost::LogFlush => !logs[*variant],
        _ => true,
    });
    assert_eq!(with(&sync), wanted);
    let log_flushes = with(&flushed("optane0"));
    let log_flushes = log_flushes.iter().filter(|(_, _, cost)| *cost == Cost::LogFlush);
    assert!(log_flushes.map(|(variant, ..)| logs[*variant]).eq([true]));
    assert!(logs.contains(&true) && logs.contains(&false), "{logs:?}");
    // A hundredth of the time of one client for a second, and less than that.
    assert_eq!(
        with(&[(drive("hdd0", DriveCounter::ReadNs), 1e12)]),
        both(&[Cost::PoolRead, Cost::ArcSize, Cost::Seek])
    );
    assert_eq!(with(&[(drive("hdd0", DriveCounter::ReadNs), 1.0)]), both(&[Cost::Seek]));
}

fn has_log(variant: &lab::campaign::Variant) -> bool {
    let mut vdevs = variant.pool.vdevs.iter();
    vdevs.any(|vdev| vdev.class == lab::campaign::AllocationClass::Log)
}

#[test]
fn where_the_baseline_is_the_best_only_it_is_run_without_costs() {
    let campaign = campaign();
    let rounds = rounds(&campaign, &mut KnownTrials::default(), [6000.0, 600.0], true);
    assert!(rounds.last().unwrap().iter().all(|spec| spec.variant == 0));
    assert!(rounds.len() > 1);
}
