/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens while nobody asks for anything: interrupts, context switches
 * and disk I/O of background activity (hald and its kind). The timeline's own
 * waking is part of it, `hz` switches a second.
 */
#include "window.h"
#include "workload.h"

#include <time.h>

static double per_second(const struct window *w, const struct counters *after,
			 enum kernel_field f)
{
	return (double)(after->kernel[f] - w->before.kernel[f]) / w->elapsed;
}

int idle(struct task *t)
{
	struct window w;
	struct counters after;
	double seconds = t->p->seconds;
	if (window_open(&w, t, "idle"))
		return -1;
	struct timespec ts = { (time_t)seconds,
			       (long)((seconds - (double)(time_t)seconds) *
				      1e9) };
	nanosleep(&ts, NULL);
	if (counters_read("/proc", t->d->kname, &after))
		return report_error(t->r, "%s is gone", t->d->dev);
	if (window_close(&w, 0, FROM_CACHE))
		return -1;
	window_figure(&w, "idle.interrupts", per_second(&w, &after, INTR));
	window_figure(&w, "idle.context_switches",
		      per_second(&w, &after, CTXT));
	window_figure(&w, "idle.io_kib",
		      per_second(&w, &after, PGPGIN) +
			      per_second(&w, &after, PGPGOUT));
	return 0;
}
