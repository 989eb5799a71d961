/*
 * The intent log: which record each change writes, the data for records that do not carry it, and
 * replay. The choice of record type is the version's own rule (zfs_log_write).
 */
#include "internal.h"
#include <sys/stat.h>

/* On-disk records; the same in every version, where the headers' C names differ. */
typedef struct {
	lr_t common;
	uint64_t dir, id, mode, uid, gid, gen, crtime[2], rdev;
} record_create_t;

typedef struct {
	lr_t common;
	uint64_t dir;
} record_remove_t;

typedef struct {
	lr_t common;
	uint64_t dir, id;
} record_link_t;

typedef struct {
	lr_t common;
	uint64_t from, to;
} record_rename_t;

typedef struct {
	lr_t common;
	uint64_t id, offset, length;
} record_truncate_t;

typedef struct {
	lr_t common;
	uint64_t id, mask, mode, uid, gid, size, atime[2], mtime[2];
} record_setattr_t;

/* A module parameter of the ZPL, which libzpool leaves out: 32 KiB in both versions. */
int64_t zfs_immediate_write_sz = 32768;

/*
 * A record about the object `id`. zil_itx_create leaves what it does not need itself as it was in
 * memory, so that everything is set here.
 */
static itx_t *
new_record(pw_fs_t *fs, uint64_t type, size_t size, uint64_t id, uint64_t gen,
    boolean_t synchronous)
{
	itx_t *itx = zil_itx_create(type, size);

	itx->itx_private = fs;
	itx->itx_wr_state = WR_COPIED;
	itx->itx_sync = synchronous;
	itx->itx_callback = NULL;
	itx->itx_callback_data = NULL;
	itx->itx_oid = id;
	itx->itx_gen = gen;
	return (itx);
}

void
pw_log_write(pw_node_t *node, dmu_tx_t *tx, uint64_t offset, uint64_t length,
    boolean_t synchronous, boolean_t direct)
{
	zilog_t *zilog = node->fs->zilog;
	itx_wr_state_t state;
	uint64_t rest = length;
	/* 2.3 decides by whether a commit will follow, 2.1 by the flags of the file. */
	boolean_t commit = synchronous;
#if PW_ZFS >= 203
	commit = commit || node->fs->os->os_sync == ZFS_SYNC_ALWAYS;
#else
	direct = B_FALSE;
#endif

	if (zil_replaying(zilog, tx) || node->unlinked)
		return;
	if (zilog->zl_logbias == ZFS_LOGBIAS_THROUGHPUT || direct)
		state = WR_INDIRECT;
	else if (!spa_has_slogs(zilog->zl_spa) && length >= zfs_immediate_write_sz)
		state = WR_INDIRECT;
	else
		state = commit ? WR_COPIED : WR_NEED_COPY;
	/*
	 * What was logged of this object without a commit goes before a synchronous write, as it does in
	 * the ZPL from the first O_SYNC open on: a truncation behind it would take away in replay what
	 * was acknowledged.
	 */
	if (synchronous)
		zil_async_to_sync(zilog, node->id);

	while (rest > 0) {
		itx_wr_state_t this = state;
		uint64_t n = rest;

		if (this == WR_COPIED && rest > zil_max_copied_data(zilog))
			this = WR_NEED_COPY;	/* split over log blocks when it is committed */
		else if (this == WR_INDIRECT)
			n = MIN(node->blksz - P2PHASE(offset, node->blksz), rest);

		itx_t *itx = new_record(node->fs, TX_WRITE,
		    sizeof (lr_write_t) + (this == WR_COPIED ? n : 0), node->id, node->gen,
		    synchronous);
		lr_write_t *lr = (lr_write_t *)&itx->itx_lr;
		if (this == WR_COPIED && dmu_read_by_dnode(node->dn, offset, n,
		    (char *)lr + sizeof (lr_write_t), DMU_READ_NO_PREFETCH) != 0) {
			zil_itx_destroy(itx);
			itx = new_record(node->fs, TX_WRITE, sizeof (lr_write_t), node->id,
			    node->gen, synchronous);
			lr = (lr_write_t *)&itx->itx_lr;
			this = WR_NEED_COPY;
		}
		itx->itx_wr_state = this;
		lr->lr_foid = node->id;
		lr->lr_offset = offset;
		lr->lr_length = n;
		lr->lr_blkoff = 0;
		BP_ZERO(&lr->lr_blkptr);
		zil_itx_assign(zilog, itx, tx);
		offset += n;
		rest -= n;
	}
	if (state != WR_INDIRECT)
		dsl_pool_wrlog_count(zilog->zl_dmu_pool, length, tx->tx_txg);
}

static void
get_done(zgd_t *zgd, int error)
{
	(void) error;
	if (zgd->zgd_db != NULL)
		dmu_buf_rele(zgd->zgd_db, zgd);
	zfs_rangelock_exit(zgd->zgd_lr);
	pw_node_rele_async(zgd->zgd_private);
	kmem_free(zgd, sizeof (zgd_t));
}

/* Locks the whole block that holds *offset, whose size may change until it is locked. */
static uint64_t
lock_block(pw_node_t *node, uint64_t *offset, zgd_t *zgd)
{
	for (;;) {
		uint64_t size = node->blksz;
		uint64_t into = ISP2(size) ? P2PHASE(*offset, size) : *offset;

		*offset -= into;
		zgd->zgd_lr = zfs_rangelock_enter(&node->range_lock, *offset, size, RL_READER);
		if (node->blksz == size)
			return (size);
		zfs_rangelock_exit(zgd->zgd_lr);
		*offset += into;
	}
}

static int
get_indirect(pw_node_t *node, lr_write_t *lr, zgd_t *zgd, zio_t *zio)
{
	uint64_t offset = lr->lr_offset;
	dmu_buf_t *db;
	int error;

	(void) lock_block(node, &offset, zgd);
	if (lr->lr_offset >= node->size)
		return (ENOENT);	/* truncated since */
#if PW_ZFS >= 203
	error = dmu_buf_hold_noread(node->fs->os, node->id, offset, zgd, &db);
#else
	error = dmu_buf_hold(node->fs->os, node->id, offset, zgd, &db, DMU_READ_NO_PREFETCH);
#endif
	if (error != 0)
		return (error);
	zgd->zgd_db = db;
#if PW_ZFS >= 203
	/* A direct write is on the drives already; its block pointer is all the log needs. */
	dmu_buf_impl_t *dbi = (dmu_buf_impl_t *)db;
	mutex_enter(&dbi->db_mtx);
	dbuf_dirty_record_t *dr = dbuf_find_dirty_eq(dbi, lr->lr_common.lrc_txg);
	boolean_t written = dr != NULL && dr->dt.dl.dr_diowrite;
	if (written)
		lr->lr_blkptr = dr->dt.dl.dr_overridden_by;
	mutex_exit(&dbi->db_mtx);
	if (written)
		return (0);
#endif
	zgd->zgd_bp = &lr->lr_blkptr;
	error = dmu_sync(zio, lr->lr_common.lrc_txg, get_done, zgd);
	if (error == 0)
		return (EINPROGRESS);
	if (error == EALREADY) {
		/* The block is in an earlier record of this txg; this one only says where it ends. */
		lr->lr_common.lrc_txtype = TX_WRITE2;
		zgd->zgd_bp = NULL;
		BP_ZERO(&lr->lr_blkptr);
		error = 0;
	}
	return (error);
}

int
pw_get_data(void *arg, uint64_t gen, lr_write_t *lr, char *buf, struct lwb *lwb, zio_t *zio)
{
	pw_fs_t *fs = arg;
	pw_node_t *node;
	int error;

	if (pw_node_hold(fs, lr->lr_foid, &node) != 0)
		return (ENOENT);	/* removed since */
	if (node->unlinked || node->gen != gen) {
		pw_node_rele_async(node);
		return (ENOENT);
	}
	zgd_t *zgd = kmem_zalloc(sizeof (zgd_t), KM_SLEEP);
	zgd->zgd_lwb = lwb;
	zgd->zgd_private = node;
	if (buf != NULL) {
		zgd->zgd_lr = zfs_rangelock_enter(&node->range_lock, lr->lr_offset,
		    lr->lr_length, RL_READER);
		if (lr->lr_offset >= node->size)
			error = ENOENT;	/* truncated since */
		else
			error = dmu_read_by_dnode(node->dn, lr->lr_offset, lr->lr_length, buf,
			    DMU_READ_NO_PREFETCH);
	} else {
		error = get_indirect(node, lr, zgd, zio);
		if (error == EINPROGRESS)
			return (0);	/* get_done finishes it */
	}
	get_done(zgd, error);
	return (error);
}

/* A change of names, about the object `id`; the next commit takes it along, of whatever that is. */
static itx_t *
with_names(pw_fs_t *fs, uint64_t type, size_t size, uint64_t id, const char *name,
    const char *second, void **record)
{
	size_t n = strlen(name) + 1;
	size_t m = second == NULL ? 0 : strlen(second) + 1;
	itx_t *itx = new_record(fs, type, size + n + m, id, 0, B_TRUE);

	*record = &itx->itx_lr;
	memcpy((char *)*record + size, name, n);
	if (second != NULL)
		memcpy((char *)*record + size + n, second, m);
	return (itx);
}

void
pw_log_create(pw_node_t *dir, dmu_tx_t *tx, uint64_t id, uint64_t mode, uint64_t uid, uint64_t gid,
    uint64_t gen, uint64_t rdev, const char *name, const char *target)
{
	record_create_t *lr;
	void *record;

	if (zil_replaying(dir->fs->zilog, tx))
		return;
	uint64_t type = S_ISDIR(mode) ? TX_MKDIR : S_ISLNK(mode) ? TX_SYMLINK : TX_CREATE;
	itx_t *itx = with_names(dir->fs, type, sizeof (*lr), id, name, target, &record);
	lr = record;
	lr->dir = dir->id;
	lr->id = id;
	lr->mode = mode;
	lr->uid = uid;
	lr->gid = gid;
	lr->gen = gen;
	lr->rdev = rdev;
	pw_now(lr->crtime);
	zil_itx_assign(dir->fs->zilog, itx, tx);
}

void
pw_log_remove(pw_node_t *dir, dmu_tx_t *tx, const char *name, boolean_t directory, uint64_t id)
{
	void *record;

	if (zil_replaying(dir->fs->zilog, tx))
		return;
	itx_t *itx = with_names(dir->fs, directory ? TX_RMDIR : TX_REMOVE,
	    sizeof (record_remove_t), id, name, NULL, &record);
	((record_remove_t *)record)->dir = dir->id;
	zil_itx_assign(dir->fs->zilog, itx, tx);
}

void
pw_log_link(pw_node_t *dir, dmu_tx_t *tx, uint64_t id, const char *name)
{
	void *record;

	if (zil_replaying(dir->fs->zilog, tx))
		return;
	itx_t *itx = with_names(dir->fs, TX_LINK, sizeof (record_link_t), id, name, NULL, &record);
	((record_link_t *)record)->dir = dir->id;
	((record_link_t *)record)->id = id;
	zil_itx_assign(dir->fs->zilog, itx, tx);
}

/* zil_itx_assign lets what was written to the object `id` go before its new name. */
void
pw_log_rename(pw_node_t *from, dmu_tx_t *tx, const char *name, pw_node_t *to, const char *newname,
    uint64_t id)
{
	void *record;

	if (zil_replaying(from->fs->zilog, tx))
		return;
	itx_t *itx = with_names(from->fs, TX_RENAME, sizeof (record_rename_t), id, name, newname,
	    &record);
	((record_rename_t *)record)->from = from->id;
	((record_rename_t *)record)->to = to->id;
	zil_itx_assign(from->fs->zilog, itx, tx);
}

void
pw_log_truncate(pw_node_t *node, dmu_tx_t *tx, uint64_t offset, uint64_t length)
{
	if (zil_replaying(node->fs->zilog, tx) || node->unlinked)
		return;
	itx_t *itx = new_record(node->fs, TX_TRUNCATE, sizeof (record_truncate_t), node->id,
	    node->gen, B_FALSE);
	record_truncate_t *lr = (record_truncate_t *)&itx->itx_lr;
	lr->id = node->id;
	lr->offset = offset;
	lr->length = length;
	zil_itx_assign(node->fs->zilog, itx, tx);
}

void
pw_log_setattr(pw_node_t *node, dmu_tx_t *tx, uint32_t mask, const struct pw_attr *in)
{
	if (zil_replaying(node->fs->zilog, tx) || node->unlinked)
		return;
	itx_t *itx = new_record(node->fs, TX_SETATTR, sizeof (record_setattr_t), node->id,
	    node->gen, B_FALSE);
	record_setattr_t *lr = (record_setattr_t *)&itx->itx_lr;
	lr->id = node->id;
	lr->mask = mask;
	lr->mode = in->mode;
	lr->uid = in->uid;
	lr->gid = in->gid;
	lr->size = 0;
	for (int i = 0; i < 2; i++) {
		lr->atime[i] = in->atime[i];
		lr->mtime[i] = in->mtime[i];
	}
	zil_itx_assign(node->fs->zilog, itx, tx);
}

/* --- replay: pools move between machines of one byte order here --- */

/* Runs f on the node and counts the record; a node that is gone drops the record. */
#define	WITH_NODE(fs, id, node, f) do {					\
	pw_node_t *node;						\
	int error_ = pw_node_hold(fs, id, &node);			\
	if (error_ != 0)						\
		return (error_ == ENOENT ? 0 : error_);			\
	error_ = (f);							\
	pw_node_rele(node);						\
	(fs)->replayed++;						\
	return (error_);						\
} while (0)

static int
replay_create(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	record_create_t *lr = arg2;
	const char *name = (const char *)(lr + 1);
	const char *target = S_ISLNK(lr->mode) ? name + strlen(name) + 1 : NULL;
	uint64_t id;

	(void) byteswap;
	WITH_NODE(fs, lr->dir, dir, pw_create_claim(dir, name, lr->mode, lr->uid, lr->gid,
	    lr->rdev, target, lr->id & ((1ULL << 48) - 1), &id));
}

static int
replay_remove(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	record_remove_t *lr = arg2;

	(void) byteswap;
	WITH_NODE(fs, lr->dir, dir, pw_remove(dir, (const char *)(lr + 1),
	    lr->common.lrc_txtype == TX_RMDIR));
}

static int
replay_link(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	record_link_t *lr = arg2;
	pw_node_t *node;
	int error = pw_node_hold(fs, lr->id, &node);

	(void) byteswap;
	if (error != 0)
		return (error);
	pw_node_t *dir;
	error = pw_node_hold(fs, lr->dir, &dir);
	if (error == 0) {
		error = pw_link(node, dir, (const char *)(lr + 1));
		pw_node_rele(dir);
	}
	pw_node_rele(node);
	fs->replayed++;
	return (error);
}

static int
replay_rename(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	record_rename_t *lr = arg2;
	const char *name = (const char *)(lr + 1);
	pw_node_t *from, *to;
	int error = pw_node_hold(fs, lr->from, &from);

	(void) byteswap;
	if (error != 0)
		return (error);
	error = pw_node_hold(fs, lr->to, &to);
	if (error == 0) {
		error = pw_rename(from, name, to, name + strlen(name) + 1, 0);
		pw_node_rele(to);
	}
	pw_node_rele(from);
	fs->replayed++;
	return (error);
}

static int
replay_write_to(pw_node_t *node, lr_write_t *lr)
{
	uint64_t offset = lr->lr_offset;
	uint64_t length = lr->lr_length;
	uint64_t end = offset + length;
	struct pw_stages ignored = { 0 };
	uint64_t done;

	node->fs->replay_eof = 0;
	/* A record that points at a block brings the whole block; the end of the file stays its own. */
	if (lr->lr_common.lrc_reclen == sizeof (lr_write_t)) {
		uint64_t blksz = BP_GET_LSIZE(&lr->lr_blkptr);
		if (length < blksz) {
			offset -= offset % blksz;
			length = blksz;
		}
		if (node->size < end)
			node->fs->replay_eof = end;
		else
			node->fs->replay_eof = node->size;
	}
	int error = pw_write_at(node, offset, length, (char *)lr + sizeof (lr_write_t), 0, &done,
	    &ignored);
	node->fs->replay_eof = 0;
	return (error);
}

static int
replay_write(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	lr_write_t *lr = arg2;

	(void) byteswap;
	WITH_NODE(fs, lr->lr_foid, node, replay_write_to(node, lr));
}

static int
replay_write2(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	lr_write_t *lr = arg2;

	(void) byteswap;
	WITH_NODE(fs, lr->lr_foid, node, pw_extend(node, lr->lr_offset + lr->lr_length));
}

static int
replay_truncate(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	record_truncate_t *lr = arg2;

	(void) byteswap;
	WITH_NODE(fs, lr->id, node, pw_free_space(node, lr->offset, lr->length));
}

static int
replay_setattr(void *arg1, void *arg2, boolean_t byteswap)
{
	pw_fs_t *fs = arg1;
	record_setattr_t *lr = arg2;
	struct pw_attr in = { .mode = lr->mode, .uid = lr->uid, .gid = lr->gid };

	(void) byteswap;
	for (int i = 0; i < 2; i++) {
		in.atime[i] = lr->atime[i];
		in.mtime[i] = lr->mtime[i];
	}
	WITH_NODE(fs, lr->id, node, pw_node_setattr(node, lr->mask, &in));
}

static int
replay_unknown(void *arg1, void *arg2, boolean_t byteswap)
{
	(void) arg1, (void) arg2, (void) byteswap;
	return (ENOTSUP);
}

zil_replay_func_t *pw_replay_vector[TX_MAX_TYPE] = {
	[0 ... TX_MAX_TYPE - 1] = replay_unknown,
	[TX_CREATE] = replay_create,
	[TX_MKDIR] = replay_create,
	[TX_SYMLINK] = replay_create,
	[TX_REMOVE] = replay_remove,
	[TX_RMDIR] = replay_remove,
	[TX_LINK] = replay_link,
	[TX_RENAME] = replay_rename,
	[TX_WRITE] = replay_write,
	[TX_WRITE2] = replay_write2,
	[TX_TRUNCATE] = replay_truncate,
	[TX_SETATTR] = replay_setattr,
};
