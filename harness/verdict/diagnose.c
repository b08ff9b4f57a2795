/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of diagnoses. Each rule looks at one disk (its prefix, "" when
 * there is one disk) and says whether it fits; adding a diagnosis is one row.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "metric.h"
#include "rules.h"

enum kind {
	CONFOUNDER, /* named before anything is blamed */
	BLAME,	    /* the first that fits is the disk's */
	ALSO	    /* said beside a blame */
};

static const struct rule {
	const char *name;
	enum kind kind;
	bool (*fits)(const struct fb_verdict *v, const char *disk,
		     struct fb_finding *f);
} rules[] = {
	{ "clock", CONFOUNDER, rule_clock },
	{ "cache-artifact", CONFOUNDER, rule_cache_artifact },
	{ "config-drift", CONFOUNDER, rule_config_drift },
	{ "interference", BLAME, rule_interference }, /* most of the drop */
	{ "probe-only", BLAME, rule_probe_only },
	{ "probe-blind", BLAME, rule_probe_blind },
	{ "device-slower", BLAME, rule_device_slower },
	{ "cpu-bound", BLAME, rule_cpu_bound },
	{ "write-path", BLAME, rule_write_path },
	{ "read-path", BLAME, rule_read_path },
	{ "io-slower", BLAME, rule_io_slower },
	{ "interference", ALSO, rule_some_interference }, /* a part of it */
};
#define ONE_ARMED_MAX 6
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

/* "DISK/" or "" of every row, each once. */
static void list_disks(const struct fb_verdict *v, struct fb_strv *disks)
{
	for (size_t i = 0; i < v->n; i++) {
		const char *name = v->rows[i].metric;
		fb_autofree char *disk =
			fb_strndup(name, (size_t)(fb_metric_base(name) - name));
		bool known = false;
		for (size_t k = 0; k < disks->n; k++)
			known |= fb_streq(disks->v[k], disk);
		if (!known)
			fb_strv_add(disks, disk);
	}
	if (!disks->n)
		fb_strv_add(disks, "");
}

static void drop_finding(struct fb_verdict *v)
{
	struct fb_finding *f = &v->findings[--v->n_findings];
	free(f->disk);
	fb_strv_release(&f->sentences);
}

static struct fb_finding *new_finding(struct fb_verdict *v, const char *name,
				      const char *disk)
{
	FB_GROW(v->findings, v->n_findings, v->cap_findings);
	struct fb_finding *f = &v->findings[v->n_findings++];
	size_t n = strlen(disk);
	*f = (struct fb_finding){ .name = name,
				  .disk = fb_strndup(disk, n ? n - 1 : 0) };
	return f;
}

/* Was anything blamed? */
static bool apply(struct fb_verdict *v, const struct fb_strv *disks)
{
	bool any = false;
	fb_autofree bool *blamed = fb_calloc(disks->n, sizeof(*blamed));
	fb_autofree bool *shared = fb_calloc(disks->n, sizeof(*shared));
	for (size_t r = 0; r < N_RULES; r++) {
		for (size_t d = 0; d < disks->n; d++) {
			if (rules[r].kind == BLAME && blamed[d])
				continue;
			if (rules[r].kind == ALSO && shared[d])
				continue;
			struct fb_finding *f =
				new_finding(v, rules[r].name, disks->v[d]);
			if (!rules[r].fits(v, disks->v[d], f)) {
				drop_finding(v);
				continue;
			}
			any |= rules[r].kind == BLAME;
			blamed[d] |= rules[r].kind == BLAME;
			shared[d] |= rules[r].fits == rule_interference;
		}
	}
	return any;
}

/* A figure that people ask for; what an idle machine does is evidence. */
static bool is_headline(const char *metric)
{
	return fb_metric_is_headline(metric) &&
	       !fb_starts_with(fb_metric_base(metric), "idle.");
}

/* Headline rows that have both arms, by what became of them. */
struct tally {
	size_t n, of[FB_CHANGE_UNCLEAR + 1], one_armed;
};

static struct tally tally(const struct fb_verdict *v)
{
	struct tally t = { 0 };
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		if (!is_headline(row->metric))
			continue;
		if (!rules_has_both(row)) {
			t.one_armed++;
			continue;
		}
		t.n++;
		t.of[row->change]++;
	}
	return t;
}

static void say_unclear(const struct fb_verdict *v, struct fb_finding *f)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		if (!is_headline(row->metric) || !rules_has_both(row))
			continue;
		if (row->change == FB_CHANGE_SLOWER)
			rules_say(f, row);
		else if (row->between)
			fb_strv_addf(&f->sentences,
				     "%s changed by %+.1f %%: more than "
				     "nothing, less than the %.3g %% that "
				     "count",
				     row->metric, 100 * (row->ratio - 1),
				     100 * v->threshold);
		else if (row->change == FB_CHANGE_UNCLEAR)
			fb_strv_addf(&f->sentences,
				     "%s is unclear (%+.1f %%): about %u more "
				     "boots or repeats of each arm would "
				     "settle it",
				     row->metric, 100 * (row->ratio - 1),
				     row->more);
	}
}

/* Nothing fits: nothing changed, or it cannot be said. */
static void without_blame(struct fb_verdict *v)
{
	struct tally t = tally(v);
	if (t.n && t.of[FB_CHANGE_SAME] == t.n) {
		struct fb_finding *f = new_finding(v, "no-change", "");
		fb_strv_addf(&f->sentences, "%s the same, within %.3g %%",
			     t.n > 1 ? "every figure is" : "the figure is",
			     50 * v->threshold);
		return;
	}
	if (t.of[FB_CHANGE_FASTER] &&
	    t.of[FB_CHANGE_FASTER] + t.of[FB_CHANGE_SAME] == t.n) {
		struct fb_finding *f = new_finding(v, "faster", "");
		fb_strv_add(&f->sentences, "nothing is slower");
		for (size_t i = 0; i < v->n; i++)
			if (v->rows[i].change == FB_CHANGE_FASTER &&
			    is_headline(v->rows[i].metric))
				rules_say(f, &v->rows[i]);
		return;
	}
	struct fb_finding *f = new_finding(v, "not-enough", "");
	fb_strv_add(&f->sentences,
		    !t.n && t.one_armed ? "the arms have no figure in common" :
		    !t.n		? "there are no figures" :
		    t.of[FB_CHANGE_SLOWER] ?
			   "slower, but raw and file system figures of one "
			   "disk are needed to say what kind of slower" :
			   "too little was measured to say");
	say_unclear(v, f);
}

static bool measured(const struct fb_verdict *v, const struct fb_strv *disks,
		     const enum role *wanted)
{
	for (size_t d = 0; d < disks->n; d++)
		if (rules_role_states(v, disks->v[d], wanted).n)
			return true;
	return false;
}

static bool has_cpu(const struct fb_verdict *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (is_headline(v->rows[i].metric) &&
		    !isnan(rules_cpu_busy(v, 'b', v->rows[i].metric)))
			return true;
	return false;
}

static bool has_setting(const struct fb_verdict *v, const char *key)
{
	for (size_t i = 0; i < v->n_facts; i++)
		if (v->facts[i].text && fb_streq(v->facts[i].key, key))
			return true;
	return false;
}

static bool found(const struct fb_verdict *v, const char *name)
{
	for (size_t i = 0; i < v->n_findings; i++)
		if (fb_streq(v->findings[i].name, name))
			return true;
	return false;
}

/* Figures that only one arm has: they were not compared. */
static void list_one_armed(struct fb_verdict *v)
{
	size_t said = 0;
	for (size_t i = 0; i < v->n && said < ONE_ARMED_MAX; i++) {
		const struct fb_comparison *row = &v->rows[i];
		bool a = row->n_a + row->zero_a > 0;
		char arm = a ? 'a' : 'b';
		char busy[48] = "";
		if (!is_headline(row->metric) || rules_has_both(row) ||
		    !(a || row->n_b + row->zero_b))
			continue;
		double cpu = rules_cpu_busy(v, arm, row->metric);
		if (!isnan(cpu))
			snprintf(busy, sizeof(busy),
				 ", with the processor %.0f %% busy", cpu);
		fb_strv_addf(&v->missing, "%s: only in arm %c%s", row->metric,
			     a ? 'A' : 'B', busy);
		said++;
	}
}

/* What would have told more, and how to get it. */
static void list_missing(struct fb_verdict *v, const struct fb_strv *disks)
{
	static const enum role raw[] = { RAW_READ, ROLE_NONE },
			       direct[] = { DIRECT_READ, ROLE_NONE },
			       file[] = { FILE_READ, ROLE_NONE },
			       writes[] = { FILE_WRITE, APP_WRITE, APP,
					    ROLE_NONE };
	static const struct {
		const enum role *roles;
		const char *what;
	} wanted[] = {
		{ raw, "buffered reads of the block device: hdparm -t /dev/X" },
		{ direct, "O_DIRECT reads: hdparm -t --direct /dev/X" },
		{ file,
		  "reads through a file system: bonnie++, or dd of=/dev/null "
		  "from a large file that is not in the cache" },
		{ writes, "writes: bonnie++, or dd conv=fsync to a file" },
	};
	struct tally t = tally(v);
	bool single = false;
	if (found(v, "no-change") && t.n > 1)
		return;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!measured(v, disks, wanted[i].roles))
			fb_strv_add(&v->missing, wanted[i].what);
	if (!has_cpu(v))
		fb_strv_add(&v->missing, "what the processor did meanwhile: "
					 "vmstat 1 beside the measurement");
	if (found(v, "cpu-bound") && !has_setting(v, "transfer_mode"))
		fb_strv_add(&v->missing,
			    "the transfer mode that the drive really uses "
			    "(UDMA, MWDMA or PIO): hdparm -I /dev/X, the mode "
			    "with the asterisk");
	list_one_armed(v);
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].refused)
			fb_strv_addf(&v->missing,
				     "%s: %zu figure%s negative or no number, "
				     "and refused",
				     v->rows[i].metric, v->rows[i].refused,
				     v->rows[i].refused > 1 ? "s are" : " is");
	for (size_t i = 0; i < v->n; i++)
		single |= rules_has_both(&v->rows[i]) && v->rows[i].single;
	if (single)
		fb_strv_add(&v->missing,
			    "repeats: with one figure an arm the threshold "
			    "alone decides; three of each give an interval");
}

static void start_afresh(struct fb_verdict *v)
{
	while (v->n_findings)
		drop_finding(v);
	fb_strv_release(&v->sentences);
	fb_strv_release(&v->missing);
}

void fb_verdict_diagnose(struct fb_verdict *v)
{
	struct fb_strv disks = { 0 };
	start_afresh(v);
	list_disks(v, &disks);
	if (!apply(v, &disks))
		without_blame(v);
	list_missing(v, &disks);
	const struct fb_finding *first = &v->findings[0];
	v->diagnosis = first->name;
	v->cause = first->cause;
	for (size_t i = 0; i < first->sentences.n; i++)
		fb_strv_add(&v->sentences, first->sentences.v[i]);
	fb_strv_release(&disks);
}
