/* What the shim's own files share. */
#ifndef POOLWRIGHT_INTERNAL_H
#define	POOLWRIGHT_INTERNAL_H

#include "slowed.h"
#include <sys/zfs_context.h>
#include <sys/arc.h>
#include <sys/arc_impl.h>
#include <sys/dbuf.h>
#include <sys/dmu.h>
#include <sys/dmu_objset.h>
#include <sys/dmu_tx.h>
#include <sys/dnode.h>
#include <sys/dsl_dataset.h>
#include <sys/dsl_dir.h>
#include <sys/dsl_pool.h>
#include <sys/dsl_prop.h>
#include <sys/metaslab.h>
#include <sys/metaslab_impl.h>
#include <sys/spa.h>
#include <sys/spa_impl.h>
#include <sys/txg.h>
#include <sys/vdev.h>
#include <sys/vdev_draid.h>
#include <sys/vdev_impl.h>
#include <sys/zap.h>
#include <sys/zfeature.h>
#include <sys/zfs_acl.h>
#include <sys/zfs_rlock.h>
#include <sys/zfs_sa.h>
#include <sys/zfs_znode.h>
#include <sys/zil.h>
#include <sys/zil_impl.h>
#include <sys/zio.h>

#include "shim.h"

/* PW_ZFS: 201 for the 2.1 series, 203 for 2.3; set by the build script. */
#if PW_ZFS >= 203
#define	PW_TX_WAIT	DMU_TX_WAIT
#define	PW_FLUSH_ZIO	ZIO_TYPE_FLUSH
#define	pw_range_tree_walk	zfs_range_tree_walk
typedef zfs_range_seg64_t pw_range_t;
#else
#define	PW_TX_WAIT	TXG_WAIT
#define	PW_FLUSH_ZIO	ZIO_TYPE_IOCTL
#define	pw_range_tree_walk	range_tree_walk
typedef range_seg64_t pw_range_t;
#endif

/* A dataset that is open as a file system. */
struct pw_fs {
	objset_t *os;
	zilog_t *zilog;
	uint64_t root;
	uint64_t unlinked;	/* ZAP of objects without a name that are still there */
	boolean_t replaying;
	uint64_t replay_eof;	/* of the write record being replayed; 0 for none */
	uint64_t replayed;
	kmutex_t nodes_lock;
	list_t *nodes;		/* PW_BUCKETS lists of pw_node */
	kmutex_t rename_lock;	/* one rename at a time, as in the ZPL */
};
#define	PW_BUCKETS 4096

/* An object that is in use. */
struct pw_node {
	list_node_t link;
	struct pw_fs *fs;
	uint64_t id;
	uint64_t holds;		/* under fs->nodes_lock */
	dmu_buf_t *db;		/* bonus */
	dnode_t *dn;
	kmutex_t lock;		/* attributes */
	kmutex_t names;		/* entries, of a directory */
	zfs_rangelock_t range_lock;
	uint64_t size;
	uint64_t gen;
	uint64_t links;
	uint32_t blksz;
	boolean_t unlinked;
};

/* fs.c */
znode_phys_t *pw_phys(pw_node_t *node);
void pw_node_rele_async(pw_node_t *node);
void pw_now(uint64_t ts[2]);
void pw_dirty(pw_node_t *node, dmu_tx_t *tx);
int pw_node_new(pw_fs_t *fs, uint32_t mode, uint32_t uid, uint32_t gid, uint64_t rdev,
    uint64_t parent, uint64_t claim, dmu_tx_t *tx, uint64_t *id);
int pw_drain_unlinked(pw_fs_t *fs);

/* file.c */
void pw_range_lock_cb(zfs_locked_range_t *range, void *arg);
void pw_grow_blocksize(pw_node_t *node, uint64_t size, dmu_tx_t *tx);
int pw_write_at(pw_node_t *node, uint64_t offset, uint64_t length, const void *buf,
    uint32_t flags, uint64_t *done, struct pw_stages *stages);

/* names.c, with an object number to claim while replaying (0: any) */
int pw_create_claim(pw_node_t *dir, const char *name, uint32_t mode, uint32_t uid, uint32_t gid,
    uint64_t rdev, const char *target, uint64_t claim, uint64_t *id);

/* intent.c */
zil_get_data_t pw_get_data;
extern zil_replay_func_t *pw_replay_vector[TX_MAX_TYPE];
void pw_log_write(pw_node_t *node, dmu_tx_t *tx, uint64_t offset, uint64_t length,
    boolean_t synchronous, boolean_t direct);
void pw_log_create(pw_node_t *dir, dmu_tx_t *tx, uint64_t id, uint64_t mode, uint64_t uid,
    uint64_t gid, uint64_t gen, uint64_t rdev, const char *name, const char *target);
void pw_log_remove(pw_node_t *dir, dmu_tx_t *tx, const char *name, boolean_t directory,
    uint64_t id);
void pw_log_link(pw_node_t *dir, dmu_tx_t *tx, uint64_t id, const char *name);
void pw_log_rename(pw_node_t *from, dmu_tx_t *tx, const char *name, pw_node_t *to,
    const char *newname, uint64_t id);
void pw_log_truncate(pw_node_t *node, dmu_tx_t *tx, uint64_t offset, uint64_t length);
void pw_log_setattr(pw_node_t *node, dmu_tx_t *tx, uint32_t mask, const struct pw_attr *in);

/* disk.c: intent-log I/O so far */
struct pw_log_io {
	uint64_t slog_bytes, pool_bytes;
	uint64_t writes, write_ns;
	uint64_t flushes, flush_ns;
};
void pw_log_io_read(struct pw_log_io *out);
/* What a log write and a flush of the log's drives take of late, virtual ns. */
void pw_log_io_recent(int64_t *write_ns, int64_t *flush_ns);

/* library.c: txg syncs so far */
void pw_txg_syncs(uint64_t *count, uint64_t *ns);

#endif
