/* What is sampled each virtual second, by the names of the control protocol. */
#include "internal.h"

/* The head of dbuf.c's own structure, the same in 2.1 and 2.3. */
struct dbuf_sums_head {
	wmsum_t cache_count;
	wmsum_t cache_total_evicts;
	wmsum_t cache_levels[DN_MAX_LEVELS];
	wmsum_t cache_levels_bytes[DN_MAX_LEVELS];
	wmsum_t hash_hits;
};
extern struct dbuf_sums_head dbuf_sums;

#if PW_ZFS >= 203
/* Over every dataset, as 2.1 counts; private to zil.c, made global by the build script. */
extern zil_sums_t zil_sums_global;
#define	ZIL(stat) wmsum_value(&zil_sums_global.stat)
#else
extern zil_stats_t zil_stats;
#define	ZIL(stat) zil_stats.stat.value.ui64
#endif
#define	ARC(stat) wmsum_value(&arc_sums.arcstat_##stat)
#define	TX(stat) dmu_tx_stats.dmu_tx_##stat.value.ui64

struct context {
	dsl_pool_t *dp;
	struct pw_log_io log;
	uint64_t syncs, sync_ns;
};

/* name, 1 for a level (not a running total), value */
#define	COUNTERS(X)							\
	X("arc.demand_data_hits", 0, ARC(demand_data_hits))		\
	X("arc.demand_data_misses", 0, ARC(demand_data_misses))		\
	X("arc.demand_metadata_hits", 0, ARC(demand_metadata_hits))	\
	X("arc.demand_metadata_misses", 0, ARC(demand_metadata_misses))	\
	X("arc.prefetch_data_hits", 0, ARC(prefetch_data_hits))		\
	X("arc.prefetch_data_misses", 0, ARC(prefetch_data_misses))	\
	X("arc.size", 1, aggsum_value(&arc_sums.arcstat_size))		\
	X("arc.c", 1, arc_stats.arcstat_c.value.ui64)			\
	X("arc.c_max", 1, arc_stats.arcstat_c_max.value.ui64)		\
	X("dbuf.hits", 0, wmsum_value(&dbuf_sums.hash_hits))		\
	X("l2.hits", 0, ARC(l2_hits))					\
	X("l2.misses", 0, ARC(l2_misses))				\
	X("l2.size", 1, ARC(l2_lsize))					\
	X("l2.write_bytes", 0, ARC(l2_write_bytes))			\
	X("l2.read_bytes", 0, ARC(l2_read_bytes))			\
	X("l2.feeds", 0, ARC(l2_feeds))					\
	X("l2.evicted_held", 0, ARC(evict_l2_cached))			\
	X("l2.evicted_unfed", 0, ARC(evict_l2_eligible))		\
	X("zil.commits", 0, ZIL(zil_commit_count))		\
	X("zil.copied", 0, ZIL(zil_itx_copied_count))		\
	X("zil.copied_bytes", 0, ZIL(zil_itx_copied_bytes))	\
	X("zil.needcopy", 0, ZIL(zil_itx_needcopy_count))		\
	X("zil.needcopy_bytes", 0, ZIL(zil_itx_needcopy_bytes))	\
	X("zil.indirect", 0, ZIL(zil_itx_indirect_count))		\
	X("zil.indirect_bytes", 0, ZIL(zil_itx_indirect_bytes))	\
	X("zil.slog_bytes", 0, c.log.slog_bytes)			\
	X("zil.pool_bytes", 0, c.log.pool_bytes)			\
	X("zil.log_writes", 0, c.log.writes)				\
	X("zil.log_write_ns", 0, c.log.write_ns)			\
	X("flush.count", 0, c.log.flushes)				\
	X("flush.ns", 0, c.log.flush_ns)				\
	X("txg.syncs", 0, c.syncs)					\
	X("txg.sync_ns", 0, c.sync_ns)					\
	X("dirty.bytes", 1, c.dp == NULL ? 0 : c.dp->dp_dirty_total)	\
	X("wrlog.bytes", 1,						\
	    c.dp == NULL ? 0 : aggsum_value(&c.dp->dp_wrlog_total))	\
	X("throttle.dirty_delay", 0, TX(dirty_delay))			\
	X("throttle.dirty_over_max", 0, TX(dirty_over_max))		\
	X("throttle.dirty_throttle", 0, TX(dirty_throttle))		\
	X("throttle.memory_reserve", 0, TX(memory_reserve))		\
	X("throttle.memory_reclaim", 0, TX(memory_reclaim))		\
	X("throttle.wrlog_delay", 0, TX(wrlog_delay))			\
	X("throttle.quota", 0, TX(quota))				\
	X("tx.assigned", 0, TX(assigned))

#define	NAME(name, level, value) name,
static const char *const names[] = { COUNTERS(NAME) };
#define	LEVEL(name, level, value) level,
static const char levels[] = { COUNTERS(LEVEL) };

size_t
pw_counter_count(void)
{
	return (sizeof (levels));
}

const char *
pw_counter_name(size_t i)
{
	return (names[i]);
}

int
pw_counter_is_level(size_t i)
{
	return (levels[i]);
}

void
pw_counters(void *pool, uint64_t *out)
{
	struct context c = { 0 };

	if (pool != NULL)
		c.dp = spa_get_dsl(pool);
	pw_log_io_read(&c.log);
	pw_txg_syncs(&c.syncs, &c.sync_ns);
	size_t i = 0;
#define	VALUE(name, level, value) out[i++] = (value);
	COUNTERS(VALUE)
}
