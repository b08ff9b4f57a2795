/* SPDX-License-Identifier: GPL-2.0-or-later */
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(seed_of_2007_is_probe_only),
	cmocka_unit_test(disk_prefix_is_respected),
	cmocka_unit_test(other_diagnoses),
	cmocka_unit_test(noisy_is_unclear_not_same),
	cmocka_unit_test(interval_is_students),
	cmocka_unit_test(lower_is_better_for_latency),
};

UNIT_MAIN(tests)
