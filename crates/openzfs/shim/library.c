/*
 * Starting and stopping the library, and the few functions of it that userland gets wrong for a
 * scale model: memory pressure is not invented, each txg's sync is timed, and the L2ARC's feed has a
 * pace of its own.
 */
#include "internal.h"

#undef sysconf

extern uint64_t physmem;
extern const char *const pw_library_version;	/* generated */

static uint64_t model_memory;
static uint32_t model_processors;

/*
 * The library's calls of sysconf are renamed to this one: the ARC and the dirty-data limits are
 * sized by the modelled host's memory, its task queues by the modelled host's processors, not by this
 * machine's. With two processors a single thread would compress, add parity and issue every write.
 */
long
pw_sysconf(int name)
{
	if (name == _SC_PHYS_PAGES && model_memory != 0)
		return (model_memory / sysconf(_SC_PAGESIZE));
	if (name == _SC_NPROCESSORS_ONLN && model_processors != 0)
		return (model_processors);
	return (sysconf(name));
}

void
pw_init(uint64_t memory, uint32_t processors)
{
	model_memory = memory;
	/* Userland has arrays of this many. */
	model_processors = MIN(processors, max_ncpus);
	/* No pool of this machine is looked at: its cachefile is neither read nor written. */
	spa_config_path = "/dev/null/no-cachefile";
	kernel_init(SPA_MODE_READ | SPA_MODE_WRITE);
}

void
pw_fini(void)
{
	kernel_fini();
}

const char *
pw_version(void)
{
	return (pw_library_version);
}

int
pw_is_debug(void)
{
#ifdef ZFS_DEBUG
	return (1);
#else
	return (0);
#endif
}

/*
 * The library's own version reports a shortage in one call of a hundred, which stops the ARC's
 * growth and ends the L2ARC's warm-up boost at a random moment.
 */
int64_t
arc_available_memory(void)
{
	return (INT64_MAX);
}

uint64_t
arc_free_memory(void)
{
	return (ptob(physmem));
}

/*
 * All of memory, as in the kernel. The library's own version halves it, and then refuses a
 * zfs_arc_max of half the memory, which is the kernel's default, and takes a quarter.
 */
uint64_t
arc_all_memory(void)
{
	return (ptob(physmem));
}

static uint64_t sync_count, sync_ns;

/* txg.c's call of spa_sync is renamed to this one at build time. */
void
pw_spa_sync(spa_t *spa, uint64_t txg)
{
	int64_t begin = pw_clock_now();
	spa_sync(spa, txg);
	atomic_add_64(&sync_ns, pw_clock_now() - begin);
	atomic_inc_64(&sync_count);
}

void
pw_txg_syncs(uint64_t *count, uint64_t *ns)
{
	*count = sync_count;
	*ns = sync_ns;
}

static volatile double feed_interval = 1.0;

void
pw_feed_pace(double share)
{
	feed_interval = share;
}

/*
 * arc.c's call of cv_timedwait is renamed to this one at build time; the L2ARC's feed, a single
 * thread, is all that calls it. It asks to sleep until an interval of whole ticks of 8 ms after it
 * woke; of that it sleeps its share, less what its work took.
 */
int
pw_feed_wait(kcondvar_t *cv, kmutex_t *lock, clock_t until)
{
	static hrtime_t woke;
	static clock_t woke_tick;

	if (woke == 0) {
		woke = gethrtime();
		woke_tick = ddi_get_lbolt();
	}
	hrtime_t interval = (hrtime_t)(until - woke_tick) << 23;	/* as lbolt shifts */
	hrtime_t left = woke + (hrtime_t)((double)interval * feed_interval) - gethrtime();
	int error = cv_timedwait_hires(cv, lock, left, 0, 0);
	woke = gethrtime();
	woke_tick = ddi_get_lbolt();
	return (error);
}
