//! What every format shows, in one order: a row a cell and an answer a verdict.

use findings::schema::{
    Adequate, Basis, Cause, Caution, Cell, Effect, Estimate, Explanation, Factor, Findings, Lack,
    Ladder, Metric, Needed, Part, Phase, PhaseKind, Phases, PowerCutClass, QualityIssue, Subject,
    TrialRow, Validity, Verdict, VerdictClass,
};
use std::collections::BTreeMap;
use text::line::{cut, one_line};
use text::number::{range, ratio};
use text::quality::Risk;
use text::{Label, Language, level_of, name};

/// What a report calls operations a second.
pub fn rate(findings: &Findings) -> Label {
    match findings.counts_transactions() {
        true => Label::Tps,
        false => Label::OpsPerSecond,
    }
}

/// A cell with what stands beside it in a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub cell: &'a Cell,
    /// The phase before the one that lasts, where there is one.
    pub first: Option<Phase>,
    /// Throughput that lasts, or of the whole run; none where it never settled or nothing counts.
    pub lasting: Option<Estimate>,
    pub against: Against<'a>,
}

/// How a cell stands against the baseline's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Against<'a> {
    Baseline,
    /// They differ in one factor: an effect with its interval.
    Effect(&'a Effect),
    /// They differ in several: the plain ratio of what lasts, without an interval.
    Plain(f64),
    /// There is nothing to divide.
    Nothing,
}

impl Row<'_> {
    /// Seconds that the first phase lasts on the real server.
    pub fn first_s(&self) -> Option<f64> {
        self.first.map(|p| p.real_seconds.unwrap_or(p.seconds))
    }

    /// Whether the first phase is a warm-up and not a burst.
    pub fn cold(&self) -> bool {
        self.shown() && matches!(self.cell.phases, Phases::WarmUp { .. })
    }

    /// Share of lookups that memory answered.
    pub fn memory_share(&self) -> Option<f64> {
        self.cell.hits.reads.map(|r| r.arc + r.dbuf)
    }

    /// Whether the cell's numbers are shown as a result.
    pub fn shown(&self) -> bool {
        self.cell.validity != Validity::Failed
    }
}

/// A row for each cell, in the campaign's order.
pub fn rows(findings: &Findings) -> Vec<Row<'_>> {
    let bases: Vec<&Cell> =
        findings.cells.iter().filter(|c| c.variant == findings.lab.baseline).collect();
    let effects = against_baseline(findings);
    findings
        .cells
        .iter()
        .map(|cell| {
            let first = cell.phases.first().filter(|_| cell.validity != Validity::Failed);
            let lasting = lasting_rate(cell);
            let of_workload =
                |base: &&&Cell| base.workload == cell.workload && base.validity == Validity::Valid;
            let base = bases.iter().find(of_workload).and_then(|base| lasting_rate(base));
            let comparable =
                |base: &Estimate| base.value > 0.0 && cell.metric == Metric::Throughput;
            let effect = effects.get(&(cell.variant.as_str(), cell.workload.as_str()));
            let against = if cell.variant == findings.lab.baseline {
                Against::Baseline
            } else if let Some(effect) = effect {
                Against::Effect(effect)
            } else if let Some((lasts, base)) = lasting.zip(base.filter(comparable)) {
                Against::Plain(lasts.value / base.value)
            } else {
                Against::Nothing
            };
            Row { cell, first, lasting, against }
        })
        .collect()
}

/// Throughput that lasts, or of the whole run where its course is unknown; none of a cell that failed or never settled.
fn lasting_rate(cell: &Cell) -> Option<Estimate> {
    match cell.phases {
        _ if cell.validity == Validity::Failed => None,
        Phases::Unknown => cell.throughput,
        phases => phases.lasting().map(|phase| phase.throughput),
    }
}

/// The effect of each (variant, workload) against the baseline that its verdict rests on.
fn against_baseline(findings: &Findings) -> BTreeMap<(&str, &str), &Effect> {
    let mut found = BTreeMap::new();
    for effect in &findings.effects {
        let mut cells = findings.cells.iter();
        let cell = cells.find(|cell| cell.workload == effect.workload);
        let metric = cell.map_or(Metric::Throughput, |cell| cell.metric);
        let lasting = effect.phase != PhaseKind::Burst && effect.metric == metric;
        if let (true, Some(variant), Some(baseline)) = (lasting, &effect.variant, &effect.baseline)
            && *baseline == findings.lab.baseline
        {
            found.entry((variant.as_str(), effect.workload.as_str())).or_insert(effect);
        }
    }
    found
}

#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    pub verdict: &'a Verdict,
    pub deciding: Option<&'a Effect>,
    /// The burst beside the verdict's sustained ratio.
    pub burst: Option<&'a Effect>,
    /// What becomes of p99 in the same pair.
    pub tail: Option<&'a Effect>,
    /// What operations a second are called.
    pub rate: Label,
}

impl Answer<'_> {
    /// The effect whose ratio is the verdict's. None where the verdict depends: one ratio does not stand for a level
    /// that is better in one place and worse in another.
    pub fn ratio(&self) -> Option<&Effect> {
        self.deciding.filter(|_| self.verdict.class != VerdictClass::Depends)
    }

    /// Levels of the other factors with which the reasons were found; none where there are no reasons or no factors.
    pub fn reasons_context(&self) -> Option<&BTreeMap<String, String>> {
        let Verdict { reasons, reasons_context, .. } = self.verdict;
        (!reasons.is_empty() && !reasons_context.is_empty()).then_some(reasons_context)
    }

    /// What would decide it; none where it is decided.
    pub fn needed(&self) -> Option<Needed> {
        match self.deciding {
            Some(effect) => effect.needed,
            None => Some(Needed { trials: None, lack: Lack::ValidTrial }),
        }
    }
}

/// An answer for each verdict, in the order of the findings.
pub fn answers(findings: &Findings) -> Vec<Answer<'_>> {
    findings
        .verdicts
        .iter()
        .map(|verdict| {
            let effects = || verdict.effects.iter().filter_map(|i| findings.effects.get(*i));
            let deciding = effects().next();
            let single = deciding.filter(|_| verdict.class != VerdictClass::Depends);
            let burst = single.and_then(|deciding| {
                effects().find(|e| {
                    e.phase == PhaseKind::Burst
                        && deciding.phase != PhaseKind::Burst
                        && (e.metric, &e.variant, &e.context)
                            == (deciding.metric, &deciding.variant, &deciding.context)
                })
            });
            let tail = single.and_then(|deciding| {
                let of_pair = |e: &&Effect| {
                    e.metric == Metric::P99Latency
                        && (&e.variant, &e.baseline) == (&deciding.variant, &deciding.baseline)
                        && (&e.factor, &e.level) == (&deciding.factor, &deciding.level)
                        && e.workload == deciding.workload
                };
                findings.effects.iter().find(of_pair)
            });
            Answer { verdict, deciding, burst, tail, rate: rate(findings) }
        })
        .collect()
}

/// What a verdict is on: the factor's subject where it has one, the level against the other one (a lab may
/// take a log away as well as add it), and the workload where there are several.
pub fn title(findings: &Findings, language: Language, verdict: &Verdict) -> String {
    let subject = subject(findings, language, &verdict.factor, &verdict.level);
    let against = format!("{} {}", language.label(Label::Against), name(&verdict.against));
    let mut title = subject + &language.in_brackets(&against);
    if findings.cells.iter().any(|c| c.workload != findings.cells[0].workload) {
        title += &format!(" · {}", name(&verdict.workload));
    }
    title
}

/// A factor's level, with what it is a level of.
pub fn subject(findings: &Findings, language: Language, factor: &str, level: &str) -> String {
    level_of(&factor_name(findings, language, factor), &name(level))
}

/// The subject of a factor that has one, the factor's own name otherwise.
fn factor_name(findings: &Findings, language: Language, factor: &str) -> String {
    let found = findings.factors.iter().find(|f| f.name == factor);
    match found.map(|found| (found, found.subjects.as_slice())) {
        Some((found, [subject])) if !is_switch(found, subject) => language.subject(subject),
        _ => name(factor),
    }
}

/// Whether a factor switches a setting of another name on and off: "on" is not what the setting is then.
fn is_switch(factor: &Factor, subject: &Subject) -> bool {
    let setting = match subject {
        Subject::Property { name, .. }
        | Subject::PoolProperty { name }
        | Subject::Module { name }
        | Subject::Server { name } => name,
        _ => return false,
    };
    let own_name = factor.name.rsplit('.').next().unwrap_or_default();
    own_name != setting && factor.levels.iter().all(|level| level == "on" || level == "off")
}

/// What each variant risks, by its name; nothing of one that keeps every acknowledged write.
pub fn risks(findings: &Findings) -> Vec<(&str, Risk<'_>)> {
    let mut risks = Vec::new();
    for variant in &findings.variants {
        let weak = |class: &PowerCutClass| *class != PowerCutClass::KeepsAcknowledged;
        let power_cut = variant.after_power_cut.filter(weak).map(Risk::PowerCut);
        let configuration = variant.durability.iter().map(Risk::Configuration);
        let all = power_cut.into_iter().chain(configuration);
        risks.extend(all.map(|risk| (variant.name.as_str(), risk)));
    }
    risks
}

/// What the first phases of these rows are.
pub fn first_head<'a>(rows: impl IntoIterator<Item = &'a Row<'a>>) -> Label {
    let mut firsts = rows.into_iter().filter(|row| row.first.is_some()).peekable();
    match firsts.peek().is_some() && firsts.all(Row::cold) {
        true => Label::Cold,
        false => Label::Burst,
    }
}

/// The workloads in the order of the campaign.
pub fn workloads(findings: &Findings) -> Vec<&str> {
    distinct(findings.cells.iter().map(|cell| cell.workload.as_str()))
}

/// Each of some things once, in their order.
pub fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for one in all {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}

/// `6.7× sustained [6.2, 7.2]`, `持续 6.7× [6.2, 7.2]`.
pub fn interval(language: Language, effect: &Effect) -> String {
    let phase = (effect.phase != PhaseKind::Whole).then(|| language.phase(effect.phase));
    let metric = language.metric_unless_throughput(effect.metric);
    language.measured_in(&ratio(effect.ratio.value), metric, phase) + &range(&effect.ratio)
}

/// `6.7× [6.2, 7.2]`, `p99 latency 0.5× [0.4, 0.6]`: a ratio in a table.
pub fn ratio_of(language: Language, of: Metric, found: &Estimate) -> String {
    let metric =
        language.metric_unless_throughput(of).map_or_else(String::new, |m| format!("{m} "));
    format!("{metric}{}{}", ratio(found.value), range(found))
}

/// A verdict in a paragraph: what, how sure, why, and what to know.
pub fn verdict_text(language: Language, answer: &Answer) -> String {
    let verdict = answer.verdict;
    let mut text = language.class(verdict.class).to_owned();
    if let Some(effect) = answer.ratio() {
        text = text + language.label(Label::Colon) + &interval(language, effect);
    }
    if let Some(burst) = answer.burst {
        text = text + language.label(Label::Comma) + &language.beside(burst);
    }
    text += language.label(Label::FullStop);
    for sentence in sentences(language, answer) {
        text = text + language.label(Label::Space) + &sentence;
    }
    text
}

/// What load a configuration carries, and what keeps its percentiles under limits, in a paragraph.
pub fn load_text(language: Language, ladder: &Ladder) -> String {
    let within: Vec<String> = ladder.within.iter().map(|w| language.load_within(w)).collect();
    let mut text = language.ladder(ladder);
    if !within.is_empty() {
        text = text
            + language.label(Label::Space)
            + &within.join(language.label(Label::Semicolon))
            + language.label(Label::FullStop);
    }
    text
}

/// What those that are enough are: the cheapest where each has a price, else those with the fewest drives.
pub fn enough<'a>(all: impl IntoIterator<Item = &'a Adequate>) -> Label {
    match all.into_iter().all(|adequate| adequate.prices.is_some()) {
        true => Label::Cheapest,
        false => Label::Smallest,
    }
}

/// What is enough, with the workload's name before it where there are several.
pub fn adequate_text(findings: &Findings, language: Language, adequate: &Adequate) -> String {
    let text = language.adequate(adequate);
    if workloads(findings).len() < 2 {
        return text;
    }
    name(&adequate.workload) + language.label(Label::Colon) + &text
}

/// The sentences that belong to a verdict: reasons, what is lacking, where it holds, what to know.
pub fn sentences(language: Language, answer: &Answer) -> Vec<String> {
    let verdict = answer.verdict;
    let needed = answer.needed().map(|n| language.needed(&n));
    let conditions = verdict.conditions.iter().map(|c| language.condition(c));
    conditions
        .chain(answer.reasons_context().map(|levels| language.reasons_context(levels)))
        .chain(verdict.reasons.iter().map(|r| reason_text(language, r)))
        .chain(answer.tail.map(|e| tail_text(language, e)))
        .chain(needed)
        .chain(verdict.break_even.iter().map(|b| language.break_even(b, answer.rate)))
        .chain(verdict.price.iter().map(|p| language.price(p, answer.rate)))
        .chain(verdict.sensitivity.iter().map(|s| language.sensitivity(s)))
        .chain(cautions(answer).map(|c| language.caution(c)))
        .collect()
}

/// A reason, with the command that shows it on a real server. The command's spaces do not break.
pub fn reason_text(language: Language, explanation: &Explanation) -> String {
    let command = explanation.command.replace(' ', "\u{a0}");
    let reason = language.reason(&explanation.reason);
    reason + language.label(Label::Space) + &language.shown_by(&command)
}

/// The causes of each cell that has any, in the order of the findings.
pub fn causes(findings: &Findings) -> Vec<&[Cause]> {
    let same = |a: &Cause, b: &Cause| (&a.variant, &a.workload) == (&b.variant, &b.workload);
    findings.causes.chunk_by(same).collect()
}

/// What becomes of the tail of the latency: `p99 latency 0.068× [0.001, 4.6]: undecided.`
pub fn tail_text(language: Language, effect: &Effect) -> String {
    let ratio = ratio_of(language, effect.metric, &effect.ratio);
    let outcome = match effect.ratio.basis {
        Basis::Point => language.no_interval(),
        _ => language.class(effect.class),
    };
    ratio + language.label(Label::Colon) + outcome + language.label(Label::FullStop)
}

/// The cautions of a verdict, without those that its own first line already says.
pub fn cautions<'a>(answer: &Answer<'a>) -> impl Iterator<Item = &'a Caution> {
    let both = answer.burst.is_some();
    let unsaid = move |c: &&Caution| !(both && matches!(c, Caution::TwoPhases { .. }));
    answer.verdict.cautions.iter().filter(unsaid)
}

/// The style class of a verdict, in HTML.
pub fn class_name(class: VerdictClass) -> &'static str {
    match class {
        VerdictClass::WorthIt => "gain",
        VerdictClass::Harmful => "loss",
        VerdictClass::NoEffect => "same",
        VerdictClass::Undecided | VerdictClass::Depends => "open",
    }
}

/// A sign for a verdict, so that colour is never the only difference.
pub fn class_sign(class: VerdictClass) -> &'static str {
    match class {
        VerdictClass::WorthIt => "▲",
        VerdictClass::Harmful => "▼",
        VerdictClass::NoEffect => "＝",
        VerdictClass::Undecided => "？",
        VerdictClass::Depends => "◆",
    }
}

/// Why a cell has no rate, in a word: it did not run, it is not valid, or it never settled.
pub fn without_rate(language: Language, cell: &Cell) -> String {
    let settled = !matches!(cell.phases, Phases::NotSettled { .. });
    match cell.trials.all() {
        0 => language.issue(&QualityIssue::DidNotRun),
        _ if settled || cell.validity == Validity::Failed => {
            language.validity(cell.validity).to_owned()
        }
        _ => language.label(Label::NotSettled).to_owned(),
    }
}

/// Remarks of a cell: that it was not run, how many trials do not count, and its quality issues.
fn remarks(language: Language, findings: &Findings, row: &Row) -> Vec<String> {
    let cell = row.cell;
    let of_cell = |v: &str, w: &str| v == cell.variant && w == cell.workload;
    let mut cells = findings.not_run.iter();
    let not_run = cells.find(|cell| of_cell(&cell.variant, &cell.workload));
    let mut all: Vec<String> = not_run.map(|cell| language.not_run(cell)).into_iter().collect();
    let (counts, of) = (cell.trials, cell.trials.all());
    for (count, label) in [(counts.excluded, Label::Excluded), (counts.failed, Label::Failed)] {
        if count > 0 {
            let space = language.label(Label::Space);
            all.push(language.of_trials(count, of) + space + language.label(label));
        }
    }
    all.extend(cell.issues.iter().map(|known| {
        let issue = language.issue(&known.issue);
        if known.trials < of && known.trials > 0 {
            issue + &language.in_brackets(&language.of_trials(known.trials, of))
        } else {
            issue
        }
    }));
    all
}

/// Characters of a failed program's own message.
const REASON: usize = 240;

/// Remarks of a cell, and why its first failed trial failed, in the language of the program that failed.
pub fn aside(language: Language, findings: &Findings, row: &Row) -> Vec<String> {
    let of_cell = |t: &&TrialRow| {
        t.part == Part::Cell && t.variant == row.cell.variant && t.workload == row.cell.workload
    };
    let mut trials = findings.trials.iter().filter(of_cell);
    let failure = trials.find_map(|t| t.failure.as_deref());
    let mut all = remarks(language, findings, row);
    all.extend(failure.map(|why| cut(&one_line(why), REASON)));
    all
}
