/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++'s random seeks: 8192 of them, by 5 seekers that have the file open
 * each for itself and take their tickets (chunk numbers) from one pipe; about
 * every tenth chunk that is read is changed and written back. The fsync at
 * close is inside the timing.
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

/* A ticket is a chunk's number, with this bit when it is to be changed. */
#define UPDATE (1u << 31)

struct seeker {
	pthread_t thread;
	int fd, tickets; /* the file; the pipe's reading end */
	int error;	 /* errno of the first failure */
};

static int seek_once(struct seeker *s, char *buf, unsigned ticket, double *last)
{
	off_t at = (off_t)(ticket & ~UPDATE) * CHUNK;
	if (lseek(s->fd, at, SEEK_SET) < 0 || read(s->fd, buf, CHUNK) != CHUNK)
		return -1;
	window_operation_since(last, OP_READ);
	if (!(ticket & UPDATE))
		return 0;
	buf[at / CHUNK % CHUNK]++;
	if (lseek(s->fd, at, SEEK_SET) < 0 || write(s->fd, buf, CHUNK) != CHUNK)
		return -1;
	window_operation_since(last, OP_WRITE);
	return 0;
}

static void *seek_along(void *data)
{
	struct seeker *s = data;
	char *buf = aligned_alloc(4096, CHUNK);
	double last = now_seconds();
	unsigned ticket;
	while (buf && !s->error &&
	       read(s->tickets, &ticket, sizeof(ticket)) == sizeof(ticket))
		if (seek_once(s, buf, ticket, &last))
			s->error = errno ? errno : EIO;
	free(buf);
	if (fsync(s->fd) && !s->error)
		s->error = errno;
	return NULL;
}

/* The same tickets in every run, more than a pipe holds at once. */
static int write_tickets(int fd, unsigned chunks)
{
	static unsigned tickets[SEEKS];
	unsigned short state[3] = { 0x330e, 1, 2007 };
	for (unsigned i = 0; i < SEEKS; i++)
		tickets[i] = (unsigned)(erand48(state) * chunks) |
			     (i % UPDATE_EVERY == 0 ? UPDATE : 0);
	for (size_t done = 0; done < sizeof(tickets);) {
		ssize_t n = write(fd, (char *)tickets + done,
				  sizeof(tickets) - done);
		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static int open_all(struct task *t, struct seeker s[SEEKERS], int tickets)
{
	for (int i = 0; i < SEEKERS; i++) {
		s[i] = (struct seeker){ .tickets = tickets };
		s[i].fd = disk_open_file(t, t->d, O_RDWR);
		if (s[i].fd >= 0)
			continue;
		while (i-- > 0)
			close(s[i].fd);
		return -1;
	}
	return 0;
}

static int seek_all(struct task *t, struct seeker s[SEEKERS], int pipes[2])
{
	unsigned chunks = (unsigned)((uint64_t)t->p->file_mib * MIB / CHUNK);
	int started = 0, error = 0;
	while (started < SEEKERS &&
	       pthread_create(&s[started].thread, NULL, seek_along,
			      &s[started]) == 0)
		started++;
	if (started && write_tickets(pipes[1], chunks))
		error = errno;
	close(pipes[1]); /* the seekers find the end of the tickets */
	pipes[1] = -1;
	for (int i = 0; i < started; i++) {
		pthread_join(s[i].thread, NULL);
		error = error ? error : s[i].error;
	}
	if (started < SEEKERS)
		return report_error(t->r, "cannot start %d seekers", SEEKERS);
	if (error)
		return report_error(t->r, "seeking on %s (%s): %s", t->d->dev,
				    t->d->fs, strerror(error));
	return 0;
}

int bonnie_seeks(struct task *t)
{
	struct seeker s[SEEKERS];
	struct window w;
	int pipes[2];
	if (disk_fill_file(t, t->d))
		return -1;
	drop_caches(t->p);
	if (pipe2(pipes, O_CLOEXEC))
		return report_error(t->r, "no pipe: %s", strerror(errno));
	int rc = open_all(t, s, pipes[0]);
	if (rc == 0) {
		rc = window_open(&w, t, "bonnie.seeks");
		if (rc == 0)
			rc = seek_all(t, s, pipes);
		for (int i = 0; i < SEEKERS; i++)
			close(s[i].fd);
	}
	close(pipes[0]);
	if (pipes[1] >= 0)
		close(pipes[1]);
	if (rc == 0)
		rc = window_close(&w, (uint64_t)SEEKS * CHUNK, FROM_CACHE);
	if (rc == 0)
		window_figure(&w, "bonnie.seeks", SEEKS / w.elapsed);
	return rc;
}
