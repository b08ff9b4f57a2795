/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can build and measure a kernel. A runner never knows that a bisection
 * is going on: it gets a commit and says what came of it.
 *
 * Errors are about the machinery alone: FB_E_MACHINE (nothing may be judged
 * from this attempt), FB_E_CANCEL (interrupted; nothing is left running).
 * Everything a kernel can do wrong is an outcome in the build or boot.
 */
#ifndef FB_RUNNER_H
#define FB_RUNNER_H

#include "boot.h"
#include "config.h"

struct fb_error;
struct fb_runner;

/* Where a commit's sources are, and what identifies their content. */
struct fb_source {
	const char *commit;   /* full object id */
	const char *tree;     /* object id of its tree: equal means equal */
	const char *worktree; /* path, checked out at commit; see checkout */
	const char *dir;      /* for logs; exists */
	/*
	 * Called before the first file of the work tree is needed, so that a
	 * cached kernel costs no check-out.
	 */
	int (*checkout)(void *data, struct fb_error *err);
	void *data;
};

struct fb_runner_ops {
	const char *name;
	/* Makes the kernel, or finds it in the cache. NULL: nothing to make. */
	int (*prepare)(struct fb_runner *r, const struct fb_source *src,
		       struct fb_build *out, struct fb_error *err);
	/*
	 * One boot of one kernel. Leaves nothing running, nor files. With
	 * FB_E_MACHINE `out` may hold what was measured before the machine
	 * broke, as outcome MACHINE; the caller releases it then too.
	 */
	int (*measure)(struct fb_runner *r, const struct fb_job *job,
		       struct fb_boot *out, struct fb_error *err);
	void (*free)(struct fb_runner *r);
};

struct fb_runner {
	const struct fb_runner_ops *ops;
	const struct fb_config *cfg; /* borrowed */
	const char *cache;	     /* directory, borrowed */
	const char *machine;	     /* as stored with boots; NULL: not known */
	bool steady; /* the guest's clock does not know the host's load */
};

/* Both check what they need at once, so that a night does not end early. */
int fb_runner_qemu_new(struct fb_runner **out, const struct fb_config *cfg,
		       const char *cache, struct fb_error *err);
int fb_runner_exec_new(struct fb_runner **out, const struct fb_config *cfg,
		       const char *cache, struct fb_error *err);

#endif
