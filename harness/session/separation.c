/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "separation.h"

#include <math.h>

#define SCATTER_FLOOR 0.0005

struct moments {
	double mean, squares, low, high;
};

static struct moments moments(const double *v, size_t n)
{
	struct moments m = { 0, 0, INFINITY, -INFINITY };
	for (size_t i = 0; i < n; i++) {
		double z = log(v[i]);
		m.mean += z / (double)n;
		m.low = fmin(m.low, z);
		m.high = fmax(m.high, z);
	}
	for (size_t i = 0; i < n; i++)
		m.squares += pow(log(v[i]) - m.mean, 2);
	return m;
}

struct fb_separation fb_separation(const struct fb_comparison *row)
{
	struct moments a = moments(row->a, row->n_a);
	struct moments b = moments(row->b, row->n_b);
	double df = (double)(row->n_a + row->n_b) - 2;
	double scatter = sqrt((a.squares + b.squares) / fmax(df, 1));
	return (struct fb_separation){
		.change = b.mean - a.mean,
		.scatter = fmax(scatter, SCATTER_FLOOR),
		.apart = a.high < b.low || b.high < a.low,
	};
}
