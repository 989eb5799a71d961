//! Operations in each virtual second, from fio's per-job logs.

/// Operations completed in each second of the window: (reads, writes).
pub type PerSecond = Vec<(f64, f64)>;

/// Adds one job's log (`time in ms, operations per second, direction, …`) to the series.
///
/// fio writes a line when a window of a second has passed, labelled with its end, which may be late; of a
/// window in which nothing was done it writes none, and the line after it is of its own second alone.
/// Lines of other directions (2: trim) are skipped.
pub fn add(series: &mut PerSecond, log: &str) {
    // The end of the last window, for each direction.
    let mut last = [0.0f64; 2];
    for line in log.lines() {
        let mut fields = line.split(',').map(str::trim);
        let (Some(at), Some(rate), Some(direction)) = (
            fields.next().and_then(|f| f.parse::<f64>().ok()),
            fields.next().and_then(|f| f.parse::<f64>().ok()),
            fields.next().and_then(|f| f.parse::<usize>().ok()),
        ) else {
            continue;
        };
        if direction > 1 || at < 0.0 {
            continue;
        }
        let end = at / 1e3;
        // Halfway between a window that was late and one that was left out.
        const IDLE: f64 = 1.5;
        let begin = match end - last[direction] {
            since if since > IDLE => end - 1.0,
            _ => last[direction],
        };
        spread(series, direction, begin, end, rate * (end - begin));
        last[direction] = end;
    }
}

/// Spreads `ops` evenly over the virtual seconds between two times.
fn spread(series: &mut PerSecond, direction: usize, from: f64, to: f64, ops: f64) {
    let length = to - from;
    if length <= 0.0 || ops <= 0.0 {
        return;
    }
    let mut at = from;
    while at < to {
        let second = at.floor();
        let until = (second + 1.0).min(to);
        let index = second as usize;
        if series.len() <= index {
            series.resize(index + 1, (0.0, 0.0));
        }
        let part = ops * (until - at) / length;
        match direction {
            0 => series[index].0 += part,
            _ => series[index].1 += part,
        }
        at = until;
    }
}

/// Seconds at the end of a run in which a job may do what its log does not hold.
pub(super) const OPEN_S: f64 = 2.0;

/// Whether a job's log goes on to the end of a run of `seconds`. fio writes a line when a window of a second has passed,
/// which may be late by as much: what a job did in its last two seconds can be missing, however much that was.
pub fn reaches_end(log: &str, seconds: f64) -> bool {
    let ends = log.lines().filter_map(|line| line.split(',').next()?.trim().parse::<f64>().ok());
    ends.fold(0.0, f64::max) / 1e3 >= seconds - OPEN_S
}

/// Entries of a series over `seconds`: as many as there are whole seconds, one at least. The last
/// lasts until the end, up to two seconds: a rest of its own would be too short to count in, and a job
/// that ends with the operation under way would have one. A job may end a little early.
pub fn entries(seconds: f64) -> usize {
    const EARLY: f64 = 0.1;
    ((seconds + EARLY) as usize).max(1)
}

/// Brings a series to the [`entries`] of `seconds` and to the counts of the JSON: what the logs miss
/// (the window that was open when a job ended) belongs to the last entry, and what they have too much
/// by rounding is taken off everywhere. Returns the operations that the logs held: whether they were all
/// there cannot be seen any more afterwards.
pub fn settle(series: &mut PerSecond, seconds: f64, reads: u64, writes: u64) -> f64 {
    let length = entries(seconds);
    if series.len() > length {
        let tail: Vec<(f64, f64)> = series.split_off(length);
        if let Some(last) = series.last_mut() {
            last.0 += tail.iter().map(|s| s.0).sum::<f64>();
            last.1 += tail.iter().map(|s| s.1).sum::<f64>();
        }
    }
    series.resize(length, (0.0, 0.0));
    let (logged_reads, logged_writes) =
        series.iter().fold((0.0, 0.0), |(r, w), s| (r + s.0, w + s.1));
    bring_to(series.iter_mut().map(|second| &mut second.0), logged_reads, reads as f64);
    bring_to(series.iter_mut().map(|second| &mut second.1), logged_writes, writes as f64);
    logged_reads + logged_writes
}

/// Brings counts whose sum is `logged` to another sum.
fn bring_to<'s>(counts: impl Iterator<Item = &'s mut f64>, logged: f64, real: f64) {
    if real > logged {
        if let Some(last) = counts.last() {
            *last += real - logged;
        }
    } else if logged > 0.0 {
        counts.for_each(|count| *count *= real / logged);
    }
}
