//! Cells: the trials of a variant × workload put together.

pub(crate) mod client;
pub(crate) mod database;
pub(crate) mod hits;
pub(crate) mod ladder;
pub(crate) mod latency;
pub(crate) mod phases;
pub(crate) mod resources;
pub(crate) mod sync_tests;

use self::client::ClientFacts;
use self::phases::{Course, Lengths};
use crate::quality::{conservation, scale};
use crate::schema::{
    Cell, CellIssue, CellScale, Estimate, Hits, Part, Phases, QualityIssue, ThroughputSeries,
    TrialCounts, TrialRow, Validity, Warmed,
};
use crate::{CONFIDENCE, quality};
use lab::campaign::{Campaign, Variant, Workload};
use lab::durability::write_path;
use lab::model::Model;
use measurement::{
    Counter, Counters, DriveCounter, Flow, Measured, Second, THROTTLES, Trial, TrialKind,
    TrialResult, WarmUp, WarmUpEnd,
};
use std::collections::BTreeMap;

/// A trial that ran, judged.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    pub trial: &'a Trial,
    pub measured: &'a Measured,
    pub course: Option<Course>,
    pub checks: Vec<crate::schema::Check>,
    pub issues: Vec<QualityIssue>,
    /// What it is worth.
    pub validity: Validity,
}

impl Judged<'_> {
    /// Operations a second over the whole window.
    pub fn throughput(&self) -> f64 {
        self.measured.operations() / self.measured.runtime_s
    }

    /// Operations a second of what lasts; over the whole window where the course is not known.
    pub fn lasting(&self) -> f64 {
        let lasting = self.course.as_ref().and_then(Course::lasting);
        lasting.unwrap_or_else(|| self.throughput())
    }

    /// The seconds of what lasts; all of them where the course is not known.
    fn lasting_seconds(&self) -> &[Second] {
        let seconds = &self.measured.seconds;
        match &self.course {
            Some(course) => &seconds[course.lasting_seconds()],
            None => seconds,
        }
    }
}

/// The trials of a cell.
#[derive(Debug)]
pub struct Group<'a> {
    pub variant: &'a Variant,
    pub workload: &'a Workload,
    /// What the workload says of its client.
    pub client: ClientFacts,
    /// How throughput went over time in the trials that are shown.
    pub phases: Phases,
    /// Trials that ran, by repeat.
    pub ran: Vec<Judged<'a>>,
    /// Trials that did not.
    pub failed: Vec<(&'a Trial, &'a str)>,
}

impl<'a> Group<'a> {
    /// Judges trials of one variant and workload that were run alike.
    pub fn new(
        campaign: &Campaign,
        model: &Model,
        variant: &'a Variant,
        workload: &'a Workload,
        mut mine: Vec<&'a Trial>,
    ) -> Group<'a> {
        let client = ClientFacts::of(workload);
        let after_restart = campaign.method.restart;
        let (mut judged, mut failed) = (Vec::new(), Vec::new());
        mine.sort_by_key(|t| (t.repeat, &t.key));
        for trial in mine {
            match &trial.outcome {
                TrialResult::Failed { reason } => failed.push((trial, reason.as_str())),
                TrialResult::Measured(measured) => {
                    let checks = conservation::conservation_checks(
                        trial, measured, &client, variant, &workload.dataset,
                    );
                    let course = match client.tells_one_rate {
                        true => Some(Course::of_one_rate(measured)),
                        false => Course::new(&measured.seconds),
                    };
                    let course = course.map(|course| match keeps_pace(&client, measured) {
                        true => Course { after_restart, ..course.at_pace() },
                        false => Course { after_restart, ..course },
                    });
                    let issues = quality::issues(measured, &checks, course.as_ref());
                    judged.push(Judged {
                        trial,
                        measured,
                        course,
                        validity: quality::validity(&issues),
                        checks,
                        issues,
                    });
                }
            }
        }
        let phases = Phases::Unknown;
        Group { variant, workload, client, phases, ran: judged, failed }.with_phases(model)
    }

    /// The phases that most of its trials show.
    fn with_phases(self, model: &Model) -> Group<'a> {
        let courses: Vec<_> = self.shown().iter().map(|j| j.course.clone()).collect();
        // How much longer phases that end last on the real server.
        let lengths = Lengths { burst: burst_factor(model), warm_up: model.size };
        Group { phases: phases::phases(&courses, lengths, 1.0 - CONFIDENCE), ..self }
    }

    /// Its trials with other courses; a trial without one keeps its own.
    pub fn with_courses(
        &self,
        model: &Model,
        course: impl Fn(&Judged<'a>) -> Option<Course>,
    ) -> Group<'a> {
        let judge = |judged: &Judged<'a>| {
            let course = course(judged).or_else(|| judged.course.clone());
            Judged { course, ..judged.clone() }
        };
        let ran = self.ran.iter().map(judge).collect();
        Group { ran, failed: Vec::new(), ..*self }.with_phases(model)
    }

    /// The trials of some seeds only, beside how all of them went.
    pub fn of_seeds(&self, seeds: &[u64]) -> Group<'a> {
        let ran = self.ran.iter().filter(|judged| seeds.contains(&judged.trial.seed));
        Group { ran: ran.cloned().collect(), failed: Vec::new(), ..*self }
    }

    /// Trials that count.
    pub fn valid(&self) -> impl Iterator<Item = &Judged<'a>> {
        self.of_validity(Validity::Valid)
    }

    fn of_validity(&self, validity: Validity) -> impl Iterator<Item = &Judged<'a>> {
        self.ran.iter().filter(move |j| j.validity == validity)
    }

    /// Trials to show: those that count, or else the excluded ones.
    pub fn shown(&self) -> Vec<&Judged<'a>> {
        let valid: Vec<_> = self.valid().collect();
        if !valid.is_empty() {
            return valid;
        }
        self.of_validity(Validity::Excluded).collect()
    }

    /// How many trials came to what.
    pub fn counts(&self) -> TrialCounts {
        let count = |validity| self.of_validity(validity).count() as u32;
        TrialCounts {
            valid: count(Validity::Valid),
            excluded: count(Validity::Excluded),
            failed: count(Validity::Failed) + self.failed.len() as u32,
        }
    }

    pub fn cell(&self, model: &Model) -> Cell {
        let shown = self.shown();
        let measured: Vec<&Measured> = shown.iter().map(|j| j.measured).collect();
        let counts = self.counts();
        let latency_of = |pick: fn(&Measured) -> &Flow| {
            let flows: Vec<&Flow> = measured.iter().map(|m| pick(m)).collect();
            latency::merged(&flows)
        };
        let calls: Vec<_> = measured.iter().flat_map(|m| [&m.read, &m.write, &m.sync]).collect();
        let totals = Counters::added(measured.iter().map(|m| &m.totals));
        let throughput = over_window(&shown, Measured::operations);
        let lasting: Vec<&Second> = shown.iter().flat_map(|j| j.lasting_seconds()).collect();
        Cell {
            variant: self.variant.name.clone(),
            workload: self.workload.name.clone(),
            metric: crate::metric(self.workload),
            concurrency: measured.first().map_or(0.0, |m| m.concurrency),
            trials: counts,
            validity: match counts {
                TrialCounts { valid: 1.., .. } => Validity::Valid,
                TrialCounts { excluded: 1.., .. } => Validity::Excluded,
                _ => Validity::Failed,
            },
            issues: self.issues(),
            throughput,
            // A database's client does not tell how many bytes its transactions move.
            bandwidth: over_window(&shown, |m| (m.read.bytes + m.write.bytes) as f64)
                .filter(|bandwidth| bandwidth.value > 0.0),
            latency: latency::of_clients(&measured),
            read_latency: latency_of(|m| &m.read),
            write_latency: latency_of(|m| &m.write),
            sync_latency: latency_of(|m| &m.sync),
            percentiles: latency::curve(&calls),
            sync_percentiles: latency::curve(&measured.iter().map(|m| &m.sync).collect::<Vec<_>>()),
            warm_up: warmed(&measured),
            hits: self.hits(&totals),
            phases: self.phases,
            checks: self.ran.iter().flat_map(|j| j.checks.clone()).collect(),
            scale: CellScale { size: shown.first().map_or(model.size, |j| j.trial.size) },
            resources: resources::resources(&measured, &self.client, self.variant, &lasting),
            database: database::counted(&measured),
            sync_tests: sync_tests::rates(&measured),
            series: self.ran.iter().map(series).collect(),
        }
    }

    /// Whether reads and writes of the client bypass the ARC.
    pub fn bypasses_cache(&self) -> bool {
        let path = write_path(self.variant, &self.workload.dataset, self.client.direct);
        self.variant.is_zfs() && path.bypasses_cache() && !self.client.parts_of_pages
    }

    /// Who answered the lookups. Direct reads look nothing up: of them no share is known.
    fn hits(&self, totals: &Counters) -> Hits {
        let mut found = hits::hit_ratios(totals, self.client.reads);
        if self.client.reads && self.bypasses_cache() {
            found.reads = None;
        }
        found
    }

    /// Each kind of issue once: the worst, and how many trials have one.
    fn issues(&self) -> Vec<CellIssue> {
        let mut all: Vec<CellIssue> = Vec::new();
        let not_run = self.failed.iter().map(|_| &QualityIssue::DidNotRun);
        for issue in self.ran.iter().flat_map(|j| &j.issues).chain(not_run) {
            match all.iter_mut().find(|known| known.issue.is_like(issue)) {
                Some(known) => {
                    known.trials += 1;
                    if issue.weight() > known.issue.weight() {
                        known.issue = issue.clone();
                    }
                }
                None => all.push(CellIssue { issue: issue.clone(), trials: 1 }),
            }
        }
        all
    }

    /// A row for each of its trials.
    pub fn rows(&self) -> Vec<TrialRow> {
        let throughputs: Vec<f64> = self.ran.iter().map(Judged::throughput).collect();
        let outliers = stats::outlier::flags(&throughputs);
        let mut rows: Vec<TrialRow> = self
            .ran
            .iter()
            .zip(outliers)
            .map(|(judged, outlier)| {
                let m = judged.measured;
                let mean = latency::mean_ns(&[&m.read, &m.write]);
                TrialRow {
                    throughput: Some(judged.throughput()).filter(|x| x.is_finite()),
                    lasting: Some(judged.lasting()).filter(|x| x.is_finite()),
                    mean_us: mean.map(|ns| ns / 1e3),
                    client_us: latency::client_us(&[m]),
                    validity: judged.validity,
                    issues: judged.issues.clone(),
                    outlier,
                    notes: m.notes.clone(),
                    ..row(judged.trial)
                }
            })
            .collect();
        rows.extend(self.failed.iter().map(|(trial, reason)| TrialRow {
            failure: Some((*reason).to_owned()),
            issues: vec![QualityIssue::DidNotRun],
            ..row(trial)
        }));
        rows
    }
}

/// Whether a trial did what its clients offered.
fn keeps_pace(client: &ClientFacts, measured: &Measured) -> bool {
    let done = measured.operations() / measured.runtime_s;
    client.scheduled_rate.is_some_and(|rate| ladder::keeps_up(done, rate, measured.runtime_s))
}

fn row(trial: &Trial) -> TrialRow {
    TrialRow {
        key: trial.key.clone(),
        variant: trial.variant.clone(),
        workload: trial.workload.clone(),
        repeat: trial.repeat,
        part: Part::Cell,
        seed: trial.seed,
        throughput: None,
        lasting: None,
        mean_us: None,
        client_us: None,
        validity: Validity::Failed,
        failure: None,
        issues: Vec::new(),
        outlier: false,
        notes: Vec::new(),
    }
}

fn warmed(trials: &[&Measured]) -> Option<Warmed> {
    let all: Vec<WarmUp> = trials.iter().filter_map(|m| m.warm_up).collect();
    let rank = |end: WarmUpEnd| match end {
        WarmUpEnd::Settled => 0,
        WarmUpEnd::Fixed => 1,
        WarmUpEnd::TimeLimit => 2,
    };
    Some(Warmed {
        seconds: stats::mean(all.iter().map(|w| w.seconds))?,
        ended: all.iter().map(|w| w.ended).max_by_key(|end| rank(*end))?,
        hit_ratio: all.iter().filter_map(|w| w.hit_ratio).reduce(f64::min),
    })
}

/// Real ÷ model dirty-data limit.
pub fn burst_factor(model: &Model) -> f64 {
    if model.dirty_data_max > 0 {
        model.dirty_data_max_real as f64 / model.dirty_data_max as f64
    } else {
        1.0
    }
}

/// Something a second over the whole window of each trial.
fn over_window(shown: &[&Judged<'_>], pick: impl Fn(&Measured) -> f64) -> Option<Estimate> {
    let values: Vec<f64> = shown.iter().map(|j| pick(j.measured) / j.measured.runtime_s).collect();
    // A single trial's interval comes from its rates; bytes have the same relative width.
    let single = shown.first().and_then(|j| j.course.as_ref());
    let scale = single.and_then(|course| {
        let mean = stats::mean(&course.rates).filter(|mean| *mean > 0.0)?;
        Some(stats::mean(&values)? / mean)
    });
    let rates: Option<Vec<f64>> =
        single.zip(scale).map(|(course, scale)| course.rates.iter().map(|x| x * scale).collect());
    phases::estimate(&values, rates.as_deref(), 1.0 - CONFIDENCE)
}

fn series(judged: &Judged<'_>) -> ThroughputSeries {
    let seconds = &judged.measured.seconds;
    let value = |counter| seconds.iter().map(|s| s.values.count(&counter)).collect();
    let mut busy: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (i, second) in seconds.iter().enumerate() {
        for (drive, share) in second.values.of_drives(DriveCounter::Busy) {
            let column = busy.entry(drive.to_owned()).or_default();
            column.resize(i, 0.0);
            column.push(share);
        }
    }
    busy.values_mut().for_each(|column| column.resize(seconds.len(), 0.0));
    let at = |i: usize| if i == 0 { 0.0 } else { seconds[i - 1].at };
    ThroughputSeries {
        trial: judged.trial.key.clone(),
        at: seconds.iter().map(|s| s.at).collect(),
        reads: seconds.iter().map(|s| s.reads).collect(),
        writes: seconds.iter().map(|s| s.writes).collect(),
        dirty: value(Counter::DirtyBytes),
        txg_syncs: value(Counter::TxgSyncs),
        throttled: seconds.iter().map(|s| s.values.sum(&THROTTLES)).collect(),
        busy,
        change_at: judged.course.as_ref().and_then(|c| c.change).map(at),
        steady: judged
            .course
            .as_ref()
            .and_then(|c| c.steady.clone())
            .map(|w| (at(w.start), at(w.end))),
    }
}

/// The trials of a variant under a workload.
pub fn of_cell<'a>(
    trials: &[&'a Trial],
    variant: &Variant,
    workload: &Workload,
) -> impl Iterator<Item = &'a Trial> {
    let is_of = move |t: &&Trial| t.variant == variant.name && t.workload == workload.name;
    trials.iter().copied().filter(is_of)
}

/// Every cell of a campaign, in its order. A workload that was only run as a ladder has none.
pub fn groups<'a>(campaign: &'a Campaign, model: &Model, trials: &[&'a Trial]) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    for workload in &campaign.workloads {
        for variant in &campaign.variants {
            let mine = || of_cell(trials, variant, workload);
            let laddered = mine().any(|t| t.offered_rate.is_some());
            let main: Vec<&Trial> =
                mine().filter(|t| t.is_repeat() && !scale::other_size(t, model)).collect();
            if !(main.is_empty() && laddered) {
                groups.push(Group::new(campaign, model, variant, workload, main));
            }
        }
    }
    groups
}

/// A row for each trial that belongs to no cell: rungs, re-runs, other size scales.
pub fn other_rows(campaign: &Campaign, model: &Model, trials: &[&Trial]) -> Vec<TrialRow> {
    let mut rows = Vec::new();
    for trial in trials {
        let part = part(trial, model);
        let variant = campaign.variants.iter().find(|v| v.name == trial.variant);
        let workload = campaign.workloads.iter().find(|w| w.name == trial.workload);
        if let (Some((variant, workload)), false) = (variant.zip(workload), part == Part::Cell) {
            let group = Group::new(campaign, model, variant, workload, vec![*trial]);
            rows.extend(group.rows().into_iter().map(|row| TrialRow { part: part.clone(), ..row }));
        }
    }
    rows
}

/// What a trial is a part of.
fn part(trial: &Trial, model: &Model) -> Part {
    match trial.kind() {
        TrialKind::Rerun(changed) => Part::Rerun {
            kind: changed.drive,
            parameter: changed.parameter,
            factor: changed.factor,
        },
        TrialKind::Without(cost) => Part::Without { cost },
        TrialKind::Rate(offered) => Part::Rung { offered },
        TrialKind::Size(size) => Part::OtherSize { size },
        TrialKind::Repeat if scale::other_size(trial, model) => {
            Part::OtherSize { size: trial.size }
        }
        TrialKind::Repeat => Part::Cell,
    }
}
