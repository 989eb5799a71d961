//! How long writes wait at the drives: `zpool iostat -w` (histograms) and `-l` (means).

use super::Pool;
use facts::units::binary;
use zfs::AllocationClass;

/// What a write of the intent log waits for at the drives, in the queue and in the drive; the flush
/// after it is not in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Waits {
    /// The pool.
    pub pool: String,
    /// Whether the numbers are those of its log vdevs; else the drives' time is that of all its
    /// writes, transaction groups included.
    pub log: bool,
    /// Synchronous writes counted; none where only a mean was printed.
    pub writes: Option<u64>,
    /// Mean, ns. From a histogram, whose buckets are powers of two, within a third.
    pub mean_ns: u64,
    /// 99 of 100 waited no longer, ns: the upper edge of a bucket. None where only a mean was
    /// printed.
    pub p99_ns: Option<u64>,
}

/// Columns of the latency histogram that are used, after the bucket (`vsx_type_to_nvlist` in
/// `zpool_main.c`).
const TOTAL_WRITE: usize = 1;
const DISK_WRITE: usize = 3;
const SYNC_QUEUE_WRITE: usize = 5;
/// Columns that every release prints.
const COLUMNS: usize = 8;

/// One histogram table of `zpool iostat -w`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The pool or vdev.
    pub name: String,
    /// Upper edge of a bucket in ns, and its counts by column.
    pub rows: Vec<(u64, [u64; COLUMNS])>,
}

impl Table {
    /// Upper edges of buckets, ascending, and counts of one column.
    fn buckets(&self, column: usize) -> impl Iterator<Item = (u64, u64)> {
        self.rows.iter().map(move |(edge, counts)| (*edge, counts[column]))
    }

    fn count(&self, column: usize) -> u64 {
        self.buckets(column).fold(0, |sum, (_, n)| sum.saturating_add(n))
    }

    /// Mean, with each count in the middle of its bucket, which begins at half of its upper edge.
    fn mean(&self, column: usize) -> Option<f64> {
        let count = self.count(column);
        let sum: f64 = self.buckets(column).map(|(edge, n)| edge as f64 * 0.75 * n as f64).sum();
        (count > 0).then(|| sum / count as f64)
    }

    /// Upper edge of the bucket that holds the value of which `share` are no larger.
    fn quantile(&self, column: usize, share: f64) -> Option<u64> {
        let count = self.count(column);
        let rank = (share * count as f64).ceil().max(1.0);
        let mut seen = 0u64;
        self.buckets(column).filter(|_| count > 0).find_map(|(edge, n)| {
            seen = seen.saturating_add(n);
            (seen as f64 >= rank).then_some(edge)
        })
    }

    fn total(&self) -> u64 {
        self.rows.iter().flat_map(|(_, counts)| counts).fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// What was counted since `before`; all of it where that has no such bucket.
    fn since(&self, before: &Table) -> Table {
        let rows = self.rows.iter().map(|(edge, counts)| {
            let old = before.rows.iter().find(|(other, _)| other == edge);
            let counts = std::array::from_fn(|i| {
                counts[i].saturating_sub(old.map_or(0, |(_, counts)| counts[i]))
            });
            (*edge, counts)
        });
        Table { name: self.name.clone(), rows: rows.collect() }
    }

    fn add(&mut self, other: &Table) {
        for (edge, counts) in &other.rows {
            match self.rows.iter_mut().find(|(known, _)| known == edge) {
                Some((_, sum)) => {
                    for (sum, count) in sum.iter_mut().zip(counts) {
                        *sum = sum.saturating_add(*count);
                    }
                }
                None => self.rows.push((*edge, *counts)),
            }
        }
        self.rows.sort_unstable();
    }
}

/// The tables of a text of `zpool iostat -w`, with or without `-H`, `-p` and `-v`; empty for any
/// other text.
pub fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut name: Option<&str> = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [bucket, counts @ ..] if counts.len() >= COLUMNS => {
                // Exact with `-p`, else such as `1.2K`.
                let numbers: Vec<u64> = counts.iter().map_while(|word| binary(word)).collect();
                if let (Some(edge), Ok(counts)) = (
                    time(bucket),
                    <[u64; COLUMNS]>::try_from(numbers.get(..COLUMNS).unwrap_or(&[])),
                ) {
                    if let Some(name) = name.take() {
                        tables.push(Table { name: name.to_string(), rows: Vec::new() });
                    }
                    if let Some(table) = tables.last_mut() {
                        table.rows.push((edge, counts));
                    }
                }
            }
            // `-H` prints the name alone, else the heads of the columns follow it.
            [first] if !first.starts_with('-') => name = Some(first),
            [first, "total_wait", ..] => name = Some(first),
            _ => {}
        }
    }
    // Buckets of one table ascend; text that only resembles one does not.
    tables.retain(|table| table.rows.len() > 8 && table.rows.is_sorted_by(|a, b| a.0 < b.0));
    tables
}

/// A bucket's label: ns with `-p` or `-H`, else `511ns`, `4us`, `1ms`, `17s`.
fn time(word: &str) -> Option<u64> {
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (number, unit) = word.split_at(end);
    let scale = match unit {
        "" | "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale)
}

/// Every reading of the histograms, in the order they were given.
pub type Readings = Vec<Vec<Table>>;

/// What log writes waited for between the first and the last reading (with one, since the pool was
/// imported), in the pool where the 99th percentile is the longest.
pub fn waits(readings: &Readings, pools: &[Pool]) -> Option<Waits> {
    let total = |tables: &Vec<Table>| tables.iter().fold(0u64, |n, t| n.saturating_add(t.total()));
    // Counts only grow, so they tell which reading came first.
    let last = readings.iter().max_by_key(|tables| total(tables))?;
    let first = readings.iter().min_by_key(|tables| total(tables)).filter(|_| readings.len() > 1);
    let window = |table: &Table| {
        let before = first.and_then(|tables| tables.iter().find(|other| other.name == table.name));
        before.map_or_else(|| table.clone(), |before| table.since(before))
    };
    let named = |name: &str| last.iter().find(|table| table.name == name).map(&window);
    let pool_names: Vec<&str> = match pools {
        [] => last.first().map(|table| table.name.as_str()).into_iter().collect(),
        pools => pools.iter().map(|pool| pool.name.as_str()).collect(),
    };
    pool_names
        .into_iter()
        .filter_map(|name| {
            let logs: Vec<Table> = pools
                .iter()
                .filter(|pool| pool.name == name)
                .flat_map(|pool| pool.vdevs_of(AllocationClass::Log))
                .filter_map(|vdev| named(&vdev.name))
                .collect();
            waits_of_pool(name, &logs, &named(name)?)
        })
        .max_by_key(|waits| waits.p99_ns)
}

/// The waits of a pool from the tables of its log vdevs, or from its own.
fn waits_of_pool(name: &str, logs: &[Table], whole: &Table) -> Option<Waits> {
    let mut log = Table::default();
    logs.iter().for_each(|table| log.add(table));
    let pool = name.to_string();
    if let (Some(mean), Some(p99_ns)) = (log.mean(TOTAL_WRITE), log.quantile(TOTAL_WRITE, 0.99)) {
        let writes = Some(log.count(TOTAL_WRITE));
        return Some(Waits { pool, log: true, writes, mean_ns: mean as u64, p99_ns: Some(p99_ns) });
    }
    // One in a hundred sums exceeds this at most: one in two hundred exceeds each part.
    let part = |column| whole.quantile(column, 0.995);
    let p99 = part(SYNC_QUEUE_WRITE)?.saturating_add(part(DISK_WRITE)?);
    Some(Waits {
        pool,
        log: false,
        writes: Some(whole.count(SYNC_QUEUE_WRITE)),
        mean_ns: (whole.mean(SYNC_QUEUE_WRITE)? + whole.mean(DISK_WRITE)?) as u64,
        p99_ns: Some(p99),
    })
}

/// Mean time of a synchronous write at the drives, from `zpool iostat -l -H -p`: its wait in the
/// queue of synchronous writes and the drives' own time for writes. One for each row, which is a pool's, or with `-v` a
/// vdev's or drive's below it.
pub fn means(text: &str) -> Vec<Waits> {
    text.lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            // name alloc free ops×2 bandwidth×2 total×2 disk×2 syncq×2 asyncq×2 scrub trim …
            if fields.len() < 16 {
                return None;
            }
            let number = |index: usize| fields.get(index)?.trim().parse::<u64>().ok();
            let (disk, queue) = (number(10)?, number(12).unwrap_or(0));
            Some(Waits {
                pool: fields[0].trim().to_string(),
                log: false,
                writes: None,
                mean_ns: disk.checked_add(queue)?,
                p99_ns: None,
            })
        })
        .collect()
}

/// The slowest pool in the rows of each text; where no pool is known, only the first row is certain to be one.
pub fn slowest_mean(texts: Vec<Vec<Waits>>, pools: &[Pool]) -> Option<Waits> {
    let of_pool = |(place, waits): &(usize, Waits)| match pools {
        [] => *place == 0,
        pools => pools.iter().any(|pool| pool.name == waits.pool),
    };
    let rows = texts.into_iter().flat_map(|rows| rows.into_iter().enumerate());
    rows.filter(of_pool).map(|(_, waits)| waits).max_by_key(|waits| waits.mean_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text as `zpool iostat -w -H -p` prints it, with `writes` in the bucket up to `edge`.
    fn reading(names: &[&str], edge: u64, writes: u64) -> String {
        let mut text = String::new();
        for name in names {
            text.push_str(&format!("\n{name}\n"));
            for bucket in 0..37 {
                let top = (1u64 << (bucket + 1)) - 1;
                let n = if top == edge { writes } else { 0 };
                text.push_str(&format!("{top}\t0\t{n}\t0\t{n}\t0\t{n}\t0\t0\t0\t0\n"));
            }
        }
        text
    }

    #[test]
    fn two_readings_give_the_window_and_its_percentile() {
        let before = tables(&reading(&["tank"], 1_048_575, 500));
        let mut after = tables(&reading(&["tank"], 1_048_575, 500));
        after[0].add(&tables(&reading(&["tank"], 16_777_215, 100))[0]);
        // In either order.
        let found = waits(&vec![after, before], &[]).unwrap();
        assert_eq!((found.writes, found.log), (Some(100), false));
        assert_eq!(found.p99_ns, Some(2 * 16_777_215));
        assert!((found.mean_ns as f64 / (1.5 * 16_777_215.0) - 1.0).abs() < 0.01);
    }

    #[test]
    fn the_printed_form_without_options_is_read_too() {
        let text = "tank         total_wait     disk_wait    syncq_wait    asyncq_wait\nlatency      read  write   read  write   read  write   read  write  scrub   trim\n----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----\n1ns             0      0      0      0      0      0      0      0      0      0\n3ns             0      0      0      0      0      0      0      0      0      0\n7ns             0      0      0      0      0      0      0      0      0      0\n15ns            0      0      0      0      0      0      0      0      0      0\n31ns            0      0      0      0      0      0      0      0      0      0\n63ns            0      0      0      0      0      0      0      0      0      0\n127ns           0      0      0      0      0      0      0      0      0      0\n255ns           0      0      0      0      0      0      0      0      0      0\n511ns           0      0      0      0      0    100      0      0      0      0\n4ms             0   1.2K      0   1.2K      0      0      0      0      0      0\n--------------------\n";
        let read = tables(text);
        assert_eq!((read.len(), read[0].name.as_str()), (1, "tank"));
        let found = waits(&vec![read], &[]).unwrap();
        assert_eq!((found.writes, found.p99_ns), (Some(100), Some(4_000_511)));
    }

    #[test]
    fn other_texts_have_no_tables() {
        assert!(tables("tank\n1 2 3 4 5 6 7 8 9 10\n").is_empty());
        assert!(tables(&reading(&["tank"], 7, 1).replace('\t', "")).is_empty());
    }

    #[test]
    fn iostat_gives_the_mean_wait_of_synchronous_writes() {
        let row = |name: &str, disk: u64| {
            format!("{name}\t1\t2\t3\t4\t5\t6\t7\t8\t9\t{disk}\t-\t1000000\t-\t-\t-\t-\n")
        };
        let found = slowest_mean(vec![means(&row("tank", 5_000_000))], &[]).unwrap();
        assert_eq!((found.mean_ns, found.p99_ns), (6_000_000, None));
        // With `-v` a drive is slower than its pool, and no pool.
        let verbose = means(&(row("tank", 5_000_000) + &row("sda", 9_000_000)));
        let pool = |name: &str| Pool { name: name.to_string(), ..Pool::default() };
        for pools in [vec![], vec![pool("rpool"), pool("tank")]] {
            let found = slowest_mean(vec![verbose.clone()], &pools).unwrap();
            assert_eq!((found.pool.as_str(), found.mean_ns), ("tank", 6_000_000));
        }
    }
}
