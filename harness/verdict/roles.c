/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What figures stand for, and the counters and settings beside them. */
#include "rules.h"

#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "metric.h"

/*
 * By the name without its disk; '*' at the end stands for any rest. The first
 * that fits. Figures that no row names are compared, and blame nobody.
 */
static const struct {
	const char *name;
	enum role role;
} roles[] = {
	{ "hdparm.buffered_read", RAW_READ },
	{ "dd.raw_read", RAW_READ },
	{ "hdparm.direct_read", DIRECT_READ },
	{ "dd.direct_read", DIRECT_READ },
	{ "hdparm.cached_read", CACHED_READ },
	{ "bonnie.block_read", FILE_READ },
	{ "dd.file_read", FILE_READ },
	{ "bonnie.block_write", FILE_WRITE },
	{ "bonnie.rewrite", FILE_MIXED },
	{ "bonnie.*", FILE_OTHER },
	{ "read.rate", DIRECT_READ },
	{ "dd.write*", FILE_WRITE },
	{ "copy.*", APP },
	{ "stated.*", APP },
	{ "time.*", APP },
	{ "vmstat.bi", APP_READ },
	{ "vmstat.bo", APP_WRITE },
	{ "ltrace.read*", APP_READ },
	{ "strace.read*", APP_READ },
	{ "ltrace.pread*", APP_READ },
	{ "strace.pread*", APP_READ },
	{ "ltrace.*", APP_WRITE },
	{ "strace.*", APP_WRITE },
};

/* fio's jobs have names of their own: the direction is the last part. */
static enum role role_of_fio(const char *base)
{
	return fb_ends_with(base, ".read")  ? FILE_READ :
	       fb_ends_with(base, ".write") ? FILE_WRITE :
					      ROLE_NONE;
}

enum role rules_role_of(const char *metric)
{
	const char *base = fb_metric_base(metric);
	if (fb_metric_is_counter(metric))
		return ROLE_NONE;
	if (fb_starts_with(base, "fio."))
		return role_of_fio(base);
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		size_t n = strlen(roles[i].name);
		bool open = roles[i].name[n - 1] == '*';
		if (open ? strncmp(base, roles[i].name, n - 1) == 0 :
			   strcmp(base, roles[i].name) == 0)
			return roles[i].role;
	}
	return ROLE_NONE;
}

bool rules_on_disk(const char *metric, const char *disk)
{
	size_t n = (size_t)(fb_metric_base(metric) - metric);
	return strlen(disk) == n && strncmp(metric, disk, n) == 0;
}

bool rules_has_both(const struct fb_comparison *row)
{
	return !isnan(row->ratio);
}

const struct fb_comparison *rules_get(const struct fb_verdict *v,
				      const char *disk, const char *figure)
{
	fb_autofree char *name = fb_strf("%s%s", disk, figure);
	const struct fb_comparison *row = fb_verdict_find(v, name);
	return row && rules_has_both(row) ? row : NULL;
}

double rules_worse_by(const struct fb_verdict *v,
		      const struct fb_comparison *row)
{
	bool lower = fb_streq(row->metric, v->metric) ?
			     v->lower_is_better :
			     fb_metric_better(row->metric) == FB_BETTER_LOWER;
	return lower ? log(row->ratio) : -log(row->ratio);
}

struct role_state rules_role_states(const struct fb_verdict *v,
				    const char *disk, const enum role *wanted)
{
	struct role_state s = { 0 };
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		enum role role = rules_role_of(row->metric);
		bool in = false;
		for (const enum role *w = wanted; *w != ROLE_NONE; w++)
			in |= role == *w;
		if (!in || !rules_has_both(row) ||
		    !rules_on_disk(row->metric, disk))
			continue;
		s.n++;
		s.slower += row->change == FB_CHANGE_SLOWER;
		s.faster += row->change == FB_CHANGE_FASTER;
		s.same += row->change == FB_CHANGE_SAME;
		if (!s.row || rules_worse_by(v, row) > rules_worse_by(v, s.row))
			s.row = row;
	}
	return s;
}

struct role_state rules_role_state(const struct fb_verdict *v, const char *disk,
				   enum role role)
{
	const enum role one[] = { role, ROLE_NONE };
	return rules_role_states(v, disk, one);
}

static double total(const struct fb_verdict *v, char arm, const char *window,
		    const char *source, const char *key, size_t *n)
{
	double sum = 0;
	*n = 0;
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *f = &v->facts[i];
		if (f->arm != arm || !f->source || !fb_streq(f->key, key) ||
		    !fb_streq(f->source, source) ||
		    !fb_streq(f->window, window))
			continue;
		sum += f->value;
		++*n;
	}
	return sum;
}

double rules_evidence_sum(const struct fb_verdict *v, char arm,
			  const char *window, const char *source,
			  const char *key)
{
	size_t n;
	double sum = total(v, arm, window, source, key, &n);
	return n ? sum : NAN;
}

double rules_evidence_mean(const struct fb_verdict *v, char arm,
			   const char *window, const char *source,
			   const char *key)
{
	size_t n;
	double sum = total(v, arm, window, source, key, &n);
	return n ? sum / (double)n : NAN;
}

const char *rules_setting(const struct fb_verdict *v, char arm,
			  const char *subject, const char *key)
{
	const char *value = NULL;
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *f = &v->facts[i];
		if (f->text && f->arm == arm && fb_streq(f->key, key) &&
		    fb_streq(f->window, subject))
			value = f->text;
	}
	return value;
}

double rules_cpu_busy(const struct fb_verdict *v, char arm, const char *metric)
{
	fb_autofree char *name = fb_strf("%s.cpu_percent", metric);
	const struct fb_comparison *row = fb_verdict_find(v, name);
	/* In a short window a tick too many makes it more than all there is. */
	if (row && (arm == 'a' ? row->n_a : row->n_b))
		return fmin(100, arm == 'a' ? row->mean_a : row->mean_b);
	return rules_evidence_mean(v, arm, metric, "timeline", "us") +
	       rules_evidence_mean(v, arm, metric, "timeline", "sy");
}

double rules_cpu_waiting(const struct fb_verdict *v, char arm,
			 const char *metric)
{
	double wa = rules_evidence_mean(v, arm, metric, "timeline", "wa");
	if (!isnan(wa))
		return wa;
	static const char *const ticks[] = {
		"user_ticks",	"nice_ticks", "system_ticks",  "idle_ticks",
		"iowait_ticks", "irq_ticks",  "softirq_ticks", "steal_ticks",
	};
	double sum = 0;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		double t = rules_evidence_sum(v, arm, metric, "stat", ticks[i]);
		sum += isnan(t) ? 0 : t;
	}
	wa = rules_evidence_sum(v, arm, metric, "stat", "iowait_ticks");
	return sum > 0 ? 100 * wa / sum : NAN;
}

void rules_say(struct fb_finding *f, const struct fb_comparison *row)
{
	char a[FB_FIGURE_SIZE], b[FB_FIGURE_SIZE];
	if (!row || !rules_has_both(row))
		return;
	const char *unit = fb_metric_unit(row->metric);
	const char *gap = *unit ? " " : "";
	fb_figure_text(row->mean_a, a);
	fb_figure_text(row->mean_b, b);
	if (isinf(row->ratio) || row->ratio <= 0)
		fb_strv_addf(&f->sentences, "%s: %s -> %s%s%s (%s)",
			     row->metric, a, b, gap, unit,
			     row->ratio > 0 ? "appeared" : "vanished");
	else
		fb_strv_addf(&f->sentences, "%s: %s -> %s%s%s (%+.1f %%, %s)",
			     row->metric, a, b, gap, unit,
			     100 * (row->ratio - 1),
			     fb_change_name(row->change));
}

void rules_say_state(const struct fb_verdict *v, struct fb_finding *f,
		     const char *disk, enum role role)
{
	for (size_t i = 0; i < v->n; i++)
		if (rules_role_of(v->rows[i].metric) == role &&
		    rules_on_disk(v->rows[i].metric, disk))
			rules_say(f, &v->rows[i]);
}

void rules_say_cpu(const struct fb_verdict *v, struct fb_finding *f,
		   const struct fb_comparison *row)
{
	double busy[2], wait[2];
	if (!row)
		return;
	for (int i = 0; i < 2; i++) {
		busy[i] = rules_cpu_busy(v, "ab"[i], row -> metric);
		wait[i] = rules_cpu_waiting(v, "ab"[i], row -> metric);
	}
	if (isnan(busy[0]) || isnan(busy[1]))
		return;
	if (isnan(wait[0]) || isnan(wait[1])) {
		fb_strv_addf(&f->sentences,
			     "meanwhile the processor was %.0f %% busy, then "
			     "%.0f %%",
			     busy[0], busy[1]);
		return;
	}
	fb_strv_addf(&f->sentences,
		     "meanwhile the processor was %.0f %% busy and %.0f %% "
		     "waiting for I/O, then %.0f %% busy and %.0f %% waiting%s",
		     busy[0], wait[0], busy[1], wait[1],
		     wait[1] > busy[1] ? ": it waits, it does not work" : "");
}
