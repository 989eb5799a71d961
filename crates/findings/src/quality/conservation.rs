//! Conservation laws: what must hold of any measurement, whatever was measured.

use crate::cells::client::ClientFacts;
use crate::cells::resources::mean_busy;
use crate::schema::{Check, Law};
use lab::campaign::Variant;
use measurement::{Counter, DriveCounter, Fact, Flow, Measured, Trial};

/// Little's law may be off by what clients do between operations: this share…
const LITTLE: f64 = 0.05;
/// … or this long an operation, ns of the modelled machine.
const BETWEEN_OPERATIONS_NS: f64 = 20_000.0;

/// Every check that applies to a trial, with its numbers.
pub fn conservation_checks(
    trial: &Trial,
    measured: &Measured,
    client: &ClientFacts,
    variant: &Variant,
    dataset: &str,
) -> Vec<Check> {
    let mut checks = vec![some_io(measured)];
    if checks[0].pass {
        // From the intended start, an operation is in flight before any client has begun it.
        if trial.offered_rate.is_none() && client.scheduled_rate.is_none() {
            checks.push(little(measured, client, variant));
        }
        checks.extend(bandwidth(measured, client));
        checks.extend(percentiles(measured));
        checks.extend(bytes_on_drives(measured, client, variant, dataset));
        checks.extend(busy(measured));
        checks.extend(reads(measured, client));
        checks.extend(series(measured));
        checks.push(samples(measured));
    }
    for check in &mut checks {
        check.trial.clone_from(&trial.key);
    }
    checks
}

fn check(law: Law, measured: f64, expected: f64, tolerance: f64, pass: bool) -> Check {
    Check { trial: String::new(), law, measured, expected, tolerance, pass, of: None }
}

fn some_io(measured: &Measured) -> Check {
    let ops = measured.operations() + measured.sync.ops as f64;
    let ran = measured.runtime_s > 0.0 && measured.runtime_s.is_finite();
    check(Law::SomeIo, ops, 1.0, 0.0, ops >= 1.0 && ran)
}

/// J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9 (1961). Time in
/// fsync is time in which a place in a client's queue has no other operation: it counts. An operation that was
/// submitted asynchronously is in flight until fio takes up its completion, so that n is `iodepth` for each client
/// on every file system, also on one that carries operations out within their submission.
fn little(measured: &Measured, client: &ClientFacts, variant: &Variant) -> Check {
    let in_flight = in_flight(measured);
    let n = measured.concurrency;
    let between = measured.operations() * BETWEEN_OPERATIONS_NS / 1e9 / measured.runtime_s;
    let at_most = n * (1.0 + LITTLE);
    let at_least = n * (1.0 - LITTLE) - between - filling(measured);
    // What is counted too long may exceed the bound by itself; reads and writes alone still may not.
    let surely = match client.flushes_counted_long {
        true => in_flight - seconds(&measured.sync) / measured.runtime_s,
        false => in_flight,
    };
    let pass = surely <= at_most && (client.may_wait(variant) || in_flight >= at_least);
    check(Law::Little, in_flight, n, LITTLE, pass)
}

/// Mean number of operations in flight: Σ operations × mean latency ÷ run time.
pub fn in_flight(measured: &Measured) -> f64 {
    [&measured.read, &measured.write, &measured.sync].iter().map(|flow| seconds(flow)).sum::<f64>()
        / measured.runtime_s
}

/// How many operations fewer are in flight, as a mean over the run, because queues fill up: a client that submits
/// one operation after another has its queue full after one latency, and half full until then.
fn filling(measured: &Measured) -> f64 {
    let mean_s =
        (seconds(&measured.read) + seconds(&measured.write)) / measured.operations().max(1.0);
    measured.concurrency * mean_s.min(measured.runtime_s) / measured.runtime_s / 2.0
}

/// Latencies of all operations of a flow together.
fn seconds(flow: &Flow) -> f64 {
    flow.ops as f64 * flow.mean_ns / 1e9
}

fn bandwidth(measured: &Measured, client: &ClientFacts) -> Option<Check> {
    const TOLERANCE: f64 = 0.02;
    let moved = (measured.read.bytes + measured.write.bytes) as f64 / measured.runtime_s;
    let (read, write) = (&measured.read, &measured.write);
    let completed: f64 = [read, write].map(|f| completed(f, measured.concurrency)).iter().sum();
    let expected = completed * client.block? as f64 / measured.runtime_s;
    let pass = (moved - expected).abs() <= TOLERANCE * expected;
    Some(check(Law::Bandwidth, moved, expected, TOLERANCE, pass))
}

/// Histograms ascend and hold as many operations as were counted. fio's also hold what was in flight when the ramp ended.
fn percentiles(measured: &Measured) -> Vec<Check> {
    const TOLERANCE: f64 = 0.01;
    [("read", &measured.read), ("write", &measured.write), ("sync", &measured.sync)]
        .into_iter()
        .filter(|(_, flow)| flow.ops > 0 && !flow.histogram.is_empty())
        .map(|(name, flow)| {
            let held = held(flow);
            let ops = flow.ops as f64;
            let ascends = flow.histogram.windows(2).all(|w| w[0].0 < w[1].0);
            let pass = ascends && (held - ops).abs() <= (TOLERANCE * ops).max(measured.concurrency);
            let check = check(Law::Percentiles, held, ops, TOLERANCE, pass);
            Check { of: Some(name.to_owned()), ..check }
        })
        .collect()
}

/// Operations whose bytes were counted. fio's number of operations is of those that were begun in the window; its bytes and
/// its histogram are of those that were completed there: also of what was in flight when the ramp ended.
fn completed(flow: &Flow, in_flight: f64) -> f64 {
    let begun = flow.ops as f64;
    held(flow).min(begun + in_flight).max(begun)
}

fn held(flow: &Flow) -> f64 {
    let binned: u64 = flow.histogram.iter().map(|(_, n)| n).sum();
    (binned + flow.overflow) as f64
}

/// Each byte written and made durable is on some drive at least once. Where compression can shrink it,
/// or where writes to one place can merge before a sync, the law does not apply; nor where a job truncates files.
fn bytes_on_drives(
    measured: &Measured,
    client: &ClientFacts,
    variant: &Variant,
    dataset: &str,
) -> Option<Check> {
    /// Writes still under way at the window's edges.
    const TOLERANCE: f64 = 0.02;
    let sync = variant.property(dataset, "sync").unwrap_or("standard");
    let durable = sync == "always" || (sync == "standard" && client.each_write_synced);
    // On unless stated otherwise.
    let compression = variant.property(dataset, "compression");
    let compresses = client.compressible && compression != Some("off");
    let written: Vec<f64> =
        measured.totals.of_drives(DriveCounter::WriteBytes).map(|(_, bytes)| bytes).collect();
    if !durable || compresses || client.truncates || measured.write.bytes == 0 || written.is_empty()
    {
        return None;
    }
    let total: f64 = written.iter().sum();
    let asked = measured.write.bytes as f64;
    let in_flight = measured.concurrency * asked / measured.write.ops.max(1) as f64;
    let pass = total >= asked * (1.0 - TOLERANCE) * counted(measured) - in_flight;
    Some(check(Law::BytesOnDrives, total, asked, TOLERANCE, pass))
}

/// Share of the run that counters surely cover: they come in whole seconds, the first and the last of
/// which may fall outside the window.
fn counted(measured: &Measured) -> f64 {
    (1.0 - 2.0 / measured.runtime_s).max(0.0)
}

/// The busiest drive over the window. Single seconds may exceed 1: a request is booked in one second and
/// served over two.
fn busy(measured: &Measured) -> Option<Check> {
    const TOLERANCE: f64 = 0.02;
    let (drive, busy) =
        mean_busy(&measured.seconds).into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let check = check(Law::Busy, busy, 1.0, TOLERANCE, busy <= 1.0 + TOLERANCE);
    Some(Check { of: Some(drive), ..check })
}

/// Every read looks up a block at least, wherever it is then found. Direct reads bypass the ARC and look up
/// nothing, and neither do those that a client answers from memory of its own.
fn reads(measured: &Measured, client: &ClientFacts) -> Option<Check> {
    const TOLERANCE: f64 = 0.05;
    let total = |counter| measured.totals.get(&counter);
    let answered = total(Counter::DbufHits)?
        + total(Counter::ArcDataHits)?
        + total(Counter::ArcDataMisses)?
        + total(Counter::ArcMetadataHits)?
        + total(Counter::ArcMetadataMisses)?;
    if measured.read.ops == 0 || client.reads_directly || client.own_cache {
        return None;
    }
    let asked = measured.read.ops as f64;
    let pass = answered >= asked * (1.0 - TOLERANCE) * counted(measured);
    Some(check(Law::Reads, answered, asked, TOLERANCE, pass))
}

/// The seconds are those of this run: the logs that they were made from held the client's operations, but
/// for the edges. Where they held more, nothing is missing.
fn series(measured: &Measured) -> Option<Check> {
    const TOLERANCE: f64 = 0.15;
    if measured.seconds.len() < 10 {
        return None;
    }
    let logged = measured.facts.get(&Fact::LoggedOps)?;
    let expected = measured.operations();
    // fio rounds a job's operations in a second down, by one at the most.
    let jobs = measured.facts.count(&Fact::FilesJobs);
    let flows = [&measured.read, &measured.write];
    let directions = flows.iter().filter(|flow| flow.ops > 0).count() as f64;
    let rounded = jobs * directions * measured.seconds.len() as f64;
    let pass = expected - logged <= TOLERANCE * expected + rounded;
    Some(check(Law::Series, logged, expected, TOLERANCE, pass))
}

/// The kernel's counters were read in each second. One may lack, the last, which is under way when the
/// client ends; so may a tenth of them: what a sample missed is in the next.
fn samples(measured: &Measured) -> Check {
    const TOLERANCE: f64 = 0.1;
    let all = measured.seconds.len() as f64;
    let sampled = measured.seconds.iter().filter(|s| !s.values.is_empty()).count() as f64;
    let pass = all - sampled <= (TOLERANCE * all).max(1.0);
    check(Law::Samples, sampled, all, TOLERANCE, pass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::campaign::{OpenZfs, Pool};
    use std::collections::BTreeMap;

    fn variant(datasets: BTreeMap<String, BTreeMap<String, String>>) -> Variant {
        Variant {
            name: "v".into(),
            levels: BTreeMap::new(),
            openzfs: OpenZfs::V2_3,
            stack: lab::campaign::Stack::Zfs,
            drives: BTreeMap::new(),
            pool: Pool { ashift: None, vdevs: Vec::new(), properties: BTreeMap::new() },
            datasets,
            module: BTreeMap::new(),
            module_words: Default::default(),
            memory: None,
            servers: Default::default(),
        }
    }

    #[test]
    fn laws_are_off_for_reads_past_the_cache_and_for_writes_that_truncate() {
        let flow = Flow { ops: 1000, bytes: 4_096_000, ..Flow::default() };
        let mut measured =
            Measured { runtime_s: 60.0, read: flow.clone(), write: flow, ..Measured::default() };
        for counter in [
            Counter::DbufHits,
            Counter::ArcDataHits,
            Counter::ArcDataMisses,
            Counter::ArcMetadataHits,
            Counter::ArcMetadataMisses,
        ] {
            measured.totals.insert(counter, 10.0);
        }
        measured.totals.insert(Counter::drive("d", DriveCounter::WriteBytes), 0.0);
        let looks_up = reads(&measured, &ClientFacts::default()).unwrap();
        assert!(!looks_up.pass);
        assert_eq!(
            reads(&measured, &ClientFacts { reads_directly: true, ..ClientFacts::default() }),
            None
        );

        let variant = variant(BTreeMap::new());
        let written = |client: &ClientFacts| {
            bytes_on_drives(&measured, client, &variant, "").map(|check| check.pass)
        };
        let synced = ClientFacts { each_write_synced: true, ..ClientFacts::default() };
        assert_eq!(written(&synced), Some(false));
        assert_eq!(written(&ClientFacts { truncates: true, ..synced }), None);
    }

    #[test]
    fn a_property_comes_from_the_nearest_dataset_above() {
        let sync_set_to = |sync: &str| BTreeMap::from([("sync".to_owned(), sync.to_owned())]);
        let variant = variant(BTreeMap::from([
            (String::new(), sync_set_to("always")),
            ("db".to_owned(), sync_set_to("disabled")),
            ("db/pg".to_owned(), BTreeMap::new()),
        ]));
        let sync = |dataset| variant.property(dataset, "sync");
        assert_eq!(sync("db/pg/wal"), Some("disabled"));
        assert_eq!(sync("db"), Some("disabled"));
        assert_eq!((sync("dbs"), sync("")), (Some("always"), Some("always")));
        assert_eq!(variant.property("db/pg", "atime"), None);
    }
}
