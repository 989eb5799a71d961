//! What a run leaves and shows.

use super::complain;
use crate::exit::ENVIRONMENT;
use crate::output;
use bench::isolate::Isolation;
use bench::programs::Fio;
use findings::record::{Outcome, Trial};
use serde_json::json;
use std::fs;
use store::Store;

/// Keeps where the campaign ran, and with what.
///
/// # Errors
/// When it cannot be written.
pub fn keep_machine(store: &Store, fio: &Fio, isolation: Isolation) -> Result<(), store::Error> {
    let line = |path: &str| {
        fs::read_to_string(path)
            .map(|text| text.trim().to_owned())
            .unwrap_or_default()
    };
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    store.write(
        "machine.json",
        &json!({
            "poolwright": env!("CARGO_PKG_VERSION"),
            "kernel": line("/proc/sys/kernel/osrelease"),
            "processor": processor,
            "cores": bench::machine::cores(),
            "load": line("/proc/loadavg"),
            "fio": fio.version,
            "fio_program": fio.program,
            "faketime": fio.faketime,
            "isolation": format!("{isolation:?}"),
        }),
    )
}

/// Prints what the campaign has shown. Says whether every cell has a measured trial.
///
/// # Errors
/// The exit code.
pub fn show(store: &Store, json: bool) -> Result<bool, u8> {
    let trials = store
        .journal()
        .trials()
        .map_err(|e| complain(ENVIRONMENT, &e.to_string()))?;
    let campaign = store.campaign();
    let mut text = String::new();
    let mut whole = true;
    for workload in &campaign.workloads {
        for variant in &campaign.variants {
            let rates: Vec<f64> = trials
                .iter()
                .filter(|t| t.variant == variant.name && t.workload == workload.name)
                .filter_map(rate)
                .collect();
            whole &= !rates.is_empty();
            let rates: Vec<String> = rates.iter().map(|r| format!("{r:.0}")).collect();
            text.push_str(&format!(
                "{}  {}  {} ops/s\n",
                variant.name,
                workload.name,
                rates.join(", ")
            ));
        }
    }
    if json {
        text = serde_json::to_string_pretty(&trials).unwrap_or_default();
    }
    output::print(&text);
    Ok(whole)
}

fn rate(trial: &Trial) -> Option<f64> {
    match &trial.outcome {
        Outcome::Measured(m) => {
            Some((m.read.ops + m.write.ops) as f64 / m.runtime_s.max(1e-9))
        }
        Outcome::Failed { .. } => None,
    }
}
