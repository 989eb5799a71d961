/* Pools: made, imported, exported, changed, measured. */
#include "internal.h"
#include <fcntl.h>
#include <sys/nvpair.h>
#include <sys/fs/zfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zfs_prop.h"

static nvlist_t *
leaf(const char *path, uint32_t ashift)
{
	nvlist_t *nv = fnvlist_alloc();

	fnvlist_add_string(nv, ZPOOL_CONFIG_TYPE, VDEV_TYPE_FILE);
	fnvlist_add_string(nv, ZPOOL_CONFIG_PATH, path);
	if (ashift != 0)
		fnvlist_add_uint64(nv, ZPOOL_CONFIG_ASHIFT, ashift);
	return (nv);
}

static void
add_children(nvlist_t *nv, const char *name, nvlist_t **list, size_t n)
{
#if PW_ZFS >= 203
	fnvlist_add_nvlist_array(nv, name, (const nvlist_t * const *)list, n);
#else
	fnvlist_add_nvlist_array(nv, name, list, n);
#endif
}

/* Groups that a dRAID is divided into: the fewest for which every row is full (zpool's own rule). */
static uint64_t
draid_groups(const struct pw_vdev *v)
{
	uint64_t width = v->data + v->parity;
	uint64_t drives = v->children - v->spares;
	uint64_t groups = 1;

	while (groups * width % drives != 0)
		groups++;
	return (groups);
}

static void
mark_class(nvlist_t *nv, uint32_t class)
{
	const char *bias = class == 1 ? VDEV_ALLOC_BIAS_LOG :
	    class == 3 ? VDEV_ALLOC_BIAS_SPECIAL : class == 4 ? VDEV_ALLOC_BIAS_DEDUP : NULL;

	fnvlist_add_uint64(nv, ZPOOL_CONFIG_IS_LOG, class == 1);
	if (bias != NULL)
		fnvlist_add_string(nv, ZPOOL_CONFIG_ALLOCATION_BIAS, bias);
}

static nvlist_t *
top_level(const struct pw_vdev *v, uint32_t ashift)
{
	static const char *const types[] = { NULL, VDEV_TYPE_MIRROR, VDEV_TYPE_RAIDZ,
	    VDEV_TYPE_DRAID };
	nvlist_t *nv;

	if (v->layout == 0) {
		nv = leaf(v->paths[0], ashift);
		mark_class(nv, v->class);
		return (nv);
	}
	nvlist_t **children = umem_alloc(v->children * sizeof (nvlist_t *), UMEM_NOFAIL);
	for (uint32_t i = 0; i < v->children; i++)
		children[i] = leaf(v->paths[i], ashift);
	nv = fnvlist_alloc();
	fnvlist_add_string(nv, ZPOOL_CONFIG_TYPE, types[v->layout]);
	if (v->layout >= 2)
		fnvlist_add_uint64(nv, ZPOOL_CONFIG_NPARITY, v->parity);
	if (v->layout == 3) {
		fnvlist_add_uint64(nv, ZPOOL_CONFIG_DRAID_NDATA, v->data);
		fnvlist_add_uint64(nv, ZPOOL_CONFIG_DRAID_NSPARES, v->spares);
		fnvlist_add_uint64(nv, ZPOOL_CONFIG_DRAID_NGROUPS, draid_groups(v));
	}
	mark_class(nv, v->class);
	add_children(nv, ZPOOL_CONFIG_CHILDREN, children, v->children);
	for (uint32_t i = 0; i < v->children; i++)
		fnvlist_free(children[i]);
	umem_free(children, v->children * sizeof (nvlist_t *));
	return (nv);
}

/* The vdev tree that `zpool create` and `zpool add` hand to the kernel. */
static nvlist_t *
vdev_tree(const struct pw_vdev *vdevs, size_t count, uint32_t ashift)
{
	nvlist_t *root = fnvlist_alloc();
	nvlist_t **lists[3];	/* data and log tops; cache; spare */
	size_t n[3] = { 0, 0, 0 };
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += (vdevs[i].children + 1) * sizeof (nvlist_t *);
	for (int l = 0; l < 3; l++)
		lists[l] = umem_alloc(bytes, UMEM_NOFAIL);
	for (size_t i = 0; i < count; i++) {
		const struct pw_vdev *v = &vdevs[i];
		int l = v->class == 2 ? 1 : v->class == 5 ? 2 : 0;
		if (l == 0) {
			lists[0][n[0]++] = top_level(v, ashift);
			continue;
		}
		for (uint32_t c = 0; c < v->children; c++)
			lists[l][n[l]++] = leaf(v->paths[c], 0);
	}
	fnvlist_add_string(root, ZPOOL_CONFIG_TYPE, VDEV_TYPE_ROOT);
	add_children(root, ZPOOL_CONFIG_CHILDREN, lists[0], n[0]);
	if (n[1] != 0)
		add_children(root, ZPOOL_CONFIG_L2CACHE, lists[1], n[1]);
	if (n[2] != 0)
		add_children(root, ZPOOL_CONFIG_SPARES, lists[2], n[2]);
	for (int l = 0; l < 3; l++) {
		for (size_t i = 0; i < n[l]; i++)
			fnvlist_free(lists[l][i]);
		umem_free(lists[l], bytes);
	}
	return (root);
}

/* Cache drives and spares are not in the generated tree, and an import forgets those not named. */
static void
add_auxiliary(nvlist_t *config, spa_aux_vdev_t *aux, const char *name)
{
	nvlist_t **list;
	uint_t n;

	if (aux->sav_config == NULL ||
	    nvlist_lookup_nvlist_array(aux->sav_config, name, &list, &n) != 0 || n == 0)
		return;
	add_children(fnvlist_lookup_nvlist(config, ZPOOL_CONFIG_VDEV_TREE), name, list, n);
}

/* Keeps the configuration as a cachefile does, written whole and renamed into place. */
static int
save_config(spa_t *spa, const char *path)
{
	char temporary[4096];
	size_t size = 0;
	char *packed;
	int fd, error = 0;

	(void) snprintf(temporary, sizeof (temporary), "%s.new", path);
	nvlist_t *config = spa_config_generate(spa, NULL, -1ULL, B_FALSE);
	spa_config_enter(spa, SCL_CONFIG, FTAG, RW_READER);
	add_auxiliary(config, &spa->spa_l2cache, ZPOOL_CONFIG_L2CACHE);
	add_auxiliary(config, &spa->spa_spares, ZPOOL_CONFIG_SPARES);
	spa_config_exit(spa, SCL_CONFIG, FTAG);
	packed = fnvlist_pack(config, &size);
	fnvlist_free(config);
	fd = open(temporary, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0) {
		error = errno;
	} else {
		ssize_t put = write(fd, packed, size);
		if (put != (ssize_t)size)
			error = put < 0 ? errno : ENOSPC;
		(void) close(fd);
		if (error == 0 && rename(temporary, path) != 0)
			error = errno;
	}
	fnvlist_pack_free(packed, size);
	return (error);
}

static int
load_config(const char *path, nvlist_t **out)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return (errno);
	if (fstat(fd, &st) != 0 || st.st_size == 0) {
		(void) close(fd);
		return (EIO);
	}
	char *packed = umem_alloc(st.st_size, UMEM_NOFAIL);
	ssize_t got = read(fd, packed, st.st_size);
	(void) close(fd);
	int error = (got != st.st_size || nvlist_unpack(packed, got, out, 0) != 0) ? EIO : 0;
	umem_free(packed, st.st_size);
	return (error);
}

/* Digits and nothing behind them: "10G" is not ten bytes. */
static int
whole_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return (end == text || *end != '\0' || errno != 0 ? EINVAL : 0);
}

static int
pool_properties(spa_t *spa, const struct pw_pair *pairs, size_t n)
{
	if (n == 0)
		return (0);
	nvlist_t *props = fnvlist_alloc();
	int error = 0;
	for (size_t i = 0; i < n && error == 0; i++) {
		zpool_prop_t prop = zpool_name_to_prop(pairs[i].name);
		uint64_t number = 0;
		if (prop == ZPOOL_PROP_INVAL) {
			error = EINVAL;
		} else if (zpool_prop_get_type(prop) == PROP_TYPE_STRING) {
			fnvlist_add_string(props, pairs[i].name, pairs[i].value);
		} else {
			if (zpool_prop_get_type(prop) == PROP_TYPE_NUMBER)
				error = whole_number(pairs[i].value, &number);
			else if (zpool_prop_string_to_index(prop, pairs[i].value, &number) != 0)
				error = EINVAL;
			if (error == 0)
				fnvlist_add_uint64(props, pairs[i].name, number);
		}
	}
	if (error == 0)
		error = spa_prop_set(spa, props);
	fnvlist_free(props);
	return (error);
}

int
pw_pool_create(const char *name, uint32_t ashift, const struct pw_vdev *vdevs, size_t count,
    const struct pw_pair *properties, size_t nproperties, const char *config_path)
{
	nvlist_t *root = vdev_tree(vdevs, count, ashift);
	nvlist_t *props = fnvlist_alloc();
	char feature[128];
	spa_t *spa;
	int error;

	for (int i = 0; i < SPA_FEATURES; i++) {
		(void) snprintf(feature, sizeof (feature), "feature@%s",
		    spa_feature_table[i].fi_uname);
		fnvlist_add_uint64(props, feature, 0);
	}
	if (ashift != 0)
		fnvlist_add_uint64(props, zpool_prop_to_name(ZPOOL_PROP_ASHIFT), ashift);
	fnvlist_add_string(props, zpool_prop_to_name(ZPOOL_PROP_CACHEFILE), "none");
	error = spa_create(name, root, props, NULL, NULL);
	fnvlist_free(root);
	fnvlist_free(props);
	if (error != 0)
		return (error);
	error = spa_open(name, &spa, FTAG);
	if (error != 0)
		return (error);
	error = pool_properties(spa, properties, nproperties);
	if (error == 0)
		error = save_config(spa, config_path);
	spa_close(spa, FTAG);
	return (error);
}

int
pw_pool_import(const char *name, const char *config_path, uint32_t flags)
{
	nvlist_t *config;
	int error = load_config(config_path, &config);

	if (error != 0)
		return (error);
	nvlist_t *props = fnvlist_alloc();
	fnvlist_add_string(props, zpool_prop_to_name(ZPOOL_PROP_CACHEFILE), "none");
	error = spa_import((char *)name, config, props, (flags & 1) ? ZFS_IMPORT_MISSING_LOG : 0);
	fnvlist_free(props);
	fnvlist_free(config);
	return (error);
}

/*
 * The thread of each top-level vdev that trims by itself looks once a txg whether it shall end, and an
 * export waits for one after the other: a whole txg timeout for each, slowed by k. All are told at once
 * here, and the txgs are moved on.
 */
static void
stop_autotrim(spa_t *spa)
{
	vdev_t *root = spa->spa_root_vdev;
	boolean_t running;

	do {
		running = B_FALSE;
		spa_config_enter(spa, SCL_CONFIG, FTAG, RW_READER);
		for (uint64_t i = 0; i < root->vdev_children; i++) {
			vdev_t *vd = root->vdev_child[i];

			mutex_enter(&vd->vdev_autotrim_lock);
			vd->vdev_autotrim_exit_wanted = vd->vdev_autotrim_thread != NULL;
			running |= vd->vdev_autotrim_exit_wanted;
			mutex_exit(&vd->vdev_autotrim_lock);
		}
		spa_config_exit(spa, SCL_CONFIG, FTAG);
		if (running)
			txg_wait_synced(spa_get_dsl(spa), 0);
	} while (running);
}

int
pw_pool_export(const char *name)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	stop_autotrim(spa);
	spa_close(spa, FTAG);
	return (spa_export(name, NULL, B_TRUE, B_FALSE));
}

int
pw_pool_add(const char *name, uint32_t ashift, const struct pw_vdev *vdevs, size_t count,
    const char *config_path)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	nvlist_t *root = vdev_tree(vdevs, count, ashift);
#if PW_ZFS >= 203
	error = spa_vdev_add(spa, root, B_FALSE);
#else
	error = spa_vdev_add(spa, root);
#endif
	fnvlist_free(root);
	if (error == 0)
		error = save_config(spa, config_path);
	spa_close(spa, FTAG);
	return (error);
}

static boolean_t
holds_path(const vdev_t *vd, const char *path)
{
	if (vd->vdev_path != NULL && strcmp(vd->vdev_path, path) == 0)
		return (B_TRUE);
	for (uint64_t i = 0; i < vd->vdev_children; i++)
		if (holds_path(vd->vdev_child[i], path))
			return (B_TRUE);
	return (B_FALSE);
}

static uint64_t
guid_of(spa_t *spa, const char *path)
{
	vdev_t *vd, *rvd = spa->spa_root_vdev;

	for (uint64_t i = 0; i < rvd->vdev_children; i++)
		if (holds_path(rvd->vdev_child[i], path))
			return (rvd->vdev_child[i]->vdev_guid);
	for (int i = 0; i < spa->spa_l2cache.sav_count; i++) {
		vd = spa->spa_l2cache.sav_vdevs[i];
		if (vd->vdev_path != NULL && strcmp(vd->vdev_path, path) == 0)
			return (vd->vdev_guid);
	}
	return (0);
}

int
pw_pool_remove(const char *name, const char *path, const char *config_path)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	spa_config_enter(spa, SCL_VDEV, FTAG, RW_READER);
	uint64_t guid = guid_of(spa, path);
	spa_config_exit(spa, SCL_VDEV, FTAG);
	error = guid == 0 ? ENODEV : spa_vdev_remove(spa, guid, B_FALSE);
	if (error == 0) {
		txg_wait_synced(spa_get_dsl(spa), 0);
		error = save_config(spa, config_path);
	}
	spa_close(spa, FTAG);
	return (error);
}

int
pw_pool_drain(const char *name)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	/* Frees of the first sync are written by the second. */
	txg_wait_synced(spa_get_dsl(spa), 0);
	txg_wait_synced(spa_get_dsl(spa), 0);
	spa_close(spa, FTAG);
	return (0);
}

int
pw_pool_scrub(const char *name)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	error = spa_scan(spa, POOL_SCAN_SCRUB);
	spa_close(spa, FTAG);
	return (error);
}

int
pw_pool_space(const char *name, struct pw_space *out)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	memset(out, 0, sizeof (*out));
	metaslab_class_t *normal = spa_normal_class(spa);
	out->size = metaslab_class_get_space(normal);
	out->allocated = metaslab_class_get_alloc(normal);
	out->dspace = spa_get_dspace(spa);
	out->slop = spa_get_slop_space(spa);
	out->log_size = metaslab_class_get_space(spa_log_class(spa));
	out->embedded_log_size = metaslab_class_get_space(spa_embedded_log_class(spa));
	out->special_size = metaslab_class_get_space(spa_special_class(spa));
	spa_config_enter(spa, SCL_VDEV, FTAG, RW_READER);
	vdev_t *rvd = spa->spa_root_vdev;
	out->health = rvd->vdev_state;
	for (uint64_t i = rvd->vdev_children; i-- > 0; ) {
		vdev_t *vd = rvd->vdev_child[i];
		if (vd->vdev_islog) {
			out->log_metaslabs = vd->vdev_ms_count;
		} else if (vd->vdev_mg != NULL && vd->vdev_mg->mg_class == normal) {
			out->metaslabs = vd->vdev_ms_count;
			out->metaslab_size = 1ULL << vd->vdev_ms_shift;
		}
	}
	spa_config_exit(spa, SCL_VDEV, FTAG);
	dsl_pool_t *dp = spa_get_dsl(spa);
	dsl_pool_config_enter(dp, FTAG);
	out->available = dsl_dir_space_available(dp->dp_root_dir, NULL, 0, B_FALSE);
	dsl_pool_config_exit(dp, FTAG);
	spa_close(spa, FTAG);
	return (0);
}

int
pw_pool_asize(const char *name, uint64_t psize, uint64_t *asize)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	spa_config_enter(spa, SCL_VDEV, FTAG, RW_READER);
	vdev_t *rvd = spa->spa_root_vdev;
	error = ENODEV;
	for (uint64_t i = 0; i < rvd->vdev_children && error != 0; i++) {
		vdev_t *vd = rvd->vdev_child[i];
		if (vd->vdev_islog || vd->vdev_mg == NULL)
			continue;
		*asize = vdev_psize_to_asize(vd, psize);
		error = 0;
	}
	spa_config_exit(spa, SCL_VDEV, FTAG);
	spa_close(spa, FTAG);
	return (error);
}

static void
lost_of(vdev_t *vd, pw_lost_fn *fn, void *arg)
{
	for (uint64_t i = 0; i < vd->vdev_children; i++)
		lost_of(vd->vdev_child[i], fn, arg);
	if (!vd->vdev_ops->vdev_op_leaf || vd->vdev_path == NULL)
		return;
	if (vd->vdev_cant_read || vd->vdev_cant_write || vd->vdev_state < VDEV_STATE_DEGRADED)
		fn(arg, vd->vdev_path, vd->vdev_top->vdev_islog);
}

int
pw_pool_handle(const char *name, void **pool)
{
	spa_t *spa;
	int error = spa_open(name, &spa, FTAG);

	if (error != 0)
		return (error);
	spa_close(spa, FTAG);
	*pool = spa;
	return (0);
}

int
pw_pool_lost_drives(void *pool, pw_lost_fn *fn, void *arg)
{
	spa_t *spa = pool;

	/* A pool whose drives are gone may keep the lock for good: this one never waits. */
	if (!spa_config_tryenter(spa, SCL_VDEV, FTAG, RW_READER))
		return (EAGAIN);
	lost_of(spa->spa_root_vdev, fn, arg);
	spa_config_exit(spa, SCL_VDEV, FTAG);
	return (0);
}

int
pw_dataset_create(const char *name)
{
	return (dmu_objset_create(name, DMU_OST_ZFS, 0, NULL, NULL, NULL));
}

int
pw_dataset_set(const char *name, const char *property, const char *value)
{
	zfs_prop_t prop = zfs_name_to_prop(property);
	uint64_t number;

	if (prop == ZPROP_INVAL)
		return (ENOENT);
	switch (zfs_prop_get_type(prop)) {
	case PROP_TYPE_STRING:
		return (dsl_prop_set_string(name, property, ZPROP_SRC_LOCAL, value));
	case PROP_TYPE_NUMBER:
		number = strtoull(value, NULL, 10);
		break;
	default:
		if (zfs_prop_string_to_index(prop, value, &number) != 0)
			return (EINVAL);
	}
	return (dsl_prop_set_int(name, property, ZPROP_SRC_LOCAL, number));
}
