//! `[host]`, `[method]` and `[scale]`.

use super::context::{At, Context};
use super::section::{Entry, Section};
use crate::campaign::{Host, MOST_TRIALS, Method, Processor, SETTLES_S, Scale, Variant};
use crate::diagnostic::did_you_mean;
use std::ops::Range;
use toml::de::DeValue;

/// Cores of a host that states none.
const CORES: u32 = 16;

pub(super) fn host(lab: &mut Section<'_>) -> Host {
    let mut host = Host {
        memory: 64 << 30,
        cores: CORES,
        processor: Processor::default(),
        memory_price: None,
    };
    let Some(entry) = lab.take("host") else {
        lab.cx.error(
            0..0,
            "this lab has no [host]: its machine is not described",
            "add `[host]` with `memory = \"128G\"` and `cores = 32`",
        );
        return host;
    };
    let Some(mut table) = entry.table("host") else {
        return host;
    };
    match table.take("memory") {
        Some(entry) => host.memory = memory(&entry).unwrap_or(host.memory),
        None => table.error(
            "[host] has no `memory`",
            "add `memory = \"128G\"`: it sets the ARC and the dirty-data limit",
        ),
    }
    if let Some(entry) = table.take("cores") {
        host.cores = entry.integer(1, 4096, "a number of cores").unwrap_or(CORES);
    }
    let processor = table.choice("processor", &Processor::ALL, Processor::name);
    host.processor = processor.unwrap_or_default();
    host.memory_price = table.number("memory_price", 0.0, 1e9, "the price of a GiB, such as 4.5");
    table.finish();
    host
}

pub(super) fn memory(entry: &Entry<'_>) -> Option<u64> {
    let memory = entry.size()?;
    if !(1 << 30..=1 << 46).contains(&memory) {
        entry.error("`memory` must be between 1G and 64T", "write a size such as \"128G\"");
    }
    Some(memory)
}

/// Shortest window that can be judged at all, seconds: its five rounds are seconds (docs/explanation/method.md).
const JUDGED_S: f64 = 5.0;

/// The method, with the baseline as written, to be checked against the variants.
pub(super) fn method(lab: &mut Section<'_>) -> (Method, Option<At<String>>) {
    let mut method = Method {
        baseline: String::new(),
        precision: 0.05,
        budget_s: 1200.0,
        min_trials: 1,
        max_trials: 12,
        runtime_s: None,
        ramp_s: 0.0,
        ramp_most_s: None,
        warm_up_s: 0.0,
        size_check: Vec::new(),
        restart: false,
        sensitivity: Vec::new(),
        seed: 1,
    };
    let Some(mut table) = lab.table("method") else { return (method, None) };
    let baseline = table.take("baseline").and_then(|entry| entry.string("the name of a variant"));
    let precision = table.number("precision", 0.001, 1.0, "a share such as 0.05");
    method.precision = precision.unwrap_or(method.precision);
    if let Some(entry) = table.take("budget") {
        match entry.seconds() {
            Some(seconds) if seconds < 1.0 => entry
                .error("the budget is less than one second", "write a duration such as \"20m\""),
            Some(seconds) => method.budget_s = seconds,
            None => {}
        }
    }
    trials(&mut table, &mut method);
    times(&mut table, &mut method);
    factors(&mut table, &mut method);
    if let Some(entry) = table.take("seed") {
        method.seed = entry.integer(0, i64::MAX, "a whole number").unwrap_or(method.seed);
    }
    table.finish();
    (method, baseline)
}

/// `min_trials` and `max_trials`: one alone moves the other with it.
fn trials(table: &mut Section<'_>, method: &mut Method) {
    let count = |entry: &Entry<'_>| entry.integer(1, MOST_TRIALS.into(), "a number of trials");
    let min = table.take("min_trials");
    if let Some(trials) = min.as_ref().and_then(count) {
        method.min_trials = trials;
        method.max_trials = method.max_trials.max(trials);
    }
    let Some(entry) = table.take("max_trials") else { return };
    let Some(trials) = count(&entry) else { return };
    method.max_trials = trials;
    if trials < method.min_trials && min.is_none() {
        method.min_trials = trials;
    } else if trials < method.min_trials {
        entry.error(
            "`max_trials` is below `min_trials`",
            format!("write {} or more", method.min_trials),
        );
    }
}

/// Seconds in place of a `runtime` that cannot be read, in a lab that is refused for it.
const STAND_IN_S: f64 = 60.0;

/// `runtime`, `ramp`, `warm_up` and `restart`.
fn times(table: &mut Section<'_>, method: &mut Method) {
    if let Some(entry) = table.take("runtime") {
        let stated = entry.seconds();
        if let Some(seconds) = stated {
            check_least_runtime(&entry, seconds);
        }
        // A wrong one is not reported once more as a missing one.
        method.runtime_s = stated.or(Some(STAND_IN_S));
    }
    let mut seconds = |key| table.take(key).and_then(|entry| entry.seconds());
    method.ramp_s = seconds("ramp").unwrap_or(0.0);
    method.warm_up_s = seconds("warm_up").unwrap_or(0.0);
    if let Some(entry) = table.take("restart") {
        method.restart = entry.boolean() == Some(true);
        if method.restart && method.warm_up_s == 0.0 {
            entry.error(
                "`restart` needs `warm_up`: without it nothing is cached before the restart",
                "add warm_up = \"30s\": the job runs for this long before the pool is exported and imported",
            );
        }
    }
}

/// `sensitivity` and `size_check`.
fn factors(table: &mut Section<'_>, method: &mut Method) {
    if let Some(entry) = table.take("sensitivity") {
        let stated = entry.numbers(0.05, 20.0, "factors such as [0.5, 2]");
        let others = stated.iter().copied().filter(|factor| *factor != 1.0);
        method.sensitivity = others.collect();
        if method.sensitivity.is_empty() && !stated.is_empty() {
            entry.error(
                "a factor of 1 changes nothing",
                "use factors such as [0.5, 2]: drives at half and at twice the speed",
            );
        }
    }
    if let Some(entry) = table.take("size_check") {
        method.size_check = entry.numbers(1.1, 1000.0, "factors on S such as [2, 4]");
        method.size_check.sort_by(f64::total_cmp);
        method.size_check.dedup();
    }
}

/// Checks the window of a trial, seconds.
pub(super) fn check_runtime(entry: &Entry<'_>, seconds: f64) {
    check_least_runtime(entry, seconds);
    check_window(entry.cx, entry.span(), seconds);
}

fn check_least_runtime(entry: &Entry<'_>, seconds: f64) {
    if seconds < 1.0 {
        entry.error(
            format!("a trial must run for at least 1 s, not {seconds} s"),
            "write runtime = \"30s\" in [method], in virtual time",
        );
    }
}

/// Warns where a window, seconds, cannot show what lasts.
pub(super) fn check_window(cx: &Context<'_>, span: Range<usize>, seconds: f64) {
    if (1.0..SETTLES_S).contains(&seconds) {
        let what = if seconds < JUDGED_S {
            "is too short for a verdict: it cannot show a steady state"
        } else {
            "shows a steady state only if transaction groups are short"
        };
        cx.warning(
            span,
            format!("a runtime of {seconds} s {what}"),
            format!(
                "use \"{SETTLES_S}s\" or more: burst and sustained throughput need a transaction group each"
            ),
        );
    }
}

/// Puts the baseline first; the first variant when the lab names none. `all_named`: these are all
/// that the lab names.
pub(super) fn put_baseline_first(
    cx: &Context<'_>,
    baseline: Option<At<String>>,
    variants: &mut [Variant],
    all_named: bool,
) -> String {
    if let Some(baseline) = &baseline {
        match variants.iter().position(|variant| variant.name == baseline.value) {
            Some(at) => variants[..=at].rotate_right(1),
            // It may be one whose name was not understood.
            None if !all_named => {}
            None => {
                let names: Vec<&str> =
                    variants.iter().map(|variant| variant.name.as_str()).collect();
                cx.missing(
                    baseline.span.clone(),
                    format!("there is no variant `{}` to use as the baseline", baseline.value),
                    did_you_mean(&baseline.value, &names),
                );
            }
        }
    }
    variants.first().map(|variant| variant.name.clone()).unwrap_or_default()
}

pub(super) fn scale(lab: &mut Section<'_>) -> Scale {
    let mut scale = Scale { size: None, dirty_data_max: None };
    let Some(mut table) = lab.table("scale") else { return scale };
    scale.size = table.take("size").and_then(|entry| match entry.value() {
        DeValue::String(text) if text == "auto" => None,
        _ => entry.number(1.0, 1e6, "\"auto\" or a number"),
    });
    if let Some(entry) = table.take_retired("time") {
        entry.error_at_key("the time scale was removed: virtual time is exact", "remove the line");
    }
    if let Some(entry) = table.take("dirty_data_max") {
        scale.dirty_data_max = entry.size();
        if scale.dirty_data_max.is_some_and(|bytes| bytes < 16 << 20) {
            entry.error(
                "a dirty-data limit below 16M stalls every txg",
                "write a size such as \"256M\"",
            );
        }
    }
    table.finish();
    scale
}
