//! Cells: the trials of a variant × workload put together.

use crate::job::{self, Job};
use crate::output::{
    Attribution, Cell, CellScale, Estimate, Mark, Marked, Part, Series, Standing, TrialCounts,
    TrialRow, Warmed,
};
use crate::phases::{self, Course, Lengths};
use crate::record::{Measured, Outcome, Second, Trial, WarmUp, WarmUpEnd};
use crate::{CONFIDENCE, attribution, checks, counters as c, hits, latency, marks, scale};
use lab::campaign::{Campaign, Variant, Workload};
use lab::model::Model;
use std::collections::BTreeMap;

/// A trial that ran, judged.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    /// The record.
    pub trial: &'a Trial,
    /// Its measurements.
    pub measured: &'a Measured,
    /// Its course over time.
    pub course: Option<Course>,
    /// Its conservation checks.
    pub checks: Vec<crate::output::Check>,
    /// Its marks.
    pub marks: Vec<Mark>,
    /// What it is worth.
    pub standing: Standing,
}

impl Judged<'_> {
    /// Operations a second over the whole window.
    pub fn throughput(&self) -> f64 {
        (self.measured.read.ops + self.measured.write.ops) as f64 / self.measured.runtime_s
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

/// How the trials of a campaign were run.
#[derive(Debug, Clone, Copy)]
pub struct Ran {
    /// Dilation k of those that belong together; none where there is no trial yet.
    pub time: Option<f64>,
    /// The pool was exported and imported before each window.
    pub after_restart: bool,
}

impl Ran {
    /// As a campaign asked for it, at the model's k or else at the first trial's.
    pub fn of(campaign: &Campaign, model: &Model, trials: &[Trial]) -> Ran {
        Ran {
            time: model.time.or_else(|| trials.first().map(|t| t.time)),
            after_restart: campaign.method.restart,
        }
    }
}

/// The trials of a cell.
#[derive(Debug)]
pub struct Group<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// The workload.
    pub workload: &'a Workload,
    /// What its job file says.
    pub job: Job,
    /// Trials that ran, in order of the schedule.
    pub ran: Vec<Judged<'a>>,
    /// Trials that did not.
    pub failed: Vec<(&'a Trial, &'a str)>,
}

impl<'a> Group<'a> {
    /// Judges trials of one variant and workload that were run alike.
    pub fn of(
        variant: &'a Variant,
        workload: &'a Workload,
        ran: Ran,
        mut mine: Vec<&'a Trial>,
    ) -> Group<'a> {
        let job = job::of(workload);
        let (mut judged, mut failed) = (Vec::new(), Vec::new());
        mine.sort_by_key(|t| t.id);
        for trial in mine {
            match &trial.outcome {
                Outcome::Failed { reason } => failed.push((trial, reason.as_str())),
                Outcome::Measured(measured) => {
                    let checks = checks::of(trial, measured, &job, variant, &workload.dataset);
                    let course = Course::of(measured).map(|course| Course {
                        after_restart: ran.after_restart,
                        ..course
                    });
                    let mut marks = marks::of(trial, measured, &job, &checks, ran.time);
                    if course.as_ref().is_some_and(|c| c.judged().is_none()) {
                        marks.push(Mark::NotSteady {
                            seconds: measured.seconds.len() as f64,
                        });
                    }
                    judged.push(Judged {
                        trial,
                        measured,
                        course,
                        standing: marks::standing(&marks),
                        checks,
                        marks,
                    });
                }
            }
        }
        Group {
            variant,
            workload,
            job,
            ran: judged,
            failed,
        }
    }

    /// Trials that count.
    pub fn sound(&self) -> impl Iterator<Item = &Judged<'a>> {
        self.ran.iter().filter(|j| j.standing == Standing::Sound)
    }

    /// Trials to show: the sound ones, or else the marked ones.
    pub fn shown(&self) -> Vec<&Judged<'a>> {
        let sound: Vec<_> = self.sound().collect();
        if !sound.is_empty() {
            return sound;
        }
        self.ran
            .iter()
            .filter(|j| j.standing == Standing::Marked)
            .collect()
    }

    /// How many trials came to what.
    pub fn counts(&self) -> TrialCounts {
        let of = |standing| self.ran.iter().filter(|j| j.standing == standing).count() as u32;
        TrialCounts {
            sound: of(Standing::Sound),
            marked: of(Standing::Marked),
            failed: of(Standing::Failed) + self.failed.len() as u32,
        }
    }

    /// The cell.
    pub fn cell(&self, model: &Model) -> Cell {
        let shown = self.shown();
        let measured: Vec<&Measured> = shown.iter().map(|j| j.measured).collect();
        let counts = self.counts();
        let flows = |pick: &dyn Fn(&Measured) -> Vec<&crate::record::Flow>| {
            let all: Vec<_> = measured.iter().flat_map(|m| pick(m)).collect();
            latency::merged(&all)
        };
        let both: Vec<_> = measured.iter().flat_map(|m| [&m.read, &m.write]).collect();
        let courses: Vec<Option<Course>> = shown.iter().map(|j| j.course.clone()).collect();
        let totals = hits::summed(measured.iter().map(|m| &m.totals));
        let throughput = over_window(&shown, |m| (m.read.ops + m.write.ops) as f64);
        let lasting = shown.iter().flat_map(|j| j.lasting_seconds());
        let busy = attribution::mean_busy(lasting);
        let attribution = attribution::of(&measured, &self.job, busy);
        let phases = phases::of(&courses, lengths(model), 1.0 - CONFIDENCE);
        let lasts = phases.lasting().map(|p| p.throughput).or(throughput);
        Cell {
            variant: self.variant.name.clone(),
            workload: self.workload.name.clone(),
            metric: crate::metric(self.workload),
            concurrency: measured.first().map_or(0.0, |m| m.concurrency),
            trials: counts,
            standing: match counts {
                TrialCounts { sound: 1.., .. } => Standing::Sound,
                TrialCounts { marked: 1.., .. } => Standing::Marked,
                _ => Standing::Failed,
            },
            marks: self.cell_marks(),
            throughput,
            bandwidth: over_window(&shown, |m| (m.read.bytes + m.write.bytes) as f64),
            latency: latency::merged(&both),
            read_latency: flows(&|m| vec![&m.read]),
            write_latency: flows(&|m| vec![&m.write]),
            sync_latency: flows(&|m| vec![&m.sync]),
            percentiles: latency::curve(&both),
            sync_percentiles: latency::curve(&measured.iter().map(|m| &m.sync).collect::<Vec<_>>()),
            warm_up: warmed(&measured),
            hits: hits::of(&totals),
            phases,
            checks: self.ran.iter().flat_map(|j| j.checks.clone()).collect(),
            scale: self.scale(model, lasts.map(|x| x.value), attribution.as_ref()),
            attribution,
            series: self.ran.iter().map(series).collect(),
        }
    }

    /// Each kind of mark once: the worst, and how many trials have one.
    fn cell_marks(&self) -> Vec<Marked> {
        let mut all: Vec<Marked> = Vec::new();
        let not_run = self.failed.iter().map(|_| &Mark::DidNotRun);
        for mark in self.ran.iter().flat_map(|j| &j.marks).chain(not_run) {
            match all.iter_mut().find(|m| m.mark.is_like(mark)) {
                Some(known) => {
                    known.trials += 1;
                    if mark.weight() > known.mark.weight() {
                        known.mark = mark.clone();
                    }
                }
                None => all.push(Marked {
                    mark: mark.clone(),
                    trials: 1,
                }),
            }
        }
        all
    }

    fn scale(
        &self,
        model: &Model,
        throughput: Option<f64>,
        attribution: Option<&Attribution>,
    ) -> CellScale {
        let shown = self.shown();
        let worst = |pick: &dyn Fn(&Measured) -> f64| {
            shown.iter().map(|j| pick(j.measured)).fold(0.0, f64::max)
        };
        let time = shown
            .first()
            .map_or(model.time.unwrap_or(1.0), |j| j.trial.time);
        let measured: Vec<&Measured> = shown.iter().map(|j| j.measured).collect();
        CellScale {
            size: shown.first().map_or(model.size, |j| j.trial.size),
            time,
            late_share: worst(&Measured::late_share),
            cpu_share: worst(&|m| m.fidelity.cpu_share),
            neighbours_share: worst(&|m| m.fidelity.neighbours_share),
            throughput_with_host_processor: throughput
                .filter(|_| attribution.is_some() && !self.job.paced)
                .and_then(|x| charged(x, &measured, time)),
        }
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
                    mean_us: mean.map(|ns| ns / 1e3),
                    client_us: attribution::client_us(&[m]),
                    standing: judged.standing,
                    marks: judged.marks.clone(),
                    outlier,
                    notes: m.notes.clone(),
                    ..row(judged.trial)
                }
            })
            .collect();
        rows.extend(self.failed.iter().map(|(trial, reason)| TrialRow {
            failure: Some((*reason).to_owned()),
            marks: vec![Mark::DidNotRun],
            ..row(trial)
        }));
        rows
    }
}

fn row(trial: &Trial) -> TrialRow {
    TrialRow {
        id: trial.id,
        variant: trial.variant.clone(),
        workload: trial.workload.clone(),
        repeat: trial.repeat,
        part: Part::Cell,
        seed: trial.seed,
        started: trial.started.clone(),
        wall_s: trial.wall_s,
        throughput: None,
        mean_us: None,
        client_us: None,
        standing: Standing::Failed,
        failure: None,
        marks: Vec::new(),
        outlier: false,
        notes: Vec::new(),
    }
}

/// How the caches of some trials were warmed.
fn warmed(trials: &[&Measured]) -> Option<Warmed> {
    let all: Vec<WarmUp> = trials.iter().filter_map(|m| m.warm_up).collect();
    let rank = |end: WarmUpEnd| match end {
        WarmUpEnd::Settled => 0,
        WarmUpEnd::Fixed => 1,
        WarmUpEnd::TimeLimit => 2,
    };
    Some(Warmed {
        seconds: stats::mean(&all.iter().map(|w| w.seconds).collect::<Vec<_>>())?,
        ended: all.iter().map(|w| w.ended).max_by_key(|end| rank(*end))?,
        hit_ratio: all.iter().filter_map(|w| w.hit_ratio).reduce(f64::min),
    })
}

/// How much longer phases that end last on the real machine.
pub fn lengths(model: &Model) -> Lengths {
    Lengths {
        burst: burst_factor(model),
        warm_up: model.size,
    }
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
    let values: Vec<f64> = shown
        .iter()
        .map(|j| pick(j.measured) / j.measured.runtime_s)
        .collect();
    // A single trial's interval comes from its rates; other flows keep their relative width.
    let single = shown.first().and_then(|j| j.course.as_ref());
    let scale = single.and_then(|course| {
        let mean = stats::mean(&course.rates).filter(|mean| *mean > 0.0)?;
        Some(stats::mean(&values)? / mean)
    });
    let rates: Option<Vec<f64>> = single
        .zip(scale)
        .map(|(course, scale)| course.rates.iter().map(|x| x * scale).collect());
    let series = rates
        .as_deref()
        .zip(single)
        .map(|(rates, course)| (rates, course.period));
    phases::estimate(&values, series, 1.0 - CONFIDENCE)
}

/// Throughput with this host's processor time added back to each operation. Dilation makes the
/// processor k times faster than this host's: of c ns an operation, c/k are in the measured time and
/// c·(1 − 1/k) are not. Closed loop: X = N ÷ R.
fn charged(throughput: f64, trials: &[&Measured], time: f64) -> Option<f64> {
    let cpu = stats::mean(
        &trials
            .iter()
            .map(|m| m.fidelity.poolfs_cpu_ns_per_op)
            .collect::<Vec<_>>(),
    )?;
    let in_flight = stats::mean(
        &trials
            .iter()
            .map(|m| checks::in_flight(m))
            .collect::<Vec<_>>(),
    )?;
    if !(throughput > 0.0 && time >= 1.0) || in_flight <= 0.0 {
        return None;
    }
    let response_ns = in_flight / throughput * 1e9;
    Some(throughput * response_ns / (response_ns + cpu.max(0.0) * (1.0 - 1.0 / time)))
}

fn series(judged: &Judged<'_>) -> Series {
    let seconds = &judged.measured.seconds;
    let value = |name: &str| -> Vec<f64> { seconds.iter().map(|s| s.sum_of(&[name])).collect() };
    let mut busy: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (i, second) in seconds.iter().enumerate() {
        for (name, share) in &second.values {
            if let Some((drive, "busy")) = c::drive(name) {
                let column = busy.entry(drive.to_owned()).or_default();
                column.resize(i, 0.0);
                column.push(*share);
            }
        }
    }
    busy.values_mut()
        .for_each(|column| column.resize(seconds.len(), 0.0));
    let at = |i: usize| if i == 0 { 0.0 } else { seconds[i - 1].at };
    Series {
        trial: judged.trial.id,
        at: seconds.iter().map(|s| s.at).collect(),
        reads: seconds.iter().map(|s| s.reads).collect(),
        writes: seconds.iter().map(|s| s.writes).collect(),
        dirty: value(c::DIRTY),
        txg_syncs: value(c::TXG_SYNCS),
        throttled: seconds.iter().map(|s| s.sum_of(&c::THROTTLES)).collect(),
        busy,
        change_at: judged.course.as_ref().and_then(|c| c.change).map(at),
        steady: judged
            .course
            .as_ref()
            .and_then(|c| c.steady.clone())
            .map(|w| (at(w.start), at(w.end))),
    }
}

/// Every cell of a campaign, in its order. A workload that was only run as a ladder has none.
pub fn groups<'a>(campaign: &'a Campaign, model: &Model, trials: &'a [Trial]) -> Vec<Group<'a>> {
    let ran = Ran::of(campaign, model, trials);
    let mut groups = Vec::new();
    for workload in &campaign.workloads {
        for variant in &campaign.variants {
            let mine: Vec<&Trial> = trials
                .iter()
                .filter(|t| t.variant == variant.name && t.workload == workload.name)
                .collect();
            let laddered = mine.iter().any(|t| t.offered_rate.is_some());
            let main: Vec<&Trial> = mine
                .into_iter()
                .filter(|t| t.is_main() && !scale::other_size(t, model))
                .collect();
            if !(main.is_empty() && laddered) {
                groups.push(Group::of(variant, workload, ran, main));
            }
        }
    }
    groups
}

/// A row for each trial that belongs to no cell: rungs, re-runs, other size scales.
pub fn other_rows(campaign: &Campaign, model: &Model, trials: &[Trial]) -> Vec<TrialRow> {
    let ran = Ran::of(campaign, model, trials);
    let mut rows = Vec::new();
    for trial in trials {
        let part = match (&trial.rerun, trial.offered_rate) {
            (Some(changed), _) => Part::Rerun {
                kind: changed.drive.clone(),
                parameter: changed.parameter.clone(),
                factor: changed.factor,
            },
            (None, Some(offered)) => Part::Rung { offered },
            (None, None) if scale::other_size(trial, model) => Part::OtherSize { size: trial.size },
            (None, None) => continue,
        };
        let variant = campaign.variants.iter().find(|v| v.name == trial.variant);
        let workload = campaign.workloads.iter().find(|w| w.name == trial.workload);
        if let Some((variant, workload)) = variant.zip(workload) {
            let group = Group::of(variant, workload, ran, vec![trial]);
            rows.extend(group.rows().into_iter().map(|row| TrialRow {
                part: part.clone(),
                ..row
            }));
        }
    }
    rows
}
