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
    // Each trial: 2 s to start, 5 GiB laid out at 500 MB/s, half a second for each virtual one.
    let wall_s = 3.0 * (2.0 + 5.0 * GIB as f64 / 500e6 + 17.5);
    assert!((estimate.wall_s - wall_s).abs() < 1e-9, "{}", estimate.wall_s);
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
    assert_eq!(estimated_s(more) - estimated_s(""), 2.0 * (30.0 + 600.0));
    let more = "[workloads.whole]\nfio.job = \"[w]\\nrw=read\\nsize=20g\\n\"\n";
    let campaign = campaign("64G", more);
    let found = estimate(&campaign, &model(&campaign, &ROOMY));
    assert_eq!(found.untimed, ["whole"]);
}
