/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: weights REPO GOOD BAD [--first-parent] [PATH...]
 * Prints "OID DISTANCE" for every candidate of the range, as our graph and
 * fb_reach() see it; weights.sh compares with `git rev-list --bisect-all`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "graph.h"
#include "reach.h"
#include "repo.h"
#include "text.h"

static void print(const struct fb_graph *g)
{
	uint32_t n = g->dag.n;
	double *weight = fb_calloc(n, sizeof(*weight));
	double *one = fb_calloc(n, sizeof(*one));
	for (uint32_t x = 0; x < n; x++)
		one[x] = g->weight ? g->weight[x] : 1;
	fb_reach(&g->dag, one, weight);
	for (uint32_t x = 0; x < n; x++)
		if (one[x] > 0)
			printf("%s %.0f\n", git_oid_tostr_s(&g->oid[x]),
			       fmin(weight[x], g->candidates - weight[x]));
	free(weight);
	free(one);
}

static int run(int argc, char **argv, struct fb_error *err)
{
	struct fb_repo repo;
	struct fb_graph g;
	git_oid good, bad;
	struct fb_strv paths = { 0 };
	bool first_parent = argc > 4 && fb_streq(argv[4], "--first-parent");
	for (int i = first_parent ? 5 : 4; i < argc; i++)
		fb_strv_add(&paths, argv[i]);
	int rc = fb_repo_open(&repo, argv[1], err);
	if (rc)
		return rc;
	rc = fb_repo_resolve(&repo, argv[2], &good, err);
	if (rc == 0)
		rc = fb_repo_resolve(&repo, argv[3], &bad, err);
	if (rc == 0)
		rc = fb_graph_load(&g, &repo, &good, 1, &bad, first_parent,
				   &paths, err);
	if (rc == 0) {
		print(&g);
		fb_graph_release(&g);
	}
	fb_strv_release(&paths);
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
