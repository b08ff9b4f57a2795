/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a range takes to load and to choose from, and whole bisections of it
 * without noise, by the product's own graph and engine.
 *
 * usage: fb_bench_graph REPO GOOD BAD [BISECTIONS]
 * Prints "load SECONDS", "first SECONDS", "later SECONDS" (the slowest update
 * and choice), "rss KIB", "commits N". With BISECTIONS, "bisect CULPRIT ANSWER"
 * for random culprits and "choose OID DISTANCE BEST N" for every commit that
 * was chosen: its distance and the best one of the candidates, both counted
 * here from scratch. Processor time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "engine.h"
#include "errors.h"
#include "graph.h"
#include "reach.h"
#include "repo.h"
#include "text.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Everything that contains the culprit. */
static bool *contains(const struct fb_dag *dag, uint32_t culprit)
{
	bool *in = fb_calloc(dag->n + 1, sizeof(*in));
	in[culprit] = true;
	for (uint32_t x = culprit + 1; x < dag->n; x++)
		for (uint32_t k = dag->at[x]; k < dag->at[x + 1]; k++)
			in[x] |= in[dag->parent[k]];
	return in;
}

struct trial {
	const struct fb_graph *g;
	bool *bad;	/* the truth */
	double *weight; /* 1 for each commit that may be the culprit */
	double later;
	bool verbose;
};

/* What a test of x leaves: git's candidates. */
static void narrow(struct trial *t, uint32_t x)
{
	const struct fb_dag *dag = &t->g->dag;
	bool *below = fb_calloc(dag->n, sizeof(*below));
	fb_dag_mark_ancestors(dag, x, below);
	for (uint32_t y = 0; y < dag->n; y++)
		if (below[y] != t->bad[x])
			t->weight[y] = 0;
	free(below);
}

static void print_choice(const struct trial *t, uint32_t x)
{
	const struct fb_dag *dag = &t->g->dag;
	double *w = fb_calloc(dag->n, sizeof(*w)), n = 0, best = 0;
	fb_reach(dag, t->weight, w);
	for (uint32_t y = 0; y < dag->n; y++)
		n += t->weight[y];
	for (uint32_t y = 0; y < dag->n; y++)
		if (t->weight[y] > 0)
			best = fmax(best, fmin(w[y], n - w[y]));
	printf("choose %s %.0f %.0f %.0f\n", git_oid_tostr_s(&t->g->oid[x]),
	       fmin(w[x], n - w[x]), best, n);
	free(w);
}

static uint32_t bisect(struct trial *t)
{
	const struct fb_dag *dag = &t->g->dag;
	struct fb_engine_params p = { .threshold = 0.05,
				      .confidence = 0.99,
				      .endpoint = 2,
				      .min = 1,
				      .failures = 2 };
	struct fb_engine *e = fb_engine_new(dag, &p);
	struct fb_action a;
	unsigned long count = 0;
	for (;;) {
		double begun = now();
		fb_engine_next(e, &a);
		t->later = fmax(t->later, now() - begun);
		if (a.kind != FB_ACT_MEASURE)
			break;
		bool end = a.node >= dag->n - 1;
		if (!end && fb_engine_samples(e, a.node) == 0) {
			if (t->verbose && a.phase == FB_PHASE_SEARCH)
				print_choice(t, a.node);
			if (t->verbose)
				narrow(t, a.node);
		}
		bool bad = a.node < dag->n && t->bad[a.node];
		/*
		 * Without noise means certain, and one boot is never: six, with
		 * a ten-thousandth between them so that scatter is not nothing.
		 */
		for (int i = 0; i < 6; i++) {
			double value = (bad ? 50 : 100) *
				       (1 + 1e-4 * (double)(count++ % 3));
			fb_engine_sample(e, a.node, value,
					 a.phase == FB_PHASE_VERIFY);
		}
	}
	fb_engine_free(e);
	return a.kind == FB_ACT_FOUND ? a.node : FB_DAG_NONE;
}

static void measure(const struct fb_graph *g)
{
	const struct fb_dag *dag = &g->dag;
	struct rusage usage;
	struct trial t = { .g = g };
	double begun = now();
	struct fb_engine_params p = { .threshold = 0.05,
				      .confidence = 0.99,
				      .endpoint = 1,
				      .min = 1,
				      .failures = 2 };
	struct fb_engine *e = fb_engine_new(dag, &p);
	struct fb_action a;
	for (int i = 0; i < 4; i++) {
		fb_engine_sample(e, dag->n, 100 + 0.01 * i, false);
		fb_engine_sample(e, dag->n - 1, 50 + 0.01 * i, false);
	}
	fb_engine_next(e, &a);
	printf("first %.4f\n", now() - begun);
	fb_engine_free(e);
	t.bad = contains(dag, dag->n / 3);
	bisect(&t);
	free(t.bad);
	getrusage(RUSAGE_SELF, &usage);
	printf("later %.4f\nrss %ld\n", t.later, usage.ru_maxrss);
}

static void trials(const struct fb_graph *g, long n)
{
	const struct fb_dag *dag = &g->dag;
	unsigned seed = 1;
	for (long i = 0; i < n; i++) {
		struct trial t = { .g = g, .verbose = true };
		uint32_t culprit = (uint32_t)((double)rand_r(&seed) / RAND_MAX *
					      (dag->n - 1));
		t.bad = contains(dag, culprit);
		t.weight = fb_calloc(dag->n, sizeof(*t.weight));
		for (uint32_t x = 0; x < dag->n; x++)
			t.weight[x] = 1;
		uint32_t answer = bisect(&t);
		char hex[GIT_OID_HEXSZ + 1];
		git_oid_tostr(hex, sizeof(hex), &g->oid[culprit]);
		printf("bisect %s %s\n", hex,
		       answer == FB_DAG_NONE ?
			       "none" :
			       git_oid_tostr_s(&g->oid[answer]));
		free(t.weight);
		free(t.bad);
	}
}

static int run(int argc, char **argv, struct fb_error *err)
{
	struct fb_repo repo;
	struct fb_graph g;
	git_oid good, bad;
	int rc = fb_repo_open(&repo, argv[1], err);
	if (rc)
		return rc;
	rc = fb_repo_resolve(&repo, argv[2], &good, err);
	if (rc == 0)
		rc = fb_repo_resolve(&repo, argv[3], &bad, err);
	double begun = now();
	if (rc == 0)
		rc = fb_graph_load(&g, &repo, &good, 1, &bad, false, NULL, err);
	if (rc == 0) {
		printf("load %.4f\ncommits %u\n", now() - begun, g.dag.n);
		if (argc > 4)
			trials(&g, atol(argv[4]));
		else
			measure(&g);
		fb_graph_release(&g);
	}
	fb_repo_release(&repo);
	return rc;
}

int main(int argc, char **argv)
{
	struct fb_error err = FB_ERROR_INIT;
	if (argc < 4)
		return 2;
	int rc = run(argc, argv, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.message);
	fb_error_release(&err);
	return rc ? 1 : 0;
}
