/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static uint64_t seed;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(1 - uniform())) *
	       cos(6.283185307179586 * uniform());
}

static uint32_t below(uint32_t n)
{
	uint32_t x = (uint32_t)(uniform() * n);
	return x < n ? x : n - 1;
}

static void make_line(struct fb_dag *dag, uint32_t n)
{
	dag->n = n;
	dag->at = fb_calloc(n + 1, sizeof(uint32_t));
	dag->parent = fb_calloc(n, sizeof(uint32_t));
	for (uint32_t x = 0; x < n; x++) {
		dag->at[x + 1] = x;
		if (x)
			dag->parent[x - 1] = x - 1;
	}
}

/* A main line that forks and merges branches of 1 to 40 commits. */
static void make_merges(struct fb_dag *dag, uint32_t n)
{
	uint32_t tips[8] = { 0 }, n_tips = 1, k = 0;
	dag->n = n;
	dag->at = fb_calloc(n + 1, sizeof(uint32_t));
	dag->parent = fb_calloc(2 * n + 16, sizeof(uint32_t));
	for (uint32_t x = 1; x < n; x++) {
		dag->at[x] = k;
		uint32_t t = below(n_tips);
		double what = uniform();
		if (x == n - 1) {
			for (uint32_t i = 0; i < n_tips; i++)
				dag->parent[k++] = tips[i];
			continue;
		}
		if (what < 0.07 && n_tips < 8) {
			dag->parent[k++] = tips[0];
			tips[n_tips++] = x;
		} else if (what < 0.14 && t > 0) {
			dag->parent[k++] = tips[0];
			dag->parent[k++] = tips[t];
			tips[0] = x;
			tips[t] = tips[--n_tips];
		} else {
			dag->parent[k++] = tips[t];
			tips[t] = x;
		}
	}
	dag->at[n] = k;
}

static void make_history(struct world *w)
{
	if (w->s->merges)
		make_merges(&w->dag, w->s->n);
	else
		make_line(&w->dag, w->s->n);
}

/* Which commits contain the culprit? */
static bool *contains(const struct fb_dag *dag, uint32_t culprit)
{
	bool *in = fb_calloc(dag->n + 1, sizeof(*in));
	in[culprit] = true;
	for (uint32_t x = culprit + 1; x < dag->n; x++)
		for (uint32_t k = dag->at[x]; k < dag->at[x + 1]; k++)
			in[x] |= in[dag->parent[k]];
	return in;
}

void world_init(struct world *w, const struct scene *s, uint64_t trial)
{
	*w = (struct world){ .s = s, .second = FB_DAG_NONE };
	seed = 1000003 * trial + 17;
	for (int i = 0; i < 8; i++)
		uniform();
	make_history(w);
	w->culprit = below(s->n);
	if (s->second > 0) {
		w->culprit = below(s->n / 2 - 20);
		w->second = s->n / 2 + 20 + below(s->n / 2 - 20);
		w->worse = contains(&w->dag, w->second);
	}
	w->bad = contains(&w->dag, w->culprit);
	w->broken = fb_calloc(s->n + 1, sizeof(*w->broken));
	w->built = fb_calloc(s->n + 1, sizeof(*w->built));
	for (uint32_t x = 0; s->unbuildable > 0 && x < s->n; x += 50) {
		bool block = uniform() < s->unbuildable;
		for (uint32_t y = x; y < x + 50 && y + 1 < s->n; y++)
			w->broken[y] = block;
	}
}

void world_release(struct world *w)
{
	fb_dag_release(&w->dag);
	free(w->bad);
	free(w->worse);
	free(w->broken);
	free(w->built);
}

void world_reset(struct world *w, uint64_t trial)
{
	memset(w->built, 0, (w->s->n + 1) * sizeof(*w->built));
	w->clock = w->builds = w->boots = 0;
	seed = 7777777 * trial + 3;
	uniform();
}

bool world_build(struct world *w, uint32_t x)
{
	if (!w->built[x]) {
		w->built[x] = true;
		w->clock += BUILD_COST;
		w->builds++;
	}
	return !w->broken[x];
}

double world_boot(struct world *w, uint32_t x)
{
	const struct scene *s = w->s;
	double v = 100 * (w->bad[x] ? 1 - s->drop : 1);
	if (w->worse && w->worse[x])
		v *= 1 - s->second;
	w->clock += BOOT_COST;
	w->boots++;
	v *= exp(s->cv * gauss());
	if (s->hump > 0 && uniform() < s->hump)
		v *= 0.92;
	if (uniform() < s->outliers)
		v *= 0.5;
	return v * (1 - s->drift * w->clock / 3600);
}
