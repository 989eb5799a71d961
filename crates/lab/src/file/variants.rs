//! `[factors]`, `[ablate]` and `[variants.X]`: the configurations to compare.

use super::context::Context;
use super::section::{Entry, Section, section_of};
use super::server;
use super::settings::{BASE_SECTIONS, Settings};
use crate::campaign::Variant;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use zfs::property::dataset::full_name;

/// A campaign of more variants than this is a mistake.
const MOST: usize = 256;

/// A named set of changes to the base.
#[derive(Clone, Default)]
struct Plan {
    name: String,
    levels: BTreeMap<String, String>,
    changes: Vec<Settings>,
    /// Where it is to be pointed at.
    header: Range<usize>,
}

impl Plan {
    /// The lab's own keys, without a change.
    fn base(base: &Settings) -> Plan {
        Plan { name: "base".to_owned(), header: base.pool_section.clone(), ..Plan::default() }
    }
}

struct Factor {
    name: String,
    /// The sections that its key is in; none for one with levels of its own.
    path: Vec<String>,
    levels: Vec<(String, Settings)>,
    header: Range<usize>,
}

impl Factor {
    /// Whether both change one property of a dataset, by whichever of its names.
    fn is_same_key(&self, other: &Factor) -> bool {
        let full = |factor: &Factor| full_name(&factor.name).to_owned();
        !self.path.is_empty() && self.path == other.path && full(self) == full(other)
    }
}

/// Takes the three sections out of the lab and resolves every variant, in the order of the file; and
/// whether these are all that the lab names. Beside `[variants]` the lab's own keys are a variant `base`,
/// unless one of those is the `baseline`: then they are only what the others start from.
pub(super) fn read(
    lab: &mut Section<'_>,
    base: &Settings,
    baseline: Option<&str>,
) -> (Vec<Variant>, bool) {
    let cx = lab.cx;
    let mistakes = cx.errors();
    let mut plans = Vec::new();
    let factors = lab.table("factors");
    let mut ablate = lab.table("ablate");
    let singles = lab.table("variants");
    let is_single = |name| singles.as_ref().is_some_and(|section| section.has(name));
    let is_variant = (base.builds() || singles.is_none()) && !baseline.is_some_and(is_single);
    if factors.is_none() && ablate.is_none() && is_variant {
        plans.push(Plan::base(base));
    }
    if factors.is_some()
        && let Some(section) = ablate.take()
    {
        section.error(
            "[ablate] and [factors] cannot be used together: their variants would not be compared with each other",
            "put the settings into a lab of their own, or make each a factor",
        );
    }
    if let Some(section) = factors {
        plans.extend(factorial(section));
    }
    if let Some(section) = ablate {
        plans.extend(ablation(section));
    }
    // A level that is wrong may lack its name; a variant that is wrong has it.
    let mut all_named = cx.errors() == mistakes;
    if let Some(mut section) = singles {
        if section.is_empty() && plans.is_empty() {
            section.error(
                "[variants] has no variant",
                "add `[variants.name]` with what it changes, or remove the section",
            );
            all_named = false;
        }
        for entry in section.rest() {
            let plan = single(&entry);
            all_named &= plan.is_some();
            plans.extend(plan);
        }
    }
    if let Some(plan) = plans.get(MOST) {
        cx.error(
            plan.header.clone(),
            format!("this lab has {} variants", plans.len()),
            format!("compare at most {MOST}: remove levels"),
        );
        plans.truncate(1);
        all_named = false;
    }
    // Mistakes of the base itself are reported too.
    if plans.is_empty() && base.builds() {
        plans.push(Plan::base(base));
    }
    refuse_equal_names(cx, &plans);
    let resolve = |mut plan: Plan| {
        let mut settings = base.clone();
        // The order of factors does not decide whether what one adds or removes stays: `vdevs` comes first.
        if let Some(vdevs) = stated_vdevs(cx, &mut plan) {
            settings.apply(cx, &vdevs);
        }
        for change in &plan.changes {
            settings.apply(cx, change);
        }
        settings.into_variant(cx, &plan.name, plan.levels, &plan.header)
    };
    (plans.into_iter().map(resolve).collect(), all_named)
}

fn refuse_equal_names(cx: &Context<'_>, plans: &[Plan]) {
    for (i, plan) in plans.iter().enumerate() {
        if plans[..i].iter().any(|earlier| earlier.name == plan.name) {
            cx.error(
                plan.header.clone(),
                format!("two variants are called `{}`", plan.name),
                "rename one of them",
            );
        }
    }
}

/// Takes the `vdevs` that replace the base's out of a plan's changes.
fn stated_vdevs(cx: &Context<'_>, plan: &mut Plan) -> Option<Settings> {
    let stated: Vec<_> = plan.changes.iter_mut().filter_map(|change| change.vdevs.take()).collect();
    if stated.len() > 1 {
        cx.error(
            plan.header.clone(),
            "two settings that are combined state the pool's vdevs: one would replace the other's",
            "keep `vdevs` in one of them, and let the other `add` or `remove`",
        );
    }
    let vdevs = Some(stated.into_iter().next_back()?);
    Some(Settings { vdevs, ..Settings::default() })
}

/// `[variants.NAME]`.
fn single(entry: &Entry<'_>) -> Option<Plan> {
    entry.check_name("a variant");
    if let ("baseline", DeValue::String(name)) = (entry.key, entry.value()) {
        return entry.refuse(
            "the baseline is named in [method], not in [variants]",
            format!("write `baseline = \"{}\"` under [method]", name.escape_debug()),
        );
    }
    let mut table = entry.table(&format!("variants.{}", entry.key))?;
    let changes = vec![Settings::change(&mut table)];
    table.finish();
    let (name, header) = (entry.key.to_owned(), entry.key_span());
    Some(Plan { name, changes, header, ..Plan::default() })
}

/// Every combination of one level of each factor; the first factor varies slowest.
fn factorial(mut section: Section<'_>) -> Vec<Plan> {
    let cx = section.cx;
    if section.is_empty() {
        section.error(
            "[factors] has no factor",
            "add one: log = { none = \"\", mirror = \"log mirror optane[0-1]\" }, or remove the section",
        );
    }
    let mut factors: Vec<Factor> = section.rest().iter().flat_map(factor).collect();
    qualify_names(&mut factors);
    for (i, factor) in factors.iter().enumerate() {
        let earlier = &factors[..i];
        if earlier.iter().any(|earlier| earlier.name == factor.name) {
            cx.error(
                factor.header.clone(),
                format!("two factors are called `{}`", factor.name),
                "keep one of them",
            );
        } else if let Some(other) = earlier.iter().find(|earlier| earlier.is_same_key(factor)) {
            cx.error(
                factor.header.clone(),
                format!("factors `{}` and `{}` set the same property", other.name, factor.name),
                "keep one of them, with the levels of both",
            );
        }
    }
    let count =
        factors.iter().fold(1usize, |n, factor| n.saturating_mul(factor.levels.len().max(1)));
    if count > MOST {
        section.error(
            format!("these factors make {count} variants"),
            format!("compare at most {MOST}: remove levels, or use [ablate]"),
        );
        return Vec::new();
    }
    let mut plans: Vec<Plan> = Vec::new();
    for factor in &factors {
        let extended = |earlier: &Plan, (level, change): &(String, Settings)| {
            let mut plan = Plan { header: factor.header.clone(), ..earlier.clone() };
            plan.name = match earlier.levels.is_empty() {
                true => level.clone(),
                false => format!("{}/{level}", earlier.name),
            };
            plan.levels.insert(factor.name.clone(), level.clone());
            plan.changes.push(change.clone());
            plan
        };
        if plans.is_empty() {
            plans.push(Plan::default());
        }
        let levels = |earlier| factor.levels.iter().map(move |level| extended(earlier, level));
        plans = plans.iter().flat_map(levels).collect();
    }
    plans
}

/// Factors on the same key of different datasets are called by their whole path.
fn qualify_names(factors: &mut [Factor]) {
    let names: Vec<String> = factors.iter().map(|factor| factor.name.clone()).collect();
    for factor in factors {
        let same = names.iter().filter(|name| **name == factor.name).count();
        if same > 1 && !factor.path.is_empty() {
            factor.name = format!("{}.{}", factor.path.join("."), factor.name);
        }
    }
}

/// One factor; a section of the base (`dataset = { recordsize = ["8K", "16K"] }`, also written
/// `dataset.recordsize = […]`) is one factor for each key in it.
fn factor(entry: &Entry<'_>) -> Vec<Factor> {
    if let Some((section, _)) = entry.key.split_once('.')
        && BASE_SECTIONS.contains(&section)
    {
        entry.error_at_key(
            format!("\"{}\" is a name in quotes, not a path", entry.key),
            format!("write it without quotes: {} = […]", entry.key),
        );
        return Vec::new();
    }
    match (entry.value(), BASE_SECTIONS.contains(&entry.key)) {
        (DeValue::Table(_), true) => paths(&[entry.key], entry),
        (DeValue::Table(table), false)
            if entry.key == "host"
                && table.get("memory").is_some_and(|v| !v.get_ref().is_table()) =>
        {
            entry.error_at_key(
                "`host` is not one of the sections whose keys can be factors",
                "name the levels: memory = { small = { host.memory = \"64G\" }, large = { host.memory = \"128G\" } }",
            );
            Vec::new()
        }
        (DeValue::Table(_), false) => {
            let levels = entry.entries(&format!("factors.{}", entry.key));
            let levels = levels.iter().filter_map(|level| self::level(entry.key, level)).collect();
            entry.check_name("a factor");
            one(&[], entry, levels)
        }
        _ => {
            entry.error(
                format!("factor `{}` needs levels", entry.key),
                match (entry.key, section_of(entry.key)) {
                    ("openzfs", _) => "name them: { old = { openzfs = \"2.3\" }, new = { openzfs = \"2.4\" } }".to_owned(),
                    (key, Some(section)) => format!("write {section}.{key} = […], a list of its values"),
                    _ => "write a table of levels: { none = \"\", mirror = \"log mirror optane[0-1]\" }".to_owned(),
                },
            );
            Vec::new()
        }
    }
}

fn one(path: &[&str], entry: &Entry<'_>, mut levels: Vec<(String, Settings)>) -> Vec<Factor> {
    let mut known = BTreeSet::new();
    levels.retain(|(name, _)| {
        let first = known.insert(name.clone());
        if !first {
            entry.error(
                format!("factor `{}` has the level `{name}` twice", entry.key),
                "write each once",
            );
        }
        first
    });
    // Those that could not be read have been reported.
    let written = match entry.value() {
        DeValue::Array(values) => values.len(),
        DeValue::Table(table) => table.len(),
        _ => 0,
    };
    if written < 2 {
        entry.error_at_key(
            format!("factor `{}` has fewer than two levels", entry.key),
            "add another level, or move it to the base configuration",
        );
    }
    vec![Factor {
        name: entry.key.to_owned(),
        path: path.iter().map(|&section| section.to_owned()).collect(),
        levels,
        header: entry.key_span(),
    }]
}

/// A level: vdevs to add (`""` adds none), or a table as a variant's.
fn level(factor: &str, entry: &Entry<'_>) -> Option<(String, Settings)> {
    entry.check_name("a level");
    let settings = match entry.value() {
        DeValue::Table(_) => {
            let mut table = entry.table(&format!("factors.{factor}.{}", entry.key))?;
            let settings = Settings::change(&mut table);
            table.finish();
            settings
        }
        _ => {
            let text = entry.string("vdevs to add, \"\" for none, or a table of keys to change")?;
            let mut settings = Settings::default();
            settings.add = settings.read(entry.cx, &text);
            if !settings.add.is_empty() {
                settings.zfs_key = Some(text.span);
            }
            settings
        }
    };
    Some((entry.key.to_owned(), settings))
}

/// The arrays within a section of the base, each a factor named after its key.
fn paths(path: &[&str], section: &Entry<'_>) -> Vec<Factor> {
    let mut factors = Vec::new();
    for entry in section.entries(&path.join(".")) {
        match entry.value() {
            DeValue::Table(_) => factors.extend(paths(&[path, &[entry.key]].concat(), &entry)),
            DeValue::Array(values) => {
                let levels =
                    values.iter().filter_map(|value| path_level(path, &entry, value)).collect();
                factors.extend(one(path, &entry, levels));
            }
            _ => entry.error(
                format!("factor `{}.{}` needs levels", path.join("."), entry.key),
                "write a list of values: [\"8K\", \"16K\"]",
            ),
        }
    }
    factors
}

/// `path.key = value` as a level, read as the base would read it.
fn path_level(
    path: &[&str],
    entry: &Entry<'_>,
    value: &Spanned<DeValue<'_>>,
) -> Option<(String, Settings)> {
    let of_server = path.first().is_some_and(|section| server::is_section(section));
    let name = match value.get_ref() {
        DeValue::Float(number) if of_server => number.as_str().to_owned(),
        DeValue::Boolean(on) if of_server => (if *on { "on" } else { "off" }).to_owned(),
        // Vdevs may be written over several lines.
        DeValue::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        DeValue::Integer(number) => number.to_string(),
        _ => {
            return entry.cx.refuse(
                value.span(),
                "a level must be a string or a number here",
                match value.get_ref() {
                    DeValue::Boolean(_) => "write it as ZFS does: [\"on\", \"off\"]",
                    _ => "write a list of values: [\"8K\", \"16K\"]",
                },
            );
        }
    };
    let key_span = entry.key_span();
    let mut table = DeTable::new();
    table.insert(Spanned::new(key_span.clone(), entry.key.into()), value.clone());
    for &section in path.iter().rev() {
        let inner = std::mem::take(&mut table);
        table.insert(
            Spanned::new(key_span.clone(), section.into()),
            Spanned::new(key_span.clone(), DeValue::Table(inner)),
        );
    }
    let settings = Settings::base(&mut Section::new(entry.cx, "", key_span, &table));
    Some((name, settings))
}

/// A set of settings, each alone and each left out: `none`, `only-X`, `all-but-X`, `all`.
fn ablation(mut section: Section<'_>) -> Vec<Plan> {
    let mut settings: Vec<(String, Settings)> = Vec::new();
    let entries = section.rest();
    if 2 * entries.len() + 2 > MOST {
        section.error(
            format!("{} settings make too many variants", entries.len()),
            format!("compare at most {MOST} variants: remove settings"),
        );
        return Vec::new();
    }
    for entry in entries {
        entry.check_name("a setting");
        if let Some(mut table) = entry.table(&format!("ablate.{}", entry.key)) {
            settings.push((entry.key.to_owned(), Settings::change(&mut table)));
            table.finish();
        }
    }
    if settings.len() < 2 {
        section.error(
            "[ablate] needs at least two settings",
            "add `name = { dataset.recordsize = \"16K\" }` for each, or use [variants]",
        );
        return Vec::new();
    }
    let plan = |name: String, is_on: &dyn Fn(usize) -> bool| {
        let mut plan = Plan { name, header: section.span.clone(), ..Plan::default() };
        for (i, (setting, change)) in settings.iter().enumerate() {
            plan.levels.insert(setting.clone(), if is_on(i) { "on" } else { "off" }.to_owned());
            plan.changes.extend(is_on(i).then(|| change.clone()));
        }
        plan
    };
    let mut plans = vec![plan("none".to_owned(), &|_| false)];
    for (only, (name, _)) in settings.iter().enumerate() {
        plans.push(plan(format!("only-{name}"), &|i| i == only));
    }
    // Of two settings, all but one is the other one alone.
    if settings.len() > 2 {
        for (but, (name, _)) in settings.iter().enumerate() {
            plans.push(plan(format!("all-but-{name}"), &|i| i != but));
        }
    }
    plans.push(plan("all".to_owned(), &|_| true));
    plans
}
