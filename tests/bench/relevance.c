/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long it takes to find which commits of a range can change a kernel.
 *
 * usage: fb_bench_relevance REPO GOOD BAD INPUTS CACHE
 * INPUTS is a list of files that a build has read (runners/build/inputs.h).
 * Prints "commits N", "relevant N", "diffed N", "load SECONDS" (the graph),
 * "find SECONDS" (elapsed), "rss KIB".
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "clock.h"
#include "errors.h"
#include "relevance.h"
#include "repo.h"

static int run(char **argv, struct fb_error *err)
{
	struct fb_repo repo;
	struct fb_graph g;
	struct fb_seen seen = { 0 };
	struct fb_weights weights;
	struct fb_relevance_counts counts;
	struct rusage usage;
	git_oid good, bad;
	bool grew;
	int rc = fb_repo_open(&repo, argv[1], err);
	if (rc == 0)
		rc = fb_repo_resolve(&repo, argv[2], &good, err);
	if (rc == 0)
		rc = fb_repo_resolve(&repo, argv[3], &bad, err);
	if (rc == 0)
		rc = fb_seen_add(&seen, argv[4], &grew, err);
	if (rc == 0)
		rc = fb_weights_init(&weights, NULL, err);
	double t0 = fb_now();
	if (rc == 0)
		rc = fb_graph_load(&g, &repo, &good, 1, &bad, 0, NULL, err);
	if (rc)
		return rc;
	double t1 = fb_now();
	double *weight = calloc(g.dag.n, sizeof(*weight));
	struct fb_relevance r = { &repo, &seen, &weights, false, argv[5] };
	rc = fb_relevance_find(&r, &g, weight, &counts, err);
	getrusage(RUSAGE_SELF, &usage);
	printf("commits %u\nrelevant %u\ndiffed %u\nload %.3f\nfind %.3f\n"
	       "rss %ld\n",
	       g.dag.n, counts.relevant, counts.diffed, t1 - t0, fb_now() - t1,
	       usage.ru_maxrss);
	free(weight);
	fb_weights_release(&weights);
	fb_seen_release(&seen);
	fb_graph_release(&g);
	fb_repo_release(&repo);
	return rc;
}

int main(int argc, char **argv)
{
	struct fb_error err = FB_ERROR_INIT;
	if (argc != 6) {
		fprintf(stderr, "usage: %s REPO GOOD BAD INPUTS CACHE\n",
			argv[0]);
		return 2;
	}
	if (run(argv, &err) == 0)
		return 0;
	fprintf(stderr, "%s\n", err.message);
	return 1;
}
