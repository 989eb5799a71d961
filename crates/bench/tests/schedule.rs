//! The order of trials.

use bench::schedule::{Extra, Slot, affordable, estimate_s, extras, order};
use lab::campaign::{Campaign, Host, Method, OpenZfs, Pool, Program, Scale, Variant, Workload};
use std::collections::BTreeMap;

fn campaign(variants: usize, workloads: usize, seed: u64) -> Campaign {
    Campaign {
        title: "t".into(),
        source: None,
        name: "t".into(),
        host: Host {
            memory: 1 << 33,
            cores: 4,
            memory_price: None,
        },
        variants: (0..variants)
            .map(|i| Variant {
                name: format!("v{i}"),
                levels: BTreeMap::new(),
                openzfs: OpenZfs::V2_1,
                drives: BTreeMap::new(),
                pool: Pool {
                    ashift: None,
                    vdevs: vec![],
                    properties: BTreeMap::new(),
                },
                datasets: BTreeMap::new(),
                module: BTreeMap::new(),
                module_words: Default::default(),
                memory: None,
            })
            .collect(),
        workloads: (0..workloads)
            .map(|i| Workload {
                name: format!("w{i}"),
                dataset: String::new(),
                program: Program::Fio {
                    origin: "<lab>".into(),
                    job: String::new(),
                },
                size: None,
                rates: None,
            })
            .collect(),
        method: Method {
            baseline: "v0".into(),
            precision: 0.05,
            budget_s: 100.0,
            min_trials: 2,
            max_trials: 4,
            runtime_s: None,
            ramp_s: 0.0,
            ramp_most_s: None,
            seed,
            sensitivity: Vec::new(),
            warm_up_s: 0.0,
            size_check: Vec::new(),
            restart: false,
        },
        scale: Scale {
            size: None,
            time: None,
            dirty_data_max: None,
        },
    }
}

fn cells(slots: &[Slot], repeat: u32) -> Vec<(usize, usize)> {
    slots
        .iter()
        .filter(|s| s.repeat == repeat)
        .map(|s| (s.variant, s.workload))
        .collect()
}

#[test]
fn repeats_come_in_pairs_of_which_the_second_runs_backwards() {
    let slots = order(&campaign(3, 2, 1));
    assert_eq!(slots.len(), 3 * 2 * 4);
    for pair in [0, 2] {
        let mut backwards = cells(&slots, pair + 1);
        backwards.reverse();
        assert_eq!(cells(&slots, pair), backwards);
    }
}

#[test]
fn every_repeat_runs_every_cell_once() {
    let slots = order(&campaign(4, 3, 9));
    for repeat in 0..4 {
        let mut seen = cells(&slots, repeat);
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 12);
    }
}

#[test]
fn the_order_follows_from_the_seed_and_differs_between_seeds() {
    assert_eq!(order(&campaign(6, 2, 5)), order(&campaign(6, 2, 5)));
    assert_ne!(order(&campaign(6, 2, 5)), order(&campaign(6, 2, 6)));
}

#[test]
fn a_campaign_that_asks_for_more_trials_keeps_those_it_had() {
    let (few, mut more) = (campaign(3, 2, 5), campaign(3, 2, 5));
    more.method.max_trials = lab::campaign::MOST_TRIALS;
    let (few_slots, more_slots) = (order(&few), order(&more));
    assert_eq!(few_slots, more_slots[..few_slots.len()]);
    assert_eq!(extras(&few), extras(&more));
    assert!(more_slots.iter().all(|slot| slot.id < extras(&few)));
}

#[test]
fn variants_of_one_repeat_are_offered_the_same_load_and_repeats_another() {
    let slots = order(&campaign(3, 2, 5));
    for slot in &slots {
        for other in &slots {
            let same = slot.repeat == other.repeat && slot.workload == other.workload;
            assert_eq!(slot.seed == other.seed, same);
        }
    }
}

#[test]
fn the_first_repeat_runs_whatever_the_budget_says_and_later_ones_do_not() {
    let slots = order(&campaign(2, 1, 0));
    let (first, later) = (slots[0].clone(), slots[2].clone());
    assert_eq!(later.repeat, 1);
    let rung = Slot {
        extra: Some(Extra::Rate(10.0)),
        ..first.clone()
    };
    assert!(affordable(&first, -1.0, 60.0));
    assert!(!affordable(&later, 59.0, 60.0) && affordable(&later, 61.0, 60.0));
    assert!(!affordable(&rung, 59.0, 60.0) && affordable(&rung, 61.0, 60.0));
}

#[test]
fn an_estimate_is_windows_stretched_by_k_and_what_goes_around_them() {
    assert_eq!(estimate_s(4, 30.0, 5.0, 10.0), 640.0);
}
