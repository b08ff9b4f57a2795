/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The phases before the search: end points and merge bases. */
#include <math.h>

#include "engine_private.h"

#define APART 4 /* sigmas between two boots that noise seldom makes */
#define MANY_OUTLIERS 0.25
#define DIFFICULT 12 /* boots of an end point with outliers or humps */

/* The threshold on the scale of z, where bad is always lower. */
static double least_drop(const struct fb_engine *e)
{
	return e->p.lower_is_better ? log1p(e->p.threshold) :
				      -log1p(-e->p.threshold);
}

static bool measure_end(struct fb_engine *e, struct fb_action *a)
{
	size_t good = e->nodes[good_end(e)].n, bad = e->nodes[bad_end(e)].n;
	return act(a, FB_ACT_MEASURE, good <= bad ? good_end(e) : bad_end(e));
}

static bool ends_untestable(struct fb_engine *e, struct fb_action *a)
{
	const uint32_t ends[] = { good_end(e), bad_end(e) };
	for (int i = 0; i < 2; i++) {
		if (!engine_untestable(e, ends[i]))
			continue;
		say(a, "the %s end point cannot be measured",
		    i ? "bad" : "good");
		return act(a, FB_ACT_END_UNTESTABLE, ends[i]);
	}
	return false;
}

static bool ends_are_one_kernel(const struct fb_engine *e, struct fb_action *a)
{
	if (e->nodes[good_end(e)].kernel != e->nodes[bad_end(e)].kernel)
		return false;
	say(a, "good and bad are one and the same kernel: whatever differs is "
	       "not in it");
	return act(a, FB_ACT_NOT_REPRODUCED, bad_end(e));
}

/* Is the noise such that the usual few boots tell too little? */
static bool difficult(const struct fb_classes *c)
{
	return c->outliers > MANY_OUTLIERS || c->hump.share > 0;
}

/*
 * Do boots of one commit lie apart like the classes do? Then there may be two
 * humps that the end points have not shown yet.
 */
static bool torn(const struct fb_engine *e)
{
	const struct fb_classes *c = &e->view[0].classes;
	double drop = fb_classes_drop(c);
	double least = fmax(drop / 2, APART * c->sigma);
	for (uint32_t x = 0; x < e->n_nodes; x++) {
		struct fb_zs s = zs(e, x);
		for (size_t i = 1; i < s.n; i++) {
			double apart = fabs(s.z[i] - s.z[i - 1]);
			if (apart > least && apart < 2 * drop)
				return true;
		}
	}
	return false;
}

bool engine_ends(struct fb_engine *e, struct fb_action *a)
{
	size_t good = e->nodes[good_end(e)].n, bad = e->nodes[bad_end(e)].n;
	size_t n = good < bad ? good : bad;
	a->phase = FB_PHASE_ENDS;
	if (ends_untestable(e, a) || ends_are_one_kernel(e, a))
		return true;
	if (n < e->p.endpoint || e->n_views == 0) {
		say(a, "%s end point, boot %zu of at least %u",
		    good <= bad ? "good" : "bad", n + 1, e->p.endpoint);
		return measure_end(e, a);
	}
	const struct fb_classes *c = &e->view[0].classes;
	double change = engine_percent(e, fb_classes_drop(c));
	bool hopeless = !fb_classes_may_drop(c, least_drop(e));
	unsigned careful =
		e->p.endpoint_max < DIFFICULT ? e->p.endpoint_max : DIFFICULT;
	if (n < DIFFICULT && (difficult(c) || torn(e))) {
		say(a,
		    "there are outliers or two humps: more of the end points");
		return measure_end(e, a);
	}
	if (!hopeless && fb_classes_differ(c))
		return false;
	/* Few boots may all be of the slower hump: do not send people away. */
	if (hopeless && n < careful) {
		say(a, "no drop in sight after %zu boots: more of them",
		    good + bad);
		return measure_end(e, a);
	}
	if (!hopeless && n < e->p.endpoint_max) {
		say(a, "change of %+.1f %% is not decided after %zu boots",
		    change, good + bad);
		return measure_end(e, a);
	}
	say(a,
	    "the regression does not reproduce: bad differs from good by "
	    "%+.2f %%, the threshold is %+.2f %%",
	    change, engine_percent(e, least_drop(e)));
	return act(a, FB_ACT_NOT_REPRODUCED, bad_end(e));
}

bool engine_bases(struct fb_engine *e, struct fb_action *a)
{
	a->phase = FB_PHASE_BASES;
	for (uint32_t i = 0; i < e->p.n_bases; i++) {
		uint32_t base = good_end(e) + 1 + i;
		switch (fb_engine_mark(e, base)) {
		case FB_NODE_UNTESTED:
		case FB_NODE_UNCLEAR:
			say(a, "good is not an ancestor of bad: a merge base "
			       "must be tested");
			return act(a, FB_ACT_MEASURE, base);
		case FB_NODE_BAD:
			say(a, "the merge base is bad: the regression was "
			       "fixed between it and the good revision");
			return act(a, FB_ACT_BASE_BAD, base);
		case FB_NODE_GOOD:
		case FB_NODE_SKIP:
			break;
		}
	}
	return false;
}
