/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static double read_clock(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

double fb_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

double fb_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

const char *fb_duration(double seconds, char *buf, unsigned long size)
{
	long s = lround(fmax(seconds, 0));
	if (s < 100)
		snprintf(buf, size, "%ld s", s);
	else if (s < 6000)
		snprintf(buf, size, "%ld min %ld s", s / 60, s % 60);
	else
		snprintf(buf, size, "%ld h %ld min", s / 3600, s / 60 % 60);
	return buf;
}
