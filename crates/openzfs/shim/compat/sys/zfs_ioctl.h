/*
 * Debian's development package leaves out sys/zfs_ioctl.h, which dmu_objset.h includes. These are
 * the only names of it that the headers we use mention, all of them through pointers.
 */
#ifndef POOLWRIGHT_ZFS_IOCTL_H
#define	POOLWRIGHT_ZFS_IOCTL_H
typedef struct zfs_cmd zfs_cmd_t;
typedef struct dmu_replay_record dmu_replay_record_t;
typedef struct zinject_record zinject_record_t;
#endif
