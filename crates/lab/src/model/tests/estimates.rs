//! How long a campaign is estimated to take.

use super::*;

#[test]
fn the_estimate_counts_the_fewest_trials() {
    let campaign = campaign(
        "128G",
        "[scale]\nsize = 32\ndirty_data_max = \"256M\"\n[method]\nmin_trials = 3\nramp = \"5s\"\n",
    );
    let estimate = estimate(&campaign, &model(&campaign, &ROOMY));
    assert_eq!((estimate.cells, estimate.trials), (1, 3));
    assert_eq!(estimate.virtual_s, 105.0);
    // Each trial: 2 s to start, no content to lay out, 30,000 operations of 150 µs in each virtual second.
    let wall_s = 3.0 * (2.0 + 35.0 * 30e3 * 150e-6);
    assert!((estimate.wall_s - wall_s).abs() < 1e-9, "{}", estimate.wall_s);
}

/// Operations of fio in a virtual second that wait for disks, for flash, and for no drive.
#[test]
fn fio_is_estimated_by_the_slowest_drives_that_it_waits_for() {
    let rate = |job: &str, change: &dyn Fn(&mut Campaign)| {
        let runtime = "runtime=10\n";
        let more =
            format!("[workloads.own]\nfio.job = \"\"\"\n[w]\nbs=16k\n{runtime}{job}\n\"\"\"\n");
        let mut campaign = campaign("64G", &more);
        campaign.workloads.retain(|workload| workload.name == "own");
        change(&mut campaign);
        let mut model = model(&campaign, &ROOMY);
        // Laying out takes no time.
        model.size = 1e12;
        let estimate = estimate(&campaign, &model);
        let operations = (estimate.wall_s / estimate.trials as f64 - 2.0) / 150e-6;
        (operations / 10.0).round()
    };
    let no_change = |_: &mut Campaign| ();
    let vdev = |more: &'static str| {
        move |campaign: &mut Campaign| {
            campaign.variants[0]
                .pool
                .vdevs
                .extend(zfs::vdev::parse(more).0.vdevs.into_iter().map(|placed| placed.vdev));
        }
    };
    let synced = "rw=randwrite\nsize=20g\nfsync=1";
    assert_eq!(rate(synced, &no_change), 300.0);
    assert_eq!(rate(synced, &vdev("log optane0")), 15e3);
    let disabled = |campaign: &mut Campaign| {
        let root = campaign.variants[0].datasets.get_mut("").expect("a root");
        root.insert("sync".to_owned(), "disabled".to_owned());
    };
    assert_eq!(rate(synced, &disabled), 30e3);
    assert_eq!(rate("rw=randread\nsize=20g", &no_change), 30e3, "from the ARC");
    assert_eq!(rate("rw=randread\nsize=200g", &no_change), 300.0);
    assert_eq!(rate("rw=randread\nsize=200g", &vdev("cache nvme0")), 15e3);
}

#[test]
fn a_database_whose_commits_wait_for_disks_is_estimated_with_fewer_transactions() {
    let database = "[workloads.oltp.pgbench]\nscale = 1\nclients = 1\n\
        [method]\nruntime = \"8s\"\n[scale]\nsize = 1\ndirty_data_max = \"256M\"\n";
    let mut campaign = campaign("128G", database);
    campaign.workloads.retain(|workload| workload.name == "oltp");
    let disks = estimate(&campaign, &model(&campaign, &ROOMY)).wall_s;
    let root = campaign.variants[0].datasets.get_mut("").expect("a root");
    root.insert("sync".to_owned(), "disabled".to_owned());
    let unsynced = estimate(&campaign, &model(&campaign, &ROOMY)).wall_s;
    assert!(disks * 3.0 < unsynced, "{disks} {unsynced}");
}

#[test]
fn a_ramp_of_the_jobs_own_counts_for_the_time_a_campaign_takes() {
    let more = "[workloads.ramp]\nfio.job = \"[w]\\nrw=read\\nsize=20g\\nruntime=30\\nramp_time=10m\\n\"\n";
    let estimated_s = |more: &str| {
        let campaign = campaign("64G", more);
        estimate(&campaign, &model(&campaign, &ROOMY)).virtual_s
    };
    assert_eq!(estimated_s(more) - estimated_s(""), 30.0 + 600.0);
    let more = "[workloads.whole]\nfio.job = \"[w]\\nrw=read\\nsize=20g\\n\"\n";
    let campaign = campaign("64G", more);
    let found = estimate(&campaign, &model(&campaign, &ROOMY));
    assert_eq!(found.untimed, ["whole"]);
}
