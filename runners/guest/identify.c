/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk.h"

#include <stdio.h>

static unsigned word(const unsigned char id[512], int n)
{
	return id[2 * n] | (unsigned)id[2 * n + 1] << 8;
}

/* The highest bit set of the high byte, or -1. */
static int active(unsigned w)
{
	int mode = -1;
	for (int m = 0; m < 8; m++)
		if (w >> 8 & 1U << m)
			mode = m;
	return mode;
}

const char *transfer_mode(const unsigned char id[512])
{
	static char name[16];
	int udma = word(id, 53) & 4 ? active(word(id, 88)) : -1;
	int mwdma = active(word(id, 63));
	if (udma >= 0)
		snprintf(name, sizeof(name), "UDMA%d", udma);
	else if (mwdma >= 0)
		snprintf(name, sizeof(name), "MWDMA%d", mwdma);
	else
		snprintf(name, sizeof(name), "PIO");
	return name;
}
