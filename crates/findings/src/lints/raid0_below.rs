//! RAID 0 is not slower than a redundant layout of the same drives.

use super::Table;
use crate::schema::{Lint, LintFinding, Severity};

/// Differences below this are noise.
const NOISE: f64 = 0.05;

/// RAID 0 rows below another level's with as many drives and the same workload. Under the same settings
/// one of them is wrong; under others the two are not comparable.
pub fn lint(table: &Table) -> Vec<Lint> {
    let mut lints = Vec::new();
    for row in &table.rows {
        let Some((setup, raid0)) = table.setup(row).zip(row.throughput) else {
            continue;
        };
        if setup.level.as_deref() != Some("raid0") {
            continue;
        }
        for other_row in &table.rows {
            let Some((other_setup, other)) = table.setup(other_row).zip(other_row.throughput)
            else {
                continue;
            };
            let Some(level) =
                other_setup.level.as_ref().filter(|level| REDUNDANT.contains(&level.as_str()))
            else {
                continue;
            };
            let comparable = setup.drives.is_some()
                && other_setup.drives == setup.drives
                && other_row.workload == row.workload
                && other_row.size == row.size;
            if comparable && other > raid0 * (1.0 + NOISE) {
                let same_settings = row.settings == other_row.settings;
                lints.push(Lint {
                    rows: vec![row.name.clone(), other_row.name.clone()],
                    severity: if same_settings {
                        Severity::Implausible
                    } else {
                        Severity::NotComparable
                    },
                    finding: LintFinding::Raid0Below {
                        raid0,
                        other,
                        level: level.clone(),
                        same_settings,
                    },
                });
            }
        }
    }
    lints
}

const REDUNDANT: [&str; 5] = ["raid1", "raid5", "raid6", "raid10", "raid50"];
