/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rules of the table in diagnose.c share. A rule looks at one disk
 * ("" or "DISK/") and returns whether it fits; what it adds to the finding is
 * thrown away when it does not.
 */
#ifndef FB_VERDICT_RULES_H
#define FB_VERDICT_RULES_H

#include "verdict.h"

#define BUFFERED "hdparm.buffered_read"
#define DIRECT "hdparm.direct_read"
#define CACHED "hdparm.cached_read"

/* What a figure stands for; see the table in roles.c. */
enum role {
	ROLE_NONE,
	RAW_READ,    /* buffered, from the block device */
	DIRECT_READ, /* O_DIRECT, from the block device */
	CACHED_READ, /* from the page cache */
	FILE_READ,   /* sequential, through a file system */
	FILE_WRITE,
	FILE_MIXED, /* reads and writes of one file */
	FILE_OTHER, /* seeks, single characters, many files: they move for
			reasons of their own and contradict no other figure */
	APP_READ,   /* what a program waits for, read() by read() */
	APP_WRITE,  /* the same for write() */
	APP	    /* copies, whole commands: reads and writes */
};

enum role rules_role_of(const char *metric);

/* A role on one disk: its rows taken together. */
struct role_state {
	size_t n, slower, faster, same;	 /* rows that have both arms */
	const struct fb_comparison *row; /* the one that changed most */
};

struct role_state rules_role_state(const struct fb_verdict *v, const char *disk,
				   enum role role);
/* The sum of several roles, ended by ROLE_NONE. */
struct role_state rules_role_states(const struct fb_verdict *v,
				    const char *disk, const enum role *roles);
static inline bool all_same(struct role_state s)
{
	return s.n > 0 && s.same == s.n;
}

/* Does the metric belong to "DISK/" (or, for "", have no disk)? */
bool rules_on_disk(const char *metric, const char *disk);
bool rules_has_both(const struct fb_comparison *row);

/* The row "DISK/FIGURE", or NULL unless both arms have figures. */
const struct fb_comparison *rules_get(const struct fb_verdict *v,
				      const char *disk, const char *figure);

/* log(B/A), positive when B is worse. */
double rules_worse_by(const struct fb_verdict *v,
		      const struct fb_comparison *row);

/* Sum of a counter over the boots of an arm and its mean; NAN: not there. */
double rules_evidence_sum(const struct fb_verdict *v, char arm,
			  const char *window, const char *source,
			  const char *key);
double rules_evidence_mean(const struct fb_verdict *v, char arm,
			   const char *window, const char *source,
			   const char *key);
/* The last value of a setting in an arm, or NULL. */
const char *rules_setting(const struct fb_verdict *v, char arm,
			  const char *subject, const char *key);

/* Percent of the window's processors, NAN when not measured. */
double rules_cpu_busy(const struct fb_verdict *v, char arm, const char *metric);
double rules_cpu_waiting(const struct fb_verdict *v, char arm,
			 const char *metric);

/* "METRIC: A -> B UNIT (-1.2 %, slower)"; NULL adds nothing. */
void rules_say(struct fb_finding *f, const struct fb_comparison *row);
void rules_say_state(const struct fb_verdict *v, struct fb_finding *f,
		     const char *disk, enum role role);
/* What the processor did in the window of a row, when it is known. */
void rules_say_cpu(const struct fb_verdict *v, struct fb_finding *f,
		   const struct fb_comparison *row);

/* The rules. */
bool rule_clock(const struct fb_verdict *v, const char *disk,
		struct fb_finding *f);
bool rule_cache_artifact(const struct fb_verdict *v, const char *disk,
			 struct fb_finding *f);
bool rule_config_drift(const struct fb_verdict *v, const char *disk,
		       struct fb_finding *f);
bool rule_probe_only(const struct fb_verdict *v, const char *disk,
		     struct fb_finding *f);
bool rule_probe_blind(const struct fb_verdict *v, const char *disk,
		      struct fb_finding *f);
bool rule_device_slower(const struct fb_verdict *v, const char *disk,
			struct fb_finding *f);
bool rule_cpu_bound(const struct fb_verdict *v, const char *disk,
		    struct fb_finding *f);
bool rule_write_path(const struct fb_verdict *v, const char *disk,
		     struct fb_finding *f);
bool rule_read_path(const struct fb_verdict *v, const char *disk,
		    struct fb_finding *f);
bool rule_interference(const struct fb_verdict *v, const char *disk,
		       struct fb_finding *f);
bool rule_some_interference(const struct fb_verdict *v, const char *disk,
			    struct fb_finding *f);
bool rule_io_slower(const struct fb_verdict *v, const char *disk,
		    struct fb_finding *f);

#endif
