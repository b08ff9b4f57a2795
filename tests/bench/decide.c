/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision engine against other ways of bisecting, simulated: many
 * bisections of made-up histories with known culprits (simulate.h, rivals.h).
 *
 * usage: fb_bench_decide [--trials N] [--first SEED] [--row NAME] [--ours]
 *        [--speed] [--verbose]
 * Prints Markdown: all methods side by side, then what is asked of ours. The
 * trials have consecutive seeds, so the same call prints the same tables. The
 * engine's settings were chosen on seeds 1 to 300; the default begins beyond.
 * --ours leaves the others out; --speed measures the engine itself on large
 * graphs instead.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"
#include "reach.h"
#include "rivals.h"
#include "simulate.h"
#include "text.h"

#define STEPS_MAX 20000
#define NO_EFFECT_TRIALS 400 /* at least */

enum method { OURS, GIT1, GIT3, GIT5, GIT10, PINPOINT, METHODS };

static const char *const names[] = { "firstbad",     "git, 1 boot",
				     "median of 3",  "median of 5",
				     "median of 10", "Pinpoint" };
static const unsigned samples[] = { 0, 1, 3, 5, 10 };

/* A scene and what is asked of ours there; 0 and OURS: nothing. */
struct row {
	struct scene s;
	bool rivals;
	double right, wrong;  /* percent: at least, at most */
	double cost;	      /* seconds, or times the cost of ... */
	enum method relative; /* ... this method */
	double builds;	      /* more than log2 n + 2 */
};

#define LINE(n_, d, c) .n = n_, .drop = d, .cv = c, .outliers = .02
#define MERGES(d, c) \
	.n = 2000, .merges = true, .drop = d, .cv = c, .outliers = .02

static const struct row rows[] = {
	{ { "10/1", LINE(1024, .10, .01) }, true, 99, 0, 1.07, GIT1, .5 },
	{ { "10/3", LINE(1024, .10, .03) }, true, 99, 0, .98, GIT3, .5 },
	{ { "5/3", LINE(1024, .05, .03) }, true, 99, 0, 2650, OURS, .5 },
	{ { "10/10", LINE(1024, .10, .10) }, true, 99, 0, 4200, OURS, 1.5 },
	{ { "3/5", LINE(1024, .03, .05) }, true, 98, 1, 0, OURS, 0 },
	{ { "merges 10/1", MERGES(.10, .01) }, true, 99, 0, 1.07, GIT1, .5 },
	{ { "merges 10/3", MERGES(.10, .03) }, true, 99, 0, .98, GIT3, .5 },
	{ { "merges 5/3", MERGES(.05, .03) }, true, 99, 0, 1.52, GIT1, .5 },
	{ { "merges 10/10", MERGES(.10, .10) }, true, 99, 0, 2.41, GIT1, 1.5 },
	{ { "14000 10/1", LINE(14000, .10, .01) },
	  false,
	  99,
	  0,
	  2400,
	  OURS,
	  .5 },
	{ { "14000 5/3", LINE(14000, .05, .03) },
	  false,
	  99,
	  0,
	  3400,
	  OURS,
	  .5 },
	{ { "no effect", LINE(1024, 0, .03) }, false, 0, 0, 0, OURS, 0 },
	{ { "drift 3 %/h, 5/1", LINE(1024, .05, .01), .drift = .03 },
	  true,
	  99,
	  0,
	  2300,
	  OURS,
	  0 },
	{ { "blocks of 50, 30 % unbuildable, 10/3", LINE(1024, .10, .03),
	    .unbuildable = .3 },
	  false,
	  100,
	  0,
	  0,
	  OURS,
	  0 },
	{ { "two changes, 5/1", LINE(1024, .05, .01), .second = .05 },
	  false,
	  95,
	  0,
	  0,
	  OURS,
	  0 },
	{ { "two humps, 10/1", LINE(1024, .10, .01), .hump = .3 },
	  false,
	  98,
	  0,
	  0,
	  OURS,
	  0 },
};
#define N_ROWS (sizeof(rows) / sizeof(*rows))

struct score {
	unsigned n, result[3], several;
	double cost, builds, boots;
};

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
		.build_seconds = BUILD_COST,
		.boot_seconds = BOOT_COST,
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
		if (!world_build(w, a.node)) {
			fb_engine_failure(e, a.node, true);
			continue;
		}
		for (unsigned k = 0; k < a.boots; k++) {
			double v = world_boot(w, a.node);
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

static enum result play(struct world *w, enum method m, bool *several)
{
	*several = false;
	if (m == OURS)
		return ours(w);
	return m == PINPOINT ? rival_pinpoint(w, several) :
			       rival_git(w, samples[m]);
}

static void run(const struct row *r, uint64_t first, unsigned trials,
		bool rivals, struct score score[METHODS])
{
	for (uint64_t t = first; t < first + trials; t++) {
		struct world w;
		world_init(&w, &r->s, t);
		for (int m = OURS; m < (rivals ? METHODS : GIT1); m++) {
			struct score *c = &score[m];
			bool several;
			world_reset(&w, t);
			c->result[play(&w, m, &several)]++;
			c->n++;
			c->several += several;
			c->cost += w.clock;
			c->builds += w.builds;
			c->boots += w.boots;
		}
		world_release(&w);
	}
}

static double percent(const struct score *c, enum result r)
{
	return 100.0 * c->result[r] / c->n;
}

static void print_side_by_side(const struct row *r,
			       const struct score score[METHODS])
{
	for (int m = OURS; m < METHODS; m++) {
		const struct score *c = &score[m];
		char among[80] = "";
		if (c->n == 0)
			continue;
		if (c->several)
			snprintf(among, sizeof(among),
				 " (%.1f the culprit and others)",
				 100.0 * c->several / c->n);
		printf("| %s, n = %u | %s | %u | %.1f | %.1f%s | %.0f | %.2f | "
		       "%.1f |\n",
		       r->s.name, r->s.n, names[m], c->n, percent(c, RIGHT),
		       percent(c, WRONG), among, c->cost / c->n,
		       c->builds / c->n, c->boots / c->n);
	}
}

static bool say(const char *row, const char *what, const char *measured,
		const char *asked, bool holds)
{
	printf("| %s | %s | %s | %s | %s |\n", row, what, measured, asked,
	       holds ? "yes" : "**no**");
	return holds;
}

static bool print_right(const struct row *r, const struct score *mine)
{
	char got[80], want[80];
	int k;
	snprintf(got, sizeof(got), "%.1f %%, wrong %.1f %% of %u",
		 percent(mine, RIGHT), percent(mine, WRONG), mine->n);
	if (r->s.drop == 0) {
		snprintf(got, sizeof(got), "%u named in %u",
			 mine->n - mine->result[NOTHING], mine->n);
		return say(r->s.name, "culprits", got, "nobody in 400",
			   mine->n >= NO_EFFECT_TRIALS &&
				   mine->result[NOTHING] == mine->n);
	}
	k = snprintf(want, sizeof(want), ">= %.0f %%", r->right);
	if (r->wrong > 0)
		snprintf(want + k, sizeof(want) - (size_t)k,
			 ", wrong <= %.0f %%", r->wrong);
	return say(r->s.name, "right", got, want,
		   percent(mine, RIGHT) >= r->right &&
			   (r->wrong <= 0 || percent(mine, WRONG) <= r->wrong));
}

static bool print_cost(const struct row *r, const struct score score[METHODS])
{
	const struct score *mine = &score[OURS], *other = &score[r->relative];
	double cost = mine->cost / mine->n, most = r->cost;
	char got[80], want[80];
	if (!(r->cost > 0) || other->n == 0)
		return true;
	snprintf(got, sizeof(got), "%.0f s", cost);
	snprintf(want, sizeof(want), "<= %.0f s", most);
	if (r->relative != OURS) {
		double theirs = other->cost / other->n;
		snprintf(got, sizeof(got), "%.0f s, %.3f", cost, cost / theirs);
		snprintf(want, sizeof(want), "<= %.2f of %s (%.0f s)", r->cost,
			 names[r->relative], r->cost * theirs);
		most *= theirs;
	}
	return say(r->s.name, "mean cost", got, want, cost <= most);
}

static bool print_builds(const struct row *r, const struct score *mine)
{
	double got = mine->builds / mine->n;
	double most = log2((double)r->s.n) + 2 + r->builds;
	char a[80], b[80];
	if (!(r->builds > 0))
		return true;
	snprintf(a, sizeof(a), "%.2f", got);
	snprintf(b, sizeof(b), "<= log2 n + 2 + %.1f = %.2f", r->builds, most);
	return say(r->s.name, "mean builds", a, b, got <= most);
}

static void preface(unsigned first)
{
	printf("Ways of finding the culprit, simulated: as many bisections as "
	       "the column says, with\n"
	       "seeds from %u on; the same histories and culprits for every "
	       "method. x/y: a drop of\n"
	       "x %% at a coefficient of variation of y %%; 2 %% of the boots "
	       "run at half speed. A\n"
	       "build costs %.0f s, a boot %.0f s. Every method pays for the "
	       "builds and boots of both\n"
	       "end points: git's ways boot each of them %d times (and would "
	       "be %.0f s cheaper, but\n"
	       "more often wrong, with once), Pinpoint %d times. Pinpoint is "
	       "right when it names the\n"
	       "culprit and nobody else. How the others were made: "
	       "rivals.h. The engine's settings\n"
	       "were chosen on seeds 1 to 300 of some of these rows.\n\n",
	       first, BUILD_COST, BOOT_COST, GIT_END_BOOTS,
	       2 * (GIT_END_BOOTS - 1) * BOOT_COST, PINPOINT_ATTEMPTS);
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
	static struct scene s = { "speed", MERGES(.10, .03) };
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
			fb_engine_sample(e, a.node, world_boot(&w, a.node),
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

static int table(unsigned first, unsigned trials, const char *only, bool rivals)
{
	static struct score score[N_ROWS][METHODS];
	bool holds = true;
	preface(first);
	printf("| history | method | bisections | right %% | wrong %% | mean "
	       "cost, s | builds | boots |\n"
	       "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct row *r = &rows[i];
		unsigned n = trials;
		if (only && !fb_streq(only, r->s.name))
			continue;
		if (r->s.drop == 0 && n < NO_EFFECT_TRIALS)
			n = NO_EFFECT_TRIALS;
		run(r, first, n, rivals && r->rivals, score[i]);
		print_side_by_side(r, score[i]);
		fflush(stdout);
	}
	printf("\n| firstbad | what | measured | asked | holds |\n"
	       "| --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < N_ROWS; i++) {
		if (score[i][OURS].n == 0)
			continue;
		holds &= print_right(&rows[i], &score[i][OURS]);
		holds &= print_cost(&rows[i], score[i]);
		holds &= print_builds(&rows[i], &score[i][OURS]);
	}
	return holds ? 0 : 1;
}

int main(int argc, char **argv)
{
	unsigned first = 1001, trials = 300;
	const char *only = NULL;
	bool rivals = true;
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
		else if (fb_streq(argv[i], "--ours"))
			rivals = false;
		else if (i + 1 < argc && fb_streq(argv[i], "--trials"))
			trials = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && fb_streq(argv[i], "--first"))
			first = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && fb_streq(argv[i], "--row"))
			only = argv[++i];
		else
			return 2;
	}
	return trials ? table(first, trials, only, rivals) : 2;
}
