//! What makes a trial another trial, and what does not.

mod synthetic;

use bench::inputs::Inputs;
use bench::trial_spec::TrialSpec;
use lab::campaign::{Campaign, Processor};
use lab::model::HostLimits;
use measurement::{Cost, Perturbation, TrialKind};
use store::Key;
use synthetic::{campaign, model};

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
"#;

const OPTANE: usize = 1;

fn inputs(campaign: &Campaign, spec: &TrialSpec) -> Inputs {
    Inputs::new(campaign, &model(), spec, "build")
}

fn key(campaign: &Campaign, spec: &TrialSpec) -> Key {
    inputs(campaign, spec).key().unwrap().0
}

fn spec() -> TrialSpec {
    TrialSpec::repeat(OPTANE, 0, 0)
}

#[test]
fn names_prices_sources_notes_and_idle_properties_do_not_change_the_key() {
    let stated = campaign(LAB);
    let changes: [&dyn Fn(&mut Campaign); 11] = [
        &|c| c.variants[OPTANE].name = "other".into(),
        &|c| c.variants[OPTANE].levels.clear(),
        &|c| c.workloads[0].name = "other".into(),
        &|c| c.variants[OPTANE].drives.get_mut("optane").unwrap().price = None,
        &|c| c.host.memory_price = Some(3.0),
        &|c| c.variants[OPTANE].memory = Some(c.host.memory),
        &|c| c.method.budget_s += 60.0,
        &|c| c.title = "other".into(),
        &|c| {
            let root = c.variants[OPTANE].datasets.entry(String::new()).or_default();
            root.insert("mountpoint".into(), "none".into());
        },
        &|c| {
            let pool = &mut c.variants[OPTANE].pool.properties;
            pool.insert("compatibility".into(), "legacy".into());
        },
        &|c| {
            let kind = c.variants[OPTANE].drives.get_mut("optane").unwrap();
            kind.numbers["flash"]["flush_us"] = serde_json::json!(10.0);
        },
    ];
    for (i, change) in changes.iter().enumerate() {
        let mut changed = stated.clone();
        change(&mut changed);
        assert_eq!(key(&changed, &spec()), key(&stated, &spec()), "change {i}");
    }
    assert_ne!(stated.workloads[0].program.runs(), "job.fio");
    // Drives that the pool does not use.
    let mut without = stated.clone();
    without.variants[0].drives.remove("optane");
    without.variants[0].drives.get_mut("hdd").unwrap().count = 12;
    let none = TrialSpec::repeat(0, 0, 0);
    assert_eq!(key(&without, &none), key(&stated, &none));
}

#[test]
fn everything_that_a_result_depends_on_changes_the_key() {
    let stated = campaign(LAB);
    let changes: [&dyn Fn(&mut Campaign); 9] = [
        &|c| c.host.processor = Processor::Free,
        &|c| c.host.memory *= 2,
        &|c| c.host.cores += 1,
        &|c| c.variants[OPTANE].memory = Some(1 << 34),
        &|c| c.method.runtime_s = Some(7.0),
        &|c| c.method.seed += 1,
        &|c| c.workloads[0].size = Some(1 << 33),
        &|c| {
            let root = c.variants[OPTANE].datasets.entry(String::new()).or_default();
            root.insert("recordsize".into(), "16384".into());
        },
        &|c| {
            let kind = c.variants[OPTANE].drives.get_mut("optane").unwrap();
            kind.numbers["flash"]["flush_us"] = serde_json::json!(11.0);
        },
    ];
    let mut keys = vec![key(&stated, &spec())];
    for change in changes {
        let mut changed = stated.clone();
        change(&mut changed);
        keys.push(key(&changed, &spec()));
    }
    for kind in [
        TrialKind::Rate(100.0),
        TrialKind::Size(2.0),
        TrialKind::Without(Cost::LogFlush),
        TrialKind::Without(Cost::Seek),
        TrialKind::Rerun(Perturbation {
            drive: "optane".into(),
            parameter: "flash.flush_us".into(),
            factor: 2.0,
        }),
    ] {
        keys.push(key(&stated, &TrialSpec { kind, ..spec() }));
    }
    keys.push(key(&stated, &TrialSpec::repeat(OPTANE, 0, 1)));
    keys.push(key(&stated, &TrialSpec::repeat(0, 0, 0)));
    let other_build = Inputs::new(&stated, &model(), &spec(), "other");
    keys.push(other_build.key().unwrap().0);
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

#[test]
fn inputs_are_canonical_and_come_back_as_they_were() {
    let inputs = inputs(&campaign(LAB), &spec());
    let bytes = inputs.bytes().unwrap();
    assert_eq!(Inputs::read(&bytes).unwrap(), inputs);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with(r#"{"build":"build","format":"#), "{text}");
    let at = |name: &str| text.find(&format!("\"{name}\":")).unwrap();
    assert!(at("host") < at("method") && at("seed") < at("variant"));
    assert!(!text.contains("source") && !text.contains('\n'));
    // A field that this version does not know.
    let other = text.replacen('{', r#"{"aaa":1,"#, 1);
    assert!(Inputs::read(other.as_bytes()).is_err());
    let other = text.replace("\"format\":", "\"format\":9");
    let message = Inputs::read(other.as_bytes()).unwrap_err().to_string();
    assert!(message.contains("another version"), "{message}");
}

#[test]
fn drives_in_the_inputs_are_valid_profiles() {
    let inputs = inputs(&campaign(LAB), &spec());
    assert_eq!(inputs.variant.drives.len(), 2);
    for kind in inputs.variant.drives.values() {
        let profile: drives::Profile = serde_json::from_value(kind.numbers.clone()).unwrap();
        profile.validate().unwrap();
    }
}

#[test]
fn the_drives_of_an_array_take_part_as_those_of_a_pool_do() {
    let text = lab::builtin::lab("zfs-or-md-nvme").unwrap();
    let (profiles, files) = (lab::Profiles::builtin(), lab::builtin::BuiltinFiles);
    let (campaign, _) = lab::load("zfs-or-md-nvme.toml", text, &files, &profiles).unwrap();
    for variant in 0..campaign.variants.len() {
        let inputs = inputs(&campaign, &TrialSpec::repeat(variant, 0, 0));
        let counts: Vec<u32> = inputs.variant.drives.values().map(|kind| kind.count).collect();
        assert_eq!(counts, [4], "{}", campaign.variants[variant].name);
    }
}

#[test]
fn variants_and_workloads_of_a_repeat_share_a_seed_and_repeats_do_not() {
    let campaign = campaign(LAB);
    let seeds: Vec<u64> =
        (0..100).map(|repeat| TrialSpec::repeat(0, 0, repeat).seed(&campaign)).collect();
    let mut apart = seeds.clone();
    apart.sort();
    apart.dedup();
    assert_eq!(apart.len(), seeds.len());
    for variant in 0..2 {
        assert_eq!(TrialSpec::repeat(variant, 0, 7).seed(&campaign), seeds[7]);
    }
    let mut more = campaign.clone();
    more.method.max_trials += 5;
    more.variants.pop();
    assert_eq!(TrialSpec::repeat(0, 0, 7).seed(&more), seeds[7]);
    more.method.seed += 1;
    assert_ne!(TrialSpec::repeat(0, 0, 7).seed(&more), seeds[7]);
}

#[test]
fn another_variant_or_workload_does_not_change_the_key_of_a_cell() {
    let stated = "\n[scale]\nsize = 8\ndirty_data_max = \"64M\"\n";
    let keys = |more: &str| {
        let campaign = campaign(&format!("{LAB}{stated}{more}"));
        let model = lab::model::resolve(&campaign, &HostLimits::MACHINE).unwrap();
        let none = campaign.variants.iter().position(|v| v.name == "none").unwrap();
        let sync = campaign.workloads.iter().position(|w| w.name == "sync").unwrap();
        let inputs = Inputs::new(&campaign, &model, &TrialSpec::repeat(none, sync, 0), "build");
        (inputs.key().unwrap().0, model.drives_hold)
    };
    let (alone, held) = keys("");
    let larger = "[workloads.larger]\nfio.job = \"[w]\\nrw=read\\nsize=8g\\nruntime=10\\n\"\n";
    let (beside, held_beside) = keys(larger);
    assert!(held_beside > held, "the drives of the campaign come to hold more");
    assert_eq!(alone, beside);
}

#[test]
fn properties_that_do_not_act_are_not_set_in_the_machine() {
    let stated = "vdevs = \"mirror hdd[0-1]\"\nmultihost = \"on\"\ncompatibility = \"openzfs-2.1-linux\"\n\
                  altroot = \"/mnt\"\nautotrim = \"on\"\n\
                  [dataset]\nencryption = \"on\"\nkeyformat = \"passphrase\"\nkeylocation = \"prompt\"\n\
                  pbkdf2iters = 500000\nmountpoint = \"none\"\ncanmount = \"off\"\natime = \"off\"\n\
                  [datasets.db]\nmountpoint = \"/srv\"\nsharenfs = \"on\"\nrecordsize = \"16K\"\n";
    let campaign = campaign(&LAB.replace("vdevs = \"mirror hdd[0-1]\"\n", stated));
    let inputs = inputs(&campaign, &TrialSpec::repeat(0, 0, 0));
    assert_eq!(
        lab::build_commands::commands(&inputs.variant).lines(),
        [
            "zpool create -o autotrim=on -O atime=off tank mirror hdd0 hdd1",
            "zfs create -o recordsize=16K tank/db"
        ]
    );
}
