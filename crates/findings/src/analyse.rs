//! From trial records to findings.

use crate::cells::{self, Group};
use crate::cells::{client, ladder};
use crate::effects::factors::{self, Pair};
use crate::effects::{self, MeasuredPair};
use crate::effects::{ablation, causes};
use crate::lints;
use crate::quality::{scale, validation};
use crate::schema::{
    Cell, Counted, Effect, FORMAT, Findings, Interaction, LabRef, MethodFindings, NotRun, Part,
    Subject, TrialRow, Validity, VariantRef, Verdict, WorkloadRef,
};
use crate::verdicts::{self, Evidence, Shown};
use crate::verdicts::{adequate, durability, price, reruns};
use crate::{CONFIDENCE, ERROR_RATE, SMALLEST_EFFECT};
use lab::campaign::{Campaign, Program, Variant, Workload};
use lab::model::Model;
use measurement::Trial;
use std::collections::BTreeSet;

/// What a campaign has shown so far. Any number of trials, none included, in any order: the same trials give
/// the same findings. Calling it after each trial is what the error rate is made for.
pub fn analyse(campaign: &Campaign, model: &Model, trials: &[Trial]) -> Findings {
    let mut sorted: Vec<&Trial> = trials.iter().collect();
    sorted.sort_by(|a, b| (a.repeat, a.seed, &a.key).cmp(&(b.repeat, b.seed, &b.key)));
    let trials = sorted.as_slice();
    let groups = cells::groups(campaign, model, trials);
    let cells: Vec<Cell> = groups.iter().map(|g| g.cell(model)).collect();
    let shown: Vec<Shown<'_>> = groups.iter().zip(&cells).collect();
    let factors = factors::factors(campaign);
    let pairs = factors::pairs(campaign);
    let (effects, interactions) = compare(campaign, &pairs, &shown);
    let baseline = factors::baseline(campaign);
    let ranking = baseline.map_or_else(Vec::new, |b| ablation::rank(campaign, b, &pairs, &effects));
    let subjects = |factor: &str| {
        factors.iter().find(|f| f.name == factor).map_or(&[][..], |f| f.subjects.as_slice())
    };
    let ladders = ladder::ladders(campaign, model, trials);
    let evidence = Evidence {
        campaign,
        model,
        effects: &effects,
        ladders: &ladders,
        reruns: &reruns::gather(campaign, model, trials),
    };
    let verdicts = judge(&evidence, &pairs, &shown, subjects);
    let adequate = baseline.map_or_else(Vec::new, |b| adequate::adequate(campaign, b, &groups));
    let scale = scale::scale(campaign, model, trials, &groups);
    let mut findings = Findings {
        format: FORMAT,
        lab: LabRef {
            name: campaign.name.clone(),
            title: campaign.title.clone(),
            source: campaign.source.clone(),
            baseline: baseline.map_or_else(String::new, |b| b.name.clone()),
        },
        variants: variants(campaign, trials),
        workloads: workloads(campaign),
        verdicts,
        effects,
        causes: causes::causes(campaign, model, trials, &groups),
        ladders,
        adequate,
        interactions,
        ranking,
        lints: Vec::new(),
        validation: validation::covered(campaign, model.size, &cells, &scale.other_sizes),
        scale,
        method: MethodFindings {
            error_rate: ERROR_RATE,
            smallest_effect: SMALLEST_EFFECT,
            precision: campaign.method.precision,
            confidence: CONFIDENCE,
            seed: campaign.method.seed,
        },
        not_run: not_run(campaign, &cells),
        trials: rows(campaign, &groups, cells::other_rows(campaign, model, trials)),
        factors,
        cells,
    };
    findings.lints = lints::contradictions(&lints::Table::from_findings(campaign, &findings));
    verdicts::sort(&mut findings);
    findings
}

/// What each pair and each level of a factor gives under each workload, and how factors interact.
fn compare(
    campaign: &Campaign,
    pairs: &[Pair<'_>],
    shown: &[Shown<'_>],
) -> (Vec<Effect>, Vec<Interaction>) {
    let mut effects = Vec::new();
    let mut interactions = Vec::new();
    for workload in &campaign.workloads {
        let side = |v: &Variant| Some(find(shown, v, &workload.name)?.0);
        let measured: Vec<MeasuredPair<'_>> = pairs
            .iter()
            .filter_map(|pair| Some((pair, side(pair.variant)?, side(pair.baseline)?)))
            .collect();
        for pair in &measured {
            effects.extend(effects::of_pair(*pair, &campaign.method));
        }
        for level in levels(pairs) {
            let of_level: Vec<_> =
                measured.iter().copied().filter(|(p, _, _)| (p.factor, p.level) == level).collect();
            effects.extend(effects::main(&of_level, &campaign.method));
        }
        interactions.extend(interact(campaign, &measured));
    }
    (effects, interactions)
}

/// The cell of a variant under a workload.
fn find<'a>(shown: &[Shown<'a>], variant: &Variant, workload: &str) -> Option<Shown<'a>> {
    let is_of = |(_, cell): &&Shown<'_>| cell.variant == variant.name && cell.workload == workload;
    shown.iter().find(is_of).copied()
}

fn levels<'a>(pairs: &[Pair<'a>]) -> BTreeSet<(&'a str, &'a str)> {
    pairs.iter().map(|p| (p.factor, p.level)).collect()
}

/// Interactions of each two factor levels whose four cells are there, the rest at the baseline's.
fn interact(campaign: &Campaign, measured: &[MeasuredPair<'_>]) -> Vec<Interaction> {
    let Some(baseline) = factors::baseline(campaign) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for without in measured {
        let (pair, _, _) = without;
        let plain = pair.context.iter().all(|(f, l)| baseline.levels.get(f) == Some(l));
        if !plain || pair.context.is_empty() {
            continue;
        }
        for with in measured {
            let (other, _, _) = with;
            let mut differing =
                other.context.iter().filter(|(f, l)| pair.context.get(*f) != Some(l));
            let (Some((factor, level)), None) = (differing.next(), differing.next()) else {
                continue;
            };
            // Each two factors once: the first by name is the first of the interaction.
            if (other.factor, other.level) == (pair.factor, pair.level)
                && pair.factor < factor.as_str()
            {
                found.extend(effects::interaction(
                    *with,
                    *without,
                    (factor.clone(), level.clone()),
                ));
            }
        }
    }
    found
}

fn judge<'s>(
    evidence: &Evidence<'_>,
    pairs: &[Pair<'_>],
    shown: &[Shown<'_>],
    subjects: impl Fn(&str) -> &'s [Subject],
) -> Vec<Verdict> {
    let campaign = evidence.campaign;
    let base = factors::baseline(campaign).map(|b| b.name.as_str());
    let mut verdicts = Vec::new();
    for workload in &campaign.workloads {
        for level in levels(pairs) {
            let mut of_level: Vec<_> = pairs
                .iter()
                .filter(|p| (p.factor, p.level) == level)
                .filter_map(|pair| {
                    let cell = |v: &Variant| find(shown, v, &workload.name);
                    Some((pair, cell(pair.baseline)?, cell(pair.variant)?))
                })
                .collect();
            of_level.sort_by_key(|(pair, _, _)| Some(pair.baseline.name.as_str()) != base);
            verdicts.extend(verdicts::verdicts(&of_level, subjects(level.0), evidence));
        }
    }
    verdicts
}

/// Cells without a trial, and how many they need at least.
fn not_run(campaign: &Campaign, cells: &[Cell]) -> Vec<NotRun> {
    let without = cells.iter().filter(|cell| cell.trials.all() == 0);
    without
        .map(|cell| NotRun {
            variant: cell.variant.clone(),
            workload: cell.workload.clone(),
            trials: campaign.method.min_trials,
        })
        .collect()
}

fn variants(campaign: &Campaign, trials: &[&Trial]) -> Vec<VariantRef> {
    let versions = |variant: &Variant| -> BTreeSet<String> {
        let mine = trials.iter().filter(|trial| trial.variant == variant.name);
        mine.map(|trial| trial.openzfs.clone()).collect()
    };
    let base = factors::baseline(campaign);
    let mut all: Vec<&Variant> = campaign.variants.iter().collect();
    all.sort_by_key(|v| Some(v.name.as_str()) != base.map(|b| b.name.as_str()));
    all.into_iter()
        .map(|v| VariantRef {
            name: v.name.clone(),
            levels: v.levels.clone(),
            drives: price::drives(v),
            price: v.price(&campaign.host),
            openzfs: versions(v).into_iter().collect(),
            durability: durability::risks(v),
            after_power_cut: Some(lab::durability::worst(v, campaign).durability.into()),
            build: memory(campaign, v)
                .into_iter()
                .chain(lab::build_commands::commands(v).lines())
                .collect(),
            add: base
                .and_then(|base| lab::build_commands::addition(base, v))
                .map(|command| command.to_string()),
        })
        .collect()
}

/// The memory of a variant's server, as a comment beside its commands, where variants differ in it.
fn memory(campaign: &Campaign, variant: &Variant) -> Option<String> {
    let differ = campaign.variants.iter().any(|variant| variant.memory.is_some());
    let bytes = variant.host(&campaign.host).memory;
    differ.then(|| format!("# memory {}", lab::units::print_size(bytes)))
}

fn workloads(campaign: &Campaign) -> Vec<WorkloadRef> {
    let workload_ref = |workload: &Workload| WorkloadRef {
        name: workload.name.clone(),
        jobs: client::summaries(workload),
        counted: match workload.program {
            Program::Fio { .. } | Program::PgTestFsync(_) => Counted::Requests,
            Program::Pgbench(_) | Program::Sysbench(_) | Program::Sqlite(_) => {
                Counted::Transactions
            }
        },
    };
    campaign.workloads.iter().map(workload_ref).collect()
}

/// Every row: by workload and variant in the order of the campaign, then by part and repeat.
fn rows(campaign: &Campaign, groups: &[Group<'_>], others: Vec<TrialRow>) -> Vec<TrialRow> {
    let place = |row: &TrialRow| {
        let workload = campaign.workloads.iter().position(|w| w.name == row.workload);
        let variant = campaign.variants.iter().position(|v| v.name == row.variant);
        let (part, detail) = match row.part {
            Part::Cell => (0, 0.0),
            Part::Rung { offered } => (1, offered),
            Part::Without { cost } => (2, f64::from(cost as u8)),
            Part::Rerun { factor, .. } => (3, factor),
            Part::OtherSize { size } => (4, size),
        };
        ((workload, variant, part), detail)
    };
    let mut rows: Vec<_> = groups.iter().flat_map(Group::rows).chain(others).collect();
    rows.sort_by(|a, b| {
        let ((place_a, detail_a), (place_b, detail_b)) = (place(a), place(b));
        let by_place = place_a.cmp(&place_b).then(detail_a.total_cmp(&detail_b));
        by_place.then_with(|| (a.repeat, &a.key).cmp(&(b.repeat, &b.key)))
    });
    rows
}

/// Whether a run has nothing to report as a failure: every cell and every rung of a ladder has a trial
/// that counts.
pub fn complete(findings: &Findings) -> bool {
    let mut rungs = findings.ladders.iter().flat_map(|ladder| &ladder.rungs);
    let mut cells = findings.cells.iter();
    cells.all(|cell| cell.validity == Validity::Valid) && rungs.all(|rung| rung.trials.valid > 0)
}
