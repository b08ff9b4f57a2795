/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job (what one boot is asked to do), a build and a boot (what came of it).
 * Plain data between session, runners, results-db and report.
 */
#ifndef FB_BOOT_H
#define FB_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "outcome.h"
#include "text.h"

/* Hex object id of a commit, with its NUL. SHA-1 repositories. */
#define FB_OID_SIZE 41

/* The most values that one boot may report. */
#define FB_BOOT_VALUES_MAX 65536
#define FB_BOOT_SAMPLES_MAX 4096

/* What a build gives: a kernel image, or the reason why there is none. */
struct fb_build {
	enum fb_outcome outcome; /* MEASURED stands for "built" */
	char *image;		 /* path in the cache; NULL when it failed */
	char *identity;		 /* SHA-256 of what the kernel is made from */
	char tree[FB_OID_SIZE];	 /* object id of its sources */
	char *config_hash;	 /* SHA-256 of the resolved .config, or NULL */
	char *toolchain;	 /* first line of `cc --version` */
	char *signature;	 /* of what it runs (signature.h), or NULL */
	char *inputs;		 /* path of the list of files that it was
				    made from (inputs.h), or NULL */
	char *error;		 /* first error line of the log, or NULL */
	char *log;		 /* path of the build log, or NULL */
	char *lost;	  /* requested options that did not survive, or NULL */
	double seconds;	  /* spent in make; 0 when it came from the cache */
	double predicted; /* that were expected; 0: nothing to tell from */
	bool cached;
};

/* One figure, and the window that it was measured in (NULL: not ours). */
struct fb_sample {
	char *metric, *window;
	double value;
};

/*
 * One counter that was read around a window; `window` is a figure's or a
 * workload's name. Guest: "probe", "diskstats", "stat", "vmstat". Host:
 * "blockstats", "clock", "host". With several disks the other ones' counters
 * are "diskstats/DISK" and "blockstats/DISK".
 */
struct fb_evidence {
	char *window, *source, *key;
	double value;
};

/* What something is set to: "system", "machine" or "DISK/disk". */
struct fb_setting {
	char *subject, *key, *value;
};

/* A row of vmstat, `at` seconds after the window opened; see timeline.h. */
#define FB_VMSTAT_COLUMNS 17
extern const char *const fb_vmstat_columns[FB_VMSTAT_COLUMNS];
struct fb_timeline_row {
	char *window;
	double at;
	double v[FB_VMSTAT_COLUMNS];
};

/* How many operations took from `low` to below `high` nanoseconds. */
struct fb_bucket {
	char *window, *operation; /* "read", "write" */
	double low, high, count;
};

struct fb_boot {
	enum fb_outcome outcome;
	char *detail; /* one line for people, or NULL */
	/*
	 * When the outcome is not MEASURED these are partial: complete in
	 * themselves, kept to be looked at, never taken for a measurement.
	 */
	struct fb_sample *samples;
	size_t n_samples, cap_samples;
	struct fb_evidence *evidence;
	size_t n_evidence, cap_evidence;
	struct fb_setting *settings;
	size_t n_settings, cap_settings;
	struct fb_timeline_row *timeline;
	size_t n_timeline, cap_timeline;
	struct fb_bucket *buckets;
	size_t n_buckets, cap_buckets;
	double seconds;	      /* wall time of the whole boot */
	double probe_seconds; /* of that, inside workload windows */
	char *clock;	      /* "kvm", "icount", "host", or NULL */
	char *machine;	      /* one line: QEMU version, machine, processors */
	char *console;	      /* path of the console log, or NULL */
};

/* The workloads of a job, in order: plan.c makes it from a configuration. */
struct fb_plan {
	struct fb_run {
		const char *disk, *workload; /* borrowed, as all */
		const char *target;	     /* disk that copies go to */
	} * runs;
	size_t n, cap;
	double read_seconds; /* length of an hdparm style read */
};

/* What a runner is to do in one boot. Everything is borrowed. */
struct fb_job {
	const char *commit;   /* full object id */
	const char *image;    /* kernel image, or NULL (exec without build) */
	const char *worktree; /* its work tree, or NULL */
	const char *dir;      /* exists; the runner keeps its logs there */
	const struct fb_plan *plan; /* what to run, in order */
};

void fb_build_release(struct fb_build *build);
void fb_boot_release(struct fb_boot *boot);

/*
 * These copy the strings. A metric that is there already gets the new value;
 * one that is not finite is refused with false. `window` may be NULL.
 */
bool fb_boot_add_sample(struct fb_boot *boot, const char *window,
			const char *metric, double value);
void fb_boot_add_evidence(struct fb_boot *boot, const char *window,
			  const char *source, const char *key, double value);
void fb_boot_add_setting(struct fb_boot *boot, const char *subject,
			 const char *key, const char *value);
void fb_boot_add_timeline(struct fb_boot *boot, const char *window, double at,
			  const double v[FB_VMSTAT_COLUMNS]);
void fb_boot_add_bucket(struct fb_boot *boot, const char *window,
			const char *operation, double low, double high,
			double count);

/* How many values of all kinds it holds. */
size_t fb_boot_values(const struct fb_boot *boot);

/* The value of a metric in a measured boot; false when it has none. */
bool fb_boot_metric(const struct fb_boot *boot, const char *metric,
		    double *value);

/* Its figures are partial from now on. */
void fb_boot_fail(struct fb_boot *boot, enum fb_outcome outcome,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
