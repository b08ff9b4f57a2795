/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision engine against plain git bisect, simulated: many bisections of
 * made-up histories with known culprits. Costs are seconds of builds and boots.
 *
 * usage: fb_bench_decide [--trials N] [--row NAME] [--speed]
 * Prints a table of right %, wrong %, mean cost and builds; --speed measures
 * the engine itself on large graphs instead. The same seeds give the same table.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"
#include "numeric.h"
#include "reach.h"
#include "text.h"

#define BUILD 120.0
#define BOOT 15.0
#define STEPS_MAX 20000

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

static uint32_t below(uint32_t n)
{
	uint32_t x = (uint32_t)(uniform() * n);
	return x < n ? x : n - 1;
}

/* What is simulated. */
struct scene {
	const char *name;
	double drop, cv;
	uint32_t n;
	bool merges;
	double outliers;     /* share of boots at half speed */
	double drift;	     /* loss per hour, as a fraction */
	double unbuildable;  /* share of commits, in blocks of 50 */
	double second;	     /* a second drop, elsewhere */
	double hump;	     /* share of boots that are 8 % slower */
	bool git;	     /* compare with git bisect? */
	double target_right; /* percent */
	double target_cost;  /* seconds; 0: none given */
};

static const struct scene scenes[] = {
	{ "10/1", .10, .01, 1024, .outliers = .02, .git = true,
	  .target_right = 99, .target_cost = 1862 },
	{ "10/3", .10, .03, 1024, .outliers = .02, .git = true,
	  .target_right = 99, .target_cost = 2000 },
	{ "5/3", .05, .03, 1024, .outliers = .02, .git = true,
	  .target_right = 99, .target_cost = 2650 },
	{ "10/10", .10, .10, 1024, .outliers = .02, .git = true,
	  .target_right = 99, .target_cost = 4200 },
	{ "3/5", .03, .05, 1024, .outliers = .02, .git = true,
	  .target_right = 98 },
	{ "merges 10/1", .10, .01, 2000, .merges = true, .outliers = .02,
	  .git = true, .target_right = 99 },
	{ "merges 10/3", .10, .03, 2000, .merges = true, .outliers = .02,
	  .git = true, .target_right = 99 },
	{ "merges 5/3", .05, .03, 2000, .merges = true, .outliers = .02,
	  .target_right = 99 },
	{ "14000 10/1", .10, .01, 14000, .outliers = .02, .target_right = 99,
	  .target_cost = 2400 },
	{ "14000 5/3", .05, .03, 14000, .outliers = .02, .target_right = 99,
	  .target_cost = 3400 },
	{ "no effect", 0, .03, 1024, .outliers = .02 },
	{ "drift 5/1", .05, .01, 1024, .outliers = .02, .drift = .03,
	  .git = true, .target_right = 99, .target_cost = 2300 },
	{ "blocks 10/3", .10, .03, 1024, .outliers = .02, .unbuildable = .3,
	  .target_right = 99 },
	{ "two 5/1", .05, .01, 1024, .outliers = .02, .second = .05,
	  .target_right = 95 },
	{ "humps 10/1", .10, .01, 1024, .outliers = .02, .hump = .3,
	  .target_right = 98 },
};
#define N_SCENES (sizeof(scenes) / sizeof(*scenes))

struct world {
	const struct scene *s;
	struct fb_dag dag;
	uint32_t culprit, second; /* second: FB_DAG_NONE without */
	bool *bad, *worse, *broken, *built;
	double clock;
	unsigned builds, boots;
};

static void make_line(struct fb_dag *dag, uint32_t n)
{
	dag->n = n;
	dag->at = fb_calloc(n + 1, sizeof(uint32_t));
	dag->parent = fb_calloc(n, sizeof(uint32_t));
	for (uint32_t x = 0; x < n; x++) {
		dag->at[x + 1] = x;
		if (x)
			dag->parent[x - 1] = x - 1;
	}
}

/* A main line that forks and merges branches of 1 to 40 commits. */
static void make_merges(struct fb_dag *dag, uint32_t n)
{
	uint32_t tips[8] = { 0 }, n_tips = 1, k = 0;
	dag->n = n;
	dag->at = fb_calloc(n + 1, sizeof(uint32_t));
	dag->parent = fb_calloc(2 * n + 16, sizeof(uint32_t));
	for (uint32_t x = 1; x < n; x++) {
		dag->at[x] = k;
		uint32_t t = below(n_tips);
		double what = uniform();
		if (x == n - 1) {
			for (uint32_t i = 0; i < n_tips; i++)
				dag->parent[k++] = tips[i];
			continue;
		}
		if (what < 0.07 && n_tips < 8) {
			dag->parent[k++] = tips[0];
			tips[n_tips++] = x;
		} else if (what < 0.14 && t > 0) {
			dag->parent[k++] = tips[0];
			dag->parent[k++] = tips[t];
			tips[0] = x;
			tips[t] = tips[--n_tips];
		} else {
			dag->parent[k++] = tips[t];
			tips[t] = x;
		}
	}
	dag->at[n] = k;
}

static void make_history(struct world *w)
{
	if (w->s->merges)
		make_merges(&w->dag, w->s->n);
	else
		make_line(&w->dag, w->s->n);
}

/* good[x]: does x contain the culprit? */
static bool *contains(const struct fb_dag *dag, uint32_t culprit)
{
	bool *in = fb_calloc(dag->n + 1, sizeof(*in));
	in[culprit] = true;
	for (uint32_t x = culprit + 1; x < dag->n; x++)
		for (uint32_t k = dag->at[x]; k < dag->at[x + 1]; k++)
			in[x] |= in[dag->parent[k]];
	return in;
}

static void world_init(struct world *w, const struct scene *s, uint64_t trial)
{
	*w = (struct world){ .s = s, .second = FB_DAG_NONE };
	seed = 1000003 * trial + 17;
	for (int i = 0; i < 8; i++)
		uniform();
	make_history(w);
	w->culprit = below(s->n);
	if (s->second > 0) {
		w->culprit = below(s->n / 2 - 20);
		w->second = s->n / 2 + 20 + below(s->n / 2 - 20);
		w->worse = contains(&w->dag, w->second);
	}
	w->bad = contains(&w->dag, w->culprit);
	w->broken = fb_calloc(s->n + 1, sizeof(*w->broken));
	w->built = fb_calloc(s->n + 1, sizeof(*w->built));
	for (uint32_t x = 0; s->unbuildable > 0 && x < s->n; x += 50) {
		bool block = uniform() < s->unbuildable;
		for (uint32_t y = x; y < x + 50 && y + 1 < s->n; y++)
			w->broken[y] = block;
	}
}

static void world_release(struct world *w)
{
	fb_dag_release(&w->dag);
	free(w->bad);
	free(w->worse);
	free(w->broken);
	free(w->built);
}

/* A new start on the same history, for the next method. */
static void world_reset(struct world *w, uint64_t trial)
{
	memset(w->built, 0, (w->s->n + 1) * sizeof(*w->built));
	w->clock = w->builds = w->boots = 0;
	seed = 7777777 * trial + 3;
	uniform();
}

/* Builds when it must; false when it does not build. */
static bool build(struct world *w, uint32_t x)
{
	if (!w->built[x]) {
		w->built[x] = true;
		w->clock += BUILD;
		w->builds++;
	}
	return !w->broken[x];
}

static double boot(struct world *w, uint32_t x)
{
	const struct scene *s = w->s;
	double v = 100 * (w->bad[x] ? 1 - s->drop : 1);
	if (w->worse && w->worse[x])
		v *= 1 - s->second;
	w->clock += BOOT;
	w->boots++;
	v *= exp(s->cv * gauss());
	if (s->hump > 0 && uniform() < s->hump)
		v *= 0.92;
	if (uniform() < s->outliers)
		v *= 0.5;
	return v * (1 - s->drift * w->clock / 3600);
}

enum result { RIGHT, WRONG, NOTHING };

/* Is the culprit in the set of commits as likely as those at the end? */
static bool in_set(struct fb_engine *e, const struct world *w)
{
	double *p = fb_calloc(w->s->n, sizeof(*p)), top = 0;
	fb_engine_posterior(e, p);
	for (uint32_t x = 0; x < w->s->n; x++)
		top = fmax(top, p[x]);
	bool in = p[w->culprit] > 0.5 * top;
	free(p);
	return in;
}

static enum result judge(struct fb_engine *e, const struct world *w,
			 const struct fb_action *a)
{
	if (a->kind == FB_ACT_SEVERAL)
		return a->node == w->culprit && a->second == w->second ? RIGHT :
									 WRONG;
	if (a->kind == FB_ACT_FOUND)
		return a->node == w->culprit && w->second == FB_DAG_NONE &&
				       w->s->drop > 0 ?
			       RIGHT :
			       WRONG;
	if (a->kind == FB_ACT_SKIPPED_ONLY)
		return in_set(e, w) ? RIGHT : WRONG;
	return NOTHING;
}

static bool verbose;

static enum result ours(struct world *w)
{
	const struct scene *s = w->s;
	struct fb_engine_params p = {
		.threshold = fmax(s->drop / 2, 0.015),
		.confidence = 0.99,
		.endpoint = 5,
		.min = 1,
		.failures = 2,
		.build_seconds = BUILD,
		.boot_seconds = BOOT,
		.references = s->drift > 0,
	};
	struct fb_engine *e = fb_engine_new(&w->dag, &p);
	struct fb_action a;
	for (int step = 0; step < STEPS_MAX; step++) {
		fb_engine_next(e, &a);
		if (verbose)
			printf("%6.0f s  node %u x%u  %s\n", w->clock, a.node,
			       a.boots, a.reason);
		if (a.kind != FB_ACT_MEASURE)
			break;
		if (!build(w, a.node)) {
			fb_engine_failure(e, a.node, true);
			continue;
		}
		for (unsigned k = 0; k < a.boots; k++) {
			double v = boot(w, a.node);
			fb_engine_sample_at(e, a.node, v,
					    a.phase == FB_PHASE_VERIFY,
					    w->clock);
		}
	}
	enum result r = judge(e, w, &a);
	if (verbose)
		printf("culprit %u %u: %s\n", w->culprit, w->second,
		       r == RIGHT ? "right" :
		       r == WRONG ? "WRONG" :
				    "nothing");
	fb_engine_free(e);
	return r;
}

static double median_boot(struct world *w, uint32_t x, unsigned n)
{
	double v[16];
	build(w, x);
	for (unsigned i = 0; i < n; i++)
		v[i] = boot(w, x);
	return fb_median(v, n);
}

/* git bisect with a threshold half way between the end points. */
static enum result git(struct world *w, unsigned samples)
{
	uint32_t n = w->dag.n;
	double *mass = fb_calloc(n, sizeof(*mass));
	double *weight = fb_calloc(n, sizeof(*weight));
	double middle =
		(median_boot(w, n, samples) + median_boot(w, n - 1, samples)) /
		2;
	uint32_t left = n, best = n - 1;
	for (uint32_t x = 0; x < n; x++)
		mass[x] = 1;
	while (left > 1) {
		double distance = 0;
		fb_reach(&w->dag, mass, weight);
		for (uint32_t x = 0; x < n; x++) {
			double d = fmin(weight[x], left - weight[x]);
			if (mass[x] > 0 && d > distance) {
				distance = d;
				best = x;
			}
		}
		bool bad = median_boot(w, best, samples) < middle;
		bool *in = fb_calloc(n, sizeof(*in));
		fb_dag_mark_ancestors(&w->dag, best, in);
		left = 0;
		for (uint32_t x = 0; x < n; x++) {
			mass[x] = in[x] == bad ? mass[x] : 0;
			left += mass[x] > 0;
		}
		free(in);
	}
	uint32_t found = FB_DAG_NONE;
	for (uint32_t x = 0; x < n; x++)
		if (mass[x] > 0)
			found = x;
	free(weight);
	free(mass);
	return found == w->culprit ? RIGHT : WRONG;
}

struct score {
	unsigned n, result[3];
	double cost, builds, boots;
};

static void count(struct score *c, const struct world *w, enum result r)
{
	c->n++;
	c->result[r]++;
	c->cost += w->clock;
	c->builds += w->builds;
	c->boots += w->boots;
}

static void print(const char *scene, const char *method, const struct score *c,
		  const struct scene *s)
{
	printf("| %-12s | %-9s | %5.1f | %5.1f | %6.0f | %5.1f | %6.1f |",
	       scene, method, 100.0 * c->result[RIGHT] / c->n,
	       100.0 * c->result[WRONG] / c->n, c->cost / c->n,
	       c->builds / c->n, c->boots / c->n);
	if (s && s->target_right > 0)
		printf(" >= %.0f %%", s->target_right);
	if (s && s->target_cost > 0)
		printf(", <= %.0f s", s->target_cost);
	if (s && s->drop == 0)
		printf(" nobody named");
	printf(" |\n");
	fflush(stdout);
}

static void run(const struct scene *s, unsigned trials)
{
	static const unsigned samples[] = { 1, 3, 5, 10 };
	struct score mine = { 0 }, theirs[4] = { 0 };
	for (uint64_t t = 1; t <= trials; t++) {
		struct world w;
		world_init(&w, s, t);
		world_reset(&w, t);
		count(&mine, &w, ours(&w));
		for (int k = 0; s->git && k < 4; k++) {
			world_reset(&w, t);
			count(&theirs[k], &w, git(&w, samples[k]));
		}
		world_release(&w);
	}
	for (int k = 0; s->git && k < 4; k++) {
		char name[32];
		snprintf(name, sizeof(name), "git x%u", samples[k]);
		print(s->name, name, &theirs[k], NULL);
	}
	print(s->name, "firstbad", &mine, s);
}

/* Processor seconds: others may work on the machine, too. */
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Longest first and later steps of one bisection of n commits. */
static void speed(uint32_t n)
{
	static struct scene s = { "speed", .10, .03, .merges = true,
				  .outliers = .02 };
	struct fb_engine_params p = { .threshold = .05,
				      .confidence = .99,
				      .endpoint = 5,
				      .failures = 2 };
	struct world w;
	struct fb_action a;
	double first = 0, later = 0, reach = 0;
	s.n = n;
	world_init(&w, &s, 1);
	world_reset(&w, 1);
	double *mass = fb_calloc(n, sizeof(*mass));
	for (uint32_t x = 0; x < n; x++)
		mass[x] = 1.0 / n;
	double *out = fb_calloc(n, sizeof(*out));
	double begun = now();
	fb_reach(&w.dag, mass, out);
	reach = now() - begun;
	free(out);
	free(mass);
	struct fb_engine *e = fb_engine_new(&w.dag, &p);
	bool searching = false;
	for (int step = 0; step < 500; step++) {
		begun = now();
		fb_engine_next(e, &a);
		double took = now() - begun;
		if (a.kind != FB_ACT_MEASURE)
			break;
		if (a.phase == FB_PHASE_SEARCH && !searching)
			first = took;
		else if (searching)
			later = fmax(later, took);
		searching |= a.phase == FB_PHASE_SEARCH;
		for (unsigned k = 0; k < a.boots; k++)
			fb_engine_sample(e, a.node, boot(&w, a.node),
					 a.phase == FB_PHASE_VERIFY);
	}
	printf("%u commits: P(bad) of all %.1f ms, first choice %.1f ms, "
	       "later ones at most %.1f ms; %s\n",
	       n, 1e3 * reach, 1e3 * first, 1e3 * later,
	       a.kind == FB_ACT_FOUND && a.node == w.culprit ? "right" :
							       "NOT FOUND");
	fb_engine_free(e);
	world_release(&w);
}

int main(int argc, char **argv)
{
	unsigned trials = 300;
	const char *row = NULL;
	for (int i = 1; i < argc; i++) {
		if (fb_streq(argv[i], "--speed")) {
			speed(1500);
			speed(15000);
			speed(40000);
			speed(210000);
			return 0;
		}
		if (fb_streq(argv[i], "--verbose"))
			verbose = true;
		else if (i + 1 < argc && fb_streq(argv[i], "--trials"))
			trials = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && fb_streq(argv[i], "--row"))
			row = argv[++i];
		else
			return 1;
	}
	printf("| drop/CV %%    | method    | right | wrong | cost s | builds "
	       "| "
	       "boots  | asked |\n|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < N_SCENES; i++)
		if (!row || fb_streq(row, scenes[i].name))
			run(&scenes[i], trials);
	return 0;
}
