/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arms.h"

struct arm {
	struct fb_verdict *v;
	char which;
};

static int add_sample(void *data, const struct fb_sample_row *row)
{
	struct arm *arm = data;
	fb_verdict_add(arm->v, row->metric, arm->which, row->value);
	return 0;
}

static int add_fact(void *data, const struct fb_fact_row *row)
{
	struct arm *arm = data;
	if (row->text)
		fb_verdict_add_setting(arm->v, arm->which, row->window,
				       row->key, row->text);
	else
		fb_verdict_add_evidence(arm->v, arm->which, row->window,
					row->source, row->key, row->value);
	return 0;
}

int fb_load_samples(struct fb_db *db, const struct fb_boot_filter *f,
		    char which, struct fb_verdict *v, struct fb_error *err)
{
	struct arm arm = { v, which };
	return fb_db_samples(db, f, add_sample, &arm, err);
}

int fb_load_arm(struct fb_db *db, const struct fb_boot_filter *f, char which,
		struct fb_verdict *v, struct fb_error *err)
{
	struct arm arm = { v, which };
	int rc = fb_db_samples(db, f, add_sample, &arm, err);
	return rc ? rc : fb_db_facts(db, f, add_fact, &arm, err);
}
