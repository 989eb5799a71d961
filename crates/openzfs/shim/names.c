/* Directories: names and what they stand for. */
#include "internal.h"
#include <sys/stat.h>

/* A directory entry holds the object and, in its top four bits, the file type. */
#define	ENTRY(id, mode) ((id) | ((uint64_t)IFTODT(mode) << 60))
#define	ENTRY_ID(entry) ((entry) & ((1ULL << 48) - 1))
#define	ENTRY_TYPE(entry) ((uint32_t)((entry) >> 60))

static int
find(pw_node_t *dir, const char *name, uint64_t *entry)
{
	if (!S_ISDIR(pw_phys(dir)->zp_mode))
		return (ENOTDIR);
	return (zap_lookup(dir->fs->os, dir->id, name, 8, 1, entry));
}

int
pw_lookup(pw_node_t *dir, const char *name, uint64_t *id)
{
	uint64_t entry;
	int error = find(dir, name, &entry);

	if (error == 0)
		*id = ENTRY_ID(entry);
	return (error);
}

/* The directory gained or lost `entries` names and `links` sub-directories. */
static void
touch(pw_node_t *dir, int entries, int links, dmu_tx_t *tx)
{
	mutex_enter(&dir->lock);
	pw_dirty(dir, tx);
	znode_phys_t *zp = pw_phys(dir);
	memcpy(zp->zp_mtime, zp->zp_ctime, sizeof (zp->zp_mtime));
	dir->size += entries;
	dir->links += links;
	zp->zp_size = dir->size;
	zp->zp_links = dir->links;
	mutex_exit(&dir->lock);
}

/* With sync=always a change of names is on stable storage before it is answered. */
static void
settle(pw_fs_t *fs)
{
	if (!fs->replaying && fs->os->os_sync == ZFS_SYNC_ALWAYS)
		zil_commit(fs->zilog, 0);
}

static int
create_locked(pw_node_t *dir, const char *name, uint32_t mode, uint32_t uid, uint32_t gid,
    uint64_t rdev, const char *target, uint64_t claim, uint64_t *id)
{
	pw_fs_t *fs = dir->fs;
	size_t length = target == NULL ? 0 : strlen(target);
	uint64_t entry;
	int error = find(dir, name, &entry);

	if (error == 0)
		return (EEXIST);
	if (error != ENOENT)
		return (error);
	dmu_tx_t *tx = dmu_tx_create(fs->os);
	dmu_tx_hold_zap(tx, dir->id, B_TRUE, name);
	dmu_tx_hold_bonus(tx, dir->id);
	dmu_tx_hold_bonus(tx, DMU_NEW_OBJECT);
	if (S_ISDIR(mode))
		dmu_tx_hold_zap(tx, DMU_NEW_OBJECT, B_FALSE, NULL);
	if (length != 0)
		dmu_tx_hold_write(tx, DMU_NEW_OBJECT, 0, length);
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	error = pw_node_new(fs, mode, uid, gid, rdev, dir->id, claim, tx, id);
	if (error == 0 && length != 0) {
		dmu_buf_t *db;
		dmu_write(fs->os, *id, 0, length, target, tx);
		VERIFY0(dmu_bonus_hold(fs->os, *id, FTAG, &db));
		dmu_buf_will_dirty(db, tx);
		((znode_phys_t *)db->db_data)->zp_size = length;
		dmu_buf_rele(db, FTAG);
	}
	if (error == 0) {
		entry = ENTRY(*id, mode);
		error = zap_add(fs->os, dir->id, name, 8, 1, &entry, tx);
	}
	if (error == 0) {
		touch(dir, 1, S_ISDIR(mode) ? 1 : 0, tx);
		pw_log_create(dir, tx, *id, mode, uid, gid, dmu_tx_get_txg(tx), rdev, name,
		    target);
	}
	dmu_tx_commit(tx);
	return (error);
}

int
pw_create_claim(pw_node_t *dir, const char *name, uint32_t mode, uint32_t uid, uint32_t gid,
    uint64_t rdev, const char *target, uint64_t claim, uint64_t *id)
{
	mutex_enter(&dir->names);
	int error = dir->unlinked ? ENOENT :
	    create_locked(dir, name, mode, uid, gid, rdev, target, claim, id);
	mutex_exit(&dir->names);
	return (error);
}

int
pw_create(pw_node_t *dir, const char *name, uint32_t mode, uint32_t uid, uint32_t gid,
    uint64_t rdev, const char *target, uint64_t *id)
{
	/*
	 * A directory with the set-group-ID bit hands down its group, and to directories the bit: FUSE
	 * leaves that to us. Not in replay, whose records hold what came of it.
	 */
	mutex_enter(&dir->lock);
	znode_phys_t *zp = pw_phys(dir);
	if (S_ISDIR(zp->zp_mode) && (zp->zp_mode & S_ISGID) != 0) {
		gid = zp->zp_gid;
		if (S_ISDIR(mode))
			mode |= S_ISGID;
	}
	mutex_exit(&dir->lock);
	int error = pw_create_claim(dir, name, mode, uid, gid, rdev, target, 0, id);

	if (error == 0)
		settle(dir->fs);
	return (error);
}

static int
is_empty(pw_node_t *dir)
{
	uint64_t count;
	int error = zap_count(dir->fs->os, dir->id, &count);

	if (error == 0 && count != 0)
		error = ENOTEMPTY;
	return (error);
}

/* The node lost a name; the last one puts it into the queue of nameless objects. */
static int
drop_name(pw_node_t *node, dmu_tx_t *tx)
{
	boolean_t directory = S_ISDIR(pw_phys(node)->zp_mode);
	int error = 0;

	mutex_enter(&node->lock);
	pw_dirty(node, tx);
	node->links = directory ? 0 : node->links - 1;
	pw_phys(node)->zp_links = node->links;
	if (node->links == 0) {
		node->unlinked = B_TRUE;
		error = zap_add_int(node->fs->os, node->fs->unlinked, node->id, tx);
	}
	mutex_exit(&node->lock);
	return (error);
}

static int
remove_locked(pw_node_t *dir, const char *name, boolean_t directory, pw_node_t *node)
{
	pw_fs_t *fs = dir->fs;
	int error;

	if (S_ISDIR(pw_phys(node)->zp_mode) != (directory != 0))
		return (directory ? ENOTDIR : EISDIR);
	if (directory && (error = is_empty(node)) != 0)
		return (error);
	dmu_tx_t *tx = dmu_tx_create(fs->os);
	dmu_tx_hold_zap(tx, dir->id, B_FALSE, name);
	dmu_tx_hold_bonus(tx, dir->id);
	dmu_tx_hold_bonus(tx, node->id);
	dmu_tx_hold_zap(tx, fs->unlinked, B_TRUE, NULL);
	/* Space is given back: allowed into the reserve, so that a full pool can be emptied. */
	dmu_tx_mark_netfree(tx);
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	error = zap_remove(fs->os, dir->id, name, tx);
	if (error == 0)
		error = drop_name(node, tx);
	if (error == 0) {
		touch(dir, -1, directory ? -1 : 0, tx);
		if (node->unlinked && !directory)
			zil_remove_async(fs->zilog, node->id);
		pw_log_remove(dir, tx, name, directory, node->id);
	}
	dmu_tx_commit(tx);
	return (error);
}

int
pw_remove(pw_node_t *dir, const char *name, int directory)
{
	pw_fs_t *fs = dir->fs;
	pw_node_t *node;
	uint64_t entry;

	mutex_enter(&dir->names);
	int error = find(dir, name, &entry);
	if (error == 0)
		error = pw_node_hold(fs, ENTRY_ID(entry), &node);
	if (error != 0) {
		mutex_exit(&dir->names);
		return (error);
	}
	/* A directory that is about to go takes no new names. */
	if (directory && node != dir)
		mutex_enter(&node->names);
	error = remove_locked(dir, name, directory != 0, node);
	if (directory && node != dir)
		mutex_exit(&node->names);
	mutex_exit(&dir->names);
	pw_node_rele(node);
	if (error == 0)
		settle(fs);
	return (error);
}

static int
rename_locked(pw_node_t *from, const char *name, pw_node_t *to, const char *newname,
    uint64_t entry, pw_node_t *node, pw_node_t *victim)
{
	pw_fs_t *fs = from->fs;
	boolean_t directory = S_ISDIR(pw_phys(node)->zp_mode);
	int error;

	if (victim != NULL) {
		boolean_t onto = S_ISDIR(pw_phys(victim)->zp_mode);
		if (directory != onto)
			return (onto ? EISDIR : ENOTDIR);
		if (onto && (error = is_empty(victim)) != 0)
			return (error);
	}
	dmu_tx_t *tx = dmu_tx_create(fs->os);
	dmu_tx_hold_zap(tx, from->id, B_FALSE, name);
	dmu_tx_hold_zap(tx, to->id, B_TRUE, newname);
	dmu_tx_hold_bonus(tx, from->id);
	if (to != from)
		dmu_tx_hold_bonus(tx, to->id);
	dmu_tx_hold_bonus(tx, node->id);
	if (victim != NULL) {
		dmu_tx_hold_bonus(tx, victim->id);
		dmu_tx_hold_zap(tx, fs->unlinked, B_TRUE, NULL);
	}
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
		return (error);
	}
	error = zap_remove(fs->os, from->id, name, tx);
	if (error == 0)
		error = zap_update(fs->os, to->id, newname, 8, 1, &entry, tx);
	if (error == 0 && victim != NULL)
		error = drop_name(victim, tx);
	if (error == 0) {
		touch(from, -1, directory ? -1 : 0, tx);
		touch(to, victim == NULL ? 1 : 0, directory && victim == NULL ? 1 : 0, tx);
		mutex_enter(&node->lock);
		pw_dirty(node, tx);
		pw_phys(node)->zp_parent = to->id;
		mutex_exit(&node->lock);
		pw_log_rename(from, tx, name, to, newname, node->id);
	}
	dmu_tx_commit(tx);
	return (error);
}

int
pw_rename(pw_node_t *from, const char *name, pw_node_t *to, const char *newname, uint32_t flags)
{
	pw_fs_t *fs = from->fs;
	pw_node_t *node = NULL, *victim = NULL;
	uint64_t entry, old;

	if (flags & ~1U)	/* RENAME_NOREPLACE is all that the ZPL of these versions knows */
		return (EINVAL);
	mutex_enter(&fs->rename_lock);
	pw_node_t *first = from->id <= to->id ? from : to;
	pw_node_t *second = first == from ? to : from;
	mutex_enter(&first->names);
	if (second != first)
		mutex_enter(&second->names);
	int error = to->unlinked ? ENOENT : find(from, name, &entry);
	if (error == 0)
		error = pw_node_hold(fs, ENTRY_ID(entry), &node);
	if (error == 0) {
		error = find(to, newname, &old);
		if (error == 0)
			error = (flags & 1) ? EEXIST : pw_node_hold(fs, ENTRY_ID(old), &victim);
		else if (error == ENOENT)
			error = 0;
	}
	/* Two names of one file: nothing to do (rename(2)). */
	if (error == 0 && victim != node)
		error = rename_locked(from, name, to, newname, entry, node, victim);
	if (second != first)
		mutex_exit(&second->names);
	mutex_exit(&first->names);
	mutex_exit(&fs->rename_lock);
	if (victim != NULL)
		pw_node_rele(victim);
	if (node != NULL)
		pw_node_rele(node);
	if (error == 0)
		settle(fs);
	return (error);
}

int
pw_link(pw_node_t *node, pw_node_t *dir, const char *name)
{
	pw_fs_t *fs = dir->fs;
	uint64_t entry;

	mutex_enter(&dir->names);
	int error = find(dir, name, &entry);
	if (error == 0)
		error = EEXIST;
	else if (error == ENOENT)
		error = node->unlinked || dir->unlinked ? ENOENT : 0;
	if (error != 0) {
		mutex_exit(&dir->names);
		return (error);
	}
	dmu_tx_t *tx = dmu_tx_create(fs->os);
	dmu_tx_hold_zap(tx, dir->id, B_TRUE, name);
	dmu_tx_hold_bonus(tx, dir->id);
	dmu_tx_hold_bonus(tx, node->id);
	error = dmu_tx_assign(tx, PW_TX_WAIT);
	if (error != 0) {
		dmu_tx_abort(tx);
	} else {
		entry = ENTRY(node->id, pw_phys(node)->zp_mode);
		error = zap_add(fs->os, dir->id, name, 8, 1, &entry, tx);
		if (error == 0) {
			mutex_enter(&node->lock);
			pw_dirty(node, tx);
			node->links++;
			pw_phys(node)->zp_links = node->links;
			mutex_exit(&node->lock);
			touch(dir, 1, 0, tx);
			pw_log_link(dir, tx, node->id, name);
		}
		dmu_tx_commit(tx);
	}
	mutex_exit(&dir->names);
	if (error == 0)
		settle(fs);
	return (error);
}

int
pw_readlink(pw_node_t *node, char *buf, size_t size, size_t *length)
{
	*length = MIN(size, node->size);
	return (dmu_read_by_dnode(node->dn, 0, *length, buf, DMU_READ_NO_PREFETCH));
}

int
pw_readdir(pw_node_t *dir, uint64_t cookie, pw_entry_fn *fn, void *arg)
{
	zap_cursor_t zc;
	zap_attribute_t *za;
	int error;

	if (!S_ISDIR(pw_phys(dir)->zp_mode))
		return (ENOTDIR);
#if PW_ZFS >= 203
	za = zap_attribute_alloc();
#else
	za = umem_alloc(sizeof (*za), UMEM_NOFAIL);
#endif
	zap_cursor_init_serialized(&zc, dir->fs->os, dir->id, cookie);
	while ((error = zap_cursor_retrieve(&zc, za)) == 0) {
		uint64_t entry = za->za_first_integer;
		zap_cursor_advance(&zc);
		if (fn(arg, za->za_name, ENTRY_ID(entry), ENTRY_TYPE(entry),
		    zap_cursor_serialize(&zc)) != 0)
			break;
	}
	zap_cursor_fini(&zc);
#if PW_ZFS >= 203
	zap_attribute_free(za);
#else
	umem_free(za, sizeof (*za));
#endif
	return (error == ENOENT ? 0 : error);
}
