/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the decision engine against slower or independent ways. */
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "belief.h"
#include "choose.h"
#include "drift.h"
#include "numeric.h"
#include "reach.h"
#include "text.h"
#include "unit.h"

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

#define N 150

/* Up to four parents each, some commits without any, all loose ends last. */
struct bush {
	uint32_t at[N + 1], parent[8 * N];
	bool in[N][N]; /* in[x][y]: y is x or an ancestor of x */
	struct fb_dag dag;
};

static void bush_init(struct bush *b, uint64_t s)
{
	uint32_t k = 0;
	bool child[N] = { false };
	seed = s;
	memset(b, 0, sizeof(*b));
	for (uint32_t x = 0; x < N; x++) {
		unsigned n = uniform() < 0.05 ? 0 :
			     uniform() < 0.2  ? 1 + (unsigned)(4 * uniform()) :
						1;
		b->in[x][x] = true;
		for (uint32_t p = 0; p < x; p++) {
			bool take = x == N - 1 ?
					    !child[p] :
					    n && x - p < 8 && uniform() < 0.3;
			if (!take)
				continue;
			n -= x != N - 1;
			child[p] = true;
			b->parent[k++] = p;
			for (uint32_t y = 0; y < N; y++)
				b->in[x][y] |= b->in[p][y];
		}
		b->at[x + 1] = k;
	}
	b->dag = (struct fb_dag){ N, b->parent, b->at };
}

static void hermite_is_gsls(void **state)
{
	(void)state;
	/* The weight exp(-x^2 / 2): b is one half. */
	gsl_integration_fixed_workspace *w = gsl_integration_fixed_alloc(
		gsl_integration_fixed_hermite, FB_HERMITE, 0, 0.5, 0, 0);
	for (int i = 0; i < FB_HERMITE; i++) {
		double x = gsl_integration_fixed_nodes(w)[i];
		double v = gsl_integration_fixed_weights(w)[i] / sqrt(2 * M_PI);
		assert_true(fabs(x - fb_hermite_x[i]) < 1e-10);
		assert_true(fabs(v - fb_hermite_weight[i]) < 1e-10);
	}
	gsl_integration_fixed_free(w);
}

struct bit {
	double p, d;
};

static double information_density(double x, void *data)
{
	const struct bit *b = data;
	double good = gsl_ran_gaussian_pdf(x, 1),
	       bad = gsl_ran_gaussian_pdf(x - b->d, 1);
	double mix = b->p * bad + (1 - b->p) * good, sum = 0;
	if (good > 0)
		sum += (1 - b->p) * good * log(good / mix);
	if (bad > 0)
		sum += b->p * bad * log(bad / mix);
	return sum;
}

static void information_is_the_integral(void **state)
{
	(void)state;
	static const double ps[] = { 0.5, 0.31, 0.9, 0.02, 0.001 },
			    ds[] = { 0, 0.07, 0.6, 1.06, 1.7, 3.5, 9.3 };
	gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 7; k++) {
			struct bit b = { ps[i], ds[k] };
			gsl_function f = { information_density, &b };
			double want, error;
			gsl_integration_qag(&f, -12, 22, 1e-10, 1e-8, 1000,
					    GSL_INTEG_GAUSS61, w, &want,
					    &error);
			double got = fb_information(b.p, b.d);
			assert_true(fabs(got - want) < 0.003 * fb_entropy(b.p));
			assert_true(fabs(got - fb_information(1 - b.p, -b.d)) <
				    1e-9);
		}
	}
	gsl_integration_workspace_free(w);
	assert_true(fb_information(0, 3) == 0 && fb_information(1, 3) == 0);
	assert_true(fb_information(NAN, 3) == 0);
}

static void reach_equals_plain_counting(void **state)
{
	(void)state;
	struct bush *b = fb_calloc(1, sizeof(*b));
	for (uint64_t s = 1; s <= 20; s++) {
		double mass[N], out[N], chain[N];
		bush_init(b, s);
		for (int x = 0; x < N; x++)
			mass[x] = uniform() < 0.3 ? 0 : uniform();
		fb_reach(&b->dag, mass, out);
		fb_reach_chain(&b->dag, mass, chain);
		for (int x = 0; x < N; x++) {
			double want = 0;
			for (int y = 0; y < N; y++)
				want += b->in[x][y] ? mass[y] : 0;
			assert_true(fabs(out[x] - want) < 1e-9);
			assert_true(isnan(chain[x]) ||
				    fabs(chain[x] - want) < 1e-9);
		}
		assert_false(isnan(chain[N - 1]));
	}
	free(b);
}

static void cells_have_one_signature_each(void **state)
{
	(void)state;
	struct bush *b = fb_calloc(1, sizeof(*b));
	const uint32_t tested[] = { 140, 3, 77, 30, 101, 77 };
	struct fb_cells c;
	bush_init(b, 4);
	fb_cells_init(&c, &b->dag, tested, 6);
	for (uint32_t x = 0; x < N; x++)
		for (int j = 0; j < 6; j++)
			assert_int_equal(fb_cells_row(&c, c.of[x])[j],
					 b->in[tested[j]][x]);
	for (uint32_t x = 0; x < N; x++)
		for (uint32_t y = 0; y < x; y++)
			if (c.of[x] != c.of[y])
				assert_memory_not_equal(
					fb_cells_row(&c, c.of[x]),
					fb_cells_row(&c, c.of[y]), 6);
	fb_cells_release(&c);
	free(b);
}

/* The noise is a density, and one sample proves about four nats at most. */
static void one_sample_is_capped(void **state)
{
	(void)state;
	struct fb_grid g = { 0 };
	double good[FB_GRID_POINTS], bad[FB_GRID_POINTS], sum = 0;
	for (double u = -15.99; u < 15.99; u += 0.01)
		sum += 0.01 * fb_noise(fabs(u));
	assert_true(fabs(sum - 1) < 1e-3);
	fb_grid_set(&g, 0, -0.7, 0.01, 5, 5, 8, 0, 10);
	for (double z = -1.5; z < 0.5; z += 0.01) {
		fb_grid_likelihood(&g, (struct fb_zs){ &z, 1 }, false, good);
		fb_grid_likelihood(&g, (struct fb_zs){ &z, 1 }, true, bad);
		int middle = (FB_SIGMAS / 2) * FB_MUS + FB_MUS / 2;
		assert_true(fabs(good[middle] - bad[middle]) < 6);
	}
}

/* The same sum, written out commit by commit without cells. */
static double plain_log(const struct fb_question *q, const struct fb_grid *g,
			const struct bush *b, uint32_t culprit)
{
	double term[FB_TAUS * FB_SIGMAS], good[FB_GRID_POINTS] = { 0 },
					  bad[FB_GRID_POINTS] = { 0 };
	double l[FB_GRID_POINTS];
	fb_grid_likelihood(g, q->good, false, good);
	fb_grid_likelihood(g, q->bad, true, bad);
	for (size_t j = 0; j < q->n_tests; j++) {
		bool is_bad = b->in[q->tests[j].node][culprit];
		fb_grid_likelihood(g, q->tests[j].s, is_bad, l);
		for (int i = 0; i < FB_GRID_POINTS; i++)
			(is_bad ? bad : good)[i] += l[i];
	}
	for (int o = 0; o < FB_TAUS * FB_SIGMAS; o++) {
		double pg = 0, pb = 0;
		for (int m = 0; m < FB_MUS; m++) {
			pg += exp(good[o * FB_MUS + m]);
			pb += exp(bad[o * FB_MUS + m]);
		}
		term[o] = log(fb_tau_prior[o / FB_SIGMAS] * pg * pb);
	}
	return fb_log_sum_exp(term, FB_TAUS * FB_SIGMAS);
}

static void posterior_equals_brute_force(void **state)
{
	(void)state;
	struct bush *b = fb_calloc(1, sizeof(*b));
	double ends[2][5], z[4][2], prior[N], want[N];
	const uint32_t nodes[] = { 40, 90, 61, 120 }, culprit = 55;
	struct fb_test tests[4];
	struct fb_zs all[6];
	struct fb_classes classes;
	struct fb_belief belief;
	struct fb_grid g = { 0 };
	bush_init(b, 9);
	for (int i = 0; i < 5; i++) {
		ends[0][i] = 0.05 * gauss();
		ends[1][i] = -0.1 + 0.05 * gauss();
	}
	for (int j = 0; j < 4; j++) {
		for (int i = 0; i < 2; i++)
			z[j][i] = (b->in[nodes[j]][culprit] ? -0.1 : 0) +
				  0.05 * gauss();
		tests[j] = (struct fb_test){ nodes[j], { z[j], 2 } };
		all[j] = tests[j].s;
	}
	all[4] = (struct fb_zs){ ends[0], 5 };
	all[5] = (struct fb_zs){ ends[1], 5 };
	for (int x = 0; x < N; x++)
		prior[x] = 1 + x % 3;
	fb_classes_fit(&classes, all[4], all[5], all, 6);
	struct fb_question q = { &b->dag, prior, &classes, all[4],
				 all[5],  tests, 4 };
	fb_belief_init(&belief, &q);
	double n = 10, sum = 0, total = 0;
	fb_grid_set(&g, belief.mu_good, belief.mu_bad, classes.sigma,
		    belief.n_good, belief.n_bad, classes.df,
		    classes.outliers * n, n);
	for (uint32_t x = 0; x < N; x++)
		sum += want[x] = prior[x] * exp(plain_log(&q, &g, b, x));
	for (uint32_t x = 0; x < N; x++) {
		assert_true(fabs(belief.p[x] - want[x] / sum) < 1e-6);
		total += belief.p[x];
	}
	assert_true(fabs(total - 1) < 1e-9);
	fb_belief_release(&belief);
	free(b);
}

static void uniform_choice_is_the_midpoint(void **state)
{
	(void)state;
	struct bush *b = fb_calloc(1, sizeof(*b));
	const struct fb_power power = { 0.1, 0.001, 0, 0 };
	const struct fb_costs costs = { 120, 15 };
	for (uint64_t s = 1; s <= 20; s++) {
		double mass[N], p[N], best = 0;
		bool open[N];
		struct fb_choice c;
		bush_init(b, s);
		for (int x = 0; x < N; x++) {
			mass[x] = 1.0 / N;
			open[x] = true;
		}
		fb_reach(&b->dag, mass, p);
		for (int x = 0; x < N; x++)
			best = fmax(best, fmin(p[x], 1 - p[x]));
		fb_choose_build(&b->dag, p, open, NULL, 0, &power, &costs, 1,
				&c);
		assert_int_equal(c.boots, 1);
		assert_true(fabs(fmin(p[c.node], 1 - p[c.node]) - best) <
			    1e-12);
		uint32_t batch[3];
		assert_int_equal(fb_choose_batch(&b->dag, p, open, 3, batch),
				 3);
		assert_true(batch[0] != batch[1] && batch[1] != batch[2]);
	}
	free(b);
}

/* A straight loss of 3 % an hour is found to within the noise. */
static void drift_follows_the_references(void **state)
{
	(void)state;
	double at[40], z[40], out[40];
	seed = 3;
	for (int i = 0; i < 40; i++) {
		at[i] = i * 150;
		z[i] = 4.6 - 0.03 * at[i] / 3600 + 0.005 * gauss();
	}
	z[20] -= 0.7;
	fb_drift(at, z, 40, 0.005, at, 40, out);
	for (int i = 0; i < 40; i++)
		assert_true(fabs(out[i] + 0.03 * (at[i] - at[39] / 2) / 3600) <
			    0.008);
	/* Noise alone is no drift. */
	for (int i = 0; i < 40; i++)
		z[i] = 4.6 + 0.005 * gauss();
	fb_drift(at, z, 40, 0.005, at, 40, out);
	for (int i = 0; i < 40; i++)
		assert_true(fabs(out[i]) < 0.003);
	fb_drift(at, z, 2, 0.005, at, 40, out);
	assert_true(out[7] == 0);
}

static void humps_are_told_from_noise(void **state)
{
	(void)state;
	double r[40], sigma = 0.01;
	seed = 8;
	for (int i = 0; i < 40; i++)
		r[i] = 0.01 * gauss();
	assert_true(fb_find_hump(r, 40, &sigma).share == 0);
	for (int i = 0; i < 40; i++)
		r[i] = 0.01 * gauss() - (i % 3 == 0 ? 0.083 : 0);
	struct fb_hump h = fb_find_hump(r, 40, &sigma);
	assert_true(fabs(h.share - 0.35) < 0.1);
	assert_true(fabs(h.at + 0.083) < 0.02);
	assert_true(sigma > 0.005 && sigma < 0.02);
}

/* Median scatter of `commits` commits with n boots each, sigma being 1. */
static double typical_scatter(size_t commits, size_t n, double outliers)
{
	enum { TIMES = 201 };
	double found[TIMES], df, *z = fb_calloc(commits * n, sizeof(*z));
	struct fb_zs *list = fb_calloc(commits, sizeof(*list));
	for (int t = 0; t < TIMES; t++) {
		for (size_t i = 0; i < commits * n; i++)
			z[i] = gauss() - (uniform() < outliers ? 40 : 0);
		for (size_t i = 0; i < commits; i++)
			list[i] = (struct fb_zs){ z + i * n, n };
		found[t] = fb_scatter(list, commits, &df);
		assert_float_equal(df, commits * (n - 1), 1e-9);
	}
	free(list);
	free(z);
	return fb_median(found, TIMES);
}

static void scatter_is_that_of_the_noise(void **state)
{
	(void)state;
	seed = 5;
	assert_float_equal(typical_scatter(2, 5, 0), 1, 0.1);
	assert_float_equal(typical_scatter(20, 2, 0), 1, 0.05);
	assert_float_equal(typical_scatter(10, 10, 0), 1, 0.03);
	/* Outliers do not make it more than a little wider. */
	assert_float_equal(typical_scatter(10, 10, 0.02), 1, 0.05);
	assert_float_equal(typical_scatter(10, 10, 0.2), 1, 0.4);
}

/* Equal end points are seldom called different, and different ones are. */
static void end_test_keeps_its_level(void **state)
{
	(void)state;
	enum { TIMES = 20000, BOOTS = 10 };
	int wrong = 0, missed = 0;
	seed = 6;
	for (int t = 0; t < TIMES; t++) {
		double z[2][BOOTS];
		struct fb_classes c;
		struct fb_zs ends[] = { { z[0], BOOTS }, { z[1], BOOTS } };
		for (int i = 0; i < 2 * BOOTS; i++)
			z[i % 2][i / 2] =
				0.03 * gauss() - (uniform() < 0.02 ? 0.69 : 0);
		fb_classes_fit(&c, ends[0], ends[1], ends, 2);
		wrong += fb_classes_differ(&c);
		for (int i = 0; i < BOOTS; i++)
			z[1][i] -= 0.1;
		fb_classes_fit(&c, ends[0], ends[1], ends, 2);
		missed += !fb_classes_differ(&c);
	}
	/* .0025, and three standard errors of the count */
	assert_in_range(wrong, 0, (int)(0.0025 * TIMES + 3 * 7.1));
	assert_in_range(missed, 0, TIMES / 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(hermite_is_gsls),
	cmocka_unit_test(information_is_the_integral),
	cmocka_unit_test(reach_equals_plain_counting),
	cmocka_unit_test(cells_have_one_signature_each),
	cmocka_unit_test(one_sample_is_capped),
	cmocka_unit_test(posterior_equals_brute_force),
	cmocka_unit_test(uniform_choice_is_the_midpoint),
	cmocka_unit_test(drift_follows_the_references),
	cmocka_unit_test(humps_are_told_from_noise),
	cmocka_unit_test(scatter_is_that_of_the_noise),
	cmocka_unit_test(end_test_keeps_its_level),
};

UNIT_MAIN(tests)
