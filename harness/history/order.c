/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

#define UNSEEN 0
#define BEGUN 1
#define NUMBERED 2 /* and its number is this less */

/* A commit whose parents are being visited: arena[from..to), at `next`. */
struct frame {
	uint32_t id;
	size_t from, next, to;
};

struct walk {
	struct frame *stack;
	size_t depth, cap;
	struct fb_ids arena;
	uint32_t *state; /* by id */
	size_t n_state;
	size_t cap_ids, cap_at, n_edges, cap_edges;
};

void fb_ids_add(struct fb_ids *ids, uint32_t id)
{
	FB_GROW(ids->v, ids->n, ids->cap);
	ids->v[ids->n++] = id;
}

static uint32_t *state_of(struct walk *w, uint32_t id)
{
	if (id >= w->n_state) {
		size_t n = 2 * (size_t)id + 1024;
		w->state = fb_realloc(w->state, n, sizeof(*w->state));
		memset(w->state + w->n_state, 0,
		       (n - w->n_state) * sizeof(*w->state));
		w->n_state = n;
	}
	return &w->state[id];
}

static int enter(struct walk *w, uint32_t id, fb_parents_fn *parents,
		 void *data)
{
	size_t from = w->arena.n;
	*state_of(w, id) = BEGUN;
	int rc = parents(data, id, &w->arena);
	FB_GROW(w->stack, w->depth, w->cap);
	w->stack[w->depth++] = (struct frame){ id, from, from, w->arena.n };
	return rc;
}

/* All parents have numbers: so gets the commit. */
static void leave(struct walk *w, struct fb_dag *dag, uint32_t **ids)
{
	const struct frame *f = &w->stack[--w->depth];
	FB_GROW(*ids, dag->n, w->cap_ids);
	(*ids)[dag->n] = f->id;
	for (size_t i = f->from; i < f->to; i++) {
		FB_GROW(dag->parent, w->n_edges, w->cap_edges);
		dag->parent[w->n_edges++] =
			*state_of(w, w->arena.v[i]) - NUMBERED;
	}
	*state_of(w, f->id) = dag->n + NUMBERED;
	dag->n++;
	size_t n_at = dag->n; /* at[0] is there already */
	FB_GROW(dag->at, n_at, w->cap_at);
	dag->at[dag->n] = (uint32_t)w->n_edges;
	w->arena.n = f->from;
}

int fb_order(uint32_t tip, fb_parents_fn *parents, void *data,
	     struct fb_dag *dag, uint32_t **ids)
{
	struct walk w = { 0 };
	*dag = (struct fb_dag){ 0 };
	*ids = NULL;
	w.cap_at = 1;
	dag->at = fb_calloc(1, sizeof(*dag->at));
	int rc = enter(&w, tip, parents, data);
	while (rc == 0 && w.depth) {
		struct frame *f = &w.stack[w.depth - 1];
		if (f->next == f->to) {
			leave(&w, dag, ids);
			continue;
		}
		uint32_t parent = w.arena.v[f->next++];
		uint32_t state = *state_of(&w, parent);
		if (state == BEGUN)
			rc = 1;
		else if (state == UNSEEN)
			rc = enter(&w, parent, parents, data);
	}
	free(w.stack);
	free(w.arena.v);
	free(w.state);
	if (rc) {
		fb_dag_release(dag);
		free(*ids);
		*ids = NULL;
	}
	return rc;
}
