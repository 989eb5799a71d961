//! What `check --json` prints: one object, its keys documented in docs/reference/lab.md.

use super::Checked;
use crate::lab_file::Sources;
use crate::{diagnostics, host_resources};
use lab::Diagnostic;
use lab::build_commands::commands;
use lab::campaign::{Campaign, Variant};
use lab::model::{Model, drive_sizes, variant_model};
use serde_json::{Value, json};

pub(super) fn refused(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let output = json!({ "ok": false, "diagnostics": diagnostics::json(diagnostics, sources) });
    format!("{output:#}\n")
}

pub(super) fn checked(checked: &Checked<'_>) -> String {
    let campaign = &checked.loaded.campaign;
    let sources = &checked.loaded.sources;
    let mut diagnostics = checked.loaded.diagnostics.clone();
    let model = checked.model.as_ref().ok();
    diagnostics.extend(checked.model.as_ref().err().cloned());
    let variants: Vec<Value> =
        campaign.variants.iter().map(|v| variant(campaign, v, model)).collect();
    let estimate = checked.estimate.as_ref().map(|e| {
        json!({
            "cells": e.cells, "trials": e.trials, "virtual_s": e.virtual_s,
            "wall_s": e.wall_s, "budget_s": campaign.method.budget_s,
        })
    });
    let output = json!({
        "ok": model.is_some(),
        "campaign": campaign,
        "host_memory_needed": model.map(|model| host_resources::needed(campaign, model)),
        "model": model,
        "variants": variants,
        "estimate": estimate,
        "missing": checked.missing,
        "diagnostics": diagnostics::json(&diagnostics, sources),
    });
    format!("{output:#}\n")
}

fn variant(campaign: &Campaign, variant: &Variant, model: Option<&Model>) -> Value {
    let model = model.map(|model| variant_model(model, &campaign.host, variant));
    let drives = model.as_ref().map(|model| {
        drive_sizes(model, variant)
            .into_iter()
            .map(|(drive, bytes)| (drive.to_string(), Value::from(bytes)))
            .collect::<serde_json::Map<_, _>>()
    });
    json!({
        "name": variant.name,
        "commands": commands(variant),
        "drive_bytes": drives,
        "arc_max": model.as_ref().map(|model| model.arc_max),
        "dirty_data_max": model.as_ref().map(|model| model.dirty_data_max),
        "after_power_cut": lab::durability::worst(variant, campaign),
    })
}
