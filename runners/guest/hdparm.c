/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timings of hdparm -t, -t --direct and -T, measured as hdparm 9.65 does,
 * with one addition: caches are flushed before the reading as well, so that
 * a warm page cache is never reported as disk speed.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK (2 * 1024 * 1024)
#define CACHED_SECONDS 2.0
#define WARM_UP_CHUNKS 8

static void flush(int fd)
{
	sync();
	fsync(fd);
	ioctl(fd, BLKFLSBUF);
	sync();
}

static int open_disk(struct report *r, const struct disk *d, int flags)
{
	int fd = open(d->dev, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
	if (fd < 0)
		return report_error(r, "cannot open %s: %s", d->dev,
				    strerror(errno));
	uint64_t size = 0;
	if (ioctl(fd, BLKGETSIZE64, &size) || size < CHUNK) {
		close(fd);
		return report_error(r, "%s: %llu bytes, too small for a timing",
				    d->dev, (unsigned long long)size);
	}
	return fd;
}

static char *locked_buffer(struct report *r)
{
	void *p = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		report_error(r, "no memory for the read buffer");
		return NULL;
	}
	mlock(p, CHUNK);
	memset(p, 0, CHUNK);
	return p;
}

/* Opens the disk and gets the buffer; -1 after report_error(). */
static int begin(struct report *r, const struct disk *d, int flags, char **buf)
{
	int fd = open_disk(r, d, flags);
	if (fd < 0)
		return -1;
	*buf = locked_buffer(r);
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

static void print_timing(struct report *r, uint64_t bytes, double elapsed)
{
	double rate = (double)bytes / MIB / elapsed;
	unsigned total = (unsigned)(bytes / (1024 * 1024));
	if (rate > 1.0)
		report_text(r, "%3u MB in %5.2f seconds = %6.2f MB/sec\n",
			    total, elapsed, rate);
	else
		report_text(r, "%3u MB in %5.2f seconds = %6.2f kB/sec\n",
			    total, elapsed, rate * 1024);
}

static int sequential(struct report *r, const struct disk *d,
		      const struct params *p, int flags, const char *figure,
		      const char *title)
{
	char *buf;
	int fd = begin(r, d, flags, &buf);
	if (fd < 0)
		return -1;
	/* The first read after boot is slower than all that follow. */
	int more = 1;
	for (int i = 0; i < WARM_UP_CHUNKS && more > 0; i++)
		more = read_chunk(fd, buf);
	lseek(fd, 0, SEEK_SET);
	flush(fd);
	sleep(1);

	struct window w;
	more = 1;
	int rc = window_open(&w, r, d, figure);
	report_text(r, " %s: ", title);
	uint64_t bytes = 0;
	double elapsed = 0;
	while (rc == 0 && more > 0 && elapsed < p->seconds) {
		more = read_chunk(fd, buf);
		if (more > 0)
			bytes += CHUNK;
		elapsed = now_seconds() - w.start;
	}
	if (rc == 0 && more < 0)
		rc = report_error(r, "reading %s at %llu: %s", d->dev,
				  (unsigned long long)bytes, strerror(errno));
	if (rc == 0)
		rc = window_close(&w, bytes, FROM_DISK, 0);
	if (rc == 0)
		print_timing(r, bytes, elapsed);
	end(fd, buf);
	return rc;
}

int hdparm_buffered(struct report *r, const struct disk *d,
		    const struct params *p)
{
	return sequential(r, d, p, 0, "hdparm.buffered_read",
			  "Timing buffered disk reads");
}

int hdparm_direct(struct report *r, const struct disk *d,
		  const struct params *p)
{
	return sequential(r, d, p, O_DIRECT, "hdparm.direct_read",
			  "Timing O_DIRECT disk reads");
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

int hdparm_cached(struct report *r, const struct disk *d,
		  const struct params *p)
{
	(void)p;
	char *buf;
	int fd = begin(r, d, 0, &buf);
	if (fd < 0)
		return -1;
	int more = read_chunk(fd, buf);
	flush(fd);
	sleep(1);

	struct window w;
	int rc = window_open(&w, r, d, "hdparm.cached_read");
	report_text(r, " Timing cached reads:   ");
	unsigned n = 0;
	double elapsed = 0;
	while (rc == 0 && more > 0 && elapsed < CACHED_SECONDS) {
		lseek(fd, 0, SEEK_SET);
		more = read_chunk(fd, buf);
		n++;
		elapsed = now_seconds() - w.start;
	}
	if (rc == 0 && more <= 0)
		rc = report_error(r, "reading %s: %s", d->dev, strerror(errno));
	if (rc == 0) {
		double timed = elapsed - loop_overhead(fd, n);
		rc = window_close(&w, (uint64_t)n * CHUNK, FROM_CACHE, timed);
		print_timing(r, (uint64_t)n * CHUNK, timed);
	}
	end(fd, buf);
	return rc;
}
