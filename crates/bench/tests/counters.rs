//! Findings read counters by the names under which the engine sends them.

use findings::counters as read;
use poolfs::protocol::counters as sent;

#[test]
fn findings_and_the_engine_spell_counters_alike() {
    for (read, sent) in [
        (read::ARC_DATA_HITS, sent::ARC_DATA_HITS),
        (read::ARC_DATA_MISSES, sent::ARC_DATA_MISSES),
        (read::ARC_META_HITS, sent::ARC_META_HITS),
        (read::ARC_META_MISSES, sent::ARC_META_MISSES),
        (read::DBUF_HITS, sent::DBUF_HITS),
        (read::L2_HITS, sent::L2_HITS),
        (read::L2_SIZE, sent::L2_SIZE),
        (read::L2_FEED, sent::L2_FEED),
        (read::ZIL_COMMITS, sent::ZIL_COMMITS),
        (read::ZIL_COPIED, sent::ZIL_COPIED),
        (read::ZIL_NEEDCOPY, sent::ZIL_NEEDCOPY),
        (read::ZIL_INDIRECT, sent::ZIL_INDIRECT),
        (read::ZIL_SLOG_BYTES, sent::ZIL_SLOG_BYTES),
        (read::ZIL_POOL_BYTES, sent::ZIL_POOL_BYTES),
        (read::TXG_SYNCS, sent::TXG_SYNCS),
        (read::DIRTY, sent::DIRTY),
        (read::THROTTLE_DELAYS, sent::THROTTLE_DELAYS),
        (read::THROTTLE_OVER_MAX, sent::THROTTLE_OVER_MAX),
        (read::THROTTLE_MEMORY, sent::THROTTLE_MEMORY),
        (read::THROTTLE_RESERVE, sent::THROTTLE_RESERVE),
        (read::THROTTLE_WRLOG, sent::THROTTLE_WRLOG),
    ] {
        assert_eq!(read, sent);
    }
}
