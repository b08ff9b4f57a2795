/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++'s random seeks: 8192 seeks by 5 seekers that share them, each with
 * the file open for itself; every tenth chunk that is read is changed and
 * written back.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 8192
#define SEEKS 8192
#define SEEKERS 5
#define UPDATE_EVERY 10

struct seeker {
	pthread_t thread;
	int fd, error; /* errno of the first failure */
	uint64_t chunks;
	unsigned *tickets; /* seeks that are left to all */
	unsigned short state[3];
};

static int seek_once(struct seeker *s, char *buf, bool update, double *last)
{
	off_t at = (off_t)(erand48(s->state) * (double)s->chunks) * CHUNK;
	if (pread(s->fd, buf, CHUNK, at) != CHUNK)
		return -1;
	window_operation_since(last, OP_READ);
	if (!update)
		return 0;
	buf[at / CHUNK % CHUNK]++;
	if (pwrite(s->fd, buf, CHUNK, at) != CHUNK)
		return -1;
	window_operation_since(last, OP_WRITE);
	return 0;
}

static void *seek_along(void *data)
{
	struct seeker *s = data;
	char *buf = aligned_alloc(4096, CHUNK);
	double last = now_seconds();
	for (unsigned n = 0; buf && !s->error; n++) {
		unsigned left =
			__atomic_fetch_sub(s->tickets, 1, __ATOMIC_RELAXED);
		if (left == 0 || left > SEEKS)
			break;
		if (seek_once(s, buf, n % UPDATE_EVERY == 0, &last))
			s->error = errno ? errno : EIO;
	}
	free(buf);
	if (fsync(s->fd) && !s->error)
		s->error = errno;
	return NULL;
}

static int start(struct task *t, struct seeker s[SEEKERS], unsigned *tickets)
{
	for (int i = 0; i < SEEKERS; i++) {
		s[i] = (struct seeker){
			.chunks = (uint64_t)t->p->file_mib * MIB / CHUNK,
			.tickets = tickets,
			.state = { 0x330e, (unsigned short)(i + 1), 2007 },
		};
		s[i].fd = disk_open_file(t, t->d, O_RDWR);
		if (s[i].fd < 0) {
			while (i-- > 0)
				close(s[i].fd);
			return -1;
		}
	}
	return 0;
}

int bonnie_seeks(struct task *t)
{
	struct seeker s[SEEKERS];
	struct window w;
	unsigned tickets = SEEKS;
	if (disk_fill_file(t, t->d))
		return -1;
	drop_caches(t->p);
	if (start(t, s, &tickets))
		return -1;
	int rc = window_open(&w, t, "bonnie.seeks"), started = 0, error = 0;
	while (rc == 0 && started < SEEKERS &&
	       pthread_create(&s[started].thread, NULL, seek_along,
			      &s[started]) == 0)
		started++;
	for (int i = 0; i < SEEKERS; i++) {
		if (i < started)
			pthread_join(s[i].thread, NULL);
		close(s[i].fd);
		error = error ? error : i < started ? s[i].error : 0;
	}
	if (rc == 0 && started < SEEKERS)
		rc = report_error(t->r, "cannot start %d seekers", SEEKERS);
	if (rc == 0 && error)
		rc = report_error(t->r, "seeking on %s (%s): %s", t->d->dev,
				  t->d->fs, strerror(error));
	if (rc == 0)
		rc = window_close(&w, (uint64_t)SEEKS * CHUNK, FROM_CACHE);
	if (rc == 0)
		window_figure(&w, "bonnie.seeks", SEEKS / w.elapsed);
	return rc;
}
