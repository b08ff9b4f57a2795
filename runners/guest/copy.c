/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk to disk, 128 KiB at a time as cp does, file_mib of it, until the
 * target has it (fsync inside the timing): raw from the beginning of one disk
 * to the scratch area of the other, and from file to file.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (128 * KIB)

static int copy_all(struct window *w, int in, int out, uint64_t size)
{
	static char buf[BLOCK] __attribute__((aligned(4096)));
	struct task *t = w->t;
	for (uint64_t done = 0; done < size;) {
		size_t want =
			size - done < BLOCK ? (size_t)(size - done) : BLOCK;
		ssize_t n = read(in, buf, want);
		window_operation(w, OP_READ);
		if (n <= 0)
			return report_error(t->r, "reading %s at %llu: %s",
					    t->d->dev, (unsigned long long)done,
					    n ? strerror(errno) : "no more");
		ssize_t m = write(out, buf, (size_t)n);
		window_operation(w, OP_WRITE);
		if (m != n)
			return report_error(
				t->r, "writing %s at %llu: %s", t->target->dev,
				(unsigned long long)done,
				m < 0 ? strerror(errno) : "it is full");
		done += (uint64_t)n;
	}
	if (fsync(out))
		return report_error(t->r, "syncing %s: %s", t->target->dev,
				    strerror(errno));
	return 0;
}

static int timed_copy(struct task *t, const char *figure, int in, int out,
		      uint64_t size)
{
	struct window w;
	drop_caches(t->p);
	int rc = window_open(&w, t, figure);
	if (rc == 0)
		rc = copy_all(&w, in, out, size);
	if (rc == 0)
		rc = window_rate(&w, size, FROM_DISK, MIB, 0);
	if (rc == 0)
		report_text(t->r, "%s: %llu MiB in %.2f s = %.2f MiB/s\n",
			    figure, (unsigned long long)size / MIB, w.elapsed,
			    (double)size / MIB / w.elapsed);
	return rc;
}

int copy_file(struct task *t)
{
	char path[300];
	int out = -1, rc = -1;
	if (disk_is_raw(t->d) || disk_is_raw(t->target))
		return report_error(t->r, "copy.file wants file systems, "
					  "copy.raw copies without");
	if (disk_fill_file(t, t->d) || disk_mount(t, t->target))
		return -1;
	snprintf(path, sizeof(path), "%s/firstbad.copy", t->target->dir);
	int in = disk_open_file(t, t->d, O_RDONLY);
	if (in >= 0)
		out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			   0600);
	if (in >= 0 && out < 0)
		report_error(t->r, "cannot create %s: %s", path,
			     strerror(errno));
	if (out >= 0)
		rc = timed_copy(t, "copy.file", in, out,
				(uint64_t)t->p->file_mib * MIB);
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	unlink(path);
	return rc;
}

int copy_raw(struct task *t)
{
	if (disk_unmount(t, t->d) || disk_unmount(t, t->target))
		return -1;
	int in = open(t->d->dev, O_RDONLY | O_CLOEXEC);
	int out = open(t->target->dev, O_WRONLY | O_CLOEXEC);
	int rc = -1;
	if (in < 0 || out < 0) {
		report_error(t->r, "cannot open %s: %s",
			     in < 0 ? t->d->dev : t->target->dev,
			     strerror(errno));
	} else {
		uint64_t from = disk_size(in), to = disk_size(out);
		uint64_t start = disk_scratch(to), room = to - start;
		uint64_t size = (uint64_t)t->p->file_mib * MIB;
		if (size > room)
			size = room / MIB * MIB;
		if (size > from / 2)
			size = from / 2 / MIB * MIB;
		rc = size && lseek(out, (off_t)start, SEEK_SET) >= 0 ?
			     timed_copy(t, "copy.raw", in, out, size) :
			     report_error(t->r, "%s is too small to copy to",
					  t->target->dev);
	}
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	return rc;
}
