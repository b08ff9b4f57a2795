/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A verdict on boots that lie in the database already. */
#include "arms.h"
#include "cleanup.h"
#include "errors.h"
#include "session.h"
#include "verdict.h"

static int load_run(struct fb_db *db, const struct fb_repo *repo,
		    const char *name, char arm, struct fb_verdict *v,
		    struct fb_error *err)
{
	git_oid oid;
	char hex[FB_OID_SIZE];
	struct fb_boot_filter f = { .revision = hex, .phase = "run" };
	int rc = fb_repo_resolve(repo, name, &oid, err);
	if (rc)
		return fb_error_wrap(err, "neither a file nor a revision");
	git_oid_tostr(hex, sizeof(hex), &oid);
	rc = fb_load_arm(db, &f, arm, v, err);
	bool any = false;
	for (size_t i = 0; i < v->n; i++)
		any |= (arm == 'a' ? v->rows[i].n_a : v->rows[i].n_b) > 0;
	if (rc == 0 && !any)
		rc = fb_error_set(err, FB_E_NOTFOUND,
				  "%s was never measured by firstbad run in "
				  "this state directory",
				  name);
	return rc;
}

int fb_stored_verdict(const struct fb_config *cfg, const char *state,
		      const char *a, const char *b, struct fb_verdict *v,
		      struct fb_error *err)
{
	struct fb_repo repo;
	struct fb_db *db = NULL;
	fb_autofree char *path = fb_strf("%s/results.db", state);
	int rc = fb_repo_open(&repo, cfg->repo, err);
	if (rc)
		return rc;
	rc = fb_db_open_existing(&db, path, err);
	if (rc == 0)
		rc = load_run(db, &repo, a, 'a', v, err);
	if (rc == 0)
		rc = load_run(db, &repo, b, 'b', v, err);
	fb_db_close(db);
	fb_repo_release(&repo);
	return rc;
}
