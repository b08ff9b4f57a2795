/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two-sided proof: bad without the culprit must be as good as good, and
 * good with the culprit alone as bad as bad. It is the only defence against
 * figures that moved with the layout of the code and not with what it does.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bisect_private.h"
#include "cleanup.h"
#include "errors.h"
#include "progress.h"
#include "revert.h"

#define MOST 4 /* times the rounds of verification */

/* What either side is called, and what it should come out as. */
static const struct side {
	const char *phase, *doing, *confirms;
	bool expect_bad;
} sides[] = {
	[SIDE_REVERT] = { "revert", "bad without the culprit", "restored",
			  false },
	[SIDE_APPLY] = { "apply", "good with the culprit alone", "reproduced",
			 true },
};

static int make(struct bisect *b, enum bisect_side side, uint32_t culprit,
		struct fb_error *err)
{
	struct bisect_proof *p = &b->proof[side];
	const git_oid *commit = bisect_oid(b, culprit);
	p->on = side == SIDE_REVERT ? b->bad : b->goods[0];
	int rc = side == SIDE_REVERT ?
			 fb_commit_revert(&b->s->repo, commit, &p->on, &p->oid,
					  &p->made, err) :
			 fb_commit_repeat(&b->s->repo, commit, &p->on, &p->oid,
					  &p->made, err);
	if (rc == 0 && !p->made) {
		p->outcome = "does-not-apply";
		p->detail = fb_strdup(side == SIDE_REVERT ?
					      "later commits changed the same "
					      "lines" :
					      "it needs earlier commits of the "
					      "range");
	}
	return rc;
}

/* What was measured of it before the session was cut off. */
static int replay_row(void *data, const struct fb_boot_row *row)
{
	struct bisect *b = data;
	for (int side = 0; side < N_SIDES; side++) {
		enum fb_outcome outcome;
		char hex[FB_OID_SIZE];
		git_oid_tostr(hex, sizeof(hex), &b->proof[side].oid);
		if (!b->proof[side].made || !fb_streq(hex, row->revision) ||
		    !fb_streq(row->phase, sides[side].phase) ||
		    !fb_outcome_parse(row->outcome, &outcome) ||
		    outcome == FB_OUTCOME_MACHINE)
			continue;
		struct bisect_taken t = { .node = bisect_side_node(
						  b, (enum bisect_side)side),
					  .phase = row->phase,
					  .outcome = outcome,
					  .has_value = row->has_value,
					  .value = row->value,
					  .at = row->started };
		bisect_take(b, b->engine, &t);
	}
	return 0;
}

static const char *judge(double p_bad, bool expect_bad, const char *confirms)
{
	double sure = 0.95;
	if (p_bad < 1 - sure || p_bad > sure)
		return (p_bad > sure) == expect_bad ? confirms : "no-effect";
	return "unclear";
}

static int measure(struct bisect *b, enum bisect_side side,
		   struct fb_error *err)
{
	struct bisect_proof *p = &b->proof[side];
	const struct side *what = &sides[side];
	struct bisect_wish wish = { bisect_side_node(b, side), what->phase,
				    FB_EXTENT_METRIC };
	unsigned rounds = fb_engine_rounds(b->engine);
	for (;;) {
		size_t n = fb_engine_samples(b->engine, wish.node);
		const char *said = judge(fb_engine_alone(b->engine, wish.node),
					 what->expect_bad, what->confirms);
		p->outcome = said;
		if ((n >= rounds && !fb_streq(said, "unclear")) ||
		    n >= MOST * (size_t)rounds)
			return 0;
		if (fb_engine_mark(b->engine, wish.node) == FB_NODE_SKIP) {
			const char *why = b->failure[wish.node];
			p->outcome = "not-measured";
			p->detail = fb_strdup(why ? why : "boots failed");
			return 0;
		}
		char *late = bisect_out_of_budget(b, wish.node);
		if (late) {
			p->outcome = "not-tried";
			p->detail = late;
			return 0;
		}
		int64_t id;
		int rc = bisect_decide(b, &wish, what->doing, &id, err);
		if (rc == 0)
			rc = bisect_boot(b, &wish, id, err);
		if (rc)
			return rc;
	}
}

int bisect_prove(struct bisect *b, uint32_t culprit, struct fb_error *err)
{
	int rc = 0;
	if (!b->s->cfg->proof)
		return 0;
	for (int side = 0; rc == 0 && side < N_SIDES; side++)
		rc = make(b, (enum bisect_side)side, culprit, err);
	if (rc == 0)
		rc = fb_db_boots(b->s->db,
				 (struct fb_purpose){ .bisection = b->rec.id },
				 b->rec.metric, replay_row, b, err);
	for (int side = 0; rc == 0 && side < N_SIDES; side++)
		if (b->proof[side].made)
			rc = measure(b, (enum bisect_side)side, err);
	return rc;
}

cJSON *bisect_proof_json(const struct bisect *b, enum bisect_side side)
{
	const struct bisect_proof *p = &b->proof[side];
	uint32_t node = bisect_side_node(b, side);
	if (!p->outcome)
		return cJSON_CreateNull();
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "on", git_oid_tostr_s(&p->on));
	if (p->made)
		cJSON_AddStringToObject(o, "commit", git_oid_tostr_s(&p->oid));
	cJSON_AddStringToObject(o, "outcome", p->outcome);
	cJSON_AddBoolToObject(o, "confirms",
			      fb_streq(p->outcome, sides[side].confirms));
	if (p->detail)
		cJSON_AddStringToObject(o, "detail", p->detail);
	if (fb_engine_samples(b->engine, node)) {
		cJSON_AddNumberToObject(o, "value",
					fb_engine_value(b->engine, node));
		cJSON_AddNumberToObject(o, "probability_bad",
					fb_engine_alone(b->engine, node));
	}
	cJSON_AddNumberToObject(o, "samples",
				(double)fb_engine_samples(b->engine, node));
	return o;
}

char *bisect_proof_doubt(const struct bisect *b, enum bisect_side side)
{
	const struct bisect_proof *p = &b->proof[side];
	uint32_t node = bisect_side_node(b, side);
	if (!p->outcome || !(fb_streq(p->outcome, "no-effect") ||
			     fb_streq(p->outcome, "unclear")))
		return NULL;
	double value = fb_engine_value(b->engine, node);
	return side == SIDE_REVERT ?
		       fb_strf("reverting it on %.12s gives %.4g: what it did "
			       "does not account for the whole difference "
			       "there, or later commits rest on it",
			       b->rec.bad, value) :
		       fb_strf("applied alone on %.12s it gives %.4g: it needs "
			       "something else of the range to be slow",
			       b->rec.good, value);
}
