//! Who answered the lookups of blocks.

use crate::counters as c;
use crate::output::{Hits, ReadShares};
use std::collections::BTreeMap;

/// Hit ratios from counters summed over a window (or over several).
pub fn of(totals: &BTreeMap<String, f64>) -> Hits {
    let get = |name: &str| totals.get(name).copied().unwrap_or(0.0).max(0.0);
    let (data_hits, data_misses) = (get(c::ARC_DATA_HITS), get(c::ARC_DATA_MISSES));
    let (meta_hits, meta_misses) = (get(c::ARC_META_HITS), get(c::ARC_META_MISSES));
    let dbuf = get(c::DBUF_HITS);
    let misses = data_misses + meta_misses;
    // The L2ARC also answers prefetches, which are no demand lookups.
    let l2 = get(c::L2_HITS).min(misses);
    let lookups = dbuf + data_hits + meta_hits + misses;
    let share = |part: f64, of: f64| (of > 0.0).then(|| part / of);
    Hits {
        arc_data: share(data_hits, data_hits + data_misses),
        arc_metadata: share(meta_hits, meta_hits + meta_misses),
        l2_of_reads: share(l2, lookups),
        dbuf: share(dbuf, lookups),
        reads: (lookups > 0.0).then(|| ReadShares {
            dbuf: dbuf / lookups,
            arc: (data_hits + meta_hits) / lookups,
            l2arc: l2 / lookups,
            drives: (misses - l2) / lookups,
        }),
    }
}

/// Sums counters of several windows.
pub fn summed<'a>(
    totals: impl IntoIterator<Item = &'a BTreeMap<String, f64>>,
) -> BTreeMap<String, f64> {
    let mut sum = BTreeMap::new();
    for map in totals {
        for (name, value) in map {
            *sum.entry(name.clone()).or_insert(0.0) += value;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(pairs: &[(&str, f64)]) -> BTreeMap<String, f64> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect()
    }

    #[test]
    fn shares_of_reads_sum_to_one_and_l2_is_of_all_reads() {
        let hits = of(&totals(&[
            (c::DBUF_HITS, 200.0),
            (c::ARC_DATA_HITS, 300.0),
            (c::ARC_DATA_MISSES, 500.0),
            (c::L2_HITS, 400.0),
        ]));
        let reads = hits.reads.unwrap();
        assert_eq!(reads.dbuf + reads.arc + reads.l2arc + reads.drives, 1.0);
        assert_eq!(hits.l2_of_reads, Some(0.4), "arcstat would say 80 %");
        assert_eq!(hits.arc_data, Some(0.375));
        assert_eq!(hits.arc_metadata, None);
    }

    #[test]
    fn nothing_looked_up_has_no_ratio() {
        assert_eq!(of(&BTreeMap::new()), Hits::default());
    }
}
