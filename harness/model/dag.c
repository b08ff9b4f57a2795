/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dag.h"

#include <stdlib.h>

#include "text.h"

void fb_dag_release(struct fb_dag *dag)
{
	free(dag->parent);
	free(dag->at);
	*dag = (struct fb_dag){ 0 };
}

void fb_dag_mark_ancestors(const struct fb_dag *dag, uint32_t x, bool *mark)
{
	/* Parents have smaller numbers: one pass downwards reaches all. */
	bool *reached = fb_calloc(dag->n, sizeof(*reached));
	reached[x] = true;
	for (uint32_t i = x + 1; i-- > 0;) {
		if (!reached[i])
			continue;
		mark[i] = true;
		for (uint32_t k = dag->at[i]; k < dag->at[i + 1]; k++)
			reached[dag->parent[k]] = true;
	}
	free(reached);
}
