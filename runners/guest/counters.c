/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own counters. Field orders: Documentation/admin-guide/
 * iostats.rst (11 fields since 2.6, 15 since 4.18, 17 since 5.5; only the
 * first eight are used) and Documentation/filesystems/proc.rst for /proc/stat.
 */
#include "probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double now_seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static int read_diskstats(const char *kname, struct counters *c)
{
	FILE *f = fopen("/proc/diskstats", "re");
	if (!f)
		return -1;
	char line[512];
	int found = 0;
	while (!found && fgets(line, sizeof(line), f)) {
		char name[64];
		int n = sscanf(line,
			       "%*u %*u %63s %" SCNu64 " %" SCNu64 " %" SCNu64
			       " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			       " %" SCNu64,
			       name, &c->reads, &c->read_merges,
			       &c->read_sectors, &c->read_ms, &c->writes,
			       &c->write_merges, &c->write_sectors,
			       &c->write_ms);
		found = n == 9 && strcmp(name, kname) == 0;
	}
	fclose(f);
	if (!found)
		errno = ENODEV;
	return found ? 0 : -1;
}

static void read_stat(struct counters *c)
{
	uint64_t user = 0, nice = 0, sys = 0, idle = 0, wait = 0, irq = 0,
		 soft = 0, steal = 0;
	FILE *f = fopen("/proc/stat", "re");
	if (!f)
		return;
	if (fscanf(f,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &user, &nice, &sys, &idle, &wait, &irq, &soft,
		   &steal) >= 4) {
		c->cpu_busy = user + nice + sys + irq + soft;
		c->cpu_idle = idle;
		c->cpu_wait = wait;
	}
	fclose(f);
}

static void read_vmstat(struct counters *c)
{
	FILE *f = fopen("/proc/vmstat", "re");
	if (!f)
		return;
	char line[128];
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "pgpgin %" SCNu64, &c->pgpgin);
		sscanf(line, "pgpgout %" SCNu64, &c->pgpgout);
	}
	fclose(f);
}

int counters_read(const char *kname, struct counters *out)
{
	memset(out, 0, sizeof(*out));
	if (read_diskstats(kname, out))
		return -1;
	read_stat(out);
	read_vmstat(out);
	return 0;
}
