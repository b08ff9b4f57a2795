/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metric.h"

#include <stddef.h>
#include <string.h>

static const char *const buffered[] = { "hdparm.buffered_read", NULL };
static const char *const cached[] = { "hdparm.cached_read", NULL };
static const char *const direct[] = { "hdparm.direct_read", NULL };
static const char *const block[] = { "bonnie.block_write", "bonnie.rewrite",
				     "bonnie.block_read", NULL };

const struct fb_workload fb_workloads[] = {
	{ "hdparm.buffered_read", "hdparm", buffered, false },
	{ "hdparm.cached_read", "hdparm", cached, false },
	{ "hdparm.direct_read", "hdparm", direct, false },
	{ "bonnie.block", "bonnie", block, true },
	{ NULL, NULL, NULL, false },
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
};
#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

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

enum fb_better fb_metric_better(const char *name)
{
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (has_suffix(name, counters[i].suffix))
			return counters[i].better;
	static const char *const costs[] = { "latency", "_us",
					     "_ms",	"seconds",
					     "elapsed", "instructions" };
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		if (strstr(name, costs[i]))
			return FB_BETTER_LOWER;
	return FB_BETTER_HIGHER;
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

const struct fb_workload *fb_workload_for_metric(const char *metric)
{
	const char *base = fb_metric_base(metric);
	size_t n = strlen(base);
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (has_suffix(base, counters[i].suffix))
			n = strlen(base) - strlen(counters[i].suffix);
	for (const struct fb_workload *w = fb_workloads; w->name; w++)
		for (const char *const *m = w->metrics; *m; m++)
			if (strlen(*m) == n && strncmp(*m, base, n) == 0)
				return w;
	return NULL;
}

bool fb_metric_name_ok(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789._/-");
	return n > 0 && n <= 96 && name[n] == '\0';
}

bool fb_metric_is_headline(const char *name)
{
	const struct fb_workload *w = fb_workload_for_metric(name);
	for (size_t i = 0; w && w->metrics[i]; i++)
		if (strcmp(w->metrics[i], fb_metric_base(name)) == 0)
			return true;
	return !w;
}

const char *fb_metric_unit(const char *name)
{
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (has_suffix(name, counters[i].suffix))
			return counters[i].unit;
	return fb_workload_for_metric(name) ? "MiB/s" : "";
}
