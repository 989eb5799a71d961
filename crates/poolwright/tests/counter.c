/* Compares the time stamp counter with the clock, and waits for it in a loop. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static long long ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	long long start, last, now, clock, reads = 0;
	unsigned int processor;

	/* What the clock is ahead of the counter, with both instructions, before and after a sleep. */
	for (int i = 0; i < 2; i++) {
		now = __rdtsc();
		printf("%lld ", ns() - now);
		now = __rdtscp(&processor);
		printf("%lld %u\n", ns() - now, processor);
		usleep(5000);
	}
	/* The loop ends, the counter never goes back, and the clock moves with it. */
	clock = ns();
	start = last = __rdtsc();
	while (last - start < 1000000) {
		now = __rdtsc();
		if (now < last)
			return 1;
		last = now;
		reads++;
	}
	printf("%lld\n%lld\n", reads, ns() - clock - (last - start));
	return 0;
}
