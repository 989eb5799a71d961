//! Trials that are no repeats of a closed-loop cell: ladders, re-runs, other size scales.

mod synthetic;

use bench::ladder::{self, preferred};
use bench::schedule::Extra;
use bench::{rerun, resize};
use findings::record::{Outcome, Perturbation, Trial};
use lab::campaign::{Campaign, Rates};
use lab::{NoFiles, Profiles};
use synthetic::{made_up, model};

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
sensitivity = [0.5, 2]
"#;

fn campaign(rates: Option<Rates>) -> Campaign {
    let (mut campaign, _) = lab::load("lab.toml", LAB, &NoFiles, &Profiles::builtin()).unwrap();
    campaign.workloads[0].rates = rates;
    campaign
}

const FIRST: u64 = 1000;

/// Climbs every ladder, on pools that can take so much; gives (variant, repeat, rate) in order.
fn climb(campaign: &Campaign, mut trials: Vec<Trial>, most: [f64; 2]) -> Vec<(usize, u32, f64)> {
    let mut climbed = Vec::new();
    while let Some(slot) = ladder::next(campaign, &trials, FIRST, &[], |_, _| 7) {
        let Some(Extra::Rate(rate)) = slot.extra else {
            panic!("{slot:?}")
        };
        assert!(trials.iter().all(|t| t.id != slot.id), "{slot:?}");
        climbed.push((slot.variant, slot.repeat, rate));
        trials.push(made_up(campaign, &slot, rate.min(most[slot.variant]), 10));
        assert!(climbed.len() < 200);
    }
    climbed
}

#[test]
fn a_ladder_ends_at_the_first_rung_that_is_not_reached_and_variants_take_turns() {
    let campaign = campaign(Some(Rates::Stated(vec![100.0, 200.0, 400.0, 800.0])));
    let climbed = climb(&campaign, Vec::new(), [150.0, 390.0]);
    // 390 of 400 are more than 95 %; 150 of 200 are not.
    let once = |repeat| {
        let mut rungs = vec![
            (0, repeat, 100.0),
            (1, repeat, 100.0),
            (0, repeat, 200.0),
            (1, repeat, 200.0),
            (1, repeat, 400.0),
            (1, repeat, 800.0),
        ];
        if repeat == 1 {
            rungs.swap(0, 1);
            rungs.swap(2, 3);
        }
        rungs
    };
    assert_eq!(climbed, [once(0), once(1)].concat());
}

#[test]
fn a_rate_that_fio_rounds_down_is_not_offered_again() {
    // Sixteen clones are told whole operations a second: 16 instead of 20, 48 instead of 40.
    let campaign = campaign(Some(Rates::Stated(vec![20.0, 40.0, 80.0])));
    let mut trials: Vec<Trial> = Vec::new();
    let mut rates = Vec::new();
    while let Some(slot) = ladder::next(&campaign, &trials, FIRST, &[], |_, _| 7) {
        let Some(Extra::Rate(rate)) = slot.extra else {
            panic!("{slot:?}")
        };
        let told = (rate / 16.0).round().max(1.0) * 16.0;
        if (slot.variant, slot.repeat) == (0, 0) {
            rates.push(rate);
        }
        trials.push(Trial {
            offered_rate: Some(told),
            ..made_up(&campaign, &slot, told, 10)
        });
        assert!(trials.len() < 50, "{rates:?}");
    }
    assert_eq!(rates, [20.0, 40.0, 80.0]);
}

#[test]
fn an_automatic_ladder_starts_at_a_tenth_of_the_closed_loop_on_numbers_that_all_variants_share() {
    let campaign = campaign(Some(Rates::Auto));
    assert_eq!(
        climb(&campaign, Vec::new(), [1.0; 2]),
        [],
        "nothing is known yet"
    );
    let slots = bench::schedule::order(&campaign);
    let closed: Vec<Trial> = slots
        .iter()
        .filter(|s| s.repeat < 2)
        .map(|s| made_up(&campaign, s, [700.0, 15_000.0][s.variant], 10))
        .collect();
    let climbed = climb(&campaign, closed, [700.0, 15_000.0]);
    let of = |variant| -> Vec<f64> {
        let first = climbed.iter().filter(|c| c.0 == variant && c.1 == 0);
        first.map(|c| c.2).collect()
    };
    assert_eq!(
        of(0),
        [68.0, 100.0, 150.0, 220.0, 330.0, 470.0, 680.0, 1000.0]
    );
    assert_eq!(of(1).first(), Some(&1500.0));
    assert_eq!(of(1).last(), Some(&22_000.0));
    assert_eq!(of(1)[1..].len(), 7);
}

#[test]
fn a_rung_that_fails_ends_its_ladder_in_this_run_and_is_tried_again_in_the_next() {
    let campaign = campaign(Some(Rates::Stated(vec![100.0, 200.0])));
    let first = ladder::next(&campaign, &[], FIRST, &[], |_, _| 7).unwrap();
    let mut failed = made_up(&campaign, &first, 1.0, 10);
    failed.outcome = Outcome::Failed {
        reason: "fio: no".into(),
    };
    let trials = [failed];
    let then = ladder::next(&campaign, &trials, FIRST, &[first.id], |_, _| 7).unwrap();
    assert_ne!(then.variant, first.variant);
    let again = ladder::next(&campaign, &trials, FIRST, &[], |_, _| 7).unwrap();
    assert_eq!(again, first);
}

#[test]
fn preferred_numbers_are_whole_and_begin_at_or_below_what_is_asked() {
    assert_eq!(
        preferred(0.3).take(8).collect::<Vec<_>>(),
        [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 22.0]
    );
    assert_eq!(preferred(70.0).next(), Some(68.0));
}

#[test]
fn cells_of_a_decided_effect_are_run_again_where_they_have_the_uncertain_drive() {
    let campaign = campaign(None);
    let model = synthetic::model();
    let slots = bench::schedule::order(&campaign);
    let mut trials: Vec<Trial> = slots
        .iter()
        .filter(|s| s.repeat < 6)
        .map(|s| {
            let rate = [600.0, 6000.0][s.variant] * (1.0 + 0.002 * f64::from(s.repeat));
            made_up(&campaign, s, rate, 10)
        })
        .collect();
    let mut ran = Vec::new();
    loop {
        let findings = findings::analyse(&campaign, &model, &trials);
        let Some(slot) = rerun::next(&campaign, &findings, &trials, FIRST, &[], |_, _| 7) else {
            break;
        };
        let Some(Extra::Rerun(change)) = &slot.extra else {
            panic!("{slot:?}")
        };
        assert_eq!(campaign.variants[slot.variant].name, "optane");
        ran.push((change.parameter.clone(), change.factor));
        trials.push(made_up(&campaign, &slot, 5000.0, 10));
        assert!(ran.len() < 20);
    }
    ran.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let want = |p: &str, f| (p.to_owned(), f);
    assert_eq!(
        ran,
        [
            want("flash.flush_us", 0.5),
            want("flash.flush_us", 2.0),
            want("flash.write_latency_us", 0.5),
            want("flash.write_latency_us", 2.0),
        ]
    );
}

#[test]
fn a_changed_number_makes_a_valid_drive_and_touches_no_other() {
    let campaign = campaign(None);
    let change = |parameter: &str, factor| Perturbation {
        drive: "optane".into(),
        parameter: parameter.into(),
        factor,
    };
    let stated = &campaign.variants[1];
    let changed = rerun::perturbed(stated, &change("flash.flush_us", 2.0)).unwrap();
    let profile: drives::Profile =
        serde_json::from_value(changed.drives["optane"].numbers.clone()).unwrap();
    profile.validate().unwrap();
    assert_eq!(profile.flash.unwrap().flush_us.value, 20.0);
    assert_eq!(changed.drives["hdd"], stated.drives["hdd"]);
    assert_eq!(changed.pool, stated.pool);
    // A drive whose requests take an eighth as long does eight times as many one after another.
    let quick = rerun::perturbed(stated, &change("flash.write_latency_us", 0.125)).unwrap();
    let quick: drives::Profile =
        serde_json::from_value(quick.drives["optane"].numbers.clone()).unwrap();
    quick.validate().unwrap();
    assert!(rerun::perturbed(stated, &change("flash.nothing", 2.0)).is_none());
    assert!(rerun::perturbed(stated, &change("hdd.write_ack_ms", 2.0)).is_none());
}

#[test]
fn every_cell_is_run_once_at_each_other_size_and_a_failed_one_keeps_its_id() {
    let mut campaign = campaign(None);
    campaign.method.size_check = vec![2.0, 4.0];
    let mut trials = Vec::new();
    let mut ran = Vec::new();
    while let Some(slot) = resize::next(&campaign, &model(), &trials, FIRST, &[], |_, _| 7) {
        let Some(Extra::Size(size)) = slot.extra else {
            panic!("{slot:?}")
        };
        ran.push((slot.id, slot.variant, size));
        trials.push(made_up(&campaign, &slot, 100.0, 10));
        assert!(ran.len() < 20);
    }
    let ids = [
        (1000, 0, 2.0),
        (1001, 1, 2.0),
        (1002, 0, 4.0),
        (1003, 1, 4.0),
    ];
    assert_eq!(ran, ids);

    trials[1].outcome = Outcome::Failed { reason: "x".into() };
    let again = resize::next(&campaign, &model(), &trials, FIRST, &[], |_, _| 7);
    assert_eq!(again.map(|slot| slot.id), Some(1001));
    let tried = resize::next(&campaign, &model(), &trials, FIRST, &[1001], |_, _| 7);
    assert_eq!(tried, None);
}
