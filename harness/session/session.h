/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ties the parts together: one process working on one state directory. The
 * only place that knows repository, database and runner at once.
 */
#ifndef FB_SESSION_H
#define FB_SESSION_H

#include "config.h"
#include "db.h"
#include "plan.h"
#include "runner.h"
#include "verdict.h"
#include "worktree.h"

struct fb_session {
	const struct fb_config *cfg; /* borrowed */
	char *metric;		     /* as in cfg until "auto" was decided */
	char *state, *cache;	     /* directories */
	struct fb_db *db;
	struct fb_repo repo;
	struct fb_worktree worktree;
	struct fb_runner *runner;
	int state_lock, worktree_lock;
};

/*
 * Creates the state directory, takes its lock (a second instance is refused),
 * opens database and repository, and makes the runner. Checks whatever can be
 * checked before a night begins.
 */
int fb_session_open(struct fb_session *s, const struct fb_config *cfg,
		    const char *state, struct fb_error *err);
void fb_session_close(struct fb_session *s);

/*
 * Takes the lock of the repository's work tree and opens it, once. Kernels of
 * one repository are built in one place, so that objects can be used again.
 */
int fb_session_worktree(struct fb_session *s, struct fb_error *err);

/*
 * A session of its own configuration and runner that borrows everything else;
 * to be closed before `base` is.
 */
int fb_session_arm_open(struct fb_session *arm, const struct fb_session *base,
			const struct fb_config *cfg, struct fb_error *err);
void fb_session_arm_close(struct fb_session *arm);

/* $XDG_STATE_HOME/firstbad and $XDG_CACHE_HOME/firstbad; caller frees. */
char *fb_default_state(void);
char *fb_default_cache(void);

/* One boot of one commit, with everything that it takes, stored. */
struct fb_attempt {
	struct fb_purpose purpose;
	const char *phase; /* for the database */
	const git_oid *commit;
	const char *image; /* a finished kernel, in place of the commit */
	const char *name;  /* of the image: for the database, and for people */
	enum fb_extent extent;
	char **kernel; /* gets the path of the image; NULL: not wanted */
};

/* Builds when needed (once a session and commit) and boots once. */
int fb_attempt(struct fb_session *s, const struct fb_attempt *a,
	       struct fb_boot *out, struct fb_error *err);

/* `firstbad run REV`: `boots` boots of one revision, FULL or NOTHING. */
struct fb_run_result {
	struct fb_boot *boots; /* n of them */
	size_t n;
	git_oid commit;
	char *subject;
};

int fb_session_run(struct fb_session *s, const char *rev, unsigned boots,
		   enum fb_extent extent, struct fb_run_result *out,
		   struct fb_error *err);
void fb_run_result_release(struct fb_run_result *r);

/* `firstbad bisect`: from GOOD BAD, or from a log of git's. All borrowed. */
struct fb_bisect_request {
	const char *good, *bad; /* NULL when there is a log */
	const char *replay;	/* path of a log, or NULL */
	bool first_parent;
	const char *term_good, *term_bad; /* NULL: good, bad */
	char *const *paths;		  /* n_paths of them */
	size_t n_paths;
};

/* *id is set as soon as it is known. */
int fb_session_bisect(struct fb_session *s, const struct fb_bisect_request *r,
		      int64_t *id, struct fb_error *err);

/* `firstbad compare A B`; all borrowed. */
struct fb_compare_request {
	enum fb_axis axis;
	const char *a, *b;
	const char *rev; /* of both arms, when they are no kernels */
	const struct fb_strv *set[2]; /* host commands, when the axis is host */
	const struct fb_strv *undo;   /* NULL: none */
	unsigned boots;		      /* of each arm at most; 0: 32 */
};

int fb_session_compare(struct fb_session *s, const struct fb_compare_request *r,
		       int64_t *id, struct fb_error *err);

/*
 * What the boots of `firstbad run` say of two revisions; nothing is measured.
 * FB_E_NOTFOUND when one of them has none. The caller releases *v.
 */
struct fb_verdict;
int fb_stored_verdict(const struct fb_config *cfg, const char *state,
		      const char *a, const char *b, struct fb_verdict *v,
		      struct fb_error *err);

/* Continues a stored bisection; its own configuration must be in s->cfg. */
int fb_session_resume(struct fb_session *s, const struct fb_bisection *b,
		      struct fb_error *err);

#endif
