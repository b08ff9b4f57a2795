/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel counts by itself: /proc/diskstats, /proc/stat, /proc/vmstat
 * and, for the timeline, /proc/meminfo. Every version since 2.6.0 is read:
 * fields that a kernel does not have are absent, not zero. `proc` is the
 * directory, "/proc" but in tests.
 */
#ifndef FB_PROBE_COUNTERS_H
#define FB_PROBE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * diskstats, Documentation/admin-guide/iostats.rst: 11 fields since 2.6.0, 15
 * since 4.18, 17 since 5.5. A partition had four before 2.6.25: reads, read
 * sectors, writes, write sectors. Sectors are of 512 bytes always.
 */
enum disk_field {
	READS,
	READ_MERGES,
	READ_SECTORS,
	READ_MS,
	WRITES_DONE,
	WRITE_MERGES,
	WRITE_SECTORS,
	WRITE_MS,
	IN_FLIGHT, /* not a counter: the requests now under way */
	IO_MS,
	WEIGHTED_MS,
	DISCARDS,
	DISCARD_MERGES,
	DISCARD_SECTORS,
	DISCARD_MS,
	FLUSHES,
	FLUSH_MS,
	DISK_FIELDS
};

/* The first line of /proc/stat, in ticks: 4 values since 2.4, 8 since 2.6.11 */
enum cpu_field { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, CPUS };

/* More of /proc/stat, then /proc/vmstat (pgpgin and pgpgout in KiB). */
enum kernel_field {
	INTR,
	CTXT,
	PGPGIN,
	PGPGOUT,
	PSWPIN,
	PSWPOUT,
	PGFAULT,
	PGMAJFAULT,
	NR_DIRTIED,
	NR_WRITTEN,
	PGSCAN_KSWAPD,
	PGSCAN_DIRECT,
	KERNEL_FIELDS
};

extern const char *const disk_field_names[DISK_FIELDS];
extern const char *const cpu_field_names[CPUS];
extern const char *const kernel_field_names[KERNEL_FIELDS];

struct counters {
	uint64_t disk[DISK_FIELDS];
	uint64_t cpu[CPUS];
	uint64_t kernel[KERNEL_FIELDS];
	uint64_t disk_has, cpu_has, kernel_has; /* bit set: field present */
	/* Instantaneous, for vmstat's columns. */
	uint64_t running, blocked; /* processes, the reader included */
};

/* -1 with errno when /proc/diskstats lacks the disk. */
int counters_read(const char *proc, const char *kname, struct counters *out);

/* KiB; swap_used = SwapTotal - SwapFree, cache = Cached + SReclaimable. */
struct memory {
	uint64_t total, free, buffers, cache, swap_used;
};

void memory_read(const char *proc, struct memory *out);

#endif
