/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules that say what kind of slower it is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "metric.h"
#include "rules.h"

#define SATURATED 95.0	    /* percent busy */
#define CPU_NOT_BUSIER 10.0 /* points */
#define HALF .5

static const enum role reads[] = { FILE_READ, APP_READ, ROLE_NONE };
static const enum role all_reads[] = { RAW_READ, DIRECT_READ, FILE_READ,
				       APP_READ, ROLE_NONE };
static const enum role writes[] = { FILE_WRITE, APP_WRITE, ROLE_NONE };
static const enum role felt[] = { FILE_READ, FILE_WRITE, FILE_MIXED, APP_READ,
				  APP_WRITE, APP,	 ROLE_NONE };
static const enum role of_files[] = { FILE_READ, FILE_WRITE, FILE_MIXED,
				      FILE_OTHER, ROLE_NONE };
static const enum role uncached[] = { RAW_READ,	  DIRECT_READ, FILE_READ,
				      FILE_WRITE, FILE_MIXED,  FILE_OTHER,
				      APP_READ,	  APP_WRITE,   APP,
				      ROLE_NONE };

/* A counter of the buffered read that became a fraction of what it was. */
static bool shrank(const struct fb_comparison *row, double to)
{
	return row && row->ratio <= to;
}

static bool lost_merges(const struct fb_verdict *v, const char *disk,
			struct fb_finding *f)
{
	const struct fb_comparison *size =
		rules_get(v, disk, BUFFERED ".request_kib");
	const struct fb_comparison *merge =
		rules_get(v, disk, BUFFERED ".merge_ratio");
	if (!size || size->change != FB_CHANGE_SLOWER || !shrank(merge, HALF))
		return false;
	rules_say(f, size);
	rules_say(f, merge);
	return true;
}

/* "256" of the disk's read-ahead in an arm, in KiB. */
static double read_ahead(const struct fb_verdict *v, const char *disk, char arm)
{
	fb_autofree char *subject = fb_strf("%sdisk", disk);
	const char *s = rules_setting(v, arm, subject, "read_ahead_kb");
	double kib;
	if (!s)
		s = rules_setting(v, arm, subject, "read_ahead_kib");
	return s && fb_parse_double(s, &kib) ? kib : NAN;
}

static bool less_read_ahead(const struct fb_verdict *v, const char *disk,
			    struct fb_finding *f)
{
	double a = read_ahead(v, disk, 'a'), b = read_ahead(v, disk, 'b');
	if (!(b < a))
		return false;
	fb_strv_addf(&f->sentences,
		     "read-ahead of the block device: %.0f KiB -> %.0f KiB", a,
		     b);
	return true;
}

/* Flushing inside the window took at least half of what the window grew by. */
static bool flush_cost(const struct fb_verdict *v, const char *disk,
		       struct fb_finding *f)
{
	fb_autofree char *w = fb_strf("%s" BUFFERED, disk);
	double flush[2], took[2], bytes[2];
	for (int i = 0; i < 2; i++) {
		char arm = "ab"[i];
		flush[i] = rules_evidence_mean(v, arm, w, "diskstats",
					       "flush_ms") /
			   1e3;
		took[i] = rules_evidence_mean(v, arm, w, "probe", "seconds");
		bytes[i] = rules_evidence_mean(v, arm, w, "probe", "bytes");
	}
	/* The same bytes would have taken B this much longer than A. */
	double longer = took[1] - took[0] * bytes[1] / bytes[0];
	if (!(longer > 0 && flush[1] - flush[0] >= HALF * longer))
		return false;
	fb_strv_addf(&f->sentences,
		     "flushing inside the window: %.2f s -> %.2f s", flush[0],
		     flush[1]);
	return true;
}

/* Another disk with the same raw drop, whose files are as fast as before. */
static const struct fb_comparison *
file_read_elsewhere(const struct fb_verdict *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const char *name = v->rows[i].metric;
		fb_autofree char *disk =
			fb_strndup(name, (size_t)(fb_metric_base(name) - name));
		struct role_state file = rules_role_state(v, disk, FILE_READ);
		if (all_same(file) &&
		    rules_role_state(v, disk, RAW_READ).slower)
			return file.row;
	}
	return NULL;
}

bool rule_probe_only(const struct fb_verdict *v, const char *disk,
		     struct fb_finding *f)
{
	struct role_state raw = rules_role_state(v, disk, RAW_READ),
			  file = rules_role_state(v, disk, FILE_READ);
	const struct fb_comparison *other =
		file.n ? NULL : file_read_elsewhere(v);
	if (!raw.slower || rules_role_states(v, disk, felt).slower ||
	    !(all_same(file) || other))
		return false;
	fb_strv_add(&f->sentences,
		    "the probe's path got slower, file I/O did not");
	rules_say_state(v, f, disk, RAW_READ);
	rules_say_state(v, f, disk, FILE_READ);
	if (other) {
		fb_strv_add(&f->sentences,
			    "reads through a file system were not measured on "
			    "this disk; where they were, the same drop of the "
			    "raw read left them alone:");
		rules_say(f, other);
	}
	rules_say_state(v, f, disk, DIRECT_READ);
	f->cause = lost_merges(v, disk, f)     ? "lost-merges" :
		   less_read_ahead(v, disk, f) ? "read-ahead" :
		   flush_cost(v, disk, f)      ? "flush-cost" :
						 NULL;
	return true;
}

static void say_roles(const struct fb_verdict *v, struct fb_finding *f,
		      const char *disk, const enum role *roles)
{
	for (; *roles != ROLE_NONE; roles++)
		rules_say_state(v, f, disk, *roles);
}

bool rule_probe_blind(const struct fb_verdict *v, const char *disk,
		      struct fb_finding *f)
{
	struct role_state raw = rules_role_state(v, disk, RAW_READ);
	if (!all_same(raw) || !rules_role_states(v, disk, of_files).slower)
		return false;
	fb_strv_add(&f->sentences,
		    "hdparm says fine, but I/O through a file system is "
		    "slower");
	rules_say_state(v, f, disk, RAW_READ);
	say_roles(v, f, disk, of_files);
	/* Reads of a megabyte and more, as hdparm's, need none. */
	if (rules_role_state(v, disk, FILE_READ).slower &&
	    less_read_ahead(v, disk, f))
		f->cause = "read-ahead";
	return true;
}

/* Microseconds of the device for a request in the window of a figure. */
static double device_us(const struct fb_verdict *v, const char *window,
			char arm)
{
	fb_autofree char *name = fb_strf("%s.device_us", window);
	const struct fb_comparison *row = fb_verdict_find(v, name);
	if (row && rules_has_both(row))
		return arm == 'a' ? row->mean_a : row->mean_b;
	return 1e3 *
	       rules_evidence_sum(v, arm, window, "diskstats", "read_ms") /
	       rules_evidence_sum(v, arm, window, "diskstats", "reads");
}

bool rule_device_slower(const struct fb_verdict *v, const char *disk,
			struct fb_finding *f)
{
	struct role_state raw = rules_role_state(v, disk, RAW_READ),
			  direct = rules_role_state(v, disk, DIRECT_READ),
			  file = rules_role_state(v, disk, FILE_READ);
	if (!raw.slower || !direct.slower || !file.slower)
		return false;
	const char *w = direct.row->metric;
	double us_a = device_us(v, w, 'a'), us_b = device_us(v, w, 'b');
	double busy_a = rules_cpu_busy(v, 'a', w),
	       busy_b = rules_cpu_busy(v, 'b', w);
	if (!(us_b >= us_a * (1 + v->threshold)) ||
	    busy_b > busy_a + CPU_NOT_BUSIER)
		return false;
	fb_strv_add(&f->sentences,
		    "every way to read it is slower, and the device takes "
		    "longer for each request");
	fb_strv_addf(&f->sentences, "%s: %.4g us -> %.4g us a request", w, us_a,
		     us_b);
	rules_say_state(v, f, disk, RAW_READ);
	rules_say_state(v, f, disk, DIRECT_READ);
	rules_say_state(v, f, disk, FILE_READ);
	rules_say_cpu(v, f, direct.row);
	return true;
}

/* The higher the better: PIO below MWDMA below UDMA, each by its number. */
static int mode_rank(const char *mode)
{
	static const struct {
		const char *name;
		int rank;
	} kinds[] = { { "UDMA", 2000 },
		      { "MWDMA", 1000 },
		      { "WDMA", 1000 },
		      { "PIO", 0 } };
	for (size_t i = 0; mode && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *at = strcasestr(mode, kinds[i].name);
		int number = 0;
		if (!at)
			continue;
		at += strlen(kinds[i].name);
		at += strspn(at, "/ -_");
		sscanf(at, "%3d", &number);
		return kinds[i].rank + number;
	}
	return -1;
}

static bool transfer_mode_fell(const struct fb_verdict *v, const char *disk,
			       struct fb_finding *f)
{
	static const char *const keys[] = { "transfer_mode", "xfer_mode",
					    "dma_mode",
					    "claimed_transfer_mode" };
	fb_autofree char *subject = fb_strf("%sdisk", disk);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = rules_setting(v, 'a', subject, keys[i]),
			   *b = rules_setting(v, 'b', subject, keys[i]);
		if (mode_rank(b) < 0 || mode_rank(b) >= mode_rank(a))
			continue;
		fb_strv_addf(&f->sentences, "the transfer mode fell: %s -> %s",
			     a, b);
		return true;
	}
	return false;
}

/* Percent of the busy time that interrupts took. */
static double interrupt_share(const struct fb_verdict *v, const char *w,
			      char arm)
{
	double irq = rules_evidence_sum(v, arm, w, "stat", "irq_ticks") +
		     rules_evidence_sum(v, arm, w, "stat", "softirq_ticks");
	double rest = rules_evidence_sum(v, arm, w, "stat", "user_ticks") +
		      rules_evidence_sum(v, arm, w, "stat", "system_ticks");
	return 100 * irq / (irq + rest);
}

static bool interrupts(const struct fb_verdict *v, const char *w,
		       struct fb_finding *f)
{
	double a = interrupt_share(v, w, 'a'), b = interrupt_share(v, w, 'b');
	if (!(b >= 30 && b >= 2 * a))
		return false;
	fb_strv_addf(&f->sentences,
		     "interrupts take %.0f %% of the busy time, before %.0f %%",
		     b, a);
	return true;
}

/* A read from the page cache lost at least half as much, on log scale. */
static bool copy_cost(const struct fb_verdict *v, const char *disk,
		      const struct fb_comparison *row, struct fb_finding *f)
{
	struct role_state cached = rules_role_state(v, disk, CACHED_READ);
	if (!cached.slower ||
	    rules_worse_by(v, cached.row) < HALF * rules_worse_by(v, row))
		return false;
	rules_say(f, cached.row);
	return true;
}

/* Busy processor of the guest, or of the probe's own process if known. */
static double saturation(const struct fb_verdict *v, char arm, const char *w)
{
	return fmax(rules_cpu_busy(v, arm, w),
		    rules_evidence_mean(v, arm, w, "probe", "cpu_percent"));
}

/* Without DMA the processor moves every word, whatever the accounting says. */
static bool lost_dma(const struct fb_verdict *v, const char *disk)
{
	static const char *const keys[] = { "transfer_mode", "xfer_mode" };
	fb_autofree char *subject = fb_strf("%sdisk", disk);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = rules_setting(v, 'a', subject, keys[i]);
		const char *b = rules_setting(v, 'b', subject, keys[i]);
		if (a && b && !strstr(a, "PIO") && strstr(b, "PIO"))
			return true;
	}
	return false;
}

bool rule_cpu_bound(const struct fb_verdict *v, const char *disk,
		    struct fb_finding *f)
{
	const struct fb_comparison *worst = NULL;
	bool pio = lost_dma(v, disk);
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		enum role role = rules_role_of(row->metric);
		if (role == ROLE_NONE || role == CACHED_READ ||
		    role == FILE_OTHER || !rules_on_disk(row->metric, disk) ||
		    !rules_has_both(row) || row->change != FB_CHANGE_SLOWER ||
		    !(pio || saturation(v, 'b', row->metric) >= SATURATED))
			continue;
		if (!worst || rules_worse_by(v, row) > rules_worse_by(v, worst))
			worst = row;
	}
	if (!worst)
		return false;
	rules_say(f, worst);
	if (pio)
		fb_strv_add(&f->sentences,
			    "without DMA the processor moves every word");
	double a = saturation(v, 'a', worst->metric);
	fb_strv_addf(&f->sentences, "the processor %s: %.0f %% busy%s",
		     saturation(v, 'b', worst->metric) >= SATURATED ?
			     "is the limit" :
			     "is accounted for in part",
		     saturation(v, 'b', worst->metric),
		     isnan(a)	    ? "" :
		     a >= SATURATED ? ", as before" :
				      "");
	if (a < SATURATED)
		fb_strv_addf(&f->sentences,
			     "before it was %.0f %% busy: a transferred byte "
			     "costs %.1f times the processor time",
			     a,
			     exp(rules_worse_by(v, worst)) *
				     saturation(v, 'b', worst->metric) / a);
	f->cause = transfer_mode_fell(v, disk, f)  ? "pio" :
		   copy_cost(v, disk, worst, f)	   ? "copy" :
		   interrupts(v, worst->metric, f) ? "interrupts" :
						     NULL;
	return true;
}

bool rule_write_path(const struct fb_verdict *v, const char *disk,
		     struct fb_finding *f)
{
	if (!rules_role_states(v, disk, writes).slower ||
	    !all_same(rules_role_states(v, disk, all_reads)))
		return false;
	fb_strv_add(&f->sentences, "writes got slower, reads did not");
	say_roles(v, f, disk, writes);
	say_roles(v, f, disk, all_reads);
	rules_say_cpu(v, f, rules_role_states(v, disk, writes).row);
	return true;
}

bool rule_read_path(const struct fb_verdict *v, const char *disk,
		    struct fb_finding *f)
{
	if (!rules_role_states(v, disk, reads).slower ||
	    !all_same(rules_role_states(v, disk, writes)))
		return false;
	fb_strv_add(&f->sentences, "reads got slower, writes did not");
	say_roles(v, f, disk, all_reads);
	say_roles(v, f, disk, writes);
	rules_say_cpu(v, f, rules_role_states(v, disk, reads).row);
	return true;
}

static bool same_kernel(enum fb_axis axis)
{
	return axis == FB_AXIS_CMDLINE || axis == FB_AXIS_USERSPACE ||
	       axis == FB_AXIS_DISK || axis == FB_AXIS_MACHINE ||
	       axis == FB_AXIS_HOST || axis == FB_AXIS_KNOB;
}

bool rule_io_slower(const struct fb_verdict *v, const char *disk,
		    struct fb_finding *f)
{
	struct role_state s = rules_role_states(v, disk, felt);
	if (!s.slower)
		s = rules_role_states(v, disk, of_files);
	if (!s.slower)
		return false;
	bool only_writes = !rules_role_states(v, disk, all_reads).n &&
			   rules_role_states(v, disk, writes).slower;
	fb_strv_add(&f->sentences, "I/O is really slower");
	say_roles(v, f, disk, uncached);
	rules_say_cpu(v, f, s.row);
	if (same_kernel(v->axis))
		fb_strv_addf(&f->sentences,
			     "same kernel in both arms: not a kernel "
			     "regression, the axis is %s",
			     fb_axis_name(v->axis));
	f->cause = only_writes ? "writes" : NULL;
	if (only_writes)
		fb_strv_add(&f->sentences,
			    "only writes were measured: whether reads are "
			    "slower too is not known");
	return true;
}
