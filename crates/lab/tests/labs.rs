//! Every lab that comes with Poolwright resolves, and fits the memory that one machine may take.

use lab::builtin::{BuiltinFiles, labs};
use lab::campaign::OpenZfs;
use lab::model::{HostLimits, estimate, host_memory_needed, resolve, variant_model};
use lab::{Diagnostic, Profiles, load};

/// Trials that run side by side where the budgets of the labs count: one on each of two processors.
const JOBS: f64 = 2.0;

#[test]
fn every_lab_resolves_within_its_budget_and_the_memory_of_one_machine() {
    let mut wrong = Vec::new();
    let mut releases = Vec::new();
    for (name, text) in labs() {
        let (campaign, _) =
            match load(&format!("labs/{name}.toml"), text, &BuiltinFiles, &Profiles::builtin()) {
                Ok(loaded) => loaded,
                Err(diagnostics) => {
                    let errors: Vec<&Diagnostic> =
                        diagnostics.iter().filter(|d| d.is_error()).collect();
                    wrong.push(format!("{name}: {errors:#?}"));
                    continue;
                }
            };
        assert_eq!(campaign.name, *name);
        assert!(campaign.variants.len() >= 2, "{name} compares nothing");
        assert_eq!(campaign.variants[0].name, campaign.method.baseline, "{name}");
        releases.extend(campaign.variants.iter().map(|variant| variant.openzfs));
        match resolve(&campaign, &HostLimits::MACHINE) {
            Ok(model) => {
                let estimate = estimate(&campaign, &model);
                let wall_s = estimate.wall_s / JOBS;
                if wall_s > campaign.method.budget_s {
                    wrong.push(format!(
                        "{name}: {wall_s:.0} s against a budget of {}",
                        campaign.method.budget_s
                    ));
                }
                for variant in &campaign.variants {
                    let own = variant_model(&model, &campaign.host, variant);
                    let needed = host_memory_needed(&own);
                    if needed > HostLimits::MACHINE.memory {
                        wrong.push(format!("{name}/{}: needs {needed} bytes", variant.name));
                    }
                    assert!(
                        own.arc_max >= 4 * own.dirty_data_max,
                        "{name}/{}: ARC {} dirty {}",
                        variant.name,
                        own.arc_max,
                        own.dirty_data_max
                    );
                }
            }
            Err(refused) => wrong.push(format!("{name}: {refused:#?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(labs().len(), 47);
    for openzfs in OpenZfs::ALL {
        assert!(releases.contains(&openzfs), "no lab runs {openzfs}");
    }
}
