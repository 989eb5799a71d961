//! Every sentence of a report, in each language beside the other: one file a subject, a method of
//! [`Language`] for each enum of `findings`. Matches are exhaustive: a missing sentence does not compile.
//!
//! [`layouts`] has those about pool layouts and [`advice`] the fixed words around findings and settings; the
//! sentences of a rule of `advice` stand beside the rule. [`number`] and [`line`](mod@line) make numbers and foreign
//! text fit to stand in a sentence.

pub mod advice;
mod buying;
pub mod label;
pub mod layouts;
pub mod line;
mod lint;
mod model;
pub mod number;
pub mod quality;
mod reason;
mod sync_test;
mod validation;
mod verdict;

pub use label::Label;

use crate::line::{cut, one_line};

/// A language a report can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

/// A sentence in a language. Each name before the sentences is set once and stands in both: `name = value`, or
/// `name: show` for `show(*name)`: one of the two, never both or none.
macro_rules! say {
    (
        $language:expr $(, $name:ident $(: $show:ident)? $(= $value:expr)?)*;
        $english:literal, $chinese:literal $(,)?
    ) => {{
        $(
            $(let $name = $show(*$name);)?
            $(let $name = $value;)?
        )*
        match $language {
            $crate::Language::English => format!($english),
            $crate::Language::Chinese => format!($chinese),
        }
    }};
}
use say;

/// Methods of [`Language`], each with a phrase for each variant of an enum.
macro_rules! phrases {
    ($($(#[$doc:meta])* $method:ident($enum:ident) {
        $($variant:ident: $english:literal | $chinese:literal),* $(,)?
    })*) => {
        impl $crate::Language {
            $(
                $(#[$doc])*
                pub fn $method(self, variant: $enum) -> &'static str {
                    match variant {
                        $($enum::$variant => self.pick($english, $chinese),)*
                    }
                }
            )*
        }
    };
}
use phrases;

impl Language {
    /// Every language, the default first.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// Its BCP 47 tag, for `lang` attributes.
    pub fn tag(self) -> &'static str {
        self.pick("en", "zh-CN")
    }

    /// Its own name for itself.
    pub fn own_name(self) -> &'static str {
        self.pick("English", "中文")
    }

    /// The language of a tag (`en`, `zh`, `zh-CN`), if it is one of them.
    pub fn from_tag(tag: &str) -> Option<Language> {
        match tag.to_ascii_lowercase().split(['-', '_', '.']).next() {
            Some("en") => Some(Language::English),
            Some("zh") => Some(Language::Chinese),
            _ => None,
        }
    }

    /// A fixed phrase.
    fn pick(self, english: &'static str, chinese: &'static str) -> &'static str {
        match self {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    /// A remark behind what it is on: ` (vs none)`. Full-width brackets have their own space.
    pub fn in_brackets(self, remark: &str) -> String {
        say!(self; " ({remark})", "（{remark}）")
    }

    /// A ratio with what it is of and when: behind it in English, before it in Chinese.
    pub fn measured_in(self, ratio: &str, metric: Option<&str>, phase: Option<&str>) -> String {
        let words = match self {
            Language::English => [Some(ratio), metric, phase],
            Language::Chinese => [phase, metric, Some(ratio)],
        };
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Names in a row: `a, b`.
    fn names(self, list: &[String]) -> String {
        let all: Vec<String> = list.iter().map(|n| name(n)).collect();
        all.join(self.pick(", ", "、"))
    }
}

/// A name from outside as part of a sentence: on one line, of bearable length, and isolated where it
/// is written from right to left.
pub fn name(text: &str) -> String {
    let text = cut(&one_line(text), 48);
    let right_to_left =
        |c: char| matches!(c as u32, 0x0590..=0x08ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff);
    if text.chars().any(right_to_left) { format!("\u{2068}{text}\u{2069}") } else { text }
}

/// A factor and its level, as names in a sentence: `log mirror`. A variant of its own is both, and named once.
pub fn level_of(factor: &str, level: &str) -> String {
    if factor == level { level.to_owned() } else { format!("{factor} {level}") }
}

/// A number with what it counts: `1 drive`, `2 drives`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::schema::*;

    #[test]
    fn one_of_something_is_no_plural_in_english() {
        let english = Language::English;
        let processor = |bound, cells| {
            let processor = Processor::Charged;
            english.validation(&Validation::Processor { processor, bound, cells })
        };
        assert!(processor(0, 1).contains("The modelled cores do not limit the cell;"));
        assert!(processor(0, 2).contains("The modelled cores limit none of the 2 cells;"));
        assert!(processor(1, 1).contains("in 1 of 1 cell the"));
        let sizes = |cells, moved| {
            let state = SizeState::Measured { cells, moved };
            english.validation(&Validation::Size { size: 12.0, state })
        };
        assert!(sizes(1, 0).contains("1 comparison at other S in this campaign, within 10 %"));
        assert!(sizes(4, 1).contains("1 of 4 comparisons at other S in this campaign differs by"));
        let ratio = Estimate { value: 1.0, low: 1.0, high: 1.0, basis: Basis::Point };
        let enough = english.adequate(&Adequate {
            workload: "w".into(),
            fastest: "two".into(),
            enough: "one".into(),
            ratio,
            drives: (1, 2),
            prices: None,
            riskier: false,
        });
        assert!(enough.contains("for 1 drive instead of 2 drives"), "{enough}");
        let one = Caution::BlockingSubmission { in_flight: 1, of: 8.0 };
        assert!(english.caution(&one).contains("1 of 8 operations is under way"));
        let width = LintFinding::LayoutWidth {
            data: 4,
            parity: 2,
            vdevs: 1,
            spares: 1,
            drives: 6,
            data_actual: 3,
        };
        let width = english.lint(&width);
        assert!(width.starts_with("1 vdev of 4D+2P and 1 spare need 7 drives"), "{width}");
    }

    #[test]
    fn transactions_are_called_so_where_a_verdict_says_what_it_is_worth() {
        let even = BreakEven { ops_s: 640.0, syncs_s: None, basis: BreakEvenBasis::ClosedLoop };
        let price = Price { more: 220.0, per_op_s: Some(0.06) };
        let words = |language: Language, rate| {
            (language.break_even(&even, rate), language.price(&price, rate))
        };
        let (even, price) = words(Language::English, Label::Tps);
        assert!(even.starts_with("Below 640 TPS there is") && price.contains("additional TPS (in"));
        let (even, price) = words(Language::Chinese, Label::Tps);
        assert!(even.starts_with("负载低于 640 TPS 时") && price.contains("每提高 1 TPS 需"));
        let (even, price) = words(Language::Chinese, Label::OpsPerSecond);
        assert!(even.starts_with("负载低于 640 次/秒时") && price.contains("每提高 1 次/秒需"));
        let (_, price) = words(Language::English, Label::OpsPerSecond);
        assert!(price.contains("additional op/s (in"), "{price}");
    }

    #[test]
    fn a_risk_of_one_side_is_named() {
        let caution =
            Caution::Risks { variant: "raid0".into(), risks: vec![DurabilityRisk::NoRedundancy] };
        let [english, chinese] = Language::ALL.map(|language| language.caution(&caution));
        let of_one = "raid0 has a risk that the other does not have. A data vdev has no redundancy";
        assert!(english.starts_with(of_one), "{english}");
        assert!(
            chinese.starts_with("raid0 有对照方案没有的风险。有数据 vdev 没有冗余"),
            "{chinese}"
        );
    }

    #[test]
    fn a_variant_of_its_own_is_named_once_in_a_sentence() {
        let context = [("log-cache".to_owned(), "log-cache".to_owned())].into();
        let place = Condition { context, class: VerdictClass::WorthIt, ratio: 2.0 };
        let text = Language::English.condition(&place);
        assert!(text.starts_with("With log-cache: worth it"), "{text}");
    }

    /// Where flushes are switched off the drives may well need them.
    #[test]
    fn a_reason_does_not_say_more_than_was_counted() {
        let before = DriveTime { kind: "hdd".into(), with_data: true, us: 9000.0 };
        let no_flush = Reason::NoLogFlush { before, kind: "hdd".into() };
        let [english, chinese] = Language::ALL.map(|language| language.reason(&no_flush));
        assert!(english.starts_with("The log on hdd waits for no cache flush;"), "{english}");
        assert!(chinese.contains("不等待刷盘"), "{chinese}");
        let read = |per_s| Language::English.reason(&Reason::NothingRead { per_s });
        assert_eq!(read(0.0), "All reads hit memory.");
        assert!(
            read(0.3).starts_with("Almost all reads hit memory (0.3 blocks/s"),
            "{}",
            read(0.3)
        );
    }

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
        assert!(crate::line::columns(&name(&"x".repeat(10_000))) <= 48);
    }
}
