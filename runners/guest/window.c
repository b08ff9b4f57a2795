/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window: the time between two readings of every counter. */
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int window_open(struct window *w, struct report *r, const struct disk *d,
		const char *figure)
{
	w->r = r;
	w->disk = d;
	report_name(r, d, figure, w->name, sizeof(w->name));
	if (report_begin(r, w->name))
		return -1;
	if (counters_read(d->kname, &w->before))
		return report_error(r, "cannot read the counters of %s: %s",
				    d->dev, strerror(errno));
	w->start = now_seconds();
	return 0;
}

static void counter_metric(struct window *w, const char *suffix, double value)
{
	char name[128];
	snprintf(name, sizeof(name), "%s.%s", w->name, suffix);
	report_sample(w->r, name, value);
}

static void report_counters(struct window *w, const struct counters *after,
			    enum traffic traffic)
{
	bool writing = traffic == TO_DISK;
	const struct counters *b = &w->before;
	double reads = (double)(after->reads - b->reads);
	double writes = (double)(after->writes - b->writes);
	double rmerge = (double)(after->read_merges - b->read_merges);
	double wmerge = (double)(after->write_merges - b->write_merges);
	double rsect = (double)(after->read_sectors - b->read_sectors);
	double wsect = (double)(after->write_sectors - b->write_sectors);
	const struct {
		const char *source, *key;
		double value;
	} rows[] = {
		{ "diskstats", "reads", reads },
		{ "diskstats", "read_merges", rmerge },
		{ "diskstats", "read_sectors", rsect },
		{ "diskstats", "read_ms",
		  (double)(after->read_ms - b->read_ms) },
		{ "diskstats", "writes", writes },
		{ "diskstats", "write_merges", wmerge },
		{ "diskstats", "write_sectors", wsect },
		{ "diskstats", "write_ms",
		  (double)(after->write_ms - b->write_ms) },
		{ "stat", "busy_ticks",
		  (double)(after->cpu_busy - b->cpu_busy) },
		{ "stat", "idle_ticks",
		  (double)(after->cpu_idle - b->cpu_idle) },
		{ "stat", "wait_ticks",
		  (double)(after->cpu_wait - b->cpu_wait) },
		{ "vmstat", "pgpgin_kib", (double)(after->pgpgin - b->pgpgin) },
		{ "vmstat", "pgpgout_kib",
		  (double)(after->pgpgout - b->pgpgout) },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		report_evidence(w->r, w->name, rows[i].source, rows[i].key,
				rows[i].value);

	double ops = writing ? writes : reads;
	double merges = writing ? wmerge : rmerge;
	double sectors = writing ? wsect : rsect;
	if (ops > 0) {
		counter_metric(w, "request_kib", sectors / 2 / ops);
		counter_metric(w, "merge_ratio", merges / (ops + merges));
	}
	double ticks =
		(double)(after->cpu_busy - b->cpu_busy + after->cpu_idle -
			 b->cpu_idle + after->cpu_wait - b->cpu_wait);
	if (ticks >= 20)
		counter_metric(w, "cpu_percent",
			       100 * (double)(after->cpu_busy - b->cpu_busy) /
				       ticks);
}

int window_close(struct window *w, uint64_t claimed, enum traffic traffic,
		 double corrected)
{
	double elapsed = now_seconds() - w->start;
	struct counters after;
	if (counters_read(w->disk->kname, &after))
		return report_error(w->r, "cannot read the counters of %s: %s",
				    w->disk->dev, strerror(errno));
	if (report_end(w->r, w->name, elapsed))
		return -1;
	double delivered =
		512.0 * (double)(after.read_sectors - w->before.read_sectors);
	if (traffic == FROM_DISK && delivered < 0.98 * (double)claimed)
		return report_error(w->r,
				    "%s: read %.0f bytes, but the disk "
				    "delivered %.0f: the rest came from a "
				    "cache",
				    w->name, (double)claimed, delivered);
	double timed = corrected > 0 ? corrected : elapsed;
	if (timed <= 0)
		return report_error(w->r, "%s: the clock did not move",
				    w->name);
	report_evidence(w->r, w->name, "probe", "bytes", (double)claimed);
	report_evidence(w->r, w->name, "probe", "seconds", elapsed);
	report_counters(w, &after, traffic);
	report_sample(w->r, w->name, (double)claimed / MIB / timed);
	return 0;
}
