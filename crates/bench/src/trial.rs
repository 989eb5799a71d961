//! One trial: build, mount, lay out, settle, measure, collect, stop.

use crate::engine::{Engine, Happening, Session};
use crate::fault::{Fault, doing};
use crate::lateness;
use crate::machine;
use crate::programs::Fio;
use crate::stop::Stop;
use crate::warm;
use crate::window::{self, Sample};
use crate::workload::fio::{self, Client, Finished, Prepared};
use findings::record::{Fidelity, LOGGED, Measured, WarmUp, WarmUpEnd};
use lab::campaign::{Method, OpenZfs, Program, Variant, Workload};
use lab::model::Model;
use poolfs::emulator::Arena;
use poolfs::protocol::{Build, Pace};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often a running client and the engine are looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Real time that a job may take which does not say how long it runs, as a multiple of the patience.
const UNTIMED: u32 = 30;
/// Bytes a second that laying out files comes to at the least: a tenth of the slowest that was seen.
const LAYOUT_BYTES_S: f64 = 1e6;

/// What a trial runs with.
pub struct Bench<'a> {
    /// What the variant is built on.
    pub engine: &'a dyn Engine,
    /// The client.
    pub fio: &'a Fio,
    /// The user's wish to stop.
    pub stop: &'a Stop,
    /// Where drives and mount points may be made.
    pub scratch: &'a Path,
    /// Scratch lies in memory, which one trial leaves to the next.
    pub in_memory: bool,
    /// Real time, besides its own, that a client has before it is taken for hung.
    pub patience: Duration,
    /// Told what is being done.
    pub said: &'a dyn Fn(Step),
    /// Shown each virtual second of the engine's counters while a client is at work.
    pub seen: &'a dyn Fn(&Sample),
}

/// What a trial is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The memory that the drives will lie in, for the first trial of a run.
    TakingMemory,
    /// Drives, pool, datasets, mount.
    Building,
    /// The client's files.
    LayingOut,
    /// Drain, export, import.
    Settling,
    /// The client at work until the caches are warm.
    WarmingUp,
    /// The measured window, ramp included.
    Measuring,
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The configuration.
    pub variant: &'a Variant,
    /// The client's settings.
    pub workload: &'a Workload,
    /// How to measure.
    pub method: &'a Method,
    /// How the variant is scaled; its `time` is set.
    pub model: &'a Model,
    /// Cores of the modelled host.
    pub cores: u32,
    /// Seed of data, drives and offsets.
    pub seed: u64,
    /// Operations a virtual second of all jobs together for an open loop; none for a closed one.
    pub rate: Option<f64>,
}

/// What a trial that ran to its end gives.
#[derive(Debug)]
pub struct Result {
    /// The measurements.
    pub measured: Measured,
    /// Wall seconds of the measured window.
    pub window_wall_s: f64,
    /// Full version of the OpenZFS library.
    pub openzfs: String,
    /// Operations a virtual second that were offered, in an open loop.
    pub offered_rate: Option<f64>,
}

/// Runs one trial. Raw outputs go to `raw`; nothing else stays.
///
/// # Errors
/// Why it did not run to its end.
pub fn run(bench: &Bench, task: &Task, raw: &Path) -> std::result::Result<Result, Fault> {
    let place = bench.scratch.join("trial");
    let outcome = in_place(bench, task, raw, &place);
    // The session is gone by now, and with it the mount.
    let _ = fs::remove_dir_all(&place);
    outcome
}

fn in_place(
    bench: &Bench,
    task: &Task,
    raw: &Path,
    place: &Path,
) -> std::result::Result<Result, Fault> {
    let (drives, mount) = (place.join("drives"), place.join("mnt"));
    let _ = fs::remove_dir_all(place);
    for dir in [&drives, &mount] {
        fs::create_dir_all(dir).map_err(doing(format!("create {}", dir.display())))?;
    }
    let time = task.model.time.unwrap_or(1.0);
    let job = prepare(bench, task, raw, &mount)?;

    let arena = bench.in_memory.then(|| bench.scratch.join("arena"));
    if let Some(arena) = &arena {
        (bench.said)(Step::TakingMemory);
        let go_on = || !bench.stop.requested();
        Arena::warm(arena, task.model.drives_hold, &go_on)
            .map_err(doing("prepare the drives' memory"))?;
    }

    (bench.said)(Step::Building);
    let mut session = bench.engine.session(task.variant.openzfs, raw)?;
    let openzfs = session.hello().openzfs.clone();
    let mut facts = session.build(Build {
        variant: task.variant.clone(),
        model: task.model.clone(),
        cores: task.cores,
        store: drives,
        arena,
        seed: task.seed,
        instant: false,
    })?;
    let under_way = job.job.concurrency.ceil() as usize;
    let features = session.mount(&task.workload.dataset, &mount, under_way)?;

    (bench.said)(Step::LayingOut);
    let instant = session.pace(Pace::Instant)?;
    let layout = job.lay_out(bench.fio)?;
    let limit =
        bench.patience + Duration::from_secs_f64(job.job.files_bytes as f64 / LAYOUT_BYTES_S);
    let done = finish(bench, &mut *session, layout, limit, &mut |_, _| Ok(()))?;
    survived(&mut *session, done, raw)?;

    (bench.said)(Step::Settling);
    session.drain()?;
    session.reopen()?;
    if let Some(client) = job.pre_read(bench.fio)? {
        let done = finish(bench, &mut *session, client, limit, &mut |_, _| Ok(()))?;
        survived(&mut *session, done, raw)?;
    }
    if instant {
        session.pace(Pace::Timed)?;
    }

    let mut warm = (job.job.ramp_s > 0.0).then_some(WarmUp {
        seconds: job.job.ramp_s,
        ended: WarmUpEnd::Fixed,
        hit_ratio: None,
    });
    let mut run = |until| {
        (bench.said)(Step::WarmingUp);
        warm_up(bench, &mut *session, &job, raw, time, until)
    };
    let limit_s = task.method.warm_up_s;
    if limit_s > 0.0 {
        warm = Some(run(Until::Warm { limit_s })?);
    }
    if job.job.lead_s > 0.0 {
        let ramp = run(Until::Over(job.job.lead_s))?;
        // What warmed the caches up is told before it.
        warm = warm.or(Some(ramp));
    }

    if task.method.restart {
        (bench.said)(Step::Settling);
        session.drain()?;
        session.reopen()?;
    }

    (bench.said)(Step::Measuring);
    let observed = observe(bench, &mut *session, &job, raw, time)?;
    // An orderly end would write what is still dirty, for nobody: at the drives' pace k times slower,
    // and where it fills the store, into a pool that is suspended and never ends.
    session.kill();

    facts.insert("files.bytes".into(), job.job.files_bytes as f64);
    facts.insert("files.jobs".into(), f64::from(job.job.jobs));
    let window_wall_s = observed.wall_s;
    let offered_rate = job.job.offered_rate;
    let mut measured = collect(task, &job, observed, facts, features)?;
    measured.warm_up = warm;
    Ok(Result {
        offered_rate,
        measured,
        window_wall_s,
        openzfs,
    })
}

fn prepare(
    bench: &Bench,
    task: &Task,
    raw: &Path,
    mount: &Path,
) -> std::result::Result<Prepared, Fault> {
    let Program::Fio { origin, job } = &task.workload.program;
    let target = fio::rewrite::Target {
        dir: mount,
        size: task.model.size,
        working_set: task.workload.size,
        runtime_s: task.method.runtime_s,
        ramp_s: task.method.ramp_s,
        ramp_most_s: task.method.ramp_most_s,
        seed: task.seed,
        rate: task.rate,
    };
    fio::prepare(bench.fio, origin, job, &target, raw)
}

/// Waits for a client, looking after it, the engine and the user. `look` is called at each look.
fn finish(
    bench: &Bench,
    session: &mut dyn Session,
    mut client: Client,
    limit: Duration,
    look: &mut dyn FnMut(&mut dyn Session, &Client) -> std::result::Result<(), Fault>,
) -> std::result::Result<Client, Fault> {
    loop {
        let fault = if client.ended() {
            return Ok(client);
        } else if bench.stop.requested() {
            Fault::Interrupted
        } else if client.age() > limit {
            // An engine that does not answer is the reason, not the client that waits for it.
            session.stages().err().unwrap_or_else(|| {
                Fault::failed(format!(
                    "fio did not end within {:.0} s and was ended{}",
                    limit.as_secs_f64(),
                    client
                        .hint()
                        .map_or(String::new(), |hint| format!(" ({hint})"))
                ))
            })
        } else {
            match look(session, &client) {
                Ok(()) => {
                    std::thread::sleep(LOOK);
                    continue;
                }
                Err(fault) => fault,
            }
        };
        // The engine first: a client that waits for its file system cannot be ended before that.
        session.kill();
        client.kill();
        return Err(fault);
    }
}

/// What a client did to files. Where the engine died meanwhile that is the reason, not what the client saw of it.
fn survived(
    session: &mut dyn Session,
    client: Client,
    raw: &Path,
) -> std::result::Result<Finished, Fault> {
    session.stages()?;
    client.finish(raw)
}

/// Holds the seconds that fio measured to those that a job was to go on for: what it did in a part of them
/// stands for nothing that lasts.
fn lasted(measured_s: f64, wanted_s: Option<f64>) -> std::result::Result<(), Fault> {
    const MOST: f64 = 0.9;
    match wanted_s {
        Some(wanted_s) if measured_s < MOST * wanted_s => Err(Fault::failed(format!(
            "fio ended after {measured_s:.1} s, though its job is to go on for {wanted_s} s: with file_append=1 or a \
             limit of its own (io_size, number_ios) it does not begin its files anew; give it more to do, or less time"
        ))),
        _ => Ok(()),
    }
}

/// Processor seconds at a moment.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: Instant,
    engine_s: f64,
    client_s: f64,
    machine: machine::Spent,
}

impl Mark {
    fn now(session: &dyn Session, client: &Client) -> Mark {
        Mark {
            at: Instant::now(),
            engine_s: session.cpu_s().unwrap_or(0.0),
            client_s: client.cpu_s(),
            machine: machine::spent(),
        }
    }
}

/// What was seen of the measured window.
struct Observed {
    finished: Finished,
    samples: Vec<Sample>,
    /// Virtual seconds of the engine at the window's begin.
    begin: Option<f64>,
    stages: BTreeMap<String, f64>,
    notes: Vec<String>,
    wall_s: f64,
    engine_cpu_s: f64,
    client_cpu_s: f64,
    machine: machine::Spent,
}

/// How long a warm-up lasts.
#[derive(Debug, Clone, Copy)]
enum Until {
    /// Until the caches are warm, or so many virtual seconds are over.
    Warm { limit_s: f64 },
    /// So many virtual seconds.
    Over(f64),
}

/// Lets the client work, on other offsets than it will be measured with.
fn warm_up(
    bench: &Bench,
    session: &mut dyn Session,
    job: &Prepared,
    raw: &Path,
    time: f64,
    until: Until,
) -> std::result::Result<WarmUp, Fault> {
    let (Until::Warm { limit_s } | Until::Over(limit_s)) = until;
    let adaptive = matches!(until, Until::Warm { .. });
    let limit = bench.patience + Duration::from_secs_f64(2.0 * limit_s * time);
    // What caches hold in the end does not depend on how fast the drives were, only when they do. But
    // writes at this pace would fill the store.
    let instant = adaptive && job.job.warms_by_reading() && session.pace(Pace::Warming)?;
    let period_s = warm::period_s(limit_s, instant);
    session.sample(true)?;
    let client = match until {
        Until::Warm { limit_s } => job.warm_up(bench.fio, time, limit_s)?,
        Until::Over(_) => job.lead(bench.fio, time)?,
    };
    let mut samples: Vec<Sample> = Vec::new();
    let mut settled = false;
    let client = finish(bench, session, client, limit, &mut |session, client| {
        for happening in session.happenings()? {
            if let Happening::Sample { at, values } = happening {
                let sample = Sample { at, values };
                (bench.seen)(&sample);
                samples.push(sample);
            }
        }
        if adaptive && !settled && warm::warmth(&samples, period_s).settled {
            settled = true;
            client.end();
        }
        Ok(())
    })?;
    session.sample(false)?;
    if instant {
        session.pace(Pace::Timed)?;
    }
    let seconds = client.age().as_secs_f64() / time;
    if !settled {
        // What it measured is of no interest, only that it worked.
        client.finish(raw)?;
    }
    Ok(WarmUp {
        seconds: seconds.min(limit_s),
        ended: match (adaptive, settled) {
            (false, _) => WarmUpEnd::Fixed,
            (true, true) => WarmUpEnd::Settled,
            (true, false) => WarmUpEnd::TimeLimit,
        },
        hit_ratio: warm::warmth(&samples, period_s).hit_ratio,
    })
}

fn observe(
    bench: &Bench,
    session: &mut dyn Session,
    job: &Prepared,
    raw: &Path,
    time: f64,
) -> std::result::Result<Observed, Fault> {
    let ramp = Duration::from_secs_f64(job.job.ramp_s * time);
    let limit = match job.job.runtime_s {
        Some(s) => bench.patience + Duration::from_secs_f64(2.0 * (job.job.ramp_s + s) * time),
        None => bench.patience.saturating_mul(UNTIMED),
    };
    session.sample(true)?;
    let client = job.measure(bench.fio, time)?;
    let mut clock = window::Clock::new(time);
    let mut samples = Vec::new();
    let mut notes = Vec::new();
    let mut begin: Option<(Mark, Option<f64>)> = None;
    let mut end = None;
    let client = finish(bench, session, client, limit, &mut |session, client| {
        for happening in session.happenings()? {
            match happening {
                Happening::Sample { at, values } => {
                    clock.saw(at);
                    let sample = Sample { at, values };
                    (bench.seen)(&sample);
                    samples.push(sample);
                }
                Happening::Note(note) => notes.push(note),
            }
        }
        if begin.is_none() && client.age() >= ramp {
            session.stages()?;
            begin = Some((Mark::now(session, client), clock.now()));
        }
        end = Some(Mark::now(session, client));
        Ok(())
    })?;
    let stages = session.stages()?;
    for happening in session.happenings()? {
        match happening {
            Happening::Sample { at, values } => samples.push(Sample { at, values }),
            Happening::Note(note) => notes.push(note),
        }
    }
    session.sample(false)?;
    let finished = client.finish(raw)?;
    let (Some((from, begin)), Some(to)) = (begin, end) else {
        return Err(Fault::failed(
            "fio ended before its ramp did: give it a longer runtime",
        ));
    };
    Ok(Observed {
        finished,
        samples,
        begin,
        stages,
        notes,
        wall_s: (to.at - from.at).as_secs_f64(),
        engine_cpu_s: to.engine_s - from.engine_s,
        client_cpu_s: to.client_s - from.client_s,
        machine: machine::Spent {
            busy: to.machine.busy - from.machine.busy,
            stolen: to.machine.stolen - from.machine.stolen,
        },
    })
}

fn collect(
    task: &Task,
    job: &Prepared,
    seen: Observed,
    mut facts: BTreeMap<String, f64>,
    features: Vec<String>,
) -> std::result::Result<Measured, Fault> {
    let output = &seen.finished.output;
    let (read, write, sync) = (output.read(), output.write(), output.sync());
    let ops = read.ops + write.ops;
    if ops == 0 {
        return Err(Fault::failed(
            "fio did no I/O: check the job's size, runtime and ramp",
        ));
    }
    // The others had the pool to themselves: a result of another workload than the one asked for.
    let idle = output.idle();
    if !idle.is_empty() {
        return Err(Fault::failed(format!(
            "fio's job {} did no I/O in the measured time while others did: a longer runtime lets it \
             take part",
            idle.join(", ")
        )));
    }
    let mut notes = job.job.notes.clone();
    notes.extend(seen.notes);
    let passed_over: u64 = output.jobs.iter().map(|j| j.total_err).sum();
    if passed_over > 0 {
        notes.push(format!("fio passed over {passed_over} errors"));
    }
    let runtime_s = output.runtime_s();
    lasted(runtime_s, job.job.lasts_s)?;
    let seconds = window::seconds(&seen.finished.series, &seen.samples, seen.begin, runtime_s);
    let totals = window::totals(&seconds);
    facts.insert(LOGGED.into(), seen.finished.logged);
    let (cores, online) = (machine::cores() as f64, machine::online() as f64);
    let ours = seen.engine_cpu_s + seen.client_cpu_s;
    let wall_s = seen.wall_s.max(1e-3);
    let mut stages = seen.stages;
    let drives = window::drives(&mut stages);
    let commits: f64 = stages
        .iter()
        .filter(|(name, _)| name.ends_with(".commits"))
        .map(|(_, count)| count)
        .sum();
    let logs = lateness::logs(&task.variant.pool);
    // From 2.3 on a direct write ends when its drives have it, not in memory.
    let direct = task.variant.openzfs != OpenZfs::V2_1 && findings::is_direct(task.workload);
    let waits = lateness::Waits {
        commits,
        direct_writes: if direct { write.ops as f64 } else { 0.0 },
    };
    let late_ns_per_op = lateness::on_path(waits, &totals, &logs) / ops as f64;
    Ok(Measured {
        concurrency: output.in_flight(&job.job.places),
        runtime_s,
        read,
        write,
        sync,
        seconds,
        stages,
        fidelity: Fidelity {
            late_ns_per_op,
            cpu_share: ours / wall_s / cores,
            poolfs_cpu_ns_per_op: seen.engine_cpu_s * 1e9 / ops as f64,
            neighbours_share: ((seen.machine.busy - ours) / wall_s / online).max(0.0),
            stolen_share: seen.machine.stolen / wall_s / online,
            drives,
        },
        totals,
        facts,
        features,
        warm_up: None,
        notes: {
            let time = task.model.time.unwrap_or(1.0);
            notes.push(format!("fio {}, clock {time}× slower", output.version));
            notes
        },
    })
}

#[cfg(test)]
mod tests {
    use super::lasted;

    #[test]
    fn a_job_that_ends_before_its_time_is_no_measurement_of_it() {
        let reason = lasted(0.6, Some(6.0)).unwrap_err().to_string();
        assert!(reason.contains("after 0.6 s"), "{reason}");
        assert!(lasted(5.99, Some(6.0)).is_ok());
        assert!(lasted(0.6, None).is_ok(), "it ends with its files");
    }
}
