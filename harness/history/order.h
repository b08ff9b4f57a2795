/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers the commits below a tip: parents before children, the tip last. */
#ifndef FB_ORDER_H
#define FB_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "dag.h"

struct fb_ids {
	uint32_t *v;
	size_t n, cap;
};

void fb_ids_add(struct fb_ids *ids, uint32_t id);

/*
 * Appends the parents of a commit that are to be visited; negative ends the
 * walk. Ids are small numbers of the caller's; new ones may turn up on the way.
 */
typedef int fb_parents_fn(void *data, uint32_t id, struct fb_ids *out);

/*
 * Depth first, the first parent first, so that equal histories are numbered
 * alike. dag gets the graph and *ids the id of each of its commits. 0, what
 * `parents` returned, or 1 when the graph has a cycle, which no history has.
 */
int fb_order(uint32_t tip, fb_parents_fn *parents, void *data,
	     struct fb_dag *dag, uint32_t **ids);

#endif
