/*
 * Leaf vdevs served by Rust: this file takes the place of OpenZFS's own vdev_file, whose object is
 * left out of the library when it is linked.
 */
#include "internal.h"
#include <sys/abd.h>
#include <sys/dkio.h>
#include <sys/fs/zfs.h>

static const struct pw_disk_ops *disk_ops;

/* Tunables of the vdev_file that we replace; the drives' profiles decide here. */
#if PW_ZFS >= 203
uint_t vdev_file_logical_ashift = SPA_MINBLOCKSHIFT;
uint_t vdev_file_physical_ashift = SPA_MINBLOCKSHIFT;
#else
unsigned long vdev_file_logical_ashift = SPA_MINBLOCKSHIFT;
unsigned long vdev_file_physical_ashift = SPA_MINBLOCKSHIFT;
#endif

static uint64_t log_slog_bytes, log_pool_bytes, log_writes, log_write_ns, log_flushes, log_flush_ns;

void
pw_log_io_read(struct pw_log_io *out)
{
	out->slog_bytes = log_slog_bytes;
	out->pool_bytes = log_pool_bytes;
	out->writes = log_writes;
	out->write_ns = log_write_ns;
	out->flushes = log_flushes;
	out->flush_ns = log_flush_ns;
}

/* Moving averages over about sixteen I/Os; a lost update between threads does no harm. */
static volatile int64_t recent_write, recent_flush;

static void
recent(volatile int64_t *average, int64_t ns)
{
	*average += (ns - *average) / 16;
}

void
pw_log_io_recent(int64_t *write_ns, int64_t *flush_ns)
{
	*write_ns = recent_write;
	*flush_ns = recent_flush;
}

void
pw_disk_register(const struct pw_disk_ops *ops)
{
	disk_ops = ops;
}

/* The disk's number is kept in vdev_tsd, plus one: 0 means not open. */
static int
disk_of(const vdev_t *vd)
{
	return ((int)(uintptr_t)vd->vdev_tsd - 1);
}

static int
disk_open(vdev_t *vd, uint64_t *psize, uint64_t *max_psize, uint64_t *logical_ashift,
    uint64_t *physical_ashift)
{
	struct pw_geometry geometry;
	int disk;

	if (vd->vdev_path == NULL || disk_ops == NULL) {
		vd->vdev_stat.vs_aux = VDEV_AUX_BAD_LABEL;
		return (SET_ERROR(EINVAL));
	}
	disk = disk_ops->open(vd->vdev_path, &geometry);
	if (disk < 0) {
		vd->vdev_stat.vs_aux = VDEV_AUX_OPEN_FAILED;
		return (SET_ERROR(ENOENT));
	}
	vd->vdev_tsd = (void *)(uintptr_t)(disk + 1);
	vd->vdev_nonrot = !geometry.rotational;
	vd->vdev_has_trim = B_TRUE;
	vd->vdev_has_securetrim = B_FALSE;
	*psize = *max_psize = geometry.size;
	*logical_ashift = highbit64(geometry.logical) - 1;
	*physical_ashift = highbit64(geometry.physical) - 1;
	return (0);
}

static void
disk_close(vdev_t *vd)
{
	if (vd->vdev_reopening)
		return;
	vd->vdev_tsd = NULL;
	vd->vdev_delayed_close = B_FALSE;
}

static void
submit(zio_t *zio, uint32_t op, void *buf, uint32_t log)
{
	struct pw_io *io = umem_alloc(sizeof (*io), UMEM_NOFAIL);

	io->op = op;
	io->priority = zio->io_priority;
	io->offset = zio->io_offset;
	io->length = (op == PW_FLUSH) ? 0 : zio->io_size;
	io->buf = buf;
	io->zio = zio;
	io->started = pw_clock_now();
	io->log = log;
	disk_ops->submit(disk_of(zio->io_vd), io);
}

void
pw_io_done(struct pw_io *io, int error)
{
	zio_t *zio = io->zio;

	if (io->op == PW_READ)
		abd_return_buf_copy(zio->io_abd, io->buf, io->length);
	else if (io->op == PW_WRITE)
		abd_return_buf(zio->io_abd, io->buf, io->length);
	if (io->log) {
		uint64_t ns = pw_clock_now() - io->started;
		spa_t *spa = zio->io_spa;
		/* With a SLOG the other vdevs are flushed for the txg, which no commit waits for. */
		if (io->op == PW_WRITE)
			recent(&recent_write, ns);
		else if (!spa_has_slogs(spa) || zio->io_vd->vdev_top->vdev_islog)
			recent(&recent_flush, ns);
		if (io->op == PW_FLUSH) {
			atomic_inc_64(&log_flushes);
			atomic_add_64(&log_flush_ns, ns);
		} else {
			atomic_inc_64(&log_writes);
			atomic_add_64(&log_write_ns, ns);
		}
	}
	umem_free(io, sizeof (*io));
	zio->io_error = error;
	zio_interrupt(zio);
}

static void
flush(zio_t *zio)
{
	if (!vdev_readable(zio->io_vd)) {
		zio->io_error = SET_ERROR(ENXIO);
		zio_interrupt(zio);
		return;
	}
#if PW_ZFS < 203
	if (zio->io_cmd != DKIOCFLUSHWRITECACHE) {
		zio->io_error = SET_ERROR(ENOTSUP);
		zio_execute(zio);
		return;
	}
#endif
	if (zfs_nocacheflush) {
		zio_execute(zio);
		return;
	}
	submit(zio, PW_FLUSH, NULL, 1);
}

static void
disk_io_start(zio_t *zio)
{
	vdev_t *vd = zio->io_vd;

	if (disk_of(vd) < 0) {
		zio->io_error = SET_ERROR(ENXIO);
		zio_interrupt(zio);
		return;
	}
	if (zio->io_type == PW_FLUSH_ZIO) {
		flush(zio);
		return;
	}
	if (zio->io_type == ZIO_TYPE_TRIM) {
		submit(zio, PW_TRIM, NULL, 0);
		return;
	}
	if (zio->io_type == ZIO_TYPE_READ) {
		submit(zio, PW_READ, abd_borrow_buf(zio->io_abd, zio->io_size), 0);
		return;
	}
	boolean_t log = zio->io_bookmark.zb_level == ZB_ZIL_LEVEL;
	if (log) {
		uint64_t *bytes = vd->vdev_top->vdev_islog ? &log_slog_bytes : &log_pool_bytes;
		atomic_add_64(bytes, zio->io_size);
	}
	submit(zio, PW_WRITE, abd_borrow_buf_copy(zio->io_abd, zio->io_size), log);
}

static void
disk_io_done(zio_t *zio)
{
	(void) zio;
}

static void
disk_hold(vdev_t *vd)
{
	(void) vd;
}

#define	DISK_OPS(type) {					\
	.vdev_op_open = disk_open,				\
	.vdev_op_close = disk_close,				\
	.vdev_op_asize = vdev_default_asize,			\
	.vdev_op_min_asize = vdev_default_min_asize,		\
	.vdev_op_io_start = disk_io_start,			\
	.vdev_op_io_done = disk_io_done,			\
	.vdev_op_hold = disk_hold,				\
	.vdev_op_rele = disk_hold,				\
	.vdev_op_xlate = vdev_default_xlate,			\
	.vdev_op_type = type,					\
	.vdev_op_leaf = B_TRUE					\
}

vdev_ops_t vdev_file_ops = DISK_OPS(VDEV_TYPE_FILE);
vdev_ops_t vdev_disk_ops = DISK_OPS(VDEV_TYPE_DISK);

static void
forget_physical(void *vd, pw_range_t *range)
{
	disk_ops->forget(disk_of(vd), VDEV_LABEL_START_SIZE + range->rs_start,
	    range->rs_end - range->rs_start);
}

static void
forget_below(vdev_t *vd, const pw_range_t *range)
{
	if (vd->vdev_ops == &vdev_file_ops || vd->vdev_ops == &vdev_disk_ops) {
		if (disk_of(vd) >= 0)
			vdev_xlate_walk(vd, range, forget_physical, vd);
		return;
	}
	for (uint64_t i = 0; i < vd->vdev_children; i++)
		forget_below(vd->vdev_child[i], range);
}

static void
forget(void *top, uint64_t start, uint64_t size)
{
	pw_range_t range = { .rs_start = start, .rs_end = start + size };

	forget_below(top, &range);
}

/*
 * vdev.c's call of metaslab_sync_done is renamed to this one at build time. In it the space that was
 * freed two groups ago can be allocated again, and the disks are told before it is. Only this thread
 * changes that tree.
 */
void
pw_metaslab_sync_done(metaslab_t *msp, uint64_t txg)
{
	if (msp->ms_defer[txg % TXG_DEFER_SIZE] != NULL)
		pw_range_tree_walk(msp->ms_defer[txg % TXG_DEFER_SIZE], forget,
		    msp->ms_group->mg_vd);
	metaslab_sync_done(msp, txg);
}

void
vdev_file_init(void)
{
}

void
vdev_file_fini(void)
{
}
