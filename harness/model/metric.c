/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metric.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define HIGHER FB_BETTER_HIGHER
#define LOWER FB_BETTER_LOWER
#define WRITES FB_WORKLOAD_WRITES
#define ON_FILE FB_WORKLOAD_ON_FILE
#define ON_SCRATCH FB_WORKLOAD_ON_SCRATCH
#define AT_END FB_WORKLOAD_AT_END
#define FIGURE(name, unit, better) \
	{                          \
		name, unit, better \
	}
#define WORKLOAD(name, family, function, arg, flags, ...)               \
	{ name, family,                                                 \
	  (const struct fb_figure[]){ __VA_ARGS__, { NULL, NULL, 0 } }, \
	  flags },

const struct fb_workload fb_workloads[] = {
#include "workloads.inc"
	{ NULL, NULL, NULL, 0 },
};

/* Suffixes of counters, with their units. */
static const struct {
	const char *suffix, *unit;
	enum fb_better better;
} counters[] = {
	{ ".request_kib", "KiB", FB_BETTER_HIGHER },
	{ ".merge_ratio", "", FB_BETTER_HIGHER },
	{ ".host_request_kib", "KiB", FB_BETTER_HIGHER },
	{ ".cpu_percent", "%", FB_BETTER_LOWER },
	{ ".instructions_per_mib", "1/MiB", FB_BETTER_LOWER },
	{ ".device_us", "us", FB_BETTER_LOWER },
	{ ".latency_p50", "us", FB_BETTER_LOWER },
	{ ".latency_p90", "us", FB_BETTER_LOWER },
	{ ".latency_p99", "us", FB_BETTER_LOWER },
	{ ".latency_max", "us", FB_BETTER_LOWER },
};
#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

/* Figures of tools whose output is pasted; without a name, any "_us". */
static const struct {
	const char *prefix, *name, *unit;
} pasted[] = {
	{ "dd.", "raw_read", "MB/s" },
	{ "dd.", "file_read", "MB/s" },
	{ "dd.", "direct_read", "MB/s" },
	{ "dd.", "write_direct", "MB/s" },
	{ "dd.", "rate", "MB/s" },
	{ "stated.", "rate", "MiB/s" },
	{ "vmstat.", "bi", "KiB/s" },
	{ "vmstat.", "bo", "KiB/s" },
	{ "time.", "real_seconds", "s" },
	{ "ltrace.", NULL, "us" },
	{ "strace.", NULL, "us" },
	{ "hdparm.", "direct_offset_read", "MiB/s" },
	{ "hdparm.", "direct_cached_read", "MiB/s" },
};

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);
	return n > k && strcmp(name + n - k, suffix) == 0;
}

const char *fb_metric_base(const char *name)
{
	const char *slash = strchr(name, '/');
	return slash ? slash + 1 : name;
}

bool fb_workload_selected(const struct fb_workload *w, char *const *names,
			  size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], w->name) == 0 ||
		    strcmp(names[i], w->family) == 0)
			return true;
	return false;
}

/* Length of a base name without its counter's suffix. */
static size_t stem(const char *base)
{
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (has_suffix(base, counters[i].suffix))
			return strlen(base) - strlen(counters[i].suffix);
	return strlen(base);
}

static bool is_stem(const char *base, size_t n, const char *name)
{
	return strlen(name) == n && strncmp(base, name, n) == 0;
}

/* A counter belongs to the window, which has a figure's or the workload's name. */
const struct fb_workload *fb_workload_for_metric(const char *metric)
{
	const char *base = fb_metric_base(metric);
	size_t n = stem(base);
	for (const struct fb_workload *w = fb_workloads; w->name; w++) {
		if (base[n] && is_stem(base, n, w->name))
			return w;
		for (const struct fb_figure *f = w->figures; f->name; f++)
			if (is_stem(base, n, f->name))
				return w;
	}
	return NULL;
}

static const struct fb_figure *figure_of(const char *metric)
{
	const struct fb_workload *w = fb_workload_for_metric(metric);
	for (const struct fb_figure *f = w ? w->figures : NULL; f && f->name;
	     f++)
		if (strcmp(f->name, fb_metric_base(metric)) == 0)
			return f;
	return NULL;
}

bool fb_metric_name_ok(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789._/-");
	return n > 0 && n <= 96 && name[n] == '\0';
}

enum fb_better fb_metric_better(const char *name)
{
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (has_suffix(name, counters[i].suffix))
			return counters[i].better;
	const struct fb_figure *f = figure_of(name);
	if (f)
		return f->better;
	static const char *const costs[] = { "latency", "_us",
					     "_ms",	"seconds",
					     "elapsed", "instructions" };
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		if (strstr(name, costs[i]))
			return FB_BETTER_LOWER;
	return FB_BETTER_HIGHER;
}

bool fb_metric_is_headline(const char *name)
{
	return figure_of(name) || !fb_metric_is_counter(name);
}

bool fb_metric_is_counter(const char *name)
{
	return name[strlen(name) - strlen(fb_metric_base(name)) +
		    stem(fb_metric_base(name))] != '\0';
}

static const char *unit_of_pasted(const char *base)
{
	for (size_t i = 0; i < sizeof(pasted) / sizeof(pasted[0]); i++) {
		size_t n = strlen(pasted[i].prefix);
		if (strncmp(base, pasted[i].prefix, n) == 0 &&
		    (pasted[i].name ? strcmp(base + n, pasted[i].name) == 0 :
				      has_suffix(base, "_us")))
			return pasted[i].unit;
	}
	return "";
}

const char *fb_metric_unit(const char *name)
{
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (has_suffix(name, counters[i].suffix))
			return counters[i].unit;
	const struct fb_figure *f = figure_of(name);
	return f ? f->unit : unit_of_pasted(fb_metric_base(name));
}

const char *fb_figure_text(double value, char buf[FB_FIGURE_SIZE])
{
	bool whole = fabs(value) >= 1000 && fabs(value) < 1e7;
	snprintf(buf, FB_FIGURE_SIZE, whole ? "%.0f" : "%.4g", value);
	return buf;
}
