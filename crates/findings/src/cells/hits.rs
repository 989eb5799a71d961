//! Who answered the lookups of blocks.

use crate::schema::{Hits, ReadShares};
use measurement::{Counter, Counters};

/// Hit ratios from counters summed over a window (or over several) of a client that reads, or only writes. OpenZFS 2.4
/// reads the record that a write changes a part of as a prefetch (`dmu_tx_check_ioerr` in dmu_tx.c), and counts a hit when
/// the write then finds it: without reads of the client, misses of prefetches are such reads.
pub fn hit_ratios(totals: &Counters, client_reads: bool) -> Hits {
    let get = |counter| totals.count(&counter).max(0.0);
    let (hits, misses) = (get(Counter::ArcDataHits), get(Counter::ArcDataMisses));
    let for_writes = match client_reads {
        true => 0.0,
        false => get(Counter::ArcPrefetchMisses).min(hits),
    };
    let (data_hits, data_misses) = (hits - for_writes, misses + for_writes);
    let (meta_hits, meta_misses) = (get(Counter::ArcMetadataHits), get(Counter::ArcMetadataMisses));
    let dbuf = get(Counter::DbufHits);
    let misses = data_misses + meta_misses;
    // The L2ARC also answers prefetches, which are no demand lookups.
    let l2 = get(Counter::L2Hits).min(misses);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_reads_sum_to_one_and_l2_is_of_all_reads() {
        let hits = hit_ratios(
            &Counters::from([
                (Counter::DbufHits, 200.0),
                (Counter::ArcDataHits, 300.0),
                (Counter::ArcDataMisses, 500.0),
                (Counter::L2Hits, 400.0),
            ]),
            true,
        );
        let reads = hits.reads.unwrap();
        assert_eq!(reads.dbuf + reads.arc + reads.l2arc + reads.drives, 1.0);
        assert_eq!(hits.l2_of_reads, Some(0.4), "arcstat would say 80 %");
        assert_eq!(hits.arc_data, Some(0.375));
        assert_eq!(hits.arc_metadata, None);
    }

    #[test]
    fn nothing_looked_up_has_no_ratio() {
        assert_eq!(hit_ratios(&Counters::new(), true), Hits::default());
    }

    #[test]
    fn prefetches_of_a_client_that_only_writes_are_reads_of_records() {
        let totals =
            Counters::from([(Counter::ArcDataHits, 90.0), (Counter::ArcPrefetchMisses, 30.0)]);
        assert_eq!(hit_ratios(&totals, false).reads.unwrap().drives, 30.0 / 90.0);
        assert_eq!(hit_ratios(&totals, true).reads.unwrap().drives, 0.0);
    }
}
