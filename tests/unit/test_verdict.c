/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "unit.h"
#include "verdict.h"

static void arm(struct fb_verdict *v, const char *metric, char which, double a,
		double b, double c)
{
	fb_verdict_add(v, metric, which, a);
	fb_verdict_add(v, metric, which, b);
	fb_verdict_add(v, metric, which, c);
}

static void both(struct fb_verdict *v, const char *metric, double a, double b)
{
	arm(v, metric, 'a', a, a * 1.002, a * 0.998);
	arm(v, metric, 'b', b, b * 1.002, b * 0.998);
}

static void judge(struct fb_verdict *v)
{
	fb_verdict_compare(v, 0.05);
	fb_verdict_diagnose(v);
}

/* The figures of the 2007 report on its SATA disk, as three runs. */
static void seed_of_2007_is_probe_only(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, "hdparm.buffered_read", 73.18, 33.99);
	both(&v, "bonnie.block_read", 64.5, 65.2);
	both(&v, "hdparm.buffered_read.request_kib", 113, 4);
	arm(&v, "hdparm.buffered_read.merge_ratio", 'a', .96, .96, .96);
	arm(&v, "hdparm.buffered_read.merge_ratio", 'b', 0, 0, 0);
	judge(&v);
	assert_string_equal(v.diagnosis, "probe-only");
	assert_string_equal(v.cause, "lost-merges");
	const struct fb_comparison *c =
		fb_verdict_find(&v, "hdparm.buffered_read");
	assert_int_equal(c->change, FB_CHANGE_SLOWER);
	/* 33.99 / 73.18 = -53.55 % */
	assert_true(fabs(c->ratio - 0.46447) < 1e-4);
	fb_verdict_release(&v);
}

static void disk_prefix_is_respected(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, "a/hdparm.buffered_read", 70, 70);
	both(&v, "a/bonnie.block_read", 60, 60);
	both(&v, "b/hdparm.buffered_read", 70, 30);
	both(&v, "b/bonnie.block_read", 60, 60.1);
	judge(&v);
	assert_string_equal(v.diagnosis, "probe-only");
	assert_null(v.cause);
	fb_verdict_release(&v);
}

static void other_diagnoses(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, "hdparm.buffered_read", 70, 70.1);
	both(&v, "bonnie.block_read", 60, 30);
	judge(&v);
	assert_string_equal(v.diagnosis, "probe-blind");
	fb_verdict_release(&v);

	both(&v, "hdparm.buffered_read", 70, 35);
	both(&v, "bonnie.block_read", 60, 30);
	judge(&v);
	assert_string_equal(v.diagnosis, "io-slower");
	fb_verdict_release(&v);

	both(&v, "hdparm.buffered_read", 70, 70.1);
	both(&v, "bonnie.block_read", 60, 60.1);
	judge(&v);
	assert_string_equal(v.diagnosis, "no-change");
	fb_verdict_release(&v);

	judge(&v);
	assert_string_equal(v.diagnosis, "not-enough");
	fb_verdict_release(&v);
}

static void noisy_is_unclear_not_same(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	arm(&v, "hdparm.buffered_read", 'a', 50, 70, 90);
	arm(&v, "hdparm.buffered_read", 'b', 48, 71, 88);
	fb_verdict_compare(&v, 0.05);
	assert_int_equal(v.rows[0].change, FB_CHANGE_UNCLEAR);
	fb_verdict_release(&v);
}

/* Student's t at .975 with 4 degrees of freedom is 2.776445 (any table). */
static void interval_is_students(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	arm(&v, "m", 'a', 100, 100 * exp(0.01), 100 * exp(-0.01));
	arm(&v, "m", 'b', 90, 90 * exp(0.01), 90 * exp(-0.01));
	fb_verdict_compare(&v, 0.05);
	/* Equal variances 1e-4, n = 3 each: df is 4. */
	double half = 2.776445 * sqrt(2e-4 / 3);
	assert_true(fabs(v.rows[0].ratio - 0.9) < 1e-9);
	assert_true(fabs(v.rows[0].low - 0.9 * exp(-half)) < 1e-6);
	assert_true(fabs(v.rows[0].high - 0.9 * exp(half)) < 1e-6);
	fb_verdict_release(&v);
}

static void lower_is_better_for_latency(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	both(&v, "read.latency_p99", 100, 200);
	fb_verdict_compare(&v, 0.05);
	assert_int_equal(v.rows[0].change, FB_CHANGE_SLOWER);
	fb_verdict_release(&v);
}

static const struct fb_comparison *row(const struct fb_verdict *v)
{
	return &v->rows[0];
}

/* Benjamini and Hochberg 1995, section 3.2: the 15 p-values of their example,
 * of which their procedure at .05 rejects four and Bonferroni's three. */
static void false_discovery_is_benjamini_hochbergs(void **state)
{
	(void)state;
	static const double p[] = { .0001, .0004, .0019, .0095, .0201,
				    .0278, .0298, .0344, .0459, .3240,
				    .4262, .5719, .6528, .7590, 1.000 };
	struct fb_verdict v = { .alpha = .05 };
	for (int i = 0; i < 15; i++) {
		/* Two arms of three whose Student's p is p[i]: the distance
		 * of the means in units of the standard error is t(1-p/2). */
		double t = gsl_cdf_tdist_Pinv(1 - p[i] / 2, 4);
		double d = t * sqrt(1e-4 * 2 / 3);
		char name[8];
		snprintf(name, sizeof(name), "m%d", i);
		arm(&v, name, 'a', 100, 100 * exp(.01), 100 * exp(-.01));
		arm(&v, name, 'b', 100 * exp(-d), 100 * exp(.01 - d),
		    100 * exp(-.01 - d));
	}
	fb_verdict_compare(&v, 0.0001);
	int slower = 0;
	for (size_t i = 0; i < v.n; i++) {
		assert_true(fabs(v.rows[i].p - p[i]) < 1e-6);
		slower += v.rows[i].change == FB_CHANGE_SLOWER;
	}
	assert_int_equal(slower, 4);
	/* q of the fourth: .0095 * 15 / 4 */
	assert_true(fabs(v.rows[3].q - .0095 * 15 / 4) < 1e-6);
	fb_verdict_release(&v);
}

static void what_has_no_logarithm(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	arm(&v, "gone", 'a', .9, .9, .9);
	arm(&v, "gone", 'b', 0, 0, 0);
	arm(&v, "came_us", 'a', 0, 0, 0);
	arm(&v, "came_us", 'b', 5, 6, 7);
	arm(&v, "nothing", 'a', 0, 0, 0);
	arm(&v, "nothing", 'b', 0, 0, 0);
	arm(&v, "some", 'a', 5, 5, 5);
	arm(&v, "some", 'b', 5, 0, 5);
	arm(&v, "one-armed", 'a', 5, 5, 5);
	arm(&v, "broken", 'a', NAN, -1, INFINITY);
	arm(&v, "broken", 'b', 1, 1, 1);
	fb_verdict_compare(&v, .05);
	assert_int_equal(v.rows[0].change, FB_CHANGE_SLOWER);
	assert_true(v.rows[0].ratio == 0);
	assert_int_equal(v.rows[1].change, FB_CHANGE_SLOWER);
	assert_true(isinf(v.rows[1].ratio));
	assert_int_equal(v.rows[2].change, FB_CHANGE_SAME);
	assert_int_equal(v.rows[3].change, FB_CHANGE_UNCLEAR);
	assert_int_equal(v.rows[4].change, FB_CHANGE_UNCLEAR);
	assert_true(isnan(v.rows[4].ratio));
	assert_int_equal(v.rows[5].change, FB_CHANGE_UNCLEAR);
	assert_int_equal(v.rows[5].refused, 3);
	fb_verdict_diagnose(&v);
	assert_true(v.n_findings > 0);
	fb_verdict_release(&v);
}

static void constant_arms(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	arm(&v, "a", 'a', 128, 128, 128);
	arm(&v, "a", 'b', 4, 4, 4);
	arm(&v, "b", 'a', 128, 128, 128);
	arm(&v, "b", 'b', 128, 128, 128);
	arm(&v, "c", 'a', 100, 100, 100);
	arm(&v, "c", 'b', 89, 90, 91);
	fb_verdict_compare(&v, .05);
	assert_int_equal(v.rows[0].change, FB_CHANGE_SLOWER);
	assert_int_equal(v.rows[1].change, FB_CHANGE_SAME);
	assert_int_equal(v.rows[2].change, FB_CHANGE_SLOWER);
	fb_verdict_release(&v);
}

static void one_figure_an_arm(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	static const double after[] = { 94.9, 95.1, 98, 105.1 };
	static const enum fb_change expect[] = { FB_CHANGE_SLOWER,
						 FB_CHANGE_UNCLEAR,
						 FB_CHANGE_SAME,
						 FB_CHANGE_FASTER };
	for (int i = 0; i < 4; i++) {
		char name[8];
		snprintf(name, sizeof(name), "m%d", i);
		fb_verdict_add(&v, name, 'a', 100);
		fb_verdict_add(&v, name, 'b', after[i]);
	}
	fb_verdict_compare(&v, .05);
	for (int i = 0; i < 4; i++) {
		assert_true(v.rows[i].single);
		assert_int_equal(v.rows[i].change, expect[i]);
	}
	/* Three an arm are asked for, to know the noise. */
	assert_int_equal(v.rows[1].more, 2);
	fb_verdict_release(&v);
}

static void an_outlier_does_not_hide_a_drop(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	static const double a[] = { 100, 101, 99, 100.5, 99.5, 40 },
			    b[] = { 90, 91, 89, 90.5, 89.5, 90 };
	for (int i = 0; i < 6; i++) {
		fb_verdict_add(&v, "m", 'a', a[i]);
		fb_verdict_add(&v, "m", 'b', b[i]);
	}
	fb_verdict_compare(&v, .05);
	assert_int_equal(row(&v)->set_aside, 1);
	assert_int_equal(row(&v)->change, FB_CHANGE_SLOWER);
	assert_true(fabs(row(&v)->ratio - .9) < .003);
	fb_verdict_release(&v);
}

/* Two groups far apart are noise, not outliers: nothing may be set aside that
 * makes them look certain. */
static void two_humps_are_not_outliers(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	static const double a[] = { 100, 70, 101, 71, 99, 69 },
			    b[] = { 100, 70, 70, 101, 69, 71 };
	for (int i = 0; i < 6; i++) {
		fb_verdict_add(&v, "m", 'a', a[i]);
		fb_verdict_add(&v, "m", 'b', b[i]);
	}
	fb_verdict_compare(&v, .05);
	assert_int_equal(row(&v)->set_aside, 0);
	assert_int_equal(row(&v)->change, FB_CHANGE_UNCLEAR);
	assert_true(row(&v)->more > 10);
	fb_verdict_release(&v);
}

/* Three per cent, known to a tenth: more than nothing, less than counts. */
static void between_margin_and_threshold(void **state)
{
	(void)state;
	struct fb_verdict v = { 0 };
	arm(&v, "m", 'a', 100, 100.05, 99.95);
	arm(&v, "m", 'b', 96, 96.05, 95.95);
	fb_verdict_compare(&v, .05);
	assert_int_equal(row(&v)->change, FB_CHANGE_UNCLEAR);
	assert_true(row(&v)->between);
	assert_int_equal(row(&v)->more, 0);
	fb_verdict_release(&v);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(false_discovery_is_benjamini_hochbergs),
	cmocka_unit_test(what_has_no_logarithm),
	cmocka_unit_test(constant_arms),
	cmocka_unit_test(one_figure_an_arm),
	cmocka_unit_test(an_outlier_does_not_hide_a_drop),
	cmocka_unit_test(two_humps_are_not_outliers),
	cmocka_unit_test(between_margin_and_threshold),
	cmocka_unit_test(seed_of_2007_is_probe_only),
	cmocka_unit_test(disk_prefix_is_respected),
	cmocka_unit_test(other_diagnoses),
	cmocka_unit_test(noisy_is_unclear_not_same),
	cmocka_unit_test(interval_is_students),
	cmocka_unit_test(lower_is_better_for_latency),
};

UNIT_MAIN(tests)
