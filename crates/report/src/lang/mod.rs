//! The languages of a report. Each matches the enums of `findings` exhaustively: a missing sentence
//! does not compile.

mod en;
pub mod label;
mod zh;

pub use label::Label;

use crate::number::{range, ratio};
use crate::text::{cut, one_line};
use findings::output::{
    Adequate, Basis, BreakEven, Cause, Caution, Class, Condition, Contribution, Database,
    DurabilityRisk, Effect, Findings, Interaction, Ladder, Law, Limit, LintFinding, LoadWithin,
    MethodFindings, Metric, Needed, NotRun, OpenNumbers, OtherSize, PhaseKind, Price, QualityIssue,
    Reason, RerunPoint, ScaleLimit, Sensitivity, Severity, Subject, Validation, Validity, Warmed,
};
use findings::record::Cost;

/// A language a report can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

impl Language {
    /// Every language, the default first.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// Its BCP 47 tag, for `lang` attributes.
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-CN",
        }
    }

    /// Its own name for itself.
    pub fn own_name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Chinese => "中文",
        }
    }

    /// The language of a tag (`en`, `zh`, `zh-CN`), if it is one of them.
    pub fn from_tag(tag: &str) -> Option<Language> {
        match tag.to_ascii_lowercase().split(['-', '_', '.']).next() {
            Some("en") => Some(Language::English),
            Some("zh") => Some(Language::Chinese),
            _ => None,
        }
    }

    /// Its words.
    pub fn words(self) -> &'static dyn Words {
        match self {
            Language::English => &en::English,
            Language::Chinese => &zh::Chinese,
        }
    }
}

/// All texts of a language.
pub trait Words: AnswerWords + BuyWords + TrustWords + LintWords {
    /// Headings, column names and other fixed words.
    fn label(&self, label: Label) -> &'static str;
}

/// Texts about effects and verdicts.
pub trait AnswerWords {
    /// `worth it`.
    fn class(&self, class: Class) -> &'static str;
    /// `sustained`.
    fn phase(&self, phase: PhaseKind) -> &'static str;
    /// `operations a second`.
    fn metric(&self, metric: Metric) -> &'static str;
    /// `SLOG`; a factor of several subjects is called by its own name.
    fn subject(&self, subject: &Subject) -> String;
    /// The verdict as a sentence, with its interval in words.
    fn judgement(&self, class: Class, effect: Option<&Effect>) -> String;
    /// The other phase beside it, where there are two.
    fn beside(&self, effect: &Effect) -> String;
    /// A reason, as a sentence.
    fn reason(&self, reason: &Reason) -> String;
    /// With which command a reason is seen on a real server, in brackets.
    fn shown_by(&self, command: &str) -> String;
    /// A cost that a cell was run without: `without flushes of the log`.
    fn without(&self, cost: Cost) -> &'static str;
    /// What a cell does without a cost: `without flushes of the log: 1.2× [1.1, 1.3]`.
    fn cause(&self, cause: &Cause) -> String;
    /// What limits a cell.
    fn limit(&self, limit: &Limit) -> String;
    /// What a cell's database server did.
    fn database(&self, database: &Database) -> String;
    /// What to know before acting.
    fn caution(&self, caution: &Caution) -> String;
    /// How a verdict depends on the other factors.
    fn condition(&self, condition: &Condition) -> String;
    /// What would decide an undecided effect.
    fn needed(&self, needed: &Needed) -> String;
    /// How two factors act together.
    fn interaction(&self, interaction: &Interaction) -> String;
    /// What a setting contributes.
    fn contribution(&self, contribution: &Contribution) -> String;
    /// Two campaigns compared: what one cell's change comes to.
    fn change(&self, class: Class) -> &'static str;
}

/// Texts for a buyer beside a verdict.
pub trait BuyWords {
    /// Over which range a verdict holds.
    fn sensitivity(&self, sensitivity: &Sensitivity) -> String;
    /// Below which load nothing is gained.
    fn break_even(&self, even: &BreakEven) -> String;
    /// What a gain costs.
    fn price(&self, price: &Price) -> String;
    /// The smallest configuration that will do.
    fn adequate(&self, adequate: &Adequate) -> String;
    /// What load a configuration carries.
    fn ladder(&self, ladder: &Ladder) -> String;
    /// What load keeps a percentile under a limit.
    fn load_within(&self, within: &LoadWithin) -> String;
}

/// Texts about how far the numbers can be trusted.
pub trait TrustWords {
    /// Name of a conservation law.
    fn law(&self, law: Law) -> &'static str;
    /// What the law says.
    fn law_says(&self, law: Law) -> &'static str;
    /// The unit of a law's numbers; none for shares.
    fn law_unit(&self, law: Law) -> &'static str;
    /// `2 of 4 trials`.
    fn of_trials(&self, trials: u32, of: u32) -> String;
    /// A quality issue of a trial or cell.
    fn issue(&self, issue: &QualityIssue) -> String;
    /// What a trial is worth.
    fn validity(&self, validity: Validity) -> &'static str;
    /// That a cell was not run, and how many trials it needs.
    fn not_run(&self, cell: &NotRun) -> String;
    /// How far a part that results rest on was checked, and where in docs/validation.
    fn validation(&self, part: &Validation) -> String;
    /// What an interval is made of.
    fn basis(&self, basis: Basis) -> &'static str;
    /// What a configuration risks.
    fn durability(&self, risk: &DurabilityRisk) -> String;
    /// What the scale rules out.
    fn scale_limit(&self, limit: &ScaleLimit) -> String;
    /// How much of a drive's profile is open.
    fn open_numbers(&self, open: &OpenNumbers) -> String;
    /// How a result moves with the size scale.
    fn other_size(&self, other: &OtherSize) -> String;
    /// How caches were warmed.
    fn warmed(&self, warmed: &Warmed) -> String;
    /// How sure the numbers are meant to be, in paragraphs.
    fn method(&self, method: &MethodFindings) -> Vec<String>;
    /// What S was bound by: stated in the lab, or bound by a rule of docs/reference/lab.md, by its short name.
    fn bound_by(&self, rule: &str) -> String;
    /// The model in one line: `OpenZFS 2.4.4 on a Linux machine in virtual time · size 1/12 …`.
    fn model(&self, findings: &Findings) -> String;
    /// How many trials count: `16 cells, 48 trials, 2 excluded, 1 failed`.
    fn census(&self, cells: usize, trials: usize, excluded: usize, failed: usize) -> String;
}

/// Texts about contradictions in tables.
pub trait LintWords {
    /// What a lint found.
    fn lint(&self, finding: &LintFinding) -> String;
    /// How bad it is.
    fn severity(&self, severity: Severity) -> &'static str;
}

/// A name from outside as part of a sentence: on one line, of bearable length, and isolated where it
/// is written from right to left.
pub(crate) fn name(text: &str) -> String {
    let text = cut(&one_line(text), 48);
    let right_to_left =
        |c: char| matches!(c as u32, 0x0590..=0x08ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff);
    if text.chars().any(right_to_left) { format!("\u{2068}{text}\u{2069}") } else { text }
}

/// Names in a row: `a, b`.
pub(crate) fn names(list: &[String], separator: &str) -> String {
    let all: Vec<String> = list.iter().map(|n| name(n)).collect();
    all.join(separator)
}

/// `2×: 9.1× [8.8, 9.4]`, a re-run each.
pub(crate) fn re_run_points(points: &[RerunPoint]) -> String {
    let all: Vec<String> = points
        .iter()
        .map(|point| {
            let at = format!("{} → {}", ratio(point.factor), ratio(point.ratio.value));
            match point.ratio.basis {
                Basis::Trials => at + &range(&point.ratio),
                Basis::Batches | Basis::Point => at,
            }
        })
        .collect();
    all.join(", ")
}

/// OpenZFS versions of all variants, once each.
pub(crate) fn versions(findings: &Findings) -> String {
    let mut all: Vec<&String> = findings.variants.iter().flat_map(|v| &v.openzfs).collect();
    all.retain(|version| !version.is_empty());
    all.sort();
    all.dedup();
    let all: Vec<String> = all.into_iter().map(|v| name(v)).collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_the_way_people_and_locales_write_them() {
        for tag in ["zh", "zh-CN", "zh_CN.UTF-8", "ZH-hans"] {
            assert_eq!(Language::from_tag(tag), Some(Language::Chinese), "{tag}");
        }
        assert_eq!(Language::from_tag("en_GB.UTF-8"), Some(Language::English));
        assert_eq!(Language::from_tag("de"), None);
    }

    #[test]
    fn a_name_in_a_sentence_is_short_and_cannot_turn_the_sentence_around() {
        assert_eq!(name("a\nb"), "a b");
        assert_eq!(name("שלום"), "\u{2068}שלום\u{2069}");
        assert!(crate::text::columns(&name(&"x".repeat(10_000))) <= 48);
    }
}
