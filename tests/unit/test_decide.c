/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine.h"
#include "reach.h"
#include "text.h"
#include "unit.h"

/* A small generator of our own, so that every run is the same. */
static uint64_t seed;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(1 - uniform())) *
	       cos(6.283185307179586 * uniform());
}

static void linear(struct fb_dag *dag, uint32_t n)
{
	dag->n = n;
	dag->at = fb_calloc(n + 1, sizeof(uint32_t));
	dag->parent = fb_calloc(n, sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		dag->at[i + 1] = i;
		if (i)
			dag->parent[i - 1] = i - 1;
	}
}

/* Each commit hangs on a recent one; one in eight merges a second. */
static void bushy(struct fb_dag *dag, uint32_t n)
{
	uint32_t k = 0;
	dag->n = n;
	dag->at = fb_calloc(n + 1, sizeof(uint32_t));
	dag->parent = fb_calloc(2 * n, sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++) {
		if (i) {
			uint32_t reach = i < 6 ? i : 6;
			uint32_t a = i - 1 - (uint32_t)(uniform() * reach);
			uint32_t b = i - 1 - (uint32_t)(uniform() * reach);
			dag->parent[k++] = a;
			if (uniform() < 0.125 && a != b)
				dag->parent[k++] = b;
		}
		dag->at[i + 1] = k;
	}
	/* The tip must reach everything: an octopus over all loose ends. */
	bool *has_child = fb_calloc(n, sizeof(bool));
	for (uint32_t i = 0; i < k; i++)
		has_child[dag->parent[i]] = true;
	dag->parent = fb_realloc(dag->parent, 3 * n, sizeof(uint32_t));
	for (uint32_t i = 0; i + 1 < n; i++)
		if (!has_child[i])
			dag->parent[k++] = i;
	dag->at[n] = k;
	free(has_child);
}

static struct fb_engine_params params(void)
{
	return (struct fb_engine_params){ .threshold = 0.05,
					  .confidence = 0.99,
					  .endpoint = 3,
					  .min = 1,
					  .max = 12,
					  .failures = 2 };
}

struct world {
	const struct fb_dag *dag;
	uint32_t culprit;
	double drop, noise, outliers;
	bool *unbuildable;
	const double *weight;	/* NULL: all alike */
	const uint32_t *kernel; /* equal numbers: one kernel; n + 1 of them */
	unsigned built, booted, boots;
	bool *seen, *measured;
};

/* Are all that were built already and are this kernel told? Is it measured? */
static bool tell_twins(struct world *w, struct fb_engine *e, uint32_t x)
{
	bool known = false;
	for (uint32_t y = 0; w->kernel && y <= w->dag->n; y++) {
		if (y == x || !w->seen[y] || w->kernel[y] != w->kernel[x])
			continue;
		fb_engine_same(e, x, y);
		known |= w->measured[y];
	}
	return known;
}

/* Runs the engine to its end against a simulated kernel history. */
static void play(struct world *w, const struct fb_engine_params *p,
		 struct fb_action *end)
{
	struct fb_engine *e = fb_engine_new(w->dag, p);
	if (w->weight)
		fb_engine_prior(e, w->weight);
	bool *bad = fb_calloc(w->dag->n + 1, sizeof(bool));
	bool *anc = fb_calloc(w->dag->n, sizeof(bool));
	for (uint32_t x = 0; x < w->dag->n; x++) {
		memset(anc, 0, w->dag->n * sizeof(bool));
		fb_dag_mark_ancestors(w->dag, x, anc);
		bad[x] = anc[w->culprit];
	}
	w->seen = fb_calloc(w->dag->n + 1, sizeof(bool));
	w->measured = fb_calloc(w->dag->n + 1, sizeof(bool));
	w->boots = w->built = w->booted = 0;
	for (; w->boots < 5000; w->boots++) {
		fb_engine_next(e, end);
		if (end->kind != FB_ACT_MEASURE)
			break;
		uint32_t x = end->node;
		w->built += !w->seen[x];
		w->seen[x] = true;
		if (tell_twins(w, e, x) && end->phase == FB_PHASE_SEARCH &&
		    !w->measured[x])
			continue;
		w->booted += !w->measured[x];
		w->measured[x] = true;
		if (w->unbuildable && x < w->dag->n && w->unbuildable[x]) {
			fb_engine_failure(e, x, true);
			continue;
		}
		double v = 100 * (x <= w->dag->n && bad[x] ? 1 - w->drop : 1);
		v *= exp(w->noise * gauss());
		if (uniform() < w->outliers)
			v *= 0.5;
		fb_engine_sample(e, x, v, end->phase == FB_PHASE_VERIFY);
	}
	free(w->seen);
	free(w->measured);
	free(bad);
	free(anc);
	fb_engine_free(e);
}

static void every_culprit_of_a_line(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 64);
	struct fb_engine_params p = params();
	for (uint32_t c = 0; c < 64; c++) {
		struct world w = {
			.dag = &dag, .culprit = c, .drop = 0.3, .noise = 0.002
		};
		struct fb_action end;
		seed = c;
		play(&w, &p, &end);
		assert_int_equal(end.kind, FB_ACT_FOUND);
		assert_int_equal(end.node, c);
		/* Both ends, log2(64) midpoints. */
		assert_true(w.built <= 2 + 6);
	}
	fb_dag_release(&dag);
}

static void every_culprit_of_a_bush(void **state)
{
	(void)state;
	struct fb_dag dag;
	seed = 5;
	bushy(&dag, 120);
	struct fb_engine_params p = params();
	for (uint32_t c = 0; c < 120; c++) {
		struct world w = {
			.dag = &dag, .culprit = c, .drop = 0.2, .noise = 0.003
		};
		struct fb_action end;
		play(&w, &p, &end);
		assert_int_equal(end.kind, FB_ACT_FOUND);
		assert_int_equal(end.node, c);
	}
	fb_dag_release(&dag);
}

/*
 * 10 % drop, 3 % noise, one sample in fifty of half speed: at the confidence
 * asked for, 99 %, four wrong in 200 have a probability below 0.15.
 */
static void noisy_at_stated_confidence(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 256);
	struct fb_engine_params p = params();
	int right = 0, wrong = 0;
	seed = 99;
	for (int t = 0; t < 200; t++) {
		struct world w = { .dag = &dag,
				   .culprit = (uint32_t)(uniform() * 256),
				   .drop = 0.1,
				   .noise = 0.03,
				   .outliers = 0.02 };
		struct fb_action end;
		play(&w, &p, &end);
		right += end.kind == FB_ACT_FOUND && end.node == w.culprit;
		wrong += end.kind == FB_ACT_FOUND && end.node != w.culprit;
	}
	print_message("right %d, wrong %d of 200\n", right, wrong);
	assert_true(wrong <= 4);
	assert_true(right >= 190);
	fb_dag_release(&dag);
}

static void no_effect_names_nobody(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 128);
	struct fb_engine_params p = params();
	seed = 4;
	for (int t = 0; t < 200; t++) {
		struct world w = { .dag = &dag,
				   .culprit = 5,
				   .drop = 0,
				   .noise = 0.02,
				   .outliers = 0.02 };
		struct fb_action end;
		play(&w, &p, &end);
		assert_int_equal(end.kind, FB_ACT_NOT_REPRODUCED);
	}
	fb_dag_release(&dag);
}

static void small_change_is_below_threshold(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 16);
	struct fb_engine_params p = params();
	struct world w = {
		.dag = &dag, .culprit = 5, .drop = 0.02, .noise = 0.001
	};
	struct fb_action end;
	seed = 1;
	play(&w, &p, &end);
	assert_int_equal(end.kind, FB_ACT_NOT_REPRODUCED);
	assert_int_equal(w.built, 2);
	fb_dag_release(&dag);
}

static void lower_is_better_is_mirrored(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 32);
	struct fb_engine_params p = params();
	p.lower_is_better = true;
	/* A latency that doubles: a "drop" of -1 in the simulated value. */
	struct world w = {
		.dag = &dag, .culprit = 20, .drop = -1, .noise = 0.01
	};
	struct fb_action end;
	seed = 3;
	play(&w, &p, &end);
	assert_int_equal(end.kind, FB_ACT_FOUND);
	assert_int_equal(end.node, 20);
	/* An improvement is not a regression. */
	w.drop = 0.5;
	play(&w, &p, &end);
	assert_int_equal(end.kind, FB_ACT_NOT_REPRODUCED);
	fb_dag_release(&dag);
}

static void skips_are_walked_around(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 100);
	bool broken[101] = { false };
	struct fb_engine_params p = params();
	for (int i = 40; i < 60; i++)
		broken[i] = true;
	for (uint32_t c = 0; c < 100; c++) {
		struct world w = { .dag = &dag,
				   .culprit = c,
				   .drop = 0.3,
				   .noise = 0.002,
				   .unbuildable = broken };
		struct fb_action end;
		seed = c;
		play(&w, &p, &end);
		/* A culprit in, or right behind, the broken block is hidden. */
		if (c >= 40 && c <= 60) {
			assert_int_equal(end.kind, FB_ACT_SKIPPED_ONLY);
			assert_int_equal(end.candidates, 21);
		} else {
			assert_int_equal(end.kind, FB_ACT_FOUND);
			assert_int_equal(end.node, c);
		}
	}
	fb_dag_release(&dag);
}

static void untestable_end_is_said(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 8);
	bool broken[9] = { false };
	struct fb_engine_params p = params();
	broken[7] = true;
	struct world w = { .dag = &dag,
			   .culprit = 3,
			   .drop = 0.3,
			   .noise = 0.002,
			   .unbuildable = broken };
	struct fb_action end;
	play(&w, &p, &end);
	assert_int_equal(end.kind, FB_ACT_END_UNTESTABLE);
	assert_int_equal(end.node, 7);
	fb_dag_release(&dag);
}

static void nonsense_values_are_failures(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 8);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	struct fb_action a;
	static const double values[] = { NAN, INFINITY, 0, -5 };
	for (int i = 0; i < 4; i++)
		fb_engine_sample(e, 8, values[i], false);
	assert_int_equal(fb_engine_samples(e, 8), 0);
	fb_engine_next(e, &a);
	assert_int_equal(a.kind, FB_ACT_END_UNTESTABLE);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

static void constant_arms_do_not_crash(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 16);
	struct fb_engine_params p = params();
	struct world w = { .dag = &dag, .culprit = 9, .drop = 0.5 };
	struct fb_action end;
	play(&w, &p, &end);
	assert_int_equal(end.kind, FB_ACT_FOUND);
	assert_int_equal(end.node, 9);
	fb_dag_release(&dag);
}

static void posterior_is_exact_for_clear_data(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 4);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	double post[4];
	for (int i = 0; i < 6; i++) {
		fb_engine_sample(e, 4, 100 + i % 2, false);
		fb_engine_sample(e, 3, 50 + i % 2, false);
	}
	/* Nothing tested inside: uniform. */
	fb_engine_posterior(e, post);
	for (int i = 0; i < 4; i++)
		assert_true(fabs(post[i] - 0.25) < 1e-12);
	/* 1 good: only 2 and 3 stay likely, equally. */
	for (int i = 0; i < 4; i++)
		fb_engine_sample(e, 1, 100, false);
	fb_engine_posterior(e, post);
	assert_true(post[0] < 1e-4 && post[0] == post[1]);
	assert_true(fabs(post[2] - post[3]) < 1e-12);
	assert_true(fabs(post[0] + post[1] + post[2] + post[3] - 1) < 1e-12);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/*
 * Other commits of a range move the figure a little: one that lies 8 % off the
 * good end but far from the bad one is good, and that takes few boots.
 */
static void slightly_off_is_decided(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 8);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	for (int i = 0; i < 3; i++) {
		fb_engine_sample(e, 8, 477 + i * 0.3, false);
		fb_engine_sample(e, 7, 80 + i * 0.05, false);
	}
	for (int i = 0; i < 3; i++)
		fb_engine_sample(e, 3, 440 + i * 0.3, false);
	for (int i = 0; i < 3; i++)
		fb_engine_sample(e, 5, 90 + i * 0.05, false);
	assert_int_equal(fb_engine_mark(e, 3), FB_NODE_GOOD);
	assert_int_equal(fb_engine_mark(e, 5), FB_NODE_BAD);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/* Bad, good again, bad: no commit is named, and the end points do differ. */
static void contradiction_names_nobody(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 8);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	struct fb_action a;
	for (int i = 0; i < 3; i++) {
		fb_engine_sample(e, 8, 100 + i * 0.1, false);
		fb_engine_sample(e, 7, 60 + i * 0.1, false);
	}
	for (int i = 0; i < 4; i++) {
		fb_engine_sample(e, 2, 60, false);
		fb_engine_sample(e, 5, 100, false);
	}
	/* It looks again before it gives up. */
	int boots = 0;
	for (fb_engine_next(e, &a); a.kind == FB_ACT_MEASURE && boots < 100;
	     boots++) {
		assert_true(a.node == 2 || a.node == 5);
		fb_engine_sample(e, a.node, a.node == 2 ? 60 : 100, false);
		fb_engine_next(e, &a);
	}
	assert_true(boots > 0);
	assert_int_equal(a.kind, FB_ACT_UNDECIDED);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/* Two boots of one commit that lie like good and bad do: is it the noise? */
static void torn_boots_ask_the_end_points(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 64);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	struct fb_action a;
	for (int i = 0; i < 5; i++) {
		fb_engine_sample(e, 64, 100 + i * 0.3, false);
		fb_engine_sample(e, 63, 90 + i * 0.3, false);
	}
	fb_engine_sample(e, 31, 100, false);
	fb_engine_next(e, &a);
	assert_int_equal(a.phase, FB_PHASE_SEARCH);
	/* Half the speed is an outlier, a whole drop is not. */
	fb_engine_sample(e, 31, 50, false);
	fb_engine_next(e, &a);
	assert_int_equal(a.phase, FB_PHASE_SEARCH);
	fb_engine_sample(e, 31, 100, false);
	fb_engine_sample(e, 31, 92, false);
	unsigned boots = 0;
	for (fb_engine_next(e, &a); a.phase == FB_PHASE_ENDS && boots < 100;
	     boots++) {
		assert_int_equal(a.kind, FB_ACT_MEASURE);
		fb_engine_sample(e, a.node, a.node == 64 ? 100.5 : 90.5, false);
		fb_engine_next(e, &a);
	}
	assert_int_equal(boots, 2 * (12 - 5));
	fb_engine_free(e);
	fb_dag_release(&dag);
}

static void merge_base_must_be_good(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 8);
	struct fb_engine_params p = params();
	p.n_bases = 1;
	struct fb_engine *e = fb_engine_new(&dag, &p);
	struct fb_action a;
	for (int i = 0; i < 3; i++) {
		fb_engine_sample(e, 8, 100 + i * 0.1, false);
		fb_engine_sample(e, 7, 60 + i * 0.1, false);
	}
	fb_engine_next(e, &a);
	assert_int_equal(a.kind, FB_ACT_MEASURE);
	assert_int_equal(a.node, 9);
	for (int i = 0; i < 4; i++)
		fb_engine_sample(e, 9, 60, false);
	fb_engine_next(e, &a);
	assert_int_equal(a.kind, FB_ACT_BASE_BAD);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/* 100 to commit 20, 90 to commit 70, 80 from there on. */
static void two_changes_are_both_found(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 128);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	struct fb_action a;
	seed = 12;
	for (int i = 0; i < 500; i++) {
		fb_engine_next(e, &a);
		if (a.kind != FB_ACT_MEASURE)
			break;
		uint32_t x = a.node;
		double v = x == 128 || x < 20 ? 100 : x < 70 ? 90 : 80;
		fb_engine_sample(e, x, v * exp(0.01 * gauss()),
				 a.phase == FB_PHASE_VERIFY);
	}
	assert_int_equal(a.kind, FB_ACT_SEVERAL);
	assert_int_equal(a.node, 20);
	assert_int_equal(a.second, 70);
	assert_int_equal(fb_engine_mark(e, 19), FB_NODE_GOOD);
	assert_int_equal(fb_engine_mark(e, 20), FB_NODE_BAD);
	assert_int_equal(fb_engine_mark(e, 69), FB_NODE_BAD);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

static void all_skipped_is_said(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 60);
	bool broken[61] = { false };
	struct fb_engine_params p = params();
	for (int i = 0; i < 59; i++)
		broken[i] = true;
	struct world w = { .dag = &dag,
			   .culprit = 31,
			   .drop = 0.3,
			   .noise = 0.002,
			   .unbuildable = broken };
	struct fb_action end;
	play(&w, &p, &end);
	assert_int_equal(end.kind, FB_ACT_SKIPPED_ONLY);
	assert_int_equal(end.candidates, 60);
	fb_dag_release(&dag);
}

/* Samples without end of one commit change nothing but the time it takes. */
static void thousands_of_samples(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 16);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	double post[16], sum = 0;
	seed = 2;
	for (int i = 0; i < 3000; i++)
		fb_engine_sample(e, 7, 100 * exp(0.02 * gauss()), false);
	for (int i = 0; i < 3; i++) {
		fb_engine_sample(e, 16, 100 * exp(0.02 * gauss()), false);
		fb_engine_sample(e, 15, 70 * exp(0.02 * gauss()), false);
	}
	assert_int_equal(fb_engine_mark(e, 7), FB_NODE_GOOD);
	fb_engine_posterior(e, post);
	for (int i = 0; i < 16; i++)
		sum += post[i];
	assert_true(fabs(sum - 1) < 1e-9);
	assert_true(post[7] < 1e-6);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/* What a prior of zero rules out is never named; nonsense is uniform. */
static void prior_is_obeyed(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 4);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	const double some[] = { 0, 1, 3, 0 }, none[] = { NAN, -1, 0, 0 };
	double post[4];
	fb_engine_prior(e, some);
	fb_engine_posterior(e, post);
	assert_true(post[0] == 0 && post[1] == 0.25 && post[2] == 0.75);
	fb_engine_prior(e, none);
	fb_engine_posterior(e, post);
	assert_true(post[0] == 0.25 && post[3] == 0.25);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

static void batch_is_for_builds(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 100);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	uint32_t nodes[3];
	assert_int_equal(fb_engine_batch(e, 3, nodes), 0);
	for (int i = 0; i < 3; i++) {
		fb_engine_sample(e, 100, 100 + 0.1 * i, false);
		fb_engine_sample(e, 99, 60 + 0.1 * i, false);
	}
	assert_int_equal(fb_engine_batch(e, 3, nodes), 3);
	assert_int_equal(nodes[0], 24);
	assert_int_equal(nodes[1], 49);
	assert_int_equal(nodes[2], 74);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/*
 * A machine that jumps by 20 % whenever a kernel was built, and a drop of 10 %:
 * that is said, in place of a name. On a steady one the culprit is found.
 */
static void machine_that_jumps_is_told(void **state)
{
	(void)state;
	struct fb_dag dag;
	unsigned told = 0, named = 0;
	linear(&dag, 500);
	for (int steady = 0; steady < 10; steady++) {
		struct fb_engine_params p = params();
		struct fb_action a;
		double at = 0, level = 0;
		uint32_t last = FB_DAG_NONE;
		unsigned boots = 0;
		p.max = 0;
		p.references = true;
		struct fb_engine *e = fb_engine_new(&dag, &p);
		seed = 77 + (uint64_t)steady;
		for (; boots < 2000; boots++) {
			fb_engine_next(e, &a);
			if (a.kind != FB_ACT_MEASURE)
				break;
			if (a.node != last && a.phase != FB_PHASE_ENDS) {
				at += 120;
				level = steady == 9 ? 0 : 0.2 * gauss();
			}
			last = a.node;
			bool bad = a.node >= 300 && a.node < dag.n;
			fb_engine_sample_at(
				e, a.node,
				(bad ? 90 : 100) * exp(level + 0.01 * gauss()),
				a.phase == FB_PHASE_VERIFY, at += 15);
		}
		if (steady == 9)
			assert_int_equal(a.kind, FB_ACT_FOUND);
		told += a.kind == FB_ACT_UNDECIDED;
		named += a.kind == FB_ACT_FOUND && a.node != 300;
		assert_true(boots < 2000);
		fb_engine_free(e);
	}
	/* Eight boots of the good end point are needed to see it. */
	assert_true(told >= 5); /* the others do not reproduce */
	assert_true(named <= 1);
	fb_dag_release(&dag);
}

/*
 * Every fourth commit of a line makes a new kernel, and nobody told which:
 * equal ones are found while searching, and none is booted twice for it.
 */
static void equal_kernels_are_booted_once(void **state)
{
	(void)state;
	struct fb_dag dag;
	uint32_t kernel[65];
	linear(&dag, 64);
	struct fb_engine_params p = params();
	for (uint32_t c = 0; c < 64; c += 4) {
		struct world w = { .dag = &dag,
				   .culprit = c,
				   .drop = 0.3,
				   .noise = 0.002,
				   .kernel = kernel };
		struct fb_action end;
		for (uint32_t x = 0; x < 64; x++)
			kernel[x] = 1 + x / 4;
		kernel[64] = 0; /* the good end */
		seed = c;
		play(&w, &p, &end);
		assert_int_equal(end.kind, FB_ACT_FOUND);
		assert_int_equal(end.node, c);
		/* 17 kernels: the ends, log2(16), and the culprit's parent. */
		assert_true(w.booted <= 2 + 4 + 1);
	}
	fb_dag_release(&dag);
}

static void equal_ends_are_no_regression(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 8);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	struct fb_action a;
	fb_engine_sample(e, 8, 100, false);
	fb_engine_same(e, 7, 8);
	fb_engine_next(e, &a);
	assert_int_equal(a.kind, FB_ACT_NOT_REPRODUCED);
	assert_message(((struct fb_error){ .message = a.reason }), "same");
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/* What one of two equal kernels measured is the other's mark as well. */
static void equal_kernels_share_their_mark(void **state)
{
	(void)state;
	struct fb_dag dag;
	linear(&dag, 8);
	struct fb_engine_params p = params();
	struct fb_engine *e = fb_engine_new(&dag, &p);
	double post[8];
	for (int k = 0; k < 3; k++) {
		fb_engine_sample(e, 8, 100 + k * 0.1, false);
		fb_engine_sample(e, 7, 80 + k * 0.1, false);
		fb_engine_sample(e, 3, 100 + k * 0.1, false);
	}
	fb_engine_failure(e, 5, true);
	fb_engine_same(e, 2, 3);
	fb_engine_same(e, 4, 3);
	fb_engine_same(e, 6, 5);
	assert_int_equal(fb_engine_mark(e, 2), FB_NODE_GOOD);
	assert_int_equal(fb_engine_mark(e, 4), FB_NODE_GOOD);
	assert_int_equal(fb_engine_mark(e, 6), FB_NODE_SKIP);
	fb_engine_posterior(e, post);
	assert_true(post[3] == 0 && post[4] == 0 && post[6] == 0);
	assert_true(post[5] > 0.49 && post[7] > 0.49);
	/* All commits ruled out: that says nothing. */
	fb_engine_same(e, 2, 8);
	fb_engine_same(e, 4, 7);
	fb_engine_posterior(e, post);
	assert_true(post[4] + post[5] + post[6] + post[7] > 0.99);
	fb_engine_free(e);
	fb_dag_release(&dag);
}

/*
 * Weights of 1 to 8 that know nothing of where culprits are: it costs builds,
 * but at 99 % confidence four wrong in 200 are as improbable as before.
 */
static void wrong_weights_do_not_lie(void **state)
{
	(void)state;
	struct fb_dag dag;
	double weight[128];
	seed = 12;
	bushy(&dag, 128);
	struct fb_engine_params p = params();
	int right = 0, wrong = 0;
	for (int t = 0; t < 200; t++) {
		struct world w = { .dag = &dag,
				   .culprit = (uint32_t)(uniform() * 128),
				   .drop = 0.1,
				   .noise = 0.03,
				   .outliers = 0.02,
				   .weight = weight };
		struct fb_action end;
		for (int x = 0; x < 128; x++)
			weight[x] = pow(2, floor(4 * uniform()));
		play(&w, &p, &end);
		right += end.kind == FB_ACT_FOUND && end.node == w.culprit;
		wrong += end.kind == FB_ACT_FOUND && end.node != w.culprit;
	}
	print_message("right %d, wrong %d of 200\n", right, wrong);
	assert_true(wrong <= 4);
	assert_true(right >= 190);
	fb_dag_release(&dag);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(torn_boots_ask_the_end_points),
	cmocka_unit_test(two_changes_are_both_found),
	cmocka_unit_test(all_skipped_is_said),
	cmocka_unit_test(thousands_of_samples),
	cmocka_unit_test(machine_that_jumps_is_told),
	cmocka_unit_test(prior_is_obeyed),
	cmocka_unit_test(batch_is_for_builds),
	cmocka_unit_test(equal_kernels_are_booted_once),
	cmocka_unit_test(equal_ends_are_no_regression),
	cmocka_unit_test(equal_kernels_share_their_mark),
	cmocka_unit_test(wrong_weights_do_not_lie),
	cmocka_unit_test(every_culprit_of_a_line),
	cmocka_unit_test(every_culprit_of_a_bush),
	cmocka_unit_test(noisy_at_stated_confidence),
	cmocka_unit_test(no_effect_names_nobody),
	cmocka_unit_test(small_change_is_below_threshold),
	cmocka_unit_test(lower_is_better_is_mirrored),
	cmocka_unit_test(skips_are_walked_around),
	cmocka_unit_test(untestable_end_is_said),
	cmocka_unit_test(nonsense_values_are_failures),
	cmocka_unit_test(constant_arms_do_not_crash),
	cmocka_unit_test(posterior_is_exact_for_clear_data),
	cmocka_unit_test(slightly_off_is_decided),
	cmocka_unit_test(contradiction_names_nobody),
	cmocka_unit_test(merge_base_must_be_good),
};

UNIT_MAIN(tests)
