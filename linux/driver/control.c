// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/drives: read for the counters of all drives, written for a command.
 */
#include <linux/init.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/time-internal.h>
#include <linux/uaccess.h>
#include "drives.h"

#define REPORT_MAX (256 << 10)
#define COMMAND_MAX 4096

static int show(struct seq_file *file, void *unused)
{
	unsigned long flags;
	char *text = kvmalloc(REPORT_MAX, GFP_KERNEL);
	pw_u64 length;

	if (!text)
		return -ENOMEM;
	local_irq_save(flags);
	length = pw_report(time_travel_now(), text, REPORT_MAX);
	local_irq_restore(flags);
	seq_write(file, text, length);
	kvfree(text);
	return 0;
}

static int open_report(struct inode *inode, struct file *file)
{
	return single_open_size(file, show, NULL, REPORT_MAX);
}

static ssize_t command(struct file *file, const char __user *from, size_t length,
		       loff_t *position)
{
	unsigned long flags;
	char *text;
	int err;

	if (length > COMMAND_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, length);
	if (IS_ERR(text))
		return PTR_ERR(text);
	local_irq_save(flags);
	err = pw_command(time_travel_now(), text, length);
	local_irq_restore(flags);
	kfree(text);
	return err ? err : length;
}

static const struct proc_ops operations = {
	.proc_open = open_report,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = command,
};

static int __init add_control(void)
{
	return proc_create("drives", 0600, NULL, &operations) ? 0 : -ENOMEM;
}
late_initcall(add_control);
