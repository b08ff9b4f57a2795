/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was tested, as it happens and as the database tells it again. */
#include <stdlib.h>

#include "bisect_private.h"
#include "errors.h"

void bisect_remember_tested(struct bisect *b, uint32_t node)
{
	for (size_t i = 0; i < b->n_tested; i++)
		if (b->tested[i] == node)
			return;
	FB_GROW(b->tested, b->n_tested, b->cap_tested);
	b->tested[b->n_tested++] = node;
}

void bisect_remember_failure(struct bisect *b, uint32_t node,
			     const char *outcome, const char *detail)
{
	free(b->failure[node]);
	b->failure[node] = fb_strf("%s%s%s", outcome, detail ? ": " : "",
				   detail ? detail : "");
}

static int replay_build(void *data, const struct fb_build_row *row)
{
	struct bisect *b = data;
	uint32_t node = bisect_node(b, row->revision);
	if (node != FB_DAG_NONE && !fb_streq(row->outcome, "measured")) {
		bisect_remember_tested(b, node);
		bisect_remember_failure(b, node, row->outcome, row->error);
		fb_engine_failure(b->engine, node, true);
	}
	return 0;
}

static int replay_boot(void *data, const struct fb_boot_row *row)
{
	struct bisect *b = data;
	enum fb_outcome outcome;
	const char *now = b->s->runner->machine;
	if (now && row->machine && !fb_streq(now, row->machine)) {
		free(b->other_machine);
		b->other_machine = fb_strdup(row->machine);
	}
	uint32_t node = bisect_node(b, row->revision);
	if (node == FB_DAG_NONE || !fb_outcome_parse(row->outcome, &outcome) ||
	    outcome == FB_OUTCOME_MACHINE)
		return 0;
	bisect_remember_tested(b, node);
	if (outcome == FB_OUTCOME_MEASURED && row->has_value) {
		fb_engine_sample(b->engine, node, row->value,
				 fb_streq(row->phase, "verify"));
	} else {
		bisect_remember_failure(b, node, row->outcome, row->detail);
		fb_engine_failure(b->engine, node, fb_outcome_final(outcome));
	}
	return 0;
}

int bisect_replay(struct bisect *b, struct fb_error *err)
{
	int rc = fb_db_builds(b->s->db, b->rec.id, replay_build, b, err);
	if (rc == 0)
		rc = fb_db_boots(b->s->db, b->rec.id, b->rec.metric,
				 replay_boot, b, err);
	/* Figures of two machines or clocks cannot be held against another. */
	if (rc == 0 && b->other_machine)
		rc = fb_error_set(err, FB_E_USAGE,
				  "bisection %lld was measured with \"%s\", "
				  "but this is \"%s\"; start it anew",
				  (long long)b->rec.id, b->other_machine,
				  b->s->runner->machine);
	return rc;
}
