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
#define FB_BOOT_VALUES_MAX 8192

/* What a build gives: a kernel image, or the reason why there is none. */
struct fb_build {
	enum fb_outcome outcome; /* MEASURED stands for "built" */
	char *image;		 /* path in the cache; NULL when it failed */
	char *identity;		 /* SHA-256 of what the kernel is made from */
	char tree[FB_OID_SIZE];	 /* object id of its sources */
	char *config_hash;	 /* SHA-256 of the resolved .config, or NULL */
	char *toolchain;	 /* first line of `cc --version` */
	char *error;		 /* first error line of the log, or NULL */
	char *log;		 /* path of the build log, or NULL */
	char *lost;	/* requested options that did not survive, or NULL */
	double seconds; /* spent in make; 0 when it came from the cache */
	bool cached;
};

/* One figure. */
struct fb_sample {
	char *metric;
	double value;
};

/* One counter that was read around a window; `window` is a metric name. */
struct fb_evidence {
	char *window;
	char *source; /* "diskstats", "stat", "blockstats", "clock", "queue" */
	char *key;
	double value;
};

struct fb_boot {
	enum fb_outcome outcome;
	char *detail; /* one line for people, or NULL */
	struct fb_sample *samples;
	size_t n_samples, cap_samples;
	struct fb_evidence *evidence;
	size_t n_evidence, cap_evidence;
	double seconds;	      /* wall time of the whole boot */
	double probe_seconds; /* of that, inside workload windows */
	char *clock;	      /* "kvm", "icount", "host", or NULL */
	char *machine;	      /* one line: QEMU version, machine, processors */
	char *console;	      /* path of the console log, or NULL */
};

/* The workloads of a job, in order: plan.c makes it from a configuration. */
struct fb_plan {
	struct fb_run {
		const char *disk, *workload; /* borrowed */
	} * runs;
	size_t n, cap;
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
 * Copies the strings. A metric that is there already gets the new value. One
 * that is not finite is refused with false.
 */
bool fb_boot_add_sample(struct fb_boot *boot, const char *metric, double value);
void fb_boot_add_evidence(struct fb_boot *boot, const char *window,
			  const char *source, const char *key, double value);

/* The value of a metric in this boot; false when it has none. */
bool fb_boot_metric(const struct fb_boot *boot, const char *metric,
		    double *value);

/* Drops all figures: nothing incomplete is taken for a measurement. */
void fb_boot_fail(struct fb_boot *boot, enum fb_outcome outcome,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
