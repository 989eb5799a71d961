//! A rule: its scope, its sentences in each language, and its sources.

use super::{Finding, Problem, Severity};
use crate::setting::Target;
use crate::source::Source;
use crate::system::{
    CardReport, Counters, Database, Dataset, Drive, Found, Leaf, Place, Pool, Property, System,
    Vdev,
};
use facts::card::Volume;
use text::Language;
use zfs::AllocationClass;

/// A rule of the audit.
///
/// `{subject}` in a sentence stands for what the finding is about, other names in braces for the
/// finding's arguments.
pub struct Rule {
    /// Its name in output, documentation and fixtures: lower case, words joined by hyphens.
    pub name: &'static str,
    /// How severe its findings are, unless the check sets another severity.
    pub severity: Severity,
    pub(super) check: Check,
    /// What is wrong.
    pub what: &'static str,
    /// What is wrong, in Chinese.
    pub what_zh: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// Why it matters, in Chinese.
    pub why_zh: &'static str,
    /// Its sources.
    pub sources: &'static [Source],
    /// The lab that demonstrates it: its file stem, and options of `powercut`.
    pub lab: Option<&'static str>,
}

/// The rules of a topic, `RULES`, in the order of the documentation. Each has its name, severity and check, its
/// sentences, its sources and, where one demonstrates it, its lab. rustfmt leaves what stands in it as it is: 120 columns
/// beside the sentences.
macro_rules! rules {
    ($(
        $name:literal, $severity:ident, $check:expr,
        what: $what:literal,
        what_zh: $what_zh:literal,
        why: $why:literal,
        why_zh: $why_zh:literal,
        sources: [$($document:ident($section:literal)),+]
        $(, lab: $lab:expr)?;
    )+) => {
        pub const RULES: &[$crate::audit::Rule] = &[$(
            $crate::audit::Rule {
                name: $name,
                severity: $crate::audit::Severity::$severity,
                check: $check,
                what: $what,
                what_zh: $what_zh,
                why: $why,
                why_zh: $why_zh,
                sources: &[$($crate::source::Document::$document.section($section)),+],
                // None where no lab is named.
                lab: [$($lab)?].first().copied(),
            },
        )+];
    };
}
pub(super) use rules;

impl Rule {
    /// Its two sentences, what is wrong and why it matters, before arguments are filled in.
    pub fn text(&self, language: Language) -> (&'static str, &'static str) {
        match language {
            Language::English => (self.what, self.why),
            Language::Chinese => (self.what_zh, self.why_zh),
        }
    }

    /// Its findings in a system.
    pub fn findings(&'static self, system: &System) -> Vec<Finding> {
        let problems = self.check.problems(system).into_iter();
        problems.map(|problem| Finding::new(self, problem)).collect()
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The scope of a rule: the function is called once for each item, and returns a problem or none.
pub enum Check {
    System(fn(&System) -> Option<Problem>),
    Pool(fn(&System, &Pool) -> Option<Problem>),
    /// Each top-level vdev of a class, or of every class. Fills in `{pool}`.
    Vdev(Option<AllocationClass>, fn(&System, &Pool, &Vdev) -> Option<Problem>),
    /// Each drive of the vdevs of a class, or of every class. Fills in `{pool}`.
    Leaf(Option<AllocationClass>, fn(&System, &Pool, &Leaf) -> Option<Problem>),
    /// Each drive of the machine, in a pool or not.
    Drive(fn(&System, &Drive) -> Option<Problem>),
    Dataset(fn(&System, &Dataset) -> Option<Problem>),
    /// Each dataset on which a property has a wrong value, unless it inherits the value from its
    /// parent, which is reported. Fills in `{value}` and shows the property.
    Property(&'static str, fn(&System, &Dataset, &str) -> Option<Problem>),
    /// Each dataset that holds a database. Fills in `{engine}`.
    Database(fn(&System, &Database) -> Option<Problem>),
    /// Each parameter of the zfs module that somebody set. Fills in `{value}` and shows the
    /// assignment.
    Parameter(fn(&System, &str, &Found<String>) -> Option<Problem>),
    Card(fn(&System, &CardReport) -> Option<Problem>),
    /// Each logical drive of each RAID card.
    Volume(fn(&System, &CardReport, &Volume) -> Option<Problem>),
    /// Counters of a live machine, where the window has at least so many seconds.
    Counters(f64, fn(&System, &Counters, &Place) -> Option<Problem>),
    /// A setting with a wrong value. Fills in `{value}`.
    Setting {
        target: Target,
        name: &'static str,
        wrong: fn(&str) -> bool,
        /// The right value; none to remove the setting.
        right: Option<&'static str>,
    },
}

impl Check {
    fn problems(&self, system: &System) -> Vec<Problem> {
        let pools = || system.pools.iter();
        let vdevs = |class: Option<AllocationClass>| {
            let vdevs = pools().flat_map(|pool| pool.vdevs.iter().map(move |vdev| (pool, vdev)));
            vdevs.filter(move |(_, vdev)| class.is_none_or(|class| vdev.class == class))
        };
        let cards = || system.cards.iter();
        match self {
            Check::System(check) => check(system).into_iter().collect(),
            Check::Pool(check) => each(pools(), |pool| check(system, pool)),
            Check::Vdev(class, check) => each(vdevs(*class), |(pool, vdev)| {
                Some(check(system, pool, vdev)?.with("pool", &pool.name))
            }),
            Check::Leaf(class, check) => {
                let leaves = vdevs(*class)
                    .flat_map(|(pool, vdev)| vdev.leaves.iter().map(move |leaf| (pool, leaf)));
                each(leaves, |(pool, leaf)| {
                    Some(check(system, pool, leaf)?.with("pool", &pool.name))
                })
            }
            Check::Drive(check) => each(&system.drives, |drive| check(system, drive)),
            Check::Dataset(check) => each(&system.datasets, |dataset| check(system, dataset)),
            Check::Property(name, check) => each(&system.datasets, |dataset| {
                let own = |own: &&Property| !system.inherits(dataset, name, own);
                let property = dataset.get(name).filter(own)?;
                let problem =
                    check(system, dataset, &property.value)?.with("value", &property.value);
                Some(problem.first(&property.at, format!("{name} {}", property.value)))
            }),
            Check::Database(check) => each(&system.databases(), |database| {
                Some(check(system, database)?.with("engine", database.server.name()))
            }),
            Check::Parameter(check) => each(&system.module, |(name, found)| {
                let problem = check(system, name, found)?.with("value", &found.value);
                Some(problem.first(&found.at, format!("{name}={}", found.value)))
            }),
            Check::Card(check) => each(cards(), |report| check(system, report)),
            Check::Volume(check) => each(
                cards().flat_map(|report| report.card.volumes.iter().map(move |v| (report, v))),
                |(report, volume)| check(system, report, volume),
            ),
            Check::Counters(least_s, check) => each(&system.counters, |found| {
                let counters = Some(&found.value).filter(|found| found.seconds >= *least_s)?;
                check(system, counters, &found.at)
            }),
            Check::Setting { target, name, wrong, right } => {
                each(system.setting(target, name).filter(|found| wrong(&found.value)), |found| {
                    let problem = Problem::setting(target, name, &found);
                    Some(problem.set(target.clone(), name, *right))
                })
            }
        }
    }
}

fn each<T>(
    items: impl IntoIterator<Item = T>,
    problem: impl Fn(T) -> Option<Problem>,
) -> Vec<Problem> {
    items.into_iter().filter_map(problem).collect()
}
