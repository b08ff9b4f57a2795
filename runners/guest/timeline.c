/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "probe.h"

/* A last, shorter row is worth keeping when it is this long. */
#define SHORTEST_ROW 0.1

static struct {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool running, stop;
	const char *kname;
	double period, start;
	struct timeline_row rows[TIMELINE_ROWS];
	size_t n;
} tl = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned long delta(const struct counters *b, const struct counters *a,
			   enum kernel_field f, double seconds)
{
	return (unsigned long)((double)(a->kernel[f] - b->kernel[f]) / seconds +
			       0.5);
}

void timeline_row(struct timeline_row *out, const struct counters *b,
		  const struct counters *a, const struct memory *m,
		  double seconds)
{
	uint64_t d[CPUS], sum = 0;
	for (int i = 0; i < CPUS; i++) {
		/* iowait may run backwards (proc.rst). */
		d[i] = a->cpu[i] > b->cpu[i] ? a->cpu[i] - b->cpu[i] : 0;
		sum += d[i];
	}
	if (!sum)
		sum = d[IDLE] = 1;
	const uint64_t parts[] = { d[USER] + d[NICE],
				   d[SYSTEM] + d[IRQ] + d[SOFTIRQ], d[IDLE],
				   d[IOWAIT], d[STEAL] };
	unsigned long *v = out->v;
	*v++ = a->running ? a->running - 1 : 0; /* without ourselves */
	*v++ = a->blocked;
	*v++ = m->swap_used;
	*v++ = m->free;
	*v++ = m->buffers;
	*v++ = m->cache;
	*v++ = delta(b, a, PSWPIN, seconds) * 4; /* pages of 4 KiB */
	*v++ = delta(b, a, PSWPOUT, seconds) * 4;
	*v++ = delta(b, a, PGPGIN, seconds);
	*v++ = delta(b, a, PGPGOUT, seconds);
	*v++ = delta(b, a, INTR, seconds);
	*v++ = delta(b, a, CTXT, seconds);
	for (int i = 0; i < 5; i++)
		*v++ = (unsigned long)((100 * parts[i] + sum / 2) / sum);
}

static double take_row(struct counters *before, double since, double shortest)
{
	struct counters now;
	struct memory m;
	double t = now_seconds();
	if (t - since < shortest || tl.n == TIMELINE_ROWS ||
	    counters_read("/proc", tl.kname, &now))
		return since;
	memory_read("/proc", &m);
	timeline_row(&tl.rows[tl.n], before, &now, &m, t - since);
	tl.rows[tl.n++].at = t - tl.start;
	*before = now;
	return t;
}

static struct timespec at(double seconds)
{
	time_t whole = (time_t)seconds;
	return (struct timespec){ whole,
				  (long)((seconds - (double)whole) * 1e9) };
}

static void *watch(void *unused)
{
	struct counters before;
	double since = tl.start;
	counters_read("/proc", tl.kname, &before);
	pthread_mutex_lock(&tl.lock);
	while (!tl.stop) {
		struct timespec due = at(since + tl.period);
		while (!tl.stop && now_seconds() < since + tl.period)
			pthread_cond_timedwait(&tl.wake, &tl.lock, &due);
		double shortest = tl.stop ? SHORTEST_ROW : 0;
		since = take_row(&before, since, shortest);
		if (tl.n == TIMELINE_ROWS)
			break;
	}
	pthread_mutex_unlock(&tl.lock);
	return unused;
}

void timeline_start(const char *kname, unsigned hz)
{
	size_t left;
	timeline_stop(&left); /* of a window that was given up */
	pthread_condattr_t a;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&tl.wake, &a);
	tl.n = 0;
	tl.stop = false;
	tl.kname = kname;
	tl.period = 1.0 / hz;
	tl.start = now_seconds();
	tl.running = hz && pthread_create(&tl.thread, NULL, watch, NULL) == 0;
}

const struct timeline_row *timeline_stop(size_t *n)
{
	if (tl.running) {
		pthread_mutex_lock(&tl.lock);
		tl.stop = true;
		pthread_cond_signal(&tl.wake);
		pthread_mutex_unlock(&tl.lock);
		pthread_join(tl.thread, NULL);
	}
	tl.running = false;
	*n = tl.n;
	return tl.rows;
}
