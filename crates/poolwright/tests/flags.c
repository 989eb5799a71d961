/* Pushes and pops the processor's flags for some time, and ends with a crash on the stack's segment. */
#include <stdio.h>

int main(void)
{
	unsigned long flags, all = 0;
	long i;

	for (i = 0; i < 1000000; i++) {
		__asm__ volatile("pushfq; movq (%%rsp), %0; popfq" : "=r"(flags) : : "memory");
		all |= flags;
	}
	printf("trap flag %lu\n", all >> 8 & 1);
	fflush(stdout);
	__asm__ volatile("movabsq $0x800000000000, %%rbp; movq (%%rbp), %%rax" : : : "rax", "memory");
	return 0;
}
