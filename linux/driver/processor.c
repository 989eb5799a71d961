// SPDX-License-Identifier: GPL-2.0
/*
 * The modelled processor. In this kernel's time mode compute takes no time by
 * itself; here it is charged, by a fixed table. The costs are parameters
 * (processor.NAME=VALUE on the command line); docs/reference/processor.md has
 * the table with the source of each number.
 *
 * The machine has one processor, the modelled host has several. While n tasks
 * are ready to run, the modelled host works on min(n, cores) of them at once,
 * so that a charge moves the clock by its n-th part only.
 */
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/mm_types.h>
#include <linux/moduleparam.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/seq_file.h>
#include <linux/time-internal.h>
#include <linux/timekeeping.h>
#include <asm/processor-charge.h>
#include <asm/unistd.h>
#include <skas/user-clock.h>

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "processor."

/* 0: compute is free. */
static unsigned int cores = 16;
module_param(cores, uint, 0400);
static unsigned int charged = 1;
module_param(charged, uint, 0400);

/* Nanoseconds an event. */
static unsigned int syscall_ns = 150;
module_param(syscall_ns, uint, 0400);
static unsigned int file_ns = 500;
module_param(file_ns, uint, 0400);
static unsigned int zfs_call_ns = 3500;
module_param(zfs_call_ns, uint, 0400);
static unsigned int clock_ns = 25;
module_param(clock_ns, uint, 0400);
static unsigned int switch_ns = 1000;
module_param(switch_ns, uint, 0400);
static unsigned int request_ns = 500;
module_param(request_ns, uint, 0400);
static unsigned int interrupt_ns = 1000;
module_param(interrupt_ns, uint, 0400);
static unsigned int statement_ns = 30000;
module_param(statement_ns, uint, 0400);

/* Picoseconds a byte. */
static unsigned int copy_ps = 100;
module_param(copy_ps, uint, 0400);
static unsigned int fletcher_ps = 60;
module_param(fletcher_ps, uint, 0400);

/* By number of parity blocks, for each byte of a row with its parity. */
static const unsigned int parity_ps[] = { 0, 30, 50, 100 };

/* By number of enum zio_checksum, which is the on-disk format's. */
static const unsigned int checksum_ps[] = {
	[3] = 0,	/* label: with sha256, but small */
	[8] = 900,	/* sha256 */
	[11] = 1400,	/* sha512 */
	[12] = 2000,	/* skein */
	[13] = 600,	/* edonr */
	[14] = 300,	/* blake3 */
};

/* Measured at these levels, linear between them; fast levels are above 100. */
static unsigned int zstd_ps(int level)
{
	static const struct {
		int level;
		unsigned int ps;
	} at[] = {
		{ 1, 1700 }, { 3, 2250 }, { 6, 6250 }, { 9, 9250 },
		{ 12, 19000 }, { 15, 61500 }, { 19, 300000 },
	};
	int i;

	if (level > 100)
		return 1300;
	level = clamp(level, at[0].level, at[ARRAY_SIZE(at) - 1].level);
	for (i = 1; level > at[i].level; i++)
		;
	return at[i - 1].ps + (at[i].ps - at[i - 1].ps) *
		(level - at[i - 1].level) / (at[i].level - at[i - 1].level);
}

/* By number of enum zio_compress; gzip-1 to gzip-9 are 5 to 13. */
static unsigned int compress_ps(unsigned int kind, int level)
{
	switch (kind) {
	case 3:		/* lzjb */
		return 3000;
	case 14:	/* zle */
		return 300;
	case 15:	/* lz4 */
		return 1400;
	case 16:
		return zstd_ps(level);
	default:
		if (kind >= 5 && kind <= 13)
			return 10000 + (kind - 5) * 3500;
		return 0;
	}
}

static unsigned int decompress_ps(unsigned int kind)
{
	switch (kind) {
	case 3:
		return 1500;
	case 14:
		return 200;
	case 15:
		return 250;
	case 16:
		return 600;
	default:
		return kind >= 5 && kind <= 13 ? 2500 : 0;
	}
}

unsigned int um_modelled_cores(void)
{
	return max(cores, 1u);
}
EXPORT_SYMBOL(um_modelled_cores);

/* What is charged and not yet applied, and all that was ever charged, virtual ns x 1024. */
static unsigned long long pending;
/* Busy time of all modelled cores together, ns. */
static unsigned long long busy_ns;

static void add_ps(unsigned long long ps)
{
	unsigned int ready = nr_running();
	unsigned int at_once = clamp(ready, 1u, max(cores, 1u));

	if (!charged)
		return;
	busy_ns += ps / 1000;
	pending += (ps << 10) / 1000 / at_once;
}

static void add(unsigned int ns)
{
	add_ps(1000ULL * ns);
}

/* Lets the charged time pass. Events that fall due meanwhile come at their own times. */
static void apply(void)
{
	if (irqs_disabled() || in_interrupt())
		return;
	while (pending >> 10) {
		/* A step of no time delivers what is due now. */
		unsigned long long step = min(pending >> 10,
					      time_travel_until_next());

		pending -= step << 10;
		time_travel_ndelay(step);
	}
}

/* What task runs, as the file's inode; none of kernel threads. */
static const struct inode *program_of(const struct task_struct *task)
{
	const struct file *file;

	if (!task->mm)
		return NULL;
	/* One processor without preemption: nobody closes it meanwhile. */
	file = rcu_dereference_raw(task->mm->exe_file);
	return file ? file_inode(file) : NULL;
}

/* Processes of the first process' program are charged when they have this name. */
#define CLIENT_NAME "client"

/*
 * The first process builds the pool and reads counters, for which the modelled
 * host has nobody; others of the same program make rows of tables, or are about
 * to execute another program. What they do takes no time, but for reads of the
 * clock, so that a loop that waits for it ends: otherwise each build of it, which
 * has its own system calls for memory, and each path that it is given, would have
 * results of their own.
 */
static bool costs_nothing(void)
{
	const struct inode *program;

	if (task_tgid_nr(current) == 1)
		return true;
	program = program_of(current);
	return program && program == program_of(init_pid_ns.child_reaper) &&
	       strcmp(current->group_leader->comm, CLIENT_NAME);
}

/* System calls that work on a file: the descriptor, the lookup, the page cache. */
static bool on_a_file(int nr)
{
	switch (nr) {
	case __NR_read:
	case __NR_write:
	case __NR_pread64:
	case __NR_pwrite64:
	case __NR_readv:
	case __NR_writev:
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_io_submit:
	case __NR_io_uring_enter:
	case __NR_openat:
	case __NR_open:
	case __NR_unlink:
	case __NR_rename:
		return true;
	default:
		return false;
	}
}

/*
 * Whether a call sends the answer of a database server, one for each statement. User
 * code takes no time here otherwise.
 */
static bool answers_a_statement(int nr)
{
	const char *name = current->group_leader->comm;

	if (nr != __NR_sendto)
		return false;
	return !strcmp(name, "postgres") || !strcmp(name, "mariadbd") ||
	       !strcmp(name, "mysqld");
}

static bool reads_the_clock(int nr)
{
	return nr == __NR_clock_gettime || nr == __NR_gettimeofday || nr == __NR_time;
}

static bool waits_for_a_thread(int nr)
{
	return nr == __NR_futex || nr == __NR_sched_yield;
}

/* Reads of the clock by user code without a system call, at most. */
#define CLOCK_READS 16
/* The same where no other task is ready, and an event comes no sooner. */
#define CLOCK_READS_ALONE 4096
/* The same of the time stamp counter. Programs read it for random numbers too. */
#define COUNTER_READS 512
#define COUNTER_READS_ALONE (1 << 20)
/* More reads of the clock, and of system calls that read it, are a loop that waits for the clock. */
#define CLOCK_READS_OF_NO_LOOP 32
/* The same of system calls that wait for another thread, or wake one. */
#define THREAD_CALLS_OF_NO_LOOP 64

/* Moves the clock, whatever that costs the modelled processor. */
static void pass(unsigned long long ns)
{
	pending += ns << 10;
}

/* Calls that wait for something, with no other system call between them. */
struct wait_loop {
	unsigned int calls;
	unsigned long long taken_ns;
};

/*
 * A call of a loop that waits moves the clock further than what it costs, so that the
 * loop ends: by a sixteenth of what the loop has taken so far. Up to so many calls are
 * no loop.
 */
static void step(struct wait_loop *loop, unsigned int no_loop, unsigned long long most_ns)
{
	unsigned long long ns = clamp(loop->taken_ns / 16, 25ULL, most_ns);

	if (loop->calls <= no_loop)
		return;
	pass(ns);
	loop->taken_ns += ns;
}

/* Reads of the clock, with a system call and without. */
static struct wait_loop clock_loop;
/* Reads of the counter since the last system call, or since the kernel answered one. */
static unsigned int counter_reads;
/*
 * System calls of all threads that wait for another, or wake one: threads that wake each
 * other while all of them wait for something else, such as the readers of a page of InnoDB
 * that is read from a drive.
 */
static struct wait_loop thread_loop;

/* Loops of user code that waited for another task, with no system call between them. */
static unsigned int spins;

void um_charge_syscall(int nr)
{
	spins = 0;
	counter_reads = 0;
	if (reads_the_clock(nr)) {
		add(clock_ns);
		clock_loop.calls++;
		clock_loop.taken_ns += clock_ns;
		step(&clock_loop, CLOCK_READS_OF_NO_LOOP, 12800);
	} else {
		clock_loop = (struct wait_loop){};
		if (!costs_nothing()) {
			add(syscall_ns);
			if (on_a_file(nr))
				add(file_ns);
			if (answers_a_statement(nr))
				add(statement_ns);
			if (waits_for_a_thread(nr)) {
				thread_loop.calls++;
				step(&thread_loop, THREAD_CALLS_OF_NO_LOOP, 409600);
			} else {
				thread_loop = (struct wait_loop){};
			}
		}
	}
	apply();
}

void um_charge_return(void)
{
	apply();
}

/* Whether another task would have its turn if user code entered the kernel. */
static bool others_are_ready(void)
{
	return nr_running() > 1;
}

/* Reads of the clock that user code may have before it enters the kernel. */
static unsigned int clock_reads_left(void)
{
	unsigned int most = charged && !others_are_ready() ? CLOCK_READS_ALONE : CLOCK_READS;

	return most - min(clock_loop.calls, most);
}

static unsigned int counter_reads_left(void)
{
	unsigned int most = others_are_ready() ? COUNTER_READS : COUNTER_READS_ALONE;

	/* Where they take no time, a loop of them ends in the kernel alone. */
	if (!charged || !clock_ns)
		most = CLOCK_READS;
	return most - min(counter_reads, most);
}

/* Reads of both until the next event: events come at their own times. */
static unsigned int reads_until_event(void)
{
	unsigned long long until, passed = pending >> 10;

	if (!charged || !clock_ns)
		return UINT_MAX;
	until = time_travel_until_next();
	until = until > passed ? until - passed : 0;
	return min_t(unsigned long long, UINT_MAX, until / clock_ns);
}

/* How many reads the page of the running process was shown with. */
static unsigned int shown_reads, shown_counter_reads;

void um_show_clock(struct user_clock *clock)
{
	/* Both count nanoseconds at the same rate. */
	static unsigned long long since;
	static bool known;
	ktime_t now;

	if (!known) {
		since = time_travel_now() - ktime_get_ns();
		known = true;
	}
	now = time_travel_now() + (pending >> 10) - since;
	clock->monotonic_ns = now;
	clock->realtime_ns = ktime_mono_to_real(now);
	clock->read_ns = charged ? clock_ns : 0;
	clock->counter_ahead_ns = since;
	shown_reads = clock_reads_left();
	shown_counter_reads = counter_reads_left();
	clock->reads_left = shown_reads;
	clock->counter_reads_left = shown_counter_reads;
	clock->reads_until_event = reads_until_event();
}

/* In whole: the program has seen it pass. Returns the ns. */
static unsigned long long pass_reads(unsigned int reads)
{
	unsigned long long ns = charged ? (unsigned long long)clock_ns * reads : 0;

	pass(ns);
	busy_ns += ns;
	return ns;
}

void um_charge_clock_reads(const struct user_clock *clock)
{
	/* Programs can write the page: no more than was allowed. */
	unsigned int reads = shown_reads - min(clock->reads_left, shown_reads);
	unsigned int of_counter =
		shown_counter_reads - min(clock->counter_reads_left, shown_counter_reads);

	clock_loop.calls += reads;
	clock_loop.taken_ns += pass_reads(reads);
	counter_reads += of_counter;
	pass_reads(of_counter);
}

/*
 * A read of the counter that entered the kernel: like one that did not, where one of these is left, and otherwise
 * like a system call that reads the clock.
 */
unsigned long long um_read_counter(void)
{
	if (!counter_reads_left() || !reads_until_event()) {
		um_charge_syscall(__NR_clock_gettime);
		return time_travel_now();
	}
	counter_reads++;
	pass_reads(1);
	return time_travel_now() + (pending >> 10);
}

/*
 * User code waits in a loop for another task, which runs on another core of the
 * modelled host meanwhile, or is woken by an event: the clock moves further each
 * time, up to a millisecond.
 */
void um_charge_spin(void)
{
	pending += (1000ULL << min(spins++, 10u)) << 10;
	apply();
	yield();
}

void um_charge_switch(void)
{
	if (!is_idle_task(current) && !costs_nothing())
		add(switch_ns);
	apply();
}

void um_charge_copy(unsigned long bytes)
{
	if (!costs_nothing())
		add_ps((unsigned long long)bytes * copy_ps);
}
EXPORT_SYMBOL(um_charge_copy);

void um_charge_zfs_call(void)
{
	add(zfs_call_ns);
}
EXPORT_SYMBOL(um_charge_zfs_call);

void um_charge_request(void)
{
	add(request_ns);
	apply();
}

void um_charge_interrupt(void)
{
	add(interrupt_ns);
}

void um_charge_checksum(unsigned int kind, unsigned long bytes)
{
	unsigned int ps = fletcher_ps;

	/* ZIO_CHECKSUM_OFF and ZIO_CHECKSUM_NOPARITY: nothing is computed. */
	if (kind == 2 || kind == 10)
		return;
	if (kind < ARRAY_SIZE(checksum_ps) && checksum_ps[kind])
		ps = checksum_ps[kind];
	add_ps((unsigned long long)bytes * ps);
}
EXPORT_SYMBOL(um_charge_checksum);

void um_charge_compress(unsigned int kind, int level, unsigned long bytes)
{
	add_ps((unsigned long long)bytes * compress_ps(kind, level));
}
EXPORT_SYMBOL(um_charge_compress);

void um_charge_decompress(unsigned int kind, unsigned long bytes)
{
	add_ps((unsigned long long)bytes * decompress_ps(kind));
}
EXPORT_SYMBOL(um_charge_decompress);

void um_charge_parity(unsigned int parity, unsigned long bytes)
{
	parity = min(parity, (unsigned int)ARRAY_SIZE(parity_ps) - 1);
	add_ps((unsigned long long)bytes * parity_ps[parity]);
}
EXPORT_SYMBOL(um_charge_parity);

static int show_processor(struct seq_file *file, void *unused)
{
	seq_printf(file, "now %llu\nbusy %llu\ncores %u\n", time_travel_now(),
		   busy_ns, cores);
	return 0;
}

static int __init add_processor(void)
{
	return proc_create_single("processor", 0444, NULL, show_processor) ? 0 : -ENOMEM;
}
late_initcall(add_processor);
