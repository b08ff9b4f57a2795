/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Four published reports of slow I/O, told again. Expected are the figures
 * that their authors state, not wording. The measured sections are in
 * tests/data/verdict/seeds; with FIRSTBAD_SEEDS the whole mails are read too.
 */
#include <glob.h>
#include <math.h>
#include <stdlib.h>

#include "cleanup.h"
#include "file.h"
#include "paste.h"
#include "unit.h"

struct seed {
	const char *fragment, *mail; /* file name, and pattern in the folder */
	char *text;
	size_t len;
};

static void load(struct seed *s, bool whole)
{
	struct fb_error err = FB_ERROR_INIT;
	const char *folder = getenv("FIRSTBAD_SEEDS");
	fb_autofree char *path =
		fb_strf("%s/%s", whole ? folder : DATA_DIR "/verdict/seeds",
			whole ? s->mail : s->fragment);
	glob_t found;
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	int rc = fb_file_read(found.gl_pathv[0], FB_PASTE_MAX, &s->text,
			      &s->len, &err);
	globfree(&found);
	assert_ok(rc, err);
}

static void arm(struct fb_paste *p, const struct seed *s, const char *from)
{
	struct fb_error err = FB_ERROR_INIT;
	const struct fb_selection sel = { from, NULL, NULL };
	int rc = fb_paste_read(p, s->text, s->len, &sel, &err);
	assert_ok(rc, err);
}

static void prose(struct fb_paste *p, const struct seed *s, const char *metric,
		  const char *regex)
{
	struct fb_error err = FB_ERROR_INIT;
	int rc = fb_paste_extract(p, s->text, s->len, metric, regex, &err);
	assert_ok(rc, err);
}

static void judge(struct fb_verdict *v, struct fb_paste arms[3])
{
	struct fb_error err = FB_ERROR_INIT;
	int rc = fb_paste_join(&arms[0], &arms[1], arms[2].n ? &arms[2] : NULL,
			       v, &err);
	assert_ok(rc, err);
	fb_verdict_compare(v, .05);
	fb_verdict_diagnose(v);
	for (int i = 0; i < 3; i++)
		fb_paste_release(&arms[i]);
}

/* Percent, as the table prints it. */
static void changed(const struct fb_verdict *v, const char *metric,
		    double percent, double tolerance)
{
	const struct fb_comparison *row = fb_verdict_find(v, metric);
	if (!row)
		fail_msg("no %s", metric);
	double got = 100 * (row->ratio - 1);
	if (!(fabs(got - percent) <= tolerance))
		fail_msg("%s: %g, not %g", metric, got, percent);
}

static bool diagnosed(const struct fb_verdict *v, const char *disk,
		      const char *name)
{
	for (size_t i = 0; i < v->n_findings; i++)
		if (strcmp(v->findings[i].disk, disk) == 0 &&
		    strcmp(v->findings[i].name, name) == 0)
			return true;
	return false;
}

static bool says(const struct fb_verdict *v, const char *part)
{
	for (size_t i = 0; i < v->n_findings; i++)
		for (size_t k = 0; k < v->findings[i].sentences.n; k++)
			if (strstr(v->findings[i].sentences.v[k], part))
				return true;
	for (size_t i = 0; i < v->missing.n; i++)
		if (strstr(v->missing.v[i], part))
			return true;
	return false;
}

static double timeline(const struct fb_verdict *v, char which,
		       const char *window, const char *key)
{
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *f = &v->facts[i];
		if (f->arm == which && strcmp(f->window, window) == 0 &&
		    strcmp(f->key, key) == 0)
			return f->value;
	}
	return NAN;
}

/* "hdparm is lying": 51.11 -> 18.09, 73.18 -> 33.99; block read +1.2 %. */
static void hdparm_of_2_6_20(const struct seed *s)
{
	struct fb_paste arms[3] = { { 0 } };
	struct fb_verdict v = { .axis = FB_AXIS_KERNEL };
	arm(&arms[0], s, "2\\.6\\.19(\\.1)?");
	arm(&arms[1], s, "2\\.6\\.20-rc3");
	judge(&v, arms);
	assert_string_equal(v.diagnosis, "probe-only");
	assert_true(diagnosed(&v, "IDE", "probe-only"));
	assert_true(diagnosed(&v, "SATA", "probe-only"));
	changed(&v, "IDE/hdparm.buffered_read", -65, .5);
	changed(&v, "SATA/hdparm.buffered_read", -54, .5);
	changed(&v, "FireWire-800/hdparm.buffered_read", -67.9, .05);
	changed(&v, "FireWire-400/hdparm.buffered_read", -46.1, .05);
	changed(&v, "SATA/bonnie.block_read", 0, 2);
	changed(&v, "SATA/bonnie.block_write", 0, 2);
	assert_true(fabs(fb_verdict_find(&v, "SATA/bonnie.seeks")->mean_a -
			 190.8) < 1e-9);
	assert_false(diagnosed(&v, "SATA", "io-slower"));
	fb_verdict_release(&v);
}

/* 44.7 -> 36.4 and 46.0 -> 8.9 MB/s; "I/O wait is always maxed". */
static void athcool(const struct seed *s)
{
	struct fb_paste arms[3] = { { 0 } };
	struct fb_verdict v = { .axis = FB_AXIS_HOST };
	arm(&arms[0], s, "^1\\) athcool off");
	arm(&arms[1], s, "^2\\) athcool on");
	judge(&v, arms);
	assert_string_equal(v.diagnosis, "io-slower");
	assert_true(diagnosed(&v, "IDE", "io-slower"));
	assert_true(diagnosed(&v, "SATA", "io-slower"));
	changed(&v, "IDE/dd.write", -18.6, .05);
	changed(&v, "SATA/dd.write", -80, 1);
	double wait = timeline(&v, 'b', "SATA/dd.write", "wa");
	double busy = timeline(&v, 'b', "SATA/dd.write", "us") +
		      timeline(&v, 'b', "SATA/dd.write", "sy");
	assert_true(wait > 80 && busy < 20);
	assert_true(timeline(&v, 'b', "IDE/dd.write", "wa") > 60);
	assert_true(says(&v, "not a kernel regression"));
	assert_true(says(&v, "it waits, it does not work"));
	fb_verdict_release(&v);
}

/* 7-10 MB/s at 60 % -> 2.7-3 MB/s at 100 %; 34-41 on the fast machine. */
static void ata_copy(const struct seed *s)
{
	struct fb_paste arms[3] = { { 0 } };
	struct fb_verdict v = { .axis = FB_AXIS_KERNEL };
	arm(&arms[0], s, "under 4\\.8");
	arm(&arms[1], s, "under 5\\.1");
	judge(&v, arms);
	assert_string_equal(v.diagnosis, "cpu-bound");
	assert_string_equal(v.findings[0].disk, "PC-1");
	assert_int_equal(v.n_findings, 1);
	changed(&v, "PC-1/stated.rate",
		100 * (sqrt(2.7 * 3) / sqrt(7 * 10) - 1), .01);
	assert_true(says(&v, "transfer mode"));
	/* PC 2 was not tested under 4.8, and at 30 % is far from its limit. */
	assert_true(says(&v, "PC-2/stated.rate: only in arm B, with the "
			     "processor 30 % busy"));
	fb_verdict_release(&v);
	arm(&arms[0], s, "under 5\\.1");
	arm(&arms[1], s, "under 6\\.0");
	judge(&v, arms);
	assert_string_equal(v.diagnosis, "no-change");
	changed(&v, "PC-2/stated.rate", 0, 2.5);
	fb_verdict_release(&v);
}

/* read() takes 72,987 us, then 137,303; without hald 133,959. */
static void fc3_fc5(const struct seed *s)
{
	struct fb_paste arms[3] = { { 0 } };
	struct fb_verdict v = { .axis = FB_AXIS_USERSPACE };
	arm(&arms[0], s, "^FC3:");
	arm(&arms[1], s, "^FC5:");
	arm(&arms[2], s, "hald stopped:");
	prose(&arms[1], s, "hdparm.buffered_read",
	      "hdparm from ([0-9.]+)MB/s to");
	prose(&arms[2], s, "hdparm.buffered_read",
	      "hdparm from [0-9.]+MB/s to ([0-9.]+)MB/s");
	judge(&v, arms);
	assert_string_equal(v.diagnosis, "io-slower");
	assert_true(diagnosed(&v, "", "interference"));
	changed(&v, "ltrace.read_us", 88.1, .05);
	assert_true(says(&v, "from 18.5 to 20 MiB/s (+8.1 %)"));
	assert_true(says(&v, "explains 4 % of the change"));
	const struct fb_comparison *dd = fb_verdict_find(&v, "dd.raw_read");
	assert_true(fabs(dd->b[0] - 22.1) < .05); /* as dd prints them */
	assert_true(fabs(dd->c[0] - 23.7) < .05);
	fb_verdict_release(&v);
}

static void tell(struct seed s, void (*story)(const struct seed *))
{
	load(&s, false);
	story(&s);
	free(s.text);
	if (!getenv("FIRSTBAD_SEEDS"))
		return;
	load(&s, true);
	story(&s);
	free(s.text);
}

static void hdparm_is_lying(void **state)
{
	(void)state;
	tell((struct seed){ "hdparm-2.6.20.txt", "004_*.txt", NULL, 0 },
	     hdparm_of_2_6_20);
}

static void power_saving(void **state)
{
	(void)state;
	tell((struct seed){ "athcool.txt", "000_*.txt", NULL, 0 }, athcool);
}

static void copy_at_full_cpu(void **state)
{
	(void)state;
	tell((struct seed){ "ata-copy.txt", "001_*.txt", NULL, 0 }, ata_copy);
}

static void user_space(void **state)
{
	(void)state;
	tell((struct seed){ "fc3-fc5.txt", "002_*.txt", NULL, 0 }, fc3_fc5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(hdparm_is_lying),
	cmocka_unit_test(power_saving),
	cmocka_unit_test(copy_at_full_cpu),
	cmocka_unit_test(user_space),
};

UNIT_MAIN(tests)
