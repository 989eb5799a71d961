//! Every lab that comes with Poolwright resolves, on the smallest machine that is promised.

use lab::builtin::{BuiltinFiles, labs};
use lab::model::{HostLimits, estimate, of_variant, resolve};
use lab::{Diagnostic, Profiles, load};

/// Two cores, 8 GB of memory, of which 7 are free, and 30 GB of disk.
const SMALL: HostLimits = HostLimits {
    memory: 7 << 30,
    store_bytes: 30 << 30,
    cores: 2,
};

#[test]
fn every_lab_resolves_and_fits_a_small_machine() {
    let mut wrong = Vec::new();
    for (name, text) in labs() {
        let (campaign, _) = match load(
            &format!("labs/{name}.toml"),
            text,
            &BuiltinFiles,
            &Profiles::builtin(),
        ) {
            Ok(loaded) => loaded,
            Err(said) => {
                let errors: Vec<&Diagnostic> = said.iter().filter(|d| d.is_error()).collect();
                wrong.push(format!("{name}: {errors:#?}"));
                continue;
            }
        };
        assert_eq!(campaign.name, *name);
        assert!(campaign.variants.len() >= 2, "{name} compares nothing");
        assert_eq!(
            campaign.variants[0].name, campaign.method.baseline,
            "{name}"
        );
        match resolve(&campaign, &SMALL) {
            Ok(model) => {
                let estimate = estimate(&campaign, &model);
                // A pilot chooses k; at the low end of what is usual the fewest trials must fit.
                if estimate.wall_s.0 > campaign.method.budget_s {
                    wrong.push(format!(
                        "{name}: {:?} s against a budget of {}",
                        estimate.wall_s, campaign.method.budget_s
                    ));
                }
                for variant in &campaign.variants {
                    let own = of_variant(&model, &campaign.host, variant);
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
    assert!(labs().len() >= 11);
}
