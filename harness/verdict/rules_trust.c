/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules about the measurement itself: confounders, named before any blame. */
#include <math.h>
#include <string.h>

#include "cleanup.h"
#include "metric.h"
#include "rules.h"

/* Guest and host may differ by this much in elapsed time. */
#define CLOCK_TOLERANCE .01
/* Less than this share of the claimed bytes from the device is a cache. */
#define DELIVERED .90
#define SECTOR 512.0

/*
 * Guest seconds per host second: from the beginning of the first window to that
 * of the last, where the runner says so, or else over the windows of the disk.
 */
static double clock_rate(const struct fb_verdict *v, const char *disk, char arm)
{
	double guest =
		rules_evidence_sum(v, arm, "boot", "clock", "guest_span");
	double host = rules_evidence_sum(v, arm, "boot", "clock", "host_span");
	if (guest > 0 && host > 0)
		return guest / host;
	guest = host = 0;
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *f = &v->facts[i];
		if (f->arm != arm || !fb_streq(f->source, "clock") ||
		    !rules_on_disk(f->window, disk))
			continue;
		guest += fb_streq(f->key, "guest_seconds") ? f->value : 0;
		host += fb_streq(f->key, "host_seconds") ? f->value : 0;
	}
	return guest > 0 && host > 0 ? guest / host : NAN;
}

bool rule_clock(const struct fb_verdict *v, const char *disk,
		struct fb_finding *f)
{
	double rate[2] = { clock_rate(v, disk, 'a'), clock_rate(v, disk, 'b') };
	bool off[2] = { fabs(rate[0] - 1) > CLOCK_TOLERANCE,
			fabs(rate[1] - 1) > CLOCK_TOLERANCE };
	/* An instruction clock is its own in both arms. */
	if (isnan(rate[0]) || isnan(rate[1]) || off[0] == off[1] ||
	    fabs(rate[1] - rate[0]) <= CLOCK_TOLERANCE)
		return false;
	double r = off[0] ? rate[0] : rate[1];
	fb_strv_addf(&f->sentences,
		     "the clock of arm %c runs %.1f %% %s: %.4f s of the guest "
		     "in a second of the host, against %.4f in the other arm",
		     off[0] ? 'A' : 'B', 100 * fabs(r - 1),
		     r > 1 ? "fast" : "slow", r, off[0] ? rate[1] : rate[0]);
	fb_strv_addf(&f->sentences,
		     "that alone makes every rate of B look %+.1f %%",
		     100 * (rate[0] / rate[1] - 1));
	return true;
}

/* Bytes that a window says it read, and that the device says it gave. */
static bool cached(const struct fb_verdict *v, const char *window, char arm,
		   double *claimed, double *delivered)
{
	*claimed = rules_evidence_sum(v, arm, window, "probe", "bytes");
	*delivered =
		rules_evidence_sum(v, arm, window, "blockstats", "rd_bytes");
	if (isnan(*delivered))
		*delivered =
			SECTOR * rules_evidence_sum(v, arm, window, "diskstats",
						    "read_sectors");
	return *claimed > 0 && *delivered < DELIVERED * *claimed;
}

static bool reads_the_device(const char *metric)
{
	enum role role = rules_role_of(metric);
	return role == RAW_READ || role == DIRECT_READ || role == FILE_READ;
}

bool rule_cache_artifact(const struct fb_verdict *v, const char *disk,
			 struct fb_finding *f)
{
	bool fits = false;
	for (size_t i = 0; i < v->n; i++) {
		const struct fb_comparison *row = &v->rows[i];
		const char *name = row->metric;
		double claimed, delivered;
		if (!rules_on_disk(name, disk))
			continue;
		for (int k = 0; k < 2; k++) {
			if (!reads_the_device(name) ||
			    !cached(v, name, "ab"[k], &claimed, &delivered))
				continue;
			fb_strv_addf(&f->sentences,
				     "%s of arm %c claims %.1f MiB, the device "
				     "delivered %.1f: it was read from a cache",
				     name, "AB"[k], claimed / (1 << 20),
				     delivered / (1 << 20));
			fits = true;
		}
		/* The probe's own name for such a figure. */
		if (fb_ends_with(name, ".from_cache")) {
			fb_strv_addf(&f->sentences,
				     "%s: the device delivered less than was "
				     "claimed (%zu of A, %zu of B)",
				     name, row->n_a, row->n_b);
			fits = true;
		}
	}
	return fits;
}

#define ON(axis) (1u << FB_AXIS_##axis)
#define GUEST_SIDE                                                           \
	(ON(KERNEL) | ON(KCONFIG) | ON(CMDLINE) | ON(USERSPACE) | ON(DISK) | \
	 ON(MACHINE) | ON(KNOB))
#define ANY ~0u

/*
 * On which axes a setting may differ: because it is the axis, or because the
 * kernel under test chooses it, and then it is evidence and no confounder.
 * The first row that fits; what no row names may never differ.
 */
static const struct {
	const char *subject, *key; /* NULL: any; subject "/": ends in it */
	unsigned axes;
} settings[] = {
	{ "system", "release", ON(KERNEL) | ON(KCONFIG) },
	{ "system", "version", ANY }, /* when and by whom it was built */
	{ "system", "cmdline", ON(CMDLINE) | ON(DISK) | ON(MACHINE) },
	{ "system", "clocksource",
	  ON(KERNEL) | ON(KCONFIG) | ON(CMDLINE) | ON(MACHINE) },
	{ "system", "processors",
	  ON(KERNEL) | ON(KCONFIG) | ON(CMDLINE) | ON(MACHINE) },
	{ "system", "memory_kib", ON(KERNEL) | ON(KCONFIG) | ON(MACHINE) },
	{ "machine", "initramfs_bytes", ANY }, /* an overlay's size */
	{ "machine", "clock", ON(MACHINE) | ON(DISK) },
	{ "machine", NULL, ON(MACHINE) | ON(DISK) },
	{ "host", NULL, ON(HOST) },
	{ "/disk", "name", ANY }, /* hda before, sda since libata */
	{ "/disk", "bytes", ON(DISK) },
	{ "/disk", "model", ON(DISK) | ON(KERNEL) },
	{ "/disk", "filesystem", ON(DISK) | ON(USERSPACE) },
	{ "/disk", NULL, GUEST_SIDE },
};

static bool may_differ(const struct fb_verdict *v, const char *subject,
		       const char *key)
{
	if (fb_streq(subject, "kconfig"))
		return v->axis == FB_AXIS_KCONFIG || v->own_options;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *s = settings[i].subject;
		bool in = s[0] == '/' ? fb_ends_with(subject, s) ||
						fb_streq(subject, s + 1) :
					fb_streq(subject, s);
		if (in && (!settings[i].key || fb_streq(key, settings[i].key)))
			return settings[i].axes & 1u << v->axis;
	}
	return false;
}

static bool first_of_its_kind(const struct fb_verdict *v, size_t at)
{
	const struct fb_fact *f = &v->facts[at];
	for (size_t i = 0; i < at; i++)
		if (v->facts[i].text && v->facts[i].arm == f->arm &&
		    fb_streq(v->facts[i].key, f->key) &&
		    fb_streq(v->facts[i].window, f->window))
			return false;
	return true;
}

/* A value of this setting in this arm that is not `value`, or NULL. */
static const char *another(const struct fb_verdict *v, char arm,
			   const struct fb_fact *like, const char *value)
{
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *f = &v->facts[i];
		if (f->text && f->arm == arm && fb_streq(f->key, like->key) &&
		    fb_streq(f->window, like->window) &&
		    !fb_streq(f->text, value))
			return f->text;
	}
	return NULL;
}

/* Settings belong to the finding of their disk; the rest to the first one. */
static bool belongs(const struct fb_verdict *v, const char *subject,
		    const char *disk)
{
	bool of_a_disk = strchr(subject, '/') != NULL;
	if (of_a_disk)
		return rules_on_disk(subject, disk);
	const char *name = v->n ? v->rows[0].metric : "";
	return rules_on_disk(name, disk) || !v->n;
}

bool rule_config_drift(const struct fb_verdict *v, const char *disk,
		       struct fb_finding *f)
{
	bool fits = false;
	for (size_t i = 0; i < v->n_facts; i++) {
		const struct fb_fact *a = &v->facts[i];
		if (!a->text || a->arm != 'a' || !first_of_its_kind(v, i) ||
		    !belongs(v, a->window, disk) ||
		    may_differ(v, a->window, a->key))
			continue;
		const char *b = another(v, 'b', a, a->text);
		const char *within = another(v, 'a', a, a->text);
		if (!b && !within)
			continue;
		if (b)
			fb_strv_addf(&f->sentences,
				     "the arms also differ in %s %s: %s, then "
				     "%s",
				     a->window, a->key, a->text, b);
		else
			fb_strv_addf(&f->sentences,
				     "%s %s changed within arm A: %s and %s",
				     a->window, a->key, a->text, within);
		fits = true;
	}
	if (fits)
		fb_strv_addf(&f->sentences,
			     "until that is equal, the axis under test (%s) is "
			     "not to blame",
			     fb_axis_name(v->axis));
	return fits;
}
