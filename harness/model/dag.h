/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A commit graph as plain numbers: commits 0..n-1, parents before children.
 * The parents of x are parent[at[x]] .. parent[at[x + 1] - 1].
 */
#ifndef FB_DAG_H
#define FB_DAG_H

#include <stdbool.h>
#include <stdint.h>

#define FB_DAG_NONE UINT32_MAX

struct fb_dag {
	uint32_t n;
	uint32_t *parent;
	uint32_t *at; /* n + 1 entries */
};

void fb_dag_release(struct fb_dag *dag);

/* Sets mark[y] for x and every ancestor of x; the others are untouched. */
void fb_dag_mark_ancestors(const struct fb_dag *dag, uint32_t x, bool *mark);

#endif
