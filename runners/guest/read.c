/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one read() takes: random, aligned 4 KiB, O_DIRECT, one at a time, all
 * over the disk. The positions are the same in every run.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096
#define SEED 20070105

static int read_randomly(struct window *w, int fd, uint64_t blocks,
			 uint64_t *done)
{
	static char buf[BLOCK] __attribute__((aligned(BLOCK)));
	unsigned short state[3] = { SEED & 0xffff, SEED >> 16, 0x330e };
	while (w->last - w->start < w->t->p->seconds) {
		uint64_t at = (uint64_t)(erand48(state) * (double)blocks);
		if (pread(fd, buf, BLOCK, (off_t)(at * BLOCK)) != BLOCK)
			return report_error(w->t->r, "reading %s at %llu: %s",
					    w->t->d->dev,
					    (unsigned long long)at * BLOCK,
					    strerror(errno));
		window_operation(w, OP_READ);
		++*done;
	}
	return 0;
}

int random_read(struct task *t)
{
	struct window w;
	uint64_t done = 0;
	if (disk_unmount(t, t->d))
		return -1;
	int fd = open(t->d->dev, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return report_error(t->r, "cannot open %s for direct reads: %s",
				    t->d->dev, strerror(errno));
	uint64_t blocks = disk_size(fd) / BLOCK;
	int rc = blocks ? window_open(&w, t, "read") :
			  report_error(t->r, "%s is empty", t->d->dev);
	if (rc == 0)
		rc = read_randomly(&w, fd, blocks, &done);
	if (rc == 0)
		rc = window_close(&w, done * BLOCK, FROM_DISK);
	if (rc == 0) {
		double rate = (double)done / (w.last - w.start);
		window_figure(&w, "read.rate", rate);
		report_text(t->r,
			    " Timing random 4 KiB O_DIRECT reads: "
			    "%.1f/sec\n",
			    rate);
	}
	close(fd);
	return rc;
}
