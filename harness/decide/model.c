/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model.h"

#include <math.h>

#include "numeric.h"

#define UNIFORM_DENSITY 0.36
#define WIDE_PRIOR 0.1
#define WIDE_SHARE 8
#define CHUNK 16 /* densities that can be multiplied without underflow */

const double fb_tau[FB_TAUS] = { 0, 0.003, 0.008 };
const double fb_tau_prior[FB_TAUS] = { 0.5, 0.35, 0.15 };

static double clamp(double x, double low, double high)
{
	return fmin(fmax(x, low), high);
}

static void levels(double *out, double centre, double step)
{
	for (int i = 0; i < FB_MUS; i++)
		out[i] = centre + (i - FB_MUS / 2) * step;
}

void fb_grid_set(struct fb_grid *g, double mu_good, double mu_bad, double sigma,
		 double n_good, double n_bad, double df, double outliers,
		 double samples)
{
	double e = clamp((1 + outliers) / (50 + samples), 0.01, 0.2);
	double wider = 0.8 * sigma * (1 + 3 / fmax(df, 1));
	g->swap_good = g->anything = 0.6 * e;
	g->swap_bad = 0.3 * e;
	levels(g->good, mu_good, wider / sqrt(fmax(n_good, 1)));
	levels(g->bad, mu_bad, wider / sqrt(fmax(n_bad, 1)));
	double step = 0.8 / sqrt(fmax(df, 2));
	for (int i = 0; i < FB_SIGMAS; i++)
		g->sigma[i] = sigma * exp((i - FB_SIGMAS / 2) * step);
}

/* One class at one point of the grid. */
struct point {
	double level, other; /* of this class; of the other one */
	double sigma, swap, anything;
	struct fb_hump hump;
};

/* f at r from the level, times sigma; `s` is 1 / sigma. */
static inline double noise(const double *table, double r, double s,
			   struct fb_hump h)
{
	double p = fb_noise_in(table, fabs(r) * s);
	if (h.share > 0)
		p = (1 - h.share) * p +
		    h.share * fb_noise_in(table, fabs(r - h.at) * s);
	return p;
}

static double log_product(const struct point *p, struct fb_zs s)
{
	const double *table = fb_noise_table();
	double narrow = 1 / p->sigma, wide = narrow / 1.3;
	double own = (1 - p->swap - p->anything) * narrow;
	double swap = p->swap * wide;
	double floor = UNIFORM_DENSITY * p->anything;
	double l = 0, product = 1;
	for (size_t i = 0; i < s.n; i++) {
		double z = s.z[i];
		product *= own * noise(table, z - p->level, narrow, p->hump) +
			   swap * noise(table, z - p->other, wide, p->hump) +
			   floor;
		if (i % CHUNK == CHUNK - 1) {
			l += log(product);
			product = 1;
		}
	}
	return l + log(product);
}

/* ln likelihood for every tau at one level and sigma. */
static void for_taus(struct point p, double drop, struct fb_zs s,
		     double out[FB_TAUS])
{
	double level = p.level, other = p.other;
	struct point wide = p;
	double term[FB_HERMITE + 1];
	wide.sigma = hypot(p.sigma, drop / WIDE_SHARE);
	term[FB_HERMITE] = log(WIDE_PRIOR) + log_product(&wide, s);
	double plain = log(1 - WIDE_PRIOR) + log_product(&p, s);
	for (int t = 0; t < FB_TAUS; t++) {
		if (fb_tau[t] == 0) {
			double two[] = { plain, term[FB_HERMITE] };
			out[t] = fb_log_sum_exp(two, 2);
			continue;
		}
		for (int q = 0; q < FB_HERMITE; q++) {
			double off = fb_tau[t] * fb_hermite_x[q];
			p.level = level + off;
			p.other = other + off;
			term[q] = log(fb_hermite_weight[q]) +
				  (off == 0 ? plain :
					      log(1 - WIDE_PRIOR) +
						      log_product(&p, s));
		}
		out[t] = fb_log_sum_exp(term, FB_HERMITE + 1);
	}
}

void fb_grid_likelihood(const struct fb_grid *g, struct fb_zs s, bool bad,
			double out[FB_GRID_POINTS])
{
	const double *own = bad ? g->bad : g->good;
	double other = (bad ? g->good : g->bad)[FB_MUS / 2];
	double drop = g->good[FB_MUS / 2] - g->bad[FB_MUS / 2];
	for (int i = 0; i < FB_SIGMAS; i++) {
		for (int m = 0; m < FB_MUS; m++) {
			double l[FB_TAUS];
			struct point p = {
				own[m],	     other,
				g->sigma[i], bad ? g->swap_bad : g->swap_good,
				g->anything, g->hump
			};
			for_taus(p, drop, s, l);
			for (int t = 0; t < FB_TAUS; t++)
				out[(t * FB_SIGMAS + i) * FB_MUS + m] = l[t];
		}
	}
}
