/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search and its verification, in one view. */
#include <math.h>
#include <stdlib.h>

#include "engine_private.h"
#include "reach.h"
#include "text.h"

#define MISFIT 9	  /* nats that one change may fail to explain */
#define MISFIT_SAMPLES 6  /* boots that a contradiction must survive */
#define PARENTS 63	  /* of the culprit that are verified at most */
#define SKIPPED_BUILDS 8  /* failures in a cell before it is given up */
#define CLASS_SAMPLES 20  /* divided by d^2 */
#define SHARE 8		  /* at most 1 / SHARE of the boots so far at once */
#define MIDDLE_ODDS 3	  /* of two changes: a look at the middle */
#define PROBABLE 0.9	  /* culprit: fresh boots are worth it */
#define WORTHLESS 1e-7	  /* nats per second */
#define REFERENCE_BOOTS 4 /* between two of the good end point */

static double enough(const struct fb_engine *e)
{
	return 1 - (1 - e->p.confidence) / 2;
}

static unsigned most(const struct fb_engine *e)
{
	return e->p.max ? e->p.max : UINT32_MAX;
}

static bool boot_again(struct fb_action *a, uint32_t node, unsigned boots)
{
	a->boots = boots;
	return act(a, FB_ACT_MEASURE, node);
}

/* A commit that was begun is measured before another is built. */
static bool finish_begun(const struct fb_engine *e, const struct view *v,
			 struct fb_action *a)
{
	unsigned least = view_least(e, v);
	for (uint32_t x = 0; x < e->dag->n; x++) {
		const struct node *y = &e->nodes[x];
		if (!v->usable[x] || engine_untestable(e, x) || y->n >= least ||
		    (y->n == 0 && y->failures == 0))
			continue;
		if (y->failures)
			say(a, "boot failed %u time%s, trying again",
			    y->failures, y->failures > 1 ? "s" : "");
		else
			say(a, "boot %zu of at least %u", y->n + 1, least);
		return boot_again(a, x, 1);
	}
	return false;
}

/*
 * Tests that one change cannot explain: the weakest of them again, and the
 * end when all have had their chance.
 */
static bool settle_contradiction(const struct fb_engine *e,
				 const struct view *v, struct fb_action *a)
{
	size_t weakest = v->n_tests;
	unsigned cap = most(e) < MISFIT_SAMPLES ? most(e) : MISFIT_SAMPLES;
	if (v->belief.misfit < MISFIT)
		return false;
	for (size_t j = 0; j < v->n_tests; j++) {
		size_t n = v->tests[j].s.n;
		if (n < cap &&
		    (weakest == v->n_tests || n < v->tests[weakest].s.n))
			weakest = j;
	}
	if (weakest < v->n_tests) {
		say(a,
		    "the tests contradict each other by %.1f nats: the one "
		    "with fewest boots again",
		    v->belief.misfit);
		return boot_again(a, v->tests[weakest].node, 1);
	}
	say(a, "good and bad commits contradict each other: there is more than "
	       "one change in this range, and not all for the worse");
	return act(a, FB_ACT_UNDECIDED, v->bad);
}

/* A test between the classes may mean two changes: is it really there? */
static bool look_at_middle(const struct fb_engine *e, const struct view *v,
			   struct fb_action *a)
{
	const struct fb_changes *c = &e->changes;
	if (v != &e->view[0] || c->odds <= MIDDLE_ODDS ||
	    c->middle >= v->n_tests)
		return false;
	const struct fb_test *t = &v->tests[c->middle];
	if (t->s.n >= 2 * MISFIT_SAMPLES || t->s.n >= most(e))
		return false;
	say(a, "it lies between good and bad (odds of two changes %.3g): again",
	    c->odds);
	return boot_again(a, t->node, 1);
}

/* The culprit and its parents, which are good; the good end without any. */
static size_t witnesses(const struct fb_engine *e, const struct view *v,
			uint32_t *list)
{
	const struct fb_dag *dag = e->dag;
	uint32_t x = v->best;
	size_t n = 0;
	list[n++] = x;
	for (uint32_t k = dag->at[x]; k < dag->at[x + 1] && n <= PARENTS; k++)
		list[n++] = dag->parent[k];
	if (dag->at[x] == dag->at[x + 1])
		list[n++] = v->good;
	return n;
}

unsigned engine_rounds(const struct view *v)
{
	struct fb_power power = view_power(v);
	double d = fb_power_of(&power, 1);
	return (unsigned)fmin(fmax(round(4 / (d * d)), 2), 6);
}

/*
 * Fresh boots begin when the commit is probable; with them it must be found
 * at the full confidence. False when it needs yet more.
 */
static bool verify(const struct fb_engine *e, const struct view *v,
		   struct fb_action *a)
{
	if (v->belief.p[v->best] < PROBABLE)
		return false;
	unsigned rounds = engine_rounds(v);
	uint32_t list[PARENTS + 2];
	size_t n = witnesses(e, v, list);
	a->phase = FB_PHASE_VERIFY;
	for (unsigned r = 0; r < rounds; r++) {
		for (size_t i = n; i-- > 0;) {
			const struct node *y = &e->nodes[list[i]];
			if (y->verified > r || engine_untestable(e, list[i]))
				continue;
			say(a, "fresh boot %u of the %s", r + 1,
			    i ? "culprit's parent" : "culprit");
			return boot_again(a, list[i], 1);
		}
	}
	if (v->belief.p[v->best] < enough(e))
		return false;
	say(a, "P = %.4f, confirmed by fresh boots of it and its parent",
	    v->belief.p[v->best]);
	return act(a, FB_ACT_FOUND, v->best);
}

bool *engine_open(const struct fb_engine *e, const struct view *v)
{
	bool *open = fb_calloc(e->dag->n, sizeof(*open));
	for (uint32_t x = 0; x < e->dag->n; x++)
		open[x] = v->usable[x] && v->prior[x] > 0 &&
			  e->nodes[x].n == 0 && x != v->bad &&
			  engine_booted(e, x) == x && !engine_untestable(e, x);
	return open;
}

static uint32_t *find_skips(const struct fb_engine *e, const struct view *v,
			    size_t *n)
{
	size_t cap = 0;
	uint32_t *skips = NULL;
	*n = 0;
	for (uint32_t x = 0; x < e->dag->n; x++) {
		if (!engine_untestable(e, x) || !(v->belief.p[x] > 0))
			continue;
		FB_GROW(skips, *n, cap);
		skips[(*n)++] = x;
	}
	return skips;
}

/*
 * Could building anything divide this cell? After many failed builds only
 * what is not enclosed by failures counts as worth a try.
 */
static bool divisible(const struct fb_engine *e, const struct view *v,
		      uint32_t cell, uint32_t *failed)
{
	const struct fb_dag *dag = e->dag;
	uint32_t first = FB_DAG_NONE, last = 0;
	bool yes = false;
	double *mass = fb_calloc(dag->n, sizeof(*mass)), total = 0;
	double *in = fb_calloc(dag->n, sizeof(*in));
	*failed = 0;
	for (uint32_t x = 0; x < dag->n; x++) {
		if (v->belief.cells.of[x] != cell)
			continue;
		total += mass[x] = v->belief.p[x];
		if (!engine_untestable(e, x))
			continue;
		++*failed;
		first = first == FB_DAG_NONE ? x : first;
		last = x;
	}
	if (*failed == 0 && fb_reach_cost(dag, mass) > dag->n) {
		/* Large and untouched: there is something to build. */
		free(in);
		free(mass);
		return true;
	}
	fb_reach(dag, mass, in);
	bool *open = engine_open(e, v);
	for (uint32_t x = 0; x < dag->n && !yes; x++) {
		bool enclosed =
			*failed >= SKIPPED_BUILDS && x > first && x < last;
		yes = open[x] && !enclosed && in[x] > 1e-9 * total &&
		      in[x] < (1 - 1e-9) * total;
	}
	free(open);
	free(in);
	free(mass);
	return yes;
}

/* The mass is where nothing can be built: the set is the answer. */
static bool only_skipped(const struct fb_engine *e, const struct view *v,
			 struct fb_action *a)
{
	const struct fb_belief *b = &v->belief;
	uint32_t cell = b->cells.of[v->best], failed;
	if (b->cell[cell] < enough(e) || b->cells.size[cell] < 2 ||
	    divisible(e, v, cell, &failed))
		return false;
	say(a,
	    "only skipped commits are left: P = %.4f that the culprit is among "
	    "%u, of which %u cannot be tested",
	    b->cell[cell], b->cells.size[cell], failed);
	return act(a, FB_ACT_SKIPPED_ONLY, v->best);
}

/* Boots of something that has n: looking at every one gains nothing. */
static unsigned batch(const struct fb_power *power, size_t n)
{
	unsigned few = fb_power_batch(power), more = (unsigned)(n / SHARE);
	return few > more ? few : more;
}

/* Without knowing the classes well, tests tell little. */
static bool learn_classes(const struct fb_engine *e, const struct view *v,
			  struct fb_action *a)
{
	struct fb_power p = view_power(v);
	p.level2 = p.tau2 = 0;
	double d = fb_power_of(&p, 1), need = CLASS_SAMPLES / (d * d);
	double n = fmin(v->belief.n_good, v->belief.n_bad);
	uint32_t end = v->belief.n_good <= v->belief.n_bad ? v->good : v->bad;
	if (n >= need || engine_untestable(e, end) ||
	    e->nodes[end].n >= e->p.endpoint_max)
		return false;
	say(a, "the level of %s commits is known from %.1f boots, %.1f wanted",
	    end == v->good ? "good" : "bad", n, need);
	return boot_again(a, end, batch(&p, e->nodes[end].n));
}

/* The best use of more boots of something that is built. */
static struct fb_choice best_boots(const struct fb_engine *e,
				   const struct view *v,
				   const struct fb_power *power,
				   const struct fb_costs *costs)
{
	struct fb_choice best = { .node = FB_DAG_NONE };
	for (size_t j = 0; j < v->n_tests; j++) {
		size_t n = v->tests[j].s.n;
		uint32_t x = v->tests[j].node;
		if (n >= most(e) || engine_untestable(e, x))
			continue;
		unsigned k = batch(power, n);
		double value = fb_choose_boots(v->belief.test_bad[j],
					       (unsigned)n, k, power, costs);
		if (value > best.value)
			best = (struct fb_choice){ x, k, value };
	}
	return best;
}

static bool give_up(const struct view *v, struct fb_action *a)
{
	say(a,
	    "no allowed boot or build tells anything more; the most likely "
	    "commit has P = %.3f",
	    v->belief.p[v->best]);
	return act(a, FB_ACT_UNDECIDED, v->best);
}

/*
 * Before a build, unless the last one is only a few boots ago: where builds
 * are cheap, every commit would cost twice.
 */
static bool reference_due(const struct fb_engine *e, const struct view *v)
{
	const struct node *g = &e->nodes[good_end(e)];
	const struct node *last = &e->nodes[e->last];
	if (!e->p.references || e->last == v->good || e->last == good_end(e))
		return false;
	double since = last->at[last->n - 1] - g->at[g->n - 1];
	return since >= REFERENCE_BOOTS * e->p.boot_seconds;
}

static bool choose(struct fb_engine *e, struct view *v, struct fb_action *a)
{
	struct fb_power power = view_power(v);
	struct fb_costs costs = { e->p.build_seconds, e->p.boot_seconds };
	struct fb_choice build, boot = best_boots(e, v, &power, &costs);
	size_t n;
	uint32_t *skips = find_skips(e, v, &n);
	bool *open = engine_open(e, v);
	const double *p = view_p_bad(e, v);
	fb_choose_build(e->dag, p, open, skips, n, &power, &costs,
			view_least(e, v), &build);
	free(open);
	free(skips);
	a->explain.build = build.value;
	a->explain.boot = boot.value;
	if (fmax(build.value, boot.value) < WORTHLESS)
		return give_up(v, a);
	if (boot.value >= build.value) {
		say(a,
		    "boot again, P(bad) = %.3f: %.2g nats a second, %.2g by "
		    "building",
		    p[boot.node], boot.value, build.value);
		return boot_again(a, boot.node, boot.boots);
	}
	if (reference_due(e, v)) {
		say(a, "reference boot of the good end point before a build");
		return boot_again(a, good_end(e), 1);
	}
	say(a,
	    "build, P(bad) = %.3f: %.2g nats a second, %.2g by booting again",
	    p[build.node], build.value, boot.value);
	/* What the first boots say decides how many more it is worth. */
	unsigned first = batch(&power, 0), least = view_least(e, v);
	return boot_again(a, build.node, first > least ? first : least);
}

void engine_search(struct fb_engine *e, struct view *v, struct fb_action *a)
{
	a->phase = FB_PHASE_SEARCH;
	a->boots = 0;
	if (finish_begun(e, v, a) || look_at_middle(e, v, a) ||
	    settle_contradiction(e, v, a))
		return;
	if (verify(e, v, a))
		return;
	a->phase = FB_PHASE_SEARCH;
	if (only_skipped(e, v, a) || learn_classes(e, v, a))
		return;
	choose(e, v, a);
}
