/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dd if=/dev/zero of=FILE bs=N count=M [conv=fsync], as coreutils 9.1 times
 * it: from before the first read until both files are closed. dd's MB/s are
 * decimal.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MB 1e6

static int copy_blocks(struct window *w, int in, int out, char *buf,
		       size_t block, uint64_t size)
{
	for (uint64_t done = 0; done < size; done += block) {
		if (read(in, buf, block) != (ssize_t)block)
			return report_error(w->t->r, "/dev/zero: %s",
					    strerror(errno));
		window_skip(w);
		ssize_t n = write(out, buf, block);
		window_operation(w, OP_WRITE);
		if (n != (ssize_t)block)
			return report_error(
				w->t->r, "writing to %s at %llu: %s",
				w->t->d->dev, (unsigned long long)done,
				n < 0 ? strerror(errno) : "it is full");
	}
	return 0;
}

static int run(struct task *t, const char *figure, char *buf, size_t block,
	       bool sync_it)
{
	struct window w;
	uint64_t size = (uint64_t)t->p->file_mib * MIB / block * block;
	int in = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int out = disk_open_file(t, t->d, O_WRONLY | O_CREAT | O_TRUNC);
	if (in < 0 || out < 0)
		return in < 0 ? report_error(t->r, "/dev/zero: %s",
					     strerror(errno)) :
				-1;
	drop_caches(t->p);
	int rc = window_open(&w, t, figure);
	if (rc == 0)
		rc = copy_blocks(&w, in, out, buf, block, size);
	if (rc == 0 && sync_it && fsync(out))
		rc = report_error(t->r, "syncing %s: %s", t->d->dev,
				  strerror(errno));
	close(in);
	if (close(out) && rc == 0)
		rc = report_error(t->r, "closing a file on %s: %s", t->d->dev,
				  strerror(errno));
	if (rc == 0)
		rc = window_rate(&w, size, TO_DISK, MB, 0);
	if (rc == 0)
		report_text(t->r,
			    "%llu bytes copied, %.6g s, %.3g MB/s "
			    "(bs=%zu%s)\n",
			    (unsigned long long)size, w.elapsed,
			    (double)size / MB / w.elapsed, block,
			    sync_it ? " conv=fsync" : "");
	return rc;
}

static int dd(struct task *t, const char *figure, const char *figure_1m,
	      bool sync_it)
{
	size_t block = t->arg ? (size_t)t->arg : t->p->dd_block;
	char *buf = aligned_alloc(4096, (block + 4095) / 4096 * 4096);
	if (!buf)
		return report_error(t->r, "no memory for a block of %zu bytes",
				    block);
	int rc = run(t, t->arg ? figure_1m : figure, buf, block, sync_it);
	free(buf);
	return rc;
}

int dd_write(struct task *t)
{
	return dd(t, "dd.write", "dd.write_1m", false);
}

int dd_write_fsync(struct task *t)
{
	return dd(t, "dd.write_fsync", "dd.write_1m_fsync", true);
}
