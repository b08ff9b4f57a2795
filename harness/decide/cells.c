/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cells.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static uint32_t split_off(struct fb_cells *c, uint32_t *cap, uint32_t from,
			  size_t test)
{
	if (c->n == *cap) {
		*cap *= 2;
		c->contains = fb_realloc(c->contains, *cap, c->n_tests + 1);
		c->size = fb_realloc(c->size, *cap, sizeof(*c->size));
	}
	uint8_t *row = c->contains + c->n * c->n_tests;
	memcpy(row, fb_cells_row(c, from), c->n_tests);
	row[test] = 1;
	c->size[c->n] = 0;
	return c->n++;
}

/* Every cell falls in two: what `inside` contains, and the rest. */
static void refine(struct fb_cells *c, uint32_t *cap, uint32_t n,
		   const bool *inside, size_t test)
{
	uint32_t before = c->n;
	uint32_t *half = fb_malloc(before * sizeof(*half));
	memset(half, 0xff, before * sizeof(*half));
	for (uint32_t x = 0; x < n; x++) {
		if (!inside[x])
			continue;
		uint32_t old = c->of[x];
		if (half[old] == FB_DAG_NONE)
			half[old] = split_off(c, cap, old, test);
		c->of[x] = half[old];
		c->size[old]--;
		c->size[half[old]]++;
	}
	free(half);
}

void fb_cells_init(struct fb_cells *c, const struct fb_dag *dag,
		   const uint32_t *tested, size_t n)
{
	uint32_t cap = 16;
	bool *inside = fb_malloc(dag->n * sizeof(*inside));
	*c = (struct fb_cells){ .n = 1, .n_tests = n };
	c->of = fb_calloc(dag->n, sizeof(*c->of));
	c->size = fb_calloc(cap, sizeof(*c->size));
	c->contains = fb_calloc(cap, n + 1);
	c->size[0] = dag->n;
	for (size_t j = 0; j < n; j++) {
		memset(inside, 0, dag->n * sizeof(*inside));
		fb_dag_mark_ancestors(dag, tested[j], inside);
		refine(c, &cap, dag->n, inside, j);
	}
	free(inside);
}

void fb_cells_release(struct fb_cells *c)
{
	free(c->of);
	free(c->size);
	free(c->contains);
	*c = (struct fb_cells){ 0 };
}
