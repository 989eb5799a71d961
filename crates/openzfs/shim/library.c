/*
 * Starting and stopping the library, and the few functions of it that userland gets wrong for a
 * scale model: memory pressure is not invented, each txg's sync is timed, and some I/O stays on its
 * thread.
 */
#include "internal.h"

#undef sysconf

extern uint64_t physmem;
extern const char *const pw_library_version;	/* generated */

static uint64_t model_memory;

/*
 * The library's calls of sysconf are renamed to this one: the ARC and the dirty-data limits are
 * sized by the modelled host's memory, not by this machine's.
 */
long
pw_sysconf(int name)
{
	if (name == _SC_PHYS_PAGES && model_memory != 0)
		return (model_memory / sysconf(_SC_PAGESIZE));
	return (sysconf(name));
}

void
pw_init(uint64_t memory)
{
	model_memory = memory;
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

/*
 * zio.c's calls of spa_taskq_dispatch (2.3) and spa_taskq_dispatch_ent (2.1) are renamed to this one.
 * A block of the intent log is issued by the thread that committed it, as reads are, instead of being
 * handed to another thread: that costs a wake-up for each commit and gains nothing on few processors.
 * A thread of OpenZFS's own pools hands over as ever, since some of them must not block.
 */
static boolean_t
stays(const zio_t *zio, zio_taskq_type_t q)
{
	return ((q == ZIO_TASKQ_ISSUE || q == ZIO_TASKQ_ISSUE_HIGH) &&
	    zio->io_type == ZIO_TYPE_WRITE && zio->io_stage == ZIO_STAGE_ISSUE_ASYNC &&
	    zio->io_bookmark.zb_level == ZB_ZIL_LEVEL && taskq_of_curthread() == NULL);
}

#if PW_ZFS >= 203
void
pw_taskq_dispatch(spa_t *spa, zio_type_t t, zio_taskq_type_t q, task_func_t *func, zio_t *zio,
    boolean_t cutinline)
{
	if (func == (task_func_t *)zio_execute && stays(zio, q))
		zio_execute(zio);
	else
		spa_taskq_dispatch(spa, t, q, func, zio, cutinline);
}
#else
void
pw_taskq_dispatch(spa_t *spa, zio_type_t t, zio_taskq_type_t q, task_func_t *func, void *zio,
    uint_t flags, taskq_ent_t *ent)
{
	if (func == (task_func_t *)zio_execute && stays(zio, q))
		zio_execute(zio);
	else
		spa_taskq_dispatch_ent(spa, t, q, func, zio, flags, ent);
}
#endif
