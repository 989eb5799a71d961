//! fio on a raw drive with a sequence of requests that is known, and the same sequence on the drive's model.

use contents::config::DriveConfig;
use contents::record::{EventKind, Reader};
use drives::{Drive, Nanos, Op, Request};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What all jobs share. Nothing is in flight when a job begins, and requests are the log's.
const GLOBAL: &str = "[global]\nclocksource=clock_gettime\nthread=1\ndirect=1\nstonewall\n\
                          log_offset=1\ndisable_slat=1\ndisable_lat=1\n";

/// Two looks at the clock, ns: the least that fio sees.
const CLOCK: Nanos = 2000;
/// How far the mean of requests that are under way at once may be from the model's, as a share of it. One at a
/// time takes exactly what the model says; of several that are sent at the same moment the scheduler chooses
/// which reaches the drive first.
const MEAN: f64 = 0.002;

/// A sequence of requests.
struct Case {
    name: &'static str,
    /// Requests at once.
    depth: usize,
    requests: Vec<Request>,
}

/// All sequences of a drive, in their order.
pub struct Client {
    drive: String,
    cases: Vec<Case>,
}

/// What was seen of a drive: one entry a sequence.
pub type Seen = Vec<Times>;

/// Times of the requests of a sequence, ns.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Times {
    /// When its first request arrived.
    start: Nanos,
    /// Of each read and write, in the sequence's order; none where fio does not say.
    each: Vec<Option<Nanos>>,
    /// Mean of the flushes.
    flush: f64,
}

impl Client {
    /// The same for every drive of this size.
    pub fn new(drive: &DriveConfig) -> Client {
        const KIB: u64 = 1 << 10;
        // Each sequence begins with a write: the record of writes tells its begin.
        let begin = Request::new(Op::Write, 0, 4 * KIB);
        let random = |op, length: u64, count| {
            let mut state = length + count as u64;
            let mut places = BTreeSet::from([0]);
            let mut requests = vec![begin];
            while requests.len() < count {
                // Knuth's MMIX generator; its upper bits.
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let place = (state >> 24) % (drive.capacity / length);
                if places.insert(place) {
                    requests.push(Request::new(op, place * length, length));
                }
            }
            requests
        };
        let in_order = |length, count: u64| {
            (1..=count).map(move |n| Request::new(Op::Write, n * length, length))
        };
        // A host sends no flush to a drive that says it has no cache.
        let flush = drive.profile.attachment().write_cache.then(Request::flush);
        let flushed = in_order(4 * KIB, 50).flat_map(|write| [Some(write), flush]);
        let case = |name, depth, requests| Case { name, depth, requests };
        Client {
            drive: drive.name.clone(),
            cases: vec![
                case("random reads, 1 at once", 1, random(Op::Read, 4 * KIB, 200)),
                case("random reads, 16 at once", 16, random(Op::Read, 4 * KIB, 400)),
                case("random writes, 16 at once", 16, random(Op::Write, 8 * KIB, 200)),
                case(
                    "sequential writes",
                    1,
                    [begin].into_iter().chain(in_order(128 * KIB, 32)).collect(),
                ),
                case(
                    "writes and flushes",
                    1,
                    [begin].into_iter().chain(flushed.flatten()).collect(),
                ),
            ],
        }
    }

    fn log(&self, case: usize) -> String {
        format!("{}-{case}.log", self.drive)
    }

    /// Writes the sequences as fio replays them, and their jobs. Returns the command that runs them, in these files'
    /// directory. Each drive has a run of fio of its own: four times a second fio reads the clock once for each job, and
    /// of a hundred jobs that is a loop that waits for the clock, which moves by 75 µs in it.
    pub fn write(&self, path: &dyn Fn(&str) -> PathBuf) -> String {
        let device = format!("{}{}", machine::DEVICE, self.drive);
        for (number, case) in self.cases.iter().enumerate() {
            let mut text = format!("fio version 2 iolog\n{device} add\n{device} open\n");
            for request in &case.requests {
                let action = match request.op {
                    Op::Read => "read",
                    Op::Write => "write",
                    Op::Flush | Op::Discard => "datasync",
                };
                let _ = writeln!(text, "{device} {action} {} {}", request.offset, request.length);
            }
            let _ = writeln!(text, "{device} close");
            fs::write(path(&self.log(number)), text).unwrap();
        }
        let drive = &self.drive;
        fs::write(path(&format!("{drive}.fio")), self.jobs()).unwrap();
        format!("fio --output-format=json --output={drive}.json {drive}.fio >&2\n")
    }

    /// The sequences as fio's jobs.
    fn jobs(&self) -> String {
        let mut text = GLOBAL.to_owned();
        for (number, case) in self.cases.iter().enumerate() {
            let engine = if case.depth == 1 { "psync" } else { "libaio" };
            let log = self.log(number);
            let _ = writeln!(
                text,
                "[{drive}-{number}]\nioengine={engine}\niodepth={depth}\nread_iolog={log}\nwrite_lat_log={drive}-{number}",
                drive = self.drive,
                depth = case.depth,
            );
        }
        text
    }

    /// Splits the times at which writes reached the drive by sequences: when each begins.
    fn starts(&self, writes: &[Nanos]) -> Vec<Nanos> {
        let mut at = 0;
        let starts = self.cases.iter().map(|case| {
            let first = writes[at];
            at += case.requests.iter().filter(|r| r.op == Op::Write).count();
            first
        });
        let starts: Vec<Nanos> = starts.collect();
        assert_eq!(at, writes.len(), "{}: other writes reached the drive", self.drive);
        starts
    }

    /// What the drive's model does with the sequences from their starts on.
    fn modelled(&self, model: &mut dyn Drive, starts: &[Nanos]) -> Seen {
        let cases = self.cases.iter().zip(starts);
        cases.map(|(case, start)| replay(model, case, *start)).collect()
    }
}

/// Gives a model the requests of a sequence, the next one when one is done.
fn replay(model: &mut dyn Drive, case: &Case, start: Nanos) -> Times {
    let mut done = Vec::new();
    while let Some(at) = model.next_event().filter(|at| *at < start) {
        model.advance(at, &mut done);
    }
    let (mut now, mut next, mut under_way) = (start, 0, 0);
    let mut sent = vec![0; case.requests.len()];
    let mut times = vec![0; case.requests.len()];
    loop {
        while under_way < case.depth && next < case.requests.len() {
            model.submit(now, next as u64, case.requests[next]);
            sent[next] = now;
            (next, under_way) = (next + 1, under_way + 1);
        }
        let Some(at) = model.next_event().filter(|_| under_way > 0) else {
            break;
        };
        now = at;
        done.clear();
        model.advance(now, &mut done);
        for completion in &done {
            let tag = completion.tag as usize;
            times[tag] = completion.at - sent[tag];
            under_way -= 1;
        }
    }
    let (flushes, each): (Vec<_>, Vec<_>) =
        case.requests.iter().zip(times).partition(|(r, _)| r.op == Op::Flush);
    let ns = |of: Vec<(&Request, Nanos)>| of.into_iter().map(|(_, ns)| ns).collect::<Vec<Nanos>>();
    let flushes = ns(flushes);
    Times {
        start,
        each: ns(each).into_iter().map(Some).collect(),
        flush: flushes.iter().sum::<Nanos>() as f64 / flushes.len().max(1) as f64,
    }
}

/// Reads what fio and the record of the drives say of each drive.
pub fn seen(
    clients: &[Client],
    record: &Path,
    path: &dyn Fn(&str) -> PathBuf,
) -> BTreeMap<String, Seen> {
    let mut writes = vec![Vec::new(); clients.len()];
    let mut reader = Reader(BufReader::new(File::open(record).unwrap()));
    while let Some((event, _)) = reader.next_event().unwrap() {
        if event.kind == EventKind::Write {
            writes[event.drive as usize].push(event.at);
        }
    }
    let mut all = BTreeMap::new();
    for (client, writes) in clients.iter().zip(&writes) {
        let text = fs::read(path(&format!("{}.json", client.drive))).unwrap();
        let fio: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let mut jobs = fio["jobs"].as_array().unwrap().iter().zip(1..);
        let starts = client.starts(writes);
        let of = |(number, case): (usize, &Case)| {
            let (job, n) = jobs.next().unwrap();
            let name = format!("{}-{number}", client.drive);
            assert_eq!((&job["jobname"], &job["error"]), (&name.clone().into(), &0.into()));
            let log = fs::read_to_string(path(&format!("{name}_clat.{n}.log"))).unwrap();
            Times {
                start: starts[number],
                each: in_order(&log, case),
                flush: match case.requests.iter().any(|r| r.op == Op::Flush) {
                    true => job["sync"]["lat_ns"]["mean"].as_f64().unwrap(),
                    false => 0.0,
                },
            }
        };
        let times = client.cases.iter().enumerate().map(of).collect();
        all.insert(client.drive.clone(), times);
    }
    all
}

/// The latencies in fio's log (`time, ns, direction, bytes, offset`) in the order of the requests. Of several at
/// once, fio logs none of those that are under way when it has sent the last.
fn in_order(log: &str, case: &Case) -> Vec<Option<Nanos>> {
    let mut by_place = BTreeMap::new();
    for line in log.lines() {
        let fields: Vec<u64> = line.split(',').map(|field| field.trim().parse().unwrap()).collect();
        let (ns, write, offset) = (fields[1], fields[2] == 1, fields[4]);
        assert_eq!(by_place.insert((offset, write), ns), None, "{offset} twice");
    }
    let requests = case.requests.iter().filter(|r| r.op != Op::Flush);
    let times = requests.map(|r| by_place.remove(&(r.offset, r.op == Op::Write)));
    let times: Vec<Option<Nanos>> = times.collect();
    assert!(by_place.is_empty(), "requests that nobody asked for");
    let missing = times.iter().filter(|time| time.is_none()).count();
    let most = if case.depth == 1 { 0 } else { case.depth };
    assert!(missing <= most, "{}: {missing} are missing", case.name);
    times
}

/// Whether what was seen of a drive is what its model does.
///
/// # Errors
/// The first difference.
pub fn compare(seen: &Seen, drive: &DriveConfig) -> Result<(), String> {
    let client = Client::new(drive);
    let mut model = drive.profile.drive(drive.real_capacity, drive.capacity, drive.seed);
    let starts: Vec<Nanos> = seen.iter().map(|times| times.start).collect();
    let modelled = client.modelled(model.as_mut(), &starts);
    for ((case, seen), modelled) in client.cases.iter().zip(seen).zip(&modelled) {
        let name = case.name;
        let both = seen.each.iter().zip(&modelled.each);
        let both: Vec<(Nanos, Nanos)> = both.filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
        let of = both.len();
        let (fio, model): (Vec<Nanos>, Vec<Nanos>) = both.iter().copied().unzip();
        let mean = |all: Vec<Nanos>| all.iter().sum::<Nanos>() as f64 / of as f64;
        let (fio, model) = (mean(fio), mean(model));
        // What takes no time at all takes as long as fio looks at the clock.
        let differs = |(fio, model): &&(Nanos, Nanos)| *fio != (*model).max((*fio).min(CLOCK));
        let different = both.iter().filter(differs).count();
        let wrong = match case.depth {
            1 => different > 0,
            // Several requests that take no time take as long as fio looks at the clock for them.
            _ => (fio - model).abs() > MEAN * model && model > 0.0,
        };
        if wrong {
            return Err(format!(
                "{name}: {different} of {of} requests differ, mean {fio:.0} ns, model {model:.0} ns"
            ));
        }
        // fio gives the mean of these alone.
        if (seen.flush - modelled.flush).abs() > 0.001 {
            return Err(format!(
                "{name}: mean of flushes {} ns, model {} ns",
                seen.flush, modelled.flush
            ));
        }
    }
    Ok(())
}
