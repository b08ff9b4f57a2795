/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timings of hdparm -t, -t --direct and -T, measured as hdparm 9.65 does,
 * with one addition: caches are flushed before the reading as well, so that
 * a warm page cache is never reported as disk speed.
 */
#include "disk.h"
#include "window.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK (2 * 1024 * 1024)
#define APART (2 * CHUNK)
#define CACHED_SECONDS 2.0
#define WARM_UP_CHUNKS 8

static void flush(int fd)
{
	sync();
	fsync(fd);
	ioctl(fd, BLKFLSBUF);
	sync();
}

static int open_disk(struct task *t, int flags)
{
	const char *dev = t->d->dev;
	if (disk_unmount(t, t->d))
		return -1;
	int fd = open(dev, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
	if (fd < 0)
		return report_error(t->r, "cannot open %s: %s", dev,
				    strerror(errno));
	uint64_t size = disk_size(fd);
	if (size >= CHUNK)
		return fd;
	close(fd);
	return report_error(t->r, "%s: %llu bytes, too small for a timing", dev,
			    (unsigned long long)size);
}

static char *locked_buffer(struct report *r)
{
	/*
	 * The first pages that a kernel hands out are leftovers from all over
	 * its memory, and how scattered a buffer is changes the cost of
	 * O_DIRECT by a third. The last of a larger piece lie together.
	 */
	char *p = mmap(NULL, APART, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		report_error(r, "no memory for the read buffer");
		return NULL;
	}
	memset(p, 0, APART);
	munmap(p, APART - CHUNK);
	p += APART - CHUNK;
	mlock(p, CHUNK);
	return p;
}

/* Opens the disk and gets the buffer; -1 after report_error(). */
static int begin(struct task *t, int flags, char **buf)
{
	int fd = open_disk(t, flags);
	if (fd < 0)
		return -1;
	*buf = locked_buffer(t->r);
	if (*buf)
		return fd;
	close(fd);
	return -1;
}

static void end(int fd, char *buf)
{
	flush(fd);
	munmap(buf, CHUNK);
	close(fd);
}

/* One full chunk; 0 at the end of the device, -1 on error. */
static int read_chunk(int fd, char *buf)
{
	size_t got = 0;
	while (got < CHUNK) {
		ssize_t n = read(fd, buf + got, CHUNK - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -1 : 0;
		got += (size_t)n;
	}
	for (size_t i = 0; i < CHUNK; i += 512)
		*(volatile char *)(buf + i);
	return 1;
}

static void print_timing(const struct window *w, uint64_t bytes, double elapsed)
{
	double rate = (double)bytes / MIB / elapsed;
	bool slow = rate <= 1;
	report_text(w->t->r, "%3u MB in %5.2f seconds = %6.2f %s/sec%s\n",
		    (unsigned)(bytes / MIB), elapsed, slow ? rate * KIB : rate,
		    slow ? "kB" : "MB",
		    w->cached ? " (from a cache: not the disk's speed)" : "");
}

/* The first read after boot is slower than all that follow. */
static int warm_up(int fd, char *buf, off_t offset)
{
	int more = 1;
	for (int i = 0; i < WARM_UP_CHUNKS && more > 0; i++)
		more = read_chunk(fd, buf);
	flush(fd);
	sleep(1);
	return lseek(fd, offset, SEEK_SET) < 0 ? -1 : 0;
}

static int read_for_a_while(struct window *w, int fd, char *buf,
			    uint64_t *bytes)
{
	int more = 1;
	while (more > 0 && w->last - w->start < w->t->p->seconds) {
		more = read_chunk(fd, buf);
		window_operation(w, OP_READ);
		if (more > 0)
			*bytes += CHUNK;
	}
	if (more >= 0)
		return 0;
	return report_error(w->t->r, "reading %s at %llu: %s", w->t->d->dev,
			    (unsigned long long)*bytes, strerror(errno));
}

static int sequential(struct task *t, int flags, off_t offset,
		      const char *figure, const char *title)
{
	char *buf;
	struct window w;
	uint64_t bytes = 0;
	int fd = begin(t, flags, &buf);
	if (fd < 0)
		return -1;
	int rc = 0;
	if (!t->p->keep_cache && warm_up(fd, buf, offset))
		rc = report_error(t->r, "seeking on %s: %s", t->d->dev,
				  strerror(errno));
	if (rc == 0)
		rc = window_open(&w, t, figure);
	report_text(t->r, " %s: ", title);
	if (rc == 0)
		rc = read_for_a_while(&w, fd, buf, &bytes);
	double elapsed = rc ? 0 : w.last - w.start;
	if (rc == 0)
		rc = window_rate(&w, bytes, FROM_DISK, MIB, elapsed);
	if (rc == 0)
		print_timing(&w, bytes, elapsed);
	end(fd, buf);
	return rc;
}

int hdparm_buffered(struct task *t)
{
	return sequential(t, 0, 0, "hdparm.buffered_read",
			  "Timing buffered disk reads");
}

int hdparm_direct(struct task *t)
{
	return sequential(t, O_DIRECT, 0, "hdparm.direct_read",
			  "Timing O_DIRECT disk reads");
}

/* The inner zone of a real disk is slower than its beginning. */
int hdparm_offset(struct task *t)
{
	int fd = open_disk(t, 0);
	if (fd < 0)
		return -1;
	off_t offset = (off_t)(disk_size(fd) / CHUNK * 7 / 8 * CHUNK);
	close(fd);
	char title[64];
	snprintf(title, sizeof(title),
		 "Timing buffered disk reads (offset %llu MB)",
		 (unsigned long long)offset / MIB);
	return sequential(t, 0, offset, "hdparm.offset_read", title);
}

/* The cost of n rounds of what the loop does besides reading. */
static double loop_overhead(int fd, unsigned n)
{
	double t0 = now_seconds();
	for (unsigned i = 0; i < n; i++) {
		lseek(fd, 0, SEEK_SET);
		now_seconds();
	}
	return now_seconds() - t0;
}

int hdparm_cached(struct task *t)
{
	char *buf;
	struct window w;
	int fd = begin(t, 0, &buf);
	if (fd < 0)
		return -1;
	int more = read_chunk(fd, buf);
	flush(fd);
	sleep(1);

	int rc = window_open(&w, t, "hdparm.cached_read");
	report_text(t->r, " Timing cached reads:   ");
	unsigned n = 0;
	while (rc == 0 && more > 0 && w.last - w.start < CACHED_SECONDS) {
		lseek(fd, 0, SEEK_SET);
		more = read_chunk(fd, buf);
		window_operation(&w, OP_READ);
		n++;
	}
	if (rc == 0 && more <= 0)
		rc = report_error(t->r, "reading %s: %s", t->d->dev,
				  strerror(errno));
	if (rc == 0) {
		double timed = w.last - w.start - loop_overhead(fd, n);
		uint64_t bytes = (uint64_t)n * CHUNK;
		rc = window_rate(&w, bytes, FROM_CACHE, MIB, timed);
		print_timing(&w, bytes, timed);
	}
	end(fd, buf);
	return rc;
}
