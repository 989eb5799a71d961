//! The languages of a plan. Each implements [`Words`]: a missing sentence does not compile. Names of
//! layouts and drives stay as they are.

mod en;
mod zh;

use crate::assess::Note;
use crate::tolerance::Counted;

/// A language.
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

    /// What it says of plans.
    pub fn words(self) -> &'static dyn Words {
        match self {
            Language::English => &en::English,
            Language::Chinese => &zh::Chinese,
        }
    }
}

/// Everything that a plan says. Numbers come with their units.
pub trait Words {
    /// Column heads of the table.
    fn heads(&self) -> [&'static str; 10];
    /// What the figures rest on.
    fn assumed(&self) -> &'static str;
    /// `30 × 8.0 TB hdd` → what the page is called.
    fn title(&self, drives: &str) -> String;
    /// How many layouts were looked at, do what is wanted, are beaten by none, and are shown.
    fn summary(&self, considered: &str, fitting: &str, front: &str, shown: usize) -> String;
    /// Layouts were left out before kinds were combined.
    fn thinned(&self) -> &'static str;
    /// What the mark in the table means.
    fn own(&self, name: &str, variants: &str) -> String;
    /// Another layout is as good in everything and better in something.
    fn beaten(&self, by: &str) -> String;
    /// No layout does what is wanted, and what to do.
    fn none(&self) -> &'static str;
    /// Room, and failures survived.
    fn holds(&self, files: &str, listed: &str, survived: u32) -> String;
    /// Failures survived one after another.
    fn in_sequence(&self, failures: u32) -> String;
    /// A share of sets of failed drives.
    fn share(&self, share: &str, failed: u32, by: Counted) -> String;
    /// The end of a sentence.
    fn stop(&self) -> &'static str;
    /// How long a rebuild takes, and how long the group is weak.
    fn rebuild(&self, time: &str, exposed: &str) -> String;
    /// How often data is lost.
    fn loss(&self, year: &str, mttdl: &str, sector: &str) -> String;
    /// Money.
    fn price(&self, price: f64, each: f64) -> String;
    /// What to know about a layout.
    fn note(&self, note: &Note) -> String;
    /// What stands between sentences.
    fn blank(&self) -> &'static str;
    /// Size of the log.
    fn log(&self, needed: &str, waits: &str, dirty: &str, txg_s: f64, arrives: &str) -> String;
    /// Largest sensible L2ARC.
    fn cache(&self, sensible: &str, arc: &str) -> String;
    /// An L2ARC that there is.
    fn cache_own(&self, size: &str, headers: &str, share: &str) -> String;
    /// Where the sizes of files come from: the built-in statistic.
    fn mirror_site(&self) -> &'static str;
    /// Where the sizes of files come from: counted files.
    fn files(&self, count: &str, bytes: &str) -> String;
    /// Where the sizes of blocks come from: zdb's histogram.
    fn blocks(&self, count: &str, bytes: &str) -> String;
    /// Size of a special vdev: what goes there.
    fn special(&self, needed: &str, small_blocks: Option<&str>, of: &str) -> String;
    /// The histogram does not tell metadata from data.
    fn no_metadata(&self) -> &'static str;
    /// Flash beside disks: vdevs it could be, and what one of its mirrors holds.
    fn beside_disks(&self, kind: &str, vdevs: &str, room: &str) -> String;
    /// Label of the chart.
    fn chart(&self) -> &'static str;
    /// Axis of the chart: room.
    fn axis_room(&self) -> &'static str;
    /// Axis of the chart: losses.
    fn axis_losses(&self) -> &'static str;
}
