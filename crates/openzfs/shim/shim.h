/*
 * The narrow C interface between libzpool and Rust.
 *
 * Everything here takes and returns plain integers, byte buffers and opaque pointers, so that the
 * Rust side needs to know no structure of OpenZFS. Functions that can fail return 0 or a positive
 * errno. Times are virtual nanoseconds unless they say otherwise.
 */
#ifndef POOLWRIGHT_SHIM_H
#define	POOLWRIGHT_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* --- clock.c: one slowed clock for everything in libzpool --- */

/* From now on virtual time is `origin + (CLOCK_MONOTONIC - origin) / k`; origin in monotonic ns. */
void pw_clock_start(int64_t origin, double k);
/* Virtual nanoseconds since the origin. */
int64_t pw_clock_now(void);

/* --- disk.c: leaf vdevs served by Rust --- */

enum pw_op { PW_READ = 0, PW_WRITE = 1, PW_FLUSH = 2, PW_TRIM = 3 };

struct pw_geometry {
	uint64_t size;		/* bytes */
	uint32_t logical;	/* logical sector, bytes */
	uint32_t physical;	/* physical sector, bytes */
	uint32_t rotational;	/* 0 or 1 */
};

/* One I/O on its way through a disk; owned by the disk until pw_io_done. */
struct pw_io {
	uint32_t op;		/* enum pw_op */
	uint32_t priority;	/* zio_priority_t, for the record */
	uint64_t offset;
	uint64_t length;
	void *buf;		/* length bytes; NULL for flush and trim */
	void *zio;
	int64_t started;
	uint32_t log;		/* 1: an intent-log block or a flush */
};

struct pw_disk_ops {
	/* Finds the disk of this path; returns its number or -1, and fills the geometry. */
	int (*open)(const char *path, struct pw_geometry *geometry);
	/* Takes the I/O; must lead to exactly one pw_io_done, from any thread. */
	void (*submit)(int disk, struct pw_io *io);
	/* The range was freed and may be allocated from now on: nobody reads what it holds. */
	void (*forget)(int disk, uint64_t offset, uint64_t length);
};

void pw_disk_register(const struct pw_disk_ops *ops);
/* error is 0 or a positive errno. */
void pw_io_done(struct pw_io *io, int error);

/* --- library.c --- */

/*
 * memory (bytes) and processors are the modelled host's: the library sizes its caches by the one and
 * its thread pools by the other. Tunables that size things are set before this.
 */
void pw_init(uint64_t memory, uint32_t processors);
void pw_fini(void);
const char *pw_version(void);
int pw_is_debug(void);
/* The L2ARC's feed comes after this share of its intervals. */
void pw_feed_pace(double share);

/* --- pool.c --- */

struct pw_vdev {
	uint32_t class;		/* 0 normal, 1 log, 2 cache, 3 special, 4 dedup, 5 spare */
	uint32_t layout;	/* 0 single, 1 mirror, 2 raidz, 3 draid */
	uint32_t parity;
	uint32_t data;		/* draid data drives of a group */
	uint32_t spares;	/* draid distributed spares */
	uint32_t children;
	const char *const *paths;
};

struct pw_pair {
	const char *name;
	const char *value;
};

/* ashift 0: OpenZFS chooses. config_path receives the packed pool config after creation. */
int pw_pool_create(const char *name, uint32_t ashift, const struct pw_vdev *vdevs, size_t count,
    const struct pw_pair *properties, size_t nproperties, const char *config_path);
/* flags: 1 missing log allowed. */
int pw_pool_import(const char *name, const char *config_path, uint32_t flags);
int pw_pool_export(const char *name);
int pw_pool_add(const char *name, uint32_t ashift, const struct pw_vdev *vdevs, size_t count,
    const char *config_path);
/* Removes the top-level or cache vdev that holds this path. */
int pw_pool_remove(const char *name, const char *path, const char *config_path);
/* Waits until everything dirty is on the drives. */
int pw_pool_drain(const char *name);
int pw_pool_scrub(const char *name);

struct pw_space {
	uint64_t size;		/* normal class, bytes, with parity */
	uint64_t allocated;
	uint64_t dspace;	/* deflated pool space, the special class left out */
	uint64_t slop;
	uint64_t log_size;	/* log class */
	uint64_t embedded_log_size;
	uint64_t special_size;
	uint64_t available;	/* what the root dataset calls available */
	uint64_t metaslabs;	/* of the first normal top-level vdev */
	uint64_t metaslab_size;
	uint64_t log_metaslabs;	/* of the first log vdev; 0 without one */
	uint64_t health;	/* vdev_state_t of the root */
};
int pw_pool_space(const char *name, struct pw_space *out);
/* Bytes allocated for a block of psize on the first normal top-level vdev. */
int pw_pool_asize(const char *name, uint64_t psize, uint64_t *asize);

/*
 * An imported pool, to be looked at without asking for it by name: that takes spa_namespace_lock, which
 * a change of configuration holds while it waits for transaction groups. Valid until the export.
 */
int pw_pool_handle(const char *name, void **pool);
/* Calls fn for each drive that the pool cannot use any more; EAGAIN while its shape changes. */
typedef void pw_lost_fn(void *arg, const char *path, int log);
int pw_pool_lost_drives(void *pool, pw_lost_fn *fn, void *arg);

int pw_dataset_create(const char *name);
int pw_dataset_set(const char *name, const char *property, const char *value);

/* --- fs.c: a dataset as a file system --- */

typedef struct pw_fs pw_fs_t;
typedef struct pw_node pw_node_t;

int pw_fs_open(const char *name, pw_fs_t **out, uint64_t *replayed);
void pw_fs_close(pw_fs_t *fs);
uint64_t pw_fs_root(pw_fs_t *fs);
uint64_t pw_fs_recordsize(pw_fs_t *fs);
void pw_fs_sync(pw_fs_t *fs);

struct pw_statfs {
	uint64_t used, available, files, files_available;
};
void pw_fs_stat(pw_fs_t *fs, struct pw_statfs *out);

struct pw_attr {
	uint64_t id, size, blocks, links, generation, rdev;
	uint32_t mode, uid, gid, blksize;
	int64_t atime[2], mtime[2], ctime[2];	/* seconds, nanoseconds */
};

int pw_node_hold(pw_fs_t *fs, uint64_t id, pw_node_t **out);
void pw_node_rele(pw_node_t *node);
void pw_node_attr(pw_node_t *node, struct pw_attr *out);

enum pw_set { PW_SET_MODE = 1, PW_SET_UID = 2, PW_SET_GID = 4, PW_SET_ATIME = 8, PW_SET_MTIME = 16 };
int pw_node_setattr(pw_node_t *node, uint32_t mask, const struct pw_attr *in);

/* Virtual ns that an operation spent in each stage of its blocking path. */
struct pw_stages {
	int64_t range_lock;	/* waiting for another writer of the same range */
	int64_t throttle;	/* dmu_tx_assign: write throttle, txg waits */
	int64_t record_read;	/* reading a record to change part of it, or to answer a read */
	int64_t commit;		/* zil_commit */
	uint64_t commits;	/* 1 when a commit was waited for */
	int64_t log_write;	/* of the commit: writing log blocks, as they take of late */
	int64_t log_flush;	/* of the commit: flushing the log's drives, as it takes of late */
};

enum pw_ioflag { PW_IO_SYNC = 1, PW_IO_APPEND = 2, PW_IO_DIRECT = 4 };

int pw_read(pw_node_t *node, uint64_t offset, uint64_t length, void *buf, uint32_t flags,
    uint64_t *done, struct pw_stages *stages);
int pw_write(pw_node_t *node, uint64_t offset, uint64_t length, const void *buf, uint32_t flags,
    uint64_t *done, struct pw_stages *stages);
int pw_fsync(pw_node_t *node, struct pw_stages *stages);
/* length 0: to the end; hole 1: keep the size. As zfs_freesp. */
int pw_free_space(pw_node_t *node, uint64_t offset, uint64_t length);
int pw_extend(pw_node_t *node, uint64_t size);
/* Next data (hole 0) or hole (hole 1) at or after *offset. */
int pw_seek(pw_node_t *node, int hole, uint64_t *offset);

/* --- names.c --- */

int pw_lookup(pw_node_t *dir, const char *name, uint64_t *id);
/*
 * kind by S_IFMT of mode; target for symbolic links. A directory with the set-group-ID bit gives its
 * own group instead of gid.
 */
int pw_create(pw_node_t *dir, const char *name, uint32_t mode, uint32_t uid, uint32_t gid,
    uint64_t rdev, const char *target, uint64_t *id);
int pw_remove(pw_node_t *dir, const char *name, int directory);
int pw_rename(pw_node_t *from, const char *name, pw_node_t *to, const char *newname,
    uint32_t flags);
int pw_link(pw_node_t *node, pw_node_t *dir, const char *name);
int pw_readlink(pw_node_t *node, char *buf, size_t size, size_t *length);
/* Called for each entry from cookie on (0 at first); stops when it returns nonzero. */
typedef int pw_entry_fn(void *arg, const char *name, uint64_t id, uint32_t type, uint64_t next);
int pw_readdir(pw_node_t *dir, uint64_t cookie, pw_entry_fn *fn, void *arg);

/* --- counters.c --- */

size_t pw_counter_count(void);
const char *pw_counter_name(size_t i);
int pw_counter_is_level(size_t i);
/* pool is a handle, or NULL: its counters are 0 then. */
void pw_counters(void *pool, uint64_t *out);

/* --- tunables (generated at build time from the library's own symbols) --- */

/* 0, or ENOENT when this version has no such symbol, or ERANGE. */
int pw_tunable_set(const char *name, int64_t value);
int pw_tunable_get(const char *name, int64_t *value);

#endif
