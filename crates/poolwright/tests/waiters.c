/*
 * Two threads that wake each other until a third has slept for a second, as readers of a page of a database do that
 * is on its way from a drive. Prints how often they did.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int turn;
static atomic_int over;
static atomic_long rounds;

static void *wait_and_wake(void *of)
{
	int own = *(int *)of;

	while (!atomic_load(&over)) {
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !own, NULL, NULL, 0);
		atomic_store(&turn, !own);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

int main(void)
{
	static int own[] = { 0, 1 };
	pthread_t threads[2];

	for (int n = 0; n < 2; n++)
		if (pthread_create(&threads[n], NULL, wait_and_wake, &own[n]))
			return 1;
	sleep(1);
	atomic_store(&over, 1);
	printf("%ld\n", atomic_load(&rounds));
	fflush(stdout);
	/* One of them may wait for the other, which has ended. */
	_exit(0);
}
