// SPDX-License-Identifier: GPL-2.0
/*
 * drives=FILE on the command line. The configuration is read on the host's
 * stack, before the kernel starts: parsing it needs more than a kernel stack.
 */
#include <stdlib.h>
#include <init.h>
#include "drives.h"

static int __init drives_setup(char *path, int *add)
{
	/* A path of the host must not reach the guest's command line. */
	*add = 0;
	if (pw_configure(path))
		exit(2);
	return 0;
}

__uml_setup("drives=", drives_setup,
"drives=<file>\n"
"    The drives of the machine: their timing models, sizes and seeds, as\n"
"    JSON.\n\n"
);
