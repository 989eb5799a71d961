/*
 * A dataset opened as a file system: the objects in use, their attributes, opening and closing.
 *
 * What is on the drives has the shape of the ZPL's version 4: a master node, directories as ZAPs of
 * name -> object | type << 60, attributes as a znode_phys_t in the bonus buffer, a queue of objects
 * without a name. So metadata costs what it costs in OpenZFS.
 */
#include "internal.h"
#include <sys/stat.h>

#include "zfs_prop.h"

#define	ROOT_NAME "ROOT"
#define	QUEUE_NAME "DELETE_QUEUE"

void
pw_now(uint64_t ts[2])
{
	timespec_t now;
	gethrestime(&now);
	ts[0] = now.tv_sec;
	ts[1] = now.tv_nsec;
}

znode_phys_t *
pw_phys(pw_node_t *node)
{
	return (node->db->db_data);
}

/* The bonus buffer may be changed in tx; its time of change is now. */
void
pw_dirty(pw_node_t *node, dmu_tx_t *tx)
{
	dmu_buf_will_dirty(node->db, tx);
	pw_now(pw_phys(node)->zp_ctime);
}

int
pw_node_new(pw_fs_t *fs, uint32_t mode, uint32_t uid, uint32_t gid, uint64_t rdev,
    uint64_t parent, uint64_t claim, dmu_tx_t *tx, uint64_t *id)
{
	objset_t *os = fs->os;
	int dnodesize = dmu_objset_dnodesize(os);
	const int bonus = sizeof (znode_phys_t);
	uint64_t obj = claim;
	dmu_buf_t *db;
	int error = 0;

	if (S_ISDIR(mode)) {
		if (claim != 0)
			error = zap_create_claim_norm_dnsize(os, claim, 0,
			    DMU_OT_DIRECTORY_CONTENTS, DMU_OT_ZNODE, bonus, dnodesize, tx);
		else
			obj = zap_create_norm_dnsize(os, 0, DMU_OT_DIRECTORY_CONTENTS,
			    DMU_OT_ZNODE, bonus, dnodesize, tx);
	} else {
		if (claim != 0)
			error = dmu_object_claim_dnsize(os, claim, DMU_OT_PLAIN_FILE_CONTENTS, 0,
			    DMU_OT_ZNODE, bonus, dnodesize, tx);
		else
			obj = dmu_object_alloc_dnsize(os, DMU_OT_PLAIN_FILE_CONTENTS, 0,
			    DMU_OT_ZNODE, bonus, dnodesize, tx);
	}
	if (error == 0)
		error = dmu_bonus_hold(os, obj, FTAG, &db);
	if (error != 0)
		return (error);
	dmu_buf_will_dirty(db, tx);
	znode_phys_t *zp = db->db_data;
	memset(zp, 0, sizeof (*zp));
	pw_now(zp->zp_crtime);
	memcpy(zp->zp_atime, zp->zp_crtime, sizeof (zp->zp_crtime));
	memcpy(zp->zp_mtime, zp->zp_crtime, sizeof (zp->zp_crtime));
	memcpy(zp->zp_ctime, zp->zp_crtime, sizeof (zp->zp_crtime));
	zp->zp_gen = dmu_tx_get_txg(tx);
	zp->zp_mode = mode;
	zp->zp_size = S_ISDIR(mode) ? 2 : 0;
	zp->zp_links = S_ISDIR(mode) ? 2 : 1;
	zp->zp_parent = parent;
	zp->zp_uid = uid;
	zp->zp_gid = gid;
	zp->zp_rdev = rdev;
	dmu_buf_rele(db, FTAG);
	*id = obj;
	return (0);
}

/* What `zfs create` leaves in a new file system. */
static int
format(pw_fs_t *fs)
{
	objset_t *os = fs->os;
	dmu_tx_t *tx = dmu_tx_create(os);
	uint64_t root;
	int error;

	/* Three ZAPs: the master node, the queue and the root directory. */
	for (int i = 0; i < 3; i++)
		dmu_tx_hold_zap(tx, DMU_NEW_OBJECT, B_TRUE, NULL);
	dmu_tx_hold_bonus(tx, DMU_NEW_OBJECT);
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	error = zap_create_claim(os, MASTER_NODE_OBJ, DMU_OT_MASTER_NODE, DMU_OT_NONE, 0, tx);
	if (error == 0) {
		uint64_t queue = zap_create(os, DMU_OT_UNLINKED_SET, DMU_OT_NONE, 0, tx);
		error = zap_add(os, MASTER_NODE_OBJ, QUEUE_NAME, 8, 1, &queue, tx);
	}
	if (error == 0)
		error = pw_node_new(fs, S_IFDIR | 0777, 0, 0, 0, 0, 0, tx, &root);
	if (error == 0)
		error = zap_add(os, MASTER_NODE_OBJ, ROOT_NAME, 8, 1, &root, tx);
	dmu_tx_commit(tx);
	return (error);
}

static int
find_roots(pw_fs_t *fs)
{
	int error = zap_lookup(fs->os, MASTER_NODE_OBJ, ROOT_NAME, 8, 1, &fs->root);
	if (error == 0)
		error = zap_lookup(fs->os, MASTER_NODE_OBJ, QUEUE_NAME, 8, 1, &fs->unlinked);
	return (error);
}

int
pw_fs_open(const char *name, pw_fs_t **out, uint64_t *replayed)
{
	pw_fs_t *fs = umem_zalloc(sizeof (*fs), UMEM_NOFAIL);
	int error = dmu_objset_own(name, DMU_OST_ZFS, B_FALSE, B_TRUE, fs, &fs->os);

	if (error != 0) {
		umem_free(fs, sizeof (*fs));
		return (error);
	}
	error = find_roots(fs);
	if (error == ENOENT) {
		error = format(fs);
		if (error == 0)
			error = find_roots(fs);
	}
	if (error != 0) {
		dmu_objset_disown(fs->os, B_TRUE, fs);
		umem_free(fs, sizeof (*fs));
		return (error);
	}
	mutex_init(&fs->nodes_lock, NULL, MUTEX_DEFAULT, NULL);
	mutex_init(&fs->rename_lock, NULL, MUTEX_DEFAULT, NULL);
	fs->nodes = umem_alloc(PW_BUCKETS * sizeof (list_t), UMEM_NOFAIL);
	for (int i = 0; i < PW_BUCKETS; i++)
		list_create(&fs->nodes[i], sizeof (pw_node_t), offsetof(pw_node_t, link));
#if PW_ZFS >= 203
	fs->zilog = zil_open(fs->os, pw_get_data, NULL);
#else
	fs->zilog = zil_open(fs->os, pw_get_data);
#endif
	fs->replaying = B_TRUE;
	zil_replay(fs->os, fs, pw_replay_vector);
	fs->replaying = B_FALSE;
	*replayed = fs->replayed;
	error = pw_drain_unlinked(fs);
	*out = fs;
	if (error != 0)
		pw_fs_close(fs);
	return (error);
}

void
pw_fs_close(pw_fs_t *fs)
{
	/* Releases in flight finish before the intent log is closed. */
	taskq_wait(system_taskq);
	zil_close(fs->zilog);
	txg_wait_synced(dmu_objset_pool(fs->os), 0);
	for (int i = 0; i < PW_BUCKETS; i++) {
		pw_node_t *node;
		while ((node = list_head(&fs->nodes[i])) != NULL) {
			node->holds = 1;
			pw_node_rele(node);
		}
		list_destroy(&fs->nodes[i]);
	}
	umem_free(fs->nodes, PW_BUCKETS * sizeof (list_t));
	dmu_objset_evict_dbufs(fs->os);
	dmu_objset_disown(fs->os, B_TRUE, fs);
	mutex_destroy(&fs->nodes_lock);
	mutex_destroy(&fs->rename_lock);
	umem_free(fs, sizeof (*fs));
}

uint64_t
pw_fs_root(pw_fs_t *fs)
{
	return (fs->root);
}

uint64_t
pw_fs_recordsize(pw_fs_t *fs)
{
	return (fs->os->os_recordsize);
}

void
pw_fs_sync(pw_fs_t *fs)
{
	if (fs->os->os_sync != ZFS_SYNC_DISABLED)
		zil_commit(fs->zilog, 0);
}

void
pw_fs_stat(pw_fs_t *fs, struct pw_statfs *out)
{
	dmu_objset_space(fs->os, &out->used, &out->available, &out->files,
	    &out->files_available);
}

static pw_node_t *
node_find(pw_fs_t *fs, uint64_t id)
{
	list_t *bucket = &fs->nodes[id % PW_BUCKETS];
	pw_node_t *node;

	ASSERT(MUTEX_HELD(&fs->nodes_lock));
	for (node = list_head(bucket); node != NULL; node = list_next(bucket, node))
		if (node->id == id)
			return (node);
	return (NULL);
}

static void
node_free(pw_node_t *node)
{
	zfs_rangelock_fini(&node->range_lock);
	mutex_destroy(&node->lock);
	mutex_destroy(&node->names);
	dmu_buf_rele(node->db, node);
	umem_free(node, sizeof (*node));
}

static int
node_load(pw_fs_t *fs, uint64_t id, pw_node_t **out)
{
	dmu_object_info_t info;
	pw_node_t *node = umem_zalloc(sizeof (*node), UMEM_NOFAIL);
	int error = dmu_bonus_hold(fs->os, id, node, &node->db);

	if (error == 0) {
		dmu_object_info_from_db(node->db, &info);
		if (info.doi_bonus_type != DMU_OT_ZNODE ||
		    info.doi_bonus_size < sizeof (znode_phys_t)) {
			dmu_buf_rele(node->db, node);
			error = EINVAL;
		}
	}
	if (error != 0) {
		umem_free(node, sizeof (*node));
		return (error);
	}
	node->fs = fs;
	node->id = id;
	node->holds = 1;
	/* The bonus hold keeps the dnode where it is. */
	node->dn = DB_DNODE((dmu_buf_impl_t *)node->db);
	mutex_init(&node->lock, NULL, MUTEX_DEFAULT, NULL);
	mutex_init(&node->names, NULL, MUTEX_DEFAULT, NULL);
	zfs_rangelock_init(&node->range_lock, pw_range_lock_cb, node);
	node->size = pw_phys(node)->zp_size;
	node->gen = pw_phys(node)->zp_gen;
	node->links = pw_phys(node)->zp_links;
	node->unlinked = node->links == 0;
	node->blksz = info.doi_data_block_size;
	*out = node;
	return (0);
}

int
pw_node_hold(pw_fs_t *fs, uint64_t id, pw_node_t **out)
{
	pw_node_t *node, *loaded;
	int error;

	mutex_enter(&fs->nodes_lock);
	node = node_find(fs, id);
	if (node != NULL)
		node->holds++;
	mutex_exit(&fs->nodes_lock);
	if (node != NULL) {
		*out = node;
		return (0);
	}
	/* Loading may wait for a drive, so it is done without the lock; the first one in wins. */
	error = node_load(fs, id, &loaded);
	if (error != 0)
		return (error);
	mutex_enter(&fs->nodes_lock);
	node = node_find(fs, id);
	if (node != NULL) {
		node->holds++;
		mutex_exit(&fs->nodes_lock);
		node_free(loaded);
	} else {
		list_insert_head(&fs->nodes[id % PW_BUCKETS], loaded);
		mutex_exit(&fs->nodes_lock);
		node = loaded;
	}
	*out = node;
	return (0);
}

/* Frees an object that has no name and no holder left. */
static int
destroy_object(pw_fs_t *fs, uint64_t id)
{
	dmu_tx_t *tx;
	int error = dmu_free_long_range(fs->os, id, 0, DMU_OBJECT_END);

	if (error != 0)
		return (error);
	tx = dmu_tx_create(fs->os);
	dmu_tx_hold_free(tx, id, 0, DMU_OBJECT_END);
	dmu_tx_hold_zap(tx, fs->unlinked, B_FALSE, NULL);
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	error = zap_remove_int(fs->os, fs->unlinked, id, tx);
	if (error == 0)
		error = dmu_object_free(fs->os, id, tx);
	dmu_tx_commit(tx);
	return (error);
}

void
pw_node_rele(pw_node_t *node)
{
	pw_fs_t *fs = node->fs;

	mutex_enter(&fs->nodes_lock);
	if (--node->holds != 0) {
		mutex_exit(&fs->nodes_lock);
		return;
	}
	list_remove(&fs->nodes[node->id % PW_BUCKETS], node);
	mutex_exit(&fs->nodes_lock);
	boolean_t destroy = node->unlinked;
	uint64_t id = node->id;
	node_free(node);
	/* An error leaves it in the queue, which the next opening drains. */
	if (destroy)
		(void) destroy_object(fs, id);
}

static void
rele_task(void *arg)
{
	pw_node_rele(arg);
}

/* For callers that hold up a transaction group, in which the last release must not wait for one. */
void
pw_node_rele_async(pw_node_t *node)
{
	pw_fs_t *fs = node->fs;

	mutex_enter(&fs->nodes_lock);
	if (node->holds > 1) {
		node->holds--;
		mutex_exit(&fs->nodes_lock);
		return;
	}
	mutex_exit(&fs->nodes_lock);
	VERIFY(taskq_dispatch(system_taskq, rele_task, node, TQ_SLEEP) != TASKQID_INVALID);
}

int
pw_drain_unlinked(pw_fs_t *fs)
{
	zap_cursor_t zc;
	zap_attribute_t *za;
	int error = 0;

#if PW_ZFS >= 203
	za = zap_attribute_alloc();
#else
	za = umem_alloc(sizeof (*za), UMEM_NOFAIL);
#endif
	for (zap_cursor_init(&zc, fs->os, fs->unlinked);
	    error == 0 && zap_cursor_retrieve(&zc, za) == 0; zap_cursor_advance(&zc))
		error = destroy_object(fs, za->za_first_integer);
	zap_cursor_fini(&zc);
#if PW_ZFS >= 203
	zap_attribute_free(za);
#else
	umem_free(za, sizeof (*za));
#endif
	return (error);
}

void
pw_node_attr(pw_node_t *node, struct pw_attr *out)
{
	uint32_t blksize;
	u_longlong_t blocks;

	mutex_enter(&node->lock);
	znode_phys_t *zp = pw_phys(node);
	out->id = node->id;
	out->size = node->size;
	out->links = node->links;
	out->generation = node->gen;
	out->rdev = zp->zp_rdev;
	out->mode = zp->zp_mode;
	out->uid = zp->zp_uid;
	out->gid = zp->zp_gid;
	for (int i = 0; i < 2; i++) {
		out->atime[i] = zp->zp_atime[i];
		out->mtime[i] = zp->zp_mtime[i];
		out->ctime[i] = zp->zp_ctime[i];
	}
	dmu_object_size_from_db(node->db, &blksize, &blocks);
	mutex_exit(&node->lock);
	out->blocks = blocks;
	out->blksize = blksize;
}

int
pw_node_setattr(pw_node_t *node, uint32_t mask, const struct pw_attr *in)
{
	dmu_tx_t *tx = dmu_tx_create(node->fs->os);
	int error;

	dmu_tx_hold_bonus(tx, node->id);
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	mutex_enter(&node->lock);
	pw_dirty(node, tx);
	znode_phys_t *zp = pw_phys(node);
	if (mask & PW_SET_MODE)
		zp->zp_mode = (zp->zp_mode & S_IFMT) | (in->mode & ~S_IFMT);
	if (mask & PW_SET_UID)
		zp->zp_uid = in->uid;
	if (mask & PW_SET_GID)
		zp->zp_gid = in->gid;
	for (int i = 0; i < 2; i++) {
		if (mask & PW_SET_ATIME)
			zp->zp_atime[i] = in->atime[i];
		if (mask & PW_SET_MTIME)
			zp->zp_mtime[i] = in->mtime[i];
	}
	pw_log_setattr(node, tx, mask, in);
	mutex_exit(&node->lock);
	dmu_tx_commit(tx);
	if (node->fs->os->os_sync == ZFS_SYNC_ALWAYS)
		zil_commit(node->fs->zilog, 0);
	return (0);
}
