/*
 * The contents of a file: read, write, fsync, truncate, as the ZPL of the version does them.
 *
 * 2.1 writes in one transaction and one log record for each record touched; 2.3 takes one
 * transaction for up to DMU_MAX_ACCESS / 2.
 */
#include "internal.h"
#include <sys/stat.h>
#if PW_ZFS >= 203
#include <sys/abd.h>
#include <sys/dmu_impl.h>
#endif

/* zfs_vnops_read_chunk_size: how much a read asks of the DMU at once. */
#define	READ_CHUNK (1ULL << 20)

void
pw_range_lock_cb(zfs_locked_range_t *range, void *arg)
{
	pw_node_t *node = arg;
	uint64_t max = node->fs->os->os_recordsize;

	if (range->lr_type == RL_APPEND) {
		range->lr_offset = node->size;
		range->lr_type = RL_WRITER;
	}
	/* A write that makes the file's only block grow needs the whole file. */
	uint64_t end = MAX(node->size, range->lr_offset + range->lr_length);
	if (end > node->blksz && (!ISP2(node->blksz) || node->blksz < max)) {
		range->lr_offset = 0;
		range->lr_length = UINT64_MAX;
	}
}

void
pw_grow_blocksize(pw_node_t *node, uint64_t size, dmu_tx_t *tx)
{
	u_longlong_t ignored;

	if (size <= node->blksz)
		return;
	/* A file of more than one block keeps its block size. */
	if (node->blksz != 0 && node->size > node->blksz)
		return;
	if (dmu_object_set_blocksize(node->fs->os, node->id, size, 0, tx) == ENOTSUP)
		return;
	dmu_object_size_from_db(node->db, &node->blksz, &ignored);
}

static uint64_t
new_blocksize(const pw_node_t *node, uint64_t end)
{
	uint64_t max = node->fs->os->os_recordsize;

#if PW_ZFS >= 203
	if (node->size > node->blksz)
		return (node->blksz);
	uint64_t blksz = (node->blksz > max && !ISP2(node->blksz)) ?
	    1ULL << highbit64(node->blksz) : max;
	blksz = MIN(blksz, P2ROUNDUP(end, SPA_MINBLOCKSIZE));
	return (MAX(blksz, node->blksz));
#else
	if (node->blksz > max)
		return (MIN(end, 1ULL << highbit64(node->blksz)));
	return (MIN(end, max));
#endif
}

/* How much of the rest of a write goes into one transaction, and how much of it is held for. */
static uint64_t
chunk(const pw_node_t *node, uint64_t blksz, uint64_t offset, uint64_t rest, boolean_t direct,
    uint64_t *held)
{
#if PW_ZFS >= 203
	uint64_t into = ISP2(blksz) ? P2PHASE(offset, blksz) : 0;
	uint64_t n = MIN(rest, (DMU_MAX_ACCESS >> 1) - into);
	if (!direct && rest >= blksz && offset >= node->size && into == 0 &&
	    (blksz >= SPA_OLD_MAXBLOCKSIZE || rest < 4 * blksz))
		n = blksz;	/* whole new blocks go through a borrowed buffer, one at a time */
	*held = n;
	return (n);
#else
	(void) blksz, (void) direct;
	uint64_t max = node->fs->os->os_recordsize;
	*held = MIN(rest, max);
	return (MIN(rest, max - P2PHASE(offset, max)));
#endif
}

#if PW_ZFS >= 203
/* A module parameter of the ZPL, which libzpool leaves out; 2.3's own default. */
int zfs_dio_enabled = 1;

/*
 * Memory that begins with a page, as a kernel's direct I/O has it: raidz computes parity with vector
 * instructions that fault on less. Requests come from FUSE behind a header and so are copied here; a
 * kernel copies nothing.
 */
static abd_t *
direct_memory(const void *buf, uint64_t size)
{
	if (IS_P2ALIGNED((uintptr_t)buf, PAGESIZE))
		return (abd_get_from_buf((void *)buf, size));
	return (abd_alloc_linear(size, B_FALSE));
}

/*
 * Whether a request goes past the ARC (the property `direct`). An unaligned O_DIRECT request is
 * refused with EINVAL, as the ZPL does; the alignment of the client's memory is not known here.
 */
static int
direct_request(const pw_node_t *node, uint64_t offset, uint64_t length, boolean_t write,
    uint32_t flags, boolean_t *direct)
{
	zfs_direct_t property = node->fs->os->os_direct;
	boolean_t aligned = (offset | length) % PAGESIZE == 0;

	*direct = B_FALSE;
	if (!zfs_dio_enabled || property == ZFS_DIRECT_DISABLED || node->fs->replaying)
		return (0);
	if (property == ZFS_DIRECT_ALWAYS) {
		*direct = aligned && (!write || length >= node->blksz || (flags & PW_IO_DIRECT));
		return (0);
	}
	if (!(flags & PW_IO_DIRECT))
		return (0);
	*direct = B_TRUE;
	return (aligned ? 0 : EINVAL);
}

/* Whole blocks go straight to the drives, what is left at either end through the ARC. */
static int
write_direct(pw_node_t *node, uint64_t offset, uint64_t n, const char *buf, dmu_tx_t *tx)
{
	uint64_t blksz = node->blksz;
	int error = 0;

	while (n > 0 && error == 0) {
		uint64_t into = offset % blksz;
		uint64_t step;
		if (into == 0 && n >= blksz) {
			step = MIN(n, SPA_MAXBLOCKSIZE);
			step -= step % blksz;
			abd_t *abd = direct_memory(buf, step);
			if (abd_to_buf(abd) != buf)
				abd_copy_from_buf(abd, buf, step);
			error = dmu_write_abd(node->dn, offset, step, abd, DMU_DIRECTIO, tx);
			abd_free(abd);
		} else {
			step = MIN(n, blksz - into);
			error = dmu_write_by_dnode(node->dn, offset, step, buf, tx);
		}
		offset += step;
		buf += step;
		n -= step;
	}
	return (error);
}
#endif

static int
write_chunk(pw_node_t *node, uint64_t offset, uint64_t n, const char *buf, boolean_t direct,
    dmu_tx_t *tx)
{
	uint64_t blksz = node->blksz;

#if PW_ZFS >= 203
	if (direct)
		return (write_direct(node, offset, n, buf, tx));
#else
	(void) direct;
#endif

	/* A whole block at the end of the file: handed over instead of copied through a dbuf. */
	boolean_t whole = n == blksz && ISP2(blksz);
#if PW_ZFS < 203
	whole = whole && blksz == node->fs->os->os_recordsize;
#endif
	if (whole && offset >= node->size && P2PHASE(offset, blksz) == 0) {
		arc_buf_t *abuf = dmu_request_arcbuf(node->db, blksz);
		memcpy(abuf->b_data, buf, blksz);
		int error = dmu_assign_arcbuf_by_dbuf(node->db, offset, abuf, tx);
		if (error != 0)
			dmu_return_arcbuf(abuf);
		return (error);
	}
#if PW_ZFS >= 203
	return (dmu_write_by_dnode(node->dn, offset, n, buf, tx));
#else
	dmu_write_by_dnode(node->dn, offset, n, buf, tx);
	return (0);
#endif
}

static int
write_locked(pw_node_t *node, zfs_locked_range_t *range, uint64_t offset, uint64_t length,
    const char *buf, uint32_t flags, boolean_t direct, uint64_t *done, struct pw_stages *stages)
{
	pw_fs_t *fs = node->fs;
	boolean_t synchronous = (flags & PW_IO_SYNC) != 0;
	int error = 0;

	while (length > 0 && error == 0) {
		uint64_t end = MAX(node->size, offset + length);
		uint64_t blksz = range->lr_length == UINT64_MAX ? new_blocksize(node, end) :
		    node->blksz;
		uint64_t held;
		/* A write that makes the block grow goes through the ARC, which the growth reads. */
		boolean_t past_arc = direct && range->lr_length != UINT64_MAX;
		uint64_t n = chunk(node, blksz, offset, length, past_arc, &held);
		int64_t begin = pw_clock_now();
		dmu_tx_t *tx = dmu_tx_create(fs->os);
		dmu_tx_hold_bonus(tx, node->id);
		dmu_tx_hold_write_by_dnode(tx, node->dn, offset, held);
		int64_t read = pw_clock_now();
		stages->record_read += read - begin;
		error = dmu_tx_assign(tx, PW_TX_WAIT);
		stages->throttle += pw_clock_now() - read;
		if (error != 0) {
			dmu_tx_abort(tx);
			break;
		}
		if (range->lr_length == UINT64_MAX) {
			pw_grow_blocksize(node, blksz, tx);
			zfs_rangelock_reduce(range, offset, length);
		}
		begin = pw_clock_now();
		error = write_chunk(node, offset, n, buf, past_arc, tx);
		stages->record_read += pw_clock_now() - begin;
		if (error == 0) {
			mutex_enter(&node->lock);
			pw_dirty(node, tx);
			znode_phys_t *zp = pw_phys(node);
			memcpy(zp->zp_mtime, zp->zp_ctime, sizeof (zp->zp_mtime));
			if (offset + n > node->size)
				node->size = offset + n;
			if (fs->replaying && fs->replay_eof != 0)
				node->size = fs->replay_eof;
			zp->zp_size = node->size;
			mutex_exit(&node->lock);
			pw_log_write(node, tx, offset, n, synchronous, past_arc);
			offset += n;
			buf += n;
			length -= n;
			*done += n;
		}
		dmu_tx_commit(tx);
	}
	return (error);
}

int
pw_write_at(pw_node_t *node, uint64_t offset, uint64_t length, const void *buf, uint32_t flags,
    uint64_t *done, struct pw_stages *stages)
{
	int64_t begin = pw_clock_now();
	boolean_t append = (flags & PW_IO_APPEND) != 0;
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range_lock, append ? 0 : offset,
	    length, append ? RL_APPEND : RL_WRITER);

	stages->range_lock += pw_clock_now() - begin;
	if (append)
		offset = range->lr_length == UINT64_MAX ? node->size : range->lr_offset;
	*done = 0;
	boolean_t direct = B_FALSE;
	int error = 0;
#if PW_ZFS >= 203
	error = direct_request(node, offset, length, B_TRUE, flags, &direct);
#endif
	if (error == 0)
		error = write_locked(node, range, offset, length, buf, flags, direct, done, stages);
	zfs_rangelock_exit(range);
	return (*done > 0 ? 0 : error);
}

static void
commit(pw_node_t *node, struct pw_stages *stages)
{
	int64_t begin = pw_clock_now();

	int64_t written, flushed;

	zil_commit(node->fs->zilog, node->id);
	int64_t took = pw_clock_now() - begin;
	pw_log_io_recent(&written, &flushed);
	stages->commit += took;
	stages->commits++;
	/* The rest of the commit is waiting for company, for earlier blocks and for the processor. */
	stages->log_write += MIN(written, took);
	stages->log_flush += MIN(flushed, took - MIN(written, took));
}

int
pw_write(pw_node_t *node, uint64_t offset, uint64_t length, const void *buf, uint32_t flags,
    uint64_t *done, struct pw_stages *stages)
{
	int error;

	*done = 0;
	if (length == 0)
		return (0);
	error = pw_write_at(node, offset, length, buf, flags, done, stages);
	if (error == 0 &&
	    ((flags & PW_IO_SYNC) || node->fs->os->os_sync == ZFS_SYNC_ALWAYS))
		commit(node, stages);
	return (error);
}

int
pw_fsync(pw_node_t *node, struct pw_stages *stages)
{
	if (node->fs->os->os_sync != ZFS_SYNC_DISABLED)
		commit(node, stages);
	return (0);
}

/* Reads what lies within the file, a chunk at a time; *done is what was read. */
static int
read_locked(pw_node_t *node, uint64_t offset, uint64_t rest, char *buf, boolean_t direct,
    uint64_t *done)
{
	int error = 0;

#if PW_ZFS >= 203
	/* Whole pages past the ARC; an odd end of the file through it. */
	uint64_t pages = direct ? rest - rest % PAGESIZE : 0;
	while (*done < pages && error == 0) {
		uint64_t n = MIN(pages - *done, SPA_MAXBLOCKSIZE);
		abd_t *abd = direct_memory(buf + *done, n);
		error = dmu_read_abd(node->dn, offset + *done, n, abd, DMU_DIRECTIO);
		if (error == 0 && abd_to_buf(abd) != buf + *done)
			abd_copy_to_buf(buf + *done, abd, n);
		abd_free(abd);
		if (error == 0)
			*done += n;
	}
	/* What fails its checksum is read again through the ARC, which repairs it. */
	if (error == ECKSUM)
		error = 0;
#else
	(void) direct;
#endif
	while (*done < rest && error == 0) {
		uint64_t at = offset + *done;
		uint64_t n = MIN(rest - *done, READ_CHUNK - P2PHASE(at, READ_CHUNK));
		error = dmu_read_by_dnode(node->dn, at, n, buf + *done, DMU_READ_PREFETCH);
		if (error == 0)
			*done += n;
	}
	return (error);
}

int
pw_read(pw_node_t *node, uint64_t offset, uint64_t length, void *buf, uint32_t flags,
    uint64_t *done, struct pw_stages *stages)
{
	pw_fs_t *fs = node->fs;
	int error = 0;

	*done = 0;
	/* Linux has no FRSYNC: a read commits what the file has to commit with sync=always only. */
	if (fs->os->os_sync == ZFS_SYNC_ALWAYS)
		commit(node, stages);
	/* A commit is a stage of its own. */
	int64_t begin = pw_clock_now();
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range_lock, offset, length,
	    RL_READER);
	int64_t read = pw_clock_now();
	stages->range_lock += read - begin;
	if (offset < node->size) {
		boolean_t direct = B_FALSE;
#if PW_ZFS >= 203
		error = direct_request(node, offset, length, B_FALSE, flags, &direct);
#endif
		if (error == 0)
			error = read_locked(node, offset, MIN(length, node->size - offset), buf,
			    direct, done);
	}
	stages->record_read += pw_clock_now() - read;
	zfs_rangelock_exit(range);
	/* Bad checksums are reported as such inside OpenZFS only. */
	if (error == ECKSUM)
		error = EIO;
	return (*done > 0 ? 0 : error);
}

static int
resize_tx(pw_node_t *node, dmu_tx_t **out)
{
	dmu_tx_t *tx = dmu_tx_create(node->fs->os);
	int error;

	dmu_tx_hold_bonus(tx, node->id);
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	*out = tx;
	return (0);
}

static void
set_size(pw_node_t *node, uint64_t size, dmu_tx_t *tx)
{
	mutex_enter(&node->lock);
	pw_dirty(node, tx);
	znode_phys_t *zp = pw_phys(node);
	memcpy(zp->zp_mtime, zp->zp_ctime, sizeof (zp->zp_mtime));
	node->size = size;
	zp->zp_size = size;
	mutex_exit(&node->lock);
}

static int
extend_locked(pw_node_t *node, zfs_locked_range_t *range, uint64_t size)
{
	dmu_tx_t *tx = dmu_tx_create(node->fs->os);
	uint64_t grown = 0;
	int error;

	dmu_tx_hold_bonus(tx, node->id);
	if (range->lr_length == UINT64_MAX && size > node->blksz) {
		uint64_t max = node->fs->os->os_recordsize;
		grown = node->blksz > max ? MIN(size, 1ULL << highbit64(node->blksz)) :
		    MIN(size, max);
		dmu_tx_hold_write_by_dnode(tx, node->dn, 0, grown);
	}
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	if (grown != 0)
		pw_grow_blocksize(node, grown, tx);
	set_size(node, size, tx);
	pw_log_truncate(node, tx, size, 0);
	dmu_tx_commit(tx);
	return (0);
}

int
pw_extend(pw_node_t *node, uint64_t size)
{
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range_lock, 0, size, RL_WRITER);
	int error = 0;

	if (size > node->size)
		error = extend_locked(node, range, size);
	zfs_rangelock_exit(range);
	return (error);
}

static int
truncate_to(pw_node_t *node, uint64_t size)
{
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range_lock, 0, UINT64_MAX,
	    RL_WRITER);
	dmu_tx_t *tx;
	int error = 0;

	if (size < node->size) {
		error = dmu_free_long_range(node->fs->os, node->id, size, DMU_OBJECT_END);
		if (error == 0)
			error = resize_tx(node, &tx);
		if (error == 0) {
			set_size(node, size, tx);
			pw_log_truncate(node, tx, size, 0);
			dmu_tx_commit(tx);
		}
	} else if (size > node->size) {
		error = extend_locked(node, range, size);
	}
	zfs_rangelock_exit(range);
	return (error);
}

static int
punch(pw_node_t *node, uint64_t offset, uint64_t length)
{
	zfs_locked_range_t *range = zfs_rangelock_enter(&node->range_lock, offset, length,
	    RL_WRITER);
	dmu_tx_t *tx;
	int error = 0;

	if (offset < node->size) {
		uint64_t n = MIN(length, node->size - offset);
		error = dmu_free_long_range(node->fs->os, node->id, offset, n);
		if (error == 0)
			error = resize_tx(node, &tx);
		if (error == 0) {
			set_size(node, node->size, tx);
			pw_log_truncate(node, tx, offset, n);
			dmu_tx_commit(tx);
		}
	}
	zfs_rangelock_exit(range);
	return (error);
}

int
pw_free_space(pw_node_t *node, uint64_t offset, uint64_t length)
{
	int error = length == 0 ? truncate_to(node, offset) : punch(node, offset, length);

	if (error == 0 && !node->fs->replaying && node->fs->os->os_sync == ZFS_SYNC_ALWAYS)
		zil_commit(node->fs->zilog, 0);
	return (error);
}

int
pw_seek(pw_node_t *node, int hole, uint64_t *offset)
{
	uint64_t at = *offset;
	int error;

	if (at >= node->size)
		return (ENXIO);
	error = dmu_offset_next(node->fs->os, node->id, hole != 0, &at);
	if (error == ESRCH) {
		if (!hole)
			return (ENXIO);
		at = node->size;
		error = 0;
	}
	if (error == EBUSY) {	/* dirty: unknown, and treating it as data is always right */
		at = hole ? node->size : *offset;
		error = 0;
	}
	if (error == 0)
		*offset = MIN(at, node->size);
	return (error);
}
