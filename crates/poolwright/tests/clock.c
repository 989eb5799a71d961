/* Compares the clock as the C library reads it, without a system call, with the kernel's own answer. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long ns(struct timespec t)
{
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long library(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return ns(t);
}

static long long kernel(clockid_t clock)
{
	struct timespec t;

	syscall(SYS_clock_gettime, clock, &t);
	return ns(t);
}

int main(void)
{
	const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC };
	long long start, last, now, reads = 0;
	struct timeval day;

	for (int i = 0; i < 2; i++) {
		/* After another call, so that the first read needs none. */
		getppid();
		long long before = library(clocks[i]);
		long long asked = kernel(clocks[i]);
		long long after = library(clocks[i]);
		printf("%lld %lld\n", asked - before, after - asked);
	}
	/* A loop that waits for the clock ends, and the clock never goes back. */
	start = last = library(CLOCK_MONOTONIC);
	while (last - start < 1000000) {
		now = library(CLOCK_MONOTONIC);
		if (now < last)
			return 1;
		last = now;
		reads++;
	}
	getppid();
	gettimeofday(&day, 0);
	printf("%lld\n%lld\n", reads, kernel(CLOCK_REALTIME) / 1000000000 - day.tv_sec);
	return 0;
}
