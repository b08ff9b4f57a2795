/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "window.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "timeline.h"

#define DELIVERED_AT_LEAST 0.98
#define TICKS_FOR_A_SHARE 20
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct histogram latency[OPERATIONS];
static const char *const operation_names[OPERATIONS] = { "read", "write" };

static int read_counters(struct window *w, const struct disk *d,
			 struct counters *out)
{
	if (counters_read("/proc", d->kname, out) == 0)
		return 0;
	return report_error(w->t->r, "cannot read the counters of %s: %s",
			    d->dev, strerror(errno));
}

static bool has_target(const struct window *w)
{
	return w->t->target && w->t->target != w->t->d;
}

int window_open(struct window *w, struct task *t, const char *figure)
{
	w->t = t;
	w->cached = false;
	report_name(t->r, t->d, figure, w->name, sizeof(w->name));
	memset(latency, 0, sizeof(latency));
	if (read_counters(w, t->d, &w->before) || /* the disk is there */
	    report_begin(t->r, w->name) || read_counters(w, t->d, &w->before) ||
	    (has_target(w) && read_counters(w, t->target, &w->target_before)))
		return -1;
	getrusage(RUSAGE_SELF, &w->usage);
	timeline_start(t->d->kname, t->p->hz);
	w->start = w->last = now_seconds();
	return 0;
}

double window_elapsed(const struct window *w)
{
	return now_seconds() - w->start;
}

void window_operation_since(double *last, enum operation op)
{
	double now = now_seconds();
	histogram_add(&latency[op], (uint64_t)((now - *last) * 1e9));
	*last = now;
}

void window_operation(struct window *w, enum operation op)
{
	window_operation_since(&w->last, op);
}

void window_skip(struct window *w)
{
	w->last = now_seconds();
}

static void counter(struct window *w, const char *suffix, double value)
{
	char name[128];
	snprintf(name, sizeof(name), "%s.%s", w->name, suffix);
	report_sample(w->t->r, w->name, name, value);
}

static void report_fields(struct window *w, const char *source, size_t n,
			  const char *const *names, const uint64_t *before,
			  const uint64_t *after, uint64_t has)
{
	struct fact facts[DISK_FIELDS + CPUS + KERNEL_FIELDS];
	size_t k = 0;
	for (size_t i = 0; i < n; i++)
		if (has & 1ull << i)
			facts[k++] = (struct fact){
				names[i],
				(double)(int64_t)(after[i] - before[i])
			};
	if (k)
		report_evidence(w->t->r, w->name, source, facts, k);
}

static void report_disk(struct window *w, const char *source,
			const struct counters *b, struct counters *a)
{
	a->disk[IN_FLIGHT] += b->disk[IN_FLIGHT]; /* a level: stays itself */
	report_fields(w, source, DISK_FIELDS, disk_field_names, b->disk,
		      a->disk, a->disk_has);
	a->disk[IN_FLIGHT] -= b->disk[IN_FLIGHT];
}

static double disk_delta(const struct window *w, const struct counters *a,
			 enum disk_field f)
{
	return (double)(a->disk[f] - w->before.disk[f]);
}

/* The requests that the traffic is about, as the guest's disk saw them. */
static void request_counters(struct window *w, const struct counters *a,
			     enum traffic traffic)
{
	static const enum disk_field of[OPERATIONS][3] = {
		{ READS, READ_MERGES, READ_SECTORS },
		{ WRITES_DONE, WRITE_MERGES, WRITE_SECTORS },
	};
	double v[3] = { 0 };
	for (int op = 0; op < OPERATIONS; op++)
		for (int i = 0; i < 3; i++)
			if (traffic == BOTH ||
			    (traffic == TO_DISK) == (op == OP_WRITE))
				v[i] += disk_delta(w, a, of[op][i]);
	if (v[0] > 0) {
		counter(w, "request_kib", v[2] / 2 / v[0]);
		if (a->disk_has & 1 << READ_MERGES)
			counter(w, "merge_ratio", v[1] / (v[0] + v[1]));
	}
}

/* Share of the guest's processors that was busy; all of it, kernel included. */
static void cpu_counter(struct window *w, const struct counters *a)
{
	double sum = 0, idle = 0;
	for (int i = 0; i < CPUS; i++) {
		double d = (double)(int64_t)(a->cpu[i] - w->before.cpu[i]);
		sum += d;
		if (i == IDLE || i == IOWAIT || i == STEAL)
			idle += d;
	}
	if (sum >= TICKS_FOR_A_SHARE)
		counter(w, "cpu_percent", 100 * (sum - idle) / sum);
}

static double seconds_of(const struct timeval *a, const struct timeval *b)
{
	return (double)(a->tv_sec - b->tv_sec) +
	       (double)(a->tv_usec - b->tv_usec) * 1e-6;
}

/* The probe's own process, which is what bonnie++ calls %CPU. */
static void report_process(struct window *w, uint64_t bytes)
{
	struct rusage now;
	getrusage(RUSAGE_SELF, &now);
	double user = seconds_of(&now.ru_utime, &w->usage.ru_utime);
	double system = seconds_of(&now.ru_stime, &w->usage.ru_stime);
	const struct fact facts[] = {
		{ "bytes", (double)bytes },
		{ "seconds", w->elapsed },
		{ "user_seconds", user },
		{ "system_seconds", system },
		{ "cpu_percent", 100 * (user + system) / w->elapsed },
		{ "context_switches",
		  (double)(now.ru_nvcsw + now.ru_nivcsw - w->usage.ru_nvcsw -
			   w->usage.ru_nivcsw) },
	};
	report_evidence(w->t->r, w->name, "probe", facts, COUNT(facts));
}

static void report_latency(struct window *w, enum traffic traffic)
{
	enum operation main = traffic == TO_DISK ? OP_WRITE : OP_READ;
	for (int op = 0; op < OPERATIONS; op++)
		if (latency[op].n)
			report_histogram(w->t->r, w->name, operation_names[op],
					 &latency[op]);
	const struct histogram *h = &latency[main];
	if (!h->n)
		return;
	counter(w, "latency_p50", histogram_quantile(h, .5) / 1e3);
	counter(w, "latency_p90", histogram_quantile(h, .9) / 1e3);
	counter(w, "latency_p99", histogram_quantile(h, .99) / 1e3);
	counter(w, "latency_max", (double)h->max / 1e3);
}

static void report_counters(struct window *w, struct counters *after,
			    enum traffic traffic)
{
	const struct counters *b = &w->before;
	report_disk(w, "diskstats", b, after);
	report_fields(w, "stat", CPUS, cpu_field_names, b->cpu, after->cpu,
		      after->cpu_has);
	report_fields(w, "vmstat", KERNEL_FIELDS, kernel_field_names, b->kernel,
		      after->kernel, after->kernel_has);
	request_counters(w, after, traffic);
	cpu_counter(w, after);
}

static int check_delivery(struct window *w, double claimed, double delivered)
{
	if (delivered >= DELIVERED_AT_LEAST * claimed)
		return 0;
	w->cached = true;
	if (w->t->p->keep_cache)
		return 0;
	return report_error(w->t->r,
			    "%s: read %.0f bytes, but the disk delivered %.0f: "
			    "the rest came from a cache",
			    w->name, claimed, delivered);
}

static bool was_used(const struct counters *b, const struct counters *a)
{
	return a->disk[READS] != b->disk[READS] ||
	       a->disk[WRITES_DONE] != b->disk[WRITES_DONE];
}

int window_close(struct window *w, uint64_t bytes, enum traffic traffic)
{
	struct report *r = w->t->r;
	struct counters after, target_after;
	size_t n;
	w->elapsed = window_elapsed(w);
	const struct timeline_row *rows = timeline_stop(&n);
	if (read_counters(w, w->t->d, &after) ||
	    (has_target(w) && read_counters(w, w->t->target, &target_after)))
		return -1;
	bool reads = traffic == FROM_DISK || traffic == BOTH;
	double claimed = reads ? (double)bytes : 0;
	double delivered = 512 * disk_delta(w, &after, READ_SECTORS);
	int rc = check_delivery(w, claimed, delivered);
	if (rc || report_end(r, w->name, w->elapsed, (double)bytes,
			     w->cached ? delivered : claimed))
		return -1;
	if (w->elapsed <= 0)
		return report_error(r, "%s: the clock did not move", w->name);
	report_process(w, bytes);
	report_counters(w, &after, traffic);
	if (has_target(w) && was_used(&w->target_before, &target_after)) {
		char source[64];
		snprintf(source, sizeof(source), "diskstats/%s",
			 w->t->target->name);
		report_disk(w, source, &w->target_before, &target_after);
	}
	report_latency(w, traffic);
	for (size_t i = 0; i < n; i++)
		report_vmstat(r, w->name, &rows[i]);
	return 0;
}

void window_figure(struct window *w, const char *figure, double value)
{
	char name[128], full[160];
	snprintf(name, sizeof(name), "%s%s", figure,
		 w->cached ? ".from_cache" : "");
	report_name(w->t->r, w->t->d, name, full, sizeof(full));
	report_sample(w->t->r, w->name, full, value);
}

int window_rate(struct window *w, uint64_t bytes, enum traffic traffic,
		double unit, double timed)
{
	if (window_close(w, bytes, traffic))
		return -1;
	const char *slash = w->t->r->prefix ? strchr(w->name, '/') : NULL;
	window_figure(w, slash ? slash + 1 : w->name,
		      (double)bytes / unit / (timed > 0 ? timed : w->elapsed));
	return 0;
}
