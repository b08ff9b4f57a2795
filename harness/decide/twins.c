/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commits that are one and the same kernel. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "engine_private.h"
#include "text.h"

static double sum_of_weights(const struct fb_engine *e, bool all)
{
	double total = 0;
	for (uint32_t x = 0; x < e->dag->n; x++)
		if (isfinite(e->weight[x]) && e->weight[x] > 0 &&
		    (all || !e->ruled_out[x]))
			total += e->weight[x];
	return total;
}

void engine_make_prior(struct fb_engine *e)
{
	double total = sum_of_weights(e, false);
	bool all = !(total > 0);
	if (all)
		total = sum_of_weights(e, true);
	bool uniform = !(total > 0 && isfinite(total));
	for (uint32_t x = 0; x < e->dag->n; x++) {
		bool possible = isfinite(e->weight[x]) && e->weight[x] > 0 &&
				(all || !e->ruled_out[x]);
		e->prior[x] = uniform  ? 1.0 / e->dag->n :
			      possible ? e->weight[x] / total :
					 0;
	}
	engine_forget(e);
}

static bool was_booted(const struct node *x)
{
	return x->n || x->failures;
}

uint32_t engine_booted(const struct fb_engine *e, uint32_t node)
{
	uint32_t kernel = e->nodes[node].kernel;
	if (was_booted(&e->nodes[node]) || !e->nodes[kernel].twins)
		return node;
	for (uint32_t x = kernel; x < e->n_nodes; x++)
		if (e->nodes[x].kernel == kernel && was_booted(&e->nodes[x]))
			return x;
	return node;
}

static void mark_contained(const struct fb_engine *e, uint32_t node, bool *mark)
{
	if (node < e->dag->n)
		fb_dag_mark_ancestors(e->dag, node, mark);
}

void fb_engine_same(struct fb_engine *e, uint32_t a, uint32_t b)
{
	assert(a <= good_end(e) && b <= good_end(e));
	uint32_t kernel = e->nodes[a].kernel, other = e->nodes[b].kernel;
	if (kernel == other)
		return;
	if (kernel > other) {
		kernel = other;
		other = e->nodes[a].kernel;
	}
	for (uint32_t x = 0; x < e->n_nodes; x++)
		if (e->nodes[x].kernel == other)
			e->nodes[x].kernel = kernel;
	e->nodes[kernel].twins = true;

	bool *in_a = fb_calloc(e->dag->n, sizeof(*in_a));
	bool *in_b = fb_calloc(e->dag->n, sizeof(*in_b));
	mark_contained(e, a, in_a);
	mark_contained(e, b, in_b);
	for (uint32_t x = 0; x < e->dag->n; x++)
		e->ruled_out[x] |= in_a[x] != in_b[x];
	free(in_a);
	free(in_b);
	engine_make_prior(e);
}
