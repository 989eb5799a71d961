// SPDX-License-Identifier: GPL-2.0
/*
 * Block devices over timing models. A request completes at exactly the virtual
 * time that its drive's model says. Written data is taken at submission, read
 * data is given at completion.
 */
#include <linux/blk-mq.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/time-internal.h>
#include <asm/processor-charge.h>
#include "drives.h"

/* Zpool partitions a whole disk whose name it knows (hd, sd, vd, nvme), and waits for udev. */
#define NAME_PREFIX "pw-"
#define FAILED (1ULL << 63)
#define BATCH 64

struct drive_device {
	unsigned int drive;
	spinlock_t lock;
	struct time_travel_event event;
	struct blk_mq_tag_set tags;
	struct gendisk *disk;
};

/* Arms the event for the drive's next completion; the lock is held. */
static void arm(struct drive_device *device)
{
	unsigned long long next = pw_next(device->drive);
	unsigned long long now = time_travel_now();

	if (device->event.pending) {
		if (device->event.time <= next)
			return;
		time_travel_del_event(&device->event);
	}
	if (next != ~0ULL)
		time_travel_add_event_rel(&device->event,
					  next > now ? next - now : 0);
}

static void copy_out(struct drive_device *device, struct request *rq)
{
	unsigned long long offset = (unsigned long long)blk_rq_pos(rq) << 9;
	struct req_iterator iter;
	struct bio_vec part;

	rq_for_each_segment(part, rq, iter) {
		pw_read(device->drive, offset, bvec_virt(&part), part.bv_len);
		offset += part.bv_len;
	}
}

static void copy_in(struct drive_device *device, struct request *rq)
{
	unsigned long long offset = (unsigned long long)blk_rq_pos(rq) << 9;
	struct req_iterator iter;
	struct bio_vec part;

	pw_begin_write(device->drive, time_travel_now(), offset, blk_rq_bytes(rq));
	rq_for_each_segment(part, rq, iter) {
		pw_write(device->drive, offset, bvec_virt(&part), part.bv_len);
		offset += part.bv_len;
	}
}

/* In interrupt context, at the time of a completion. */
static void complete_due(struct time_travel_event *event)
{
	struct drive_device *device =
		container_of(event, struct drive_device, event);
	unsigned long long tags[BATCH];
	unsigned int n, i;

	um_charge_interrupt();
	do {
		spin_lock(&device->lock);
		n = pw_advance(device->drive, time_travel_now(), tags, BATCH);
		spin_unlock(&device->lock);
		for (i = 0; i < n; i++) {
			struct request *rq = blk_mq_tag_to_rq(
				device->tags.tags[0], tags[i] & ~FAILED);
			blk_status_t status = tags[i] & FAILED ? BLK_STS_IOERR :
								 BLK_STS_OK;

			if (req_op(rq) == REQ_OP_READ && status == BLK_STS_OK)
				copy_out(device, rq);
			blk_mq_end_request(rq, status);
		}
	} while (n == BATCH);
	spin_lock(&device->lock);
	arm(device);
	spin_unlock(&device->lock);
}

static blk_status_t queue_request(struct blk_mq_hw_ctx *context,
				  const struct blk_mq_queue_data *data)
{
	struct drive_device *device = context->queue->queuedata;
	struct request *rq = data->rq;
	unsigned long flags;
	int op;

	switch (req_op(rq)) {
	case REQ_OP_READ:
		op = PW_READ;
		break;
	case REQ_OP_WRITE:
		op = rq->cmd_flags & REQ_FUA ? PW_WRITE_FUA : PW_WRITE;
		break;
	case REQ_OP_FLUSH:
		op = PW_FLUSH;
		break;
	case REQ_OP_DISCARD:
		op = PW_DISCARD;
		break;
	default:
		return BLK_STS_NOTSUPP;
	}
	um_charge_request();
	blk_mq_start_request(rq);
	spin_lock_irqsave(&device->lock, flags);
	if (req_op(rq) == REQ_OP_WRITE)
		copy_in(device, rq);
	pw_submit(device->drive, time_travel_now(), rq->tag, op,
		  op == PW_FLUSH ? 0 : (unsigned long long)blk_rq_pos(rq) << 9,
		  op == PW_FLUSH ? 0 : blk_rq_bytes(rq));
	arm(device);
	spin_unlock_irqrestore(&device->lock, flags);
	return BLK_STS_OK;
}

static const struct blk_mq_ops queue_ops = { .queue_rq = queue_request };
static const struct block_device_operations device_ops = { .owner = THIS_MODULE };

/* Called by OpenZFS when blocks have become free; on other devices it does nothing. */
void poolwright_forget(struct block_device *bdev, unsigned long long offset,
		       unsigned long long length);
void poolwright_forget(struct block_device *bdev, unsigned long long offset,
		       unsigned long long length)
{
	struct gendisk *disk = bdev->bd_disk;
	struct drive_device *device;
	unsigned long flags;

	if (disk->fops != &device_ops)
		return;
	device = disk->queue->queuedata;
	spin_lock_irqsave(&device->lock, flags);
	pw_forget(device->drive, offset, length);
	spin_unlock_irqrestore(&device->lock, flags);
}
EXPORT_SYMBOL(poolwright_forget);

static int __init add_device(unsigned int drive)
{
	struct drive_device *device;
	struct queue_limits limits = {};
	struct pw_drive info;
	int err;

	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return -ENOMEM;
	pw_describe(drive, &info);
	device->drive = drive;
	spin_lock_init(&device->lock);
	time_travel_set_event_fn(&device->event, complete_due);

	limits.logical_block_size = info.logical_sector;
	limits.physical_block_size = info.physical_sector;
	limits.max_hw_sectors = info.max_transfer >> 9;
	limits.max_segments = USHRT_MAX;
	limits.max_segment_size = UINT_MAX;
	if (info.rotational)
		limits.features |= BLK_FEAT_ROTATIONAL;
	if (info.write_cache)
		limits.features |= BLK_FEAT_WRITE_CACHE;
	if (info.fua)
		limits.features |= BLK_FEAT_FUA;
	if (info.discard) {
		limits.max_hw_discard_sectors = UINT_MAX >> 9;
		limits.discard_granularity = info.physical_sector;
	}

	device->tags.ops = &queue_ops;
	device->tags.nr_hw_queues = 1;
	device->tags.queue_depth = info.depth;
	device->tags.numa_node = NUMA_NO_NODE;
	/* A drive of one queue gets mq-deadline, an NVMe drive none. */
	if (!info.scheduler)
		device->tags.flags |= BLK_MQ_F_NO_SCHED_BY_DEFAULT;
	err = blk_mq_alloc_tag_set(&device->tags);
	if (err)
		return err;
	device->disk = blk_mq_alloc_disk(&device->tags, &limits, device);
	if (IS_ERR(device->disk))
		return PTR_ERR(device->disk);
	device->disk->queue->queuedata = device;
	device->disk->fops = &device_ops;
	device->disk->flags |= GENHD_FL_NO_PART;
	snprintf(device->disk->disk_name, DISK_NAME_LEN, NAME_PREFIX "%s", info.name);
	set_capacity(device->disk, info.size >> 9);
	return add_disk(device->disk);
}

static int __init add_devices(void)
{
	unsigned int drive;
	int err;

	for (drive = 0; drive < pw_count(); drive++) {
		err = add_device(drive);
		if (err)
			panic("drive %u cannot be added: error %d", drive, -err);
	}
	return 0;
}
late_initcall(add_devices);
