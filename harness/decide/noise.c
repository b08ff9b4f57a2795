/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "noise.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "numeric.h"
#include "text.h"

#define CORE 0.92
#define TAIL 0.08
#define TAIL_WIDTH 3
#define NORMAL 0.3989422804014327 /* 1 / sqrt(2 pi) */
/* Of the scatter: where residuals stop to count more, and to count at all. */
#define CLIPPED 2.5
#define CLIPPED_SQUARE 0.97763 /* mean of min(u^2, 2.5^2) of a normal u */
#define DROPPED 6

static double table[FB_NOISE_FAR * FB_NOISE_PER_SIGMA + 2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
	for (int i = 0; i <= FB_NOISE_FAR * FB_NOISE_PER_SIGMA; i++) {
		double u = (double)i / FB_NOISE_PER_SIGMA, v = u / TAIL_WIDTH;
		table[i] = NORMAL * (CORE * exp(-0.5 * u * u) +
				     TAIL / TAIL_WIDTH * exp(-0.5 * v * v));
	}
}

const double *fb_noise_table(void)
{
	pthread_once(&once, fill);
	return table;
}

double fb_noise(double u)
{
	return fb_noise_in(fb_noise_table(), u);
}

/* Precision of a residual of u sigmas, as a share of a core sample's. */
static double precision(double u)
{
	const double anything = 0.002;
	double core = CORE * exp(-0.5 * u * u);
	double tail = TAIL / TAIL_WIDTH *
		      exp(-0.5 * u * u / (TAIL_WIDTH * TAIL_WIDTH));
	return (core + tail / (TAIL_WIDTH * TAIL_WIDTH)) /
	       (core + tail + anything);
}

double fb_location(const double *z, const double *weight, size_t n,
		   double sigma, double start, double *n_eff)
{
	double mu = start;
	*n_eff = 0;
	for (int round = 0; round < 8; round++) {
		double sum = 0, total = 0;
		for (size_t i = 0; i < n; i++) {
			double w = precision((z[i] - mu) / sigma) *
				   (weight ? weight[i] : 1);
			sum += w * (z[i] - mu);
			total += w;
		}
		*n_eff = total;
		if (total < 1e-3)
			return mu;
		double step = sum / total;
		mu += step;
		if (fabs(step) < 1e-3 * sigma)
			break;
	}
	return mu;
}

static double median_of(struct fb_zs s)
{
	double *copy = fb_calloc(s.n, sizeof(*copy));
	for (size_t i = 0; i < s.n; i++)
		copy[i] = s.z[i];
	double m = fb_median(copy, s.n);
	free(copy);
	return m;
}

/* Residuals about `centre`, as wide as about the true level. */
static void residuals_of(struct fb_zs s, double centre, double *out)
{
	double wider = sqrt((double)s.n / (double)(s.n - 1));
	for (size_t i = 0; i < s.n; i++)
		out[i] = fabs(s.z[i] - centre) * wider;
}

/* Residuals of all commits, each with its share of a degree of freedom. */
struct spread {
	double *r, *share;
	size_t n;
};

static void spread_fill(struct spread *s, const struct fb_zs *commits,
			size_t n_commits, double sigma)
{
	s->n = 0;
	for (size_t i = 0; i < n_commits; i++) {
		double n_eff, centre;
		if (commits[i].n < 2)
			continue;
		centre = median_of(commits[i]);
		if (sigma > 0)
			centre = fb_location(commits[i].z, NULL, commits[i].n,
					     sigma, centre, &n_eff);
		residuals_of(commits[i], centre, s->r + s->n);
		for (size_t j = 0; j < commits[i].n; j++)
			s->share[s->n++] = 1 - 1 / (double)commits[i].n;
	}
}

/* One step of the winsorized standard deviation. */
static double winsorize(const struct spread *s, double sigma)
{
	double sum = 0, total = 0;
	for (size_t i = 0; i < s->n; i++) {
		double u = s->r[i] / sigma;
		if (u > DROPPED)
			continue;
		sum += s->share[i] * fmin(u * u, CLIPPED * CLIPPED);
		total += s->share[i];
	}
	return total > 0 ? sigma * sqrt(sum / (CLIPPED_SQUARE * total)) : sigma;
}

double fb_scatter(const struct fb_zs *commits, size_t n_commits, double *df)
{
	size_t n = 0, used = 0;
	for (size_t i = 0; i < n_commits; i++) {
		n += commits[i].n > 1 ? commits[i].n : 0;
		used += commits[i].n > 1;
	}
	*df = (double)(n - used);
	if (n == 0)
		return FB_SIGMA_FLOOR;
	double *room = fb_calloc(3 * n, sizeof(*room));
	struct spread s = { room, room + n, 0 };
	spread_fill(&s, commits, n_commits, 0);
	for (size_t i = 0; i < n; i++)
		room[2 * n + i] = s.r[i];
	double mad = 1.4826 * fb_median(room + 2 * n, n);
	double most = fmax(mad, FB_SIGMA_FLOOR) * (1 + 3 / sqrt(*df));
	double sigma = most;
	for (int round = 0; round < 12; round++) {
		if (round % 4 == 0)
			spread_fill(&s, commits, n_commits, sigma);
		sigma = fmin(winsorize(&s, sigma), most);
		sigma = fmax(sigma, FB_SIGMA_FLOOR);
	}
	free(room);
	return sigma;
}

static double normal(double r, double s)
{
	return NORMAL / s * exp(-0.5 * (r / s) * (r / s));
}

/* ln likelihood of one hump under f, or of two; with 1 % of anything. */
static double fit_of(const double *r, size_t n, double centre, double s,
		     struct fb_hump h)
{
	double l = 0;
	for (size_t i = 0; i < n; i++) {
		double u = r[i] - centre, v = u - h.at;
		double p = (1 - h.share) * fb_noise(fabs(u) / s) / s +
			   h.share * fb_noise(fabs(v) / s) / s;
		l += log(0.98 * p + 0.02 * 0.36);
	}
	return l;
}

/* One run of EM for two humps of the same width, started `apart`. */
static struct fb_hump two_humps(const double *r, size_t n, double apart,
				double *centre, double *sigma)
{
	double share = 0.3, a = *centre, b = a + apart, s = *sigma;
	for (int round = 0; round < 40; round++) {
		double wb = 0, sa = 0, sb = 0, all = 0, sq = 0;
		for (size_t i = 0; i < n; i++) {
			double pa = (1 - share) * normal(r[i] - a, s);
			double pb = share * normal(r[i] - b, s);
			double in = pa + pb, q = in / (in + 0.02 * 0.36);
			double w = in > 0 ? q * pb / in : 0, v = q - w;
			wb += w;
			all += q;
			sb += w * r[i];
			sa += v * r[i];
			sq += w * (r[i] - b) * (r[i] - b) +
			      v * (r[i] - a) * (r[i] - a);
		}
		if (wb < 1 || all - wb < 1)
			break;
		a = sa / (all - wb);
		b = sb / wb;
		s = fmax(sqrt(sq / all), FB_SIGMA_FLOOR);
		share = fmin(fmax(wb / all, 0.02), 0.98);
	}
	*centre = a;
	*sigma = s;
	return (struct fb_hump){ share, b - a };
}

double fb_hump_centre(const double *z, size_t n, double sigma, struct fb_hump h)
{
	double best = z[0], top = -INFINITY, sum = 0, weight = 0;
	for (size_t i = 0; i < 2 * n; i++) {
		double at = i < n ? z[i] : z[i - n] - h.at;
		double l = fit_of(z, n, at, sigma, h);
		if (l > top) {
			top = l;
			best = at;
		}
	}
	/* Each sample about the hump that it lies nearer to. */
	for (size_t i = 0; i < n; i++) {
		double u = z[i] - best;
		u -= fabs(u - h.at) < fabs(u) ? h.at : 0;
		double w = precision(u / sigma);
		sum += w * u;
		weight += w;
	}
	return best + (weight > 0 ? sum / weight : 0);
}

struct fb_hump fb_find_hump(const double *residual, size_t n, double *sigma)
{
	const struct fb_hump none = { 0, 0 };
	struct fb_hump best = none;
	double zero = 0, within = 0, s1 = fmax(*sigma, FB_SIGMA_FLOOR),
	       top = -INFINITY;
	if (n < 10)
		return none;
	double sq = 0;
	for (size_t i = 0; i < n; i++)
		sq += fmin(residual[i] * residual[i], 0.25 * 0.25);
	double wide = fmax(sqrt(sq / (double)n), s1);
	double one = fmax(fit_of(residual, n, zero, s1, none),
			  fit_of(residual, n, zero, wide, none));
	static const double starts[] = { -2, -4, -8, 2, 4, 8 };
	for (size_t k = 0; k < sizeof(starts) / sizeof(*starts); k++) {
		double centre = 0, s = s1;
		struct fb_hump h =
			two_humps(residual, n, starts[k] * s1, &centre, &s);
		double l = fit_of(residual, n, centre, s, h);
		if (l <= top || h.share > 0.5 || h.share < 0.1 ||
		    fabs(h.at) < 3 * s)
			continue;
		top = l;
		best = h;
		within = s;
	}
	/* Two more parameters: share and place. */
	if (2 * (top - one) - 2 * log((double)n) <= 6)
		return none;
	*sigma = within;
	return best;
}
