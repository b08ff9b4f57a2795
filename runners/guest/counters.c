/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const disk_field_names[DISK_FIELDS] = {
	"reads",	  "read_merges",     "read_sectors",  "read_ms",
	"writes",	  "write_merges",    "write_sectors", "write_ms",
	"in_flight",	  "io_ms",	     "weighted_ms",   "discards",
	"discard_merges", "discard_sectors", "discard_ms",    "flushes",
	"flush_ms",
};

const char *const cpu_field_names[CPUS] = {
	"user_ticks",	"nice_ticks", "system_ticks",  "idle_ticks",
	"iowait_ticks", "irq_ticks",  "softirq_ticks", "steal_ticks",
};

const char *const kernel_field_names[KERNEL_FIELDS] = {
	"intr",	      "ctxt",	    "pgpgin",	     "pgpgout",
	"pswpin",     "pswpout",    "pgfault",	     "pgmajfault",
	"nr_dirtied", "nr_written", "pgscan_kswapd", "pgscan_direct",
};

static FILE *open_in(const char *dir, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "re");
}

/* Up to `max` decimal numbers; how many there were. */
static int read_numbers(const char *s, uint64_t *out, int max)
{
	int n = 0, used;
	while (n < max && sscanf(s, "%" SCNu64 "%n", &out[n], &used) == 1) {
		s += used;
		n++;
	}
	return n;
}

static void keep_disk_fields(struct counters *c, const uint64_t *v, int n)
{
	static const enum disk_field of_partition[] = { READS, READ_SECTORS,
							WRITES_DONE,
							WRITE_SECTORS };
	if (n == 4) {
		for (int i = 0; i < 4; i++) {
			c->disk[of_partition[i]] = v[i];
			c->disk_has |= 1ull << of_partition[i];
		}
		return;
	}
	memcpy(c->disk, v, (size_t)n * sizeof(*v));
	c->disk_has = (1ull << n) - 1;
}

static int read_diskstats(const char *proc, const char *kname,
			  struct counters *c)
{
	FILE *f = open_in(proc, "diskstats");
	if (!f)
		return -1;
	char line[512], name[64];
	int found = 0, at;
	while (!found && fgets(line, sizeof(line), f)) {
		uint64_t v[DISK_FIELDS];
		if (sscanf(line, "%*u %*u %63s%n", name, &at) != 1 ||
		    strcmp(name, kname) != 0)
			continue;
		int n = read_numbers(line + at, v, DISK_FIELDS);
		found = n == 4 || n >= 11;
		if (found)
			keep_disk_fields(c, v, n);
	}
	fclose(f);
	if (!found)
		errno = ENODEV;
	return found ? 0 : -1;
}

static void read_stat(const char *proc, struct counters *c)
{
	FILE *f = open_in(proc, "stat");
	if (!f)
		return;
	/* The "intr" line is long; only its beginning matters. */
	char line[256];
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "cpu ", 4) == 0)
			c->cpu_has =
				(1ull << read_numbers(line + 4, c->cpu, CPUS)) -
				1;
		else if (sscanf(line, "intr %" SCNu64, &c->kernel[INTR]) == 1)
			c->kernel_has |= 1 << INTR;
		else if (sscanf(line, "ctxt %" SCNu64, &c->kernel[CTXT]) == 1)
			c->kernel_has |= 1 << CTXT;
		else if (sscanf(line, "procs_running %" SCNu64, &c->running) !=
			 1)
			sscanf(line, "procs_blocked %" SCNu64, &c->blocked);
	}
	fclose(f);
}

static void read_vmstat(const char *proc, struct counters *c)
{
	FILE *f = open_in(proc, "vmstat");
	if (!f)
		return;
	char line[128], key[64];
	uint64_t value;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %" SCNu64, key, &value) != 2)
			continue;
		for (int i = PGPGIN; i < KERNEL_FIELDS; i++) {
			if (strcmp(key, kernel_field_names[i]) != 0)
				continue;
			c->kernel[i] = value;
			c->kernel_has |= 1ull << i;
		}
	}
	fclose(f);
}

int counters_read(const char *proc, const char *kname, struct counters *out)
{
	memset(out, 0, sizeof(*out));
	if (read_diskstats(proc, kname, out))
		return -1;
	read_stat(proc, out);
	read_vmstat(proc, out);
	return 0;
}

void memory_read(const char *proc, struct memory *out)
{
	uint64_t cached = 0, reclaimable = 0, swap_total = 0, swap_free = 0;
	const struct {
		const char *key;
		uint64_t *value;
	} rows[] = {
		{ "MemTotal:", &out->total },
		{ "MemFree:", &out->free },
		{ "Buffers:", &out->buffers },
		{ "Cached:", &cached },
		{ "SReclaimable:", &reclaimable },
		{ "SwapTotal:", &swap_total },
		{ "SwapFree:", &swap_free },
	};
	memset(out, 0, sizeof(*out));
	FILE *f = open_in(proc, "meminfo");
	if (!f)
		return;
	char line[128], key[64];
	uint64_t value;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %" SCNu64, key, &value) != 2)
			continue;
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (strcmp(key, rows[i].key) == 0)
				*rows[i].value = value;
	}
	fclose(f);
	out->cache = cached + reclaimable;
	out->swap_used = swap_total - swap_free;
}
