/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define BLOCK 64
#define IGNORED 1e-3 /* of the whole mass */

static double least_mass(const struct fb_dag *dag, const double *mass)
{
	double total = 0;
	for (uint32_t x = 0; x < dag->n; x++)
		total += mass[x];
	return IGNORED * total / dag->n;
}

/* sum[b][v]: mass of the commits whose bits are set in v, byte b of a mask. */
struct sums {
	double sum[8][256], all;
	uint64_t full;
};

static void sums_fill(struct sums *s, const double *mass, const uint32_t *block,
		      unsigned n)
{
	s->all = 0;
	s->full = n == BLOCK ? UINT64_MAX : ((uint64_t)1 << n) - 1;
	for (unsigned b = 0; b < 8; b++) {
		s->sum[b][0] = 0;
		for (unsigned v = 1; v < 256; v++) {
			unsigned bit = (unsigned)__builtin_ctz(v);
			unsigned k = 8 * b + bit;
			s->sum[b][v] = s->sum[b][v & (v - 1)] +
				       (k < n ? mass[block[k]] : 0);
		}
		s->all += s->sum[b][255];
	}
}

static double sums_of(const struct sums *s, uint64_t mask)
{
	if (mask == s->full)
		return s->all;
	double sum = 0;
	for (unsigned b = 0; b < 8; b++)
		sum += s->sum[b][mask >> (8 * b) & 255];
	return sum;
}

/* Bit k of mask[x] is set iff block[k] is x or an ancestor of x. */
static void sweep(const struct fb_dag *dag, const uint32_t *block, unsigned n,
		  const struct sums *s, uint64_t *mask, double *out)
{
	uint32_t first = block[0];
	unsigned next = 0;
	for (uint32_t x = first; x < dag->n; x++) {
		uint64_t m = 0;
		if (next < n && block[next] == x)
			m = (uint64_t)1 << next++;
		for (uint32_t k = dag->at[x]; k < dag->at[x + 1]; k++)
			if (dag->parent[k] >= first)
				m |= mask[dag->parent[k]];
		mask[x] = m;
		if (m)
			out[x] += sums_of(s, m);
	}
}

void fb_reach(const struct fb_dag *dag, const double *mass, double *out)
{
	double least = least_mass(dag, mass);
	uint64_t *mask = fb_calloc(dag->n, sizeof(*mask));
	struct sums *s = fb_calloc(1, sizeof(*s));
	memset(out, 0, dag->n * sizeof(*out));
	for (uint32_t next = 0; next < dag->n;) {
		uint32_t block[BLOCK];
		unsigned n = 0;
		for (; next < dag->n && n < BLOCK; next++)
			if (mass[next] > least)
				block[n++] = next;
		if (n == 0)
			break;
		sums_fill(s, mass, block, n);
		sweep(dag, block, n, s, mask, out);
	}
	free(s);
	free(mask);
}

double fb_reach_cost(const struct fb_dag *dag, const double *mass)
{
	double least = least_mass(dag, mass), visits = 0;
	for (uint32_t x = 0; x < dag->n; x++)
		visits += mass[x] > least ? dag->n - x : 0;
	return visits / BLOCK;
}

/* The mass of x and its ancestors that nobody owned yet; they are owned now. */
static double take(const struct fb_dag *dag, uint32_t x, const double *mass,
		   bool *owned, uint32_t *stack)
{
	size_t n = 0;
	double sum = 0;
	owned[x] = true;
	stack[n++] = x;
	while (n > 0) {
		uint32_t y = stack[--n];
		sum += mass[y];
		for (uint32_t k = dag->at[y]; k < dag->at[y + 1]; k++) {
			uint32_t p = dag->parent[k];
			if (owned[p])
				continue;
			owned[p] = true;
			stack[n++] = p;
		}
	}
	return sum;
}

void fb_reach_chain(const struct fb_dag *dag, const double *mass, double *out)
{
	bool *owned = fb_calloc(dag->n, sizeof(*owned));
	uint32_t *stack = fb_calloc(dag->n, sizeof(*stack));
	uint32_t *chain = fb_calloc(dag->n, sizeof(*chain));
	size_t n = 0;
	double sum = 0;
	for (uint32_t x = 0; x < dag->n; x++)
		out[x] = NAN;
	for (uint32_t x = dag->n - 1;; x = dag->parent[dag->at[x]]) {
		chain[n++] = x;
		if (dag->at[x] == dag->at[x + 1])
			break;
	}
	while (n-- > 0)
		out[chain[n]] = sum += take(dag, chain[n], mass, owned, stack);
	free(chain);
	free(stack);
	free(owned);
}
