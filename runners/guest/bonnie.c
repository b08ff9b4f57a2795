/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++'s block tests on a file system: block write, rewrite, block read,
 * 8192 bytes at a time, fsync inside the timing as bonnie++ 2.00a has it.
 * Addition: caches are dropped between the phases, so that reads are reads.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 8192
#define MOUNT_POINT "/mnt"
#define FILE_NAME MOUNT_POINT "/firstbad.tmp"

static void drop_caches(void)
{
	sync();
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "3\n", 2) != 2)
		perror("drop_caches");
	close(fd);
}

static int full(ssize_t n)
{
	if (n == CHUNK)
		return 0;
	if (n >= 0)
		errno = ENOSPC;
	return -1;
}

static int write_chunks(int fd, char *buf, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		memcpy(buf, &i, sizeof(i));
		if (full(write(fd, buf, CHUNK)))
			return -1;
	}
	return fsync(fd);
}

static int rewrite_chunks(int fd, char *buf, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		if (full(read(fd, buf, CHUNK)))
			return -1;
		buf[i % CHUNK]++;
		if (lseek(fd, -CHUNK, SEEK_CUR) < 0 ||
		    full(write(fd, buf, CHUNK)))
			return -1;
	}
	return fsync(fd);
}

static int read_chunks(int fd, char *buf, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		if (full(read(fd, buf, CHUNK)))
			return -1;
	return 0;
}

struct phase {
	const char *figure;
	int flags;
	int (*run)(int fd, char *buf, unsigned long n);
	enum traffic traffic;
};

static const struct phase phases[] = {
	{ "bonnie.block_write", O_WRONLY | O_CREAT | O_TRUNC, write_chunks,
	  TO_DISK },
	{ "bonnie.rewrite", O_RDWR, rewrite_chunks, TO_DISK },
	{ "bonnie.block_read", O_RDONLY, read_chunks, FROM_DISK },
};

static int run_phase(struct report *r, const struct disk *d,
		     const struct phase *ph, unsigned long chunks)
{
	static char buf[CHUNK] __attribute__((aligned(4096)));
	drop_caches();
	int fd = open(FILE_NAME, ph->flags | O_CLOEXEC, 0600);
	if (fd < 0)
		return report_error(r, "cannot open %s: %s", FILE_NAME,
				    strerror(errno));
	struct window w;
	int rc = window_open(&w, r, d, ph->figure);
	if (rc == 0 && ph->run(fd, buf, chunks))
		rc = report_error(r, "%s on %s (%s): %s", ph->figure, d->dev,
				  d->fs, strerror(errno));
	if (rc == 0)
		rc = window_close(&w, (uint64_t)chunks * CHUNK, ph->traffic, 0);
	close(fd);
	return rc;
}

int bonnie_block(struct report *r, const struct disk *d, const struct params *p)
{
	mkdir(MOUNT_POINT, 0755);
	if (mount(d->dev, MOUNT_POINT, d->fs, 0, NULL))
		return report_error(r, "cannot mount %s as %s: %s", d->dev,
				    d->fs, strerror(errno));
	unsigned long chunks = (unsigned long)p->file_mib * 1024 * 1024 / CHUNK;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < sizeof(phases) / sizeof(phases[0]);
	     i++)
		rc = run_phase(r, d, &phases[i], chunks);
	unlink(FILE_NAME);
	if (umount(MOUNT_POINT) && rc == 0)
		rc = report_error(r, "cannot unmount %s: %s", d->dev,
				  strerror(errno));
	return rc;
}
