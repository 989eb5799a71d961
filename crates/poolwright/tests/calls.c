/* Nanoseconds within 64 calls that write 1 MiB, with a sleep before each, for each path. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int paths, char **path)
{
	static char data[1 << 20];

	for (int i = 1; i < paths; i++) {
		int file = open(path[i], O_CREAT | O_WRONLY, 0600);
		long long within = 0;

		for (int n = 0; n < 64; n++) {
			usleep(1000);
			long long start = now();

			if (write(file, data, sizeof(data)) != sizeof(data))
				return 1;
			within += now() - start;
		}
		printf("%lld\n", within);
	}
	return 0;
}
