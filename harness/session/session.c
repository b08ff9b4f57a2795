/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "file.h"
#include "identity.h"
#include "progress.h"

static char *xdg(const char *variable, const char *below_home)
{
	const char *dir = getenv(variable);
	if (dir && *dir == '/')
		return fb_strf("%s/firstbad", dir);
	const char *home = getenv("HOME");
	return fb_strf("%s/%s/firstbad", home && *home ? home : "/root",
		       below_home);
}

char *fb_default_state(void)
{
	return xdg("XDG_STATE_HOME", ".local/state");
}

char *fb_default_cache(void)
{
	return xdg("XDG_CACHE_HOME", ".cache");
}

static int open_state(struct fb_session *s, struct fb_error *err)
{
	int rc = fb_mkdir_p(s->state, err);
	if (rc)
		return fb_error_wrap(err, "state directory");
	/* Logs are found again from anywhere. */
	char *absolute = realpath(s->state, NULL);
	if (!absolute)
		return fb_error_errno(err, FB_E_USAGE, "cannot use %s",
				      s->state);
	free(s->state);
	s->state = absolute;
	fb_autofree char *lock = fb_strf("%s/lock", s->state);
	rc = fb_lock(lock, "wait for it, or give --state another directory",
		     &s->state_lock, err);
	if (rc)
		return rc;
	fb_autofree char *path = fb_strf("%s/results.db", s->state);
	rc = fb_db_open(&s->db, path, err);
	return rc ? rc : fb_mkdir_p(s->cache, err);
}

int fb_session_worktree(struct fb_session *s, struct fb_error *err)
{
	if (s->worktree.git)
		return 0;
	fb_autofree char *dir = fb_strf("%s/worktrees", s->cache);
	const char *parts[] = { s->repo.path, dir };
	fb_autofree char *id = fb_identity(parts, 2);
	fb_autofree char *path = fb_strf("%s/firstbad-%.12s", dir, id);
	fb_autofree char *lock = fb_strf("%s.lock", path);
	int rc = fb_mkdir_p(dir, err);
	if (rc == 0)
		rc = fb_lock(lock,
			     "kernels of one repository are built one "
			     "after the other",
			     &s->worktree_lock, err);
	if (rc)
		return rc;
	if (!fb_exists(path))
		fb_progress_doing("making a work tree");
	return fb_worktree_open(&s->worktree, &s->repo, path, err);
}

static int open_runner(struct fb_session *s, struct fb_error *err)
{
	switch (s->cfg->runner.kind) {
	case FB_RUNNER_EXEC:
		return fb_runner_exec_new(&s->runner, s->cfg, s->cache, err);
	default:
		return fb_runner_qemu_new(&s->runner, s->cfg, s->cache, err);
	}
}

int fb_session_open(struct fb_session *s, const struct fb_config *cfg,
		    const char *state, struct fb_error *err)
{
	*s = (struct fb_session){ .cfg = cfg,
				  .metric = fb_strdup(cfg->metric),
				  .state = fb_strdup(state),
				  .cache = fb_default_cache(),
				  .state_lock = -1,
				  .worktree_lock = -1 };
	int rc = fb_repo_open(&s->repo, cfg->repo, err);
	if (rc == 0)
		rc = open_state(s, err);
	if (rc == 0)
		rc = open_runner(s, err);
	if (rc)
		fb_session_close(s);
	return rc;
}

int fb_session_arm_open(struct fb_session *arm, const struct fb_session *base,
			const struct fb_config *cfg, struct fb_error *err)
{
	*arm = *base;
	arm->cfg = cfg;
	arm->runner = NULL;
	return open_runner(arm, err);
}

void fb_session_arm_close(struct fb_session *arm)
{
	if (arm->runner)
		arm->runner->ops->free(arm->runner);
	arm->runner = NULL;
}

void fb_session_close(struct fb_session *s)
{
	if (s->runner)
		s->runner->ops->free(s->runner);
	fb_worktree_release(&s->worktree);
	fb_repo_release(&s->repo);
	fb_db_close(s->db);
	if (s->worktree_lock >= 0)
		close(s->worktree_lock);
	if (s->state_lock >= 0)
		close(s->state_lock);
	free(s->metric);
	free(s->state);
	free(s->cache);
	*s = (struct fb_session){ .state_lock = -1, .worktree_lock = -1 };
}
