/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Somebody else uses the disk or the processor: seen while the probe sleeps
 * (the idle workload), or by stopping the suspect (the third arm).
 */
#include <math.h>

#include "cleanup.h"
#include "metric.h"
#include "rules.h"

/* What an idle machine of B may do more than that of A: KiB/s and points. */
#define IDLE_IO 256.0
#define IDLE_CPU 5.0
#define MOST .5

static double mean_log(const double *v, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += log(v[i]);
	return sum / (double)n;
}

/* How much of the change from A to B goes away from B to C, on log scale. */
static double share_stopped(const struct fb_comparison *row)
{
	double b = mean_log(row->b, row->n_b), c = mean_log(row->c, row->n_c);
	return (c - b) / (mean_log(row->a, row->n_a) - b);
}

static void say_stopped(struct fb_finding *f, const struct fb_comparison *row,
			double b, double c, double share)
{
	char from[FB_FIGURE_SIZE], to[FB_FIGURE_SIZE], a[FB_FIGURE_SIZE];
	const char *unit = fb_metric_unit(row->metric);
	fb_autofree char *gain = fb_strf(
		"stopping the suspect brings %s from %s to %s%s%s (%+.1f %%)",
		row->metric, fb_figure_text(b, from), fb_figure_text(c, to),
		*unit ? " " : "", unit, 100 * (c / b - 1));
	if (row->n_a)
		fb_strv_addf(&f->sentences,
			     "%s, against %s in arm A: it explains %.0f %% of "
			     "the change",
			     gain, fb_figure_text(row->mean_a, a),
			     100 * fmin(fmax(share, 0), 1));
	else
		fb_strv_addf(&f->sentences, "%s; arm A has no such figure",
			     gain);
}

/* Says what stopping the suspect gave; the largest share that it explains. */
static double stopped(const struct fb_verdict *v, const char *disk,
		      struct fb_finding *f)
{
	double most = NAN;
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		if (!row->n_c || !row->n_b ||
		    !rules_on_disk(row->metric, disk) ||
		    rules_role_of(row->metric) == ROLE_NONE ||
		    (row->n_a && row->change != FB_CHANGE_SLOWER))
			continue;
		double share = row->n_a ? share_stopped(row) : 0;
		say_stopped(f, row, exp(mean_log(row->b, row->n_b)),
			    exp(mean_log(row->c, row->n_c)), share);
		most = fmax(most, share);
	}
	return most;
}

/* The idle window's figure of this disk, or of any: it is system-wide. */
static const struct fb_comparison *
idle_row(const struct fb_verdict *v, const char *disk, const char *figure)
{
	const struct fb_comparison *row = rules_get(v, disk, figure);
	for (size_t i = 0; !row && i < v->n; i++)
		if (rules_has_both(&v->rows[i]) &&
		    fb_streq(fb_metric_base(v->rows[i].metric), figure))
			row = &v->rows[i];
	return row;
}

/* The disk's slower row that lost the largest part, of those in MiB/s. */
static const struct fb_comparison *drop(const struct fb_verdict *v,
					const char *disk)
{
	const struct fb_comparison *worst = NULL;
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		enum role role = rules_role_of(row->metric);
		if (role == ROLE_NONE || role == CACHED_READ ||
		    role == FILE_OTHER || !rules_on_disk(row->metric, disk) ||
		    row->change != FB_CHANGE_SLOWER ||
		    fb_metric_better(row->metric) == FB_BETTER_LOWER)
			continue;
		if (!worst || rules_worse_by(v, row) > rules_worse_by(v, worst))
			worst = row;
	}
	return worst;
}

static double idle_share(const struct fb_verdict *v, const char *disk,
			 struct fb_finding *f)
{
	const struct fb_comparison *io = idle_row(v, disk, "idle.io_kib"),
				   *cpu = idle_row(v, disk, "idle.cpu_percent"),
				   *row = drop(v, disk);
	double share = NAN;
	if (!row)
		return NAN;
	if (io && io->mean_b - io->mean_a >= IDLE_IO) {
		double lost = row->mean_a - row->mean_b;
		share = fmin(1, (io->mean_b - io->mean_a) / 1024 / lost);
		fb_strv_addf(&f->sentences,
			     "with the probe asleep, B moves %.0f KiB/s, A "
			     "%.0f: up to %.0f %% of what %s lost (%.4g -> "
			     "%.4g)",
			     io->mean_b, io->mean_a, 100 * share, row->metric,
			     row->mean_a, row->mean_b);
	}
	if (cpu && cpu->mean_b - cpu->mean_a >= IDLE_CPU) {
		double part = fmin(1, (cpu->mean_b - cpu->mean_a) / 100 /
					      (1 - row->ratio));
		share = fmax(share, part);
		fb_strv_addf(&f->sentences,
			     "with the probe asleep, B keeps %.0f %% of the "
			     "processor busy, A %.0f %%: up to %.0f %% of what "
			     "%s lost",
			     cpu->mean_b, cpu->mean_a, 100 * part, row->metric);
	}
	return share;
}

bool rule_interference(const struct fb_verdict *v, const char *disk,
		       struct fb_finding *f)
{
	return fmax(stopped(v, disk, f), idle_share(v, disk, f)) >= MOST;
}

bool rule_some_interference(const struct fb_verdict *v, const char *disk,
			    struct fb_finding *f)
{
	double share = fmax(stopped(v, disk, f), idle_share(v, disk, f));
	if (!(share >= 0))
		return false;
	fb_strv_add(&f->sentences, "that is not the whole of it");
	return true;
}
