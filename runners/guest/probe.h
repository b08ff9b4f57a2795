/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firstbad-probe: the static program that is PID 1 in a guest and an ordinary
 * command on a bare machine. It uses no library but libc and must run on any
 * kernel since 2.6.
 */
#ifndef FB_PROBE_H
#define FB_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIB (1024.0 * 1024.0)
#define MAX_DISKS 8
#define MAX_RUNS 64

struct disk {
	char name[32];	 /* prefix of its metrics */
	char serial[24]; /* what it is found by */
	char fs[16];	 /* file system on it */
	char dev[64];	 /* /dev path; "" while not found */
	char kname[32];	 /* name in diskstats */
};

struct params {
	double seconds;	   /* length of a timed read */
	unsigned file_mib; /* size of the file system test's file */
};

/* One line of the job: a workload on a disk. */
struct run {
	char workload[48];
	char disk[32];
};

struct job {
	char token[17];
	bool prefix; /* several disks: put their names into metric names */
	struct params params;
	struct disk disks[MAX_DISKS];
	size_t n_disks;
	struct run runs[MAX_RUNS];
	size_t n_runs;
};

/*
 * Where figures go: framed lines in a guest, text on a terminal. Both
 * implementations are in report.c.
 */
struct report {
	bool framed;
	bool prefix;
	char token[17];
	unsigned seq;
	int fd;		 /* the result channel */
	char last[1024]; /* last error, for the exit status of the command */
};

void report_hello(struct report *r);
/* Announces a window and waits until the host has read its own counters. */
int report_begin(struct report *r, const char *window);
int report_end(struct report *r, const char *window, double seconds);
void report_sample(struct report *r, const char *metric, double value);
void report_evidence(struct report *r, const char *window, const char *source,
		     const char *key, double value);
/* The text as hdparm or bonnie++ print it; only shown on a terminal. */
void report_text(struct report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Says what went wrong; always returns -1. */
int report_error(struct report *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void report_done(struct report *r);

/* "DISK/FIGURE" or "FIGURE"; into buf. */
const char *report_name(const struct report *r, const struct disk *d,
			const char *figure, char *buf, size_t size);

/* job.c: reads the job file; -1 with a message on stderr. */
int job_read(const char *path, struct job *job);

/*
 * disk.c: finds every disk of the job by its serial number, never by name.
 * Makes device nodes where there is no devtmpfs.
 */
int disks_find(struct job *job, struct report *r);

/* Active UDMA mode 0..6, or -1 with *mwdma set to 0..2 or -1 (then PIO). */
int disk_transfer_mode(const char *dev, int *mwdma);

/* counters.c: what the guest's kernel counts, around a window. */
struct counters {
	uint64_t reads, read_merges, read_sectors, read_ms;
	uint64_t writes, write_merges, write_sectors, write_ms;
	uint64_t cpu_busy, cpu_idle, cpu_wait; /* ticks */
	uint64_t pgpgin, pgpgout;	       /* KiB */
};

int counters_read(const char *kname, struct counters *out);

double now_seconds(void);

/* A window in progress. */
struct window {
	struct report *r;
	const struct disk *disk;
	char name[96];
	struct counters before;
	double start;
};

int window_open(struct window *w, struct report *r, const struct disk *d,
		const char *figure);
enum traffic { FROM_DISK, TO_DISK, FROM_CACHE };

/*
 * Closes it: reports elapsed time, counters and the figure bytes/elapsed.
 * `claimed` is the number of bytes the workload says it moved; `corrected`
 * replaces the elapsed time in the figure when not zero. A read from the disk
 * of which the disk delivered less than 98 % is an error, never a figure.
 */
int window_close(struct window *w, uint64_t claimed, enum traffic traffic,
		 double corrected);

/* A workload: 0, or -1 after report_error(). */
struct workload {
	const char *name;
	const char *family;
	int (*run)(struct report *r, const struct disk *d,
		   const struct params *p);
	bool writes;
};

extern const struct workload workloads[]; /* ended by a NULL name */

int hdparm_buffered(struct report *r, const struct disk *d,
		    const struct params *p);
int hdparm_cached(struct report *r, const struct disk *d,
		  const struct params *p);
int hdparm_direct(struct report *r, const struct disk *d,
		  const struct params *p);
int bonnie_block(struct report *r, const struct disk *d,
		 const struct params *p);

#endif
