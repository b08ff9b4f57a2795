/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of diagnoses. Each rule looks at the compared metrics of one disk
 * (its prefix, "" when there is one disk) and says whether it fits.
 */
#include <string.h>

#include "cleanup.h"
#include "metric.h"
#include "verdict.h"

static const struct fb_comparison *get(const struct fb_verdict *v,
				       const char *disk, const char *figure)
{
	fb_autofree char *name = fb_strf("%s%s", disk, figure);
	const struct fb_comparison *row = fb_verdict_find(v, name);
	return row && row->n_a && row->n_b ? row : NULL;
}

static bool is(const struct fb_comparison *row, enum fb_change change)
{
	return row && row->change == change;
}

static void say(struct fb_verdict *v, const struct fb_comparison *row)
{
	if (row)
		fb_strv_addf(
			&v->sentences, "%s: %.4g -> %.4g %s (%+.1f %%, %s)",
			row->metric, row->mean_a, row->mean_b,
			fb_metric_unit(row->metric), 100 * (row->ratio - 1),
			fb_change_name(row->change));
}

#define BUFFERED "hdparm.buffered_read"
#define DIRECT "hdparm.direct_read"
#define BLOCK_READ "bonnie.block_read"
#define BLOCK_WRITE "bonnie.block_write"

static bool lost_merges(struct fb_verdict *v, const char *disk)
{
	const struct fb_comparison *size =
		get(v, disk, BUFFERED ".request_kib");
	const struct fb_comparison *merge =
		get(v, disk, BUFFERED ".merge_ratio");
	/* A ratio of zero has no logarithm: then the arm has no values. */
	fb_autofree char *name = fb_strf("%s" BUFFERED ".merge_ratio", disk);
	const struct fb_comparison *any = fb_verdict_find(v, name);
	bool gone = merge ? merge->ratio < 0.5 : any && any->n_a && !any->n_b;
	if (!is(size, FB_CHANGE_SLOWER) || !gone)
		return false;
	say(v, size);
	if (merge)
		say(v, merge);
	else
		fb_strv_addf(&v->sentences, "%s: merges vanished", name);
	return true;
}

static bool probe_only(struct fb_verdict *v, const char *disk)
{
	const struct fb_comparison *raw = get(v, disk, BUFFERED),
				   *file = get(v, disk, BLOCK_READ);
	if (!is(raw, FB_CHANGE_SLOWER) || !is(file, FB_CHANGE_SAME))
		return false;
	fb_strv_add(&v->sentences,
		    "the probe's path got slower, file I/O did not");
	say(v, raw);
	say(v, file);
	say(v, get(v, disk, DIRECT));
	v->cause = lost_merges(v, disk) ? "lost-merges" : NULL;
	return true;
}

static bool probe_blind(struct fb_verdict *v, const char *disk)
{
	const struct fb_comparison *raw = get(v, disk, BUFFERED),
				   *rd = get(v, disk, BLOCK_READ),
				   *wr = get(v, disk, BLOCK_WRITE);
	if (!is(raw, FB_CHANGE_SAME) ||
	    (!is(rd, FB_CHANGE_SLOWER) && !is(wr, FB_CHANGE_SLOWER)))
		return false;
	fb_strv_add(&v->sentences,
		    "hdparm says fine, but I/O through a file system is "
		    "slower");
	say(v, raw);
	say(v, rd);
	say(v, wr);
	return true;
}

static bool io_slower(struct fb_verdict *v, const char *disk)
{
	const struct fb_comparison *raw = get(v, disk, BUFFERED),
				   *rd = get(v, disk, BLOCK_READ);
	if (!is(raw, FB_CHANGE_SLOWER) || !is(rd, FB_CHANGE_SLOWER))
		return false;
	fb_strv_add(&v->sentences, "I/O is really slower");
	say(v, raw);
	say(v, rd);
	say(v, get(v, disk, DIRECT));
	return true;
}

static const struct {
	const char *name;
	bool (*fits)(struct fb_verdict *v, const char *disk);
} rules[] = {
	{ "probe-only", probe_only },
	{ "probe-blind", probe_blind },
	{ "io-slower", io_slower },
};

/* "DISK/" of the i-th row, or "": each disk comes up once per metric. */
static char *disk_prefix(const struct fb_verdict *v, size_t i)
{
	const char *name = v->rows[i].metric;
	return fb_strndup(name, (size_t)(fb_metric_base(name) - name));
}

static bool any_headline(const struct fb_verdict *v, enum fb_change change,
			 bool all)
{
	size_t n = 0;
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		if (!fb_metric_is_headline(row->metric) || !row->n_a ||
		    !row->n_b)
			continue;
		n++;
		if ((row->change == change) != all)
			return !all;
	}
	return all && n > 0;
}

void fb_verdict_diagnose(struct fb_verdict *v)
{
	for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); r++) {
		for (size_t i = 0; i < v->n; i++) {
			fb_autofree char *disk = disk_prefix(v, i);
			if (rules[r].fits(v, disk)) {
				v->diagnosis = rules[r].name;
				return;
			}
		}
	}
	if (any_headline(v, FB_CHANGE_SAME, true)) {
		v->diagnosis = "no-change";
		fb_strv_add(&v->sentences, "every figure is the same");
		return;
	}
	v->diagnosis = "not-enough";
	fb_strv_add(&v->sentences,
		    any_headline(v, FB_CHANGE_SLOWER, false) ?
			    "slower, but raw and file system figures of one "
			    "disk are needed to say what kind of slower" :
			    "too little was measured to say");
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].change == FB_CHANGE_SLOWER)
			say(v, &v->rows[i]);
}
