/*
 * Writes a number into each page of 320 MB in an order in which no two neighbours follow each other, so that each
 * is a mapping of its own, and reads them again in another, in a child as well. Prints the pages that hold their number.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 81920, PAGE = 4096 };

/* Odd steps come to each page once. */
static unsigned long page(unsigned long n, unsigned long step) { return n * step % PAGES; }

static int right(const char *memory, unsigned long step)
{
	int right = 0;

	for (unsigned long n = 0; n < PAGES; n++) {
		unsigned long at = page(n, step);

		right += *(const unsigned long *)(memory + at * PAGE) == at;
	}
	return right;
}

int main(void)
{
	char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	for (unsigned long n = 0; n < PAGES; n++) {
		unsigned long at = page(n, 30011);

		*(unsigned long *)(memory + at * PAGE) = at;
	}
	printf("%d\n", right(memory, 20011));
	fflush(stdout);
	if (fork() == 0) {
		for (unsigned long at = 0; at < PAGES; at += 3)
			memory[at * PAGE + 100] = 1;
		printf("%d\n", right(memory, 10007));
		return 0;
	}
	wait(NULL);
	printf("%d\n", right(memory, 1));
	return 0;
}
