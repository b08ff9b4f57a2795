/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rivals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numeric.h"
#include "reach.h"
#include "text.h"

static double median_boot(struct world *w, uint32_t x, unsigned n)
{
	double v[16];
	world_build(w, x);
	for (unsigned i = 0; i < n; i++)
		v[i] = world_boot(w, x);
	return fb_median(v, n);
}

/* The candidate that divides them best, as git weighs them. */
static uint32_t middle_of(const struct fb_dag *dag, const double *mass,
			  uint32_t left)
{
	double *weight = fb_calloc(dag->n, sizeof(*weight)), distance = 0;
	uint32_t best = FB_DAG_NONE;
	fb_reach(dag, mass, weight);
	for (uint32_t x = 0; x < dag->n; x++) {
		double d = fmin(weight[x], left - weight[x]);
		if (mass[x] > 0 && d > distance) {
			distance = d;
			best = x;
		}
	}
	free(weight);
	return best;
}

enum result rival_git(struct world *w, unsigned samples)
{
	uint32_t n = w->dag.n, left = n, found = FB_DAG_NONE;
	double *mass = fb_calloc(n, sizeof(*mass));
	double good = median_boot(w, n, GIT_END_BOOTS);
	double bad = median_boot(w, n - 1, GIT_END_BOOTS);
	for (uint32_t x = 0; x < n; x++)
		mass[x] = 1;
	while (left > 1) {
		uint32_t x = middle_of(&w->dag, mass, left);
		bool slow = median_boot(w, x, samples) < (good + bad) / 2;
		bool *in = fb_calloc(n, sizeof(*in));
		fb_dag_mark_ancestors(&w->dag, x, in);
		left = 0;
		for (uint32_t y = 0; y < n; y++) {
			mass[y] = in[y] == slow ? mass[y] : 0;
			left += mass[y] > 0;
		}
		free(in);
	}
	for (uint32_t x = 0; x < n; x++)
		if (mass[x] > 0)
			found = x;
	free(mass);
	return found == w->culprit ? RIGHT : WRONG;
}

/* ---- Pinpoint */

#define MAGNITUDES 41 /* tenths of the interquartile range */
#define SIMULATIONS 2000
#define IQR_SIGMAS 1.3489795

static double mann_whitney(const double *a, size_t n, const double *b, size_t m)
{
	double u = 0, nm = (double)(n * m);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
	double sd = sqrt(nm * (double)(n + m + 1) / 12);
	double z = (fmax(u, nm - u) - nm / 2 - 0.5) / sd;
	return erfc(fabs(z) / M_SQRT2);
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double kolmogorov_smirnov(const double *a, size_t n, const double *b,
				 size_t m)
{
	size_t i = 0, j = 0;
	double d = 0, p = 0, sign = 1;
	while (i < n && j < m) {
		double x = fmin(a[i], b[j]);
		while (i < n && a[i] <= x)
			i++;
		while (j < m && b[j] <= x)
			j++;
		d = fmax(d,
			 fabs((double)i / (double)n - (double)j / (double)m));
	}
	double e = sqrt((double)(n * m) / (double)(n + m));
	double y = (e + 0.12 + 0.11 / e) * d;
	for (int r = 1; r < 100 && y > 0.2; r++, sign = -sign)
		p += 2 * sign * exp(-2 * y * y * r * r);
	return y > 0.2 ? fmin(fmax(p, 0), 1) : 1;
}

static uint64_t state;

/* Not the generator of the world: thresholds must not disturb the noise. */
static double normal(void)
{
	double u[2];
	for (int i = 0; i < 2; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		u[i] = ((double)(state >> 11) + 0.5) / 9007199254740992.0;
	}
	return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

static double simulate_threshold(int tenths, size_t n)
{
	double p[SIMULATIONS], a[PINPOINT_MOST], b[PINPOINT_MOST];
	state = 1000 * (uint64_t)tenths + n;
	for (int k = 0; k < SIMULATIONS; k++) {
		for (size_t i = 0; i < n; i++) {
			a[i] = normal();
			b[i] = normal() + tenths * IQR_SIGMAS / 10;
		}
		p[k] = mann_whitney(a, n, b, n);
	}
	qsort(p, SIMULATIONS, sizeof(*p), rising);
	return p[SIMULATIONS * 99 / 100];
}

static double high_threshold(double magnitude, size_t n)
{
	static double table[MAGNITUDES][PINPOINT_MOST + 1];
	int tenths = (int)fmin(fmax(10 * magnitude, 3), 40);
	if (table[tenths][n] == 0)
		table[tenths][n] = fmax(simulate_threshold(tenths, n), 1e-300);
	return table[tenths][n];
}

/* A commit of the list with its values, sorted. */
struct change {
	uint32_t node;
	bool *history; /* what it contains */
	double v[PINPOINT_MOST];
	size_t n;
};

static void add_attempts(struct world *w, struct change *c)
{
	for (int i = 0; i < PINPOINT_ATTEMPTS && c->n < PINPOINT_MOST; i++)
		c->v[c->n++] = world_boot(w, c->node);
	qsort(c->v, c->n, sizeof(*c->v), rising);
}

static struct change *change_new(struct world *w, uint32_t node)
{
	struct change *c = fb_calloc(1, sizeof(*c));
	c->node = node;
	c->history = fb_calloc(w->dag.n, sizeof(*c->history));
	if (node < w->dag.n)
		fb_dag_mark_ancestors(&w->dag, node, c->history);
	world_build(w, node);
	add_attempts(w, c);
	return c;
}

static double quantile(const struct change *c, double q)
{
	double at = q * (double)(c->n - 1);
	size_t i = (size_t)at;
	double next = i + 1 < c->n ? c->v[i + 1] : c->v[i];
	return c->v[i] + (at - (double)i) * (next - c->v[i]);
}

static double iqr(const struct change *c)
{
	return quantile(c, 0.75) - quantile(c, 0.25);
}

enum relation { SAME, DIFFERENT, UNKNOWN };

static enum relation compare(const struct change *a, const struct change *b,
			     double drop)
{
	double p = fmin(mann_whitney(a->v, a->n, b->v, b->n),
			kolmogorov_smirnov(a->v, a->n, b->v, b->n));
	if (p <= PINPOINT_LOW)
		return DIFFERENT;
	double magnitude = drop / fmax(iqr(a), iqr(b));
	if (p > high_threshold(magnitude, (a->n + b->n) / 2))
		return SAME;
	const struct change *fewer = a->n <= b->n ? a : b;
	return fewer->n < PINPOINT_MOST ? UNKNOWN : SAME;
}

struct list {
	struct change *at[128];
	size_t n;
};

/*
 * The commit between l->at[i] and its elder neighbour: the middle of what no
 * elder one contains; FB_DAG_NONE when that is the commit alone.
 */
static uint32_t midpoint(const struct world *w, const struct list *l, size_t i)
{
	double *mass = fb_calloc(w->dag.n, sizeof(*mass));
	uint32_t left = 0, x = FB_DAG_NONE;
	for (uint32_t y = 0; y < w->dag.n; y++) {
		bool in = l->at[i]->history[y];
		for (size_t j = 0; j < i && in; j++)
			in = !l->at[j]->history[y];
		mass[y] = in;
		left += in;
	}
	if (left > 1)
		x = middle_of(&w->dag, mass, left);
	free(mass);
	return x;
}

/* Once over all neighbours; false when there was nothing to add. */
static bool explore(struct world *w, struct list *l)
{
	size_t refine[128], n_refine = 0;
	struct list more = { 0 };
	for (size_t i = 0; i < l->n; i++) {
		struct change *b = l->at[i], *a = i ? l->at[i - 1] : NULL;
		enum relation r = a ? compare(a, b, 100 * w->s->drop) : SAME;
		uint32_t x = r == DIFFERENT ? midpoint(w, l, i) : FB_DAG_NONE;
		if (r == UNKNOWN)
			refine[n_refine++] = a->n <= b->n ? i - 1 : i;
		if (x != FB_DAG_NONE && more.n + (l->n - i) + 1 < 128)
			more.at[more.n++] = change_new(w, x);
		more.at[more.n++] = b;
	}
	for (size_t i = 0; i < n_refine; i++)
		add_attempts(w, l->at[refine[i]]);
	bool added = more.n > l->n || n_refine > 0;
	*l = more;
	return added;
}

enum result rival_pinpoint(struct world *w, bool *several)
{
	unsigned named = 0;
	bool found = false;
	struct list l = { .n = 2 };
	l.at[0] = change_new(w, w->dag.n);
	l.at[1] = change_new(w, w->dag.n - 1);
	while (explore(w, &l))
		;
	for (size_t i = 1; i < l.n; i++) {
		if (compare(l.at[i - 1], l.at[i], 100 * w->s->drop) !=
		    DIFFERENT)
			continue;
		named++;
		found |= l.at[i]->node == w->culprit;
	}
	for (size_t i = 0; i < l.n; i++) {
		free(l.at[i]->history);
		free(l.at[i]);
	}
	*several = found && named > 1;
	return named == 0 ? NOTHING : found && named == 1 ? RIGHT : WRONG;
}
