/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe's view of harness/model/workloads.inc. A workload opens a window
 * for each of its figures and returns 0, or -1 after report_error().
 */
#ifndef FB_PROBE_WORKLOAD_H
#define FB_PROBE_WORKLOAD_H

#include "probe.h"

enum {
	WRITES = 1,	/* changes the disk */
	ON_FILE = 2,	/* needs room for the file of params.file_mib */
	ON_SCRATCH = 4, /* writes behind the file system */
	AT_END = 8	/* reads near the end of the disk */
};

struct workload {
	const char *name, *family;
	int (*run)(struct task *t);
	long arg;
	unsigned flags;
};

extern const struct workload workloads[]; /* ended by a NULL name */

const struct workload *workload_find(const char *name);

/* hdparm.c: hdparm -T, -t, -t --direct, and -t --offset at 7/8 of the disk */
int hdparm_cached(struct task *t);
int hdparm_buffered(struct task *t);
int hdparm_direct(struct task *t);
int hdparm_offset(struct task *t);

/* read.c: random reads of 4 KiB past the page cache, one at a time */
int random_read(struct task *t);

/* idle.c: what happens while nobody asks for anything */
int idle(struct task *t);

/* bonnie.c: bonnie++'s tests of one file */
int bonnie_per_char_write(struct task *t);
int bonnie_block_write(struct task *t);
int bonnie_rewrite(struct task *t);
int bonnie_per_char_read(struct task *t);
int bonnie_block_read(struct task *t);

/* bonnie_seeks.c */
int bonnie_seeks(struct task *t);

/* bonnie_files.c: arg 0 in order of creation, 1 in random order */
int bonnie_files(struct task *t);

/* dd.c: block size from the row, or params.dd_block when that is 0 */
int dd_write(struct task *t);
int dd_write_fsync(struct task *t);

/* copy.c: from t->d to t->target */
int copy_file(struct task *t);
int copy_raw(struct task *t);

/* command.c: a program of the user's overlay */
int command_run(struct task *t);

#endif
