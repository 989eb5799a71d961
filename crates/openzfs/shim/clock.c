/*
 * One slowed clock. libzpool's calls of the C library's clock and sleep functions are renamed to
 * these at build time, so that every timer of OpenZFS, exported or hard-coded, runs k times slower
 * and no tunable has to be scaled.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include "shim.h"

#define	SECOND	1000000000LL

static int64_t origin;		/* CLOCK_MONOTONIC, ns */
static int64_t wall_origin;	/* CLOCK_REALTIME at the origin, ns */
static double dilation = 1.0;

static int64_t
real_now(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (ts.tv_sec * SECOND + ts.tv_nsec);
}

void
pw_clock_start(int64_t at, double k)
{
	origin = at;
	dilation = k;
	wall_origin = real_now(CLOCK_REALTIME) - (real_now(CLOCK_MONOTONIC) - at);
}

int64_t
pw_clock_now(void)
{
	return ((int64_t)((double)(real_now(CLOCK_MONOTONIC) - origin) / dilation));
}

/* Virtual CLOCK_REALTIME and CLOCK_MONOTONIC: both advance with the virtual clock. */
static int64_t
virtual_of(clockid_t id)
{
	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
		return (wall_origin + pw_clock_now());
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		return (origin + pw_clock_now());
	default:	/* processor-time clocks are not dilated */
		return (real_now(id));
	}
}

static struct timespec
to_timespec(int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / SECOND, .tv_nsec = ns % SECOND };
	return (ts);
}

int
pw_clock_gettime(clockid_t id, struct timespec *ts)
{
	*ts = to_timespec(virtual_of(id));
	return (0);
}

int
pw_gettimeofday(struct timeval *tv, void *tz)
{
	(void) tz;
	int64_t ns = virtual_of(CLOCK_REALTIME);
	tv->tv_sec = ns / SECOND;
	tv->tv_usec = (ns % SECOND) / 1000;
	return (0);
}

static struct timespec
dilated(int64_t ns)
{
	return (to_timespec((int64_t)((double)ns * dilation)));
}

int
pw_nanosleep(const struct timespec *want, struct timespec *left)
{
	(void) left;
	struct timespec ts = dilated(want->tv_sec * SECOND + want->tv_nsec);
	while (nanosleep(&ts, &ts) == -1 && errno == EINTR)
		;
	return (0);
}

int
pw_poll(struct pollfd *fds, nfds_t n, int ms)
{
	/* libzpool's delay() is poll(0, 0, ms); anything with descriptors is real I/O. */
	if (n == 0 && ms > 0) {
		struct timespec ts = dilated(ms * 1000000LL);
		while (nanosleep(&ts, &ts) == -1 && errno == EINTR)
			;
		return (0);
	}
	return (poll(fds, n, ms));
}

int
pw_pthread_cond_timedwait(pthread_cond_t *cv, pthread_mutex_t *mutex, const struct timespec *until)
{
	/* libzpool's condition variables wait on CLOCK_REALTIME. */
	int64_t left = until->tv_sec * SECOND + until->tv_nsec - virtual_of(CLOCK_REALTIME);
	if (left < 0)
		left = 0;
	struct timespec ts = to_timespec(real_now(CLOCK_REALTIME) +
	    (int64_t)((double)left * dilation));
	return (pthread_cond_timedwait(cv, mutex, &ts));
}
