/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "errors.h"
#include "progress.h"
#include "session.h"

int fb_session_run(struct fb_session *s, const char *rev, unsigned boots,
		   enum fb_extent extent, struct fb_run_result *out,
		   struct fb_error *err)
{
	*out = (struct fb_run_result){ 0 };
	int rc = fb_repo_resolve(&s->repo, rev, &out->commit, err);
	if (rc == 0)
		rc = fb_session_worktree(s, err);
	if (rc)
		return rc;
	out->subject = fb_repo_subject(&s->repo, &out->commit);
	out->boots = fb_calloc(boots, sizeof(*out->boots));
	struct fb_attempt a = { .phase = "run",
				.commit = &out->commit,
				.extent = extent };
	while (rc == 0 && out->n < boots) {
		fb_progress_step((unsigned)out->n + 1, boots);
		rc = fb_attempt(s, &a, &out->boots[out->n], err);
		if (rc == 0 &&
		    out->boots[out->n++].outcome == FB_OUTCOME_BUILD_FAILED)
			break;
	}
	fb_progress_done();
	if (rc)
		fb_run_result_release(out);
	return rc;
}

void fb_run_result_release(struct fb_run_result *r)
{
	for (size_t i = 0; i < r->n; i++)
		fb_boot_release(&r->boots[i]);
	free(r->boots);
	free(r->subject);
	*r = (struct fb_run_result){ 0 };
}
